//! The occupancy calculator: what goes in, how full an SM gets, what limits it, and what if.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::state::{Action, CalculatorAction, CalculatorState, Model, PromptKind};
use crate::app::view::widgets::{Canvas, Pane, inset};
use crate::device::{Limit, Occupancy, counted, grouped, occupancy_text};
use crate::document::{Role, Room, pad, slots_lines};
use crate::lesson::{CalculatorCell, Input, Inputs};

/// Width of the names of inputs, of their values, and of the limits' names.
const NAME_WIDTH: usize = 25;
const VALUE_WIDTH: usize = 10;
/// Where strips begin: behind the pointer, the name, the value, and a gap.
const STRIP_START: usize = 2 + NAME_WIDTH + VALUE_WIDTH + 2;
/// Most points of a strip.
const STRIP_WIDTH: usize = 40;
/// Height from which there is room for a mark under each strip.
const ROOMY: u16 = 18;

/// Draws `cell`.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &CalculatorCell,
    state: &CalculatorState,
) {
    let pane = Pane {
        title: canvas.text(format!(" {} ", cell.title), Role::Strong),
        focused: true,
        ..Pane::default()
    };
    let page = inset(canvas.region(area, pane), 1);
    let points = points(page.width.into());
    let strips = Input::ALL.map(|input| state.inputs.strip(input, points));
    let mut lines = lines(canvas, model, state, &strips, page);
    if lines.len() > usize::from(page.height) {
        // On a low terminal the empty lines are what can be spared.
        lines.retain(|(line, _)| line.width() > 0);
    }
    for (row, (line, input)) in page.rows().zip(lines) {
        canvas.line(row, line);
        if let Some(input) = input {
            let select = CalculatorAction::SelectInput(input);
            canvas.click(row, Action::Calculator(select));
            click_strip(canvas, row, input, &strips[input]);
        }
    }
}

/// A value of an input, and the occupancy there.
type Point = (u32, Occupancy);

/// The inputs, each line with the one that it is of; and below them what follows from all.
fn lines(
    canvas: &Canvas,
    model: &Model,
    state: &CalculatorState,
    strips: &[Vec<Point>],
    page: Rect,
) -> Vec<(Line<'static>, Option<usize>)> {
    let found = state.inputs.occupancy();
    let mut lines = vec![(Line::default(), None)];
    for (at, (&input, strip)) in Input::ALL.iter().zip(strips).enumerate() {
        let mut line = input_line(canvas, model, state, input, at == state.chosen);
        let under = match input {
            Input::ComputeCapability => {
                push_gpus(canvas, &mut line, &state.inputs, page.width.into());
                None
            }
            _ => push_strip(canvas, &mut line, state, input, strip, page.height < ROOMY),
        };
        lines.extend([line].into_iter().chain(under).map(|line| (line, Some(at))));
    }
    let blank = Line::default;
    let summary = summary(canvas, &state.inputs, &found, page);
    let notes = [
        vec![blank(), summary],
        slots(canvas, &state.inputs, &found, page),
        vec![blank()],
        limits(canvas, &found, page),
        vec![blank()],
        allocation(canvas, &state.inputs, &found, page),
    ];
    lines.extend(notes.into_iter().flatten().map(|line| (line, None)));
    lines
}

/// Points of a strip that fit.
fn points(width: usize) -> usize {
    width.saturating_sub(STRIP_START).min(STRIP_WIDTH)
}

/// A click on a strip takes the value that it shows there.
fn click_strip(canvas: &mut Canvas, row: Rect, input: usize, strip: &[Point]) {
    for (at, &(value, _)) in strip.iter().enumerate() {
        let set = Action::Calculator(CalculatorAction::SetInput(input, value));
        canvas.click_at_column(row, STRIP_START + at, 1, set);
    }
}

