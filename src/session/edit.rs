//! Edited kernels: their texts, what is wrong with them, and what of them is on screen.
//!
//! An edit belongs to a kernel file of the lesson. Its text stands in every cell that has this
//! file, so plans, margins and recordings see what runs; the lesson's own text is the `original`.
//! Invariant: where there is an [`Edit`], the cells' source is its text.

use std::sync::Arc;

use super::edit_motion::Motion;
use super::edit_text::Shift;
use super::{CellState, Effect, Focus, Layout, Model, Prompt, PromptKind, Stroke, Tab, Text, run};
use crate::lesson::Cell;
use crate::source::{Diagnostic, SourceFile};

/// An edited kernel file.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// The file as the lesson has it.
    pub original: SourceFile,
    /// The file as it is now.
    pub text: Text,
    /// What is wrong with it, in order of their places; found when it last rested.
    pub findings: Vec<Diagnostic>,
    /// Whether the lesson's file has changed since this edit was begun.
    pub of_older: bool,
}

/// A row of the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// A line of the text, from 0.
    Line(usize),
    /// What is wrong in the line above: a finding, by index.
    Message(usize),
    /// What explains it, and what to try.
    Detail(usize),
}

/// What stands in the source's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceView {
    /// The editor.
    Editor,
    /// What was changed, line by line.
    Changes,
}

/// A kernel file's edit as it is kept on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptEdit {
    /// Name of the file, as in [`SourceFile::name`].
    pub file: String,
    /// The edited text.
    pub text: String,
    /// Whether it was made from another text than the lesson's.
    pub of_older: bool,
}

/// All edits of a lesson.
#[derive(Clone, Debug, Default)]
pub struct Edits {
    /// One a file that was ever edited.
    pub(super) all: Vec<Edit>,
    /// What stands in the place of the source of the cell on screen.
    pub(super) view: Option<SourceView>,
    /// What was cut or copied last.
    pub(super) clipboard: String,
    /// What was looked for last.
    pub(super) sought: String,
    /// Number of the latest change.
    pub(super) revision: u64,
    /// Files with changes that are not on disk yet.
    pub(super) unkept: Vec<String>,
}

impl Edit {
    fn new(original: SourceFile) -> Self {
        Edit {
            text: Text::new(original.text()),
            original,
            findings: Vec::new(),
            of_older: false,
        }
    }

    /// What of it is kept on disk.
    pub(super) fn kept(&self) -> KeptEdit {
        KeptEdit {
            file: self.original.name().to_owned(),
            text: self.text.as_str().to_owned(),
            of_older: self.of_older,
        }
    }

    /// Whether it differs from the original.
    pub fn is_changed(&self) -> bool {
        self.text.as_str() != self.original.text()
    }

    /// Line (from 0) of finding `index`.
    pub fn finding_line(&self, index: usize) -> usize {
        let start = self
            .findings
            .get(index)
            .map_or(0, |finding| finding.span().start);
        self.text.line_of(start as usize)
    }

    /// What explains finding `index`, and what to try; nothing if there is no more to say.
    pub fn detail(&self, index: usize) -> Option<String> {
        let finding = self.findings.get(index)?;
        let primary = finding.labels.iter().filter(|label| label.primary);
        let labels = primary.map(|label| label.text.as_str());
        let help = finding.help.as_ref().map(|help| format!("help: {help}"));
        let parts = labels
            .chain(help.as_deref())
            .filter(|part| !part.is_empty());
        let parts: Vec<&str> = parts.collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// What fills `count` rows from line `scroll` on.
    pub fn rows(&self, scroll: usize, count: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        let lines: Vec<usize> = (0..self.findings.len())
            .map(|i| self.finding_line(i))
            .collect();
        for line in scroll..self.text.line_count() {
            if rows.len() >= count {
                break;
            }
            rows.push(Row::Line(line));
            let here = lines.iter().enumerate().filter(|&(_, &of)| of == line);
            for (index, _) in here {
                rows.push(Row::Message(index));
                let has_detail = self.detail(index).is_some();
                rows.extend(has_detail.then_some(Row::Detail(index)));
            }
        }
        rows.truncate(count);
        rows
    }

    /// Moves what was found along with the text; what stood in the changed part is gone.
    fn shift(&mut self, shift: Shift) {
        let (start, end) = (shift.at as u32, (shift.at + shift.removed) as u32);
        let by = shift.inserted as i64 - shift.removed as i64;
        self.findings.retain(|finding| {
            let span = finding.span();
            span.end <= start || span.start >= end
        });
        for label in self
            .findings
            .iter_mut()
            .flat_map(|finding| &mut finding.labels)
        {
            for place in [&mut label.span.start, &mut label.span.end] {
                if *place >= end && *place > start {
                    *place = u32::try_from(i64::from(*place) + by).unwrap_or(0);
                }
            }
        }
    }
}

impl Model {
    /// The edit of the kernel file of the cell on screen, if it was ever edited.
    pub fn edit(&self) -> Option<&Edit> {
        let name = self.run_cell()?.0.source.name();
        self.edits
            .all
            .iter()
            .find(|edit| edit.original.name() == name)
    }

