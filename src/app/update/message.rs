//! What the program tells the notebook, and what the notebook asks of the program.

use std::sync::Arc;

use crate::app::state::{
    Action, BlockHistory, CopyTarget, FinishedRun, FrameExtents, HistoryKey, LessonErrors,
    ListedLesson, SavedEdit, SpeakerState, StateChange, Summary, WarpLoad,
};
use crate::engine::Preparing;
use crate::launch::{Engine, Plan, Progress, TraceComparison, Watch};
use crate::lesson::{Feedback, Lesson, Replayed, RunCell, Sample, Size, Sizes, TextCounts};
use crate::source::SourceFile;

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Msg {
    /// The learner asked for something.
    Action(Action),
    /// A frame was drawn, and this is how much of everything it shows.
    Drawn(FrameExtents),
    /// The lessons that there are.
    Lessons(Vec<ListedLesson>),
    /// It was found out what there is to run cells on.
    Engine {
        /// The better engine.
        engine: Engine,
        /// Which it is and why, as a line.
        why: String,
        /// The GPU found in this machine: an id of the GPU table.
        found: Option<String>,
    },
    /// Something about a lesson, to be dropped once another is open.
    About {
        /// The lesson.
        lesson: Arc<Lesson>,
        /// What happened.
        msg: Box<Msg>,
    },
    /// Something outside that the learner should know, as a line.
    Notice(String),
    /// A run does something before its first launch.
    Preparing {
        /// The run.
        job: u64,
        /// What it does.
        preparing: Preparing,
    },
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
        ran: Arc<FinishedRun>,
    },
    /// A run ended: with a result, or with what the machine got wrong.
    Finished {
        /// The run.
        job: u64,
        /// What came back.
        result: Result<Arc<FinishedRun>, String>,
    },
    /// The values of the watched warp were captured on a real GPU.
    Captured {
        /// The run whose values they are.
        job: u64,
        /// Of each launch, beside the simulated ones; or why there are none.
        values: Vec<Result<Option<TraceComparison>, String>>,
    },
    /// Edits of the open lesson that were kept.
    EditsFound(Vec<SavedEdit>),
    /// An edited text rests: nothing was typed for a moment.
    Rested {
        /// Its latest change.
        revision: u64,
    },
    /// What the original and an edited text count.
    EditCompared {
        /// The run of the edited text.
        job: u64,
        /// Of the original.
        original: Arc<TextCounts>,
        /// Of the edited text.
        edited: Arc<TextCounts>,
    },
    /// An answer to an exercise was checked.
    AnswerChecked(CheckedText),
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
    Broken(LessonErrors),
    /// A block was stepped through.
    HistoryLoaded {
        /// The run, the launch, the block and warp.
        of: HistoryKey,
        /// What it did, or why nobody knows.
        result: Result<Arc<BlockHistory>, String>,
    },
    /// Something was copied, or not, and why.
    Copied(Result<CopiedText, String>),
    /// The lesson was written to a file, or not.
    Written(ExportedFile),
    /// What is recorded of the lesson was read.
    RecordingsLoaded {
        /// The recorded runs.
        samples: Vec<Sample>,
    },
    /// The blocks of a figure ran.
    Replayed {
        /// What was asked for.
        request: ReplayRequest,
        /// What came of it, or why there is nothing.
        replayed: Result<Replayed, String>,
    },
    /// What the first warps of the welcome's runs load; nothing if they do not run.
    WelcomeLoaded(Vec<WarpLoad>),
    /// Some time went by while a figure plays.
    Tick,
    /// Seconds since the presentation began.
    Clock(u64),
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
    /// Look for edits of the lesson that were kept, answered by `Msg::EditsFound`.
    Opened {
        /// The lesson, open now.
        lesson: Arc<Lesson>,
    },
    /// Run a cell, answered by `Msg::Progress` and `Msg::Finished`.
    Run(RunTask),
    /// Answer with `Msg::Rested` once nothing else changed for a moment.
    Rest {
        /// The change.
        revision: u64,
    },
    /// Keep an edited kernel file over the end of the program, or forget it.
    SaveEdit {
        /// The file as the lesson has it.
        file: LessonFile,
        /// The edit; none is kept of a file that is as the lesson has it.
        edit: Option<SavedEdit>,
    },
    /// Count the original beside an edited text, answered by `Msg::EditCompared`.
    CompareEdit(EditComparison),
    /// Check an answer to an exercise, answered by `Msg::AnswerChecked`.
    CheckAnswer(AnswerCheck),
    /// Open a kernel file in the learner's own editor, answered by `Msg::FileChanged`.
    OpenEditor {
        /// The file as the lesson has it.
        file: LessonFile,
        /// The file as it is now.
        edit: SavedEdit,
        /// The line to go to, from 1.
        line: usize,
    },
    /// Capture the values of the watched warp on the real GPU that ran, answered by `Msg::Captured`.
    Capture {
        /// The run.
        ran: Arc<FinishedRun>,
    },
    /// Stop a run, or a capture after it.
    Cancel {
        /// Its number.
        job: u64,
    },
    /// Step through a block of a run, answered by `Msg::HistoryLoaded`.
    LoadHistory {
        /// The run.
        ran: Arc<FinishedRun>,
        /// Index of the launch.
        launch: usize,
        /// The block, and the warp to follow.
        watch: Watch,
    },
    /// Summarise a buffer, answered by `Msg::Summarised`.
    Summarise {
        /// The run whose buffer it is.
        ran: Arc<FinishedRun>,
        /// Index of the buffer.
        buffer: usize,
        /// Elements in a row of it.
        columns: usize,
    },
    /// Tell the speaker's second terminal where the presentation is.
    SendToSpeaker(SpeakerState),
    /// Copy something to the clipboard, answered by `Msg::Copied`.
    Copy(CopyTarget),
    /// Write the lesson and its results to a file, answered by `Msg::Written`.
    Export {
        /// The file's name, whose end says in which form, and options behind it.
        file: String,
        /// Whether to replace a file of this name.
        replace: bool,
    },
    /// Write a change of what outlasts the program; `Msg::Notice` says if it cannot be.
    Save(StateChange),
    /// Read what is recorded of the lesson on a GPU, answered by `Msg::RecordingsLoaded`.
    LoadRecordings {
        /// The lesson.
        lesson: Arc<Lesson>,
        /// Id of the GPU.
        gpu: String,
    },
    /// Have the blocks of a figure run, answered by `Msg::Replayed`.
    ReplayBlocks {
        /// The lesson.
        lesson: Arc<Lesson>,
        /// What is asked for.
        request: ReplayRequest,
    },
    /// Run the two copies that welcome somebody new, answered by `Msg::WelcomeLoaded`.
    LoadWelcome {
        /// The lesson that has them.
        lesson: Arc<Lesson>,
        /// Id of the GPU, if one is asked for.
        gpu: Option<String>,
    },
    /// Find out which lessons there are, answered by `Msg::Lessons`.
    ListLessons,
    /// Hand the terminal back to the shell for a while.
    Suspend,
    /// End the program.
    Quit,
}

