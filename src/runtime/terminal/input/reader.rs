//! The thread that reads the terminal.

use std::io;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::stdio::stdin;
use signal_hook::consts::SIGHUP;

use super::sequences::Sequences;
use crate::runtime::events::{Event, EventSender};

/// Most bytes that are read at once, and so keys that are taken before a frame is drawn.
const READ_BYTES: usize = 1024;

/// Keeps the thread that reads keys from them while another program has the terminal.
#[derive(Clone, Default)]
pub(crate) struct InputGate(Arc<Mutex<()>>);

impl InputGate {
    /// Runs `work` while nobody else does.
    pub fn closed<T>(&self, work: impl FnOnce() -> T) -> T {
        let _closed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }
}

/// What a wait for the terminal found.
enum WaitResult {
    Bytes,
    Nothing,
    Gone,
}

/// Sends whatever the terminal has to say, until it or the receiver is gone.
pub(crate) fn send_input(events: EventSender, gate: InputGate) -> io::Result<()> {
    let thread = thread::Builder::new().name("input".to_owned());
    thread.spawn(move || {
        // A change before signals were watched would be missed: the size is looked at once more, which costs
        // nothing where it is the same.
        if size().is_none_or(|size| events.send(size)) {
            read_all(&events, &gate);
            events.send(Event::Ended(SIGHUP));
        }
    })?;
    Ok(())
}

/// The size of the terminal, as news.
pub(crate) fn size() -> Option<Event> {
    let (columns, rows) = crossterm::terminal::size().ok()?;
    Some(Event::Input(crossterm::event::Event::Resize(columns, rows)))
}

/// Reads until the terminal is gone, or nobody takes what it says.
fn read_all(events: &EventSender, gate: &InputGate) {
    let mut sequences = Sequences::default();
    let mut bytes = [0; READ_BYTES];
    let mut found = Vec::new();
    let (answer, answers) = mpsc::sync_channel(1);
    loop {
        match wait(sequences.patience()) {
            WaitResult::Nothing => sequences.expire(&mut found),
            WaitResult::Bytes => {
                // Looked at again behind the gate: another program may have read them meanwhile.
                let read = gate.closed(|| match wait(Some(Duration::ZERO)) {
                    WaitResult::Bytes => match rustix::io::read(stdin(), &mut bytes) {
                        // Nothing is read of a terminal that has hung up, and where the end of input was typed: the
                        // modes are the shell's between SIGCONT and the moment that they are raw again.
                        Ok(0) if has_hung_up() => Err(Errno::IO),
                        read => read,
                    },
                    WaitResult::Nothing => Ok(0),
                    WaitResult::Gone => Err(Errno::IO),
                });
                match read {
                    Ok(count) => sequences.take(&bytes[..count], &mut found),
                    Err(Errno::INTR | Errno::AGAIN) => {}
                    Err(_) => return,
                }
            }
            WaitResult::Gone => return,
        }
        if found.is_empty() {
            continue;
        }
        let is_taken = found
            .drain(..)
            .all(|input| events.send(Event::Input(input)));
        if !is_taken || !events.send(Event::ReadOn(answer.clone())) || answers.recv().is_err() {
            return;
        }
    }
}

/// Whether the terminal is gone.
fn has_hung_up() -> bool {
    let gone = PollFlags::HUP | PollFlags::ERR;
    events(Some(Duration::ZERO)).is_ok_and(|events| events.intersects(gone))
}

/// Waits for bytes, so long at most.
fn wait(limit: Option<Duration>) -> WaitResult {
    match events(limit) {
        Ok(events) if events.is_empty() => WaitResult::Nothing,
        Ok(events) if events.contains(PollFlags::IN) => WaitResult::Bytes,
        // Nothing was waited for yet, so no sequence ends.
        Err(Errno::INTR) => WaitResult::Bytes,
        Ok(_) | Err(_) => WaitResult::Gone,
    }
}

/// What happens at the terminal, waited for so long at most; nothing if that time is over.
fn events(limit: Option<Duration>) -> Result<PollFlags, Errno> {
    let terminal = stdin();
    let mut terminal = [PollFd::new(&terminal, PollFlags::IN)];
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    poll(&mut terminal, limit.as_ref())?;
    Ok(terminal[0].revents())
}
