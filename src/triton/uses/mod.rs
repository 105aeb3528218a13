//! What a kernel uses its parameters as, as far as its text says it: addresses, bounds, strides, sides of tiles.
//!
//! ```python
//! offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)    # BLOCK is the side of a tile
//! row = tl.load(rows + offsets, mask=offsets < n)             # rows is a pointer to integers, n a bound
//! x = tl.load(table + row * stride)                           # table is a pointer, stride a stride
//! ```
//!
//! `body` lists what a function assigns, calls and compares; `flow` follows names from there to the parameters. Nothing is
//! run, and what is not seen is not known: a use that is not said here may be there all the same.

mod parameter_use;

mod body;

mod flow;

use std::collections::{BTreeMap, BTreeSet};

use self::body::Body;
use self::flow::Flow;
use super::python::{FunctionName, Python};

pub use parameter_use::ParameterUse;

/// Functions within functions that uses are followed through.
const MOST_CALLS: usize = 6;

/// What the parameters of a function under `@triton.jit` are used as, by their names.
pub(super) fn parameter_uses(
    python: &Python,
    function: &FunctionName,
) -> BTreeMap<String, ParameterUse> {
    uses_within(python, function, MOST_CALLS)
}

/// The same, through so many functions that it calls.
fn uses_within(
    python: &Python,
    function: &FunctionName,
    left: usize,
) -> BTreeMap<String, ParameterUse> {
    let Some(definition) = python.definition(function) else {
        return BTreeMap::new();
    };
    let body = Body::of(definition);
    let mut flow = Flow::new(&body);
    flow.follow_library();
    for &call in &body.calls {
        let Some(left) = left.checked_sub(1) else {
            continue;
        };
        let Some((callee, parameters)) = body::callee(python, function.module, call) else {
            continue;
        };
        let uses = uses_within(python, &callee, left);
        for (argument, name) in body::matched(call, &parameters) {
            flow.follow_argument(argument, uses.get(name).copied().unwrap_or_default());
        }
    }
    flow.uses()
}

/// The functions under `@triton.jit` of the file itself that others of it call.
pub(super) fn called_functions(python: &Python) -> BTreeSet<String> {
    let functions = python.functions().filter_map(|name| python.function(name));
    let bodies = functions.map(Body::of);
    let calls = bodies.flat_map(|body| body.calls);
    let callees = calls.filter_map(|call| body::callee(python, 0, call));
    callees
        .filter(|(function, _)| function.module == 0)
        .map(|(function, _)| function.name)
        .collect()
}
