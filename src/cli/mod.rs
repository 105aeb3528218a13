//! The commands, and the JSON form of what the notebook shows.
//!
//! Exit codes: 0 only if everything ran and verified; 1 if something ran but failed, or does not
//! compile; 2 if the command line asks for what does not exist. Results go to standard output,
//! messages to standard error. Nothing here computes: it prints outcomes.

mod progress;
mod output;
mod value;
mod options;
mod run;
mod list;
mod present;
mod export;
mod check;
mod exercises;
mod practice;
mod grade;
mod new_lesson;
mod record;
mod bench;
mod machine;
mod help;
mod arguments;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::gpu;
use crate::lesson::is_kernel_file;
use crate::source::printable_line;
use arguments::{Arguments, Command, RunTarget};
use output::{Output, Stop};

/// Runs the command line `arguments`, the program's name first.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut line: Vec<OsString> = arguments.into_iter().collect();
    // `tutor mine.cu`, as editors are called; no command is called so.
    let is_file = |word: &OsString| word.to_str().is_some_and(is_kernel_file);
    if line.get(1).is_some_and(is_file) {
        line.insert(1, "open".into());
    }
    let output = Output::of_this_process();
    let arguments = match Arguments::try_parse_from(&line) {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&line, &error, &output),
    };
    match dispatch(&arguments, &output) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(stop) => output.stop(&stop),
    }
}

/// Says what is wrong with a command line, or the help that it asks for.
fn refuse(line: &[OsString], error: &clap::Error, output: &Output) -> ExitCode {
    // The message is coloured, so it cannot be made printable any more; what it quotes can, if it is read once more.
    let quoted = line.iter().map(|argument| argument.to_string_lossy());
    let quoted = quoted.map(|argument| printable_line(&argument).into_owned());
    match Arguments::try_parse_from(quoted) {
        Err(again) if again.kind() == error.kind() => output.command_line(&again),
        // Read so it is another line, as of a name that is no UTF-8: the message goes without colours.
        _ => output.stop(&Stop::Usage(
            error
                .render()
                .to_string()
                .trim_start_matches("error: ")
                .to_owned(),
        )),
    }
}

fn dispatch(arguments: &Arguments, output: &Output) -> Result<bool, Stop> {
    match &arguments.command {
        None => list::open_or_list(arguments.lessons.lessons()?, arguments.look, output),
        Some(Command::List(arguments)) => {
            list::list(&arguments.lessons.lessons()?, arguments.json, output)
        }
        Some(Command::Run(RunTarget::Lesson(arguments)) | Command::Open(arguments)) => {
            run::run_lesson(arguments, output)
        }
        Some(Command::Run(RunTarget::Kernel(arguments))) => run::run_kernel(arguments, output),
        Some(Command::Run(RunTarget::Program(arguments))) => run::run_program(arguments, output),
        Some(Command::Export(arguments)) => export::export(arguments, output),
        Some(Command::Present(arguments)) => present::present(arguments, output),
        Some(Command::Notes(look)) => present::notes(*look, output),
        Some(Command::Completions { shell }) => {
            help::complete(*shell, Arguments::command(), output)
        }
        Some(Command::Help(arguments)) => help::help(arguments, Arguments::command(), output),
        Some(Command::Doctor(arguments)) => machine::doctor(arguments, output),
        Some(Command::Hardware(arguments)) => machine::hardware(arguments, output),
        Some(Command::Occupancy(arguments)) => machine::occupancy(arguments, output),
        Some(Command::Record(arguments)) if arguments.ptx => record::record_ptx(arguments, output),
        Some(Command::Record(arguments)) => record::record(arguments, output),
        Some(Command::Bench(arguments)) => bench::bench(arguments, output),
        Some(Command::Check(arguments)) => check::check(arguments, output),
        Some(Command::Practice(arguments)) => practice::practice(arguments, output),
        Some(Command::Progress(arguments)) => practice::progress(arguments, output),
        Some(Command::New(command)) => new_lesson::create(command, output),
        Some(Command::Grade(arguments)) => grade::grade(arguments, output),
        Some(Command::CheckAnswer(arguments)) => grade::serve(arguments, output),
        Some(Command::GpuWorker { job }) => {
            let served = match job {
                None => gpu::serve().map_err(|error| error.to_string()),
                Some(file) => gpu::serve_file(file),
            };
            served.map(|()| true).map_err(Stop::Failed)
        }
    }
}
