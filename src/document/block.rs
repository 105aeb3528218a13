//! What documents are made of.

use crate::lesson::{BlockOrder, Picture, Plot};
use crate::source::printable_line;

/// A piece of a document. Texts are in UTF-8 and unescaped; each form escapes what it must.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// What the whole document is called, and what it is about, in a sentence.
    Title {
        /// The title.
        title: String,
        /// The sentence.
        summary: String,
    },
    /// Text of the lesson, in Markdown.
    Prose(String),
    /// What a cell begins with.
    // Ids need not be unique: forms that link make them so.
    Heading {
        /// Its title.
        title: String,
        /// Its name in links.
        id: String,
    },
    /// Numbers in columns.
    Table(Table),
    /// A source with counts in its margin.
    Source(Listing),
    /// Something that is right or wrong.
    Verdict {
        /// What was judged; empty if the text says it.
        title: String,
        /// How it stands.
        mark: Mark,
        /// What holds, or does not.
        text: String,
        /// By how much; may be empty.
        detail: String,
    },
    /// Lines that belong together.
    Lines {
        /// What they are.
        title: String,
        /// Each of them.
        lines: Vec<String>,
        /// Whether they are to be read as code, blanks and all.
        is_code: bool,
    },
    /// A picture in characters of one width.
    // Its numbers stand in a table as well, wherever there are numbers: not everybody sees a picture.
    Drawing {
        /// What it shows; may be empty where the heading before says it.
        title: String,
        /// Its rows.
        lines: Vec<String>,
        /// What it was drawn of, for a form that can draw better.
        figure: Box<Figure>,
    },
    /// What a reader opens if they want to; a form without folds shows it in its place.
    Folded {
        /// Why it is folded.
        fold: Fold,
        /// What is in it.
        blocks: Vec<Block>,
    },
    /// A remark on what stands before it.
    Note(String),
    /// A sentence of its own.
    Paragraph(String),
}

/// What a drawing was made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// Points over two axes.
    Plot(Plot),
    /// Blocks over matrices, after so many of them.
    Order(BlockOrder, usize),
    /// What needs no run, at a moment.
    Picture(Picture, usize),
    /// What is drawn in characters everywhere.
    Characters,
}

/// Why something is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// It answers a question that the reader should answer first.
    Answer,
    /// It says in numbers what a picture shows.
    Numbers,
    /// It says where numbers come from.
    Evidence,
}

/// A table. The first columns are words and stand on the left, the others are numbers and stand on the right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What the numbers are, and how they came to be; may be empty.
    pub title: String,
    /// Names of the columns; none of a table that needs none.
    pub header: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
    /// How many columns are words.
    pub left: usize,
    /// Whether the last column is words too.
    pub ends_in_words: bool,
}

/// A source with the elements of global memory that each line read and wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The file.
    pub name: String,
    /// Number of its first line here.
    pub first: u32,
    /// Its lines.
    pub lines: Vec<ListingLine>,
    /// Whether anything was counted: without, there is no margin.
    pub is_counted: bool,
}

/// A line of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingLine {
    /// Elements that it read.
    // Elements, not bytes or sectors: they are what a line says of itself, whatever its neighbours do.
    pub reads: u64,
    /// Elements that it wrote.
    pub writes: u64,
    /// Its text.
    pub text: String,
}

impl ListingLine {
    /// A line that nothing was counted of.
    pub fn uncounted(text: &str) -> Self {
        ListingLine {
            reads: 0,
            writes: 0,
            text: text.to_owned(),
        }
    }
}

impl Listing {
    /// Its lines with their numbers in the file.
    pub fn numbered(&self) -> impl Iterator<Item = (u32, &ListingLine)> {
        (self.first..).zip(&self.lines)
    }

    /// What the margin is, in words.
    pub fn caption(&self) -> String {
        let name = printable_line(&self.name);
        match self.is_counted {
            true => {
                format!("{name}: elements of global memory that each line read and wrote (counted)")
            }
            false => name.into_owned(),
        }
    }
}

impl Table {
    /// A table without rows yet, whose first `left` columns are words.
    pub fn new<T: Into<String>>(
        title: impl Into<String>,
        header: &[&str],
        left: usize,
        rows: Vec<Vec<T>>,
    ) -> Self {
        // Rows of `&str` or of `String`, as the caller has them.
        let rows = rows.into_iter();
        let rows = rows.map(|row| row.into_iter().map(Into::into).collect());
        Table {
            title: title.into(),
            header: header.iter().map(|&name| name.to_owned()).collect(),
            rows: rows.collect(),
            left,
            ends_in_words: false,
        }
    }

    /// How many columns it has.
    pub fn columns(&self) -> usize {
        let in_rows = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        self.header.len().max(in_rows)
    }

    /// Whether the cells of `column` are words and stand on the left; else they are numbers and stand on the right, so
    /// that digits stand under digits.
    pub fn is_words(&self, column: usize) -> bool {
        column < self.left || self.ends_in_words && column + 1 == self.columns()
    }
}

impl Block {
    /// `blocks` to be opened; nothing of none.
    pub fn folded(fold: Fold, blocks: Vec<Block>) -> Option<Self> {
        (!blocks.is_empty()).then_some(Block::Folded { fold, blocks })
    }

    /// Whether it is left out of a short document: what only repeats or proves.
    pub fn is_long(&self) -> bool {
        matches!(
            self,
            Block::Folded {
                fold: Fold::Numbers | Fold::Evidence,
                ..
            }
        )
    }

    /// A drawing in characters, in every form.
    pub fn picture(title: impl Into<String>, lines: Vec<String>) -> Self {
        Block::Drawing {
            title: title.into(),
            lines,
            figure: Box::new(Figure::Characters),
        }
    }

    /// What a cell begins with.
    pub fn heading(title: &str, id: &str) -> Self {
        Block::Heading {
            title: printable_line(title).into_owned(),
            id: id.to_owned(),
        }
    }

    /// Lines under a title, as text.
    pub fn lines(title: impl Into<String>, lines: Vec<String>) -> Self {
        Block::Lines {
            title: title.into(),
            lines,
            is_code: false,
        }
    }
}

/// How something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is right.
    Right,
    /// It is right, but for a warning.
    Warned,
    /// It is wrong.
    Wrong,
}

impl Mark {
    /// Of what is right or wrong.
    pub fn of(is_right: bool) -> Self {
        if is_right { Mark::Right } else { Mark::Wrong }
    }

    /// One character for it.
    pub(super) fn glyph(self) -> &'static str {
        match self {
            Mark::Right => "\u{2713}",
            Mark::Warned => "!",
            Mark::Wrong => "\u{2717}",
        }
    }
}
