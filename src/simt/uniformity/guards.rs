//! Which registers show whether an access goes as it did before, and of which warps.

use std::ops::Range;

use crate::ir::{AccessSite, IndexType, Instruction, NO_REGISTER, Op, Register};
use crate::simt::warp::{Lanes, Vector};

/// In which warps of a gang a register is looked at, to see whether a pattern holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// In none: it never changes.
    #[default]
    Nowhere,
    /// In the first: the others' differ from it as they always do.
    First,
    /// In all of them.
    All,
}

/// Where the registers that make an address are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// The base.
    pub base: Look,
    /// The index.
    pub index: Look,
}

impl Looks {
    /// Where to look the first time.
    pub fn whole(self) -> Self {
        let whole = |look| match look {
            Look::First => Look::All,
            look => look,
        };
        Looks {
            base: whole(self.base),
            index: whole(self.index),
        }
    }

    /// Nothing is known but which registers are never written.
    pub fn all(i: Instruction, site: &AccessSite, fixed: &[bool]) -> Self {
        let is_wide = matches!(i.op, Op::Load | Op::Store);
        let is_fixed = i.a == NO_REGISTER
            || (fixed[usize::from(i.a)] && (!is_wide || fixed[usize::from(i.a) + 1]));
        let look = |varies: bool| if varies { Look::All } else { Look::Nowhere };
        Looks {
            base: look(!is_fixed),
            index: look(site.index != IndexType::None),
        }
    }
}

/// The registers that make an address.
pub struct Operands<'a> {
    /// Low words of the base.
    pub base: Option<&'a [Vector]>,
    /// Its high words.
    pub high: Option<&'a [Vector]>,
    /// The index, and whether it is signed.
    pub index: Option<(&'a [Vector], bool)>,
}

impl<'a> Operands<'a> {
    /// Those that are looked at.
    pub fn new(
        lanes: &'a Lanes<'_>,
        i: Instruction,
        site: &AccessSite,
        gang: &Range<usize>,
        looks: Looks,
    ) -> Self {
        let is_wide = matches!(i.op, Op::Load | Op::Store);
        let rows = |register: Register, look: Look| match look {
            Look::Nowhere => None,
            Look::First => Some(lanes.rows(register, &(gang.start..gang.start + 1))),
            Look::All => Some(lanes.rows(register, gang)),
        };
        let index = rows(i.b, looks.index);
        Operands {
            base: rows(i.a, looks.base),
            high: is_wide
                .then(|| rows(i.a.wrapping_add(1), looks.base))
                .flatten(),
            index: match site.index {
                IndexType::I32 => index.map(|rows| (rows, true)),
                IndexType::U32 => index.map(|rows| (rows, false)),
                IndexType::None | IndexType::I64 => None,
            },
        }
    }
}
