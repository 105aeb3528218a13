//! What a real GPU gave earlier, and is shown where there is none.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tutor::device::gpu_or_usual;
use tutor::engine::{Control, Options, recording_files, recording_folder, run};
use tutor::gpu::instrument_values;
use tutor::launch::{
    Clocks, Evidence, Plan, Provenance, RECORDING_FORMAT, RecordedTrace, Recording, Timing, Watch,
    Work, Yardsticks,
};
use tutor::lesson::{CellResult, RunCell, Sizes, lesson_ids, load, load_file};
use tutor::source::SourceFile;

use crate::files::{fixture, fixture_path};
use crate::gpu::stub::{bare, has_driver, stubbed};
use crate::program::Run;

fn doubled() -> RunCell {
    let lesson = load_file(&fixture("lessons/doubled.md")).expect("reads");
    lesson.run_cell("doubled").expect("is there").clone()
}

fn sizes(n: u64) -> Sizes {
    Sizes::from([("N".to_owned(), n)])
}

/// The cell's result on the simulated GPU.
fn simulated(cell: &RunCell, n: u64) -> CellResult {
    let plan = cell
        .plan(&sizes(n), gpu_or_usual("h200"))
        .expect("has values");
    let options = Options {
        watch: Some(Watch::default()),
        ..Options::default()
    };
    let outcome = run(&plan, &options, &Control::default()).expect("buffers fill");
    cell.check_outcome(&sizes(n), outcome)
}

/// What the device would capture: the instrumented text runs on the simulated GPU just as well.
fn captured(plan: &Plan) -> RecordedTrace {
    let source = instrument_values(&plan.sources[0], &["doubled"]).expect("can be");
    let changed = source.plan(plan, 0, &[Watch::default()], 100);
    let outcome =
        run(&changed.plan, &Options::default(), &Control::default()).expect("buffers fill");
    let traces = source.decode(&outcome.buffers[changed.side_buffer].bytes, &[]);
    RecordedTrace {
        trace: traces.into_iter().next().expect("one warp is watched"),
        sites: source.sites(),
    }
}

/// A recording of the cell at 64 and a million elements.
fn recording(cell: &RunCell) -> Recording {
    let yardsticks = Yardsticks {
        device: "NVIDIA H200".to_owned(),
        l2: "flushed".to_owned(),
        peak_gb_s: Some(4800.0),
        copy_gb_s: None,
    };
    let mut recorded = cell.empty_recording();
    for (n, ms) in [(64, 0.002), (1_000_000, 0.004)] {
        let mut outcome = simulated(cell, n).outcome;
        let timing = Timing::measured(&[ms], Work::default(), &yardsticks);
        outcome.launches[0].real.timing.clone_from(&timing);
        outcome.launches[0].real.hardware = vec![None, Some(8)];
        outcome.timing = timing;
        recorded.add(&sizes(n), &outcome, None);
    }
    let plan = cell
        .plan(&sizes(64), gpu_or_usual("h200"))
        .expect("has values");
    recorded.values = vec![Some(captured(&plan))];
    Recording {
        format: RECORDING_FORMAT,
        lesson: "doubled".to_owned(),
        provenance: Provenance {
            gpu: "h200-sxm".to_owned(),
            device: "NVIDIA H200".to_owned(),
            driver: Some("580.95.05".to_owned()),
            cuda: "13.0".to_owned(),
            nvrtc: "13.0".to_owned(),
            clocks_mhz: Clocks {
                sm: Some(1980),
                sm_max: Some(1980),
                ..Clocks::default()
            },
            date: "2026-11-20".to_owned(),
            tutor: "0.1.0".to_owned(),
            l2: "flushed".to_owned(),
        },
        cells: vec![recorded],
    }
}

/// Written and read again.
fn kept(recording: &Recording) -> Recording {
    let text = recording.text().expect("can be written");
    let read = Recording::read(text.as_bytes()).expect("can be read");
    assert_eq!(read.text().expect("can be written"), text);
    read
}

#[test]
fn what_is_recorded_stands_beside_what_is_simulated() {
    let cell = doubled();
    let recording = kept(&recording(&cell));
    let result = cell.with_recording(recording, simulated(&cell, 64));
    let recorded = result.recorded.as_ref().expect("is found");
    assert_eq!((recorded.is_stale, recorded.run), (false, Some(0)));
    let launch = &result.outcome.launches[0];
    let timing = launch.real.timing.as_ref().expect("is recorded");
    assert_eq!(timing.evidence, Evidence::Recorded);
    assert!((timing.median_ms - 0.002).abs() < 1e-9);
    assert_eq!(launch.real.hardware[..2], [None, Some(8)]);
    let compared = launch.real.compared.as_ref().expect("values are recorded");
    let twice = compared.variables.iter().find(|v| v.name == "twice");
    assert_eq!(
        twice.map(|v| (v.counts.compared, v.counts.equal)),
        Some((32, 32))
    );
    assert!(compared.agrees());
}

