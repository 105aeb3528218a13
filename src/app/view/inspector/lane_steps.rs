//! The lanes of a warp down, its steps across: one look at divergence, accesses and barriers.

use std::collections::BTreeSet;

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::step::WarpStep;
use crate::app::state::{Action, InspectorAction, LaneState, StepRun, WarpTimeline};
use crate::app::view::widgets::{Canvas, below, top};
use crate::device::grouped;
use crate::document::{Role, Theme};
use crate::launch::WARP_LANES;

/// What stands before the columns.
const LABEL: usize = 4;
/// Cells that the number of the step has at least.
const HEAD: usize = 30;
/// Most cells of a column.
const WIDEST: usize = 3;

/// Most lanes that share a row.
const MOST_TOGETHER: usize = 8;

/// How the strip is drawn: its columns, and how many lanes share a row.
struct Form {
    timeline: WarpTimeline,
    /// Cells of a column.
    wide: usize,
    together: usize,
    /// What its glyphs mean, in rows of their own; empty where there is no room for them.
    legend: Vec<Line<'static>>,
}

impl Form {
    /// The most rows that fit `height`: lanes share rows where there are fewer rows than lanes.
    fn new(canvas: &Canvas, step: &WarpStep, width: usize, height: u16) -> Self {
        let room = width.saturating_sub(LABEL).max(1);
        let timeline = WarpTimeline::new(step.walk, step.threads(), step.index, room);
        let wide = (room / timeline.runs.len().max(1)).clamp(1, WIDEST);
        // One lane a row if that fits, and the fewest together that do.
        let fitting = [1, 2, 4, MOST_TOGETHER].into_iter().find_map(|together| {
            let legend = legend(canvas, &timeline, together, width);
            let rows = 1 + WARP_LANES / together + legend.len();
            (rows <= usize::from(height)).then_some((together, legend))
        });
        let (together, legend) = fitting.unwrap_or((MOST_TOGETHER, Vec::new()));
        Form {
            timeline,
            wide,
            together,
            legend,
        }
    }

    fn rows(&self) -> u16 {
        (1 + WARP_LANES / self.together + self.legend.len()) as u16
    }
}

/// Rows that the strip takes of `height`, or the fewest that it can be drawn in.
pub(crate) fn rows(canvas: &Canvas, step: &WarpStep, width: usize, height: u16) -> u16 {
    Form::new(canvas, step, width, height).rows()
}

/// Draws the strip; a click on a column goes to its first step, one on a number chooses the lane.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, step: &WarpStep) {
    let form = Form::new(canvas, step, area.width.into(), area.height);
    let Form {
        timeline,
        wide,
        together,
        legend,
    } = form;
    let mut head = head(canvas, step, &timeline, wide);
    if legend.is_empty() {
        // Behind the last column, where the number of the step never comes.
        let from = LABEL + (timeline.runs.len() * wide).max(HEAD);
        explain_in_head(canvas, &mut head, from, &timeline, area.width.into());
    }
    canvas.line(area, head);
    let rows = top(below(area, 1), (WARP_LANES / together) as u16);
    for (row, first) in rows.rows().zip((0..WARP_LANES).step_by(together)) {
        let line = lanes(canvas, step, &timeline, first..first + together, wide);
        canvas.line(row, line);
        canvas.click(row, Action::Inspector(InspectorAction::SelectLane(first)));
    }
    // Columns are over rows, so that their clicks win: a step is chosen there, a lane by its number only.
    for (place, run) in timeline.runs.iter().enumerate() {
        let column = Rect {
            x: rows.x + (LABEL + place * wide) as u16,
            width: wide as u16,
            ..rows
        };
        let scrub = Action::Inspector(InspectorAction::Scrub(run.first));
        canvas.click(column.intersection(rows), scrub);
    }
    let under = below(area, 1 + rows.height);
    canvas.lines(under, legend);
}

/// Says behind the head, from the cell `from`, what the glyphs of lanes that do something mean, if all of that fits `width`.
fn explain_in_head(
    canvas: &Canvas,
    head: &mut Line<'static>,
    from: usize,
    timeline: &WarpTimeline,
    width: usize,
) {
    let is_busy = |state: &LaneState| !matches!(state, LaneState::Inactive | LaneState::Absent);
    let busy = states_in_sight(timeline).filter(is_busy);
    let mut words = Line::default();
    for state in busy {
        words.push_span(Span::raw("  "));
        words.spans.extend(explained(canvas, state).spans);
    }
    let from = from.max(head.width());
    if from + words.width() <= width {
        head.push_span(Span::raw(" ".repeat(from - head.width())));
        head.spans.extend(words.spans);
    }
}

