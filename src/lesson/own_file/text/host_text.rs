//! The text of a file as words, with the values that code of the host gives its variables: `int n = 1 << 20;`.
//!
//! The text is not parsed: whoever asks for a launch wants a guess, from code that may not even compile.

use std::collections::HashMap;

use crate::cuda::tokens;

/// Types of whole numbers, behind which a `{` begins a value.
const NUMBERS: [&str; 8] = [
    "int", "unsigned", "long", "short", "size_t", "uint", "uint32_t", "auto",
];

/// A place where the text gives a name a value.
struct Definition {
    /// The word of the name.
    at: usize,
    /// The words of the value.
    value: String,
}

/// A text as words, with what it defines.
pub struct HostText<'a> {
    words: Vec<&'a str>,
    /// By word, the brace that it stands in; 0 outside of all.
    block_of: Vec<usize>,
    /// By block, the one around it.
    parents: Vec<usize>,
    /// By block, the word of its `{`.
    openings: Vec<usize>,
    definitions: HashMap<&'a str, Vec<Definition>>,
    /// Macros without parameters, as words.
    macros: HashMap<&'a str, String>,
}

impl<'a> HostText<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut read = HostText {
            words: words_of(text),
            block_of: Vec::new(),
            parents: vec![0],
            openings: vec![0],
            definitions: HashMap::new(),
            macros: HashMap::new(),
        };
        read.find_blocks();
        for at in 0..read.words.len() {
            if let Some(value) = read.value_at(at) {
                let defined = read.definitions.entry(read.words[at]).or_default();
                defined.push(Definition { at, value });
            }
        }
        for line in text.lines() {
            let mut parts = line.trim().splitn(3, char::is_whitespace);
            if let (Some("#define"), Some(name), Some(value)) =
                (parts.next(), parts.next(), parts.next())
            {
                let value = words_of(value).join(" ");
                // The first definition: later ones mostly stand behind `#else`, for other GPUs.
                read.macros.entry(name).or_insert(value);
            }
        }
        read
    }

    fn find_blocks(&mut self) {
        let mut open = vec![0];
        for (at, word) in self.words.iter().enumerate() {
            if *word == "{" {
                open.push(self.parents.len());
                self.openings.push(at);
                let around = open[open.len() - 2];
                self.parents.push(around);
            }
            // Both braces belong to the block that they bound.
            self.block_of.push(open.last().copied().unwrap_or(0));
            // One too many closes nothing: the text may be any.
            if *word == "}" && open.len() > 1 {
                open.pop();
            }
        }
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The word of this number; none behind the last.
    pub fn word(&self, at: usize) -> &'a str {
        self.words.get(at).copied().unwrap_or("")
    }

    /// Whether these words stand there.
    pub fn has(&self, at: usize, words: &[&str]) -> bool {
        self.words.get(at..at + words.len()) == Some(words)
    }

    /// The value of `NAME = VALUE` or `int NAME{VALUE}`, from `NAME` on.
    fn value_at(&self, at: usize) -> Option<String> {
        let is_given = match self.word(at + 1) {
            "=" => self.word(at + 2) != "=",
            "{" => at > 0 && NUMBERS.contains(&self.word(at - 1)),
            _ => false,
        };
        if !is_given || !is_name(self.word(at)) {
            return None;
        }
        let ends = |words: &[&str], at: usize| matches!(words[at], ";" | ")" | "}");
        // Of `int a = 1, b = 2;` what stands before the comma.
        self.parts(at + 2, ends)?.into_iter().next()
    }

    /// What stands between commas from word `at` on, up to what `ends` it.
    pub fn parts(&self, at: usize, ends: impl Fn(&[&str], usize) -> bool) -> Option<Vec<String>> {
        let (mut parts, mut depth) = (vec![String::new()], 0);
        for at in at..self.words.len() {
            let word = self.words[at];
            if depth == 0 && ends(&self.words, at) {
                return Some(parts);
            }
            depth += match word {
                "(" | "{" | "[" => 1,
                ")" | "}" | "]" => -1,
                _ => 0,
            };
            match (word, depth) {
                (",", 0) => parts.push(String::new()),
                _ => {
                    let part = parts.last_mut()?;
                    part.push_str(word);
                    part.push(' ');
                }
            }
        }
        None
    }

    /// Whether what is defined at word `at` is known at word `from`, behind it.
    fn is_in_scope(&self, at: usize, from: usize) -> bool {
        let (of, mut block) = (
            self.block_of[at],
            self.block_of.get(from).copied().unwrap_or(0),
        );
        while block != of && block != 0 {
            block = self.parents[block];
        }
        at < from && block == of
    }

    /// The `{` of each block around word `from`, from the inside.
    pub fn openings_around(&self, from: usize) -> impl Iterator<Item = usize> {
        let first = self.block_of.get(from).copied();
        let blocks = std::iter::successors(first, |&block| Some(self.parents[block]));
        blocks
            .take_while(|&block| block != 0)
            .map(|block| self.openings[block])
    }

    /// What `name` stands for at word `from`: the words, and where they stand.
    pub fn definition(&self, name: &str, from: usize) -> Option<(&str, usize)> {
        // The last one before the use: a variable may be given several values.
        let mut defined = self.definitions.get(name).into_iter().flatten().rev();
        let known = defined.find(|defined| self.is_in_scope(defined.at, from));
        let of_macro = || Some((self.macros.get(name)?.as_str(), from));
        known
            .map(|defined| (defined.value.as_str(), defined.at))
            .or_else(of_macro)
    }

    /// What stands behind the name of a variable that is declared before word `from`: `dim3 block(16, 16)`.
    pub fn declared(&self, name: &str, from: usize) -> Option<(Vec<String>, usize)> {
        let declares = |at: &usize| {
            let opens = matches!(self.word(at + 1), "(" | "{");
            let is_declared = matches!(self.word(at - 1), "dim3" | "," | "int" | "auto");
            self.words[*at] == name && opens && is_declared && self.is_in_scope(*at, from)
        };
        let at = (1..from.min(self.len())).rev().find(declares)?;
        let ends = |words: &[&str], at: usize| matches!(words[at], ")" | "}");
        Some((self.parts(at + 2, ends)?, at))
    }
}

/// The tokens with each `<` and `>` by itself: `<<<` has no token of its own.
fn words_of(text: &str) -> Vec<&str> {
    let (spans, _) = tokens(text);
    let words = spans
        .iter()
        .filter_map(|span| text.get(span.start as usize..span.end as usize));
    let is_angles = |word: &str| word.chars().all(|c| c == '<') || word.chars().all(|c| c == '>');
    let split = |word| match is_angles(word) {
        true => word.split("").filter(|part| !part.is_empty()).collect(),
        false => vec![word],
    };
    words.flat_map(split).collect()
}

pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}
