//! A launch's code as gangs run it: each instruction for all warps, for the first one only, or not
//! at all where its result is known.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::affine::{Launched, NONE, Offsets, Rows, Shapes};
use super::guards::{Look, Looks};
use super::live_ranges::{Web, Webs};
use super::placement::{Known, Storage, is_comparison};
use super::reconvergence::{Joins, joins};
use crate::ir::{Instruction, Kernel, Op, Operand, Register, Registers};
use crate::simt::batch::ends;
use crate::simt::program::Stretches;
use crate::simt::program::{Action, Step};
use crate::simt::warp::{LaneOperation, SHARED, Vector};

/// How an instruction is carried out for a gang.
#[derive(Clone, Copy)]
pub enum Work {
    /// Over the registers of the first warp.
    First(LaneOperation),
    /// Over those of all warps.
    All(LaneOperation),
    /// A 32-bit value becomes one of 64 bits, for the first warp or for all; no warp's may wrap.
    Widen(LaneOperation, Offsets, bool),
    /// A comparison of values that differ by known offsets.
    Compare([Offsets; 2]),
    /// Conditions, kept so, are made into one.
    Combine([Storage; 2]),
    /// A load or store.
    Access(Looks, bool),
    /// A shuffle, vote or the like, in the first warp or in each.
    Exchange(bool),
    /// Control flow, with what is looked at.
    Control(Storage),
    /// As if the warps ran alone.
    Alone,
}

/// An instruction and how it is carried out.
#[derive(Clone, Copy)]
pub struct Part {
    /// Its place in the kernel's code.
    pub at: usize,
    /// The instruction, with the registers that hold its operands here.
    pub i: Instruction,
    /// How it is carried out.
    pub work: Work,
}

/// A launch's code for gangs.
pub struct Plan {
    parts: Vec<Part>,
    /// By stretch.
    ranges: Vec<Range<usize>>,
    pub webs: Webs,
    pub shapes: Shapes,
    pub storages: Vec<Storage>,
    /// By web: whether an instruction reads it from the kernel's own registers.
    pub needed: Vec<bool>,
    /// By instruction: for an `If` that warps may sit out, its `EndIf`.
    pub ends: Vec<Option<usize>>,
    /// By stretch.
    joins: Vec<Vec<Joins>>,
    /// Registers beyond the kernel's, in each warp by warp: values that are the same in all blocks.
    pub constants: Vec<Vector>,
}

impl Plan {
    /// Runs of registers that may be read before they are written, and that something writes.
    pub fn unset(&self, kernel: &Kernel) -> Vec<Range<usize>> {
        let writes = kernel.code.iter().filter_map(|&i| kernel.writes(i));
        let written: HashSet<Register> = writes.flat_map(Registers::each).collect();
        let initial = self.webs.initial.iter().map(|&(register, _)| register);
        let mut registers: Vec<Register> = initial.filter(|at| written.contains(at)).collect();
        registers.sort_unstable();
        let mut runs: Vec<Range<usize>> = Vec::new();
        for register in registers.into_iter().map(usize::from) {
            match runs.last_mut() {
                Some(run) if run.end == register => run.end += 1,
                _ => runs.push(register..register + 1),
            }
        }
        runs
    }

    /// By instruction: whether something reads what it writes.
    pub fn are_read(&self, kernel: &Kernel) -> Vec<bool> {
        let mut is_read = vec![false; self.webs.count];
        let code = 0..kernel.code.len();
        let reads = code.clone().flat_map(|at| self.webs.reads(at));
        for &web in reads.flat_map(|(_, webs)| webs) {
            is_read[web as usize] = true;
        }
        let is_read = |&web: &Web| is_read[web as usize];
        code.map(|at| self.webs.writes(at).iter().any(is_read))
            .collect()
    }

