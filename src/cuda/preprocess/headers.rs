//! Headers, known by name: what they declare is built in, or written out in CUDA C++.

use crate::source::{Diagnostic, Span, nearest};

// What these declare is built in: `#include <math.h>` adds no text at all.
const ACCEPTED: [&str; 43] = [
    "assert.h",
    "cassert",
    "cfloat",
    "climits",
    "cmath",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "cuda.h",
    "cuda_device_runtime_api.h",
    "cuda/std/cfloat",
    "cuda/std/climits",
    "cuda/std/cmath",
    "cuda/std/cstddef",
    "cuda/std/cstdint",
    "cuda/std/limits",
    "cuda/std/type_traits",
    "cuda/std/utility",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "float.h",
    "limits",
    "limits.h",
    "math.h",
    "math_constants.h",
    "math_functions.h",
    "sm_30_intrinsics.h",
    "sm_61_intrinsics.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "tuple",
    "type_traits",
    "utility",
    "vector_functions.h",
    "vector_types.h",
];

/// Headers of code for the host, which is left out: the C++ library, and what CUDA's samples come
/// with.
const OF_HOST: [&str; 62] = [
    "algorithm",
    "any",
    "array",
    "atomic",
    "bitset",
    "cassert",
    "cctype",
    "cerrno",
    "cfenv",
    "chrono",
    "cinttypes",
    "complex",
    "condition_variable",
    "csignal",
    "ctime",
    "ctype.h",
    "cublas_v2.h",
    "cuda_profiler_api.h",
    "curand.h",
    "cusparse.h",
    "deque",
    "errno.h",
    "exception",
    "filesystem",
    "fstream",
    "functional",
    "helper_cuda.h",
    "helper_functions.h",
    "helper_timer.h",
    "initializer_list",
    "inttypes.h",
    "iomanip",
    "ios",
    "iostream",
    "iterator",
    "list",
    "map",
    "memory",
    "mutex",
    "new",
    "numbers",
    "numeric",
    "nvToolsExt.h",
    "omp.h",
    "optional",
    "pthread.h",
    "queue",
    "random",
    "set",
    "span",
    "sstream",
    "stdexcept",
    "string",
    "string_view",
    "sys/time.h",
    "thread",
    "time.h",
    "typeinfo",
    "unistd.h",
    "unordered_map",
    "variant",
    "vector",
];

/// What the host's `<atomic>` and CUDA's share.
pub const MEMORY_ORDER: &str = "__memory_order";

/// Headers whose declarations are written out, with the headers that each includes before.
const WRITTEN: [(&str, &[&str], &str); 34] = [
    (
        "helper_math.h",
        &[],
        include_str!("headers/cuda/helper_math.cuh"),
    ),
    ("cutil_math.h", &["helper_math.h"], ""),
    ("cuComplex.h", &[], include_str!("headers/cuda/complex.cuh")),
    (
        "cufft.h",
        &["cuComplex.h"],
        "typedef float cufftReal; typedef double cufftDoubleReal; typedef cuComplex cufftComplex; \
         typedef cuDoubleComplex cufftDoubleComplex;",
    ),
    ("cufftXt.h", &["cufft.h"], ""),
    (
        "cub/cub.cuh",
        &[],
        include_str!("headers/cuda/cub_block.cuh"),
    ),
    ("cub/block/block_reduce.cuh", &["cub/cub.cuh"], ""),
    ("cub/block/block_scan.cuh", &["cub/cub.cuh"], ""),
    ("cub/block/block_load.cuh", &["cub/cub.cuh"], ""),
    ("cub/block/block_store.cuh", &["cub/cub.cuh"], ""),
    ("cub/block/block_radix_sort.cuh", &["cub/cub.cuh"], ""),
    ("cub/block/block_histogram.cuh", &["cub/cub.cuh"], ""),
    ("cub/block/block_exchange.cuh", &["cub/cub.cuh"], ""),
    ("cub/warp/warp_reduce.cuh", &["cub/cub.cuh"], ""),
    ("cub/warp/warp_scan.cuh", &["cub/cub.cuh"], ""),
    ("cub/util_type.cuh", &["cub/cub.cuh"], ""),
    (
        "curand_kernel.h",
        &[],
        include_str!("headers/cuda/curand_kernel.cuh"),
    ),
    ("cuda_fp16.h", &[], include_str!("headers/cuda_fp16.cuh")),
    ("cuda_bf16.h", &["cuda_fp16.h"], ""),
    (
        "cuda_fp8.h",
        &["cuda_bf16.h"],
        include_str!("headers/cuda_fp8.cuh"),
    ),
    (
        "cooperative_groups.h",
        &[],
        include_str!("headers/cooperative_groups.cuh"),
    ),
    (
        "cooperative_groups/reduce.h",
        &["cooperative_groups.h"],
        include_str!("headers/cooperative_groups_reduce.cuh"),
    ),
    (
        "cooperative_groups/scan.h",
        &["cooperative_groups/reduce.h"],
        include_str!("headers/cooperative_groups_scan.cuh"),
    ),
    (
        "__async_copy",
        &[],
        include_str!("headers/cuda/async_copy.cuh"),
    ),
    (
        "cuda_pipeline_primitives.h",
        &["__async_copy"],
        include_str!("headers/cuda/pipeline_primitives.cuh"),
    ),
    ("cuda_pipeline.h", &["cuda_pipeline_primitives.h"], ""),
    (
        "cooperative_groups/memcpy_async.h",
        &["cooperative_groups.h", "__async_copy"],
        include_str!("headers/cooperative_groups_memcpy_async.cuh"),
    ),
    (
        "__thread_scope",
        &[],
        "namespace cuda { enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, \
         thread_scope_thread }; }",
    ),
    (
        MEMORY_ORDER,
        &[],
        include_str!("headers/cuda/memory_order.cuh"),
    ),
    (
        "cuda/atomic",
        &["__thread_scope", MEMORY_ORDER],
        include_str!("headers/cuda/atomic.cuh"),
    ),
    ("cuda/std/atomic", &["cuda/atomic"], ""),
    (
        "cuda/barrier",
        &["__async_copy", "__thread_scope"],
        include_str!("headers/cuda/barrier.cuh"),
    ),
    (
        "cuda/pipeline",
        &["cuda/barrier"],
        include_str!("headers/cuda/pipeline.cuh"),
    ),
    ("mma.h", &["cuda_bf16.h"], include_str!("headers/mma.cuh")),
];