/// The number of the step over its column.
fn head(canvas: &Canvas, step: &WarpStep, timeline: &WarpTimeline, wide: usize) -> Line<'static> {
    let mut line = canvas.text("lane", Role::Muted);
    let at = timeline.current * wide;
    let number = grouped(step.index as u64 + 1);
    let mark = canvas.theme().glyph("\u{25be}", "v");
    let text = format!(
        "{mark} step {number} of {}",
        grouped(step.walk.steps() as u64)
    );
    // Where the words have no room behind their mark, they stand before it.
    let room = timeline.runs.len() * wide;
    let before = text.chars().count() - 1;
    // The mark stands over its column in either case.
    let (blanks, text) = match at + text.chars().count() <= room.max(HEAD) || at < before {
        true => (at, text),
        false => (at - before, format!("{} {mark}", &text[mark.len() + 1..])),
    };
    line.push_span(Span::raw(" ".repeat(blanks)));
    line.push_span(canvas.span(text, Role::Strong));
    line
}

/// A row of lanes, behind the number of the first.
fn lanes(
    canvas: &Canvas,
    step: &WarpStep,
    timeline: &WarpTimeline,
    lanes: std::ops::Range<usize>,
    wide: usize,
) -> Line<'static> {
    let number = match lanes.contains(&step.lane) {
        true => Role::Selection,
        false => Role::Muted,
    };
    let mut line = Line::from(vec![
        canvas.span(format!("{:>3}", lanes.start), number),
        Span::raw(" "),
    ]);
    for (place, run) in timeline.runs.iter().enumerate() {
        let (text, mut style) = cell(canvas.theme(), run, lanes.clone());
        // Reversed, the halves of a cell would change places.
        if place == timeline.current && style.bg.is_none() && lanes.len() == 1 {
            style = style.patch(canvas.theme().style(Role::Selection));
        }
        line.push_span(Span::styled(text, style));
        line.push_span(Span::raw(" ".repeat(wide - 1)));
    }
    line
}

/// What some lanes did: what the busiest did is seen, of the upper and of the lower half of the lanes, and whether lanes
/// between them did nothing.
fn cell(theme: Theme, run: &StepRun, lanes: std::ops::Range<usize>) -> (&'static str, Style) {
    if let Some(state) = partial(theme, run, lanes.clone()) {
        return (hollow(theme, state), style(theme, state));
    }
    let middle = lanes.start + lanes.len().div_ceil(2);
    let most = |lanes: &[LaneState]| lanes.iter().max().copied().unwrap_or(LaneState::Absent);
    let upper = most(&run.lanes[lanes.start..middle]);
    let lower = most(&run.lanes[middle..lanes.end]);
    let is_off = |state| matches!(state, LaneState::Absent | LaneState::Inactive);
    let (above, below) = (style(theme, upper), style(theme, lower));
    if lanes.len() == 1 || upper == lower || !theme.unicode {
        let state = upper.max(lower);
        return (glyph(theme, state), style(theme, state));
    }
    match (is_off(upper), is_off(lower)) {
        (true, true) => (glyph(theme, upper), above),
        (false, true) => ("\u{2580}", above),
        (true, false) => ("\u{2584}", below),
        // Without colours the halves would look alike: the one that did more stands for both.
        (false, false) if below.fg.is_none() => (glyph(theme, upper.max(lower)), above),
        (false, false) => {
            let both = Style {
                // The lower half is what the upper block's colour leaves: the background.
                bg: below.fg,
                ..above
            };
            ("\u{2580}", both)
        }
    }
}

/// What the busiest of some lanes did, where others did nothing and no half of them is alike.
fn partial(theme: Theme, run: &StepRun, lanes: std::ops::Range<usize>) -> Option<LaneState> {
    let middle = lanes.start + lanes.len().div_ceil(2);
    let is_off = |&state: &LaneState| matches!(state, LaneState::Absent | LaneState::Inactive);
    let is_mixed = |lanes: &[LaneState]| lanes.iter().any(is_off) && !lanes.iter().all(is_off);
    let (upper, lower) = (
        &run.lanes[lanes.start..middle],
        &run.lanes[middle..lanes.end],
    );
    let all = &run.lanes[lanes];
    // A character has no halves where there is no Unicode.
    let is_partial = is_mixed(upper) || is_mixed(lower) || !theme.unicode && is_mixed(all);
    all.iter().max().copied().filter(|_| is_partial)
}

/// What a state looks like where only some of the lanes that share a cell are in it.
fn hollow(theme: Theme, state: LaneState) -> &'static str {
    match state {
        LaneState::Absent | LaneState::Inactive => glyph(theme, state),
        LaneState::Active => theme.glyph("\u{25a1}", "o"),
        LaneState::Load => theme.glyph("\u{25bd}", "l"),
        LaneState::Store => theme.glyph("\u{25b3}", "s"),
        LaneState::LoadAndStore => theme.glyph("\u{25c7}", "b"),
        LaneState::Barrier => theme.glyph("\u{2506}", ":"),
    }
}

fn glyph(theme: Theme, state: LaneState) -> &'static str {
    match state {
        LaneState::Absent => theme.glyph("\u{2591}", "/"),
        LaneState::Inactive => theme.dot(),
        LaneState::Active => theme.glyph("\u{25a0}", "#"),
        LaneState::Load => theme.glyph("\u{25bc}", "L"),
        LaneState::Store => theme.glyph("\u{25b2}", "S"),
        LaneState::LoadAndStore => theme.glyph("\u{25c6}", "B"),
        LaneState::Barrier => theme.glyph("\u{2503}", "|"),
    }
}

