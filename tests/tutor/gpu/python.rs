//! Triton's own code and PyTorch as baselines, with a stub in place of Python.

use std::path::Path;

use serde_json::Value;

use crate::files::{fixture, fixture_path};
use crate::gpu::stub::stub_folder;
use crate::program::{Run, run};

/// Doubles 32 elements on the stub driver; `python` is the folder of a `python3`.
fn with(python: &str, kernel: &str, more: &[&str]) -> Run {
    let stub = stub_folder();
    let folders =
        [python, "stubs/ncu/permitted"].map(|folder| fixture(folder).display().to_string());
    let path = format!("{}:/usr/bin:/bin", folders.join(":"));
    let kernel = fixture_path(kernel);
    let mut arguments = vec![
        "run",
        "kernel",
        &kernel,
        "--kernel=twice",
        "--grid=1",
        "--engine=gpu",
    ];
    arguments.extend([
        "--arg=f32[32]:one",
        "--arg=f32[32]:zero",
        "--arg=32",
        "--json",
    ]);
    arguments.extend(more);
    let variables = [
        ("LD_LIBRARY_PATH", stub),
        ("TUTOR_NVRTC", &stub.join("libnvrtc.so.12")),
        ("PATH", Path::new(&path)),
        ("CUDA_HOME", Path::new("/nonexistent")),
    ];
    run(&arguments, &variables)
}

fn triton(python: &str, more: &[&str]) -> Value {
    let more = [&["--meta=BLOCK=32", "--baseline=triton"], more].concat();
    let run = with(python, "kernels/twice.py", &more);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.json()
}

#[test]
fn tritons_own_code_is_timed_and_what_it_leaves_is_compared() {
    let run = triton("stubs/python/triton", &["--counters"]);
    let baseline = &run["baselines"][0];
    assert_eq!(
        (
            &baseline["name"],
            &baseline["version"],
            &baseline["library"]
        ),
        (&"Triton".into(), &"3.6.0".into(), &"/stub/python3".into())
    );
    assert_eq!(baseline["timing"]["median_ms"], 1.0);
    // It does the same work: 32 floats read, 32 written.
    assert_eq!(baseline["timing"]["gb_s"], 256.0 / 1e-3 / 1e9);
    // The stub of the driver leaves the buffers as they are, and so does that of Python.
    let agreement = baseline["agreement"].as_array().expect("a list");
    assert_eq!(agreement.len(), 2);
    assert_eq!(agreement[1]["equal"], 32);
    let counter = &run["hardware"][0];
    assert_eq!(
        (&counter["hardware"], &counter["triton"]),
        (&7.into(), &7.into())
    );
}

#[test]
fn a_python_that_cannot_is_only_a_reason() {
    for (python, says) in [
        ("stubs/python/bare", "/stub/python3 has no module torch"),
        ("stubs/python/broken", "CompilationError: at 7:4"),
    ] {
        let run = triton(python, &[]);
        let baseline = &run["baselines"][0];
        assert_eq!(baseline["timing"], Value::Null);
        assert_eq!(baseline["reason"], says);
    }
}

#[test]
fn pytorch_is_timed_beside_a_cuda_kernel_which_triton_cannot_compile() {
    let more = [
        "--block=32",
        "-DFACTOR=2.0f",
        "--baseline=torch-softmax:6x70",
        "--baseline=triton",
    ];
    let run = with("stubs/python/triton", "kernels/twice.cu", &more);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = run.json();
    let [torch, triton] = [0, 1].map(|at| &run["baselines"][at]);
    assert_eq!(
        (&torch["name"], &torch["timing"]["median_ms"]),
        (&"torch.softmax".into(), &1.0.into())
    );
    assert_eq!(torch["timing"]["gb_s"], 8.0 * 420.0 / 1e-3 / 1e9);
    assert_eq!(triton["reason"], "the kernel is not one of Triton's");
}
