//! What comes from terminals, whole and cut off, in one read and in many.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use proptest::collection::vec;
use proptest::prelude::*;

use super::sequences::Sequences;

const CONTROL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
const NONE: KeyModifiers = KeyModifiers::NONE;

fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

fn typed(text: &str) -> Vec<Event> {
    let typed = text.chars().map(|c| key(KeyCode::Char(c), NONE));
    typed.collect()
}

fn ctrl_c() -> Event {
    key(KeyCode::Char('c'), CONTROL)
}

/// The events of reads, after the last of which nothing comes.
fn events(reads: &[&[u8]]) -> Vec<Event> {
    let mut sequences = Sequences::default();
    let mut events = Vec::new();
    for read in reads {
        sequences.take(read, &mut events);
    }
    if sequences.patience().is_some() {
        sequences.expire(&mut events);
    }
    assert_eq!(sequences.patience(), None);
    events
}

/// What a mouse report says, as text.
fn mouse(bytes: &[u8]) -> String {
    match events(&[bytes]).as_slice() {
        [Event::Mouse(mouse)] => format!(
            "{:?} {},{} {:?}",
            mouse.kind, mouse.column, mouse.row, mouse.modifiers
        ),
        other => format!("{other:?}"),
    }
}

#[test]
fn keys_are_what_terminals_send_for_them() {
    use KeyCode::{
        BackTab, Backspace, Char, Delete, Down, End, Enter, Esc, F, Home, Left, PageUp, Tab, Up,
    };
    for (bytes, code, modifiers) in [
        ("a", Char('a'), NONE),
        ("A", Char('A'), SHIFT),
        ("\u{e4}", Char('\u{e4}'), NONE),
        ("\u{1f600}", Char('\u{1f600}'), NONE),
        ("\r", Enter, NONE),
        ("\t", Tab, NONE),
        ("\x7f", Backspace, NONE),
        ("\0", Char(' '), CONTROL),
        ("\x03", Char('c'), CONTROL),
        ("\n", Char('j'), CONTROL),
        ("\x1f", Char('7'), CONTROL),
        ("\x1b", Esc, NONE),
        ("\x1bx", Char('x'), ALT),
        ("\x1bX", Char('X'), ALT | SHIFT),
        ("\x1b\u{e4}", Char('\u{e4}'), ALT),
        ("\x1b\r", Enter, ALT),
        ("\x1b[", Char('['), ALT),
        ("\x1bO", Char('O'), ALT | SHIFT),
        ("\x1b]", Char(']'), ALT),
        ("\x1b[A", Up, NONE),
        ("\x1bOB", Down, NONE),
        ("\x1b[1;5D", Left, CONTROL),
        ("\x1b[1;2:1A", Up, SHIFT),
        ("\x1b[Z", BackTab, SHIFT),
        ("\x1b[3~", Delete, NONE),
        ("\x1b[5;3~", PageUp, ALT),
        ("\x1b[7~", Home, NONE),
        ("\x1b[F", End, NONE),
        ("\x1bOP", F(1), NONE),
        ("\x1b[[E", F(5), NONE),
        ("\x1b[15~", F(5), NONE),
        ("\x1b[24~", F(12), NONE),
        ("\x1bOj", Char('*'), NONE),
        ("\x1b[97u", Char('a'), NONE),
        ("\x1b[99;5u", Char('c'), CONTROL),
        ("\x1b[97;2u", Char('A'), SHIFT),
        ("\x1b[49:33;2u", Char('!'), SHIFT),
        ("\x1b[9;2u", BackTab, SHIFT),
        ("\x1b[27;1:1u", Esc, NONE),
        ("\x1b[57417u", Left, NONE),
        ("\x1b[57402u", Char('3'), NONE),
        ("\x1b[27;5;99~", Char('c'), CONTROL),
    ] {
        let expected = vec![key(code, modifiers)];
        assert_eq!(events(&[bytes.as_bytes()]), expected, "{bytes:?}");
        // A slow line brings each byte alone.
        let single: Vec<&[u8]> = bytes.as_bytes().chunks(1).collect();
        assert_eq!(events(&single), expected, "{bytes:?}");
    }
}

