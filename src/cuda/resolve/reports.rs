//! Diagnostics as they are found, some of which are taken back.

use std::collections::HashSet;

use crate::source::Diagnostic;

use crate::cuda::lex::Name;

/// What was reported, and about what nothing more is to be said.
#[derive(Default)]
pub struct Reports {
    pub diagnostics: Vec<Diagnostic>,
    /// Names that stand for nothing, and the number of the function that was told so.
    unknown: Vec<(u32, Name)>,
    /// Callers and callees whose recursion was reported.
    pub recursions: HashSet<(String, usize)>,
}

/// How much was reported at some time.
#[derive(Clone, Copy)]
pub struct Mark {
    diagnostics: usize,
    unknown: usize,
}

impl Reports {
    /// What was reported so far, to be taken back to.
    pub fn mark(&self) -> Mark {
        Mark {
            diagnostics: self.diagnostics.len(),
            unknown: self.unknown.len(),
        }
    }

    /// What was reported since.
    pub fn since(&mut self, mark: Mark) -> &mut [Diagnostic] {
        let begin = mark.diagnostics.min(self.diagnostics.len());
        &mut self.diagnostics[begin..]
    }

    /// Whether something was reported since.
    pub fn any_since(&self, mark: Mark) -> bool {
        self.diagnostics.len() > mark.diagnostics
    }

    /// Takes back what was reported since; it is reported again where it is met again.
    pub fn take_back(&mut self, mark: Mark) -> Vec<Diagnostic> {
        self.unknown.truncate(mark.unknown);
        let since = mark.diagnostics.min(self.diagnostics.len());
        self.diagnostics.split_off(since)
    }

    /// Takes back what was reported since for good: unknown names that it told of stay told.
    pub fn drop_since(&mut self, mark: Mark) -> Vec<Diagnostic> {
        let since = mark.diagnostics.min(self.diagnostics.len());
        self.diagnostics.split_off(since)
    }

    /// Takes back all but the first of what was reported since.
    pub fn keep_first_since(&mut self, mark: Mark) {
        self.diagnostics.truncate(mark.diagnostics + 1);
    }

    /// Whether an unknown name is met for the first time in the function of this number.
    pub fn is_first(&mut self, function: u32, name: &Name) -> bool {
        let once = (function, name.clone());
        let is_first = !self.unknown.contains(&once);
        if is_first {
            self.unknown.push(once);
        }
        is_first
    }
}
