//! Data flow: where the values of a kernel come from and go to, as in static single assignment form.
//!
//! Values are followed through registers, moves, branches and loops; where ways meet that bring different
//! values, a phi is a value of its own:
//!
//! ```text
//! r0 = …                value 1
//! if r1                 region 1 begins
//!     r0 = r0 + r2      value 2, computed from 1
//! endif                 value 3, a phi of 1 and 2
//! ```
//!
//! Each instruction has a control region: the innermost branch or loop that it stands in.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::ir::{Instruction, Kernel, Op, Register};

/// Index of a value.
pub(in crate::compile::cost) type Value = usize;

/// Index of a control region: the whole kernel is 0.
pub(in crate::compile::cost) type RegionId = usize;

/// A part of the code that not all lanes run as often as what is around it.
#[derive(Clone, Copy, Debug)]
pub(in crate::compile::cost) struct ControlRegion {
    pub parent: RegionId,
    pub depth: u32,
    /// Whether it is the inside of a loop.
    pub repeats: bool,
    /// Its first instruction.
    pub first: usize,
    /// Whether the kernel ends behind it.
    pub is_last: bool,
    /// How many values there were before it.
    pub values_before: usize,
}

/// What computes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::compile::cost) enum Definition {
    /// What the register held when the kernel began.
    Start,
    /// An instruction.
    At(usize),
    /// Whichever of several ways was taken: its inputs are in [`ValueFlow::phis`]. Phis of one place where ways meet have
    /// one number, and their inputs are in one order of ways.
    Phi(usize),
}

/// The inputs of values that are phis.
pub(in crate::compile::cost) type Phis = HashMap<Value, Vec<Value>>;

/// What an instruction reads.
#[derive(Clone, Debug, Default)]
pub(in crate::compile::cost) struct Reads {
    /// Its operands a, b and c, first words; nothing where it has none.
    pub operands: [Option<Value>; 3],
    /// All words that it reads.
    pub all: Vec<Value>,
}

/// The values of a kernel.
#[derive(Debug, Default)]
pub(in crate::compile::cost) struct ValueFlow {
    pub definitions: Vec<Definition>,
    pub phis: Phis,
    /// The instruction at which the ways of each phi's number meet.
    pub meets_at: HashMap<usize, usize>,
    pub reads: Vec<Reads>,
    /// The value that each instruction computes; of several words, the first.
    pub writes: Vec<Option<Value>>,
    /// The control region of each instruction.
    pub region_of: Vec<RegionId>,
    pub regions: Vec<ControlRegion>,
}

/// What registers hold, and what they held before: branches go back to it.
#[derive(Debug, Default)]
struct RegisterValues {
    values: Vec<Value>,
    /// Registers that were written, with what they held, the latest last.
    log: Vec<(Register, Value)>,
}

/// The registers that a way through a frame has changed, with what they then hold.
type Way = BTreeMap<Register, Value>;

struct Frame {
    is_if: bool,
    /// The region that it stands in.
    region: RegionId,
    /// The sides of an `if`.
    sides: Vec<RegionId>,
    /// Whether lanes may go past it that take neither side.
    is_passed: bool,
    /// How many writes had been logged when it was opened.
    log: usize,
    /// As lanes that left it, or went through one side, leave it.
    leaving: Vec<Way>,
    continuing: Vec<Way>,
}

struct Walk<'a> {
    kernel: &'a Kernel,
    flow: ValueFlow,
    state: RegisterValues,
    reached: bool,
    frames: Vec<Frame>,
    region: RegionId,
    /// Loops: where each begins again, where it jumps back, and the values joined there.
    heads: HashMap<usize, usize>,
    /// From here on, only frames close.
    last: usize,
    open: HashMap<usize, Vec<(Register, Value)>>,
}

impl RegisterValues {
    fn get(&self, register: Register) -> Value {
        self.values[usize::from(register)]
    }

