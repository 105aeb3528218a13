//! What the `scanf` family reads (C17, 7.21.6.2).

use super::streams::{peek, take};
use crate::host::machine::{Machine, Stop};

/// Where text comes from.
pub enum Source {
    /// A stream, by its handle, and how much of it was read.
    Stream(u64, usize),
    /// A text, and how much of it was read.
    Text(Vec<u8>, usize),
}

impl Source {
    fn peek(&self, machine: &mut Machine<'_>) -> Option<u8> {
        match self {
            Source::Stream(handle, _) => peek(machine, *handle),
            Source::Text(text, at) => text.get(*at).copied(),
        }
    }

    fn take(&mut self, machine: &mut Machine<'_>) -> Option<u8> {
        match self {
            Source::Stream(handle, read) => {
                let byte = take(machine, *handle)?;
                *read += 1;
                Some(byte)
            }
            Source::Text(text, at) => {
                let byte = text.get(*at).copied()?;
                *at += 1;
                Some(byte)
            }
        }
    }

    /// Bytes that were read, blanks and the format's own characters among them.
    fn read(&self) -> usize {
        match self {
            Source::Stream(_, read) | Source::Text(_, read) => *read,
        }
    }

    fn skip_blanks(&mut self, machine: &mut Machine<'_>) {
        while self
            .peek(machine)
            .is_some_and(|byte| byte.is_ascii_whitespace())
        {
            self.take(machine);
        }
    }

    /// The longest text whose every beginning `accepts`, of at most so many bytes.
    fn taken(
        &mut self,
        machine: &mut Machine<'_>,
        most: usize,
        accepts: impl Fn(&[u8]) -> bool,
    ) -> Vec<u8> {
        let mut text = Vec::new();
        while text.len() < most
            && let Some(byte) = self.peek(machine)
        {
            // One character is looked at, never more: C's streams promise to put one back.
            text.push(byte);
            if !accepts(&text) {
                text.pop();
                break;
            }
            self.take(machine);
        }
        text
    }
}

/// A conversion.
struct Conversion {
    is_ignored: bool,
    width: Option<usize>,
    bytes: u32,
    letter: u8,
    /// The characters in brackets.
    set: Vec<u8>,
}

/// Reads values to the places that `pointers` are; how many, or -1 at the end of the text.
///
/// # Errors
/// A place that is nowhere.
pub fn scan(
    machine: &mut Machine<'_>,
    format: &[u8],
    mut source: Source,
    pointers: &[u64],
) -> Result<i32, Stop> {
    let mut pointers = pointers.iter().copied();
    let (mut at, mut count) = (0, 0);
    while let Some(&byte) = format.get(at) {
        at += 1;
        if byte.is_ascii_whitespace() {
            source.skip_blanks(machine);
            continue;
        }
        let conversion = (byte == b'%').then(|| conversion(format, &mut at));
        let Some(conversion) = conversion.flatten().filter(|found| found.letter != b'%') else {
            if source.peek(machine) != Some(byte) {
                return Ok(ended(machine, &source, count));
            }
            source.take(machine);
            continue;
        };
        if conversion.letter == b'n' {
            // It counts as no value that was read.
            let (to, read) = (pointers.next().unwrap_or(0), source.read() as i32);
            machine.memory.write(to, &read.to_le_bytes())?;
            continue;
        }
        let text = token(machine, &mut source, &conversion);
        let Some(bytes) = value(&conversion, &text) else {
            return Ok(ended(machine, &source, count));
        };
        if !conversion.is_ignored {
            machine.memory.write(pointers.next().unwrap_or(0), &bytes)?;
            count += 1;
        }
    }
    Ok(count)
}

/// What is returned where the text does not match: -1 if it ended before anything was read.
fn ended(machine: &mut Machine<'_>, source: &Source, count: i32) -> i32 {
    // `EOF` says that the input was over before the first conversion, and not that one failed.
    match count == 0 && source.peek(machine).is_none() {
        true => -1,
        false => count,
    }
}

fn conversion(format: &[u8], at: &mut usize) -> Option<Conversion> {
    let is_ignored = format.get(*at) == Some(&b'*');
    *at += usize::from(is_ignored);
    let mut width = None;
    while let Some(digit) = format.get(*at).filter(|digit| digit.is_ascii_digit()) {
        width = Some(width.unwrap_or(0) * 10 + usize::from(digit - b'0'));
        *at += 1;
    }
    let mut bytes = 4;
    while let Some(&length) = format.get(*at) {
        bytes = match length {
            b'h' if bytes == 2 => 1,
            b'h' => 2,
            b'l' | b'z' | b'j' | b't' | b'L' | b'q' => 8,
            _ => break,
        };
        *at += 1;
    }
    let letter = *format.get(*at)?;
    *at += 1;
    let mut set = Vec::new();
    if letter == b'[' {
        // A bracket that comes first is one of the characters.
        let begin = *at + usize::from(format.get(*at) == Some(&b'^'));
        let length = format
            .get(begin + 1..)?
            .iter()
            .position(|&byte| byte == b']')?;
        set = format[*at..begin + 1 + length].to_vec();
        *at = begin + length + 2;
    }
    Some(Conversion {
        is_ignored,
        width,
        bytes,
        letter,
        set,
    })
}