#[test]
fn the_mouse_is_reported_in_each_of_its_forms() {
    for (bytes, said) in [
        (&b"\x1b[<0;1;1M"[..], "Down(Left) 0,0"),
        (b"\x1b[<0;20;10m", "Up(Left) 19,9"),
        (b"\x1b[<32;300;10M", "Drag(Left) 299,9"),
        (b"\x1b[<64;5;6M", "ScrollUp 4,5"),
        (b"\x1b[<65;5;6M", "ScrollDown 4,5"),
        (b"\x1b[<18;5;6M", "Down(Right) 4,5"),
        (b"\x1b[M !!", "Down(Left) 0,0"),
        (b"\x1b[M#\xff\xfe", "Up(Left) 222,221"),
        (b"\x1b[32;30;40M", "Down(Left) 29,39"),
        // Where no cell is counted 0, that is the first one.
        (b"\x1b[<0;0;0M", "Down(Left) 0,0"),
    ] {
        assert!(
            mouse(bytes).starts_with(said),
            "{bytes:?}: {}",
            mouse(bytes)
        );
    }
    for nothing in [
        "\x1b[<0;70000;1M",
        "\x1b[<0;1M",
        "\x1b[<M",
        "\x1b[<99999999999;1;1M",
        "\x1b[0;1;1M",
    ] {
        assert_eq!(events(&[nothing.as_bytes()]), [], "{nothing:?}");
    }
}

#[test]
fn pasted_text_is_one_event_whatever_is_in_it() {
    let paste = |text: &str| Event::Paste(text.to_owned());
    let pasted = events(&[b"\x1b[200~two\rlines \x1b[A \x03 in", b" it\x1b[2", b"01~q"]);
    let mut expected = vec![paste("two\rlines \x1b[A \x03 in it")];
    expected.extend(typed("q"));
    assert_eq!(pasted, expected);
    assert_eq!(events(&[b"\x1b[200~half"]), [paste("half")]);
    assert_eq!(events(&[b"\x1b[200~half\x03"]), [paste("half"), ctrl_c()]);
    assert_eq!(
        events(&[b"\x1b[200~half", b"\x03"]),
        [paste("half"), ctrl_c()]
    );
    assert_eq!(events(&[b"\x1b[200~\xff\x1b[201~"]), [paste("\u{fffd}")]);
}

