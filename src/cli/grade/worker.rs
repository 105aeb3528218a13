//! One answer, checked in a process of its own: what it takes in time and memory is limited by the system, and what it
//! breaks is that process. The answer goes in through standard input, what was found comes out as JSON.

use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output as Ended, Stdio};

use clap::Args;
use rustix::process::{Resource, Rlimit, setrlimit};
use serde::Deserialize;
use serde_json::Value;

use super::submissions::Submission;
use crate::cli::output::{Output, Stop};
use crate::cli::run::{failed, load_lesson};
use crate::cli::value;
use crate::document::feedback_json;
use crate::engine::{Control, Options};
use crate::lesson::{Lessons, check_answer};
use crate::source::SourceFile;

/// The command that is such a process.
pub(crate) const WORKER_COMMAND: &str = "check-answer";

/// What one answer may take.
#[derive(Clone, Debug, Args)]
pub(crate) struct Limits {
    /// Seconds of processor time that checking one answer may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub seconds: u64,
    /// Memory that checking one answer may take, in MiB. Stacks of 256 MiB count in full, though little of them is used.
    #[arg(long = "memory", value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1024..))]
    pub memory_mib: u64,
}

#[derive(Debug, Args)]
pub(crate) struct CheckerArguments {
    /// The lesson, by name or file.
    pub lesson: String,
    /// The exercise.
    pub exercise: String,
    #[arg(long, value_parser = value::gpu)]
    pub gpu: String,
    #[command(flatten)]
    pub limits: Limits,
}

/// What was found of an answer, as far as it is looked at here; the rest goes on as it is.
#[derive(Debug, Deserialize)]
pub(super) struct Found {
    pub finding: String,
    pub passed: bool,
    pub case: Option<FoundCase>,
    pub right_cases: usize,
    pub diagnostics: Vec<FoundAt>,
    pub costs: Vec<FoundCost>,
}

#[derive(Debug, Deserialize)]
pub(super) struct FoundCase {
    pub title: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct FoundAt {
    pub line: u32,
    pub message: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct FoundCost {
    pub of: String,
    pub side: String,
    pub limit: u64,
    pub counted: u64,
}

/// Checks `submission` in a process of its own; what was found, as JSON. `lesson` is the name or the file of its lesson.
///
/// # Errors
/// Why nothing was: the answer cannot be read, or took more than `limits` allow.
pub(super) fn check(
    submission: &Submission,
    lesson: &str,
    gpu: &str,
    limits: &Limits,
) -> Result<Value, String> {
    let text = submission.text.as_ref().map_err(Clone::clone)?;
    let run = || -> io::Result<Ended> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(WORKER_COMMAND)
            .args([lesson, submission.exercise.id(), "--gpu", gpu])
            .args(["--seconds", &limits.seconds.to_string()])
            .args(["--memory", &limits.memory_mib.to_string()])
            // Answers are checked beside each other, so each has one thread.
            .env("RAYON_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let written = child
            .stdin
            .take()
            .map(|mut pipe| pipe.write_all(text.as_bytes()));
        let ended = child.wait_with_output()?;
        // One that ended before it had read everything says why itself.
        match written {
            Some(Err(error)) if ended.status.success() => Err(error),
            _ => Ok(ended),
        }
    };
    let ended = run().map_err(|error| format!("the check could not be begun: {error}"))?;
    match ended.status.success() {
        true => serde_json::from_slice(&ended.stdout)
            .map_err(|error| format!("the check said nothing: {error}")),
        false => Err(why(&ended, limits)),
    }
}

/// Why a check ended before its answer was judged.
fn why(ended: &Ended, limits: &Limits) -> String {
    let said = String::from_utf8_lossy(&ended.stderr);
    if ended.status.signal() == Some(libc::SIGXCPU) || ended.status.signal() == Some(libc::SIGKILL)
    {
        return format!("it takes more than {} s of processor time", limits.seconds);
    }
    if said.contains("memory allocation of") {
        return format!("it takes more than {} MiB of memory", limits.memory_mib);
    }
    let first = said.lines().find(|line| !line.trim().is_empty());
    format!(
        "the check ended with {}: {}",
        ended.status,
        first.unwrap_or("no message")
    )
}

/// Is the process that checks one answer.
pub(crate) fn serve(arguments: &CheckerArguments, output: &Output) -> Result<bool, Stop> {
    limit(&arguments.limits)
        .map_err(|error| Stop::Failed(format!("the limits cannot be set: {error}")))?;
    let lesson = load_lesson(&Lessons::default(), &arguments.lesson, output)?;
    let mut exercises = lesson.exercises();
    let exercise = exercises.find(|exercise| exercise.id() == arguments.exercise);
    let exercise = exercise
        .ok_or_else(|| Stop::Usage(format!("there is no exercise `{}`", arguments.exercise)))?;
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let answer = SourceFile::new(&exercise.file_name(), &text);
    let options = Options {
        gpu: arguments.gpu.clone(),
        threads: 1,
        ..Options::default()
    };
    let feedback =
        check_answer(&lesson, exercise, &answer, &options, &Control::default()).map_err(failed)?;
    output.print_json(&feedback_json(&feedback, &answer))?;
    Ok(true)
}

/// Sets the limits for this process.
fn limit(limits: &Limits) -> io::Result<()> {
    let most = |most: u64| Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    // A second more before it is killed outright: the first signal says which limit it was.
    let seconds = Rlimit {
        current: Some(limits.seconds),
        maximum: Some(limits.seconds + 1),
    };
    setrlimit(Resource::Cpu, seconds)?;
    setrlimit(Resource::As, most(limits.memory_mib << 20))?;
    setrlimit(Resource::Core, most(0))?;
    Ok(())
}
