//! The state of the program: the home screen, and the notebook of a lesson, a [`Model`].
//!
//! Plain data and questions answered from it. It knows no terminal, file, clock or thread.

pub(crate) mod context;
pub(crate) mod screen;
pub(crate) mod fuzzy;
pub(crate) mod editor;
pub(crate) mod inspector;
pub(crate) mod action;
pub(crate) mod saved;
pub(crate) mod progress;
pub(crate) mod cells;
pub(crate) mod popups;
pub(crate) mod presentation;
pub(crate) mod link;
pub(crate) mod home;
pub(crate) mod model;
pub(crate) mod app;
pub(crate) mod queries;

pub(crate) use action::{Action, Copied};
pub(crate) use app::{App, Begin, Opening};
pub(crate) use cells::calculator::CalculatorState;
pub(crate) use cells::cell::{CellState, Fold};
pub(crate) use cells::comparison::{Total, Versus};
pub(crate) use cells::figure::{FigureState, FigureView, Samples};
pub(crate) use cells::gutter_metric::Margin;
pub(crate) use cells::prediction::{PredictionState, Reveal, Stage};
pub(crate) use cells::run::explain::Distance;
pub(crate) use cells::run::levels::Level;
pub(crate) use cells::run::memory::{Held, Touch};
pub(crate) use cells::run::state::{Job, LaunchState, Ran, RunState, Summary, Tile};
pub(crate) use cells::table::TableState;
pub(crate) use context::Context;
pub(crate) use editor::commands::Stroke;
pub(crate) use editor::diff::DiffRow;
pub(crate) use editor::edits::{Edit, EditorRow, Edits, KeptEdit, SourceView};
pub(crate) use editor::motion::Motion;
pub(crate) use editor::text::{Shift, Text};
pub(crate) use fuzzy::{Fit, Fuzzy};
pub(crate) use home::lessons::{Home, Listed, Row};
pub(crate) use inspector::inside::{Inside, Looked, Mark, Named, Walk};
pub(crate) use inspector::selection::{Facet, Inspector, Item, Jump, Matrix};
pub(crate) use link::Place;
pub(crate) use model::{Broken, Model};
pub(crate) use popups::help::HelpPage;
pub(crate) use popups::palette::{Command, Entry, Palette, Search, Target};
pub(crate) use popups::picker::Picker;
pub(crate) use popups::prompt::{Choice, Prompt, PromptKind};
pub(crate) use popups::tour::{Tour, TourStep};
pub(crate) use presentation::{Presentation, Spoken};
pub(crate) use progress::{CellStanding, Standing};
pub(crate) use queries::cells::Side;
pub(crate) use saved::{Change, Kept, LessonKept};
pub(crate) use screen::{Extent, Focus, Layout, Seen, Tab};
