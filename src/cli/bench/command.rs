//! The command: times a sweep where there is a GPU, and draws it beside what is recorded.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::operations::{Operation, named, operations};
use super::sweep::Sweep;
use super::table::RunTable;
use crate::cli::output::{Output, Stop};
use crate::cli::run::failed;
use crate::cli::value;
use crate::device::{DEFAULT_GPU, gpu_or_usual};
use crate::document;
use crate::gpu::Gpu;
use crate::lesson::{Sample, Sources};
use crate::runtime::{replace_file, state_folder};

const HELP: &str = "\
Each run is timed with an empty L2, and its output is held against the reference. Times go into the CSV file as they
come: a sweep that is stopped goes on there when it is called again. Without a GPU the recorded curves are drawn.

Examples:
  tutor bench
  tutor bench softmax
  tutor bench softmax --csv softmax.csv --svg softmax.svg";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct BenchArguments {
    /// What to time; without it, what there is.
    #[arg(value_name = "OPERATION")]
    pub operation: Option<String>,
    /// The file of times to write, and to go on with; in the state folder if none is named.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw the curves into this file as well.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Forget the times of earlier calls.
    #[arg(long)]
    pub again: bool,
    /// How long a kernel may run before it is stopped.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = value::seconds)]
    pub time_limit: Duration,
}

/// Times an operation and draws it, or lists all. Whether every output was right.
pub(crate) fn bench(arguments: &BenchArguments, output: &Output) -> Result<bool, Stop> {
    let Some(name) = &arguments.operation else {
        return list(output);
    };
    let operation = named(name, output)?;
    let mut samples = operation.lesson.recorded_samples(DEFAULT_GPU);
    let mut gpu = Gpu::default();
    gpu.time_limit = arguments.time_limit;
    let facts = gpu.probe(false);
    let usable = facts.as_ref().map_err(Clone::clone);
    let usable = usable.and_then(|facts| facts.usable().map_err(Clone::clone).cloned());
    let is_right = match usable {
        Ok(found) => {
            let table = table(arguments, name)?;
            let mut sweep = Sweep {
                gpu,
                found,
                table,
                output,
            };
            let (measured, is_right) = sweep.run(&operation)?;
            samples.extend(measured);
            is_right
        }
        Err(why) => {
            output.message(&format!(
                "nothing is timed, since {why}: the curves are recorded"
            ));
            true
        }
    };
    draw(arguments, &operation, &samples, output)?;
    Ok(is_right)
}

fn list(output: &Output) -> Result<bool, Stop> {
    let all = operations(output)?;
    let width = all.iter().map(|of| of.name.len()).max().unwrap_or_default();
    for of in &all {
        let (name, title, lesson) = (&of.name, &of.figure.title, &of.lesson.id);
        output.print(&format!("{name:width$}  {title} (lesson {lesson})\n"))?;
    }
    Ok(true)
}

/// The file of times; each GPU's are told apart in it.
fn table(arguments: &BenchArguments, name: &str) -> Result<RunTable, Stop> {
    let path = arguments.csv.clone().or_else(|| {
        let folder = state_folder()?.join("bench");
        Some(folder.join(format!("{name}.csv")))
    });
    let path = path.ok_or_else(|| {
        Stop::Usage("there is no folder to keep the times in: say `--csv FILE`".to_owned())
    })?;
    RunTable::open(&path, arguments.again).map_err(|error| {
        Stop::Usage(format!(
            "{} is not a file of times: {error}\n  name another, or begin again with `--again`",
            path.display()
        ))
    })
}

fn draw(
    arguments: &BenchArguments,
    operation: &Operation,
    samples: &[Sample],
    output: &Output,
) -> Result<(), Stop> {
    let lesson = &operation.lesson;
    let sizes = lesson
        .sizes_with(&[])
        .map_err(|error| Stop::Failed(error.to_string()))?;
    let sources = Sources {
        lesson,
        sizes: &sizes,
        gpu: gpu_or_usual(DEFAULT_GPU),
        samples,
        tiles: &[],
    };
    let plots = operation.figure.plots(&sources);
    output.print(&document::plain(&document::plots(
        &operation.figure,
        &plots,
    )))?;
    if let (Some(path), Some(svg)) = (&arguments.svg, plots.first().and_then(document::svg)) {
        replace_file(path, &svg).map_err(failed)?;
    }
    Ok(())
}
