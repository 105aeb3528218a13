//! From registers of the first warp to those of all, and back.

use std::ops::Range;

use super::plan::Plan;
use super::shape::{NONE, Shape};
use super::storage::Storage;
use super::webs::Web;
use crate::ir::{Instruction, Kernel, Op, Register};
use crate::launch::WARP_LANES;
use crate::simt::lanes::Vector;
use crate::simt::machine::Machine;

/// Times that the warps of a block may part before it runs on without unison: finding out whether
/// they agree again is not free.
const PARTINGS: u32 = 8;

/// What gangs of a block hold of each other's values.
#[derive(Debug)]
pub struct Held {
    /// By first warp: how many warps wait at a barrier with values of the first only.
    pub waiting: Vec<usize>,
    /// By register, in each by first warp: whether a condition is the same in all warps.
    agreed: Vec<bool>,
    warps: usize,
    /// Times that warps have parted in the block.
    pub partings: u32,
}

impl Held {
    /// Nothing, in a block of so many warps.
    pub fn new(registers: usize, warps: usize) -> Self {
        Held {
            waiting: vec![0; warps],
            agreed: vec![false; registers * warps],
            warps,
            partings: 0,
        }
    }

    /// A block begins.
    pub fn clear(&mut self) {
        self.waiting.fill(0);
        self.partings = 0;
    }

    /// Whether a condition is the same in all warps of the gang whose first warp is `first`.
    pub fn agrees(&self, register: Register, first: usize) -> bool {
        self.agreed[usize::from(register) * self.warps + first]
    }

    /// Says whether it is.
    pub fn set_agrees(&mut self, register: Register, first: usize, agrees: bool) {
        self.agreed[usize::from(register) * self.warps + first] = agrees;
    }
}

/// Lanes, and the instruction that they go on with.
type Lanes = (u32, usize);

