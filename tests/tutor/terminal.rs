//! The notebook in a real terminal: opened, used and left.

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use super::gpu::stub_folder;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Longest wait for anything to appear; a slow machine is not a failure.
const PATIENCE: Duration = Duration::from_secs(60);
/// Set for the process that is to panic while it has the terminal.
const PANIC: &str = "TUTOR_TEST_PANIC";

/// A program in a terminal.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// Everything that the program wrote.
    written: Vec<u8>,
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a terminal has cells")
}

fn softmax() -> CommandBuilder {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tutor"));
    command.args(["run", "lesson", "softmax"]);
    command
}

impl Terminal {
    fn start(command: CommandBuilder, columns: u16, rows: u16) -> Self {
        Self::start_as("xterm-256color", command, columns, rows)
    }

    /// The same in a terminal that calls itself `term`.
    fn start_as(term: &str, mut command: CommandBuilder, columns: u16, rows: u16) -> Self {
        command.env("TERM", term);
        command.env("LC_ALL", "C.UTF-8");
        for name in ["COLORTERM", "STY", "TUTOR_THEME", "TUTOR_ASCII"] {
            command.env_remove(name);
        }
        command.env_remove("NO_COLOR");
        let pair = native_pty_system()
            .openpty(size(columns, rows))
            .expect("a terminal opens");
        let child = pair
            .slave
            .spawn_command(command)
            .expect("the program starts");
        let mut reader = pair.master.try_clone_reader().expect("output can be read");
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count) = reader.read(&mut bytes) {
                if count == 0 || sender.send(bytes[..count].to_vec()).is_err() {
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
        }
    }

    /// The notebook on the softmax lesson.
    fn softmax(columns: u16, rows: u16) -> Self {
        Self::start(softmax(), columns, rows)
    }

    fn press(&mut self, keys: &str) {
        self.keys
            .write_all(keys.as_bytes())
            .expect("keys can be sent");
        self.keys.flush().expect("keys can be sent");
    }

    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    fn take(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.written.extend_from_slice(bytes);
    }

    /// Waits until the screen shows `text`.
    fn wait_for(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.text().contains(text) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => panic!("`{text}` did not appear:\n{}", self.text()),
            }
        }
    }

    /// Waits for the end of the program, and of what it writes; answers with its exit code.
    fn end(&mut self) -> u32 {
        let code = self.child.wait().expect("the program ends").exit_code();
        // The test keeps the terminal open, so its end does not come by itself.
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(200)) {
            self.take(&bytes);
        }
        code
    }

    fn assert_restored(&self) {
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen(), "the alternate screen was left");
        assert!(!screen.hide_cursor(), "the cursor is visible");
        let mouse = screen.mouse_protocol_mode();
        assert_eq!(mouse, vt100::MouseProtocolMode::None);
    }
}

#[test]
fn a_cell_is_run_and_verified_and_the_terminal_given_back() {
    let mut terminal = Terminal::softmax(80, 24);
    terminal.wait_for("Softmax");
    assert!(terminal.screen.screen().alternate_screen());
    terminal.press("nnnn");
    terminal.wait_for("not run yet");
    // M and N small, so that the run is short; tab goes to the sizes, the arrow to N.
    terminal.press("16\r");
    terminal.wait_for("[ 16 ");
    terminal.press("\x1b[C");
    terminal.press("100\r");
    terminal.wait_for("[ 100 ");
    terminal.press("r");
    terminal.wait_for("\u{2713} result and counts verified");
    terminal.press("c");
    terminal.wait_for("5MN + 2M = 8,032  counted 8,032");
    terminal.press("v");
    terminal.wait_for("32 of 32 active");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
}

#[test]
fn keys_are_answered_while_a_run_goes_and_the_run_can_be_cancelled() {
    let mut terminal = Terminal::softmax(120, 40);
    terminal.wait_for("Contents");
    terminal.press("nnnn");
    terminal.wait_for("not run yet");
    terminal.press("4096\r");
    terminal.press("r");
    terminal.wait_for("running");
    terminal.press("?");
    terminal.wait_for("esc closes");
    terminal.press("?");
    terminal.press("x");
    terminal.wait_for("run cancelled");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
}

#[test]
fn a_terminal_too_small_says_so_and_recovers_when_it_grows() {
    let mut terminal = Terminal::softmax(50, 12);
    terminal.wait_for("needs 60 \u{d7} 16");
    terminal
        .master
        .resize(size(80, 24))
        .expect("the terminal grows");
    terminal.screen.screen_mut().set_size(cells(24), cells(80));
    terminal.wait_for("Large numbers");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
}

