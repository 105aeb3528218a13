//! Questions the notebook asks: where to go, which block, what size.

use crate::app::state::PromptKind;

/// A question and what is typed so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// What is asked.
    pub kind: PromptKind,
    /// What is typed.
    pub input: String,
    /// The answer pointed at, among those of a list that fit what is typed.
    pub chosen: usize,
    /// Why the last answer was refused.
    pub error: Option<String>,
}

/// Longest answer, and longest name of a file.
const INPUT_LIMIT: usize = 48;
const FILE_LIMIT: usize = 200;

impl Prompt {
    /// The question, with nothing typed.
    pub fn new(kind: PromptKind) -> Self {
        Prompt {
            kind,
            input: String::new(),
            chosen: 0,
            error: None,
        }
    }

    /// Takes a typed character: digits and what separates them; for a list whatever narrows it, for a
    /// file whatever its name may have.
    pub fn push(&mut self, character: char) {
        let fits = match self.kind {
            PromptKind::Input(_) => character.is_ascii_digit() || matches!(character, ',' | '.'),
            PromptKind::Prediction | PromptKind::File => !character.is_control(),
            kind if kind.takes_letters() => !character.is_control(),
            _ => character.is_ascii_digit() || matches!(character, ',' | ' ' | '_'),
        };
        let limit = match self.kind {
            PromptKind::File => FILE_LIMIT,
            _ => INPUT_LIMIT,
        };
        if fits && self.input.len() < limit {
            self.input.push(character);
            self.chosen = 0;
            self.error = None;
        }
    }
}

impl Prompt {
    /// Moves to another answer of `count`.
    pub(crate) fn move_choice(&mut self, by: isize, count: usize) {
        let last = count.saturating_sub(1);
        self.chosen = self.chosen.min(last).saturating_add_signed(by).min(last);
    }
}

/// An answer to pick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its place among all answers, whatever is typed.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// What it is.
    pub detail: String,
    /// Whether it holds now.
    pub is_current: bool,
}