impl Machine<'_> {
    /// Whether a gang may go on in unison.
    pub(in crate::simt) fn is_in_unison(&mut self, gang: &Range<usize>) -> bool {
        let Some(plan) = &self.program.plan else {
            return false;
        };
        let pc = self.warps[gang.start].pc;
        if pc == 0 {
            return true;
        }
        if self.held.waiting[gang.start] == gang.len() {
            self.held.waiting[gang.start] = 0;
            return true;
        }
        for first in 0..self.warps.len() {
            let count = std::mem::take(&mut self.held.waiting[first]);
            if count > 0 {
                self.settle(&(first..first + count), self.warps[first].pc);
            }
        }
        if gang.len() == 1 || self.held.partings > PARTINGS {
            return false;
        }
        let everywhere = self.lanes_and_places(gang, pc);
        let agrees = everywhere
            .iter()
            .all(|&lanes| self.follows(plan, gang, lanes));
        if agrees {
            for &(_, place) in &everywhere {
                for (register, _) in plan.webs.live(self.program.kernel, place) {
                    self.held.set_agrees(register, gang.start, false);
                }
            }
        }
        agrees
    }

    /// Whether the values of all warps differ from the first one's as the plan has it.
    fn follows(&self, plan: &Plan, gang: &Range<usize>, (mask, pc): Lanes) -> bool {
        let live = plan.webs.live(self.program.kernel, pc);
        live.iter().all(|&(register, web)| {
            let has_shape = matches!(
                plan.shapes.shapes[web as usize],
                Shape::Differs(_) | Shape::High(_)
            );
            !has_shape
                || gang.clone().all(|warp| {
                    let expected = self.row_of(plan, (register, web), gang.start, warp);
                    let row = self.lanes.row(register, warp);
                    (0..WARP_LANES).all(|lane| mask >> lane & 1 == 0 || row[lane] == expected[lane])
                })
        })
    }

    /// The values of a web in one warp, from those of the gang's first.
    fn row_of(
        &self,
        plan: &Plan,
        (register, web): (Register, Web),
        first: usize,
        warp: usize,
    ) -> Vector {
        let row = |register| *self.lanes.row(register, first);
        let change = |offsets| {
            let offsets = plan.shapes.offsets(offsets);
            offsets[warp].wrapping_sub(offsets[first])
        };
        match plan.shapes.shapes[web as usize] {
            Shape::Differs(NONE) | Shape::High(NONE) | Shape::Any | Shape::Unwritten => {
                row(register)
            }
            Shape::Differs(offsets) => {
                let change = change(offsets) as u32;
                row(register).map(|value| value.wrapping_add(change))
            }
            Shape::High(offsets) => {
                let (low, high, change) = (row(register - 1), row(register), change(offsets));
                std::array::from_fn(|lane| {
                    let value = u64::from(low[lane]) | u64::from(high[lane]) << 32;
                    (value.wrapping_add(change) >> 32) as u32
                })
            }
        }
    }

    /// Gives each warp of a gang all its values, as it goes on with instruction `pc`.
    #[cold]
    pub(in crate::simt) fn settle(&mut self, gang: &Range<usize>, pc: usize) {
        let Some(plan) = &self.program.plan else {
            return;
        };
        for (mask, place) in self.lanes_and_places(gang, pc) {
            let mut live = plan.webs.live(self.program.kernel, place);
            // The high word of a pair is found from its low word, as long as that is the first's.
            live.reverse();
            for (register, web) in live {
                self.settle_web(plan, (register, web), gang, mask);
            }
        }
    }

    /// Gives each warp of a gang what instruction `pc` reads.
    #[cold]
    pub(super) fn settle_reads(&mut self, plan: &Plan, gang: &Range<usize>, pc: usize) {
        let mask = self.lanes.active();
        let kernel = self.program.kernel;
        let read: usize = reads(kernel, kernel.code[pc]).count();
        let registers = reads(kernel, kernel.code[pc]).zip(&plan.webs.of(pc)[..read]);
        let mut registers: Vec<(Register, Web)> =
            registers.map(|(register, &web)| (register, web)).collect();
        registers.reverse();
        for held in registers {
            self.settle_web(plan, held, gang, mask);
        }
    }

    fn settle_web(
        &mut self,
        plan: &Plan,
        (register, web): (Register, Web),
        gang: &Range<usize>,
        mask: u32,
    ) {
        if let Some(rows) = plan.shapes.known(web) {
            for warp in gang.clone() {
                self.lanes.put(register, warp, mask, &rows[warp]);
            }
            return;
        }
        let is_first_only = match plan.storages[web as usize] {
            Storage::All => false,
            Storage::First => true,
            Storage::Condition => self.held.agrees(register, gang.start),
        };
        if is_first_only {
            for warp in gang.clone().skip(1) {
                let row = self.row_of(plan, (register, web), gang.start, warp);
                self.lanes.put(register, warp, mask, &row);
            }
        }
    }

    /// The lanes of a gang's first warp, by the instruction that they go on with.
    fn lanes_and_places(&self, gang: &Range<usize>, pc: usize) -> Vec<Lanes> {
        let warp = &self.warps[gang.start];
        let mut all = vec![(warp.active, pc)];
        let joins = joins(self.program.kernel, pc);
        for (parked, joins) in warp.parked().zip(joins) {
            all.extend(parked.into_iter().zip(joins));
        }
        all.retain(|(mask, _)| *mask != 0);
        all
    }
}

fn reads(kernel: &Kernel, i: Instruction) -> impl Iterator<Item = Register> {
    kernel.reads(i).flat_map(|read| read.each())
}

/// Of the frames that are open at instruction `pc`, the outermost first: where lanes go on that
/// wait for the next join, and those that wait for the end.
fn joins(kernel: &Kernel, pc: usize) -> Vec<[usize; 2]> {
    let mut open: Vec<[usize; 2]> = Vec::new();
    for (at, i) in kernel.code[..pc].iter().enumerate() {
        match i.op {
            Op::If => {
                let join = i.imm as usize;
                let end = match kernel.code[join].op {
                    Op::Else => kernel.code[join].imm as usize,
                    _ => join,
                };
                let join = if join == end { end } else { join + 1 };
                open.push([join, end]);
            }
            Op::ScopeBegin => open.push(scope_joins(kernel, at)),
            Op::EndIf | Op::ScopeEnd => {
                open.pop();
            }
            _ => {}
        }
    }
    open
}

/// The same for the scope that opens at instruction `begin`.
fn scope_joins(kernel: &Kernel, begin: usize) -> [usize; 2] {
    let (mut depth, mut rejoin) = (0, None);
    for (at, i) in kernel.code.iter().enumerate().skip(begin) {
        match i.op {
            Op::If | Op::ScopeBegin => depth += 1,
            Op::EndIf | Op::ScopeEnd => {
                depth -= 1;
                if depth == 0 {
                    return [rejoin.unwrap_or(at), at];
                }
            }
            Op::Rejoin if depth == 1 => rejoin = Some(at),
            _ => {}
        }
    }
    [begin, begin]
}
