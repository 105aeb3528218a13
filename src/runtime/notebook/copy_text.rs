//! What the notebook shows, as text for the clipboard and for files: the pane that arrows go to, a cell, the link
//! to it.

use std::borrow::Cow;
use std::convert::Infallible;

use crate::app::{CellState, Context, FigureState, Model, Reveal, RunState, Stage, WarpSteps};
use crate::device::Gpu;
use crate::document::{
    self, AnswerState, Block, CellData, Content, Extent, FigureData, Form, count_tables,
};
use crate::launch::{Outcome, Value};
use crate::lesson::{
    CalculatorCell, CellResult, FigureCell, Inputs, Lesson, PredictionCell, RunCell, Sizes,
    TableCell, TableContents,
};

/// The pane that arrows go to: what it is, and its text. Numbers come as Markdown tables where there are
/// titles to them, else separated by tabs.
///
/// # Errors
/// Why there is nothing to copy, and what to do about it.
pub fn pane_text(model: &Model) -> Result<(String, String), String> {
    let Some((cell, state)) = model.run_cell() else {
        return cell_markdown(model);
    };
    let needs_run = || "nothing to copy yet: enter runs this cell".to_owned();
    let outcome = state.ran.as_ref().map(|ran| &ran.result.outcome);
    let found = match model.context_below() {
        Context::Counts => outcome.map(|outcome| ("the counts".to_owned(), tables(outcome))),
        Context::Lanes | Context::Access => lanes_now(state),
        Context::Memory => values(cell, state),
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
pub fn cell_markdown(model: &Model) -> Result<(String, String), String> {
    let of = model.lesson.cells.get(model.at);
    let of = of.ok_or("this lesson has no cells")?;
    let what = format!("`{}` as Markdown", of.title());
    Ok((
        what,
        Form::Markdown.render(&cell_blocks(model, model.at), Extent::default(), &|_| None),
    ))
}

/// What cell `index` shows now, with the results it has.
pub fn cell_blocks(model: &Model, index: usize) -> Vec<Block> {
    let (Some(cell), Some(state)) = (model.lesson.cells.get(index), model.cells.get(index)) else {
        return Vec::new();
    };
    let Ok(content) = Content::of(cell, &mut OnScreen { model, state });
    let mut blocks = content.blocks();
    // Commands print diagnostics on standard error; on paper they stand under the cell.
    if let Content::Run { cell, result, .. } = content {
        blocks.extend(result.and_then(|result| document::diagnostics(cell, result)));
    }
    blocks
}

/// What the notebook knows of a cell.
struct OnScreen<'a> {
    model: &'a Model,
    state: &'a CellState,
}

impl<'a> CellData<'a> for OnScreen<'a> {
    type Error = Infallible;

    fn lesson(&self) -> &'a Lesson {
        &self.model.lesson
    }

    fn sizes(&self) -> &'a Sizes {
        &self.model.settings.sizes
    }

    fn gpu(&self) -> &'a Gpu {
        self.model.gpu_in_use()
    }

    fn result(&self, _: &RunCell) -> (Option<&'a CellResult>, bool) {
        let result = match self.state {
            CellState::Run(state) => state.ran.as_ref().map(|ran| &ran.result),
            _ => None,
        };
        (result, false)
    }

    fn answer(&mut self, cell: &PredictionCell) -> Result<AnswerState<'a>, Infallible> {
        let CellState::Prediction(state) = self.state else {
            return Ok(AnswerState::Asked);
        };
        Ok(match (state.stage, self.model.is_asked(cell)) {
            (Stage::Open, Err(why)) => AnswerState::Unasked(why),
            (Stage::Revealed, _) => match self.model.reveal(cell) {
                Reveal::Known(truth) => AnswerState::Answered(state.given.as_ref(), truth),
                _ => AnswerState::Asked,
            },
            _ => AnswerState::Asked,
        })
    }

    fn contents(&self, cell: &TableCell) -> TableContents {
        self.model.grid(cell)
    }

    fn inputs(&self, cell: &CalculatorCell) -> Inputs {
        match self.state {
            CellState::Calculator(state) => state.inputs.clone(),
            _ => cell.inputs(self.sizes(), self.gpu()),
        }
    }

    fn figure(&self, cell: &FigureCell) -> Result<FigureData<'a>, Infallible> {
        Ok(match self.state {
            CellState::Figure(state) => drawn(self.model, cell, state),
            _ => FigureData::Missing(NOT_DRAWN.to_owned()),
        })
    }
}

/// What stands in the place of a figure that nobody has looked at.
const NOT_DRAWN: &str = "This figure has not been drawn.";

/// A figure as it is on screen.
fn drawn<'a>(model: &Model, cell: &FigureCell, state: &'a FigureState) -> FigureData<'a> {
    match model.picture(cell) {
        Some(Ok(picture)) => return FigureData::Picture(picture),
        Some(Err(why)) => return FigureData::Missing(why),
        None => {}
    }
    match (&state.order, model.plots(cell, state)) {
        (Some(Ok(order)), _) => FigureData::Order(Cow::Borrowed(order)),
        (Some(Err(why)), _) => FigureData::Missing(why.clone()),
        (None, Some(plots)) if !plots.is_empty() => FigureData::Plots(plots),
        (None, _) => FigureData::Missing(NOT_DRAWN.to_owned()),
    }
}

