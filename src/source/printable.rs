//! Text that others wrote, made fit for a terminal: nothing in it is obeyed, nothing in it is invisible.
//!
//! A title, a comment or what a kernel prints may hold escape sequences (OSC 52 writes the clipboard), or characters
//! that turn the order of letters around (Trojan Source, CVE-2021-42574). C0 controls and DEL become their pictures,
//! `␛`; C1 controls and whatever else shows nothing become `\u{202e}`. Newlines and tabs stay.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` as it may be written to a terminal, a file or a clipboard. A text made so stays as it is.
pub fn printable(text: &str) -> Cow<'_, str> {
    replaced(text, |c| matches!(c, '\n' | '\t'))
}

/// The same of what stands on one line: a newline in it must not begin another, and a tab is four blanks.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    if text.contains('\t') {
        return Cow::Owned(replaced(&text.replace('\t', "    "), |_| false).into_owned());
    }
    replaced(text, |_| false)
}

/// JSON `text` with the same characters as escapes of JSON: they stand in strings alone, where `\u202e` is one.
pub fn printable_json(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c == '\n' || !is_hidden(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if c == '\n' || !is_hidden(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    Cow::Owned(out)
}

fn replaced(text: &str, keeps: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_shown = |c: char| keeps(c) || !is_hidden(c);
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut before = ' ';
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let next = characters.peek().copied();
        match c {
            // The end of a line as Windows writes it.
            '\r' if next == Some('\n') && keeps('\n') => {}
            c if is_shown(c) || joins(before, c, next) => out.push(c),
            '\0'..='\u{1f}' => out.extend(char::from_u32(0x2400 + u32::from(c))),
            '\u{7f}' => out.push('\u{2421}'),
            c => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
        }
        before = c;
    }
    Cow::Owned(out)
}

/// Whether `c`, behind `before`, changes how its neighbours look, as their scripts want it: the joiners of Arabic and
/// Indic scripts and of emoji, and the selector of an emoji's look. Among Latin, Greek, Cyrillic or Hebrew letters it
/// would only make two names that look the same.
fn joins(before: char, c: char, next: Option<char>) -> bool {
    let has_joiners = |c: char| c >= '\u{600}' && !is_hidden(c);
    match c {
        '\u{200c}' | '\u{200d}' => {
            let is_behind = has_joiners(before) || before == '\u{fe0f}';
            is_behind && next.is_some_and(has_joiners)
        }
        '\u{fe0e}' | '\u{fe0f}' => has_joiners(before),
        _ => false,
    }
}

/// Whether a terminal obeys `c`, or shows nothing in its place: controls, and what Unicode calls default ignorable
/// (DerivedCoreProperties.txt), with separators of lines and marks of annotations.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_as_a_picture() {
        let clipboard = "a\x1b]52;c;YQ==\x07b\u{9b}31m\x7f";
        let shown = "a\u{241b}]52;c;YQ==\u{2407}b\\u{9b}31m\u{2421}";
        assert_eq!(printable(clipboard), shown);
        assert_eq!(printable(shown), shown);
        assert_eq!(
            printable("one\r\ntwo\rthree\n\tfour"),
            "one\ntwo\u{240d}three\n\tfour"
        );
        assert_eq!(printable_line("a\r\n\tb"), "a\u{240d}\u{240a}    b");
    }

    #[test]
    fn what_turns_letters_around_or_shows_nothing_is_written_out() {
        for c in "\u{202a}\u{202e}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}\u{200b}\u{feff}\u{ad}\u{2028}\u{e0041}".chars() {
            let number = u32::from(c);
            assert_eq!(printable(&format!("a{c}b")), format!("a\\u{{{number:x}}}b"));
        }
    }

    #[test]
    fn text_as_people_write_it_stays_as_it_is() {
        // Emoji that are joined and coloured, Persian with a joiner, accents, an em dash, Chinese.
        for text in [
            "\u{1f469}\u{200d}\u{1f4bb} \u{2764}\u{fe0f}\u{200d}\u{1f525}",
            "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
            "na\u{ef}ve \u{2014} \u{4e2d}\u{6587} a\u{301}",
        ] {
            assert_eq!(printable(text), text);
        }
        assert_eq!(printable("pass\u{200d}word"), "pass\\u{200d}word");
        assert_eq!(printable("\u{1f469}\u{200d}"), "\u{1f469}\\u{200d}");
    }

    #[test]
    fn escapes_of_json_say_the_same_text() {
        let value = serde_json::json!({ "a\u{9b}": "\u{202e}\x1b\u{e0041}\u{200d}x\n" });
        let text = printable_json(&format!("{value:#}")).into_owned();
        assert!(text.chars().all(|c| c == '\n' || !is_hidden(c)), "{text}");
        let read: serde_json::Value = serde_json::from_str(&text).expect("is JSON");
        assert_eq!(read, value);
    }
}
