//! Bytes in memory, and which of them cannot be the same.
//!
//! Example: of `float4 v[…]`, the ranges of `v[i].x` and `v[j].y` never meet, whatever `i` and `j` are:
//! both are parts of a `float4`, at different offsets.

use super::affine::{Affine, Evaluator};
use super::context::{Context, Location};
use crate::compile::tree::{field, words};
use crate::cuda::{Expr, ExprKind, Place, PlaceKind, Type};

/// Where arrays lie.
impl Context<'_> {
    /// The largest power of two up to 16 by which the shared variable begins that a place is part of; 16 of others.
    pub fn shared_alignment(&self, place: &Place) -> i64 {
        match &place.kind {
            PlaceKind::Local(local) => match self.location(*local) {
                Location::Shared(offset) => 1 << offset.trailing_zeros().min(4),
                _ => 16,
            },
            PlaceKind::Index(base, _)
            | PlaceKind::Component(base, _)
            | PlaceKind::Member(base, _) => self.shared_alignment(base),
            PlaceKind::Deref(pointer) => self.pointed_alignment(pointer),
            PlaceKind::File(_) => 16,
        }
    }

    fn pointed_alignment(&self, pointer: &Expr) -> i64 {
        match &pointer.kind {
            ExprKind::PointerOffset(pointer, _) | ExprKind::Convert(pointer) => {
                self.pointed_alignment(pointer)
            }
            ExprKind::AddressOf(place) => self.shared_alignment(place),
            _ => 16,
        }
    }
}

/// So many bytes at an address.
#[derive(Clone, Debug)]
pub(crate) struct ByteRange {
    pub address: Affine,
    pub size_bytes: u32,
    /// The struct or vector that they are part of, and how far into it they begin.
    part_of: Option<(Type, i64)>,
}

impl ByteRange {
    /// The bytes of `place`, which lies at `address`.
    pub fn of(place: &Place, address: Affine, size_bytes: u32) -> ByteRange {
        let part_of = offset_in_aggregate(place);
        ByteRange {
            address,
            size_bytes,
            part_of: part_of.map(|offset| (aggregate(place).ty.clone(), offset)),
        }
    }

    /// `size_bytes` so many bytes further on.
    pub fn moved(&self, bytes: i64, size_bytes: u32) -> ByteRange {
        let part_of = self.part_of.as_ref();
        ByteRange {
            address: self.address.clone().offset(bytes),
            size_bytes,
            part_of: part_of.map(|(whole, offset)| (whole.clone(), offset + bytes)),
        }
    }

    /// Whether both begin at the same address.
    pub fn begins_with(&self, other: &ByteRange) -> bool {
        self.address.distance(&other.address) == Some(0)
    }

    /// Whether both are the same bytes.
    pub fn is_same(&self, other: &ByteRange) -> bool {
        self.begins_with(other) && self.size_bytes == other.size_bytes
    }

    /// How far these bytes lie in those of `other`, as addresses or as parts of the same struct,
    /// whichever two structs they are.
    pub fn offset_in(&self, other: &ByteRange) -> Option<i64> {
        let offset = self.distance(other)?;
        let end = offset.checked_add(i64::from(self.size_bytes))?;
        (offset >= 0 && end <= i64::from(other.size_bytes)).then_some(offset)
    }

    /// Whether no byte of this is one of `other`. Different members of structs of one type never
    /// meet, wherever the structs lie; members and other variables may.
    pub fn is_disjoint(&self, other: &ByteRange) -> bool {
        self.distance(other).is_some_and(|offset| {
            offset >= i64::from(other.size_bytes)
                || offset.saturating_add(i64::from(self.size_bytes)) <= 0
        })
    }

    fn distance(&self, other: &ByteRange) -> Option<i64> {
        let by_address = self.address.distance(&other.address);
        by_address.or_else(|| self.distance_as_parts(other))
    }

    /// How much further in its struct this begins than `other` in its own, if they are of one type.
    fn distance_as_parts(&self, other: &ByteRange) -> Option<i64> {
        let ((whole, from), (other, at)) = (self.part_of.as_ref()?, other.part_of.as_ref()?);
        // Two `float4` are the same one or apart: aligned, they never overlap in part.
        (whole == other).then(|| from - at)
    }
}

impl Evaluator<'_, '_> {
    /// The bytes of a place that takes as many in registers as in memory.
    pub fn byte_range(&mut self, place: &Place) -> Option<ByteRange> {
        let size_bytes = register_bytes(&place.ty)?;
        Some(ByteRange::of(place, self.address(place)?, size_bytes))
    }
}

/// The size of a value that takes as many bytes in registers as in memory: none of a `char`, which a
/// register extends.
pub(crate) fn register_bytes(ty: &Type) -> Option<u32> {
    let is_plain = match ty {
        Type::Scalar(scalar) | Type::Vector(scalar, _) => scalar.size_bytes() >= 4,
        Type::Pointer { .. } => true,
        _ => false,
    };
    (is_plain && words(ty) * 4 == ty.size_bytes()).then(|| ty.size_bytes())
}

/// The struct or vector that a component or member is part of, at last.
fn aggregate(place: &Place) -> &Place {
    match &place.kind {
        PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => aggregate(base),
        _ => place,
    }
}

/// How far a component or member lies from the beginning of its vector or struct.
pub(crate) fn offset_in_aggregate(place: &Place) -> Option<i64> {
    let (base, own) = match &place.kind {
        PlaceKind::Component(base, component) => (base, component * place.ty.size_bytes()),
        PlaceKind::Member(base, index) => (base, field(&base.ty, *index)?.offset_bytes),
        _ => return None,
    };
    Some(i64::from(own) + offset_in_aggregate(base).unwrap_or(0))
}

/// The alignment of the vector or struct that a place is part of.
pub(crate) fn aggregate_alignment(place: &Place) -> i64 {
    match &place.kind {
        PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
            aggregate_alignment(base).max(i64::from(base.ty.align_bytes()))
        }
        _ => 1,
    }
}
