//! The hardware's counters of a job's launches, by Nsight Compute.
//!
//! `ncu` runs a worker process of its own, which takes its job from a file and is not timed; it runs each
//! launch again and again, with the memory put back, until all counters are read.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Output};

use super::client::{Gpu, WORKER_COMMAND};
use super::library::toolkits;
use super::protocol::{FoundLibrary, Job};
use super::tool::output_of;
use crate::launch::HARDWARE_COUNTERS;

/// The option of a worker that names a file with its job.
pub const JOB_OPTION: &str = "--job";

/// What a profiler says when its user may not read the counters.
const NOT_PERMITTED: &str = "ERR_NVGPUCTRPERM";

/// Why there are no counters, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoCounters {
    /// What is wrong.
    pub message: String,
    /// What to try.
    pub help: &'static str,
}

/// Values of [`HARDWARE_COUNTERS`], in that order; nothing where the GPU has none of the kind.
pub type HardwareCounts = Vec<Option<u64>>;

/// NVIDIA's profiler of kernels, Nsight Compute, on the path or in a toolkit.
pub fn find_profiler() -> Option<FoundLibrary> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders =
        env::split_paths(&path).chain(toolkits().into_iter().map(|root| root.join("bin")));
    let mut files = folders.map(|folder| folder.join("ncu"));
    let file = files.find(|file| file.is_file())?;
    let said = output_of(Command::new(&file).arg("--version"))?;
    let version = said.split("Version ").nth(1)?;
    Some(FoundLibrary {
        name: "ncu".to_owned(),
        path: file.display().to_string(),
        version: version.split_whitespace().next()?.to_owned(),
    })
}

/// Reads the counters of each of the job's launches.
pub fn hardware_counters(job: &Job, gpu: &Gpu) -> Result<Vec<HardwareCounts>, NoCounters> {
    let failed = |error: io::Error| NoCounters {
        message: format!("the job cannot be written: {error}"),
        help: "see whether the folder for temporary files has room",
    };
    // Timed runs would be counted as launches of their own.
    let untimed = Job {
        timing: None,
        ..job.clone()
    };
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = folder.path().join("job.json");
    let written = serde_json::to_vec(&untimed).map_err(io::Error::other);
    written
        .and_then(|written| fs::write(&file, written))
        .map_err(failed)?;
    let program = gpu.program().map_err(failed)?;
    let command = [
        program.into(),
        WORKER_COMMAND.into(),
        JOB_OPTION.into(),
        file.into(),
    ];
    counters_of(&command, &[], job.launches.len())
}

/// Reads the counters of the `launches` launches of `command`, a program with its arguments: of the kernels called
/// `kernels`, or of all if there is none.
pub(super) fn counters_of(
    command: &[OsString],
    kernels: &[&str],
    launches: usize,
) -> Result<Vec<HardwareCounts>, NoCounters> {
    let Some(profiler) = find_profiler() else {
        return Err(NoCounters {
            message: "Nsight Compute (ncu) was not found on the path or in a toolkit".to_owned(),
            help: "install Nsight Compute; it comes with the CUDA toolkit",
        });
    };
    let ran = run(Path::new(&profiler.path), command, kernels).map_err(|error| NoCounters {
        message: format!("{} does not start: {error}", profiler.path),
        help: "see whether `ncu --version` works",
    })?;
    let text = String::from_utf8_lossy(&ran.stdout);
    let rows = parse(&text);
    match rows.len() == launches {
        true => Ok(rows),
        false => Err(refusal(&format!(
            "{text}{}",
            String::from_utf8_lossy(&ran.stderr)
        ))),
    }
}

fn run(profiler: &Path, command: &[OsString], kernels: &[&str]) -> io::Result<Output> {
    let metrics = HARDWARE_COUNTERS
        .iter()
        .flat_map(|counter| counter.adds.iter().chain(&counter.takes));
    let metrics: Vec<&str> = metrics.copied().collect();
    let mut profiled = Command::new(profiler);
    // Clocks are left as they are: counts do not depend on them.
    profiled.args(["--clock-control", "none", "--csv", "--page", "raw"]);
    profiled.args(["--print-units", "base", "--metrics", &metrics.join(",")]);
    if !kernels.is_empty() {
        // PyTorch launches kernels of its own to fill and copy buffers.
        let only = format!("regex:^({})$", kernels.join("|"));
        profiled.args(["--kernel-name-base", "function", "--kernel-name", &only]);
    }
    profiled.args(command).output()
}

/// Why a profiler that said `text` gave no counters.
fn refusal(text: &str) -> NoCounters {
    if text.contains(NOT_PERMITTED) {
        return NoCounters {
            message: "the driver does not let this user read the hardware's counters".to_owned(),
            help: "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0",
        };
    }
    let mut errors = text.lines().filter(|line| line.contains("==ERROR=="));
    let error = errors.next().unwrap_or("it gave none");
    NoCounters {
        message: format!(
            "ncu reads no counters: {}",
            error.trim_start_matches("==ERROR== ")
        ),
        help: "try `ncu` on a program of your own",
    }
}

/// The counters of each launch, from a table with a row of names, a row of units, and one a launch.
fn parse(text: &str) -> Vec<HardwareCounts> {
    // Lines of `ncu` itself begin with `==PROF==`; what kernels print may stand between them, too.
    let table: Vec<&str> = text.lines().filter(|line| line.starts_with('"')).collect();
    let table = table.join("\n");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let Ok(names) = reader.headers().cloned() else {
        return Vec::new();
    };
    // The first row behind the names has the units.
    let launches = reader.records().skip(1).map_while(Result::ok);
    launches
        .map(|launch| {
            let metric = |wanted: &str| {
                let at = names.iter().position(|name| name == wanted)?;
                number(launch.get(at)?)
            };
            let counters = HARDWARE_COUNTERS.iter();
            counters.map(|counter| counter.value(metric)).collect()
        })
        .collect()
}

/// `1,234` or `1234.0`.
fn number(text: &str) -> Option<u64> {
    let value: f64 = text.replace(',', "").parse().ok()?;
    Some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_from_the_table() {
        let metrics = HARDWARE_COUNTERS
            .iter()
            .flat_map(|c| c.adds.iter().chain(&c.takes));
        let names: Vec<String> = metrics.map(|name| format!("\"{name}\"")).collect();
        let values: Vec<String> = (1..=names.len()).map(|i| format!("\"1,00{i}\"")).collect();
        let units = vec!["\"\""; names.len()];
        let text = format!(
            "==PROF== Connected\n\"ID\",{}\n\"\",{}\n\"0\",{}\n",
            names.join(","),
            units.join(","),
            values.join(",")
        );
        let found = parse(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0][0], Some(1001));
        // Atomics: two added.
        assert_eq!(found[0][4], Some(1005 + 1006));
        // Shared loads: the 9th less the 10th, which the digits make larger.
        assert_eq!(found[0][6], None);
        assert_eq!(parse("==ERROR== nothing"), Vec::<HardwareCounts>::new());
    }

    #[test]
    fn a_refusal_says_how_to_permit_it() {
        let said = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission";
        assert!(
            refusal(said)
                .help
                .contains("NVreg_RestrictProfilingToAdminUsers=0")
        );
        let other = refusal("==PROF== a\n==ERROR== Unknown metric\n");
        assert_eq!(other.message, "ncu reads no counters: Unknown metric");
    }
}
