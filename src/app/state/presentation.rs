//! A lesson shown to a room: what the second terminal is told, and the keys of a remote control.
//!
//! Invariant: what is told holds nothing of a right answer.

use serde::{Deserialize, Serialize};

/// What a speaker's second terminal shows: where the presentation is, and what to say there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpeakerState {
    /// The lesson's title.
    pub lesson: String,
    /// The cell on screen, from 1, and how many there are.
    pub at: (usize, usize),
    /// The cell's title.
    pub title: String,
    /// What to say, in Markdown; may be empty.
    pub notes: String,
    /// The title of the next cell; nothing after the last.
    pub next: Option<String>,
    /// Whether an answer is given whose truth is not shown yet.
    pub is_held: bool,
    /// Minutes that the lesson takes, as its author says.
    pub minutes: u32,
    /// When the presentation began, in seconds since 1970.
    pub began: u64,
}

/// A presentation under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Presentation {
    /// Seconds since it began.
    pub seconds: u64,
    /// What was told last.
    pub(crate) last_sent: Option<SpeakerState>,
}
