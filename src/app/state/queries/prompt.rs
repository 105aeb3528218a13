//! What is asked, in words with the answers that are taken.

use crate::app::state::queries::cells;
use crate::app::state::{Model, Prompt, PromptKind};
use crate::device::grouped;
use crate::launch::Dim3;

impl Prompt {
    /// A question with a list, at the answer that holds now.
    pub(crate) fn listing(kind: PromptKind, model: &Model) -> Self {
        let mut prompt = Prompt::new(kind);
        let choices = prompt.choices(model).unwrap_or_default();
        let current = choices.iter().position(|choice| choice.is_current);
        // Enter alone changes nothing: the mark begins on what is chosen.
        prompt.chosen = current.unwrap_or(0);
        prompt
    }

    /// What is asked, in words with the answers that are taken.
    pub fn question(&self, model: &Model) -> String {
        match self.kind {
            PromptKind::Size(index) => {
                let size = model.lesson.sizes.get(index);
                size.map_or_else(String::new, |size| {
                    format!("{} ({})", size.name, size.range())
                })
            }
            PromptKind::Page => "go to page".to_owned(),
            PromptKind::Line => to("go to line", 1, lines(model)),
            PromptKind::RunTo => to("run to line", 1, lines(model)),
            PromptKind::Element => element_question(model),
            PromptKind::Step => to("go to step", 1, steps(model)),
            PromptKind::Block => block_question(model),
            PromptKind::Find if model.edits.sought.is_empty() => "find".to_owned(),
            PromptKind::Find => format!("find (empty: `{}` again)", model.edits.sought),
            PromptKind::Reset => {
                "discard your changes to this kernel? y discards them, any other key does not"
                    .to_owned()
            }
            PromptKind::Prediction => "your answer: a number such as 7.1M, or a formula".to_owned(),
            PromptKind::Input(input) => cells::question(model, input),
            PromptKind::Restart => {
                "forget every result and answer, and start over? y starts over, any other key does not"
                    .to_owned()
            }
            PromptKind::File => "write to file (.html or .md, --answers, --short)".to_owned(),
            PromptKind::GutterMetric => "the margin counts".to_owned(),
            PromptKind::Gpu => "simulate".to_owned(),
            PromptKind::Comparison => "compare with".to_owned(),
        }
    }
}

/// `go to line (1 to 30)`.
fn to(what: &str, first: usize, last: usize) -> String {
    format!("{what} ({first} to {})", grouped(last as u64))
}

fn element_question(model: &Model) -> String {
    match element_limits(model) {
        Some((rows, columns, false)) => {
            let [row, column] = [rows, columns].map(|count| grouped(count as u64 - 1));
            format!("go to row, column (up to {row}, {column})")
        }
        Some((length, _, true)) => to("go to element", 0, length.saturating_sub(1)),
        None => "go to element".to_owned(),
    }
}

fn block_question(model: &Model) -> String {
    match grid(model) {
        Some([x, 1, 1]) => to("block", 0, x.saturating_sub(1) as usize),
        Some([x, y, z]) => format!("block x,y,z (grid is {x} x {y} x {z})"),
        None => "block".to_owned(),
    }
}

/// Rows and columns of the buffer looked at; of a folded one its length and true.
pub(crate) fn element_limits(model: &Model) -> Option<(usize, usize, bool)> {
    let (cell, state) = model.run_cell()?;
    let matrix = state.memory_view(cell)?.matrix;
    if matrix.length == 0 {
        return None;
    }
    Some(match matrix.folded {
        true => (matrix.length, 1, true),
        false => (matrix.rows, matrix.columns, false),
    })
}

pub(crate) fn lines(model: &Model) -> usize {
    let cell = model.run_cell();
    cell.map_or(0, |(cell, _)| cell.source.line_count() as usize)
}

pub(crate) fn steps(model: &Model) -> usize {
    let walk = model.run_cell().and_then(|(_, state)| state.steps_shown());
    walk.map_or(0, |(_, walk)| walk.steps())
}

pub(crate) fn grid(model: &Model) -> Option<Dim3> {
    Some(model.run_cell()?.1.watched_launch()?.0)
}
