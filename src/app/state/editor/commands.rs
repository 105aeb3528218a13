//! What keys do to an edited text.

use std::ops::Range;

use crate::app::state::editor::motion::INDENT;
use crate::app::state::{Motion, Shift, Text};

/// Something the learner does to an edited text, whichever key says it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum EditCommand {
    Insert(char),
    /// Several characters at once, from the terminal.
    Insertion(String),
    /// A new line, as far in as this one.
    Newline,
    Erase,
    Delete,
    EraseWord,
    DeleteWord,
    /// To the next multiple of four; the selected lines one step further in.
    Indent,
    /// The line, or the selected ones, one step further out.
    Outdent,
    /// Makes the selected lines comments, or code again.
    Comment,
    Move(Motion),
    Select(Motion),
    SelectAll,
    /// The selection, or the line, to the notebook's clipboard.
    Copy,
    Cut,
    Paste,
    Undo,
    Redo,
    NextFinding,
    PreviousFinding,
    /// Asks what to look for.
    Find,
    FindNext,
    FindPrevious,
    /// A click in the text: row and column of what is on screen.
    PointAt(u16, u16),
}

impl Text {
    /// Puts `with` in place of the selection, or at the cursor.
    pub fn insert(&mut self, with: &str) -> Shift {
        let range = self.selection().unwrap_or(self.cursor()..self.cursor());
        self.replace(range, with)
    }

    /// A new line that begins as far in as this one, and further behind a brace.
    pub fn newline(&mut self) -> Shift {
        let start = self.selection().map_or(self.cursor(), |range| range.start);
        let line = self.line(self.line_of(start));
        let before = &self.as_str()[line.start..start];
        let blanks = before.len() - before.trim_start().len();
        let mut indent = before[..blanks].to_owned();
        if before.trim_end().ends_with('{') {
            indent.push_str(&" ".repeat(INDENT));
        }
        self.insert(&format!("\n{indent}"))
    }

    /// Erases the selection, or from the cursor as far as `motion` goes.
    pub fn erase(&mut self, motion: Motion) -> Option<Shift> {
        let range = self.selection().unwrap_or_else(|| {
            let mut to = self.clone();
            to.go(motion, false, 1);
            to.cursor().min(self.cursor())..to.cursor().max(self.cursor())
        });
        (!range.is_empty()).then(|| self.replace(range, ""))
    }

    /// What is copied: the selection, else the line with its newline.
    pub fn copied(&self) -> Range<usize> {
        self.selection().unwrap_or_else(|| {
            let line = self.line(self.line_of(self.cursor()));
            line.start..(line.end + 1).min(self.as_str().len())
        })
    }

    /// Blanks to the next multiple of four, or the selected lines further in.
    pub fn indent(&mut self) -> Option<Shift> {
        let selected = self
            .selection()
            .filter(|range| self.as_str()[range.clone()].contains('\n'));
        if selected.is_some() {
            return self.change_lines(|line| match line.trim().is_empty() {
                true => line.to_owned(),
                false => format!("{}{line}", " ".repeat(INDENT)),
            });
        }
        let (_, column) = self.place();
        Some(self.insert(&" ".repeat(INDENT - column % INDENT)))
    }

    /// The selected lines, or this one, further out.
    pub fn outdent(&mut self) -> Option<Shift> {
        self.change_lines(|line| {
            let blanks = line.len() - line.trim_start_matches(' ').len();
            let tab = line.strip_prefix('\t');
            tab.unwrap_or(&line[blanks.min(INDENT)..]).to_owned()
        })
    }

    /// Puts `//` before the selected lines, or before this one; takes it away where all have it.
    pub fn comment(&mut self) -> Option<Shift> {
        let lines = &self.as_str()[self.whole_lines()];
        let code = || lines.split('\n').filter(|line| !line.trim().is_empty());
        let comments = code().all(|line| line.trim_start().starts_with("//"));
        let depth = code()
            .map(|line| line.len() - line.trim_start().len())
            .min();
        let depth = depth.unwrap_or(0);
        self.change_lines(|line| match (comments, line.trim().is_empty()) {
            (_, true) => line.to_owned(),
            (true, _) => {
                let (before, after) = line.split_once("//").unwrap_or((line, ""));
                format!("{before}{}", after.strip_prefix(' ').unwrap_or(after))
            }
            (false, _) => format!("{}// {}", &line[..depth], &line[depth..]),
        })
    }

