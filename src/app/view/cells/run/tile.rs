//! A tile as a strip or matrix: which lane of which warp holds each element, and what it is at this step.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::state::{RunState, WarpSteps};
use crate::app::view::widgets::{Canvas, below, inset};
use crate::document::{Role, fold, value};
use crate::launch::{Holder, TileTensor, ValueType};

/// Cells of a lane's number and the gap behind it.
const CELL: usize = 3;
/// Cells of the number of the first element of a row.
const LABEL: usize = 9;
/// Most elements in a row of what has one dimension only.
const MOST_IN_A_ROW: usize = 32;
/// Rows from which blank ones set the drawing apart.
const ROOMY: u16 = 16;
/// The lanes go round these colours, so that neighbours differ.
const LANES: [Role; 4] = [Role::Keyword, Role::Type, Role::Function, Role::Number];

/// Draws the tensor that is looked at.
pub(crate) fn draw(canvas: &mut Canvas, area: Rect, state: &RunState) {
    let area = inset(area, 1);
    let Some((tensor, of)) = state.tensor() else {
        let nothing = canvas.text("No tiles yet: enter runs this cell.", Role::Muted);
        return canvas.line(area, nothing);
    };
    let view = TileView::new(tensor, state, area.width.into());
    // Keys that go up and down a row need to know how long a row is here.
    canvas.drawn.seen.tile_columns = view.columns;
    let names = names(
        canvas,
        of.iter().map(|tensor| &*tensor.name),
        state,
        area.width.into(),
    );
    canvas.line(area, names);
    let words = format!(
        "{}, {} per thread: {}",
        tensor.type_name, tensor.registers, tensor.words
    );
    let words = fold(canvas.text(words, Role::Muted), area.width.into());
    let told = fold(view.element_line(canvas), area.width.into());
    let gap = u16::from(area.height >= ROOMY);
    let (head, foot) = (1 + words.len() as u16 + gap, told.len() as u16 + gap);
    canvas.lines(below(area, 1), words);
    let place = Rect {
        height: area.height.saturating_sub(head + foot),
        ..below(area, head)
    };
    let row = view.element / view.columns;
    let first = row.saturating_sub(usize::from(place.height) / 2);
    let first = first.min(view.rows().saturating_sub(place.height.into()));
    for (place, row) in place.rows().zip(first..view.rows()) {
        let line = view.row(canvas, row);
        canvas.line(place, line);
    }
    let drawn = place.height.min(view.rows() as u16);
    canvas.lines(below(area, head + drawn + gap), told);
}

/// The tensors' names, the chosen one marked, from one on that lets it fit.
fn names<'a>(
    canvas: &Canvas,
    names: impl Iterator<Item = &'a str>,
    state: &RunState,
    width: usize,
) -> Line<'static> {
    let names: Vec<&str> = names.collect();
    let chosen = state.scroll.tensor.min(names.len().saturating_sub(1));
    let room = |from: usize| names[from..=chosen].iter().map(|name| name.len() + 3).sum();
    let first = (0..chosen).find(|&from| {
        let cells: usize = room(from);
        cells <= width
    });
    let mut line = Line::default();
    for (at, name) in names.iter().enumerate().skip(first.unwrap_or(chosen)) {
        if line.width() + name.len() + 2 > width {
            break;
        }
        let role = match at == chosen {
            true => Role::Selection,
            false => Role::Muted,
        };
        line.push_span(canvas.span(format!(" {name} "), role));
        line.push_span(Span::raw(" "));
    }
    line
}

/// A tensor in a room so wide.
struct TileView<'a> {
    tensor: &'a TileTensor,
    /// What masks its accesses: the first tensor of truths that lies as it does.
    mask: Option<&'a TileTensor>,
    walk: Option<(WarpSteps<'a>, usize)>,
    /// Elements in a row.
    columns: usize,
    /// The first of them, where a row of the tensor has more.
    from: usize,
    /// The element that is looked at.
    element: usize,
}

impl<'a> TileView<'a> {
    fn new(tensor: &'a TileTensor, state: &'a RunState, width: usize) -> Self {
        let fitting = (width.saturating_sub(LABEL) / CELL).max(1);
        let side = tensor.shape.last().map_or(1, |&side| side as usize);
        let columns = match tensor.shape.len() {
            // A power of two, so that rows begin where threads do.
            0 | 1 => (1 << fitting.ilog2()).min(MOST_IN_A_ROW).min(side),
            _ => side,
        };
        let element = state
            .scroll
            .element
            .min(tensor.holders.len().saturating_sub(1));
        let steps = state.steps_shown().map(|(_, walk)| walk);
        let is_mask = |of: &&TileTensor| of.is_bool && of.holders == tensor.holders;
        let of = state.tensor().map_or(&[][..], |(_, of)| of);
        TileView {
            mask: of.iter().find(is_mask),
            walk: steps.zip(state.step()),
            // As little as needed: a row that fits is never moved sideways.
            from: (element % columns).saturating_sub(fitting - 1),
            tensor,
            columns,
            element,
        }
    }