/// A kernel file as its lesson has it.
#[derive(Clone, Debug)]
pub struct LessonFile {
    /// The lesson's name.
    pub lesson: String,
    /// Name and text.
    pub original: SourceFile,
}

/// A figure whose blocks are to run.
#[derive(Clone, Debug)]
pub struct ReplayRequest {
    /// Index of the figure's cell.
    pub cell: usize,
    /// The sizes to run at.
    pub sizes: Sizes,
    /// Id of the GPU whose L2 it is.
    pub gpu: String,
}

/// Something that went to the clipboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedText {
    /// What it is, in words.
    pub what: String,
    /// Its size.
    pub bytes: usize,
}

/// Why a file was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// There is one of this name.
    Exists,
    /// The machine refused, in its words.
    Failed(String),
}

/// A file that was to be written, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedFile {
    /// Its name, as it was asked for.
    pub file: String,
    /// Where it is and how many bytes it has; or why it is not.
    pub result: Result<(String, usize), ExportError>,
}

/// A run of a cell that is asked for.
#[derive(Clone, Debug)]
pub struct RunTask {
    /// Number of the run.
    pub job: u64,
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// Index of the cell.
    pub cell: usize,
    /// What to run.
    pub plan: Arc<Plan>,
    /// The sizes it was made for.
    pub sizes: Sizes,
    /// The warp whose values are kept.
    pub watch: Watch,
    /// What runs it.
    pub engine: Engine,
    /// Whether its kernels were edited.
    pub edited: bool,
    /// Which GPU is simulated, if one was chosen.
    pub gpu: Option<String>,
    /// Whether it follows a change that others may follow at once: then it may begin a little later.
    pub settles: bool,
    /// Whether it is watched for races and for reads of what was never set.
    pub checks: bool,
}

/// A check of an answer that is asked for.
#[derive(Clone, Debug)]
pub struct AnswerCheck {
    /// The run of the same text.
    pub job: u64,
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// Index of the exercise.
    pub cell: usize,
    /// The learner's text.
    pub text: SourceFile,
    /// Id of the GPU that is simulated.
    pub gpu: String,
}

/// An answer that was checked.
#[derive(Clone, Debug)]
pub struct CheckedText {
    /// The exercise's id.
    pub id: String,
    /// The learner's text.
    pub text: SourceFile,
    /// What was found, or why it could not be checked.
    pub found: Result<Arc<Feedback>, String>,
    /// When, in seconds since 1970.
    pub at: u64,
}

/// A comparison that is asked for, of what an edited text of a cell counts with what the original does.
#[derive(Clone, Debug)]
pub struct EditComparison {
    /// The run of the edited text.
    pub ran: Arc<FinishedRun>,
    /// Its cell.
    pub cell: Box<RunCell>,
    /// The lesson's sizes.
    pub sizes: Vec<Size>,
    /// The file as the lesson has it.
    pub original: SourceFile,
    /// What the original counts at these sizes, if that is known.
    pub known: Option<Arc<TextCounts>>,
}
