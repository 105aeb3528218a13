//! Numbers of figures as text.

use crate::device::grouped;

/// Round numbers beside the ticks of an axis, as short as they can be said: where one has six digits, all from 10,000
/// on are in thousands or millions, so that `80k` stands below `100k`.
pub(crate) fn tick_labels(values: &[f64]) -> Vec<String> {
    let largest = values
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let label = |&value: &f64| match value.abs() {
        size if largest < 1e5 || size < 1e4 => trimmed(value, 6),
        size if size < 1e6 => scaled(value / 1e3) + "k",
        size if size < 1e9 => scaled(value / 1e6) + "M",
        _ => scaled(value / 1e9) + "G",
    };
    values.iter().map(label).collect()
}

/// With three digits that mean something: powers of two are not round in thousands.
fn scaled(value: f64) -> String {
    let decimals = match value.abs() {
        size if size < 9.995 => 2,
        size if size < 99.95 => 1,
        _ => 0,
    };
    trimmed(value, decimals)
}

/// A value in full: whole numbers as they are, others with four digits or more.
pub(crate) fn exact(value: f64) -> String {
    // Four digits that mean something: 13.31, 1.798, and 1,799 without a fraction.
    let decimals = match value.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        size if size >= 1.0 => 3,
        size if size >= 0.1 => 4,
        _ => 6,
    };
    trimmed(value, decimals)
}

/// With at most so many decimals, without zeros at the end, thousands grouped.
fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    // A number too large for 64 bits stays without separators.
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    let rest = rest.trim_end_matches('0');
    let sign = if value < 0.0 { "-" } else { "" };
    match rest {
        "" => format!("{sign}{whole}"),
        rest => format!("{sign}{whole}.{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_short_and_values_whole() {
        assert_eq!(tick_labels(&[-5.0, 0.2, 20_000.0]), ["-5", "0.2", "20,000"]);
        assert_eq!(
            tick_labels(&[0.0, 80_000.0, 100_000.0, 1.5e6]),
            ["0", "80k", "100k", "1.5M"]
        );
        assert_eq!(
            tick_labels(&[256.0, 2048.0, 16_384.0, 131_072.0, 1_048_576.0]),
            ["256", "2,048", "16.4k", "131k", "1.05M"]
        );
        assert_eq!(
            (exact(1798.587), exact(1_423_763.0)),
            ("1,799".to_owned(), "1,423,763".to_owned())
        );
        assert_eq!(
            (exact(13.31199), exact(4.5404)),
            ("13.31".to_owned(), "4.54".to_owned())
        );
    }
}
