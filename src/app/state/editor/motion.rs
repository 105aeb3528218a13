//! Where the cursor of an edited text goes: by characters, words, lines and columns.
//!
//! A column counts cells of the screen: a tab goes to the next multiple of [`INDENT`], a wide
//! character takes two.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use crate::app::state::Text;
use crate::source::printable;

/// Columns of one step of indentation.
pub const INDENT: usize = 4;

/// A way for the cursor to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Motion {
    Left,
    Right,
    Up,
    Down,
    WordLeft,
    WordRight,
    /// The first character of the line that is no blank; there already, the start of the line.
    LineStart,
    LineEnd,
    PageUp,
    PageDown,
    Start,
    End,
}

impl Text {
    /// Number of lines; there is an empty one behind a final newline.
    pub fn line_count(&self) -> usize {
        self.as_str().split('\n').count()
    }

    /// The line (from 0) that holds the byte `at`.
    pub fn line_of(&self, at: usize) -> usize {
        let before = self.as_str().bytes().take(at);
        before.filter(|&byte| byte == b'\n').count()
    }

    /// The bytes of line `line` without its newline; those of the last line if there is none.
    pub fn line(&self, line: usize) -> Range<usize> {
        let text = self.as_str();
        let mut start = 0;
        for _ in 0..line {
            match text[start..].find('\n') {
                Some(length) => start += length + 1,
                None => break,
            }
        }
        let length = text[start..].find('\n');
        start..length.map_or(text.len(), |length| start + length)
    }

    /// Line and column of the cursor, from 0.
    pub fn place(&self) -> (usize, usize) {
        let line = self.line_of(self.cursor());
        let start = self.line(line).start;
        (line, width(&self.as_str()[start..self.cursor()]))
    }

    /// The byte at `column` of `line`; its end if the line is shorter.
    pub fn at(&self, line: usize, column: usize) -> usize {
        let range = self.line(line);
        let text = &self.as_str()[range.clone()];
        let mut cells = cells(text);
        let found = cells.find(|(_, cell)| cell.end > column);
        found.map_or(range.end, |(at, _)| range.start + at)
    }

    /// Moves the cursor; a page is `page` lines.
    pub fn go(&mut self, motion: Motion, select: bool, page: usize) {
        // An arrow without shift leaves a selection at its side, as in every editor.
        let selection = self.selection().filter(|_| !select);
        let (line, column) = self.place();
        // Down over a short line and further comes back to the column where one began.
        let goal = self.goal.unwrap_or(column);
        let last = self.line_count() - 1;
        let to_line = match motion {
            Motion::Up => line.checked_sub(1),
            Motion::Down => Some(line + 1).filter(|&line| line <= last),
            Motion::PageUp => Some(line.saturating_sub(page)),
            Motion::PageDown => Some((line + page).min(last)),
            _ => None,
        };
        if let Some(line) = to_line {
            self.move_to(self.at(line, goal), select);
            // Moving forgets it, so it is set again.
            self.goal = Some(goal);
            return;
        }
        let to = match (motion, selection) {
            (Motion::Left, Some(selection)) => selection.start,
            (Motion::Right, Some(selection)) => selection.end,
            _ => self.target(motion, line),
        };
        self.move_to(to, select);
    }

    /// Where a motion within lines ends, and one beyond the first and the last.
    fn target(&self, motion: Motion, line: usize) -> usize {
        let (text, cursor) = (self.as_str(), self.cursor());
        let (before, after) = text.split_at(cursor);
        match motion {
            Motion::Left => {
                let last = before.chars().next_back();
                cursor - last.map_or(0, char::len_utf8)
            }
            Motion::Right => {
                let next = after.chars().next();
                cursor + next.map_or(0, char::len_utf8)
            }
            Motion::WordLeft => cursor - word(before.chars().rev()),
            Motion::WordRight => cursor + word(after.chars()),
            Motion::LineStart => {
                let range = self.line(line);
                let inside = &text[range.clone()];
                let first = range.end - inside.trim_start().len();
                // First to the code, then to the margin.
                if cursor == first { range.start } else { first }
            }
            Motion::LineEnd => self.line(line).end,
            // Up on the first line, which has none above it: to its beginning.
            Motion::Up | Motion::PageUp | Motion::Start => 0,
            Motion::Down | Motion::PageDown | Motion::End => text.len(),
        }
    }
}

/// Bytes to the end of the next word, in the direction of `characters`: blanks, then letters and
/// digits or other signs.
fn word(characters: impl Iterator<Item = char>) -> usize {
    let class = |c: char| match c {
        c if c.is_whitespace() => 0,
        c if c.is_alphanumeric() || c == '_' => 1,
        _ => 2,
    };
    let (mut length, mut found) = (0, 0);
    for c in characters {
        let class = class(c);
        // Blanks before a word go with it, so that one press is one word.
        if found != 0 && class != found {
            break;
        }
        found = class;
        length += c.len_utf8();
    }
    length
}

/// The characters of a line: each one's first byte, and its columns.
pub fn cells(line: &str) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut column = 0;
    line.char_indices().map(move |(at, c)| {
        let start = column;
        column += match c {
            // To the next stop, as terminals and compilers show it.
            '\t' => INDENT - start % INDENT,
            // As wide as it is drawn: a control shows as its picture.
            c => printable(c.encode_utf8(&mut [0; 4])).width(),
        };
        (at, start..column)
    })
}

/// Columns of a line, or of its start.
pub fn width(line: &str) -> usize {
    cells(line).last().map_or(0, |(_, cell)| cell.end)
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
    fn words_are_letters_or_signs_with_the_blanks_before() {
        let mut text = at("out[i] = 2.0f", 0);
        let mut stops = Vec::new();
        for _ in 0..6 {
            text.go(Motion::WordRight, false, 1);
            stops.push(text.cursor());
        }
        assert_eq!(stops, [3, 4, 5, 6, 8, 10]);
        text.go(Motion::WordLeft, false, 1);
        assert_eq!(text.cursor(), 9);
    }

    #[test]
    fn up_and_down_keep_their_column_over_short_lines() {
        let mut text = at("long line\n\n\tlong line\n", 7);
        text.go(Motion::Down, false, 1);
        assert_eq!(text.place(), (1, 0));
        text.go(Motion::Down, false, 1);
        assert_eq!(text.place(), (2, 7), "the tab is four columns wide");
        text.go(Motion::Down, false, 1);
        text.go(Motion::Down, false, 1);
        assert_eq!(text.cursor(), text.as_str().len());
        text.go(Motion::PageUp, true, 20);
        assert_eq!(text.selection(), Some(0..text.as_str().len()));
    }

    #[test]
    fn home_goes_to_the_first_word_then_to_the_edge() {
        let mut text = at("  int i;", 6);
        text.go(Motion::LineStart, false, 1);
        assert_eq!(text.cursor(), 2);
        text.go(Motion::LineStart, false, 1);
        assert_eq!(text.cursor(), 0);
        text.go(Motion::LineEnd, true, 1);
        text.go(Motion::Left, false, 1);
        assert_eq!(text.cursor(), 0, "left leaves a selection at its start");
    }
}
