//! What the buffers of a kind hold, on both sides: the simulated GPU gets the bytes, the plain loop the numbers.

use half::f16;
use tutor::launch::{BufferValues, ElementType};

/// The elements of one buffer.
#[derive(Clone)]
pub enum Values {
    F32(Vec<f32>),
    F64(Vec<f64>),
    F16(Vec<f16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
}

/// Gives a buffer's elements as a slice of their type, and to be written.
macro_rules! elements {
    ($($variant:ident $element:ty: $get:ident $get_mut:ident;)*) => {
        impl Values {
            $(
                pub fn $get(&self) -> &[$element] {
                    match self {
                        Values::$variant(values) => values,
                        _ => panic!("another type of elements"),
                    }
                }

                pub fn $get_mut(&mut self) -> &mut [$element] {
                    match self {
                        Values::$variant(values) => values,
                        _ => panic!("another type of elements"),
                    }
                }
            )*
        }
    };
}

elements! {
    F32 f32: f32s f32s_mut;
    F64 f64: f64s f64s_mut;
    F16 f16: f16s f16s_mut;
    I32 i32: i32s i32s_mut;
    I64 i64: i64s i64s_mut;
    U8 u8: bytes bytes_mut;
}

impl Values {
    /// As the simulated GPU has them.
    pub fn to_buffer(&self) -> BufferValues {
        fn bytes<const N: usize, T: Copy>(values: &[T], of: impl Fn(T) -> [u8; N]) -> Vec<u8> {
            values.iter().flat_map(|&value| of(value)).collect()
        }
        let (element, bytes) = match self {
            Values::F32(values) => (ElementType::F32, bytes(values, f32::to_le_bytes)),
            Values::F64(values) => (ElementType::F64, bytes(values, f64::to_le_bytes)),
            Values::F16(values) => (ElementType::F16, bytes(values, f16::to_le_bytes)),
            Values::I32(values) => (ElementType::I32, bytes(values, i32::to_le_bytes)),
            Values::I64(values) => (ElementType::I64, bytes(values, i64::to_le_bytes)),
            Values::U8(values) => (ElementType::U8, values.clone()),
        };
        BufferValues {
            name: String::new(),
            element,
            bytes,
        }
    }
}

/// Numbers in [0, 1), the same ones every time, in no order.
pub fn fractions(length: usize) -> Vec<f32> {
    integers(length)
        .map(|value| (value >> 8) as f32 / (1 << 24) as f32)
        .collect()
}

/// Such values as a buffer.
pub fn floats(length: usize) -> Values {
    Values::F32(fractions(length))
}

/// Integers below `bound`, in no order.
pub fn below(bound: u32, length: usize) -> Values {
    Values::I32(
        integers(length)
            .map(|value| (value % bound) as i32)
            .collect(),
    )
}

/// Zeros.
pub fn zeros(length: usize) -> Values {
    Values::F32(vec![0.0; length])
}

/// Zeros, as integers.
pub fn no_numbers(length: usize) -> Values {
    Values::I32(vec![0; length])
}

fn integers(length: usize) -> impl Iterator<Item = u32> {
    // SplitMix's mixing, of the number of the element.
    (0..length as u32).map(|at| {
        let mixed = (at ^ at >> 16).wrapping_mul(0x85eb_ca6b);
        let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
        mixed ^ mixed >> 16
    })
}
