//! Variables at file scope, over several launches and over warps that run together.

use tutor::engine::{Checks, Control, Options, run};
use tutor::launch::{Argument, BufferSpec, ElementType, Init, KernelSource, Launch, Outcome, Plan};
use tutor::source::SourceFile;

const TEXT: &str = "
__constant__ float scale[2] = {2, 3};
__device__ int launches = 10;
__device__ float sums[2];

__global__ void first(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) launches += 1;
    y[i] = x[i] * scale[0];
    atomicAdd(&sums[0], x[i]);
}

__global__ void second(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] += scale[i % 2] + launches;
    if (i == 0) { launches += 1; sums[1] = 1; }
}

__device__ int nobody = 3;
";

/// Both kernels over 512 elements, one after the other.
fn outcome(checks: Checks) -> Outcome {
    let buffer = |name: &str, init| BufferSpec {
        name: name.to_owned(),
        element: ElementType::F32,
        length: 512,
        init,
    };
    let launch = |kernel: &str| Launch {
        kernel: kernel.to_owned(),
        source: 0,
        grid: [2, 1, 1],
        block: [256, 1, 1],
        shared_bytes: 0,
        arguments: vec![Argument::Buffer(0), Argument::Buffer(1)],
    };
    let plan = Plan {
        sources: vec![KernelSource::new(SourceFile::new("a.cu", TEXT), Vec::new())],
        buffers: vec![buffer("x", Init::One), buffer("y", Init::Zero)],
        launches: ["first", "second"].map(launch).to_vec(),
        symbols: Vec::new(),
        baselines: Vec::new(),
    };
    let control = Control::default();
    let options = Options {
        checks,
        ..Options::default()
    };
    run(&plan, &options, &control).expect("buffers can be filled")
}

#[test]
fn device_variables_last_from_launch_to_launch_and_are_listed_behind_the_buffers() {
    let outcome = outcome(Checks::NONE);
    assert!(outcome.reports.is_empty(), "{:?}", outcome.reports);
    let named = |name: &str| {
        let found = outcome.buffers.iter().find(|buffer| buffer.name == name);
        found.map(|buffer| {
            buffer
                .values()
                .map(|value| value.as_f64())
                .collect::<Vec<_>>()
        })
    };
    let names: Vec<&str> = outcome.buffers.iter().map(|buffer| &*buffer.name).collect();
    assert_eq!(
        names,
        ["x", "y", "launches", "sums"],
        "what is used, without constants"
    );
    assert_eq!(named("launches"), Some(vec![12.0]));
    assert_eq!(named("sums"), Some(vec![512.0, 1.0]));
    let y = named("y").expect("is there");
    // A thread of the second kernel may see its own increment or not.
    assert!(
        y.iter()
            .enumerate()
            .all(|(i, y)| (y - 15.0 - (i % 2) as f64).abs() <= 1.0)
    );
}

#[test]
fn constant_memory_is_no_global_memory_and_device_variables_are() {
    let outcome = outcome(Checks::NONE);
    let first = &outcome.launches[0].counts;
    assert_eq!(first.constant_load.requests, 16, "one of each warp");
    assert_eq!(
        first.constant_load.distinct_addresses, 16,
        "all lanes read one address"
    );
    assert_eq!(
        first.global_load.requests, 33,
        "x twice, and `launches` once"
    );
    assert_eq!(first.global_load.distinct_elements, 513);
    assert_eq!(first.global_atomic.requests, 16);
    let second = &outcome.launches[1].counts;
    assert_eq!(second.constant_load.requests, 16);
    assert_eq!(
        second.constant_load.distinct_addresses, 32,
        "two addresses a warp"
    );
    let read: u64 = outcome.launches[1]
        .footprints
        .iter()
        .map(|f| f.loaded)
        .sum();
    assert_eq!(second.global_load.distinct_elements, read);
}

#[test]
fn races_on_device_variables_are_found() {
    let outcome = outcome(Checks::ALL);
    let reports: Vec<String> = outcome
        .reports
        .iter()
        .map(|report| format!("{report:?}"))
        .collect();
    let race =
        |text: &String| text.contains("race on global memory") && text.contains("`launches`");
    assert!(reports.iter().any(race), "{reports:?}");
}
