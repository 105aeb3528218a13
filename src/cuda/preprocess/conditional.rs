//! `#if` and its kin: which parts of the text count, and the arithmetic that decides it.

use crate::source::{Diagnostic, Span};

use super::preprocessor::Preprocessor;
use super::sides::{ARCHITECTURE, Split};
use crate::cuda::builtin;
use crate::cuda::lex::{self, Name, Punct, Token, TokenKind};

/// [cpp.cond]: asks whether a header is there.
const HAS_INCLUDE: &str = "__has_include";

/// The conditions that are open.
#[derive(Default)]
pub struct Conditions {
    open: Vec<Condition>,
}

struct Condition {
    span: Span,
    is_active: bool,
    /// Whether no later branch may be taken.
    is_settled: bool,
    /// Where `#else` stands.
    otherwise: Option<Span>,
    /// Where the host reads another branch than the GPU.
    split: Option<Split>,
}

impl Conditions {
    /// Whether text counts here.
    pub fn is_active(&self) -> bool {
        // The innermost is enough: a condition within skipped text is never active itself.
        self.open.last().is_none_or(|condition| condition.is_active)
    }

    /// Reports what the end of the file leaves open.
    pub fn finish(self, diagnostics: &mut Vec<Diagnostic>) {
        for condition in self.open {
            diagnostics.push(
                Diagnostic::error(condition.span, "this condition is never closed")
                    .help("add `#endif` where it ends"),
            );
        }
    }
}

