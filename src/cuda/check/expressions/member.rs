//! Members: components of vectors and of CUDA's index variables.

use crate::source::{Diagnostic, Span, nearest};

use crate::cuda::ast::{self, ExprKind as Written, Ident};
use crate::cuda::resolve::{Checker, Operand, scalar};
use crate::cuda::typed::{Axis, Coordinate, Expr, ExprKind, Place, PlaceKind, Scalar, Type};

impl Checker {
    pub fn member(&mut self, base: &ast::Expr, member: &Ident, span: Span) -> Option<Operand> {
        // `threadIdx.x` is a value by itself, not a part of a vector; a variable of the name `threadIdx` hides it.
        if let Written::Name(name) = &base.kind
            && let Some(which) = coordinate(name)
            && self.names.find(name).is_none()
        {
            return self.coordinate(name, which, member, span);
        }
        let operand = self.operand(base)?;
        let ty = operand.ty().clone();
        if let Type::Struct(of) = &ty {
            return self.struct_member(operand, of, member, span);
        }
        let Type::Vector(of, lanes) = ty else {
            let mut error = Diagnostic::error(member.span, format!("`{ty}` has no members"));
            if let Type::Pointer { to, .. } = &ty
                && matches!(**to, Type::Vector(..) | Type::Struct(_))
            {
                error = error.help("write `->`, or index the pointer first");
            }
            return self.refuse(error);
        };
        let Some(at) = component(&member.name, lanes) else {
            let members = &["x", "y", "z", "w"][..(lanes as usize).min(4)];
            return self.no_member(&ty.to_string(), members, member);
        };
        let ty = scalar(of);
        Some(match operand {
            Operand::Place {
                place, is_const, ..
            } => {
                let kind = PlaceKind::Component(Box::new(place), at);
                Operand::place(Place { kind, ty, span }, is_const)
            }
            Operand::Value(expr) => {
                let kind = ExprKind::Component(Box::new(expr), at);
                Operand::Value(Expr { kind, ty, span })
            }
        })
    }

    /// `threadIdx.x` and its kin.
    fn coordinate(
        &mut self,
        name: &str,
        which: Coordinate,
        member: &Ident,
        span: Span,
    ) -> Option<Operand> {
        let Some(at) = component(&member.name, 3) else {
            return self.no_member(name, &["x", "y", "z"], member);
        };
        let kind = ExprKind::Coordinate(which, AXES[at as usize]);
        // CUDA C++ Programming Guide, "Built-in Variables": `uint3` and `dim3`, so `threadIdx.x - 1` is never negative.
        let ty = scalar(Scalar::U32);
        Some(Operand::Value(Expr { kind, ty, span }))
    }

    pub fn no_member(&mut self, what: &str, members: &[&str], member: &Ident) -> Option<Operand> {
        let message = format!("`{what}` has no member `{}`", member.name);
        let error = Diagnostic::error(member.span, message);
        let near = nearest(&member.name, members.iter().copied());
        self.refuse(match (near.first(), members) {
            (Some(near), _) => error.help(format!("did you mean `{near}`?")),
            (None, []) => error,
            (None, _) => error.help(format!("it has `{}`", members.join("`, `"))),
        })
    }
}

/// CUDA's index variables have three components.
pub const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

pub fn coordinate(name: &str) -> Option<Coordinate> {
    Some(match name {
        "threadIdx" => Coordinate::ThreadIdx,
        "blockIdx" => Coordinate::BlockIdx,
        "blockDim" => Coordinate::BlockDim,
        "gridDim" => Coordinate::GridDim,
        _ => return None,
    })
}

/// The number of a component by its name.
fn component(name: &str, lanes: u32) -> Option<u32> {
    let at = ["x", "y", "z", "w"].iter().position(|axis| *axis == name)? as u32;
    (at < lanes).then_some(at)
}