/// The architecture, and as many of its GPUs as have room: a name that is cut is none.
fn push_gpus(canvas: &Canvas, line: &mut Line<'static>, inputs: &Inputs, width: usize) {
    let room = width.saturating_sub(line.width());
    let gpus: Vec<&str> = inputs.gpus().map(|gpu| &*gpu.name).collect();
    let architecture: &str = &inputs.limits.architecture;
    let all = [&[architecture], &gpus[..]].concat().join(", ");
    if all.len() <= room || gpus.is_empty() {
        return line.push_span(canvas.span(all, Role::Muted));
    }
    // Where not all fits, the GPUs say more than the name of their generation.
    let mut names = String::new();
    for gpu in gpus {
        let gap = if names.is_empty() { "" } else { ", " };
        // The next one may be shorter: each name is tried.
        if names.len() + gap.len() + gpu.len() <= room {
            names += gap;
            names += gpu;
        }
    }
    line.push_span(canvas.span(names, Role::Muted));
}

/// The input's strip behind its value; in a line of its own the mark of where on it the value is, unless rows are few.
fn push_strip(
    canvas: &Canvas,
    line: &mut Line<'static>,
    state: &CalculatorState,
    input: Input,
    strip: &[Point],
    is_tight: bool,
) -> Option<Line<'static>> {
    let chosen = Input::ALL.get(state.chosen) == Some(&input);
    // A strip has fewer points than the input has values: the mark is at the first that reaches the value.
    // The first that is not below it.
    let near = strip
        .iter()
        .position(|&(at, _)| at >= state.inputs.value(input));
    for (at, (_, found)) in strip.iter().enumerate() {
        // Without a row for the mark under the strip, the point itself is marked.
        let is_here = is_tight && near == Some(at);
        line.push_span(strip_point(canvas, found, is_here, chosen));
    }
    let before = STRIP_START + near.unwrap_or(0);
    let mark = canvas.theme().glyph("\u{25b4}", "^");
    (!is_tight).then(|| {
        Line::from(vec![
            Span::raw(" ".repeat(before)),
            canvas.span(mark, Role::Strong),
        ])
    })
}

/// The name and value of an input, behind which its strip goes.
fn input_line(
    canvas: &Canvas,
    model: &Model,
    state: &CalculatorState,
    input: Input,
    chosen: bool,
) -> Line<'static> {
    let value = value_text(model, state, input);
    let role = if chosen { Role::Strong } else { Role::Text };
    Line::from(vec![
        canvas.pointer(chosen),
        canvas.span(" ", Role::Accent),
        canvas.span(pad(input.name(), NAME_WIDTH, canvas.theme()), role),
        canvas.span(format!("{value:>VALUE_WIDTH$}"), role),
        Span::raw("  "),
    ])
}

/// The value of an input, or what is being typed for it.
fn value_text(model: &Model, state: &CalculatorState, input: Input) -> String {
    let prompt = model.popups.prompt.as_ref();
    let typed = prompt.filter(|prompt| prompt.kind == PromptKind::Input(input));
    match (typed, input) {
        (Some(prompt), _) => format!("{}_", prompt.input),
        (None, Input::ComputeCapability) => state.inputs.limits.cc.clone(),
        (None, input) => grouped(u64::from(state.inputs.value(input))),
    }
}

/// The occupancy at one value of an input; a dot where the launch is refused.
fn strip_point(canvas: &Canvas, found: &Occupancy, is_here: bool, chosen: bool) -> Span<'static> {
    let bar = match found.blocks {
        0 => canvas.theme().dot(),
        _ => canvas.theme().bar(found.fraction),
    };
    let role = match (is_here, chosen) {
        (true, _) => Role::Selection,
        (false, true) => Role::Accent,
        (false, false) => Role::Muted,
    };
    canvas.span(bar, role)
}

/// Cells of the gauges on `page`.
fn gauge_width(page: Rect) -> usize {
    if page.width < 70 { 6 } else { 16 }
}

