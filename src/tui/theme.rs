//! Colours and glyphs, by what the terminal can do. Meaning never hangs on colour alone: what a
//! colour says, a word, glyph or modifier says too.

use std::borrow::Cow;

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

use crate::launch::Evidence;

/// How many colours the terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// 24 bits.
    True,
    /// The 256 of xterm.
    Indexed,
    /// The terminal's own 16.
    Named,
    /// None: modifiers only.
    None,
}

/// What a piece of the screen is; its style follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Role {
    Text,
    Muted,
    Strong,
    Accent,
    Heading,
    Border,
    FocusedBorder,
    Good,
    Bad,
    Warning,
    Selection,
    Changed,
    CurrentLine,
    CurrentRow,
    Key,
    Evidence,
    Code,
    Comment,
    Keyword,
    Type,
    Function,
    Number,
    Intrinsic,
    Preprocessor,
}

/// A terminal's abilities, and the styles that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Colours.
    pub depth: Depth,
    /// Whether glyphs beyond ASCII may be drawn.
    pub unicode: bool,
}

/// One colour in three depths.
type Paint = (u32, u8, Color);

// Middle tones, legible on dark and on light backgrounds alike.
const BLUE: Paint = (0x4a_8f_d4, 68, Color::LightBlue);
const CYAN: Paint = (0x2a_9d_a5, 37, Color::Cyan);
const GREEN: Paint = (0x4c_a0_5a, 71, Color::Green);
const AMBER: Paint = (0xc0_85_1e, 172, Color::Yellow);
const RED: Paint = (0xd9_54_5c, 167, Color::Red);
const VIOLET: Paint = (0x9a_76_d1, 98, Color::Magenta);
const GREY: Paint = (0x80_88_92, 245, Color::DarkGray);

/// From cold to hot.
const HEAT: [Paint; 4] = [GREY, BLUE, AMBER, RED];

impl Theme {
    /// The theme for a terminal whose environment answers `variable`.
    ///
    /// `NO_COLOR` (<https://no-color.org>) wins; then `COLORTERM`, then `TERM`. A locale that names
    /// an encoding other than UTF-8 gets ASCII; none at all is taken for UTF-8, as terminals are.
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
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .find_map(|name| set(name));
        let unicode = locale.is_none_or(|locale| {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        let unicode = unicode && term != "linux" && term != "dumb";
        Theme { depth, unicode }
    }

    fn paint(self, paint: Paint) -> Style {
        match self.depth {
            Depth::True => Style::new().fg(Color::from_u32(paint.0)),
            Depth::Indexed => Style::new().fg(Color::Indexed(paint.1)),
            Depth::Named => Style::new().fg(paint.2),
            Depth::None => Style::new(),
        }
    }

    /// The style of `role`.
    pub fn style(self, role: Role) -> Style {
        let bold = Modifier::BOLD;
        match role {
            Role::Text => Style::new(),
            Role::Muted | Role::Border => self.quiet(),
            Role::Strong => Style::new().add_modifier(bold),
            Role::Accent | Role::Key => self.paint(BLUE).add_modifier(bold),
            Role::Heading => self.paint(BLUE).add_modifier(bold),
            Role::FocusedBorder => self.paint(BLUE).add_modifier(bold),
            Role::Good => self.paint(GREEN),
            Role::Bad => self.paint(RED).add_modifier(bold),
            Role::Warning => self.paint(AMBER),
            Role::Selection => Style::new().add_modifier(Modifier::REVERSED),
            Role::CurrentRow => Style::new()
                .fg(Color::Reset)
                .add_modifier(Modifier::REVERSED),
            Role::Changed => self.paint(AMBER).add_modifier(bold | Modifier::UNDERLINED),
            Role::CurrentLine => self.paint(AMBER).add_modifier(bold),
            Role::Evidence | Role::Code => self.paint(CYAN),
            Role::Comment => self.quiet().add_modifier(Modifier::ITALIC),
            Role::Keyword => self.paint(VIOLET),
            Role::Type => self.paint(CYAN),
            Role::Function => self.paint(BLUE),
            Role::Number => self.paint(AMBER),
            Role::Intrinsic => self.paint(GREEN),
            Role::Preprocessor => self.paint(RED),
        }
    }

    fn quiet(self) -> Style {
        match self.depth {
            Depth::None => Style::new().add_modifier(Modifier::DIM),
            _ => self.paint(GREY),
        }
    }

    /// The style of a share between 0 (cold) and 1 (hot).
    pub fn heat(self, share: f64) -> Style {
        let last = HEAT.len() - 1;
        let level = (share.clamp(0.0, 1.0) * last as f64).round() as usize;
        self.paint(HEAT[level.min(last)])
    }

    /// The style of series `index` of a plot. Colours repeat; marks tell series apart.
    pub fn series(self, index: usize) -> Style {
        const SERIES: [Paint; 6] = [BLUE, AMBER, GREEN, VIOLET, CYAN, RED];
        self.paint(SERIES[index % SERIES.len()])
    }

    /// One of eight bars for a share between 0 and 1; blank for nothing.
    pub fn bar(self, share: f64) -> &'static str {
        const BARS: [&str; 8] = [
            "\u{2581}", "\u{2582}", "\u{2583}", "\u{2584}", "\u{2585}", "\u{2586}", "\u{2587}",
            "\u{2588}",
        ];
        const ASCII: [&str; 8] = [".", ":", "-", "=", "+", "*", "%", "#"];
        let bars = if self.unicode { BARS } else { ASCII };
        if share <= 0.0 {
            return " ";
        }
        bars[((share.min(1.0) * 8.0).ceil() as usize).clamp(1, 8) - 1]
    }

