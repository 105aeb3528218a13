//! What is known of values before a launch runs: how those of one warp differ from those of
//! another, and which values are the same in every block.
//!
//! The analysis begins with nothing known of any web and takes back what instructions contradict,
//! until nothing changes.

use std::collections::HashMap;
use std::sync::Arc;

use super::live_ranges::{Web, Webs};
use crate::ir::{Instruction, Kernel, Op, Operand};
use crate::launch::WARP_LANES;
use crate::simt::program::{Action, Step};
use crate::simt::warp::Geometry;
use crate::simt::warp::{LaneOperation, Lanes, Vector};

/// Index of a list of offsets: what is added to the first warp's value to get each warp's.
pub type Offsets = u32;

/// The offsets of values that are the same in all warps.
pub const NONE: Offsets = 0;

/// How a web's values differ between the warps of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing has been written to it yet.
    Unwritten,
    /// By these offsets; of the low word of a pair, the whole pair does.
    Differs(Offsets),
    /// It is the high word of a pair that differs by these offsets.
    High(Offsets),
    /// In any way.
    Any,
}

/// A register of each warp of a block, the same in every block.
pub type Rows = Arc<Vec<Vector>>;

/// What is known of each web.
pub struct Shapes {
    /// By web.
    pub shapes: Vec<Shape>,
    /// By web: its values, where they are known.
    pub rows: Vec<Known>,
    /// Lists of offsets, by warp; 32-bit ones wrap.
    lists: Vec<Vec<u64>>,
    ids: HashMap<Vec<u64>, Offsets>,
}

/// Whether the values of a web are known before the launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// Nothing has been written to it yet.
    Unwritten,
    /// They are these.
    Rows(Rows),
    /// They are not.
    No,
}

/// One operand: its offsets, if it has some, and its values, if they are known.
#[derive(Clone)]
struct Value {
    offsets: Option<Offsets>,
    rows: Option<Vec<Rows>>,
}

impl Value {
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

/// What the analysis reads.
pub struct Launched<'a> {
    pub kernel: &'a Kernel,
    pub steps: &'a [Step],
    pub geometry: &'a Geometry,
    /// Registers as a block begins, in each warp by warp.
    pub image: &'a [Vector],
}

impl Shapes {
    /// Finds out what is known of the webs of a launch.
    pub fn new(launched: &Launched<'_>, webs: &Webs) -> Self {
        let warps = launched.geometry.warps();
        let mut shapes = Shapes {
            shapes: vec![Shape::Unwritten; webs.count],
            rows: vec![Known::Unwritten; webs.count],
            lists: Vec::new(),
            ids: HashMap::new(),
        };
        shapes.intern(vec![0; warps]);
        for &(register, web) in &webs.initial {
            let first = usize::from(register) * warps;
            let rows = launched.image[first..first + warps].to_vec();
            shapes.meet(web, Shape::Differs(NONE), Known::Rows(Arc::new(rows)));
        }
        let mut scratch = Lanes::new(
            &vec![[0; WARP_LANES]; SCRATCH * warps],
            launched.geometry,
            &launched.kernel.constants,
        );
        scratch.set_gang(&(0..warps));
        scratch.set_active(u32::MAX);
        while (0..launched.kernel.code.len()).fold(false, |changed, at| {
            shapes.step(launched, webs, at, &mut scratch) | changed
        }) {}
        shapes
    }

    /// The offsets of a list, by warp.
    pub fn offsets(&self, id: Offsets) -> &[u64] {
        &self.lists[id as usize]
    }

    /// The offsets of a value of one or two words, if it has some.
    pub fn of(&self, webs: &[Web]) -> Option<Offsets> {
        match *webs {
            [only] => match self.shapes[only as usize] {
                Shape::Differs(offsets) => Some(offsets),
                Shape::High(NONE) => Some(NONE),
                _ => None,
            },
            [low, high] => match (self.shapes[low as usize], self.shapes[high as usize]) {
                (Shape::Differs(low), Shape::High(high)) if low == high => Some(low),
                (Shape::Differs(NONE), Shape::Differs(NONE)) => Some(NONE),
                _ => None,
            },
            _ => webs
                .iter()
                .all(|&web| self.of(&[web]) == Some(NONE))
                .then_some(NONE),
        }
    }

