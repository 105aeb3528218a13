//! The notebook at work: a terminal, threads, one channel.
//!
//! The main thread owns model and terminal: it takes events from the channel, updates the model,
//! performs the effects and draws, at most sixty times a second and only after something happened.
//! A worker thread runs kernels, another steps through blocks, an input thread reads keys, a third waits for signals. Invariant:
//! however the notebook ends, the terminal is as it was before.

mod capture;
mod clipboard;
mod contrast;
mod editing;
mod editor;
mod edits;
mod events;
mod hand_out;
mod look;
mod notebook;
mod notes;
mod present;
mod setup;
mod storage;
mod summary;
mod terminal;
mod watch;
mod worker;
mod write;

use std::sync::mpsc;

use crate::session::{App, Begin, Kept, Scheme};
use crate::tui::{self, Drawn, Painter, Theme};
use edits::Keeper;
use events::Gate;
use look::Looker;
use notebook::Notebook;
use present::Speaker;
use storage::Storage;
use watch::{Rest, Watcher};
use worker::Worker;

pub use notes::{print_notes, show_notes};
pub use setup::{Setup, Start};
pub use terminal::{Screen, within_terminal};
pub use write::write_file;

/// Opens the program, and stays until the learner leaves.
///
/// # Errors
/// If the terminal cannot be taken over, or the notebook met a bug of its own.
pub fn open(start: Start, setup: Setup) -> anyhow::Result<()> {
    let mut theme = Theme::detect(|name| std::env::var(name).ok());
    theme.unicode &= !setup.ascii;
    let (sender, receiver) = mpsc::channel();
    // Before anything is on screen: a signal that came earlier would leave the terminal as it is.
    events::send_signals(sender.clone())?;
    within_terminal(|screen| {
        let folder = storage::state_folder();
        let (kept, notice) = storage::load(folder.as_deref());
        let storage = Storage::start(folder, sender.clone());
        let (scheme, unknown) = scheme(setup.scheme, &kept);
        let begin = Begin {
            gpu: setup.gpu.clone(),
            engine: setup.engine,
            watch: setup.watch,
            presenting: setup.presenting,
            scheme,
            commands: tui::commands().into(),
        };
        let app = App::new(begin, kept, notice.or(unknown));
        let notebook = Notebook {
            screen,
            app,
            painter: Painter::new(theme),
            storage,
            file: setup.file.clone(),
            speaker: setup.presenting.then(Speaker::begin),
            worker: Worker::start(setup, sender.clone()),
            looker: Looker::start(sender.clone()),
            rest: Rest::start(sender.clone()),
            keeper: Keeper::start(sender.clone()),
            watcher: Watcher::start(sender.clone()),
            gate: Gate::default(),
            drawn: Drawn::default(),
            held_row: None,
        };
        notebook.run(start, sender, &receiver)
    })
}

/// The colours that are asked for, else those that `TUTOR_THEME` names, else those of last time; and what
/// is wrong with that name.
fn scheme(asked: Option<Scheme>, kept: &Kept) -> (Scheme, Option<String>) {
    let named = std::env::var("TUTOR_THEME").ok();
    let named = named.filter(|name| asked.is_none() && !name.is_empty());
    match named.map(|name| Scheme::from_name(&name)) {
        Some(Ok(scheme)) => (scheme, None),
        Some(Err(why)) => (
            Scheme::of_last_time(kept),
            Some(format!("TUTOR_THEME: {why}")),
        ),
        None => (asked.unwrap_or_else(|| Scheme::of_last_time(kept)), None),
    }
}
