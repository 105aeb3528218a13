//! Macro expansion.
//!
//! Tokens are read from a stack of frames: the text at the bottom, above it the bodies of the
//! macros being expanded. A macro is not expanded inside its own frame; its name is then painted and
//! never looked at again. Both the depth of nested calls and the total work are bounded.

use crate::source::{Diagnostic, Span};

use super::preprocessor::{MOST_STEPS, Macro, Preprocessor};
use crate::cuda::lex::{Name, Punct, Token, TokenKind, lex};

/// Most calls of macros inside the arguments of others.
const MOST_DEPTH: usize = 100;

struct Frame {
    tokens: std::vec::IntoIter<Token>,
    name: Option<Name>,
}

impl Preprocessor<'_> {
    /// `text` with its macros expanded.
    pub fn expand(&mut self, text: Vec<Token>, depth: usize) -> Vec<Token> {
        let mut output = Vec::with_capacity(text.len());
        let mut stack = vec![Frame {
            tokens: text.into_iter(),
            name: None,
        }];
        while let Some(frame) = stack.last_mut() {
            let Some(mut token) = frame.tokens.next() else {
                stack.pop();
                continue;
            };
            if skips_pragma(&token, &mut stack) {
                continue;
            }
            let found = token.ident().filter(|_| !token.painted);
            let Some(name) = found.filter(|name| self.is_macro(name)).cloned() else {
                output.push(self.with_line_number(token));
                continue;
            };
            let is_open = |frame: &Frame| frame.name.as_ref() == Some(&name);
            // [cpp.rescan]: a macro's name within its own expansion stays as it is, for good, even when it is
            // passed on to another macro.
            if stack.iter().any(is_open) {
                token.painted = true;
                output.push(token);
                continue;
            }
            match self.replacement(&token, &name, &mut stack, depth) {
                Some(body) if self.take_steps(body.len() + 1, token.span) => stack.push(Frame {
                    tokens: body.into_iter(),
                    name: Some(name),
                }),
                // Nothing is left to spend, which was reported: the tokens so far are the result.
                Some(_) => return output,
                None => output.push(token),
            }
        }
        output
    }

    /// Whether a name is a macro here: those of the file do not reach into headers.
    fn is_macro(&self, name: &Name) -> bool {
        let is_of_header = |of: &Macro| of.span.is_none() && !of.is_option;
        let found = self.macros.get(name);
        found.is_some_and(|of| self.header.is_none() || is_of_header(of))
    }

    /// `__LINE__` is not in the table of macros, as its value is another on each line, and that of `__COUNTER__` at each
    /// use.
    fn with_line_number(&mut self, mut token: Token) -> Token {
        if token.ident().is_some_and(|name| &**name == "__COUNTER__") {
            token.kind = TokenKind::Number(self.counter.to_string().into());
            self.counter += 1;
        }
        if self.is_program && token.ident().is_some_and(|name| &**name == "__FILE__") {
            token.kind = TokenKind::Str(self.file.name().into());
        }
        if token.ident().is_some_and(|name| &**name == "__LINE__") {
            let line = self.file.line_column(token.span.start).0.to_string();
            token.kind = TokenKind::Number(line.into());
        }
        token
    }

    fn take_steps(&mut self, count: usize, span: Span) -> bool {
        if self.steps_left == 0 {
            return false;
        }
        self.steps_left = self.steps_left.saturating_sub(count);
        if self.steps_left == 0 {
            self.report(
                Diagnostic::error(span, "the macros of this file expand to too many tokens")
                    .note(format!("the limit is {MOST_STEPS}")),
            );
        }
        self.steps_left > 0
    }

    /// What stands for a use of a macro; nothing where the name stands for itself.
    fn replacement(
        &mut self,
        token: &Token,
        name: &Name,
        stack: &mut Vec<Frame>,
        depth: usize,
    ) -> Option<Vec<Token>> {
        let mut definition = self.macros.get(name)?.clone();
        let Some(params) = &definition.params else {
            let mut body = substitute(&definition, &Arguments::default(), token.span);
            restyle(&mut body, token);
            return Some(body);
        };
        // [cpp.replace]: `F` without a `(` behind it is an ordinary name, even if there is a macro `F(x)`.
        if !next_is_open(stack) {
            return None;
        }
        let (arguments, end) = match read_arguments(stack) {
            Ok(read) => read,
            Err(()) => {
                let message = format!("the arguments of the macro `{name}` are never closed");
                self.report(Diagnostic::error(token.span, message).help("add `)`"));
                return Some(Vec::new());
            }
        };
        let span = token.span.to(end);
        let raw = self.fit(arguments, params.len(), &definition, name, span)?;
        with_options(&mut definition, &raw);
        if depth >= MOST_DEPTH {
            let message = "macros are nested too deeply here";
            self.report(Diagnostic::error(span, message));
            return Some(Vec::new());
        }
        // [cpp.subst]: arguments are expanded by themselves, before they are put into the body.
        let expanded = raw.iter().map(|raw| self.expand(raw.clone(), depth + 1));
        let expanded = expanded.collect();
        let mut body = substitute(&definition, &Arguments { raw, expanded }, span);
        restyle(&mut body, token);
        Some(body)
    }

    /// As many arguments as parameters, or nothing and a report.
    fn fit(
        &mut self,
        mut arguments: Vec<Vec<Token>>,
        wanted: usize,
        definition: &Macro,
        name: &Name,
        span: Span,
    ) -> Option<Vec<Vec<Token>>> {
        // `F()` gives one empty argument or none: as many as `F` takes.
        if wanted == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if definition.is_variadic {
            join_variadic(&mut arguments, wanted, span);
        }
        if arguments.len() == wanted {
            return Some(arguments);
        }
        let message = format!(
            "the macro `{name}` takes {wanted} argument{}, not {}",
            if wanted == 1 { "" } else { "s" },
            arguments.len()
        );
        let mut error = Diagnostic::error(span, message);
        if let Some(place) = definition.span {
            error = error.also(place, "defined here");
        }
        self.report(error);
        // Zeros in their place keep what follows readable.
        Some(vec![
            vec![Token::new(TokenKind::Number("0".into()), span)];
            wanted
        ])
    }
}