#[test]
fn pasted_text_without_end_comes_in_parts_of_whole_characters() {
    let text = "ab\u{20ac}".repeat(1 << 19);
    let bytes = ["\x1b[200~", &text, "\x1b[201~"].concat();
    let mut found = String::new();
    let parts = events(&bytes.as_bytes().chunks(1000).collect::<Vec<_>>());
    assert_eq!(parts.len(), 3);
    for part in parts {
        match part {
            Event::Paste(part) => found += &part,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(found, text);
}

#[test]
fn what_is_cut_off_is_given_up_and_the_next_key_is_a_key() {
    for cut in [
        &b"\x1b[<0;1"[..],
        b"\x1b[1;",
        b"\x1b[",
        b"\x1bO",
        b"\x1b[M",
        b"\x1b[M !",
        b"\x1b]11;rgb:",
        b"\x1bP1$r",
        b"\x1b_G",
        b"\x1b[200~half",
        b"\x1b[200~half\x1b[20",
        b"\xe2\x82",
        b"\xf0",
        b"\x1b[[",
        b"\x1b",
        b"\x1b[?1;2",
        b"\x1b]0;x\x1b",
    ] {
        let mut sequences = Sequences::default();
        let mut found = Vec::new();
        sequences.take(cut, &mut found);
        let patience = sequences.patience().expect("more may come");
        assert!(patience <= Duration::from_millis(250));
        sequences.expire(&mut found);
        found.clear();
        sequences.take(b"q", &mut found);
        assert_eq!(found, typed("q"), "{cut:?}");
        // Without a pause, ctrl-C is one all the same.
        assert_eq!(events(&[cut, b"\x03"]).last(), Some(&ctrl_c()), "{cut:?}");
        assert_eq!(
            events(&[&[cut, b"\x03"].concat()]).last(),
            Some(&ctrl_c()),
            "{cut:?}"
        );
    }
}

#[test]
fn answers_of_terminals_and_bytes_that_mean_nothing_are_no_keys() {
    for nothing in [
        &b"\x1b]11;rgb:0000/0000/0000\x07"[..],
        b"\x1b]11;rgb:0000/0000/0000\x1b\\",
        b"\x1bP1$r0m\x1b\\",
        b"\x1b_Gi=1;OK\x1b\\",
        b"\x1b[?64;1;2c",
        b"\x1b[?1u",
        b"\x1b[?2026;2$y",
        b"\x1b[24;80R",
        b"\x1b[200;200z",
        b"\xff\xfe\x80\xc0",
        b"\xc2\x9b",
        b"\x1b[999999999999999999999~",
    ] {
        assert_eq!(
            events(&[&[nothing, b"q"].concat()]),
            typed("q"),
            "{nothing:?}"
        );
    }
    assert_eq!(events(&[b"\x1b[I"]), [Event::FocusGained]);
    assert_eq!(events(&[b"\x1b[O"]), [Event::FocusLost]);
    // A character that breaks off, and a sequence in a sequence.
    assert_eq!(events(&[b"\xe2\x82q"]), typed("q"));
    assert_eq!(events(&[b"\x1b[1;\x1b[A"]), [key(KeyCode::Up, NONE)]);
}

#[test]
fn a_flood_leaves_nothing_behind() {
    for unit in [
        &b"n"[..],
        b"\x1b",
        b"\x1b[",
        b"\x1b]",
        b"\x1b[<0;1",
        b"1;",
        b"\xf0\x9f",
        b"\x1b[200~",
        b"\x00",
    ] {
        let mut sequences = Sequences::default();
        let mut found = Vec::new();
        for _ in 0..2000 {
            sequences.take(&unit.repeat(500), &mut found);
            found.clear();
        }
        sequences.expire(&mut found);
        found.clear();
        sequences.take(b"q", &mut found);
        assert_eq!(found, typed("q"), "{unit:?}");
    }
}

/// Bytes as they come, and as nobody would send them.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let known = [
        "\x1b[",
        "\x1b]",
        "\x1bO",
        "\x1b[200~",
        "\x1b[201~",
        "\x1b[M",
        "\x1b[<",
        ";",
        ":",
        "1",
        "0",
        "M",
        "u",
        "~",
        "\u{20ac}",
        "\x1b\\",
        "\x07",
        "\x03",
        "q",
    ];
    let known = prop::sample::select(known.to_vec()).prop_map(|text| text.as_bytes().to_vec());
    let part = prop_oneof![known, vec(any::<u8>(), 1..4)];
    vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn whatever_comes_ctrl_c_is_one_afterwards(bytes in bytes()) {
        let found = events(&[&bytes, b"\x03"]);
        prop_assert_eq!(found.last(), Some(&ctrl_c()));
    }

    #[test]
    fn where_reads_end_changes_nothing_but_where_a_pause_does(bytes in bytes(), size in 1..7_usize) {
        // In pasted text, ctrl-C at the end of a read is a key.
        let bytes: Vec<u8> = bytes.into_iter().filter(|&byte| byte != 3).collect();
        let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
        prop_assert_eq!(events(&chunks), events(&[&bytes]));
    }
}
