//! What is done to an edited kernel: keys of the editor, and what follows from a change.

use crate::app::state::editor::motion;
use crate::app::state::{
    Edit, EditCommand, EditorRow, Layout, Model, Motion, Prompt, PromptKind, Shift, SourceView,
    Tab, Text,
};
use crate::app::update::message::{Effect, LessonFile};
use crate::app::update::runs::stop;

/// Opens the editor, or closes it.
pub(crate) fn open(model: &mut Model) {
    if model.edits.view == Some(SourceView::Editor) {
        return close(model);
    }
    let (scroll, visible, focus) = match model.run_cell() {
        Some((_, state)) => (
            state.scroll.source,
            model.look.seen.source.visible.max(1),
            state.scroll.focus,
        ),
        None => {
            model.notice =
                Some("there is no kernel to edit here; n goes on to the next".to_owned());
            return;
        }
    };
    let Some(edit) = model.begin_edit() else {
        return;
    };
    let (line, _) = edit.text.place();
    // The cursor may stand where it was left an hour ago: it comes to what is on screen, not the screen to it. At first it
    // stands in the line that the page is about.
    let is_new = !edit.is_changed() && edit.text.place() == (0, 0);
    let shown = focus.filter(|_| is_new);
    if shown.is_some() || !(scroll..scroll + visible).contains(&line) {
        let start = edit.text.line(shown.unwrap_or(scroll)).start;
        edit.text.move_to(start, false);
    }
    show(model, SourceView::Editor);
}

fn show(model: &mut Model, view: SourceView) {
    model.edits.view = Some(view);
    // Eight rows are too few to write in.
    if model.look.seen.layout == Layout::One {
        let left = std::mem::replace(&mut model.look.tab, Tab::Code);
        model.edits.left.get_or_insert(left);
    }
}

/// Closes the editor, or the changes, and goes back to the view that made room for it.
pub(crate) fn close(model: &mut Model) {
    model.edits.view = None;
    if let Some(left) = model.edits.left.take() {
        model.look.tab = left;
    }
}

/// Shows what was changed, or the text again.
pub(crate) fn show_changes(model: &mut Model) {
    if model.edits.view == Some(SourceView::Changes) {
        return close(model);
    }
    if model.edit().is_some_and(Edit::is_changed) {
        if let Some(state) = model.run_state() {
            // The changes have lines of their own, fewer or more than the source that was scrolled.
            state.scroll.put_source(0);
        }
        show(model, SourceView::Changes);
    } else {
        model.notice = Some("this kernel is as the lesson has it; e edits it".to_owned());
    }
}

/// What `command` does to the text on screen.
pub(crate) fn take_command(model: &mut Model, command: EditCommand, effects: &mut Vec<Effect>) {
    let Some(name) = model.edit().map(|edit| edit.original.name().to_owned()) else {
        return;
    };
    match command {
        EditCommand::Copy | EditCommand::Cut => {
            copy(model, &name, command == EditCommand::Cut, effects)
        }
        _ => {
            // One clipboard for all files, so that a line can be carried from one kernel to another.
            let clipboard = model.edits.clipboard.clone();
            let Some(edit) = model.edit_of(&name) else {
                return;
            };
            match write(&mut edit.text, &command, &clipboard) {
                Some(Some(shift)) => changed(model, &name, shift, effects),
                Some(None) => {}
                None => look(model, &name, command),
            }
        }
    }
    show_cursor(model);
}

/// Strokes that may change the text, and what moved; nothing of the others.
fn write(text: &mut Text, command: &EditCommand, clipboard: &str) -> Option<Option<Shift>> {
    Some(match command {
        EditCommand::Insert(c) => Some(text.insert(c.encode_utf8(&mut [0; 4]))),
        EditCommand::Insertion(pasted) => {
            // Terminals send what is pasted with the ends of lines that the key has.
            let pasted = pasted.replace("\r\n", "\n").replace('\r', "\n");
            Some(text.insert(&pasted))
        }
        EditCommand::Newline => Some(text.newline()),
        EditCommand::Erase => text.erase(Motion::Left),
        EditCommand::Delete => text.erase(Motion::Right),
        EditCommand::EraseWord => text.erase(Motion::WordLeft),
        EditCommand::DeleteWord => text.erase(Motion::WordRight),
        EditCommand::Indent => text.indent(),
        EditCommand::Outdent => text.outdent(),
        EditCommand::Comment => text.comment(),
        EditCommand::Paste => (!clipboard.is_empty()).then(|| text.insert(clipboard)),
        EditCommand::Undo => text.undo(),
        EditCommand::Redo => text.redo(),
        _ => return None,
    })
}

