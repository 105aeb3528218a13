//! Where a presentation is, told to whoever runs `tutor notes`: a file in the state folder, there as long
//! as the presentation lasts.
//!
//! Invariant: a presentation holds a lock on the file as it is now. The system takes the lock away from a program that
//! is killed, so a file without one tells of a presentation that is over.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::saved_state::state_folder;
use super::write::replace_locked;
use crate::app::SpeakerState;
use crate::runtime::clock::seconds_since_1970;
use crate::source::{MAX_TEXT_BYTES, read_open_file};

/// The file in the state folder.
const FILE: &str = "presentation.json";

/// The file; none if there is no state folder.
pub(crate) fn presentation_file() -> Option<PathBuf> {
    state_folder().map(|folder| folder.join(FILE))
}

/// What a presentation under way tells.
pub(crate) struct Announcement {
    pub spoken: SpeakerState,
    file: File,
}

impl Announcement {
    /// Waits until it tells something else, or is over.
    ///
    /// # Errors
    /// If the system knows no locks.
    pub fn wait_for_news(&self) -> io::Result<()> {
        self.file.lock_shared()?;
        self.file.unlock()
    }
}

/// What the presentation under way tells; nothing if there is none.
pub(crate) fn read_presentation() -> Option<Announcement> {
    let path = presentation_file()?;
    let mut presentation = read(&path)?;
    // Between opening and asking it may have got a new file, in which the lock is.
    for _ in 0..3 {
        match presentation.file.try_lock_shared() {
            Ok(()) => presentation = read(&path)?,
            // Where the system knows no locks, the file has to do.
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return Some(presentation),
        }
    }
    None
}

fn read(path: &Path) -> Option<Announcement> {
    let (bytes, file) = read_open_file(path, MAX_TEXT_BYTES).ok()?;
    let spoken = serde_json::from_slice(&bytes).ok()?;
    Some(Announcement { spoken, file })
}

/// Seconds since a moment that was told as seconds since 1970.
pub(crate) fn seconds_since(began: u64) -> u64 {
    seconds_since_1970().saturating_sub(began)
}

/// A presentation under way.
pub(crate) struct Presentation {
    began: Instant,
    /// The same, in seconds since 1970.
    epoch: u64,
    /// The file that was written last, and locked.
    file: Option<File>,
}

impl Presentation {
    /// Begins now.
    pub fn begin() -> Self {
        Presentation {
            began: Instant::now(),
            epoch: seconds_since_1970(),
            file: None,
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
    pub fn publish(&mut self, spoken: SpeakerState) -> Result<(), String> {
        // Another terminal finds it by the same rule; there is no other way to meet.
        let Some(file) = presentation_file() else {
            return Err("there is no folder for it; set TUTOR_STATE=FOLDER".to_owned());
        };
        let spoken = SpeakerState {
            began: self.epoch,
            ..spoken
        };
        let text = serde_json::to_string(&spoken).map_err(|error| error.to_string())?;
        let written = replace_locked(&file, &text);
        let written = written.map_err(|error| format!("{}: {error}", file.display()))?;
        // The lock on the file that was there before is given up last: who waits for that finds this one.
        self.file = Some(written);
        Ok(())
    }
}

impl Drop for Presentation {
    fn drop(&mut self) {
        // Another presentation may have begun since: its file stays.
        let is_ours =
            read_presentation().is_some_and(|presentation| presentation.spoken.began == self.epoch);
        if let (true, Some(file)) = (is_ours, presentation_file()) {
            // A file that stays tells of a presentation that nobody sees; there is nobody left to tell.
            let _ = fs::remove_file(file);
        }
    }
}
