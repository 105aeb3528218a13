//! What goes into `update`, and what comes out.

use std::sync::Arc;

use super::{Broken, Change, KeptEdit, Listed, Ran, Seen, Stroke, Summary, Tab};
use crate::launch::{Comparison, Engine, Plan, Progress, Watch};
use crate::lesson::{Lesson, Order, RunCell, Sample, Size, Sizes, Tally};
use crate::source::SourceFile;

/// Something the learner asks for, whichever key or click says it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Action {
    Quit,
    Suspend,
    Help,
    /// Closes what is open; else cancels the run.
    Back,
    NextCell,
    PreviousCell,
    GoToCell(usize),
    NextFocus,
    PreviousFocus,
    Run,
    RunAll,
    /// The real GPU in place of the simulated one alone, or back.
    SwitchEngine,
    Show(Tab),
    /// The next measure in the source's margin.
    NextMargin,
    /// Asks what the margin is to count.
    PickMargin,
    /// Asks which GPU is to be simulated.
    PickGpu,
    /// Tells where the numbers on screen come from, or closes that.
    Explain,
    /// Puts the cell beside another one, or closes that.
    Compare,
    /// Takes an answer of the open list, by its place in it.
    Choose(usize),
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    /// A page further; the next cell at the end.
    Advance,
    Increase,
    Decrease,
    Double,
    Halve,
    SelectSize(usize),
    /// Gives a size a value, as a click on its slider does.
    SetSize(usize, u64),
    NextLaunch,
    PreviousLaunch,
    /// One launch, or all of them together.
    SelectLaunch(Option<usize>),
    NextItem,
    PreviousItem,
    SelectItem(usize),
    NextWarp,
    PreviousWarp,
    PickBlock,
    /// The next step behind which the real GPU holds another value.
    NextDifference,
    /// Asks where to go: a cell, line, element or step.
    GoTo,
    /// The output pane over the whole width, or not.
    Zoom,
    /// Goes through a figure's blocks by itself, or stops.
    Play,
    /// A point of a figure's plot: its series, and which of the series.
    SelectPoint(usize, usize),
    /// One of the plots of a figure.
    SelectPlot(usize),
    /// As many of the blocks that a figure shows.
    SelectVisit(usize),
    /// From a lesson to the home screen.
    GoHome,
    /// To where the learner left the lesson before.
    GoOn,
    /// Searches lessons.
    Search,
    /// A row of the home screen; opens its lesson if it is chosen already.
    SelectLesson(usize),
    Tour,
    NextOfTour,
    EndTour,
    Type(char),
    Erase,
    Confirm,
    /// The kernel's text, to be changed; or as it was before.
    EditKernel,
    /// Something done to the text that is being changed.
    Edit(Stroke),
    /// The kernel's text in the learner's own editor.
    OpenEditor,
    /// What was changed in the kernel, line by line; or the text again.
    ShowChanges,
    /// Asks whether to drop what was changed in the kernel.
    ResetKernel,
}

/// Where keys go: each binding names the contexts in which it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Context {
    Prose,
    Sizes,
    Source,
    Editor,
    Counts,
    Buffer,
    Warp,
    Ptx,
    /// A figure of plots.
    Figure,
    /// A figure of blocks over a matrix.
    Blocks,
    Prompt,
    Help,
    Versus,
    /// A note of the tour is on screen.
    Tour,
    /// The home screen.
    Home,
    /// The home screen while lessons are searched.
    Search,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Msg {
    /// The learner asked for something.
    Action(Action),
    /// A frame was drawn, and this is how much of everything it shows.
    Seen(Seen),
    /// The lessons that there are.
    Lessons(Vec<Listed>),
    /// It was found out what there is to run cells on.
    Engine {
        /// The better engine.
        engine: Engine,
        /// Which it is and why, as a line.
        why: String,
    },
    /// Something outside that the learner should know, as a line.
    Notice(String),
    /// A run goes on.
    Progress {
        /// The run.
        job: u64,
        /// How far it is.
        progress: Box<Progress>,
    },
    /// A run has counted everything; what a model adds is still to come.
    Counted {
        /// The run.
        job: u64,
        /// The result without the model's answers.
        ran: Arc<Ran>,
    },
    /// A run ended: with a result, or with what the machine got wrong.
    Finished {
        /// The run.
        job: u64,
        /// What came back.
        result: Result<Arc<Ran>, String>,
    },
    /// The values of the watched warp were captured on a real GPU.
    Captured {
        /// The run whose values they are.
        job: u64,
        /// Of each launch, beside the simulated ones; or why there are none.
        values: Vec<Result<Option<Comparison>, String>>,
    },
    /// Kernels of the lesson were edited before, and these are the edits.
    EditsFound(Vec<KeptEdit>),
    /// An edited text rests: nothing was typed for a moment.
    Rested {
        /// Its latest change.
        revision: u64,
    },
    /// What the original and an edited text count.
    Contrasted {
        /// The run of the edited text.
        job: u64,
        /// Of the original.
        original: Arc<Tally>,
        /// Of the edited text.
        edited: Arc<Tally>,
    },
    /// An edited kernel file is another outside.
    FileChanged {
        /// Its name in the lesson.
        file: String,
        /// All of it.
        text: String,
    },
    /// The lesson's file changed, and this is what it holds now.
    Reloaded(Box<Lesson>),
    /// The lesson's file changed, and cannot be read any more.
    Broken(Broken),
    /// What is recorded of the lesson was read.
    Recalled {
        /// The lesson's name.
        lesson: String,
        /// The recorded runs.
        samples: Vec<Sample>,
    },
    /// The order of a figure's blocks was found.
    Ordered {
        /// The lesson's name.
        lesson: String,
        /// Index of the figure's cell.
        cell: usize,
        /// The sizes it was asked for.
        sizes: Sizes,
        /// The order, or why there is none.
        order: Result<Arc<Order>, String>,
    },
    /// Some time went by while a figure plays.
    Tick,
    /// A buffer was summarised.
    Summarised {
        /// The run whose buffer it is.
        job: u64,
        /// Index of the buffer.
        buffer: usize,
        /// Its summary.
        summary: Summary,
    },
}