#[test]
fn at_other_sizes_nothing_is_said_to_be_of_them() {
    let cell = doubled();
    let result = cell.with_recording(recording(&cell), simulated(&cell, 65));
    assert_eq!(result.outcome.timing, None);
    assert_eq!(result.outcome.launches[0].real.compared, None);
    let recorded = result.recorded.expect("is found");
    assert_eq!((recorded.run, recorded.cell.runs.len()), (None, 2));
    assert!(!recorded.is_stale);
    // Values are those of the first run alone.
    let result = cell.with_recording(recording(&cell), simulated(&cell, 1_000_000));
    assert!(result.outcome.timing.is_some());
    assert_eq!(result.outcome.launches[0].real.compared, None);
}

#[test]
fn once_the_kernel_or_its_launch_has_changed_only_times_are_left() {
    let cell = doubled();
    let recording = recording(&cell);
    let mut other_text = cell.clone();
    let text = cell.source.text().replace("2.0f", "3.0f");
    other_text.source = SourceFile::new(cell.source.name(), &text);
    let mut other_block = cell.clone();
    other_block.launches[0].block[0] = tutor::lesson::Formula::parse("64").expect("reads");
    for changed in [other_text, other_block] {
        let result = changed.with_recording(recording.clone(), simulated(&changed, 64));
        assert!(result.recorded.expect("is found").is_stale);
        assert!(result.outcome.timing.is_some());
        let launch = &result.outcome.launches[0];
        assert_eq!(
            (&launch.real.compared, &launch.real.compiled),
            (&None, &None)
        );
        assert!(launch.real.hardware.is_empty() && result.outcome.agreement.is_empty());
    }
}

#[test]
fn a_file_that_is_no_recording_says_why() {
    let text = recording(&doubled()).text().expect("can be written");
    let says = |text: &str| {
        Recording::read(text.as_bytes())
            .expect_err("is none")
            .to_string()
    };
    assert!(says("").contains("no recording"));
    assert!(says("{}").contains("missing field `format`"));
    let newer = text.replacen("\"format\": 1", "\"format\": 2", 1);
    assert!(says(&newer).contains("format is 2, and this program reads 1"));
    let lanes = text.replacen("=0+1*32", "=0+1*31", 1);
    assert!(lanes != text && says(&lanes).contains("is no step"));
    assert!(says(&text[..text.len() / 2]).contains("no recording"));
}

#[test]
fn every_recording_that_comes_with_the_program_is_of_a_cell_as_it_is_now() {
    for (path, recording) in recording_files() {
        let recording = recording.unwrap_or_else(|error| panic!("{path}: {error}"));
        let folder = recording_folder(&recording.provenance.gpu);
        assert_eq!(path, format!("{folder}/{}.json", recording.lesson));
        let lesson = load(&recording.lesson).unwrap_or_else(|error| panic!("{path}: {error}"));
        let cells: Vec<&str> = recording
            .cells
            .iter()
            .map(|cell| cell.id.as_str())
            .collect();
        let wanted: Vec<&str> = lesson.run_cells().map(|cell| cell.id.as_str()).collect();
        // A cell that is newer than the recording, or that nobody times, has none.
        let mut of_lesson = wanted.iter();
        assert!(
            cells.iter().all(|cell| of_lesson.any(|of| of == cell)),
            "{path} has other cells: run `tutor record {}`",
            lesson.id
        );
        for recorded in &recording.cells {
            let cell = lesson.run_cell(&recorded.id).expect("is there");
            let id = &lesson.id;
            assert!(
                !cell.is_stale(recorded, gpu_or_usual(&recording.provenance.gpu)),
                "{path}, {} is stale: run `tutor record {id}`",
                cell.id
            );
            let mut sizes = recorded.runs.iter().map(|run| &run.sizes);
            let all = lesson.recorded_sizes_of(cell);
            assert_eq!(sizes.clone().next(), all.first(), "{path}");
            // Sizes that are newer than the recording have none, too.
            let mut of_lesson = all.iter();
            assert!(
                sizes.all(|sizes| of_lesson.any(|of| of == sizes)),
                "{path}, {} has other sizes: run `tutor record {id}`",
                cell.id
            );
        }
    }
    assert!(lesson_ids().contains(&"softmax".to_owned()));
}

/// Shows the fixture's lesson with the recordings in a folder.
fn show(recordings: &Path, arguments: &[&str]) -> Run {
    let lesson = fixture_path("lessons/doubled.md");
    let mut all = vec!["run", "lesson", &lesson, "--engine", "sim"];
    all.extend(arguments);
    bare(&all, &[("TUTOR_RECORDINGS", recordings)])
}

/// A folder with a recording, changed before it is written.
fn folder(change: impl Fn(String) -> String) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = recording(&doubled()).text().expect("can be written");
    std::fs::create_dir(folder.path().join("h200")).expect("is new");
    let file = folder.path().join("h200/doubled.json");
    std::fs::write(file, change(text)).expect("can be written");
    folder
}