    fn rows(&self) -> usize {
        self.tensor.holders.len().div_ceil(self.columns)
    }

    fn row(&self, canvas: &Canvas, row: usize) -> Line<'static> {
        let start = row * self.columns;
        let label = match self.tensor.shape.len() {
            0 | 1 => format!("{start:>5} w{}", self.tensor.holders[start].warp),
            _ => format!("row {row}"),
        };
        let mut line = canvas.text(format!("{label:<LABEL$}"), Role::Muted);
        let end = (start + self.columns).min(self.tensor.holders.len());
        for at in start + self.from..end {
            let holder = self.tensor.holders[at];
            let text = match self.is_masked(at) {
                true => canvas.theme().idle().repeat(2),
                false => format!("{:>2}", holder.lane),
            };
            line.push_span(canvas.span(text, self.role(at)));
            line.push_span(Span::raw(" "));
        }
        line
    }

    /// Elements of the same thread stand out.
    fn role(&self, at: usize) -> Role {
        let (holder, own) = (self.tensor.holders[at], self.tensor.holders[self.element]);
        match (holder.warp, holder.lane) == (own.warp, own.lane) {
            true if at == self.element => Role::Selection,
            true => Role::CurrentRow,
            false => LANES[holder.lane as usize % LANES.len()],
        }
    }

    fn is_masked(&self, at: usize) -> bool {
        // A mask is mostly set once: before that it is already known what it will be.
        let mask_value = self.mask.and_then(|mask| {
            let (walk, _) = self.walk?;
            let last = walk.steps().checked_sub(1)?;
            self.value(mask, at)
                .or_else(|| self.value_at(mask, at, last))
        });
        mask_value.is_some_and(|(_, bits)| bits & 0xff == 0)
    }

    /// What an element of a tensor is at this step; only of the warp that is watched.
    fn value(&self, tensor: &TileTensor, at: usize) -> Option<(ValueType, u64)> {
        self.value_at(tensor, at, self.walk?.1)
    }

    fn value_at(&self, tensor: &TileTensor, at: usize, step: usize) -> Option<(ValueType, u64)> {
        let (walk, _) = self.walk?;
        let Holder {
            warp,
            lane,
            register,
        } = tensor.holders[at];
        if warp != walk.watch().warp {
            return None;
        }
        let name = match tensor.registers {
            1 => tensor.name.clone(),
            _ => format!("{}[{register}]", tensor.name),
        };
        let mut variables = 0..walk.variables();
        let is = |&at: &usize| walk.variable(at).is_some_and(|of| of.name == name);
        let variable = variables.find(is)?;
        let values = walk.value(variable, step)?;
        Some((walk.variable(variable)?.value_type, values[lane as usize]))
    }

    /// Which element it is, who holds it, and what it is.
    fn element_line(&self, canvas: &Canvas) -> Line<'static> {
        let Holder {
            warp,
            lane,
            register,
        } = self.tensor.holders[self.element];
        let indices = indices(&self.tensor.shape, self.element);
        let mut line = Line::from(vec![
            canvas.span(format!("{}[{indices}]", self.tensor.name), Role::Strong),
            canvas.span(
                format!(" lies in warp {warp}, lane {lane}, register {register}"),
                Role::Text,
            ),
        ]);
        let value_text = match self.value(self.tensor, self.element) {
            Some((ValueType::Bool, bits)) => match bits & 0xff {
                0 => " and is false".to_owned(),
                _ => " and is true".to_owned(),
            },
            Some((ValueType::Number(element), bits)) => {
                format!(" and is {}", value(element.value(bits), 9))
            }
            Some((ValueType::Pointer, _)) => String::new(),
            None => match self.walk {
                Some((walk, _)) if walk.watch().warp == warp => "; no value yet".to_owned(),
                _ => format!("; w looks into warp {warp}"),
            },
        };
        line.push_span(canvas.span(value_text, Role::Accent));
        if self.is_masked(self.element) {
            line.push_span(canvas.span("; masked: neither loaded nor stored", Role::Muted));
        }
        line
    }
}

/// `3, 17` of an element by its number.
fn indices(shape: &[u32], element: usize) -> String {
    let mut rest = element;
    let mut indices: Vec<String> = Vec::new();
    for &side in shape.iter().rev() {
        let side = (side as usize).max(1);
        indices.push((rest % side).to_string());
        rest /= side;
    }
    indices.reverse();
    indices.join(", ")
}
