//! A plan on both engines at a time, with a stub in place of NVIDIA's libraries.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use tutor::device::gpu_or_usual;
use tutor::engine::{Control, OnGpu, Options, run_on_gpu};
use tutor::gpu::{Gpu, TimingChoice};
use tutor::launch::{Ending, Engine, Outcome};
use tutor::lesson::{Sizes, load};
use tutor::source::Severity;

use crate::gpu::stub::stub_folder;

/// The five kernels of naive softmax, on four rows of eight.
fn naive(fuel: u64, timing: Option<TimingChoice>) -> Outcome {
    let stub = stub_folder();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("tutor");
    let script = format!(
        "#!/bin/sh\nLD_LIBRARY_PATH={0} TUTOR_NVRTC={0}/libnvrtc.so.12 exec {1} \"$@\"\n",
        stub.display(),
        env!("CARGO_BIN_EXE_tutor")
    );
    std::fs::write(&program, script).expect("writes");
    std::fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("is its owner");
    let lesson = load("softmax").expect("reads");
    let cell = lesson.run_cell("naive").expect("is there");
    let sizes = Sizes::from([("M".to_owned(), 4), ("N".to_owned(), 8)]);
    let plan = cell.plan(&sizes, gpu_or_usual("h200")).expect("has a plan");
    let mut gpu = Gpu::default();
    gpu.program = Some(program);
    let on = OnGpu {
        gpu: &mut gpu,
        timing,
        counters: false,
        runs_python: false,
        or_simulate: false,
        is_counted: true,
        stage: &mut |_| {},
    };
    let options = Options {
        fuel,
        ..Options::default()
    };
    let ran = run_on_gpu(&plan, &options, &Control::default(), on).expect("buffers can be filled");
    ran.expect("the stub is there")
}

#[test]
fn what_is_too_large_to_simulate_runs_uncounted() {
    let outcome = naive(20, Some(TimingChoice::Flushed));
    assert_eq!(
        (outcome.engine, outcome.ending),
        (Engine::Gpu, Ending::Exhausted)
    );
    assert!(!outcome.is_counted());
    assert!(outcome.agreement.is_empty());
    assert_eq!(outcome.launches.len(), 5);
    for launch in &outcome.launches {
        let timing = launch.real.timing.as_ref();
        let timing = timing.unwrap_or_else(|| panic!("{} is timed", launch.kernel));
        assert_eq!((timing.median_ms, timing.gb_s), (2.0, None));
    }
    // One pair of events is around all five, and around the same five as a graph: not the sum of the launches.
    let all = outcome.timing.as_ref().expect("is timed");
    assert_eq!((all.median_ms, all.graph_ms), (2.0, Some(2.0)));
    let [report] = &outcome.reports[..] else {
        panic!("one report: {:?}", outcome.reports);
    };
    assert_eq!(report.diagnostic.severity, Severity::Warning);
    assert!(report.diagnostic.message.contains("too large to simulate"));
}

#[test]
fn what_is_not_timed_has_a_compile_report_all_the_same() {
    let outcome = naive(1_000_000, None);
    assert_eq!((outcome.ending, outcome.timing), (Ending::Finished, None));
    for launch in &outcome.launches {
        let report = launch.real.compiled.as_ref();
        let report = report.unwrap_or_else(|| panic!("{} was compiled", launch.kernel));
        assert_eq!((report.registers, &launch.real.timing), (40, &None));
    }
}
