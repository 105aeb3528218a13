//! Whole programs whose kernels run on a real GPU, with a stub in its place that leaves all memory as it is.

use crate::gpu::stub::{failed, stubbed};
use crate::program::Run;

/// Memory of every kind, before and behind a launch. The stub's variables begin with zero.
const PROGRAM: &str = r#"
#include <cstdio>
#include "factor.h"
__device__ int total = 5;
__constant__ int unused = 6;
__global__ void scaled(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= FACTOR;
    if (i == 0) total = n;
}
int main() {
    float host[4] = {1, 2, 3, 4}, *x;
    cudaMalloc(&x, sizeof host);
    cudaMemcpy(x + 1, host, 3 * sizeof(float), cudaMemcpyHostToDevice);
    int* managed;
    cudaMallocManaged(&managed, 4 * sizeof(int));
    managed[2] = 7;
    scaled<<<1, 32>>>(x, 4);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    if (error != cudaSuccess) return 1;
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    int from[2];
    cudaMemcpyToSymbol(total, &managed[2], sizeof(int));
    cudaMemcpyFromSymbol(&from[0], total, sizeof(int));
    cudaMemcpyFromSymbol(&from[1], unused, sizeof(int));
    printf("%g %g %g %g, %d %d, %d %d\n", host[0], host[1], host[2], host[3], managed[1], managed[2], from[0], from[1]);
    cudaFree(x);
    cudaFree(managed);
}
"#;

/// Runs `program` on the stub, told what goes wrong.
fn on_gpu(program: &str, wrong: &str, more: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("scaled.cu");
    std::fs::write(&file, program).expect("writes");
    std::fs::write(folder.path().join("factor.h"), "#define FACTOR 2\n").expect("writes");
    let file = file.to_string_lossy();
    let mut arguments = vec!["run", "program", &file, "--engine", "gpu"];
    arguments.extend(more);
    stubbed(wrong, &arguments)
}

#[test]
fn its_host_code_runs_here_and_its_memory_and_kernels_are_there() {
    let run = on_gpu(PROGRAM, "", &[]);
    assert_eq!(
        run.stdout, "no error\n0 1 2 3, 0 7, 7 0\n",
        "{}",
        run.stderr
    );
    assert_eq!(run.code, 0);
    assert_eq!(
        run.stderr,
        "kernels run as native code on the GPU; --engine sim only simulates them\n\
         launch 1: scaled, 1 × 32 threads: 2.000 ms (measured)\n"
    );
}

#[test]
fn json_has_measured_times_and_no_counts() {
    let run = on_gpu(PROGRAM, "", &["--json"]).json();
    let launch = &run["launches"][0];
    assert_eq!(
        (&launch["engine"], &launch["measured_ms"]),
        (&"gpu".into(), &2.0.into())
    );
    assert!(launch["counts"].is_null() && launch["modelled_ms"].is_null());
    assert_eq!(run["exit"], 0);
}

#[test]
fn what_goes_wrong_there_is_an_error_of_cuda_and_is_told_at_the_launch() {
    for (wrong, error, says) in [
        (
            "illegal address",
            "an illegal memory access was encountered\n",
            "`scaled` accessed memory that belongs to no buffer",
        ),
        (
            "assertion",
            "device-side assert triggered\n",
            "failed an assertion",
        ),
        (
            "endless",
            "the launch timed out and was terminated\n",
            "took longer than 200ms",
        ),
    ] {
        let run = on_gpu(PROGRAM, wrong, &["--time-limit", "0.2"]);
        assert_eq!(run.stdout, error);
        failed(&run, &[says, "scaled<<<1, 32>>>(x, 4);", "on the real GPU"]);
    }
}

#[test]
fn what_only_the_simulated_gpu_has_is_refused() {
    let child = "__global__ void inner() {}\n__global__ void outer() { inner<<<1, 1>>>(); }\n\
                 int main() { outer<<<1, 1>>>(); }\n";
    failed(&on_gpu(child, "", &[]), &["kernels that launch kernels"]);
    let texture = "__global__ void k(cudaTextureObject_t t, float* y) { *y = tex1Dfetch<float>(t, 0); }\n\
                   int main() { k<<<1, 1>>>(0, nullptr); }\n";
    failed(
        &on_gpu(texture, "", &[]),
        &["textures run on the simulated GPU only"],
    );
    let library = "#include <cub/cub.cuh>\n\
                   int main() { int *x, *sum; size_t bytes = 0; cudaMalloc(&x, 16); cudaMalloc(&sum, 4);\n\
                   cub::DeviceReduce::Sum(nullptr, bytes, x, sum, 4); void* room; cudaMalloc(&room, bytes);\n\
                   cub::DeviceReduce::Sum(room, bytes, x, sum, 4); return 1; }\n";
    failed(
        &on_gpu(library, "", &[]),
        &["kernels of Thrust, CUB and curand"],
    );
    failed(
        &on_gpu(PROGRAM, "compile error", &[]),
        &["NVRTC 12.8 does not compile this"],
    );
    let checked = on_gpu(PROGRAM, "", &["--check"]);
    assert_eq!(checked.code, 2);
    assert!(
        checked
            .stderr
            .contains("--check and --schedule are for the simulated GPU")
    );
}
