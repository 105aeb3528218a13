//! Two cells side by side: totals with the factor between them, and their texts. What is the same is
//! dimmed; what differs is lit and marked.

use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use crate::app::state::cells::comparison::totals;
use crate::app::state::editor::diff::diff;
use crate::app::state::{
    Action, CellComparison, DiffRow, Extent, Layout, Model, RunState, Side, Total, ViewAction,
};
use crate::app::view::cells::run::whose;
use crate::app::view::widgets::{Canvas, CodeText, Pane, Tab, below, tabs, top};
use crate::device::{grouped, percent};
use crate::document::{Role, Theme, fit, pad};
use crate::launch::{Amount, time_text};
use crate::lesson::Verdict;
use crate::source::is_python;

/// Width of a total's name, and of a number.
const NAMES: usize = 25;
const NUMBERS: usize = 14;

/// Draws both cells over `area`: totals above sources, or the one that keys go to where it is narrow.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, model: &Model, comparison: &CellComparison) {
    let Some(sides) = model.sides(comparison) else {
        return;
    };
    let rows = totals(sides.map(|(_, state)| state.counts()));
    if canvas.drawn.seen.layout == Layout::One {
        return match comparison.sources {
            true => draw_sources(canvas, area, comparison, sides),
            false => draw_totals(canvas, area, model, comparison, sides, &rows),
        };
    }
    // Frame, names, states and times are five rows; sources keep half of the screen at least.
    let height = (rows.len().max(1) as u16 + 5).min(area.height / 2);
    draw_totals(canvas, top(area, height), model, comparison, sides, &rows);
    draw_sources(canvas, below(area, height), comparison, sides);
}

fn draw_totals(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    comparison: &CellComparison,
    sides: [Side; 2],
    rows: &[Total],
) {
    let both = sides.iter().all(|(_, state)| state.counts().is_some());
    let lines: Vec<Line<'static>> = time(canvas, sides)
        .into_iter()
        .chain(rows.iter().map(|row| total(canvas, row, both)))
        .collect();
    let extent = Extent {
        content: lines.len(),
        visible: usize::from(area.height.saturating_sub(4)),
    };
    canvas.drawn.seen.comparison[0] = extent;
    let scroll = comparison.scroll[0].min(extent.max_scroll());
    let pane = Pane {
        title: parts(canvas, area, comparison),
        note: canvas.text(" what differs is marked and lit ", Role::Muted),
        foot: canvas.position(scroll, extent),
        focused: !comparison.sources,
    };
    let inner = canvas.pane(area, pane);
    let [names, states] = headings(canvas, model, sides);
    canvas.line(inner, names);
    canvas.line(below(inner, 1), states);
    canvas.lines(below(inner, 2), lines.into_iter().skip(scroll));
}

/// What the columns are of, and below it how each run stands.
fn headings(canvas: &Canvas, model: &Model, sides: [Side; 2]) -> [Line<'static>; 2] {
    let mut names = Line::from(Span::raw(" ".repeat(NAMES + 5)));
    let mut states = names.clone();
    let theme = canvas.theme();
    for (cell, state) in sides {
        let name = fit(&theme.text(&cell.id), NUMBERS - 2, theme);
        names.push_span(canvas.span(format!("{name:>NUMBERS$}"), Role::Heading));
        let (word, role) = stands(model, state);
        states.push_span(canvas.span(format!("{word:>NUMBERS$}"), role));
    }
    let stale = sides.iter().find_map(|(_, state)| {
        let ran = state.shown()?;
        model.is_stale(ran).then(|| format!("   of {}", whose(ran)))
    });
    states.push_span(canvas.span(stale.unwrap_or_default(), Role::Warning));
    [names, states]
}

/// Both parts, as the title of a pane.
fn parts(canvas: &mut Canvas, area: Rect, comparison: &CellComparison) -> Line<'static> {
    let part = |name, tab, is_sources| Tab {
        name,
        is_shown: is_sources == comparison.sources,
        action: Action::View(ViewAction::Show(tab)),
    };
    let all = [
        part(" Totals ", crate::app::state::Tab::Counts, false),
        part(" Sources ", crate::app::state::Tab::Code, true),
    ];
    tabs(canvas, area, all)
}

