//! The editor: keys through the real keymap, and what stands on screen for them. What rests is run on
//! the simulated GPU, so that counts and mistakes are real.

use super::*;
use crate::app::EditComparison;
use crate::app::state::{FinishedRun, LessonErrors, SavedEdit, SourceView};
use crate::device::gpu_or_usual;
use crate::document::Role;
use crate::engine::{self, Control, Options};
use crate::launch::Counts;
use crate::lesson::{Cell, RunCell, Sizes, TextCounts, small_sizes};
use crate::source::SourceFile;
use std::sync::Arc;

fn counts(cell: &RunCell, sizes: &Sizes) -> Vec<Counts> {
    let plan = cell
        .plan(sizes, gpu_or_usual("h200"))
        .expect("sizes are in range");
    let ran = engine::run(&plan, &Options::default(), &Control::default()).expect("runs");
    ran.launches.iter().map(|launch| launch.counts).collect()
}

fn tally(
    cell: &RunCell,
    sizes: &Sizes,
    small: &[Sizes],
    over: &[crate::lesson::Size],
) -> Arc<TextCounts> {
    let total = |sizes: &Sizes| {
        let launches = counts(cell, sizes).into_iter();
        (
            sizes.clone(),
            launches.fold(Counts::default(), |sum, counts| sum + counts),
        )
    };
    Arc::new(TextCounts {
        over: over.to_vec(),
        sizes: sizes.clone(),
        launches: counts(cell, sizes),
        small: small.iter().map(total).collect(),
    })
}

impl Notebook {
    /// A notebook whose kernel has run, with the editor open at its start.
    fn editing(width: u16, height: u16, theme: Theme) -> Self {
        let mut notebook = Notebook::new(width, height, theme);
        notebook.press("n<enter>");
        notebook.finish();
        notebook.press("e<ctrl-home>");
        notebook
    }

    fn source(&self) -> String {
        let (cell, _) = self.model.run_cell().expect("is on a run cell");
        cell.source.text().to_owned()
    }

    /// Line `number` of the kernel, from 1.
    fn line(&self, number: usize) -> String {
        let source = self.source();
        source.lines().nth(number - 1).unwrap_or("").to_owned()
    }

    /// Nothing is typed for a moment: what is asked for then is done.
    fn rest(&mut self) {
        let latest = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Rest { revision } => Some(*revision),
            _ => None,
        });
        let revision = latest.expect("something was changed");
        self.effects.clear();
        self.send(Msg::Rested { revision });
        for effect in self.effects.clone() {
            if let Effect::Run(RunTask { settles: true, .. }) = &effect {
                self.run(effect);
            }
        }
        for effect in self.effects.clone() {
            if let Effect::CompareEdit(EditComparison {
                ran,
                cell,
                sizes,
                original,
                ..
            }) = effect
            {
                let at = &ran.result.sizes;
                let small = small_sizes(&sizes, at);
                let before = RunCell {
                    source: original,
                    ..(*cell).clone()
                };
                self.send(Msg::EditCompared {
                    job: ran.job,
                    original: tally(&before, at, &small, &sizes),
                    edited: tally(&cell, at, &small, &sizes),
                });
            }
        }
    }

    fn run(&mut self, effect: Effect) {
        let Effect::Run(RunTask {
            job,
            cell,
            plan,
            sizes,
            watch,
            lesson,
            edited,
            ..
        }) = effect
        else {
            return;
        };
        let outcome = engine::run(&plan, &Options::default(), &Control::default()).expect("runs");
        let Cell::Run(cell) = &lesson.cells[cell] else {
            panic!("it is a run cell");
        };
        // The sample's reference is in no table: what cannot be verified is not right.
        let cell = RunCell {
            verify: None,
            ..(**cell).clone()
        };
        let result = cell.check_outcome(&sizes, outcome);
        let ran = Arc::new(FinishedRun {
            job,
            plan,
            watch,
            edited,
            result,
        });
        self.send(Msg::Finished {
            job,
            result: Ok(ran),
        });
    }
}

