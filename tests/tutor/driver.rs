//! A program in a real terminal, driven as a person would: for the tests of the notebook and its benchmark.

#![allow(
    dead_code,
    reason = "several crates take it in, and none needs all of it"
)]

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Longest wait for anything to appear; a slow machine is not a failure.
const PATIENCE: Duration = Duration::from_secs(60);
/// What ends a frame: the terminal may show it now.
const FRAME_END: &[u8] = b"\x1b[?2026l";

/// A program in a terminal.
pub struct Terminal {
    pub master: Box<dyn MasterPty + Send>,
    pub child: Box<dyn Child + Send + Sync>,
    pub screen: vt100::Parser,
    keys: Box<dyn Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    /// All that the program wrote.
    pub written: Vec<u8>,
    /// Bytes that came since the last frame was whole.
    tail: Vec<u8>,
    /// The terminal's modes before the program had it.
    modes: String,
    /// Where the program keeps its state, unless the command says where.
    _state: tempfile::TempDir,
}

/// When a frame was there, and how large it was.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub at: Instant,
    pub bytes: usize,
}

pub fn size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

pub fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a terminal has cells")
}

/// The program, on the softmax lesson.
pub fn softmax() -> CommandBuilder {
    tutor(&["run", "lesson", "softmax"])
}

/// The program with `arguments`.
pub fn tutor(arguments: &[&str]) -> CommandBuilder {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tutor"));
    command.args(arguments);
    command
}

/// Has the tour of a first visit skipped where `state` is the folder of what is kept.
pub fn skip_tour(state: &Path) {
    let seen = "{\"format\": 1, \"values\": {\"tour\": \"seen\"}}";
    std::fs::write(state.join("notebook.json"), seen).expect("writes");
}

impl Terminal {
    pub fn start(command: CommandBuilder, columns: u16, rows: u16) -> Self {
        Self::start_as("xterm-256color", command, columns, rows)
    }

