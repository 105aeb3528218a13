//! Types that have a name of one word, and strings.

use super::{Parse, Parser};
use crate::cuda::ast::{Base, Expr, ExprKind};
use crate::cuda::token::TokenKind;
use crate::cuda::typed::Scalar;

/// The scalars and vectors that have a name of one word.
pub fn named_type(word: &str) -> Option<Base> {
    use Scalar::*;
    let scalar = match word {
        "bool" => Bool,
        "float" => F32,
        "double" => F64,
        "int8_t" => I8,
        "uint8_t" | "uchar" => U8,
        "int16_t" => I16,
        "uint16_t" | "ushort" => U16,
        "int32_t" => I32,
        "uint32_t" | "uint" => U32,
        "int64_t" | "ptrdiff_t" | "intptr_t" | "ssize_t" => I64,
        "half" | "__half" => F16,
        "nv_bfloat16" | "__nv_bfloat16" => Bf16,
        "half2" | "__half2" => return Some(Base::Vector(F16, 2)),
        "nv_bfloat162" | "__nv_bfloat162" => return Some(Base::Vector(Bf16, 2)),
        "uint64_t" | "size_t" | "uintptr_t" | "ulong" => U64,
        _ => {
            let (stem, lanes) = word.split_at_checked(word.len().checked_sub(1)?)?;
            let lanes = lanes.parse().ok().filter(|lanes| (1..=4).contains(lanes))?;
            let scalar = match stem {
                "char" => I8,
                "uchar" => U8,
                "short" => I16,
                "ushort" => U16,
                "int" => I32,
                "uint" => U32,
                "long" | "longlong" => I64,
                "ulong" | "ulonglong" => U64,
                "float" => F32,
                "double" => F64,
                _ => return None,
            };
            return Some(Base::Vector(scalar, lanes));
        }
    };
    Some(Base::Scalar(scalar))
}

impl Parser {
    /// A string, or several that follow each other.
    pub(super) fn string(&mut self) -> Parse<Expr> {
        let start = self.span();
        let mut text = String::new();
        while let TokenKind::Str(part) = &self.token().kind {
            text.push_str(part);
            self.bump();
        }
        let span = start.to(self.previous);
        self.node(ExprKind::String(text.into()), span)
    }
}
