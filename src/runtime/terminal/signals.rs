//! Signals that the program answers: those that ask it to stop, to go on, to end, and to draw anew.

use std::io;
use std::process;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::{input, modes};
use crate::runtime::events::{Event, EventSender};

/// How long the notebook may take to end in good order.
const PATIENCE: Duration = Duration::from_secs(3);

/// Exit code of a program that a signal ended, as shells have it.
pub fn exit_code(signal: i32) -> u8 {
    128 + u8::try_from(signal).unwrap_or(127).min(127)
}

/// Sends what signals ask for. To be called before anything is on screen: a signal that came earlier would end the
/// program there and then.
pub(crate) fn send_signals(events: EventSender) -> io::Result<()> {
    let mut signals = Signals::new([SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            let event = match signal {
                SIGWINCH => input::size(),
                SIGCONT => Some(Event::Continued),
                // The editor's: it stops with the whole job, and ctrl-C is a key of its own.
                SIGTSTP if modes::is_lent() => {
                    let _ = emulate_default_handler(SIGTSTP);
                    None
                }
                SIGINT if modes::is_lent() => None,
                SIGTSTP => Some(Event::Stop),
                signal => {
                    thread::spawn(move || end_at_last(signal));
                    Some(Event::Ended(signal))
                }
            };
            if event.is_some_and(|event| !events.send(event)) {
                return;
            }
        }
    });
    Ok(())
}

/// Ends the program if it does not by itself: it may wait for a terminal that takes nothing.
fn end_at_last(signal: i32) {
    let (_running, end) = mpsc::channel::<()>();
    let _ = end.recv_timeout(PATIENCE);
    // Whoever has the terminal ends first.
    if !modes::is_lent() {
        modes::give_back_at_the_end();
        process::exit(exit_code(signal).into());
    }
}
