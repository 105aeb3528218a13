//! What is known of values before a launch runs: how those of one warp differ from those of
//! another, and which values are the same in every block.
//!
//! For a block of 96 threads, `threadIdx.x` differs from warp to warp by offsets 0, 32, 64 (an
//! "affine" value, as S. Collange, D. Defour and Y. Zhang call them in "Dynamic detection of uniform and
//! affine vectors in GPGPU computations", 2009), and so does `blockIdx.x * 96 + threadIdx.x`, whose
//! values nobody knows; `n` and a loop's counter differ by 0: they are uniform.
//!
//! The analysis is a forward data flow over live ranges: it begins with nothing known of any of them
//! and takes back what instructions contradict, until nothing changes.

use std::collections::HashMap;
use std::sync::Arc;

use super::live_ranges::{LiveRange, LiveRanges};
use crate::ir::{Instruction, Kernel, Op, Operand};
use crate::launch::WARP_LANES;
use crate::simt::program::{Action, PreparedInstruction};
use crate::simt::warp::{Geometry, LaneOperation, Lanes, Vector};

/// Index of a list of offsets: what is added to the first warp's value to get each warp's.
pub type OffsetsId = u32;

/// The offsets of uniform values, which are the same in all warps.
pub const UNIFORM: OffsetsId = 0;

/// How the values of a live range differ between the warps of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uniformity {
    /// Nothing has been written to it yet.
    Unwritten,
    /// By these offsets; of the low word of a pair, the whole pair does.
    Affine(OffsetsId),
    /// It is the high word of a pair that differs by these offsets.
    AffineHigh(OffsetsId),
    /// In any way.
    Divergent,
}

/// A register of each warp of a block, the same in every block.
pub type KnownRows = Arc<Vec<Vector>>;

/// Whether the values of a live range are known before the launch.
#[derive(Clone, Debug, PartialEq)]
enum Constancy {
    /// Nothing has been written to it yet.
    Unwritten,
    /// They are these.
    Constant(KnownRows),
    /// They are not.
    Varying,
}

/// What is known of each live range.
pub struct AffineValues {
    /// By live range.
    pub uniformity: Vec<Uniformity>,
    constancy: Vec<Constancy>,
    /// Lists of offsets, by warp; 32-bit ones wrap.
    lists: Vec<Vec<u64>>,
    ids: HashMap<Vec<u64>, OffsetsId>,
}

/// What is known of one operand.
#[derive(Clone)]
struct OperandFacts {
    /// Its offsets, if it has some.
    offsets: Option<OffsetsId>,
    /// Its words, if they are known.
    rows: Option<Vec<KnownRows>>,
}

impl OperandFacts {
    /// The number that all lanes hold, if they do and it is known.
    fn number(&self) -> Option<u64> {
        let words = self.rows.as_ref()?;
        let mut number = 0;
        for (at, rows) in words.iter().enumerate() {
            let first = rows[0][0];
            if rows.iter().flatten().any(|&word| word != first) {
                return None;
            }
            number |= u64::from(first) << (at * 32);
        }
        Some(number)
    }
}

/// A launch as it is before it runs: what the analysis reads.
pub struct Prelaunch<'a> {
    pub kernel: &'a Kernel,
    pub code: &'a [PreparedInstruction],
    pub geometry: &'a Geometry,
    /// Registers as a block begins, in each warp by warp.
    pub image: &'a [Vector],
}