/// How a cell's run stands, in a word.
fn stands(model: &Model, state: &RunState) -> (&'static str, Role) {
    match (&state.job, state.shown()) {
        (Some(_), _) => ("running", Role::Accent),
        (None, None) if state.error.is_some() => ("cannot run", Role::Bad),
        (None, None) => ("enter runs it", Role::Muted),
        (None, Some(ran)) if model.is_stale(ran) => ("stale", Role::Warning),
        (None, Some(ran)) => match ran.result.verdict(ran.edited) {
            Verdict::Right => ("verified", Role::Good),
            Verdict::Warned => ("warning", Role::Warning),
            Verdict::Uncounted => ("not counted", Role::Warning),
            Verdict::NotRun => ("takes a GPU", Role::Warning),
            Verdict::Cancelled => ("cancelled", Role::Warning),
            Verdict::Wrong | Verdict::Failed => ("not right", Role::Bad),
        },
    }
}

/// A total of each; what differs is lit once both have counts.
fn total(canvas: &Canvas, row: &Total, both: bool) -> Line<'static> {
    let theme = canvas.theme();
    let [first, second] = row.values;
    let differs = both && first != second;
    let (mark, role) = match differs {
        true => (theme.glyph("\u{2260} ", "! "), Role::Strong),
        false => ("  ", Role::Muted),
    };
    let mut line = Line::from(vec![
        canvas.span(mark, Role::Changed),
        canvas.mark(row.evidence),
        Span::raw(" "),
        canvas.span(pad(&row.name, NAMES, theme), role),
        Span::raw(" "),
    ]);
    for value in row.values {
        line.push_span(canvas.span(format!("{:>NUMBERS$}", number(theme, value)), role));
    }
    let factor = match (first, second) {
        _ if !differs => String::new(),
        // No factor: nothing is no number that another could be a multiple of.
        (Some(_), None) => "   none".to_owned(),
        (None, Some(_)) => "   new".to_owned(),
        (Some(Amount::Count(a)), Some(Amount::Count(b))) => format!("   {}", factor(theme, a, b)),
        _ => String::new(),
    };
    line.push_span(canvas.span(factor, Role::Changed));
    line
}

fn number(theme: Theme, value: Option<Amount>) -> String {
    match value {
        None => theme.glyph("\u{2013}", "-").to_owned(),
        Some(Amount::Count(count)) => grouped(count),
        Some(Amount::Share(share)) => percent(share),
    }
}

/// How much more or less the second is than the first.
fn factor(theme: Theme, first: u64, second: u64) -> String {
    let times = theme.times();
    match (first, second) {
        (_, 0) => "none".to_owned(),
        (0, _) => "new".to_owned(),
        // A factor that rounds to one says less than what lies between.
        (a, b) if a.abs_diff(b) * 200 < a => {
            let word = if b < a { "less" } else { "more" };
            format!("{} {word}", grouped(a.abs_diff(b)))
        }
        (a, b) => ratio(times, a as f64, b as f64),
    }
}

fn ratio(times: &str, first: f64, second: f64) -> String {
    match second < first {
        true => format!("{:.2}{times} less", first / second),
        false => format!("{:.2}{times} more", second / first),
    }
}

/// The times of both on a real GPU, where both have one.
fn time(canvas: &Canvas, sides: [Side; 2]) -> Option<Line<'static>> {
    let [first, second] = sides.map(|(_, state)| {
        let ran = state.shown()?;
        ran.result.outcome.timing.as_ref()
    });
    let (first, second) = (first?, second?);
    let theme = canvas.theme();
    let micro = theme.glyph("\u{b5}s", "us");
    let mut line = Line::from(vec![
        canvas.span(theme.glyph("\u{2260} ", "! "), Role::Changed),
        canvas.mark(first.evidence),
        canvas.span(format!(" {:NAMES$} ", "time, median"), Role::Strong),
    ]);
    for timing in [first, second] {
        let text = time_text(timing.median_ms, micro);
        line.push_span(canvas.span(format!("{text:>NUMBERS$}"), Role::Strong));
    }
    let factor = ratio(theme.times(), first.median_ms, second.median_ms);
    line.push_span(canvas.span(format!("   {factor}"), Role::Changed));
    Some(line)
}