/// The selection, or the line, to the clipboard.
fn copy(model: &mut Model, name: &str, cut: bool, effects: &mut Vec<Effect>) {
    let Some(edit) = model.edit_of(name) else {
        return;
    };
    let range = edit.text.copied();
    let copied = edit.text.as_str()[range.clone()].to_owned();
    let shift = (cut && !range.is_empty()).then(|| edit.text.replace(range, ""));
    // The selection is gone from sight after a cut: what went where is said.
    let (what, lines) = (if cut { "cut" } else { "copied" }, copied.lines().count());
    let plural = if lines == 1 { "" } else { "s" };
    model.notice = Some(format!("{what}: {lines} line{plural}"));
    model.edits.clipboard = copied;
    if let Some(shift) = shift {
        changed(model, name, shift, effects);
    }
}

/// Strokes that change nothing: moves, selections, searches.
fn look(model: &mut Model, name: &str, command: EditCommand) {
    // Two lines of the page before stay, to read on from.
    let page = model.look.seen.source.visible.saturating_sub(2).max(1);
    let sought = model.edits.sought.clone();
    let point = match command {
        // Found before the text is borrowed to be changed: where a row wraps depends on all of the model.
        EditCommand::PointAt(row, column) => point(model, row, column),
        _ => None,
    };
    let Some(edit) = model.edit_of(name) else {
        return;
    };
    let text = &mut edit.text;
    let mut notice = None;
    match command {
        EditCommand::Move(motion) => text.go(motion, false, page),
        EditCommand::Select(motion) => text.go(motion, true, page),
        EditCommand::SelectAll => text.select(0..text.as_str().len()),
        EditCommand::PointAt(..) => text.move_to(point.unwrap_or(text.cursor()), false),
        EditCommand::NextFinding | EditCommand::PreviousFinding => {
            notice = edit.go_to_finding(command == EditCommand::NextFinding);
        }
        EditCommand::FindNext | EditCommand::FindPrevious => {
            if sought.is_empty() {
                notice = Some("nothing to find yet; ctrl-f asks what".to_owned());
            } else if !text.find(&sought, command == EditCommand::FindNext) {
                notice = Some(format!("`{sought}` is not in this text"));
            }
        }
        EditCommand::Find => {
            model.popups.prompt = Some(Prompt::new(PromptKind::Find));
            return;
        }
        _ => {}
    }
    if notice.is_some() {
        model.notice = notice;
    }
}

/// The byte under a row and column of the editor on screen.
fn point(model: &Model, row: u16, column: u16) -> Option<usize> {
    let (edit, (_, state)) = (model.edit()?, model.run_cell()?);
    let (row, column) = (usize::from(row), usize::from(column));
    let rows = edit.rows(state.scroll.source, row + 1, model.look.seen.source.width);
    // A click on the message below a line means the line that it is about.
    let found = rows.iter().rev().find_map(|row| match row {
        EditorRow::Line(line, row) => Some((*line, *row)),
        _ => None,
    });
    let (line, shown) = found?;
    let column = shown.start + column.saturating_sub(shown.indent);
    // Right of a row that goes on in the next is its last character.
    let range = edit.text.line(line);
    let is_last = shown.end == motion::width(&edit.text.as_str()[range]);
    let column = if is_last {
        column
    } else {
        column.min(shown.end - 1)
    };
    Some(edit.text.at(line, column))
}

/// What follows from a change of the text of `file`. What runs is of the text before: it is stopped.
pub(crate) fn changed(model: &mut Model, file: &str, shift: Shift, effects: &mut Vec<Effect>) {
    stop(model, effects);
    if let Some(edit) = model.edit_of(file) {
        edit.shift(shift);
    }
    model.put_text(file);
    if !model.edits.unkept.iter().any(|name| name == file) {
        model.edits.unkept.push(file.to_owned());
    }
    model.edits.revision += 1;
    effects.push(Effect::Rest {
        revision: model.edits.revision,
    });
}

