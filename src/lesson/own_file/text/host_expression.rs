//! Expressions of host code as formulas: `(n + 255) / 256`, `CEIL_DIV(n, BLOCK)`, `ceil((float)n / 256)`.

use super::host_text::{HostText, is_name};
use crate::device::{DEFAULT_GPU, gpu};
use crate::lesson::formula::Formula;
use crate::lesson::sizes::Sizes;

/// Constants may be defined by others so often; more is a circle.
const MOST_NESTED: u32 = 8;

/// What names of an expression stand for before the text is asked: of the variable that a launch gives a kernel, the
/// parameter.
pub type Known<'k> = &'k dyn Fn(&str) -> Option<String>;

/// Where names of an expression are looked up.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub text: &'a HostText<'a>,
    pub known: Known<'a>,
}

impl Scope<'_> {
    /// The formula of the expression `written`, which stands before word `from`.
    pub fn formula(self, written: &str, from: usize) -> Option<String> {
        self.nested(written, from, 0)
    }

    fn nested(self, written: &str, from: usize, depth: u32) -> Option<String> {
        if depth > MOST_NESTED {
            return None;
        }
        // The text was split into words and joined by blanks before.
        let words: Vec<&str> = written.split_whitespace().collect();
        let mut parser = Parser {
            scope: self,
            words: &words,
            at: 0,
            from,
            depth,
        };
        let term = parser.choice()?;
        (parser.at == words.len()).then_some(term.text)
    }

    /// The value of a constant expression.
    pub fn value(self, written: &str, from: usize) -> Option<u64> {
        evaluated(&self.formula(written, from)?, &Sizes::new())
    }
}

/// The value of a formula.
pub fn evaluated(formula: &str, sizes: &Sizes) -> Option<u64> {
    let formula = Formula::parse(formula).ok()?;
    formula.evaluate(sizes, gpu(DEFAULT_GPU).ok()?).ok()
}

/// A part of an expression as a formula.
struct Term {
    text: String,
    /// What is divided by what, if it is a division.
    division: Option<(String, String)>,
}

impl Term {
    fn new(text: impl Into<String>) -> Self {
        Term {
            text: text.into(),
            division: None,
        }
    }
}

