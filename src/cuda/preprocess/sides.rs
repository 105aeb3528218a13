//! `#ifdef __CUDA_ARCH__` in functions that are `__host__ __device__`: nvcc reads a program twice, so that the host gets
//! another branch than the GPU. The tokens of the host's stand as one before those of the GPU's.

use std::rc::Rc;

use crate::source::Span;

use super::preprocessor::Preprocessor;
use crate::cuda::lex::{Token, TokenKind};

/// What nvcc defines when it reads a program for the GPU.
pub const ARCHITECTURE: &str = "__CUDA_ARCH__";

/// An open condition of which the host reads another branch than the GPU.
pub struct Split {
    /// Where in the output the host's tokens are to stand.
    place: usize,
    /// What the host has read.
    host: Vec<Token>,
    /// The output while the host's branch is read.
    aside: Option<Vec<Token>>,
    /// Whether the host has had its branch.
    is_settled: bool,
}

impl Split {
    /// Whether the host's branch is being read.
    pub fn is_of_host(&self) -> bool {
        self.aside.is_some()
    }
}

impl Preprocessor<'_> {
    /// Such a condition, if this one is; `is_of_gpu` says whether the GPU reads its first branch.
    pub fn split(
        &mut self,
        word: &str,
        span: Span,
        rest: &[Token],
        is_of_gpu: bool,
    ) -> Option<Split> {
        let asks = |token: &Token| token.ident().is_some_and(|name| &**name == ARCHITECTURE);
        let is_of_both =
            || self.is_in_body_of(&["__host__"]) && self.is_in_body_of(&["__device__"]);
        if !self.is_program || !rest.iter().any(asks) || !is_of_both() {
            return None;
        }
        let is_of_host = self.holds_on_host(word, span, rest);
        if is_of_host == is_of_gpu {
            return None;
        }
        let mut split = Split {
            place: self.output.len(),
            host: Vec::new(),
            aside: None,
            is_settled: is_of_host,
        };
        let mark = TokenKind::HostText(Rc::default());
        self.output.push(Token::new(mark, span));
        if is_of_host {
            split.aside = Some(std::mem::take(&mut self.output));
        }
        Some(split)
    }

    /// Whether a condition holds where `__CUDA_ARCH__` is not defined.
    fn holds_on_host(&mut self, word: &str, span: Span, rest: &[Token]) -> bool {
        let defined = self.macros.remove(ARCHITECTURE);
        // What is to be said of the condition was said when the GPU's side was asked.
        let reported = self.diagnostics.len();
        let holds = self.holds(word, span, rest);
        self.diagnostics.truncate(reported);
        self.macros
            .extend(defined.map(|known| (ARCHITECTURE.into(), known)));
        holds
    }

    /// Begins the next branch, if the host reads it; whether it does.
    pub fn next_of_host(&mut self, split: &mut Split, is_else: bool, rest: &[Token]) -> bool {
        let is_of_host =
            !split.is_settled && (is_else || self.holds_on_host("if", Span::default(), rest));
        if is_of_host {
            split.is_settled = true;
            split.aside = Some(std::mem::take(&mut self.output));
        }
        is_of_host
    }

    /// Goes on behind the last branch.
    pub fn join(&mut self, mut split: Split) {
        self.end_of_host(&mut split);
        if let Some(mark) = self.output.get_mut(split.place) {
            mark.kind = TokenKind::HostText(Rc::new(split.host));
            let end = Token::new(TokenKind::GpuTextEnd, mark.span);
            self.output.push(end);
        }
    }

    /// Ends a branch, if the host reads it.
    pub fn end_of_host(&mut self, split: &mut Split) {
        if let Some(output) = split.aside.take() {
            split.host = std::mem::replace(&mut self.output, output);
        }
    }
}
