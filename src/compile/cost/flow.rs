//! Where the values of a kernel come from and go to.
//!
//! Values are followed through registers, moves, branches and loops. Each has a place: the innermost
//! branch or loop that it is computed in.

use std::collections::HashMap;

use crate::ir::{Instruction, Kernel, Op, Register};

/// Index of a value.
pub(crate) type Value = usize;

/// Index of a place: the whole kernel is 0.
pub(crate) type Place = usize;

/// A part of the code that not all lanes run as often as what is around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub parent: Place,
    pub depth: u32,
    /// Whether it is the inside of a loop.
    pub repeats: bool,
    /// Its first instruction.
    pub first: usize,
    /// Whether the kernel ends behind it.
    pub is_last: bool,
}

/// What computes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// What the register held when the kernel began.
    Start,
    /// An instruction.
    At(usize),
    /// Whichever of several ways was taken: its inputs are in [`Flow::joined`].
    Joined,
}

/// The inputs of values that are joined.
pub(crate) type Joined = HashMap<Value, Vec<Value>>;

/// What an instruction reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    /// Its operands a, b and c, first words; nothing where it has none.
    pub operands: [Option<Value>; 3],
    /// All words that it reads.
    pub all: Vec<Value>,
}

/// The values of a kernel.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    pub sources: Vec<Source>,
    pub joined: Joined,
    pub reads: Vec<Reads>,
    /// The value that each instruction computes; of several words, the first.
    pub writes: Vec<Option<Value>>,
    pub places: Vec<Place>,
    pub regions: Vec<Region>,
}

type State = Vec<Value>;

struct Frame {
    is_if: bool,
    place: Place,
    /// The sides of an `if`.
    sides: Vec<Place>,
    /// As the other side of an `if` finds it.
    other: Option<State>,
    /// As lanes that left it, or went through one side, leave it.
    leaving: Vec<State>,
    continuing: Vec<State>,
}

struct Walk<'a> {
    kernel: &'a Kernel,
    flow: Flow,
    state: State,
    reached: bool,
    frames: Vec<Frame>,
    place: Place,
    /// Loops: where each begins again, where it jumps back, and the values joined there.
    heads: HashMap<usize, usize>,
    /// From here on, only frames close.
    last: usize,
    open: HashMap<usize, Vec<(Register, Value)>>,
}

/// Follows the values of `kernel`.
pub(crate) fn flow(kernel: &Kernel) -> Flow {
    let code = kernel.code.iter().enumerate();
    let jumps = code.filter(|(_, i)| i.op == Op::Jump);
    let mut walk = Walk {
        kernel,
        flow: Flow::default(),
        state: Vec::new(),
        reached: true,
        frames: Vec::new(),
        place: 0,
        heads: jumps.map(|(pc, i)| (i.imm as usize, pc)).collect(),
        last: last(kernel),
        open: HashMap::new(),
    };
    walk.flow.regions.push(Region {
        parent: 0,
        depth: 0,
        repeats: false,
        first: 0,
        is_last: false,
    });
    walk.state = (0..kernel.registers)
        .map(|_| walk.flow.value(Source::Start))
        .collect();
    for (pc, &i) in kernel.code.iter().enumerate() {
        walk.instruction(pc, i);
    }
    walk.flow
}

/// Where the last instructions begin that only close frames and end the kernel.
fn last(kernel: &Kernel) -> usize {
    let closes = |op| matches!(op, Op::EndIf | Op::ScopeEnd | Op::End);
    let others = kernel.code.iter().rposition(|i| !closes(i.op));
    others.map_or(0, |at| at + 1)
}

/// Whether it only says the same value elsewhere.
pub(crate) fn is_move(op: Op) -> bool {
    matches!(op, Op::Mov32 | Op::Mov64)
}

impl Flow {
    fn value(&mut self, source: Source) -> Value {
        self.sources.push(source);
        self.sources.len() - 1
    }

    /// The place that encloses both.
    pub fn around(&self, mut a: Place, mut b: Place) -> Place {
        while a != b {
            let (x, y) = (self.regions[a], self.regions[b]);
            if x.depth >= y.depth {
                a = x.parent;
            } else {
                b = y.parent;
            }
        }
        a
    }

    /// The deepest place around `inner` that the kernel ends behind, if it lies in `outer`, deeper,
    /// and runs at most once each time.
    pub fn last_within(&self, mut inner: Place, outer: Place) -> Option<Place> {
        let mut last = None;
        while inner != outer {
            let region = self.regions[inner];
            if region.depth == 0 || region.repeats {
                return None;
            }
            if region.is_last && last.is_none() {
                last = Some(inner);
            }
            inner = region.parent;
        }
        last
    }
}