    fn set(&mut self, register: Register, value: Value) {
        let overwritten = std::mem::replace(&mut self.values[usize::from(register)], value);
        // What stays the same is no change: where ways meet it needs no phi.
        if overwritten != value {
            self.log.push((register, overwritten));
        }
    }

    /// What was written since so many writes had been logged.
    fn since(&self, log: usize) -> Way {
        let written = self.log[log..].iter();
        written
            .map(|&(register, _)| (register, self.get(register)))
            .collect()
    }

    /// Goes back to how it was when so many writes had been logged.
    fn go_back(&mut self, log: usize) {
        // The latest first: of a register that was written twice, what it held at the beginning is put back last.
        for (register, overwritten) in self.log.drain(log..).rev() {
            self.values[usize::from(register)] = overwritten;
        }
    }
}

/// Follows the values of `kernel`.
pub(in crate::compile::cost) fn flow(kernel: &Kernel) -> ValueFlow {
    let code = kernel.code.iter().enumerate();
    let jumps = code.filter(|(_, i)| i.op == Op::Jump);
    let mut walk = Walk {
        kernel,
        flow: ValueFlow::default(),
        state: RegisterValues::default(),
        reached: true,
        frames: Vec::new(),
        region: 0,
        // A loop has one jump back: `continue` waits where lanes rejoin, before the jump.
        heads: jumps.map(|(pc, i)| (i.imm as usize, pc)).collect(),
        last: last(kernel),
        open: HashMap::new(),
    };
    walk.flow.regions.push(ControlRegion {
        parent: 0,
        depth: 0,
        repeats: false,
        first: 0,
        is_last: false,
        values_before: 0,
    });
    // Registers hold the launch's arguments, or nothing that a kernel without faults reads.
    walk.state.values = (0..kernel.registers)
        .map(|_| walk.flow.value(Definition::Start))
        .collect();
    for (pc, &i) in kernel.code.iter().enumerate() {
        walk.instruction(pc, i);
    }
    walk.flow
}

/// Where the last instructions begin that only close frames and end the kernel.
fn last(kernel: &Kernel) -> usize {
    // Whatever closes frames computes nothing, so a branch before it is the kernel's last.
    let closes = |op| matches!(op, Op::EndIf | Op::ScopeEnd | Op::End);
    let others = kernel.code.iter().rposition(|i| !closes(i.op));
    others.map_or(0, |at| at + 1)
}

/// Whether it only says the same value elsewhere.
pub(in crate::compile::cost) fn is_move(op: Op) -> bool {
    matches!(op, Op::Mov32 | Op::Mov64)
}

impl ValueFlow {
    fn value(&mut self, source: Definition) -> Value {
        self.definitions.push(source);
        self.definitions.len() - 1
    }

    /// The number of the phis at `pc`, where ways meet.
    fn meeting(&mut self, pc: usize) -> usize {
        let meeting = self.definitions.len();
        self.meets_at.insert(meeting, pc);
        meeting
    }

    /// The innermost region that encloses both.
    pub fn common_region(&self, mut a: RegionId, mut b: RegionId) -> RegionId {
        while a != b {
            let (x, y) = (self.regions[a], self.regions[b]);
            // The deeper one goes up, until both are the same.
            if x.depth >= y.depth {
                a = x.parent;
            } else {
                b = y.parent;
            }
        }
        a
    }

    /// Whether all lanes that come to `pc` have come through `before`, which stands before it.
    pub fn dominates(&self, before: usize, pc: usize) -> bool {
        let region = self.region_of[before];
        self.common_region(region, self.region_of[pc]) == region
    }

    /// Whether a loop around `pc` begins behind `before`.
    pub fn repeats_between(&self, before: usize, pc: usize) -> bool {
        let around_both = self.common_region(self.region_of[before], self.region_of[pc]);
        let mut region = self.region_of[pc];
        while region != around_both {
            if self.regions[region].repeats {
                return true;
            }
            region = self.regions[region].parent;
        }
        false
    }

