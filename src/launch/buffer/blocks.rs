//! Elements as numbers and numbers as elements, a block at a time: what is asked once per element costs more than a
//! kernel that adds them, simulated. Every bit is that of [`ElementType::value`] and [`ElementType::bits`].

use half::f16;
use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};

use crate::launch::{ElementType, Value, odd_f32};

/// Elements of a block that is filled.
pub(super) const BLOCK: usize = 32;
/// Bytes of a block of the largest elements.
pub(super) const BLOCK_BYTES: usize = BLOCK * size_of::<u64>();

/// The elements that `bytes` holds, in double precision.
pub(super) fn doubles(element: ElementType, bytes: &[u8], to: &mut [f64]) {
    use ElementType::*;
    match element {
        F64 => read(bytes, to, f64::from_le_bytes),
        F32 => read(bytes, to, |bytes| f64::from(f32::from_le_bytes(bytes))),
        F16 => read(bytes, to, half),
        // The upper half of the bits of a float.
        Bf16 => read(bytes, to, |[low, high]| {
            f64::from(f32::from_le_bytes([0, 0, low, high]))
        }),
        F8E4M3 | F8E5M2 => read(bytes, to, |[byte]| element.value(u64::from(byte)).as_f64()),
        I64 => read(bytes, to, |bytes| i64::from_le_bytes(bytes) as f64),
        U64 => read(bytes, to, |bytes| u64::from_le_bytes(bytes) as f64),
        I32 => read(bytes, to, |bytes| f64::from(i32::from_le_bytes(bytes))),
        U32 => read(bytes, to, |bytes| f64::from(u32::from_le_bytes(bytes))),
        I16 => read(bytes, to, |bytes| f64::from(i16::from_le_bytes(bytes))),
        U16 => read(bytes, to, |bytes| f64::from(u16::from_le_bytes(bytes))),
        I8 => read(bytes, to, |bytes| f64::from(i8::from_le_bytes(bytes))),
        U8 => read(bytes, to, |bytes| f64::from(u8::from_le_bytes(bytes))),
    }
}

#[inline(always)]
fn read<const N: usize>(bytes: &[u8], to: &mut [f64], value: impl Fn([u8; N]) -> f64) {
    for (to, &element) in to.iter_mut().zip(bytes.as_chunks().0) {
        *to = value(element);
    }
}

/// The value of a half, without branches: of a double with its fraction and its exponent, which is 1008 too small.
#[inline(always)]
fn half(bytes: [u8; 2]) -> f64 {
    const UP: f64 = f64::from_bits((1023 + 1008) << 52);
    let bits = u64::from(u16::from_le_bytes(bytes));
    let (sign, size) = ((bits & 0x8000) << 48, (bits & 0x7fff) << 42);
    let finite = (f64::from_bits(size) * UP).to_bits();
    // The largest exponent stands for infinity and, with a fraction, for no number, which conversions make quiet.
    let quiet = u64::from(size > 0x7c00 << 42) << 51;
    let special = 0x7ff0 << 48 | size | quiet;
    let is_finite = size < 0x7c00 << 42;
    f64::from_bits(sign | if is_finite { finite } else { special })
}

/// Writes `values` as elements, as many as `bytes` has room for: rounded to nearest, or of integers truncated.
#[inline(always)]
pub(super) fn put_doubles(element: ElementType, values: &[f64; BLOCK], bytes: &mut [u8]) {
    use ElementType::*;
    match element {
        F64 => put(bytes, values, f64::to_le_bytes),
        F32 => put(bytes, values, |value| (value as f32).to_le_bytes()),
        F16 => put_halves(values, bytes),
        Bf16 => put(bytes, values, |value| {
            upper_half(odd_f32(value)).to_le_bytes()
        }),
        F8E4M3 | F8E5M2 => put(bytes, values, |value| {
            [element.bits(Value::Float(value)) as u8]
        }),
        _ => {
            let truncated = values.map(|value| Value::Float(value).as_i128() as u64);
            put_integers(element, &truncated, bytes);
        }
    }
}

