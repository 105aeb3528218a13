//! The PTX of a kernel, each stretch of it under the source line it comes from, and what it takes of an SM. Of a kernel of
//! tiles, what one thread does, and what the compiler knew.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::state::{Extent, Model, RunState};
use crate::app::view::widgets::{Canvas, below, inset, quoted_line};
use crate::device::grouped;
use crate::document::{Role, fold, styled};
use crate::launch::{CompileReport, Engine, PtxLine, TileProgram, resources};
use crate::lesson::RunCell;
use crate::source::{SourceFile, is_python};

/// Rows from which what is known of the whole kernel stays above its listing.
const ROOMY: u16 = 14;

/// Whose PTX it is, for the frame's edge.
pub(crate) fn scope(canvas: &Canvas, state: &RunState) -> Line<'static> {
    if let Some((kernel, _)) = state.tiles() {
        return canvas.text(format!(" one thread of {kernel} "), Role::Muted);
    }
    let ran = state.ran.as_deref();
    let launch = state.compiled().and_then(|(launch, _)| {
        let launches = &ran?.result.outcome.launches;
        Some(format!(" {} ", launches.get(launch)?.kernel))
    });
    canvas.text(launch.unwrap_or_default(), Role::Muted)
}

/// Which line of it is looked at, for the frame's edge.
pub(crate) fn place(canvas: &Canvas, state: &RunState) -> Line<'static> {
    let text = state.ptx().map_or_else(String::new, |(lines, at)| {
        let (at, all) = (grouped(at as u64 + 1), grouped(lines.len() as u64));
        format!(" {at} of {all} ")
    });
    canvas.text(text, Role::Muted)
}

/// A row of the pane: of a heading, or of a line of PTX, which may take several.
struct ListingRow {
    /// The line of the source that it comes from.
    source_line: Option<u32>,
    /// The line of PTX, by its index.
    ptx: Option<usize>,
    content: Line<'static>,
}

/// Draws the PTX of the launch on screen, the line that is looked at in the middle.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &RunCell,
    state: &RunState,
) {
    let area = inset(area, 1);
    let head = match (state.tiles(), state.compiled()) {
        (Some((_, tiles)), _) => facts(canvas, tiles, area.width.into()),
        (None, Some((_, report))) => head(canvas, report, area.width.into()),
        (None, None) => return nothing(canvas, area, model),
    };
    let Some((lines, at)) = state.ptx() else {
        return nothing(canvas, area, model);
    };
    let ran = state.ran.as_ref();
    let file = ran.map_or(&cell.source, |ran| ran.file(0, cell));
    let room = usize::from(area.width.saturating_sub(1));
    let mut rows = rows(canvas, file, &lines, room);
    let body = draw_head(canvas, area, head, &mut rows);
    let extent = Extent {
        content: rows.len(),
        visible: body.height.into(),
    };
    canvas.drawn.seen.ptx = extent;
    let scroll = first_row(&rows, at, extent.visible).min(extent.max_scroll());
    draw_rows(canvas, body, rows.into_iter().skip(scroll), &lines, at);
}

/// Draws what is known of the whole kernel above its listing, or makes it the first of `rows` where there is no room for both;
/// what is left for the rows.
fn draw_head(
    canvas: &mut Canvas,
    area: Rect,
    head: Vec<Line<'static>>,
    rows: &mut Vec<ListingRow>,
) -> Rect {
    if area.height >= ROOMY {
        let body = below(area, head.len() as u16 + 1);
        canvas.lines(area, head);
        return body;
    }
    let head = head.into_iter().map(|content| ListingRow {
        source_line: None,
        ptx: None,
        content,
    });
    // Where rows are few the head scrolls away with the listing.
    rows.splice(0..0, head);
    area
}

fn draw_rows(
    canvas: &mut Canvas,
    body: Rect,
    rows: impl Iterator<Item = ListingRow>,
    lines: &[PtxLine],
    at: usize,
) {
    for (place, row) in body.rows().zip(rows) {
        // All that comes from the source line of the chosen row, wherever the compiler has put it.
        let is_current = row.source_line.is_some() && row.source_line == lines[at].line;
        let mut line = bar(canvas, is_current);
        line.spans.extend(row.content.spans);
        canvas.line(place, line);
        if row.ptx == Some(at) {
            canvas.restyle(place, Role::CurrentRow);
        }
    }
}

/// The first row on screen: all that comes from the chosen line's statement is, if it fits; of more, what stands around the
/// chosen line, so that what comes next can be read before it is chosen.
fn first_row(rows: &[ListingRow], at: usize, visible: usize) -> usize {
    let Some(chosen) = rows.iter().position(|row| row.ptx == Some(at)) else {
        return 0;
    };
    if at == 0 {
        return 0;
    }
    let source_line = rows[chosen].source_line;
    let is_other = |row: &ListingRow| row.source_line != source_line;
    let start = rows[..chosen].iter().rposition(is_other);
    let start = start.map_or(0, |before| before + 1);
    let end = rows[chosen..].iter().position(is_other);
    let end = end.map_or(rows.len(), |rest| chosen + rest);
    match visible.checked_sub(end - start) {
        // With room left over, as much stands above the stretch as below it.
        Some(spare) => start.saturating_sub(spare / 2),
        None => {
            // Longer than the pane: the chosen row in the middle, but no row of another line while some of this one are
            // left out.
            let middle = chosen.saturating_sub(visible / 2);
            middle.clamp(start, end - visible)
        }
    }
}