    /// The innermost loop around `pc`, or the whole kernel.
    pub fn loop_around(&self, pc: usize) -> RegionId {
        let mut region = self.region_of[pc];
        while region != 0 && !self.regions[region].repeats {
            region = self.regions[region].parent;
        }
        region
    }

    /// Whether a loop around `pc` leaves a value as it was before it.
    pub fn is_invariant(&self, value: Value, pc: usize) -> bool {
        let around = self.loop_around(pc);
        self.regions[around].repeats && value < self.regions[around].values_before
    }

    /// The deepest region around `inner` that the kernel ends behind, if it lies in `outer`, deeper,
    /// and runs at most once each time.
    pub fn last_within(&self, mut inner: RegionId, outer: RegionId) -> Option<RegionId> {
        let mut last = None;
        while inner != outer {
            let region = self.regions[inner];
            // In a loop it would be computed more often than before it.
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
        let depth = self.flow.regions[self.region].depth + 1;
        self.flow.regions.push(ControlRegion {
            parent: self.region,
            depth,
            repeats,
            first: pc,
            is_last: false,
            values_before: self.flow.definitions.len(),
        });
        self.region = self.flow.regions.len() - 1;
    }

    fn instruction(&mut self, pc: usize, i: Instruction) {
        if self.heads.contains_key(&pc) {
            self.begin_loop(pc);
        }
        self.flow.region_of.push(self.region);
        let mut reads = Reads::default();
        for registers in self.kernel.reads(i) {
            let first = self.state.get(registers.first);
            use crate::ir::Operand::*;
            match registers.operand {
                // Operands are compared by position; of a pair, the first word stands for both.
                A32 | A64 => reads.operands[0] = Some(first),
                B32 | B64 => reads.operands[1] = Some(first),
                C32 | C64 => reads.operands[2] = Some(first),
                _ => {}
            }
            let each = registers.each();
            reads
                .all
                .extend(each.map(|register| self.state.get(register)));
        }
        self.flow.reads.push(reads);
        let written = self.write(pc, i);
        self.flow.writes.push(written);
        self.control(pc, i);
    }

    fn write(&mut self, pc: usize, i: Instruction) -> Option<Value> {
        let registers = self.kernel.writes(i)?;
        // A copy is the same value elsewhere: assignments between variables are free.
        if is_move(i.op) {
            for (from, register) in (i.a..).zip(registers.each()) {
                self.state.set(register, self.state.get(from));
            }
            return None;
        }
        let mut first = None;
        for register in registers.each() {
            let value = self.flow.value(Definition::At(pc));
            self.state.set(register, value);
            first.get_or_insert(value);
        }
        first
    }

    fn control(&mut self, pc: usize, i: Instruction) {
        match i.op {
            Op::If => {
                self.open_frame(true);
                self.enter_side(pc + 1);
            }
            Op::Else => self.otherwise(pc),
            Op::EndIf => self.close(pc, true),
            Op::ScopeBegin => self.open_frame(false),
            Op::LeaveUnless => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.leaving.push(self.state.since(frame.log));
                }
                // Only lanes whose condition holds go on.
                self.enter(pc + 1, false);
            }
            Op::Leave => self.depart(usize::from(i.a), false),
            Op::Continue => self.depart(usize::from(i.a), true),
            Op::Rejoin => self.rejoin(),
            // Jumps only go back: forward, lanes wait in frames.
            Op::Jump => self.end_loop(i.imm as usize),
            Op::ScopeEnd => self.close(pc, false),
            Op::Exit => self.reached = false,
            _ => {}
        }
    }

    fn open_frame(&mut self, is_if: bool) {
        self.frames.push(Frame {
            is_if,
            region: self.region,
            sides: Vec::new(),
            is_passed: is_if,
            log: self.state.log.len(),
            leaving: Vec::new(),
            continuing: Vec::new(),
        });
    }

    fn otherwise(&mut self, pc: usize) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        // Whoever did not take the first side takes the other.
        frame.is_passed = false;
        if self.reached {
            frame.leaving.push(self.state.since(frame.log));
        }
        self.state.go_back(frame.log);
        self.region = frame.region;
        self.reached = true;
        self.enter_side(pc + 1);
    }

    fn enter_side(&mut self, pc: usize) {
        self.enter(pc, false);
        let side = self.region;
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
            ways.push(self.state.since(frame.log));
        }
        if frame.is_passed {
            ways.push(Way::new());
        }
        // Some lanes never come here: what follows runs for the others only.
        let is_narrower = is_if && !self.reached;
        self.region = frame.region;
        self.reached = !ways.is_empty();
        // Where no lane comes, nobody needs what is read.
        self.join(frame.log, ways);
        if is_narrower && self.reached {
            // Nothing closes this region: it lasts as long as the frame around it.
            self.enter(pc + 1, false);
            let region = self.region;
            self.flow.regions[region].is_last = true;
        }
    }

    /// Several ways meet that have all come through what was logged first.
    fn join(&mut self, log: usize, ways: Vec<Way>) {
        // Each way lists what it changed since then.
        self.state.go_back(log);
        // What joins has been looked at.
        let meeting = self.flow.meeting(self.flow.writes.len() - 1);
        let changed: BTreeSet<Register> = ways.iter().flat_map(|way| way.keys().copied()).collect();
        for register in changed {
            let before = self.state.get(register);
            let value = |way: &Way| way.get(&register).copied().unwrap_or(before);
            let inputs: Vec<Value> = ways.iter().map(value).collect();
            // The same value by every way needs no phi.
            if inputs.iter().all(|input| *input == inputs[0]) {
                self.state.set(register, inputs[0]);
                continue;
            }
            let phi = self.flow.value(Definition::Phi(meeting));
            self.flow.phis.insert(phi, inputs);
            self.state.set(register, phi);
        }
    }

    fn depart(&mut self, above: usize, continues: bool) {
        let at = self.frames.len().checked_sub(above + 1);
        if let Some(frame) = at.and_then(|at| self.frames.get_mut(at)) {
            let way = self.state.since(frame.log);
            match continues {
                true => frame.continuing.push(way),
                false => frame.leaving.push(way),
            }
        }
        self.reached = false;
    }

    fn rejoin(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let mut ways = std::mem::take(&mut frame.continuing);
        let log = frame.log;
        if self.reached {
            ways.push(self.state.since(log));
        }
        if !ways.is_empty() {
            self.join(log, ways);
            self.reached = true;
        }
    }

    /// What the loop writes is joined with what it begins with.
    fn begin_loop(&mut self, head: usize) {
        self.enter(head, true);
        let jump = self.heads[&head];
        let mut joined = Vec::new();
        let mut known = BTreeSet::new();
        // What comes back around is known only at the jump: until then, a phi of one input.
        for &i in &self.kernel.code[head..=jump] {
            for register in self.kernel.writes(i).into_iter().flat_map(|to| to.each()) {
                if !known.insert(register) {
                    continue;
                }
                let meeting = self.flow.meeting(head);
                let value = self.flow.value(Definition::Phi(meeting));
                self.flow.phis.insert(value, vec![self.state.get(register)]);
                self.state.set(register, value);
                joined.push((register, value));
            }
        }
        self.open.insert(head, joined);
    }

    fn end_loop(&mut self, head: usize) {
        for (register, value) in self.open.remove(&head).unwrap_or_default() {
            let back = self.state.get(register);
            if let Some(inputs) = self.flow.phis.get_mut(&value)
                // A register that iterations leave alone has one input: it is what came in.
                && back != value
            {
                inputs.push(back);
            }
        }
        // Behind the jump lanes come only by leaving the loop's frame.
        self.reached = false;
    }
}
