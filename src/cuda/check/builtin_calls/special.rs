//! Calls of built-in functions that are more than a function of numbers: atomics, reductions of
//! warps, functions that answer through pointers.

use crate::source::{Diagnostic, Span};

use crate::cuda::builtin::Builtin;
use crate::cuda::resolve::{
    Checker, Operand, Side, comma, convert, load, math, node, place_as, pointer, promoted, scalar,
};
use crate::cuda::typed::{
    AtomicOperation, BarrierVote, Expr, ExprKind, MathFunction, Scalar, TextureOperation, Type,
};

impl Checker {
    /// A call of a built-in function that `call_builtin` leaves to this.
    pub fn special(
        &mut self,
        name: &str,
        builtin: Builtin,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        match builtin {
            Builtin::Atomic(operation) => self.atomic(name, operation, values, span),
            Builtin::Reduce(operation) => self.reduce(name, operation, values, span),
            Builtin::Match(all) => self.match_lanes(name, all, values, span),
            Builtin::Matrix(operation) => self.matrix(name, operation, values, span),
            Builtin::Texture(operation) => texture(operation, values, span),
            Builtin::Barrier(vote) => self.barrier_vote(name, vote, values, span),
            Builtin::Nothing(_) | Builtin::Order(..) | Builtin::Trap => {
                let kind = self.without_result(name, builtin, values, span)?;
                Some(node(kind, Type::Void, span))
            }
            Builtin::Clock(of) => {
                self.fixed(name, &[], values, span)?;
                let clock = node(ExprKind::Clock, scalar(Scalar::I64), span);
                Some(convert(clock, &scalar(of)))
            }
            Builtin::Store => self.store_through(name, values, span),
            Builtin::Through(function, from, to) => {
                let values = self.fixed(name, &[from], values, span)?;
                through(function, values, from, to, span)
            }
            Builtin::Scaled(of) => self.scaled(name, of, values, span),
            Builtin::Dot => self.dot(name, values, span),
            Builtin::Outputs(functions, result, of) => {
                self.outputs(name, functions, result, of, values, span)
            }
            halves => self.half_call(name, halves, values, span),
        }
    }