#[inline(always)]
fn put_halves(values: &[f64; BLOCK], bytes: &mut [u8]) {
    let (mut bits, mut floats) = ([0_u16; BLOCK], [0.0_f32; BLOCK]);
    for (at, float) in floats.iter_mut().enumerate() {
        *float = odd_f32(values[at]);
    }
    bits.reinterpret_cast_mut::<f16>()
        .convert_from_f32_slice(&floats);
    put(bytes, &bits, u16::to_le_bytes);
}

/// The nearest bfloat16, of two as near the even one: what `half` gives, without branches.
#[inline(always)]
fn upper_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    // What is no number stays none when its lower bits go.
    let quiet = bits >> 16 | 0x40;
    (if value.is_nan() { quiet } else { rounded }) as u16
}

/// Writes the low bits of `values` as elements of an integer type, as many as `bytes` has room for.
#[inline(always)]
pub(super) fn put_integers(element: ElementType, values: &[u64; BLOCK], bytes: &mut [u8]) {
    match element.size_bytes() {
        8 => put(bytes, values, u64::to_le_bytes),
        4 => put(bytes, values, |value| (value as u32).to_le_bytes()),
        2 => put(bytes, values, |value| (value as u16).to_le_bytes()),
        _ => put(bytes, values, |value| [value as u8]),
    }
}

#[inline(always)]
fn put<T: Copy, const N: usize>(
    bytes: &mut [u8],
    values: &[T; BLOCK],
    element: impl Fn(T) -> [u8; N],
) {
    let (elements, _) = bytes.as_chunks_mut();
    match elements.as_mut_array::<BLOCK>() {
        Some(elements) => {
            for (at, to) in elements.iter_mut().enumerate() {
                *to = element(values[at]);
            }
        }
        None => {
            for (to, &value) in elements.iter_mut().zip(values) {
                *to = element(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::buffer::random::Stream;

    /// Numbers of every size, and what is none.
    fn numbers() -> impl Iterator<Item = f64> {
        let stream = Stream::new(3);
        let random = (0..4000).map(move |i| {
            let size = stream.uniform(2 * i) * 60.0 - 30.0;
            (stream.uniform(2 * i + 1) - 0.5) * size.exp2()
        });
        let edges = [0.0, -0.0, f64::NAN, f64::INFINITY, -1e300, 65_520.0, 1e-320];
        random.chain(edges)
    }

    #[test]
    fn a_block_has_the_bits_that_each_element_has_alone() {
        let numbers: Vec<f64> = numbers().collect();
        for element in ElementType::names().filter_map(ElementType::from_name) {
            let size = element.size_bytes();
            for numbers in numbers.chunks(BLOCK) {
                let mut block = [0.0; BLOCK];
                block[..numbers.len()].copy_from_slice(numbers);
                let mut bytes = vec![0; numbers.len() * size];
                put_doubles(element, &block, &mut bytes);
                let mut back = [f64::NAN; BLOCK];
                doubles(element, &bytes, &mut back);
                for (at, &number) in numbers.iter().enumerate() {
                    let bits = element.bits(Value::Float(number));
                    let alone = &bits.to_le_bytes()[..size];
                    assert_eq!(&bytes[at * size..][..size], alone, "{element:?} {number}");
                    let (value, back) = (element.value(bits).as_f64(), back[at]);
                    let is_same = value.to_bits() == back.to_bits();
                    assert!(
                        is_same || value.is_nan() && back.is_nan(),
                        "{element:?} {number}"
                    );
                }
            }
        }
    }

    #[test]
    fn integers_of_all_bits_are_read_as_each_is_alone() {
        let stream = Stream::new(9);
        let block: [u64; BLOCK] = std::array::from_fn(|i| stream.bits(i as u64));
        for element in ElementType::names().filter_map(ElementType::from_name) {
            let size = element.size_bytes();
            let mut bytes = vec![0; BLOCK * size];
            put_integers(element, &block, &mut bytes);
            let mut back = [0.0; BLOCK];
            doubles(element, &bytes, &mut back);
            for (bits, back) in block.into_iter().zip(back) {
                let value = element.value(bits).as_f64();
                let is_same = value.to_bits() == back.to_bits();
                assert!(
                    is_same || value.is_nan() && back.is_nan(),
                    "{element:?} {bits:x}"
                );
            }
        }
    }
}