    /// The values of a web, if they are known.
    pub fn known(&self, web: Web) -> Option<&Rows> {
        match &self.rows[web as usize] {
            Known::Rows(rows) => Some(rows),
            _ => None,
        }
    }

    fn intern(&mut self, list: Vec<u64>) -> Offsets {
        let next = self.lists.len() as Offsets;
        let id = *self.ids.entry(list.clone()).or_insert(next);
        if id == next {
            self.lists.push(list);
        }
        id
    }

    /// A definition adds what it may give; whether less is known now.
    fn meet(&mut self, web: Web, shape: Shape, known: Known) -> bool {
        let web = web as usize;
        let before = (self.shapes[web], self.known(web as Web).is_some());
        self.shapes[web] = match before.0 {
            Shape::Unwritten => shape,
            mine if mine == shape => mine,
            _ => Shape::Any,
        };
        match &self.rows[web] {
            Known::Unwritten => self.rows[web] = known,
            rows if *rows != known => self.rows[web] = Known::No,
            _ => {}
        }
        before != (self.shapes[web], self.known(web as Web).is_some())
    }

    /// Follows one instruction; whether less is known now.
    fn step(
        &mut self,
        launched: &Launched<'_>,
        webs: &Webs,
        at: usize,
        scratch: &mut Lanes<'_>,
    ) -> bool {
        let i = launched.kernel.code[at];
        let written = webs.writes(at);
        if written.is_empty() {
            return false;
        }
        let mut values = Vec::new();
        for (_, mine) in webs.reads(at) {
            let is_written = |web: &Web| self.shapes[*web as usize] != Shape::Unwritten;
            if !mine.iter().all(is_written) {
                return false;
            }
            let rows: Option<Vec<Rows>> =
                mine.iter().map(|&web| self.known(web).cloned()).collect();
            values.push(Value {
                offsets: self.of(mine),
                rows,
            });
        }
        let known = self.compute(launched.steps[at], &values, scratch);
        let offsets = match &known {
            Some(words) => self.differences(words),
            None if i.op == Op::BlockX => {
                let steps = launched.geometry.steps.iter();
                Some(self.intern(steps.map(|&step| step.into()).collect()))
            }
            None => self.transfer(i, &values),
        };
        let mut changed = false;
        for (word, &web) in written.iter().enumerate() {
            let shape = match (offsets, word) {
                (None, _) => Shape::Any,
                (Some(NONE), _) | (Some(_), 0) => Shape::Differs(offsets.unwrap_or(NONE)),
                (Some(offsets), _) => Shape::High(offsets),
            };
            let rows = known.as_ref().map(|words| words[word].clone());
            changed |= self.meet(web, shape, rows.map_or(Known::No, Known::Rows));
        }
        changed
    }

    /// The result of an operation on known values.
    fn compute(&self, step: Step, values: &[Value], scratch: &mut Lanes<'_>) -> Option<Vec<Rows>> {
        let Action::Lanes(operation) = step.action else {
            return None;
        };
        let mut i = step.instruction;
        let varies = matches!(i.op, Op::BlockX | Op::BlockY | Op::BlockZ | Op::ActiveMask);
        if varies || values.iter().any(|value| value.rows.is_none()) {
            return None;
        }
        for (at, value) in values.iter().enumerate() {
            for (word, rows) in value.rows.iter().flatten().enumerate() {
                scratch.set_rows((at * 2 + word) as u16, rows);
            }
        }
        (i.a, i.b, i.c, i.dst) = (0, 2, 4, RESULT);
        Some(evaluate(operation, i, scratch))
    }

    /// The offsets of known values, if every lane's are the same.
    fn differences(&mut self, words: &[Rows]) -> Option<Offsets> {
        let value = |warp: usize, lane: usize| {
            let high = words.get(1).map_or(0, |rows| rows[warp][lane]);
            u64::from(words[0][warp][lane]) | u64::from(high) << 32
        };
        let wraps = words.len() == 1;
        let difference = |warp, lane| {
            let difference = value(warp, lane).wrapping_sub(value(0, lane));
            if wraps {
                u64::from(difference as u32)
            } else {
                difference
            }
        };
        let list: Vec<u64> = (0..words[0].len())
            .map(|warp| difference(warp, 0))
            .collect();
        let mut lanes =
            (0..WARP_LANES).flat_map(|lane| (0..list.len()).map(move |warp| (warp, lane)));
        let same = lanes.all(|(warp, lane)| difference(warp, lane) == list[warp]);
        same.then(|| self.intern(list))
    }

