//! Numbers and lines cut to the cells there are.

use ratatui::text::{Line, Span};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::theme::Theme;
use crate::device::grouped;
use crate::launch::Value;

/// A count in at most five characters: `1,823`, `12.3k`, `1.42M`.
pub fn compact(value: u64) -> String {
    const UNITS: [&str; 6] = ["k", "M", "G", "T", "P", "E"];
    if value < 10_000 {
        return grouped(value);
    }
    let (mut scaled, mut unit) = (value as f64 / 1e3, 0);
    // 999,500 would be rounded to `1000k`, which has six characters: it becomes `1.00M`.
    while scaled >= 999.5 && unit + 1 < UNITS.len() {
        scaled /= 1e3;
        unit += 1;
    }
    // Three digits in all; the limits are where rounding would add a fourth.
    let decimals = match scaled {
        s if s < 9.995 => 2,
        s if s < 99.95 => 1,
        _ => 0,
    };
    format!("{scaled:.decimals$}{}", UNITS[unit])
}

/// A number of bytes in at most nine characters: `1,823 B`, `12.3 kB`, `1.42 MB`.
pub fn bytes(value: u64) -> String {
    let text = compact(value);
    match text.strip_suffix(|c: char| c.is_ascii_alphabetic()) {
        Some(digits) => format!("{digits} {}B", &text[digits.len()..]),
        None => format!("{text} B"),
    }
}

/// A real number in at most `width` characters (9 at least), as precise as fits.
pub fn real(value: f64, width: usize) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs();
    // Outside, fixed digits are mostly zeros: 0.0000012 says less than 1.2e-6.
    if (1e-4..1e7).contains(&magnitude) {
        // The sign and the digit before the point take two; a float has no more than seven digits that mean
        // anything.
        let most = width.saturating_sub(2).min(6);
        let fixed = (0..=most)
            .rev()
            .map(|decimals| format!("{value:.decimals$}"));
        if let Some(text) = fixed.into_iter().find(|text| text.len() <= width) {
            return text;
        }
    }
    let scientific = (0..=5).rev().map(|decimals| format!("{value:.decimals$e}"));
    let mut scientific = scientific.filter(|text| text.len() <= width);
    scientific.next().unwrap_or_else(|| format!("{value:.0e}"))
}

/// An element's value in at most `width` characters where that can be.
pub fn value(value: Value, width: usize) -> String {
    match value {
        Value::Integer(integer) => {
            let text = integer.to_string();
            if text.len() <= width {
                text
            } else {
                real(integer as f64, width)
            }
        }
        Value::Float(float) if width >= WHOLE_WIDTH => shortest(float),
        Value::Float(float) => real(float, width),
    }
}

/// Width from which a real number is written in full.
const WHOLE_WIDTH: usize = 24;

/// The fewest digits that give `value` again, in single precision where it has that.
fn shortest(value: f64) -> String {
    let single = value as f32;
    // Values of kernels are mostly `float`: 0.1f is 0.1, though as a `double` it is 0.10000000149011612.
    if f64::from(single) == value {
        format!("{single:?}")
    } else {
        format!("{value:?}")
    }
}

/// `text` in at most `width` cells, with an ellipsis where something is cut off.
pub fn fit(text: &str, width: usize, theme: Theme) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mark = theme.ellipsis();
    // The mark has to fit as well.
    let room = width.saturating_sub(mark.width());
    let mut fitted = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        fitted.push(c);
    }
    if width > 0 {
        fitted.push_str(mark);
    }
    fitted
}

/// The first of `texts` that takes at most `width` cells; an empty one if none does.
pub fn first_fitting(texts: impl IntoIterator<Item = String>, width: usize) -> String {
    let mut texts = texts.into_iter();
    let found = texts.find(|text| text.width() <= width);
    found.unwrap_or_default()
}

/// What `lines` say, without styles and without blanks at their ends.
pub fn texts(lines: &[Line]) -> Vec<String> {
    let texts = lines.iter();
    texts
        .map(|line| line.to_string().trim_end().to_owned())
        .collect()
}

/// `text` cut or padded on the right to exactly `width` cells.
pub fn pad(text: &str, width: usize, theme: Theme) -> String {
    let fitted = fit(text, width, theme);
    let blanks = width.saturating_sub(fitted.width());
    fitted + &" ".repeat(blanks)
}

/// A styled line in at most `width` cells, with an ellipsis where something is cut off.
pub fn fit_line(line: Line<'static>, width: usize, theme: Theme) -> Line<'static> {
    if line.width() <= width {
        return line;
    }
    let mark = theme.ellipsis();
    let room = width.saturating_sub(mark.width());
    let mut spans = Vec::new();
    let mut used = 0;
    for span in line.spans {
        let left = room - used;
        if span.width() <= left {
            used += span.width();
            spans.push(span);
            continue;
        }
        let mut cut = String::new();
        for c in span.content.chars() {
            let cell = c.width().unwrap_or(0);
            if used + cell > room {
                break;
            }
            used += cell;
            cut.push(c);
        }
        spans.push(Span::styled(cut, span.style));
        spans.push(Span::styled(mark, span.style));
        break;
    }
    Line::from(spans)
}

/// `left`, and `right` at the far end of `width` cells; `left` is cut where both do not fit.
pub fn spread(
    left: Line<'static>,
    right: Line<'static>,
    width: usize,
    theme: Theme,
) -> Line<'static> {
    let right = fit_line(right, width, theme);
    let gap = usize::from(right.width() > 0);
    let mut left = fit_line(left, width.saturating_sub(right.width() + gap), theme);
    let blanks = width.saturating_sub(left.width() + right.width());
    left.spans.push(Span::raw(" ".repeat(blanks)));
    left.spans.extend(right.spans);
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Depth;

    const THEME: Theme = Theme::new(Depth::None, true);

    #[test]
    fn compact_counts_take_five_characters_at_most() {
        assert_eq!(compact(9_999), "9,999");
        assert_eq!(compact(1_423_763), "1.42M");
        assert_eq!(compact(999_999), "1.00M");
        for power in 0..64 {
            assert!(compact(1 << power).len() <= 5, "{}", compact(1 << power));
        }
    }

    #[test]
    fn bytes_have_units() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(45_588_000), "45.6 MB");
        assert_eq!(bytes(12_300), "12.3 kB");
    }

    #[test]
    fn reals_fit_their_width() {
        assert_eq!(real(0.5, 9), "0.500000");
        assert_eq!(real(-1234.5678, 9), "-1234.568");
        for value in [
            1e-30,
            -1.234e-30,
            f64::MAX,
            -f64::MAX,
            1e7,
            123_456.789,
            f64::NAN,
        ] {
            assert!(real(value, 9).len() <= 9, "{}", real(value, 9));
        }
    }

    #[test]
    fn what_is_cut_off_says_so() {
        assert_eq!(fit("exponentials", 8, THEME), "exponen\u{2026}");
        assert_eq!(pad("x", 3, THEME), "x  ");
        let line = Line::from(vec![Span::raw("ab"), Span::raw("cdef")]);
        assert_eq!(fit_line(line, 4, THEME).to_string(), "abc\u{2026}");
        let line = spread("left".into(), "right".into(), 7, THEME);
        assert_eq!(line.to_string(), "\u{2026} right");
    }
}
