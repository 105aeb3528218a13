//! A lesson presented in one terminal, and its speaker's notes in another.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Signal;

use crate::driver::{Terminal, skip_tour, tutor};

#[test]
fn notes_follow_a_presentation_that_holds_answers() {
    let state = tempfile::tempdir().expect("a folder");
    skip_tour(state.path());
    let start = |arguments: &[&str]| start(state.path(), arguments);
    let mut notes = start(&["notes"]);
    notes.wait_for("No presentation is under way");
    let mut room = start(&[
        "present",
        "softmax#crossings",
        "--engine",
        "sim",
        "--size",
        "M=3",
        "--size",
        "N=5",
    ]);
    room.wait_for("0:0");
    notes.wait_for("Collect three answers aloud");
    let mut printed = printed(state.path());
    let lines = BufReader::new(printed.stdout.take().expect("is piped")).lines();
    let mut lines = lines.map(|line| line.expect("is text"));
    assert!(lines.any(|line| line.starts_with("All five")));
    room.press("\r");
    notes.wait_for("the answer is hidden");
    assert!(!room.text().contains("by way of global"), "{}", room.text());
    room.press("\r");
    room.wait_for("by way of global");
    // The run, then the next page.
    room.press("\x1b[6~");
    room.wait_for("bytes moved");
    room.press("\x1b[6~");
    notes.wait_for("Three numbers of traffic");
    assert!(lines.any(|line| line.starts_with("Three numbers of traffic")));
    room.press("q");
    assert_eq!(room.end(), 0);
    room.assert_restored();
    notes.wait_for("No presentation is under way");
    notes.press("q");
    assert_eq!(notes.end(), 0);
    notes.assert_restored();
    lines.for_each(drop);
    assert!(
        printed
            .wait()
            .expect("ends with the presentation")
            .success()
    );
    let early = self::printed(state.path())
        .wait_with_output()
        .expect("ends at once");
    assert_eq!(early.status.code(), Some(1));
}

/// The program with `arguments` in a terminal of its own, beside others that share `state`.
fn start(state: &Path, arguments: &[&str]) -> Terminal {
    let mut command = tutor(arguments);
    command.env("TUTOR_STATE", state);
    Terminal::start(command, 100, 30)
}

#[test]
fn a_presenter_that_is_killed_leaves_no_presentation() {
    let state = tempfile::tempdir().expect("a folder");
    skip_tour(state.path());
    let start = |arguments: &[&str]| start(state.path(), arguments);
    let mut notes = start(&["notes"]);
    notes.wait_for("No presentation is under way");
    let room = start(&["present", "softmax", "--engine", "sim"]);
    notes.wait_for("Softmax");
    let mut printed = printed(state.path());
    let mut lines = BufReader::new(printed.stdout.take().expect("is piped")).lines();
    assert!(lines.next().is_some(), "something is told");
    room.signal(Signal::KILL);
    notes.wait_for("No presentation is under way");
    assert!(printed.wait().expect("ends").success());
    assert!(state.path().join("presentation.json").exists());
    let late = self::printed(state.path()).wait_with_output();
    assert_eq!(late.expect("ends at once").status.code(), Some(1));
    // The next one is found all the same.
    let mut room = start(&["present", "coalescing", "--engine", "sim"]);
    notes.wait_for("Coalescing");
    room.press("q");
    assert_eq!(room.end(), 0);
    notes.wait_for("No presentation is under way");
}

/// `tutor notes` without a terminal.
fn printed(state: &Path) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_tutor"))
        .arg("notes")
        .env("TUTOR_STATE", state)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts")
}

#[test]
fn a_presentation_needs_a_terminal() {
    let output = Command::new(env!("CARGO_BIN_EXE_tutor"))
        .args(["present", "softmax"])
        .output()
        .expect("starts");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("needs a terminal"), "{text}");
}
