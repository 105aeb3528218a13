//! What is to be said about a text, as data.

use super::file::Span;

/// How bad it is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing runs until it is mended.
    Error,
    /// It runs, but probably not as meant.
    Warning,
    /// It is right, and costs more than it has to: what compilers say of their optimisations.
    Remark,
}

impl Severity {
    /// What it is called.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
        }
    }
}

/// A span with words under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is said there; may be empty.
    pub text: String,
    /// Whether this is the place of the problem, rather than one that explains it.
    pub primary: bool,
}

/// A message about places in one source file, in the shape of a compiler's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// One sentence without a full stop: what is wrong.
    pub message: String,
    /// Places; the first primary one is where the problem is.
    pub labels: Vec<Label>,
    /// Facts that explain it.
    pub notes: Vec<String>,
    /// What to try.
    pub help: Option<String>,
    /// What kind of problem it is, where somebody tells kinds apart.
    pub code: Option<&'static str>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        let label = Label {
            span,
            text: String::new(),
            primary: true,
        };
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            labels: vec![label],
            notes: Vec::new(),
            help: None,
            code: None,
        }
    }

    /// A warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            ..Self::error(span, message)
        }
    }

    /// A remark at `span`.
    pub fn remark(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Remark,
            ..Self::error(span, message)
        }
    }

    /// Puts words under the primary span.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        // The first label is the place that the diagnostic was made with.
        if let Some(first) = self.labels.first_mut() {
            first.text = text.into();
        }
        self
    }

    /// Points at another place that explains the problem.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
            primary: false,
        });
        self
    }

    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to try.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Says of what kind it is.
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// Where the problem is: the first primary span.
    pub fn span(&self) -> Span {
        let primary = self.labels.iter().find(|label| label.primary);
        primary.map_or_else(Span::default, |label| label.span)
    }
}
