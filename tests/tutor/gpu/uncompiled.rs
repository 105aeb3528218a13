//! A real GPU without NVRTC, and where NVRTC is found: a stub stands in for NVIDIA's libraries.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::files::fixture_path;
use crate::gpu::stub::{STUB, bare, failed};
use crate::program::Run;

/// A folder with the stub as the driver's library alone.
fn driver_alone() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy("libcuda.so.1", folder.path(), "libcuda.so.1");
    folder
}

/// Copies a file of the stub's folder to `folder`, which is made.
fn copy(file: &str, folder: &Path, name: &str) -> PathBuf {
    fs::create_dir_all(folder).expect("is made");
    let to = folder.join(name);
    fs::copy(STUB.path().join(file), &to).expect("copies");
    to
}

/// Runs on a driver, told what goes wrong, where the file named for NVRTC is not there.
fn without_compiler(wrong: &str, arguments: &[&str]) -> Run {
    let folder = driver_alone();
    let more = [
        ("LD_LIBRARY_PATH", folder.path()),
        ("TUTOR_NVRTC", Path::new("/nowhere/libnvrtc.so")),
        ("TUTOR_TEST_STUB", Path::new(wrong)),
    ];
    bare(arguments, &more)
}

const LESSON: [&str; 9] = [
    "run",
    "lesson",
    "softmax",
    "--cell=fused",
    "--size=M=4",
    "--size=N=8",
    "--engine=gpu",
    "--json",
    "--l2=warm",
];

/// `tutor run kernel` of a kernel that is no lesson's.
fn own(engine: &str) -> Vec<String> {
    let path = fixture_path("kernels/twice.cu");
    let words = [
        "run",
        "kernel",
        &path,
        "--kernel=twice",
        "--grid=1",
        "--block=32",
        "--arg=f32[32]:one",
        "--arg=f32[32]:zero",
        "--arg=32",
        "-DFACTOR=2.0f",
        engine,
    ];
    words.map(str::to_owned).to_vec()
}

fn own_without_compiler(engine: &str, more: &[&str]) -> Run {
    let words = own(engine);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.extend(more);
    without_compiler("", &words)
}

#[test]
fn lessons_run_from_what_is_shipped() {
    let run = without_compiler("only shipped code", &LESSON);
    let cell = &run.json()["cells"][0];
    assert_eq!(cell["engine"], "gpu", "{}", run.stderr);
    let compiled = &cell["launches"][0]["compiled"];
    assert_eq!(compiled["compiled_by"], "the driver, from shipped PTX");
    assert_eq!(compiled["registers"], 40);
    let ptx = compiled["ptx"].as_str().expect("is text");
    assert!(ptx.starts_with(".visible .entry softmax_fused("), "{ptx}");
    assert_eq!(cell["timing"]["median_ms"], 2.0);
    let plain: Vec<&str> = LESSON
        .iter()
        .copied()
        .filter(|word| *word != "--json")
        .collect();
    let plain = without_compiler("only shipped code", &plain).stdout;
    let title = "Compiled for it (by the driver, from shipped PTX)";
    assert!(plain.contains(title), "{plain}");
}

#[test]
fn a_compiler_that_is_there_is_used() {
    let nvrtc = STUB.path().join("libnvrtc.so.12");
    let more = [("LD_LIBRARY_PATH", STUB.path()), ("TUTOR_NVRTC", &*nvrtc)];
    let run = bare(&LESSON, &more).json();
    let compiled = &run["cells"][0]["launches"][0]["compiled"];
    assert_eq!(compiled["compiled_by"], "NVRTC 12.8");
}

