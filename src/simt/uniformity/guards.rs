//! Guards of a remembered address pattern: which of the registers that make an address must be
//! compared, and in which warps, to see that the pattern holds again.
//!
//! In `x[row * n + lane]`, `x` never changes: no guard. The index is computed from `lane`, which differs
//! between warps by 32 always: comparing the first warp's lanes is enough. Of an index that was loaded
//! from memory every warp's lanes are compared.

use std::ops::Range;

use crate::ir::{AccessSite, IndexType, Instruction, NO_REGISTER, Op, Register};
use crate::simt::warp::{Lanes, Vector};

/// In which warps of a batch a register is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guard {
    /// In none: it never changes.
    #[default]
    Unneeded,
    /// In the first: the others' differ from it as they always do.
    FirstWarp,
    /// In all of them.
    AllWarps,
}

/// The guards of the registers that make an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    pub base: Guard,
    pub index: Guard,
}

impl Guards {
    /// What to look at to find a pattern out.
    pub fn in_all_warps(self) -> Self {
        let widened = |guard| match guard {
            Guard::FirstWarp => Guard::AllWarps,
            guard => guard,
        };
        Guards {
            base: widened(self.base),
            index: widened(self.index),
        }
    }

    /// Where nothing is known but which registers are never written.
    pub fn of_varying(i: Instruction, site: &AccessSite, is_fixed: &[bool]) -> Self {
        // The base of a generic access is a pair; shared and local memory have addresses of 32 bits.
        let is_wide = matches!(i.op, Op::Load | Op::Store);
        let base_is_fixed = i.a == NO_REGISTER
            || (is_fixed[usize::from(i.a)] && (!is_wide || is_fixed[usize::from(i.a) + 1]));
        let guard = |varies: bool| match varies {
            true => Guard::AllWarps,
            false => Guard::Unneeded,
        };
        Guards {
            base: guard(!base_is_fixed),
            index: guard(site.index != IndexType::None),
        }
    }
}

/// The registers that make an address, as far as guards compare them.
pub struct AddressOperands<'a> {
    /// Low words of the base.
    pub base: Option<&'a [Vector]>,
    /// Its high words.
    pub high: Option<&'a [Vector]>,
    /// The index, and whether it is signed.
    pub index: Option<(&'a [Vector], bool)>,
}

impl<'a> AddressOperands<'a> {
    /// Those that `guards` compare.
    #[inline(always)]
    pub fn new(
        lanes: &'a Lanes<'_>,
        i: Instruction,
        site: &AccessSite,
        batch: &Range<usize>,
        guards: Guards,
    ) -> Self {
        let is_wide = matches!(i.op, Op::Load | Op::Store);
        let rows = |register: Register, guard: Guard| match guard {
            Guard::Unneeded => None,
            Guard::FirstWarp => Some(lanes.rows(register, &(batch.start..batch.start + 1))),
            Guard::AllWarps => Some(lanes.rows(register, batch)),
        };
        // An index of 64 bits has no pattern (see `has_patterns`) and is never compared.
        let index = rows(i.b, guards.index);
        AddressOperands {
            base: rows(i.a, guards.base),
            high: is_wide
                .then(|| rows(i.a.wrapping_add(1), guards.base))
                .flatten(),
            index: match site.index {
                IndexType::I32 => index.map(|rows| (rows, true)),
                IndexType::U32 => index.map(|rows| (rows, false)),
                IndexType::None | IndexType::I64 => None,
            },
        }
    }
}
