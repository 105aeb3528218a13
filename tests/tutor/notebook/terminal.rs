//! The notebook in a real terminal: opened, used and left.

use std::time::Duration;

use portable_pty::CommandBuilder;

use crate::driver::{Terminal, cells, size, softmax, tutor};
use crate::gpu::stub::stub_folder;

/// Set for the process that is to panic while it has the terminal.
const PANIC: &str = "TUTOR_TEST_PANIC";

#[test]
fn a_cell_is_run_and_verified_and_the_terminal_given_back() {
    let mut command = tutor(&["run", "lesson", "softmax#naive", "--engine", "sim"]);
    command.args(["--size", "N=100"]);
    let mut terminal = Terminal::start(command, 80, 24);
    // It runs by itself.
    terminal.wait_for("5 checks");
    assert!(terminal.screen.screen().alternate_screen());
    terminal.press("16\r");
    terminal.wait_for("< 16 ");
    terminal.press("\r");
    terminal.wait_for("5 checks");
    terminal.press("i");
    terminal.wait_for("5MN + 2M = 8,032  counted 8,032");
    terminal.press("\x1b[Z\x1b[Z\x1b[Z");
    terminal.wait_for("32 of 32 active");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
}

#[test]
fn keys_are_answered_while_a_run_goes_and_the_run_can_be_cancelled() {
    let mut command = tutor(&["run", "lesson", "softmax#naive", "--engine", "sim"]);
    command.args(["--size", "M=4096", "--size", "N=4096"]);
    let mut terminal = Terminal::start(command, 120, 40);
    terminal.wait_for("running");
    terminal.press("?");
    terminal.wait_for("show the keys that work here");
    terminal.press("\x1b");
    terminal.press("\x1b");
    terminal.wait_for("run cancelled");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
}

