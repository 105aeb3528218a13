//! Ways through a history, each in both directions.
//!
//! A move goes from a step to the next one, or back to the one before, at which it stops. Where it
//! stops does not depend on the direction, so that going back finds the stops of going forward in
//! reverse.

use std::ops::Range;

use super::accessed::MemoryKind;
use super::steps::{Change, Cursor, History};
use crate::launch::{Value, ValueType};
use crate::simt::warp::set_bits;

/// Which way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To later steps.
    Forward,
    /// To earlier steps.
    Back,
}

/// Where to stop.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// At the next step, into functions.
    Into,
    /// At the next statement of this function, or of one around it.
    Over,
    /// In the function around this one.
    Out,
    /// At a barrier.
    Barrier,
    /// At an access to global or shared memory.
    Access,
    /// Where a variable (an index into the kernel's) changes in some lane.
    Change(usize),
    /// Where some lane accesses one of these bytes.
    Touch(Range<u64>),
    /// Behind which the word at this address has changed, whichever warp of the block changed it.
    Written(u64),
    /// That this lane does not execute.
    Idle(usize),
    /// On a line.
    Line(u32),
    /// Where one of these applies.
    Break(Vec<Breakpoint>),
}

/// A line, and what must hold there.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakpoint {
    /// The line, from 1.
    pub line: u32,
    /// What must hold after the step; nothing means always.
    pub condition: Option<Condition>,
}

/// A comparison of a variable with a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The variable, as an index into the kernel's.
    pub variable: usize,
    /// The lane to look at; without it, any lane that executed the step will do.
    pub lane: Option<usize>,
    /// How to compare.
    pub comparison: ComparisonOperator,
    /// What to compare with.
    pub value: Value,
}

/// How to compare a variable with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ComparisonOperator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl ComparisonOperator {
    fn holds(self, a: Value, b: Value) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let order = match (a, b) {
            (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(&b)),
            _ => a.as_f64().partial_cmp(&b.as_f64()),
        };
        match self {
            ComparisonOperator::Equal => order == Some(Equal),
            // NaN has no order: it differs from everything, as in C++.
            ComparisonOperator::NotEqual => order != Some(Equal),
            ComparisonOperator::Less => order == Some(Less),
            ComparisonOperator::LessOrEqual => matches!(order, Some(Less | Equal)),
            ComparisonOperator::Greater => order == Some(Greater),
            ComparisonOperator::GreaterOrEqual => matches!(order, Some(Greater | Equal)),
        }
    }
}

impl History {
    /// Where a move leads from the cursor; nothing if there is no such step.
    pub fn go(&self, from: Cursor, direction: Direction, to: &Move) -> Option<Cursor> {
        // Functions are inlined; the depth of their calls tells how deep a debugger would stand.
        let depth = self.function(from).1;
        match to {
            Move::Into => self.seek(from, direction, |_| true),
            Move::Over => self.seek(from, direction, |at| self.is_over(at, depth)),
            Move::Out => self.seek(from, direction, |at| self.function(at).1 < depth),
            Move::Barrier => self.seek(from, direction, |at| self.step(at).barrier),
            Move::Access => self.seek(from, direction, |at| self.accesses_memory(at)),
            Move::Change(variable) => self.seek_change(from, direction, *variable),
            Move::Touch(bytes) => self.seek(from, direction, |at| {
                let mut accesses = self.accesses_of(self.index(at)).iter();
                accesses.any(|access| self.touches(access, bytes))
            }),
            Move::Written(address) => self.seek_written(from, direction, *address),
            Move::Idle(lane) => self.seek(from, direction, |at| {
                self.active(at).checked_shr(*lane as u32).unwrap_or(0) & 1 == 0
            }),
            Move::Line(line) => self.seek(from, direction, |at| self.statement(at).line == *line),
            Move::Break(breakpoints) => {
                let mut watches: Vec<_> = breakpoints
                    .iter()
                    .map(|breakpoint| Watching::new(self, breakpoint))
                    .collect();
                self.seek(from, direction, |at| {
                    watches.iter_mut().any(|watching| watching.applies(at))
                })
            }
        }
    }

    fn seek(
        &self,
        from: Cursor,
        direction: Direction,
        mut stops: impl FnMut(Cursor) -> bool,
    ) -> Option<Cursor> {
        let cursor = |at: usize| Cursor { at };
        match direction {
            Direction::Forward => (from.at + 1..self.len()).map(cursor).find(|&at| stops(at)),
            Direction::Back => {
                // A cursor of a longer history may stand past the end of this one.
                let before = 0..from.at.min(self.len());
                before.rev().map(cursor).find(|&at| stops(at))
            }
        }
    }

    /// Whether a statement begins here, at this depth or above; a caller's rest counts only for
    /// those who come from the function it called.
    fn is_over(&self, at: Cursor, depth: u32) -> bool {
        let here = self.function(at).1;
        here < depth || here == depth && !self.statement(at).resumes
    }

    fn accesses_memory(&self, at: Cursor) -> bool {
        let mut memories = self.memories(at);
        // Local arrays are a thread's own business: they would stop at every loop that indexes one.
        memories.any(|memory| memory != MemoryKind::Local)
    }

