//! What is open over a cell: questions, lists, help, the tour.

mod choices;
mod help;
pub(crate) mod palette;
mod picker;
pub(crate) mod prompt;
mod tour;

pub(crate) use choices::Choice;
pub(crate) use help::HelpPage;
pub(crate) use palette::{Command, Entry, Palette, Search, Target};
pub(crate) use picker::Picker;
pub(crate) use prompt::{Answer, Prompt, PromptKind};
pub(crate) use tour::{Tour, TourStep};