#[test]
fn other_kernels_need_the_compiler_and_are_told_so() {
    let says = [
        "/nowhere/libnvrtc.so is not a usable NVRTC",
        "one of your own, one that was changed",
        "pip install nvidia-cuda-nvrtc",
    ];
    failed(&own_without_compiler("--engine=gpu", &[]), &says);
    let looked_into = without_compiler("", &[&LESSON[..], &["--verify-counts"]].concat());
    failed(&looked_into, &says);
    // Where either engine will do, the simulated one runs it.
    let run = own_without_compiler("--engine=auto", &["--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in says {
        assert!(
            run.stderr.contains(part),
            "{part:?} is missing in\n{}",
            run.stderr
        );
    }
    let run = run.json();
    assert_eq!(run["engine"], "sim");
    assert_eq!(run["buffers"][1]["sum"], 64.0);
}

#[test]
fn a_driver_that_does_not_take_what_is_shipped_is_told() {
    for (wrong, says) in [
        (
            "driver refuses code",
            ["does not load the PTX that comes with the program", "525"],
        ),
        (
            "driver without compiler",
            ["JIT_COMPILER_NOT_FOUND", "libnvidia-ptxjitcompiler.so.1"],
        ),
    ] {
        let plain: Vec<&str> = LESSON
            .iter()
            .copied()
            .filter(|word| *word != "--json")
            .collect();
        failed(&without_compiler(wrong, &plain), &says);
    }
}

#[test]
fn a_worker_that_is_lost_while_the_driver_starts_is_told() {
    let run = without_compiler("death at the start", &LESSON);
    let what = "the GPU's worker process failed: it was ended by signal 6";
    failed(&run, &[what, "use --engine sim"]);
}

#[test]
fn the_doctor_says_what_still_runs() {
    let run = without_compiler("", &["doctor"]);
    assert_eq!(run.code, 0);
    for part in [
        "✗  nvrtc",
        "the lessons' run without it",
        "The lessons' kernels run on the Stub GPU",
    ] {
        assert!(
            run.stdout.contains(part),
            "{part:?} is missing in\n{}",
            run.stdout
        );
    }
}

/// What the doctor finds of NVRTC with these variables, which name folders.
fn found(variables: &[(&str, &Path)]) -> (bool, String) {
    let doctor = bare(&["doctor", "--json"], variables).json();
    let findings = doctor["findings"].as_array().expect("a list");
    let nvrtc = findings.iter().find(|finding| finding["name"] == "nvrtc");
    let nvrtc = nvrtc.expect("is looked for");
    let what = nvrtc["what"].as_str().expect("is text").to_owned();
    (nvrtc["found"] == true, what)
}

#[test]
fn a_toolkit_wheels_and_the_loaders_path_are_looked_at() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |path: &str| folder.path().join(path);
    let check = |variables: &[(&str, &Path)], file: &Path| {
        let (is_found, what) = found(variables);
        assert!(is_found, "{what}");
        assert_eq!(what, format!("12.8 at {}", file.display()));
    };
    let of = "libnvrtc.so.12";
    let toolkit = copy(of, &at("toolkit/lib64"), "libnvrtc.so");
    check(&[("CUDA_HOME", &at("toolkit"))], &toolkit);
    check(&[("CUDA_PATH", &at("toolkit"))], &toolkit);
    if found(&[]).0 {
        // This machine has one where it is looked for first.
        return;
    }
    for (variable, environment, wheel, name) in [
        ("VIRTUAL_ENV", "venv13", "nvidia/cu13/lib", "libnvrtc.so.13"),
        (
            "VIRTUAL_ENV",
            "venv12",
            "nvidia/cuda_nvrtc/lib",
            "libnvrtc.so.12",
        ),
        ("CONDA_PREFIX", "conda", "nvidia/cu13/lib", "libnvrtc.so.13"),
        (
            "HOME",
            "home/.local",
            "nvidia/cuda_nvrtc/lib",
            "libnvrtc.so.12",
        ),
    ] {
        let packages = at(environment).join("lib/python3.12/site-packages");
        let file = copy(of, &packages.join(wheel), name);
        let root = at(environment.trim_end_matches("/.local"));
        check(&[(variable, &root)], &file);
    }
    // Opened by its name alone; the system tells where it was.
    let file = copy(of, &at("loader"), "libnvrtc.so.12");
    check(&[("LD_LIBRARY_PATH", &at("loader"))], &file);
}

#[test]
fn a_compiler_that_is_nowhere_is_told() {
    let (is_found, what) = found(&[]);
    if is_found {
        // This machine has one where it is always looked for.
        return;
    }
    assert!(
        what.contains(
            "not found in the CUDA toolkit, the Python environment and the loader's path"
        ),
        "{what}"
    );
    let folder = driver_alone();
    let words = own("--engine=gpu");
    let run = bare(
        &words.iter().map(String::as_str).collect::<Vec<_>>(),
        &[("LD_LIBRARY_PATH", folder.path())],
    );
    failed(&run, &["not found in the CUDA toolkit", "TUTOR_NVRTC"]);
}
