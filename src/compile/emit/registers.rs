//! Which registers are taken.
//!
//! Temporaries are a stack: a statement frees what it took, but for values that are known further on.
//! Pinned registers (constants and coordinates, numbered from [`PINNED`]) hold the same all along; they
//! are placed behind all others when the kernel is finished.

use std::collections::HashMap;

use crate::ir::{Instruction, Op, Register};

/// Number of the first pinned register.
// The upper half of all numbers: which registers are pinned can be told before it is known how many others there are.
pub(crate) const PINNED: Register = 0x8000;

/// Most registers of values that are kept because they may be needed further on. A thread has 255.
const MOST_KEPT: u32 = 4096;

/// What fills a pinned register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Pinned {
    Const32(u32),
    Const64(u64),
    Coordinate(Op),
}

/// The registers of a kernel that is being written.
#[derive(Debug, Default)]
pub(crate) struct RegisterStack {
    next: u32,
    /// Where those begin that the code being written may take.
    base: u32,
    /// The most that were taken at once since [`Self::begin`].
    peak: u32,
    highest: u32,
    pinned: HashMap<Pinned, Register>,
    /// The constants that pinned registers hold.
    known32: HashMap<Register, u32>,
    /// What they hold, in the order in which the prologue fills them.
    pinned_order: Vec<Pinned>,
    pinned_words: u32,
}

impl RegisterStack {
    /// `words` consecutive registers that hold nothing else until they are released.
    pub fn take(&mut self, words: u32) -> Register {
        let first = self.next;
        self.next += words;
        self.peak = self.peak.max(self.next);
        self.highest = self.highest.max(self.next);
        // Past the limit the kernel is refused when `fits` is asked; until then numbers wrap.
        (first % u32::from(PINNED)) as Register
    }

    /// Code begins that may take registers from `free` on.
    pub fn begin(&mut self, free: u32) {
        self.next = free;
        self.base = free;
        self.peak = free;
    }

    /// Registers from here on hold nothing of the code that began last.
    pub fn peak(&self) -> u32 {
        self.peak
    }

    /// Whether values below `known` are more than may be kept.
    pub fn has_many(&self, known: u32) -> bool {
        // From the base on: a body begins behind the registers of all who call it.
        known > self.base + MOST_KEPT
    }

    /// The mark that `release` goes back to.
    pub fn mark(&self) -> u32 {
        self.next
    }

    /// Frees the registers taken since `mark`, but for those below `known`.
    pub fn release(&mut self, mark: u32, known: u32) {
        // Known values that lie above the mark keep everything below them: a stack has no holes.
        self.next = mark.max(known.min(self.next));
    }

    /// Whether all registers can be numbered.
    pub fn fits(&self) -> bool {
        self.highest + self.pinned_words < u32::from(PINNED)
    }

    /// What takes how many registers.
    pub fn need(&self) -> String {
        let (variables, constants) = (self.highest, self.pinned_words);
        let most = PINNED - 1;
        format!("variables and values take {variables}, constants {constants}; {most} is the most")
    }

    /// A register that always holds `value`.
    pub fn const32(&mut self, value: u32) -> Register {
        let register = self.pin(Pinned::Const32(value), 1);
        self.known32.insert(register, value);
        register
    }

    /// A register pair that always holds `value`.
    pub fn const64(&mut self, value: u64) -> Register {
        self.pin(Pinned::Const64(value), 2)
    }

    /// A register that always holds what `op` reads.
    pub fn coordinate(&mut self, op: Op) -> Register {
        self.pin(Pinned::Coordinate(op), 1)
    }

    fn pin(&mut self, what: Pinned, words: u32) -> Register {
        if let Some(&register) = self.pinned.get(&what) {
            return register;
        }
        // This wraps as `take` does, and never gives `Register::MAX`, which says that there is none.
        let register = PINNED + (self.pinned_words % u32::from(PINNED - 1)) as Register;
        self.pinned_words += words;
        self.pinned.insert(what, register);
        self.pinned_order.push(what);
        register
    }

    /// What `register` always holds, if that is known.
    pub fn known32(&self, register: Register) -> Option<u32> {
        self.known32.get(&register).copied()
    }

    /// The instructions that fill the pinned registers; the 64-bit constants that they read are put
    /// into `constants`.
    pub fn prologue(&self, constants: &mut Vec<u64>) -> Vec<Instruction> {
        let instructions = self.pinned_order.iter().map(|what| {
            let (op, imm) = match *what {
                Pinned::Const32(value) => (Op::Const32, value),
                Pinned::Const64(value) => {
                    constants.push(value);
                    (Op::Const64, constants.len() as u32 - 1)
                }
                Pinned::Coordinate(op) => (op, 0),
            };
            Instruction {
                op,
                dst: self.pinned[what],
                a: 0,
                b: 0,
                c: 0,
                imm,
            }
        });
        instructions.collect()
    }

    /// Puts the pinned registers of an instruction behind all others.
    pub fn place_pinned(&self, instruction: &mut Instruction) {
        let Instruction { dst, a, b, c, .. } = instruction;
        for register in [dst, a, b, c] {
            // `Register::MAX` says that there is none.
            if (PINNED..Register::MAX).contains(register) {
                *register = *register - PINNED + self.highest as Register;
            }
        }
    }

    /// Registers of one lane.
    pub fn count(&self) -> u16 {
        self.highest as u16 + self.pinned_words as u16
    }
}