/// The link that opens this place.
pub fn link_text(model: &Model) -> (String, String) {
    let link = model.link();
    (format!("the link {link}"), link)
}

fn tables(outcome: &Outcome) -> String {
    Form::Markdown.render(&count_tables(outcome), Extent::default(), &|_| None)
}

/// The warp that is looked at, separated by tabs.
fn lanes_now(state: &RunState) -> Option<(String, String)> {
    let (_, walk) = state.steps_shown()?;
    let step = state.step()?;
    Some((format!("the warp at step {}", step + 1), lanes(walk, step)))
}

/// The buffer or shared array that is looked at, as it is on screen, separated by tabs.
fn values(cell: &RunCell, state: &RunState) -> Option<(String, String)> {
    let memory_view = state.memory_view(cell)?;
    let value = |index| memory_view.get(index).map_or_else(String::new, number);
    let values: Vec<String> = (0..memory_view.matrix.length).map(value).collect();
    let rows = values.chunks(memory_view.matrix.columns.max(1));
    let rows: Vec<String> = rows.map(|row| row.join("\t")).collect();
    let moment = match (memory_view.moment, state.step()) {
        (Some(_), Some(step)) => format!(" at step {}", step + 1),
        _ => String::new(),
    };
    let kind = match memory_view.is_shared() {
        true => "shared array",
        false => "buffer",
    };
    let what = format!("the {kind} {}{moment}", memory_view.name);
    Some((what, rows.join("\n") + "\n"))
}

/// Each variable that is set after `step`, in all lanes.
fn lanes(walk: WarpSteps, step: usize) -> String {
    let lanes = (0..crate::launch::WARP_LANES).map(|lane| format!("lane {lane}"));
    let mut text = format!("variable\t{}\n", lanes.collect::<Vec<_>>().join("\t"));
    let alive = (0..walk.variables()).filter(|&index| walk.is_alive(index, step));
    for index in alive {
        let (Some(variable), Some(values)) = (walk.variable(index), walk.value(index, step)) else {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::update;
    use crate::app::{Action, Msg, Tab, sample_lesson, sample_ran};
    use crate::app::{LessonAction, Movement, RunAction, ViewAction};

    fn act(model: &mut Model, action: Action) {
        update(model, Msg::Action(action));
    }

    /// The sample lesson on its run cell, which has run.
    fn ran() -> Model {
        let mut model = Model::new(sample_lesson(), None);
        act(&mut model, Action::Lesson(LessonAction::Advance));
        act(&mut model, Action::Run(RunAction::Run));
        let result = Ok(sample_ran(1, &model.settings.sizes, Default::default()));
        update(&mut model, Msg::Finished { job: 1, result });
        model
    }

    #[test]
    fn each_pane_is_copied_as_what_it_is() {
        let mut model = ran();
        act(&mut model, Action::View(ViewAction::Show(Tab::Code)));
        let (what, text) = pane_text(&model).expect("has a source");
        assert_eq!(what, "double.cu");
        assert!(text.starts_with("// Doubles"));
        act(&mut model, Action::View(ViewAction::Show(Tab::Counts)));
        let (_, text) = pane_text(&model).expect("is counted");
        assert!(text.contains("| twice | 1,000 | 1,000 |"), "{text}");
        act(&mut model, Action::View(ViewAction::Show(Tab::Lanes)));
        act(&mut model, Action::Move(Movement::End));
        let (what, text) = pane_text(&model).expect("has a trace");
        assert_eq!(what, "the warp at step 4");
        assert!(text.contains("scaled\t1920.5\t1921.5\t"), "{text}");
        act(&mut model, Action::View(ViewAction::Show(Tab::Memory)));
        let (what, text) = pane_text(&model).expect("has a buffer");
        assert_eq!(what, "the buffer y");
        assert_eq!(text.lines().count(), 40);
        assert!(text.starts_with("0\t1\t2\t"), "{text}");
    }

    #[test]
    fn what_has_not_run_says_how_to_run_it_and_a_cell_can_be_copied_all_the_same() {
        let mut model = Model::new(sample_lesson(), None);
        let (_, text) = pane_text(&model).expect("is text");
        assert!(text.starts_with("## Doubling"), "{text}");
        act(&mut model, Action::Lesson(LessonAction::Advance));
        act(&mut model, Action::View(ViewAction::Show(Tab::Counts)));
        let error = pane_text(&model).expect_err("has no counts");
        assert!(error.contains("enter runs this cell"), "{error}");
        let (_, text) = cell_markdown(&model).expect("is a cell");
        assert!(text.contains("*This cell has not run.*"), "{text}");
        assert_eq!(link_text(&model).1, "double#double");
    }
}