    /// A call of a function that gives no value, and has an expression of its own.
    fn without_result(
        &mut self,
        name: &str,
        builtin: Builtin,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<ExprKind> {
        Some(match builtin {
            Builtin::Nothing(params) => ExprKind::Nothing(self.fixed(name, params, values, span)?),
            Builtin::Order(order, params) => {
                ExprKind::Order(order, self.fixed(name, params, values, span)?)
            }
            _ => {
                self.fixed(name, &[], values, span)?;
                ExprKind::Trap(None)
            }
        })
    }

    fn atomic(
        &mut self,
        name: &str,
        operation: AtomicOperation,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        self.refuse_on_host(name, span)?;
        let wanted = 2 + usize::from(operation == AtomicOperation::Cas);
        self.arity(name, wanted, values.len(), span)?;
        let mut values = values.into_iter();
        let at = values.next()?;
        let Type::Pointer { to, is_const } = at.ty.clone() else {
            let ty = &at.ty;
            let message = format!("`{name}` changes what a pointer points to, not a `{ty}`");
            let error = Diagnostic::error(at.span, message);
            return self.refuse(error.help("pass its address, with `&` before it"));
        };
        if is_const {
            let message = format!("`{name}` changes what is `const` here");
            return self.error(at.span, message);
        }
        if !has_atomic(operation, &to) {
            let message = format!("`{name}` is not defined for `{to}`");
            let error = Diagnostic::error(span, message);
            return self.refuse(error.help(atomic_help(operation, &to)));
        }
        // All of them first, so that what is wrong with each is told.
        let operands: Vec<Option<Expr>> = values.map(|value| self.coerce(value, &to)).collect();
        let kind = ExprKind::Atomic {
            operation,
            pointer: Box::new(at),
            operands: operands.into_iter().collect::<Option<_>>()?,
        };
        // CUDA C++ Programming Guide, "Atomic Functions": the result is the old value.
        Some(node(kind, *to, span))
    }

    /// Reports a function of the GPU that code of the host alone calls.
    fn refuse_on_host(&mut self, name: &str, span: Span) -> Option<()> {
        if self.frame.side != Side::Host {
            return Some(());
        }
        let message = format!("`{name}` runs on the GPU: the host cannot call it");
        let error = Diagnostic::error(span, message);
        self.refuse(error.help("the host is one thread: change the variable itself"))
    }

    fn reduce(
        &mut self,
        name: &str,
        operation: AtomicOperation,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let (mask, mut values) = self.masked(name, 2, values, span)?;
        let value = values.next()?;
        let of = promoted(*self.scalars(name, std::slice::from_ref(&value))?.first()?);
        let bits = matches!(
            operation,
            AtomicOperation::And | AtomicOperation::Or | AtomicOperation::Xor
        );
        if !matches!(of, Scalar::I32 | Scalar::U32) {
            let message = format!("`{name}` is not defined for `{}`", value.ty);
            let error =
                Diagnostic::error(value.span, message).note("the GPU reduces 32-bit integers only");
            return self.refuse(error.help("use `__shfl_xor_sync` in a loop"));
        }
        // CUDA C++ Programming Guide, "Warp Reduce Functions": and, or and xor are of `unsigned` only.
        let ty = scalar(if bits { Scalar::U32 } else { of });
        let value = Box::new(convert(value, &ty));
        let kind = ExprKind::Reduce {
            operation,
            mask,
            value,
        };
        Some(node(kind, ty, span))
    }

    fn match_lanes(
        &mut self,
        name: &str,
        all: bool,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        let wanted = if all { 3 } else { 2 };
        let (mask, mut values) = self.masked(name, wanted, values, span)?;
        let value = values.next()?;
        let of = promoted(*self.scalars(name, std::slice::from_ref(&value))?.first()?);
        let value = Box::new(convert(value, &scalar(of)));
        // `__match_all_sync` also says, through its third argument, whether all lanes agree.
        let all = match values.next() {
            Some(at) => Some(Box::new(
                self.coerce(at, &pointer(scalar(Scalar::I32), false))?,
            )),
            None => None,
        };
        let kind = ExprKind::Match { mask, value, all };
        Some(node(kind, scalar(Scalar::U32), span))
    }

    fn barrier_vote(
        &mut self,
        name: &str,
        vote: BarrierVote,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        // As declared: `int __syncthreads_count(int predicate)`.
        let operand = match vote {
            BarrierVote::Arrive | BarrierVote::Opened => {
                self.fixed(name, &[Scalar::U32], values, span)?.pop()?
            }
            BarrierVote::Count | BarrierVote::And | BarrierVote::Or => {
                let value = self.fixed(name, &[Scalar::I32], values, span)?.pop()?;
                self.truth(value)?
            }
        };
        let kind = ExprKind::BarrierVote(vote, Box::new(operand));
        Some(node(kind, scalar(Scalar::I32), span))
    }

    /// `__stcs(p, v)`: the store that `*p = v` is.
    fn store_through(&mut self, name: &str, values: Vec<Expr>, span: Span) -> Option<Expr> {
        self.arity(name, 2, values.len(), span)?;
        let mut values = values.into_iter();
        let at = values.next()?;
        let value = values.next()?;
        let place = self.changeable_through(at, span)?;
        let value = self.coerce(value, &place.ty)?;
        let ty = place.ty.clone();
        let kind = ExprKind::Assign(Box::new(place), Box::new(value));
        Some(node(kind, ty, span))
    }

    /// `ldexp`, of `float` or `double`.
    fn scaled(
        &mut self,
        name: &str,
        of: Option<Scalar>,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        self.arity(name, 2, values.len(), span)?;
        let first = *self.scalars(name, &values)?.first()?;
        // An integer counts as `double`, as for C's other functions of floats.
        let of = of.unwrap_or(match first {
            Scalar::F32 => Scalar::F32,
            _ => Scalar::F64,
        });
        let values = self.fixed(name, &[of, Scalar::I32], values, span)?;
        let kind = ExprKind::Math(MathFunction::Ldexp, values);
        Some(node(kind, scalar(of), span))
    }

    /// `__dp4a`: of signed or unsigned bytes, as its third operand is.
    fn dot(&mut self, name: &str, values: Vec<Expr>, span: Span) -> Option<Expr> {
        self.arity(name, 3, values.len(), span)?;
        let values: Vec<Expr> = values.into_iter().map(|v| self.four_bytes(v)).collect();
        let scalars = self.scalars(name, &values)?;
        let of = match scalars.iter().any(|of| promoted(*of) == Scalar::U32) {
            true => Scalar::U32,
            false => Scalar::I32,
        };
        let values = self.fixed(name, &[of; 3], values, span)?;
        let kind = ExprKind::Math(MathFunction::Dp4a, values);
        Some(node(kind, scalar(of), span))
    }

    /// A `char4` or `uchar4` as the 32 bits that it is; any other value as it is.
    fn four_bytes(&mut self, value: Expr) -> Expr {
        let to = match value.ty {
            Type::Vector(Scalar::I8, 4) => Scalar::I32,
            Type::Vector(Scalar::U8, 4) => Scalar::U32,
            _ => return value,
        };
        match value.kind {
            // One load of 4 bytes, as nvcc has it.
            ExprKind::Load(place) => load(Operand::place(place_as(place, &scalar(to), true), true)),
            _ => {
                // A value gets a place, whose bytes can be read as a word.
                let (place, assign) = self.frame.stored(value);
                comma(
                    assign,
                    load(Operand::place(place_as(place, &scalar(to), true), true)),
                )
            }
        }
    }

    fn outputs(
        &mut self,
        name: &str,
        functions: &[MathFunction],
        result: Option<MathFunction>,
        of: Scalar,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        self.arity(name, 1 + functions.len(), values.len(), span)?;
        let mut values = values.into_iter();
        let operand = Box::new(self.coerce(values.next()?, &scalar(of))?);
        let mut outputs = Vec::new();
        for (&function, at) in functions.iter().zip(values) {
            // `frexp` gives the exponent through an `int*`.
            let to = match function {
                MathFunction::FrexpExponent => Scalar::I32,
                _ => of,
            };
            outputs.push((function, self.coerce(at, &pointer(scalar(to), false))?));
        }
        let ty = result.map_or(Type::Void, |_| scalar(of));
        let kind = ExprKind::MathTo {
            outputs,
            result,
            operand,
        };
        Some(node(kind, ty, span))
    }
}

/// A value of type `from` through a function to another type, as in `__float2int_rn`.
fn through(
    function: Option<MathFunction>,
    values: Vec<Expr>,
    from: Scalar,
    to: Scalar,
    span: Span,
) -> Option<Expr> {
    let value = match function {
        Some(function) => math(function, values, from, span),
        None => values.into_iter().next()?,
    };
    let value = convert(value, &scalar(to));
    Some(Expr { span, ..value })
}

/// Whether the operation exists for values of the type, as CUDA's programming guide lists them;
/// `long long` counts as `unsigned long long`, whose bits are the same.
fn has_atomic(operation: AtomicOperation, ty: &Type) -> bool {
    use AtomicOperation::*;
    use Scalar::*;
    match (operation, ty) {
        (Add, Type::Vector(F16 | Bf16, 2)) | (Copy, Type::Vector(U32, 2 | 4)) => true,
        (Copy, Type::Scalar(of)) => *of == U32,
        (Add, Type::Scalar(of)) => {
            matches!(of, I32 | U32 | I64 | U64 | F16 | Bf16 | F32 | F64)
        }
        (Sub, Type::Scalar(of)) => matches!(of, I32 | U32),
        (Inc | Dec, Type::Scalar(of)) => *of == U32,
        (Exch, Type::Scalar(of)) => matches!(of, I32 | U32 | I64 | U64 | F32),
        (Cas, Type::Scalar(U16)) => true,
        (Min | Max | And | Or | Xor | Cas, Type::Scalar(of)) => matches!(of, I32 | U32 | I64 | U64),
        _ => false,
    }
}

fn atomic_help(operation: AtomicOperation, ty: &Type) -> &'static str {
    use AtomicOperation::*;
    match (operation, ty.scalar()) {
        (Sub, Some(of)) if of.is_float() => "add the negative: `atomicAdd(p, -x)`",
        (Min | Max, Some(Scalar::F32)) => {
            "compare the bits as integers, or loop over `atomicCAS` of `__float_as_int`"
        }
        _ => "use a type of 32 or 64 bits that the GPU can change at once",
    }
}

/// What the headers of textures call, with operands of the types that they have made sure of.
fn texture(operation: TextureOperation, values: Vec<Expr>, span: Span) -> Option<Expr> {
    let ty = match operation {
        TextureOperation::Store => Type::Void,
        TextureOperation::Fetch | TextureOperation::Load => Type::Vector(Scalar::U32, 4),
    };
    Some(node(ExprKind::Texture(operation, values), ty, span))
}