impl Walk<'_> {
    fn enter(&mut self, pc: usize, repeats: bool) {
        let depth = self.flow.regions[self.place].depth + 1;
        self.flow.regions.push(Region {
            parent: self.place,
            depth,
            repeats,
            first: pc,
            is_last: false,
        });
        self.place = self.flow.regions.len() - 1;
    }

    fn instruction(&mut self, pc: usize, i: Instruction) {
        if self.heads.contains_key(&pc) {
            self.begin_loop(pc);
        }
        self.flow.places.push(self.place);
        let mut reads = Reads::default();
        for registers in self.kernel.reads(i) {
            let first = self.state[usize::from(registers.first)];
            use crate::ir::Operand::*;
            match registers.operand {
                A32 | A64 => reads.operands[0] = Some(first),
                B32 | B64 => reads.operands[1] = Some(first),
                C32 | C64 => reads.operands[2] = Some(first),
                _ => {}
            }
            let each = registers.each();
            reads.all.extend(each.map(|r| self.state[usize::from(r)]));
        }
        self.flow.reads.push(reads);
        let written = self.write(pc, i);
        self.flow.writes.push(written);
        self.control(pc, i);
    }

    fn write(&mut self, pc: usize, i: Instruction) -> Option<Value> {
        let registers = self.kernel.writes(i)?;
        if is_move(i.op) {
            let from = usize::from(i.a);
            for (word, register) in registers.each().enumerate() {
                self.state[usize::from(register)] = self.state[from + word];
            }
            return None;
        }
        let mut first = None;
        for register in registers.each() {
            let value = self.flow.value(Source::At(pc));
            self.state[usize::from(register)] = value;
            first.get_or_insert(value);
        }
        first
    }

    fn control(&mut self, pc: usize, i: Instruction) {
        match i.op {
            Op::If => {
                let other = Some(self.state.clone());
                self.open_frame(true, other);
                self.enter_side(pc + 1);
            }
            Op::Else => self.otherwise(pc),
            Op::EndIf => self.close(pc, true),
            Op::ScopeBegin => self.open_frame(false, None),
            Op::LeaveUnless => {
                let state = self.state.clone();
                if let Some(frame) = self.frames.last_mut() {
                    frame.leaving.push(state);
                }
                self.enter(pc + 1, false);
            }
            Op::Leave => self.depart(usize::from(i.a), false),
            Op::Continue => self.depart(usize::from(i.a), true),
            Op::Rejoin => self.rejoin(),
            Op::Jump => self.end_loop(i.imm as usize),
            Op::ScopeEnd => self.close(pc, false),
            Op::Exit => self.reached = false,
            _ => {}
        }
    }

    fn open_frame(&mut self, is_if: bool, other: Option<State>) {
        self.frames.push(Frame {
            is_if,
            place: self.place,
            sides: Vec::new(),
            other,
            leaving: Vec::new(),
            continuing: Vec::new(),
        });
    }

    fn otherwise(&mut self, pc: usize) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let Some(other) = frame.other.take() else {
            return;
        };
        let then = std::mem::replace(&mut self.state, other);
        if self.reached {
            frame.leaving.push(then);
        }
        self.place = frame.place;
        self.reached = true;
        self.enter_side(pc + 1);
    }

    fn enter_side(&mut self, pc: usize) {
        self.enter(pc, false);
        let side = self.place;
        if let Some(frame) = self.frames.last_mut() {
            frame.sides.push(side);
        }
    }

    fn close(&mut self, pc: usize, is_if: bool) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        debug_assert_eq!(frame.is_if, is_if, "frames nest");
        for &side in &frame.sides {
            self.flow.regions[side].is_last = pc >= self.last;
        }
        let mut ways = frame.leaving;
        if self.reached {
            ways.push(std::mem::take(&mut self.state));
        }
        ways.extend(frame.other);
        // Some lanes never come here: what follows runs for the others only.
        let is_narrower = is_if && !self.reached;
        self.place = frame.place;
        self.reached = !ways.is_empty();
        match self.join(ways) {
            Some(state) => self.state = state,
            None => self.state = vec![0; usize::from(self.kernel.registers)],
        }
        if is_narrower && self.reached {
            self.enter(pc + 1, false);
            let place = self.place;
            self.flow.regions[place].is_last = true;
        }
    }

    fn join(&mut self, ways: Vec<State>) -> Option<State> {
        let mut ways = ways.into_iter();
        let mut state = ways.next()?;
        let others: Vec<State> = ways.collect();
        for (register, value) in state.iter_mut().enumerate() {
            if others.iter().any(|other| other[register] != *value) {
                let mut inputs = vec![*value];
                inputs.extend(others.iter().map(|other| other[register]));
                *value = self.flow.value(Source::Joined);
                self.flow.joined.insert(*value, inputs);
            }
        }
        Some(state)
    }

    fn depart(&mut self, above: usize, continues: bool) {
        let state = self.state.clone();
        let at = self.frames.len().checked_sub(above + 1);
        if let Some(frame) = at.and_then(|at| self.frames.get_mut(at)) {
            match continues {
                true => frame.continuing.push(state),
                false => frame.leaving.push(state),
            }
        }
        self.reached = false;
    }

    fn rejoin(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let mut ways = std::mem::take(&mut frame.continuing);
        if self.reached {
            ways.push(std::mem::take(&mut self.state));
        }
        if let Some(state) = self.join(ways) {
            self.state = state;
            self.reached = true;
        }
    }

    /// What the loop writes is joined with what it begins with.
    fn begin_loop(&mut self, head: usize) {
        self.enter(head, true);
        let jump = self.heads[&head];
        let mut joined = Vec::new();
        for &i in &self.kernel.code[head..=jump] {
            for register in self.kernel.writes(i).into_iter().flat_map(|to| to.each()) {
                if joined.iter().any(|(known, _)| *known == register) {
                    continue;
                }
                let value = self.flow.value(Source::Joined);
                let before = std::mem::replace(&mut self.state[usize::from(register)], value);
                self.flow.joined.insert(value, vec![before]);
                joined.push((register, value));
            }
        }
        self.open.insert(head, joined);
    }

    fn end_loop(&mut self, head: usize) {
        for (register, value) in self.open.remove(&head).unwrap_or_default() {
            let back = self.state[usize::from(register)];
            if let Some(inputs) = self.flow.joined.get_mut(&value)
                && back != value
            {
                inputs.push(back);
            }
        }
        self.reached = false;
    }
}
