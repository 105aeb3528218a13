//! What the `printf` family writes, byte for byte as glibc writes it (C17, 7.21.6.1).

use crate::host::machine::{Call, Machine, Stop};

/// Where values come from.
#[derive(Clone, Copy)]
pub enum Values<'c> {
    /// Arguments of a call, from one on.
    Arguments(&'c Call<'c>, usize),
    /// Words side by side in memory: `va_list`.
    Words(u64, usize),
}

impl Values<'_> {
    /// The next value: an `int` with its upper half cleared, as the processor passes it.
    fn next(&mut self, machine: &Machine<'_>) -> Result<u64, Stop> {
        match self {
            Values::Arguments(call, at) => {
                let (ty, bits) = (call.types.get(*at), call.u64(*at));
                *at += 1;
                // A slot extends a signed `int` to 64 bits; `%x` and `%lu` must not see the sign.
                let is_narrow = ty.is_some_and(|ty| ty.size_bytes() == 4);
                Ok(if is_narrow {
                    u64::from(bits as u32)
                } else {
                    bits
                })
            }
            Values::Words(address, at) => {
                let bytes = machine.memory.read(*address + 8 * *at as u64, 8)?;
                *at += 1;
                let bytes = bytes.try_into().unwrap_or_default();
                Ok(u64::from_le_bytes(bytes))
            }
        }
    }
}

/// How a value is written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spec {
    /// `-`
    pub left: bool,
    /// `0`
    pub zeros: bool,
    /// `+`
    pub plus: bool,
    /// a blank
    pub space: bool,
    /// `#`
    pub alternate: bool,
    /// Fewest characters.
    pub width: usize,
    /// Behind the point.
    pub precision: Option<usize>,
    /// Bytes of an integer.
    pub bytes: u32,
    /// The letter.
    pub letter: u8,
}

impl Spec {
    /// Takes a flag; whether it is one. `'` groups digits, which it does not in the locale "C".
    fn take_flag(&mut self, flag: u8) -> bool {
        match flag {
            b'-' => self.left = true,
            b'0' => self.zeros = true,
            b'+' => self.plus = true,
            b' ' => self.space = true,
            b'#' => self.alternate = true,
            flag => return flag == b'\'',
        }
        true
    }
}

/// The text of a format with its values.
///
/// # Errors
/// Text or a place to write to that is nowhere.
pub fn format(
    machine: &mut Machine<'_>,
    format: &[u8],
    mut values: Values<'_>,
) -> Result<Vec<u8>, Stop> {
    let mut text = Vec::with_capacity(format.len() + 16);
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        text.extend_from_slice(&rest[..at]);
        let (spec, length) = spec(machine, &rest[at..], &mut values)?;
        rest = &rest[at + length..];
        match spec.letter {
            // `%5%` too: glibc writes a single one.
            b'%' => text.push(b'%'),
            b'n' => {
                let to = values.next(machine)?;
                let count = (text.len() as u64).to_le_bytes();
                machine.memory.write(to, &count[..spec.bytes as usize])?;
            }
            b's' => {
                let address = values.next(machine)?;
                let string = string(machine, address, spec.precision)?;
                padded(&mut text, &spec, b"", &string, false);
            }
            // What is no conversion is written as it stands.
            0 => text.extend_from_slice(
                &format[format.len() - rest.len() - length..format.len() - rest.len()],
            ),
            _ => {
                let bits = values.next(machine)?;
                value(&mut text, &spec, bits);
            }
        }
    }
    text.extend_from_slice(rest);
    Ok(text)
}

