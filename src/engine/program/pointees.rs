//! What a kernel's pointers point to, by where they lie among the bytes of its arguments.

use crate::cuda::{Function, Type};
use crate::launch::ElementType;

/// A pointer among a kernel's arguments.
pub(super) struct Pointee {
    /// Where it lies, in bytes.
    pub offset_bytes: u32,
    /// The type of the scalars behind it, if they are all of one.
    pub element: Option<ElementType>,
}

/// The pointers that `kernel` takes, those in structs too, in order.
pub(super) fn pointees(kernel: &Function) -> Vec<Pointee> {
    let (mut found, mut end) = (Vec::new(), 0_u32);
    for local in &kernel.locals[..kernel.parameter_count] {
        let begin = end.next_multiple_of(local.ty.align_bytes().max(1));
        collect(&local.ty, begin, &mut found);
        end = begin + local.ty.size_bytes();
    }
    found
}

fn collect(ty: &Type, offset_bytes: u32, found: &mut Vec<Pointee>) {
    match ty {
        Type::Pointer { to, .. } => found.push(Pointee {
            offset_bytes,
            element: element(to),
        }),
        Type::Array(of, length) => {
            for i in 0..*length {
                collect(of, offset_bytes + i * of.size_bytes(), found);
            }
        }
        Type::Struct(of) => {
            for field in of.fields() {
                collect(&field.ty, offset_bytes + field.offset_bytes, found);
            }
        }
        Type::Void | Type::Scalar(_) | Type::Vector(..) | Type::Function(_) => {}
    }
}

/// The type of a type's scalars, if they are all of one.
fn element(ty: &Type) -> Option<ElementType> {
    match ty {
        Type::Scalar(scalar) | Type::Vector(scalar, _) => Some(scalar.element()),
        Type::Array(of, _) => element(of),
        Type::Pointer { .. } => Some(ElementType::U64),
        Type::Struct(of) => {
            let mut fields = of.fields().iter().map(|field| element(&field.ty));
            let first = fields.next()??;
            fields.all(|other| other == Some(first)).then_some(first)
        }
        Type::Void | Type::Function(_) => None,
    }
}
