//! A lesson shown to a room: what the second terminal is told, and the keys of a remote control.

use serde::{Deserialize, Serialize};

/// What a speaker's second terminal shows: where the presentation is, and what to say there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpeakerState {
    /// The lesson's title.
    pub lesson: String,
    /// The page on screen, from 1, and how many there are.
    pub at: (usize, usize),
    /// The page's title.
    pub title: String,
    /// What to say, in Markdown; may be empty.
    pub notes: String,
    /// What is right, of the question on screen, in Markdown; empty where nothing is asked.
    #[serde(default)]
    pub answer: String,
    /// The title of the next page; nothing after the last.
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
