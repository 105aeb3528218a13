//! The state of the notebook.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::app::state::{
    BlockMap, CellComparison, CellState, Edits, FrameExtents, GutterMetric, LessonLink, Palette,
    Presentation, Prompt, RunState, Samples, SavedState, Tab, Tour,
};
use crate::device::{DEFAULT_GPU, gpu_or_usual};
use crate::document::Scheme;
use crate::launch::{Engine, Watch};
use crate::lesson::{Lesson, RunCell, Sizes};
use crate::source::{Diagnostic, SourceFile};

/// Everything the notebook knows.
#[derive(Clone, Debug)]
pub struct Model {
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// The cell on screen: a step of its page.
    pub at: usize,
    /// The state of each cell of the lesson.
    pub cells: Vec<CellState>,
    /// What runs are made for.
    pub settings: RunSettings,
    /// The runs of this visit.
    pub runs: Runs,
    /// How the cell is looked at.
    pub look: ViewOptions,
    /// What is open over the cell.
    pub popups: Popups,
    /// A short message until the next key.
    pub notice: Option<String>,
    /// The lesson's file as it is now, if it cannot be read any more.
    pub lesson_errors: Option<LessonErrors>,
    /// Kernels that were edited.
    pub edits: Edits,
    /// Where this visit began, and what of it is saved.
    pub visit: Visit,
    /// The presentation, if the lesson is shown to a room: answers to predictions are held until a key
    /// reveals what is right.
    pub presentation: Option<Presentation>,
}

/// What runs are made for; counts on screen follow when it changes.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// Which GPU is asked to be simulated: an id of the GPU table. If none is, it is the usual one, or
    /// beside a real GPU one like it.
    pub gpu: Option<String>,
    /// What runs cells: a real GPU has the simulated one beside it.
    pub engine: Engine,
    /// The GPU found in this machine: an id of the GPU table.
    pub found_gpu: Option<String>,
    /// The chosen sizes.
    pub sizes: Sizes,
    /// Whether a cell runs when somebody comes to it.
    pub on_arrival: bool,
}

/// The runs of this visit, as far as no cell has them.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Cells still to run after the current run, from "run all".
    pub(crate) queue: VecDeque<usize>,
    /// Number of the latest run.
    pub(crate) last_job: u64,
    /// Whether somebody asked for a run.
    pub(crate) asked: bool,
    /// The cell that last ran by itself, or might have, because one came to it.
    pub(crate) arrived: Option<usize>,
    /// Runs that figures are made of.
    pub(crate) samples: Samples,
}

/// What is open over the cell, or can be opened.
#[derive(Clone, Debug, Default)]
pub struct Popups {
    /// A question that waits for its answer.
    pub prompt: Option<Prompt>,
    /// The map of blocks, if it is open.
    pub block_map: Option<BlockMap>,
    /// Whether the keys that mean something here are listed.
    pub help: bool,
    /// The list of everything that can be asked for.
    pub palette: Palette,
    /// First line of what is told of the numbers on screen, if it is open.
    pub evidence: Option<usize>,
    /// The tour, if one goes.
    pub(crate) tour: Option<Tour>,
    /// The file that an export may overwrite, if one was named that is there.
    pub(crate) overwrites: Option<String>,
}

/// A visit to a lesson: where it began, and what of it is saved.
#[derive(Clone, Debug, Default)]
pub struct Visit {
    /// What outlasts the program, as far as this notebook knows it.
    pub saved: SavedState,
    /// The cell in which the learner left the lesson before this visit, if not in the first.
    pub left_at: Option<usize>,
    /// The cell that was last saved as the learner's place.
    pub(crate) saved_cell: Option<usize>,
    /// What is left to do of a link that was followed.
    pub(crate) pending_link: Option<LessonLink>,
}

impl Model {
    /// The notebook on the first cell of `lesson`, at its default sizes, simulating `gpu` if one is
    /// asked for; nothing has run.
    pub fn new(lesson: impl Into<Arc<Lesson>>, gpu: Option<&str>) -> Self {
        let lesson = lesson.into();
        let sizes = lesson.first_sizes();
        let cells = lesson.cells.iter();
        let row = gpu_or_usual(gpu.unwrap_or(DEFAULT_GPU));
        let cells = cells.map(|cell| CellState::fresh(cell, &sizes, row));
        let mut model = Model {
            cells: cells.collect(),
            lesson,
            at: 0,
            settings: RunSettings {
                gpu: gpu.map(str::to_owned),
                engine: Engine::Sim,
                found_gpu: None,
                sizes,
                // The program turns it on; commands and tests run what they ask for.
                on_arrival: false,
            },
            runs: Runs::default(),
            look: ViewOptions::default(),
            popups: Popups::default(),
            notice: None,
            lesson_errors: None,
            edits: Edits::default(),
            visit: Visit::default(),
            presentation: None,
        };
        model.stand_at(0);
        model
    }

    /// Puts the step that shows cell `at` on screen, at the beginning of its text.
    pub(crate) fn stand_at(&mut self, at: usize) {
        let page = self.lesson.page_of(at);
        // A paragraph is on screen with the step that it belongs to: that is the cell that keys mean.
        self.at = page.map_or(0, |(_, page)| page.step_of(at));
        self.look.text_scroll = 0;
    }

    /// Takes what the command line says of engine and watched warp.
    pub fn begin_with(&mut self, engine: Option<Engine>, watch: Option<Watch>) {
        self.settings.engine = engine.unwrap_or(self.settings.engine);
        for cell in &mut self.cells {
            // In every cell: what to watch was asked for without naming one.
            if let (Some(state), Some(watch)) = (cell.as_run_mut(), watch) {
                state.inspector.watch = watch;
            }
        }
    }

    /// The run cell on screen and its state, if it is one.
    pub fn run_cell(&self) -> Option<(&RunCell, &RunState)> {
        let (cell, state) = (self.lesson.cells.get(self.at)?, self.cells.get(self.at)?);
        Some((cell.as_run()?, state.as_run()?))
    }

    /// The state of the run cell on screen, if it is one.
    pub(crate) fn run_state(&mut self) -> Option<&mut RunState> {
        self.cells.get_mut(self.at)?.as_run_mut()
    }

    /// Whether a moment of the run is on screen.
    pub fn shows_values(&self) -> bool {
        self.look.tab.is_stepped()
    }
}

/// A lesson's file as it cannot be read; the last one that could stays open.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonErrors {
    /// The file.
    pub file: SourceFile,
    /// What is wrong in it.
    pub diagnostics: Vec<Diagnostic>,
}

/// How a cell is looked at; shared by all cells.
#[derive(Clone, Debug, Default)]
pub struct ViewOptions {
    /// The view of runs.
    pub tab: Tab,
    /// Whether the view of the cell on screen was chosen, by its lesson, by what it counted, or by the learner.
    pub is_tab_chosen: bool,
    /// Whether all that is known of a run is on screen; else the headline of it.
    pub unfolded: bool,
    /// What the source's margin shows.
    pub metric: GutterMetric,
    /// The size that keys change.
    pub size: usize,
    /// The colours.
    pub scheme: Scheme,
    /// The cells that are side by side, in place of the cell on screen.
    pub comparison: Option<CellComparison>,
    /// First line on screen of the page's text.
    pub text_scroll: usize,
    /// What the last frame showed.
    pub seen: FrameExtents,
}
