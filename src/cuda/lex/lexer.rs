//! Text to tokens.
//!
//! Comments and joined lines become blanks. Directives are not known here: `#` is a token like any
//! other, and tokens remember whether they begin a line. The list ends with [`TokenKind::End`].

use crate::source::{Diagnostic, Span};

use super::token::{Bad, Name, Punct, Token, TokenKind};

/// The tokens of `text`, and what is wrong with its comments.
pub fn lex(text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer {
        text,
        at: 0,
        // Ordinary code has a token for about every four bytes; a wrong guess only costs a reallocation.
        tokens: Vec::with_capacity(text.len() / 4 + 1),
        diagnostics: Vec::new(),
    };
    lexer.run();
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let mut first_on_line = true;
        loop {
            let begin = self.at;
            // A token that ends one line's blanks and begins the next one's code begins a line, too.
            first_on_line |= self.skip_blanks();
            let start = self.at;
            let kind = self.token();
            let is_end = kind == TokenKind::End;
            self.tokens.push(Token {
                kind,
                span: Span::new(start, self.at),
                first_on_line,
                after_space: start > begin,
                painted: false,
                is_library: false,
            });
            first_on_line = false;
            if is_end {
                return;
            }
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn byte(&self, ahead: usize) -> u8 {
        let bytes = self.text.as_bytes();
        // Behind the end stands NUL, which begins no token: nobody who looks ahead has to test for the end.
        bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips blanks and comments; whether a new line began.
    fn skip_blanks(&mut self) -> bool {
        let mut new_line = false;
        while self.at < self.text.len() {
            match (self.byte(0), self.byte(1)) {
                (b'\n', _) => {
                    new_line = true;
                    self.at += 1;
                }
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
                // Phase 2 of translation ([lex.phases]) joins lines before there are tokens; here a joined line
                // counts as a blank, which differs only within a token, where nobody writes it.
                (b'\\', b'\n') => self.at += 2,
                (b'\\', b'\r') if self.byte(2) == b'\n' => self.at += 3,
                // As GCC and nvcc have it: blanks between the backslash and the end of its line do no harm.
                (b'\\', b' ' | b'\t') if self.blanks_to_end(1).is_some() => {
                    self.at += self.blanks_to_end(1).unwrap_or(1);
                }
                // nvcc's preprocessor takes the comment out, and leaves a backslash at the end of its line.
                (b'\\', b' ' | b'\t') if self.comment_follows(1) => self.at += 1,
                (b'/', b'/') => self.skip_line_comment(),
                (b'/', b'*') => self.skip_block_comment(),
                // A byte order mark, as some editors put at the start of a file.
                _ if self.rest().starts_with('\u{feff}') => self.at += 3,
                _ => break,
            }
        }
        new_line
    }

    /// How far the next line begins, if only blanks stand before it from `ahead` on.
    fn blanks_to_end(&self, ahead: usize) -> Option<usize> {
        let bytes = self.text.as_bytes().get(self.at + ahead..)?;
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        let count = bytes.iter().take_while(|byte| is_blank(byte)).count();
        (bytes.get(count) == Some(&b'\n')).then_some(ahead + count + 1)
    }

    /// Whether only blanks stand before a `//` comment from `ahead` on.
    fn comment_follows(&self, ahead: usize) -> bool {
        let rest = self.rest().get(ahead..).unwrap_or_default();
        rest.trim_start_matches([' ', '\t']).starts_with("//")
    }

    fn skip_line_comment(&mut self) {
        while self.at < self.text.len() && self.byte(0) != b'\n' {
            // A backslash at the end of a `//` comment carries it on to the next line ([lex.phases], phase 2).
            let joined = self.byte(0) == b'\\' && self.byte(1) == b'\n';
            self.at += if joined { 2 } else { 1 };
        }
    }

    fn skip_block_comment(&mut self) {
        let start = self.at;
        // [lex.comment]: comments do not nest, so the first `*/` ends this one.
        match self.rest()[2..].find("*/") {
            Some(length) => self.at += length + 4,
            None => {
                self.at = self.text.len();
                let span = Span::new(start, start + 2);
                self.diagnostics.push(
                    Diagnostic::error(span, "this comment is never closed")
                        .label("it begins here")
                        .help("add `*/` where it ends"),
                );
            }
        }
    }

    fn token(&mut self) -> TokenKind {
        let Some(first) = self.rest().chars().next() else {
            return TokenKind::End;
        };
        match first {
            '0'..='9' => self.number(),
            // `.5` is a number, `.x` and `...` begin with operators.
            '.' if self.byte(1).is_ascii_digit() => self.number(),
            '\'' => self.quoted(b'\'', TokenKind::Char, Bad::OpenChar),
            '"' => self.quoted(b'"', TokenKind::Str, Bad::OpenString),
            first if is_word(first) => self.word(),
            first => match Punct::longest(self.rest()) {
                Some(punct) => {
                    self.at += punct.spelling().len();
                    TokenKind::Punct(punct)
                }
                // It stays a token, as characters that C++ does not use do no harm in text that `#if 0` skips.
                None => {
                    self.at += first.len_utf8();
                    TokenKind::Bad(Bad::Character(first))
                }
            },
        }
    }

    /// `R"x(text)x"`: its text with escapes for what is none in it ([lex.string]).
    fn raw_string(&mut self) -> Option<TokenKind> {
        let rest = self.rest().strip_prefix("R\"")?;
        let (delimiter, behind) = rest.split_once('(')?;
        let end = format!("){delimiter}\"");
        let length = behind.find(&end)?;
        let text = &behind[..length];
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        let kind = TokenKind::Str(escaped.replace('\n', "\\n").into());
        self.at += 2 + delimiter.len() + 1 + length + end.len();
        Some(kind)
    }

    fn word(&mut self) -> TokenKind {
        if let Some(raw) = self.raw_string() {
            return raw;
        }
        let rest = self.rest();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let kind = match Punct::from_word(&rest[..length]) {
            Some(punct) => TokenKind::Punct(punct),
            None => TokenKind::Ident(rest[..length].into()),
        };
        self.at += length;
        kind
    }

    /// A preprocessing number: everything that a number could contain, right or wrong.
    fn number(&mut self) -> TokenKind {
        let start = self.at;
        loop {
            let (byte, next) = (self.byte(0), self.byte(1));
            // [lex.ppnumber]: `1e+5` is one number. So is `0xe+1` there, which compilers then refuse; here it is the
            // sum that it looks like.
            let exponent = matches!(byte, b'e' | b'E' | b'p' | b'P') && !self.is_hex_digit(start);
            if exponent && matches!(next, b'+' | b'-') {
                self.at += 2;
            } else if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') {
                self.at += 1;
            // C++14's digit separators: `1'000`.
            } else if byte == b'\'' && next.is_ascii_alphanumeric() {
                self.at += 2;
            } else {
                return TokenKind::Number(self.text[start..self.at].into());
            }
        }
    }

    /// Whether `e` is a digit here: in hexadecimal numbers `0xe+1` is a sum.
    fn is_hex_digit(&self, start: usize) -> bool {
        let number = &self.text[start..self.at];
        let is_hex = number.starts_with("0x") || number.starts_with("0X");
        is_hex && matches!(self.byte(0), b'e' | b'E')
    }

    fn quoted(&mut self, quote: u8, kind: impl Fn(Name) -> TokenKind, bad: Bad) -> TokenKind {
        self.at += 1;
        let start = self.at;
        while self.at < self.text.len() {
            // [lex.string]: a literal ends on its own line.
            match self.byte(0) {
                b'\n' => break,
                byte if byte == quote => {
                    // [lex.phases]: a backslash at the end of a line joins it with the next.
                    let content = self.text[start..self.at].replace("\\\n", "");
                    self.at += 1;
                    return kind(content.into());
                }
                b'\\' if self.byte(1) == b'\n' => self.at += 2,
                b'\\' if !matches!(self.byte(1), b'\n' | 0) && self.byte(1).is_ascii() => {
                    self.at += 2
                }
                _ => self.at += 1,
            }
        }
        TokenKind::Bad(bad)
    }
}

fn is_word(character: char) -> bool {
    // `$` is no letter in [lex.name], but GCC and Clang take it as one.
    character.is_ascii_alphanumeric() || character == '_' || character == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spellings(text: &str) -> Vec<String> {
        let (tokens, _) = lex(text);
        tokens.iter().map(|token| token.kind.spelling()).collect()
    }

    #[test]
    fn operators_take_the_longest_spelling() {
        assert_eq!(
            spellings("a<<=b>>c->d+++e"),
            ["a", "<<=", "b", ">>", "c", "->", "d", "++", "+", "e", ""]
        );
    }

    #[test]
    fn numbers_keep_their_suffixes_exponents_and_separators() {
        assert_eq!(
            spellings("1e-5f 0xe+1 1'000u .5 0x1p-3"),
            ["1e-5f", "0xe", "+", "1", "1'000u", ".5", "0x1p-3", ""]
        );
    }

    #[test]
    fn comments_and_joined_lines_are_blanks() {
        let (tokens, diagnostics) = lex("a /* \n */ b \\\n c // d\ne");
        assert!(diagnostics.is_empty());
        let firsts: Vec<bool> = tokens.iter().map(|token| token.first_on_line).collect();
        assert_eq!(firsts, [true, false, false, true, false]);
    }

    #[test]
    fn what_is_no_token_is_kept_with_its_reason() {
        let (tokens, _) = lex("é 'x");
        assert_eq!(tokens[0].kind, TokenKind::Bad(Bad::Character('é')));
        assert_eq!(tokens[1].kind, TokenKind::Bad(Bad::OpenChar));
        let (_, diagnostics) = lex("int /* x");
        assert_eq!(diagnostics[0].span(), Span::new(4, 6));
    }
}
