//! The state of the program: the home screen, and the notebook of a lesson, a [`Model`].
//!
//! Plain data and questions answered from it. It knows no terminal, file, clock or thread.

pub(crate) use crate::lesson::GutterMetric;

pub(crate) mod context;
pub(crate) mod screen;
pub(crate) mod fuzzy;
pub(crate) mod editor;
pub(crate) mod inspector;
pub(crate) mod prompt_kind;
pub(crate) mod action;
pub(crate) mod saved_exercise;
pub(crate) mod saved;
pub(crate) mod practice;
pub(crate) mod progress;
pub(crate) mod cells;
pub(crate) mod popups;
pub(crate) mod presentation;
pub(crate) mod link;
pub(crate) mod home;
pub(crate) mod model;
pub(crate) mod app;
pub(crate) mod queries;

pub(crate) use action::{
    Action, CalculatorAction, CopyTarget, EditorAction, FigureAction, HomeAction, InspectorAction,
    LessonAction, Movement, PopupAction, PredictionAction, RunAction, TableAction, ViewAction,
};
pub(crate) use app::{App, Opening, StartOptions};
pub(crate) use cells::calculator::CalculatorState;
pub(crate) use cells::cell::CellState;
pub(crate) use cells::comparison::{CellComparison, Total};
pub(crate) use cells::exercise::{CheckedAnswer, ExerciseState};
pub(crate) use cells::figure::{FigureState, FigureView, Samples};
pub(crate) use cells::prediction::{PredictionState, Reveal, Stage};
pub(crate) use cells::run::evidence::CounterDifference;
pub(crate) use cells::run::levels::MemoryLevel;
pub(crate) use cells::run::memory::{ElementAccess, MemoryView};
pub(crate) use cells::run::state::{
    FinishedRun, Job, LaunchState, RunScroll, RunState, Summary, Tile,
};
pub(crate) use cells::table::TableState;
pub(crate) use context::Context;
pub(crate) use editor::commands::EditCommand;
pub(crate) use editor::diff::DiffRow;
pub(crate) use editor::edits::{Edit, EditorRow, Edits, SavedEdit, SourceView};
pub(crate) use editor::motion::Motion;
pub(crate) use editor::text::{Shift, Text};
pub(crate) use fuzzy::{FuzzyMatch, FuzzySearch};
pub(crate) use home::lessons::{Home, LessonRow, ListedLesson};
pub(crate) use home::welcome::{
    MovedSector, SEEN as WELCOME_SEEN, STRIDES, WarpLoad, Welcome, welcome_plans,
};
pub(crate) use inspector::block_history::{
    BlockHistory, HistoryKey, LoadedHistory, SourceVariable, StepMark, WarpSteps,
};
pub(crate) use inspector::lane_steps::{LaneState, StepRun, WarpTimeline};
pub(crate) use inspector::selection::{InspectedItem, Inspector, Jump, Matrix, SoughtStep};
pub(crate) use inspector::value_range::ValueRange;
pub(crate) use link::LessonLink;
pub(crate) use model::{LessonErrors, Model};
pub(crate) use popups::block_map::BlockMap;
pub(crate) use popups::palette::{Command, Palette, PaletteEntry, PaletteSearch, PaletteTarget};
pub(crate) use popups::prompt::{Choice, Prompt};
pub(crate) use popups::tour::{Tour, TourStep};
pub(crate) use practice::ConceptProgress;
pub(crate) use presentation::{Presentation, SpeakerState};
pub(crate) use progress::{LessonProgress, PageProgress};
pub(crate) use prompt_kind::PromptKind;
pub(crate) use queries::cells::Side;
pub(crate) use queries::page::PageTexts;
pub(crate) use saved::{SavedState, StateChange};
pub(crate) use saved_exercise::{ExerciseChange, SavedExercise};
pub(crate) use screen::{Extent, FrameExtents, Layout, SourceExtent, Tab};
