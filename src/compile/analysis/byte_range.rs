//! Bytes in memory, and which of them cannot be the same.

use super::affine::Sum;
use crate::cuda::{Place, PlaceKind, Type};

/// So many bytes at an address.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    pub sum: Sum,
    pub size_bytes: u32,
    /// The struct or vector that they are part of, and how far into it they begin.
    part_of: Option<(Type, i64)>,
}

/// The bytes of `place`, which lies at `sum`.
pub(crate) fn spot(place: &Place, sum: Sum, size_bytes: u32) -> Spot {
    let whole = crate::compile::optimise::load_vectorisation::vector_offset(place)
        .map(|offset| (whole(place).ty.clone(), offset));
    Spot {
        sum,
        size_bytes,
        part_of: whole,
    }
}

/// The struct or vector that a component or member is part of, at last.
fn whole(place: &Place) -> &Place {
    match &place.kind {
        PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => whole(base),
        _ => place,
    }
}

impl Spot {
    /// `size_bytes` so many bytes further on.
    pub fn moved(&self, bytes: i64, size_bytes: u32) -> Spot {
        let part_of = self.part_of.as_ref();
        Spot {
            sum: self.sum.clone().plus(&Sum::constant(bytes), 1),
            size_bytes,
            part_of: part_of.map(|(whole, offset)| (whole.clone(), offset + bytes)),
        }
    }

    /// How far these bytes lie in those of `other`, as addresses or as parts of the same struct,
    /// whichever two structs they are.
    pub fn within(&self, other: &Spot) -> Option<i64> {
        let offset = self.sum.from(&other.sum).or_else(|| self.as_parts(other))?;
        let end = offset.checked_add(i64::from(self.size_bytes))?;
        (offset >= 0 && end <= i64::from(other.size_bytes)).then_some(offset)
    }

    /// How much further in its struct this begins than `other` in its own, if they are of one type.
    fn as_parts(&self, other: &Spot) -> Option<i64> {
        let ((whole, from), (other, at)) = (self.part_of.as_ref()?, other.part_of.as_ref()?);
        (whole == other).then(|| from - at)
    }

    /// Whether no byte of this is one of `other`. Different members of structs of one type never
    /// meet, wherever the structs lie; members and other variables may.
    pub fn is_apart(&self, other: &Spot) -> bool {
        let apart = |offset: i64| {
            offset >= i64::from(other.size_bytes)
                || offset.saturating_add(i64::from(self.size_bytes)) <= 0
        };
        let by_address = self.sum.from(&other.sum);
        by_address
            .or_else(|| self.as_parts(other))
            .is_some_and(apart)
    }
}