/// Headers that add nothing to a text.
pub fn empty() -> impl Iterator<Item = &'static str> {
    ACCEPTED.into_iter().chain(OF_HOST)
}

/// Whether a header is for code of the host only.
pub fn is_host_header(name: &str) -> bool {
    // Thrust's algorithms are called by the host, whose code is left out.
    OF_HOST.contains(&name) || name.starts_with("thrust/")
}

/// Whether a header is known by name, if only to be refused.
pub fn is_known(name: &str) -> bool {
    let is_listed = ACCEPTED.contains(&name) || is_host_header(name);
    let is_written = WRITTEN.iter().any(|written| written.0 == name);
    is_listed || is_written
}

/// What `#include <name>` adds to the text: the texts of headers, each after those that it needs.
/// None where what the header declares is built in. An error where the header is not known.
pub fn texts(name: &str, span: Span) -> Result<Vec<(&'static str, &'static str)>, Diagnostic> {
    if ACCEPTED.contains(&name) || is_host_header(name) {
        return Ok(Vec::new());
    }
    let Some((name, needed, text)) = WRITTEN.iter().find(|written| written.0 == name) else {
        return Err(refusal(name, span));
    };
    // What a header needs stands before it, as if it had included that itself.
    let mut all = Vec::new();
    for needed in *needed {
        all.extend(texts(needed, span)?);
    }
    all.push((*name, *text));
    Ok(all)
}

fn refusal(name: &str, span: Span) -> Diagnostic {
    let warning = Diagnostic::warning(span, format!("the header `{name}` was not found"))
        .note("what it declares is missing; that is an error only where a kernel needs it");
    let written = WRITTEN.iter().map(|written| written.0);
    // Headers for the host are no guesses: here something is missed that a kernel may need.
    match nearest(name, ACCEPTED.into_iter().chain(written)).first() {
        Some(near) => warning.help(format!("did you mean `{near}`?")),
        None => warning.help(where_read(name)),
    }
}

/// Which folders headers are read from, and how a header of another one is.
fn where_read(name: &str) -> String {
    let read = "headers are read beside the file, and from folders given with `-I`";
    match name.rsplit_once('/') {
        // A text that somebody sends must not read files elsewhere, so what lies outside has to be allowed.
        Some((folder, _)) if name.starts_with('/') || folder.contains("..") => {
            format!(
                "it lies outside of the file's folder: `-I` and that folder, `{folder}` from there, allows it"
            )
        }
        _ => read.to_owned(),
    }
}
