//! Edited kernels: their texts, what is wrong with them, and what of them is on screen.
//!
//! An edit belongs to a kernel file of the lesson. Its text stands in every cell that has this
//! file, so plans, margins and recordings see what runs; the lesson's own text is the `original`.
//! Invariant: where there is an [`Edit`], the cells' source is its text.

use std::ops::Range;

use super::motion;
use super::text::floor;
use super::wrapping::{self, WrappedRow};
use crate::app::state::{Shift, Tab, Text};
use crate::launch::Report;
use crate::source::{Diagnostic, SourceFile};

/// Columns before what is wrong, for the hook that points at its place.
pub const HOOK: usize = 3;

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
pub enum EditorRow {
    /// A row of a line of the text, from 0.
    Line(usize, WrappedRow),
    /// A row of what is wrong in the row above: a finding, by index.
    Message(usize, WrappedRow),
    /// A row of what explains it, and of what to try.
    Detail(usize, WrappedRow),
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
pub struct SavedEdit {
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
    pub(crate) all: Vec<Edit>,
    /// What stands in the place of the source of the cell on screen.
    pub(crate) view: Option<SourceView>,
    /// The view that made room for it, to come back to.
    pub(crate) left: Option<Tab>,
    /// What was cut or copied last.
    pub(crate) clipboard: String,
    /// What was looked for last.
    pub(crate) sought: String,
    /// Number of the latest change.
    pub(crate) revision: u64,
    /// Files with changes that are not on disk yet.
    pub(crate) unkept: Vec<String>,
}

impl Edit {
    pub(crate) fn new(original: SourceFile) -> Self {
        Edit {
            text: Text::new(original.text()),
            original,
            findings: Vec::new(),
            of_older: false,
        }
    }

    /// Takes what a run of the text found, in order of places: the compiler reports in the order of its passes, and keys go
    /// from one to the next down the text.
    pub(crate) fn take_findings(&mut self, reports: &[Report]) {
        let reports = reports.iter();
        self.take_diagnostics(reports.map(|report| report.diagnostic.clone()).collect());
    }

    /// Takes what a check of the text found, in order of places.
    pub(crate) fn take_diagnostics(&mut self, found: Vec<Diagnostic>) {
        self.findings = found;
        self.findings.sort_by_key(|finding| finding.span().start);
    }

