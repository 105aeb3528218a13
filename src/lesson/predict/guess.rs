//! What a learner answers to a question about a count: a number as people write it, or a formula
//! as a textbook does.

use crate::device::Gpu;
use crate::lesson::formula::Formula;
use crate::lesson::sizes::{Size, Sizes};

/// A guess at a count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// As it was typed.
    pub text: String,
    /// The formula it is, if it is more than a number.
    pub formula: Option<Formula>,
    /// Its value at the sizes at which it was given.
    value: u64,
}

/// Factors that a letter or word behind a number stands for.
const UNITS: [(&str, f64); 11] = [
    ("k", 1e3),
    ("thousand", 1e3),
    ("m", 1e6),
    ("million", 1e6),
    ("mio", 1e6),
    ("g", 1e9),
    ("b", 1e9),
    ("bn", 1e9),
    ("billion", 1e9),
    ("t", 1e12),
    ("trillion", 1e12),
];

/// What is expected, for messages.
const EXPECTED: &str = "a number such as 7.1M or 7,122,461, or a formula";

impl Guess {
    /// Reads `text` at `sizes`, of a lesson with the sizes `named`.
    ///
    /// A letter that is a size is that size (`5MN + 2M`); one behind a number with a decimal point
    /// is a unit (`7.1M`), as is one that is no size.
    ///
    /// # Errors
    /// One sentence without a full stop: what was found and what was expected.
    pub fn read(text: &str, named: &[Size], sizes: &Sizes, gpu: &Gpu) -> Result<Self, String> {
        let text = text.trim();
        if let Some(value) = number(text, named) {
            let value = value?;
            return Ok(Guess {
                text: text.to_owned(),
                formula: None,
                value,
            });
        }
        let written = explicit(text, named)?;
        let formula = Formula::parse(&written).map_err(|error| {
            let names: Vec<&str> = named.iter().map(|size| size.name.as_str()).collect();
            format!("{error}; expected {EXPECTED} of {}", names.join(", "))
        })?;
        let all = named.iter().map(|size| (size.name.clone(), size.of(sizes)));
        let value = formula
            .evaluate(&all.collect(), gpu)
            .map_err(|error| error.to_string())?;
        let has_names = !formula.names().is_empty();
        Ok(Guess {
            text: text.to_owned(),
            formula: has_names.then_some(formula),
            value,
        })
    }

    /// The guess that is `formula`.
    pub fn of_formula(formula: &Formula, sizes: &Sizes, gpu: &Gpu) -> Option<Self> {
        Some(Guess {
            text: formula.textbook(),
            value: formula.evaluate(sizes, gpu).ok()?,
            formula: Some(formula.clone()).filter(|formula| !formula.is_number()),
        })
    }

    /// Its value at `sizes` on `gpu`; a number stays what it was.
    pub fn value(&self, sizes: &Sizes, gpu: &Gpu) -> u64 {
        let formula = self.formula.as_ref();
        let value = formula.and_then(|formula| formula.evaluate(sizes, gpu).ok());
        // Sizes that were chosen later may leave a formula without a value.
        value.unwrap_or(self.value)
    }
}

/// The value of a number with commas, a decimal point, an exponent or a unit; nothing for what is
/// no number alone.
fn number(text: &str, named: &[Size]) -> Option<Result<u64, String>> {
    let grouped = |c: char| matches!(c, ',' | '_' | '\u{a0}' | '\u{202f}');
    let text: String = text.chars().filter(|&c| !grouped(c)).collect();
    let end = text.find(|c: char| c.is_alphabetic() || c.is_whitespace());
    // `7.1e6` is a number as a whole; cut at its first letter it would be 7.1 of the unit `e6`.
    let (digits, unit) = match text.to_lowercase().parse::<f64>() {
        Ok(_) => (text.as_str(), ""),
        Err(_) => text.split_at(end.unwrap_or(text.len())),
    };
    let value: f64 = digits.parse().ok()?;
    let unit = unit.trim();
    let is_size = named.iter().any(|size| size.name == unit);
    // `2M` in a lesson about M rows is twice M, `7.1M` can only be millions.
    if is_size && !digits.contains('.') {
        return None;
    }
    let unit = unit.to_lowercase();
    let factor = match unit.as_str() {
        "" => 1.0,
        unit => UNITS.iter().find(|entry| entry.0 == unit)?.1,
    };
    let value = (value * factor).round();
    Some(match value {
        // Below 2^63: beyond, doubles are too coarse for a count, and `inf` ends up here too.
        v if (0.0..9e18).contains(&v) => Ok(v as u64),
        v if v < 0.0 => Err("a count is not negative".to_owned()),
        _ => Err(format!("that is not a count; expected {EXPECTED}")),
    })
}

