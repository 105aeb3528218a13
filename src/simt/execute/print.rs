//! What kernels print: `printf` as in C, for each lane in order.

use std::iter::repeat_n;

use crate::ir::{Conversion, Instruction, PrintFormat, PrintPiece, PrintSite};
use crate::simt::machine::MOST_PRINTED_BYTES;
use crate::simt::warp::set_bits;
use crate::simt::warp::{Lanes, join};

/// Appends what the active lanes print, as far as a launch may print it; `texts` gives the byte at an address of a
/// lane.
pub fn print(
    lanes: &Lanes<'_>,
    i: Instruction,
    site: &PrintSite,
    texts: impl Fn(usize, u64) -> Option<u8>,
    text: &mut String,
) {
    for lane in set_bits(lanes.active()) {
        if text.len() > MOST_PRINTED_BYTES {
            return;
        }
        let mut register = i.a;
        for piece in &site.pieces {
            match piece {
                PrintPiece::Text(piece) => text.push_str(piece),
                PrintPiece::Value(format) => {
                    let words = format.conversion.words() as u16;
                    let bits = match words {
                        2 => join(&lanes.pair(register), lane),
                        _ => u64::from(lanes.get(register)[lane]),
                    };
                    // Values stand in registers one behind the other, as in the buffer that
                    // `vprintf` gets.
                    register += words;
                    match format.conversion {
                        Conversion::Text => {
                            let bytes = (bits..).map_while(|at| texts(lane, at));
                            let most = format.precision.unwrap_or(MOST_PRINTED_BYTES);
                            let bytes: Vec<u8> = bytes.take_while(|&b| b != 0).take(most).collect();
                            let read = String::from_utf8_lossy(&bytes);
                            pad(text, format, ["", ""], &read, 0, false);
                        }
                        _ => write(text, format, bits),
                    }
                }
            }
        }
    }
}

/// Appends a value as C's `printf` writes it.
fn write(text: &mut String, format: &PrintFormat, bits: u64) {
    match format.conversion {
        Conversion::Signed { wide } => {
            let narrow = i64::from(bits as u32 as i32);
            let value = if wide { bits as i64 } else { narrow };
            let sign = sign(format, value < 0);
            write_integer(text, format, [sign, ""], value.unsigned_abs(), 10);
        }
        Conversion::Unsigned { radix, upper, .. } => {
            let prefix = match (radix, upper) {
                // C leaves the prefix out before a zero.
                _ if !format.alternate || bits == 0 => "",
                (16, false) => "0x",
                (16, true) => "0X",
                (8, _) => "0",
                _ => "",
            };
            write_integer(text, format, ["", prefix], bits, radix);
        }
        Conversion::Float { letter, upper } => {
            let value = f64::from_bits(bits);
            let sign = sign(format, value.is_sign_negative() && !value.is_nan());
            let digits = float(format, letter, value.abs());
            let digits = if upper { digits.to_uppercase() } else { digits };
            // C pads `inf` and `nan` with blanks even where zeros are asked for.
            let zeros = format.zeros && value.is_finite();
            pad(text, format, [sign, ""], &digits, 0, zeros);
        }
        Conversion::Character => {
            let mut bytes = [0; 4];
            let character = char::from(bits as u8).encode_utf8(&mut bytes);
            pad(text, format, ["", ""], character, 0, false);
        }
        Conversion::Pointer | Conversion::Text => {
            write_integer(text, format, ["", "0x"], bits, 16);
        }
    }
}

/// Appends an integer with as many digits as the precision asks for. Digits are made here: the formatter of the standard
/// library took most of the time of a launch that prints.
fn write_integer(
    text: &mut String,
    format: &PrintFormat,
    before: [&str; 2],
    value: u64,
    radix: u32,
) {
    let upper = matches!(format.conversion, Conversion::Unsigned { upper: true, .. });
    // 64 bits have at most 22 digits, in octal.
    let mut digits = [0; 22];
    let (mut first, mut rest) = (digits.len(), value);
    while rest > 0 {
        first -= 1;
        // By constants, which the compiler divides by without a division.
        let (others, digit) = match radix {
            8 => (rest / 8, rest % 8),
            16 => (rest / 16, rest % 16),
            _ => (rest / 10, rest % 10),
        };
        let digit = digit as u8;
        digits[first] = match digit {
            ..10 => b'0' + digit,
            _ if upper => b'A' + digit - 10,
            _ => b'a' + digit - 10,
        };
        rest = others;
    }
    // Zero has a digit by its precision only, which C takes as 1 where none is given.
    let zeros = format
        .precision
        .unwrap_or(1)
        .saturating_sub(digits.len() - first);
    let digits = str::from_utf8(&digits[first..]).unwrap_or_default();
    let fills = format.zeros && format.precision.is_none();
    pad(text, format, before, digits, zeros, fills);
}