/// A bar runs along all that comes from the source line of the chosen PTX.
fn bar(canvas: &Canvas, is_current: bool) -> Line<'static> {
    let glyph = canvas.theme().glyph("\u{258c}", "|");
    Line::from(match is_current {
        true => canvas.span(glyph, Role::CurrentLine),
        false => Span::raw(" "),
    })
}

/// What is known of the arguments: those of which the same is known on one line.
fn facts(canvas: &Canvas, tiles: &TileProgram, width: usize) -> Vec<Line<'static>> {
    let mut explained: Vec<(Vec<&str>, &str)> = Vec::new();
    for fact in &tiles.facts {
        let (name, what) = fact.split_once(": ").unwrap_or(("", fact));
        match explained.iter_mut().find(|(_, same)| *same == what) {
            Some((names, _)) => names.push(name),
            None => explained.push((vec![name], what)),
        }
    }
    let lines = explained.into_iter().map(|(names, what)| {
        Line::from(vec![
            canvas.span(names.join(", "), Role::Strong),
            canvas.span(format!(": {what}"), Role::Muted),
        ])
    });
    lines.flat_map(|line| fold(line, width)).collect()
}

/// Registers, occupancy and what limits it, in lines of `width` cells; spilled registers stand out.
fn head(canvas: &Canvas, report: &CompileReport, width: usize) -> Vec<Line<'static>> {
    let [registers, occupancy, limit] = resources(report);
    let role = match report.local_bytes {
        0 => Role::Text,
        _ => Role::Warning,
    };
    let head = [
        (registers, role),
        (occupancy, Role::Text),
        (limit, Role::Muted),
    ];
    let head = head.map(|(text, role)| canvas.text(text, role));
    let head = head.into_iter().flat_map(|line| fold(line, width));
    head.filter(|line| line.width() > 0).collect()
}

/// Says that there is none yet, and what gives it.
fn nothing(canvas: &mut Canvas, area: Rect, model: &Model) {
    let (key, what) = match model.settings.engine {
        Engine::Sim => (":", " and \u{201c}real GPU\u{201d}: runs cells on one, too"),
        Engine::Gpu => ("enter", " runs this cell"),
    };
    let lines = [
        canvas.text("No PTX yet: a real GPU's compiler makes it.", Role::Muted),
        Line::default(),
        canvas.keys(&[(key, what)]),
        canvas.text("`tutor doctor` says whether there is one", Role::Muted),
    ];
    canvas.lines(area, lines);
}

/// Each stretch that comes from one line of the source, under a heading, in rows of `width` cells.
fn rows(canvas: &Canvas, file: &SourceFile, lines: &[PtxLine], width: usize) -> Vec<ListingRow> {
    // What one thread of a Triton kernel does is CUDA C++.
    let coloured = is_python(file.name()).then(|| {
        let text: Vec<&str> = lines.iter().map(|line| &*line.text).collect();
        canvas.painter.highlighter.text(&text.join("\n"))
    });
    let mut rows = Vec::new();
    let mut push = |source_line, ptx, line| {
        rows.extend(fold(line, width).into_iter().map(|content| ListingRow {
            source_line,
            ptx,
            content,
        }));
    };
    let mut last = None;
    for (index, line) in lines.iter().enumerate() {
        // The compiler goes back and forth between lines: each stretch gets a heading of its own.
        if last != Some(line.line) {
            push(line.line, None, heading(canvas, file, line.line));
            last = Some(line.line);
        }
        let content = match &coloured {
            Some(pieces) => styled(&line.text, &pieces[index], canvas.theme()),
            None => ptx_line(canvas, line),
        };
        push(line.line, Some(index), content);
    }
    rows
}

fn heading(canvas: &Canvas, file: &SourceFile, line: Option<u32>) -> Line<'static> {
    match line {
        Some(line) => quoted_line(canvas, file, line),
        None if is_python(file.name()) => canvas.text("around the program", Role::Muted),
        None => canvas.text("parameters and registers", Role::Muted),
    }
}

/// A line of PTX, its first word marked.
fn ptx_line(canvas: &Canvas, line: &PtxLine) -> Line<'static> {
    let text = &line.text;
    let start = text.len() - text.trim_start().len();
    let end = text[start..].find(' ').map_or(text.len(), |at| start + at);
    let role = match text[start..].chars().next() {
        // Directives and frames of the text; what executes is lit. `$L__BB0_2` is a label, `//` a comment.
        Some('.' | '{' | '}' | '(' | ')') => Role::Muted,
        Some('$') => Role::Keyword,
        Some('/') => Role::Comment,
        _ => Role::Function,
    };
    let rest = match role {
        Role::Muted | Role::Comment => role,
        _ => Role::Text,
    };
    Line::from(vec![
        Span::raw(format!("  {}", &text[..start])),
        canvas.span(&text[start..end], role),
        canvas.span(&text[end..], rest),
    ])
}