    /// Registers that hold values of their own for each warp.
    pub fn registers_of_all(&self, kernel: &Kernel) -> usize {
        let operands = (0..kernel.code.len()).flat_map(|at| self.webs.operands(at));
        let is_for_all = |web: &Web| self.storages[*web as usize] == Storage::All;
        let registers = operands.flat_map(|(registers, webs)| registers.each().zip(webs));
        let for_all = registers.filter(|(_, web)| is_for_all(web));
        let registers: HashSet<Register> = for_all.map(|(register, _)| register).collect();
        registers.len()
    }

    /// Plans the code of a launch; nothing if its registers and constants are more than can be
    /// numbered.
    pub fn new(launched: &Launched<'_>, stretches: &Stretches) -> Option<Self> {
        let kernel = launched.kernel;
        let ranges: Vec<Range<usize>> =
            (0..stretches.len()).map(|at| stretches.range(at)).collect();
        let leaders: Vec<usize> = ranges.iter().map(|range| range.start).collect();
        let webs = Webs::new(kernel, &leaders);
        let shapes = Shapes::new(launched, &webs);
        let known = Known {
            kernel,
            steps: launched.steps,
            webs: &webs,
            shapes: &shapes,
        };
        let storages = known.storages();
        let needed = needed(&known);
        let ends = ends(&known, stretches, &storages);
        let mut planner = Planner {
            storages: &storages,
            needed: &needed,
            known,
            first_free: kernel.registers,
            constants: Vec::new(),
            places: HashMap::new(),
        };
        let mut parts = Vec::new();
        let mut by_stretch = Vec::new();
        for range in ranges {
            let first = parts.len();
            parts.extend(range.filter_map(|at| planner.part(at)));
            by_stretch.push(first..parts.len());
        }
        let constants = planner.constants;
        let registers = constants.len() / launched.geometry.warps() + usize::from(kernel.registers);
        (registers <= usize::from(SHARED)).then(|| Plan {
            parts,
            ranges: by_stretch,
            constants,
            webs,
            shapes,
            storages,
            needed,
            ends,
            joins: joins(kernel, &leaders),
        })
    }

    /// Where lanes go on that wait in the frames around a stretch, the outermost first.
    pub fn joins(&self, stretch: usize) -> &[Joins] {
        &self.joins[stretch]
    }

    /// The parts of a stretch.
    #[inline(always)]
    pub fn parts(&self, stretch: usize) -> &[Part] {
        &self.parts[self.ranges[stretch].clone()]
    }
}

/// By web: whether an instruction reads it from the kernel's own registers.
fn needed(known: &Known<'_>) -> Vec<bool> {
    let mut needed = vec![false; known.webs.count];
    for at in 0..known.kernel.code.len() {
        for (_, webs) in known.webs.reads(at) {
            if !known.is_known(webs) {
                webs.iter().for_each(|&web| needed[web as usize] = true);
            }
        }
    }
    needed
}

struct Planner<'a> {
    known: Known<'a>,
    storages: &'a [Storage],
    needed: &'a [bool],
    first_free: Register,
    constants: Vec<Vector>,
    /// Where known values are kept.
    places: HashMap<Vec<Rows>, Register>,
}