impl Preprocessor<'_> {
    /// `#if`, `#ifdef`, `#ifndef`, `#elif`, `#else` or `#endif`.
    pub fn conditional(
        &mut self,
        word: &str,
        span: Span,
        rest: &[Token],
        conditions: &mut Conditions,
    ) {
        if word.starts_with("if") {
            return self.open_condition(word, span, rest, conditions);
        }
        let Some(condition) = conditions.open.last_mut() else {
            let message = format!("`#{word}` without an `#if` before it");
            return self.report(Diagnostic::error(span, message));
        };
        if word == "endif" {
            let ended = conditions.open.pop();
            if let Some(split) = ended.and_then(|condition| condition.split) {
                self.join(split);
            }
            return;
        }
        if let Some(otherwise) = condition.otherwise {
            let message = format!("`#{word}` after `#else`");
            let error = Diagnostic::error(span, message).also(otherwise, "`#else` is here");
            return self.report(error);
        }
        if word == "else" {
            condition.otherwise = Some(span);
        }
        self.next_branch(condition, span, rest);
    }

    fn open_condition(
        &mut self,
        word: &str,
        span: Span,
        rest: &[Token],
        conditions: &mut Conditions,
    ) {
        let outer = conditions.is_active();
        let is_active = outer && self.holds(word, span, rest);
        let split = match outer && conditions.open.iter().all(|other| other.split.is_none()) {
            true => self.split(word, span, rest, is_active),
            false => None,
        };
        let is_of_host = split.as_ref().is_some_and(Split::is_of_host);
        conditions.open.push(Condition {
            split,
            span,
            is_active: is_active || is_of_host,
            // Within what is skipped, no branch may be taken, whatever it says ([cpp.cond]).
            is_settled: !outer || is_active,
            otherwise: None,
        });
    }

    /// `#elif` or `#else`, behind which `rest` stands.
    fn next_branch(&mut self, condition: &mut Condition, span: Span, rest: &[Token]) {
        let is_else = condition.otherwise.is_some();
        if let Some(split) = &mut condition.split {
            self.end_of_host(split);
        }
        // [cpp.cond]: `#elif` is evaluated only while no branch was taken, so `#if 1 … #elif 1 / 0` is no error.
        condition.is_active = !condition.is_settled && (is_else || self.holds("if", span, rest));
        condition.is_settled |= condition.is_active;
        if let Some(split) = &mut condition.split {
            condition.is_active |= self.next_of_host(split, is_else, rest);
        }
    }

    pub fn holds(&mut self, word: &str, span: Span, rest: &[Token]) -> bool {
        if word == "if" {
            return self.evaluate(span, rest) != 0;
        }
        match rest.first().and_then(Token::ident) {
            Some(name) => self.is_defined(name) == (word == "ifdef"),
            None => {
                let message = format!("expected a name after `#{word}`");
                self.report(Diagnostic::error(span, message));
                false
            }
        }
    }

    /// Whether a name is a macro, of the file or of a header of the host's.
    fn is_defined(&self, name: &Name) -> bool {
        // nvcc reads a program twice, and defines it for the GPU's half only.
        if self.is_program && &**name == ARCHITECTURE {
            return self.macros.contains_key(ARCHITECTURE) && self.in_gpu_code();
        }
        let is_macro = |name: &str| builtin::constant(name).is_some() && name != "warpSize";
        self.macros.contains_key(name) || is_macro(name) || &**name == HAS_INCLUDE
    }

    /// Whether what was read so far ends in the body of a kernel or `__device__` function.
    fn in_gpu_code(&self) -> bool {
        self.is_in_body_of(&["__device__", "__global__"])
    }

    /// Whether it ends in the body of a function before which one of these words stands.
    pub fn is_in_body_of(&self, words: &[&str]) -> bool {
        let (mut depth, mut is_head) = (0i32, false);
        // Backwards through the blocks that are open: before the `{` of each stands what it is the body of.
        for token in self.output.iter().rev() {
            match token.kind {
                TokenKind::Punct(Punct::CloseBrace) => {
                    (depth, is_head) = (depth + 1, false);
                }
                TokenKind::Punct(Punct::OpenBrace) => {
                    is_head = depth == 0;
                    depth = (depth - 1).max(0);
                }
                TokenKind::Punct(Punct::Semicolon) => is_head = false,
                _ => {}
            }
            let word = token.ident().map_or("", |word| word);
            if is_head && words.contains(&word) {
                return true;
            }
        }
        false
    }

    /// The tokens of a condition, with a number for each `defined X` and `__has_include(<x>)`.
    fn answer_defined(&self, rest: &[Token]) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(rest.len());
        let mut at = 0;
        while let Some(token) = rest.get(at) {
            let (is_so, length) = match token.ident().map(|name| &**name) {
                Some("defined") => {
                    // `defined(X)` is four tokens, `defined X` is two.
                    let (name, length) = match rest.get(at + 1) {
                        Some(open) if open.is(Punct::OpenParen) => (rest.get(at + 2), 4),
                        other => (other, 2),
                    };
                    let name = name.and_then(Token::ident);
                    (name.is_some_and(|name| self.is_defined(name)), length)
                }
                Some(HAS_INCLUDE) => {
                    let mut inner = rest[at + 1..].iter();
                    let close = inner.position(|token| token.is(Punct::CloseParen));
                    let end = close.map_or(rest.len(), |close| at + 1 + close);
                    let inner = rest.get(at + 2..end).unwrap_or_default();
                    (self.has_header(inner, token.span), end + 1 - at)
                }
                _ => {
                    tokens.push(token.clone());
                    at += 1;
                    continue;
                }
            };
            let text = if is_so { "1" } else { "0" };
            tokens.push(Token::new(TokenKind::Number(text.into()), token.span));
            at += length;
        }
        tokens
    }

    /// The value of `#if`'s expression; 0 where it is wrong, which is reported.
    fn evaluate(&mut self, span: Span, rest: &[Token]) -> i64 {
        // `defined X` is answered before macros are expanded, or `X` would be replaced.
        let tokens = self.answer_defined(rest);
        let tokens = self.expand(tokens, 0);
        self.warn_of_unknown(rest, &tokens);
        let mut evaluator = Evaluator {
            tokens: &tokens,
            at: 0,
            depth: 0,
        };
        // Everything must be used up: `#if 1 2` has no value.
        let result = evaluator.expression(0).and_then(|value| {
            let left = tokens.get(evaluator.at);
            left.map_or(Ok(value), |token| Err(unexpected(Some(token))))
        });
        let result = result.unwrap_or_else(|message| {
            let at = rest.first().map_or(span, |token| span.to(token.span));
            let error = Diagnostic::error(at, format!("this condition has no value: {message}"));
            self.report(error);
            Value::from(0)
        });
        result.bits
    }

    /// Says that names which nobody defines count as 0: a header that is left out here may define them. Not of
    /// `defined(X) && X > 1`, where `written` asks for it.
    fn warn_of_unknown(&mut self, written: &[Token], tokens: &[Token]) {
        let words: Vec<&Name> = written.iter().filter_map(Token::ident).collect();
        let asked = |name: &str, pair: &[&Name]| &**pair[0] == "defined" && &**pair[1] == name;
        let is_asked = |name: &str| words.windows(2).any(|pair| asked(name, pair));
        let unknown = |token: &&Token| {
            let name = token.ident().map_or("true", |name| name);
            !matches!(name, "true" | "false")
                && builtin::constant(name).is_none()
                && !is_asked(name)
        };
        if let Some(token) = tokens.iter().find(unknown) {
            let name = token.ident().map_or("", |name| name);
            let message = format!("`{name}` is not defined, so it counts as 0 here");
            let warning = Diagnostic::warning(token.span, message);
            self.report(warning.help(format!("write `defined({name})`, or define it with `-D`")));
        }
    }
}

