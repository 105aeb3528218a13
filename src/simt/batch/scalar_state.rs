//! Which values of a block's warps are held by one warp for several.

use crate::ir::Register;
use crate::simt::uniformity::Storage;

/// Times that warps of a block which went alone are asked whether they agree again: that is not
/// free.
const MOST_CHECKS: u32 = 8;

/// What scalarised batches of a block hold of each other's values.
pub struct ScalarState {
    /// By first warp: how many warps of a scalarised batch wait for their turn; 0 where none does.
    pub waiting: Vec<usize>,
    /// By register, in each by first warp: whether a condition is the same in all warps.
    agreed: Vec<bool>,
    warps: usize,
    /// Times that warps of the block have been asked whether they agree again.
    checks: u32,
}

impl ScalarState {
    /// Nothing, in a block of so many warps.
    pub fn new(registers: usize, warps: usize) -> Self {
        ScalarState {
            waiting: vec![0; warps],
            agreed: vec![false; registers * warps],
            warps,
            checks: 0,
        }
    }

    /// A block begins.
    pub fn clear(&mut self) {
        self.waiting.fill(0);
        self.checks = 0;
    }

    /// Whether to ask once more if warps agree.
    pub fn may_check(&mut self) -> bool {
        let may = self.checks < MOST_CHECKS;
        self.checks += u32::from(may);
        may
    }

    /// Whether a condition is the same in all warps of the batch whose first warp is `first`.
    pub fn agrees(&self, register: Register, first: usize) -> bool {
        self.agreed[usize::from(register) * self.warps + first]
    }

    /// Says whether it is.
    pub fn set_agrees(&mut self, register: Register, first: usize, agrees: bool) {
        self.agreed[usize::from(register) * self.warps + first] = agrees;
    }

    /// Whether the first warp of a batch holds a value for all of them.
    pub fn is_scalar(&self, storage: Storage, register: Register, first: usize) -> bool {
        match storage {
            Storage::EachWarp => false,
            Storage::FirstWarp => true,
            Storage::Condition => self.agrees(register, first),
        }
    }
}