/// Makes one argument for `__VA_ARGS__` of all that the named parameters leave.
fn join_variadic(arguments: &mut Vec<Vec<Token>>, wanted: usize, span: Span) {
    // `F(a, ...)` called as `F(1)`: `__VA_ARGS__` is empty.
    if arguments.len() + 1 == wanted {
        arguments.push(Vec::new());
    }
    // `__VA_ARGS__` takes commas too: `F(1, 2, 3)` gives it `2, 3`.
    while arguments.len() > wanted {
        let extra = arguments.pop().unwrap_or_default();
        if let Some(last) = arguments.last_mut() {
            last.push(Token::new(TokenKind::Punct(Punct::Comma), span));
            last.extend(extra);
        }
    }
}

/// Takes `__VA_OPT__` out of a body: what stands in its parentheses is there where `...` is given ([cpp.subst]).
fn with_options(definition: &mut Macro, arguments: &[Vec<Token>]) {
    if !definition.is_variadic {
        return;
    }
    let is_given = arguments.last().is_some_and(|last| !last.is_empty());
    let mut output = Vec::with_capacity(definition.body.len());
    let mut tokens = std::mem::take(&mut definition.body).into_iter();
    while let Some(token) = tokens.next() {
        if token.ident().is_none_or(|name| &**name != "__VA_OPT__") {
            output.push(token);
            continue;
        }
        let mut depth = 0;
        for token in tokens.by_ref() {
            depth -= usize::from(token.is(Punct::CloseParen));
            if token.is(Punct::CloseParen) && depth == 0 {
                break;
            }
            if is_given && depth > 0 {
                output.push(token.clone());
            }
            depth += usize::from(token.is(Punct::OpenParen));
        }
    }
    definition.body = output;
}

/// The first token of a body stands where the name stood.
fn restyle(body: &mut [Token], token: &Token) {
    if let Some(first) = body.first_mut() {
        first.first_on_line = token.first_on_line;
        first.after_space = token.after_space;
    }
}

fn next_is_open(stack: &[Frame]) -> bool {
    // With `#define G F`, the parenthesis of `G(1)` stands in the frame below, behind the end of `G`'s body.
    let next = stack
        .iter()
        .rev()
        .find_map(|frame| frame.tokens.as_slice().first());
    next.is_some_and(|token| token.is(Punct::OpenParen))
}

/// Leaves out `_Pragma("unroll")` ([cpp.pragma.op]): what it asks for changes nothing that a program computes.
fn skips_pragma(token: &Token, stack: &mut Vec<Frame>) -> bool {
    let is_pragma = token.ident().is_some_and(|name| &**name == "_Pragma") && next_is_open(stack);
    if is_pragma {
        // Without an end the text is over, which the parser tells.
        let _ = read_arguments(stack);
    }
    is_pragma
}

