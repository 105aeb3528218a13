//! Placement: where a scalarised batch keeps the values of each live range, in the registers of each
//! of its warps, or of the first one only.
//!
//! It begins with what uniformity allows (affine values once, divergent ones in each warp) and takes
//! back what instructions demand, until nothing changes: where the sum of a uniform and a divergent
//! value is computed in each warp, the uniform one is still kept once, but where it is overwritten by
//! the sum it must be in each warp too.

use super::affine::{AffineValues, UNIFORM, Uniformity};
use super::live_ranges::{LiveRange, LiveRanges};
use crate::ir::{Kernel, Op, Operand};
use crate::simt::program::{Action, PreparedInstruction};

/// Where the values of a live range are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// For each warp.
    EachWarp,
    /// For the first warp of a batch; the others' follow from it.
    FirstWarp,
    /// A condition: for the first warp only where all warps have the same, which shows as it is
    /// computed.
    Condition,
}

/// The live ranges of a kernel with what is known of them.
pub struct Facts<'a> {
    pub kernel: &'a Kernel,
    pub code: &'a [PreparedInstruction],
    pub ranges: &'a LiveRanges,
    pub values: &'a AffineValues,
    /// By instruction: whether nothing that can be seen depends on it.
    pub is_dead: Vec<bool>,
}

impl Facts<'_> {
    /// Whether the values of an operand are known before the launch.
    pub fn is_known(&self, ranges: &[LiveRange]) -> bool {
        ranges
            .iter()
            .all(|&range| self.values.known(range).is_some())
    }

    /// Whether all warps have the same values.
    pub fn is_uniform(&self, ranges: &[LiveRange]) -> bool {
        self.values.offsets_of(ranges) == Some(UNIFORM)
    }

    /// Decides where each live range is kept.
    pub fn storages(&self) -> Vec<Storage> {
        let mut storages = self.without_demands();
        loop {
            let mut changed = false;
            // Backwards, as demands go from what is computed to what it is computed from.
            for at in (0..self.kernel.code.len()).rev() {
                for range in self.demands(at, &storages) {
                    let storage = &mut storages[range as usize];
                    changed |= *storage != Storage::EachWarp;
                    *storage = Storage::EachWarp;
                }
            }
            if !changed {
                return storages;
            }
        }
    }

    fn without_demands(&self) -> Vec<Storage> {
        let conditions = self.conditions();
        let uniformity = self.values.uniformity.iter().zip(conditions);
        uniformity
            .map(|(uniformity, is_condition)| match uniformity {
                Uniformity::Affine(_) | Uniformity::AffineHigh(_) => Storage::FirstWarp,
                Uniformity::Divergent if is_condition => Storage::Condition,
                Uniformity::Divergent | Uniformity::Unwritten => Storage::EachWarp,
            })
            .collect()
    }

    /// Live ranges that instruction `at` wants for all warps, as things stand.
    fn demands(&self, at: usize, storages: &[Storage]) -> Vec<LiveRange> {
        if self.is_dead[at] {
            return Vec::new();
        }
        let (action, written) = (self.code[at].action, self.ranges.writes(at));
        let is_all = |range: &LiveRange| storages[*range as usize] == Storage::EachWarp;
        let mut demands = Vec::new();
        // The words of a pair are kept alike: an operation writes both at once.
        if written.iter().any(is_all) {
            demands.extend(written.iter().copied().filter(|range| !is_all(range)));
        }
        let runs_for_all = match action {
            Action::Lanes(_) | Action::Exchange => written.iter().any(is_all),
            // A store takes the value of each warp, and a branch looks at each: only what goes row
            // by row can share one.
            Action::Access | Action::Control => true,
            Action::Atomic | Action::BlockWide => false,
        };
        let kernel = self.kernel;
        let replaced = kernel.writes(kernel.code[at]);
        for (registers, ranges) in self.ranges.reads(at) {
            // The other warps' addresses follow from the first one's (`Guards`).
            let by_address = matches!(registers.operand, Operand::Base | Operand::Index);
            // One row serves all warps where an operation takes it row by row, unless the first warp's
            // result takes its place before the others have read it.
            let is_replaced = replaced.is_some_and(|written| written.overlap(registers));
            let one_does =
                self.is_uniform(ranges) && registers.operand != Operand::SrcSite && !is_replaced;
            if runs_for_all && !by_address && !one_does && !self.is_known(ranges) {
                // Conditions know by themselves whether they are kept once.
                let kept_once = |range: &LiveRange| storages[*range as usize] == Storage::FirstWarp;
                demands.extend(ranges.iter().copied().filter(kept_once));
            }
        }
        demands
    }

    /// Live ranges of conditions: comparisons of affine values give them, and only branches and logical
    /// operations read them, as in `i < n && j < n`.
    fn conditions(&self) -> Vec<bool> {
        let mut candidates = vec![true; self.ranges.count];
        // What a block begins with was set by the launch, not by a comparison.
        for live in &self.ranges.initial {
            candidates[live.range as usize] = false;
        }
        loop {
            let mut changed = false;
            // Both ways: long chains of either direction end in few rounds.
            let code = 0..self.kernel.code.len();
            for at in code.clone().chain(code.rev()) {
                for range in self.contradictions(at, &candidates) {
                    changed |= std::mem::replace(&mut candidates[range as usize], false);
                }
            }
            if !changed {
                return candidates;
            }
        }
    }

    /// Candidates that instruction `at` shows to be none.
    fn contradictions(&self, at: usize, candidates: &[bool]) -> Vec<LiveRange> {
        if self.is_dead[at] {
            return Vec::new();
        }
        let (op, written) = (self.kernel.code[at].op, self.ranges.writes(at));
        let fits = |ranges: &[LiveRange]| match *ranges {
            // A uniform value may be combined with a condition as it is.
            [range] => candidates[range as usize] || self.is_uniform(ranges),
            _ => false,
        };
        let mut found = Vec::new();
        let gives = if is_comparison(op) {
            self.ranges
                .reads(at)
                .all(|(_, ranges)| self.values.offsets_of(ranges).is_some())
        } else {
            is_logical(op) && self.ranges.reads(at).all(|(_, ranges)| fits(ranges))
        };
        if !gives {
            found.extend(written);
        }
        // A condition that something else reads, as in `x = i < n`, needs the value of each warp.
        let asks = matches!(op, Op::If | Op::LeaveUnless) || (is_logical(op) && fits(written));
        if !asks {
            found.extend(self.ranges.reads(at).flat_map(|(_, ranges)| ranges));
        }
        found
    }
}

/// Whether it compares 32-bit integers.
pub fn is_comparison(op: Op) -> bool {
    matches!(
        op,
        Op::Eq32 | Op::Ne32 | Op::LtI32 | Op::LeI32 | Op::LtU32 | Op::LeU32
    )
}

/// Whether it makes conditions of conditions.
pub fn is_logical(op: Op) -> bool {
    matches!(op, Op::And32 | Op::Or32 | Op::Mov32)
}
