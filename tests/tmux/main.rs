//! The notebook inside tmux, as it is used over SSH: every terminal type, resizing, losing the client and
//! coming back.
//!
//! `cargo test --test tmux` runs them; they fail where there is no tmux.

mod session;

use session::{Session, TERMS};

#[test]
fn a_cell_is_run_and_stepped_through_both_ways() {
    let notebook = Session::softmax("xterm-256color", 80, 24);
    to_small_run(&notebook);
    notebook.keys(&["BTab", "BTab", "BTab"]);
    notebook.wait_for("32 of 32 active");
    notebook.wait_for("1 of ");
    notebook.keys(&["Right", "Right"]);
    notebook.wait_for("3 of ");
    notebook.keys(&["Left"]);
    notebook.wait_for("2 of ");
    notebook.keys(&["q"]);
    notebook.wait_for_end();
}

#[test]
fn a_program_that_runs_long_before_its_first_page_says_so() {
    let text = "int main() { for (unsigned long i = 1; i; i++) {} }";
    let notebook = Session::of_file("long.cu", text);
    notebook.wait_for("once, to see what it launches: ");
    notebook.keys(&["C-c"]);
    notebook.wait_for_end();
}

#[test]
fn an_error_is_made_in_a_kernel_and_mended() {
    let notebook = Session::softmax("screen", 120, 40);
    to_small_run(&notebook);
    notebook.keys(&["e"]);
    notebook.wait_for("ctrl-q quit");
    notebook.keys(&["C-g"]);
    notebook.wait_for("go to line");
    notebook.keys(&["1", "5", "Enter"]);
    notebook.wait_for("15:1 of");
    notebook.keys(&["End", "Left", "x"]);
    notebook.wait_for("error: ");
    notebook.wait_for("does not compile");
    notebook.keys(&["BSpace"]);
    notebook.wait_for("5 checks");
    notebook.keys(&["Escape"]);
    notebook.wait_for("? help");
    notebook.keys(&["q"]);
    notebook.wait_for_end();
}

#[test]
fn every_kind_of_terminal_gets_a_notebook_and_its_screen_back() {
    for term in TERMS {
        let notebook = Session::softmax(term, 80, 24);
        notebook.wait_for("Softmax turns a row");
        to_small_run(&notebook);
        notebook.keys(&["?"]);
        notebook.wait_for("show the keys that work here");
        // At once they would be alt-q, to a terminal.
        notebook.keys(&["Escape"]);
        notebook.wait_for("? help");
        notebook.keys(&["q"]);
        notebook.wait_for_end();
        assert!(
            !notebook.screen().contains("Softmax"),
            "{term}: {}",
            notebook.screen()
        );
    }
}

#[test]
fn colours_are_those_that_the_terminal_has() {
    let coloured = |term| {
        let notebook = Session::softmax(term, 80, 24);
        notebook.wait_for("Softmax turns a row");
        notebook.styled_screen().contains("\x1b[38;5;")
    };
    assert!(coloured("xterm-256color"));
    assert!(!coloured("dumb"));
}

#[test]
fn a_storm_of_sizes_leaves_a_whole_frame() {
    let notebook = Session::softmax("screen", 120, 40);
    notebook.wait_for("Softmax turns a row");
    to_small_run(&notebook);
    for round in 0..40_u16 {
        notebook.resize(20 + round * 37 % 180, 5 + round * 13 % 55);
    }
    notebook.resize(61, 17);
    notebook.wait_for("q quit");
    notebook.resize(120, 40);
    notebook.wait_for("5 checks");
    notebook.keys(&["q"]);
    notebook.wait_for_end();
}

#[test]
fn a_key_and_a_new_size_that_come_at_once_are_both_taken() {
    let notebook = Session::softmax("screen", 80, 24);
    notebook.wait_for("Softmax turns a row");
    for round in 0..20_u16 {
        let (key, rows, cell) = [("n", 30, " 2/"), ("p", 24, " 1/")][usize::from(round % 2)];
        notebook.resize_and_press(80, rows, key);
        notebook.wait_for(cell);
        notebook.wait_for_last_row(rows, "q quit");
    }
    notebook.keys(&["q"]);
    notebook.wait_for_end();
}

#[test]
fn a_notebook_stopped_from_outside_comes_back_whole() {
    for signal in ["-TSTP", "-STOP"] {
        let notebook = Session::softmax("screen", 80, 24);
        notebook.wait_for("Softmax turns a row");
        notebook.stop(signal);
        notebook.bring_back("Softmax turns a row");
        // In the background it stops again: its keys are the shell's.
        notebook.stop(signal);
        notebook.type_line("clear; bg");
        notebook.wait_for_job("Stopped");
        notebook.bring_back("Softmax turns a row");
        notebook.keys(&["n"]);
        notebook.wait_for(" 2/");
        notebook.keys(&["q"]);
        notebook.wait_for_end();
        notebook.type_line("stty -a | grep -c ' icanon'");
        notebook.wait_for("1\n");
    }
}

#[test]
fn a_notebook_in_the_background_ends_with_its_terminal() {
    let notebook = Session::softmax("screen", 80, 24);
    notebook.wait_for("Softmax turns a row");
    let program = notebook.program();
    notebook.stop_and_go_on();
    drop(notebook);
    program.wait_for_end();
}

#[test]
fn a_killed_client_leaves_the_notebook_and_another_finds_it_as_it_was() {
    let notebook = Session::softmax("xterm-256color", 100, 30);
    let mut client = notebook.attach(100, 30);
    notebook.wait_for("Softmax turns a row");
    to_small_run(&notebook);
    client.kill_at_once();
    notebook.keys(&["BTab", "BTab", "BTab"]);
    let mut other = notebook.attach(90, 28);
    other.wait_for("32 of 32 active");
    notebook.keys(&["q"]);
    notebook.wait_for_end();
}

#[test]
fn a_killed_notebook_does_not_keep_the_next_from_starting() {
    let notebook = Session::softmax("xterm-256color", 80, 24);
    notebook.wait_for("Softmax turns a row");
    notebook.kill_program_at_once();
    notebook.start_again();
    notebook.wait_for("Softmax turns a row");
    notebook.keys(&["q"]);
    notebook.wait_for_end();
}

/// Goes to the run of the five kernels and makes its sizes small; it runs by itself.
fn to_small_run(notebook: &Session) {
    notebook.wait_for("Softmax turns a row");
    notebook.keys(&["g"]);
    notebook.wait_for("go to page");
    notebook.keys(&["6", "Enter"]);
    notebook.wait_for(" 6/");
    // Past the question.
    notebook.keys(&["n"]);
    notebook.wait_for("5 checks");
    notebook.keys(&["1", "6", "Enter"]);
    notebook.wait_for("< 16 ");
    notebook.wait_for("5 checks");
}