struct Parser<'a> {
    scope: Scope<'a>,
    words: &'a [&'a str],
    at: usize,
    /// The word of the text before which the expression stands.
    from: usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a str {
        self.words.get(self.at).copied().unwrap_or("")
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_there = self.peek() == word;
        self.at += usize::from(is_there);
        is_there
    }

    /// `a < b ? c : d` and comparisons of constants; else a sum.
    fn choice(&mut self) -> Option<Term> {
        let left = self.sum()?;
        let operator = self.peek();
        if !matches!(operator, "<" | ">" | "<=" | ">=" | "==" | "!=" | "?") {
            return Some(left);
        }
        let value = |term: &Term| evaluated(&term.text, &Sizes::new());
        let mut holds = value(&left)?;
        if operator != "?" {
            self.at += 1;
            let right = value(&self.sum()?)?;
            holds = u64::from(match operator {
                "<" => holds < right,
                ">" => holds > right,
                "<=" => holds <= right,
                ">=" => holds >= right,
                "==" => holds == right,
                _ => holds != right,
            });
        }
        if !self.takes("?") {
            return Some(Term::new(holds.to_string()));
        }
        let then = self.choice()?;
        let other = self.takes(":").then(|| self.choice())??;
        Some(if holds != 0 { then } else { other })
    }

    /// Sums, and shifts of constants.
    fn sum(&mut self) -> Option<Term> {
        let mut left = self.product()?;
        loop {
            match self.peek() {
                operator @ ("+" | "-") => {
                    self.at += 1;
                    let right = self.product()?;
                    left = Term::new(format!("{} {operator} {}", left.text, right.text));
                }
                // `<<` is two words of the text.
                operator @ ("<" | ">") if self.words.get(self.at + 1) == Some(&operator) => {
                    self.at += 2;
                    let [left_value, by] =
                        [left, self.product()?].map(|term| evaluated(&term.text, &Sizes::new()));
                    let by = u32::try_from(by?).ok()?;
                    let value = match operator {
                        "<" => left_value?.checked_shl(by)?,
                        _ => left_value?.checked_shr(by)?,
                    };
                    left = Term::new(value.to_string());
                }
                _ => return Some(left),
            }
        }
    }

    fn product(&mut self) -> Option<Term> {
        let mut left = self.primary()?;
        while let operator @ ("*" | "/" | "%") = self.peek() {
            self.at += 1;
            let right = self.primary()?;
            let text = format!("{} {operator} {}", left.text, right.text);
            left = Term {
                division: (operator == "/").then_some((left.text, right.text)),
                text,
            };
        }
        Some(left)
    }

    fn primary(&mut self) -> Option<Term> {
        if self.skip_cast() {
            return self.primary();
        }
        let word = self.peek();
        self.at += 1;
        if word == "(" {
            let inner = self.choice()?;
            return self.takes(")").then(|| Term {
                text: format!("({})", inner.text),
                division: inner.division,
            });
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return number(word).map(Term::new);
        }
        if !is_name(word) {
            return None;
        }
        match self.peek() {
            "(" => self.call(word),
            "." | "[" => None,
            _ => self.name(word).map(Term::new),
        }
    }

    fn name(&self, name: &str) -> Option<String> {
        if let Some(known) = (self.scope.known)(name) {
            return Some(known);
        }
        let text = self.scope.text;
        let defined = text.definition(name, self.from);
        let (value, at) = defined
            .map(|(value, at)| (value.to_owned(), at))
            .or_else(|| text.template_argument(name, self.from))?;
        let formula = self.scope.nested(&value, at, self.depth + 1)?;
        Some(match formula.contains(' ') {
            true => format!("({formula})"),
            false => formula,
        })
    }

    /// A call, whose `(` stands next.
    fn call(&mut self, name: &str) -> Option<Term> {
        self.at += 1;
        if name == "sizeof" {
            let bytes = size_of(self.peek())?;
            self.at += 1;
            return self.takes(")").then(|| Term::new(bytes.to_string()));
        }
        let mut arguments = vec![self.sum()?];
        while self.takes(",") {
            arguments.push(self.sum()?);
        }
        if !self.takes(")") {
            return None;
        }
        let lower = name.to_lowercase();
        let rounds_up = ["ceil", "cdiv", "div_up", "divup", "div_round_up"];
        let rounds_up = rounds_up.iter().any(|word| lower.contains(word));
        match &arguments[..] {
            [all] if rounds_up => {
                let (whole, by) = all.division.as_ref()?;
                Some(Term::new(format!("ceil_div({whole}, {by})")))
            }
            [whole, by] if rounds_up => {
                Some(Term::new(format!("ceil_div({}, {})", whole.text, by.text)))
            }
            [a, b] if matches!(name, "min" | "max") => {
                Some(Term::new(format!("{name}({}, {})", a.text, b.text)))
            }
            // `int(x)`.
            [one] if size_of(name).is_some() => Some(Term::new(one.text.clone())),
            _ => None,
        }
    }

    /// Goes over `(float)` and `static_cast<int>`.
    fn skip_cast(&mut self) -> bool {
        let rest = &self.words[self.at.min(self.words.len())..];
        let skipped = match rest {
            ["(", "unsigned", "int", ")", ..] => 4,
            ["(", of, ")", ..] if size_of(of).is_some() => 3,
            ["static_cast", "<", _, ">", ..] => 4,
            ["std", "::", ..] => 2,
            _ => 0,
        };
        self.at += skipped;
        skipped > 0
    }
}

/// A whole number, without its suffix.
fn number(word: &str) -> Option<String> {
    let plain = word.trim_end_matches(['u', 'U', 'l', 'L']);
    if let Some(digits) = plain.strip_prefix("0x") {
        return Some(u64::from_str_radix(digits, 16).ok()?.to_string());
    }
    if plain.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(plain.to_owned());
    }
    // `256.0f` is a whole number, too: `ceil(n / 256.0f)`.
    let value: f64 = plain.trim_end_matches(['f', 'F']).parse().ok()?;
    (value.fract() == 0.0 && (0.0..1e15).contains(&value)).then(|| format!("{value:.0}"))
}

/// Bytes of a type of CUDA C++.
fn size_of(name: &str) -> Option<u64> {
    Some(match name {
        "char" | "bool" | "uchar" | "uint8_t" | "int8_t" => 1,
        "half" | "__half" | "__nv_bfloat16" | "short" | "uint16_t" | "int16_t" => 2,
        "int" | "float" | "unsigned" | "uint" | "int32_t" | "uint32_t" => 4,
        "double" | "long" | "size_t" | "int64_t" | "uint64_t" | "float2" | "int2" => 8,
        "float4" | "int4" | "double2" => 16,
        _ => return None,
    })
}
