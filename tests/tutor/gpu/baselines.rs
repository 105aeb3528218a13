//! NVIDIA's own libraries as baselines: stubs stand in for them, and for the driver below.

use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;
use tempfile::TempDir;

use crate::files::fixture_path;
use crate::gpu::stub::{STUB, TWICE, bare, compile};
use crate::program::{Run, tutor};

/// A folder with the libraries, and with such as lack the operations.
static LIBRARIES: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, options) in [
        ("libcublas.so.12", vec![]),
        ("libcudnn.so.9", vec!["--cfg=cudnn"]),
        ("old-cublas.so", vec!["--cfg=old"]),
        ("old-cudnn.so", vec!["--cfg=old", "--cfg=cudnn"]),
    ] {
        compile("stubs/baselines.rs", &folder.path().join(name), &options);
    }
    folder
});

/// `tutor run kernel` on the stub driver with these files as the libraries, told what goes wrong.
fn run(wrong: &str, [cublas, cudnn]: [&Path; 2], more: &[&str]) -> Run {
    let path = fixture_path("kernels/twice.cu");
    let mut arguments = vec!["run", "kernel", &path];
    arguments.extend(TWICE);
    arguments.extend(more);
    let driver = STUB.path();
    let nvrtc = driver.join("libnvrtc.so.12");
    let variables = [
        ("LD_LIBRARY_PATH", driver),
        ("TUTOR_NVRTC", &nvrtc),
        ("TUTOR_CUBLAS", cublas),
        ("TUTOR_CUDNN", cudnn),
        ("TUTOR_TEST_STUB", Path::new(wrong)),
    ];
    bare(&arguments, &variables)
}

fn found(wrong: &str, more: &[&str]) -> Run {
    let folder = LIBRARIES.path();
    let files = ["libcublas.so.12", "libcudnn.so.9"].map(|file| folder.join(file));
    run(wrong, [&files[0], &files[1]], more)
}

/// The only baseline of a run, which succeeds whatever comes of it.
#[track_caller]
fn only(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let run = run.json();
    assert_eq!(run["timing"]["median_ms"], 2.0, "our own times are there");
    let baselines = run["baselines"].as_array().expect("a list");
    assert_eq!(baselines.len(), 1);
    baselines[0].clone()
}

/// The only baseline of a run has no times, for a reason that says this.
#[track_caller]
fn untimed(run: &Run, says: &[&str]) {
    let baseline = only(run);
    assert_eq!(baseline["timing"], Value::Null);
    assert_eq!(baseline["slower_by"], Value::Null);
    let reason = baseline["reason"].as_str().expect("a reason");
    for part in says {
        assert!(reason.contains(part), "{part:?} is missing in {reason:?}");
    }
}

const SOFTMAX: [&str; 2] = ["--json", "--baseline=softmax:6x70"];
const SGEMM: [&str; 2] = ["--json", "--baseline=sgemm:7x5x3"];

#[test]
fn operations_of_the_libraries_are_timed_in_the_same_run() {
    let more = [
        "--json",
        "--baseline=softmax:6x70",
        "--baseline=sgemm:7x5x3",
        "--baseline=bf16:7x5x300",
    ];
    let run = found("", &more);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = run.json();
    let baselines = run["baselines"].as_array().expect("a list");
    let names: Vec<_> = baselines
        .iter()
        .map(|found| found["name"].clone())
        .collect();
    assert_eq!(
        names,
        ["cuDNN softmax", "cuBLAS sgemm", "cuBLAS bf16, fp32 sums"]
    );
    for (baseline, error) in baselines.iter().zip([1e-7, 1e-6, 0.2]) {
        let timing = &baseline["timing"];
        assert_eq!(
            (&timing["median_ms"], &timing["runs"], &timing["l2"]),
            (&2.0.into(), &100.into(), &"flushed".into()),
            "{baseline}"
        );
        assert_eq!(baseline["reason"], Value::Null);
        assert_eq!(baseline["slower_by"], 1.0);
        let found = baseline["max_abs_error"].as_f64().expect("was checked");
        assert!((0.0..error).contains(&found), "{baseline}");
    }
    let softmax = &baselines[0];
    assert_eq!(softmax["operation"], "softmax");
    assert_eq!(softmax["sizes"], serde_json::json!([6, 70]));
    assert_eq!(softmax["version"], "9.10.2");
    assert_eq!(softmax["timing"]["gb_s"], 8.0 * 420.0 / 2e-3 / 1e9);
    assert_eq!(softmax["timing"]["tflop_s"], Value::Null);
    let path = softmax["library"].as_str().expect("a path");
    assert!(path.ends_with("/libcudnn.so.9"), "{path}");
    let operations = 2.0 * 7.0 * 5.0 * 3.0;
    let rate = baselines[1]["timing"]["tflop_s"]
        .as_f64()
        .expect("is known");
    assert!((rate - operations / 2e-3 / 1e12).abs() < 1e-18, "{rate}");
}

