//! A prediction: the question, the learner's answer, and what the run says to it.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::run::{plan, verdicts};
use super::{TextRow, kernel};
use crate::app::keys::key_of;
use crate::app::state::{
    Action, CellState, Context, Model, PredictionAction, PredictionState, PromptKind, Reveal,
    RunState, Stage,
};
use crate::app::view::widgets::{Canvas, Pane, inset};
use crate::device::{Gpu, grouped};
use crate::document::{Role, Room, pad};
use crate::lesson::{
    Cell, Formula, Guess, GuessDistance, PredictionCell, RightAnswer, RunCell, ShownCode, Sizes,
    times,
};

/// Cells of the bars that compare an answer with what is right.
const BAR_WIDTH: usize = 24;
/// The same where there is little room.
const LEAST_BAR: usize = 8;
/// Width of what stands before the bars.
const LABEL_WIDTH: usize = 12;

/// The question of `cell`, what may be answered and what was, in lines of `width` cells. Where the page has code its picture
/// has the answer's bars, else they stand here.
pub(crate) fn rows(
    canvas: &Canvas,
    model: &Model,
    cell: &PredictionCell,
    state: &PredictionState,
    width: usize,
) -> Vec<TextRow> {
    let question = cell
        .question
        .at(&cell.complete(&model.settings.sizes), model.gpu_in_use());
    // An answer that was given stays readable at sizes at which nobody would ask.
    if let (Err(why), Stage::Open) = (model.is_asked(cell), state.stage) {
        let lines = canvas.paragraph(&format!("{why}."), Role::Muted, width, 0);
        return lines.into_iter().map(TextRow::from).collect();
    }
    let mut rows = TextRow::rendered(canvas, &question, width);
    rows.extend(choices(canvas, model, cell, state));
    let answer = match state.stage {
        Stage::Open => open(canvas, model, cell, width),
        Stage::Held => waiting_lines(canvas, model, state),
        // Beside code there is a pane for it; alone it stands under the question.
        Stage::Revealed if model.shown_code().is_none() => {
            revealed(canvas, model, cell, state, width)
        }
        Stage::Revealed => Vec::new(),
    };
    rows.extend(answer.into_iter().map(TextRow::from));
    let explanation = explanation(canvas, model, cell, state, width);
    if !explanation.is_empty() {
        rows.push(TextRow::default());
        rows.extend(explanation);
    }
    rows
}

/// Why the right answer is right, once it is known.
pub(crate) fn explanation(
    canvas: &Canvas,
    model: &Model,
    cell: &PredictionCell,
    state: &PredictionState,
    width: usize,
) -> Vec<TextRow> {
    let (Stage::Revealed, Reveal::Known(truth)) = (state.stage, model.reveal(cell)) else {
        return Vec::new();
    };
    let explain = cell.explain.at(&truth.sizes, truth.gpu);
    TextRow::rendered(canvas, &explain, width)
}

/// Draws the picture beside the question: the launch that it asks about, and the answer held against what is right.
pub(crate) fn draw(
    canvas: &mut Canvas,
    area: Rect,
    model: &Model,
    cell: &PredictionCell,
    state: &PredictionState,
) {
    let is_revealed = state.stage == Stage::Revealed;
    let asked = asked_run(model, cell);
    // What no run launches has no plan.
    if let (false, None, Some(ShownCode::Kernel(read))) = (is_revealed, asked, model.shown_code()) {
        return kernel::draw_facts(canvas, area, read);
    }
    let title = if is_revealed {
        " Your answer "
    } else {
        " As planned "
    };
    let pane = Pane {
        title: canvas.text(title, Role::Strong),
        ..Pane::default()
    };
    let inner = inset(canvas.region(area, pane), 1);
    let mut lines = Vec::new();
    if is_revealed {
        lines.extend(revealed(canvas, model, cell, state, inner.width.into()));
        lines.push(Line::default());
    }
    if let Some((run, state)) = asked {
        let room = Room {
            width: inner.width.into(),
            height: usize::from(inner.height).saturating_sub(lines.len()),
        };
        lines.extend(plan::lines(canvas, run, state, room));
    }
    canvas.lines(inner, lines);
}

