//! The terminal's clipboard, through the escape sequence OSC 52: it works over SSH, and gives no answer.

use std::fmt::Write as _;

use crossterm::Command;
use crossterm::clipboard::CopyToClipboard;

use crate::device::grouped;
use crate::source::printable;

/// Most base64 that terminals take (xterm's limit, which others keep to).
const MOST_BASE64: usize = 74_994;
/// Most bytes of an escape sequence that GNU screen passes on.
const SCREEN_CHUNK: usize = 700;

/// What stands between the program and the terminal, and must be made to pass an escape sequence on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Multiplexer {
    /// Nothing.
    None,
    /// tmux, which either takes the sequence itself (`set-clipboard on`) or passes it on
    /// (`allow-passthrough on`).
    Tmux,
    /// GNU screen, which passes short sequences on.
    Screen,
}

impl Multiplexer {
    /// What the environment says.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        if set("TMUX") {
            Multiplexer::Tmux
        } else if set("STY") {
            Multiplexer::Screen
        } else {
            Multiplexer::None
        }
    }
}

/// What to write to the terminal so that `text` is in its clipboard. It is made printable: what is pasted into a shell
/// may press no keys there.
///
/// # Errors
/// If it is larger than terminals take: a line that says so, which calls the text `what`.
pub(crate) fn copy_sequence(
    what: &str,
    text: &str,
    multiplexer: Multiplexer,
) -> Result<String, String> {
    let text = printable(text);
    // Base64 makes four characters of three bytes.
    if text.len().div_ceil(3) * 4 > MOST_BASE64 {
        return Err(format!(
            "{what} is too large for a terminal's clipboard: {} of at most {} bytes",
            grouped(text.len() as u64),
            grouped((MOST_BASE64 / 4 * 3) as u64)
        ));
    }
    let mut plain = String::new();
    CopyToClipboard::to_clipboard_from(text.as_bytes())
        .write_ansi(&mut plain)
        .map_err(|error| error.to_string())?;
    Ok(match multiplexer {
        Multiplexer::None => plain,
        // With `allow-passthrough`, tmux takes what is in `ESC P tmux; … ESC \\` out, where escapes are doubled.
        Multiplexer::Tmux => {
            let inner = plain.replace('\x1b', "\x1b\x1b");
            plain + &format!("\x1bPtmux;{inner}\x1b\\")
        }
        Multiplexer::Screen => {
            // Escapes inside would end the wrapping: the sequence ends in BEL instead.
            let inner = plain.trim_end_matches("\x1b\\").to_owned() + "\x07";
            let mut wrapped = String::new();
            let characters: Vec<char> = inner.chars().collect();
            for chunk in characters.chunks(SCREEN_CHUNK) {
                let chunk: String = chunk.iter().collect();
                let _ = write!(wrapped, "\x1bP{chunk}\x1b\\");
            }
            wrapped
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_sent_in_base64_through_what_stands_between() {
        let plain = copy_sequence("it", "abc", Multiplexer::None).expect("is small");
        assert_eq!(plain, "\x1b]52;c;YWJj\x1b\\");
        let tmux = copy_sequence("it", "abc", Multiplexer::Tmux).expect("is small");
        assert_eq!(
            tmux,
            "\x1b]52;c;YWJj\x1b\\\x1bPtmux;\x1b\x1b]52;c;YWJj\x1b\x1b\\\x1b\\"
        );
        let screen = copy_sequence("it", "abc", Multiplexer::Screen).expect("is small");
        assert_eq!(screen, "\x1bP\x1b]52;c;YWJj\x07\x1b\\");
        let hostile = copy_sequence("it", "a\x1b[201~\rb", Multiplexer::None);
        let shown = copy_sequence("it", "a\u{241b}[201~\u{240d}b", Multiplexer::None);
        assert_eq!(hostile, shown);
    }

    #[test]
    fn what_terminals_would_drop_is_refused_with_its_size() {
        let most = "x".repeat(56_244);
        assert!(copy_sequence("it", &most, Multiplexer::None).is_ok());
        let error = copy_sequence("the buffer y", &"x".repeat(60_000), Multiplexer::None);
        let error = error.expect_err("is too large");
        assert!(error.contains("the buffer y is too large"), "{error}");
        assert!(error.contains("60,000 of at most 56,244 bytes"), "{error}");
    }

    #[test]
    fn the_environment_says_what_stands_between() {
        let of = |name: &'static str| {
            Multiplexer::detect(|asked| (asked == name).then(|| "something".to_owned()))
        };
        assert_eq!(of("TMUX"), Multiplexer::Tmux);
        assert_eq!(of("STY"), Multiplexer::Screen);
        assert_eq!(of("TERM"), Multiplexer::None);
    }
}