fn draw_sources(canvas: &mut Canvas, area: Rect, comparison: &CellComparison, sides: [Side; 2]) {
    let halves = [Constraint::Fill(1), Constraint::Fill(1)];
    let areas: [Rect; 2] = Split::horizontal(halves).areas(area);
    // Both texts in rows of the narrower half, so that they stay beside each other.
    let width = usize::from(area.width / 2).saturating_sub(2);
    let columns = columns(canvas, sides, width);
    let extent = Extent {
        content: columns[0].len(),
        visible: usize::from(area.height.saturating_sub(2)),
    };
    canvas.drawn.seen.comparison[1] = extent;
    let scroll = comparison.scroll[1].min(extent.max_scroll());
    let one = canvas.drawn.seen.layout == Layout::One;
    for ((side, half), column) in areas.into_iter().enumerate().zip(columns) {
        let name = canvas.text(format!(" {} ", sides[side].0.id), Role::Heading);
        // Both texts scroll together: one of them says which part is on screen.
        let (title, foot) = match side {
            0 if one => (parts(canvas, half, comparison), Line::default()),
            0 => Default::default(),
            _ => (Line::default(), canvas.position(scroll, extent)),
        };
        let pane = Pane {
            title,
            note: name,
            foot,
            focused: comparison.sources,
        };
        let inner = canvas.pane(half, pane);
        canvas.lines(inner, column.into_iter().skip(scroll));
    }
}

/// Both texts in rows of `width` cells, what is the same beside each other.
fn columns(canvas: &Canvas, sides: [Side; 2], width: usize) -> [Vec<Line<'static>>; 2] {
    let files = sides.map(|(cell, _)| &cell.source);
    let texts = files.map(|file| CodeText::of(canvas, file));
    let mut columns = [Vec::new(), Vec::new()];
    // Of two languages no line is the other's: each text stands whole, and nothing is marked.
    let is_marked = is_python(files[0].name()) == is_python(files[1].name());
    let rows = match is_marked {
        true => diff(files[0].text(), files[1].text()),
        false => line_by_line(files.map(|file| file.text().lines().count())),
    };
    for row in rows {
        let lines = [0, 1].map(|side| {
            let text = &texts[side];
            lines(canvas, text, &row, row.lines[side], is_marked, width)
        });
        let height = lines.iter().map(Vec::len).max().unwrap_or(0);
        for (column, mut lines) in columns.iter_mut().zip(lines) {
            lines.resize(height, Line::default());
            column.extend(lines);
        }
    }
    columns
}

/// Two texts of so many lines, the first line beside the first.
fn line_by_line(counts: [usize; 2]) -> Vec<DiffRow> {
    let rows = (0..counts[0].max(counts[1])).map(|at| DiffRow {
        lines: counts.map(|count| (at < count).then_some(at)),
        same: false,
    });
    rows.collect()
}

/// The rows of a line of one text: coloured and marked where it differs, dim where it is the same.
fn lines(
    canvas: &Canvas,
    text: &CodeText,
    row: &DiffRow,
    at: Option<usize>,
    is_marked: bool,
    width: usize,
) -> Vec<Line<'static>> {
    let theme = canvas.theme();
    let Some(at) = at else {
        return Vec::new();
    };
    let (mark, role) = match row.same || !is_marked {
        true => (" ", Role::Muted),
        false => (theme.glyph("\u{258c}", "!"), Role::Changed),
    };
    let code = text.rows(at, width.saturating_sub(5), theme);
    let rows = code.into_iter().enumerate().map(|(part, code)| {
        let number = match part {
            0 => format!("{:>3} ", at + 1),
            _ => "    ".to_owned(),
        };
        let mut line = Line::from(vec![
            Span::styled(mark, theme.style(role)),
            canvas.span(number, Role::Muted),
        ]);
        match row.same {
            true => line.push_span(canvas.span(code.to_string(), Role::Muted)),
            false => line.spans.extend(code.spans),
        }
        line
    });
    rows.collect()
}
