//! The interactive application: state, what changes it, what keys mean, and how it is drawn.
//!
//! Four layers, each with the same areas (cells, inspector, editor, popups, home):
//! `state` is data and questions answered from it; `update` takes a message into it and says what is to
//! be done outside; `keys` is the one table of keys; `view` draws the state. A layer imports only layers
//! above it in the list below. `state` and `update` know no terminal.

mod state;
#[cfg(test)]
mod testing;
mod update;
mod keys;
mod view;

pub(crate) use keys::{action, commands, keys_by_place};
pub(crate) use state::{
    Action, App, BlockHistory, CellState, ConceptProgress, Context, CopyTarget, EditCommand,
    EditorAction, ExerciseChange, FigureState, FinishedRun, HistoryKey, InspectorAction,
    LessonErrors, LessonLink, ListedLesson, Model, Movement, Opening, PopupAction, Reveal,
    RunAction, RunState, SavedEdit, SavedExercise, SavedState, SpeakerState, Stage, StartOptions,
    StateChange, Summary, Tile, WarpLoad, WarpSteps, welcome_plans,
};
pub(crate) use update::message::{
    AnswerCheck, CheckedText, CopiedText, EditComparison, Effect, ExportError, ExportedFile,
    LessonFile, Msg, ReplayRequest, RunTask,
};
pub(crate) use update::popups::export::export_target;
pub(crate) use view::{Drawn, Notes, Painter, overflows, view_app, view_notes};
#[cfg(test)]
pub(crate) use {
    state::{LessonAction, Tab, ViewAction},
    testing::{sample_lesson, sample_ran},
    update::update,
};