    /// The chosen warp's step that is the first to see a change of the word.
    fn seek_written(&self, from: Cursor, direction: Direction, address: u64) -> Option<Cursor> {
        // What another warp has changed is seen at the own step that comes next.
        let seen = |write: &(u32, u32)| self.own.partition_point(|&own| own < write.0);
        let mut steps = self.word_changes(address).iter().map(seen);
        let found = match direction {
            Direction::Forward => steps.find(|&at| at > from.at),
            Direction::Back => steps.rev().find(|&at| at < from.at),
        };
        found.filter(|&at| at < self.len()).map(|at| Cursor { at })
    }

    /// By the lists of changes, not step by step.
    fn seek_change(&self, from: Cursor, direction: Direction, variable: usize) -> Option<Cursor> {
        let slots = self.slots_of(self.kernel.variables.get(variable)?);
        let lists = [
            self.changes(slots.first),
            match slots.is_wide {
                true => self.changes(slots.first + 1),
                false => &[],
            },
        ];
        let mut step = self.index(from);
        loop {
            // By bisection in both words' lists: a loop counter changes every few steps, a flag
            // once in a million.
            let next = |list: &[Change]| {
                let at = match direction {
                    Direction::Forward => list.partition_point(|change| change.step <= step),
                    Direction::Back => list
                        .partition_point(|change| change.step < step)
                        .wrapping_sub(1),
                };
                list.get(at).map(|change| change.step)
            };
            let steps = lists.iter().filter_map(|list| next(list));
            step = match direction {
                Direction::Forward => steps.min()?,
                Direction::Back => steps.max()?,
            };
            // A change of a word need not change the narrow variable in it.
            // Compared by value: the neighbours of a `char` in its word may have changed instead.
            let before = step.checked_sub(1);
            let before = before.and_then(|before| self.value_after(before, variable));
            if before != self.value_after(step, variable) {
                let at = self.own.partition_point(|&own| own < step);
                return Some(Cursor { at });
            }
        }
    }
}

/// A breakpoint that is looked for along a way: remembers where in the list of changes it is, as
/// steps come one after the other.
struct Watching<'h> {
    history: &'h History,
    breakpoint: &'h Breakpoint,
    /// By word of the variable: changes up to the last step looked at.
    passed: [usize; 2],
    /// What was found for these changes and lanes: most steps change nothing of it.
    known: Option<([usize; 2], u32, bool)>,
}

impl<'h> Watching<'h> {
    fn new(history: &'h History, breakpoint: &'h Breakpoint) -> Self {
        Watching {
            history,
            breakpoint,
            passed: [0; 2],
            known: None,
        }
    }

    fn applies(&mut self, at: Cursor) -> bool {
        if self.history.statement(at).line != self.breakpoint.line {
            return false;
        }
        match &self.breakpoint.condition {
            None => true,
            Some(condition) => self.holds(condition, at).unwrap_or(false),
        }
    }

    fn holds(&mut self, condition: &Condition, at: Cursor) -> Option<bool> {
        let history = self.history;
        let variable = history.kernel.variables.get(condition.variable)?;
        let (slots, step) = (history.slots_of(variable), history.index(at));
        let low = self.change(0, slots.first, step)?;
        let high = match slots.is_wide {
            true => Some(self.change(1, slots.first + 1, step)?),
            false => None,
        };
        let lanes = match condition.lane {
            Some(lane) => 1_u32.checked_shl(lane as u32).unwrap_or(0),
            None => history.active(at),
        };
        if let Some((passed, known_lanes, holds)) = self.known
            && (passed, known_lanes) == (self.passed, lanes)
        {
            return Some(holds);
        }
        let pool = &history.pool;
        let holds = set_bits(lanes).any(|lane| {
            let high = high.map_or(0, |high| pool.lane(high.value, lane));
            let bits = slots.value(pool.lane(low.value, lane), high);
            let value = typed(variable.value_type, bits);
            condition.comparison.holds(value, condition.value)
        });
        self.known = Some((self.passed, lanes, holds));
        Some(holds)
    }

    /// The last change of a slot up to `step`, found from the one found before.
    fn change(&mut self, word: usize, slot: usize, step: u32) -> Option<&'h Change> {
        let changes = self.history.changes(slot);
        let passed = &mut self.passed[word];
        // The first look may be far along the list: by bisection.
        if *passed == 0 {
            *passed = changes.partition_point(|change| change.step <= step);
        }
        // Steps come in order, so that a few comparisons do.
        while changes.get(*passed).is_some_and(|next| next.step <= step) {
            *passed += 1;
        }
        while *passed > 0 && changes[*passed - 1].step > step {
            *passed -= 1;
        }
        changes.get(passed.checked_sub(1)?)
    }
}

/// A variable's bits as a number.
fn typed(value_type: ValueType, bits: u64) -> Value {
    match value_type {
        ValueType::Bool | ValueType::Pointer => Value::Integer(i128::from(bits)),
        ValueType::Number(element) => element.value(bits),
    }
}
