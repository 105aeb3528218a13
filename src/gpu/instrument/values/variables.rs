//! Variables of threads as they are shown: by their scalars.

use crate::cuda::{ExprKind, Function, LocalId, Place, PlaceKind, Scalar, Storage, Type};
use crate::gpu::instrument::walk::{is_lambda, outermost};
use crate::launch::ValueType;

/// Most scalars of one variable that are kept, as on the simulated GPU.
pub(crate) const MOST_SCALARS: usize = 64;

/// A scalar of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScalarPart {
    /// What stands behind the value's name, as in `.rows[2].x`.
    pub suffix: String,
    pub ty: Type,
    /// How far it lies from the value's beginning.
    pub offset_bytes: u32,
}

impl ScalarPart {
    /// How to read its bits.
    pub fn value_type(&self) -> ValueType {
        match &self.ty {
            Type::Scalar(Scalar::Bool) => ValueType::Bool,
            Type::Scalar(scalar) => ValueType::Number(scalar.element()),
            _ => ValueType::Pointer,
        }
    }
}

/// The scalars of a value in order of memory; nothing of one with a union, or with too many.
pub(crate) fn scalar_parts(ty: &Type) -> Option<Vec<ScalarPart>> {
    let mut all = Vec::new();
    collect(ty, 0, "", &mut all)?;
    Some(all)
}

fn collect(ty: &Type, offset_bytes: u32, suffix: &str, all: &mut Vec<ScalarPart>) -> Option<()> {
    match ty {
        Type::Void | Type::Function(_) => {}
        Type::Scalar(_) | Type::Pointer { .. } => {
            if all.len() == MOST_SCALARS {
                return None;
            }
            all.push(ScalarPart {
                suffix: suffix.to_owned(),
                ty: ty.clone(),
                offset_bytes,
            });
        }
        Type::Vector(scalar, lanes) => {
            for (lane, axis) in (0..*lanes).zip(["x", "y", "z", "w"]) {
                let offset_bytes = offset_bytes + lane * scalar.size_bytes();
                let suffix = format!("{suffix}.{axis}");
                collect(&Type::Scalar(*scalar), offset_bytes, &suffix, all)?;
            }
        }
        Type::Array(element, length) => {
            for i in 0..*length {
                let offset_bytes = offset_bytes + i * element.size_bytes();
                collect(element, offset_bytes, &format!("{suffix}[{i}]"), all)?;
            }
        }
        Type::Struct(of) => {
            // `widest` is that of a union's members, of which one is alive.
            if of.widest().is_some() || !is_written(of.name()) {
                return None;
            }
            for field in of.fields() {
                let offset_bytes = offset_bytes + field.offset_bytes;
                let suffix = format!("{suffix}.{}", field.name);
                collect(&field.ty, offset_bytes, &suffix, all)?;
            }
        }
    }
    Some(())
}

/// Whether a struct has fields that the text can name: not those of lambdas and of CUDA's headers.
fn is_written(name: &str) -> bool {
    let is_built_in = ["cooperative_groups::", "std::", "cuda::"];
    !is_lambda(name) && !is_built_in.iter().any(|space| name.starts_with(space))
}

/// Whether a value is a number or pointer, or an array of such.
pub(crate) fn is_plain_array(ty: &Type) -> bool {
    match ty {
        Type::Array(element, _) => is_plain_array(element),
        Type::Scalar(_) | Type::Pointer { .. } => true,
        _ => false,
    }
}

/// The variable of a thread that a place is, or is part of. One without a name that the text can write, as
/// of a lambda's capture, is none; nor is a reference, which only stands for another.
pub(super) fn variable_of(function: &Function, place: &Place) -> Option<LocalId> {
    let PlaceKind::Local(local) = &outermost(place).kind else {
        return None;
    };
    let declared = &function.locals[*local];
    let starts = |c: char| c.is_alphabetic() || c == '_';
    let is_named = declared.name.starts_with(starts) && declared.name != "this";
    let is_own = declared.storage == Storage::Thread && !declared.is_reference;
    (is_named && is_own).then_some(*local)
}

/// How far a part lies from the beginning of its variable; nothing where an index is not constant.
pub(crate) fn offset_bytes(place: &Place) -> Option<u32> {
    match &place.kind {
        PlaceKind::Local(_) => Some(0),
        PlaceKind::Index(base, index) => match index.kind {
            ExprKind::Constant(at) => {
                let inside = u32::try_from(at).ok()?.checked_mul(place.ty.size_bytes())?;
                offset_bytes(base)?.checked_add(inside)
            }
            _ => None,
        },
        PlaceKind::Component(base, at) => Some(offset_bytes(base)? + at * place.ty.size_bytes()),
        PlaceKind::Member(base, field) => match &base.ty {
            Type::Struct(of) => {
                let field = of.fields().get(*field)?;
                Some(offset_bytes(base)? + field.offset_bytes)
            }
            _ => None,
        },
        PlaceKind::File(_) | PlaceKind::Deref(_) => None,
    }
}
