//! The launches that a text writes, `kernel<<<grid, block, shared>>>(…)`, with the numbers that it tells.

use std::collections::HashMap;

use crate::cuda::tokens;
use crate::device::{DEFAULT_GPU, gpu};
use crate::launch::Dim3;
use crate::lesson::formula::Formula;
use crate::lesson::sizes::Sizes;

/// Constants may be defined by others so often; more is a circle.
const MOST_NESTED: u32 = 8;

/// A launch as the text writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenLaunch {
    /// The kernel, with its template arguments.
    pub kernel: String,
    /// Threads of a block, where the text tells them.
    pub block: Option<Dim3>,
    /// Bytes of dynamic shared memory, where the text tells them.
    pub shared_bytes: Option<u64>,
}

/// The launches of a text.
pub struct WrittenLaunches(Vec<WrittenLaunch>);

impl WrittenLaunches {
    /// Those in `text`, in order.
    pub fn find(text: &str) -> Self {
        let text = Text::new(text);
        WrittenLaunches(
            (0..text.words.len())
                .filter_map(|at| text.launch(at))
                .collect(),
        )
    }

    /// The kernels that are launched.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut known: Vec<&str> = self.0.iter().map(|launch| launch.kernel.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        known.into_iter()
    }

    /// The first launch of the kernel called `name`.
    pub fn of(&self, name: &str) -> Option<&WrittenLaunch> {
        self.0.iter().find(|launch| launch.kernel == name)
    }
}

/// A text as tokens, with the constants that it defines.
struct Text<'a> {
    words: Vec<&'a str>,
    constants: HashMap<&'a str, String>,
}

impl<'a> Text<'a> {
    fn new(text: &'a str) -> Self {
        let (spans, _) = tokens(text);
        let words = spans
            .iter()
            .filter_map(|span| text.get(span.start as usize..span.end as usize));
        let mut read = Text {
            words: split_angles(words),
            constants: HashMap::new(),
        };
        for at in 0..read.words.len() {
            if let Some((name, value)) = read.constant(at) {
                // The first definition: later ones mostly stand behind `#else`, for other GPUs.
                read.constants.entry(name).or_insert(value);
            }
        }
        for line in text.lines() {
            let mut parts = line.trim().splitn(3, char::is_whitespace);
            if let (Some("#define"), Some(name), Some(value)) =
                (parts.next(), parts.next(), parts.next())
            {
                let value = value.split("//").next().unwrap_or(value).trim();
                read.constants.entry(name).or_insert(value.to_owned());
            }
        }
        read
    }

    fn word(&self, at: usize) -> &'a str {
        self.words.get(at).copied().unwrap_or("")
    }

    /// `NAME = VALUE` and what ends it, from `NAME` on.
    fn constant(&self, at: usize) -> Option<(&'a str, String)> {
        if self.word(at + 1) != "=" || !is_name(self.word(at)) {
            return None;
        }
        let end = (at + 2..self.words.len()).find(|&at| matches!(self.words[at], ";" | ","))?;
        Some((self.words[at], self.words[at + 2..end].join(" ")))
    }

    /// The launch whose `<<<` begins at token `at`.
    fn launch(&self, at: usize) -> Option<WrittenLaunch> {
        if at == 0 || self.words.get(at..at + 3)? != ["<", "<", "<"] || self.word(at - 1) == "<" {
            return None;
        }
        let parts = self.arguments(at + 3, |words, at| {
            words.get(at..at + 3) == Some(&[">", ">", ">"])
        })?;
        Some(WrittenLaunch {
            kernel: self.name_before(at)?,
            block: parts.get(1).and_then(|block| self.dimensions(block)),
            shared_bytes: parts.get(2).and_then(|bytes| self.value(bytes, 0)),
        })
    }

    /// What stands between commas from token `at` on, up to what `ends` it.
    fn arguments(&self, at: usize, ends: impl Fn(&[&str], usize) -> bool) -> Option<Vec<String>> {
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

    /// The name that ends before token `at`, with its template arguments: `k<float, 4>`.
    fn name_before(&self, at: usize) -> Option<String> {
        let mut first = at - 1;
        if self.word(first) == ">" {
            first = (0..first)
                .rev()
                .find(|&at| self.words[at] == "<")?
                .checked_sub(1)?;
        }
        let name = is_name(self.word(first)).then(|| self.words[first])?;
        let arguments = self.words[first + 1..at].join("").replace(',', ", ");
        Some(format!("{name}{arguments}"))
    }

    /// One to three numbers: a number, `dim3(a, b)`, or a variable that is declared with them.
    fn dimensions(&self, written: &str) -> Option<Dim3> {
        let words: Vec<&str> = written.split_whitespace().collect();
        let parts = match &words[..] {
            ["dim3", "(" | "{", inner @ .., _] => split_commas(inner),
            [name] if is_name(name) && !self.constants.contains_key(name) => self.declared(name)?,
            [name]
                if self
                    .constants
                    .get(name)
                    .is_some_and(|value| value.starts_with("dim3")) =>
            {
                return self.dimensions(&self.constants[name]);
            }
            _ => vec![written.to_owned()],
        };
        // `dim3` gives 1 to what is left out.
        let mut dimensions = [1; 3];
        for (dimension, part) in dimensions.iter_mut().zip(&parts) {
            *dimension = u32::try_from(self.value(part, 0)?)
                .ok()
                // CUDA refuses an empty block; a guess should not make one.
                .filter(|&value| value > 0)?;
        }
        Some(dimensions)
    }

    /// What stands behind the name of a variable that is declared: `dim3 block(16, 16)`.
    fn declared(&self, name: &str) -> Option<Vec<String>> {
        let at = (1..self.words.len()).find(|&at| {
            let opens = matches!(self.word(at + 1), "(" | "{");
            self.words[at] == name && opens && matches!(self.word(at - 1), "dim3" | ",")
        })?;
        self.arguments(at + 2, |words, at| matches!(words[at], ")" | "}"))
    }

    /// The value of a constant expression.
    fn value(&self, written: &str, nested: u32) -> Option<u64> {
        if nested > MOST_NESTED {
            return None;
        }
        let plain: Vec<&str> = written
            .split_whitespace()
            .map(|word| word.trim_end_matches(['u', 'U', 'l', 'L']))
            .collect();
        let plain = plain.join(" ");
        // Suffixes of numbers only: a name may end with these letters.
        let text = match Formula::parse(written) {
            Ok(_) => written,
            Err(_) => &plain,
        };
        let formula = Formula::parse(text).ok()?;
        let mut sizes = Sizes::new();
        for name in formula.names() {
            let value = self.value(self.constants.get(name)?, nested + 1)?;
            sizes.insert(name.to_owned(), value);
        }
        formula.evaluate(&sizes, gpu(DEFAULT_GPU).ok()?).ok()
    }
}

/// The tokens with each `<` and `>` by itself: `<<<` has no token of its own.
fn split_angles<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let is_angles = |word: &str| word.chars().all(|c| c == '<') || word.chars().all(|c| c == '>');
    let split = |word: &'a str| match is_angles(word) {
        true => word.split("").filter(|part| !part.is_empty()).collect(),
        false => vec![word],
    };
    words.flat_map(split).collect()
}

fn split_commas(words: &[&str]) -> Vec<String> {
    words
        .split(|word| *word == ",")
        .map(|part| part.join(" "))
        .collect()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}
