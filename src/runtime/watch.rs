//! Waits: for a text to rest, and for files to change.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::events::Event;
use crate::session::Msg;

/// How long nothing must be typed before a text rests.
const REST: Duration = Duration::from_millis(60);

/// Sends `Msg::Rested` once nothing changed for a moment.
pub(super) struct Rest {
    changes: Sender<u64>,
}

impl Rest {
    /// Starts the thread; it sleeps until something changes.
    pub fn start(events: Sender<Event>) -> Self {
        let (changes, inbox) = mpsc::channel::<u64>();
        thread::spawn(move || {
            while let Ok(mut revision) = inbox.recv() {
                loop {
                    match inbox.recv_timeout(REST) {
                        Ok(later) => revision = later,
                        Err(RecvTimeoutError::Timeout) => break,
                        Err(RecvTimeoutError::Disconnected) => return,
                    }
                }
                let _ = events.send(Event::Session(Box::new(Msg::Rested { revision })));
            }
        });
        Rest { changes }
    }

    /// Something changed.
    pub fn changed(&self, revision: u64) {
        let _ = self.changes.send(revision);
    }
}