/// `text` with every product written out: `5MN` is `5*M*N`.
fn explicit(text: &str, named: &[Size]) -> Result<String, String> {
    let mut written = String::new();
    let mut ends_value = false;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphabetic() || c == '_';
        let length = match first {
            c if c.is_ascii_digit() => rest.find(|c: char| !c.is_ascii_digit() && c != ','),
            c if is_word(c) => rest.find(|c: char| !is_word(c) && !c.is_ascii_digit()),
            c => Some(c.len_utf8()),
        };
        let (word, after) = rest.split_at(length.unwrap_or(rest.len()));
        rest = after;
        let begins_value = first.is_ascii_alphanumeric() || first == '_' || first == '(';
        // A textbook writes `2MN` and `4(M + N)` for products.
        if begins_value && ends_value {
            written.push('*');
        }
        match first {
            c if c.is_whitespace() => continue,
            c if c.is_ascii_digit() => written += &word.replace(',', ""),
            c if is_word(c) && after.trim_start().starts_with('(') && !is_size(word, named) => {
                written += word;
                ends_value = false;
                continue;
            }
            c if is_word(c) => written += &product_of_names(word, named)?,
            '\u{b7}' | '\u{d7}' => written.push('*'),
            '\u{2212}' => written.push('-'),
            other => written.push(other),
        }
        ends_value = begins_value && first != '(' || first == ')';
    }
    Ok(written)
}

fn is_size(word: &str, named: &[Size]) -> bool {
    named
        .iter()
        .any(|size| size.name.eq_ignore_ascii_case(word))
}

/// `MN` as `M*N`: the longest name first; a word that is made of no sizes is refused.
fn product_of_names(word: &str, named: &[Size]) -> Result<String, String> {
    let mut names = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        let begins = |size: &&Size| {
            let start = rest.get(..size.name.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(&size.name))
        };
        let longest = named
            .iter()
            .filter(begins)
            // Of `M` and `MN` as names of sizes, `MN` is meant.
            .max_by_key(|size| size.name.len());
        let Some(size) = longest else {
            let names: Vec<&str> = named.iter().map(|size| size.name.as_str()).collect();
            let names = names.join(", ");
            return Err(format!(
                "`{word}` is not a size; expected {EXPECTED} of {names}"
            ));
        };
        names.push(size.name.as_str());
        rest = &rest[size.name.len()..];
    }
    Ok(names.join("*"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::gpu_or_usual;
    use proptest::prelude::*;

    fn named() -> Vec<Size> {
        let size = |name: &str, default| Size {
            name: name.to_owned(),
            label: String::new(),
            default,
            min: 1,
            max: 4096,
            values: Vec::new(),
        };
        vec![size("M", 1823), size("N", 781), size("rows", 7)]
    }

    fn value(text: &str) -> Result<u64, String> {
        let sizes = named().into_iter().map(|size| (size.name, size.default));
        let sizes: Sizes = sizes.collect();
        let gpu = gpu_or_usual("h200");
        Guess::read(text, &named(), &sizes, gpu).map(|guess| guess.value(&sizes, gpu))
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, expected) in [
            ("7122461", 7_122_461),
            ("7,122,461", 7_122_461),
            ("7_122_461", 7_122_461),
            (" 7.1M", 7_100_000),
            ("7.1 million", 7_100_000),
            ("7.1e6", 7_100_000),
            ("12k", 12_000),
            ("2B", 2_000_000_000),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn formulas_are_read_as_a_textbook_writes_them() {
        let (m, n) = (1823, 781);
        for (text, expected) in [
            ("5MN+2M", 5 * m * n + 2 * m),
            ("5*M*N + 2*M", 5 * m * n + 2 * m),
            ("5 mn + 2 m", 5 * m * n + 2 * m),
            ("2M", 2 * m),
            ("M(N + 1)2", m * (n + 1) * 2),
            ("3rows N", 21 * n),
            ("2\u{b7}M\u{d7}N", 2 * m * n),
            ("ceil_div(MN, 1,000)", m * n / 1000 + 1),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_does_not_read_says_what_was_expected() {
        for (text, says) in [
            ("", "expected a number such as 7.1M"),
            ("lots", "`lots` is not a size"),
            ("5MK", "of M, N, rows"),
            ("-3", "not negative"),
            ("inf", "not a count"),
            ("N - M", "negative"),
        ] {
            let error = value(text).expect_err(text);
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "\\PC{0,30}", formula in "[MNrows0-9.,_+*/()kM -]{0,30}") {
            let _ = (value(&text), value(&formula));
        }
    }
}
