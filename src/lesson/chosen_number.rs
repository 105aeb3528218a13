//! Numbers that a learner chooses in a text, such as the threads of a block: `constexpr int T = 256;`, `#define T 256`
//! or, in Python, `T = 256`.

use super::formula::Formula;
use super::sizes::Sizes;
use crate::device::DEFAULT_GPU;
use crate::device::gpu_or_usual;
use crate::source::SourceFile;
use crate::source::{Span, is_python};

/// A number as a text sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChosenNumber {
    /// Where its value stands.
    pub span: Span,
    /// The value; nothing if it is no whole number.
    pub value: Option<u64>,
}

/// The first place where `file` sets the number `name`; nothing if it does nowhere.
pub(crate) fn chosen_number(file: &SourceFile, name: &str) -> Option<ChosenNumber> {
    let comment = if is_python(file.name()) { "#" } else { "//" };
    let mut start = 0;
    for line in file.text().split_inclusive('\n') {
        let begins_directive = line.trim_start().starts_with("#define");
        let code = match (comment, begins_directive) {
            ("//", true) | (_, false) => line.split(comment).next().unwrap_or(line),
            _ => line,
        };
        if let Some((at, value)) = value_of(code, name, begins_directive) {
            return Some(ChosenNumber {
                span: Span::new(start + at, start + at + value.len()),
                value: whole(value),
            });
        }
        start += line.len();
    }
    None
}

/// The text of the value that `code` sets `name` to, and where in `code` it begins.
fn value_of<'a>(code: &'a str, name: &str, is_directive: bool) -> Option<(usize, &'a str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let found = code.match_indices(name).find_map(|(at, _)| {
        let (before, behind) = (&code[..at], &code[at + name.len()..]);
        let is_alone = !before.ends_with(is_word) && !behind.starts_with(is_word);
        let value = match is_directive {
            true => Some(behind),
            false => behind
                .trim_start()
                .strip_prefix('=')
                .filter(|rest| !rest.starts_with('=')),
        };
        value.filter(|_| is_alone)
    })?;
    let value = found.split(';').next().unwrap_or(found).trim();
    // `value` is a piece of `code`: their addresses tell how far in.
    (!value.is_empty()).then(|| (value.as_ptr() as usize - code.as_ptr() as usize, value))
}

/// A whole number, or what is computed of such.
fn whole(text: &str) -> Option<u64> {
    let formula = Formula::parse(text).ok()?;
    formula
        .evaluate(&Sizes::new(), gpu_or_usual(DEFAULT_GPU))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_found_where_it_is_set() {
        let found = |name: &str, text: &str| {
            let file = SourceFile::new(name, text);
            let found = chosen_number(&file, "T")?;
            Some((&file.text()[found.span.range()], found.value))
                .map(|(text, value)| (text.to_owned(), value))
        };
        let right = |text: &str, value| Some((text.to_owned(), Some(value)));
        let cuda = "// T = 1\nif (T == 3) {}\nconstexpr int T = 8 * 32;  // threads\n";
        assert_eq!(found("f.cu", cuda), right("8 * 32", 256));
        assert_eq!(found("f.cu", "#define T 64 // x\n"), right("64", 64));
        assert_eq!(
            found("f.py", "# T = 1\nT = 128  # threads\n"),
            right("128", 128)
        );
        assert_eq!(found("f.cu", "int T = n;\n"), Some(("n".to_owned(), None)));
        assert_eq!(found("f.cu", "int TT = 3;\n"), None);
    }
}
