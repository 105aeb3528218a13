//! Python's literals, as far as headers of NumPy files have them: texts, whole numbers, truth values, tuples, lists
//! and dictionaries.

use std::fmt;

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    /// `'<f4'`
    Text(String),
    /// `781`
    Integer(i128),
    /// `True`
    Bool(bool),
    /// `(3, 4)`
    Tuple(Vec<Literal>),
    /// `[('x', '<f4')]`, as types of several fields are written.
    List(Vec<Literal>),
    /// `{'shape': (3,)}`
    Dict(Vec<(Literal, Literal)>),
}

/// Deepest nesting that is read: each level is a call.
const MAX_DEPTH: u32 = 16;

/// The literal that `text` is, with blanks around it.
pub(crate) fn parse(text: &str) -> Result<Literal, String> {
    let mut parser = Parser { rest: text };
    let literal = parser.literal(0)?;
    parser.skip_blanks();
    match parser.rest {
        "" => Ok(literal),
        rest => Err(format!("{} stands after it", excerpt(rest))),
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    /// Takes `token` and the blanks before it, if it comes next.
    fn takes(&mut self, token: &str) -> bool {
        self.skip_blanks();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn literal(&mut self, depth: u32) -> Result<Literal, String> {
        // A header of a million brackets must not end the program by its stack.
        if depth > MAX_DEPTH {
            return Err(format!("it is nested more than {MAX_DEPTH} deep"));
        }
        self.skip_blanks();
        match self.rest.chars().next() {
            Some(quote @ ('\'' | '"')) => self.text(quote),
            Some('(') => self.tuple(depth),
            Some('[') => {
                self.takes("[");
                Ok(Literal::List(
                    self.items("]", |all| all.literal(depth + 1))?.0,
                ))
            }
            Some('{') => {
                self.takes("{");
                let entries = self.items("}", |all| {
                    let key = all.literal(depth + 1)?;
                    match all.takes(":") {
                        true => Ok((key, all.literal(depth + 1)?)),
                        false => Err(format!("`:` is expected before {}", excerpt(all.rest))),
                    }
                });
                Ok(Literal::Dict(entries?.0))
            }
            _ => self.word(),
        }
    }

    /// `(3, 4)`, `(3,)` and `()` are tuples, but `(3)` is the number in it.
    fn tuple(&mut self, depth: u32) -> Result<Literal, String> {
        self.takes("(");
        let (mut items, ends_with_comma) = self.items(")", |all| all.literal(depth + 1))?;
        match items.pop() {
            // As in Python, where `(3)` is 3 and `(3,)` a tuple of one.
            Some(only) if items.is_empty() && !ends_with_comma => Ok(only),
            last => {
                items.extend(last);
                Ok(Literal::Tuple(items))
            }
        }
    }

    /// What stands between commas before `end`, and whether the last one has a comma behind it.
    fn items<T>(
        &mut self,
        end: &str,
        item: impl Fn(&mut Self) -> Result<T, String>,
    ) -> Result<(Vec<T>, bool), String> {
        let mut items = Vec::new();
        let mut after_comma = false;
        loop {
            if self.takes(end) {
                return Ok((items, after_comma));
            }
            if !items.is_empty() && !after_comma {
                return Err(format!(
                    "`,` or `{end}` is expected before {}",
                    excerpt(self.rest)
                ));
            }
            items.push(item(self)?);
            after_comma = self.takes(",");
        }
    }

    fn text(&mut self, quote: char) -> Result<Literal, String> {
        let inside = &self.rest[1..];
        let end = inside
            // NumPy writes no escapes; one is refused rather than read wrongly.
            .find([quote, '\\', '\n'])
            .filter(|&end| inside[end..].starts_with(quote));
        let Some(end) = end else {
            return Err(format!(
                "a text without escapes is expected at {}",
                excerpt(self.rest)
            ));
        };
        self.rest = &inside[end + 1..];
        Ok(Literal::Text(inside[..end].to_owned()))
    }

    /// A number or a truth value.
    fn word(&mut self) -> Result<Literal, String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let literal = match word {
            "True" => Literal::Bool(true),
            "False" => Literal::Bool(false),
            "" => return Err(format!("a value is expected before {}", excerpt(self.rest))),
            _ => Literal::Integer(integer(word)?),
        };
        self.rest = rest;
        Ok(literal)
    }
}

/// `781`, `-1`, `0x30d`, `1_000`, and `781L` as Python 2 wrote it.
fn integer(word: &str) -> Result<i128, String> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, word.strip_prefix('+').unwrap_or(word)),
    };
    // Python 2 wrote long integers as `3L`; such files are still about.
    let digits = digits.strip_suffix('L').unwrap_or(digits).replace('_', "");
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0o") => (8, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        _ => (10, lower.as_str()),
    };
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    // `010` is eight in Python 2 and nothing in Python 3.
    let is_octal = radix == 10 && digits.len() > 1 && digits.starts_with('0');
    if !is_number || is_octal {
        return Err(format!("{} is no whole number", excerpt(word)));
    }
    let number = i128::from_str_radix(digits, radix);
    Ok(sign * number.map_err(|_| format!("{} is too large a number", excerpt(word)))?)
}

/// The beginning of what stands where something else is expected.
fn excerpt(text: &str) -> String {
    match text.chars().take(20).collect::<String>() {
        none if none.is_empty() => "its end".to_owned(),
        start => format!("{start:?}"),
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |items: &[Literal]| {
            let items = items.iter().map(Literal::to_string);
            items.collect::<Vec<_>>().join(", ")
        };
        match self {
            Literal::Text(text) => write!(f, "'{}'", text.escape_debug()),
            Literal::Integer(number) => write!(f, "{number}"),
            Literal::Bool(true) => write!(f, "True"),
            Literal::Bool(false) => write!(f, "False"),
            Literal::Tuple(items) if items.len() == 1 => write!(f, "({},)", items[0]),
            Literal::Tuple(items) => write!(f, "({})", list(items)),
            Literal::List(items) => write!(f, "[{}]", list(items)),
            Literal::Dict(entries) => {
                let entries = entries.iter().map(|(key, value)| format!("{key}: {value}"));
                write!(f, "{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
        }
    }
}
