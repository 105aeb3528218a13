//! The accesses that move a value between memory and registers.

use super::layout::{ValuePart, parts};
use crate::cuda::{Scalar, Type};

/// A part of a value that one access moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Type of its components.
    pub scalar: Scalar,
    /// Whether it is a pointer, as memory has it.
    pub is_address: bool,
    /// Bytes.
    pub width_bytes: u32,
    /// Where it begins in memory.
    pub offset_bytes: u32,
    /// Where it begins in registers.
    pub word: u32,
    /// Components that share a word in memory but not in registers; 1 if none do.
    pub packed: u32,
}

/// The accesses that move a value: as few as its alignment allows, of up to 16 bytes, as `nvcc`
/// joins them. Padding is never moved.
pub(crate) fn chunks(ty: &Type, align_bytes: u32) -> Vec<Chunk> {
    // No access of a lane is wider.
    let align_bytes = align_bytes.min(16);
    let parts = parts(ty);
    let mut chunks = Vec::new();
    let mut rest = &parts[..];
    while let Some(first) = rest.first() {
        let count = joined_parts(rest, align_bytes);
        let (scalar, is_address) = match first.ty {
            Type::Scalar(scalar) => (scalar, false),
            _ => (Scalar::U64, true),
        };
        let size_bytes = scalar.size_bytes();
        let packs = size_bytes < 4 && count > 1;
        chunks.push(Chunk {
            scalar,
            is_address,
            width_bytes: rest[..count].iter().map(|part| part.ty.size_bytes()).sum(),
            offset_bytes: first.offset_bytes,
            word: first.word,
            packed: if packs { count as u32 } else { 1 },
        });
        rest = &rest[count..];
    }
    chunks
}

/// The accesses that move a value of a type as it is written: how far each lies from its beginning,
/// and how many bytes it moves.
pub fn access_widths(ty: &Type) -> Vec<(u32, u32)> {
    let chunks = chunks(ty, ty.align_bytes()).into_iter();
    let places = chunks.map(|chunk| (chunk.offset_bytes, chunk.width_bytes));
    places.collect()
}

/// How many of the parts that come first one access can move.
fn joined_parts(parts: &[ValuePart], align_bytes: u32) -> usize {
    let first = &parts[0];
    let narrow = first.ty.size_bytes() < 4;
    let align_bytes = if first.in_pair { 4 } else { align_bytes };
    let mut best = 1;
    let mut bytes = 0;
    for (count, part) in parts.iter().enumerate() {
        let follows = part.offset_bytes == first.offset_bytes + bytes;
        let same = match narrow {
            // `uchar4` is one word; a `short` behind a `char` is not.
            true => part.ty == first.ty,
            false => part.ty.size_bytes() >= 4,
        };
        if !follows || !same {
            break;
        }
        bytes += part.ty.size_bytes();
        if bytes > align_bytes {
            break;
        }
        // An access is aligned to its size: the GPU faults otherwise.
        let fits = bytes.is_power_of_two() && first.offset_bytes.is_multiple_of(bytes);
        // Three floats are no access, but with a fourth they are: the longest that fits counts.
        if fits {
            best = count + 1;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(scalar: Scalar, lanes: u32) -> Vec<u32> {
        let ty = Type::Vector(scalar, lanes);
        chunks(&ty, ty.align_bytes())
            .iter()
            .map(|chunk| chunk.width_bytes)
            .collect()
    }

    #[test]
    fn pairs_of_halves_in_a_struct_move_one_by_one() {
        let widths = |element: Type| -> Vec<u32> {
            let chunks = chunks(&Type::Array(Box::new(element), 4), 16).into_iter();
            chunks.map(|chunk| chunk.width_bytes).collect()
        };
        assert_eq!(widths(Type::Vector(Scalar::F16, 2)), [4, 4, 4, 4]);
        assert_eq!(widths(Type::Scalar(Scalar::F16)), [8]);
    }

    #[test]
    fn vectors_move_in_one_access_where_their_alignment_allows() {
        assert_eq!(widths(Scalar::F32, 4), [16]);
        assert_eq!(widths(Scalar::F32, 3), [4, 4, 4]);
        assert_eq!(widths(Scalar::F64, 4), [16, 16]);
        assert_eq!(widths(Scalar::U8, 4), [4]);
        assert_eq!(widths(Scalar::U8, 3), [1, 1, 1]);
    }
}
