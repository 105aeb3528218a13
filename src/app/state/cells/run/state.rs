//! A run cell as the notebook holds it: its plan, the run that goes on, the last result.

use std::sync::Arc;

use crate::app::state::{Inspector, LoadedHistory};
use crate::device::Gpu;
use crate::engine::Preparing;
use crate::launch::{Counts, LineCounts, Plan, Progress, Watch, volume};
use crate::lesson::{CellResult, RunCell, Sizes, TextCounts};
use crate::source::SourceFile;

/// A run that came to an end, with what it takes to show it.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedRun {
    /// Number of the run.
    pub job: u64,
    /// What ran.
    pub plan: Arc<Plan>,
    /// The warp that was watched.
    pub watch: Watch,
    /// Whether its kernels were edited: then the lesson's formulas are those of the original.
    pub edited: bool,
    /// What came back.
    pub result: CellResult,
}

impl FinishedRun {
    /// File `source` as it ran: the one of `cell` may have been edited since.
    pub fn file<'a>(&'a self, source: usize, cell: &'a RunCell) -> &'a SourceFile {
        // The text that ran: that of the lesson may have been edited since.
        let source = self.plan.sources.get(source);
        source.map_or(&cell.source, |source| &source.file)
    }
}

/// A run that goes on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// Its number.
    pub id: u64,
    /// The latest news of each launch; nothing before it starts.
    pub launches: Vec<Option<Progress>>,
    /// What was done last before the first launch.
    pub preparing: Option<Preparing>,
    /// The launch that runs.
    pub current: usize,
    /// Whether the result that is there stays on screen until its own comes.
    pub follows: bool,
    /// Whether nobody asked for it: it runs because its cell is on screen.
    pub by_itself: bool,
}

/// Where a launch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchState {
    /// Nothing ran it yet.
    Idle,
    /// Others of this run come first.
    Waiting,
    /// It runs.
    Running {
        /// Blocks that have ended.
        done: u64,
        /// Blocks in the grid.
        blocks: u64,
    },
    /// It ran to its end.
    Done,
    /// It failed or was stopped.
    Stopped,
}

/// A buffer in numbers. NaN is left out of `min`, `max` and `mean`.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Mean value.
    pub mean: f64,
    /// Number of NaNs.
    pub nan: usize,
    /// The buffer in small: tiles of its matrix, row by row.
    pub tiles: Vec<Vec<Tile>>,
}

/// A part of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tile {
    /// Sum of its numbers.
    pub sum: f64,
    /// How many they are: NaN is none.
    pub numbers: u32,
}

/// What of a run cell is on screen. Lines are counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunScroll {
    /// First line of the source.
    pub source: usize,
    /// The same as the program put it last, for a kernel or an access that nobody chose.
    pub(crate) default_source: usize,
    /// The line of the source that has to be on screen, unless somebody scrolled since.
    pub(crate) focus: Option<usize>,
    /// First line of the counts.
    pub counts: usize,
    /// The line of PTX that is looked at.
    pub ptx: usize,
    /// The tensor that is looked at, and its element.
    pub tensor: usize,
    pub element: usize,
}

impl RunScroll {
    /// Puts the source at a line that nobody chose.
    pub(crate) fn put_source(&mut self, line: usize) {
        (self.source, self.default_source) = (line, line);
        self.focus = None;
    }

    /// Puts the source where somebody wants it.
    pub(crate) fn choose_source(&mut self, line: usize) {
        self.source = line;
        self.focus = None;
    }

    /// What the last frame made of the line that has to be on screen.
    pub(crate) fn take_first(&mut self, first: usize) {
        (self.source, self.default_source) = (first, first);
    }

    /// First line of the source, where somebody chose it.
    pub(crate) fn chosen_source(self) -> Option<usize> {
        Some(self.source).filter(|&line| line != self.default_source)
    }
}

/// A run cell.
#[derive(Clone, Debug)]
pub struct RunState {
    /// The plan at the chosen sizes, or why there is none.
    pub plan: Result<Arc<Plan>, String>,
    /// The run that goes on.
    pub job: Option<Job>,
    /// The last result.
    pub ran: Option<Arc<FinishedRun>>,
    /// The run whose values are being captured on the real GPU.
    pub capturing: Option<u64>,
    /// What the machine got wrong in the last run.
    pub error: Option<String>,
    /// Summaries of the result's buffers, where they were asked for and came.
    pub summaries: Vec<Option<Summary>>,
    /// The launch whose counts are shown; all together if none.
    pub launch: Option<usize>,
    /// What of it is on screen.
    pub scroll: RunScroll,
    /// What is looked at in the values.
    pub inspector: Inspector,
    /// What its kernels count as they were edited.
    pub edits: EditedRuns,
    /// The block that is looked into.
    pub history: LoadedHistory,
    /// The run and buffer whose summary was asked for last.
    pub(crate) asked: Option<(u64, usize)>,
}

impl RunState {
    /// A cell that has not run.
    pub fn new(plan: Result<Arc<Plan>, String>) -> Self {
        RunState {
            plan,
            job: None,
            ran: None,
            capturing: None,
            error: None,
            summaries: Vec::new(),
            launch: None,
            scroll: RunScroll::default(),
            inspector: Inspector::default(),
            edits: EditedRuns::default(),
            history: LoadedHistory::default(),
            asked: None,
        }
    }

    /// Takes news of the running job.
    pub fn take_progress(&mut self, progress: Progress) {
        let Some(job) = &mut self.job else { return };
        job.current = progress.launch;
        if let Some(slot) = job.launches.get_mut(progress.launch) {
            *slot = Some(progress);
        }
    }

