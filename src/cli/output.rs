//! Where text goes, and how a command stops early: the one way out of the commands. Titles, names, sources and what
//! kernels print were written by others, so all of it is made printable here.

use std::io::{self, BufRead, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use serde_json::Value;

use super::progress::ProgressLine;
use crate::runtime::exit_code;
use crate::source::{Diagnostic, Severity, SourceFile, Style, printable, printable_json, render};

/// Why a command stops before its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// The command line asks for what does not exist.
    Usage(String),
    /// It was understood, and failed.
    Failed(String),
    /// It failed, and why has been said.
    Reported,
    /// The command line does not fit, and why has been said.
    Refused,
    /// A signal of this number ended it.
    Signal(i32),
    /// A program that it ran has this exit code.
    Program(i32),
    /// Standard output is gone.
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Output(error)
    }
}

/// The process's outputs.
pub(super) struct Output {
    /// Whether a person sits at both ends: the notebook can open.
    pub interactive: bool,
    /// How messages on standard error look.
    pub style: Style,
    /// How far a run is.
    pub progress: ProgressLine,
}

/// Most errors that are told at once: what follows is mostly due to those before.
const MOST_ERRORS: usize = 5;

impl Output {
    /// Looks at the terminal and at `NO_COLOR`.
    pub fn of_this_process() -> Self {
        // <https://no-color.org>: any value but an empty one.
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colored = io::stderr().is_terminal() && !no_color;
        Output {
            interactive: io::stdin().is_terminal() && io::stdout().is_terminal(),
            style: if colored { Style::Ansi } else { Style::Plain },
            progress: ProgressLine::of_this_process(),
        }
    }

    /// Writes `text` to standard output.
    pub fn print(&self, text: &str) -> io::Result<()> {
        self.write(&printable(text))
    }

    /// Writes `value` to standard output.
    pub fn print_json(&self, value: &Value) -> io::Result<()> {
        self.write(&printable_json(&format!("{value:#}\n")))
    }

    fn write(&self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        // Standard output is buffered by lines on a terminal only: a question without a newline would stay in the
        // buffer.
        stdout.flush()
    }

    /// Writes `question` and reads a line for an answer; nothing if it is empty, or there is no more.
    pub fn ask(&self, question: &str) -> io::Result<Option<String>> {
        self.print(question)?;
        let mut line = String::new();
        // The end of the input is an empty answer; the next line must not stand behind the question.
        if io::stdin().lock().read_line(&mut line)? == 0 {
            self.print("\n")?;
        }
        Ok(Some(line.trim().to_owned()).filter(|line| !line.is_empty()))
    }

    /// Writes a line to standard error.
    pub fn message(&self, text: &str) {
        self.coloured(&printable(text));
    }

    /// Writes to standard error what is printable but for colours of ours.
    fn coloured(&self, text: &str) {
        // Nobody is left to tell if standard error is closed.
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Prints a page of help, or what is wrong with the command line; the exit code.
    pub fn command_line(&self, said: &clap::Error) -> ExitCode {
        let code = u8::try_from(said.exit_code()).unwrap_or(2);
        match said.print() {
            Err(error) if !said.use_stderr() => self.stop(&Stop::Output(error)),
            _ => ExitCode::from(code),
        }
    }

    /// Writes diagnostics about `file` to standard error.
    pub fn diagnostics<'a>(
        &self,
        file: &SourceFile,
        diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    ) {
        let mut errors = 0;
        for diagnostic in diagnostics {
            errors += usize::from(diagnostic.severity == Severity::Error);
            if errors > MOST_ERRORS {
                continue;
            }
            self.coloured(&render(diagnostic, file, self.style));
            self.message("");
        }
        if errors > 0 {
            let plural = if errors == 1 { "" } else { "s" };
            let shown = match errors > MOST_ERRORS {
                true => format!(": the first {MOST_ERRORS} are shown"),
                false => String::new(),
            };
            self.message(&format!("{errors} error{plural} in {}{shown}", file.name()));
        }
    }

    /// Says why a command stopped; the exit code.
    pub fn stop(&self, stop: &Stop) -> ExitCode {
        match stop {
            Stop::Usage(text) => {
                self.message(&format!("error: {text}"));
                ExitCode::from(2)
            }
            Stop::Failed(text) => {
                self.message(&format!("error: {text}"));
                ExitCode::from(1)
            }
            Stop::Reported => ExitCode::from(1),
            Stop::Refused => ExitCode::from(2),
            Stop::Signal(signal) => ExitCode::from(exit_code(*signal)),
            Stop::Program(code) => ExitCode::from(*code as u8),
            // The reader has left, as `head` does: there is nothing to complain about.
            Stop::Output(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::from(1),
            Stop::Output(error) => {
                self.message(&format!("error: standard output: {error}"));
                ExitCode::from(1)
            }
        }
    }
}
