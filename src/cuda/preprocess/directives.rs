//! Directives: which parts of a text count, and what is defined and included.

use std::rc::Rc;

use crate::source::{Diagnostic, Severity, SourceFile, Span, nearest};

use super::conditional::Conditions;
use super::headers;
use super::host_headers;
use super::pack::{self, packed};
use super::preprocessor::{Macro, Preprocessor};
use crate::cuda::lex::{Name, Punct, Token, TokenKind, lex};

/// The tokens of `file` after preprocessing, ending with [`TokenKind::End`], and what is wrong.
/// `defines` are names and values as given by `-D NAME=VALUE`.
/// Of a whole program, the headers of the host are read as well.
pub fn preprocess(
    file: &SourceFile,
    defines: &[(String, String)],
    is_program: bool,
) -> Preprocessed {
    let (tokens, diagnostics) = lex(file.text());
    let mut preprocessor = Preprocessor::new(file, diagnostics, is_program);
    preprocessor.output.reserve(tokens.len());
    let compiler = match is_program {
        true => &HOST_COMPILER[..],
        false => &[("__CUDACC_RTC__", "1")],
    };
    for (name, value) in KNOWN.iter().chain(compiler) {
        let body = lex(value).0;
        preprocessor.predefine(name, body, false);
    }
    for (name, value) in defines {
        preprocessor.option(name, value);
    }
    if preprocessor.is_program {
        preprocessor.include_named(host_headers::FIRST, Span::default());
    }
    preprocessor.run(&tokens);
    preprocessor.output.extend(tokens.last().cloned());
    Preprocessed {
        tokens: packed(preprocessor.output),
        diagnostics: preprocessor.diagnostics,
        unread: preprocessor.unread,
        missing: preprocessor.missing,
    }
}

/// What is defined in every file.
const KNOWN: [(&str, &str); 7] = [
    ("__CUDACC__", "1"),
    // As NVRTC defines them for compute capability 9.0 and C++17.
    ("__CUDA_ARCH__", "900"),
    ("__cplusplus", "201703L"),
    // Of the toolkit that the recordings were made with.
    ("__CUDACC_VER_MAJOR__", "13"),
    ("__CUDACC_VER_MINOR__", "0"),
    ("CUDART_VERSION", "13000"),
    ("CUDA_VERSION", "13000"),
];

/// What nvcc and its compiler for the host define on Linux.
const HOST_COMPILER: [(&str, &str); 16] = [
    ("__NVCC__", "1"),
    ("__GNUC__", "13"),
    ("__GNUG__", "13"),
    ("__GNUC_MINOR__", "3"),
    // Of C++17 without GNU's extensions only these spellings are left.
    ("__typeof__", "decltype"),
    ("__typeof", "decltype"),
    // Of CCCL 3.0, which CUDA 13.0 has.
    ("THRUST_VERSION", "300000"),
    ("THRUST_MAJOR_VERSION", "3"),
    ("THRUST_MINOR_VERSION", "0"),
    ("CUB_VERSION", "300000"),
    ("__linux__", "1"),
    ("__linux", "1"),
    ("__unix__", "1"),
    ("__x86_64__", "1"),
    ("__LP64__", "1"),
    // Instructions of x86 are not known; with this, stb_image.h computes the same without them.
    ("STBI_NO_SIMD", "1"),
];

/// The header that stands in `text` as `<name>` or `"name"`.
fn quoted(text: &str) -> Option<&str> {
    let between = |open, close| {
        let inner = text.trim().strip_prefix(open)?;
        inner.split_once(close).map(|(name, _): (&str, &str)| name)
    };
    between('<', '>').or_else(|| between('"', '"'))
}

/// Where `tokens` stand.
fn span_of(tokens: &[Token]) -> Option<Span> {
    Some(tokens.first()?.span.to(tokens.last()?.span))
}

/// A text without its directives.
pub struct Preprocessed {
    /// What is left of it, macros expanded.
    pub tokens: Vec<Token>,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// In parts of the text that do not count here: what could read a file where they do count.
    pub unread: Vec<Span>,
    /// Headers that are not there.
    pub missing: Vec<String>,
}

/// Most local headers that are open, each included by the one before.
const MOST_INCLUDED: u32 = 100;

const DIRECTIVES: [&str; 13] = [
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "pragma",
    "error", "warning", "line",
];

