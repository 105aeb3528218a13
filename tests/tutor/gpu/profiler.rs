//! The hardware's counters beside ours, with a stub in place of the profiler.

use std::path::Path;

use crate::files::{fixture, fixture_path};
use crate::gpu::stub::stub_folder;
use crate::program::{Run, run};

/// Doubles 32 elements on the stub driver, counters asked for; `profiler` is the folder of an `ncu`.
fn counters(profiler: &str) -> Run {
    let stub = stub_folder();
    let path = fixture(profiler).display().to_string() + ":/usr/bin:/bin";
    let kernel = fixture_path("kernels/twice.cu");
    let arguments = [
        &["run", "kernel", &kernel, "--kernel=twice", "--grid=1"][..],
        &["--block=32", "-DFACTOR=2.0f", "--engine=gpu", "--counters"],
        &[
            "--arg=f32[32]:one",
            "--arg=f32[32]:zero",
            "--arg=32",
            "--json",
        ],
    ];
    let variables = [
        ("LD_LIBRARY_PATH", stub),
        ("TUTOR_NVRTC", &stub.join("libnvrtc.so.12")),
        ("PATH", Path::new(&path)),
        ("CUDA_HOME", Path::new("/nonexistent")),
    ];
    run(&arguments.concat(), &variables)
}

#[test]
fn counters_of_the_hardware_stand_beside_ours() {
    let run = counters("stubs/ncu/permitted");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = run.json();
    let both = run["hardware"].as_array().expect("a list");
    let of = |name: &str| {
        let found = both.iter().find(|counter| counter["name"] == name);
        let found = found.unwrap_or_else(|| panic!("{name} is missing"));
        (found["hardware"].as_u64(), found["ours"].as_u64())
    };
    assert_eq!(of("global load requests"), (Some(7), Some(1)));
    // Two of the profiler's names are added.
    assert_eq!(of("global atomic requests"), (Some(14), Some(0)));
    // 32 floats, from empty caches.
    assert_eq!(of("DRAM bytes read"), (Some(7), Some(128)));
}

#[test]
fn a_refused_profiler_is_a_warning_that_says_how_to_permit_it() {
    let run = counters("stubs/ncu/refused");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("NVreg_RestrictProfilingToAdminUsers=0"),
        "{}",
        run.stderr
    );
    assert_eq!(run.json()["hardware"], serde_json::json!([]));
}

#[test]
fn a_missing_profiler_is_a_warning_too() {
    let of_toolkits = ["/usr/local/cuda/bin/ncu", "/opt/cuda/bin/ncu"];
    if of_toolkits.iter().any(|file| Path::new(file).exists()) {
        return; // It is found whatever the environment says.
    }
    let run = counters("stubs");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("Nsight Compute (ncu) was not found"),
        "{}",
        run.stderr
    );
}
