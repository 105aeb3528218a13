//! Phi folding: what is computed of a value that all ways but one know, is computed on that way, as LLVM's
//! instruction combiner does it (`foldOpIntoPhi`).
//!
//! ```text
//! v = 0;                         v = 0;
//! if (i < n) v = x[i];    →      if (i < n) v = x[i] * 3;
//! y[i] = v * 3;                  y[i] = v;
//! ```
//!
//! And what the first test of a loop computes of constants is known, since LLVM puts that test before the loop
//! (`LoopRotate`):
//!
//! ```text
//! z = 0;                         z = 0;
//! while (z * z < 4) z = f(z);  → do z = f(z); while (z * z < 4);
//! ```

use std::collections::HashMap;

use super::cost_model::{CostModel, is_pure};
use super::values::{Definition, Value};
use crate::ir::{AccessRole, Op};
use crate::launch::Fp32Counts;

/// An instruction, and the one on the way behind which it is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folded {
    pc: usize,
    to: usize,
}

/// Finds such instructions, and makes them readers of what that way brings.
pub(super) fn find(model: &mut CostModel) -> Vec<Folded> {
    let mut folded: Vec<Folded> = Vec::new();
    // Values that all ways but one know, with the instruction that computes them on that way.
    let mut known: HashMap<Value, usize> = HashMap::new();
    for pc in 0..model.kernel.code.len() {
        // A multiply-add is a product and a sum to LLVM still.
        let is_folded = matches!(
            model.ops[pc],
            Op::AddF32 | Op::SubF32 | Op::MulF32 | Op::FmaF32
        );
        let costs = model.costs[pc] != Fp32Counts::default();
        let (true, true, Some(result)) = (is_folded, costs, model.flow.writes[pc]) else {
            continue;
        };
        let Some(operand) = only_operand(model, pc) else {
            continue;
        };
        let to = match known.get(&operand) {
            Some(&to) => to,
            None => {
                let Some((input, to)) = way_of(model, operand, pc) else {
                    continue;
                };
                read_input(model, operand, input);
                to
            }
        };
        known.insert(result, to);
        folded.push(Folded { pc, to });
    }
    folded
}

/// Finds what loops compute before their first test, of constants when they begin: it is computed where they jump back.
pub(super) fn find_first_tests(model: &CostModel) -> Vec<Folded> {
    let code = &model.kernel.code;
    let jumps = code.iter().enumerate().filter(|(_, i)| i.op == Op::Jump);
    let mut folded = Vec::new();
    for (to, jump) in jumps {
        let head = jump.imm as usize;
        let mut known: Vec<Value> = Vec::new();
        let parts = |op: Op| matches!(op, Op::LeaveUnless | Op::If | Op::ScopeBegin | Op::Jump);
        let test = head + code[head..].iter().take_while(|i| !parts(i.op)).count();
        // A loop that tests at its end has its first test before it already.
        if code[test].op != Op::LeaveUnless || code[test + 1].op == Op::Jump {
            continue;
        }
        for (pc, i) in code.iter().enumerate().take(test).skip(head) {
            let is_known = |&value: &Value| {
                model.numbers.is_constant(value)
                    || known.contains(&value)
                    || begins_as_constant(model, value, head)
            };
            let mut operands = model.flow.reads[pc].operands.iter().flatten();
            let (true, Some(result)) = (is_pure(i.op), model.flow.writes[pc]) else {
                continue;
            };
            if operands.all(is_known) {
                known.push(result);
                folded.push(Folded { pc, to });
            }
        }
    }
    folded
}

/// Whether a value is a phi of the loop that begins at `head`, and a constant at first.
fn begins_as_constant(model: &CostModel, value: Value, head: usize) -> bool {
    let Definition::Phi(meeting) = model.flow.definitions[value] else {
        return false;
    };
    let first = model.flow.phis[&value].first();
    let is_constant = first.is_some_and(|&first| model.numbers.is_constant(first));
    is_constant && model.flow.meets_at[&meeting] == head
}

/// Moves what they cost to where they are computed.
pub(super) fn carry_out(model: &mut CostModel, folded: &[Folded]) {
    for &Folded { pc, to } in folded {
        let cost = std::mem::take(&mut model.costs[pc]);
        model.costs[to] += cost;
    }
}

/// The one operand of an instruction that is no constant, if nothing else reads it.
fn only_operand(model: &CostModel, pc: usize) -> Option<Value> {
    let operands = model.flow.reads[pc].operands.into_iter().flatten();
    let mut values = operands.filter(|&value| !model.numbers.is_constant(value));
    // `v + v` reads it twice, and is not folded.
    let (value, None) = (values.next()?, values.next()) else {
        return None;
    };
    (model.uses.get(&value)?[..] == [Some(pc)]).then_some(value)
}

/// The input of a phi that is no constant, where all others are, and the instruction that computes it: on a way that
/// only some lanes take, as it loads something.
fn way_of(model: &CostModel, phi: Value, pc: usize) -> Option<(Value, usize)> {
    let Definition::Phi(meeting) = model.flow.definitions[phi] else {
        return None;
    };
    let meets_at = model.flow.meets_at[&meeting];
    let inputs = model.flow.phis[&phi].iter().copied();
    let mut open = inputs.filter(|&input| !model.numbers.is_constant(input));
    let (input, None) = (open.next()?, open.next()) else {
        return None;
    };
    let Definition::At(at) = model.flow.definitions[input] else {
        return None;
    };
    let way = model.flow.region_of[at];
    let around = model.flow.region_of[pc];
    let is_if = model.kernel.code[meets_at].op == Op::EndIf;
    let is_inside = way != around && model.flow.common_region(way, around) == around;
    let loads = (model.flow.regions[way].first..meets_at)
        .any(|pc| model.flow.region_of[pc] == way && is_load(model, pc));
    (is_if && is_inside && loads && !model.flow.repeats_between(pc, at)).then_some((input, at))
}

fn is_load(model: &CostModel, pc: usize) -> bool {
    let i = model.kernel.code[pc];
    matches!(i.op, Op::Load | Op::LoadShared)
        && model.kernel.sites[i.imm as usize].role == AccessRole::Own
}

/// Who has read a phi reads its `input`.
fn read_input(model: &mut CostModel, phi: Value, input: Value) {
    let readers = model.uses.remove(&phi).unwrap_or_default();
    let of_input = model.uses.entry(input).or_default();
    if let Some(at) = of_input.iter().position(Option::is_none) {
        of_input.remove(at);
    }
    of_input.extend(readers);
}
