//! The numbers of values: of equal ones the same, and which are constants.

use std::collections::HashMap;

use super::value_flow::{Definition, Phis, Reads, Value, ValueFlow};
use crate::ir::Op;

/// An operation and what it is done on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::compile::cost) struct Term {
    pub op: Op,
    pub operands: [Option<Value>; 3],
}

/// Where something was computed, and its value.
#[derive(Clone, Copy, Debug)]
pub(in crate::compile::cost) struct Computed {
    pub pc: usize,
    pub value: Value,
}

#[derive(Debug, Default)]
pub(in crate::compile::cost) struct ValueNumbers {
    /// The bits of values that are constants.
    pub bits: Vec<Option<u32>>,
    /// For each value, the first one that is the same.
    pub same: Vec<Value>,
    /// The value that each constant first was.
    pub constants: HashMap<u32, Value>,
    /// The instruction that last computed something, and its value.
    pub terms: HashMap<Term, Computed>,
    /// Values of which `x + x` was computed, and where first.
    pub doubled: HashMap<Value, usize>,
}

impl ValueNumbers {
    pub fn new(flow: &ValueFlow) -> Self {
        ValueNumbers {
            bits: vec![None; flow.definitions.len()],
            same: (0..flow.definitions.len()).collect(),
            ..ValueNumbers::default()
        }
    }

    /// Whether a value is neither known nor the same as one before.
    pub fn is_new(&self, value: Value) -> bool {
        !self.is_constant(value) && self.same[value] == value
    }

    pub fn is_constant(&self, value: Value) -> bool {
        self.bits[value].is_some()
    }

    /// The operands that are known, as single precision.
    pub fn single(&self, reads: &Reads) -> [Option<f32>; 3] {
        self.operands(reads).map(|bits| bits.map(f32::from_bits))
    }

    /// The first value that is the same; for a joined one, that of all ways.
    pub fn first(&mut self, value: Value, sources: &[Definition], joined: &Phis) -> Value {
        if self.same[value] == value && matches!(sources[value], Definition::Phi(_)) {
            // What comes back around a loop is not numbered yet and counts as another value: at worst too little is
            // shared.
            let mut inputs = joined[&value].iter().map(|&input| self.same[input]);
            let way = inputs.next();
            if let Some(way) = way.filter(|&way| inputs.all(|input| input == way)) {
                self.same[value] = way;
            }
        }
        self.same[value]
    }

    pub fn operands(&self, reads: &Reads) -> [Option<u32>; 3] {
        reads.operands.map(|operand| self.bits[operand?])
    }

    /// Phis values are of the first ones too.
    pub fn finish(&self, flow: &mut ValueFlow) {
        // By now what comes back around loops has been numbered too.
        for input in flow.phis.values_mut().flatten() {
            *input = self.same[*input];
        }
    }
}
