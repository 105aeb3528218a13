//! The real GPU where there is none, and what goes wrong on one: a stub stands in for NVIDIA's
//! libraries.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::files::{fixture, fixture_path};
use crate::program::{Run, run};

/// Folders with the stub, as the driver's and as the compiler's library.
pub static STUB: LazyLock<TempDir> = LazyLock::new(|| build(&[]));
static OLD_STUB: LazyLock<TempDir> = LazyLock::new(|| build(&["--cfg=old"]));

fn build(options: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let driver = folder.path().join("libcuda.so.1");
    compile("stubs/nvidia.rs", &driver, options);
    std::fs::copy(&driver, folder.path().join("libnvrtc.so.12")).expect("copies");
    folder
}

/// Compiles a stub to a shared library.
pub fn compile(source: &str, library: &Path, options: &[&str]) {
    let status = Command::new("rustc")
        .args([
            "--edition=2024",
            "--crate-type=cdylib",
            "-Aunexpected_cfgs",
            "-o",
        ])
        .args([library, &fixture(source)])
        .args(options)
        .status();
    assert!(status.expect("rustc starts").success(), "the stub compiles");
}

/// A folder with a driver and a compiler that do next to nothing.
pub fn stub_folder() -> &'static Path {
    STUB.path()
}

/// Runs with the variables of this machine's NVIDIA software out of the way.
pub fn bare(arguments: &[&str], more: &[(&str, &Path)]) -> Run {
    let empty = Path::new("/nonexistent");
    let mut variables = vec![
        ("LD_LIBRARY_PATH", empty),
        ("CUDA_HOME", empty),
        ("CUDA_PATH", empty),
        ("VIRTUAL_ENV", empty),
        ("CONDA_PREFIX", empty),
        ("HOME", empty),
    ];
    variables.extend(more);
    run(arguments, &variables)
}

/// Runs with the stub, told what goes wrong.
pub fn stubbed(wrong: &str, arguments: &[&str]) -> Run {
    let stub = if wrong == "old driver" {
        &OLD_STUB
    } else {
        &STUB
    };
    let folder = stub.path();
    let nvrtc = folder.join("libnvrtc.so.12");
    let more = [
        ("LD_LIBRARY_PATH", folder),
        ("TUTOR_NVRTC", &nvrtc),
        ("TUTOR_TEST_STUB", Path::new(wrong)),
    ];
    bare(arguments, &more)
}

pub const TWICE: [&str; 11] = [
    "--kernel",
    "twice",
    "--grid",
    "1",
    "--block",
    "32",
    "--arg=f32[32]:one",
    "--arg=f32[32]:zero",
    "--arg=32",
    "--engine=gpu",
    "-DFACTOR=2.0f",
];

/// `tutor run kernel` on the stub, which leaves `y` as it was.
fn twice(wrong: &str, more: &[&str]) -> Run {
    let path = fixture_path("kernels/twice.cu");
    let mut arguments = vec!["run", "kernel", &path];
    arguments.extend(TWICE);
    if more.contains(&"--engine=auto") {
        arguments.retain(|argument| *argument != "--engine=gpu");
    }
    arguments.extend(more);
    stubbed(wrong, &arguments)
}

#[track_caller]
pub fn failed(run: &Run, says: &[&str]) {
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
    for part in says {
        let stderr = &run.stderr;
        assert!(stderr.contains(part), "{part:?} is missing in\n{stderr}");
    }
}

#[test]
fn without_a_driver_it_says_so_and_simulates() {
    if has_driver() {
        return;
    }
    let gpu = [
        "run", "lesson", "softmax", "--size", "M=4", "--engine", "gpu",
    ];
    failed(&bare(&gpu, &[]), &["no NVIDIA driver", "--engine sim"]);
    let auto = bare(&[&gpu[..5], &["--json"]].concat(), &[]);
    assert_eq!(auto.code, 0);
    assert_eq!(auto.json()["engine"], "sim");
    assert!(
        auto.stderr
            .starts_with("engine: sim, since there is no NVIDIA driver")
    );
}

/// Whether the loader finds a driver whatever the environment says.
pub fn has_driver() -> bool {
    let doctor = bare(&["doctor", "--json"], &[]).json();
    doctor["findings"][0]["found"] == true
}

