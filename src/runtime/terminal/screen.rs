//! The terminal taken over, and given back on every way out.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, BufWriter, Stdout, Write};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::style::Print;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, SetTitle, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute, queue};
use ratatui::backend::CrosstermBackend;
use ratatui::{Frame, Terminal};

/// Bytes of a frame that are sent at once.
const FRAME_BYTES: usize = 1 << 16;

/// Reports of clicks, of moves while a button is held, and of the wheel (xterm's modes 1000, 1002 and 1006), but
/// not of every move as crossterm asks for: those would wake an idle program.
const CLICKS_ON: Print<&str> = Print("\x1b[?1000h\x1b[?1002h\x1b[?1006h");
const CLICKS_OFF: Print<&str> = Print("\x1b[?1000l\x1b[?1002l\x1b[?1006l");
/// The window's title is put on xterm's stack of titles, and taken back; terminals without one ignore it.
const SAVE_TITLE: Print<&str> = Print("\x1b[22;2t");
const RESTORE_TITLE: Print<&str> = Print("\x1b[23;2t");

/// The terminal while the notebook has it.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
}

impl Screen {
    fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        execute!(
            io::stdout(),
            EnterAlternateScreen,
            Clear(ClearType::All),
            CLICKS_ON,
            EnableBracketedPaste,
            SAVE_TITLE,
            SetTitle("tutor")
        )?;
        let out = BufWriter::with_capacity(FRAME_BYTES, io::stdout());
        Ok(Screen {
            terminal: Terminal::new(CrosstermBackend::new(out))?,
        })
    }

    /// Draws a frame; the terminal shows it at once.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        // Terminals that know synchronized updates show the frame at once, not line by line.
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(draw)?;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        Write::flush(self.terminal.backend_mut())
    }

    /// Sends an escape sequence that draws nothing.
    pub(crate) fn send(&mut self, sequence: &str) -> io::Result<()> {
        let out = self.terminal.backend_mut();
        out.write_all(sequence.as_bytes())?;
        Write::flush(out)
    }

    /// Gives the terminal to the shell until the program is brought back.
    pub fn suspend(&mut self) -> io::Result<()> {
        let stop = signal_hook::consts::SIGTSTP;
        self.lend(|| signal_hook::low_level::emulate_default_handler(stop))?
    }

    /// Gives the terminal to `work`, and takes it over again.
    pub fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        leave();
        let result = work();
        // The size may have changed, and nothing of the last frame is on screen: all of it is drawn again.
        *self = Screen::enter()?;
        Ok(result)
    }
}

/// Leaves the terminal as it was. Says nothing of errors: there is nobody left to tell.
fn leave() {
    let mut out = io::stdout();
    // In the opposite order of `Screen::enter`.
    let _ = execute!(
        out,
        RESTORE_TITLE,
        CLICKS_OFF,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = disable_raw_mode();
}

/// Gives the terminal back when dropped, in unwinding too.
struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        leave();
    }
}

/// Runs `work` with the terminal taken over.
///
/// # Errors
/// Those of `work`. A panic, on whichever thread, becomes an error that says what happened and what
/// to do about it; the terminal is given back first.
pub fn within_terminal<T>(
    work: impl FnOnce(&mut Screen) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let panicked = Arc::new(Mutex::new(None));
    let slot = panicked.clone();
    // The usual hook would write to the screen that is about to go.
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        // Others may follow from the first: they say less.
        slot.get_or_insert_with(|| report(info));
    }));
    // Dropped by hand before the old hook is back; by unwinding if `enter` itself panics.
    let restore = Restore;
    let result = Screen::enter()
        .context("the terminal cannot be set up")
        .and_then(|mut screen| {
            let work = panic::catch_unwind(AssertUnwindSafe(|| work(&mut screen)));
            work.unwrap_or_else(|_| Err(anyhow::anyhow!("the notebook stopped")))
        });
    drop(restore);
    panic::set_hook(previous);
    let mut panicked = panicked.lock().unwrap_or_else(PoisonError::into_inner);
    match panicked.take() {
        Some(report) => Err(anyhow::anyhow!("{report}")),
        None => result,
    }
}

/// What a panic was, for a person.
fn report(info: &PanicHookInfo) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let what = text.unwrap_or("no message");
    let place = info
        .location()
        .map_or_else(String::new, |place| format!(" at {place}"));
    let version = env!("CARGO_PKG_VERSION");
    let backtrace = Backtrace::capture();
    let mut text = String::new();
    if backtrace.status() == BacktraceStatus::Captured {
        text += &format!("{backtrace}\n");
    }
    text += &format!(
        "tutor stopped because of a bug of its own, not because of anything you did\n\n  \
         what: {what}\n  where:{place}\n  version: tutor {version} on {} {}\n\n\
         Please report it with these lines, and what you did before, in the issue tracker of tutor.",
        std::env::consts::OS,
        std::env::consts::ARCH,
    );
    text
}
