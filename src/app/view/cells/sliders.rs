//! What the learner may change of a run, as sliders: the sizes, block sizes among them, and the GPU.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::state::cells::sizes::places;
use crate::app::state::{Action, Model, PromptKind, RunAction};
use crate::app::view::widgets::{Canvas, inset, top};
use crate::device::{gpu_title, grouped};
use crate::document::{Role, fold};
use crate::launch::Evidence;
use crate::lesson::NamedValue;

/// Cells of a slider.
const TRACK: usize = 13;
/// Cells between two of them.
const GAP: usize = 2;

/// How much there is room for.
#[derive(Clone, Copy)]
struct Form {
    track: bool,
    label: bool,
}

/// All forms, the fullest first. Labels go first, then tracks: the values themselves must stay.
const FORMS: [Form; 4] = [
    Form {
        track: true,
        label: true,
    },
    Form {
        track: true,
        label: false,
    },
    Form {
        track: false,
        label: true,
    },
    LEAST,
];
const LEAST: Form = Form {
    track: false,
    label: false,
};

/// A piece of the row, and what a click on it does.
type Piece = (Span<'static>, Option<Action>);

/// Draws them on the first row of `area`, as fully as there is room, the one that keys change marked.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, model: &Model) {
    let row = top(inset(area, 1), 1);
    let fitting = fitting(canvas, model, row.width);
    let shown = fitting.unwrap_or_else(|| pieces(canvas, model, LEAST));
    draw_pieces(canvas, row, &shown);
}

/// Draws them at the right end of a row that has something else too, if they have room there; whether they had.
pub(crate) fn draw_beside(canvas: &mut Canvas, row: Rect, model: &Model) -> bool {
    let Some(pieces) = fitting(canvas, model, row.width) else {
        return false;
    };
    let width = width(&pieces) as u16;
    let place = Rect {
        x: row.right() - width,
        width,
        ..row
    };
    draw_pieces(canvas, place, &pieces);
    true
}

/// Draws the named values that the cell uses on a row of their own; how many rows that took.
pub(crate) fn draw_values(canvas: &mut Canvas, area: Rect, model: &Model) -> u16 {
    let values = model.shown_values();
    if values.is_empty() {
        return 0;
    }
    let place = inset(area, 1);
    let mut line = values_line(canvas, &values, usize::MAX);
    // The longest formulas are left out until a row has the rest.
    let formulas = values.iter();
    let lengths = formulas.map(|(value, _)| value.formula.textbook().chars().count());
    let mut lengths: Vec<usize> = lengths.collect();
    lengths.sort_unstable();
    while line.width() > place.width.into()
        && let Some(longest) = lengths.pop()
    {
        line = values_line(canvas, &values, longest);
    }
    let lines = fold(line, place.width.into());
    let rows = lines.len() as u16;
    canvas.lines(place, lines);
    rows
}

/// The fullest form that fits in `room` cells.
fn fitting(canvas: &Canvas, model: &Model, room: u16) -> Option<Vec<Piece>> {
    let mut forms = FORMS.into_iter().map(|form| pieces(canvas, model, form));
    forms.find(|pieces| width(pieces) <= room.into())
}

fn width(pieces: &[Piece]) -> usize {
    pieces.iter().map(|(span, _)| span.width()).sum()
}

fn draw_pieces(canvas: &mut Canvas, row: Rect, pieces: &[Piece]) {
    let mut x = row.x;
    for (span, action) in pieces {
        let width = (span.width() as u16).min(row.right().saturating_sub(x));
        if let Some(action) = action {
            canvas.click(Rect { x, width, ..row }, action.clone());
        }
        x += width;
    }
    let spans = pieces.iter().map(|(span, _)| span.clone());
    canvas.line(row, Line::from(spans.collect::<Vec<_>>()));
}

