//! Formula text to a tree, by precedence climbing.

use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;

use super::fact::Fact;
use super::tree::{FUNCTIONS, Formula, NamedValue, Node, Operator};
use crate::source::nearest;

/// Parentheses may nest so deep; deeper text is refused before it can exhaust the stack.
const MAX_DEPTH: usize = 64;
/// Numbers and names that a formula may have, with named values written out.
const MAX_SIZE: usize = 4096;

/// What is wrong with the text of a formula, and where in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct FormulaError {
    /// Bytes of the text.
    pub at: Range<usize>,
    /// One sentence without a full stop.
    pub message: String,
}

impl Formula {
    /// Reads a formula: whole numbers, names, `+ - * / %`, comparisons, parentheses, the functions
    /// `ceil_div(a, b)`, `min(a, b)`, `max(a, b)`, `gcd(a, b)`, `next_pow2(a)`, `if(c, a, b)` and
    /// `blocks_per_sm(threads, registers, shared_bytes)`, and figures of the GPU such as `gpu.sm_count` and
    /// `cc.max_warps_per_sm`. Division rounds towards zero.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        Self::parse_with(text, &[])
    }

    /// The same, where names may also be those of `values`.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse_with(text: &str, values: &[Arc<NamedValue>]) -> Result<Self, FormulaError> {
        let text = text.to_owned();
        let root = parse(&text, values)?;
        Ok(Formula { text, root })
    }
}

/// The tree of `text`, where names may be those of `values`.
fn parse(text: &str, values: &[Arc<NamedValue>]) -> Result<Node, FormulaError> {
    let mut parser = Parser {
        text,
        values,
        at: 0,
        depth: 0,
        size: 0,
    };
    let node = parser.expression(0)?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.unexpected("an operator or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    values: &'a [Arc<NamedValue>],
    at: usize,
    depth: usize,
    size: usize,
}

impl<'a> Parser<'a> {
    fn expression(&mut self, least: u8) -> Result<Node, FormulaError> {
        let mut left = self.primary()?;
        let mut is_compared = false;
        while let Some((operator, symbol, precedence)) = self.operator() {
            if precedence < least {
                break;
            }
            if is_compared && precedence == COMPARES {
                let message = "comparisons do not follow one another; use parentheses";
                return Err(self.error(message.to_owned()));
            }
            is_compared |= precedence == COMPARES;
            self.at += symbol.len();
            // One above its own: operators of the same strength belong to the left, as in `a - b - c`.
            let right = self.expression(precedence + 1)?;
            left = Node::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    /// The operator that stands next, with its symbol and how strongly it binds.
    fn operator(&mut self) -> Option<(Operator, &'static str, u8)> {
        self.peek();
        let rest = &self.text[self.at..];
        let mut all = OPERATORS.iter();
        all.find(|entry| rest.starts_with(entry.1)).copied()
    }

    /// Counts `more` numbers and names.
    fn grow(&mut self, more: usize) -> Result<(), FormulaError> {
        self.size += more;
        if self.size > MAX_SIZE {
            let message = format!("it is too long: more than {MAX_SIZE} numbers and names");
            return Err(self.error(message));
        }
        Ok(())
    }

    fn primary(&mut self) -> Result<Node, FormulaError> {
        self.grow(1)?;
        match self.peek() {
            Some('(') => self.nested(|parser| {
                let node = parser.expression(0)?;
                parser.expect(')')?;
                Ok(node)
            }),
            Some(first) if first.is_ascii_digit() => {
                let (range, word) = self.word();
                match word.parse() {
                    Ok(number) => Ok(Node::Number(number)),
                    Err(_) => Err(FormulaError {
                        at: range,
                        message: format!("`{word}` is not a whole number below 2^64"),
                    }),
                }
            }
            Some(first) if first.is_ascii_alphabetic() || first == '_' => {
                let (range, word) = self.word();
                if self.peek() == Some('(') {
                    self.call(range, word)
                } else {
                    self.name(range, word)
                }
            }
            _ => Err(self.unexpected("a number, a size or `(`")),
        }
    }

    fn name(&mut self, at: Range<usize>, word: &str) -> Result<Node, FormulaError> {
        if let Some(value) = self.values.iter().find(|value| value.name == word) {
            // A value may use the one above it twice, so that ten of them in a row stand for a thousand nodes.
            self.grow(value.formula.root.size())?;
            return Ok(Node::Value(value.clone()));
        }
        // Whether it is a size of the lesson, whoever reads the lesson checks: formulas are also read without one.
        if !word.contains('.') {
            return Ok(Node::Name(word.to_owned()));
        }
        Fact::from_name(word).map(Node::Fact).ok_or_else(|| {
            let guess = nearest(word, Fact::names()).first().map_or_else(
                || format!("there are {}", Fact::names().collect::<Vec<_>>().join(", ")),
                |guess| format!("perhaps `{guess}`"),
            );
            let message = format!("no figure of a GPU is called `{word}`; {guess}");
            FormulaError { at, message }
        })
    }

    fn call(&mut self, range: Range<usize>, name: &str) -> Result<Node, FormulaError> {
        let Some(&(function, _, count)) = FUNCTIONS.iter().find(|entry| entry.1 == name) else {
            let names = FUNCTIONS.iter().map(|entry| entry.1);
            let guess = nearest(name, names.clone()).first().map_or_else(
                || format!("one of {}", names.collect::<Vec<_>>().join(", ")),
                |guess| format!("perhaps `{guess}`"),
            );
            return Err(FormulaError {
                at: range,
                message: format!("there is no function `{name}`; {guess}"),
            });
        };
        let arguments = self.nested(|parser| {
            let mut arguments = vec![parser.expression(0)?];
            while parser.peek() == Some(',') {
                parser.at += 1;
                arguments.push(parser.expression(0)?);
            }
            parser.expect(')')?;
            Ok(arguments)
        })?;
        if arguments.len() != count {
            return Err(FormulaError {
                at: range.start..self.at,
                message: format!("`{name}` takes {count}, not {}", arguments.len()),
            });
        }
        Ok(Node::Call(function, arguments))
    }

    /// Steps over `(` and reads what it holds.
    fn nested<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<T, FormulaError>,
    ) -> Result<T, FormulaError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(format!("more than {MAX_DEPTH} parentheses are open")));
        }
        self.at += 1;
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    fn word(&mut self) -> (Range<usize>, &'a str) {
        let rest = &self.text[self.at..];
        let length = rest
            // A point belongs to the word: `gpu.sm_count` is one name.
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.')
            .unwrap_or(rest.len());
        let range = self.at..self.at + length;
        self.at = range.end;
        (range.clone(), &self.text[range])
    }

    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at = self.text.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn expect(&mut self, wanted: char) -> Result<(), FormulaError> {
        if self.peek() != Some(wanted) {
            return Err(self.unexpected(&format!("`{wanted}`")));
        }
        self.at += wanted.len_utf8();
        Ok(())
    }

    fn unexpected(&mut self, expected: &str) -> FormulaError {
        let found = self
            .peek()
            .map_or_else(|| "it ends".to_owned(), |found| format!("`{found}` stands"));
        self.error(format!("{found} where {expected} is expected"))
    }

    fn error(&self, message: String) -> FormulaError {
        let next = self.text[self.at..].chars().next();
        FormulaError {
            at: self.at..self.at + next.map_or(0, char::len_utf8),
            message,
        }
    }
}

