//! The command: which lessons are recorded, and where what they gave is written.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::provenance::provenance;
use super::recorder::Recorder;
use crate::cli::output::{Output, Stop};
use crate::cli::run::{failed, load_lesson, refusal};
use crate::cli::value;
use crate::engine::recording_folder;
use crate::gpu::Gpu;
use crate::launch::{Provenance, Recording};
use crate::lesson::{Lessons, lesson_ids};
use crate::runtime::replace_file;

const HELP: &str = "\
Each lesson is recorded at its default sizes and at those in its [[recordings]]: times, the compiler's output,
the values of a warp, and the hardware's counters if Nsight Compute may read them. Nothing is written for a
lesson whose results are wrong. TUTOR_RECORDINGS=FOLDER shows what --out FOLDER wrote instead of the recordings
that come with the program.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct RecordArguments {
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

/// What this repository has, and other folders have not.
const MARK: &str = "assets/gpus.toml";

/// Records lessons; true if all of them were written.
pub(crate) fn record(arguments: &RecordArguments, output: &Output) -> Result<bool, Stop> {
    let mut gpu = Gpu::default();
    gpu.time_limit = arguments.time_limit;
    let facts = gpu.probe(false);
    let usable = facts.as_ref().map_err(Clone::clone);
    let usable = usable.and_then(|facts| provenance(facts).map_err(Clone::clone));
    let provenance = usable.map_err(|why| refusal(&why))?;
    let folder = folder(arguments, &provenance)?;
    let mut recorder = Recorder {
        gpu,
        provenance,
        output,
    };
    let ids = match arguments.lessons.as_slice() {
        [] => lesson_ids(),
        ids => ids.to_vec(),
    };
    let mut all = true;
    for id in ids {
        let lesson = load_lesson(&Lessons::default(), &id, output)?;
        match recorder.lesson(&lesson)? {
            Ok(recording) => {
                let file = folder.join(format!("{}.json", lesson.id));
                write(&file, &recording)?;
                output.print(&format!("{}\n", file.display()))?;
            }
            Err(why) => {
                all = false;
                output.message(&format!(
                    "error: {}: {why}\n  a lesson whose results are wrong is not recorded",
                    lesson.id
                ));
            }
        }
    }
    Ok(all)
}

/// Where to write: a folder for the GPU, in that of all recordings.
fn folder(arguments: &RecordArguments, provenance: &Provenance) -> Result<PathBuf, Stop> {
    let all = match &arguments.out {
        Some(folder) => folder.as_path(),
        // Elsewhere a new `assets` folder would appear in somebody's project.
        None if Path::new(MARK).is_file() => Path::new("assets/recordings"),
        None => {
            return Err(Stop::Usage(format!(
                "no folder is given, and there is no {MARK} here, so this is not tutor's repository\n  \
                 say `--out FOLDER`, or go to its root: what is built there ships its recordings"
            )));
        }
    };
    Ok(all.join(recording_folder(&provenance.gpu)))
}

/// Writes all of it or nothing.
fn write(file: &Path, recording: &Recording) -> Result<(), Stop> {
    let text = recording.text().map_err(failed)?;
    replace_file(file, &text).map_err(|error| Stop::Failed(format!("{}: {error}", file.display())))
}
