//! Accesses that lie in the same aligned bytes: what joining loads and joining stores have in common.
//!
//! To know which accesses follow, a kernel is lowered twice: the first time only to see ([`AccessKey`]
//! says which access is which), the second with a plan.

use crate::compile::analysis::{
    Affine, AffineValues, ByteRange, Context, Region, aggregate_alignment, offset_in_aggregate,
};
use crate::cuda::Place;

/// Bytes that one access can move for a lane.
const WIDEST_BYTES: i64 = 16;

/// Which access of a kernel: both lowerings come to it with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AccessKey {
    /// The number of its statement, as they are lowered. Copies of an unrolled body have their own.
    pub statement: u32,
    /// Where its place begins in the source.
    pub offset: u32,
}

/// One of the accesses in the same aligned bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupMember {
    pub key: AccessKey,
    /// Where in those bytes.
    pub offset: i64,
    pub size_bytes: u32,
    /// Whether it is part of a vector or struct.
    pub in_aggregate: bool,
    pub region: Region,
    /// Whether the assembler joins others to it, not LLVM.
    pub is_of_assembler: bool,
}

impl GroupMember {
    /// An access to `place`, as one of those in the same aligned bytes.
    pub fn new(context: &Context, place: &Place, size_bytes: u32, key: AccessKey) -> GroupMember {
        let region = context.region_of(place);
        let in_aggregate = offset_in_aggregate(place).is_some();
        GroupMember {
            key,
            offset: 0,
            size_bytes,
            in_aggregate,
            region,
            is_of_assembler: !in_aggregate && is_laid_out_by_assembler(context, region),
        }
    }

    /// The words that it takes.
    pub fn mask(&self) -> u32 {
        word_mask(self.offset, self.size_bytes)
    }
}

/// Whether only the assembler knows that a variable begins at a multiple of 16 bytes: a `__shared__` one that is not
/// declared so. Dynamic shared memory always does.
fn is_laid_out_by_assembler(context: &Context, region: Region) -> bool {
    let Region::Shared(variable) = region else {
        return false;
    };
    let local = &context.program.functions[variable.function].locals[variable.local];
    i64::from(local.align_bytes) < WIDEST_BYTES
}

/// The words of 16 bytes that so many bytes at `offset` take, as bits: `0b1100` of 8 bytes at 8.
pub(crate) fn word_mask(offset: i64, size_bytes: u32) -> u32 {
    // Of one or two bytes no bit is set: what is narrower than a word is never joined.
    ((1 << (size_bytes / 4)) - 1) << (offset / 4)
}

/// The words that any of these accesses take.
pub(crate) fn used_words(group: &[GroupMember]) -> u32 {
    let masks = group.iter().map(GroupMember::mask);
    masks.fold(0, |used, mask| used | mask)
}

/// A part of 16 aligned bytes that one access may move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AlignedPart {
    pub start: i64,
    pub width_bytes: u32,
}

impl AlignedPart {
    pub const ALL: &[AlignedPart] = &[AlignedPart {
        start: 0,
        width_bytes: 16,
    }];
    pub const HALVES: &[AlignedPart] = &[
        AlignedPart {
            start: 0,
            width_bytes: 8,
        },
        AlignedPart {
            start: 8,
            width_bytes: 8,
        },
    ];

    /// The words of it.
    pub fn mask(self) -> u32 {
        word_mask(self.start, self.width_bytes)
    }
}

/// The aligned bytes that one access could move together with an access to a place.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub range: ByteRange,
    /// Where in them the place lies.
    pub offset: i64,
}

/// The largest power of two up to 16 that is known to divide the address of a place, but for its constant part.
pub(crate) fn base_alignment(
    context: &Context,
    values: &AffineValues,
    place: &Place,
    address: &Affine,
) -> i64 {
    let aligned = values.alignment(address);
    match address.terms.len() {
        0 | 1 => aligned,
        // The first element's address is in the register that is indexed by: how far it lies from aligned bytes is lost.
        _ => aligned.min(context.shared_alignment(place)),
    }
}

/// The window around `range`, the bytes of `place`; none where that is not known, or no larger.
pub(crate) fn window(
    context: &Context,
    values: &AffineValues,
    place: &Place,
    range: &ByteRange,
) -> Option<Window> {
    // Of a pointer no alignment is known: what is joined lies in shared memory, a vector or a struct.
    let aligned = base_alignment(context, values, place, &range.address);
    let align_bytes = aligned.max(aggregate_alignment(place)).min(WIDEST_BYTES);
    // 4 bytes are what a lane moves anyway; and an access as wide as the window leaves nothing to join.
    if align_bytes < 8 || align_bytes <= i64::from(range.size_bytes) {
        return None;
    }
    // A struct is aligned wherever it lies: then what counts is where in it the member is. One of 12 bytes is not,
    // though the array that it is part of may be.
    let in_aggregate = offset_in_aggregate(place).filter(|_| aligned < align_bytes);
    let base = in_aggregate.unwrap_or(range.address.constant);
    // Of `16 * i + 20`, in windows of 16 bytes, the offset is 4.
    let offset = base.rem_euclid(align_bytes);
    Some(Window {
        range: range.moved(-offset, align_bytes as u32),
        offset,
    })
}
