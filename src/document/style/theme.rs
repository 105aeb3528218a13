//! Colours and glyphs, by what the terminal can do. Meaning never hangs on colour alone: what a
//! colour says, a word, glyph or modifier says too.

use std::borrow::Cow;

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

use super::ascii::ascii;
use super::paints::{Paint, Paints, paints};
use super::scheme::{Ground, Scheme};
use crate::launch::Evidence;
use crate::source::printable;

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
    /// Text with an error in it.
    Mistaken,
    /// Text with a warning.
    Doubtful,
}

/// A terminal's abilities, and the styles that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Colours.
    pub depth: Depth,
    /// Whether glyphs beyond ASCII may be drawn.
    pub unicode: bool,
    /// Whether texts may have letters and signs beyond ASCII.
    pub words: bool,
    /// What the terminal's own ground is.
    pub ground: Ground,
    /// The colours that are chosen.
    pub scheme: Scheme,
}

impl Theme {
    /// The theme of a terminal that says nothing of its ground, with no scheme chosen.
    pub const fn new(depth: Depth, unicode: bool) -> Self {
        Theme {
            depth,
            unicode,
            // Letters follow glyphs unless a document is drawn: see `paper`.
            words: unicode,
            ground: Ground::Unknown,
            scheme: Scheme::Auto,
        }
    }

    /// The same in ASCII alone where that is asked for, glyphs and texts: a terminal without more stays without.
    pub fn in_ascii_if(self, is_asked_for: bool) -> Self {
        Theme {
            unicode: self.unicode && !is_asked_for,
            words: self.words && !is_asked_for,
            ..self
        }
    }

    /// Drawings in ASCII and without colour, between texts that are as they were written.
    pub const fn paper() -> Self {
        Theme {
            words: true,
            ..Theme::new(Depth::None, false)
        }
    }