    /// The bytes of the lines that the selection touches, or of the cursor's.
    fn whole_lines(&self) -> Range<usize> {
        let selection = self.selection().unwrap_or(self.cursor()..self.cursor());
        // A selection that ends at the start of a line does not touch that line.
        let last = selection.end.saturating_sub(1).max(selection.start);
        let last = if selection.is_empty() {
            selection.end
        } else {
            last
        };
        self.line(self.line_of(selection.start)).start..self.line(self.line_of(last)).end
    }

    /// Changes each of these lines, as one step; what was selected stays so, in whole lines.
    fn change_lines(&mut self, change: impl Fn(&str) -> String) -> Option<Shift> {
        let range = self.whole_lines();
        let before = &self.as_str()[range.clone()];
        let lines: Vec<String> = before.split('\n').map(change).collect();
        let after = lines.join("\n");
        if after == before {
            return None;
        }
        let selected = self.selection().is_some();
        let from_end = range.end.saturating_sub(self.cursor());
        let shift = self.replace(range.clone(), &after);
        let end = range.start + after.len();
        match selected {
            true => self.select(range.start..end),
            false => self.move_to(end.saturating_sub(from_end).max(range.start), false),
        }
        Some(shift)
    }

    /// Selects the next place of `wanted` behind the cursor, or before it, around the ends; says
    /// whether there is one. Case counts only where `wanted` has capitals.
    pub fn find(&mut self, wanted: &str, forward: bool) -> bool {
        // As `smartcase` of vim: `sum` finds `Sum`, but `Sum` does not find `sum`.
        let exact = wanted.chars().any(char::is_uppercase);
        let fold = |text: &str| match exact {
            true => text.to_owned(),
            false => text.to_ascii_lowercase(),
        };
        let (text, wanted) = (fold(self.as_str()), fold(wanted));
        if wanted.is_empty() {
            return false;
        }
        let places = || text.match_indices(&wanted).map(|(at, _)| at);
        let here = self.selection().map_or(self.cursor(), |range| range.start);
        let fresh = self.selection().is_none();
        let found = match forward {
            true => places()
                .find(|&at| at > here || fresh && at == here)
                .or_else(|| places().next()),
            false => places()
                .filter(|&at| at < here)
                .last()
                .or_else(|| places().last()),
        };
        if let Some(at) = found {
            self.select(at..at + wanted.len());
        }
        found.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, cursor: usize) -> Text {
        let mut text = Text::new(text);
        text.move_to(cursor, false);
        text
    }

    #[test]
    fn a_new_line_goes_in_as_far_and_further_behind_a_brace() {
        let mut text = at("    if (x) {", 12);
        text.newline();
        text.insert("y;");
        text.newline();
        assert_eq!(text.as_str(), "    if (x) {\n        y;\n        ");
    }

    #[test]
    fn comments_come_and_go_at_the_common_depth() {
        let source = "  a;\n\n    b;\n  c;\n";
        let mut text = Text::new(source);
        text.select(0..11);
        text.comment();
        assert_eq!(text.as_str(), "  // a;\n\n  //   b;\n  c;\n");
        text.comment();
        assert_eq!(text.as_str(), source);
    }

    #[test]
    fn selected_lines_are_moved_in_and_out_as_one_step() {
        let mut text = Text::new("a\nb\nc");
        text.select(0..4);
        text.indent();
        assert_eq!(text.as_str(), "    a\n    b\nc");
        text.outdent();
        assert_eq!(text.as_str(), "a\nb\nc");
        text.undo();
        text.undo();
        assert_eq!(text.selection(), Some(0..4));
        let mut text = at("xy", 1);
        text.indent();
        assert_eq!((text.as_str(), text.cursor()), ("x   y", 4));
    }

    #[test]
    fn words_lines_and_selections_are_erased() {
        let mut text = at("one two\nthree", 7);
        text.erase(Motion::WordLeft);
        assert_eq!(text.as_str(), "one \nthree");
        text.erase(Motion::Right);
        assert_eq!(text.as_str(), "one three");
        text.select(0..4);
        text.erase(Motion::Left);
        assert_eq!(text.as_str(), "three");
        text.move_to(0, false);
        assert_eq!(text.erase(Motion::Left), None);
    }

    #[test]
    fn searching_goes_around_and_minds_capitals_only_if_asked() {
        let mut text = at("Sum sum\nsum", 0);
        let mut found = Vec::new();
        for _ in 0..4 {
            assert!(text.find("sum", true));
            found.push(text.selection().expect("is found").start);
        }
        assert_eq!(found, [0, 4, 8, 0]);
        assert!(text.find("sum", false));
        assert_eq!(text.selection(), Some(8..11));
        assert!(text.find("Sum", true));
        assert_eq!(text.selection(), Some(0..3));
        assert!(!text.find("none", true));
    }
}