#[test]
fn json_says_what_is_recorded_and_of_what() {
    let folder = folder(|text| text);
    let of = |arguments: &[&str]| {
        let run = show(folder.path(), &[&["--json"], arguments].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.json()["cells"][0].clone()
    };
    let cell = of(&[]);
    for timing in [&cell["timing"], &cell["launches"][0]["timing"]] {
        assert_eq!(timing["evidence"], "recorded");
        assert_eq!(timing["recorded_on"], "2026-11-20");
        assert_eq!(timing["stale"], false);
    }
    assert_eq!(cell["recorded"]["driver"], "580.95.05");
    let other = of(&["--size", "N=100"]);
    assert_eq!(
        (&other["timing"], &other["launches"][0]["timing"]),
        (&Value::Null, &Value::Null)
    );
    let runs = other["recorded"]["runs"].as_array().expect("a list");
    assert_eq!(runs[1]["sizes"]["N"], 1_000_000);
    assert!((runs[1]["median_ms"].as_f64().expect("a number") - 0.004).abs() < 1e-9);
    assert!(runs.iter().all(|run| run["these_sizes"] == false));
    // Another GPU has no recording.
    assert_eq!(of(&["--gpu", "l4"])["recorded"], Value::Null);
}

#[test]
fn recorded_values_of_a_warp_stand_beside_the_simulated_ones() {
    let folder = folder(|text| text);
    let run = show(folder.path(), &["--json", "--watch", "0:0"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let values = &run.json()["cells"][0]["launches"][0]["values"];
    assert_eq!(values["agree"], true);
    let visits = values["visits"].as_array().expect("a list");
    let twice = visits.iter().find(|visit| visit["variable"] == "twice");
    let twice = twice.expect("is set");
    assert_eq!(
        (&twice["real"][5], &twice["simulated"][5]),
        (&10.0.into(), &10.0.into())
    );
    for other in [
        ["--watch=1:0", "--size=N=64"],
        ["--watch=0:0", "--size=N=65"],
    ] {
        let run = show(folder.path(), &[&["--json"], &other[..]].concat());
        assert_eq!(run.code, 2, "{}", run.stdout);
        let why = "no values of this warp are recorded at these sizes";
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
}

#[test]
fn text_says_what_is_recorded_and_whether_it_still_holds() {
    let fresh = folder(|text| text);
    let shown = show(fresh.path(), &["--plain"]).stdout;
    for part in [
        "Times (recorded on NVIDIA H200, 2026-11-20, median of 1 runs, L2 flushed)",
        "doubled  2.0 µs",
        "driver 580.95.05, CUDA 13.0, NVRTC 13.0, SMs at 1,980 of 1,980 MHz",
    ] {
        assert!(shown.contains(part), "{part:?} is missing in\n{shown}");
    }
    assert!(!shown.contains("STALE"));
    let other = show(fresh.path(), &["--plain", "--size", "N=100"]).stdout;
    assert!(
        other.contains("Times at other sizes (recorded on NVIDIA H200"),
        "{other}"
    );
    assert!(other.contains("1,000,000  4.0 µs"), "{other}");
    let stale = folder(|text| text.replacen("\"sha256\": \"", "\"sha256\": \"0", 1));
    let shown = show(stale.path(), &["--plain"]).stdout;
    assert!(
        shown.contains("STALE: the kernel has changed since"),
        "{shown}"
    );
}

#[test]
fn a_recording_that_cannot_be_read_is_as_if_it_were_not_there() {
    for change in [
        |_: String| String::new(),
        |text: String| text.replacen("\"format\": 1", "\"format\": 9", 1),
        |text: String| text.replacen("h200-sxm", "l4", 1),
    ] {
        let run = show(folder(change).path(), &["--json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(run.json()["cells"][0]["recorded"], Value::Null);
    }
}

#[test]
fn without_a_gpu_nothing_is_recorded() {
    if has_driver() {
        return;
    }
    let run = bare(&["record", "softmax"], &[]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("no NVIDIA driver"), "{}", run.stderr);
    assert!(
        run.stderr.contains("install NVIDIA's driver"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_lesson_that_runs_right_is_recorded_and_one_that_does_not_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().display().to_string();
    // The stub leaves buffers as they were: this lesson has no reference, softmax has one.
    let lesson = fixture_path("lessons/doubled.md");
    let run = stubbed("", &["record", &lesson, "--out", &out]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let file = PathBuf::from(run.stdout.trim_end());
    let read = Recording::read(&std::fs::read(&file).expect("was written")).expect("can be read");
    assert_eq!(read.provenance.device, "Stub GPU");
    assert_eq!(read.cells[0].runs.len(), 2);
    assert!(
        run.stderr
            .contains("doubled doubled at N 1,000,000: 2.000 ms"),
        "{}",
        run.stderr
    );
    // It is shown where that GPU is simulated.
    let gpu = read.provenance.gpu;
    let shown = show(folder.path(), &["--json", "--gpu", &gpu]).json();
    assert_eq!(shown["cells"][0]["timing"]["device"], "Stub GPU");

    let refused = stubbed("", &["record", "softmax", "--out", &out]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    for why in ["error: softmax: cell `", "differs from"] {
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
    assert!(!file.with_file_name("softmax.json").exists());
}
