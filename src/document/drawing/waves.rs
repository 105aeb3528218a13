//! Blocks on SMs as lines: a cell for each SM in one wave, and a bar for each wave.

use ratatui::text::{Line, Span};

use super::area::{Room, across_evenly};
use crate::device::{counted, grouped, percent};
use crate::document::style::{Role, Theme, first_fitting};
use crate::lesson::BlockWaves;

/// The SMs in wave `moment`, from 0, and all waves as bars.
pub(crate) fn waves_lines(
    waves: &BlockWaves,
    moment: usize,
    room: Room,
    theme: Theme,
) -> Vec<Line<'static>> {
    let wave = (moment as u64).min(waves.waves() - 1);
    let mut lines = vec![head(waves, wave, room.width, theme)];
    let bars = bars(waves, wave, room, theme);
    let left = room.height.saturating_sub(bars.len() + 4);
    lines.extend(cells(waves, wave, room.width, left, theme));
    lines.push(legend(waves, room.width, theme));
    lines.extend(bars);
    lines.push(idle(waves, theme));
    lines.truncate(room.height);
    lines
}

fn head(waves: &BlockWaves, wave: u64, width: usize, theme: Theme) -> Line<'static> {
    let number = format!("Wave {} of {}: ", grouped(wave + 1), grouped(waves.waves()));
    let blocks = counted(waves.blocks_of(wave), "block");
    let on = format!(" on {} SMs", grouped(waves.sms.into()));
    let at_most = match waves.per_sm {
        1 => String::new(),
        most => format!(", at most {most} per SM"),
    };
    let mut line = Line::from(vec![
        Span::styled(number, theme.style(Role::Strong)),
        Span::raw(blocks),
    ]);
    for (words, role) in [(on, Role::Text), (at_most, Role::Muted)] {
        if line.width() + words.len() <= width {
            line.push_span(Span::styled(words, theme.style(role)));
        }
    }
    line
}

/// What the cells are.
fn legend(waves: &BlockWaves, width: usize, theme: Theme) -> Line<'static> {
    let (full, empty) = (theme.bar(1.0), theme.idle());
    let busy = if waves.per_sm > 1 { "full" } else { "busy" };
    let all = [
        format!("a cell per SM: {full} {busy}, {empty} idle"),
        format!("{full} {busy}, {empty} idle"),
    ];
    Line::from(Span::styled(
        first_fitting(all, width),
        theme.style(Role::Muted),
    ))
}

/// A cell for each SM, as many rows as there is room for.
fn cells(
    waves: &BlockWaves,
    wave: u64,
    width: usize,
    rows: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let sms = waves.sms as usize;
    // Apart where they fit so.
    let cell = if (2 * sms).div_ceil(width.max(1)) <= rows {
        2
    } else {
        1
    };
    let fits = (width / cell).max(1);
    // No rows shorter than half, nor more of them than there is room for.
    let least = (fits / 2).max(sms.div_ceil(rows.max(1)));
    let across = across_evenly(sms, least, fits);
    let row = |first: usize| -> Line<'static> {
        let last = (first + across).min(sms);
        let cells =
            (first..last).map(|sm| sm_cell(waves, waves.on_sm(wave, sm as u32), cell, theme));
        cells.collect()
    };
    (0..sms).step_by(across).take(rows).map(row).collect()
}

/// An SM with so many blocks: a bar of how full it is, hatched if it has nothing to do.
fn sm_cell(waves: &BlockWaves, blocks: u32, cell: usize, theme: Theme) -> Span<'static> {
    let (glyph, style) = match blocks {
        0 => (theme.idle(), theme.style(Role::Bad)),
        blocks => {
            let share = f64::from(blocks) / f64::from(waves.per_sm);
            (theme.bar(share), theme.series(0))
        }
    };
    Span::styled(format!("{glyph:<cell$}"), style)
}

/// The waves as bars: the first ones, the last, and how many full ones are left out between them.
fn bars(waves: &BlockWaves, wave: u64, room: Room, theme: Theme) -> Vec<Line<'static>> {
    let count = waves.waves();
    let most = (room.height as u64 / 3).clamp(3, 12);
    let bar = |at: u64| bar(waves, at, at == wave, room.width, theme);
    if count <= most {
        return (0..count).map(bar).collect();
    }
    let first = most - 2;
    // The wave on screen is among the bars, or it is one of those that are alike.
    let left_out = format!("  {} full waves more", grouped(count - first - 1));
    let mut lines: Vec<Line<'static>> = (0..first).map(bar).collect();
    lines.push(Line::from(Span::styled(left_out, theme.style(Role::Muted))));
    lines.push(bar(count - 1));
    lines
}

fn bar(waves: &BlockWaves, wave: u64, is_shown: bool, width: usize, theme: Theme) -> Line<'static> {
    let digits = grouped(waves.waves()).len();
    let role = if is_shown { Role::Strong } else { Role::Muted };
    let blocks = format!(
        " {} of {}",
        grouped(waves.blocks_of(wave)),
        grouped(waves.places())
    );
    let pointer = if is_shown {
        theme.glyph("\u{25b8}", ">")
    } else {
        " "
    };
    let label = format!("{pointer}wave {:>digits$} ", grouped(wave + 1));
    let words = 2 * grouped(waves.places()).len() + 5;
    let room = width
        .saturating_sub(label.chars().count() + words)
        .clamp(4, 60);
    let share = waves.blocks_of(wave) as f64 / waves.places() as f64;
    // A wave of one block has a cell, and one that lacks a block has a gap.
    let full = (share * room as f64).round() as usize;
    let full = full.clamp(1, room - usize::from(waves.idle(wave) > 0));
    Line::from(vec![
        Span::styled(label, theme.style(role)),
        Span::styled(theme.glyph("\u{2588}", "#").repeat(full), theme.series(0)),
        Span::styled(theme.idle().repeat(room - full), theme.style(Role::Bad)),
        Span::styled(blocks, theme.style(role)),
    ])
}

/// What the last wave leaves empty.
fn idle(waves: &BlockWaves, theme: Theme) -> Line<'static> {
    let last = waves.waves() - 1;
    let places = waves.waves() * waves.places();
    match waves.idle(last) {
        0 => Line::from("Every wave is full: no SM idles."),
        idle => {
            let words = format!(
                "{} of {} slots idle: {}",
                grouped(idle),
                grouped(places),
                percent(waves.idle_share())
            );
            Line::from(Span::styled(words, theme.style(Role::Bad)))
        }
    }
}
