//! What a learner of an exercise begins with, made from the solution: so the two cannot drift apart.
//!
//! A solution is a valid `.cu` or `.py` file whose comments mark what is taken out of it:
//!
//! ```text
//!     //> hole: which element is this thread's?     the region begins; the words stand in its place
//!     int i = blockIdx.x * blockDim.x + threadIdx.x;
//!     //> start                                     if there is more to stand in its place
//!     //| int i = 0;                                a line of it
//!     //> end
//! ```
//!
//! `//> order` in place of `hole` shuffles the region's lines, with those behind `//> start` among them, which belong
//! nowhere. A line that ends in `//> cause` is one that the learner has to find. In Python `#` stands for `//`.
//! Invariant: no line of a region and no mark is in what the learner gets, unless it is to be put in order.

use std::ops::RangeInclusive;

use super::reader::one_of;
use crate::source::{SourceFile, is_python};

/// A solution without its marks, and what the learner begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct StartingPoint {
    /// The solution.
    pub solution: SourceFile,
    /// What the learner begins with.
    pub source: SourceFile,
    /// Lines of it that are the learner's to change, from 1.
    pub holes: Vec<RangeInclusive<u32>>,
    /// Lines of the solution that may be named as the cause, without blanks around them.
    pub causes: Vec<String>,
    /// Whether the learner has to put lines in order.
    pub is_shuffled: bool,
}

/// A mark that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkError {
    /// Its line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// What is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Shared,
    Hole,
    Order,
    /// What stands in the place of a hole, or is put among lines to be ordered.
    Start {
        is_order: bool,
    },
}

/// The words of marks, for messages.
const MARKS: [&str; 5] = ["hole", "order", "start", "end", "cause"];
/// Where a learner's file has the answer to a question.
pub(crate) const ANSWER: &str = "Answer:";
/// The comment behind the line that a learner chooses.
pub(crate) const CHOSEN: &str = "<--";
/// What the learner finds in the place of a hole for which nothing else is written.
const YOURS: &str = "your code";

impl StartingPoint {
    /// Reads the marks of a solution.
    pub(crate) fn read(file: &SourceFile) -> Result<Self, MarkError> {
        let comment = if is_python(file.name()) { "#" } else { "//" };
        let mut cutter = Cutter {
            comment,
            part: Part::Shared,
            words: String::new(),
            region: Vec::new(),
            begins: Vec::new(),
            solution: Vec::new(),
            start: Vec::new(),
            holes: Vec::new(),
            causes: Vec::new(),
            is_shuffled: false,
        };
        let mut last = 1;
        // Lines are counted from 1, as editors do.
        for (number, line) in (1..).zip(file.text().lines()) {
            cutter.take(line).map_err(|message| MarkError {
                line: number,
                message,
            })?;
            last = number;
        }
        match cutter.part {
            Part::Shared => Ok(cutter.done(file)),
            _ => Err(MarkError {
                line: last,
                message: format!("a region that begins with `{comment}>` has no `{comment}> end`"),
            }),
        }
    }
}

impl StartingPoint {
    /// The solution with `answer` to its question, and the line that causes it chosen.
    pub(crate) fn explained(&self, answer: &str) -> SourceFile {
        let comment = if is_python(self.source.name()) {
            "#"
        } else {
            "//"
        };
        let chosen = |line: &str| match self.causes.first() {
            Some(cause) if line.trim() == cause => format!("{line}  {comment} {CHOSEN}\n"),
            _ => format!("{line}\n"),
        };
        let lines: String = self.solution.text().lines().map(chosen).collect();
        self.source
            .with_text(&format!("{comment} {ANSWER} {answer}\n{lines}"))
    }

