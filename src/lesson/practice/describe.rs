//! What was found, at places of the learner's text and in words.

use super::finding::{Cost, Feedback, Finding, WrongOutput};
use crate::device::grouped;
use crate::launch::WARP_LANES;
use crate::lesson::cells::BoundSide;
use crate::source::Diagnostic;

impl Feedback {
    /// What is wrong, each at its place of the learner's text; empty if nothing is.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        match &self.finding {
            Finding::Reported(_, found) => found.clone(),
            Finding::Wrong(wrong) => vec![wrong.diagnostic()],
            Finding::Over(cost) => vec![cost.diagnostic()],
            Finding::Passed => Vec::new(),
        }
    }
}

impl WrongOutput {
    fn diagnostic(&self) -> Diagnostic {
        let (element, expected) = (&self.element, number(self.wrong.expected));
        let found = self
            .wrong
            .found
            .map_or_else(|| "missing".to_owned(), number);
        let message = format!("`{element}` is {found}, and should be {expected}");
        let error = match &self.by {
            Some(by) => {
                let thread = by.warp as usize * WARP_LANES + by.lane as usize;
                let [x, y, z] = by.block;
                let block = match (y, z) {
                    (0, 0) => x.to_string(),
                    _ => format!("({x}, {y}, {z})"),
                };
                Diagnostic::error(by.span, message).label(format!(
                    "stored by lane {} of warp {}, thread {thread} of block {block}",
                    by.lane, by.warp
                ))
            }
            None => Diagnostic::error(self.kernel, message).label(match self.is_unchanged {
                true => "no thread stores to it: it keeps its initial value",
                false => "only atomic operations change it",
            }),
        };
        match self.wrong.count {
            _ if self.length == 1 => error,
            1 => error.note(format!(
                "all other {} elements are right",
                grouped(self.length as u64 - 1)
            )),
            count => error.note(format!(
                "{} of {} elements are wrong; this is the first",
                grouped(count as u64),
                grouped(self.length as u64)
            )),
        }
    }
}

/// As people write it: 7 digits tell floats apart.
fn number(value: f64) -> String {
    let size = value.abs();
    match value.fract() {
        0.0 if size < 1e15 => format!("{value}"),
        _ if !value.is_finite() => format!("{value}"),
        _ if (1e-3..1e6).contains(&size) => format!("{value:.6}").trim_end_matches('0').to_owned(),
        _ => format!("{value:.6e}"),
    }
}

impl Cost {
    /// By how much it misses the bound: `right, but 3.1 × the sectors read that are needed`.
    pub fn verdict(&self) -> String {
        let (name, ratio) = (&self.name, self.counted as f64 / self.limit.max(1) as f64);
        match (self.side, self.limit) {
            (BoundSide::AtMost, 0) => {
                format!(
                    "right, but with {} {name}, where none are needed",
                    grouped(self.counted)
                )
            }
            (BoundSide::AtMost, _) => {
                format!("right, but with {ratio:.1} \u{d7} the {name} that are needed")
            }
            (BoundSide::AtLeast, _) => {
                format!(
                    "right, but with {} {name}, where {} are possible",
                    grouped(self.counted),
                    grouped(self.limit)
                )
            }
        }
    }

    /// The bound beside what is counted: `sectors read: 40,000; at most ⌈N/8⌉ = 12,500`.
    pub fn beside_limit(&self) -> String {
        let limit = grouped(self.limit);
        let formula = match self.formula == limit || self.formula == self.limit.to_string() {
            true => String::new(),
            false => format!("{} = ", self.formula),
        };
        format!(
            "{}: {}; {} {formula}{limit}",
            self.name,
            grouped(self.counted),
            self.side.name()
        )
    }

    fn diagnostic(&self) -> Diagnostic {
        // It is right: nothing that a compiler would call an error.
        let found = Diagnostic::warning(self.place, self.verdict());
        let found = match self.lines.first() {
            Some(cost) => found.label(format!(
                "{} of {} {} come from this line",
                grouped(cost.counted),
                grouped(self.counted),
                self.name
            )),
            None => found,
        };
        found.note(self.beside_limit())
    }
}
