//! Diagnostics as they are found, some of which are taken back.
//!
//! What becomes nothing (`None`) while a file is checked has reported an error, each time: nobody
//! stays silent because somebody else spoke. Else a use in code that is left out, whose errors are
//! taken back, would silence the use that counts. That the same is told once is seen to at the end,
//! by the numbers that errors have.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::source::{Diagnostic, Severity, Span};

use crate::cuda::lex::Name;

/// The number of what the parser reported, which is told already.
const OF_PARSER: u32 = 0;

/// Why something is wrong: the first error about it. Whoever uses it reports that again.
#[derive(Clone, Debug)]
pub struct Cause {
    number: u32,
    diagnostic: Rc<Diagnostic>,
    is_final: bool,
}

/// What is told once, however often it is met.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// A name that stands for nothing, in the function of a number.
    Unknown(u32, Name),
    /// Something for the host: where it is declared, and its name.
    Host(Span, Name),
}

/// What was reported, and about what nothing more is to be said.
#[derive(Default)]
pub struct Reports {
    all: Vec<Cause>,
    /// How many numbers were given out, besides the parser's.
    count: u32,
    topics: HashMap<Topic, Cause>,
    /// The first error of the parser.
    of_parser: Option<Cause>,
}

/// How much was reported at some time.
#[derive(Clone, Copy, Default)]
pub struct Mark(usize);

impl Reports {
    /// Nothing yet; `before` is what was found in the text before it was checked.
    pub fn after(before: &[Diagnostic]) -> Self {
        let mut errors = before.iter().filter(|d| d.severity == Severity::Error);
        Reports {
            of_parser: errors.next().map(|first| Cause {
                number: OF_PARSER,
                diagnostic: Rc::new(first.clone()),
                is_final: true,
            }),
            ..Reports::default()
        }
    }

    /// Adds an error or a warning; `is_final` says that it is no matter of which overload is meant.
    pub fn add(&mut self, diagnostic: Diagnostic, is_final: bool) {
        self.count += 1;
        self.all.push(Cause {
            number: self.count,
            diagnostic: Rc::new(diagnostic),
            is_final,
        });
    }

    /// Adds what is told once of a topic.
    pub fn add_once(&mut self, topic: Topic, diagnostic: impl FnOnce() -> Diagnostic) {
        let is_final = matches!(topic, Topic::Host(..));
        match self.topics.get(&topic) {
            Some(known) => self.all.push(known.clone()),
            None => {
                self.add(diagnostic(), is_final);
                self.topics
                    .extend(self.all.last().cloned().map(|new| (topic, new)));
            }
        }
    }

    /// Adds again what was told of a topic, if something was.
    pub fn repeat_topic(&mut self, topic: &Topic) -> bool {
        self.all.extend(self.topics.get(topic).cloned());
        self.topics.contains_key(topic)
    }

    /// Adds again what made something wrong that is used now.
    pub fn repeat(&mut self, cause: &Cause) {
        self.all.push(cause.clone());
    }

    /// Adds again what made a declaration wrong. It says nothing about the use, so no overload is chosen
    /// by it.
    pub fn repeat_finally(&mut self, cause: &Cause) {
        let is_final = true;
        self.all.push(Cause {
            is_final,
            ..cause.clone()
        });
    }

    /// Adds what is wrong with something that the parser could not read.
    pub fn repeat_parser(&mut self, span: Span) {
        match self.of_parser.clone() {
            Some(cause) => self.repeat(&cause),
            None => {
                self.count += 1;
                self.all.push(Cause::unread(span, self.count));
            }
        }
    }

    /// What was reported so far, to be taken back to.
    pub fn mark(&self) -> Mark {
        Mark(self.all.len())
    }

    fn all_since(&self, mark: Mark) -> &[Cause] {
        self.all.get(mark.0..).unwrap_or_default()
    }

    fn errors_since(&self, mark: Mark) -> impl Iterator<Item = &Cause> {
        let is_error = |cause: &&Cause| cause.diagnostic.severity == Severity::Error;
        self.all_since(mark).iter().filter(is_error)
    }

    /// The errors that were reported since, to be changed.
    pub fn since(&mut self, mark: Mark) -> impl Iterator<Item = &mut Diagnostic> {
        let begin = mark.0.min(self.all.len());
        let since = self.all[begin..].iter_mut();
        let errors = since.filter(|cause| cause.diagnostic.severity == Severity::Error);
        errors.map(|cause| Rc::make_mut(&mut cause.diagnostic))
    }

    /// The first error that was reported since.
    pub fn cause_since(&self, mark: Mark) -> Option<Cause> {
        let first = self.errors_since(mark).next()?;
        let is_final = self.is_final_since(mark);
        Some(Cause {
            is_final,
            ..first.clone()
        })
    }

    /// Why something became nothing since, at `span`; there always is a reason.
    pub fn reason_since(&mut self, mark: Mark, span: Span) -> Cause {
        self.require(mark, span);
        // `require` has seen to it that there is an error.
        let cause = self.cause_since(mark);
        cause.unwrap_or_else(|| Cause::unread(span, OF_PARSER))
    }

    /// Sees to it that an error was reported since, for something at `span` became nothing.
    pub fn require(&mut self, mark: Mark, span: Span) {
        if !self.any_since(mark) {
            self.repeat_parser(span);
        }
    }

    /// Whether an error was reported since.
    pub fn any_since(&self, mark: Mark) -> bool {
        self.errors_since(mark).next().is_some()
    }

    /// Whether an error was reported since that is no matter of which overload is meant.
    pub fn is_final_since(&self, mark: Mark) -> bool {
        self.errors_since(mark).any(|cause| cause.is_final)
    }

    /// Takes back what was reported since; the first error of it.
    pub fn take_back(&mut self, mark: Mark) -> Option<Cause> {
        let first = self.cause_since(mark);
        self.all.truncate(mark.0);
        first
    }

    /// All that was reported since, each cause once.
    pub fn told_since(&self, mark: Mark) -> Vec<Cause> {
        // Functions that each call the one before twice would tell what is wrong with the first 2^n times.
        let mut known = HashSet::new();
        let all = self.all_since(mark).iter();
        all.filter(|cause| known.insert(cause.number))
            .cloned()
            .collect()
    }

    /// What the parser found in the item that is looked at now; what it had found before.
    pub fn set_of_parser(&mut self, found: Option<Cause>) -> Option<Cause> {
        std::mem::replace(&mut self.of_parser, found)
    }

    /// Takes back all but the first of what was reported since.
    pub fn keep_first_since(&mut self, mark: Mark) {
        self.all.truncate(mark.0 + 1);
    }

    /// What is to be told, each error once.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut reported = HashSet::from([OF_PARSER]);
        let all = self.all.into_iter();
        let new = all.filter(|cause| reported.insert(cause.number));
        new.map(|cause| Rc::unwrap_or_clone(cause.diagnostic))
            .collect()
    }
}

impl Cause {
    fn unread(span: Span, number: u32) -> Self {
        Cause {
            number,
            diagnostic: Rc::new(Diagnostic::error(span, "this uses what could not be read")),
            is_final: true,
        }
    }

    pub fn diagnostic(&self) -> &Diagnostic {
        &self.diagnostic
    }

    /// Whether it is no warning.
    pub fn is_error(&self) -> bool {
        self.diagnostic.severity == Severity::Error
    }
}
