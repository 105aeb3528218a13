//! Bit-fields: where their bits lie, and how they are read from the words that hold them.

use crate::source::Span;

use super::operation::BinaryOp;
use super::program::{Expr, ExprKind};
use super::types::{Scalar, Type};

/// A bit-field as it is declared.
pub struct BitField {
    /// Its name; empty where its bits are left free.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Its type.
    pub scalar: Scalar,
    /// How many bits it has.
    pub width_bits: u32,
}

/// Where a bit-field lies in the word that holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bits {
    /// Its type.
    pub scalar: Scalar,
    /// The number of bits below it.
    pub shift_bits: u32,
    /// How many bits it has.
    pub width_bits: u32,
}

/// The words that a run of bit-fields takes.
pub struct Words {
    /// Where each begins in the struct, and its size.
    pub words: Vec<(u32, u32)>,
    /// Of each bit-field, its first bit in the struct.
    pub first_bits: Vec<u32>,
    /// Where the last bit-field ends; the next member may begin there.
    pub end_bytes: u32,
}

impl Words {
    /// Lays bit-fields out behind `begin_bytes` bytes of other members; nothing if a word would hold some of those.
    // The Itanium C++ ABI §2.4 with the psABI of x86-64: bits follow each other, but none lies across a
    // boundary of its own type.
    pub fn of(fields: &[BitField], begin_bytes: u32) -> Option<Self> {
        let mut at = begin_bytes * 8;
        let (mut words, mut first_bits) = (Vec::<(u32, u32)>::new(), Vec::new());
        for field in fields {
            let (unit, width) = (field.scalar.size_bytes() * 8, field.width_bits);
            if width == 0 || at / unit != (at + width - 1) / unit {
                at = at.next_multiple_of(unit);
            }
            first_bits.push(at);
            if width > 0 {
                hold(&mut words, at, width);
            }
            at += width;
        }
        let end_bytes = at.div_ceil(8);
        let is_alone = words
            .first()
            .is_none_or(|(offset, _)| *offset >= begin_bytes);
        is_alone.then_some(Words {
            words,
            first_bits,
            end_bytes,
        })
    }
}

/// Makes the last word hold so many bits from `at` on, or adds one.
fn hold(words: &mut Vec<(u32, u32)>, at: u32, width: u32) {
    let mut unit = 8;
    while at / unit != (at + width - 1) / unit {
        unit *= 2;
    }
    let new = (at / unit * (unit / 8), unit / 8);
    // Of two words one holds the other, or they lie apart: each lies at a multiple of its size.
    while let Some(last) = words.last() {
        if last.0 + last.1 <= new.0 {
            break;
        }
        if last.1 >= new.1 {
            return;
        }
        words.pop();
    }
    words.push(new);
}

impl Bits {
    /// The type that it is computed with.
    pub fn ty(self) -> Scalar {
        // [conv.prom]: what `int` can hold is an `int`.
        let fits = self.width_bits < 32 + u32::from(self.scalar.is_signed());
        match self.scalar {
            Scalar::U32 | Scalar::I64 | Scalar::U64 if fits => Scalar::I32,
            other => other,
        }
    }

    /// The types in which the bits are moved: as a word, and as a number of their sign.
    pub fn moved(self, word: &Type) -> (Scalar, Scalar) {
        match (word.size_bytes(), self.scalar.is_signed()) {
            (8, true) => (Scalar::U64, Scalar::I64),
            (8, false) => (Scalar::U64, Scalar::U64),
            (_, true) => (Scalar::U32, Scalar::I32),
            (_, false) => (Scalar::U32, Scalar::U32),
        }
    }

    /// Its value in a word: shifted up, so that the bits above it go, then down, which repeats the sign.
    pub fn read(self, word: Expr, span: Span) -> Expr {
        let (unsigned, moved) = self.moved(&word.ty);
        let all_bits = unsigned.size_bytes() * 8;
        let shift = |op, value: Expr, bits: u32| {
            let ty = value.ty.clone();
            let bits = node(
                ExprKind::Constant(u64::from(bits)),
                Type::Scalar(Scalar::I32),
                span,
            );
            node(
                ExprKind::Binary(op, Box::new(value), Box::new(bits)),
                ty,
                span,
            )
        };
        let up = all_bits - self.shift_bits - self.width_bits;
        let up = shift(BinaryOp::Shl, converted(word, unsigned), up);
        let down = all_bits - self.width_bits;
        let down = shift(BinaryOp::Shr, converted(up, moved), down);
        converted(down, self.ty())
    }

    /// The word and the bits that such a value is read from; nothing of other values.
    pub fn of_read(value: &Expr) -> Option<(Expr, Bits)> {
        let ty = value.ty.scalar()?;
        let span = value.span;
        // Shifts in a program have operands that lie elsewhere than the whole.
        let shifted = |value: &Expr, wanted: BinaryOp| match &value.kind {
            ExprKind::Binary(op, inner, bits) if *op == wanted && bits.span == span => {
                match bits.kind {
                    ExprKind::Constant(count) if value.span == span => {
                        Some(((**inner).clone(), count as u32))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let (up, down_bits) = shifted(unconverted(value), BinaryOp::Shr)?;
        let moved = up.ty.scalar()?;
        let (word, up_bits) = shifted(unconverted(&up), BinaryOp::Shl)?;
        let width_bits = moved.size_bytes() * 8 - down_bits;
        let bits = Bits {
            scalar: if ty == Scalar::Bool { ty } else { moved },
            shift_bits: down_bits - up_bits,
            width_bits,
        };
        let word = unconverted(&word);
        matches!(word.kind, ExprKind::Load(_)).then(|| (word.clone(), bits))
    }
}

fn unconverted(value: &Expr) -> &Expr {
    match &value.kind {
        ExprKind::Convert(inner) => inner,
        _ => value,
    }
}

fn converted(value: Expr, to: Scalar) -> Expr {
    let (ty, span) = (Type::Scalar(to), value.span);
    match value.ty == ty {
        true => value,
        false => node(ExprKind::Convert(Box::new(value)), ty, span),
    }
}

fn node(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}