    /// The offsets of an operation's result, from those of its operands.
    fn transfer(&mut self, i: Instruction, values: &[Value]) -> Option<Offsets> {
        let offsets: Option<Vec<Offsets>> = values.iter().map(|value| value.offsets).collect();
        let offsets = offsets?;
        if offsets.iter().all(|&offsets| offsets == NONE) {
            return is_shared(i.op).then_some(NONE);
        }
        let number = |at: usize| values[at].number();
        let wide = i.op.operands().contains(&Operand::Dst64);
        let (a, b) = (offsets[0], offsets.get(1).copied().unwrap_or(NONE));
        match i.op {
            Op::Mov32 => Some(self.combine(false, &[a], |a| a[0])),
            Op::Mov64 => Some(a),
            // Values that stay within 32 bits are checked when the kernel runs.
            Op::I32ToI64 => Some(self.combine(true, &[a], |a| a[0] as i32 as u64)),
            Op::U32ToI64 => Some(self.combine(true, &[a], |a| u64::from(a[0] as u32))),
            Op::AddI32 | Op::AddI64 => {
                Some(self.combine(wide, &[a, b], |v| v[0].wrapping_add(v[1])))
            }
            Op::SubI32 | Op::SubI64 => {
                Some(self.combine(wide, &[a, b], |v| v[0].wrapping_sub(v[1])))
            }
            Op::MulI32 | Op::MulI64 => self.product(wide, (a, number(0)), (b, number(1))),
            Op::MadI32 => {
                let product = self.product(wide, (a, number(0)), (b, number(1)))?;
                Some(self.combine(wide, &[product, offsets[2]], |v| v[0].wrapping_add(v[1])))
            }
            Op::Shl32 | Op::Shl64 if b == NONE => {
                let bits = if wide { 64 } else { 32 };
                let distance = number(1).filter(|&distance| distance < bits)?;
                Some(self.combine(wide, &[a], |v| v[0] << distance))
            }
            // Each lane's source differs as the lane itself does.
            Op::ShflIdx | Op::ShflUp | Op::ShflDown | Op::ShflXor
                if offsets[1..] == [NONE, NONE] =>
            {
                Some(self.combine(false, &[a], |v| v[0]))
            }
            Op::Select32 | Op::Select64 if a == NONE && offsets[1] == offsets[2] => Some(b),
            _ => None,
        }
    }

    fn product(
        &mut self,
        wide: bool,
        (a, of_a): (Offsets, Option<u64>),
        (b, of_b): (Offsets, Option<u64>),
    ) -> Option<Offsets> {
        let (offsets, factor) = match (a, b) {
            (a, NONE) => (a, of_b?),
            (NONE, b) => (b, of_a?),
            _ => return None,
        };
        Some(self.combine(wide, &[offsets], |v| v[0].wrapping_mul(factor)))
    }

    fn combine(&mut self, wide: bool, of: &[Offsets], f: impl Fn(&[u64]) -> u64) -> Offsets {
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
const SCRATCH: usize = 8;
/// Where their results go.
const RESULT: u16 = 6;

fn evaluate(operation: LaneOperation, i: Instruction, scratch: &mut Lanes<'_>) -> Vec<Rows> {
    operation(scratch, i);
    let words = if i.op.operands().contains(&Operand::Dst64) {
        2
    } else {
        1
    };
    let warps = 0..scratch.geometry.warps();
    (RESULT..RESULT + words)
        .map(|register| Arc::new(scratch.rows(register, &warps).to_vec()))
        .collect()
}

/// Whether warps that give it the same get the same of it.
fn is_shared(op: Op) -> bool {
    !matches!(op, Op::LoadLocal | Op::Clock) && !op.is_atomic()
}
