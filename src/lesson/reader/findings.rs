//! What is wrong in a lesson's file, as it is found, and values with their places.

use std::cell::RefCell;

use crate::source::{Diagnostic, Span, nearest};

/// Diagnostics of a file, in the order found. Reading goes on behind a mistake, so that an author sees all of
/// them at once; that is why serde, which stops at the first, does not read lessons.
#[derive(Default)]
pub(crate) struct Findings {
    diagnostics: RefCell<Vec<Diagnostic>>,
    /// What readers asked for, each once, if somebody wants to know.
    keys: Option<RefCell<Vec<CellKey>>>,
}

/// A key that a reader of lessons asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellKey {
    /// What the table describes, such as "a launch".
    pub of: &'static str,
    /// The key; [`CHOSEN`] where the lesson chooses it.
    pub name: &'static str,
    /// What it holds, such as "list of formula".
    pub kind: String,
    /// Whether it has to be there.
    pub is_required: bool,
}

/// Stands for a key that the lesson chooses.
pub const CHOSEN: &str = "NAME";

impl Findings {
    /// Of a file of which what readers ask for is kept, too.
    pub fn with_keys() -> Self {
        Findings {
            keys: Some(RefCell::default()),
            ..Findings::default()
        }
    }

    /// Adds one.
    pub fn add(&self, diagnostic: Diagnostic) {
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    /// Adds an error that needs no help.
    pub fn error(&self, span: Span, message: impl Into<String>) {
        self.add(Diagnostic::error(span, message));
    }

    /// Adds that `name` is none of `candidates`, as `message` says it; nothing is known by that name.
    pub fn unknown<'n, T>(
        &self,
        name: &Placed<String>,
        message: String,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Option<T> {
        let help = one_of(&name.value, candidates);
        self.add(Diagnostic::error(name.span, message).help(help));
        None
    }

    /// Adds what a reader asks for, which is made only if somebody wants to know: a lesson has thousands of keys.
    pub fn add_key(&self, key: impl FnOnce() -> CellKey) {
        let Some(keys) = &self.keys else { return };
        let (key, mut keys) = (key(), keys.borrow_mut());
        if !keys.contains(&key) {
            keys.push(key);
        }
    }

    /// What readers asked for, in their order.
    pub fn into_keys(self) -> Vec<CellKey> {
        self.keys.map(RefCell::into_inner).unwrap_or_default()
    }

    /// How many there are so far.
    pub fn count(&self) -> usize {
        self.diagnostics.borrow().len()
    }

    /// All of them, in the order of the file.
    pub fn in_order(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics.into_inner();
        diagnostics.sort_by_key(|found| found.span().start);
        diagnostics
    }
}

/// A value and its place in the lesson's file.
#[derive(Clone, Debug)]
pub(crate) struct Placed<T> {
    /// The value.
    pub value: T,
    /// Its place. For a string with its quotes.
    pub span: Span,
}

/// A help that names what `name` may have been meant to be: for `copi` among `copy` and `add`, ``perhaps `copy` is
/// meant``.
pub(crate) fn one_of<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> String {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    match nearest(name, candidates.iter().copied()).first() {
        Some(guess) => format!("perhaps `{guess}` is meant"),
        None if candidates.is_empty() => "there are none here".to_owned(),
        None => format!("one of `{}`", candidates.join("`, `")),
    }
}
