//! The sizes a learner may change: which a cell shows, their steps and limits.

use crate::lesson::Size;

/// The next round number above `value`: multiples of 10 below 1000, of 100 below 10 000, …
pub fn up(value: u64) -> u64 {
    let step = step(value);
    (value / step).saturating_add(1).saturating_mul(step)
}

/// The next round number below `value`.
pub fn down(value: u64) -> u64 {
    let step = step(value.saturating_sub(1));
    value.saturating_sub(1) / step * step
}

/// A tenth of the power of ten at or below `value`, and at least 1.
fn step(value: u64) -> u64 {
    let digits = value.checked_ilog10().unwrap_or(0);
    10_u64.pow(digits.saturating_sub(1))
}

/// What `size` becomes from `old` where `change` asks for more or less: of listed values the next one.
pub fn changed(size: &Size, old: u64, change: impl Fn(u64) -> u64) -> u64 {
    let wanted = change(old);
    let mut values = size.values.iter().copied();
    let listed = match wanted > old {
        true => values.find(|&value| value > old),
        false => values.rfind(|&value| value < old),
    };
    match size.values.is_empty() {
        true => wanted.clamp(size.min, size.max),
        false => listed.unwrap_or(old),
    }
}

/// Places of a slider of `count` cells that a size takes: its values from least to most, evenly by their
/// logarithm, or each of those it lists.
pub fn places(size: &Size, count: usize) -> Vec<u64> {
    if !size.values.is_empty() {
        return size.values.clone();
    }
    let (least, most) = (size.min.max(1) as f64, size.max.max(1) as f64);
    let last = count.saturating_sub(1).max(1) as f64;
    let place = |at: usize| least * (most / least).powf(at as f64 / last);
    let places = (0..count).map(|at| (place(at).round() as u64).clamp(size.min, size.max));
    places.collect()
}

/// What a person typed, as a value of `size`; digits may be grouped.
pub fn parse(size: &Size, text: &str) -> Result<u64, String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let range = || format!("{} takes {}", size.name, size.range());
    let value: u64 = digits.parse().map_err(|_| range())?;
    if size.takes(value) {
        Ok(value)
    } else {
        Err(range())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_land_on_round_numbers_and_come_back() {
        assert_eq!((up(1823), up(1900), up(781), up(9)), (1900, 2000, 790, 10));
        assert_eq!(
            (down(1823), down(1000), down(10), down(1)),
            (1800, 990, 9, 0)
        );
        assert_eq!((down(0), up(0)), (0, 1));
        for round in [1, 9, 10, 50, 100, 990, 1000, 4000] {
            assert_eq!(down(up(round)), round);
        }
    }
}
