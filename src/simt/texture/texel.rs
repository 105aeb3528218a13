//! The channels of a texel: from bytes to values, and from weighed values to what a fetch gives.

use crate::ir::{TexelFormat, TexelKind};
use crate::simt::operations::f16_to_f32;

/// The bits of each channel, those that a format has not 0, but for the last, which is 1.
pub fn channels(format: TexelFormat, bytes: &[u8; 16], gives_floats: bool) -> [u32; 4] {
    let one = match gives_floats || format.kind == TexelKind::Float {
        true => 1.0f32.to_bits(),
        false => 1,
    };
    let mut all = [0, 0, 0, one];
    for (at, to) in all
        .iter_mut()
        .enumerate()
        .take(usize::from(format.channels))
    {
        let raw = raw(format, bytes, at);
        *to = match format.kind {
            _ if gives_floats && format.bits < 32 => unit(format, integer(format, raw)).to_bits(),
            TexelKind::Float => float(format, raw).to_bits(),
            _ => integer(format, raw) as u32,
        };
    }
    all
}

/// The channel `at` as a number that can be weighed: an integer as it is.
pub fn number(format: TexelFormat, bytes: &[u8; 16], at: usize) -> f64 {
    let raw = raw(format, bytes, at);
    match format.kind {
        TexelKind::Float => f64::from(float(format, raw)),
        // The least integer stands for -1 as well as the one above it.
        _ => (integer(format, raw) as f64).max(-largest(format)),
    }
}

/// The colour outside as such a number: rounded to what a texel can hold, halves towards zero.
pub fn border_number(format: TexelFormat, colour: f32) -> f64 {
    match format.kind {
        TexelKind::Float => f64::from(colour),
        _ => {
            let least = match format.kind {
                TexelKind::Signed => -1.0,
                _ => 0.0,
            };
            let scaled = f64::from(colour).clamp(least, 1.0) * largest(format);
            (scaled.abs() - 0.5).ceil().copysign(scaled)
        }
    }
}

/// What a fetch gives for a weighed number. Integers are rounded to 16 bits, floats as wide as the texels' are.
pub fn weighed(format: TexelFormat, number: f64) -> f32 {
    match (format.kind, format.bits) {
        (TexelKind::Float, 16) => round_away(number, 10, -14),
        (TexelKind::Float, _) => round_away(number, 23, -126),
        (TexelKind::Signed, _) => sixteen_bits(number / largest(format), 32767.0),
        (TexelKind::Unsigned, _) => sixteen_bits(number / largest(format), 65535.0),
    }
}

/// What a fetch gives for the number of one texel, of those that can be weighed.
pub fn unweighed(format: TexelFormat, number: f64) -> f32 {
    match format.kind {
        TexelKind::Float => number as f32,
        _ => (number / largest(format)) as f32,
    }
}

fn sixteen_bits(number: f64, largest: f64) -> f32 {
    ((number * largest + 0.5).floor() / largest) as f32
}

/// A number with so many bits behind the point of its mantissa, halves away from zero.
fn round_away(number: f64, bits: i32, least_exponent: i32) -> f32 {
    if number == 0.0 || !number.is_finite() {
        return number as f32;
    }
    let exponent = (number.abs().log2().floor() as i32).max(least_exponent);
    let unit = 2f64.powi(exponent - bits);
    let scaled = number / unit;
    ((scaled.abs() + 0.5).floor().copysign(scaled) * unit) as f32
}

fn largest(format: TexelFormat) -> f64 {
    let bits = match format.kind {
        TexelKind::Signed => format.bits - 1,
        _ => format.bits,
    };
    ((1u64 << bits) - 1) as f64
}

fn raw(format: TexelFormat, bytes: &[u8; 16], at: usize) -> u32 {
    let wide = usize::from(format.bits / 8);
    let mut word = [0; 4];
    word[..wide].copy_from_slice(&bytes[at * wide..][..wide]);
    u32::from_le_bytes(word)
}

fn integer(format: TexelFormat, raw: u32) -> i64 {
    match (format.kind, format.bits) {
        (TexelKind::Signed, 8) => i64::from(raw as i8),
        (TexelKind::Signed, 16) => i64::from(raw as i16),
        (TexelKind::Signed, _) => i64::from(raw as i32),
        _ => i64::from(raw),
    }
}

fn float(format: TexelFormat, raw: u32) -> f32 {
    match format.bits {
        16 => f16_to_f32(raw as u16),
        _ => f32::from_bits(raw),
    }
}

fn unit(format: TexelFormat, integer: i64) -> f32 {
    unweighed(format, (integer as f64).max(-largest(format)))
}
