//! The notebook at work: a terminal, threads, one channel.
//!
//! The main thread owns model and terminal: it takes events from the channel, updates the model,
//! performs the effects and draws, at most sixty times a second and only after something happened.
//! A worker thread runs kernels, an input thread reads keys, a third waits for signals. Invariant:
//! however the notebook ends, the terminal is as it was before.

mod capture;
mod contrast;
mod editing;
mod editor;
mod edits;
mod events;
mod notebook;
mod storage;
mod summary;
mod terminal;
mod watch;
mod worker;

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use crate::gpu::{self, TimingChoice};
use crate::launch::{Engine, Watch};
use crate::lesson::Lesson;
use crate::session::{App, Begin, Opening};
use crate::tui::{Drawn, Painter, Theme};
use editing::Editing;
use notebook::Notebook;
use storage::Storage;
use worker::Worker;

pub use terminal::{Screen, within_terminal};

/// What cells run on, and how.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Which GPU is simulated, if one is asked for: an id of the GPU table.
    pub gpu: Option<String>,
    /// What runs cells at first; nothing for a real GPU where there is one that works.
    pub engine: Option<Engine>,
    /// What a timed run finds in the L2 cache.
    pub timing: TimingChoice,
    /// Whether to read the hardware's counters.
    pub counters: bool,
    /// How long a kernel may run on a real GPU.
    pub time_limit: Duration,
    /// The warp that is looked at first, if one is asked for.
    pub watch: Option<Watch>,
    /// The lesson's own file, read again when it changes; none of one that comes with the program.
    pub file: Option<PathBuf>,
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            gpu: None,
            engine: None,
            timing: TimingChoice::Flushed,
            counters: false,
            time_limit: gpu::TIME_LIMIT,
            watch: None,
            file: None,
        }
    }
}

/// What is on screen first.
pub enum Start {
    /// The home screen.
    Home,
    /// A lesson.
    Lesson(Arc<Lesson>, Opening),
}

/// Opens the program, and stays until the learner leaves.
///
/// # Errors
/// If the terminal cannot be taken over, or the notebook met a bug of its own.
pub fn open(start: Start, setup: Setup) -> anyhow::Result<()> {
    let theme = Theme::detect(|name| std::env::var(name).ok());
    let (sender, receiver) = mpsc::channel();
    // Before anything is on screen: a signal that came earlier would leave the terminal as it is.
    events::send_signals(sender.clone())?;
    within_terminal(|screen| {
        let folder = storage::state_folder();
        let (kept, notice) = storage::load(folder.as_deref());
        let storage = Storage::start(folder, sender.clone());
        let begin = Begin {
            gpu: setup.gpu.clone(),
            engine: setup.engine,
            watch: setup.watch,
        };
        let app = App::new(begin, kept, notice);
        let mut editing = Editing::start(&sender);
        if let (Start::Lesson(lesson, _), Some(path)) = (&start, &setup.file) {
            editing.watch_lesson(path, lesson);
        }
        let notebook = Notebook {
            screen,
            app,
            painter: Painter::new(theme),
            worker: Worker::start(setup, sender.clone()),
            storage,
            editing,
            drawn: Drawn::default(),
        };
        notebook.run(start, sender, &receiver)
    })
}
