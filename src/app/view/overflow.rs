//! Text of pages that does not fit on screens of usual sizes: whoever reads it there has to press a key for its end.

use std::fmt;
use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::frame::view;
use super::widgets::{Drawn, Painter};
use crate::app::state::{CellState, FinishedRun, Model, Stage};
use crate::device::counted;
use crate::document::{Depth, Theme};
use crate::launch::{Outcome, Watch};
use crate::lesson::{Cell, Lesson};

/// Columns and rows of the screens that texts are written for.
const SCREENS: [(u16, u16); 2] = [(80, 24), (120, 40)];

/// A step of a page whose text does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Overflow {
    /// The page's number, from 1, and its title.
    pub page: (usize, String),
    /// The cell that is the step.
    pub cell: usize,
    /// Columns and rows of the screen.
    pub screen: (u16, u16),
    /// Whether it is a question that has been answered.
    pub is_answered: bool,
    /// Rows of text that there is no room for.
    pub rows: usize,
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (number, title) = &self.page;
        let (width, height) = self.screen;
        let of = match self.is_answered {
            true => ", once its question is answered,",
            false => "",
        };
        let rows = counted(self.rows as u64, "row");
        write!(
            f,
            "page {number}, \u{201c}{title}\u{201d}: its text{of} has {rows} too many for {width} \u{d7} {height}"
        )
    }
}

/// Every step of `lesson` whose text does not fit, at its default sizes.
pub(crate) fn overflows(lesson: &Arc<Lesson>) -> Vec<Overflow> {
    let painter = Painter::new(Theme::new(Depth::None, true));
    let mut found = Vec::new();
    for screen in SCREENS {
        let mut model = Model::new(lesson.clone(), None);
        let Ok(mut terminal) = Terminal::new(TestBackend::new(screen.0, screen.1));
        for (number, page) in lesson.pages().iter().enumerate() {
            for &step in &page.steps {
                model.stand_at(step);
                for is_answered in [false, true] {
                    if is_answered && !answer(&mut model, step) {
                        continue;
                    }
                    let rows = hidden_rows(&mut terminal, &model, &painter);
                    if rows > 0 {
                        found.push(Overflow {
                            page: (number + 1, lesson.page_title(page)),
                            cell: step,
                            screen,
                            is_answered,
                            rows,
                        });
                    }
                }
            }
        }
    }
    found
}

/// Rows of the page's text that are not on screen.
fn hidden_rows(terminal: &mut Terminal<TestBackend>, model: &Model, painter: &Painter) -> usize {
    let mut drawn = Drawn::default();
    let frame = terminal.draw(|frame| drawn = view(model, frame, painter));
    let text = drawn.seen.prose;
    match frame.is_ok() {
        // A row says that there is more.
        true if text.max_scroll() > 0 => text.max_scroll() - 1,
        _ => 0,
    }
}

/// Answers the question at `step`, as if its run had counted nothing: what explains the answer is the same. Whether it is
/// one that can be answered.
fn answer(model: &mut Model, step: usize) -> bool {
    let lesson = model.lesson.clone();
    let (Some(Cell::Prediction(asked)), Some(CellState::Prediction(state))) =
        (lesson.cells.get(step), model.cells.get_mut(step))
    else {
        return false;
    };
    state.stage = Stage::Revealed;
    if let Some(at) = asked.runs().and_then(|id| model.run_index(id))
        && let Cell::Run(run) = &lesson.cells[at]
        && let CellState::Run(state) = &mut model.cells[at]
        && let Ok(plan) = &state.plan
    {
        let result = run.check_outcome(&model.settings.sizes, Outcome::blank("h200"));
        state.ran = Some(Arc::new(FinishedRun {
            job: 0,
            plan: plan.clone(),
            watch: Watch::default(),
            edited: false,
            result: run.with_recorded(&lesson.id, result),
        }));
    }
    true
}
