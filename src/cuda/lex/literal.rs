//! Numbers and characters as written, to values and their types.

use std::iter::Peekable;
use std::str::Chars;

use crate::cuda::typed::Scalar;

/// A value with its type, as the bits that `ExprKind::Constant` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal {
    /// Its type.
    pub scalar: Scalar,
    /// Its bits: integers extended to 64 bits, `F32` in the low 32.
    pub bits: u64,
}

/// The value of a number, or what is wrong with it.
pub fn number(text: &str) -> Result<Literal, String> {
    // [lex.icon]: the separators of `1'000'000` mean nothing.
    let digits: String = text.chars().filter(|&c| c != '\'').collect();
    let lower = digits.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        return match hex.contains(['.', 'p']) {
            true => hex_float(text, hex),
            false => integer(text, hex, 16),
        };
    }
    if let Some(binary) = lower.strip_prefix("0b") {
        return integer(text, binary, 2);
    }
    if lower.contains(['.', 'e']) {
        return decimal_float(text, &lower);
    }
    // `017` is octal, `0` and `0u` may be read as decimal: zero is zero.
    match lower.strip_prefix('0') {
        Some(octal) if octal.starts_with(|c: char| c.is_ascii_digit()) => integer(text, octal, 8),
        _ => integer(text, &lower, 10),
    }
}

fn integer(text: &str, lower: &str, radix: u32) -> Result<Literal, String> {
    let end = lower.find(|c: char| !c.is_digit(radix));
    let (digits, suffix) = lower.split_at(end.unwrap_or(lower.len()));
    let Suffix {
        is_unsigned,
        is_long,
    } = integer_suffix(text, digits, suffix, radix)?;
    if digits.is_empty() {
        return Err(format!("`{text}` is not a number: it has no digits"));
    }
    let value = u64::from_str_radix(digits, radix)
        .map_err(|_| format!("`{text}` is too large for any integer type"))?;
    // [lex.icon]: the first type that holds the value. A decimal number without `u` is never
    // unsigned; `long` is `long long` on CUDA's 64-bit hosts.
    let fits = |scalar: Scalar| match scalar {
        Scalar::I32 => value <= i32::MAX as u64,
        Scalar::U32 => value <= u64::from(u32::MAX),
        Scalar::I64 => value <= i64::MAX as u64,
        _ => true,
    };
    let allowed = |&scalar: &Scalar| {
        let long = matches!(scalar, Scalar::I64 | Scalar::U64);
        let sign = match scalar.is_signed() {
            true => !is_unsigned,
            false => is_unsigned || radix != 10,
        };
        sign && (long || !is_long) && fits(scalar)
    };
    [Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64]
        .into_iter()
        .find(allowed)
        .map(|scalar| Literal {
            scalar,
            bits: value,
        })
        .ok_or_else(|| format!("`{text}` is too large for `long long`: add the suffix `u`"))
}

/// What an integer's suffix asks for.
struct Suffix {
    is_unsigned: bool,
    is_long: bool,
}

/// The suffix of an integer whose digits end before it, or what is wrong with it.
fn integer_suffix(text: &str, digits: &str, suffix: &str, radix: u32) -> Result<Suffix, String> {
    let (is_unsigned, is_long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "ull" | "lu" | "llu" => (true, true),
        // In hexadecimal numbers `f` is a digit, so that only `1f` can be this mistake.
        "f" if radix == 10 => {
            return Err(format!(
                "`{text}` is not a number: a `float` needs a point, as in `{digits}.0f`"
            ));
        }
        suffix if suffix.starts_with(|c: char| c.is_ascii_digit()) => {
            return Err(format!(
                "`{text}` is not a number of base {radix}: it has the digit `{}`",
                &suffix[..1]
            ));
        }
        suffix => {
            return Err(format!(
                "`{text}` is not a number: integers have no suffix `{suffix}`"
            ));
        }
    };
    Ok(Suffix {
        is_unsigned,
        is_long,
    })
}

fn decimal_float(text: &str, lower: &str) -> Result<Literal, String> {
    let is_float = lower.ends_with('f');
    // As nvcc has it, a `long double` is a `double`.
    let digits = lower.strip_suffix(['f', 'l']).unwrap_or(lower);
    let wrong = || format!("`{text}` is not a number");
    if digits.contains(|c: char| c.is_ascii_alphabetic() && c != 'e') {
        return Err(wrong());
    }
    if is_float {
        // Read as `f32` at once: by way of `f64` the value would be rounded twice.
        let value: f32 = digits.parse().map_err(|_| wrong())?;
        return Ok(Literal {
            scalar: Scalar::F32,
            bits: u64::from(value.to_bits()),
        });
    }
    // [lex.fcon]: without a suffix it is a `double`, also in `x * 0.5`, where a GPU then computes in `double`.
    let value: f64 = digits.parse().map_err(|_| wrong())?;
    Ok(Literal {
        scalar: Scalar::F64,
        bits: value.to_bits(),
    })
}

