//! The questions that there are.

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
    pub(crate) fn is_list(self) -> bool {
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
    pub(crate) fn takes_letters(self) -> bool {
        self.is_list() || matches!(self, Self::Find)
    }
}
