//! Long texts in the editor: what is done to them takes time by their length, not by its square.

use std::time::{Duration, Instant};

use crate::app::Msg;
use crate::app::state::editor::wrapping::WrappedRow;
use crate::app::state::*;
use crate::app::testing::sample_lesson;
use crate::app::update::update;
use crate::source::{Diagnostic, Span};

const LINES: usize = 16_000;
/// Many times what it takes here, a tenth of what it took when each line was looked for from the start of the text.
const PATIENCE: Duration = Duration::from_secs(10);

fn editor() -> Model {
    let mut model = Model::new(sample_lesson(), None);
    for action in [
        Action::Lesson(LessonAction::Advance),
        Action::Editor(EditorAction::EditKernel),
    ] {
        update(&mut model, Msg::Action(action));
    }
    model
}

fn edit(model: &mut Model, command: EditCommand) {
    update(
        model,
        Msg::Action(Action::Editor(EditorAction::Edit(command))),
    );
}

#[test]
fn a_long_paste_ends_with_the_cursor_on_screen() {
    let mut model = editor();
    edit(&mut model, EditCommand::Move(Motion::Start));
    let pasted = "    y[i] = 2.0f * x[i];   // a line of a long text\r".repeat(LINES);
    let begun = Instant::now();
    edit(&mut model, EditCommand::Insertion(pasted));
    edit(&mut model, EditCommand::Insert('x'));
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    let visible = model.look.seen.source.visible.max(1);
    let (line, _) = model.edit().expect("is edited").text.place();
    let scroll = model.run_cell().expect("is on a run cell").1.scroll.source;
    assert_eq!(line, LINES);
    assert!((scroll..scroll + visible).contains(&line), "{scroll}");
}

#[test]
fn a_text_with_something_wrong_in_each_line_is_walked_through() {
    let mut model = editor();
    let line = "y = ;\n";
    edit(&mut model, EditCommand::SelectAll);
    edit(&mut model, EditCommand::Insertion(line.repeat(LINES)));
    let file = model.edit().expect("is edited").original.name().to_owned();
    let edited = model.edit_of(&file).expect("is edited");
    edited.findings = (0..LINES)
        .map(|at| Diagnostic::error(Span::new(at * line.len() + 4, at * line.len() + 5), "wrong"))
        .collect();
    let begun = Instant::now();
    for motion in [Motion::Start, Motion::End, Motion::Up, Motion::PageUp] {
        edit(&mut model, EditCommand::Move(motion));
    }
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    let edited = model.edit().expect("is edited");
    for at in [0, 1, LINES - 1] {
        let range = edited.text.line(at);
        assert_eq!(edited.findings_in(&range), at..at + 1);
        assert_eq!(edited.finding_line(at), at);
    }
    let row = |end| WrappedRow {
        start: 0,
        end,
        indent: 0,
    };
    let rows = [
        EditorRow::Line(7, row(5)),
        EditorRow::Message(7, row("error: wrong".len())),
        EditorRow::Line(8, row(5)),
    ];
    assert_eq!(edited.rows(7, 3, 40), rows);
    // Behind the final newline is an empty line, and what lies behind the text belongs to it.
    assert_eq!(edited.findings_in(&edited.text.line(LINES)), LINES..LINES);
}