/// The run whose launch stands beside the question: that of the code on screen, else the one that is asked about or that
/// launches the kernel on screen, which may come on a later page.
fn asked_run<'m>(model: &'m Model, cell: &PredictionCell) -> Option<(&'m RunCell, &'m RunState)> {
    let shown = model.shown_code();
    let mut runs = model
        .lesson
        .cells
        .iter()
        .zip(&model.cells)
        .filter_map(|pair| match pair {
            (Cell::Run(run), CellState::Run(state)) => Some((&**run, &**state)),
            _ => None,
        });
    match (shown, cell.runs()) {
        (Some(ShownCode::Run(_, shown)), _) => runs.find(|(run, _)| run.id == shown.id),
        (_, Some(asked)) => runs.find(|(run, _)| run.id == asked),
        (Some(ShownCode::Kernel(read)), None) => runs.find(|(_, state)| {
            let plan = state.plan.as_ref();
            plan.is_ok_and(|plan| {
                plan.launches
                    .iter()
                    .any(|launch| launch.kernel == read.facts.kernel)
            })
        }),
        (None, None) => None,
    }
}

/// Each choice with its value, and a click that chooses it; once it may be seen, what is right and what was chosen.
fn choices(
    canvas: &Canvas,
    model: &Model,
    cell: &PredictionCell,
    state: &PredictionState,
) -> Vec<TextRow> {
    let truth = match (state.stage, model.reveal(cell)) {
        (Stage::Revealed, Reveal::Known(truth)) => Some(truth),
        _ => None,
    };
    // What was asked is answered at those sizes, though others may be chosen now.
    let (sizes, gpu) = match &truth {
        Some(truth) => (truth.sizes.clone(), truth.gpu),
        None => (cell.complete(&model.settings.sizes), model.gpu_in_use()),
    };
    let choices = cell.choices.iter();
    let texts: Vec<[String; 2]> = choices
        .map(|choice| cell.choice_text(choice, &sizes, gpu))
        .collect();
    // Values stand in a column of their own, to be compared at a glance.
    let widest = texts.iter().map(|[text, _]| text.chars().count());
    let widest = widest.max().unwrap_or(0);
    // An answer that was given is not changed by a click.
    let is_open = state.stage == Stage::Open;
    let rows = texts.iter().enumerate().map(|(at, [text, value])| {
        let right = cell.choices[at].evaluate(&sizes, gpu).ok();
        let right = truth.as_ref().zip(right);
        let is_right = right.is_some_and(|(truth, value)| truth.accepts(value));
        let text = pad(text, widest, canvas.theme());
        let select = Action::Prediction(PredictionAction::SelectChoice(at));
        TextRow {
            line: choice_line(canvas, state, at, truth.is_some(), is_right, [&text, value]),
            action: is_open.then_some(select),
        }
    });
    rows.collect()
}

/// A choice by its text and value. What is right is marked only once it is known.
fn choice_line(
    canvas: &Canvas,
    state: &PredictionState,
    at: usize,
    is_known: bool,
    is_right: bool,
    [text, value]: [&str; 2],
) -> Line<'static> {
    let theme = canvas.theme();
    let answered = state.stage != Stage::Open;
    let bullet = theme.glyph("\u{2022}", "-");
    // Whoever had it shown without an answer has chosen nothing, wherever the arrow was.
    let chosen = state.choice == Some(at) && (!answered || state.given.is_some());
    let (mark, mark_role) = match (is_known, is_right, chosen) {
        (true, true, _) => (theme.check(), Role::Good),
        (true, false, true) => (theme.cross(), Role::Bad),
        (false, _, true) => (theme.glyph("\u{25b8}", ">"), Role::Accent),
        _ => (bullet, Role::Muted),
    };
    let role = match (chosen, is_right) {
        (_, true) => Role::Good,
        (true, _) => Role::Strong,
        _ if answered => Role::Muted,
        _ => Role::Text,
    };
    let yours = if chosen && answered {
        "  your answer"
    } else {
        ""
    };
    Line::from(vec![
        canvas.span(pad(mark, 3, theme), mark_role),
        canvas.span(text, role),
        canvas.span(format!("  {value}"), Role::Muted),
        canvas.span(yours, Role::Strong),
    ])
}