/// From the start of the text to behind the `2.0f * x[i]` of line 5.
const TO_PRODUCT: &str = "<down><down><down><down><end><left>";

#[test]
fn an_edit_shows_what_it_changes_as_formulas_of_the_sizes() {
    let mut notebook = Notebook::editing(120, 40, COLOUR);
    notebook.press(&format!("{TO_PRODUCT} + x[0]"));
    notebook.rest();
    assert_eq!(notebook.line(5), "        y[i] = 2.0f * x[i] + x[0];");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn a_mistake_is_marked_and_told_under_its_line() {
    let mut notebook = Notebook::editing(80, 24, COLOUR);
    notebook.press(&format!("{TO_PRODUCT} * factor"));
    notebook.rest();
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn a_mistake_is_told_without_colours_and_unicode_and_counts_stay() {
    let mut notebook = Notebook::editing(120, 40, PLAIN);
    notebook.press(&format!("{TO_PRODUCT} * factor"));
    notebook.rest();
    assert!(notebook.text().is_ascii());
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn the_editor_stands_beside_contents_and_counts_from_180_columns() {
    let mut notebook = Notebook::editing(200, 60, COLOUR);
    notebook.press(&format!("{TO_PRODUCT}<shift-home>"));
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn what_was_changed_is_shown_line_by_line() {
    let mut notebook = Notebook::editing(80, 24, COLOUR);
    notebook.press(&format!("{TO_PRODUCT} + x[0]<down><ctrl-x><esc><ctrl-d>"));
    insta::assert_snapshot!(notebook.frame());
    notebook.press("<ctrl-d>");
    assert_eq!(notebook.model.source_view(), None);
}

#[test]
fn mending_a_mistake_takes_it_away() {
    let mut notebook = Notebook::editing(80, 24, COLOUR);
    notebook.press(&format!("{TO_PRODUCT} +"));
    notebook.rest();
    assert!(notebook.text().contains("error:"), "{}", notebook.text());
    notebook.press("<backspace><backspace>");
    notebook.rest();
    let text = notebook.text();
    assert!(!text.contains("error:"), "{text}");
    assert!(
        !text.contains("edited"),
        "it is as the lesson has it:\n{text}"
    );
}

#[test]
fn typing_copying_undoing_and_searching_go_through_the_keymap() {
    let mut notebook = Notebook::editing(80, 24, COLOUR);
    notebook.press("<down><ctrl-right><ctrl-right><ctrl-right><shift-right><shift-right>");
    notebook.press("<ctrl-home><ctrl-x><ctrl-v><ctrl-v>");
    assert_eq!(
        notebook.line(1),
        notebook.line(2),
        "the line was cut and pasted twice"
    );
    notebook.press("<ctrl-z><ctrl-z><ctrl-z>");
    assert!(!notebook.model.edit().expect("is being edited").is_changed());
    notebook.press("<ctrl-y>");
    assert!(
        notebook.line(1).starts_with("__global__"),
        "{}",
        notebook.line(1)
    );
    notebook.press("<ctrl-z><ctrl-f>add_one<enter>q");
    assert!(
        notebook.line(9).contains("void q(float*"),
        "{}",
        notebook.line(9)
    );
    notebook.press("<ctrl-a><delete>");
    assert_eq!(notebook.source(), "");
    notebook.press("<ctrl-z><ctrl-g>5<enter><ctrl-7>");
    assert_eq!(notebook.line(5), "        // y[i] = 2.0f * x[i];");
}

#[test]
fn letters_are_typed_and_not_taken_for_keys_of_the_notebook() {
    let mut notebook = Notebook::editing(80, 24, COLOUR);
    notebook.press("qnR?9 ");
    assert!(notebook.source().starts_with("qnR?9 //"));
    notebook.press("<esc>n");
    assert_eq!(notebook.model.at, 3);
    notebook.press("p");
    assert_eq!(notebook.model.source_view(), None);
    assert!(notebook.source().starts_with("qnR?9 //"), "the edit stays");
}

#[test]
fn a_click_puts_the_cursor_there_below_a_message_too() {
    let mut notebook = Notebook::editing(80, 24, COLOUR);
    notebook.press("x");
    notebook.rest();
    let text = notebook.text();
    let (row, line) = text
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains("void twice"))
        .expect("is on screen");
    let column = line[..line.find("void").expect("is there")].chars().count();
    let action = notebook.drawn.click(column as u16, row as u16);
    notebook.send(Msg::Action(action.expect("the text can be clicked")));
    notebook.press("Z");
    assert!(
        notebook.line(2).contains("__global__ Zvoid twice"),
        "{}",
        notebook.line(2)
    );
}

#[test]
fn the_terminal_s_cursor_stands_where_typing_goes() {
    let mut notebook = Notebook::editing(80, 24, COLOUR);
    notebook.press("<down><end>!");
    let position = notebook
        .terminal
        .get_cursor_position()
        .expect("a test terminal has one");
    let buffer = notebook.terminal.backend().buffer();
    let before = buffer[(position.x - 1, position.y)].symbol();
    assert_eq!(before, "!");
}

#[test]
fn dropping_an_edit_asks_first_and_undo_brings_it_back() {
    let mut notebook = Notebook::editing(80, 24, COLOUR);
    notebook.press("x<esc><ctrl-o>n");
    assert!(notebook.source().starts_with("x//"));
    notebook.press("<ctrl-o>y");
    assert!(notebook.source().starts_with("//"));
    let kept = notebook
        .effects
        .iter()
        .any(|effect| matches!(effect, Effect::Rest { .. }));
    assert!(kept, "what is on disk follows");
    notebook.press("e<ctrl-z>");
    assert!(notebook.source().starts_with("x//"));
}

#[test]
fn what_rests_is_kept_and_leaving_keeps_what_was_typed_last() {
    let kept = |notebook: &Notebook| {
        notebook
            .effects
            .iter()
            .rev()
            .find_map(|effect| match effect {
                Effect::SaveEdit { file, edit } => Some((file.lesson.clone(), edit.clone())),
                _ => None,
            })
    };
    let mut notebook = Notebook::editing(80, 24, COLOUR);
    notebook.press("x");
    assert_eq!(kept(&notebook), None);
    notebook.rest();
    let (lesson, edit) = kept(&notebook).expect("it rests");
    assert_eq!(lesson, "double");
    assert!(edit.is_some_and(|edit| edit.text.starts_with("x//")));
    notebook.press("y<ctrl-q>");
    let (_, edit) = kept(&notebook).expect("it quits");
    assert!(edit.is_some_and(|edit| edit.text.starts_with("xy//")));
}

#[test]
fn an_edit_of_an_older_text_stays_and_says_so() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.model.restore(vec![SavedEdit {
        file: "double.cu".to_owned(),
        text: "// mine".to_owned(),
        of_older: true,
    }]);
    notebook.draw();
    assert!(notebook.text().contains("has changed since you edited it"));
    notebook.press("n<Code>");
    let text = notebook.text();
    assert!(text.contains("edited, older"), "{text}");
    assert!(text.contains("// mine"), "{text}");
}

#[test]
fn a_lesson_read_again_keeps_place_sizes_and_edit() {
    let mut notebook = Notebook::editing(80, 24, COLOUR);
    notebook.press("x<esc>30<enter>");
    let mut lesson = sample_lesson();
    lesson.cells.remove(0);
    notebook.send(Msg::Reloaded(Box::new(lesson)));
    assert_eq!(notebook.model.at, 1, "the run is on the first page now");
    assert_eq!(notebook.model.settings.sizes["M"], 30);
    assert!(notebook.source().starts_with("x//"));
    let text = notebook.text();
    assert!(text.contains("the lesson was read again"), "{text}");
}

#[test]
fn what_breaks_a_lesson_is_shown_over_the_last_good_one() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    let file = SourceFile::new("mine.md", "+++\nid = 3\n+++\n");
    let diagnostics = vec![
        Diagnostic::error(Span::new(9, 10), "`id` is a string").help("as in id = \"softmax\""),
    ];
    notebook.send(Msg::Broken(LessonErrors { file, diagnostics }));
    insta::assert_snapshot!(notebook.frame());
    notebook.press("<esc>");
    assert!(!notebook.text().contains("1 mistake"));
}

#[test]
fn counts_stay_at_their_lines_while_lines_are_typed_above() {
    let mut notebook = Notebook::editing(120, 40, COLOUR);
    let margin = |notebook: &Notebook| {
        let text = notebook.text();
        let line = text.lines().find(|line| line.contains("y[i] = 2.0f"));
        line.map(|line| line.chars().skip(6).take(20).collect::<String>())
    };
    let before = margin(&notebook);
    assert!(
        before.as_ref().is_some_and(|text| text.contains("1,000")),
        "{before:?}"
    );
    notebook.press("// one<enter>// two<enter>");
    assert_eq!(margin(&notebook), before);
    assert_eq!(notebook.model.source_view(), Some(SourceView::Editor));
}

/// Column and row on screen of the first `what`.
fn found(notebook: &Notebook, what: &str) -> (u16, u16) {
    let text = notebook.text();
    let found = text.lines().enumerate().find_map(|(row, line)| {
        let at = line.find(what)?;
        Some((line[..at].chars().count() as u16, row as u16))
    });
    found.unwrap_or_else(|| panic!("`{what}` is on screen:\n{text}"))
}

#[test]
fn a_line_that_goes_on_in_the_next_row_is_edited_there() {
    let mut notebook = Notebook::editing(60, 24, COLOUR);
    let text = notebook.text();
    assert!(text.contains("\u{21aa} float* y, int count) {"), "{text}");
    let (column, row) = found(&notebook, "y, int count");
    let action = notebook.drawn.click(column, row);
    notebook.send(Msg::Action(action.expect("the text can be clicked")));
    let cursor = notebook.terminal.get_cursor_position();
    let cursor = cursor.expect("a test terminal has one");
    assert_eq!((cursor.x, cursor.y), (column, row));
    notebook.press("Z<shift-right><shift-right>");
    assert!(notebook.line(2).contains("float* Zy, int count"));
    let (column, row) = found(&notebook, "y, int count");
    let buffer = notebook.terminal.backend().buffer();
    let selected = COLOUR.style(Role::Selection).add_modifier;
    let selected = (0..buffer.area.width).filter(|&x| buffer[(x, row)].modifier == selected);
    assert_eq!(selected.collect::<Vec<_>>(), [column, column + 1]);
}

#[test]
fn a_mistake_stands_under_the_row_that_it_is_about_and_is_told_whole() {
    let mut notebook = Notebook::editing(60, 24, COLOUR);
    notebook.press(&format!("<down><end>{}Z", "<left>".repeat(12)));
    notebook.rest();
    let text = notebook.text();
    let (_, mistaken) = found(&notebook, "Zint");
    let (_, told) = found(&notebook, "\u{2570}\u{2500} ");
    assert_eq!(mistaken + 1, told, "{text}");
}

#[test]
fn a_mistake_stays_on_the_page_until_it_is_mended() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut notebook = Notebook::editing(width, height, COLOUR);
        notebook.press(&format!("{TO_PRODUCT} * factor"));
        notebook.rest();
        notebook.press("<esc>");
        for tab in ["<Code>", "<Lanes>", "<Counts>"] {
            notebook.press(tab);
            let text = notebook.text();
            assert!(text.contains("line 5: error: the name"), "{tab}:\n{text}");
        }
        notebook.press("e<backspace><backspace><backspace><backspace><backspace><backspace>");
        notebook.press("2");
        notebook.rest();
        notebook.press("<esc>");
        assert!(!notebook.text().contains("error:"), "{}", notebook.text());
    }
}
