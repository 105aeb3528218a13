//! Functions that call themselves, by way of others or not.

use std::collections::{HashMap, HashSet};

use crate::cuda::FunctionId;

/// Of each function that may be called again before it returns, the cycle of calls that it lies on: two functions of one
/// cycle reach each other. `order` has every function behind all that it calls but for those that call it back, and `calls`
/// says what each calls (strongly connected components after Kosaraju).
pub(super) fn call_cycles<'a>(
    order: &[FunctionId],
    calls: impl Fn(FunctionId) -> &'a [FunctionId],
) -> HashMap<FunctionId, usize> {
    let mut callers: HashMap<FunctionId, Vec<FunctionId>> = HashMap::new();
    for &id in order {
        for &callee in calls(id) {
            callers.entry(callee).or_default().push(id);
        }
    }
    let mut cycles = HashMap::new();
    let mut seen = HashSet::new();
    for (cycle, &first) in order.iter().rev().enumerate() {
        let mut members = Vec::new();
        let mut open = vec![first];
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                members.push(id);
                open.extend(callers.get(&id).into_iter().flatten());
            }
        }
        if members.len() > 1 || calls(first).contains(&first) {
            cycles.extend(members.into_iter().map(|id| (id, cycle)));
        }
    }
    cycles
}
