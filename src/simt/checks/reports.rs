//! What was found: one diagnostic for each pair of places, with how often it happened.

use crate::source::{Diagnostic, Span};

/// Most diagnostics of one launch; what comes after them is only counted.
const MOST: usize = 40;

/// Diagnostics in the order of finding.
#[derive(Default)]
pub struct Reports {
    found: Vec<Finding>,
    left_out: u64,
}

struct Finding {
    here: Span,
    other: Span,
    kind: &'static str,
    diagnostic: Diagnostic,
    times: u64,
}

impl Reports {
    /// Adds what `describe` says, unless something of the same kind at the same two places is known.
    pub fn add(
        &mut self,
        here: Span,
        other: Span,
        kind: &'static str,
        describe: impl FnOnce() -> Diagnostic,
    ) {
        let same =
            |found: &&mut Finding| (found.here, found.other, found.kind) == (here, other, kind);
        if let Some(found) = self.found.iter_mut().find(same) {
            found.times += 1;
        } else if self.found.len() < MOST {
            self.found.push(Finding {
                here,
                other,
                kind,
                diagnostic: describe(),
                times: 1,
            });
        } else {
            self.left_out += 1;
        }
    }

    /// Adds a diagnostic as it is.
    pub fn extend(&mut self, diagnostic: Option<Diagnostic>) {
        if let Some(diagnostic) = diagnostic {
            let span = diagnostic.span();
            self.add(span, span, "", || diagnostic);
        }
    }

    /// The diagnostics, errors first and remarks last.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let tell = |found: Finding| match found.times {
            1 => found.diagnostic,
            times => {
                let times = times - 1;
                found.diagnostic.note(format!("and {times} times more"))
            }
        };
        let mut diagnostics: Vec<Diagnostic> = self.found.into_iter().map(tell).collect();
        // A stable sort: among errors the order of finding stays.
        diagnostics.sort_by_key(|diagnostic| diagnostic.severity);
        if let (Some(last), true) = (diagnostics.last_mut(), self.left_out > 0) {
            let left_out = self.left_out;
            last.notes
                .push(format!("{left_out} findings at other places are left out"));
        }
        diagnostics
    }
}