    /// The result whose numbers are on screen; nothing while those of a run tick.
    pub fn shown(&self) -> Option<&Arc<FinishedRun>> {
        self.ran.as_ref().filter(|_| self.ticking().is_none())
    }

    /// The run whose numbers are on screen as they come.
    pub fn ticking(&self) -> Option<&Job> {
        let has_result = self.ran.is_some();
        // A run that follows a change keeps the old result on screen, so that nothing flickers while somebody types.
        self.job.as_ref().filter(|job| !(job.follows && has_result))
    }

    /// Takes what the running job counted; what a model adds comes with its result.
    pub fn take_counted(&mut self, ran: Arc<FinishedRun>) {
        if let Some(job) = &mut self.job {
            // Counts are there: what the model of caches adds comes without a clock in their place.
            job.follows = true;
            self.take_ran(ran);
        }
    }

    fn take_ran(&mut self, ran: Arc<FinishedRun>) {
        // Of the run before, and of buffers that may have had other lengths.
        self.summaries = vec![None; ran.result.outcome.buffers.len()];
        self.asked = None;
        self.error = None;
        self.ran = Some(ran);
    }

    /// Takes the result of the running job.
    pub fn take_result(&mut self, result: Result<Arc<FinishedRun>, String>) {
        self.job = None;
        match result {
            Ok(ran) => self.take_ran(ran),
            Err(error) => self.error = Some(error),
        }
    }

    /// Where launch `index` stands.
    pub fn launch_state(&self, index: usize) -> LaunchState {
        if let Some(job) = &self.job {
            return match job.launches.get(index) {
                Some(Some(_)) if index < job.current => LaunchState::Done,
                Some(Some(progress)) => LaunchState::Running {
                    done: progress.blocks_done,
                    blocks: progress.blocks,
                },
                _ => LaunchState::Waiting,
            };
        }
        let Some(ran) = &self.ran else {
            return LaunchState::Idle;
        };
        use crate::launch::Ending;
        let outcome = &ran.result.outcome;
        match (index + 1).cmp(&outcome.launches.len()) {
            std::cmp::Ordering::Less => LaunchState::Done,
            std::cmp::Ordering::Equal if outcome.ending == Ending::Finished => LaunchState::Done,
            // The last that began is where a run that failed has stopped; those behind it never ran.
            std::cmp::Ordering::Equal => LaunchState::Stopped,
            std::cmp::Ordering::Greater => LaunchState::Idle,
        }
    }

    /// Blocks done of blocks in all launches of the running job.
    pub fn blocks_done(&self) -> Option<(u64, u64)> {
        let (job, plan) = (self.job.as_ref()?, self.plan.as_ref().ok()?);
        let total = plan.launches.iter().map(|launch| volume(launch.grid)).sum();
        let done = plan.launches.iter().zip(&job.launches).enumerate();
        let done = done.map(|(i, (launch, progress))| match progress {
            _ if i < job.current => volume(launch.grid),
            Some(progress) => progress.blocks_done,
            None => 0,
        });
        Some((done.sum(), total))
    }

    /// The counts on screen: those of the selected launch or of all, live while a run goes;
    /// nothing before the first, and of a result that nobody counted.
    pub fn counts(&self) -> Option<Counts> {
        let chosen = |index: usize| self.launch.is_none_or(|launch| launch == index);
        if let Some(job) = self.ticking() {
            let launches = job.launches.iter().enumerate();
            let counts = launches.filter(|&(i, _)| chosen(i));
            let counts = counts.filter_map(|(_, progress)| progress.as_ref());
            return Some(counts.fold(Counts::default(), |sum, progress| sum + progress.counts));
        }
        let ran = self.ran.as_ref()?;
        let outcome = Some(&ran.result.outcome).filter(|outcome| outcome.is_counted())?;
        let launches = outcome.launches.iter();
        let counts = launches.enumerate().filter(|&(i, _)| chosen(i));
        Some(counts.fold(Counts::default(), |sum, (_, launch)| sum + launch.counts))
    }

    /// Counts by line of source `source`, in order of lines, of all launches together.
    pub fn lines(&self, source: usize) -> Vec<LineCounts> {
        let mut lines = std::collections::BTreeMap::<u32, Counts>::new();
        let mut add = |line: &LineCounts| *lines.entry(line.line).or_default() += line.counts;
        if let (Some(job), Ok(plan)) = (self.ticking(), &self.plan) {
            let launches = job.launches.iter().zip(&plan.launches);
            let launches = launches.filter(|(_, launch)| launch.source == source);
            let progress = launches.filter_map(|(progress, _)| progress.as_ref());
            progress.flat_map(|news| &news.lines).for_each(&mut add);
        } else if let Some(ran) = &self.ran {
            let launches = ran.result.outcome.launches.iter();
            let launches = launches.filter(|launch| launch.source == source);
            launches.flat_map(|launch| &launch.lines).for_each(&mut add);
        }
        let line = |(line, counts)| LineCounts { line, counts };
        // A run that goes on has the text of the plan; a result may be of a text that was edited since.
        let lines = lines.into_iter().map(line).collect();
        match self.job {
            Some(_) => lines,
            None => self.moved(source, lines),
        }
    }
}

/// The plan of `cell` at `sizes` on `gpu`, or why there is none.
pub(crate) fn plan(cell: &RunCell, sizes: &Sizes, gpu: &Gpu) -> Result<Arc<Plan>, String> {
    cell.plan(sizes, gpu)
        .map(Arc::new)
        .map_err(|error| error.to_string())
}

/// What is known of a cell's kernels as they were edited.
#[derive(Clone, Debug, Default)]
pub struct EditedRuns {
    /// What the original counts.
    pub original: Option<Arc<TextCounts>>,
    /// What the edited text counts, and in which run.
    pub edited: Option<(u64, Arc<TextCounts>)>,
}
