//! Colouring of CUDA C++ and Python, line by line, cached for each text.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::LazyLock;

use ratatui::text::{Line, Span};
use syntect::dumps::from_uncompressed_data;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::theme::{Role, Theme};
use crate::source::{SourceFile, is_python};

/// How files of CUDA C++ end.
const CUDA: &str = "cu";
/// How files of Python end.
pub const PYTHON: &str = "py";

/// Our own definitions, compiled by the build script.
static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(|| {
    // Definitions are parsed once, by whoever changes them: parsing them at each start costs more than a first
    // frame may.
    let dump = include_bytes!("../../../assets/syntax/syntaxes.packdump");
    from_uncompressed_data(dump).expect("the build script wrote this dump with the same crate")
});

/// Scope prefixes and what they are, the first that fits.
const SCOPES: [(&str, Role); 13] = [
    ("comment", Role::Comment),
    ("meta.preprocessor", Role::Preprocessor),
    ("string", Role::Intrinsic),
    ("constant.numeric", Role::Number),
    ("constant", Role::Number),
    ("storage.modifier", Role::Keyword),
    ("storage.type", Role::Type),
    ("keyword.operator", Role::Text),
    ("keyword", Role::Keyword),
    ("variable.language", Role::Intrinsic),
    ("support.function", Role::Intrinsic),
    ("entity.name.function", Role::Function),
    ("variable", Role::Text),
];

static ROLES: LazyLock<Vec<(Scope, Role)>> = LazyLock::new(|| {
    let scopes = SCOPES.iter();
    let scopes = scopes.filter_map(|&(name, role)| Some((Scope::new(name).ok()?, role)));
    scopes.collect()
});

/// The pieces of one line.
pub type Pieces = Vec<(Range<usize>, Role)>;

/// Coloured texts: those that never change by their text, files by their name.
#[derive(Default)]
pub struct Highlighter {
    texts: RefCell<HashMap<String, Rc<Vec<Pieces>>>>,
    files: RefCell<HashMap<String, Coloured>>,
}

/// A file as it was coloured last, so that a change costs only the lines that it touches.
#[derive(Default)]
struct Coloured {
    text: String,
    /// What goes on at the start of each line.
    states: Vec<State>,
    pieces: Rc<Vec<Pieces>>,
}

/// Where a parser stands between two lines.
#[derive(Clone, PartialEq)]
struct State {
    parser: ParseState,
    stack: ScopeStack,
}

impl Highlighter {
    /// The pieces of every line of `file`; of a text that it had before, what is the same is not
    /// coloured again.
    pub fn file(&self, file: &SourceFile) -> Rc<Vec<Pieces>> {
        let mut files = self.files.borrow_mut();
        let coloured = files.entry(file.name().to_owned()).or_default();
        if coloured.states.is_empty() || coloured.text != file.text() {
            coloured.follow(file.text(), extension(file.name()));
        }
        coloured.pieces.clone()
    }

    /// The pieces of every line of `text`, in CUDA C++; coloured on first sight.
    pub fn text(&self, text: &str) -> Rc<Vec<Pieces>> {
        self.code(text, CUDA)
    }