/// `W ƒ gcd(N, P) = 2`, of each named value that the cell uses; a formula of `limit` characters or more is left out.
fn values_line(
    canvas: &Canvas,
    values: &[(&NamedValue, Option<u64>)],
    limit: usize,
) -> Line<'static> {
    let glyph = canvas.theme().evidence(Evidence::Computed);
    let mut line = Line::default();
    for &(value, number) in values {
        let number = number.map_or_else(|| "no value here".to_owned(), grouped);
        let text = Some(value.formula.textbook()).filter(|text| text.chars().count() < limit);
        let text = text.map_or_else(String::new, |text| {
            format!("{} ", canvas.theme().text(&text))
        });
        line.push_span(canvas.span(format!("{} ", value.name), Role::Accent));
        line.push_span(canvas.span(format!("{glyph} {text}= "), Role::Muted));
        line.push_span(canvas.span(number, Role::Text));
        line.push_span(Span::raw(" ".repeat(GAP)));
    }
    line
}

fn pieces(canvas: &Canvas, model: &Model, form: Form) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for index in model.shown_sizes() {
        let size = &model.lesson.sizes[index];
        let select = Some(Action::Run(RunAction::SelectSize(index)));
        let value = typed(model, index).unwrap_or_else(|| grouped(size.of(&model.settings.sizes)));
        pieces.push((
            canvas.span(format!("{} ", size.name), Role::Accent),
            select.clone(),
        ));
        if form.track {
            track(canvas, model, index, &mut pieces);
        }
        field(canvas, model, index, &value, select.clone(), &mut pieces);
        if form.label {
            let label = format!(" {}", size.label);
            pieces.push((canvas.span(label, Role::Muted), select));
        }
        pieces.push((Span::raw(" ".repeat(GAP)), None));
    }
    let index = model.lesson.sizes.len();
    let name = gpu_title(model.simulated());
    let pick = Some(Action::Run(RunAction::PickGpu));
    pieces.push((canvas.span("GPU ", Role::Accent), pick.clone()));
    field(canvas, model, index, name, pick.clone(), &mut pieces);
    let more = canvas.theme().glyph("\u{25be}", "v");
    pieces.push((canvas.span(more, Role::Key), pick));
    pieces
}

/// What is being typed for size `index`.
fn typed(model: &Model, index: usize) -> Option<String> {
    let prompt = model.popups.prompt.as_ref()?;
    (prompt.kind == PromptKind::Size(index)).then(|| format!("{}_", prompt.input))
}

/// A value in brackets; the one that keys change stands between those that halve and double it.
fn field(
    canvas: &Canvas,
    model: &Model,
    index: usize,
    value: &str,
    action: Option<Action>,
    pieces: &mut Vec<Piece>,
) {
    let is_gpu = index == model.lesson.sizes.len();
    let chosen = index == model.chosen_size() && (!is_gpu || model.is_gpu_chosen());
    // Where an answer is typed its field is the one that is marked.
    let is_marked = chosen && !model.is_answer_typed();
    let role = if is_marked {
        Role::Selection
    } else {
        Role::Text
    };
    let edges = match is_marked {
        true => [("<", RunAction::Halve), (">", RunAction::Double)]
            .map(|(key, action)| (canvas.span(key, Role::Key), Some(Action::Run(action)))),
        false => ["[", "]"].map(|edge| (canvas.span(edge, Role::Muted), action.clone())),
    };
    let [opening, closing] = edges;
    let value = canvas.span(format!(" {value} "), role);
    pieces.extend([opening, (value, action), closing]);
}

/// The places a size may take, and where it stands among them; each can be clicked.
fn track(canvas: &Canvas, model: &Model, index: usize, pieces: &mut Vec<Piece>) {
    let size = &model.lesson.sizes[index];
    let theme = canvas.theme();
    let value = size.of(&model.settings.sizes);
    let places = places(size, TRACK);
    let at = places
        .iter()
        // A value typed between two places stands at the lower one.
        .rposition(|&place| place <= value)
        .unwrap_or(0);
    for (place, &to) in places.iter().enumerate() {
        let (glyph, role) = match place.cmp(&at) {
            std::cmp::Ordering::Less => (theme.glyph("\u{2501}", "="), Role::Accent),
            std::cmp::Ordering::Equal => (theme.glyph("\u{25cf}", "O"), Role::Strong),
            std::cmp::Ordering::Greater => (theme.glyph("\u{2500}", "-"), Role::Muted),
        };
        let action = Some(Action::Run(RunAction::SetSize(index, to)));
        pieces.push((canvas.span(glyph, role), action));
    }
    pieces.push((Span::raw(" "), None));
}
