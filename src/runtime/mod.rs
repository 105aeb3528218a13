//! The notebook at work: a terminal, threads, one channel.
//!
//! The main thread owns model and terminal: it takes events from the channel, updates the model,
//! performs the effects and draws, at most sixty times a second and only after something happened.
//! A worker thread runs kernels, another steps through blocks, an input thread reads keys, a third waits for signals. Invariant:
//! however the notebook ends, the terminal is as it was before.

mod setup;
mod events;
mod terminal;
mod files;
mod runs;
mod notebook;
mod notes;

use std::sync::mpsc;

use self::files::{Keeper, Rest, Speaker, Storage, Watcher};
use self::notebook::Notebook;
use self::runs::{Looker, Worker};
use crate::app::{self, App, Begin, Kept};
use crate::app::{Drawn, Painter};
use crate::document::Scheme;
use crate::document::Theme;
use events::Gate;

pub use self::files::write_file;
pub use self::terminal::{Screen, within_terminal};
pub use notes::{print_notes, show_notes};
pub use setup::{Setup, Start};

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
        let folder = files::saved_state::state_folder();
        let (kept, notice) = files::saved_state::load(folder.as_deref());
        let storage = Storage::start(folder, sender.clone());
        let (scheme, unknown) = scheme(setup.scheme, &kept);
        let begin = Begin {
            gpu: setup.gpu.clone(),
            engine: setup.engine,
            watch: setup.watch,
            presenting: setup.presenting,
            scheme,
            commands: app::commands().into(),
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