    fn paints(self) -> &'static Paints {
        paints(self.scheme, self.ground)
    }

    fn colour(self, paint: Paint) -> Option<Color> {
        match self.depth {
            Depth::True => Some(Color::from_u32(paint.0)),
            Depth::Indexed => Some(Color::Indexed(paint.1)),
            Depth::Named => Some(paint.2),
            Depth::None => None,
        }
    }

    fn paint(self, paint: Paint) -> Style {
        let fg = self.colour(paint);
        Style { fg, ..Style::new() }
    }

    /// The style of the empty page: its ground and the text on it, where the scheme has its own.
    pub fn page(self) -> Style {
        let Some((ground, ink)) = self.paints().sheet else {
            return Style::new();
        };
        Style {
            fg: self.colour(ink),
            bg: self.colour(ground),
            ..Style::new()
        }
    }

    /// One of the 16 colours that programs for terminals name, as this theme has it: on a ground of
    /// one's own the terminal's tones may not be legible.
    pub fn named(self, colour: Color) -> Option<Color> {
        let paints = self.paints();
        self.colour(match colour {
            Color::Red | Color::LightRed => paints.red,
            Color::Green | Color::LightGreen => paints.green,
            Color::Yellow | Color::LightYellow => paints.amber,
            Color::Blue | Color::LightBlue => paints.blue,
            Color::Magenta | Color::LightMagenta => paints.violet,
            Color::Cyan | Color::LightCyan => paints.cyan,
            Color::DarkGray => paints.grey,
            _ => return None,
        })
    }

    /// The style of `role`.
    pub fn style(self, role: Role) -> Style {
        let bold = Modifier::BOLD;
        let paints = self.paints();
        match role {
            Role::Text => Style::new(),
            Role::Muted | Role::Border => self.quiet(),
            Role::Strong => Style::new().add_modifier(bold),
            Role::Accent | Role::Key => self.paint(paints.blue).add_modifier(bold),
            Role::Heading => self.paint(paints.blue).add_modifier(bold),
            Role::FocusedBorder => self.paint(paints.blue).add_modifier(bold),
            Role::Good => self.paint(paints.green),
            Role::Bad => self.paint(paints.red).add_modifier(bold),
            Role::Warning => self.paint(paints.amber),
            // Reversed works without colours, too, and on any ground.
            Role::Selection => Style::new().add_modifier(Modifier::REVERSED),
            Role::CurrentRow => Style::new()
                .fg(self.page().fg.unwrap_or(Color::Reset))
                .add_modifier(Modifier::REVERSED),
            Role::Changed => self
                .paint(paints.amber)
                .add_modifier(bold | Modifier::UNDERLINED),
            Role::CurrentLine => self.paint(paints.amber).add_modifier(bold),
            Role::Evidence | Role::Code => self.paint(paints.cyan),
            Role::Comment => self.quiet().add_modifier(Modifier::ITALIC),
            Role::Keyword => self.paint(paints.violet),
            Role::Type => self.paint(paints.cyan),
            Role::Function => self.paint(paints.blue),
            Role::Number => self.paint(paints.amber),
            Role::Intrinsic => self.paint(paints.green),
            Role::Preprocessor => self.paint(paints.red),
            Role::Mistaken => self.paint(paints.red).add_modifier(Modifier::UNDERLINED),
            Role::Doubtful => self.paint(paints.amber).add_modifier(Modifier::UNDERLINED),
        }
    }

    fn quiet(self) -> Style {
        match self.depth {
            // Where there is no colour, dim is the only way to step back.
            Depth::None => Style::new().add_modifier(Modifier::DIM),
            _ => self.paint(self.paints().grey),
        }
    }

    /// The style of an amount, as a share between 0 and 1 of the most: much is no worse than little.
    pub fn amount(self, share: f64) -> Style {
        let paints = self.paints();
        // Two tones: the bar beside a number shows the rest.
        self.paint(if share < 0.5 {
            paints.grey
        } else {
            paints.blue
        })
    }

    /// The style of waste, as a share between 0 (none) and 1 (all of it).
    pub fn heat(self, share: f64) -> Style {
        let paints = self.paints();
        let tones = [paints.grey, paints.blue, paints.amber, paints.red];
        let last = tones.len() - 1;
        // Four tones: more are not told apart at a glance. The bar beside a number shows the rest.
        let level = (share.clamp(0.0, 1.0) * last as f64).round() as usize;
        self.paint(tones[level.min(last)])
    }

    /// Series of a plot after which colours repeat.
    pub const SERIES_COLOURS: usize = 6;

    /// The style of series `index` of a plot. Colours repeat; marks tell series apart.
    pub fn series(self, index: usize) -> Style {
        let paints = self.paints();
        let tones: [Paint; Theme::SERIES_COLOURS] = [
            paints.blue,
            paints.amber,
            paints.green,
            paints.violet,
            paints.cyan,
            paints.red,
        ];
        // Marks go on to eight, and no two series have both alike before 24.
        self.paint(tones[index % tones.len()])
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
        // Rounded up, so that a line that does anything at all is never blank.
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

    /// A bar of at most `width` cells, in eighths of a cell: what is not nothing has an eighth at least.
    pub fn bar_of(self, share: f64, width: usize) -> String {
        const EIGHTHS: [&str; 8] = [
            "", "\u{258f}", "\u{258e}", "\u{258d}", "\u{258c}", "\u{258b}", "\u{258a}", "\u{2589}",
        ];
        if !self.unicode {
            let cells = (share.clamp(0.0, 1.0) * width as f64).ceil() as usize;
            return "#".repeat(cells);
        }
        let eighths = (share.clamp(0.0, 1.0) * 8.0 * width as f64).ceil() as usize;
        "\u{2588}".repeat(eighths / 8) + EIGHTHS[eighths % 8]
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
            // Marks differ in shape in ASCII as well: without colour they are all that tells kinds apart.
            Evidence::Computed => self.glyph("\u{192}", "f"),
            Evidence::Counted => "#",
            Evidence::Specified => self.glyph("\u{a7}", "s"),
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

    /// The mark of what is right, but for a warning.
    pub fn warn(self) -> &'static str {
        "!"
    }

    /// What stands for text cut off.
    pub fn ellipsis(self) -> &'static str {
        self.glyph("\u{2026}", "~")
    }

    /// What stands where a lane, slot or SM has nothing to do.
    pub fn idle(self) -> &'static str {
        self.glyph("\u{2591}", "/")
    }

    /// Between parts of a line.
    pub fn dot(self) -> &'static str {
        self.glyph("\u{b7}", "-")
    }

    /// Between the sides of a matrix.
    pub fn times(self) -> &'static str {
        self.glyph("\u{d7}", "x")
    }

    /// `text` in what the terminal can draw, and nothing in it that a terminal would obey.
    pub fn text(self, text: &str) -> Cow<'_, str> {
        let text = printable(text);
        if self.words || text.is_ascii() {
            return text;
        }
        Cow::Owned(text.chars().map(ascii).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_evidence_has_a_mark_of_its_own() {
        for unicode in [true, false] {
            let theme = Theme::new(Depth::None, unicode);
            let marks = Evidence::ALL.map(|evidence| theme.evidence(evidence));
            let distinct: std::collections::BTreeSet<&str> = marks.into_iter().collect();
            assert_eq!(distinct.len(), marks.len());
            assert!(marks.iter().all(|mark| mark.chars().count() == 1));
            assert!(unicode || marks.iter().all(|mark| mark.is_ascii()));
        }
    }

    #[test]
    fn without_colour_no_style_has_one() {
        let plain = Theme::new(Depth::None, true);
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