    /// A gauge of `width` cells, filled to `share`.
    pub fn gauge(self, share: f64, width: usize) -> (String, String) {
        let filled = (share.clamp(0.0, 1.0) * width as f64).round() as usize;
        let (full, empty) = if self.unicode {
            ("\u{2588}", "\u{2591}")
        } else {
            ("#", ".")
        };
        (full.repeat(filled), empty.repeat(width - filled))
    }

    /// The glyphs of frames.
    pub fn border(self) -> border::Set<'static> {
        if self.unicode {
            return border::ROUNDED;
        }
        border::Set {
            top_left: "+",
            top_right: "+",
            bottom_left: "+",
            bottom_right: "+",
            vertical_left: "|",
            vertical_right: "|",
            horizontal_top: "-",
            horizontal_bottom: "-",
        }
    }

    /// `unicode` where it can be drawn, else `ascii`.
    pub fn glyph(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.unicode { unicode } else { ascii }
    }

    /// The mark of a number's kind of evidence: one cell.
    pub fn evidence(self, evidence: Evidence) -> &'static str {
        match evidence {
            Evidence::Computed => self.glyph("\u{192}", "f"),
            Evidence::Counted => "#",
            Evidence::Modelled => self.glyph("\u{224b}", "m"),
            Evidence::Measured => self.glyph("\u{25c9}", "@"),
            Evidence::Recorded => self.glyph("\u{25ce}", "r"),
            Evidence::Profiled => self.glyph("\u{25a3}", "h"),
        }
    }

    /// The mark of what is right.
    pub fn check(self) -> &'static str {
        self.glyph("\u{2713}", "ok")
    }

    /// The mark of what is wrong.
    pub fn cross(self) -> &'static str {
        self.glyph("\u{2717}", "X")
    }

    /// What stands for text cut off.
    pub fn ellipsis(self) -> &'static str {
        self.glyph("\u{2026}", "~")
    }

    /// Between parts of a line.
    pub fn dot(self) -> &'static str {
        self.glyph("\u{b7}", "-")
    }

    /// Between the sides of a matrix.
    pub fn times(self) -> &'static str {
        self.glyph("\u{d7}", "x")
    }

    /// `text` in what the terminal can draw.
    pub fn text(self, text: &str) -> Cow<'_, str> {
        if self.unicode || text.is_ascii() {
            return Cow::Borrowed(text);
        }
        let plain = |c: char| -> Cow<'static, str> {
            match c {
                '\u{2026}' => "...".into(),
                '\u{d7}' => "x".into(),
                '\u{b5}' => "u".into(),
                '\u{b7}' => "*".into(),
                '\u{2013}' | '\u{2212}' => "-".into(),
                '\u{2014}' => "--".into(),
                '\u{2018}' | '\u{2019}' => "'".into(),
                '\u{201c}' | '\u{201d}' => "\"".into(),
                '\u{2264}' => "<=".into(),
                '\u{2265}' => ">=".into(),
                '\u{2192}' => "->".into(),
                c if c.is_ascii() => String::from(c).into(),
                _ => "?".into(),
            }
        };
        Cow::Owned(text.chars().map(plain).collect())
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
    fn a_locale_without_utf8_gets_ascii() {
        assert!(theme(&[]).unicode);
        assert!(theme(&[("LANG", "de_DE.UTF-8")]).unicode);
        let ascii = theme(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]);
        assert!(!ascii.unicode);
        assert_eq!(ascii.text("M \u{d7} N\u{2026}"), "M x N...");
        assert!(ascii.bar(0.5).is_ascii() && ascii.check().is_ascii());
    }

    #[test]
    fn every_kind_of_evidence_has_a_mark_of_its_own() {
        for unicode in [true, false] {
            let theme = Theme {
                depth: Depth::None,
                unicode,
            };
            let marks = Evidence::ALL.map(|evidence| theme.evidence(evidence));
            let distinct: std::collections::BTreeSet<&str> = marks.into_iter().collect();
            assert_eq!(distinct.len(), marks.len());
            assert!(marks.iter().all(|mark| mark.chars().count() == 1));
            assert!(unicode || marks.iter().all(|mark| mark.is_ascii()));
        }
    }

    #[test]
    fn without_colour_no_style_has_one() {
        let plain = Theme {
            depth: Depth::None,
            unicode: true,
        };
        for role in [
            Role::Accent,
            Role::Bad,
            Role::Muted,
            Role::Changed,
            Role::Keyword,
        ] {
            assert_eq!(plain.style(role).fg, None);
        }
        assert_eq!(plain.heat(1.0).fg, None);
    }
}
