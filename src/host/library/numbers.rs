//! Numbers out of text: `atoi`, `strtol`, `strtod`; and functions of numbers that CUDA has not.

use crate::host::machine::{Call, Machine, Stop, Table};

pub const TABLE: Table = &[
    ("atoi", |machine, call| {
        Ok(i64::from(whole(machine, call)? as i32) as u64)
    }),
    ("atol", |machine, call| whole(machine, call)),
    ("atoll", |machine, call| whole(machine, call)),
    ("atof", |machine, call| {
        let text = machine.memory.text(call.u64(0))?;
        Ok(floating(&String::from_utf8_lossy(&text)).0.to_bits())
    }),
    ("strtol", |machine, call| {
        strtol(machine, call, i64::MIN as i128, i64::MAX as i128)
    }),
    ("strtoll", |machine, call| {
        strtol(machine, call, i64::MIN as i128, i64::MAX as i128)
    }),
    ("strtoul", |machine, call| {
        strtol(machine, call, -(u64::MAX as i128), u64::MAX as i128)
    }),
    ("strtoull", |machine, call| {
        strtol(machine, call, -(u64::MAX as i128), u64::MAX as i128)
    }),
    ("strtod", |machine, call| {
        Ok(strtod(machine, call)?.to_bits())
    }),
    ("strtof", |machine, call| {
        Ok(u64::from((strtod(machine, call)? as f32).to_bits()))
    }),
    ("nextafter", |_, call| {
        Ok(libm::nextafter(call.f64(0), call.f64(1)).to_bits())
    }),
    ("nextafterf", |_, call| {
        Ok(u64::from(
            libm::nextafterf(call.f32(0), call.f32(1)).to_bits(),
        ))
    }),
    ("logb", |_, call| {
        Ok(f64::from(libm::ilogb(call.f64(0))).to_bits())
    }),
    ("logbf", |_, call| {
        Ok(u64::from((libm::ilogbf(call.f32(0)) as f32).to_bits()))
    }),
    ("ilogb", |_, call| {
        Ok(i64::from(libm::ilogb(call.f64(0))) as u64)
    }),
    ("ilogbf", |_, call| {
        Ok(i64::from(libm::ilogbf(call.f32(0))) as u64)
    }),
    ("nan", |_, _| Ok(f64::NAN.to_bits())),
    ("nanf", |_, _| Ok(u64::from(f32::NAN.to_bits()))),
    ("j0", |_, call| Ok(libm::j0(call.f64(0)).to_bits())),
    ("j1", |_, call| Ok(libm::j1(call.f64(0)).to_bits())),
    ("y0", |_, call| Ok(libm::y0(call.f64(0)).to_bits())),
    ("y1", |_, call| Ok(libm::y1(call.f64(0)).to_bits())),
];

