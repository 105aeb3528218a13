//! Elements of vectors and matrices: bytes of memory and numbers of double precision.

use crate::launch::{ElementType, Value};

/// The numbers that stand in `bytes`.
pub fn decode(element: ElementType, bytes: &[u8]) -> Vec<f64> {
    let each = bytes.chunks_exact(element.size_bytes());
    let bits = each.map(|one| {
        let mut word = [0; 8];
        word[..one.len()].copy_from_slice(one);
        u64::from_le_bytes(word)
    });
    bits.map(|bits| element.value(bits).as_f64()).collect()
}

/// The bytes of numbers, rounded to the type.
pub fn encode(element: ElementType, values: &[f64]) -> Vec<u8> {
    let value = |value: f64| match element {
        // The nearest that there is, where a sum leaves the type.
        ElementType::I8 => Value::Integer((value as i8).into()),
        ElementType::I32 => Value::Integer((value as i32).into()),
        _ => Value::Float(value),
    };
    let each = values
        .iter()
        .map(|&of| element.bits(value(of)).to_le_bytes());
    each.flat_map(|word| word.into_iter().take(element.size_bytes()))
        .collect()
}
