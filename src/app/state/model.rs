//! The state of the notebook.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{
    Broken, CalculatorState, Change, Context, Edits, Effect, FigureState, Fold, HelpPage, Item,
    Kept, Margin, Palette, Picker, Place, PredictionState, Presentation, Prompt, RunState, Samples,
    Scheme, SourceView, TableState, Tour, Versus,
};
use crate::device::{DEFAULT_GPU, gpu_or_usual};
use crate::launch::{Engine, Watch};
use crate::lesson::{Cell, Lesson, RunCell, Sizes};

/// Everything the notebook knows.
#[derive(Clone, Debug)]
pub struct Model {
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// Which GPU is asked to be simulated: an id of the GPU table. If none is, it is the usual one, or
    /// beside a real GPU one like it.
    pub gpu: Option<String>,
    /// What runs cells: a real GPU has the simulated one beside it.
    pub engine: Engine,
    /// The cell on screen.
    pub at: usize,
    /// The chosen sizes.
    pub sizes: Sizes,
    /// The state of each cell of the lesson.
    pub cells: Vec<CellState>,
    /// How much of each cell is folded away; shorter where the rest is open.
    pub(crate) folds: Vec<Fold>,
    /// The presentation, if the lesson is shown to a room: answers to predictions are held until a key
    /// reveals what is right.
    pub presentation: Option<Presentation>,
    /// The GPU found in this machine: an id of the GPU table.
    pub found: Option<String>,
    /// How the cell is looked at.
    pub look: Look,
    /// A question that waits for its answer.
    pub prompt: Option<Prompt>,
    /// The map of blocks, if it is open.
    pub picker: Option<Picker>,
    /// The help, if it is open.
    pub help: Option<HelpPage>,
    /// The list of everything that can be asked for.
    pub palette: Palette,
    /// The file that may be replaced, if one was named that is there.
    pub(crate) replaces: Option<String>,
    /// First line of what is told of the numbers on screen, if it is open.
    pub explained: Option<usize>,
    /// A short message until the next key.
    pub notice: Option<String>,
    /// The lesson's file as it is now, if it cannot be read any more.
    pub broken: Option<Broken>,
    /// Kernels that were edited.
    pub edits: Edits,
    /// What outlasts the program, as far as this notebook knows it.
    pub kept: Kept,
    /// Runs that figures are made of.
    pub(crate) samples: Samples,
    /// The cell in which the learner left the lesson before this visit, if not in the first.
    pub left: Option<usize>,
    /// The tour, if one goes.
    pub(crate) tour: Option<Tour>,
    /// The cell that was last kept as the learner's place.
    pub(crate) told: Option<usize>,
    /// What is left to do of a link that was followed.
    pub(crate) landing: Option<Place>,
    /// Cells still to run after the current run, from "run all".
    pub(crate) queue: VecDeque<usize>,
    /// Number of the latest run.
    pub(crate) last_job: u64,
}

/// The state of one cell.
#[derive(Clone, Debug)]
pub enum CellState {
    /// Text, and its first line on screen.
    Prose {
        /// First line on screen, from 0.
        scroll: usize,
    },
    /// Kernels.
    Run(Box<RunState>),
    /// A question.
    Prediction(PredictionState),
    /// Rows and columns.
    Table(TableState),
    /// An occupancy calculator.
    Calculator(CalculatorState),
    /// A kernel to be read, and its first line on screen.
    Kernel {
        /// First line on screen.
        scroll: usize,
    },
    /// A figure.
    Figure(Box<FigureState>),
}

/// How a cell is looked at; shared by all cells.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The tab of the output pane, or of the whole cell where there is room for one pane.
    pub tab: Tab,
    /// The pane that arrows go to.
    pub focus: Focus,
    /// What the source's margin shows.
    pub margin: Margin,
    /// The size that keys change.
    pub size: usize,
    /// Whether the output takes the whole width.
    pub zoom: bool,
    /// The colours.
    pub scheme: Scheme,
    /// The cells that are side by side, in place of the cell on screen.
    pub versus: Option<Versus>,
    /// What the last frame showed.
    pub seen: Seen,
}

/// A tab of a run cell. With room for two panes the source is always on screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Tab {
    #[default]
    Source,
    Counts,
    Values,
    Ptx,
}

/// The pane that arrows go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Focus {
    #[default]
    Source,
    Output,
    Sizes,
}

/// How many panes there is room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Below 120 columns.
    #[default]
    One,
    /// From 120 columns: source beside output.
    Two,
    /// From 180 columns: contents too.
    Three,
}

/// Lines (or rows) that there are, and that fit on screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// That there are.
    pub content: usize,
    /// That fit.
    pub visible: usize,
}

impl Extent {
    /// The largest useful scroll.
    pub fn max_scroll(self) -> usize {
        self.content.saturating_sub(self.visible)
    }
}

