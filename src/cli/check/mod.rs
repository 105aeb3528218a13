//! `tutor check`: proves that lessons hold, at the sizes that are awkward for them too.

mod files;
mod lesson;

use serde_json::json;

use super::arguments::CheckArguments;
use super::engine::Runner;
use super::output::{Output, Stop};
use crate::document::thousands;
use files::Files;
use lesson::Checked;

/// Checks lessons; true if nothing was found.
pub(super) fn check(arguments: &CheckArguments, output: &Output) -> Result<bool, Stop> {
    let files = match &arguments.path {
        None => Files::built_in(),
        Some(path) => Files::at(path)?,
    };
    let asked = arguments.gpu.as_deref();
    let mut runner = Runner::choose(arguments.engine, asked, arguments.time_limit, output)?;
    let mut all = Vec::new();
    for id in &files.lessons {
        let checked = lesson::check(id, &mut runner, output)?;
        if !arguments.json {
            output.print(&plain(&checked))?;
        }
        all.push(checked);
    }
    let orphans = files.orphans(&all);
    let ok = orphans.is_empty() && all.iter().all(Checked::is_right);
    let text = match arguments.json {
        true => format!(
            "{:#}\n",
            json!({"ok": ok, "lessons": all, "orphans": orphans})
        ),
        false => summary(&all, &orphans),
    };
    output.print(&text)?;
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
        count(checked.cells, "cell"),
        count(checked.trials, "set of sizes"),
        count(checked.runs, "run"),
        count(checked.formulas, "formula"),
        count(checked.outputs, "output"),
        count(checked.answers, "answer"),
    );
    for problem in &checked.problems {
        text += &format!("       {problem}\n");
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
    let sum = |of: &dyn Fn(&Checked) -> usize| all.iter().map(of).sum::<usize>();
    let verdict = match wrong {
        0 => "Everything holds".to_owned(),
        _ => format!("NOT everything holds: {} above", count(wrong, "failure")),
    };
    let [held, verified, right] = match wrong {
        0 => ["held", "verified", "right"],
        _ => ["looked at", "compared", "asked for"],
    };
    text + &format!(
        "{verdict}. {}, {}, {}: {} {held}, {} {verified}, {} {right}.\n",
        count(all.len(), "lesson"),
        count(sum(&|checked| checked.kernels.len()), "kernel"),
        count(sum(&|checked| checked.runs), "run"),
        count(sum(&|checked| checked.formulas), "formula"),
        count(sum(&|checked| checked.outputs), "output"),
        count(sum(&|checked| checked.answers), "answer"),
    )
}

/// `1 run`, `2,000 runs`, `3 sets of sizes`.
fn count(number: usize, noun: &str) -> String {
    let noun = match (number, noun.split_once(' ')) {
        (1, _) => noun.to_owned(),
        (_, Some((first, rest))) => format!("{first}s {rest}"),
        (_, None) => format!("{noun}s"),
    };
    format!("{} {noun}", thousands(number as u64))
}
