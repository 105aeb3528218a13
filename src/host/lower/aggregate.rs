//! Structs, vectors and arrays made where they are to lie.

use crate::cuda::{Expr, ExprKind, Initializer, Type};
use crate::host::code::{Op, Slot};
use crate::source::Span;

use super::function::Lowering;
use super::place::Address;

impl Lowering<'_, '_> {
    /// Puts the value of an aggregate to an address, at which nothing lies that the expression reads.
    pub fn fill(&mut self, expr: &Expr, to: Slot) {
        match &expr.kind {
            ExprKind::Struct(parts) => self.fill_list(&expr.ty, parts, to, expr.span),
            ExprKind::Vector(parts) => {
                let Type::Vector(scalar, _) = &expr.ty else {
                    return;
                };
                let ty = Type::Scalar(*scalar);
                for (lane, part) in parts.iter().enumerate() {
                    let offset = ty.size_bytes() as i32 * lane as i32;
                    self.fill_part(part, &ty, Address::At(to, offset));
                }
            }
            ExprKind::Convert(inner) if matches!(expr.ty, Type::Vector(..)) => {
                self.convert_vector(inner, &expr.ty, to, expr.span);
            }
            _ => {
                let from = self.value(expr, None);
                let bytes = expr.ty.size_bytes();
                self.emit(Op::Copy { to, from, bytes }, expr.span);
            }
        }
    }

    /// What a variable begins with, at its address.
    pub fn initialize(&mut self, init: &Initializer, ty: &Type, to: Slot, span: Span) {
        match init {
            Initializer::Value(value) => self.fill(value, to),
            Initializer::List(parts) => self.fill_list(ty, parts, to, span),
        }
    }

    /// Values of parts in order of memory; the rest is zero.
    fn fill_list(&mut self, ty: &Type, parts: &[Expr], to: Slot, span: Span) {
        let bytes = ty.size_bytes();
        // Padding as well, which C leaves open: programs compare structs with `memcmp`.
        self.emit(Op::Zero { to, bytes }, span);
        let mut rest = parts;
        self.fill_parts(ty, &mut rest, to, 0);
    }

    /// Takes the parts of a type from the front of a list.
    fn fill_parts(&mut self, ty: &Type, rest: &mut &[Expr], to: Slot, offset: u32) {
        let Some((first, after)) = rest.split_first() else {
            return;
        };
        // Braces within a list may be left out: a part that is no value for this type begins its first member.
        let is_whole = first.ty == *ty || matches!(ty, Type::Scalar(_) | Type::Pointer { .. });
        if is_whole {
            *rest = after;
            let at = Address::At(to, offset as i32);
            return self.fill_part(first, ty, at);
        }
        match ty {
            Type::Array(element, length) => {
                for index in 0..*length {
                    if rest.is_empty() {
                        // The rest stays zero.
                        return;
                    }
                    self.fill_parts(element, rest, to, offset + index * element.size_bytes());
                }
            }
            Type::Vector(scalar, lanes) => {
                for lane in 0..*lanes {
                    let offset = offset + lane * scalar.size_bytes();
                    self.fill_parts(&Type::Scalar(*scalar), rest, to, offset);
                }
            }
            Type::Struct(of) => {
                let fields = of.fields().iter().enumerate();
                // Of a union's members only one is there.
                let widest = of.widest();
                for (at, field) in fields {
                    if widest.is_none_or(|widest| widest == at) {
                        self.fill_parts(&field.ty, rest, to, offset + field.offset_bytes);
                    }
                }
            }
            _ => {}
        }
    }

    fn fill_part(&mut self, part: &Expr, ty: &Type, at: Address) {
        // What one part needs in between is free again for the next.
        let mark = self.slots.next;
        if super::unit::is_aggregate(ty) {
            let to = self.address(at, part.span);
            self.fill(part, to);
        } else {
            let value = self.value(part, None);
            let value = self.convert(&part.ty, ty, value, None, part.span);
            self.store(at, value, ty, part.span);
        }
        self.slots.next = mark;
    }
}