/// A value: of the widest integer type, signed or not ([cpp.cond]).
#[derive(Clone, Copy)]
struct Value {
    bits: i64,
    is_unsigned: bool,
}

impl From<i64> for Value {
    fn from(bits: i64) -> Self {
        let is_unsigned = false;
        Value { bits, is_unsigned }
    }
}

struct Evaluator<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: u32,
}

fn unexpected(token: Option<&Token>) -> String {
    match token {
        Some(token) => format!("did not expect {}", token.kind.describe()),
        None => "something is missing at its end".to_string(),
    }
}

impl Evaluator<'_> {
    fn expression(&mut self, least: u8) -> Result<Value, String> {
        self.depth += 1;
        // `#if ((((…` of any length would overflow the stack.
        if self.depth > 100 {
            return Err("it is nested too deeply".to_string());
        }
        let mut left = self.operand()?;
        while let Some(TokenKind::Punct(punct)) = self.tokens.get(self.at).map(|t| &t.kind) {
            let punct = *punct;
            let Some(strength) = strength(punct).filter(|&strength| strength >= least) else {
                break;
            };
            self.at += 1;
            if punct == Punct::Question {
                // [expr.cond]: the middle is read as if in parentheses, and `a ? b : c ? d : e` groups from the
                // right.
                let yes = self.expression(0)?;
                self.expect(Punct::Colon)?;
                let no = self.expression(strength)?;
                left = Value {
                    bits: if left.bits != 0 { yes.bits } else { no.bits },
                    is_unsigned: yes.is_unsigned || no.is_unsigned,
                };
                continue;
            }
            // One more for the right side: operators of one strength group from the left, `1 - 1 - 1` is -1.
            let right = self.expression(strength + 1)?;
            left = apply(punct, left, right)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn expect(&mut self, punct: Punct) -> Result<(), String> {
        match self.tokens.get(self.at) {
            Some(token) if token.is(punct) => {
                self.at += 1;
                Ok(())
            }
            token => Err(unexpected(token)),
        }
    }

    fn operand(&mut self) -> Result<Value, String> {
        let token = self.tokens.get(self.at);
        self.at += 1;
        match token.map(|token| &token.kind) {
            Some(TokenKind::Number(text)) => number(text),
            Some(TokenKind::Char(text)) => Ok(Value::from(lex::character(text)?.bits as i64)),
            // [cpp.cond]: names that are left after expansion are 0, but for `true` and what headers define.
            Some(TokenKind::Ident(name)) => match builtin::constant(name) {
                Some((of, bits)) if of.is_integer() => Ok(Value {
                    bits: bits as i64,
                    is_unsigned: !of.is_signed(),
                }),
                Some(_) => Err(format!("`{name}` is not an integer")),
                None => Ok(Value::from(i64::from(&**name == "true"))),
            },
            Some(TokenKind::Punct(Punct::OpenParen)) => {
                let value = self.expression(0)?;
                self.expect(Punct::CloseParen)?;
                Ok(value)
            }
            // 20 is above every infix operator: `!a && b` is `(!a) && b`.
            Some(TokenKind::Punct(Punct::Not)) => {
                let value = self.expression(20)?;
                Ok(Value::from(i64::from(value.bits == 0)))
            }
            Some(TokenKind::Punct(Punct::Plus)) => self.expression(20),
            Some(TokenKind::Punct(sign @ (Punct::Minus | Punct::Tilde))) => {
                let Value { bits, is_unsigned } = self.expression(20)?;
                let bits = match sign {
                    Punct::Minus => bits.wrapping_neg(),
                    _ => !bits,
                };
                Ok(Value { bits, is_unsigned })
            }
            _ => Err(unexpected(token)),
        }
    }
}

fn number(text: &str) -> Result<Value, String> {
    let value = lex::number(text)?;
    if !value.scalar.is_integer() {
        return Err(format!("`{text}` is not an integer"));
    }
    Ok(Value {
        bits: value.bits as i64,
        // `0xffffffff` is signed here: it has 64 bits.
        is_unsigned: value.bits > i64::MAX as u64 || text.contains(['u', 'U']),
    })
}

fn strength(punct: Punct) -> Option<u8> {
    Some(match punct {
        Punct::Question => 1,
        Punct::OrOr => 2,
        Punct::AndAnd => 3,
        Punct::Or => 4,
        Punct::Caret => 5,
        Punct::And => 6,
        Punct::EqEq | Punct::NotEq => 7,
        Punct::Lt | Punct::Gt | Punct::Le | Punct::Ge => 8,
        Punct::Shl | Punct::Shr => 9,
        Punct::Plus | Punct::Minus => 10,
        Punct::Star | Punct::Slash | Punct::Percent => 11,
        _ => return None,
    })
}

fn apply(punct: Punct, left: Value, right: Value) -> Result<Value, String> {
    let (a, b) = (left.bits, right.bits);
    let shifts = matches!(punct, Punct::Shl | Punct::Shr);
    // [expr.arith.conv]: if one side is unsigned, both are; a shift goes by its left side.
    let is_unsigned = left.is_unsigned || right.is_unsigned && !shifts;
    let (ua, ub) = (a as u64, b as u64);
    let order = if is_unsigned { ua.cmp(&ub) } else { a.cmp(&b) };
    if b == 0 && matches!(punct, Punct::Slash | Punct::Percent) {
        return Err("it divides by zero".to_string());
    }
    let truth = |holds: bool| Ok(Value::from(i64::from(holds)));
    // [cpp.cond] computes in the widest integer type; a sum that overflows must not panic here.
    let bits = match punct {
        Punct::OrOr => return truth(a != 0 || b != 0),
        Punct::AndAnd => return truth(a != 0 && b != 0),
        Punct::EqEq => return truth(a == b),
        Punct::NotEq => return truth(a != b),
        Punct::Lt => return truth(order.is_lt()),
        Punct::Gt => return truth(order.is_gt()),
        Punct::Le => return truth(order.is_le()),
        Punct::Ge => return truth(order.is_ge()),
        Punct::Or => a | b,
        Punct::Caret => a ^ b,
        Punct::And => a & b,
        Punct::Shl => a.wrapping_shl(b as u32),
        Punct::Shr if is_unsigned => ua.wrapping_shr(b as u32) as i64,
        Punct::Shr => a.wrapping_shr(b as u32),
        Punct::Plus => a.wrapping_add(b),
        Punct::Minus => a.wrapping_sub(b),
        Punct::Star => a.wrapping_mul(b),
        Punct::Slash if is_unsigned => (ua / ub) as i64,
        Punct::Slash => a.wrapping_div(b),
        _ if is_unsigned => (ua % ub) as i64,
        _ => a.wrapping_rem(b),
    };
    Ok(Value { bits, is_unsigned })
}