impl AffineValues {
    /// Analyses a launch.
    pub fn new(launch: &Prelaunch<'_>, ranges: &LiveRanges) -> Self {
        let warps = launch.geometry.warps();
        let mut values = AffineValues {
            uniformity: vec![Uniformity::Unwritten; ranges.count],
            constancy: vec![Constancy::Unwritten; ranges.count],
            lists: Vec::new(),
            ids: HashMap::new(),
        };
        // The first list is `UNIFORM`.
        values.intern(vec![0; warps]);
        for live in &ranges.initial {
            let first = usize::from(live.register) * warps;
            let rows = launch.image[first..first + warps].to_vec();
            let constant = Constancy::Constant(Arc::new(rows));
            values.meet(live.range, Uniformity::Affine(UNIFORM), constant);
        }
        let mut scratch = Lanes::new(
            &vec![[0; WARP_LANES]; SCRATCH * warps],
            launch.geometry,
            &launch.kernel.tables.constants,
        );
        scratch.set_batch(&(0..warps));
        scratch.set_active(u32::MAX);
        // Each range goes down at most twice, from unwritten over affine to divergent: it ends.
        let mut changed = true;
        while changed {
            changed = false;
            for at in 0..launch.kernel.code.len() {
                changed |= values.transfer(launch, ranges, at, &mut scratch);
            }
        }
        values
    }

    /// The offsets of a list, by warp.
    pub fn offsets(&self, id: OffsetsId) -> &[u64] {
        &self.lists[id as usize]
    }

    /// The offsets of a value of one or two words, if it has some.
    pub fn offsets_of(&self, ranges: &[LiveRange]) -> Option<OffsetsId> {
        let uniformity = |range: LiveRange| self.uniformity[range as usize];
        match *ranges {
            [only] => match uniformity(only) {
                Uniformity::Affine(offsets) => Some(offsets),
                Uniformity::AffineHigh(UNIFORM) => Some(UNIFORM),
                _ => None,
            },
            [low, high] => match (uniformity(low), uniformity(high)) {
                (Uniformity::Affine(low), Uniformity::AffineHigh(high)) if low == high => Some(low),
                // Two words that are written one by one and are the same in all warps make a pair that is.
                (Uniformity::Affine(UNIFORM), Uniformity::Affine(UNIFORM)) => Some(UNIFORM),
                _ => None,
            },
            _ => ranges
                .iter()
                .all(|&range| self.offsets_of(&[range]) == Some(UNIFORM))
                .then_some(UNIFORM),
        }
    }

    /// The values of a live range, if they are known.
    pub fn known(&self, range: LiveRange) -> Option<&KnownRows> {
        match &self.constancy[range as usize] {
            Constancy::Constant(rows) => Some(rows),
            _ => None,
        }
    }

    fn intern(&mut self, list: Vec<u64>) -> OffsetsId {
        let next = self.lists.len() as OffsetsId;
        // Lists are compared often and made seldom: equal lists get one number.
        let id = *self.ids.entry(list.clone()).or_insert(next);
        if id == next {
            self.lists.push(list);
        }
        id
    }

    /// The meet of the lattice: a definition adds what it may give; whether less is known now.
    fn meet(&mut self, range: LiveRange, uniformity: Uniformity, constancy: Constancy) -> bool {
        let at = range as usize;
        let before = (self.uniformity[at], self.known(range).is_some());
        self.uniformity[at] = match before.0 {
            Uniformity::Unwritten => uniformity,
            // Two definitions that differ alike leave the range as it is: a loop counter's start
            // and its step.
            mine if mine == uniformity => mine,
            _ => Uniformity::Divergent,
        };
        match &self.constancy[at] {
            Constancy::Unwritten => self.constancy[at] = constancy,
            mine if *mine != constancy => self.constancy[at] = Constancy::Varying,
            _ => {}
        }
        before != (self.uniformity[at], self.known(range).is_some())
    }

