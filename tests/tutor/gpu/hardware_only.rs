//! A kernel that uses what the simulated GPU does not have: refused there, and run on a real one, whose driver is a stub.

use std::path::Path;

use serde_json::Value;

use crate::files::fixture_path;
use crate::gpu::stub::stub_folder;
use crate::program::{Run, run};

fn barrier(engine: &str) -> Run {
    let stub = stub_folder();
    let kernel = fixture_path("kernels/hopper.cu");
    let mut arguments = vec!["run", "kernel", &kernel, "--kernel=barrier"];
    arguments.extend(["--grid=1", "--block=32", "--arg=f32[32]:zero", "--arg=32"]);
    arguments.extend([engine, "--json"]);
    let variables = [
        ("LD_LIBRARY_PATH", stub),
        ("TUTOR_NVRTC", &stub.join("libnvrtc.so.12")),
        ("CUDA_HOME", Path::new("/nonexistent")),
    ];
    run(&arguments, &variables)
}

#[test]
fn the_simulated_gpu_says_what_it_does_not_have_and_gives_no_result() {
    let ran = barrier("--engine=sim");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for says in [
        "the simulated GPU does not have `mbarrier.init.shared::cta.b64`",
        "hopper.cu:6:5",
        "compute capability 9.0",
    ] {
        assert!(ran.stderr.contains(says), "{says}: {}", ran.stderr);
    }
    assert_eq!(ran.json()["counts"], Value::Null);
}

#[test]
fn a_real_gpu_runs_it_and_nothing_is_counted() {
    let ran = barrier("--engine=gpu");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = ran.json();
    assert_eq!(ran["counts"], Value::Null);
    assert_eq!(ran["timing"]["median_ms"], 2.0);
    assert_eq!(ran["timing"]["gb_s"], Value::Null);
}
