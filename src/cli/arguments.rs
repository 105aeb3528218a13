//! What can be written on the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::export::{self, ExportArguments};
use super::present::{self, PresentArguments};
use super::value::{self, KernelArgument};
use crate::document::Scheme;
use crate::gpu::{TimingChoice, WORKER_COMMAND};
use crate::launch::{Baseline, Dim3, Watch};

/// Learn GPU kernels by running them, with or without a GPU.
#[derive(Debug, Parser)]
#[command(
    name = "tutor",
    version,
    disable_help_subcommand = true,
    args_conflicts_with_subcommands = true
)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub look: LookArguments,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// How the notebook looks.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct LookArguments {
    /// The notebook's colours: auto, dark, light, contrast or colour-blind. TUTOR_THEME=NAME does the same.
    #[arg(long, value_name = "NAME", value_parser = Scheme::from_name, help_heading = "Notebook")]
    pub theme: Option<Scheme>,
    /// Draw the notebook with ASCII alone. TUTOR_ASCII=1 does the same.
    #[arg(long, help_heading = "Notebook")]
    pub ascii: bool,
}

#[derive(Debug, Subcommand)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one of it, for as long as the program runs"
)]
pub(super) enum Command {
    /// Run a lesson, or a kernel of your own.
    #[command(subcommand)]
    Run(RunTarget),
    /// List the lessons.
    List(ListArguments),
    /// Run a lesson and write it down with its results, as Markdown or as one page of HTML.
    #[command(after_help = export::EXAMPLES)]
    Export(ExportArguments),
    /// Show a lesson to a room: larger spacing, predictions held until they are revealed, and a timer.
    #[command(after_help = present::HELP)]
    Present(PresentArguments),
    /// Follow a presentation with the speaker's notes, on a second terminal.
    Notes(LookArguments),
    /// Print what completes this command line in a shell.
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Say what of NVIDIA's is found here, what is missing, and how to get it.
    Doctor(DoctorArguments),
    /// Print the table of GPUs: what each has, and where every figure comes from.
    Hardware(HardwareArguments),
    /// How many blocks of a kernel an SM holds at once, and what limits them.
    #[command(after_help = OCCUPANCY_HELP)]
    Occupancy(OccupancyArguments),
    /// Run lessons on this machine's GPU and write down what it measured, to be shown where there is none.
    #[command(after_help = RECORD_HELP)]
    Record(RecordArguments),
    /// Prove lessons: every formula, output and prediction, also at awkward sizes.
    #[command(after_help = CHECK_HELP)]
    Check(CheckArguments),
    /// Become the process that works with a real GPU.
    #[command(hide = true, name = WORKER_COMMAND)]
    GpuWorker {
        /// A file with a job to run once.
        #[arg(long)]
        job: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(super) struct DoctorArguments {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct HardwareArguments {
    /// Only this GPU, with all its figures and their sources.
    #[arg(value_name = "ID", value_parser = value::gpu)]
    pub gpu: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

const OCCUPANCY_HELP: &str = "\
Examples:
  tutor occupancy --cc 9.0 --threads 128 --registers 160 --shared 0
  echo 9.0,128,160,0 | tutor occupancy --batch

With --batch, CSV rows cc,threads,regs,smem on standard input become rows
cc,threads,regs,smem,active_blocks,active_warps,limiting_factors on standard output. Limiting factors
are joined with +; 0 blocks means that the launch is refused. A first row of names is kept.";

#[derive(Debug, Args)]
pub(super) struct OccupancyArguments {
    /// Compute capability, such as 9.0.
    #[arg(long, value_name = "CC", required_unless_present_any = ["gpu", "batch"], value_parser = value::compute_capability)]
    pub cc: Option<String>,
    /// That of a GPU of the table instead.
    #[arg(long, value_name = "ID", conflicts_with_all = ["cc", "batch"], value_parser = value::gpu)]
    pub gpu: Option<String>,
    /// Threads of a block.
    #[arg(long, required_unless_present = "batch")]
    pub threads: Option<u32>,
    /// Registers of a thread.
    #[arg(long, required_unless_present = "batch")]
    pub registers: Option<u32>,
    /// Shared memory of a block, static and dynamic together.
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u32,
    /// Read CSV rows from standard input.
    #[arg(long, conflicts_with_all = ["cc", "threads", "registers", "shared", "json"])]
    pub batch: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

const CHECK_HELP: &str = "\
Every run cell runs at the defaults, at the least sizes, and at sizes that blocks and warps do not divide;
there it is searched for races and values that were never set as well. Counts must equal their formulas,
outputs their references, one choice of every prediction must be right, and every kernel must be run.
Exit code 0 only if all of it holds.";

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// A lesson's file, or a folder of lessons with the kernels beside it; all that comes with the program if
    /// left out.
    pub path: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// What runs the kernels.
    #[arg(long, value_enum, default_value_t = EngineChoice::Sim)]
    pub engine: EngineChoice,
    /// Which GPU is simulated; h200, or beside a real GPU one like it.
    #[arg(long, value_name = "ID", value_parser = value::gpu)]
    pub gpu: Option<String>,
    /// How long a kernel may run on a real GPU before it is stopped.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = value::seconds)]
    pub time_limit: Duration,
}

const RECORD_HELP: &str = "\
Each lesson is recorded at its own sizes and at those that its [[recordings]] list: times, what the
compiler made, the values of a warp, and the hardware's counters where Nsight Compute may read them.
Nothing is written of a lesson whose results are not right.
TUTOR_RECORDINGS=FOLDER shows what --out FOLDER wrote in place of what comes with the program.";

#[derive(Debug, Args)]
pub(super) struct RecordArguments {
    /// Lessons by name, or by the path of a .md file; all of them if none is named.
    #[arg(value_name = "LESSON")]
    pub lessons: Vec<String>,
    /// Compile the kernels that the lessons launch to PTX instead, with NVRTC, for machines that have none.
    /// It needs no GPU, and writes to assets/ptx unless a folder is named.
    #[arg(long, conflicts_with_all = ["lessons", "time_limit"])]
    pub ptx: bool,
    /// The folder to write to, where each GPU has one of its own; assets/recordings of tutor's
    /// repository if none is named.
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// How long a kernel may run before it is stopped.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = value::seconds)]
    pub time_limit: Duration,
}

#[derive(Debug, Subcommand)]
pub(super) enum RunTarget {
    /// Open a lesson in the notebook; without a terminal, run it and print what it shows.
    #[command(after_help = LESSON_EXAMPLES)]
    Lesson(LessonArguments),
    /// Run one kernel of a CUDA C++ file on the simulated GPU, and print what it did.
    #[command(after_help = KERNEL_EXAMPLES)]
    Kernel(KernelArguments),
}

const LESSON_EXAMPLES: &str = "\
Examples:
  tutor run lesson softmax
  tutor run lesson softmax#fused@step=41
  tutor run lesson softmax --plain --size M=64 --size N=1000
  tutor run lesson softmax --cell fused --json
  tutor run lesson softmax --plain --check";

const COMPLETIONS_HELP: &str = "\
Where it goes:
  bash  tutor completions bash > ~/.local/share/bash-completion/completions/tutor
  zsh   tutor completions zsh > ~/.zfunc/_tutor   (with fpath+=~/.zfunc before compinit)
  fish  tutor completions fish > ~/.config/fish/completions/tutor.fish";

const KERNEL_EXAMPLES: &str = "\
A pointer is given a buffer, TYPE[LENGTH]:INIT
  TYPE  f64 f32 f16 bf16 i64 u64 i32 u32 i16 u16 i8 u8
  INIT  zero  one  arange  ramp  perm:P  mod:K  normal:SEED  uniform:SEED  rope_cos:K  rope_sin:K
        or a .npy file
A scalar is given a number. A struct or vector is given one argument for each of its members, in
order, as if they were parameters; one without members is given none. Variables at file scope begin
with what the file says: `__constant__ float w[3] = {1, 2, 1};`

Example, with a kernel that any directory can hold:
  echo '__global__ void twice(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
  }' > twice.cu
  tutor run kernel twice.cu --kernel twice --grid 4 --block 256 \\
    --arg 'f32[1000]:arange' --arg 'f32[1000]:zero' --arg 1000";

#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
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
    /// What a timed run on a real GPU finds in the L2 cache.
    #[arg(long, value_enum, default_value_t = L2State::Flushed)]
    pub l2: L2State,
    /// Read the hardware's counters with Nsight Compute, and show them beside ours.
    #[arg(long)]
    pub counters: bool,
    /// Count accesses on the real GPU as well, of the text as it is written, and compare.
    #[arg(long)]
    pub verify_counts: bool,
    /// Compare every value of one warp on the real GPU, or as one was recorded, with the simulated one:
    /// its block, and behind a colon its number there.
    #[arg(long, value_name = "X[,Y[,Z]][:WARP]", value_parser = value::watch)]
    pub watch: Option<Watch>,
    /// Show the PTX of each launch beside the lines of its source.
    #[arg(long)]
    pub ptx: bool,
    /// How long a kernel may run on a real GPU before it is stopped.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = value::seconds)]
    pub time_limit: Duration,
    /// Which GPU is simulated; h200, or beside a real GPU one like it.
    #[arg(long, value_name = "ID", value_parser = value::gpu)]
    pub gpu: Option<String>,
}

/// What runs the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineChoice {
    /// The simulated GPU.
    Sim,
    /// A real GPU; what it does is counted on the simulated one.
    Gpu,
    /// A real GPU where there is one that works, else the simulated one.
    Auto,
}

/// What a timed run finds in the L2 cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum L2State {
    /// Nothing of the buffers.
    Flushed,
    /// What it holds of buffers that were just written.
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

#[derive(Debug, Args)]
pub(super) struct LessonArguments {
    /// The lesson's name (`tutor list` shows them), or the path of a lesson's .md file. Behind the name may go a
    /// place: `#` and a cell's name or number, and then `@step=41`, `@line=12`, `@launch=2`, `@block=3` or
    /// `@warp=0`.
    #[arg(value_name = "LESSON[#CELL[@PLACE]]")]
    pub id: String,
    /// Run only this cell, and leave out the prose.
    #[arg(long, value_name = "CELL")]
    pub cell: Option<String>,
    /// Choose a size, such as M=4096; may be given several times.
    #[arg(long = "size", value_name = "NAME=VALUE", value_parser = value::size)]
    pub sizes: Vec<(String, u64)>,
    /// Look for races, values that were never set, and addresses of variables that have ended, in every run.
    #[arg(long)]
    pub check: bool,
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub look: LookArguments,
}

#[derive(Debug, Args)]
pub(super) struct KernelArguments {
    /// The file.
    pub file: PathBuf,
    /// Which kernel of it.
    #[arg(long, value_name = "NAME")]
    pub kernel: String,
    /// Blocks in x, y and z.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = value::dim3)]
    pub grid: Dim3,
    /// Threads of a block in x, y and z.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = value::dim3)]
    pub block: Dim3,
    /// Dynamic shared memory of a block.
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u32,
    /// Define a macro; its value is 1 if none is given.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = value::define)]
    pub defines: Vec<(String, String)>,
    /// One for each parameter (or member of a struct), in order: a number, or TYPE[LENGTH]:INIT.
    #[arg(long = "arg", value_name = "VALUE", allow_hyphen_values = true, value_parser = value::kernel_argument)]
    pub arguments: Vec<KernelArgument>,
    /// Look for races, values that were never set, and addresses of variables that have ended.
    #[arg(long)]
    pub check: bool,
    /// Run warps and blocks in another legal order, and say which buffers depend on it.
    #[arg(long, value_name = "SEED")]
    pub schedule: Option<u64>,
    /// Time what cuDNN or cuBLAS need for the same beside it on a real GPU: softmax, sgemm or bf16; may be
    /// given several times.
    #[arg(long = "baseline", value_name = "OPERATION:SIZExSIZE…", value_parser = value::baseline)]
    pub baselines: Vec<Baseline>,
    #[command(flatten)]
    pub run: RunArguments,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_kernel_run_reads_every_option() {
        let line = "tutor run kernel a.cu --kernel f --grid 4,2 --block 256 --shared 64 -D N=7 -DQ \
                    --arg f32[8]:ramp --arg -1 --json";
        let arguments = Arguments::try_parse_from(line.split_whitespace()).expect("parses");
        let Some(Command::Run(RunTarget::Kernel(kernel))) = arguments.command else {
            panic!("is a kernel run");
        };
        assert_eq!((kernel.grid, kernel.block), ([4, 2, 1], [256, 1, 1]));
        let defines = [("N", "7"), ("Q", "1")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(kernel.defines, defines);
        assert_eq!(kernel.arguments.len(), 2);
        assert!(kernel.run.json && kernel.shared == 64);
    }
}
