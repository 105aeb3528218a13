//! What the notebook has at hand, as text for the clipboard: the pane that arrows go to, its cell, the
//! link to it.

use super::block::Block;
use super::form::Form;
use super::{cell, counts};
use crate::launch::{Outcome, Trace, Value};
use crate::lesson::{Cell, RunCell};
use crate::session::{CellState, Context, Item, Model, RunState};

/// The pane that arrows go to: what it is, and its text. Numbers come as Markdown tables where there are
/// titles to them, else separated by tabs.
///
/// # Errors
/// Why there is nothing to copy, and what to do about it.
pub fn at_hand(model: &Model) -> Result<(String, String), String> {
    let Some((cell, state)) = model.run_cell() else {
        return cell_at_hand(model);
    };
    let needs_run = || "nothing to copy yet: enter runs this cell".to_owned();
    let outcome = state.ran.as_ref().map(|ran| &ran.result.outcome);
    let found = match model.context_below_help() {
        Context::Counts => outcome.map(|outcome| ("the counts".to_owned(), tables(outcome))),
        Context::Buffer | Context::Warp => values(cell, state),
        Context::Ptx => state
            .compiled()
            .map(|(_, report)| ("the PTX".to_owned(), report.ptx.clone())),
        _ => Some((cell.source.name().to_owned(), cell.source.text().to_owned())),
    };
    found.ok_or_else(needs_run)
}

/// The cell on screen in Markdown, with its numbers.
///
/// # Errors
/// That there is no cell.
pub fn cell_at_hand(model: &Model) -> Result<(String, String), String> {
    let of = model.lesson.cells.get(model.at);
    let of = of.ok_or("this lesson has no cells")?;
    let result = match model.cells.get(model.at) {
        Some(CellState::Run(state)) => state.ran.as_ref().map(|ran| &ran.result),
        _ => None,
    };
    let blocks = cell(of, result);
    let what = format!("`{}` as Markdown", of.title());
    Ok((what, Form::Markdown.render(&blocks)))
}

/// The link that opens this lesson at this cell.
pub fn link_at_hand(model: &Model) -> (String, String) {
    let place = match model.lesson.cells.get(model.at) {
        Some(Cell::Run(cell)) => cell.id.clone(),
        _ => (model.at + 1).to_string(),
    };
    let link = format!("{}#{place}", model.lesson.id);
    (format!("the link {link}"), link)
}

fn tables(outcome: &Outcome) -> String {
    let blocks: Vec<Block> = counts::tables(outcome);
    Form::Markdown.render(&blocks)
}

/// The buffer or warp that is looked at, separated by tabs.
fn values(cell: &RunCell, state: &RunState) -> Option<(String, String)> {
    match state.inspector.item() {
        Item::Buffer(index) => {
            let buffer = state.ran.as_ref()?.result.outcome.buffers.get(index)?;
            let matrix = state.matrix(cell, index)?;
            let values: Vec<String> = buffer.values().map(number).collect();
            let rows = values.chunks(matrix.columns.max(1));
            let rows: Vec<String> = rows.map(|row| row.join("\t")).collect();
            Some((
                format!("the buffer {}", buffer.name),
                rows.join("\n") + "\n",
            ))
        }
        Item::Warp => {
            let (_, trace) = state.trace()?;
            let step = state.step()?;
            Some((format!("the warp at step {}", step + 1), lanes(trace, step)))
        }
    }
}

/// Each variable that is set after `step`, in all lanes.
fn lanes(trace: &Trace, step: usize) -> String {
    let lanes = (0..crate::launch::WARP_LANES).map(|lane| format!("lane {lane}"));
    let mut text = format!("variable\t{}\n", lanes.collect::<Vec<_>>().join("\t"));
    for (index, variable) in trace.variables.iter().enumerate() {
        let Some(values) = trace.value(index, step) else {
            continue;
        };
        let values = values.iter();
        let values = values.map(|&bits| number(variable.value_type.value(bits)));
        let values: Vec<String> = values.collect();
        text += &format!("{}\t{}\n", variable.name, values.join("\t"));
    }
    text
}

fn number(value: Value) -> String {
    match value {
        Value::Integer(integer) => integer.to_string(),
        // The fewest digits that give it again, in single precision where it has that.
        Value::Float(float) if f64::from(float as f32) == float => (float as f32).to_string(),
        Value::Float(float) => float.to_string(),
    }
}