fn hex_float(text: &str, lower: &str) -> Result<Literal, String> {
    let wrong = || format!("`{text}` is not a number: a hexadecimal float is like `0x1.8p3f`");
    let (mantissa, exponent) = lower.split_once('p').ok_or_else(wrong)?;
    let is_float = exponent.ends_with('f');
    let exponent = exponent.strip_suffix('f').unwrap_or(exponent);
    let exponent: i32 = exponent.parse().map_err(|_| wrong())?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let trimmed = digits.trim_start_matches('0');
    // 13 hexadecimal digits are 52 bits: more would round twice, in `as f64` and in the result.
    if digits.is_empty() || trimmed.len() > 13 {
        return Err(wrong());
    }
    let value = match trimmed {
        "" => 0,
        trimmed => u64::from_str_radix(trimmed, 16).map_err(|_| wrong())?,
    };
    // `0x1.8p1` is 0x18 with its exponent lowered by 4 bits for each digit behind the point.
    let exponent = exponent.saturating_sub(4 * fraction.len() as i32);
    let value = value as f64 * 2f64.powi(exponent.clamp(-2000, 2000));
    Ok(match is_float {
        true => Literal {
            scalar: Scalar::F32,
            bits: u64::from((value as f32).to_bits()),
        },
        false => Literal {
            scalar: Scalar::F64,
            bits: value.to_bits(),
        },
    })
}

/// The bytes of what stands between quotes, its escapes replaced ([lex.ccon]): `\033[1m` begins with byte 27. What is
/// wrong with an escape otherwise.
pub fn unescaped(content: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(content.len());
    let mut rest = content.chars().peekable();
    while let Some(next) = rest.next() {
        if next != '\\' {
            bytes.extend(next.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        bytes.push(match rest.next() {
            Some('a') => 7,
            Some('b') => 8,
            Some('t') => b'\t',
            Some('n') => b'\n',
            Some('v') => 11,
            Some('f') => 12,
            Some('r') => b'\r',
            Some(same @ ('\\' | '"' | '\'' | '?')) => same as u8,
            Some('x') => coded("x", &mut rest, 16, usize::MAX)?,
            Some(first @ '0'..='7') => coded(&first.to_string(), &mut rest, 8, 2)?,
            Some(other) => return Err(format!("unknown escape `\\{other}`")),
            None => return Err("it ends after `\\`".to_owned()),
        });
    }
    Ok(bytes)
}

/// A byte that an escape gives by its number: `first`, an octal digit or `x`, stands before at most `most` more.
fn coded(
    first: &str,
    rest: &mut Peekable<Chars<'_>>,
    radix: u32,
    most: usize,
) -> Result<u8, String> {
    let mut written = first.to_owned();
    while written.len() <= most
        && let Some(digit) = rest.next_if(|next| next.is_digit(radix))
    {
        written.push(digit);
    }
    let number = u8::from_str_radix(written.trim_start_matches('x'), radix);
    number.map_err(|_| format!("`\\{written}` is no byte"))
}

/// The value of what stands between the quotes of a character, or what is wrong with it.
pub fn character(content: &str) -> Result<Literal, String> {
    let value = match unescaped(content).map_err(|why| format!("`'{content}'`: {why}"))?[..] {
        [only] => only,
        _ => return Err(format!("`'{content}'` is not one character")),
    };
    Ok(Literal {
        // It is signed on the hosts that CUDA supports: '\xff' is -1.
        scalar: Scalar::Char,
        bits: value as i8 as i64 as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_take_the_first_type_that_holds_them() {
        let scalar = |text| number(text).expect(text).scalar;
        assert_eq!(scalar("2147483647"), Scalar::I32);
        assert_eq!(scalar("2147483648"), Scalar::I64);
        assert_eq!(scalar("0xffffffff"), Scalar::U32);
        assert_eq!(scalar("0x1'0000'0000"), Scalar::I64);
        assert_eq!(scalar("1u"), Scalar::U32);
        assert_eq!(scalar("1ull"), Scalar::U64);
        assert_eq!(scalar("0b101"), Scalar::I32);
        assert_eq!(number("017").expect("octal").bits, 15);
        assert_eq!(number("0").expect("zero").bits, 0);
    }

    #[test]
    fn floats_round_once_to_their_own_type() {
        let float = |text| f32::from_bits(number(text).expect(text).bits as u32);
        assert_eq!(float("0.1f"), 0.1f32);
        assert_eq!(float("1.f"), 1.0);
        assert_eq!(float("0x1.8p1f"), 3.0);
        assert_eq!(number("1e3").expect("double").bits, 1000f64.to_bits());
        assert_eq!(number(".5").expect("double").scalar, Scalar::F64);
    }

    #[test]
    fn wrong_numbers_say_why() {
        for (text, part) in [
            ("1f", "needs a point"),
            ("09", "digit `9`"),
            ("0x", "no digits"),
            ("12abc", "no suffix"),
            ("99999999999999999999", "too large"),
            ("1.5q", "not a number"),
        ] {
            let message = number(text).expect_err(text);
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn characters_are_signed_bytes() {
        assert_eq!(character("a").expect("a").bits, 97);
        assert_eq!(character("\\n").expect("newline").bits, 10);
        assert_eq!(character("\\xff").expect("byte").bits, u64::MAX);
        assert_eq!(character("\\033").expect("escape").bits, 27);
        for wrong in ["ab", "\\777", "\\x", "\\x100", "\\q", "\\", "é", ""] {
            assert!(character(wrong).is_err(), "{wrong}");
        }
        assert_eq!(
            unescaped("\\x1b[1m\\0334\\1012\\n"),
            Ok(b"\x1b[1m\x1b4A2\n".to_vec())
        );
    }
}
