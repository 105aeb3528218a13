//! Runs lessons and kernels, opens the notebook, prints what came of it.
//!
//! `load` finds lessons by their names, `runner` chooses the engine and runs plans, `cells` runs a lesson's cells once
//! each and says what they show (of `figures`, too); `notebook` hands over to the terminal. The commands stand on these:
//! `lesson`, `program` (over `program_io`), `kernel`, which `data` tells what buffers and variables hold before and after, and
//! `triton`, for kernels in Python.

mod load;
mod runner;
mod figures;
mod cells;
mod notebook;
mod lesson;
mod data;
mod kernel;
mod triton;
mod program_io;
mod program;

pub(super) use cells::Cells;
pub(super) use kernel::KernelArguments;
pub(super) use lesson::{LessonArguments, run_lesson};
pub(super) use load::{link, load_lesson, load_lessons, opening};
pub(super) use notebook::{open, setup};
pub(super) use program::{ProgramArguments, run_program};
pub(super) use runner::{Runner, failed, refusal};
pub(super) use triton::run_kernel;