#[test]
fn every_way_in_which_the_driver_fails_is_told() {
    for (wrong, says) in [
        ("stub driver", ["toolkit's stub", "LD_LIBRARY_PATH"]),
        ("no gpu", ["finds no GPU", "nvidia-smi -L"]),
        (
            "driver mismatch",
            ["CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "restart"],
        ),
        (
            "old driver",
            ["too old: it has no `cuDeviceGetName`", "525"],
        ),
        (
            "new compiler",
            ["NVRTC 13.8, but the driver takes code of CUDA 12", "cu12"],
        ),
    ] {
        failed(&twice(wrong, &[]), &says);
    }
}

#[test]
fn a_compiler_that_is_missing_or_none_is_told() {
    let folder = STUB.path();
    let path = fixture_path("kernels/twice.cu");
    let mut arguments = vec!["run", "kernel", &path];
    arguments.extend(TWICE);
    let with = |nvrtc: Option<&Path>| {
        let mut more = vec![("LD_LIBRARY_PATH", folder)];
        more.extend(nvrtc.map(|nvrtc| ("TUTOR_NVRTC", nvrtc)));
        bare(&arguments, &more)
    };
    let nowhere = PathBuf::from("/nowhere/libnvrtc.so");
    failed(
        &with(Some(&nowhere)),
        &["/nowhere/libnvrtc.so is not a usable NVRTC", "cannot open"],
    );
    let text = fixture("kernels/twice.cu");
    failed(
        &with(Some(&text)),
        &["twice.cu is not a usable NVRTC", "TUTOR_NVRTC"],
    );
}

#[test]
fn every_way_in_which_a_kernel_fails_is_told_at_the_kernel() {
    for (wrong, says) in [
        (
            "illegal address",
            [
                "`twice` accessed memory that belongs to no buffer",
                "--engine sim --check",
            ],
        ),
        (
            "assertion",
            [
                "`twice` failed an assertion",
                "thread: [5,0,0] Assertion `x < 3` failed",
            ],
        ),
        (
            "launch refused",
            ["more registers for a block", "40 registers per thread"],
        ),
        ("death", ["worker process was lost in `twice`", "signal 6"]),
        (
            "compile error",
            ["NVRTC 12.8 does not compile this", "a.cu(1): error"],
        ),
        (
            "driver refuses code",
            ["does not load what NVRTC 12.8 made", "NO_BINARY_FOR_GPU"],
        ),
    ] {
        failed(&twice(wrong, &[]), &says);
    }
}

#[test]
fn what_the_gpu_cannot_begin_is_simulated_where_either_will_do() {
    for wrong in ["compile error", "driver refuses code"] {
        let run = twice(wrong, &["--engine=auto", "--json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stderr.contains("warning: "), "{}", run.stderr);
        let run = run.json();
        assert_eq!(
            (&run["engine"], &run["timing"]),
            (&"sim".into(), &serde_json::Value::Null)
        );
        assert_eq!(run["buffers"][1]["sum"], 64.0);
    }
    // A kernel that faults there has failed.
    failed(
        &twice("illegal address", &["--engine=auto"]),
        &["memory that belongs to no buffer"],
    );
}

#[test]
fn a_kernel_that_does_not_end_is_stopped() {
    let run = twice("endless", &["--time-limit", "0.2"]);
    failed(
        &run,
        &[
            "`twice` took longer than 200ms and was stopped",
            "--engine sim",
        ],
    );
}

#[test]
fn a_driver_that_never_starts_is_given_up() {
    // Side by side: each waits for its limit.
    let hangs = ["sleep at the start", "sleep while loading"];
    let says = [
        "`cuInit` of the NVIDIA driver did not return within 8 s",
        "libcuda.so.1",
    ];
    std::thread::scope(|scope| {
        for (wrong, says) in hangs.into_iter().zip(says) {
            scope.spawn(move || {
                let run = twice(wrong, &["--engine=auto"]);
                assert_eq!(run.code, 0, "{}", run.stderr);
                let says = ["engine: sim, since ", says];
                assert!(
                    says.iter().all(|part| run.stderr.contains(part)),
                    "{}",
                    run.stderr
                );
            });
        }
        scope.spawn(|| {
            failed(
                &twice("sleep at the start", &[]),
                &["did not return", "nvidia-smi"],
            )
        });
        scope.spawn(|| {
            let doctor = stubbed("sleep at the start", &["doctor", "--json"]).json();
            assert!(
                doctor["findings"][0]["what"]
                    .as_str()
                    .is_some_and(|what| what.contains("cuInit"))
            );
        });
    });
}

#[test]
fn what_does_not_fit_is_refused_before_it_runs() {
    let path = fixture_path("kernels/twice.cu");
    let mut arguments = vec!["run", "kernel", &path];
    arguments.extend(TWICE);
    arguments[9] = "--arg=f32[20000000]:zero";
    failed(
        &stubbed("", &arguments),
        &["take 77 MiB, but the GPU has 100 MiB free"],
    );
}

#[test]
fn values_of_both_engines_stand_side_by_side() {
    let run = twice("", &["--json", "--ptx"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = run.json();
    assert_eq!(run["engine"], "gpu");
    assert_eq!(run["ptx_lines"][0]["text"], ".visible .entry f(");
    // The stub leaves y at zero, where the simulated GPU has twos.
    let y = &run["agreement"][1];
    assert_eq!((&y["elements"], &y["equal"]), (&32.into(), &0.into()));
    assert_eq!(y["max_abs_difference"], 2.0);
    assert_eq!(run["buffers"][1]["sum"], 0.0);
    assert_eq!(run["counts"]["global_load"]["elements"], 32);
    let timing = &run["timing"];
    assert_eq!(
        (&timing["median_ms"], &timing["runs"]),
        (&2.0.into(), &100.into())
    );
    assert_eq!(
        (&timing["device"], &timing["evidence"]),
        (&"Stub GPU".into(), &"measured".into())
    );
    // 256 bytes in two milliseconds.
    assert_eq!(timing["gb_s"], 256.0 / 2e-3 / 1e9);
    assert_eq!(run["compiled"]["registers"], 40);
    // A warp a block: the 32 blocks that an SM holds fill half of its 64 warps.
    assert_eq!(run["compiled"]["occupancy"], 0.5);
    assert_eq!(run["compiled"]["limited_by"], serde_json::json!(["blocks"]));
}

#[test]
fn the_doctor_says_what_is_found_and_what_is_missing() {
    let run = stubbed("", &["doctor"]);
    assert_eq!(run.code, 0);
    for part in [
        "✓  driver   for CUDA 12.8",
        "Stub GPU, compute capability 9.0, 132 SMs",
        "✓  nvrtc    12.8 at",
    ] {
        assert!(
            run.stdout.contains(part),
            "{part:?} is missing in\n{}",
            run.stdout
        );
    }
    let without = bare(&["doctor", "--json"], &[]).json();
    assert_eq!(without["ok"], true);
    let names = without["findings"].as_array().expect("a list");
    let names: Vec<_> = names
        .iter()
        .map(|finding| finding["name"].clone())
        .collect();
    assert_eq!(
        names,
        [
            "driver", "gpu", "nvrtc", "cublas", "cudnn", "ncu", "colours", "size"
        ]
    );
}

#[test]
fn beside_a_real_gpu_one_like_it_is_simulated() {
    let run = |more: &[&str]| twice("", &[&["--json"], more].concat()).json();
    // 132 SMs of compute capability 9.0, and 79 GiB.
    let usual = run(&[]);
    assert_eq!(
        (&usual["gpu"], &usual["simulated"]),
        (&"h100-sxm5-80gb".into(), &"h100-sxm5-80gb".into())
    );
    let asked = run(&["--gpu=l4"]);
    assert_eq!(
        (&asked["gpu"], &asked["simulated"]),
        (&"h100-sxm5-80gb".into(), &"l4".into())
    );
}

#[test]
fn a_kernel_that_did_not_come_with_the_program_is_said_to_run_as_native_code() {
    let native = "run as native code on the GPU; --engine sim only simulates them";
    for more in [&[][..], &["--engine=auto"]] {
        let run = twice("", more);
        assert_eq!(run.stderr.matches(native).count(), 1, "{}", run.stderr);
    }
    let simulated = twice("", &["--engine=auto", "--engine=sim"]);
    assert!(!simulated.stderr.contains("native"), "{}", simulated.stderr);
    let own = [
        "run", "lesson", "softmax", "--size", "M=4", "--plain", "--engine", "gpu",
    ];
    let own = stubbed("", &own);
    assert!(!own.stderr.contains("native"), "{}", own.stderr);
}