fn style(theme: Theme, state: LaneState) -> Style {
    match state {
        LaneState::Absent | LaneState::Inactive => theme.style(Role::Muted),
        LaneState::Active => theme.series(0),
        LaneState::Load => theme.series(1),
        LaneState::Store => theme.series(2),
        LaneState::LoadAndStore => theme.series(4),
        LaneState::Barrier => theme.series(3),
    }
}

/// What the glyphs in sight mean, and what a column and a row stand for where that is not one step and one lane: in as
/// many lines of `width` cells as that takes.
fn legend(
    canvas: &Canvas,
    timeline: &WarpTimeline,
    together: usize,
    width: usize,
) -> Vec<Line<'static>> {
    let blank = || Line::from(Span::raw(" ".repeat(LABEL)));
    let mut lines = vec![blank()];
    for piece in legend_entries(canvas, timeline, together) {
        let is_full = |line: &Line| line.width() + 2 + piece.width() > width;
        if lines.last().is_none_or(is_full) {
            lines.push(blank());
        }
        if let Some(line) = lines.last_mut() {
            if line.spans.len() > 1 {
                line.push_span(Span::raw("  "));
            }
            line.spans.extend(piece.spans);
        }
    }
    lines
}

/// What the legend says, an entry each: the states in sight, and what columns and rows stand for.
fn legend_entries(canvas: &Canvas, timeline: &WarpTimeline, together: usize) -> Vec<Line<'static>> {
    let theme = canvas.theme();
    let seen = states_in_sight(timeline);
    let mut pieces: Vec<Line> = seen.map(|state| explained(canvas, state)).collect();
    if timeline.runs.iter().any(|run| run.steps > 1) {
        pieces.push(canvas.text("like steps share a column", Role::Muted));
    }
    if together > 1 {
        let text = format!("{together} lanes share a row");
        pieces.push(canvas.text(text, Role::Muted));
        let partial = partial_states(theme, timeline, together);
        let hollow: String = partial.into_iter().map(|of| hollow(theme, of)).collect();
        if !hollow.is_empty() {
            pieces.push(canvas.text(format!("{hollow} some of them"), Role::Muted));
        }
    }
    pieces
}

fn states_in_sight(timeline: &WarpTimeline) -> impl Iterator<Item = LaneState> {
    let is_seen = |state: &LaneState| timeline.runs.iter().any(|run| run.lanes.contains(state));
    LaneState::ALL.into_iter().filter(is_seen)
}

/// The glyph of a state, and what it means.
fn explained(canvas: &Canvas, state: LaneState) -> Line<'static> {
    let theme = canvas.theme();
    Line::from(vec![
        Span::styled(glyph(theme, state), style(theme, state)),
        canvas.span(format!(" {}", name(state)), Role::Muted),
    ])
}

/// The states in sight that only some of the lanes of a row are in.
fn partial_states(theme: Theme, timeline: &WarpTimeline, together: usize) -> BTreeSet<LaneState> {
    let rows = || (0..WARP_LANES).step_by(together);
    let of = |run| rows().filter_map(move |at| partial(theme, run, at..at + together));
    timeline.runs.iter().flat_map(of).collect()
}

fn name(state: LaneState) -> &'static str {
    match state {
        LaneState::Active => "active",
        LaneState::Load => "loads",
        LaneState::Store => "stores",
        LaneState::LoadAndStore => "loads and stores",
        LaneState::Barrier => "waits at a barrier",
        LaneState::Inactive => "inactive",
        LaneState::Absent => "no thread",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Depth;
    use LaneState::{Active, Inactive, Load};

    fn drawn(lanes: [LaneState; 8]) -> &'static str {
        let mut all = [Inactive; WARP_LANES];
        all[..8].copy_from_slice(&lanes);
        let run = StepRun {
            first: 0,
            steps: 1,
            lanes: all,
        };
        cell(Theme::new(Depth::True, true), &run, 0..8).0
    }

    #[test]
    fn lanes_that_share_a_row_are_hollow_where_some_of_them_do_nothing() {
        assert_eq!(drawn([Load; 8]), "\u{25bc}");
        let one = std::array::from_fn(|lane| if lane == 2 { Load } else { Inactive });
        assert_eq!(drawn(one), "\u{25bd}");
        let every_other = std::array::from_fn(|lane| if lane % 2 == 0 { Active } else { Inactive });
        assert_eq!(drawn(every_other), "\u{25a1}");
        // Halves that are alike have half a character each.
        let upper = std::array::from_fn(|lane| if lane < 4 { Active } else { Inactive });
        assert_eq!(drawn(upper), "\u{2580}");
        assert_eq!(drawn([Inactive; 8]), "\u{b7}");
    }
}
