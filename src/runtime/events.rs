//! What happens outside, as one stream of events.

use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::session::Msg;

/// Something that happened.
pub(super) enum Event {
    /// A key, a click, a new size of the terminal.
    Input(crossterm::event::Event),
    /// News from the worker.
    Session(Box<Msg>),
    /// The program is told to end, or its terminal is gone.
    Ended,
    /// A thread met a bug; the panic hook knows which.
    Panicked,
}

/// Sends whatever the terminal has to say, until it or the receiver is gone.
pub(super) fn send_input(events: Sender<Event>) {
    thread::spawn(move || {
        // The first call begins to watch the terminal's size; a change before that would be missed,
        // so the size is looked at once more, which costs nothing where it is the same.
        let _ = crossterm::event::poll(Duration::ZERO);
        if let Ok((columns, rows)) = crossterm::terminal::size() {
            let size = crossterm::event::Event::Resize(columns, rows);
            let _ = events.send(Event::Input(size));
        }
        while let Ok(event) = crossterm::event::read() {
            if events.send(Event::Input(event)).is_err() {
                return;
            }
        }
        let _ = events.send(Event::Ended);
    });
}

/// Sends the signals that ask a program to end.
pub(super) fn send_signals(events: Sender<Event>) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    thread::spawn(move || {
        for _ in signals.forever() {
            if events.send(Event::Ended).is_err() {
                return;
            }
        }
    });
    Ok(())
}
