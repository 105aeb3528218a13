//! Options that several commands take: how the notebook looks, what runs kernels, what is printed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::output::Stop;
use super::value;
use crate::document::Scheme;
use crate::gpu::TimingChoice;
use crate::launch::Watch;
use crate::lesson::Lessons;

/// How the notebook looks.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct LookArguments {
    /// The notebook's colours: auto, dark, light, contrast or colour-blind. TUTOR_THEME=NAME does the same.
    #[arg(long, value_name = "NAME", value_parser = Scheme::named, help_heading = "Notebook")]
    pub theme: Option<Scheme>,
    /// Draw the notebook with ASCII alone. TUTOR_ASCII=1 does the same.
    #[arg(long, help_heading = "Notebook")]
    pub ascii: bool,
}

/// Whose lessons are meant.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct LessonsArgument {
    /// Use the lessons in this folder, or in the `lessons` of it, in place of those that come with the program.
    #[arg(long = "lessons", id = "lessons", value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

impl LessonsArgument {
    /// The lessons.
    ///
    /// # Errors
    /// Why the folder has none.
    pub fn lessons(&self) -> Result<Lessons, Stop> {
        let Some(folder) = &self.folder else {
            return Ok(Lessons::default());
        };
        Lessons::in_folder(folder)
            .map_err(|error| Stop::Usage(format!("{}: {error}", folder.display())))
    }
}

/// What every run that prints understands.
#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// Print text; the default where standard output is not a terminal.
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: EngineArguments,
}

/// What runs, and how.
#[derive(Debug, Args)]
pub(super) struct EngineArguments {
    /// What runs the kernels.
    #[arg(long, value_enum, default_value_t = EngineChoice::Auto)]
    pub engine: EngineChoice,
    /// What is in the L2 cache when a timed run on a real GPU begins.
    #[arg(long, value_enum, default_value_t = L2State::Flushed)]
    pub l2: L2State,
    /// Read the hardware's counters with Nsight Compute, and show them beside ours.
    #[arg(long)]
    pub counters: bool,
    /// Count accesses on the real GPU as well, for the source as written, and compare.
    #[arg(long)]
    pub verify_counts: bool,
    /// Compare every value of one warp on the real GPU, or in a recording, with the simulated one. Give the block, then
    /// a colon and the warp in it.
    #[arg(long, value_name = "X[,Y[,Z]][:WARP]", value_parser = value::watch)]
    pub watch: Option<Watch>,
    /// Show the PTX of each launch beside the lines of its source.
    #[arg(long)]
    pub ptx: bool,
    /// How long a kernel may run before it is stopped. If left out: 10 seconds on a real GPU, and a thousand million
    /// warp instructions on the simulated one.
    #[arg(long, value_name = "SECONDS", value_parser = value::seconds)]
    // A kernel that never ends cannot be stopped on a GPU but by ending its process: see `gpu`.
    pub time_limit: Option<Duration>,
    /// Which GPU is simulated; if left out, h200, or the same kind as the real GPU.
    #[arg(long, value_name = "ID", value_parser = value::gpu)]
    pub gpu: Option<String>,
}

/// What runs the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineChoice {
    /// The simulated GPU.
    Sim,
    /// A real GPU for values and times; the simulated one counts.
    Gpu,
    /// A real GPU if one works here, else the simulated one.
    Auto,
}

/// What a timed run finds in the L2 cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum L2State {
    /// None of the buffers' data.
    Flushed,
    /// As much of the buffers as fits, since they were just written.
    Warm,
}

impl From<L2State> for TimingChoice {
    fn from(state: L2State) -> Self {
        match state {
            L2State::Flushed => TimingChoice::Flushed,
            L2State::Warm => TimingChoice::Warm,
        }
    }
}