#[test]
fn a_hang_up_gives_the_terminal_back() {
    let mut terminal = Terminal::softmax(80, 24);
    terminal.wait_for("Softmax");
    // This sends SIGHUP, as a closing terminal does.
    terminal.child.kill().expect("the signal is sent");
    terminal.end();
    terminal.assert_restored();
}

#[test]
fn a_panic_gives_the_terminal_back_and_says_what_happened() {
    if std::env::var_os(PANIC).is_some() {
        let result: anyhow::Result<()> = tutor::runtime::within_terminal(|screen| {
            screen.draw(|frame| frame.render_widget("drawn", frame.area()))?;
            panic!("a bug on purpose");
        });
        println!("{:#}", result.expect_err("a panic is an error"));
        return;
    }
    let test = std::env::current_exe().expect("the test knows its program");
    let mut command = CommandBuilder::new(test);
    let name = "terminal::a_panic_gives_the_terminal_back_and_says_what_happened";
    command.args(["--exact", name, "--nocapture", "--test-threads=1"]);
    command.env(PANIC, "1");
    let mut terminal = Terminal::start(command, 120, 30);
    terminal.wait_for("because of a bug of its own");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
    let text = terminal.text();
    for part in ["what: a bug on purpose", "where: at ", "issue tracker"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}

#[test]
fn where_there_is_a_gpu_cells_run_on_it() {
    let stub = stub_folder();
    let mut command = softmax();
    command.env("LD_LIBRARY_PATH", stub);
    command.env("TUTOR_NVRTC", stub.join("libnvrtc.so.12"));
    let mut terminal = Terminal::start(command, 120, 40);
    terminal.wait_for("engine: gpu, since there is a working Stub GPU; e switches");
    terminal.wait_for("real GPU · simulated H200");
    terminal.press("e");
    terminal.wait_for("simulated H200 · counted");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
}

#[test]
fn every_kind_of_terminal_is_used_as_far_as_it_goes_and_given_back() {
    for (term, ground) in [
        ("screen", "48;5;15m"),
        ("xterm-256color", "48;5;231m"),
        ("alacritty", "48;5;15m"),
        ("linux", "48;5;15m"),
    ] {
        let mut terminal = Terminal::start_as(term, softmax(), 80, 24);
        terminal.wait_for("Softmax");
        terminal.press("TT");
        terminal.wait_for("theme: light");
        terminal.press(":quit");
        terminal.wait_for("enter does it");
        terminal.press("\r");
        assert_eq!(terminal.end(), 0, "{term}");
        terminal.assert_restored();
        let text = String::from_utf8_lossy(&terminal.written);
        assert!(text.contains(ground), "{term} has a light ground");
    }
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_gets_the_lesson_as_text() {
    let mut command = softmax();
    command.args(["--size", "M=2", "--size", "N=3", "--engine", "sim"]);
    let mut terminal = Terminal::start_as("dumb", command, 80, 24);
    assert_eq!(terminal.end(), 0);
    let text = String::from_utf8_lossy(&terminal.written);
    assert!(text.contains("Everything ran and verified."), "{text}");
    assert!(!text.contains('\x1b'), "no escape is sent");
}

#[test]
fn ascii_holds_for_all_that_is_sent() {
    let mut command = softmax();
    command.args(["--ascii", "--theme", "dark"]);
    let mut terminal = Terminal::start(command, 80, 24);
    terminal.wait_for("Softmax");
    terminal.press("nnnn");
    terminal.wait_for("not run yet");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    assert!(terminal.written.is_ascii());
}

#[test]
fn a_link_is_copied_through_the_terminal_and_tmux() {
    for (tmux, expected) in [
        ("", "\x1b]52;c;c29mdG1heCNuYWl2ZQ==\x1b\\"),
        (
            "/tmp/tmux-0/default,1,0",
            "\x1bPtmux;\x1b\x1b]52;c;c29mdG1heCNuYWl2ZQ==\x1b\x1b\\\x1b\\",
        ),
    ] {
        let mut command = softmax();
        command.env("TMUX", tmux);
        let mut terminal = Terminal::start(command, 80, 24);
        terminal.wait_for("Softmax");
        terminal.press("nnnn");
        terminal.wait_for("not run yet");
        terminal.press("#");
        terminal.wait_for("copied the link softmax#naive: 13 bytes");
        terminal.press("q");
        assert_eq!(terminal.end(), 0);
        let text = String::from_utf8_lossy(&terminal.written);
        assert!(text.contains(expected), "{tmux}");
    }
}
