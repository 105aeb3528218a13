//! Expressions that kernels have as well: functions of numbers and `printf`. What only a kernel can do is refused when it
//! is reached, since functions for both often choose by `__CUDA_ARCH__`.

use crate::cuda::{AtomicOperation, BinaryOp, Expr, ExprKind, MathFunction, Scalar, Type};
use crate::host::code::{CallSite, Op, Slot};
use crate::ir::{Conversion, PrintFormat, PrintPiece};
use crate::source::Span;

use super::function::Lowering;
use super::operator::KERNELS_ONLY;
use super::place::scalar_of;

impl Lowering<'_, '_> {
    /// An expression that kernels have as well.
    pub fn device_expression(&mut self, expr: &Expr, want: Option<Slot>) -> Slot {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Math(MathFunction::Bitcast, operands) => {
                self.bitcast(&operands[0], &expr.ty, want, span)
            }
            ExprKind::Math(function, operands) => {
                self.math(*function, operands, &expr.ty, want, span)
            }
            ExprKind::MathTo {
                outputs,
                result,
                operand,
            } => self.math_to(outputs, *result, operand, want),
            ExprKind::Print { pieces, values } => self.print(pieces, values, want, span),
            ExprKind::Trap(condition) => {
                let end = self.label();
                if let Some(condition) = condition {
                    self.branch(condition, true, end);
                }
                let slot = self.refuse("an assertion does not hold".to_owned(), span);
                self.bind(end);
                slot
            }
            ExprKind::Nothing(values) => {
                for value in values {
                    self.effect(value);
                }
                self.constant(0)
            }
            ExprKind::Atomic {
                operation,
                pointer,
                operands,
            } => self.atomic(*operation, pointer, operands, want),
            // In code of the host the name is that of the C library's function.
            ExprKind::Clock => self.call_named("clock", &expr.ty, want, span),
            _ => self.refuse(KERNELS_ONLY.to_owned(), span),
        }
    }

    /// `atomicAdd` and its kin in a function for both sides: the host is one thread, and nothing comes between.
    fn atomic(
        &mut self,
        operation: AtomicOperation,
        pointer: &Expr,
        operands: &[Expr],
        want: Option<Slot>,
    ) -> Slot {
        let span = pointer.span;
        let changed = match operation {
            AtomicOperation::Add => Some(BinaryOp::Add),
            AtomicOperation::And => Some(BinaryOp::BitAnd),
            AtomicOperation::Or => Some(BinaryOp::BitOr),
            AtomicOperation::Xor => Some(BinaryOp::BitXor),
            AtomicOperation::Exch | AtomicOperation::Cas => None,
            _ => return self.refuse(KERNELS_ONLY.to_owned(), span),
        };
        let Type::Pointer { to: ty, .. } = &pointer.ty else {
            return self.refuse(KERNELS_ONLY.to_owned(), span);
        };
        let scalar = scalar_of(ty);
        let old = self.temporary();
        let base = self.value(pointer, None);
        let values: Vec<Slot> = operands.iter().map(|of| self.value(of, None)).collect();
        let at = self.behind(base);
        self.load(at, ty, Some(old), span);
        let end = self.label();
        let mut new = values.last().copied().unwrap_or(old);
        if let Some(op) = changed {
            let to = self.temporary();
            new = self.emit_binary(op, scalar, [to, old, new], span);
        } else if let [compared, _] = values[..] {
            let is_same = self.temporary();
            self.emit_binary(BinaryOp::Eq, scalar, [is_same, old, compared], span);
            self.jump_when(is_same, false, end, span);
        }
        self.store(self.behind(base), new, ty, span);
        self.bind(end);
        self.slots.next = old + 1;
        self.moved(old, want, span)
    }

    /// The same bits as another type.
    fn bitcast(&mut self, operand: &Expr, ty: &Type, want: Option<Slot>, span: Span) -> Slot {
        let value = self.value(operand, None);
        let unsigned = match ty.size_bytes() {
            1 => Scalar::U8,
            2 => Scalar::U16,
            4 => Scalar::U32,
            _ => Scalar::U64,
        };
        let into = match scalar_of(ty) {
            scalar if scalar.is_float() => unsigned,
            scalar => scalar,
        };
        // Floats as integers of their size: between these a conversion changes no bits.
        let from = match scalar_of(&operand.ty) {
            scalar if scalar.is_float() => unsigned,
            scalar => scalar,
        };
        self.convert_scalar(from, into, value, want, span)
    }

    /// `sincosf` and its kin.
    fn math_to(
        &mut self,
        outputs: &[(MathFunction, Expr)],
        result: Option<MathFunction>,
        operand: &Expr,
        want: Option<Slot>,
    ) -> Slot {
        let span = operand.span;
        let scalar = scalar_of(&operand.ty);
        let value = self.value(operand, None);
        for (function, pointer) in outputs {
            let mark = self.slots.next;
            let pointer_slot = self.value(pointer, None);
            let to = self.temporary();
            self.emit_math(*function, scalar, to, value, span);
            if let Type::Pointer { to: ty, .. } = &pointer.ty {
                self.store(self.behind(pointer_slot), to, ty, span);
            }
            self.slots.next = mark;
        }
        let Some(function) = result else {
            return value;
        };
        let to = self.target(want);
        self.emit_math(function, scalar, to, value, span);
        to
    }

    /// `printf` of a kernel, by the library's.
    fn print(
        &mut self,
        pieces: &[PrintPiece],
        values: &[Expr],
        want: Option<Slot>,
        span: Span,
    ) -> Slot {
        let address = self.unit.data.text(format_text(pieces).as_bytes());
        let name = self.unit.library("printf", span);
        let pointer = Type::Scalar(Scalar::U64);
        let types = std::iter::once(pointer).chain(values.iter().map(|value| value.ty.clone()));
        let types = types.collect();
        let result = Type::Scalar(Scalar::I32);
        self.unit.sites.calls.push(CallSite {
            name,
            types,
            result,
        });
        let site = self.unit.sites.calls.len() as u32 - 1;
        let first = self.slots.next;
        self.take(2 + values.len());
        let text = self.constant(address);
        self.move_slot(first + 1, text, span);
        for (at, value) in values.iter().enumerate() {
            self.value(value, Some(first + 2 + at as Slot));
        }
        self.emit(Op::CallLibrary { first, site }, span);
        self.slots.next = first + 1;
        self.moved(first, want, span)
    }
}

