//! What happens outside, as one stream of events.

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGWINCH};
use signal_hook::iterator::Signals;

use crate::app::Msg;

/// Something that happened.
pub(crate) enum Event {
    /// A key, a click, a new size of the terminal.
    Input(crossterm::event::Event),
    /// A message to the model, from one of the threads.
    Message(Box<Msg>),
    /// The program is told to end, or its terminal is gone.
    Ended,
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
    fn send(&self, event: Event) -> bool {
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

/// Keeps the thread that reads keys from them while another program has the terminal.
#[derive(Clone, Default)]
pub(crate) struct InputGate(Arc<(Mutex<GateState>, Condvar)>);

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum GateState {
    #[default]
    Open,
    /// To be closed once the thread is there.
    Closing,
    Closed,
}

/// Longest wait for the thread that reads keys to come to the gate.
const GATE_PATIENCE: Duration = Duration::from_secs(1);

impl InputGate {
    /// Runs `work` while nobody reads keys.
    pub fn closed<T>(&self, work: impl FnOnce() -> T) -> T {
        let (state, changed) = &*self.0;
        let set = |to| {
            *state.lock().unwrap_or_else(PoisonError::into_inner) = to;
            changed.notify_all();
        };
        set(GateState::Closing);
        // Wakes the thread: it waits for news of the terminal, of which this is one.
        let _ = signal_hook::low_level::raise(SIGWINCH);
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let closing = |state: &mut GateState| *state == GateState::Closing;
        // A thread that does not come is one that has ended: then nobody reads keys.
        drop(changed.wait_timeout_while(state, GATE_PATIENCE, closing));
        let result = work();
        set(GateState::Open);
        result
    }

    /// Waits where the gate is closed.
    fn pass(&self) {
        let (state, changed) = &*self.0;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        while *state != GateState::Open {
            if *state == GateState::Closing {
                *state = GateState::Closed;
                changed.notify_all();
            }
            state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Sends whatever the terminal has to say, until it or the receiver is gone.
pub(super) fn send_input(events: EventSender, gate: InputGate) {
    thread::spawn(move || {
        // The first call begins to watch the terminal's size; a change before that would be missed,
        // so the size is looked at once more, which costs nothing where it is the same.
        let _ = crossterm::event::poll(Duration::ZERO);
        if let Ok((columns, rows)) = crossterm::terminal::size() {
            let size = crossterm::event::Event::Resize(columns, rows);
            events.send(Event::Input(size));
        }
        // An error is the end of the terminal.
        while let Ok(event) = crossterm::event::read() {
            if !events.send(Event::Input(event)) {
                return;
            }
            gate.pass();
        }
        events.send(Event::Ended);
    });
}

/// Says when the terminal is gone, which no signal tells a program in the background. Whoever reads keys
/// would find their end again and again.
pub(super) fn send_hang_up(events: EventSender) {
    thread::spawn(move || {
        // Asked for nothing, it waits for what is always told: that nobody is at the other end.
        let terminal = rustix::stdio::stdin();
        let mut terminal = [PollFd::new(&terminal, PollFlags::empty())];
        while let Err(Errno::INTR) = poll(&mut terminal, None) {}
        // Some systems cannot watch terminals, and say so at once.
        if terminal[0].revents().contains(PollFlags::HUP) {
            events.send(Event::Ended);
        }
    });
}

/// Sends the signals that ask a program to end.
pub(super) fn send_signals(events: EventSender) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    thread::spawn(move || {
        for _ in signals.forever() {
            if !events.send(Event::Ended) {
                return;
            }
        }
    });
    Ok(())
}