    /// The same with lines for the answer to a question before the text.
    pub(crate) fn with_question(self) -> Self {
        let comment = if is_python(self.source.name()) {
            "#"
        } else {
            "//"
        };
        let head = format!(
            "{comment} {ANSWER}\n{comment} Then end the line that causes it with this comment: {comment} {CHOSEN}\n\n"
        );
        StartingPoint {
            source: self.source.with_text(&(head + self.source.text())),
            holes: vec![1..=1],
            ..self
        }
    }
}

struct Cutter<'a> {
    comment: &'static str,
    part: Part,
    /// What stands behind the mark of the region.
    words: String,
    /// Lines of the region in the solution.
    region: Vec<&'a str>,
    /// Lines that the learner finds in its place.
    begins: Vec<String>,
    solution: Vec<&'a str>,
    start: Vec<String>,
    holes: Vec<RangeInclusive<u32>>,
    causes: Vec<String>,
    is_shuffled: bool,
}

impl<'a> Cutter<'a> {
    fn take(&mut self, line: &'a str) -> Result<(), String> {
        let (mark, given) = (format!("{}>", self.comment), format!("{}|", self.comment));
        // The mark may stand behind code, as `cause` does, or alone.
        let (code, behind) = match line.split_once(&mark) {
            Some((code, behind)) => (code, Some(behind.trim())),
            None => (line, None),
        };
        match (behind, self.part) {
            (Some("cause"), _) if !code.trim().is_empty() => {
                self.causes.push(code.trim().to_owned());
                self.plain(code.trim_end());
                Ok(())
            }
            (Some(words), _) if code.trim().is_empty() => self.mark(words),
            (Some(_), _) => Err(format!("only `{mark} cause` stands after code")),
            (None, Part::Start { .. }) => match line.split_once(&given) {
                Some((blanks, text)) if blanks.trim().is_empty() => {
                    // One blank behind the sign belongs to the mark; further ones are indentation.
                    let text = text.strip_prefix(' ').unwrap_or(text);
                    self.begins.push(format!("{blanks}{text}"));
                    Ok(())
                }
                _ => Err(format!("a line after `{mark} start` begins with `{given}`")),
            },
            (None, _) => {
                self.plain(line);
                Ok(())
            }
        }
    }

    /// A line of the solution.
    fn plain(&mut self, line: &'a str) {
        self.solution.push(line);
        match self.part {
            Part::Shared => self.start.push(line.to_owned()),
            _ => self.region.push(line),
        }
    }

    /// What stands behind the sign of a mark that has its line for itself.
    fn mark(&mut self, text: &str) -> Result<(), String> {
        let (word, words) = text.split_once(':').unwrap_or((text, ""));
        match (word.trim(), self.part) {
            ("hole", Part::Shared) => self.part = Part::Hole,
            ("order", Part::Shared) => self.part = Part::Order,
            ("start", Part::Hole | Part::Order) => {
                self.part = Part::Start {
                    is_order: self.part == Part::Order,
                };
            }
            ("end", Part::Hole) => self.end(false),
            ("end", Part::Order) => self.end(true),
            ("end", Part::Start { is_order }) => self.end(is_order),
            (word, _) if MARKS.contains(&word) => {
                return Err(format!("`{word}` does not belong here"));
            }
            (word, _) => return Err(format!("`{word}` is no mark; {}", one_of(word, MARKS))),
        }
        if matches!(self.part, Part::Hole | Part::Order) {
            self.words = words.trim().to_owned();
        }
        Ok(())
    }

    /// Puts what the learner finds in the place of the region.
    fn end(&mut self, is_order: bool) {
        let (region, mut begins) = (
            std::mem::take(&mut self.region),
            std::mem::take(&mut self.begins),
        );
        let words = std::mem::take(&mut self.words);
        let blanks = region
            .first()
            .map_or("", |line| &line[..line.len() - line.trim_start().len()]);
        if is_order {
            self.is_shuffled = true;
            begins.extend(region.iter().map(|line| (*line).to_owned()));
            let solved: Vec<String> = region.iter().map(|line| (*line).to_owned()).collect();
            begins = shuffled(begins, &solved);
        } else if begins.is_empty() {
            // A hole is never empty: the learner must see where to write.
            begins.push(format!("{blanks}{} {YOURS}", self.comment));
        }
        let first = self.start.len() as u32 + 1;
        if !words.is_empty() {
            self.start.push(format!("{blanks}{} {words}", self.comment));
        }
        self.start.extend(begins);
        self.holes.push(first..=self.start.len() as u32);
        self.part = Part::Shared;
    }