impl Planner<'_> {
    /// How instruction `at` is carried out; none if it need not be.
    fn part(&mut self, at: usize) -> Option<Part> {
        let Step {
            instruction,
            action,
        } = self.known.steps[at];
        let written = self.known.webs.writes(at);
        let is_unread = |web: &Web| self.known.is_known(&[*web]) && !self.needed[*web as usize];
        if matches!(action, Action::Lanes(_)) && written.iter().all(is_unread) {
            return None;
        }
        let for_all = written
            .iter()
            .any(|&web| self.storages[web as usize] == Storage::All);
        let work = match action {
            Action::Lanes(operation) => self.over_lanes(at, operation, for_all),
            Action::Access => Work::Access(self.looks(at), !for_all && !written.is_empty()),
            Action::Exchange => Work::Exchange(!for_all),
            Action::Control => Work::Control(self.kept(at)[0]),
            Action::Atomic | Action::Effect => Work::Alone,
        };
        let i = self.place_operands(at, instruction, work);
        Some(Part { at, i, work })
    }

    fn over_lanes(&self, at: usize, operation: LaneOperation, for_all: bool) -> Work {
        let (op, written) = (self.known.kernel.code[at].op, self.known.webs.writes(at));
        if let [web] = *written
            && self.storages[web as usize] == Storage::Condition
        {
            let mut offsets = self
                .known
                .webs
                .reads(at)
                .map(|(_, webs)| self.known.shapes.of(webs));
            return match (is_comparison(op), offsets.next(), offsets.next()) {
                (true, Some(Some(a)), Some(Some(b))) => Work::Compare([a, b]),
                _ => Work::Combine(self.kept(at)),
            };
        }
        let read = self.known.webs.reads(at).next();
        let offsets = read.and_then(|(_, webs)| self.known.shapes.of(webs));
        match (op, offsets) {
            (Op::I32ToI64 | Op::U32ToI64, Some(offsets)) if offsets != NONE => {
                Work::Widen(operation, offsets, for_all)
            }
            _ if for_all => Work::All(operation),
            _ => Work::First(operation),
        }
    }

    /// Which registers decide whether an access goes as it did before.
    fn looks(&self, at: usize) -> Looks {
        let mut looks = Looks::default();
        for (registers, webs) in self.known.webs.reads(at) {
            let look = match self.known.shapes.of(webs) {
                _ if self.known.is_known(webs) => Look::Nowhere,
                Some(_) => Look::First,
                None => Look::All,
            };
            match registers.operand {
                Operand::Base => looks.base = look,
                Operand::Index => looks.index = look,
                _ => {}
            }
        }
        looks
    }

    /// Where the conditions that an instruction reads are kept.
    fn kept(&self, at: usize) -> [Storage; 2] {
        let mut kept = self.known.webs.reads(at).map(|(_, webs)| match webs {
            webs if self.known.is_same(webs) => Storage::First,
            webs if self.known.is_known(webs) => Storage::All,
            webs => self.storages[webs[0] as usize],
        });
        [(); 2].map(|()| kept.next().unwrap_or(Storage::First))
    }

    /// The instruction, with its operands where they are kept.
    fn place_operands(&mut self, at: usize, mut i: Instruction, work: Work) -> Instruction {
        if matches!(work, Work::Alone) {
            return i;
        }
        let row_by_row = matches!(
            work,
            Work::All(_) | Work::Widen(_, _, true) | Work::Exchange(false)
        );
        let reads: Vec<(Registers, Vec<Web>)> = self
            .known
            .webs
            .reads(at)
            .map(|(registers, webs)| (registers, webs.to_vec()))
            .collect();
        for (registers, webs) in reads {
            let mut register = registers.first;
            if self.known.is_known(&webs) {
                register = self.place_constant(&webs);
            }
            let in_first_only = self.known.is_known(&webs)
                || webs
                    .iter()
                    .any(|&web| self.storages[web as usize] == Storage::First);
            if row_by_row && in_first_only && self.known.is_same(&webs) {
                register |= SHARED;
            }
            match registers.operand {
                Operand::SrcSite => i.dst = register,
                Operand::A32 | Operand::A64 | Operand::A256 | Operand::Base => i.a = register,
                Operand::B32 | Operand::B64 | Operand::B128 | Operand::Index => i.b = register,
                _ => i.c = register,
            }
        }
        i
    }

    /// The registers that always hold the values of an operand.
    fn place_constant(&mut self, webs: &[Web]) -> Register {
        let rows = webs.iter().filter_map(|&web| self.known.shapes.known(web));
        let rows: Vec<Rows> = rows.cloned().collect();
        if let Some(&register) = self.places.get(&rows) {
            return register;
        }
        let warps = rows[0].len();
        // Past the limit the plan is dropped when it is whole; until then numbers wrap.
        let count = (self.constants.len() / warps) as Register;
        let register = self.first_free.wrapping_add(count);
        for rows in &rows {
            self.constants.extend(rows.iter());
        }
        self.places.insert(rows, register);
        register
    }
}
