//! What is asked of the terminal while the notebook has it, and what gives it back, on every way out.
//!
//! Invariant: `give_back` makes only system calls. It holds no lock and takes no memory, since it runs where a
//! signal came, too.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{dup, retry_on_intr};
use rustix::process::getpgrp;
use rustix::stdio::{dup2_stdout, stdin, stdout};
use rustix::termios::{Action, OptionalActions, Termios, tcflow, tcgetattr, tcgetpgrp, tcsetattr};

/// Another screen, whose lines are not kept, and cleared; reports of clicks, of moves while a button is held, and
/// of the wheel (xterm's modes 1000, 1002 and 1006), but not of every move: those would wake an idle program; and
/// pasted text marked as such.
const TAKE: &[u8] = b"\x1b[?1049h\x1b[2J\x1b[?1000h\x1b[?1002h\x1b[?1006h\x1b[?2004h";
/// The window's title is put on xterm's stack of titles; terminals without one ignore it.
const SAVE_TITLE: &[u8] = b"\x1b[22;2t";
const TITLE: &[u8] = b"\x1b]0;tutor\x07";
/// All of it taken back, from a frame that was half drawn (2026), too; the escape at its beginning ends whatever
/// sequence was half written.
const GIVE_BACK: &[u8] =
    b"\x1b[?2026l\x1b[23;2t\x1b[?1000l\x1b[?1002l\x1b[?1006l\x1b[?2004l\x1b[?1049l\x1b[0m\x1b[?25h";
/// Longest wait for a terminal that takes nothing, as one that ctrl-S stopped: it must not keep the program from
/// ending.
const PATIENCE: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// The modes that the program found.
static FOUND: OnceLock<Termios> = OnceLock::new();
static IS_TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether another program has the terminal from this one.
static IS_LENT: AtomicBool = AtomicBool::new(false);

/// Takes the terminal over; once more, if the shell had it meanwhile.
pub(super) fn take_over() -> io::Result<()> {
    let found = match FOUND.get() {
        Some(found) => found,
        None => {
            let found = tcgetattr(stdin())?;
            FOUND.get_or_init(|| found)
        }
    };
    let mut raw = found.clone();
    raw.make_raw();
    tcsetattr(stdin(), OptionalActions::Now, &raw)?;
    let mut out = io::stdout().lock();
    // What was put on the stack of titles once is taken off once.
    if !IS_TAKEN.swap(true, SeqCst) {
        out.write_all(SAVE_TITLE)?;
    }
    out.write_all(TAKE)?;
    out.write_all(TITLE)?;
    out.flush()
}

/// Leaves the terminal as it was. Says nothing of errors: there is nobody left to tell.
pub(super) fn give_back() {
    if IS_TAKEN.swap(false, SeqCst) {
        restore(stdout());
    }
}

/// The same on the way out by a signal, beside a thread that may be drawing: the rest of its frame, which hides the
/// cursor again, goes nowhere.
pub(super) fn give_back_at_the_end() {
    if !IS_TAKEN.swap(false, SeqCst) {
        return;
    }
    let nowhere = open(c"/dev/null", OFlags::WRONLY, Mode::empty());
    match (dup(stdout()), nowhere) {
        (Ok(terminal), Ok(nowhere)) if dup2_stdout(&nowhere).is_ok() => restore(terminal.as_fd()),
        _ => restore(stdout()),
    }
}

fn restore(out: BorrowedFd) {
    let mut rest = GIVE_BACK;
    while !rest.is_empty()
        && poll(&mut [PollFd::new(&out, PollFlags::OUT)], Some(&PATIENCE)) == Ok(1)
        && let Ok(count) = rustix::io::write(out, rest)
    {
        rest = &rest[count..];
    }
    // The shell has set modes of its own where the program is in the background.
    if let (true, Some(found)) = (is_foreground(), FOUND.get()) {
        let _ = tcsetattr(stdin(), OptionalActions::Now, found);
    }
}

/// Whether the terminal listens to this program, not to its shell.
fn is_foreground() -> bool {
    // A terminal that controls no session listens to whoever reads it.
    tcgetpgrp(stdin()).map_or(true, |group| group == getpgrp())
}

/// Stops the program for as long as it is in the background, and says whether the terminal listens to it then: it
/// does not where no shell could bring it back.
pub(super) fn wait_for_foreground() -> bool {
    // The system stops whoever changes a terminal from the background (SIGTTOU), and looks at the same moment who
    // that is: a shell that brings the program back between a look of our own and a signal of our own would see it
    // stop again. Output that nothing had stopped goes on as it was.
    let _ = retry_on_intr(|| tcflow(stdin(), Action::OOn));
    is_foreground()
}

/// Whether another program has the terminal from this one: signals of its keys are meant for that.
pub(super) fn is_lent() -> bool {
    IS_LENT.load(SeqCst)
}

/// Gives the terminal back while `work` uses it; it is to be taken over afterwards.
pub(super) fn lend<T>(work: impl FnOnce() -> T) -> T {
    give_back();
    IS_LENT.store(true, SeqCst);
    let result = work();
    IS_LENT.store(false, SeqCst);
    result
}
