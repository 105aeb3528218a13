//! A shell in a tmux server of its own, in which the program runs.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// What `TERM` may say.
pub const TERMS: [&str; 4] = ["screen", "xterm-256color", "alacritty", "dumb"];
/// Longest wait for anything to appear; a slow machine is not a failure.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the shell says when it waits for a command.
const PROMPT: &str = "shell-waits";

/// A session; ends with its server.
pub struct Session {
    folder: TempDir,
    term: &'static str,
}

/// A program, by the number of its process.
pub struct Program(String);

impl Program {
    /// Sends it a signal; whether it was there.
    fn signal(&self, signal: &str) -> bool {
        let sent = run(Command::new("kill").args([signal, &self.0]));
        sent.status.success()
    }

    /// Waits until it is gone.
    pub fn wait_for_end(&self) {
        let deadline = Instant::now() + PATIENCE;
        while self.signal("-0") {
            assert!(Instant::now() < deadline, "the program still runs");
        }
    }
}

/// A terminal that shows the session of another: tmux inside tmux.
pub struct Client {
    server: Session,
}

impl Session {
    /// A shell that has the program open on the softmax lesson.
    pub fn softmax(term: &'static str, columns: u16, rows: u16) -> Self {
        let session = Session::shell(term, columns, rows);
        session.start_again();
        session
    }

    fn shell(term: &'static str, columns: u16, rows: u16) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a socket");
        // The tour of a first visit would lie over the page.
        let seen = "{\"format\": 1, \"values\": {\"tour\": \"seen\"}}";
        std::fs::write(folder.path().join("notebook.json"), seen).expect("writes");
        let session = Session { folder, term };
        let shell = format!("env TERM={term} PS1={PROMPT} sh");
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let new = ["new-session", "-d", "-x", &columns, "-y", &rows, &shell];
        session.tmux(&new);
        session.wait_for(PROMPT);
        session
    }

    /// A shell that has the program open on a file with this text.
    pub fn of_file(name: &str, text: &str) -> Self {
        let session = Session::shell("xterm-256color", 80, 24);
        let path = session.folder.path().join(name);
        std::fs::write(&path, text).expect("writes");
        session.start(&path.display().to_string());
        session
    }

    /// Starts the program in the shell.
    pub fn start_again(&self) {
        self.start("softmax");
    }

    fn start(&self, lesson: &str) {
        let state = self.folder.path().display();
        let program = env!("CARGO_BIN_EXE_tutor");
        let line = format!(
            "clear; LC_ALL=C.UTF-8 TERM={} COLORTERM= NO_COLOR= TUTOR_STATE={state} \
             {program} run lesson {lesson} --engine sim",
            self.term
        );
        self.tmux(&["send-keys", "-l", &line]);
        self.tmux(&["send-keys", "Enter"]);
    }

    /// Presses keys, by tmux's names of them.
    pub fn keys(&self, keys: &[&str]) {
        for key in keys {
            self.tmux(&["send-keys", key]);
        }
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.tmux(&["resize-window", "-x", &columns, "-y", &rows]);
    }

