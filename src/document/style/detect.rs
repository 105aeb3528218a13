//! What a terminal can draw, as its environment says.

use super::scheme::Ground;
use super::theme::{Depth, Theme};

impl Theme {
    /// The theme for a terminal whose environment answers `variable`.
    ///
    /// `NO_COLOR` (<https://no-color.org>) wins; then `COLORTERM`, then `TERM`. A locale that names
    /// an encoding other than UTF-8 gets ASCII; none at all is taken for UTF-8, as terminals are.
    /// `TUTOR_ASCII` asks for ASCII wherever it is set to anything but 0. `COLORFGBG` says what the ground is.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        let depth = if set("NO_COLOR").is_some() || term == "dumb" {
            Depth::None
        } else if set("COLORTERM").is_some_and(|value| value == "truecolor" || value == "24bit") {
            Depth::True
        } else if term.contains("256color") {
            Depth::Indexed
        } else {
            Depth::Named
        };
        // The order in which a C library asks for them (POSIX, Environment Variables).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .find_map(|name| set(name));
        let unicode = locale.is_none_or(|locale| {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        let ascii = set("TUTOR_ASCII").is_some_and(|value| value != "0");
        // The console of Linux has a font of 256 or 512 glyphs, without most of ours.
        let unicode = unicode && !ascii && term != "linux" && term != "dumb";
        let ground =
            set("COLORFGBG").map_or(Ground::Unknown, |value| Ground::from_variable(&value));
        Theme {
            ground,
            ..Theme::new(depth, unicode)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn theme(variables: &[(&str, &str)]) -> Theme {
        Theme::detect(|name| {
            let found = variables.iter().find(|variable| variable.0 == name);
            found.map(|variable| variable.1.to_owned())
        })
    }

    #[test]
    fn the_environment_decides_on_colours() {
        let xterm = ("TERM", "xterm-256color");
        assert_eq!(theme(&[xterm]).depth, Depth::Indexed);
        assert_eq!(
            theme(&[xterm, ("COLORTERM", "truecolor")]).depth,
            Depth::True
        );
        assert_eq!(theme(&[xterm, ("NO_COLOR", "1")]).depth, Depth::None);
        assert_eq!(theme(&[xterm, ("NO_COLOR", "")]).depth, Depth::Indexed);
        assert_eq!(theme(&[("TERM", "screen")]).depth, Depth::Named);
        assert_eq!(theme(&[("TERM", "dumb")]).depth, Depth::None);
    }

    #[test]
    fn the_terminal_says_what_its_ground_is() {
        let ground = |value| theme(&[("COLORFGBG", value)]).ground;
        assert_eq!(ground("15;0"), Ground::Dark);
        assert_eq!(ground("0;default;15"), Ground::Light);
        assert_eq!(ground("default;default"), Ground::Unknown);
    }

    #[test]
    fn a_locale_without_utf8_gets_ascii() {
        assert!(theme(&[]).unicode);
        assert!(theme(&[("LANG", "de_DE.UTF-8")]).unicode);
        let asked = ("TUTOR_ASCII", "1");
        assert!(!theme(&[("LANG", "de_DE.UTF-8"), asked]).unicode);
        let ascii = theme(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]);
        assert!(!ascii.unicode);
        assert_eq!(ascii.text("M \u{d7} N\u{2026}"), "M x N...");
        assert!(ascii.bar(0.5).is_ascii() && ascii.check().is_ascii());
    }
}