/// The conversion at the beginning of `text`, and its length.
fn spec(
    machine: &Machine<'_>,
    text: &[u8],
    values: &mut Values<'_>,
) -> Result<(Spec, usize), Stop> {
    let mut spec = Spec {
        bytes: 4,
        ..Spec::default()
    };
    let mut at = 1;
    while text.get(at).is_some_and(|&flag| spec.take_flag(flag)) {
        at += 1;
    }
    if let Some(width) = number(machine, text, &mut at, values)? {
        // C17, 7.21.6.1: a negative `*` is the flag `-` and a positive width.
        spec.left |= width < 0;
        spec.width = width.unsigned_abs() as usize;
    }
    if text.get(at) == Some(&b'.') {
        at += 1;
        let precision = number(machine, text, &mut at, values)?.unwrap_or(0);
        // C17, 7.21.6.1: a negative precision is none.
        spec.precision = usize::try_from(precision).ok();
    }
    while let Some(&length) = text.get(at) {
        spec.bytes = match length {
            b'h' if spec.bytes == 2 => 1,
            b'h' => 2,
            b'l' | b'z' | b'j' | b't' | b'q' | b'L' => 8,
            _ => break,
        };
        at += 1;
    }
    let letter = text.get(at).copied().unwrap_or(0);
    if b"diouxXeEfFgGaAcspn%".contains(&letter) {
        spec.letter = letter;
        at += 1;
    }
    Ok((spec, at))
}

/// A number that is written out, or `*`.
fn number(
    machine: &Machine<'_>,
    text: &[u8],
    at: &mut usize,
    values: &mut Values<'_>,
) -> Result<Option<i32>, Stop> {
    if text.get(*at) == Some(&b'*') {
        *at += 1;
        return Ok(Some(values.next(machine)? as i32));
    }
    let begin = *at;
    let mut number = 0i32;
    while let Some(digit) = text.get(*at).filter(|digit| digit.is_ascii_digit()) {
        number = number
            .saturating_mul(10)
            .saturating_add(i32::from(digit - b'0'));
        *at += 1;
    }
    Ok((*at > begin).then_some(number))
}

/// A string of at most so many bytes.
fn string(machine: &Machine<'_>, address: u64, precision: Option<usize>) -> Result<Vec<u8>, Stop> {
    if address == 0 {
        // glibc: `(null)` is written whole or not at all.
        let fits = precision.is_none_or(|precision| precision >= 6);
        return Ok(if fits { b"(null)".to_vec() } else { Vec::new() });
    }
    let Some(most) = precision else {
        return Ok(machine.memory.text(address)?);
    };
    // The string need not end within its precision.
    let mut string = Vec::new();
    while string.len() < most {
        match machine
            .memory
            .read(address + string.len() as u64, 1)?
            .first()
        {
            Some(&byte) if byte != 0 => string.push(byte),
            _ => break,
        }
    }
    Ok(string)
}

/// A number, character or pointer.
pub fn value(text: &mut Vec<u8>, spec: &Spec, bits: u64) {
    match spec.letter {
        b'c' => padded(text, spec, b"", &[bits as u8], false),
        // glibc's own word; the standard leaves it open.
        b'p' if bits == 0 => padded(text, spec, b"", b"(nil)", false),
        b'p' => {
            let digits = format!("{bits:x}");
            let sign = sign(spec, false);
            let prefix = format!("{sign}0x");
            padded(text, spec, prefix.as_bytes(), digits.as_bytes(), spec.zeros);
        }
        b'd' | b'i' => {
            let value = match spec.bytes {
                1 => i64::from(bits as i8),
                2 => i64::from(bits as i16),
                4 => i64::from(bits as i32),
                _ => bits as i64,
            };
            let digits = at_least(spec, value.unsigned_abs().to_string());
            integer(text, spec, sign(spec, value < 0), &digits);
        }
        b'o' | b'u' | b'x' | b'X' => unsigned(text, spec, bits),
        _ => float(text, spec, f64::from_bits(bits)),
    }
}

fn unsigned(text: &mut Vec<u8>, spec: &Spec, bits: u64) {
    let value = match spec.bytes {
        1 => bits & 0xff,
        2 => bits & 0xffff,
        4 => bits & 0xffff_ffff,
        _ => bits,
    };
    let digits = match spec.letter {
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        _ => value.to_string(),
    };
    let mut digits = at_least(spec, digits);
    let has_prefix = spec.alternate && value != 0;
    let prefix = match spec.letter {
        b'x' if has_prefix => "0x",
        b'X' if has_prefix => "0X",
        // C17, 7.21.6.1: `#` adds a 0 only where none stands in front.
        b'o' if spec.alternate && !digits.starts_with('0') => {
            digits.insert(0, '0');
            ""
        }
        _ => "",
    };
    integer(text, spec, prefix, &digits);
}