/// A format as it is written, with the zero behind it.
fn format_text(pieces: &[PrintPiece]) -> String {
    let texts = pieces.iter().map(|piece| match piece {
        // The checker has read `%%` as one `%`, and `printf` reads the text again.
        PrintPiece::Text(text) => text.replace('%', "%%"),
        PrintPiece::Value(value) => conversion(value),
    });
    texts.chain(std::iter::once("\0".to_owned())).collect()
}

/// A conversion as it is written.
fn conversion(format: &PrintFormat) -> String {
    let flags = [
        (format.left, '-'),
        (format.zeros, '0'),
        (format.plus, '+'),
        (format.space, ' '),
        (format.alternate, '#'),
    ];
    let mut text = String::from("%");
    text.extend(
        flags
            .iter()
            .filter(|(is_set, _)| *is_set)
            .map(|(_, flag)| flag),
    );
    if format.width > 0 {
        text.push_str(&format.width.to_string());
    }
    if let Some(precision) = format.precision {
        text.push_str(&format!(".{precision}"));
    }
    text.push_str(&letters(format.conversion));
    text
}

/// The letters of a conversion, with its length.
fn letters(conversion: Conversion) -> String {
    let letters = match conversion {
        Conversion::Signed { wide: true } => "lld",
        Conversion::Signed { wide: false } => "d",
        Conversion::Unsigned { wide, radix, upper } => match (wide, radix, upper) {
            (true, 8, _) => "llo",
            (true, 10, _) => "llu",
            (true, _, false) => "llx",
            (true, _, true) => "llX",
            (false, 8, _) => "o",
            (false, 10, _) => "u",
            (false, _, false) => "x",
            (false, _, true) => "X",
        },
        Conversion::Float {
            letter,
            upper: true,
        } => return letter.to_ascii_uppercase().to_string(),
        Conversion::Float { letter, .. } => return letter.to_string(),
        Conversion::Character => "c",
        Conversion::Pointer => "p",
        Conversion::Text => "s",
    };
    letters.to_owned()
}
