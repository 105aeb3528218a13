//! Where a presentation is, told to whoever runs `tutor notes`: a file in the state folder, there as long
//! as the presentation lasts.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::saved_state::state_folder;
use super::write::replace_file;
use crate::app::SpeakerState;
use crate::source::read_text;

/// The file in the state folder.
const FILE: &str = "presentation.json";

/// The file; none if there is no state folder.
pub(crate) fn presentation_file() -> Option<PathBuf> {
    state_folder().map(|folder| folder.join(FILE))
}

/// What the presentation under way tells; nothing if there is none.
pub(crate) fn read_presentation() -> Option<SpeakerState> {
    let text = read_text(&presentation_file()?).ok()?;
    serde_json::from_str(&text).ok()
}

/// Seconds since a moment that was told as seconds since 1970.
pub(crate) fn seconds_since(began: u64) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs().saturating_sub(began))
}

/// A presentation under way.
pub(crate) struct Presentation {
    began: Instant,
    /// The same, in seconds since 1970.
    epoch: u64,
}

impl Presentation {
    /// Begins now.
    pub fn begin() -> Self {
        Presentation {
            began: Instant::now(),
            epoch: seconds_since(0),
        }
    }

    /// Seconds since it began, and how long until there is one more.
    pub fn clock(&self) -> (u64, Duration) {
        let elapsed = self.began.elapsed();
        // The clock on screen has seconds: nothing is drawn in between.
        let next = Duration::from_secs(elapsed.as_secs() + 1);
        (elapsed.as_secs(), next.saturating_sub(elapsed))
    }

    /// Tells the second terminal.
    ///
    /// # Errors
    /// Why it is told nothing.
    pub fn publish(&self, spoken: SpeakerState) -> Result<(), String> {
        // Another terminal finds it by the same rule; there is no other way to meet.
        let Some(file) = presentation_file() else {
            return Err("there is no folder for it; TUTOR_STATE=FOLDER names one".to_owned());
        };
        let spoken = SpeakerState {
            began: self.epoch,
            ..spoken
        };
        let text = serde_json::to_string(&spoken).map_err(|error| error.to_string())?;
        replace_file(&file, &text).map_err(|error| format!("{}: {error}", file.display()))
    }
}

impl Drop for Presentation {
    fn drop(&mut self) {
        // Another presentation may have begun since: its file stays.
        let is_ours = read_presentation().is_some_and(|spoken| spoken.began == self.epoch);
        if let (true, Some(file)) = (is_ours, presentation_file()) {
            // A file that stays tells of a presentation that nobody sees; there is nobody left to tell.
            let _ = fs::remove_file(file);
        }
    }
}
