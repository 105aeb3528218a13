//! The words of a kernel's body, and what they tell of the shape of its launch.

use crate::cuda::tokens;
use crate::ir::Kernel;
use crate::source::SourceFile;

/// The words of a kernel's body.
pub struct Body<'a>(Vec<&'a str>);

/// How far the threads of all blocks go along an axis.
pub struct Guard {
    /// What a variable is compared with: `n` of `if (i < n)`.
    pub extent: String,
    /// Elements of each thread: 4 of `i = 4 * (blockIdx.x * blockDim.x + threadIdx.x)`.
    pub each: u64,
}

impl<'a> Body<'a> {
    pub fn of(file: &'a SourceFile, kernel: &Kernel) -> Self {
        let text = file.text().get(kernel.span.start as usize..).unwrap_or("");
        let (spans, _) = tokens(text);
        let mut depth = 0;
        let mut words = Vec::new();
        for span in spans {
            let word = text
                .get(span.start as usize..span.end as usize)
                .unwrap_or("");
            words.push(word);
            depth += match word {
                "{" => 1,
                "}" => -1,
                _ => 0,
            };
            if depth == 0 && word == "}" {
                break;
            }
        }
        Body(words)
    }

    /// Whether threads or blocks are numbered along an axis.
    pub fn uses(&self, axis: usize) -> bool {
        self.uses_threads(axis) || self.uses_blocks(axis)
    }

    /// Whether the threads of a block are numbered along an axis.
    pub fn uses_threads(&self, axis: usize) -> bool {
        names(&self.0, "threadIdx", axis)
    }

    /// Whether blocks are numbered along an axis.
    pub fn uses_blocks(&self, axis: usize) -> bool {
        names(&self.0, "blockIdx", axis)
    }

    /// What the numbers of blocks are multiplied with along an axis: `blockDim` of `blockIdx.x * blockDim.x`, or the name
    /// of a constant.
    pub fn factors(&self, axis: usize) -> impl Iterator<Item = &'a str> {
        let axis = AXES[axis];
        self.0.windows(5).filter_map(move |words| match words {
            ["blockIdx", ".", of, "*", factor] | [factor, "*", "blockIdx", ".", of]
                if *of == axis && !matches!(*factor, "(" | ")") =>
            {
                Some(*factor)
            }
            _ => None,
        })
    }

    /// Whether the number called `name` is a side: something is multiplied with it, as the number of a row is with its
    /// length.
    pub fn is_side(&self, name: &str) -> bool {
        let mut pairs = self.0.windows(2);
        pairs.any(|words| words == ["*", name] || words == [name, "*"])
    }

    /// The first comparison that keeps the threads of all blocks inside something, along an axis.
    pub fn guard(&self, axis: usize) -> Option<Guard> {
        let variables: Vec<(&str, u64)> = (1..self.0.len())
            .filter_map(|at| self.numbered(at, axis))
            .collect();
        (1..self.0.len()).find_map(|at| {
            let variable = variables.iter().find(|found| found.0 == self.0[at - 1])?;
            if !matches!(self.0[at], "<" | ">=") {
                return None;
            }
            Some(Guard {
                extent: self.compared(at + 1)?,
                each: variable.1,
            })
        })
    }

    /// The variable that is given the number of a thread among those of all blocks, if word `at` is its `=`, and how
    /// many elements a thread has.
    fn numbered(&self, at: usize, axis: usize) -> Option<(&'a str, u64)> {
        let rest = (self.0[at] == "=").then(|| &self.0[at + 1..])?;
        let value = &rest[..self.end_of(at + 1)? - at - 1];
        if !names(value, "blockIdx", axis) {
            return None;
        }
        let each = match value {
            [times, "*", "(", ..] | [.., ")", "*", times] => times.parse().unwrap_or(1),
            _ => 1,
        };
        Some((self.0[at - 1], each))
    }

    /// What stands from word `at` on, up to the end of a condition.
    fn compared(&self, at: usize) -> Option<String> {
        let words = self.0.get(at..self.end_of(at)?)?;
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// Where what begins at word `at` ends: at a comma, a semicolon, a logical operator or a bracket that it did not open.
    fn end_of(&self, at: usize) -> Option<usize> {
        let mut depth = 0;
        (at..self.0.len()).find(|&at| {
            let word = self.0[at];
            let ends = matches!(word, ";" | "," | "&&" | "||" | "?" | "{") || word == ")";
            let is_end = depth == 0 && ends;
            depth += match word {
                "(" => 1,
                ")" => -1,
                _ => 0,
            };
            is_end
        })
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// Whether `what`, such as `threadIdx`, is named along an axis.
fn names(words: &[&str], what: &str, axis: usize) -> bool {
    words
        .windows(3)
        .any(|words| words == [what, ".", AXES[axis]])
}
