//! What lies over the page: the command palette and the help.

use super::*;
use crate::app::state::{Context, CopyTarget, PopupAction};
use crate::app::{CopiedText, ExportError, ExportedFile, export_target};

#[test]
fn the_palette_lists_commands_with_their_keys_and_cells() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    notebook.press(":");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn typed_letters_are_lit_in_what_they_find() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n<ctrl-p>launch<down>");
    insta::assert_snapshot!(notebook.frame());
}

#[test]
fn the_palette_stands_in_the_middle_of_a_large_terminal() {
    let mut notebook = Notebook::new(200, 60, COLOUR);
    notebook.press("n<ctrl-p>cost");
    insta::assert_snapshot!(notebook.text());
}

#[test]
fn enter_does_what_is_marked_where_the_palette_was_opened() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n<ctrl-p>run this cell<enter>");
    assert_eq!(notebook.jobs.len(), 1);
    assert_eq!(notebook.model.context(), Context::Counts);
    notebook.press(":what it cost<enter>");
    assert_eq!(notebook.model.at, 3);
    notebook.press(":");
    let text = notebook.text();
    let recent = text.find("What it cost").expect("is listed");
    let first = text.find("all lessons").expect("is listed");
    assert!(recent < first, "what was used lately is on top:\n{text}");
}

#[test]
fn a_command_for_another_place_says_which() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press(":back to the numbers of the lesson<enter>");
    let text = notebook.text();
    assert!(
        text.contains("`back to the numbers of the lesson` is for a calculator"),
        "{text}"
    );
}

#[test]
fn the_palette_opens_over_questions_and_leaves_them_as_they_were() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n12<ctrl-p>");
    assert_eq!(notebook.model.context(), Context::Palette);
    notebook.press("zzzz");
    assert!(notebook.text().contains("nothing has these letters"));
    notebook.press("<backspace><esc>");
    assert_eq!(notebook.model.context(), Context::Prompt);
    assert!(notebook.text().contains("< 12_ "));
    notebook.press("<esc><ctrl-p>run this cell<enter>");
    assert_eq!(notebook.model.context(), Context::Counts);
    assert_eq!(notebook.jobs.len(), 1);
}

#[test]
fn a_click_performs_an_entry_and_one_beside_the_window_closes_it() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n:races");
    let text = notebook.text();
    let row = text
        .lines()
        .position(|line| line.contains("look for races"));
    let row = row.expect("is listed") as u16;
    assert_eq!(
        notebook.drawn.click(60, row),
        Some(Action::Popup(PopupAction::PickEntry(0)))
    );
    assert_eq!(notebook.drawn.click(60, 3), None, "between entries");
    assert_eq!(notebook.drawn.click(1, 20), Some(Action::Back));
}

#[test]
fn the_keys_of_this_place_stand_in_a_corner_until_the_next_key() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n?");
    insta::assert_snapshot!(notebook.frame());
    notebook.press("<esc>");
    assert!(!notebook.text().contains("Keys here"));
    notebook.press("?<enter>");
    assert!(!notebook.text().contains("Keys here"));
    assert_eq!(notebook.jobs.len(), 1, "the key does what it means");
}

#[test]
fn the_keys_of_every_place_fit_in_a_small_terminal() {
    let mut notebook = Notebook::new(80, 24, COLOUR);
    for keys in ["?", "n?", "<tab>?", "<tab>?", "<tab>?"] {
        notebook.press(keys);
        let text = notebook.text();
        let rows = text.lines().skip_while(|line| !line.contains("Keys here"));
        assert!((5..=23).contains(&rows.count()), "{text}");
        notebook.press("<esc>");
    }
}

/// What the model asks to be done outside when `keys` are pressed.
fn asked(notebook: &mut Notebook, keys: &str) -> Vec<Effect> {
    notebook.effects.clear();
    notebook.press(keys);
    notebook.effects.clone()
}

#[test]
fn what_is_copied_and_how_large_it_is_is_said() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press("n");
    let effects = asked(&mut notebook, "y");
    assert!(
        matches!(effects[..], [Effect::Copy(CopyTarget::Pane)]),
        "{effects:?}"
    );
    let copy = CopiedText {
        what: "double.cu".to_owned(),
        bytes: 12_345,
    };
    notebook.send(Msg::Copied(Ok(copy)));
    let said = "copied double.cu: 12,345 bytes, to the terminal's clipboard";
    assert!(notebook.text().contains(said));
    notebook.send(Msg::Copied(Err("too large".to_owned())));
    assert!(notebook.text().contains("too large"));
}

#[test]
fn a_file_that_is_there_is_replaced_only_after_a_second_enter() {
    let mut notebook = Notebook::new(120, 40, COLOUR);
    notebook.press(":write the lesson<enter>");
    assert!(
        notebook
            .text()
            .contains("write to file (.html or .md, --answers, --short): double.html_")
    );
    notebook.press("<backspace><backspace><backspace><backspace>txt<enter>");
    assert!(
        notebook
            .text()
            .contains("expected a name that ends in .html or .md")
    );
    notebook.press("<backspace><backspace><backspace>md --long<enter>");
    assert!(
        notebook
            .text()
            .contains("expected --answers or --short, not --long")
    );
    notebook.press("<backspace><backspace><backspace><backspace>short<enter>");
    assert_eq!(
        export_target("my double.html --answers --short"),
        Ok((
            "my double.html",
            crate::document::Extent {
                answers: true,
                short: true
            }
        ))
    );
    notebook.press(":write the lesson<enter><backspace><backspace><backspace><backspace>");
    let effects = asked(&mut notebook, "md<enter>");
    let export = |effects: &[Effect]| match effects {
        [Effect::Export { file, replace }] => (file.clone(), *replace),
        other => panic!("{other:?}"),
    };
    assert_eq!(export(&effects), ("double.md".to_owned(), false));
    notebook.send(Msg::Written(ExportedFile {
        file: "double.md".to_owned(),
        result: Err(ExportError::Exists),
    }));
    assert!(
        notebook
            .text()
            .contains("double.md exists already: enter replaces it")
    );
    let effects = asked(&mut notebook, "<enter>");
    assert_eq!(export(&effects), ("double.md".to_owned(), true));
    notebook.send(Msg::Written(ExportedFile {
        file: "double.md".to_owned(),
        result: Ok(("/somewhere/double.md".to_owned(), 1234)),
    }));
    assert!(
        notebook
            .text()
            .contains("/somewhere/double.md, 1,234 bytes")
    );
}
