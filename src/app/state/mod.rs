//! The state of the program: the home screen, and the notebook of a lesson, a [`Model`].
//!
//! Plain data and questions answered from it. It knows no terminal, file, clock or thread.

mod context;
mod action;
mod fuzzy;
mod scheme;
mod saved;
mod progress;
pub(crate) mod editor;
mod inspector;
pub(crate) mod cells;
pub(crate) mod popups;
mod presentation;
mod link;
mod home;
mod model;

pub(crate) use cells::{
    ask_for_figure, go_to_difference, set_gpu, show_ptx_of, shown_cells, step_gpu, travel_figure,
    travel_ptx, unfold,
};
pub(crate) use editor::Shift;
pub(crate) use inspector::ask_for_inside;
pub(crate) use popups::Answer;
pub(crate) use presentation::turn_page;
pub(crate) use scheme::SCHEME_KEY;

pub(crate) use self::cells::CalculatorState;
pub(crate) use self::cells::Fold;
pub(crate) use self::cells::Level;
pub(crate) use self::cells::Margin;
pub(crate) use self::cells::TableState;
pub(crate) use self::cells::places;
pub(crate) use self::cells::{Distance, distances, filled_in};
pub(crate) use self::cells::{FigureState, FigureView, Samples};
pub(crate) use self::cells::{Job, LaunchState, Ran, RunState, Summary, Tile};
pub(crate) use self::cells::{PredictionState, Reveal, Stage};
pub(crate) use self::cells::{Side, Total, Versus, totals};
pub(crate) use self::editor::DiffRow;
pub(crate) use self::editor::Stroke;
pub(crate) use self::editor::Text;
pub(crate) use self::editor::{Edit, EditorRow, Edits, KeptEdit, SourceView};
pub(crate) use self::editor::{Motion, cells as columns_of};
pub(crate) use self::home::{Home, Listed, Row};
pub(crate) use self::inspector::{Facet, Inspector, Item, Matrix};
pub(crate) use self::inspector::{Held, Touch};
pub(crate) use self::inspector::{Inside, Looked, Mark, Named, Walk};
pub(crate) use self::popups::Choice;
pub(crate) use self::popups::HelpPage;
pub(crate) use self::popups::Picker;
pub(crate) use self::popups::{Command, Entry, Palette, Search, Target};
pub(crate) use self::popups::{Prompt, PromptKind};
pub(crate) use self::popups::{Tour, TourStep};
#[cfg(test)]
pub(crate) use super::testing::{
    compile, measure, sample_lesson, sample_lesson_of_all, sample_lesson_twice, sample_lessons,
    sample_progress, sample_ran, sample_recording, sample_values, tour_inside, tour_lesson,
    tour_ran,
};
pub(crate) use super::update::Broken;
pub(crate) use super::update::EditedRuns;
pub(crate) use super::update::Jump;
pub(crate) use super::update::{App, Begin, Opening};
pub(crate) use super::update::{Copied, Copy, NotWritten, Written};
pub(crate) use super::update::{EditComparison, Effect, Msg, RunTask};
pub(crate) use crate::device::grouped;
pub(crate) use crate::document::Scheme;
pub(crate) use action::{Action, Context};
pub(crate) use link::Place;
pub(crate) use model::{CellState, Extent, Focus, Layout, Model, Seen, Tab};
pub(crate) use presentation::{Presentation, Spoken};
pub(crate) use progress::{CellStanding, Standing};
pub(crate) use saved::{Change, Kept, LessonKept};