fn summary(canvas: &Canvas, inputs: &Inputs, found: &Occupancy, page: Rect) -> Line<'static> {
    let theme = canvas.theme();
    if found.blocks == 0 {
        let text = format!(
            "{} the launch is refused: not one block fits on an SM",
            theme.cross()
        );
        return canvas.text(text, Role::Bad);
    }
    let [full, empty] = canvas.gauge(found.fraction, gauge_width(page));
    let warps = inputs.limits.max_warps_per_sm;
    let blocks = counted(found.blocks.into(), "block");
    Line::from(vec![
        canvas.span(format!("  {blocks} on an SM, "), Role::Strong),
        canvas.span(format!("{} of {warps} warps  ", found.warps), Role::Text),
        full,
        empty,
        canvas.span(format!(" {}", occupancy_text(found.fraction)), Role::Strong),
        canvas.span("  computed", Role::Muted),
    ])
}

/// The SM's warp slots with the blocks that have them.
fn slots(canvas: &Canvas, inputs: &Inputs, found: &Occupancy, page: Rect) -> Vec<Line<'static>> {
    let room = Room {
        width: usize::from(page.width).saturating_sub(2),
        height: page.height.into(),
    };
    let lines = slots_lines(found, inputs.limits.max_warps_per_sm, room, canvas.theme());
    let indented = lines.into_iter().map(|mut line| {
        line.spans.insert(0, Span::raw("  "));
        line
    });
    indented.collect()
}

/// The blocks that each limit allows, the lowest lit.
fn limits(canvas: &Canvas, found: &Occupancy, page: Rect) -> Vec<Line<'static>> {
    let theme = canvas.theme();
    let all = [
        (Limit::Warps, Some(found.limit_warps)),
        (Limit::Registers, found.limit_registers),
        (Limit::Shared, found.limit_shared),
        (Limit::Blocks, Some(found.limit_blocks)),
    ];
    // More blocks than the SM ever holds are as good as no limit.
    let most = found.limit_blocks.max(1);
    let line = |(limit, blocks): (Limit, Option<u32>)| {
        let lowest = found.limiting_factors.contains(&limit);
        let share = blocks.map_or(1.0, |blocks| f64::from(blocks) / f64::from(most));
        let [full, empty] = canvas.gauge(share, gauge_width(page));
        let text = blocks.map_or_else(|| "no limit".to_owned(), |blocks| grouped(blocks.into()));
        let role = if lowest { Role::Warning } else { Role::Muted };
        let limiting = match lowest {
            true => format!("  {} limits", theme.glyph("\u{25c2}", "<")),
            false => String::new(),
        };
        let name = match limit {
            Limit::Blocks => "  blocks at most".to_owned(),
            limit => format!("  blocks by {}", limit.in_words()),
        };
        Line::from(vec![
            canvas.span(
                pad(&name, NAME_WIDTH + 2, theme),
                if lowest { Role::Strong } else { Role::Text },
            ),
            canvas.span(
                format!("{text:>VALUE_WIDTH$}  "),
                if lowest { Role::Strong } else { Role::Text },
            ),
            full.style(canvas.theme().style(role)),
            empty,
            canvas.span(limiting, Role::Warning),
        ])
    };
    all.map(line).to_vec()
}

/// What a block takes, as it is handed out.
fn allocation(
    canvas: &Canvas,
    inputs: &Inputs,
    found: &Occupancy,
    page: Rect,
) -> Vec<Line<'static>> {
    let limits = inputs.limits;
    let number = |value: u32| grouped(u64::from(value));
    let text = format!(
        "A block takes {} registers, handed to each warp in units of {}, and {} bytes of shared memory, {} of them \
         reserved, in units of {}.",
        number(found.registers_per_block),
        number(limits.register_allocation_unit),
        number(found.shared_bytes_per_block),
        number(limits.shared_reserved_per_block_bytes),
        number(limits.shared_allocation_unit_bytes),
    );
    canvas.paragraph(&text, Role::Muted, page.width.into(), 2)
}
