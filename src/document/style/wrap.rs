//! Styled words to lines of at most a width.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A blank that no line ends at: `count - 1 - i` and `N = 10` are read as one.
pub(crate) const GLUE: char = '\u{a0}';

/// Wraps styled text at blanks. `first` begins the first line, `rest` the others; a newline in the
/// text ends a line. Words wider than a line are cut to several.
pub(crate) fn wrap(
    pieces: &[(String, Style)],
    width: usize,
    first: &[Span<'static>],
    rest: &[Span<'static>],
) -> Vec<Line<'static>> {
    let indent: usize = rest.iter().map(Span::width).sum();
    let room = width.saturating_sub(indent).max(1);
    let mut page = Filled {
        lines: vec![Vec::new()],
        used: 0,
    };
    for word in words(pieces) {
        if word.newline {
            page.new_line();
            continue;
        }
        // The blank before a word belongs to it: at the beginning of a line it is dropped.
        let gap = usize::from(word.blank && page.used > 0);
        if page.used > 0 && page.used + gap + word.width() > room {
            page.new_line();
        } else if gap > 0 {
            page.push(" ".to_owned(), word.blank_style);
        }
        for (text, style) in word.pieces {
            for part in chunks(&text, room) {
                if page.used + part.width() > room && page.used > 0 {
                    page.new_line();
                }
                page.push(part, style);
            }
        }
    }
    let lines = page.lines;
    let prefixed = lines.into_iter().enumerate().map(|(i, spans)| {
        let prefix = if i == 0 { first } else { rest };
        Line::from(prefix.iter().cloned().chain(spans).collect::<Vec<_>>())
    });
    prefixed.collect()
}

/// A line that keeps its blanks, as lines of at most `width` cells; those after the first begin at
/// `CONTINUED` and are broken at a blank where there is one.
pub(crate) fn fold(line: Line<'static>, width: usize) -> Vec<Line<'static>> {
    const CONTINUED: &str = "      ";
    if line.width() <= width {
        return vec![line];
    }
    let style = line.style;
    let cells = line.spans.iter().flat_map(|span| {
        let style = span.style;
        span.content.chars().map(move |c| (c, style))
    });
    let cells: Vec<(char, Style)> = cells.collect();
    let mut rest = &cells[..];
    let mut lines = Vec::new();
    while !rest.is_empty() {
        let start = if lines.is_empty() { "" } else { CONTINUED };
        let room = width.saturating_sub(start.len()).max(1);
        let (row, after) = rest.split_at(first_row(rest, room));
        let spans = row
            .iter()
            .map(|&(c, style)| Span::styled(c.to_string(), style));
        let spans = std::iter::once(Span::raw(start)).chain(spans);
        lines.push(spans.collect::<Line>().style(style));
        rest = after;
    }
    lines
}

/// How many of `cells`, at least one, go to a line of `room` cells: all, or those up to a blank.
fn first_row(cells: &[(char, Style)], room: usize) -> usize {
    let mut used = 0;
    let fits = cells.iter().take_while(|cell| {
        used += cell.0.width().unwrap_or(0);
        used <= room
    });
    let fits = fits.count().max(1);
    if fits == cells.len() {
        return fits;
    }
    // A break far to the left would leave a line half empty.
    let is_late = |&at: &usize| at > fits / 2;
    let blank = cells[..fits].iter().rposition(|cell| cell.0 == ' ');
    if let Some(blank) = blank.filter(is_late) {
        return blank + 1;
    }
    // Else between signs and names, so that no name is cut; a name longer than half a line is.
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    let is_break = |&at: &usize| !(in_name(cells[at - 1].0) && in_name(cells[at].0));
    (1..=fits)
        .rev()
        .find(is_break)
        .filter(is_late)
        .unwrap_or(fits)
}

/// Lines as they are filled, and the cells that the last one takes.
struct Filled {
    lines: Vec<Vec<Span<'static>>>,
    used: usize,
}

impl Filled {
    fn new_line(&mut self) {
        self.lines.push(Vec::new());
        self.used = 0;
    }

    fn push(&mut self, text: String, style: Style) {
        self.used += text.width();
        if let Some(line) = self.lines.last_mut() {
            line.push(Span::styled(text.replace(GLUE, " "), style));
        }
    }
}

/// What must stay on one line: pieces without a blank between them.
#[derive(Default)]
struct Word {
    pieces: Vec<(String, Style)>,
    blank: bool,
    blank_style: Style,
    newline: bool,
}

impl Word {
    fn width(&self) -> usize {
        self.pieces.iter().map(|piece| piece.0.width()).sum()
    }
}

fn words(pieces: &[(String, Style)]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = Word::default();
    for (text, style) in pieces {
        // `a b` is the parts `a ` and `b`: each part ends a word, but for the last, which may go on in another
        // style.
        for part in text.split_inclusive([' ', '\n']) {
            let (body, end) = match part.strip_suffix([' ', '\n']) {
                Some(body) => (body, part.chars().next_back()),
                None => (part, None),
            };
            if !body.is_empty() {
                word.pieces.push((body.to_owned(), *style));
            }
            let Some(end) = end else { continue };
            if !word.pieces.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            // Many blanks are one, as in Markdown: a second only finds the word empty.
            word.blank = true;
            word.blank_style = *style;
            if end == '\n' {
                words.push(Word {
                    newline: true,
                    ..Word::default()
                });
                word.blank = false;
            }
        }
    }
    if !word.pieces.is_empty() {
        words.push(word);
    }
    words
}

/// `text` in parts of at most `width` cells.
fn chunks(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    let mut parts = vec![String::new()];
    for c in text.chars() {
        let part = parts.last().map_or(0, |part| part.width());
        if part + c.to_string().width() > width {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(pieces: &[&str], width: usize) -> Vec<String> {
        let styles = [Style::new(), Style::new().bold()];
        let pieces = pieces.iter().enumerate();
        let pieces: Vec<_> = pieces
            .map(|(i, text)| (text.to_string(), styles[i % 2]))
            .collect();
        let lines = wrap(&pieces, width, &["- ".into()], &["  ".into()]);
        lines.iter().map(Line::to_string).collect()
    }

    #[test]
    fn a_styled_word_stays_with_its_full_stop() {
        assert_eq!(
            wrapped(&["reads ", "all of it", ". Then"], 11),
            ["- reads all", "  of it.", "  Then"]
        );
    }

    #[test]
    fn a_line_does_not_end_at_glue_which_is_drawn_as_a_blank() {
        assert_eq!(
            wrapped(&["reads N\u{a0}=\u{a0}10 times"], 11),
            ["- reads", "  N = 10", "  times"]
        );
    }

    #[test]
    fn a_folded_line_keeps_its_blanks_and_loses_nothing() {
        let line = Line::from("  |      ^^^^ lane 8 loads element 1000");
        let folded: Vec<String> = fold(line, 24).iter().map(Line::to_string).collect();
        assert_eq!(
            folded,
            ["  |      ^^^^ lane 8 ", "      loads element 1000"]
        );
    }

    #[test]
    fn no_line_is_wider_than_asked_for() {
        let text = "a antidisestablishmentarianism bb cc ddd";
        for width in 3..40 {
            for line in wrapped(&[text, " and ", text], width) {
                assert!(line.width() <= width.max(3), "{width}: {line}");
            }
        }
    }
}