/// Something to be done outside.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Run a cell, answered by `Msg::Progress` and `Msg::Finished`.
    Run {
        /// Number of the run.
        job: u64,
        /// The lesson.
        lesson: Arc<Lesson>,
        /// Index of the cell.
        cell: usize,
        /// What to run.
        plan: Arc<Plan>,
        /// The sizes it was made for.
        sizes: Sizes,
        /// The warp whose values are kept.
        watch: Watch,
        /// What runs it.
        engine: Engine,
        /// Whether its kernels were edited.
        edited: bool,
        /// Which GPU is simulated, if one was chosen.
        gpu: Option<String>,
        /// Whether it follows a change that others may follow at once: then it may begin a little later.
        settles: bool,
    },
    /// Look for edits of the lesson's kernels, answered by `Msg::EditsFound`.
    FindEdits {
        /// The lesson.
        lesson: Arc<Lesson>,
    },
    /// Answer with `Msg::Rested` once nothing else changed for a moment.
    Rest {
        /// The change.
        revision: u64,
    },
    /// Keep an edited kernel file over the end of the program, or forget it.
    KeepEdit {
        /// The lesson's name.
        lesson: String,
        /// The file as the lesson has it.
        original: SourceFile,
        /// The edit; none is kept of a file that is as the lesson has it.
        edit: Option<KeptEdit>,
    },
    /// Count the original beside an edited text, answered by `Msg::Contrasted`.
    Contrast {
        /// The run of the edited text.
        ran: Arc<Ran>,
        /// Its cell.
        cell: Box<RunCell>,
        /// The lesson's sizes.
        sizes: Vec<Size>,
        /// The file as the lesson has it.
        original: SourceFile,
        /// What the original counts at these sizes, if that is known.
        known: Option<Arc<Tally>>,
    },
    /// Open a kernel file in the learner's own editor, answered by `Msg::FileChanged`.
    OpenEditor {
        /// The lesson's name.
        lesson: String,
        /// The file as the lesson has it.
        original: SourceFile,
        /// The file as it is now.
        edit: KeptEdit,
        /// The line to go to, from 1.
        line: usize,
    },
    /// Capture the values of the watched warp on the real GPU that ran, answered by `Msg::Captured`.
    Capture {
        /// The run.
        ran: Arc<Ran>,
    },
    /// Stop a run, or a capture after it.
    Cancel {
        /// Its number.
        job: u64,
    },
    /// Summarise a buffer, answered by `Msg::Summarised`.
    Summarise {
        /// The run whose buffer it is.
        ran: Arc<Ran>,
        /// Index of the buffer.
        buffer: usize,
    },
    /// Write a change of what outlasts the program; `Msg::Notice` says if it cannot be.
    Keep(Change),
    /// Read what is recorded of the lesson on a GPU, answered by `Msg::Recalled`.
    Recall {
        /// The lesson.
        lesson: Arc<Lesson>,
        /// Id of the GPU.
        gpu: String,
    },
    /// Find the order of a figure's blocks, answered by `Msg::Ordered`.
    Order {
        /// The lesson.
        lesson: Arc<Lesson>,
        /// Index of the figure's cell.
        cell: usize,
        /// The sizes to run at.
        sizes: Sizes,
        /// Id of the GPU whose L2 it is.
        gpu: String,
    },
    /// Find out which lessons there are, answered by `Msg::Lessons`.
    ListLessons,
    /// Hand the terminal back to the shell for a while.
    Suspend,
    /// End the program.
    Quit,
}
