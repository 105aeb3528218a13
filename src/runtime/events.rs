//! What happens outside, as one stream of events.

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;

use crate::app::Msg;

/// Something that happened.
pub(crate) enum Event {
    /// A key, a click, a new size of the terminal.
    Input(crossterm::event::Event),
    /// All that was read has been taken: the reader may go on once it has an answer. However much comes from the
    /// terminal, so little of it is in memory, and frames are drawn in between.
    ReadOn(SyncSender<()>),
    /// A message to the model, from one of the threads.
    Message(Box<Msg>),
    /// The program is told to stop until the shell has it go on.
    Stop,
    /// It goes on. The shell had the terminal meanwhile.
    Continued,
    /// The program is told to end, by the signal of this number; a terminal that is gone is SIGHUP.
    Ended(i32),
    /// A thread met a bug; the panic hook knows which.
    Panicked,
}

/// The end of the channel at which threads send events.
#[derive(Clone)]
pub(crate) struct EventSender(Sender<Event>);

impl EventSender {
    /// The channel.
    pub fn channel() -> (Self, Receiver<Event>) {
        let (sender, receiver) = mpsc::channel();
        (EventSender(sender), receiver)
    }

    /// Sends an event; whether anybody is there to take it.
    pub fn send(&self, event: Event) -> bool {
        self.0.send(event).is_ok()
    }

    /// Sends a message to the model; whether anybody is there to take it.
    pub fn message(&self, msg: Msg) -> bool {
        self.send(Event::Message(Box::new(msg)))
    }

    /// Sends what `work` answers, or that it met a bug; whether anybody is there to take it.
    pub fn answer(&self, work: impl FnOnce() -> Option<Msg>) -> bool {
        match panic::catch_unwind(AssertUnwindSafe(work)) {
            Ok(None) => true,
            Ok(Some(msg)) => self.message(msg),
            Err(_) => self.send(Event::Panicked),
        }
    }

    /// The same on a thread of its own, for work that may take long.
    pub fn answer_on_thread(&self, work: impl FnOnce() -> Option<Msg> + Send + 'static) {
        let events = self.clone();
        thread::spawn(move || events.answer(work));
    }
}
