//! Questions the notebook asks: where to go, which block, what size.

use crate::lesson::Input;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// A value for a size of the lesson, by index.
    Size(usize),
    /// The page to go to.
    Page,
    /// The number of a line of the source.
    Line,
    /// Row and column, or index, of an element.
    Element,
    /// The number of a step.
    Step,
    /// The number of a line to run to.
    RunTo,
    /// The index of a block.
    Block,
    /// The answer to the prediction on screen.
    Prediction,
    /// A value for an input of the calculator on screen.
    Input(Input),
    /// Whether to start the lesson over: y does.
    Restart,
    /// The file that the lesson and its results go to.
    File,
    /// What the gutter counts.
    GutterMetric,
    /// Which GPU is simulated.
    Gpu,
    /// The cell to compare with.
    Comparison,
    /// What to look for in an edited text.
    Find,
    /// Whether to drop what was changed in a kernel.
    Reset,
}

impl PromptKind {
    /// Whether its answers stand in a list.
    fn is_list(self) -> bool {
        matches!(
            self,
            Self::Page | Self::GutterMetric | Self::Gpu | Self::Comparison
        )
    }

    /// Whether one key answers it, yes or no.
    pub(crate) fn is_confirmation(self) -> bool {
        matches!(self, Self::Restart | Self::Reset)
    }

    /// Whether its answers have letters.
    fn takes_letters(self) -> bool {
        self.is_list() || matches!(self, Self::Find)
    }
}

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
