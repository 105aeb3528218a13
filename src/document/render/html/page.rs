//! A page as it is written: ids, contents, coloured code, and what its parts need of it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::style_sheet;
use crate::document::style::Highlighter;

/// Reads a picture of the lesson by the name that its text has for it; nothing if there is none.
pub type ReadPicture<'a> = dyn Fn(&str) -> Option<Vec<u8>> + 'a;

/// Where numbers of a part come from, told at the end of the page.
pub(crate) struct Footnote {
    /// Id of the part.
    pub of: String,
    /// The part's title.
    pub title: String,
    /// What is told.
    pub html: String,
}

/// A page as it is written.
pub(crate) struct HtmlPage<'a> {
    highlighter: Highlighter,
    /// Ids and titles of what the contents list.
    pub contents: Vec<(String, String)>,
    read_picture: &'a ReadPicture<'a>,
    /// Whether it holds pictures.
    pub has_pictures: bool,
    /// The level of the heading before: none is skipped.
    level: u8,
    /// What footnotes say, each behind the place that it is of.
    pub footnotes: Vec<Footnote>,
    /// Lines of sources that the page has, by the file's name and the line's number, with the part that has them.
    shown_lines: BTreeMap<(String, u32), String>,
    /// Whether answers are open.
    pub answers: bool,
    /// The shares, in percent, that bars of it have.
    shares: BTreeSet<u32>,
}

impl<'a> HtmlPage<'a> {
    /// An empty page.
    pub fn new(read_picture: &'a ReadPicture<'a>) -> Self {
        HtmlPage {
            highlighter: Highlighter::default(),
            contents: Vec::new(),
            read_picture,
            has_pictures: false,
            level: 1,
            footnotes: Vec::new(),
            shown_lines: BTreeMap::new(),
            answers: false,
            shares: BTreeSet::new(),
        }
    }

    /// A new id for something with this name, and its place in the contents.
    pub fn anchor(&mut self, name: &str, title: &str) -> String {
        // Ids are letters, digits and hyphens, so that links need no escapes.
        let letters = name
            .to_lowercase()
            .replace(|c: char| !c.is_alphanumeric(), "-");
        let letters = letters.trim_matches('-');
        let taken = |id: &str| self.contents.iter().any(|(other, _)| other == id);
        // A second `run` becomes `run-2`, as forges number headings.
        let numbered = (2..).map(|number| format!("{letters}-{number}"));
        let mut ids = std::iter::once(letters.to_owned()).chain(numbered);
        let id = ids.find(|id| !taken(id)).unwrap_or_default();
        self.contents.push((id.clone(), title.to_owned()));
        id
    }

    /// Id and title of the part that is written, the last of the contents.
    pub fn part(&self) -> (String, String) {
        self.contents.last().cloned().unwrap_or_default()
    }

    /// The level of a heading that asks for `wanted`, from 2 to 6: one below the heading before at the most.
    pub fn level(&mut self, wanted: u8) -> u8 {
        self.level = wanted.clamp(2, 6).min(self.level + 1);
        self.level
    }

    /// Takes line `number` of the file `name` as shown by the part that is written; the part that showed it before, if
    /// one did.
    pub fn take_line(&mut self, name: &str, number: u32) -> Option<String> {
        let (of, _) = self.part();
        match self.shown_lines.entry((name.to_owned(), number)) {
            Entry::Occupied(before) => Some(before.get().clone()),
            Entry::Vacant(line) => {
                line.insert(of);
                None
            }
        }
    }

    /// Each line of CUDA C++ in coloured pieces.
    pub fn highlighted(&self, code: &str) -> Vec<String> {
        let pieces = self.highlighter.text(code);
        let lines = code.lines().zip(pieces.iter());
        lines
            .map(|(line, pieces)| {
                let pieces = pieces.iter().map(|(range, role)| {
                    let text = escaped(line.get(range.clone()).unwrap_or(""));
                    match style_sheet::class(*role) {
                        Some(class) => format!("<span class=\"{class}\">{text}</span>"),
                        None => text,
                    }
                });
                pieces.collect()
            })
            .collect()
    }

    /// The picture called `name`, if there is one.
    pub fn picture(&self, name: &str) -> Option<Vec<u8>> {
        (self.read_picture)(name)
    }

    /// The class of a bar of this share.
    pub fn share(&mut self, share: f64) -> String {
        let percent = (share * 100.0).round() as u32;
        self.shares.insert(percent);
        format!("s{percent}")
    }

    /// The style sheet, with a rule for each share: the page's policy allows no styles but those of its sheet.
    pub fn style_sheet(&self) -> String {
        let rules = self.shares.iter();
        let rules = rules.map(|share| format!(".s{share}{{--share:{share}%}}\n"));
        rules.fold(style_sheet::sheet(), |sheet, rule| sheet + &rule)
    }
}

/// `text` with what HTML would take for its own written out.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => out.push(c),
        }
    }
    out
}
