//! A text being edited: cursor, selection, undo and redo.
//!
//! Positions are bytes of the text. Invariants: cursor and anchor lie in the text and between
//! characters; every change goes through [`Text::replace`], so that all of them can be undone.

use std::ops::Range;

/// Most steps that can be undone.
const UNDO_LIMIT: usize = 1000;
/// Most bytes that they keep, but for the last of them: a text may be pasted and taken away again for ever.
const UNDO_BYTES: usize = 16 << 20;

/// A text with a cursor in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    text: String,
    cursor: usize,
    /// Where the selection began; it ends at the cursor.
    anchor: Option<usize>,
    /// The column that up and down keep to over short lines.
    pub(crate) goal: Option<usize>,
    undo: Vec<Change>,
    redo: Vec<Change>,
    /// Whether what is typed next may join the last change.
    joins: bool,
}

/// One step that can be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    at: usize,
    removed: String,
    inserted: String,
    /// Cursor and anchor before it.
    before: (usize, Option<usize>),
}

/// What became of a range of the text: of `removed` bytes at `at`, `inserted` are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// First byte that changed.
    pub at: usize,
    /// Bytes that went.
    pub removed: usize,
    /// Bytes that came.
    pub inserted: usize,
}

impl Text {
    /// `text` with the cursor at its start.
    pub fn new(text: &str) -> Self {
        Text {
            text: text.to_owned(),
            ..Text::default()
        }
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Where the next character goes.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// What is selected; nothing if that is empty.
    pub fn selection(&self) -> Option<Range<usize>> {
        let anchor = self.anchor?;
        let range = anchor.min(self.cursor)..anchor.max(self.cursor);
        (!range.is_empty()).then_some(range)
    }

    /// Moves the cursor to the nearest place between characters at or before `to`; the selection
    /// grows to it, or ends.
    pub fn move_to(&mut self, to: usize, select: bool) {
        self.anchor = match select {
            // A selection grows from where it began, however often it is extended.
            true => self.anchor.or(Some(self.cursor)),
            false => None,
        };
        self.cursor = floor(&self.text, to);
        self.goal = None;
        self.joins = false;
    }

    /// Selects a range, the cursor at its end.
    pub fn select(&mut self, range: Range<usize>) {
        self.move_to(range.start, false);
        self.move_to(range.end, true);
    }

    /// Puts `with` where `range` was, the cursor behind it, and says what moved.
    pub fn replace(&mut self, range: Range<usize>, with: &str) -> Shift {
        let range = floor(&self.text, range.start)..floor(&self.text, range.end);
        let change = Change {
            at: range.start,
            removed: self.text[range].to_owned(),
            inserted: with.to_owned(),
            before: (self.cursor, self.anchor),
        };
        let shift = change.shift();
        self.apply(&change);
        self.redo.clear();
        let joined = self.joins && self.undo.last_mut().is_some_and(|last| last.join(&change));
        if !joined {
            self.undo.push(change);
            self.forget_oldest();
        }
        self.joins = true;
        shift
    }

    /// Drops the oldest steps that are too many.
    fn forget_oldest(&mut self) {
        let mut bytes = 0;
        let newest = self.undo.iter().rev().enumerate();
        let recent = newest.take_while(|(at, change)| {
            bytes += change.removed.len() + change.inserted.len();
            // The latest stays, however large: pasting a file by accident must be undone.
            *at == 0 || *at < UNDO_LIMIT && bytes <= UNDO_BYTES
        });
        let excess = self.undo.len() - recent.count();
        self.undo.drain(..excess);
    }

    /// Takes back the last change; nothing if there is none.
    pub fn undo(&mut self) -> Option<Shift> {
        let change = self.undo.pop()?;
        let back = change.reversed();
        self.apply(&back);
        (self.cursor, self.anchor) = change.before;
        self.joins = false;
        self.redo.push(change);
        Some(back.shift())
    }

    /// Makes the change again that was taken back last.
    pub fn redo(&mut self) -> Option<Shift> {
        let change = self.redo.pop()?;
        self.apply(&change);
        self.joins = false;
        let shift = change.shift();
        self.undo.push(change);
        Some(shift)
    }

    fn apply(&mut self, change: &Change) {
        let end = change.at + change.removed.len();
        self.text.replace_range(change.at..end, &change.inserted);
        self.cursor = change.at + change.inserted.len();
        self.anchor = None;
        self.goal = None;
    }
}

impl Change {
    fn shift(&self) -> Shift {
        Shift {
            at: self.at,
            removed: self.removed.len(),
            inserted: self.inserted.len(),
        }
    }

