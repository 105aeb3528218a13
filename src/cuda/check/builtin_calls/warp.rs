//! Shuffles, votes and products of matrices: functions of a whole warp.

use std::vec;

use crate::source::{Diagnostic, Span};

use crate::cuda::check::calls::Callee;
use crate::cuda::resolve::{
    Checker, Operand, Symbol, convert, is_library, load, node, promoted, scalar,
};
use crate::cuda::typed::{Expr, ExprKind, MatrixOperation, Scalar, ShuffleKind, Type, VoteKind};

impl Checker {
    pub fn shuffle(
        &mut self,
        name: &str,
        kind: ShuffleKind,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        if !(3..=4).contains(&values.len()) {
            let message = format!("`{name}` takes 3 or 4 arguments, not {}", values.len());
            let help = format!("`{name}(0xffffffff, value, lane)`, and a width if not 32");
            return self.refuse(Diagnostic::error(span, message).help(help));
        }
        let mut values = values.into_iter();
        let (mask, value, lane) = (values.next()?, values.next()?, values.next()?);
        // CUDA C++ Programming Guide, "Warp Shuffle Functions": 32 unless given, else a power of two below it.
        let width = match values.next() {
            None => 32,
            Some(width) if matches!(width.kind, ExprKind::Constant(_)) => self.width(width)?,
            Some(width) => {
                return self.shuffle_in_segments(kind, [mask, value, lane, width], span);
            }
        };
        let mask = Box::new(self.coerce(mask, &scalar(Scalar::U32))?);
        let ty = self.shuffled_type(name, &value)?;
        // As declared: `int srcLane` and `int laneMask`, but `unsigned int delta`.
        let lane_type = match kind {
            ShuffleKind::Idx | ShuffleKind::Xor => Scalar::I32,
            ShuffleKind::Up | ShuffleKind::Down => Scalar::U32,
        };
        let lane = Box::new(self.coerce(lane, &scalar(lane_type))?);
        let value = Box::new(convert(value, &ty));
        let shuffle = ExprKind::Shuffle {
            kind,
            mask,
            value,
            lane,
            width,
        };
        Some(node(shuffle, ty, span))
    }

    /// It moves `int`, `float`, wider types and 16-bit floats; narrower integers are promoted.
    fn shuffled_type(&mut self, name: &str, value: &Expr) -> Option<Type> {
        match value.ty {
            Type::Vector(of, 2) if of.is_half() => Some(value.ty.clone()),
            _ => {
                let scalars = self.scalars(name, std::slice::from_ref(value))?;
                Some(scalar(promoted(*scalars.first()?)))
            }
        }
    }

    /// A shuffle among so many lanes as only the run tells: one of the whole warp, from the lane that a function of
    /// the library computes.
    fn shuffle_in_segments(
        &mut self,
        kind: ShuffleKind,
        [mask, value, lane, width]: [Expr; 4],
        span: Span,
    ) -> Option<Expr> {
        let name = match kind {
            ShuffleKind::Idx => "__shuffle_source",
            ShuffleKind::Up => "__shuffle_source_up",
            ShuffleKind::Down => "__shuffle_source_down",
            ShuffleKind::Xor => "__shuffle_source_xor",
        };
        let Symbol::Functions(candidates) = self.names.find(name)?.symbol.clone() else {
            return None;
        };
        let callee = Callee {
            name,
            candidates: &candidates,
            template: None,
            this: None,
            at: span,
        };
        let arguments = vec![Operand::Value(lane), Operand::Value(width)];
        let source = self.call_candidates(&callee, arguments, span)?;
        let values = vec![mask, value, load(source)];
        self.shuffle(name, ShuffleKind::Idx, values, span)
    }

    /// The lanes of a segment, as a constant.
    fn width(&mut self, width: Expr) -> Option<u32> {
        match (&width.kind, width.ty.scalar()) {
            (ExprKind::Constant(bits @ (1 | 2 | 4 | 8 | 16 | 32)), Some(of)) if of.is_integer() => {
                Some(*bits as u32)
            }
            _ => {
                let message = "the width of a shuffle must be 1, 2, 4, 8, 16 or 32";
                let error = Diagnostic::error(width.span, message);
                self.refuse(error.label("not such a constant"))
            }
        }
    }

