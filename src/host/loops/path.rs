//! One way through an iteration of a loop: what it computes, with registers instead of slots.
//!
//! ```text
//! sum += square(x[i]);   →   r3 = load(x + 4 i)   r4 = r3 · r3   r5 = sum + r4
//! ```
//!
//! Calls are followed into the functions, whose slots lie among those of the caller. Equal computations are one register,
//! and what an iteration has stored it need not load.

use std::collections::HashMap;

use crate::host::code::{Op, Routine, Slot};

use super::pure::{Pure, pure};
use super::step::{Access, Branch, Guard, Register, Step};

/// Longer ways through a loop are left to the interpreter: their columns would not stay in the second cache.
const MOST_STEPS: usize = 400;

/// Calls within each other that are followed.
const MOST_CALLS: usize = 8;

/// How branches within a loop are expected to go: they skip what stands behind them, or they do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prediction {
    #[default]
    Skips,
    Enters,
}

/// A loop as it stands in the program.
#[derive(Clone, Copy)]
pub struct Loop<'p> {
    pub ops: &'p [Op],
    /// The functions that it may call, by number.
    pub functions: &'p [Option<Routine>],
    /// Its first operation.
    pub head: usize,
    /// Its last one, which jumps to the first.
    pub tail: usize,
    /// Whether a call of a library, by its site, only gives the next of a row of numbers.
    pub draws: &'p dyn Fn(u32) -> bool,
}

/// One way through a loop.
#[derive(Default)]
pub struct Path {
    prediction: Prediction,
    /// The slot of the loop's function that is the first of the function which runs.
    pub base: Slot,
    pub registers: Register,
    /// Which register holds what a slot holds at this point.
    pub current: HashMap<Slot, Register>,
    /// Slots that are read before they are written.
    pub entering: Vec<(Slot, Register)>,
    pub constants: Vec<(u64, Register)>,
    pub steps: Vec<Step>,
    pub stores: Vec<Store>,
    /// Registers of operations that only compute, each with a result of 0.
    computed: Vec<(Op, Register)>,
    pub jumps: u32,
    /// The functions that wait for those they have called.
    callers: Vec<Caller>,
    /// How much of the stack the functions take that are called.
    pub stack_bytes: u32,
}

/// Where a word lies: so many bytes behind what a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub base: Register,
    pub offset: i32,
}

/// What an iteration stores when all else is done.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    pub place: Place,
    pub access: Access,
}

/// A function that waits for one that it has called.
struct Caller {
    next: usize,
    base: Slot,
    /// What the functions up to this one take of the stack.
    stack_bytes: u32,
}

impl Path {
    /// The way through an iteration, until it jumps to its beginning.
    pub fn of(of: &Loop<'_>, prediction: Prediction) -> Option<Path> {
        let mut path = Path {
            prediction,
            ..Path::default()
        };
        path.walk(of)?;
        Some(path)
    }

    /// Goes through an iteration; the operation that begins the next one.
    pub fn walk(&mut self, of: &Loop<'_>) -> Option<usize> {
        let mut at = of.head;
        while self.steps.len() + self.stores.len() < MOST_STEPS {
            at = match of.ops.get(at)?.alone() {
                Op::Jump { target } => {
                    self.jumps += 1;
                    match self.leads(target, at, of) {
                        Way::Begins => return Some(at),
                        Way::Forward => target as usize,
                        Way::Leaves | Way::Back => return None,
                    }
                }
                Op::Call { first, function } => {
                    let routine = of.functions.get(function as usize)?.as_ref()?;
                    self.enter(routine, first, at + 1)?
                }
                Op::Return { a } => {
                    let value = self.read(a);
                    self.set(0, value);
                    self.leave()?
                }
                Op::ReturnNothing => self.leave()?,
                op => match Branch::of(op) {
                    Some(branch) => match self.branch(&branch, at, of)? {
                        to if to == of.head && self.callers.is_empty() => return Some(at),
                        to => to,
                    },
                    None => {
                        self.operation(op, of)?;
                        at + 1
                    }
                },
            };
        }
        None
    }

    /// Where a jump leads that stands at `at`.
    fn leads(&self, target: u32, at: usize, of: &Loop<'_>) -> Way {
        let target = target as usize;
        let is_called = !self.callers.is_empty();
        match target {
            _ if !is_called && target == of.head => Way::Begins,
            _ if !is_called && !(of.head..=of.tail).contains(&target) => Way::Leaves,
            _ if target > at => Way::Forward,
            _ => Way::Back,
        }
    }

    /// Goes the way that a branch is expected to go; where it leads.
    fn branch(&mut self, branch: &Branch, at: usize, of: &Loop<'_>) -> Option<usize> {
        let jumps = match self.leads(branch.target, at, of) {
            Way::Begins => true,
            // A way out of the loop is not taken as long as it runs.
            Way::Leaves => false,
            Way::Forward => self.prediction == Prediction::Skips,
            Way::Back => return self.nest(branch, at, of),
        };
        self.jumps += u32::from(jumps);
        let (a, b) = (self.read(branch.a), self.read(branch.b));
        self.steps.push(Step::Guard(Guard {
            test: branch.test,
            a,
            b,
            expected: jumps == branch.jumps_if,
        }));
        Some(if jumps {
            branch.target as usize
        } else {
            at + 1
        })
    }

