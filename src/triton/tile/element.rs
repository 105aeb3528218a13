//! Types of elements, and what of Triton's promotion rules is a matter of types alone.

use crate::launch;

/// What an element of a tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names of the types")]
pub enum Element {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    Bf16,
    F32,
    F64,
    F8E4M3,
    F8E5M2,
}

use Element::*;

/// Name in Triton, in its intermediate language, and in CUDA C++; bits.
const NAMES: [(Element, &str, &str, &str, u32); 15] = [
    (Bool, "int1", "i1", "bool", 1),
    (I8, "int8", "i8", "signed char", 8),
    (I16, "int16", "i16", "short", 16),
    (I32, "int32", "i32", "int", 32),
    (I64, "int64", "i64", "long long", 64),
    (U8, "uint8", "i8", "unsigned char", 8),
    (U16, "uint16", "i16", "unsigned short", 16),
    (U32, "uint32", "i32", "unsigned int", 32),
    (U64, "uint64", "i64", "unsigned long long", 64),
    (F16, "float16", "f16", "__half", 16),
    (Bf16, "bfloat16", "bf16", "__nv_bfloat16", 16),
    (F32, "float32", "f32", "float", 32),
    (F64, "float64", "f64", "double", 64),
    // CUDA C++ has structs for them; here their bits are moved, and functions convert them.
    (F8E4M3, "float8e4nv", "f8E4M3FN", "unsigned char", 8),
    (F8E5M2, "float8e5", "f8E5M2", "unsigned char", 8),
];

impl Element {
    fn row(self) -> &'static (Element, &'static str, &'static str, &'static str, u32) {
        // The table has every element, in the order of the type.
        &NAMES[self as usize]
    }

    /// The one that Triton calls `name`, as in `tl.float32`.
    pub fn named(name: &str) -> Option<Element> {
        let row = NAMES.iter().find(|row| row.1 == name);
        row.map(|row| row.0)
    }

    /// Its name in Triton.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Its type in CUDA C++.
    pub fn cuda(self) -> &'static str {
        self.row().3
    }

    /// Bits of a value.
    pub fn bits(self) -> u32 {
        self.row().4
    }

    /// Bytes in memory; a truth value has one.
    pub fn bytes(self) -> u32 {
        (self.bits() / 8).max(1)
    }

    /// Whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        matches!(self, F16 | Bf16 | F32 | F64) || self.is_float8()
    }

    /// Whether it is a floating-point number of 8 bits.
    pub fn is_float8(self) -> bool {
        matches!(self, F8E4M3 | F8E5M2)
    }

    /// Whether it is an integer with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }

    /// What is left of a whole number in its bits; any but 0 is true.
    pub fn wrapped(self, value: i128) -> i128 {
        let unused = 128 - self.bits();
        match self {
            Element::Bool => i128::from(value != 0),
            _ if self.is_signed() => value << unused >> unused,
            _ => (((value as u128) << unused) >> unused) as i128,
        }
    }

    /// Truth values, integers, floats: a number written in the text takes the type of a tensor of its rank or above.
    pub fn kind(self) -> u32 {
        match self {
            Bool => 0,
            _ if self.is_float() => 2,
            _ => 1,
        }
    }

    /// What `a` and `b` both become before they are combined; divisions have none of 16 bits.
    pub fn common(a: Element, b: Element, is_division: bool) -> Element {
        let either = |element| a == element || b == element;
        match () {
            () if either(F64) => F64,
            () if either(F32) => F32,
            () if either(F16) && is_division => F32,
            () if either(F16) => F16,
            () if a == Bf16 && b == Bf16 && !is_division => Bf16,
            () if either(Bf16) => F32,
            () if a.is_float8() && b.is_float8() && a != b => F16,
            () if a.is_float8() => a,
            () if b.is_float8() => b,
            () => Self::common_integer(a, b),
        }
    }

    fn common_integer(a: Element, b: Element) -> Element {
        if a.is_signed() == b.is_signed() {
            return if a.bits() >= b.bits() { a } else { b };
        }
        let (signed, unsigned) = if a.is_signed() { (a, b) } else { (b, a) };
        match unsigned.bits() >= signed.bits() {
            true => unsigned,
            false => signed,
        }
    }

    /// The type that a number written in the text has where nothing else gives it one.
    pub fn of_integer(value: i128) -> Element {
        match value {
            _ if i32::try_from(value).is_ok() => I32,
            _ if u32::try_from(value).is_ok() => U32,
            _ if i64::try_from(value).is_ok() => I64,
            _ => U64,
        }
    }
}

impl From<launch::ElementType> for Element {
    fn from(element: launch::ElementType) -> Self {
        match element {
            launch::ElementType::F64 => F64,
            launch::ElementType::F32 => F32,
            launch::ElementType::F16 => F16,
            launch::ElementType::Bf16 => Bf16,
            launch::ElementType::F8E4M3 => F8E4M3,
            launch::ElementType::F8E5M2 => F8E5M2,
            launch::ElementType::I64 => I64,
            launch::ElementType::U64 => U64,
            launch::ElementType::I32 => I32,
            launch::ElementType::U32 => U32,
            launch::ElementType::I16 => I16,
            launch::ElementType::U16 => U16,
            launch::ElementType::I8 => I8,
            launch::ElementType::U8 => U8,
        }
    }
}