    /// What stands in the place of the source of the cell on screen.
    pub fn source_view(&self) -> Option<SourceView> {
        self.edits.view.filter(|_| self.edit().is_some())
    }

    /// Whether cell `index` runs an edited text.
    pub fn is_edited(&self, index: usize) -> bool {
        let Some(Cell::Run(cell)) = self.lesson.cells.get(index) else {
            return false;
        };
        let mut edits = self.edits.all.iter().filter(|edit| edit.is_changed());
        edits.any(|edit| edit.original.name() == cell.source.name())
    }

    /// Puts edits that were kept in the place of the lesson's texts.
    pub fn restore(&mut self, kept: Vec<KeptEdit>) {
        for kept in kept {
            let sources = self.lesson.run_cells().map(|cell| cell.source.clone());
            let Some(original) = sources.into_iter().find(|file| file.name() == kept.file) else {
                continue;
            };
            self.edits.all.push(Edit {
                text: Text::new(&kept.text),
                of_older: kept.of_older,
                ..Edit::new(original)
            });
            self.put_text(&kept.file);
        }
    }

    pub(super) fn edit_of(&mut self, file: &str) -> Option<&mut Edit> {
        let mut edits = self.edits.all.iter_mut();
        edits.find(|edit| edit.original.name() == file)
    }

    /// The edit of the file of the cell on screen, begun if there is none.
    pub(super) fn begin_edit(&mut self) -> Option<&mut Edit> {
        let source = self.run_cell()?.0.source.clone();
        if self.edit().is_none() {
            self.edits.all.push(Edit::new(source.clone()));
        }
        self.edit_of(source.name())
    }