    /// Goes on in a function that is called; its first operation.
    fn enter(&mut self, routine: &Routine, first: Slot, next: usize) -> Option<usize> {
        if self.callers.len() == MOST_CALLS {
            return None;
        }
        // As many slots as a number can name.
        self.base
            .checked_add(first)?
            .checked_add(routine.slots.try_into().ok()?)?;
        let frame_bytes = i32::try_from(routine.frame_bytes).ok()?;
        let stack = self.read(0);
        let frame = self.behind(stack, -frame_bytes)?;
        let stack_bytes = self.takes_stack(routine.frame_bytes)?;
        let base = self.base;
        self.callers.push(Caller {
            next,
            base,
            stack_bytes,
        });
        self.base += first;
        self.set(0, frame);
        let constants = 1 + routine.parameter_count as Slot;
        for (slot, &bits) in (constants..).zip(&routine.constants) {
            let register = self.constant(bits);
            self.set(slot, register);
        }
        self.jumps += 1;
        Some(routine.start as usize)
    }

    /// What the functions take of the stack when one more takes so much.
    pub fn takes_stack(&mut self, bytes: u32) -> Option<u32> {
        let before = self.callers.last().map_or(0, |caller| caller.stack_bytes);
        let all = before.checked_add(bytes)?;
        self.stack_bytes = self.stack_bytes.max(all);
        Some(all)
    }

    /// A way through a loop within this one, from its beginning.
    pub fn within(&self) -> Path {
        Path {
            prediction: self.prediction,
            base: self.base,
            registers: self.registers,
            ..Path::default()
        }
    }

    /// Goes on behind the call; nothing where the loop's own function returns.
    fn leave(&mut self) -> Option<usize> {
        let caller = self.callers.pop()?;
        self.base = caller.base;
        Some(caller.next)
    }

    pub fn new_register(&mut self) -> Register {
        self.registers += 1;
        self.registers - 1
    }

    pub fn read(&mut self, slot: Slot) -> Register {
        let slot = self.base + slot;
        if let Some(&register) = self.current.get(&slot) {
            return register;
        }
        let register = self.new_register();
        self.current.insert(slot, register);
        self.entering.push((slot, register));
        register
    }

    pub fn set(&mut self, slot: Slot, register: Register) {
        self.current.insert(self.base + slot, register);
    }

    pub fn constant(&mut self, bits: u64) -> Register {
        let mut known = self.constants.iter();
        if let Some(&(_, register)) = known.find(|known| known.0 == bits) {
            return register;
        }
        let register = self.new_register();
        self.constants.push((bits, register));
        register
    }

    /// The register of what an operation computes, which `with` makes for a register.
    pub fn computed(&mut self, with: impl Fn(Register) -> Op) -> Register {
        let op = with(0);
        let mut known = self.computed.iter();
        if let Some(&(_, register)) = known.find(|(other, _)| *other == op) {
            return register;
        }
        let register = self.new_register();
        self.steps.push(Step::Compute(with(register)));
        self.computed.push((op, register));
        register
    }

    /// Adds an operation that neither jumps nor calls a function of the program; nothing of one that a column cannot have.
    fn operation(&mut self, op: Op, of: &Loop<'_>) -> Option<()> {
        match op {
            Op::Move { to, a } => {
                let register = self.read(a);
                self.set(to, register);
            }
            Op::CallLibrary { first, site } if (of.draws)(site) => {
                let to = self.new_register();
                self.set(first, to);
                self.steps.push(Step::Draw { to, site });
            }
            Op::Math { to, first, site } => {
                // Arguments are put in place in front of the call; what is not there is no argument.
                let register = self.read(first);
                let known = |at| self.current.get(&(self.base + first + at)).copied();
                let operands = [0, 1, 2].map(|at| known(at).unwrap_or(register));
                let result = self.new_register();
                self.set(to, result);
                let to = result;
                self.steps.push(Step::Math { to, operands, site });
            }
            Op::Copy { to, from, bytes } => self.copy(to, from, bytes)?,
            Op::Zero { to, bytes } => self.zero(to, bytes)?,
            op => return self.accesses_memory(op).or_else(|| self.computes(op)),
        }
        Some(())
    }

    fn computes(&mut self, op: Op) -> Option<()> {
        let (to, result) = match pure(op)? {
            Pure::Binary(make, to, a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                (to, self.computed(|result| make(result, a, b)))
            }
            Pure::Unary(make, to, a) => {
                let a = self.read(a);
                (to, self.computed(|result| make(result, a)))
            }
            Pure::Other => self.computes_with_more(op)?,
        };
        self.set(to, result);
        Some(())
    }

    /// Operations that have more than slots.
    fn computes_with_more(&mut self, op: Op) -> Option<(Slot, Register)> {
        Some(match op {
            Op::Offset { to, base, offset } => {
                let base = self.read(base);
                (to, self.behind(base, offset)?)
            }
            Op::Element {
                to,
                base,
                index,
                size,
            } => {
                let (base, index) = (self.read(base), self.read(index));
                let with = |to| Op::Element {
                    to,
                    base,
                    index,
                    size,
                };
                (to, self.computed(with))
            }
            Op::Convert { to, a, from, into } => {
                let a = self.read(a);
                (to, self.computed(|to| Op::Convert { to, a, from, into }))
            }
            _ => return None,
        })
    }
}

/// Where a jump leads.
enum Way {
    /// To the beginning of the loop.
    Begins,
    Leaves,
    Forward,
    Back,
}