    /// The same in a terminal that calls itself `term`.
    pub fn start_as(term: &str, mut command: CommandBuilder, columns: u16, rows: u16) -> Self {
        command.env("TERM", term);
        command.env("LC_ALL", "C.UTF-8");
        for name in ["COLORTERM", "STY", "TUTOR_THEME", "TUTOR_ASCII"] {
            command.env_remove(name);
        }
        command.env_remove("NO_COLOR");
        let state = tempfile::tempdir().expect("a folder for the state");
        if command.get_env("TUTOR_STATE").is_none() {
            skip_tour(state.path());
            command.env("TUTOR_STATE", state.path());
        }
        let pair = native_pty_system()
            .openpty(size(columns, rows))
            .expect("a terminal opens");
        let modes = modes(pair.master.as_ref());
        let child = pair
            .slave
            .spawn_command(command)
            .expect("the program starts");
        let mut reader = pair.master.try_clone_reader().expect("output can be read");
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = [0; 1 << 16];
            while let Ok(count) = reader.read(&mut bytes) {
                let came = (Instant::now(), bytes[..count].to_vec());
                if count == 0 || sender.send(came).is_err() {
                    return;
                }
            }
        });
        Terminal {
            keys: pair.master.take_writer().expect("keys can be sent"),
            master: pair.master,
            child,
            output,
            screen: vt100::Parser::new(cells(rows), cells(columns), 0),
            written: Vec::new(),
            tail: Vec::new(),
            modes,
            _state: state,
        }
    }

    /// The notebook on the softmax lesson.
    pub fn softmax(columns: u16, rows: u16) -> Self {
        Self::start(softmax(), columns, rows)
    }

    pub fn press(&mut self, keys: &str) {
        self.send(keys.as_bytes());
    }

    /// Has the terminal send `bytes`, which may be no keys.
    pub fn send(&mut self, bytes: &[u8]) {
        self.keys.write_all(bytes).expect("keys can be sent");
        self.keys.flush().expect("keys can be sent");
    }

    pub fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits until the screen shows `text`.
    pub fn wait_for(&mut self, text: &str) {
        let shows = |terminal: &Self| terminal.text().contains(text);
        let deadline = Instant::now() + PATIENCE;
        while !shows(self) {
            if self.take(deadline).is_none() {
                panic!("`{text}` did not appear:\n{}", self.text());
            }
        }
    }

    /// Waits for the frame after which the screen is as `wanted` says, and answers with it.
    pub fn wait_for_frame(&mut self, wanted: impl Fn(&str) -> bool) -> Frame {
        let deadline = Instant::now() + PATIENCE;
        let mut bytes = 0;
        loop {
            let Some((at, count, ends)) = self.take(deadline) else {
                panic!("the frame did not come:\n{}", self.text());
            };
            bytes += count;
            if ends && wanted(&self.text()) {
                return Frame { at, bytes };
            }
            if ends {
                bytes = 0;
            }
        }
    }

    /// Waits for the next frame, but not longer than `limit`.
    pub fn next_frame(&mut self, limit: Duration) -> Option<Frame> {
        let deadline = Instant::now() + limit;
        let mut bytes = 0;
        loop {
            let (at, count, ends) = self.take(deadline)?;
            bytes += count;
            if ends {
                return Some(Frame { at, bytes });
            }
        }
    }

    /// Waits for anything to come, and says when it did.
    pub fn wait_for_bytes(&mut self) -> Instant {
        let came = self.take(Instant::now() + PATIENCE);
        came.expect("something comes").0
    }

    /// Takes in all that came so far; answers with how many bytes.
    pub fn drain(&mut self) -> usize {
        let mut bytes = 0;
        while let Some((_, count, _)) = self.take(Instant::now()) {
            bytes += count;
        }
        bytes
    }

    /// Presses nothing for a while, as people do.
    pub fn pause(&mut self, time: Duration) {
        let deadline = Instant::now() + time;
        while self.take(deadline).is_some() {}
    }

    /// Takes in what came next: when, how much, and whether a frame ends with it.
    fn take(&mut self, deadline: Instant) -> Option<(Instant, usize, bool)> {
        let left = deadline.saturating_duration_since(Instant::now());
        let (at, bytes) = self.output.recv_timeout(left).ok()?;
        self.screen.process(&bytes);
        self.written.extend_from_slice(&bytes);
        self.tail.extend_from_slice(&bytes);
        let ends = self.tail.ends_with(FRAME_END);
        let kept = self.tail.len().saturating_sub(FRAME_END.len());
        self.tail.drain(..kept);
        Some((at, bytes.len(), ends))
    }

    /// Waits for the end of the program, and of what it writes; answers with its exit code.
    pub fn end(&mut self) -> u32 {
        let code = self.child.wait().expect("the program ends").exit_code();
        // The terminal is kept open here, so its end does not come by itself.
        while self
            .take(Instant::now() + Duration::from_millis(200))
            .is_some()
        {}
        code
    }

    pub fn assert_restored(&self) {
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen(), "the alternate screen was left");
        assert!(!screen.hide_cursor(), "the cursor is visible");
        let mouse = screen.mouse_protocol_mode();
        assert_eq!(mouse, vt100::MouseProtocolMode::None);
        assert!(!screen.bracketed_paste(), "pasted text is not marked");
        assert_eq!(modes(self.master.as_ref()), self.modes);
    }

    /// Sends the program a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.process(), signal).expect("the program is there");
    }

    /// Waits until the program is stopped.
    pub fn wait_for_stop(&mut self) {
        let stat = format!("/proc/{}/stat", self.process());
        let deadline = Instant::now() + PATIENCE;
        let is_stopped = || {
            let stat = std::fs::read_to_string(&stat).expect("the program is there");
            stat.rsplit_once(") ")
                .is_some_and(|(_, rest)| rest.starts_with('T'))
        };
        while !is_stopped() {
            assert!(Instant::now() < deadline, "the program is not stopped");
            self.take(Instant::now() + Duration::from_millis(10));
        }
        // What it wrote last may still be on its way.
        self.pause(Duration::from_millis(200));
    }

    /// Makes the terminal another size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let resized = self.master.resize(size(columns, rows));
        resized.expect("the terminal has another size");
        let screen = self.screen.screen_mut();
        screen.set_size(cells(rows), cells(columns));
    }

    pub fn process(&self) -> Pid {
        let id = self
            .child
            .process_id()
            .and_then(|id| i32::try_from(id).ok());
        Pid::from_raw(id.expect("the program runs")).expect("has a number")
    }
}

/// The modes of a terminal, as text.
fn modes(terminal: &dyn MasterPty) -> String {
    format!("{:?}", terminal.get_termios().expect("is a terminal"))
}
