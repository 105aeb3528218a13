//! How a value lies in memory and in registers: its scalars, one after the other.
//!
//! In registers every scalar takes whole words; in memory it takes its size, at its alignment.

use crate::cuda::Type;

/// A scalar or pointer in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Its type.
    pub ty: Type,
    /// Where it begins in memory.
    pub offset_bytes: u32,
    /// Where it begins in registers.
    pub word: u32,
}

/// Registers that a value of a type takes.
pub(super) fn words(ty: &Type) -> u32 {
    match ty {
        Type::Void => 0,
        Type::Scalar(scalar) => scalar.size_bytes().div_ceil(4),
        Type::Vector(scalar, lanes) => scalar.size_bytes().div_ceil(4) * lanes,
        Type::Pointer { .. } => 2,
        Type::Array(element, length) => words(element).saturating_mul(*length),
    }
}

/// The components, members or elements of a value with their names, as in `.x` and `[2]`, and how far
/// they lie from its beginning in bytes and in words. None of a scalar or pointer.
pub(super) fn members(ty: &Type) -> Vec<(String, Part)> {
    let part = |ty: Type, i: u32| Part {
        offset_bytes: i * ty.size_bytes(),
        word: i * words(&ty),
        ty,
    };
    match ty {
        Type::Void | Type::Scalar(_) | Type::Pointer { .. } => Vec::new(),
        Type::Vector(scalar, lanes) => (0..*lanes)
            .zip(["x", "y", "z", "w"])
            .map(|(i, axis)| (format!(".{axis}"), part(Type::Scalar(*scalar), i)))
            .collect(),
        Type::Array(element, length) => (0..*length)
            .map(|i| (format!("[{i}]"), part((**element).clone(), i)))
            .collect(),
    }
}

/// The number of scalars in a value.
pub(super) fn part_count(ty: &Type) -> u32 {
    match ty {
        Type::Void => 0,
        Type::Scalar(_) | Type::Pointer { .. } => 1,
        Type::Vector(_, lanes) => *lanes,
        Type::Array(element, length) => part_count(element).saturating_mul(*length),
    }
}