impl Preprocessor<'_> {
    /// `-D NAME=VALUE`.
    fn option(&mut self, name: &str, value: &str) {
        let error = |message: String| Diagnostic::error(Span::default(), message);
        let (names, _) = lex(name);
        // One name and the end of the text: `-D "A B=1"` is refused.
        if !matches!(&names[..], [one, _] if one.ident().is_some_and(|ident| &**ident == name)) {
            let message = format!("`-D {name}={value}`: `{name}` is not a name");
            self.report(error(message).help("write `-D NAME=VALUE`"));
            return;
        }
        let (body, problems) = lex(value);
        let bad = body
            .iter()
            .any(|token| matches!(token.kind, TokenKind::Bad(_)));
        if bad || !problems.is_empty() || value.contains('\n') {
            self.report(error(format!(
                "`-D {name}={value}`: the value is not made of C++ tokens"
            )));
            return;
        }
        self.predefine(name, body, true);
    }

    fn run(&mut self, tokens: &[Token]) {
        let mut conditions = Conditions::default();
        let mut at = 0;
        while at < tokens.len() && tokens[at].kind != TokenKind::End {
            let token = &tokens[at];
            if token.first_on_line && token.is(Punct::Hash) {
                let end = line_end(tokens, at);
                self.directive(&tokens[at..end], &mut conditions);
                at = end;
            } else {
                // As a whole up to the next directive, for a macro's arguments may go on over several lines.
                let end = text_end(tokens, at);
                if conditions.is_active() {
                    let text = tokens[at..end].to_vec();
                    self.expand_text(text);
                } else {
                    self.leave_out_digraphs(&tokens[at..end]);
                }
                at = end;
            }
        }
        conditions.finish(&mut self.diagnostics);
    }

    /// A compiler for which skipped text counts (`#if __CUDA_ARCH__ == 800`) would read the file that `line` names,
    /// and quote it in its messages: headers are known by name, and no other file is for a kernel to read.
    fn leave_out(&mut self, line: &[Token]) {
        let text = self.text_of(&line[2..]);
        let name = quoted(&text).unwrap_or_default();
        let is_nvidias = name.starts_with("cuda/") && !name.contains("..");
        if !is_nvidias && headers::texts(name, Span::default()).is_err() {
            self.unread.extend(span_of(line));
        }
    }

    /// The same of `%:include`, where `%:` stands for `#` ([lex.digraph]), which is no directive here.
    fn leave_out_digraphs(&mut self, text: &[Token]) {
        for (at, pair) in text.windows(2).enumerate() {
            let is_digraph = pair[0].is(Punct::Percent) && pair[1].is(Punct::Colon);
            if is_digraph && pair[0].first_on_line {
                self.unread.extend(span_of(&text[at..line_end(text, at)]));
            }
        }
    }

    fn expand_text(&mut self, text: Vec<Token>) {
        let expanded = self.expand(text, 0);
        self.output.extend(expanded);
    }

    /// One directive: `line` begins with `#`.
    fn directive(&mut self, line: &[Token], conditions: &mut Conditions) {
        // [cpp.null]: a `#` alone on its line does nothing.
        let Some(word) = line.get(1) else {
            return;
        };
        let rest = &line[2..];
        let span = line[0].span.to(word.span);
        let name = match word.ident() {
            Some(name) => name.clone(),
            None if !conditions.is_active() => return,
            None => {
                return self.report(Diagnostic::error(span, "a directive has a name after `#`"));
            }
        };
        match &*name {
            "if" | "ifdef" | "ifndef" | "elif" | "else" | "endif" => {
                self.conditional(&name, span, rest, conditions);
            }
            // [cpp.cond]: in skipped text only conditions are followed, to know which `#endif` is whose.
            "define" | "undef" | "pragma" | "error" | "warning" | "line"
                if !conditions.is_active() => {}
            // `#import` and `#embed` read files as well, and an `#inc` whose line is continued may go on with `lude`.
            _ if !conditions.is_active() => self.leave_out(line),
            "define" => self.define(span, rest),
            "undef" => self.undefine(span, rest),
            "include" => self.include(span, rest),
            "pragma" => self.pragma(span, rest),
            "error" | "warning" => {
                let message = format!("#{name} {}", self.text_of(rest));
                self.report(match &*name {
                    "error" => Diagnostic::error(span, message.trim_end()),
                    _ => Diagnostic::warning(span, message.trim_end()),
                });
            }
            "line" => self.report(Diagnostic::error(span, "`#line` is not supported")),
            other => self.report(unknown_directive(span, other)),
        }
    }

    fn text_of(&self, tokens: &[Token]) -> String {
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => {
                let file = self.header.as_deref().unwrap_or(self.file);
                file.slice(first.span.to(last.span)).to_string()
            }
            _ => String::new(),
        }
    }

    fn define(&mut self, span: Span, rest: &[Token]) {
        let Some((name_token, rest)) = rest.split_first() else {
            let error = Diagnostic::error(span, "expected a name after `#define`");
            return self.report(error);
        };
        let Some(name) = name_token.ident().cloned() else {
            let found = name_token.kind.describe();
            let message = format!("expected a name after `#define`, found {found}");
            return self.report(Diagnostic::error(name_token.span, message));
        };
        let takes_arguments = rest
            .first()
            // `#define F(x)` takes arguments; `#define F (x)` does not ([cpp.replace]).
            .is_some_and(|token| token.is(Punct::OpenParen) && !token.after_space);
        let mut definition = Macro {
            params: None,
            is_variadic: false,
            body: rest.to_vec(),
            span: self.header.is_none().then_some(name_token.span),
            is_option: false,
        };
        if takes_arguments && !self.parameters(&mut definition, &rest[1..]) {
            return;
        }
        // [cpp.replace]: the blanks before a body are no part of it.
        if let Some(first) = definition.body.first_mut() {
            first.after_space = false;
        }
        self.warn_of_another(&name, &definition, name_token.span);
        self.macros.insert(name, definition);
    }

    /// Reads `a, b, ...)` and leaves what follows as the body; false if that was reported.
    fn parameters(&mut self, definition: &mut Macro, rest: &[Token]) -> bool {
        let mut params: Vec<Name> = Vec::new();
        let mut at = 0;
        while let Some(token) = rest.get(at).filter(|token| !token.is(Punct::CloseParen)) {
            match &token.kind {
                TokenKind::Ident(param) => {
                    params.push(param.clone());
                    // As GCC and nvcc have it: `args...` gives what `...` stands for a name.
                    let is_variadic = rest.get(at + 1).is_some_and(|t| t.is(Punct::Ellipsis));
                    definition.is_variadic = is_variadic;
                    at += usize::from(is_variadic);
                }
                TokenKind::Punct(Punct::Ellipsis) => {
                    // [cpp.subst]: the body calls what `...` stands for `__VA_ARGS__`.
                    params.push("__VA_ARGS__".into());
                    definition.is_variadic = true;
                }
                _ => break,
            }
            at += 1;
            if definition.is_variadic || !rest.get(at).is_some_and(|t| t.is(Punct::Comma)) {
                break;
            }
            at += 1;
        }
        if !rest
            .get(at)
            .is_some_and(|token| token.is(Punct::CloseParen))
        {
            let span = rest.get(at).or(rest.last()).map(|token| token.span);
            let span = span.or(definition.span).unwrap_or_default();
            let message = "expected the macro's parameters, `(a, b)`";
            self.report(Diagnostic::error(span, message));
            return false;
        }
        definition.params = Some(params);
        definition.body = rest[at + 1..].to_vec();
        true
    }

    fn warn_of_another(&mut self, name: &Name, new: &Macro, span: Span) {
        let Some(old) = self.macros.get(name) else {
            return;
        };
        // [cpp.replace]: a macro may be defined again if both definitions are the same.
        let same = old.params == new.params
            && old.body.len() == new.body.len()
            && old
                .body
                .iter()
                .zip(&new.body)
                .all(|(a, b)| a.kind == b.kind);
        if same {
            return;
        }
        let warning = match (old.span, old.is_option) {
            (Some(before), _) => {
                Diagnostic::warning(span, format!("`{name}` is defined a second time"))
                    .also(before, "first here")
                    .help(format!("write `#undef {name}` before, if that is meant"))
            }
            (None, true) => {
                let message = format!("this definition replaces `{name}` from the option `-D`");
                Diagnostic::warning(span, message)
                    .help(format!("put it between `#ifndef {name}` and `#endif`"))
            }
            // A name that is predefined: there is no place to point at.
            (None, false) => return,
        };
        self.report(warning);
    }

    fn undefine(&mut self, span: Span, rest: &[Token]) {
        match rest.first().and_then(Token::ident) {
            Some(name) => drop(self.macros.remove(name)),
            None => self.report(Diagnostic::error(span, "expected a name after `#undef`")),
        }
    }

    fn include(&mut self, span: Span, rest: &[Token]) {
        // As text, not as tokens: to the lexer `<cuda/std/limits>` is seven of them.
        let text = self.text_of(rest);
        let span = match (rest.first(), rest.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => span,
        };
        match quoted(&text) {
            Some(name) => self.include_named(name, span),
            None => self.report(Diagnostic::error(
                span,
                "expected `<header>` after `#include`",
            )),
        }
    }

    /// What a header that is no local one adds, or that it is not known.
    fn header_texts(
        &self,
        name: &str,
        span: Span,
    ) -> Result<Vec<(&'static str, &'static str)>, Diagnostic> {
        // As people write it on Windows: `<thrust\device_vector.h>`.
        let name = &name.replace('\\', "/");
        match (host_headers::texts(name), headers::texts(name, span)) {
            (Some(texts), _) if self.is_program => Ok(texts),
            // What is for the host only adds nothing to kernels.
            (Some(_), Err(_)) => Ok(Vec::new()),
            (_, known) => known,
        }
    }

    /// Whether a header is there that is written as `<name>` or `"name"`.
    pub fn has_header(&self, written: &[Token], span: Span) -> bool {
        let text = self.text_of(written);
        quoted(&text).is_some_and(|name| {
            self.file.header(span.start, name).is_some() || self.header_texts(name, span).is_ok()
        })
    }

    fn include_named(&mut self, name: &str, span: Span) {
        let known = self.header_texts(name, span);
        match (self.file.header(span.start, name), known) {
            (Some(part), _) => self.include_local(part, span),
            (None, Ok(texts)) => self.add_headers(texts, span),
            (None, Err(problem)) => {
                if problem.severity == Severity::Warning {
                    self.missing.push(name.to_owned());
                }
                self.report(problem);
            }
        }
    }

    /// Reads the text of a local header here.
    fn include_local(&mut self, part: Span, span: Span) {
        if self.local.once.contains(&part) {
            return;
        }
        if self.local.depth >= MOST_INCLUDED {
            let message = "headers include each other too deeply";
            let error = Diagnostic::error(span, message)
                .note(format!("the limit is {MOST_INCLUDED} within each other"));
            return self.report(error.help("put `#pragma once` at the top of each"));
        }
        self.local.depth += 1;
        let (mut tokens, mut diagnostics) = lex(self.file.slice(part));
        for token in &mut tokens {
            token.span = token.span.behind(part.start);
        }
        for label in diagnostics.iter_mut().flat_map(|d| &mut d.labels) {
            label.span = label.span.behind(part.start);
        }
        self.diagnostics.extend(diagnostics);
        self.run(&tokens);
        self.local.depth -= 1;
    }

    /// Adds the tokens of headers that were not included before. They stand where the `#include`
    /// does, and macros of the file do not reach into them.
    fn add_headers(&mut self, texts: Vec<(&'static str, &'static str)>, span: Span) {
        for (name, text) in texts {
            // As if each header had a guard against being included twice; but `assert` is defined anew each time, as
            // `NDEBUG` may be another ([assertions.assert]).
            if !self.included.insert(name) && name != "assert.h" {
                continue;
            }
            let (tokens, _) = lex(text);
            let file = Rc::new(SourceFile::new(name, text));
            let around = self.header.replace(file);
            let (begin, reported) = (self.output.len(), self.diagnostics.len());
            self.run(&tokens);
            self.diagnostics.truncate(reported);
            self.header = around;
            // Spans within the header's own text would point into the user's file.
            for token in &mut self.output[begin..] {
                (token.span, token.is_library) = (span, true);
            }
        }
    }

    fn pragma(&mut self, span: Span, rest: &[Token]) {
        let word = rest.first().and_then(Token::ident).map(|name| &**name);
        if word == Some("once") {
            let (_, part) = self.file.file_of(span.start);
            self.local.once.insert(part);
        }
        if word == Some("pack") {
            let mark = TokenKind::Ident(pack::MARK.into());
            self.output.push(Token::new(mark, span));
            return self.output.extend_from_slice(&rest[1..]);
        }
        // None of these changes what a kernel computes.
        if !matches!(
            word,
            Some("unroll" | "nounroll" | "once" | "nv_diag_suppress" | "tutor")
        ) {
            let message = format!(
                "`#pragma {}` is not known and has no effect",
                self.text_of(rest)
            );
            self.report(Diagnostic::warning(span, message));
        }
    }
}

/// Where the directive that begins at `at` ends.
fn line_end(tokens: &[Token], at: usize) -> usize {
    let after = &tokens[at + 1..];
    // Behind a `\` at the end of a line, a token is not the first on its line: joined lines are one directive.
    let ends = |token: &Token| token.first_on_line || token.kind == TokenKind::End;
    at + 1 + after.iter().position(ends).unwrap_or(after.len())
}

/// Where the text that begins at `at` is interrupted by a directive.
fn text_end(tokens: &[Token], at: usize) -> usize {
    let ends = |token: &Token| {
        token.kind == TokenKind::End || token.first_on_line && token.is(Punct::Hash)
    };
    let after = &tokens[at..];
    at + after.iter().position(ends).unwrap_or(after.len())
}

fn unknown_directive(span: Span, name: &str) -> Diagnostic {
    let error = Diagnostic::error(span, format!("unknown directive `#{name}`"));
    match nearest(name, DIRECTIVES).first() {
        Some(near) => error.help(format!("did you mean `#{near}`?")),
        None => error,
    }
}