    /// What of it is kept on disk.
    pub(crate) fn saved(&self) -> SavedEdit {
        SavedEdit {
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
        explained(self.findings.get(index)?)
    }

    /// What is wrong in finding `index`.
    pub fn message(&self, index: usize) -> String {
        let finding = self.findings.get(index);
        finding.map_or_else(String::new, |finding| {
            format!("{}: {}", finding.severity.word(), finding.message)
        })
    }

    /// What fills `count` rows of `width` columns from line `scroll` on.
    pub fn rows(&self, scroll: usize, count: usize, width: usize) -> Vec<EditorRow> {
        let mut rows = Vec::new();
        let text = self.text.as_str();
        // Lines are found by going on from the last one, not from the beginning of the text each time.
        let last = self.text.line_count() - 1;
        let mut range = self.text.line(scroll);
        for line in scroll..=last {
            if rows.len() >= count {
                break;
            }
            self.push_rows(&mut rows, line, &range, width);
            let start = (range.end + 1).min(text.len());
            let length = text[start..].find('\n');
            range = start..length.map_or(text.len(), |length| start + length);
        }
        rows.truncate(count);
        rows
    }

    /// Adds the rows of a line, whose bytes are `range`: what is wrong stands under the row that it is about.
    fn push_rows(
        &self,
        rows: &mut Vec<EditorRow>,
        line: usize,
        range: &Range<usize>,
        width: usize,
    ) {
        let text = &self.text.as_str()[range.clone()];
        let column = |index: usize| {
            let at = self.findings[index].span().start as usize;
            motion::width(&text[..floor(text, at.saturating_sub(range.start))])
        };
        let mut findings = self.findings_in(range).peekable();
        let code = wrapping::code_rows(text, width);
        for (at, row) in code.iter().enumerate() {
            rows.push(EditorRow::Line(line, *row));
            let is_last = at + 1 == code.len();
            // A message stands below the row that its place is in, where a long line takes several.
            while let Some(index) = findings.next_if(|&index| is_last || column(index) < row.end) {
                let fold = |text: &str| wrapping::rows(text, width.saturating_sub(HOOK), 0);
                let message = fold(&self.message(index)).into_iter();
                rows.extend(message.map(|row| EditorRow::Message(index, row)));
                let detail = self.detail(index).map_or_else(Vec::new, |text| fold(&text));
                rows.extend(detail.into_iter().map(|row| EditorRow::Detail(index, row)));
            }
        }
    }

    /// The furthest that the text scrolls in a pane.
    pub fn furthest_scroll(&self, rows: usize, width: usize) -> usize {
        let text = self.text.as_str();
        let mut end = text.len();
        let heights = text.rsplit('\n').map(|line| {
            let range = end - line.len()..end;
            end = range.start.saturating_sub(1);
            let mut rows = Vec::new();
            self.push_rows(&mut rows, 0, &range, width);
            rows.len()
        });
        wrapping::furthest_scroll(self.text.line_count(), rows, heights)
    }

    /// The findings that begin in a line, whose bytes are `line`, by index. What lies behind the text is of its last
    /// line.
    pub fn findings_in(&self, line: &Range<usize>) -> Range<usize> {
        let from = |at: usize| {
            let starts = |finding: &Diagnostic| (finding.span().start as usize) < at;
            self.findings.partition_point(starts)
        };
        let is_last = line.end >= self.text.as_str().len();
        let end = match is_last {
            true => self.findings.len(),
            // The newline belongs to its line.
            false => from(line.end + 1),
        };
        from(line.start)..end
    }

    /// Moves what was found along with the text; what stood in the changed part is gone.
    pub(crate) fn shift(&mut self, shift: Shift) {
        let (start, end) = (shift.at as u32, (shift.at + shift.removed) as u32);
        let by = shift.inserted as i64 - shift.removed as i64;
        self.findings.retain(|finding| {
            let span = finding.span();
            // A finding about text that was just changed may be mended: it goes until the compiler says it again.
            span.end <= start || span.start >= end
        });
        for label in self
            .findings
            .iter_mut()
            .flat_map(|finding| &mut finding.labels)
        {
            for place in [&mut label.span.start, &mut label.span.end] {
                // An insertion before a place moves it; one at its beginning leaves it, as a typed letter does a
                // word.
                if *place >= end && *place > start {
                    *place = u32::try_from(i64::from(*place) + by).unwrap_or(0);
                }
            }
        }
    }
}

impl Edit {
    /// Moves the cursor to the next finding, or the one before, around the ends; says what it is.
    pub(crate) fn go_to_finding(&mut self, forward: bool) -> Option<String> {
        let starts: Vec<usize> = self
            .findings
            .iter()
            .map(|finding| finding.span().start as usize)
            .collect();
        let cursor = self.text.cursor();
        let found = match forward {
            // Behind the last the first comes again.
            true => starts.iter().position(|&at| at > cursor).or(Some(0)),
            false => starts
                .iter()
                .rposition(|&at| at < cursor)
                .or(starts.len().checked_sub(1)),
        };
        let found = found.filter(|&index| index < starts.len());
        let Some(index) = found else {
            return Some("no errors and no warnings were found in this text".to_owned());
        };
        self.text.move_to(starts[index], false);
        Some(self.findings[index].message.clone())
    }
}

/// What explains a finding, and what to try; nothing if there is no more to say.
pub fn explained(finding: &Diagnostic) -> Option<String> {
    let primary = finding.labels.iter().filter(|label| label.primary);
    let labels = primary.map(|label| label.text.as_str());
    let help = finding.help.as_ref().map(|help| format!("help: {help}"));
    let parts = labels
        .chain(help.as_deref())
        .filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}
