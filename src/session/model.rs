//! The state of the notebook.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Change, Context, Effect, HelpPage, Item, Kept, Palette, Prompt, RunState, Scheme};
use crate::device::DEFAULT_GPU;
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
    /// How the cell is looked at.
    pub look: Look,
    /// A question that waits for its answer.
    pub prompt: Option<Prompt>,
    /// The help, if it is open.
    pub help: Option<HelpPage>,
    /// The list of everything that can be asked for.
    pub palette: Palette,
    /// The file that may be replaced, if one was named that is there.
    pub(super) replaces: Option<String>,
    /// A short message until the next key.
    pub notice: Option<String>,
    /// What outlasts the program, as far as this notebook knows it.
    pub kept: Kept,
    /// Cells still to run after the current run, from "run all".
    pub(super) queue: VecDeque<usize>,
    /// Number of the latest run.
    pub(super) last_job: u64,
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

/// What the source's margin shows of each line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Margin {
    #[default]
    Elements,
    Distinct,
    Requests,
    Sectors,
    Efficiency,
}

impl Margin {
    /// All of them, in the order a key goes through them.
    pub const ALL: [Margin; 5] = [
        Margin::Elements,
        Margin::Distinct,
        Margin::Requests,
        Margin::Sectors,
        Margin::Efficiency,
    ];

    /// The one after this.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|&margin| margin == self);
        Self::ALL[at.map_or(0, |at| (at + 1) % Self::ALL.len())]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Margin::Elements => "elements",
            Margin::Distinct => "distinct elements",
            Margin::Requests => "requests",
            Margin::Sectors => "sectors",
            Margin::Efficiency => "efficiency",
        }
    }
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
    /// Lines of source.
    pub source: Extent,
    /// Lines of counts or diagnostics.
    pub counts: Extent,
    /// Rows of the matrix.
    pub rows: Extent,
    /// Columns of the matrix.
    pub columns: Extent,
    /// Lines of PTX.
    pub ptx: Extent,
    /// Lines of help.
    pub help: Extent,
}

impl Model {
    /// The notebook on the first cell of `lesson`, at its default sizes, simulating `gpu` if one is
    /// asked for; nothing has run.
    pub fn new(lesson: Lesson, gpu: Option<&str>) -> Self {
        let defaults = lesson.sizes.iter();
        let sizes: Sizes = defaults
            .map(|size| (size.name.clone(), size.default))
            .collect();
        let cells = lesson.cells.iter().map(|cell| match cell {
            Cell::Prose(_) => CellState::Prose { scroll: 0 },
            Cell::Run(cell) => {
                let mut state = RunState::new(super::run::plan(cell, &sizes));
                state.inspector.start(cell);
                CellState::Run(Box::new(state))
            }
        });
        Model {
            cells: cells.collect(),
            lesson: Arc::new(lesson),
            gpu: gpu.map(str::to_owned),
            engine: Engine::Sim,
            at: 0,
            sizes,
            look: Look::default(),
            prompt: None,
            help: None,
            palette: Palette::default(),
            replaces: None,
            notice: None,
            kept: Kept::default(),
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

    pub(super) fn keep(&mut self, change: Change, effects: &mut Vec<Effect>) {
        self.kept.take(change.clone());
        effects.push(Effect::Keep(change));
    }

    /// The GPU whose counts are on screen, or would be: an id of the GPU table.
    pub fn simulated(&self) -> &str {
        let ran = self.run_cell().and_then(|(_, state)| state.ran.as_ref());
        let simulated = ran.map(|ran| ran.result.outcome.simulated.as_str());
        simulated.or(self.gpu.as_deref()).unwrap_or(DEFAULT_GPU)
    }

    /// The run cell on screen and its state, if it is one.
    pub fn run_cell(&self) -> Option<(&RunCell, &RunState)> {
        match (self.lesson.cells.get(self.at)?, self.cells.get(self.at)?) {
            (Cell::Run(cell), CellState::Run(state)) => Some((cell, state)),
            _ => None,
        }
    }

    /// The state of the run cell on screen, if it is one.
    pub(super) fn run_state(&mut self) -> Option<&mut RunState> {
        match self.cells.get_mut(self.at)? {
            CellState::Run(state) => Some(state),
            CellState::Prose { .. } => None,
        }
    }

    /// Whether the output pane shows values; else counts.
    pub fn shows_values(&self) -> bool {
        self.look.tab == Tab::Values
    }

    /// Where keys go now.
    pub fn context(&self) -> Context {
        if self.palette.open.is_some() {
            return Context::Palette;
        }
        if self.prompt.is_some() {
            return Context::Prompt;
        }
        if self.help.is_some() {
            return Context::Help;
        }
        self.page_context()
    }

    /// Where keys go once nothing lies over the page.
    pub fn page_context(&self) -> Context {
        let Some((_, state)) = self.run_cell() else {
            return Context::Prose;
        };
        let one = self.look.seen.layout == Layout::One;
        match (self.look.focus, self.look.tab) {
            (Focus::Sizes, _) => Context::Sizes,
            (Focus::Source, _) if !one => Context::Source,
            (_, Tab::Source) if one => Context::Source,
            (_, Tab::Values) => match state.inspector.item() {
                Item::Warp => Context::Warp,
                Item::Buffer(_) => Context::Buffer,
            },
            (_, Tab::Ptx) => Context::Ptx,
            _ => Context::Counts,
        }
    }
}