/// Zeros count only where no precision says how many digits there are.
fn integer(text: &mut Vec<u8>, spec: &Spec, prefix: &str, digits: &str) {
    // C17, 7.21.6.1: a precision turns the flag `0` off for integers.
    let zeros = spec.zeros && spec.precision.is_none();
    padded(text, spec, prefix.as_bytes(), digits.as_bytes(), zeros);
}

fn sign(spec: &Spec, is_negative: bool) -> &'static str {
    match (is_negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

/// Digits, as many as the precision asks for.
fn at_least(spec: &Spec, digits: String) -> String {
    // C17, 7.21.6.1: with a precision of 0, zero has no digit at all.
    let precision = spec.precision.unwrap_or(1);
    match precision == 0 && digits == "0" {
        true => String::new(),
        false => format!("{digits:0>precision$}"),
    }
}

fn padded(text: &mut Vec<u8>, spec: &Spec, prefix: &[u8], digits: &[u8], zeros: bool) {
    let missing = spec.width.saturating_sub(prefix.len() + digits.len());
    let (before, between, behind) = match (spec.left, zeros) {
        // `-` turns `0` off.
        (true, _) => (0, 0, missing),
        (false, true) => (0, missing, 0),
        (false, false) => (missing, 0, 0),
    };
    text.resize(text.len() + before, b' ');
    text.extend_from_slice(prefix);
    text.resize(text.len() + between, b'0');
    text.extend_from_slice(digits);
    text.resize(text.len() + behind, b' ');
}

fn float(text: &mut Vec<u8>, spec: &Spec, value: f64) {
    // Of -0.0 too, and of a NaN: glibc writes `-nan`.
    let sign = sign(spec, value.is_sign_negative());
    let magnitude = value.abs();
    let upper = spec.letter.is_ascii_uppercase();
    let special = match (value.is_nan(), value.is_infinite()) {
        (true, _) => Some("nan"),
        (_, true) => Some("inf"),
        _ => None,
    };
    let (prefix, digits) = match (special, spec.letter.to_ascii_lowercase()) {
        (Some(special), _) => ("", special.to_owned()),
        (None, b'f') => (
            "",
            with_point(spec, fixed(magnitude, spec.precision.unwrap_or(6))),
        ),
        (None, b'e') => (
            "",
            exponential(spec, magnitude, spec.precision.unwrap_or(6)),
        ),
        (None, b'g') => ("", general(spec, magnitude)),
        (None, _) => ("0x", hexadecimal(spec, magnitude)),
    };
    let case = |text: String| if upper { text.to_uppercase() } else { text };
    let prefix = format!("{sign}{}", case(prefix.to_owned()));
    // Zeros do not stand before what is no number.
    let zeros = spec.zeros && special.is_none();
    padded(
        text,
        spec,
        prefix.as_bytes(),
        case(digits).as_bytes(),
        zeros,
    );
}

fn fixed(value: f64, precision: usize) -> String {
    match scaled(value, precision) {
        Some(scaled) => {
            let digits = format!("{scaled:0>width$}", width = precision + 1);
            let (whole, fraction) = digits.split_at(digits.len() - precision);
            let point = if precision == 0 { "" } else { "." };
            format!("{whole}{point}{fraction}")
        }
        None => format!("{value:.precision$}"),
    }
}

/// A number times 10^`precision`, rounded to an integer: quicker than the general way, for numbers that 128 bits hold
/// exactly.
fn scaled(value: f64, precision: usize) -> Option<u128> {
    let bits = value.to_bits();
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    // Neither negative, nor 0, nor subnormal, nor infinite.
    let exponent = Some(bits >> 52).filter(|exponent| (1..0x7ff).contains(exponent))? as i32 - 1075;
    let power = 10u128.checked_pow(precision as u32)?;
    let product = mantissa.checked_mul(power)?;
    if exponent >= 0 {
        let fits = exponent.unsigned_abs() <= product.leading_zeros();
        return fits.then(|| product << exponent);
    }
    let below = exponent.unsigned_abs();
    let whole = product.checked_shr(below)?;
    let rest = product - (whole << below);
    let half = 1 << (below - 1);
    // Ties go to the even one, as IEEE 754 has it.
    let is_up = rest > half || rest == half && whole % 2 == 1;
    Some(whole + u128::from(is_up))
}

/// `#` keeps the point also where nothing follows it.
fn with_point(spec: &Spec, digits: String) -> String {
    match spec.alternate && !digits.contains('.') {
        true => format!("{digits}."),
        false => digits,
    }
}

/// `1.5e-07`: with a sign and at least two digits in the exponent.
fn exponential(spec: &Spec, value: f64, precision: usize) -> String {
    // Rust writes `1.5e3` where C writes `1.5e+03`: the exponent is written anew.
    let written = format!("{value:.precision$e}");
    let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    format!(
        "{}{}",
        with_point(spec, mantissa.to_owned()),
        exponent_of(exponent)
    )
}

fn exponent_of(exponent: &str) -> String {
    match exponent.strip_prefix('-') {
        Some(digits) => format!("e-{digits:0>2}"),
        None => format!("e+{exponent:0>2}"),
    }
}

/// `%g`: whichever of the others is shorter, without zeros at its end.
fn general(spec: &Spec, value: f64) -> String {
    // C17, 7.21.6.1: a precision of 0 counts as 1.
    let digits = spec.precision.unwrap_or(6).max(1);
    let written = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    // C17, 7.21.6.1: of the two forms the one that `%g` takes for this exponent, after rounding.
    if power < -4 || power >= digits as i32 {
        return format!(
            "{}{}",
            trimmed(spec, mantissa.to_owned()),
            exponent_of(exponent)
        );
    }
    trimmed(spec, fixed(value, (digits as i32 - 1 - power) as usize))
}

fn trimmed(spec: &Spec, digits: String) -> String {
    if spec.alternate {
        return with_point(spec, digits);
    }
    match digits.contains('.') {
        true => digits
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
        false => digits,
    }
}

/// `%a`, behind its `0x`.
fn hexadecimal(spec: &Spec, value: f64) -> String {
    let bits = value.to_bits();
    let (mut exponent, mut mantissa) =
        (((bits >> 52) & 0x7ff) as i32 - 1023, bits & ((1 << 52) - 1));
    let mut lead = 1u64;
    if exponent == -1023 {
        // Zero, or a number too small for a leading one.
        (lead, exponent) = (0, if mantissa == 0 { 0 } else { -1022 });
    }
    let mut digits = format!("{mantissa:013x}");
    match spec.precision {
        Some(precision) if precision < 13 => {
            let dropped = 4 * (13 - precision as u32);
            let (all, half) = (lead << 52 | mantissa, 1u64 << (dropped - 1));
            let (quotient, rest) = (all >> dropped, all & ((1 << dropped) - 1));
            // To the nearest, halves to even ones.
            let up = rest > half || (rest == half && quotient & 1 == 1);
            let rounded = (quotient + u64::from(up)) << dropped;
            // A carry may make the leading digit 2, as glibc writes it: `0x2p+0`.
            (lead, mantissa) = (rounded >> 52, rounded & ((1 << 52) - 1));
            digits = format!("{mantissa:013x}")[..precision].to_owned();
        }
        Some(precision) => digits = format!("{digits:0<precision$}"),
        None => digits = digits.trim_end_matches('0').to_owned(),
    }
    let point = if digits.is_empty() && !spec.alternate {
        ""
    } else {
        "."
    };
    format!("{lead}{point}{digits}p{exponent:+}")
}