/// What the last frame showed of everything that scrolls. Drawing reports it, so that scrolling
/// stops at the end of what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Room for panes.
    pub layout: Layout,
    /// Lines of prose.
    pub prose: Extent,
    /// Rows and columns of a table that fit on screen.
    pub table: (usize, usize),
    /// Lines of source.
    pub source: Extent,
    /// Columns that there are for the source's text.
    pub source_width: usize,
    /// Lines of counts or diagnostics.
    pub counts: Extent,
    /// Rows of the matrix.
    pub rows: Extent,
    /// Columns of the matrix.
    pub columns: Extent,
    /// Lines of PTX.
    pub ptx: Extent,
    /// Rows of the map of blocks.
    pub picker: Extent,
    /// Rows of the access drawn.
    pub access: Extent,
    /// Lines of help.
    pub help: Extent,
    /// Rows of totals and of sources of two cells.
    pub versus: [Extent; 2],
    /// Rows of the home screen's list.
    pub lessons: Extent,
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
        Model {
            cells: cells.collect(),
            folds: Vec::new(),
            presentation: None,
            found: None,
            lesson,
            gpu: gpu.map(str::to_owned),
            engine: Engine::Sim,
            at: 0,
            sizes,
            look: Look::default(),
            prompt: None,
            picker: None,
            help: None,
            palette: Palette::default(),
            replaces: None,
            explained: None,
            notice: None,
            broken: None,
            edits: Edits::default(),
            kept: Kept::default(),
            samples: Samples::default(),
            left: None,
            tour: None,
            told: None,
            landing: None,
            queue: VecDeque::new(),
            last_job: 0,
        }
    }

    /// Takes what the command line says of engine and watched warp.
    pub fn begin_with(&mut self, engine: Option<Engine>, watch: Option<Watch>) {
        self.engine = engine.unwrap_or(self.engine);
        for cell in &mut self.cells {
            if let (CellState::Run(state), Some(watch)) = (cell, watch) {
                state.inspector.watch = watch;
            }
        }
    }

    /// Keeps a value by key over the end of the program; none removes it.
    pub fn keep_value(&mut self, key: &str, value: Option<String>, effects: &mut Vec<Effect>) {
        let key = key.to_owned();
        self.keep(Change::Value { key, value }, effects);
    }

    pub(crate) fn keep(&mut self, change: Change, effects: &mut Vec<Effect>) {
        self.kept.take(change.clone());
        effects.push(Effect::Keep(change));
    }

    /// The run cell on screen and its state, if it is one.
    pub fn run_cell(&self) -> Option<(&RunCell, &RunState)> {
        match (self.lesson.cells.get(self.at)?, self.cells.get(self.at)?) {
            (Cell::Run(cell), CellState::Run(state)) => Some((cell, state)),
            _ => None,
        }
    }

    /// The state of the run cell on screen, if it is one.
    pub(crate) fn run_state(&mut self) -> Option<&mut RunState> {
        match self.cells.get_mut(self.at)? {
            CellState::Run(state) => Some(state),
            _ => None,
        }
    }

    /// Whether the output pane shows values; else counts.
    pub fn shows_values(&self) -> bool {
        self.look.tab == Tab::Values
    }

    /// Where keys go now.
    pub fn context(&self) -> Context {
        match self.tour {
            Some(_) => Context::Tour,
            None => self.screen_context(),
        }
    }

    /// Where keys go, or will go once the tour is over.
    pub fn screen_context(&self) -> Context {
        if self.palette.open.is_some() {
            return Context::Palette;
        }
        if self.prompt.is_some() {
            return Context::Prompt;
        }
        if self.help.is_some() {
            return Context::Help;
        }
        if self.explained.is_some() {
            return Context::Explained;
        }
        self.context_below()
    }

    /// Where keys go once questions and help are closed.
    pub fn context_below(&self) -> Context {
        if self.picker.is_some() {
            return Context::Picker;
        }
        if self.look.versus.is_some() {
            return Context::Versus;
        }
        let Some((_, state)) = self.run_cell() else {
            return match self.cells.get(self.at) {
                _ if self.fold(self.at) == Fold::Whole => Context::Prose,
                Some(CellState::Prediction(_)) if !self.is_told() => Context::Prediction,
                Some(CellState::Table(_)) => Context::Table,
                Some(CellState::Calculator(_)) => Context::Calculator,
                _ => self.figure_context().unwrap_or(Context::Prose),
            };
        };
        match self.fold(self.at) {
            Fold::Whole => return Context::Prose,
            Fold::Output if self.look.focus != Focus::Sizes => return Context::Source,
            _ => {}
        }
        let one = self.look.seen.layout == Layout::One;
        match (self.look.focus, self.look.tab) {
            (Focus::Sizes, _) => Context::Sizes,
            (Focus::Source, _) if self.source_view() == Some(SourceView::Editor) => Context::Editor,
            (Focus::Source, _) if !one => Context::Source,
            (_, Tab::Source) if one => Context::Source,
            (_, Tab::Values) => match state.inspector.item() {
                Item::Warp => Context::Warp,
                Item::Buffer(_) | Item::Shared(_) => Context::Buffer,
            },
            (_, Tab::Ptx) => Context::Ptx,
            _ => Context::Counts,
        }
    }
}
