//! What a room sees, and what its speaker sees.

use super::*;
use crate::app::state::{Presentation, SpeakerState};
use crate::app::view::{Notes, view_notes};

fn presented(size: (u16, u16), theme: Theme) -> Notebook {
    let mut notebook = Notebook::new(size.0, size.1, theme);
    notebook.model.presentation = Some(Presentation::default());
    notebook.send(Msg::Clock(754));
    notebook
}

#[test]
fn a_room_sees_one_idea_with_space_around_it_and_no_keys() {
    insta::assert_snapshot!(presented((120, 40), COLOUR).frame());
}

#[test]
fn a_kernel_is_presented_with_all_its_panes() {
    let mut notebook = presented((120, 40), COLOUR);
    notebook.press(" ");
    notebook.send(Msg::Action(Action::Run(RunAction::Run)));
    notebook.finish();
    let text = notebook.text();
    assert!(text.contains("12:34"), "{text}");
    assert!(
        !text.contains("enter run") && !text.contains("q quit"),
        "{text}"
    );
    // One number, large.
    assert!(
        text.contains("\u{2588}\u{2588}  \u{2588}\u{2588}"),
        "{text}"
    );
    assert!(!text.contains("Evidence"), "{text}");
    notebook.press(":");
    assert!(
        notebook.text().contains("enter does it"),
        "a list tells its keys"
    );
}

fn notes(size: (u16, u16), theme: Theme, spoken: Option<SpeakerState>) -> String {
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).expect("has no errors");
    let mut notes = Notes {
        spoken,
        seconds: 754,
        ..Notes::default()
    };
    let painter = Painter::new(theme);
    let drawn = terminal.draw(|frame| view_notes(&mut notes, frame, &painter));
    drawn.expect("has no errors");
    let buffer = terminal.backend().buffer();
    text(buffer) + "\n" + &styles(buffer)
}

#[test]
fn the_speaker_sees_notes_time_and_what_comes() {
    let spoken = SpeakerState {
        lesson: "Doubling, and one more".to_owned(),
        at: (2, 3),
        title: "Two kernels".to_owned(),
        notes: "Ask *first*.\n\n- how many elements?\n- how many bytes?".to_owned(),
        answer: "**Right:** 2MN = 2,000\n\nThe second reads what the first wrote.".to_owned(),
        next: Some("What it cost".to_owned()),
        is_held: true,
        minutes: 10,
        began: 0,
    };
    insta::assert_snapshot!(notes((80, 24), COLOUR, Some(spoken.clone())));
    let ascii = notes((80, 24), Theme::new(Depth::None, false), Some(spoken));
    assert!(ascii.is_ascii(), "{ascii}");
}

#[test]
fn a_speaker_who_is_too_early_is_told_what_to_do() {
    let text = notes((80, 24), COLOUR, None);
    assert!(
        text.contains("`tutor present softmax` in another terminal"),
        "{text}"
    );
}