#[test]
fn a_kernel_without_buffers_has_no_values_to_wait_for() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("hello.cu");
    let text = "#include <cstdio>
        __global__ void hello() { printf(\"%d\\n\", threadIdx.x); }
        int main() { hello<<<1, 4>>>(); cudaDeviceSynchronize(); }";
    std::fs::write(&file, text).expect("is written");
    let file = file.display().to_string();
    let mut terminal = Terminal::start(tutor(&["open", &file, "--engine", "sim"]), 120, 40);
    terminal.wait_for("The program ran to its end");
    terminal.press("n");
    terminal.wait_for("1 check");
    terminal.press("\x1b[Z");
    terminal.wait_for("The kernel has no buffers.");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn what_a_learner_did_is_there_the_next_time() {
    let state = tempfile::tempdir().expect("a folder for the test");
    let start = |arguments: &[&str], columns, rows| {
        let mut command = tutor(arguments);
        command.env("TUTOR_STATE", state.path());
        Terminal::start(command, columns, rows)
    };
    let mut terminal = start(&[], 120, 40);
    terminal.wait_for("break it yourself");
    terminal.press("\x1b");
    terminal.wait_for("New here?");
    terminal.press("sftmx");
    terminal.wait_for("sftmx_  3 lessons");
    terminal.press("\r");
    terminal.wait_for("A lesson has pages");
    terminal.press("\x1b");
    // Until the key is no start of a sequence any more.
    terminal.pause(Duration::from_millis(200));
    terminal.press("nn");
    terminal.wait_for(" 3/");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
    let mut terminal = start(&[], 80, 24);
    terminal.wait_for("go on: Softmax: one kernel instead of five, 3 of ");
    terminal.press("\r");
    terminal.wait_for(" 3/");
    terminal.press("H");
    terminal.wait_for("go on: Softmax");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    let mut terminal = start(&["run", "lesson", "softmax"], 80, 24);
    terminal.wait_for("you were on page 3");
    terminal.press(":back to where\r");
    terminal.wait_for(" 3/");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_link_opens_its_place_and_runs_what_it_needs() {
    let mut command = tutor(&["run", "lesson", "softmax#fused@step=7"]);
    command.args(["--engine", "sim", "--size", "M=4", "--size", "N=64"]);
    let mut terminal = Terminal::start(command, 120, 40);
    terminal.wait_for(" 7 of ");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
}

#[test]
fn a_plain_lesson_asks_its_predictions_on_a_terminal() {
    let mut command = softmax();
    command.args([
        "--plain", "--engine", "sim", "--size", "M=7", "--size", "N=5",
    ]);
    let mut terminal = Terminal::start(command, 100, 400);
    terminal.wait_for("Your answer, a number");
    terminal.press("\r\r");
    terminal.wait_for("Your answer, 1 to 4 (an empty line skips it):");
    terminal.press("9\r");
    terminal.wait_for("expected a number from 1 to 4");
    terminal.press("2\r");
    terminal.wait_for("too low by 119, a factor of 1.63\u{d7}");
    // The others are skipped.
    terminal.press("\r\r\r\r\r\r\r\r");
    terminal.wait_for("Everything ran, and every result was verified.");
    assert_eq!(terminal.end(), 0);
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
    assert_eq!(terminal.end(), 129);
    terminal.assert_restored();
}

#[test]
fn a_sequence_that_is_cut_off_takes_no_key_with_it() {
    let mut terminal = Terminal::softmax(80, 24);
    terminal.wait_for(" 1/");
    for (cut, key, cell) in [
        ("\x1b[<0;1", "n", " 2/"),
        ("\x1b[200~half", "n", " 3/"),
        ("\x1b[1;", "p", " 2/"),
        ("\x1b]11;rgb:", "p", " 1/"),
    ] {
        terminal.press(cut);
        terminal.pause(Duration::from_millis(500));
        terminal.press(key);
        terminal.wait_for(cell);
    }
    terminal.press("\x1b[200~half\x03");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
}

#[test]
fn a_flood_of_bytes_is_taken_and_the_notebook_still_draws() {
    let mut terminal = Terminal::softmax(80, 24);
    terminal.wait_for(" 1/");
    terminal.send(&b"\xff\xfe\x00\x1b[<0;0;0M\x1b[".repeat(20_000));
    terminal.press("\x1b");
    terminal.pause(Duration::from_millis(500));
    terminal.press("n");
    terminal.wait_for(" 2/");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
}

#[test]
fn a_panic_gives_the_terminal_back_and_says_what_happened() {
    if std::env::var_os(PANIC).is_some() {
        let result: anyhow::Result<()> = tutor::runtime::within_terminal(|screen| {
            screen.draw(|frame| frame.render_widget("drawn", frame.area()))?;
            if std::env::var(PANIC).is_ok_and(|kind| kind == "overflow") {
                anyhow::bail!("{}", endless(0));
            }
            panic!("a bug on purpose");
        });
        println!("{:#}", result.expect_err("a panic is an error"));
        return;
    }
    let test = std::env::current_exe().expect("the test knows its program");
    let mut command = CommandBuilder::new(test);
    let name = "notebook::terminal::a_panic_gives_the_terminal_back_and_says_what_happened";
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

/// Overflows the stack.
fn endless(depth: u64) -> u64 {
    let here = std::hint::black_box([depth; 100]);
    match depth {
        u64::MAX => 0,
        _ => endless(here[0] + 1) + here[99],
    }
}

#[test]
fn a_stack_that_overflows_is_told_of_behind_the_terminal_given_back() {
    let test = std::env::current_exe().expect("the test knows its program");
    let mut command = CommandBuilder::new(test);
    let name = "notebook::terminal::a_panic_gives_the_terminal_back_and_says_what_happened";
    command.args(["--exact", name, "--nocapture"]);
    command.env(PANIC, "overflow");
    let mut terminal = Terminal::start(command, 120, 30);
    terminal.wait_for("has overflowed its stack");
    assert_ne!(terminal.end(), 0);
    terminal.assert_restored();
}

#[test]
fn where_there_is_a_gpu_cells_run_on_it() {
    let stub = stub_folder();
    let mut command = softmax();
    command.env("LD_LIBRARY_PATH", stub);
    command.env("TUTOR_NVRTC", stub.join("libnvrtc.so.12"));
    let mut terminal = Terminal::start(command, 120, 40);
    terminal.wait_for("engine: gpu, since there is a working Stub GPU; :real GPU switches");
    terminal.wait_for("real GPU · simulated H200");
    terminal.press(":real GPU\r");
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
        terminal.press(":next theme\r:next theme\r");
        terminal.wait_for("theme: light");
        terminal.press(":quit");
        terminal.wait_for("do it");
        terminal.press("\r");
        assert_eq!(terminal.end(), 0, "{term}");
        terminal.assert_restored();
        let text = String::from_utf8_lossy(&terminal.written);
        assert!(text.contains(ground), "{term} has a light ground");
    }
}

#[test]
fn ascii_holds_for_all_that_is_sent() {
    let mut command = tutor(&["run", "lesson", "softmax#naive"]);
    command.args(["--ascii", "--theme", "dark"]);
    let mut terminal = Terminal::start(command, 80, 24);
    terminal.wait_for("5 checks");
    // A page whose text has signs beyond ASCII.
    terminal.press(":softmax\r");
    terminal.wait_for("exp(x[1]) + ...");
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
        let mut command = tutor(&["run", "lesson", "softmax#naive", "--engine", "sim"]);
        command.env("TMUX", tmux);
        let mut terminal = Terminal::start(command, 80, 24);
        terminal.wait_for("5 checks");
        terminal.press(":copy the link\r");
        terminal.wait_for("copied the link softmax#naive: 13 bytes");
        terminal.press("q");
        assert_eq!(terminal.end(), 0);
        let text = String::from_utf8_lossy(&terminal.written);
        assert!(text.contains(expected), "{tmux}");
    }
}
