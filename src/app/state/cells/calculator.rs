//! Calculators: the inputs as the learner has moved them.

use crate::device::Gpu;
use crate::lesson::{CalculatorCell, Input, Inputs, Sizes};

/// A calculator as the notebook holds it.
#[derive(Clone, Debug)]
pub struct CalculatorState {
    /// What goes in.
    pub inputs: Inputs,
    /// Which of [`Input::ALL`] keys move.
    pub chosen: usize,
    /// Whether the learner has moved one: from then on they do not follow the lesson's sizes.
    pub moved: bool,
}

impl CalculatorState {
    /// The calculator as the lesson has it, at `sizes` on `gpu`.
    pub fn new(cell: &CalculatorCell, sizes: &Sizes, gpu: &Gpu) -> Self {
        CalculatorState {
            inputs: cell.inputs(sizes, gpu),
            chosen: 0,
            moved: false,
        }
    }

    /// Takes other sizes, unless the learner has taken over.
    pub(crate) fn follow(&mut self, cell: &CalculatorCell, sizes: &Sizes, gpu: &Gpu) {
        if !self.moved {
            self.inputs = cell.inputs(sizes, gpu);
        }
    }

    pub(crate) fn set(&mut self, inputs: Inputs) {
        self.moved = true;
        self.inputs = inputs;
    }

    /// What keys move.
    pub fn input(&self) -> Input {
        Input::ALL
            .get(self.chosen)
            .copied()
            .unwrap_or(Input::Threads)
    }
}