    /// The transfer function: follows one instruction; whether less is known now.
    fn transfer(
        &mut self,
        launch: &Prelaunch<'_>,
        ranges: &LiveRanges,
        at: usize,
        scratch: &mut Lanes<'_>,
    ) -> bool {
        let i = launch.kernel.code[at];
        let written = ranges.writes(at);
        if written.is_empty() {
            return false;
        }
        // An operand that nothing has written yet, as a loop's counter behind its body: the next turn knows more.
        let Some(operands) = self.operand_facts(ranges, at) else {
            return false;
        };
        let known = compute(launch.code[at], &operands, scratch);
        let offsets = match &known {
            Some(words) => self.offsets_of_rows(words),
            // Adjacent blocks run side by side: their indices differ by what they are apart.
            None if i.op == Op::BlockX => {
                let steps = launch.geometry.steps.iter();
                Some(self.intern(steps.map(|&step| step.into()).collect()))
            }
            None => self.offsets_of_result(i, &operands),
        };
        let mut changed = false;
        for (word, &range) in written.iter().enumerate() {
            let uniformity = match (offsets, word) {
                (None, _) => Uniformity::Divergent,
                (Some(UNIFORM), _) => Uniformity::Affine(UNIFORM),
                (Some(offsets), 0) => Uniformity::Affine(offsets),
                (Some(offsets), _) => Uniformity::AffineHigh(offsets),
            };
            let rows = known.as_ref().map(|words| words[word].clone());
            let constancy = rows.map_or(Constancy::Varying, Constancy::Constant);
            changed |= self.meet(range, uniformity, constancy);
        }
        changed
    }

    /// What is known of the operands of an instruction; nothing while one is unwritten.
    fn operand_facts(&self, ranges: &LiveRanges, at: usize) -> Option<Vec<OperandFacts>> {
        let is_written =
            |range: &LiveRange| self.uniformity[*range as usize] != Uniformity::Unwritten;
        let facts = |operand: &[LiveRange]| {
            operand.iter().all(is_written).then(|| OperandFacts {
                offsets: self.offsets_of(operand),
                rows: operand
                    .iter()
                    .map(|&range| self.known(range).cloned())
                    .collect(),
            })
        };
        let operands = ranges.reads(at);
        operands.map(|(_, operand)| facts(operand)).collect()
    }

    /// The offsets of known values, if every lane's are the same.
    fn offsets_of_rows(&mut self, words: &[KnownRows]) -> Option<OffsetsId> {
        let value = |warp: usize, lane: usize| {
            let high = words.get(1).map_or(0, |rows| rows[warp][lane]);
            u64::from(words[0][warp][lane]) | u64::from(high) << 32
        };
        // Registers of 32 bits wrap, and so do their differences.
        let wraps = words.len() == 1;
        let difference = |warp, lane| {
            let difference = value(warp, lane).wrapping_sub(value(0, lane));
            if wraps {
                u64::from(difference as u32)
            } else {
                difference
            }
        };
        let warps = 0..words[0].len();
        let list: Vec<u64> = warps.clone().map(|warp| difference(warp, 0)).collect();
        let mut lanes =
            (0..WARP_LANES).flat_map(|lane| warps.clone().map(move |warp| (warp, lane)));
        let same = lanes.all(|(warp, lane)| difference(warp, lane) == list[warp]);
        same.then(|| self.intern(list))
    }

    /// The offsets of an operation's result, from those of its operands. For `a + b` with offsets
    /// 0, 32, 64 and 0, 1, 2 they are 0, 33, 66.
    fn offsets_of_result(
        &mut self,
        i: Instruction,
        operands: &[OperandFacts],
    ) -> Option<OffsetsId> {
        let offsets: Option<Vec<OffsetsId>> = operands.iter().map(|facts| facts.offsets).collect();
        let offsets = offsets?;
        if offsets.iter().all(|&offsets| offsets == UNIFORM) {
            return is_uniform_of_uniform(i.op).then_some(UNIFORM);
        }
        let wide = i.op.operands().contains(&Operand::Dst64);
        let (a, b) = (offsets[0], offsets.get(1).copied().unwrap_or(UNIFORM));
        Some(match i.op {
            Op::Mov32 => self.combine(false, &[a], |v| v[0]),
            Op::Mov64 => a,
            // Values that stay within 32 bits are checked when the kernel runs.
            Op::I32ToI64 => self.combine(true, &[a], |v| v[0] as i32 as u64),
            Op::U32ToI64 => self.combine(true, &[a], |v| u64::from(v[0] as u32)),
            Op::AddI32 | Op::AddI64 => self.combine(wide, &[a, b], |v| v[0].wrapping_add(v[1])),
            Op::SubI32 | Op::SubI64 => self.combine(wide, &[a, b], |v| v[0].wrapping_sub(v[1])),
            Op::MulI32 | Op::MulI64 => self.product(wide, operands)?,
            Op::MadI32 => {
                let sum = [self.product(wide, operands)?, offsets[2]];
                self.combine(wide, &sum, |v| v[0].wrapping_add(v[1]))
            }
            Op::Shl32 | Op::Shl64 if b == UNIFORM => {
                let bits = if wide { 64 } else { 32 };
                let distance = operands[1].number().filter(|&distance| distance < bits)?;
                self.combine(wide, &[a], |v| v[0] << distance)
            }
            // Shuffles are left out: lanes whose source takes no part get 0 in every warp.
            Op::Select32 | Op::Select64 if a == UNIFORM && offsets[1] == offsets[2] => b,
            _ => return None,
        })
    }

