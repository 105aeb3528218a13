//! Signals while the notebook has the terminal.

use std::process::Command;

use rustix::process::Signal;

use crate::driver::{Terminal, tutor};

#[test]
fn whatever_signal_ends_it_the_terminal_is_given_back() {
    let asked = [(Signal::HUP, 129), (Signal::INT, 130), (Signal::TERM, 143)];
    // The program is killed by these, which the terminal calls exit code 1.
    let fatal = [
        Signal::QUIT,
        Signal::USR1,
        Signal::ABORT,
        Signal::SEGV,
        Signal::PIPE,
        Signal::BUS,
        Signal::FPE,
        Signal::ALARM,
    ];
    for (signal, code) in asked.into_iter().chain(fatal.map(|signal| (signal, 1))) {
        let mut terminal = Terminal::softmax(80, 24);
        terminal.wait_for("Softmax");
        terminal.signal(signal);
        assert_eq!(terminal.end(), code, "{signal:?}");
        terminal.assert_restored();
    }
    let mut notes = Terminal::start(tutor(&["notes"]), 80, 24);
    notes.wait_for("No presentation is under way");
    notes.signal(Signal::TERM);
    assert_eq!(notes.end(), 143);
    notes.assert_restored();
}

#[test]
fn who_stops_it_gets_the_terminal_and_who_lets_it_go_on_the_frame() {
    for signal in [Signal::TSTP, Signal::STOP, Signal::TSTP] {
        for (arguments, text) in [
            (&["run", "lesson", "softmax"][..], "Softmax turns a row"),
            (&["notes"], "No presentation is under way"),
        ] {
            let mut terminal = Terminal::start(tutor(arguments), 80, 24);
            terminal.wait_for(text);
            terminal.signal(signal);
            terminal.wait_for_stop();
            if signal == Signal::TSTP {
                terminal.assert_restored();
            }
            // A shell has modes of its own, and another program may have drawn.
            let tty = terminal.master.tty_name().expect("has a name");
            let mut stty = Command::new("stty");
            let stty = stty.arg("-F").arg(tty).arg("sane").status();
            assert!(stty.expect("starts").success());
            let shell = b"\x1b[?1049l\x1b[?1000l\x1b[?2004l\x1b[2J\x1b[Hshell";
            terminal.screen.process(shell);
            terminal.signal(Signal::CONT);
            terminal.wait_for(text);
            assert!(terminal.screen.screen().alternate_screen());
            assert!(terminal.screen.screen().bracketed_paste());
            // Were it not raw, the key would wait for the end of a line.
            terminal.press("q");
            assert_eq!(terminal.end(), 0);
            terminal.assert_restored();
        }
    }
}

#[test]
fn the_end_of_input_typed_while_it_is_stopped_is_none_for_the_notebook() {
    let mut terminal = Terminal::softmax(80, 24);
    terminal.wait_for("Softmax turns a row");
    // Whether the thread that reads is quicker than the one that makes the terminal raw again is left to chance.
    for _ in 0..8 {
        terminal.signal(Signal::TSTP);
        terminal.wait_for_stop();
        terminal.send(b"\x04");
        terminal.signal(Signal::CONT);
        terminal.wait_for("Softmax turns a row");
    }
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
}