fn whole(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<u64, Stop> {
    let text = machine.memory.text(call.u64(0))?;
    let number = integer(&text, 10).0;
    Ok(number.clamp(i64::MIN.into(), i64::MAX.into()) as u64)
}

fn strtol(
    machine: &mut Machine<'_>,
    call: &Call<'_>,
    least: i128,
    most: i128,
) -> Result<u64, Stop> {
    let text = machine.memory.text(call.u64(0))?;
    let (number, length) = integer(&text, call.i32(2).clamp(0, 36) as u32);
    end_pointer(machine, call, length)?;
    // What does not fit is the nearest that does; `errno` is not set, since nobody was seen to look.
    Ok(match number {
        number if number > most => most as u64,
        number if number < least => least.max(i64::MIN.into()) as u64,
        number => number as u64,
    })
}

fn strtod(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<f64, Stop> {
    let text = machine.memory.text(call.u64(0))?;
    let (number, length) = floating(&String::from_utf8_lossy(&text));
    end_pointer(machine, call, length)?;
    Ok(number)
}

/// Tells where a number ends, if somebody asks.
fn end_pointer(machine: &mut Machine<'_>, call: &Call<'_>, length: usize) -> Result<(), Stop> {
    if call.u64(1) != 0 {
        let end = call.u64(0) + length as u64;
        machine.memory.write(call.u64(1), &end.to_le_bytes())?;
    }
    Ok(())
}

/// The integer that a text begins with, and how long it is with the blanks before it; radix 0 is that of its prefix.
pub fn integer(text: &[u8], radix: u32) -> (i128, usize) {
    let blanks = text
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    let mut at = blanks;
    let is_negative = text.get(at) == Some(&b'-');
    at += usize::from(matches!(text.get(at), Some(b'-' | b'+')));
    // `0x` without a digit behind it is the number 0 and the letter x.
    let has_prefix = text.get(at) == Some(&b'0')
        && matches!(text.get(at + 1), Some(b'x' | b'X'))
        && text.get(at + 2).is_some_and(u8::is_ascii_hexdigit);
    let radix = match radix {
        0 if has_prefix => 16,
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        radix => radix,
    };
    at += if has_prefix && radix == 16 { 2 } else { 0 };
    let begin = at;
    // 128 bits: what is too large for 64 is told apart from what is not.
    let mut number = 0i128;
    while let Some(digit) = text
        .get(at)
        .and_then(|&byte| char::from(byte).to_digit(radix))
    {
        number = number
            .saturating_mul(radix.into())
            .saturating_add(digit.into());
        at += 1;
    }
    match at == begin {
        true => (0, 0),
        false => (if is_negative { -number } else { number }, at),
    }
}

/// The number that a text begins with, and how long it is with the blanks before it.
pub fn floating(text: &str) -> (f64, usize) {
    let begin = text.len() - text.trim_start().len();
    let bytes = text.as_bytes();
    let sign = usize::from(matches!(bytes.get(begin), Some(b'-' | b'+')));
    let is_negative = bytes.get(begin) == Some(&b'-');
    let rest = text[begin + sign..].to_ascii_lowercase();
    let signed = |value: f64| if is_negative { -value } else { value };
    for (word, value) in [
        ("infinity", f64::INFINITY),
        ("inf", f64::INFINITY),
        ("nan", f64::NAN),
    ] {
        if rest.starts_with(word) {
            return (signed(value), begin + sign + word.len());
        }
    }
    if let Some((value, length)) = rest.strip_prefix("0x").and_then(hexadecimal) {
        return (signed(value), begin + sign + 2 + length);
    }
    // Rust's own reader is exact, but takes no text with something behind the number.
    let length = decimal_length(rest.as_bytes());
    match rest[..length].parse::<f64>() {
        Ok(value) => (signed(value), begin + sign + length),
        Err(_) => (0.0, 0),
    }
}

/// How long the number is that a text begins with.
fn decimal_length(text: &[u8]) -> usize {
    let digits = |from: usize| {
        text[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let whole = digits(0);
    let mut end = whole;
    let mut count = whole;
    if text.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        count += fraction;
        end += 1 + fraction;
    }
    if count == 0 {
        return 0;
    }
    if text.get(end) == Some(&b'e') {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'-' | b'+')));
        let exponent = if end + 1 + sign <= text.len() {
            digits(end + 1 + sign)
        } else {
            0
        };
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

/// What stands behind `0x`: digits, a point, an exponent of 2.
fn hexadecimal(text: &str) -> Option<(f64, usize)> {
    let bytes = text.as_bytes();
    let (mut value, mut scale, mut at, mut count, mut behind) = (0.0f64, 0i32, 0, 0, false);
    while let Some(&byte) = bytes.get(at) {
        match char::from(byte).to_digit(16) {
            Some(digit) => {
                value = value * 16.0 + f64::from(digit);
                scale -= 4 * i32::from(behind);
                count += 1;
            }
            None if byte == b'.' && !behind => behind = true,
            None => break,
        }
        at += 1;
    }
    if count == 0 {
        return None;
    }
    if bytes.get(at) == Some(&b'p') {
        let (exponent, length) = integer(&bytes[at + 1..], 10);
        scale = scale.saturating_add(exponent.clamp(-10_000, 10_000) as i32);
        at += if length > 0 { 1 + length } else { 0 };
    }
    Some((libm::ldexp(value, scale), at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_c_ends_them() {
        assert_eq!(integer(b"  -12x", 10), (-12, 5));
        assert_eq!(integer(b"0x1fz", 0), (31, 4));
        assert_eq!(integer(b"017", 0), (15, 3));
        assert_eq!(integer(b"abc", 10), (0, 0));
        assert_eq!(floating(" 1.5e3x"), (1500.0, 6));
        assert_eq!(floating("1e+"), (1.0, 1));
        assert_eq!(floating("-.5"), (-0.5, 3));
        assert_eq!(floating("0x1.8p1"), (3.0, 7));
        assert_eq!(floating("x"), (0.0, 0));
    }
}
