//! The levels of memory as lines: what each SM has, what all of them share, and how fast each level is.

use ratatui::text::{Line, Span};

use super::area::Room;
use super::numbers::exact;
use crate::document::style::{Role, Theme};
use crate::lesson::{Amount, MemoryLevelFacts, MemoryLevels};

/// The levels, the nearest to the arithmetic first, each with a bar of its rate.
pub(crate) fn memory_lines(levels: &MemoryLevels, room: Room, theme: Theme) -> Vec<Line<'static>> {
    let rates = levels.levels.iter().filter_map(|level| level.rate.as_ref());
    let fastest = rates.map(|rate| rate.value).fold(0.0, f64::max);
    let of_sm = match levels.sms {
        Some(sms) => format!("in each of {sms} SMs"),
        None => "in each SM".to_owned(),
    };
    let mut lines = vec![Line::from(Span::styled(
        levels.gpu.clone(),
        theme.style(Role::Strong),
    ))];
    // Three lines of each level, one of them empty.
    let is_roomy = room.height > 3 * levels.levels.len() + 2;
    for level in &levels.levels {
        if is_roomy {
            lines.push(Line::default());
        }
        let place = if level.per_sm { &of_sm } else { "for all SMs" };
        lines.extend(level_lines(level, place, fastest, room.width, theme));
    }
    lines.truncate(room.height);
    lines
}

/// A level: what it is and how large, and under that its rate.
fn level_lines(
    level: &MemoryLevelFacts,
    place: &str,
    fastest: f64,
    width: usize,
    theme: Theme,
) -> [Line<'static>; 2] {
    let strong = theme.style(Role::Strong);
    let muted = theme.style(Role::Muted);
    let mut name = Line::from(Span::styled(format!("{:<14}", level.name), strong));
    match &level.size {
        Some(size) => {
            name.push_span(Span::raw(format!("{} {} ", exact(size.value), size.unit)));
            name.push_span(mark(size, theme));
        }
        None => name.push_span(Span::styled("size not known", muted)),
    }
    let place = format!(" {place}");
    if name.width() + place.len() <= width {
        name.push_span(Span::styled(place, muted));
    }
    let Some(rate) = &level.rate else {
        return [
            name,
            Line::from(Span::styled("  rate not published", muted)),
        ];
    };
    let words = format!(" {} {} ", exact(rate.value), rate.unit);
    // All bars have one scale, with room for the longest words behind the longest bar.
    let room = width.saturating_sub(2 + 13).max(4);
    let bar = theme.bar_of(rate.value / fastest, room);
    let bar = vec![
        Span::raw("  "),
        Span::styled(bar, theme.series(0)),
        Span::raw(words),
        mark(rate, theme),
    ];
    [name, Line::from(bar)]
}

fn mark(amount: &Amount, theme: Theme) -> Span<'static> {
    Span::styled(theme.evidence(amount.evidence), theme.style(Role::Evidence))
}
