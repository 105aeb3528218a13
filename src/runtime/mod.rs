//! The notebook at work: a terminal, threads, one channel.
//!
//! The main thread owns model and terminal: it takes events from the channel, updates the model,
//! performs the effects and draws, at most sixty times a second and only after something happened.
//! One thread runs kernels, another steps through blocks, others read keys, wait for signals, write files
//! and watch them. Invariant: however the notebook ends, the terminal is as it was before.

mod allocator;
mod clock;
mod setup;
mod events;
mod terminal;
mod files;
mod runs;
mod notebook;
mod notes;

use self::events::EventSender;
use self::files::StateWriter;
use self::notebook::{EffectHandler, Notebook};
use crate::app::{self, App, Painter, SavedState, StartOptions, StateChange};
use crate::document::{Scheme, Theme};

pub(crate) use self::clock::seconds_since_1970;
pub(crate) use self::files::{FileChanges, state_folder};
pub use self::files::{Unread, replace_file, saved_in, write_file};
pub use self::terminal::{Screen, Sequences, exit_code, within_terminal};
pub use notes::{print_notes, show_notes};
pub use setup::{Setup, Start};

/// Opens the program, and stays until the learner leaves, or a signal ends it: then its number.
///
/// # Errors
/// If the terminal cannot be taken over, or the notebook met a bug of its own.
pub fn open(start: Start, setup: Setup) -> anyhow::Result<Option<i32>> {
    let theme = Theme::detect(|name| std::env::var(name).ok()).in_ascii_if(setup.ascii);
    let (events, inbox) = EventSender::channel();
    // Before anything is on screen: a signal that came earlier would leave the terminal as it is.
    terminal::send_signals(events.clone())?;
    within_terminal(|screen| {
        let folder = files::saved_state::state_folder();
        let (saved, notice) = files::saved_state::load(folder.as_deref());
        let state_writer = StateWriter::start(folder, events.clone());
        let (scheme, unknown) = scheme(setup.scheme, &saved);
        let begin = StartOptions {
            gpu: setup.gpu.clone(),
            engine: setup.engine,
            watch: setup.watch,
            presenting: setup.presenting,
            scheme,
            commands: app::commands().into(),
        };
        let app = App::new(begin, saved, notice.or(unknown));
        let file = setup.file.clone();
        let effects = EffectHandler::start(screen, setup, state_writer, &events);
        let notebook = Notebook::new(app, Painter::new(theme), effects);
        notebook.run(start, file.as_deref(), events, &inbox)
    })
}

/// What outlasts the program, and what the learner should know of it.
pub(crate) fn saved_state() -> (SavedState, Option<String>) {
    files::saved_state::load(files::state_folder().as_deref())
}

/// Keeps `changes` over the end of the program; what the learner should know of it.
pub(crate) fn save_changes(changes: Vec<StateChange>) -> Option<String> {
    files::saved_state::save(files::state_folder().as_deref(), changes)
}

/// The colours that are asked for, else those that `TUTOR_THEME` names, else those of last time; and what
/// is wrong with that name.
fn scheme(asked: Option<Scheme>, saved: &SavedState) -> (Scheme, Option<String>) {
    let named = std::env::var("TUTOR_THEME").ok();
    let named = named.filter(|name| asked.is_none() && !name.is_empty());
    match named.map(|name| Scheme::named(&name)) {
        Some(Ok(scheme)) => (scheme, None),
        Some(Err(why)) => (
            Scheme::of_last_time(saved),
            Some(format!("TUTOR_THEME: {why}")),
        ),
        None => (asked.unwrap_or_else(|| Scheme::of_last_time(saved)), None),
    }
}