    /// The offsets of the product of the first two operands: one of them must be uniform and known.
    fn product(&mut self, wide: bool, operands: &[OperandFacts]) -> Option<OffsetsId> {
        let (offsets, factor) = match (operands[0].offsets?, operands[1].offsets?) {
            (a, UNIFORM) => (a, operands[1].number()?),
            (UNIFORM, b) => (b, operands[0].number()?),
            _ => return None,
        };
        Some(self.combine(wide, &[offsets], |v| v[0].wrapping_mul(factor)))
    }

    /// The list that `f` makes of lists, warp by warp.
    fn combine(&mut self, wide: bool, of: &[OffsetsId], f: impl Fn(&[u64]) -> u64) -> OffsetsId {
        let list = (0..self.lists[0].len()).map(|warp| {
            let values: Vec<u64> = of.iter().map(|&id| self.lists[id as usize][warp]).collect();
            let value = f(&values);
            if wide { value } else { u64::from(value as u32) }
        });
        let list = list.collect();
        self.intern(list)
    }
}

/// Registers that constant expressions are computed in.
// Three operands of two registers each, and the two of the result.
const SCRATCH: usize = 8;
/// Where their results go.
const RESULT: u16 = 6;

/// Constant folding: the result of an operation on known values.
fn compute(
    prepared: PreparedInstruction,
    operands: &[OperandFacts],
    scratch: &mut Lanes<'_>,
) -> Option<Vec<KnownRows>> {
    let Action::Lanes(operation) = prepared.action else {
        return None;
    };
    let mut i = prepared.instruction;
    // Not known before the launch: indices differ by block, the active mask by path.
    let varies = matches!(i.op, Op::BlockX | Op::BlockY | Op::BlockZ | Op::ActiveMask);
    if varies || operands.iter().any(|facts| facts.rows.is_none()) {
        return None;
    }
    for (at, facts) in operands.iter().enumerate() {
        for (word, rows) in facts.rows.iter().flatten().enumerate() {
            scratch.set_rows((at * 2 + word) as u16, rows);
        }
    }
    (i.a, i.b, i.c, i.dst) = (0, 2, 4, RESULT);
    Some(evaluate(operation, i, scratch))
}

fn evaluate(operation: LaneOperation, i: Instruction, scratch: &mut Lanes<'_>) -> Vec<KnownRows> {
    operation(scratch, i);
    let words = match i.op.operands().contains(&Operand::Dst64) {
        true => 2,
        false => 1,
    };
    let warps = 0..scratch.geometry.warps();
    (RESULT..RESULT + words)
        .map(|register| Arc::new(scratch.rows(register, &warps).to_vec()))
        .collect()
}

/// Whether warps that give it the same get the same of it.
fn is_uniform_of_uniform(op: Op) -> bool {
    // Local memory is each thread's own, warps read the clock at different times, and atomics give each its turn.
    !matches!(op, Op::LoadLocal | Op::Clock | Op::SurfaceLoad) && !op.is_atomic()
}