/// Whether brackets hold a character.
fn contains(set: &[u8], byte: u8) -> bool {
    let (is_not, set) = match set.split_first() {
        Some((b'^', rest)) => (true, rest),
        _ => (false, set),
    };
    // `a-z` is a range in glibc; the standard leaves it open.
    let ranges = set.windows(3).filter(|window| window[1] == b'-');
    let mut ranges = ranges.map(|window| window[0]..=window[2]);
    (set.contains(&byte) || ranges.any(|range| range.contains(&byte))) != is_not
}

/// The text of a value.
fn token(machine: &mut Machine<'_>, source: &mut Source, conversion: &Conversion) -> Vec<u8> {
    // Characters are taken as they come; every other conversion begins behind blanks.
    if !matches!(conversion.letter, b'c' | b'[') {
        source.skip_blanks(machine);
    }
    let most = conversion.width.unwrap_or(usize::MAX);
    match conversion.letter {
        b'c' => source.taken(machine, conversion.width.unwrap_or(1), |_| true),
        b's' => source.taken(machine, most, |text| {
            text.last().is_some_and(|byte| !byte.is_ascii_whitespace())
        }),
        b'[' => source.taken(machine, most, |text| {
            text.last()
                .is_some_and(|&byte| contains(&conversion.set, byte))
        }),
        b'd' | b'u' => source.taken(machine, most, |text| is_integer(text, 10)),
        b'o' => source.taken(machine, most, |text| is_integer(text, 8)),
        b'x' | b'X' | b'p' | b'i' => source.taken(machine, most, |text| is_integer(text, 16)),
        _ => source.taken(machine, most, is_number),
    }
}

/// Whether an integer can begin so.
fn is_integer(text: &[u8], radix: u32) -> bool {
    let digits = text
        .strip_prefix(b"-")
        .or(text.strip_prefix(b"+"))
        .unwrap_or(text);
    let digits = match radix {
        16 => digits
            .strip_prefix(b"0x")
            .or(digits.strip_prefix(b"0X"))
            .unwrap_or(digits),
        _ => digits,
    };
    digits.iter().all(|&byte| char::from(byte).is_digit(radix))
}

/// Whether a number with a point can begin so.
fn is_number(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    let digits = text
        .strip_prefix(b"-")
        .or(text.strip_prefix(b"+"))
        .unwrap_or(&text);
    let words: [&[u8]; 3] = [b"infinity", b"nan", b"inf"];
    if words.iter().any(|word| word.starts_with(digits)) {
        return true;
    }
    let mut parts = digits.splitn(2, |&byte| byte == b'e');
    let mantissa = parts.next().unwrap_or(&[]);
    let is_digits = mantissa
        .iter()
        .all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let points = mantissa.iter().filter(|&&byte| byte == b'.').count();
    let exponent = parts.next();
    let has_digit = mantissa.iter().any(u8::is_ascii_digit);
    let good = exponent.is_none_or(|exponent| has_digit && is_integer(exponent, 10));
    is_digits && points <= 1 && good
}

/// The bytes that a value has in memory.
fn value(conversion: &Conversion, text: &[u8]) -> Option<Vec<u8>> {
    let as_text = std::str::from_utf8(text).unwrap_or("");
    let bytes = conversion.bytes as usize;
    match conversion.letter {
        // `%5c` wants all five.
        b'c' => (text.len() >= conversion.width.unwrap_or(1)).then(|| text.to_vec()),
        b's' | b'[' => (!text.is_empty()).then(|| [text, &[0]].concat()),
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' => {
            let radix = match conversion.letter {
                b'd' | b'u' => 10,
                b'o' => 8,
                b'i' => 0,
                _ => 16,
            };
            let (number, length) = super::numbers::integer(text, radix);
            let bytes = if conversion.letter == b'p' { 8 } else { bytes };
            (length > 0).then(|| number.to_le_bytes()[..bytes].to_vec())
        }
        _ => {
            let (number, length) = super::numbers::floating(as_text);
            let number = (length > 0).then_some(number)?;
            Some(match bytes {
                8 => number.to_le_bytes().to_vec(),
                _ => (number as f32).to_le_bytes().to_vec(),
            })
        }
    }
}
