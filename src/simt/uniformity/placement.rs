//! Where a gang keeps the values of each web: for all its warps, or for the first one only.

use super::affine::{NONE, Shape, Shapes};
use super::live_ranges::{Web, Webs};
use crate::ir::{Kernel, Op, Operand};
use crate::simt::program::{Action, Step};

/// Where the values of a web are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// For each warp.
    All,
    /// For the first warp of a gang; the others' follow from it.
    First,
    /// A condition: for the first warp only where all warps have the same, which shows as it is
    /// computed.
    Condition,
}

/// The webs of a kernel with what is known of them.
pub struct Known<'a> {
    pub kernel: &'a Kernel,
    pub steps: &'a [Step],
    pub webs: &'a Webs,
    pub shapes: &'a Shapes,
}

impl Known<'_> {
    /// Whether the values of an operand are known before the launch.
    pub fn is_known(&self, webs: &[Web]) -> bool {
        webs.iter().all(|&web| self.shapes.known(web).is_some())
    }

    /// Whether all warps have the same values.
    pub fn is_same(&self, webs: &[Web]) -> bool {
        self.shapes.of(webs) == Some(NONE)
    }

    /// Decides where each web is kept.
    pub fn storages(&self) -> Vec<Storage> {
        let mut storages = self.without_demands();
        loop {
            let mut changed = false;
            for at in 0..self.kernel.code.len() {
                for web in self.demands(at, &storages) {
                    let storage = &mut storages[web as usize];
                    changed |= *storage != Storage::All;
                    *storage = Storage::All;
                }
            }
            if !changed {
                return storages;
            }
        }
    }

    fn without_demands(&self) -> Vec<Storage> {
        let conditions = self.conditions();
        let shapes = self.shapes.shapes.iter().zip(conditions);
        shapes
            .map(|(shape, is_condition)| match shape {
                Shape::Differs(_) | Shape::High(_) => Storage::First,
                Shape::Any if is_condition => Storage::Condition,
                Shape::Any | Shape::Unwritten => Storage::All,
            })
            .collect()
    }

    /// Webs that instruction `at` wants for all warps, as things stand.
    fn demands(&self, at: usize, storages: &[Storage]) -> Vec<Web> {
        let (action, written) = (self.steps[at].action, self.webs.writes(at));
        let is_all = |web: &Web| storages[*web as usize] == Storage::All;
        let mut demands = Vec::new();
        if written.iter().any(is_all) {
            demands.extend(written.iter().copied().filter(|web| !is_all(web)));
        }
        let runs_for_all = match action {
            Action::Lanes(_) | Action::Exchange => written.iter().any(is_all),
            Action::Access | Action::Control => true,
            Action::Atomic | Action::Effect => false,
        };
        let kernel = self.kernel;
        let replaced = kernel.writes(kernel.code[at]);
        for (registers, webs) in self.webs.reads(at) {
            let by_address = matches!(registers.operand, Operand::Base | Operand::Index);
            // One row serves all warps where an operation takes it row by row, unless the first warp's
            // result takes its place before the others have read it.
            let is_replaced = replaced.is_some_and(|written| written.overlap(registers));
            let one_does =
                self.is_same(webs) && registers.operand != Operand::SrcSite && !is_replaced;
            if runs_for_all && !by_address && !one_does && !self.is_known(webs) {
                let kept_once = |web: &Web| storages[*web as usize] == Storage::First;
                demands.extend(webs.iter().copied().filter(kept_once));
            }
        }
        demands
    }

    /// Webs of conditions that comparisons of shaped values give, and that only branches and
    /// logical operations look at.
    fn conditions(&self) -> Vec<bool> {
        let mut candidates = vec![true; self.webs.count];
        for &(_, web) in &self.webs.initial {
            candidates[web as usize] = false;
        }
        loop {
            let mut changed = false;
            for at in 0..self.kernel.code.len() {
                for web in self.contradictions(at, &candidates) {
                    changed |= std::mem::replace(&mut candidates[web as usize], false);
                }
            }
            if !changed {
                return candidates;
            }
        }
    }

    /// Candidates that instruction `at` shows to be none.
    fn contradictions(&self, at: usize, candidates: &[bool]) -> Vec<Web> {
        let (op, written) = (self.kernel.code[at].op, self.webs.writes(at));
        let fits = |webs: &[Web]| match *webs {
            [web] => candidates[web as usize] || self.is_same(webs),
            _ => false,
        };
        let mut found = Vec::new();
        let gives = if is_comparison(op) {
            self.webs
                .reads(at)
                .all(|(_, webs)| self.shapes.of(webs).is_some())
        } else {
            is_logical(op) && self.webs.reads(at).all(|(_, webs)| fits(webs))
        };
        if !gives {
            found.extend(written);
        }
        let asks = matches!(op, Op::If | Op::LeaveUnless) || (is_logical(op) && fits(written));
        if !asks {
            found.extend(self.webs.reads(at).flat_map(|(_, webs)| webs));
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
