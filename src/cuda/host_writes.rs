//! Variables at file scope that host code fills: here no host code runs, so they keep what the file says.
//!
//! `cudaMemcpyToSymbol(weights, h, n)` names the variable. A helper such as `upload(weights, h, n)`, which hands its own
//! parameter on, does not: where such a call names no variable of the file, each that host code mentions is taken to be
//! filled. A needless warning is better than a table of zeros.

use crate::source::Span;

use super::lex::{Name, Punct, Token, TokenKind};
use super::typed::FileVariable;

/// What host code says of variables.
pub struct HostWrites {
    calls: Vec<Call>,
    /// Words outside of calls that only read a variable: with where they stand.
    mentions: Vec<(Name, Span)>,
}

/// A call that fills variables, or gives their addresses.
struct Call {
    span: Span,
    /// Words among its arguments.
    words: Vec<Name>,
}

/// How the function of a name touches variables of the device; nothing of most functions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    /// It fills its first argument.
    First,
    /// It gives the address of one of its arguments.
    Any,
    /// It only reads.
    None,
}

/// Wrappers are called alike: `checkedMemcpyToSymbol`, `hipGetSymbolAddress`.
fn touch(function: &str) -> Option<Touch> {
    let has = |part: &str| function.contains(part);
    if has("ToSymbol") {
        Some(Touch::First)
    } else if has("SymbolAddress") || has("ModuleGetGlobal") {
        Some(Touch::Any)
    } else if has("FromSymbol") || has("SymbolSize") || function == "sizeof" {
        Some(Touch::None)
    } else {
        None
    }
}

impl HostWrites {
    /// What `tokens`, of a whole file, say.
    pub fn new(tokens: &[Token]) -> Self {
        let mut writes = HostWrites {
            calls: Vec::new(),
            mentions: Vec::new(),
        };
        let mut at = 0;
        while at < tokens.len() {
            let token = &tokens[at];
            at += 1;
            let Some(name) = word(token) else { continue };
            let arguments = touch(name).map(|touch| (touch, arguments(&tokens[at..])));
            match arguments {
                Some((touch, Some(inside))) => {
                    let start = at + inside.start;
                    at += inside.end;
                    let arguments = &tokens[start..at];
                    let of = match touch {
                        Touch::First => &arguments[..first_argument(arguments)],
                        Touch::Any => arguments,
                        Touch::None => continue,
                    };
                    let words: Vec<Name> = of.iter().filter_map(word).cloned().collect();
                    let span = token.span;
                    writes.calls.push(Call { span, words });
                }
                _ => writes.mentions.push((name.clone(), token.span)),
            }
        }
        writes
    }

    /// Where host code fills each of `variables`, as far as it does; `skipped` is what is for the host.
    pub fn mark(self, variables: &mut [FileVariable], skipped: &[Span]) {
        let is = |variable: &FileVariable, word: &Name| *variable.name == **word;
        let names =
            |call: &Call, variable: &FileVariable| call.words.iter().any(|word| is(variable, word));
        let mut indirect = self.calls.iter().filter(|call| {
            let mut all = variables.iter();
            !all.any(|variable| names(call, variable))
        });
        let has_indirect = indirect.next().is_some();
        for variable in variables {
            let direct = self.calls.iter().find(|call| names(call, variable));
            // Nearly no file has such a call: then the words are not looked through for each variable.
            let mention = || {
                self.mentions.iter().find(|(word, span)| {
                    is(variable, word) && skipped.iter().any(|host| contains(*host, *span))
                })
            };
            let mention = has_indirect.then(mention).flatten();
            variable.filled_by_host = direct
                .map(|call| call.span)
                .or(mention.map(|(_, span)| *span));
        }
    }
}

/// A name, or what stands in quotes: old programs and the driver's functions name variables by strings.
fn word(token: &Token) -> Option<&Name> {
    match &token.kind {
        TokenKind::Ident(name) | TokenKind::Str(name) => Some(name),
        _ => None,
    }
}

/// The range of `(…)` that `tokens` begin with, behind arguments of a template if there are some.
fn arguments(tokens: &[Token]) -> Option<std::ops::Range<usize>> {
    let open = match tokens.first()?.is(Punct::Lt) {
        // `<float>`: nobody compares within it.
        true => tokens.iter().position(|token| token.is(Punct::OpenParen))?,
        false => 0,
    };
    if !tokens[open].is(Punct::OpenParen) {
        return None;
    }
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::Punct(Punct::OpenParen) => depth += 1,
            TokenKind::Punct(Punct::CloseParen) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open..at + 1);
        }
    }
    None
}

/// Where the first of the arguments in `(…)` ends.
fn first_argument(arguments: &[Token]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in arguments.iter().enumerate() {
        match token.kind {
            TokenKind::Punct(Punct::OpenParen | Punct::OpenBracket | Punct::OpenBrace) => {
                depth += 1;
            }
            TokenKind::Punct(Punct::CloseParen | Punct::CloseBracket | Punct::CloseBrace) => {
                depth = depth.saturating_sub(1);
            }
            TokenKind::Punct(Punct::Comma) if depth == 1 => return at,
            _ => {}
        }
    }
    arguments.len()
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
