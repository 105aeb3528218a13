//! Colouring of CUDA C++, line by line, cached for each text.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use ratatui::text::{Line, Span};

use super::scan::{Pieces, scan};
use super::theme::Theme;
use crate::source::SourceFile;

/// Coloured texts: those that never change by their text, files by their name.
#[derive(Default)]
pub struct Highlighter {
    texts: RefCell<HashMap<String, Rc<Vec<Pieces>>>>,
    files: RefCell<HashMap<String, Coloured>>,
}

/// A file as it was coloured last.
#[derive(Default)]
struct Coloured {
    text: String,
    pieces: Rc<Vec<Pieces>>,
}

impl Highlighter {
    /// The pieces of every line of `file`, coloured again where its text is not what it was.
    pub fn file(&self, file: &SourceFile) -> Rc<Vec<Pieces>> {
        let mut files = self.files.borrow_mut();
        let coloured = files.entry(file.name().to_owned()).or_default();
        if coloured.text != file.text() {
            *coloured = Coloured {
                text: file.text().to_owned(),
                pieces: Rc::new(highlight(file.text())),
            };
        }
        coloured.pieces.clone()
    }

    /// The pieces of every line of `text`; coloured on first sight.
    pub fn text(&self, text: &str) -> Rc<Vec<Pieces>> {
        if let Some(lines) = self.texts.borrow().get(text) {
            return lines.clone();
        }
        let lines = Rc::new(highlight(text));
        let mut texts = self.texts.borrow_mut();
        texts.insert(text.to_owned(), lines.clone());
        lines
    }
}

/// A line of `text` in the styles of its pieces.
pub fn styled(text: &str, pieces: &Pieces, theme: Theme) -> Line<'static> {
    let spans = pieces.iter().map(|(range, role)| {
        let piece = text.get(range.clone()).unwrap_or("");
        Span::styled(theme.text(piece).into_owned(), theme.style(*role))
    });
    Line::from(spans.collect::<Vec<_>>())
}

fn highlight(text: &str) -> Vec<Pieces> {
    let mut in_comment = false;
    let lines = text.lines();
    lines.map(|line| scan(line, &mut in_comment)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::style::theme::Role;

    fn role_of(line: &str, word: &str) -> Role {
        let pieces = &highlight(line)[0];
        let at = line.find(word).expect("the word is in the line");
        let piece = pieces.iter().find(|(range, _)| range.contains(&at));
        piece.expect("every byte is in a piece").1
    }

    #[test]
    fn a_kernel_is_coloured_by_what_its_words_are() {
        let line = "__global__ void f(float* x) { x[threadIdx.x] = 1.0f; __syncthreads(); } // go";
        assert_eq!(role_of(line, "__global__"), Role::Keyword);
        assert_eq!(role_of(line, "void"), Role::Type);
        assert_eq!(role_of(line, "f("), Role::Function);
        assert_eq!(role_of(line, "threadIdx"), Role::Intrinsic);
        assert_eq!(role_of(line, "1.0f"), Role::Number);
        assert_eq!(role_of(line, "__syncthreads"), Role::Intrinsic);
        assert_eq!(role_of(line, "go"), Role::Comment);
    }

    #[test]
    fn a_changed_text_is_coloured_as_if_it_were_new() {
        let texts = [
            "int a;\n/* b\nc */\nint d;\n",
            "int a;\n/* b\nint x;\nc */\nint d;\n",
            "int a;\n b\nint x;\nc */\nint d;\n",
            "int a;\n",
            "int a;\nint y;\n\n",
            "",
            "// z",
        ];
        let highlighter = Highlighter::default();
        for text in texts.iter().chain(texts.iter().rev()) {
            let found = highlighter.file(&SourceFile::new("a.cu", text));
            assert_eq!(*found, highlight(text), "{text}");
        }
    }

    #[test]
    fn pieces_cover_every_line_and_comments_go_on() {
        let text = "/* a\nb */ int x;\n\n\"s\" + 'c'";
        let lines = highlight(text);
        for (line, pieces) in text.lines().zip(&lines) {
            let joined: String = pieces
                .iter()
                .map(|(range, _)| &line[range.clone()])
                .collect();
            assert_eq!(joined, line);
        }
        assert_eq!(lines[1][0].1, Role::Comment);
    }
}
