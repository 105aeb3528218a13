//! `tutor check`: proves that lessons hold, at the sizes that are awkward for them too.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::checked::Checked;
use super::files::Files;
use super::workers::check_each;
use crate::cli::options::EngineChoice;
use crate::cli::output::{Output, Stop};
use crate::cli::run::Runner;
use crate::cli::value;
use crate::device::counted;

const HELP: &str = "\
Every run cell runs at the defaults, at the smallest sizes, and at sizes that are no multiple of blocks and
warps, where it is also searched for races and values that were never set. Counts must equal their formulas,
outputs their references, one choice of every prediction must be right, and every kernel must be run. Sentences
that compare without a number, and pages whose text does not fit at 80x24 or 120x40, are warnings. The exit code
is 0 only if all of this holds.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct CheckArguments {
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
    /// How long a kernel may run before it is stopped, on either GPU: 10 on a real one, and on the simulated one
    /// until it has taken a thousand million warp instructions, if left out.
    #[arg(long, value_name = "SECONDS", value_parser = value::seconds)]
    pub time_limit: Option<Duration>,
}

/// Checks lessons; true if nothing was found.
pub(crate) fn check(arguments: &CheckArguments, output: &Output) -> Result<bool, Stop> {
    let files = match &arguments.path {
        None => Files::built_in(),
        Some(path) => Files::at(path)?,
    };
    let asked = arguments.gpu.as_deref();
    let runner = Runner::choose(arguments.engine, asked, arguments.time_limit, output)?;
    let runners = runner.side_by_side(files.lessons.len());
    // A check of all takes a while: each lesson is printed as soon as it is done.
    let all = check_each(&files.lessons, runners, output, |checked| {
        if !arguments.json {
            output.print(&plain(checked))?;
        }
        Ok(())
    })?;
    let orphans = files.orphans(&all);
    let ok = orphans.is_empty() && all.iter().all(Checked::is_right);
    match arguments.json {
        true => output.print_json(&json!({"ok": ok, "lessons": all, "orphans": orphans}))?,
        false => output.print(&summary(&all, &orphans))?,
    }
    Ok(ok)
}

/// What was done with a lesson, and what was found.
fn plain(checked: &Checked) -> String {
    let mark = if checked.is_right() {
        "ok    "
    } else {
        "FAILED"
    };
    let mut text = format!(
        "{mark} {:18} {} at {}: {}, {}, {}, {}\n",
        checked.lesson,
        counted(checked.cells as u64, "cell"),
        counted(checked.trials as u64, "set of sizes"),
        counted(checked.runs as u64, "run"),
        counted(checked.formulas as u64, "formula"),
        counted(checked.outputs as u64, "output"),
        counted(checked.answers as u64, "answer"),
    );
    if checked.exercises > 0 {
        let exercises = counted(checked.exercises as u64, "exercise");
        text += &format!("       {exercises}: starting points fail, solutions pass\n");
    }
    for problem in &checked.problems {
        text += &format!("       {problem}\n");
    }
    for warning in &checked.warnings {
        text += &format!("       warning: {warning}\n");
    }
    text
}

fn summary(all: &[Checked], orphans: &[String]) -> String {
    let mut text = String::new();
    for orphan in orphans {
        text += &format!("FAILED {orphan}\n");
    }
    let problems = all.iter().map(|checked| checked.problems.len());
    let wrong = problems.sum::<usize>() + orphans.len();
    let sum = |of: &dyn Fn(&Checked) -> usize| all.iter().map(of).sum::<usize>() as u64;
    let verdict = match wrong {
        0 => "Everything holds".to_owned(),
        _ => format!(
            "NOT everything is right: {} above",
            counted(wrong as u64, "failure")
        ),
    };
    // After a failure nobody may read that everything was verified.
    let [held, verified, right] = match wrong {
        0 => ["held", "verified", "right"],
        _ => ["looked at", "compared", "asked for"],
    };
    text + &format!(
        "{verdict}. {}, {}, {}: {} {held}, {} {verified}, {} {right}.\n",
        counted(all.len() as u64, "lesson"),
        counted(sum(&|checked| checked.kernels.len()), "kernel"),
        counted(sum(&|checked| checked.runs), "run"),
        counted(sum(&|checked| checked.formulas), "formula"),
        counted(sum(&|checked| checked.outputs), "output"),
        counted(sum(&|checked| checked.answers), "answer"),
    )
}