#[test]
fn what_runs_and_what_does_not_stands_below_the_times() {
    let run = found(
        "operation refused",
        &[
            "--plain",
            "--baseline=softmax:6x70",
            "--baseline=sgemm:7x5x3",
        ],
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in [
        "Baselines (measured in the same way in the same run)",
        "cuBLAS sgemm 12.8  2.000 ms",
        "1.00 ×",
        "cuDNN softmax 9.10.2: `cudnnSoftmaxForward` says CUDNN_STATUS_NOT_SUPPORTED",
    ] {
        let stdout = &run.stdout;
        assert!(stdout.contains(part), "{part:?} is missing in\n{stdout}");
    }
}

#[test]
fn a_library_that_is_missing_or_none_is_only_a_reason() {
    let nowhere = Path::new("/nowhere/lib.so");
    untimed(
        &run("", [nowhere, nowhere], &SGEMM),
        &["/nowhere/lib.so is not a usable cuBLAS", "cannot open"],
    );
    let driver = STUB.path().join("libcuda.so.1");
    untimed(
        &run("", [nowhere, &driver], &SOFTMAX),
        &["is not a usable cuDNN: it does not say its version"],
    );
}

#[test]
fn a_library_that_is_nowhere_says_how_to_get_it() {
    let path = fixture_path("kernels/twice.cu");
    let mut arguments = vec!["run", "kernel", &path];
    arguments.extend(TWICE);
    arguments.extend(SOFTMAX);
    let nvrtc = STUB.path().join("libnvrtc.so.12");
    let variables = [("LD_LIBRARY_PATH", STUB.path()), ("TUTOR_NVRTC", &nvrtc)];
    let doctor = bare(&["doctor", "--json"], &variables).json();
    let findings = doctor["findings"].as_array().expect("a list");
    let cudnn = findings.iter().find(|found| found["name"] == "cudnn");
    if cudnn.expect("is looked for")["found"] == false {
        let says = ["cuDNN was not found in the CUDA toolkit", "pip install"];
        untimed(&bare(&arguments, &variables), &says);
    }
}

#[test]
fn a_library_without_the_operation_is_too_old() {
    let folder = LIBRARIES.path();
    let (cublas, cudnn) = (folder.join("old-cublas.so"), folder.join("old-cudnn.so"));
    untimed(
        &run("", [&cublas, &cudnn], &SGEMM),
        &["old-cublas.so (12.8) is too old: it has no `cublasSgemm_v2`"],
    );
    untimed(
        &run("", [&cublas, &cudnn], &SOFTMAX),
        &["old-cudnn.so (9.10.2) is too old: it has no `cudnnSoftmaxForward`"],
    );
}

#[test]
fn what_a_library_refuses_or_gets_wrong_is_not_timed() {
    untimed(
        &found("library refuses", &SGEMM),
        &["`cublasCreate_v2` says CUBLAS_STATUS_ARCH_MISMATCH"],
    );
    untimed(
        &found("operation refused", &SOFTMAX),
        &["`cudnnSoftmaxForward` says CUDNN_STATUS_NOT_SUPPORTED"],
    );
    untimed(
        &found("wrong result", &SGEMM),
        &["its result is wrong", "row 0, column 0"],
    );
    untimed(
        &found("death in a library", &SOFTMAX),
        &["worker process was lost in a baseline", "signal 6"],
    );
    untimed(
        &found("", &["--json", "--baseline=softmax:4096x1024"]),
        &["its buffers take 48 MiB, but the GPU has 100 MiB free"],
    );
}

#[test]
fn without_a_gpu_a_baseline_that_was_asked_for_is_said_not_to_run() {
    let path = fixture_path("kernels/twice.cu");
    let mut arguments = vec!["run", "kernel", &path];
    arguments.extend(TWICE.iter().filter(|argument| !argument.contains("engine")));
    arguments.extend(["--engine=sim", "--json", "--baseline=softmax:6x70"]);
    let run = tutor(&arguments);
    assert_eq!(run.code, 0);
    assert_eq!(run.json()["baselines"], serde_json::json!([]));
    assert!(
        run.stderr
            .contains("baselines are measured on a real GPU only")
    );
    // A lesson asks for them wherever it runs.
    let lesson = tutor(&[
        "run",
        "lesson",
        "softmax",
        "--engine=sim",
        "--json",
        "--size",
        "M=4",
        "--size",
        "N=8",
    ]);
    assert_eq!(lesson.code, 0);
    assert!(!lesson.stderr.contains("baselines"), "{}", lesson.stderr);
}

#[test]
fn what_is_no_baseline_says_what_is_expected() {
    let path = fixture_path("kernels/twice.cu");
    for (written, says) in [
        ("sofmax:6x70", "perhaps `softmax`"),
        ("sgemm:6x70", "`sgemm` takes M x N x K, not 2 sizes"),
        ("softmax:6", "`softmax` takes ROWS x COLUMNS, not 1 size"),
        ("bf16:1xax3", "such as softmax:4096x781"),
        ("softmax:0x70", "above 0"),
    ] {
        let mut arguments = vec!["run", "kernel", &path, "--baseline", written];
        arguments.extend(TWICE);
        let run = tutor(&arguments);
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains(says), "{written}: {}", run.stderr);
    }
}
