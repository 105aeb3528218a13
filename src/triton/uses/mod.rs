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

mod body;
mod flow;

use std::collections::{BTreeMap, BTreeSet};

use self::body::Body;
use self::flow::Flow;
use super::python::{FunctionName, Python};

/// Functions within functions that uses are followed through.
const MOST_CALLS: usize = 6;

/// What a parameter is used as; several may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParameterUse {
    /// What it points to is loaded, stored or changed.
    pub is_pointer: bool,
    /// What is loaded from it is part of an index, or its bits are.
    pub holds_integers: bool,
    /// What is loaded from it is a factor of a matrix product.
    pub is_factor: bool,
    /// It is part of an index or a bound.
    pub is_integer: bool,
    /// Indices end at it: the bound of a mask or a loop, or the side of a tensor.
    pub is_bound: bool,
    /// It is the side of a tile.
    pub is_tile_side: bool,
    /// An index is multiplied by it.
    pub is_stride: bool,
    /// A condition is it alone.
    pub is_flag: bool,
    /// It names the type of elements.
    pub is_type: bool,
}

impl ParameterUse {
    /// What either is used as.
    fn or(self, other: Self) -> Self {
        ParameterUse {
            is_pointer: self.is_pointer || other.is_pointer,
            holds_integers: self.holds_integers || other.holds_integers,
            is_factor: self.is_factor || other.is_factor,
            is_integer: self.is_integer || other.is_integer,
            is_bound: self.is_bound || other.is_bound,
            is_tile_side: self.is_tile_side || other.is_tile_side,
            is_stride: self.is_stride || other.is_stride,
            is_flag: self.is_flag || other.is_flag,
            is_type: self.is_type || other.is_type,
        }
    }
}

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
