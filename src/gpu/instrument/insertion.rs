//! Where text may be put into a file, by its words.
//!
//! With `#define AT(a, i) a[i]`, all of `AT(x, j)` can be wrapped, and so can `j`; the load of `x[j]` has
//! no text of its own.
//!
//! Spans of what a macro made cover the macro's use, or run from one of its arguments into another.
//! Text can be put around a whole use, or within one argument, and nowhere else.

use crate::cuda::tokens;
use crate::source::{SourceFile, Span};

/// The words of a file, and the uses of macros among them.
pub(crate) struct InsertionPoints<'a> {
    pub file: &'a SourceFile,
    tokens: Vec<Span>,
    uses: Vec<MacroUse>,
    /// Names of macros without parameters.
    constants: Vec<String>,
}

/// A use of a macro with parameters.
struct MacroUse {
    whole: Span,
    arguments: Vec<Span>,
}

impl<'a> InsertionPoints<'a> {
    /// Reads `file`, with the macros `defines` from outside.
    pub fn new(file: &'a SourceFile, defines: &[(String, String)]) -> Self {
        let (mut tokens, _) = tokens(file.text());
        // The end of the file is an empty token.
        tokens.retain(|token| token.start < token.end);
        let mut points = InsertionPoints {
            file,
            tokens,
            uses: Vec::new(),
            constants: defines.iter().map(|define| define.0.clone()).collect(),
        };
        points.find_macros();
        points
    }

