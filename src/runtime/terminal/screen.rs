//! The terminal taken over, and given back on every way out.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, BufWriter, Stdout, Write};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::backend::CrosstermBackend;
use ratatui::{Frame, Terminal};
use signal_hook::consts::SIGTSTP;
use signal_hook::low_level::emulate_default_handler;

use super::{fatal, modes};

/// Bytes of a frame that are sent at once.
const FRAME_BYTES: usize = 1 << 16;

/// The terminal while the notebook has it.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    /// Whether the shell has the terminal, and nothing is drawn.
    is_shells: bool,
}

impl Screen {
    fn enter() -> io::Result<Self> {
        modes::take_over()?;
        let out = BufWriter::with_capacity(FRAME_BYTES, io::stdout());
        Ok(Screen {
            terminal: Terminal::new(CrosstermBackend::new(out))?,
            is_shells: false,
        })
    }

    /// Draws a frame; the terminal shows it at once.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        if self.is_shells {
            return Ok(());
        }
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

    /// Gives the terminal to the shell, and stops the program. It is to `resume` once it goes on.
    pub fn suspend(&mut self) -> io::Result<()> {
        modes::give_back();
        self.is_shells = true;
        emulate_default_handler(SIGTSTP)
    }

    /// Takes the terminal over from the shell, which let the program go on; the whole frame is to be drawn. In the
    /// background it stops again.
    pub fn resume(&mut self) -> io::Result<()> {
        self.is_shells = true;
        if modes::wait_for_foreground() {
            *self = Screen::enter()?;
        }
        Ok(())
    }

    /// Gives the terminal to `work`, and takes it over again.
    pub fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        let result = modes::lend(work);
        // The size may have changed, and nothing of the last frame is on screen: all of it is drawn again.
        *self = Screen::enter()?;
        Ok(result)
    }
}

/// Gives the terminal back when dropped, in unwinding too.
struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        modes::give_back();
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
    let result = fatal::give_back_before_the_end()
        .and_then(|()| Screen::enter())
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