/// Where the answer is typed, and how else to go on.
fn open(canvas: &Canvas, model: &Model, cell: &PredictionCell, width: usize) -> Vec<Line<'static>> {
    let key = |key: &'static str| canvas.span(key, Role::Key);
    let word = |text: &str| canvas.span(text, Role::Muted);
    let skip = Action::Prediction(PredictionAction::Skip);
    let skip = key_of(&skip, Context::Prediction, canvas.theme());
    let mut lines = Vec::new();
    if cell.choices.is_empty() {
        lines.extend(field(canvas, model, cell, width));
        lines.push(Line::from(vec![key("enter"), word(" answers")]));
    } else {
        let arrows = canvas.theme().glyph("\u{2191}\u{2193}", "up/down");
        lines.push(Line::from(vec![
            canvas.span(arrows, Role::Key),
            word(" choose, "),
            key("enter"),
            word(" answers"),
        ]));
    }
    if let Some(line) = lines.last_mut() {
        line.spans.extend([
            word(", "),
            canvas.span(skip, Role::Key),
            word(" shows the answer"),
        ]);
    }
    lines
}

/// The answer as it is typed, and below it what is wrong with it, or what may be typed.
fn field(
    canvas: &Canvas,
    model: &Model,
    cell: &PredictionCell,
    width: usize,
) -> Vec<Line<'static>> {
    let prompt = model.popups.prompt.as_ref();
    let typed = prompt.filter(|prompt| prompt.kind == PromptKind::Prediction);
    let mut lines = Vec::new();
    let input = typed.map_or_else(|| " ".repeat(16), |prompt| format!("{}_", prompt.input));
    lines.push(Line::from(vec![
        canvas.span("Your answer ", Role::Strong),
        canvas.span("[ ", Role::Accent),
        canvas.span(input, Role::Selection),
        canvas.span(" ]", Role::Accent),
    ]));
    match typed.and_then(|prompt| prompt.error.as_ref()) {
        Some(error) => {
            let text = format!("{} {error}", canvas.theme().cross());
            lines.extend(canvas.paragraph(&text, Role::Bad, width, 0));
        }
        None => {
            lines.push(canvas.text(expected(model, cell), Role::Muted));
        }
    }
    lines
}

/// What may be typed: a number, or a formula of the sizes that the question goes by.
fn expected(model: &Model, cell: &PredictionCell) -> String {
    let names = model.lesson.sizes.iter().map(|size| size.name.as_str());
    // Only those that the answer depends on: a list of all sizes would be a riddle, not a hint.
    let names: Vec<&str> = names.filter(|name| cell.uses.contains(*name)).collect();
    let number = "a number such as 7.1M or 7,122,461";
    match names.is_empty() {
        true => number.to_owned(),
        false => format!("{number}, or a formula of {}", names.join(", ")),
    }
}

fn waiting_lines(canvas: &Canvas, model: &Model, state: &PredictionState) -> Vec<Line<'static>> {
    let given = state.given.as_ref();
    let given = given.map_or_else(
        || "none".to_owned(),
        |given| guess_text(given, &model.settings.sizes, model.gpu_in_use()),
    );
    vec![
        Line::from(vec![
            canvas.span(
                pad("Your answer", LABEL_WIDTH, canvas.theme()),
                Role::Strong,
            ),
            canvas.span(given, Role::Text),
        ]),
        canvas.keys(&[("enter", " reveals the answer")]),
    ]
}

/// `5MN + 2M = 7,122,461`, or the number alone.
fn guess_text(guess: &Guess, sizes: &Sizes, gpu: &Gpu) -> String {
    let value = grouped(guess.value(sizes, gpu));
    match &guess.formula {
        Some(formula) => format!("{} = {value}", formula.textbook()),
        None => value,
    }
}

fn revealed(
    canvas: &Canvas,
    model: &Model,
    cell: &PredictionCell,
    state: &PredictionState,
    width: usize,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    match model.reveal(cell) {
        Reveal::Known(truth) => lines.extend(known(canvas, cell, state, &truth, width)),
        Reveal::Running(done, blocks) => {
            let share = done as f64 / blocks.max(1) as f64;
            let [full, empty] = canvas.gauge(share, BAR_WIDTH);
            let id = cell.runs().unwrap_or_default();
            lines.extend(waiting_lines(canvas, model, state).into_iter().take(1));
            lines.push(Line::from(vec![
                canvas.span(format!("{id} runs "), Role::Accent),
                full,
                empty,
                // Rounded down: 100 % while blocks still run would be wrong.
                canvas.span(format!(" {:>3.0} %", (share * 100.0).floor()), Role::Strong),
            ]));
        }
        Reveal::Missing(why) => {
            lines.extend(waiting_lines(canvas, model, state).into_iter().take(1));
            let text = format!("{} {why}", canvas.theme().cross());
            lines.extend(canvas.paragraph(&text, Role::Bad, width, 0));
            lines.push(canvas.keys(&[("enter", " runs it")]));
        }
    }
    lines
}