    fn word(&self, at: usize) -> &'a str {
        let token = self.tokens.get(at).copied();
        token.map_or("", |token| self.file.slice(token))
    }

    /// The first word at or behind a byte.
    fn at(&self, byte: u32) -> usize {
        self.tokens.partition_point(|token| token.start < byte)
    }

    fn find_macros(&mut self) {
        let mut functions = Vec::new();
        for at in 0..self.tokens.len() {
            if self.word(at) != "#" || self.word(at + 1) != "define" {
                continue;
            }
            let name = self.word(at + 2).to_owned();
            // `#define A(x)` has parameters, `#define A (x)` has none.
            let adjoins = match self.tokens.get(at + 2..at + 4) {
                Some([name, next]) => name.end == next.start,
                _ => false,
            };
            match self.word(at + 3) == "(" && adjoins {
                true => functions.push(name),
                false => self.constants.push(name),
            }
        }
        for at in 0..self.tokens.len() {
            let is_use = self.word(at + 1) == "(" && self.word(at.wrapping_sub(1)) != "define";
            if is_use && functions.iter().any(|name| name == self.word(at)) {
                let found = self.macro_use(at);
                self.uses.extend(found);
            }
        }
    }

    /// The use of a macro whose name is token `at`.
    fn macro_use(&self, at: usize) -> Option<MacroUse> {
        let mut arguments = Vec::new();
        let (mut depth, mut from) = (0, self.tokens.get(at + 1)?.end);
        for next in at + 1..self.tokens.len() {
            let token = self.tokens[next];
            match self.word(next) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 || depth == 1 && self.word(next) == "," {
                let end = token.start;
                arguments.push(Span { start: from, end });
                from = token.end;
            }
            if depth == 0 {
                let whole = self.tokens[at].to(token);
                return Some(MacroUse { whole, arguments });
            }
        }
        None
    }

    /// Whether text may be put before and behind `span`.
    pub fn fits(&self, span: Span) -> bool {
        let holds = |outer: Span| outer.start <= span.start && span.end <= outer.end;
        let is_there = span.start < span.end && !self.file.slice(span).is_empty();
        is_there
            && self.uses.iter().all(|used| {
                let whole = used.whole;
                let apart = span.end <= whole.start || whole.end <= span.start;
                let around = span.start <= whole.start && whole.end <= span.end;
                apart || around || used.arguments.iter().any(|&argument| holds(argument))
            })
    }

    /// The word that begins where `span` does.
    fn beginning_at(&self, span: Span) -> Option<usize> {
        let first = self.at(span.start);
        let token = self.tokens.get(first)?;
        (token.start == span.start).then_some(first)
    }

    /// Whether the first or last word of `span` is, or belongs to, the use of a macro.
    pub fn ends_in_macro(&self, span: Span) -> bool {
        let of_use = |used: &MacroUse| used.whole.start == span.start || used.whole.end == span.end;
        let is_constant = |at: Option<usize>| {
            at.is_some_and(|at| self.constants.iter().any(|name| name == self.word(at)))
        };
        let mut tokens = self.tokens.iter();
        let last = tokens.position(|token| token.end == span.end);
        let first = self.beginning_at(span);
        self.uses.iter().any(of_use) || is_constant(first) || is_constant(last)
    }

    /// Whether `span` is written as a call, `name(…)`.
    pub fn is_call(&self, span: Span) -> bool {
        let first = self.at(span.start);
        let is_name = self
            .word(first)
            .starts_with(|c: char| c.is_alphabetic() || c == '_');
        is_name && self.word(first + 1) == "("
    }

    /// The word before a byte.
    pub fn before(&self, byte: u32) -> &'a str {
        self.word(self.at(byte).wrapping_sub(1))
    }

    /// The word at or behind a byte.
    pub fn behind(&self, byte: u32) -> &'a str {
        self.word(self.at(byte))
    }

    /// The end of the `;` that ends the statement at `span`; nothing where the statement does not
    /// stand among others in braces, or governed by an `if` or loop, but in the head of one.
    pub fn semicolon(&self, span: Span) -> Option<u32> {
        let first = self.at(span.start);
        let mut depth = 0;
        // Backwards to what begins the statement; an open bracket before it is the head of a `for`.
        for at in (0..first).rev() {
            match self.word(at) {
                ")" | "]" => depth += 1,
                "(" | "[" if depth == 0 => return None,
                "(" | "[" => depth -= 1,
                ";" | "{" | "}" if depth == 0 => break,
                _ => {}
            }
        }
        let next = self.behind_semicolon(self.at(span.end))?;
        Some(self.tokens[next - 1].end)
    }

    /// Where text can go before the statement that begins at a byte and before the `#pragma` lines above it;
    /// nothing where what stands above those is another directive, which takes a line for itself.
    pub fn before_pragmas(&self, byte: u32) -> Option<u32> {
        let mut first = self.at(byte);
        while let Some(above) = first.checked_sub(1) {
            let end = self.tokens[above].end;
            let text = &self.file.text()[..end as usize];
            let line = text.rfind('\n').map_or(0, |newline| newline + 1);
            let directive = text[line..].trim_start().strip_prefix('#');
            match (directive.map(str::trim_start), first == self.at(byte)) {
                (Some(directive), _) if directive.starts_with("pragma") => {
                    first = self.at(line as u32);
                }
                (_, true) => return Some(byte),
                (Some(_), false) => return None,
                (None, false) => return Some(end),
            }
        }
        (first == self.at(byte)).then_some(byte)
    }

    /// The whole of the `if` or loop that begins where `span` does.
    pub fn statement(&self, span: Span) -> Option<Span> {
        let first = self.beginning_at(span)?;
        matches!(self.word(first), "if" | "for" | "while" | "do").then_some(())?;
        let behind = self.behind_statement(first)?;
        Some(span.to(self.tokens[behind - 1]))
    }

    /// The word behind the statement that begins at word `at`.
    fn behind_statement(&self, at: usize) -> Option<usize> {
        match self.word(at) {
            "" => None,
            "{" => self.behind_group(at),
            "if" => {
                let is_constant = self.word(at + 1) == "constexpr";
                let head = self.behind_group(at + 1 + usize::from(is_constant))?;
                let behind = self.behind_statement(head)?;
                match self.word(behind) {
                    "else" => self.behind_statement(behind + 1),
                    _ => Some(behind),
                }
            }
            // `while` of a `do` is not met here: `do` goes over its own.
            "for" | "while" | "switch" => self.behind_statement(self.behind_group(at + 1)?),
            "do" => {
                let test = self.behind_statement(at + 1)? + 1;
                Some(self.behind_group(test)? + 1)
            }
            _ => self.behind_semicolon(at),
        }
    }

    /// The word behind the semicolon that ends what word `at` is a part of.
    fn behind_semicolon(&self, at: usize) -> Option<usize> {
        let mut at = at;
        loop {
            at = match self.word(at) {
                "" | ")" | "]" | "}" => return None,
                ";" => return Some(at + 1),
                "(" | "[" | "{" => self.behind_group(at)?,
                _ => at + 1,
            };
        }
    }

    /// The word behind the bracket that closes the one at word `at`.
    fn behind_group(&self, at: usize) -> Option<usize> {
        let mut depth = 0_u32;
        for at in at..self.tokens.len() {
            match self.word(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }

    /// Whether a name in the text begins with `prefix`.
    pub fn has_name_with_prefix(&self, prefix: &str) -> bool {
        (0..self.tokens.len()).any(|at| self.word(at).starts_with(prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str, part: &str) -> Span {
        let start = text.find(part).expect("is there");
        Span::new(start, start + part.len())
    }

    #[test]
    fn statements_end_where_they_end() {
        let text = "void f() { for (int i = 0; i < n; ++i) if (a[i]) { x(); } else do y(); while (z); \
                    w = {1, 2}; while (v) u++; }";
        let file = SourceFile::new("k.cu", text);
        let points = InsertionPoints::new(&file, &[]);
        let whole = |part| {
            points
                .statement(span(text, part))
                .map(|span| file.slice(span))
        };
        let loop_ = "for (int i = 0; i < n; ++i) if (a[i]) { x(); } else do y(); while (z);";
        assert_eq!(whole("for"), Some(loop_));
        assert_eq!(whole("if"), Some(&loop_[28..]));
        assert_eq!(whole("do y"), Some("do y(); while (z);"));
        assert_eq!(whole("while (v)"), Some("while (v) u++;"));
        assert_eq!(whole("w ="), None);
    }

    #[test]
    fn text_goes_before_the_pragmas_of_a_loop() {
        let before = |text: &str| {
            let file = SourceFile::new("k.cu", text);
            let at = text.find("for").expect("is there") as u32;
            InsertionPoints::new(&file, &[])
                .before_pragmas(at)
                .map(|byte| byte as usize)
        };
        assert_eq!(before("x = 1; for (;;) {}"), Some(7));
        let text = "x = 1; // one\n  # pragma unroll 4\n\n#pragma nounroll\nfor (;;) {}";
        assert_eq!(before(text), Some(6));
        assert_eq!(before("#endif\nfor (;;) {}"), Some(7));
        assert_eq!(before("#endif\n#pragma unroll\nfor (;;) {}"), None);
    }

    #[test]
    fn text_goes_around_uses_of_macros_or_into_one_argument() {
        let text = "#define AT(a, i) a[i]\nvoid f() { y = AT(x, j + 1) + AT(p, q); }";
        let file = SourceFile::new("k.cu", text);
        let points = InsertionPoints::new(&file, &[]);
        let fits = |part| points.fits(span(text, part));
        assert!(fits("AT(x, j + 1)") && fits("j + 1") && fits("y = AT(x, j + 1) + AT(p, q)"));
        assert!(!fits("x, j") && !fits("AT(x") && !fits("1) + AT"));
        assert!(points.ends_in_macro(span(text, "AT(x, j + 1)")));
        assert!(!points.ends_in_macro(span(text, "j + 1")));
    }

    #[test]
    fn statements_end_at_a_semicolon_of_their_own() {
        let text = "{ int a = f(1); for (int i = 0; i < 2; ++i) { b[i] = 3; } c = 4; }";
        let file = SourceFile::new("k.cu", text);
        let points = InsertionPoints::new(&file, &[]);
        let ends = |part| {
            let end = points.semicolon(span(text, part))?;
            Some(&text[..end as usize])
        };
        assert_eq!(ends("int a = f(1)"), Some("{ int a = f(1);"));
        assert_eq!(ends("int i = 0"), None);
        assert!(ends("b[i] = 3").is_some_and(|text| text.ends_with("b[i] = 3;")));
        assert!(ends("c = 4").is_some_and(|text| text.ends_with("c = 4;")));
    }
}