/// Scrolls so that the cursor is on screen.
pub(crate) fn show_cursor(model: &mut Model) {
    let seen = model.look.seen.source;
    let rows = seen.rows.max(1);
    let Some((_, state)) = model.run_cell() else {
        return;
    };
    let Some(edit) = model.edit() else { return };
    let (line, column) = edit.text.place();
    // A row holds a line at most: before that the cursor cannot be on screen, and each try reads the whole text.
    let first = (line + 1).saturating_sub(rows);
    let mut scroll = state.scroll.source.max(first).min(line);
    let has_cursor = |row: &EditorRow| matches!(row, EditorRow::Line(at, shown) if *at == line && shown.start <= column && column <= shown.end);
    let is_shown = |scroll| edit.rows(scroll, rows, seen.width).iter().any(has_cursor);
    while !is_shown(scroll) && scroll < line {
        scroll += 1;
    }
    if let Some(state) = model.run_state() {
        state.scroll.source = scroll;
        // Whoever leaves the editor goes on looking at what they wrote.
        state.scroll.focus = Some(line);
    }
}

/// Puts `text` in the place of the text of `file`, as one step that can be undone.
pub(crate) fn replace_text(model: &mut Model, file: &str, text: &str, effects: &mut Vec<Effect>) {
    if model.edit_of(file).is_none() {
        let mut cells = model.lesson.runs();
        let Some(cell) = cells.find(|cell| cell.source.name() == file) else {
            return;
        };
        let edit = Edit::new(cell.source.clone());
        model.edits.all.push(edit);
    }
    let Some(edit) = model.edit_of(file) else {
        return;
    };
    let old = edit.text.as_str();
    if old == text {
        return;
    }
    // Only the part that differs, so that cursor and findings elsewhere stay.
    let head = old
        .bytes()
        .zip(text.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let shorter = old.len().min(text.len()) - head;
    let tails = old.bytes().rev().zip(text.bytes().rev()).take(shorter);
    let tail = tails.take_while(|(a, b)| a == b).count();
    let mut range = head..old.len() - tail;
    while !old.is_char_boundary(range.start) {
        range.start -= 1;
    }
    while !old.is_char_boundary(range.end) {
        range.end += 1;
    }
    let end = text.len() - (old.len() - range.end);
    let with = text[range.start..end].to_owned();
    let shift = edit.text.replace(range, &with);
    changed(model, file, shift, effects);
    show_cursor(model);
}

/// Takes the lesson's own text again.
pub(crate) fn reset(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(original) = model.edit().map(|edit| edit.original.clone()) else {
        return;
    };
    replace_text(model, original.name(), original.text(), effects);
    if let Some(edit) = model.edit_of(original.name()) {
        edit.of_older = false;
    }
    model.notice = Some(
        "the kernel is as the lesson has it; undo in the editor brings your text back".to_owned(),
    );
}

/// Asks before what was changed is dropped.
pub(crate) fn ask_for_reset(model: &mut Model) {
    if model.edit().is_some_and(Edit::is_changed) {
        model.popups.prompt = Some(Prompt::new(PromptKind::Reset));
    } else {
        model.notice = Some("this kernel is as the lesson has it".to_owned());
    }
}

/// Looks for `wanted`, or again for what was looked for last.
pub(crate) fn find(model: &mut Model, wanted: String) {
    if !wanted.is_empty() {
        model.edits.sought = wanted;
    }
    take_command(model, EditCommand::FindNext, &mut Vec::new());
}

/// Goes to a line, from 0.
pub(crate) fn go_to_line(model: &mut Model, line: usize) {
    if let Some(edit) = model.begin_edit() {
        let start = edit.text.line(line).start;
        edit.text.move_to(start, false);
    }
    show_cursor(model);
}

/// Opens the kernel on screen in the learner's own editor, at the line that is looked at.
pub(crate) fn open_editor(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some((_, state)) = model.run_cell() else {
        model.notice = Some("there is no kernel to edit here; n goes on to the next".to_owned());
        return;
    };
    let (lesson, scroll) = (model.lesson.id.clone(), state.scroll.source);
    let in_editor = model.source_view() == Some(SourceView::Editor);
    let Some(edit) = model.begin_edit() else {
        return;
    };
    let line = if in_editor {
        edit.text.place().0
    } else {
        scroll
    };
    effects.push(Effect::OpenEditor {
        file: LessonFile {
            lesson,
            original: edit.original.clone(),
        },
        edit: edit.saved(),
        line: line + 1,
    });
}