/// Reads `(a, b)`; the arguments and the place of `)`.
fn read_arguments(stack: &mut Vec<Frame>) -> Result<(Vec<Vec<Token>>, Span), ()> {
    let mut arguments = vec![Vec::new()];
    let mut depth = 0usize;
    while let Some(frame) = stack.last_mut() {
        let Some(token) = frame.tokens.next() else {
            if stack.len() == 1 {
                return Err(());
            }
            stack.pop();
            continue;
        };
        match token.kind {
            TokenKind::Punct(Punct::OpenParen) => {
                depth += 1;
                if depth == 1 {
                    continue;
                }
            }
            TokenKind::Punct(Punct::CloseParen) => {
                depth -= 1;
                if depth == 0 {
                    return Ok((arguments, token.span));
                }
            }
            // [cpp.replace]: commas in inner parentheses separate nothing, so `F((a, b))` has one argument.
            TokenKind::Punct(Punct::Comma) if depth == 1 => {
                arguments.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = arguments.last_mut() {
            last.push(token);
        }
    }
    Err(())
}

/// What stands between the parentheses of a use of a macro.
#[derive(Default)]
struct Arguments {
    /// As it is written.
    raw: Vec<Vec<Token>>,
    /// The same with its own macros expanded.
    expanded: Vec<Vec<Token>>,
}

/// The body with arguments for parameters; what was in the body stands at `span`.
fn substitute(definition: &Macro, arguments: &Arguments, span: Span) -> Vec<Token> {
    let Arguments { raw, expanded } = arguments;
    let mut output: Vec<Token> = Vec::with_capacity(definition.body.len());
    let mut at = 0;
    let mut paste_next = false;
    while let Some(token) = definition.body.get(at) {
        at += 1;
        let next = definition.body.get(at);
        if token.is(Punct::HashHash) && !output.is_empty() {
            paste_next = true;
            continue;
        }
        // [cpp.stringize]: `#` makes a string only in macros with parameters; elsewhere it is a token.
        if token.is(Punct::Hash)
            && let Some(param) = next.and_then(|next| parameter(definition, next))
        {
            at += 1;
            let text = vec![stringize(&raw[param], span)];
            append(&mut output, text, std::mem::take(&mut paste_next), span);
            continue;
        }
        // [cpp.subst]: beside `##` an argument stands as it was written; elsewhere it is expanded first.
        let is_pasted = paste_next || next.is_some_and(|next| next.is(Punct::HashHash));
        let tokens = match parameter(definition, token) {
            // As GCC and nvcc have it: `, ## __VA_ARGS__` goes with its comma where there is nothing.
            Some(param) if paste_next && is_after_comma(definition, param, output.last()) => {
                paste_next = false;
                if raw[param].is_empty() {
                    output.pop();
                }
                expanded[param].clone()
            }
            Some(param) if is_pasted => raw[param].clone(),
            Some(param) => expanded[param].clone(),
            None => vec![moved(token, span)],
        };
        append(&mut output, tokens, std::mem::take(&mut paste_next), span);
    }
    output
}

/// Which parameter of the macro a token of its body names.
fn parameter(definition: &Macro, token: &Token) -> Option<usize> {
    let name = token.ident()?;
    let mut params = definition.params.iter().flatten();
    params.position(|param| param == name)
}

/// Whether `param` takes all further arguments, and a comma is the last token before it.
fn is_after_comma(definition: &Macro, param: usize, last: Option<&Token>) -> bool {
    let count = definition.params.as_ref().map_or(0, Vec::len);
    let is_rest = definition.is_variadic && param + 1 == count;
    is_rest && last.is_some_and(|last| last.is(Punct::Comma))
}

/// A token of a macro's body, where the macro is used: messages point at a line of the user's.
fn moved(token: &Token, span: Span) -> Token {
    Token {
        span,
        first_on_line: false,
        ..token.clone()
    }
}

/// Adds tokens behind others. Only the neighbours of `##` are pasted: in `a b ## c d`, `b` and `c`.
fn append(output: &mut Vec<Token>, tokens: Vec<Token>, is_pasted: bool, span: Span) {
    let mut tokens = tokens.into_iter();
    if is_pasted
        && let Some(right) = tokens.next()
        && let Some(left) = output.pop()
    {
        output.extend(paste(&left, &right, span));
    }
    output.extend(tokens);
}

fn stringize(tokens: &[Token], span: Span) -> Token {
    let mut text = String::new();
    for token in tokens {
        // [cpp.stringize]: blanks between two tokens become one, at the ends none.
        if token.after_space && !text.is_empty() {
            text.push(' ');
        }
        let spelling = token.kind.spelling();
        // [cpp.stringize]: what is escaped in a string stays so in the string of that.
        let spelling = match token.kind {
            TokenKind::Str(_) | TokenKind::Char(_) => spelling.replace('\\', "\\\\"),
            _ => spelling,
        };
        text.push_str(&spelling.replace('"', "\\\""));
    }
    Token::new(TokenKind::Str(text.into()), span)
}

/// A token beside another one that it is pasted to: `fetch_ ## or` means the word, no operator begins or ends a name.
fn pasted_spelling(token: &Token, other: &Token) -> String {
    match (&token.kind, &other.kind) {
        (TokenKind::Punct(punct), TokenKind::Ident(_)) => {
            punct.word().unwrap_or(punct.spelling()).to_owned()
        }
        (kind, _) => kind.spelling(),
    }
}

/// `left ## right`: one token, or both where they do not make one.
fn paste(left: &Token, right: &Token, span: Span) -> Vec<Token> {
    let text = pasted_spelling(left, right) + &pasted_spelling(right, left);
    let (mut tokens, _) = lex(&text);
    tokens.retain(|token| token.kind != TokenKind::End);
    for token in &mut tokens {
        token.span = span;
        token.first_on_line = false;
    }
    tokens
}