    fn reversed(&self) -> Change {
        Change {
            removed: self.inserted.clone(),
            inserted: self.removed.clone(),
            ..self.clone()
        }
    }

    /// Takes `next` into this change if both are parts of one word typed or erased.
    fn join(&mut self, next: &Change) -> bool {
        let one = |text: &str| text.chars().count() == 1 && text != "\n";
        let typed = self.removed.is_empty() && next.removed.is_empty() && one(&next.inserted);
        // Undo takes a word at a time: more would lose too much, a letter too little.
        let new_word = |before: &str, after: &str| {
            let blank = |c: Option<char>| c.is_some_and(char::is_whitespace);
            blank(before.chars().next_back()) && !blank(after.chars().next())
        };
        if typed && next.at == self.at + self.inserted.len() {
            let joins = !new_word(&self.inserted, &next.inserted);
            if joins {
                self.inserted.push_str(&next.inserted);
            }
            return joins;
        }
        let erased = self.inserted.is_empty() && next.inserted.is_empty() && one(&next.removed);
        // Backspace takes what is before, delete what is behind: each goes on with its own kind.
        if erased && next.at + next.removed.len() == self.at {
            self.removed.insert_str(0, &next.removed);
            self.at = next.at;
            return true;
        }
        if erased && next.at == self.at {
            self.removed.push_str(&next.removed);
            return true;
        }
        false
    }
}

/// The last place between characters at or before `at`.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn typed(text: &mut Text, what: &str) {
        for c in what.chars() {
            let at = text.cursor();
            text.replace(at..at, c.encode_utf8(&mut [0; 4]));
        }
    }

    #[test]
    fn words_are_undone_one_by_one_and_come_back() {
        let mut text = Text::default();
        typed(&mut text, "int i = 7;");
        text.undo();
        assert_eq!(text.as_str(), "int i = ");
        text.undo();
        text.undo();
        assert_eq!(text.as_str(), "int ");
        text.redo();
        assert_eq!((text.as_str(), text.cursor()), ("int i ", 6));
        typed(&mut text, "x");
        assert_eq!(text.redo(), None, "what was typed since is not overwritten");
    }

    #[test]
    fn a_move_ends_what_is_undone_together() {
        let mut text = Text::new("ab");
        text.move_to(2, false);
        typed(&mut text, "c");
        text.move_to(0, false);
        text.move_to(3, false);
        typed(&mut text, "d");
        text.undo();
        assert_eq!(text.as_str(), "abc");
    }

    #[test]
    fn erasing_is_undone_together_and_the_selection_is_back() {
        let mut text = Text::new("one two");
        text.select(4..7);
        text.replace(4..7, "");
        assert_eq!(text.selection(), None);
        text.undo();
        assert_eq!((text.as_str(), text.selection()), ("one two", Some(4..7)));
    }

    #[test]
    fn what_can_be_undone_has_a_bound_in_bytes() {
        let large = "x".repeat(UNDO_BYTES / 4 + 1);
        let mut text = Text::default();
        for _ in 0..10 {
            text.replace(0..text.as_str().len(), &large);
        }
        let changes = text.undo.iter();
        let bytes: usize = changes.map(|c| c.removed.len() + c.inserted.len()).sum();
        assert!(bytes <= UNDO_BYTES && text.undo.len() == 1, "{bytes}");
        let huge = "y".repeat(UNDO_BYTES + 1);
        text.replace(0..0, &huge);
        assert_eq!(text.undo.len(), 1, "the last step can always be undone");
        assert!(text.undo().is_some() && text.as_str() == large);
    }

    proptest! {
        #[test]
        fn undoing_everything_gives_the_text_as_it_was(
            start in "[a-z \n\u{e9}]{0,20}",
            changes in prop::collection::vec((0_usize..30, 0_usize..30, "[a-z \n\u{e9}]{0,3}"), 0..12),
        ) {
            let mut text = Text::new(&start);
            for (a, b, with) in &changes {
                text.replace(*a.min(b)..*a.max(b), with);
                prop_assert!(text.as_str().is_char_boundary(text.cursor()));
            }
            let end = text.as_str().to_owned();
            while text.undo().is_some() {}
            prop_assert_eq!(text.as_str(), &start);
            while text.redo().is_some() {}
            prop_assert_eq!(text.as_str(), &end);
        }
    }
}