    /// Puts the edited text of `file` into every cell that has this file.
    pub(super) fn put_text(&mut self, file: &str) {
        let Some(edit) = self.edit_of(file) else {
            return;
        };
        let text = SourceFile::new(file, edit.text.as_str());
        let lesson = Arc::make_mut(&mut self.lesson);
        for (cell, state) in lesson.cells.iter_mut().zip(&mut self.cells) {
            if let (Cell::Run(cell), CellState::Run(state)) = (cell, state)
                && cell.source.name() == file
            {
                cell.source = text.clone();
                state.plan = run::plan(cell, &self.sizes);
            }
        }
    }
}

/// Opens the editor, or closes it.
pub(super) fn open(model: &mut Model) {
    if model.edits.view == Some(SourceView::Editor) {
        model.edits.view = None;
        return;
    }
    let (scroll, visible) = match model.run_cell() {
        Some((_, state)) => (state.source_scroll, model.look.seen.source.visible.max(1)),
        None => {
            model.notice = Some("this cell is text; n goes on to one with a kernel".to_owned());
            return;
        }
    };
    let Some(edit) = model.begin_edit() else {
        return;
    };
    let (line, _) = edit.text.place();
    if !(scroll..scroll + visible).contains(&line) {
        let start = edit.text.line(scroll).start;
        edit.text.move_to(start, false);
    }
    show(model, SourceView::Editor);
}

fn show(model: &mut Model, view: SourceView) {
    model.edits.view = Some(view);
    model.look.focus = Focus::Source;
    model.look.zoom = false;
    if model.look.seen.layout == Layout::One {
        model.look.tab = Tab::Source;
    }
}

/// Shows what was changed, or the text again.
pub(super) fn show_changes(model: &mut Model) {
    if model.edits.view == Some(SourceView::Changes) {
        model.edits.view = None;
        return;
    }
    if model.edit().is_some_and(Edit::is_changed) {
        if let Some(state) = model.run_state() {
            state.source_scroll = 0;
        }
        show(model, SourceView::Changes);
    } else {
        model.notice = Some("this kernel is as the lesson has it; E edits it".to_owned());
    }
}

/// What `stroke` does to the text on screen.
pub(super) fn take_stroke(model: &mut Model, stroke: Stroke, effects: &mut Vec<Effect>) {
    let page = model.look.seen.source.visible.saturating_sub(2).max(1);
    let clipboard = model.edits.clipboard.clone();
    let point = match stroke {
        Stroke::PointAt(row, column) => {
            model.look.focus = Focus::Source;
            point(model, row, column)
        }
        _ => None,
    };
    let Some(name) = model.edit().map(|edit| edit.original.name().to_owned()) else {
        return;
    };
    let Some(edit) = model.edit_of(&name) else {
        return;
    };
    let text = &mut edit.text;
    let mut copied = None;
    let shift = match stroke {
        Stroke::Insert(c) => Some(text.insert(c.encode_utf8(&mut [0; 4]))),
        Stroke::Insertion(pasted) => {
            Some(text.insert(&pasted.replace("\r\n", "\n").replace('\r', "\n")))
        }
        Stroke::Newline => Some(text.newline()),
        Stroke::Erase => text.erase(Motion::Left),
        Stroke::Delete => text.erase(Motion::Right),
        Stroke::EraseWord => text.erase(Motion::WordLeft),
        Stroke::DeleteWord => text.erase(Motion::WordRight),
        Stroke::Indent => text.indent(),
        Stroke::Outdent => text.outdent(),
        Stroke::Comment => text.comment(),
        Stroke::Copy | Stroke::Cut => {
            let range = text.copied();
            copied = Some(text.as_str()[range.clone()].to_owned());
            (stroke == Stroke::Cut && !range.is_empty()).then(|| text.replace(range, ""))
        }
        Stroke::Paste => (!clipboard.is_empty()).then(|| text.insert(&clipboard)),
        Stroke::Undo => text.undo(),
        Stroke::Redo => text.redo(),
        other => {
            look(model, &name, other, (page, point));
            None
        }
    };
    if let Some(copied) = copied {
        let lines = copied.lines().count();
        let what = if shift.is_some() { "cut" } else { "copied" };
        model.notice = Some(format!(
            "{what}: {lines} line{}",
            if lines == 1 { "" } else { "s" }
        ));
        model.edits.clipboard = copied;
    }
    if let Some(shift) = shift {
        changed(model, &name, shift, effects);
    }
    show_cursor(model);
}

/// Strokes that change nothing: moves, selections, searches.
fn look(model: &mut Model, name: &str, stroke: Stroke, (page, point): (usize, Option<usize>)) {
    let sought = model.edits.sought.clone();
    let Some(edit) = model.edit_of(name) else {
        return;
    };
    let text = &mut edit.text;
    let mut notice = None;
    match stroke {
        Stroke::Move(motion) => text.go(motion, false, page),
        Stroke::Select(motion) => text.go(motion, true, page),
        Stroke::SelectAll => text.select(0..text.as_str().len()),
        Stroke::PointAt(..) => text.move_to(point.unwrap_or(text.cursor()), false),
        Stroke::NextFinding | Stroke::PreviousFinding => {
            notice = edit.go_to_finding(stroke == Stroke::NextFinding);
        }
        Stroke::FindNext | Stroke::FindPrevious => {
            if sought.is_empty() {
                notice = Some("nothing was looked for yet; ctrl-f asks".to_owned());
            } else if !text.find(&sought, stroke == Stroke::FindNext) {
                notice = Some(format!("`{sought}` is not in this text"));
            }
        }
        Stroke::Find => {
            model.prompt = Some(Prompt::new(PromptKind::Find));
            return;
        }
        _ => {}
    }
    if notice.is_some() {
        model.notice = notice;
    }
}

impl Edit {
    /// Moves the cursor to the next finding, or the one before, around the ends; says what it is.
    fn go_to_finding(&mut self, forward: bool) -> Option<String> {
        let starts: Vec<usize> = self
            .findings
            .iter()
            .map(|finding| finding.span().start as usize)
            .collect();
        let cursor = self.text.cursor();
        let found = match forward {
            true => starts.iter().position(|&at| at > cursor).or(Some(0)),
            false => starts
                .iter()
                .rposition(|&at| at < cursor)
                .or(starts.len().checked_sub(1)),
        };
        let found = found.filter(|&index| index < starts.len());
        let Some(index) = found else {
            return Some("nothing is wrong with this text, as far as was looked".to_owned());
        };
        self.text.move_to(starts[index], false);
        Some(self.findings[index].message.clone())
    }
}

/// The byte under a row and column of the editor on screen.
fn point(model: &Model, row: u16, column: u16) -> Option<usize> {
    let (edit, (_, state)) = (model.edit()?, model.run_cell()?);
    let row = usize::from(row);
    let rows = edit.rows(state.source_scroll, row + 1);
    let line = rows.iter().rev().find_map(|row| match row {
        Row::Line(line) => Some(*line),
        _ => None,
    });
    // A click below the last line is meant for it.
    let line = line.unwrap_or(edit.text.line_count() - 1);
    Some(
        edit.text
            .at(line, usize::from(column) + state.source_column),
    )
}

/// What follows from a change of the text of `file`.
pub(super) fn changed(model: &mut Model, file: &str, shift: Shift, effects: &mut Vec<Effect>) {
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

/// Scrolls so that the cursor is on screen, and what is wrong in its line where there is room.
pub(super) fn show_cursor(model: &mut Model) {
    let seen = model.look.seen;
    let (visible, width) = (seen.source.visible.max(1), seen.source_width.max(1));
    let Some((_, state)) = model.run_cell() else {
        return;
    };
    let Some(edit) = model.edit() else { return };
    let (line, column) = edit.text.place();
    let mut scroll = state.source_scroll.min(line);
    let is_shown = |scroll: usize| edit.rows(scroll, visible).contains(&Row::Line(line));
    while !is_shown(scroll) && scroll < line {
        scroll += 1;
    }
    // Lines mostly fit: their start is hidden only where it has to be.
    let first = match column < width {
        true => 0,
        false => state.source_column.clamp(column + 1 - width, column),
    };
    if let Some(state) = model.run_state() {
        (state.source_scroll, state.source_column) = (scroll, first);
    }
}

/// Puts `text` in the place of the text of `file`, as one step that can be undone.
pub(super) fn replace_text(model: &mut Model, file: &str, text: &str, effects: &mut Vec<Effect>) {
    if model.edit_of(file).is_none() {
        let mut cells = model.lesson.run_cells();
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
pub(super) fn reset(model: &mut Model, effects: &mut Vec<Effect>) {
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
pub(super) fn ask_for_reset(model: &mut Model) {
    if model.edit().is_some_and(Edit::is_changed) {
        model.prompt = Some(Prompt::new(PromptKind::Reset));
    } else {
        model.notice = Some("this kernel is as the lesson has it".to_owned());
    }
}

/// Looks for `wanted`, or again for what was looked for last.
pub(super) fn find(model: &mut Model, wanted: String) {
    if !wanted.is_empty() {
        model.edits.sought = wanted;
    }
    take_stroke(model, Stroke::FindNext, &mut Vec::new());
}

/// Goes to a line, from 0.
pub(super) fn go_to_line(model: &mut Model, line: usize) {
    if let Some(edit) = model.begin_edit() {
        let start = edit.text.line(line).start;
        edit.text.move_to(start, false);
    }
    show_cursor(model);
}

/// Opens the kernel on screen in the learner's own editor, at the line that is looked at.
pub(super) fn open_editor(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some((_, state)) = model.run_cell() else {
        model.notice = Some("this cell is text; n goes on to one with a kernel".to_owned());
        return;
    };
    let (lesson, scroll) = (model.lesson.id.clone(), state.source_scroll);
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
        lesson,
        original: edit.original.clone(),
        edit: edit.kept(),
        line: line + 1,
    });
}
