//! `tutor grade`: a class's answers to exercises, checked without trusting them.
//!
//! `submissions` finds the files, `alike` those that differ in names only, `worker` checks one in a process of its own
//! with limits, `report` is what is printed, `command` reads the command line.

mod submissions;
mod alike;
mod worker;
mod report;
mod command;

pub(super) use command::{GradeArguments, grade};
pub(super) use worker::{CheckerArguments, WORKER_COMMAND, serve};
