//! What can be written on the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::bench::BenchArguments;
use super::check::CheckArguments;
use super::export::ExportArguments;
use super::grade::{CheckerArguments, GradeArguments, WORKER_COMMAND as CHECK_COMMAND};
use super::help::HelpArguments;
use super::list::ListArguments;
use super::machine::{DoctorArguments, HardwareArguments, OccupancyArguments};
use super::new_lesson::NewCommand;
use super::options::{LessonsArgument, LookArguments};
use super::practice::{PracticeArguments, ProgressArguments};
use super::present::PresentArguments;
use super::record::RecordArguments;
use super::run::{KernelArguments, LessonArguments, ProgramArguments};
use crate::gpu::WORKER_COMMAND;

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
    #[command(flatten)]
    pub lessons: LessonsArgument,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one of it, for as long as the program runs"
)]
pub(super) enum Command {
    /// Run a lesson, or a kernel or program of your own.
    #[command(subcommand)]
    Run(RunTarget),
    /// Open a file of kernels, or a lesson, in the notebook: `tutor FILE.cu` does the same.
    #[command(after_help = OPEN_HELP, mut_arg("id", |id| id.value_name("FILE|LESSON").help(OPEN_ID)))]
    Open(LessonArguments),
    /// List the lessons.
    List(ListArguments),
    /// Run a lesson and write it with its results, as Markdown or as one page of HTML.
    Export(ExportArguments),
    /// Show a lesson to a room: larger spacing, answers hidden until you reveal them, and a timer.
    Present(PresentArguments),
    /// Follow a presentation with the speaker's notes, on a second terminal.
    // It finds the presentation that is under way, so it takes no lesson.
    Notes(LookArguments),
    /// Print a completion script for a shell.
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Report which of NVIDIA's libraries and tools this machine has, which are missing, and how to get them.
    Doctor(DoctorArguments),
    /// Print the table of GPUs, with the source of every figure.
    Hardware(HardwareArguments),
    /// How many blocks of a kernel an SM holds at once, and what limits them.
    Occupancy(OccupancyArguments),
    /// Run lessons on this machine's GPU and save the times, for machines without a GPU.
    Record(RecordArguments),
    /// Time an operation on this machine's GPU over its sizes, and draw it beside the recorded curves.
    Bench(BenchArguments),
    /// Check lessons: every formula, output and prediction, also at sizes that blocks and warps do not divide.
    Check(CheckArguments),
    /// Solve exercises in your own editor: each is checked whenever you save it.
    Practice(PracticeArguments),
    /// How far you are, by lesson and by concept, and what is best solved again.
    Progress(ProgressArguments),
    /// Begin something of your own from a template.
    #[command(subcommand)]
    New(NewCommand),
    /// Check a class's answers to exercises, each in a process with limits; print a table, CSV or JSON.
    Grade(GradeArguments),
    /// Explain a command, or a topic such as the notebook's keys.
    Help(HelpArguments),
    /// Become a process that checks one answer.
    #[command(hide = true, name = CHECK_COMMAND)]
    CheckAnswer(CheckerArguments),
    /// Become the process that works with a real GPU.
    #[command(hide = true, name = WORKER_COMMAND)]
    // The driver may take a process down with it, so its process is another one than the notebook's.
    GpuWorker {
        /// A file with a job to run once.
        #[arg(long)]
        job: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum RunTarget {
    /// Open a lesson in the notebook; without a terminal, run it and print what it shows.
    Lesson(LessonArguments),
    /// Run one kernel of a CUDA C++ or Triton file on the simulated GPU, and print its counts.
    Kernel(Box<KernelArguments>),
    /// Run a whole CUDA program, its `main` and its kernels, without a compiler and without a GPU.
    Program(ProgramArguments),
}

const OPEN_ID: &str = "A file of kernels (.cu, .py), a lesson's name, or the path of a lesson's .md file. After a name may come a cell, as in \
                       softmax#fused";

const OPEN_HELP: &str = "\
Each kernel of the file becomes a page with its source, what it reads and writes, and its steps. Sizes, grid, block
and buffers are guessed from its signature and from the launches in the file; you can change all of them. When you
save the file in another editor, it runs again. Each constant of a Triton kernel (FILE.py) is a size; --meta sets one.

Examples:
  tutor open mine.cu
  tutor mine.cu
  tutor open mine.py --meta BLOCK=2048
  tutor open softmax#fused";

const COMPLETIONS_HELP: &str = "\
Where to put it:
  bash  tutor completions bash > ~/.local/share/bash-completion/completions/tutor
  zsh   tutor completions zsh > ~/.zfunc/_tutor   (with fpath+=~/.zfunc before compinit)
  fish  tutor completions fish > ~/.config/fish/completions/tutor.fish";

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
        assert_eq!(
            (kernel.grid, kernel.block),
            (Some([4, 2, 1]), Some([256, 1, 1]))
        );
        let defines = [("N", "7"), ("Q", "1")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(kernel.compilation.defines, defines);
        assert_eq!(kernel.arguments.len(), 2);
        assert!(kernel.run.json && kernel.shared == Some(64));
    }
}