    /// The pieces of every line of `text`, in the language of files that end so.
    pub fn code(&self, text: &str, extension: &str) -> Rc<Vec<Pieces>> {
        if let Some(lines) = self.texts.borrow().get(text) {
            return lines.clone();
        }
        let lines = Rc::new(highlight(text, extension));
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

impl Coloured {
    /// Takes another text: lines before the change keep their pieces, and so do those behind it from
    /// where the parser stands as it stood there before.
    fn follow(&mut self, text: &str, extension: &str) {
        let (old, new): (Vec<&str>, Vec<&str>) =
            (self.text.lines().collect(), text.lines().collect());
        let shorter = old.len().min(new.len());
        let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
        let head = old.iter().zip(&new).take_while(same).count();
        let tails = old.iter().rev().zip(new.iter().rev());
        let tail = tails.take(shorter - head).take_while(same).count();
        let mut states = self.states.get(..head).unwrap_or_default().to_vec();
        let mut pieces = self.pieces.get(..head).unwrap_or_default().to_vec();
        let mut state = self
            .states
            .get(head)
            .cloned()
            .unwrap_or_else(|| State::start(extension));
        for (line, text) in new.iter().enumerate().skip(head) {
            // A line of the common end: where it stood before the change.
            let before = (line + tail >= new.len()).then(|| line + old.len() - new.len());
            if let Some(before) = before
                && self.states.get(before) == Some(&state)
            {
                states.extend_from_slice(&self.states[before..old.len()]);
                pieces.extend_from_slice(&self.pieces[before..]);
                break;
            }
            states.push(state.clone());
            pieces.push(highlight_line(text, &mut state));
        }
        // Where the text ends, for lines that are added there.
        if states.len() == new.len() {
            states.push(state);
        }
        self.text = text.to_owned();
        (self.states, self.pieces) = (states, Rc::new(pieces));
    }
}

impl State {
    fn start(extension: &str) -> Self {
        let syntax = SYNTAXES.find_syntax_by_extension(extension);
        let syntax = syntax.unwrap_or_else(|| SYNTAXES.find_syntax_plain_text());
        State {
            parser: ParseState::new(syntax),
            stack: ScopeStack::new(),
        }
    }
}

/// The ending of a file's name, where it is one that is coloured in a way of its own.
fn extension(name: &str) -> &str {
    match is_python(name) {
        true => PYTHON,
        false => CUDA,
    }
}

fn highlight(text: &str, extension: &str) -> Vec<Pieces> {
    let mut state = State::start(extension);
    let lines = text.lines();
    lines.map(|line| highlight_line(line, &mut state)).collect()
}

/// A line that cannot be parsed is shown without colours.
fn highlight_line(line: &str, state: &mut State) -> Pieces {
    let State { parser, stack } = state;
    // Definitions were compiled for lines with their ends: a comment of `//` ends at one.
    let with_newline = format!("{line}\n");
    let operations = parser
        .parse_line(&with_newline, &SYNTAXES)
        .unwrap_or_default();
    let mut pieces = Pieces::new();
    let mut start = 0;
    for (at, operation) in operations {
        // The newline that was added is no part of the line.
        let at = at.min(line.len());
        if at > start {
            pieces.push((start..at, role(stack)));
            start = at;
        }
        if stack.apply(&operation).is_err() {
            break;
        }
    }
    if start < line.len() {
        pieces.push((start..line.len(), role(stack)));
    }
    pieces
}

fn role(stack: &ScopeStack) -> Role {
    let known = |scope: &Scope| {
        let found = ROLES.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
        found.map(|found| found.1)
    };
    stack
        .as_slice()
        .iter()
        .rev()
        .find_map(known)
        .unwrap_or(Role::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role_of(line: &str, word: &str) -> Role {
        let pieces = &highlight(line, CUDA)[0];
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
    fn a_triton_kernel_is_coloured_as_python() {
        let line = "    x = tl.load(x_ptr + 4, mask=m)  # go";
        let pieces = Highlighter::default().file(&SourceFile::new("a.py", line));
        let role = |word: &str| {
            let at = line.find(word).expect("the word is in the line");
            let piece = pieces[0].iter().find(|(range, _)| range.contains(&at));
            piece.expect("every byte is in a piece").1
        };
        assert_eq!(role("tl.load"), Role::Intrinsic);
        assert_eq!((role("4"), role("go")), (Role::Number, Role::Comment));
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
            assert_eq!(*found, highlight(text, CUDA), "{text}");
        }
    }

    #[test]
    fn pieces_cover_every_line_and_comments_go_on() {
        let text = "/* a\nb */ int x;\n\n\"s\" + 'c'";
        let lines = highlight(text, CUDA);
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