    fn done(self, file: &SourceFile) -> StartingPoint {
        let text = |lines: &[String]| lines.join("\n") + "\n";
        let solution: Vec<String> = self
            .solution
            .iter()
            .map(|line| (*line).to_owned())
            .collect();
        StartingPoint {
            solution: file.with_text(&text(&solution)),
            source: file.with_text(&text(&self.start)),
            holes: self.holes,
            causes: self.causes,
            is_shuffled: self.is_shuffled,
        }
    }
}

/// The lines in another order than `solved`, always the same one. Indentation stays with its line.
fn shuffled(mut lines: Vec<String>, solved: &[String]) -> Vec<String> {
    // By what the lines say, so that the order does not tell where each belongs, and a changed line moves few others.
    // FNV-1a, by hand: Rust does not promise that its own hashes stay as they are.
    let key = |line: &String| {
        line.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    lines.sort_by_key(key);
    if lines == solved {
        lines.reverse();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<StartingPoint, MarkError> {
        StartingPoint::read(&SourceFile::new(name, text))
    }

    #[test]
    fn a_hole_leaves_no_trace_of_the_solution() {
        let text = "a\n  //> hole: which one?\n  int secret = 1;\n  //> start\n  //| int i = 0;\n  //> end\nb\n";
        let point = read("f.cu", text).expect("reads");
        assert_eq!(point.source.text(), "a\n  // which one?\n  int i = 0;\nb\n");
        assert_eq!(point.solution.text(), "a\n  int secret = 1;\nb\n");
        assert_eq!(point.holes, [2..=3]);
        let python = read("f.py", "#> hole\n    secret = 1\n#> end\n").expect("reads");
        assert_eq!(python.source.text(), "    # your code\n");
    }

    #[test]
    fn lines_are_shuffled_with_those_that_belong_nowhere() {
        let text = "//> order\none;\ntwo;\nthree;\n//> start\n//| wrong;\n//> end\n";
        let point = read("f.cu", text).expect("reads");
        let mut lines: Vec<&str> = point.source.text().lines().collect();
        assert_ne!(lines[..3], ["one;", "two;", "three;"]);
        lines.sort_unstable();
        assert_eq!(lines, ["one;", "three;", "two;", "wrong;"]);
        assert!(point.is_shuffled && point.solution.text() == "one;\ntwo;\nthree;\n");
    }

    #[test]
    fn a_cause_is_a_line_like_all_others_to_the_learner() {
        let point = read("f.cu", "x;\n  y = x[i];  //> cause\n").expect("reads");
        assert_eq!(point.source.text(), "x;\n  y = x[i];\n");
        assert_eq!(point.causes, ["y = x[i];"]);
    }

    #[test]
    fn a_mark_that_makes_no_sense_says_what_is_expected() {
        for (text, line, says) in [
            ("//> hole\nx\n", 2, "has no `//> end`"),
            ("x\n//> end\n", 2, "does not belong here"),
            ("//> whole\n", 1, "`hole`"),
            (
                "//> hole\nx\n//> start\nint i;\n//> end\n",
                4,
                "begins with `//|`",
            ),
            ("x; //> hole\n", 1, "only `//> cause`"),
        ] {
            let error = read("f.cu", text).expect_err(text);
            assert_eq!(error.line, line, "{error:?}");
            assert!(error.message.contains(says), "{error:?}");
        }
    }
}
