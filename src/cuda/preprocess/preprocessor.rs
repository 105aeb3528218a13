//! What the preprocessor knows while it reads a file: the macros, and what it has put out.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::source::{Diagnostic, SourceFile, Span};

use crate::cuda::lex::{Name, Token, TokenKind};

/// Most tokens that the macros of a file may make, all together.
pub const MOST_STEPS: usize = 1_000_000;

/// A macro.
#[derive(Clone, Debug)]
pub struct Macro {
    /// Names of its parameters; nothing for one that is used without parentheses.
    pub params: Option<Vec<Name>>,
    /// Whether the last parameter takes all further arguments.
    pub is_variadic: bool,
    pub body: Vec<Token>,
    /// Where it is defined; nothing for built-in ones.
    pub span: Option<Span>,
    /// Whether it came from a `-D` option.
    pub is_option: bool,
}

/// Headers of the file's own that were included.
#[derive(Default)]
pub struct LocalHeaders {
    /// Those that say `#pragma once`.
    pub once: HashSet<Span>,
    /// How many are open, each included by the one before.
    pub depth: u32,
}

pub struct Preprocessor<'a> {
    pub file: &'a SourceFile,
    pub macros: HashMap<Name, Macro>,
    pub diagnostics: Vec<Diagnostic>,
    pub output: Vec<Token>,
    /// Whether code of the host counts, so that its headers are read.
    pub is_program: bool,
    /// Headers whose texts are in the output.
    pub included: HashSet<&'static str>,
    /// In parts of the text that do not count here: what could read a file where they do count.
    pub unread: Vec<Span>,
    /// Headers that are not there.
    pub missing: Vec<String>,
    /// What was included of the file's own headers.
    pub local: LocalHeaders,
    /// What `__COUNTER__` gives next.
    pub counter: u32,
    /// Work that expansion may still do.
    pub steps_left: usize,
    /// The header that is being read.
    pub header: Option<Rc<SourceFile>>,
}

impl<'a> Preprocessor<'a> {
    /// One that has read nothing of `file`, whose tokens gave these diagnostics.
    pub fn new(file: &'a SourceFile, diagnostics: Vec<Diagnostic>, is_program: bool) -> Self {
        Preprocessor {
            file,
            macros: HashMap::new(),
            diagnostics,
            output: Vec::new(),
            is_program,
            included: HashSet::new(),
            unread: Vec::new(),
            missing: Vec::new(),
            local: LocalHeaders::default(),
            counter: 0,
            steps_left: MOST_STEPS,
            header: None,
        }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub fn predefine(&mut self, name: &str, mut body: Vec<Token>, is_option: bool) {
        body.retain(|token| token.kind != TokenKind::End);
        for token in &mut body {
            token.span = Span::default();
        }
        let definition = Macro {
            params: None,
            is_variadic: false,
            body,
            span: None,
            is_option,
        };
        self.macros.insert(name.into(), definition);
    }
}
