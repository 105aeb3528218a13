//! Answers that are the same but for comments, blanks and the names of variables.

use std::collections::HashMap;

use crate::document::{Highlighter, Role};
use crate::source::{SourceFile, is_python};

/// What `file` says without comments, blanks and names: each variable is its number, by where it first occurs.
///
/// `int i = blockIdx.x; // mine` and `int row = blockIdx.x;` are both `int #0 = blockIdx . x ;`.
pub(super) fn without_names(file: &SourceFile) -> String {
    let pieces = Highlighter::default().file(file);
    let has_lines = is_python(file.name());
    let mut said = Said::default();
    for (line, pieces) in file.text().lines().zip(pieces.iter()) {
        let code = pieces.iter().filter(|(_, role)| *role != Role::Comment);
        let mut code = code
            .flat_map(|(range, role)| {
                let words = words(line.get(range.clone()).unwrap_or(""));
                words.map(|word| (word, *role))
            })
            .peekable();
        // Lines and their indents mean something in Python only.
        let is_line = has_lines && code.peek().is_some();
        if is_line {
            said.text.push('\n');
            let indent = line.len() - line.trim_start().len();
            said.text += &" ".repeat(indent);
        }
        code.for_each(|(word, role)| said.add(word, role));
    }
    said.text
}

/// What was said so far.
#[derive(Default)]
struct Said<'a> {
    text: String,
    /// Variables, by where they first occurred.
    numbers: HashMap<&'a str, usize>,
    /// The last two words.
    before: [&'a str; 2],
}

impl<'a> Said<'a> {
    fn add(&mut self, word: &'a str, role: Role) {
        // A member's name says which it is: `.x` and `.y`.
        let is_member = matches!(self.before, [_, "."] | ["-", ">"]);
        let is_word = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if role == Role::Text && is_word && !is_member {
            let next = self.numbers.len();
            let number = self.numbers.entry(word).or_insert(next);
            self.text += &format!("#{number}");
        } else {
            self.text += word;
        }
        self.text.push(' ');
        self.before = [self.before[1], word];
    }
}

/// Words and signs, without blanks.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text.trim_start();
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(name: &str, a: &str, b: &str) -> bool {
        without_names(&SourceFile::new(name, a)) == without_names(&SourceFile::new(name, b))
    }

    #[test]
    fn names_comments_and_blanks_make_no_difference_and_all_else_does() {
        let text =
            "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) y[i] = x[i]; // guard\n";
        let renamed = "int at=blockIdx.x*blockDim.x\n  +threadIdx.x;\n/* mine */ if (at < length) out[at] = in[at];";
        assert!(same("a.cu", text, renamed));
        for (from, to) in [
            ("<", "<="),
            ("y[i]", "x[i]"),
            ("int", "unsigned"),
            ("threadIdx.x", "threadIdx.y"),
        ] {
            assert!(!same("a.cu", text, &text.replacen(from, to, 1)), "{from}");
        }
    }

    #[test]
    fn in_python_indents_are_part_of_what_is_said() {
        let text = "for k in range(n):\n    total += k\nuse(total)\n";
        assert!(same(
            "a.py",
            text,
            "# sums\nfor j in range(n):\n    s += j\n\nuse(s)\n"
        ));
        assert!(!same(
            "a.py",
            text,
            "for k in range(n):\n    total += k\n    use(total)\n"
        ));
    }
}