    /// Both before the program can take either.
    pub fn resize_and_press(&self, columns: u16, rows: u16, key: &str) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let resize = ["resize-window", "-x", &columns, "-y", &rows];
        self.tmux(&[&resize[..], &[";", "send-keys", key]].concat());
    }

    /// The text on screen.
    pub fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// The text on screen with its escapes.
    pub fn styled_screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-e"])
    }

    /// Waits until the screen shows `text`.
    pub fn wait_for(&self, text: &str) {
        self.wait_until(text, |screen| screen.contains(text));
    }

    /// Waits until `text` stands in the last of so many rows.
    pub fn wait_for_last_row(&self, rows: u16, text: &str) {
        let last = usize::from(rows) - 1;
        let stands = |screen: &str| {
            screen
                .lines()
                .nth(last)
                .is_some_and(|row| row.contains(text))
        };
        self.wait_until(text, stands);
    }

    /// Waits until the shell has its screen back.
    pub fn wait_for_end(&self) {
        self.wait_until("the shell", |screen| screen.trim_end().ends_with(PROMPT));
    }

    fn wait_until(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let screen = self.screen();
            if holds(&screen) {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "{}: no {what}:\n{screen}",
                self.term
            );
        }
    }

    /// The program that runs in the shell.
    pub fn program(&self) -> Program {
        let shell = self.tmux(&["display-message", "-p", "#{pane_pid}"]);
        let found = run(Command::new("pgrep").args(["-P", shell.trim()]));
        let id = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        assert!(!id.is_empty(), "the program runs");
        Program(id)
    }

    /// Stops the program from outside.
    pub fn stop(&self, signal: &str) {
        self.program().signal(signal);
        self.wait_for("Stopped");
    }

    /// Has the shell bring the program back, which shows `text` then.
    pub fn bring_back(&self, text: &str) {
        self.type_line("clear; fg");
        let is_back = |screen: &str| screen.contains(text) && !screen.contains("Stopped");
        self.wait_until(text, is_back);
    }

    /// Asks the shell for its jobs until one is in `state`: a shell tells of a change only when asked.
    pub fn wait_for_job(&self, state: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.type_line("clear; jobs; echo asked");
            // Where the terminal is still raw, lines begin where the one before ended.
            self.wait_until("the answer", |screen| {
                screen.lines().any(|line| line.trim() == "asked")
            });
            let screen = self.screen();
            if screen.contains(state) {
                return;
            }
            assert!(Instant::now() < deadline, "no job is {state}:\n{screen}");
        }
    }

    /// Types a line for the shell.
    pub fn type_line(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        // Where the terminal is still raw, no Enter means the end of a line.
        self.tmux(&["send-keys", "C-j"]);
    }

    /// Stops the program, so that the shell has the terminal, and has it go on in the background, where it stops again.
    pub fn stop_and_go_on(&self) {
        let program = self.program();
        program.signal("-STOP");
        self.wait_for("Stopped");
        program.signal("-CONT");
        // The system ends a job with its terminal if all of its threads have stopped by then: a shell is told when.
        self.wait_for_job("(tty");
    }

    /// Kills the program as the system does when memory runs out: it cannot tidy up. The shell is told to
    /// mend the terminal, as a person would.
    pub fn kill_program_at_once(&self) {
        let shell = self.tmux(&["display-message", "-p", "#{pane_pid}"]);
        let killed = run(Command::new("pkill").args(["-9", "-P", shell.trim()]));
        assert!(killed.status.success(), "the program ran");
        self.tmux(&["send-keys", "-R"]);
        self.tmux(&["send-keys", "-l", "stty sane; clear"]);
        // The terminal is still raw: no Enter means the end of a line there.
        self.tmux(&["send-keys", "C-j"]);
        self.wait_until("the shell alone", |screen| screen.trim() == PROMPT);
    }

    /// Shows this session in a terminal of another server.
    pub fn attach(&self, columns: u16, rows: u16) -> Client {
        let server = Session::shell("screen-256color", columns, rows + 1);
        let socket = self.socket();
        let line = format!("clear; TMUX= exec tmux -S {socket} attach");
        server.tmux(&["send-keys", "-l", &line]);
        server.tmux(&["send-keys", "Enter"]);
        Client { server }
    }

    fn socket(&self) -> String {
        self.folder.path().join("socket").display().to_string()
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.args(["-S", &self.socket(), "-f", "/dev/null"]);
        command.args(arguments);
        command.env("LC_ALL", "C.UTF-8").env_remove("TMUX");
        let output = run(&mut command);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {arguments:?}: {error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let mut command = Command::new("tmux");
        command.args(["-S", &self.socket(), "kill-server"]);
        // A server that is gone already is as good.
        let _ = command.output();
    }
}

impl Client {
    /// Kills it without a chance to say goodbye, as a broken connection does.
    pub fn kill_at_once(&mut self) {
        let client = self.server.tmux(&["display-message", "-p", "#{pane_pid}"]);
        let killed = run(Command::new("kill").args(["-9", client.trim()]));
        assert!(killed.status.success(), "the client ran");
    }

    pub fn wait_for(&mut self, text: &str) {
        self.server.wait_for(text);
    }
}

fn run(command: &mut Command) -> Output {
    match command.output() {
        Ok(output) => output,
        Err(error) => panic!("NOT RUN: {command:?}: {error}"),
    }
}