fn sign(format: &PrintFormat, is_negative: bool) -> &'static str {
    match (is_negative, format.plus, format.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

/// Appends a sign, a prefix, so many zeros and then digits, in a field of the format's width that is filled up with blanks,
/// or with zeros.
fn pad(
    text: &mut String,
    format: &PrintFormat,
    before: [&str; 2],
    digits: &str,
    zeros: usize,
    fills_with_zeros: bool,
) {
    // Most values ask for no width, and a string is not filled with nothing for free.
    if format.width == 0 && zeros == 0 {
        return text.extend([before[0], before[1], digits]);
    }
    let length = before[0].len() + before[1].len() + zeros + digits.chars().count();
    let missing = format.width.saturating_sub(length);
    let (blanks, zeros, after) = match (format.left, fills_with_zeros) {
        (true, _) => (0, zeros, missing),
        (false, true) => (0, zeros + missing, 0),
        (false, false) => (missing, zeros, 0),
    };
    text.extend(repeat_n(' ', blanks));
    text.push_str(before[0]);
    text.push_str(before[1]);
    text.extend(repeat_n('0', zeros));
    text.push_str(digits);
    text.extend(repeat_n(' ', after));
}

/// A value that is not negative.
fn float(format: &PrintFormat, letter: char, value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return "inf".to_owned();
    }
    let precision = format.precision.unwrap_or(6);
    match letter {
        'f' => format!("{value:.precision$}"),
        'e' => exponential(value, precision),
        _ => {
            // C takes a precision of 0 as 1 here.
            let digits = precision.max(1);
            // The exponent after rounding decides: 999999.5 is `1e+06`.
            let written = exponential(value, digits - 1);
            let exponent: i32 = written
                .split_once('e')
                .and_then(|(_, exponent)| exponent.parse().ok())
                .unwrap_or(0);
            // The rule of `%g` in the C standard (7.21.6.1).
            if exponent < -4 || exponent >= digits as i32 {
                let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "+00"));
                return format!("{}e{exponent}", trimmed(format, mantissa));
            }
            let after_point = (digits as i32 - 1 - exponent) as usize;
            trimmed(format, &format!("{value:.after_point$}")).to_owned()
        }
    }
}

/// `1.5e-07`: with a sign and at least two digits in the exponent.
fn exponential(value: f64, precision: usize) -> String {
    let written = format!("{value:.precision$e}");
    let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// Without the zeros that `%g` leaves out.
fn trimmed<'a>(format: &PrintFormat, digits: &'a str) -> &'a str {
    if format.alternate || !digits.contains('.') {
        return digits;
    }
    digits.trim_end_matches('0').trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: &PrintFormat, bits: u64) -> String {
        let mut text = String::new();
        write(&mut text, format, bits);
        text
    }

    fn with(conversion: Conversion, width: usize, precision: Option<usize>) -> PrintFormat {
        PrintFormat {
            conversion,
            left: false,
            zeros: false,
            plus: false,
            space: false,
            alternate: false,
            width,
            precision,
        }
    }

    #[test]
    fn numbers_are_written_as_c_writes_them() {
        let signed = with(Conversion::Signed { wide: false }, 6, None);
        assert_eq!(written(&signed, -42_i32 as u32 as u64), "   -42");
        let zeros = PrintFormat {
            zeros: true,
            ..signed
        };
        assert_eq!(written(&zeros, -42_i32 as u32 as u64), "-00042");
        let left = PrintFormat {
            left: true,
            plus: true,
            ..signed
        };
        assert_eq!(written(&left, 7), "+7    ");
        let wide = with(Conversion::Signed { wide: true }, 0, Some(3));
        assert_eq!(written(&wide, 5), "005");
        let hex = Conversion::Unsigned {
            wide: false,
            radix: 16,
            upper: false,
        };
        let hex = PrintFormat {
            alternate: true,
            ..with(hex, 8, None)
        };
        assert_eq!(written(&hex, 255), "    0xff");
        assert_eq!(
            written(&PrintFormat { zeros: true, ..hex }, 255),
            "0x0000ff"
        );
    }

    #[test]
    fn floats_are_written_as_c_writes_them() {
        let write = |letter, precision, value: f64| {
            let conversion = Conversion::Float {
                letter,
                upper: false,
            };
            written(&with(conversion, 0, precision), value.to_bits())
        };
        assert_eq!(write('f', None, 1.5), "1.500000");
        assert_eq!(write('f', Some(0), -2.5), "-2");
        assert_eq!(write('e', None, 12345.678), "1.234568e+04");
        assert_eq!(write('e', Some(1), 0.0), "0.0e+00");
        assert_eq!(write('g', None, 100_000.0), "100000");
        assert_eq!(write('g', None, 1_000_000.0), "1e+06");
        assert_eq!(write('g', None, 0.0001), "0.0001");
        assert_eq!(write('g', None, 0.00001234), "1.234e-05");
        assert_eq!(write('g', Some(3), 0.1 + 0.2), "0.3");
        assert_eq!(write('f', None, f64::NEG_INFINITY), "-inf");
        assert_eq!(write('g', None, f64::NAN), "nan");
    }
}