/// How strongly a comparison binds: less than all else.
const COMPARES: u8 = 0;

/// Operators with their symbols and how strongly they bind; a symbol stands before its beginning.
const OPERATORS: [(Operator, &str, u8); 11] = [
    (Operator::AtMost, "<=", COMPARES),
    (Operator::AtLeast, ">=", COMPARES),
    (Operator::Equal, "==", COMPARES),
    (Operator::NotEqual, "!=", COMPARES),
    (Operator::Less, "<", COMPARES),
    (Operator::Greater, ">", COMPARES),
    (Operator::Add, "+", 1),
    (Operator::Subtract, "-", 1),
    (Operator::Multiply, "*", 2),
    (Operator::Divide, "/", 2),
    (Operator::Remainder, "%", 2),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (Range<usize>, String) {
        let error = Formula::parse(text).expect_err("does not read");
        (error.at, error.message)
    }

    #[test]
    fn a_mistake_is_named_at_its_place() {
        for (text, at, says) in [
            ("", 0..0, "it ends where a number"),
            ("M +", 3..3, "it ends"),
            ("M N", 2..3, "`N` stands where an operator"),
            ("2 * (M", 6..6, "`)`"),
            ("cell_div(M, 2)", 0..8, "perhaps `ceil_div`"),
            ("min(M)", 0..6, "`min` takes 2, not 1"),
            ("12x", 0..3, "`12x` is not a whole number"),
            ("é", 0..2, "`é` stands"),
            ("M = 1", 2..3, "`=` stands where an operator"),
            ("1 < M < 3", 6..7, "do not follow one another"),
            ("2*gpu.sm_cont", 2..13, "perhaps `gpu.sm_count`"),
            ("cc.xyzzyxyzzyxyzzyxyzzy", 0..23, "there are gpu.sm_count, "),
        ] {
            let (found_at, message) = error(text);
            assert_eq!(found_at, at, "{text}");
            assert!(message.contains(says), "{text}: {message}");
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        assert!(error(&"(".repeat(100_000)).1.contains("parentheses"));
        let long = vec!["1"; 100_000].join("+");
        assert!(error(&long).1.contains("too long"));
    }
}