    /// The mask of a call with so many arguments, and the others.
    pub fn masked(
        &mut self,
        name: &str,
        wanted: usize,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<(Box<Expr>, vec::IntoIter<Expr>)> {
        self.arity(name, wanted, values.len(), span)?;
        let mut values = values.into_iter();
        let mask = self.coerce(values.next()?, &scalar(Scalar::U32))?;
        Some((Box::new(mask), values))
    }

    pub fn vote(
        &mut self,
        name: &str,
        kind: VoteKind,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let (mask, mut values) = self.masked(name, 2, values, span)?;
        let predicate = values.next()?;
        // The predicate is an `int`: 0.5 counts as 0.
        let predicate = match predicate.ty {
            Type::Scalar(Scalar::Bool) => predicate,
            _ => self.coerce(predicate, &scalar(Scalar::I32))?,
        };
        let predicate = Box::new(self.truth(predicate)?);
        let ty = scalar(match kind {
            // CUDA C++ Programming Guide, "Warp Vote Functions": `__ballot_sync` gives a mask of lanes, the others an
            // `int`.
            VoteKind::Ballot => Scalar::U32,
            VoteKind::Any | VoteKind::All => Scalar::I32,
        });
        let kind = ExprKind::Vote {
            kind,
            mask,
            predicate,
        };
        Some(Expr { kind, ty, span })
    }

    /// What the header of matrix functions calls: operands of the types that it has made sure of.
    pub fn matrix(
        &mut self,
        name: &str,
        operation: MatrixOperation,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        // It is no name of CUDA's: only the text of `mma.h` calls it.
        if !is_library(&self.names.namespaces.current) {
            return self.error(span, format!("`{name}` is not known here"));
        }
        let (wanted, lanes) = match operation {
            MatrixOperation::Multiply | MatrixOperation::MultiplyFour => (16, 4),
            MatrixOperation::MultiplyEight => (10, 4),
            MatrixOperation::MultiplyBytes => (7, 4),
            MatrixOperation::MultiplyMoreBytes => (10, 4),
            MatrixOperation::MultiplyDoubles => (4, 2),
            MatrixOperation::Transpose => (1, 2),
        };
        self.arity(name, wanted, values.len(), span)?;
        let (first, last) = (values.first()?, values.last()?);
        let (Type::Scalar(of) | Type::Vector(of, _)) = last.ty else {
            return self.error(span, format!("`{name}` is not defined for `{}`", last.ty));
        };
        if !takes(operation, &values, lanes as usize) {
            return self.error(span, format!("`{name}` is not defined for `{}`", first.ty));
        }
        let kind = ExprKind::Matrix(operation, values);
        let ty = Type::Vector(of, lanes);
        Some(Expr { kind, ty, span })
    }
}

/// Whether an operation on matrices takes values of these types, the last of which are so many sums.
fn takes(operation: MatrixOperation, values: &[Expr], sums: usize) -> bool {
    let (Some(first), Some(last)) = (values.first(), values.last()) else {
        return false;
    };
    let factor = match first.ty {
        Type::Scalar(of) | Type::Vector(of, 2) => of,
        _ => return false,
    };
    let sum = last.ty.scalar();
    let is_same_or_float = last.ty == first.ty || sum == Some(Scalar::F32);
    let is_known = match operation {
        MatrixOperation::Transpose => return factor.is_half() && first.ty.scalar().is_none(),
        MatrixOperation::Multiply => factor.is_half() && is_same_or_float,
        MatrixOperation::MultiplyEight | MatrixOperation::MultiplyFour => {
            factor == Scalar::F32 && is_same_or_float
        }
        MatrixOperation::MultiplyBytes | MatrixOperation::MultiplyMoreBytes => {
            matches!(factor, Scalar::I32 | Scalar::U32) && sum == Some(Scalar::I32)
        }
        MatrixOperation::MultiplyDoubles => factor == Scalar::F64,
    };
    let (factors, sums) = values.split_at(values.len() - sums);
    let are_alike = |values: &[Expr], ty: &Type| values.iter().all(|value| value.ty == *ty);
    let is_scalar = first.ty.scalar().is_some();
    is_known && is_scalar && are_alike(factors, &first.ty) && are_alike(sums, &last.ty)
}
