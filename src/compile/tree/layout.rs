//! How a value lies in memory and in registers: its scalars, one after the other.
//!
//! In registers every scalar takes whole words; in memory it takes its size, at its alignment. A union
//! is moved as its widest field; its variables live in memory, where all its fields are the same bytes.

use std::ops::Range;

use crate::cuda::{Scalar, Struct, Type};

/// A scalar or pointer in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValuePart {
    /// Its type.
    pub ty: Type,
    /// Where it begins in memory.
    pub offset_bytes: u32,
    /// Where it begins in registers.
    pub word: u32,
    /// Whether it is half of a `__half2` or `__nv_bfloat162`: these are classes that copy themselves, so each of a
    /// struct is moved alone.
    pub in_pair: bool,
}

/// Registers that a value of a type takes.
pub(crate) fn words(ty: &Type) -> u32 {
    match ty {
        Type::Void | Type::Function(_) => 0,
        Type::Scalar(scalar) => scalar.size_bytes().div_ceil(4),
        Type::Vector(scalar, lanes) => scalar.size_bytes().div_ceil(4) * lanes,
        Type::Pointer { .. } => 2,
        Type::Array(element, length) => words(element).saturating_mul(*length),
        Type::Struct(of) => match of.widest() {
            // A union lies in the registers of its widest field; it is only ever moved as a whole.
            Some(widest) => words(&of.fields()[widest].ty),
            None => of.fields().iter().map(|field| words(&field.ty)).sum(),
        },
    }
}

/// Whether a value is or holds a union.
pub(crate) fn holds_union(ty: &Type) -> bool {
    match ty {
        Type::Array(element, _) => holds_union(element),
        Type::Struct(of) => {
            let mut fields = of.fields().iter();
            of.widest().is_some() || fields.any(|field| holds_union(&field.ty))
        }
        _ => false,
    }
}

/// The components, members or elements of a value with their names, as in `.x` and `[2]`, and how far
/// they lie from its beginning in bytes and in words. None of a scalar or pointer.
pub(crate) fn members(ty: &Type) -> Vec<(String, ValuePart)> {
    let in_pair = matches!(ty, Type::Vector(Scalar::F16 | Scalar::Bf16, 2));
    let part = |ty: Type, i: u32| ValuePart {
        offset_bytes: i * ty.size_bytes(),
        word: i * words(&ty),
        ty,
        in_pair,
    };
    match ty {
        Type::Void | Type::Scalar(_) | Type::Pointer { .. } | Type::Function(_) => Vec::new(),
        Type::Vector(scalar, lanes) => (0..*lanes)
            .zip(["x", "y", "z", "w"])
            .map(|(i, axis)| (format!(".{axis}"), part(Type::Scalar(*scalar), i)))
            .collect(),
        Type::Array(element, length) => (0..*length)
            .map(|i| (format!("[{i}]"), part((**element).clone(), i)))
            .collect(),
        Type::Struct(of) => moved_fields(of)
            .filter_map(|i| Some((format!(".{}", of.fields()[i].name), field(ty, i)?)))
            .collect(),
    }
}

/// The fields that are moved with a value: of a union, one.
fn moved_fields(of: &Struct) -> Range<usize> {
    match of.widest() {
        Some(widest) => widest..widest + 1,
        None => 0..of.fields().len(),
    }
}

/// The number of scalars in a value.
pub(crate) fn part_count(ty: &Type) -> u32 {
    match ty {
        Type::Void | Type::Function(_) => 0,
        Type::Scalar(_) | Type::Pointer { .. } => 1,
        Type::Vector(_, lanes) => *lanes,
        Type::Array(element, length) => part_count(element).saturating_mul(*length),
        Type::Struct(of) => {
            let counts = of.fields()[moved_fields(of)]
                .iter()
                .map(|field| part_count(&field.ty));
            counts.fold(0, u32::saturating_add)
        }
    }
}

/// A field of a struct; nothing of another type.
pub(crate) fn field(ty: &Type, index: usize) -> Option<ValuePart> {
    let Type::Struct(of) = ty else {
        return None;
    };
    let before = of.fields().get(..index)?;
    let field = of.fields().get(index)?;
    Some(ValuePart {
        ty: field.ty.clone(),
        offset_bytes: field.offset_bytes,
        word: match of.widest() {
            Some(_) => 0,
            None => before.iter().map(|field| words(&field.ty)).sum(),
        },
        in_pair: false,
    })
}

/// The scalars and pointers of a value, in order.
pub(crate) fn parts(ty: &Type) -> Vec<ValuePart> {
    leaves(ty).into_iter().map(|(_, part)| part).collect()
}

/// The scalars and pointers of a value, in order, with their names behind that of the value, as in
/// `.rows[2].x`; of a scalar or pointer, itself.
pub(crate) fn leaves(ty: &Type) -> Vec<(String, ValuePart)> {
    let mut all = Vec::new();
    let whole = ValuePart {
        ty: ty.clone(),
        offset_bytes: 0,
        word: 0,
        in_pair: false,
    };
    collect(whole, "", &mut all);
    all
}

fn collect(whole: ValuePart, name: &str, all: &mut Vec<(String, ValuePart)>) {
    if let Type::Scalar(_) | Type::Pointer { .. } = whole.ty {
        all.push((name.to_owned(), whole));
        return;
    }
    for (suffix, part) in members(&whole.ty) {
        let part = ValuePart {
            offset_bytes: whole.offset_bytes + part.offset_bytes,
            word: whole.word + part.word,
            ..part
        };
        collect(part, &format!("{name}{suffix}"), all);
    }
}
