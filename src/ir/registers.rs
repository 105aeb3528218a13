//! Which registers an instruction reads and writes.

use super::instruction::{Instruction, NO_REGISTER, Register};
use super::op::{Op, Operand};
use super::program::Kernel;
use super::site::{AccessSite, IndexType};

/// Consecutive registers that hold one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// What the operand means.
    pub operand: Operand,
    /// The first.
    pub first: Register,
    /// How many.
    pub words: u16,
}

impl Registers {
    /// Each of them.
    pub fn each(self) -> impl DoubleEndedIterator<Item = Register> + ExactSizeIterator {
        self.first..self.first + self.words
    }

    /// Whether they share a register with `others`.
    pub fn overlap(self, others: Registers) -> bool {
        let end = |registers: Registers| registers.first + registers.words;
        self.first < end(others) && others.first < end(self)
    }

    /// Whether the instruction writes them; it reads all others.
    pub fn are_written(self) -> bool {
        matches!(
            self.operand,
            Operand::Dst32 | Operand::Dst64 | Operand::Dst128 | Operand::DstSite
        )
    }
}

impl Kernel {
    /// The registers that an instruction of this kernel reads, operand by operand.
    pub fn reads(&self, i: Instruction) -> impl Iterator<Item = Registers> {
        let site = self.site_of(i);
        let (prints, launches) = (&self.tables.prints, &self.tables.launches);
        i.op.operands().iter().filter_map(move |&operand| {
            let (first, words) = match operand {
                // A store has no result: its `dst` is what it stores.
                Operand::SrcSite => (i.dst, site.map_or(1, AccessSite::words) as u16),
                Operand::A32 => (i.a, 1),
                Operand::A64 => (i.a, 2),
                // The matrix fragments of one lane.
                Operand::A128 => (i.a, 4),
                Operand::A256 => (i.a, 8),
                Operand::Base if i.a == NO_REGISTER => return None,
                // Generic addresses have 64 bits, offsets in shared and local memory 32.
                Operand::Base if matches!(i.op, Op::Load | Op::Store) => (i.a, 2),
                Operand::Base => (i.a, 1),
                Operand::B32 => (i.b, 1),
                Operand::B64 => (i.b, 2),
                Operand::B128 => (i.b, 4),
                Operand::Index => match site.map(|site| site.index) {
                    Some(IndexType::I32 | IndexType::U32) => (i.b, 1),
                    Some(IndexType::I64) => (i.b, 2),
                    _ => return None,
                },
                Operand::C32 => (i.c, 1),
                Operand::C64 => (i.c, 2),
                Operand::C128 => (i.c, 4),
                Operand::Print => (i.a, prints.get(i.imm as usize)?.words() as u16),
                Operand::Launch => (i.a, launches.get(i.imm as usize)?.words() as u16),
                _ => return None,
            };
            Some(Registers {
                operand,
                first,
                words,
            })
        })
    }

    /// The registers that an instruction of this kernel writes, if it writes any.
    pub fn writes(&self, i: Instruction) -> Option<Registers> {
        let site = self.site_of(i);
        i.op.operands().iter().find_map(|&operand| {
            let words = match operand {
                Operand::Dst32 => 1,
                Operand::Dst64 => 2,
                Operand::Dst128 => 4,
                Operand::DstSite => site.map_or(1, AccessSite::words) as u16,
                _ => return None,
            };
            let first = i.dst;
            Some(Registers {
                operand,
                first,
                words,
            })
        })
    }

    fn site_of(&self, i: Instruction) -> Option<&AccessSite> {
        let has_site = i.op.operands().contains(&Operand::Site);
        has_site.then(|| self.sites.get(i.imm as usize)).flatten()
    }
}