/// The answer beside what is right, and why that is right.
fn known(
    canvas: &Canvas,
    cell: &PredictionCell,
    state: &PredictionState,
    truth: &RightAnswer,
    width: usize,
) -> Vec<Line<'static>> {
    let mut lines = bars(canvas, cell, state, truth, width);
    lines.extend(verdict(canvas, cell, state, truth, width));
    lines
}

/// A bar and its formula: beside it, or below where there is no room.
fn with_formula(
    canvas: &Canvas,
    mut line: Line<'static>,
    formula: Option<&Formula>,
    width: usize,
) -> Vec<Line<'static>> {
    let Some(text) = formula.map(Formula::textbook) else {
        return vec![line];
    };
    let beside = canvas.span(format!(" = {text}"), Role::Muted);
    if line.width() + beside.width() <= width {
        line.push_span(beside);
        return vec![line];
    }
    let below = verdicts::formula_below(canvas, &text, LABEL_WIDTH, width);
    [line].into_iter().chain(below).collect()
}

/// Cells of a bar with `number` behind it: a narrow pane takes its room from the bar.
fn bar_cells(width: usize, number: &str) -> usize {
    let room = width.saturating_sub(LABEL_WIDTH + 2 + number.chars().count());
    BAR_WIDTH.min(room.max(LEAST_BAR))
}

/// The answer and what is right, as two bars of one scale.
fn bars(
    canvas: &Canvas,
    cell: &PredictionCell,
    state: &PredictionState,
    truth: &RightAnswer,
    width: usize,
) -> Vec<Line<'static>> {
    let given = state.given.as_ref();
    let given = given.map(|guess| (guess.value(&truth.sizes, truth.gpu), guess));
    let largest = given.map_or(0, |given| given.0).max(truth.value).max(1);
    let cells = bar_cells(width, &(grouped(largest) + cell.unit()));
    let bar = |label: &str, value: u64, formula: Option<&Formula>, role: Role| {
        let share = value as f64 / largest as f64;
        let [full, empty] = canvas.gauge(share, cells);
        let line = Line::from(vec![
            canvas.span(pad(label, LABEL_WIDTH, canvas.theme()), Role::Strong),
            full.style(canvas.theme().style(role)),
            empty,
            Span::raw("  "),
            canvas.span(grouped(value) + cell.unit(), Role::Strong),
        ]);
        with_formula(canvas, line, formula, width)
    };
    let yours = given.map(|(value, guess)| {
        let formula = guess.formula.as_ref();
        bar("Your answer", value, formula, Role::Accent)
    });
    let word = truth.evidence.word();
    let label = word[..1].to_uppercase() + &word[1..];
    let right = bar(&label, truth.value, truth.formula.as_ref(), Role::Good);
    yours.into_iter().flatten().chain(right).collect()
}

/// How far the answer is off, and whose count it is.
fn verdict(
    canvas: &Canvas,
    cell: &PredictionCell,
    state: &PredictionState,
    truth: &RightAnswer,
    width: usize,
) -> Vec<Line<'static>> {
    let theme = canvas.theme();
    let whose = match cell.at(&truth.sizes).as_str() {
        "" => cell.subject(),
        at => format!("{} at {at}", cell.subject()),
    };
    let mut lines = canvas.paragraph(&whose, Role::Muted, width, LABEL_WIDTH);
    if let Some(guess) = &state.given {
        let gap = GuessDistance::new(guess, truth);
        let (mark, role) = match gap.is_right {
            true => (theme.check(), Role::Good),
            false => (theme.cross(), Role::Warning),
        };
        lines.push(Line::default());
        lines.push(canvas.text(format!("{mark} {}", gap_text(gap)), role));
    }
    lines
}

/// `too low by 2,122,461: what is right is 1.42× as much`.
fn gap_text(gap: GuessDistance) -> String {
    if gap.is_right {
        return gap.verdict().to_owned();
    }
    let difference = grouped(gap.guess.abs_diff(gap.truth));
    let factor = gap.factor().map(|factor| match gap.guess < gap.truth {
        true => format!(": the answer is {} as much", times(factor)),
        false => format!(": {} the answer", times(factor)),
    });
    format!(
        "{} by {difference}{}",
        gap.verdict(),
        factor.unwrap_or_default()
    )
}
