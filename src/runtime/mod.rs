//! The notebook at work: a terminal, threads, one channel.
//!
//! The main thread owns model and terminal: it takes events from the channel, updates the model,
//! performs the effects and draws, at most sixty times a second and only after something happened.
//! A worker thread runs kernels, an input thread reads keys, a third waits for signals. Invariant:
//! however the notebook ends, the terminal is as it was before.

mod capture;
mod events;
mod notebook;
mod terminal;
mod worker;

use std::sync::mpsc;

use crate::lesson::Lesson;
use crate::session::Model;
use crate::tui::Theme;

pub use terminal::{Screen, within_terminal};

/// Opens the notebook on `lesson`, simulating the GPU `gpu` of the table if one is asked for, and stays until the learner leaves.
///
/// # Errors
/// If the terminal cannot be taken over, or the notebook met a bug of its own.
pub fn open(lesson: Lesson, gpu: Option<&str>) -> anyhow::Result<()> {
    let theme = Theme::detect(|name| std::env::var(name).ok());
    let (sender, receiver) = mpsc::channel();
    // Before anything is on screen: a signal that came earlier would leave the terminal as it is.
    events::send_signals(sender.clone())?;
    within_terminal(|screen| {
        notebook::run(screen, Model::new(lesson, gpu), theme, sender, &receiver)
    })
}
