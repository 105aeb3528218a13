//! Headers, known by name: what they declare is built in, or written out in CUDA C++.

use crate::source::{Diagnostic, Span, nearest};

// What these declare is built in: `#include <math.h>` adds no text at all.
const ACCEPTED: &str = "assert.h cassert cfloat climits cmath cstddef cstdint cstdio cstdlib cstring cuda.h \
     cuda_device_runtime_api.h cuda/std/cfloat cuda/std/climits cuda/std/cmath cuda/std/cstddef \
     cuda/std/cstdint cuda/std/limits cuda/std/type_traits cuda/std/utility cuda_runtime.h \
     cuda_runtime_api.h device_functions.h device_launch_parameters.h float.h limits limits.h \
     math.h math_constants.h math_functions.h sm_30_intrinsics.h sm_61_intrinsics.h stdbool.h \
     stddef.h stdint.h stdio.h stdlib.h string.h tuple type_traits utility vector_functions.h \
     vector_types.h";

/// Headers of code for the host, which is left out: the C++ library, and what CUDA's samples come
/// with.
const OF_HOST: &str = "algorithm any array atomic bitset cassert cctype cerrno cfenv chrono cinttypes complex \
     condition_variable csignal ctime ctype.h cublas_v2.h cuda_profiler_api.h curand.h \
     cusparse.h deque errno.h exception filesystem fstream functional helper_cuda.h \
     helper_functions.h helper_timer.h initializer_list inttypes.h iomanip ios iostream \
     iterator list map memory mutex new numbers numeric nvToolsExt.h omp.h optional pthread.h \
     queue random set span sstream stdexcept string string_view sys/time.h thread time.h \
     typeinfo unistd.h unordered_map variant vector";

/// A text of declarations, under each name by which it is included. Names are separated by blanks.
pub struct Header {
    pub names: &'static str,
    /// Names of texts that stand before this one, as if it had included them itself.
    pub needs: &'static str,
    pub text: &'static str,
}

pub const fn header(names: &'static str, needs: &'static str, text: &'static str) -> Header {
    Header { names, needs, text }
}

/// A file under `headers`.
macro_rules! text {
    ($path:literal) => {
        include_str!(concat!("headers/", $path))
    };
}
pub(crate) use text;

/// The texts that `#include <name>` stands for in `table`, each under its first name and after those that it needs.
/// Nothing if no text has this name.
pub fn written(table: &[Header], name: &str) -> Option<Vec<(&'static str, &'static str)>> {
    let found = table.iter().find(|header| lists(header.names, name))?;
    let needed = found.needs.split_whitespace();
    let needed = needed.filter_map(|needed| written(table, needed));
    let mut all: Vec<_> = needed.flatten().collect();
    all.push((found.names.split_whitespace().next()?, found.text));
    Some(all)
}

/// Whether `name` is one of `names`, which are separated by blanks.
pub fn lists(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|listed| listed == name)
}

/// Headers whose declarations are written out for kernels.
const WRITTEN: &[Header] = &[
    header(
        "helper_math.h cutil_math.h",
        "",
        text!("cuda/helper_math.cuh"),
    ),
    header("cuComplex.h", "", text!("cuda/complex.cuh")),
    header(
        "cufft.h cufftXt.h",
        "cuComplex.h",
        "typedef float cufftReal; typedef double cufftDoubleReal; typedef cuComplex cufftComplex; \
         typedef cuDoubleComplex cufftDoubleComplex;",
    ),
    header(
        "cub/cub.cuh cub/block/block_reduce.cuh cub/block/block_scan.cuh \
         cub/block/block_load.cuh cub/block/block_store.cuh cub/block/block_radix_sort.cuh \
         cub/block/block_histogram.cuh cub/block/block_exchange.cuh cub/warp/warp_reduce.cuh \
         cub/warp/warp_scan.cuh cub/util_type.cuh",
        "",
        text!("cuda/cub_block.cuh"),
    ),
    header("curand_kernel.h", "", text!("cuda/curand_kernel.cuh")),
    header("cuda_fp16.h cuda_bf16.h", "", text!("cuda_fp16.cuh")),
    header("cuda_fp8.h", "cuda_bf16.h", text!("cuda_fp8.cuh")),
    header("cooperative_groups.h", "", text!("cooperative_groups.cuh")),
    header(
        "cooperative_groups/reduce.h",
        "cooperative_groups.h",
        text!("cooperative_groups_reduce.cuh"),
    ),
    header(
        "cooperative_groups/scan.h",
        "cooperative_groups/reduce.h",
        text!("cooperative_groups_scan.cuh"),
    ),
    header("__async_copy", "", text!("cuda/async_copy.cuh")),
    header(
        "cuda_pipeline_primitives.h cuda_pipeline.h",
        "__async_copy",
        text!("cuda/pipeline_primitives.cuh"),
    ),
    header(
        "cooperative_groups/memcpy_async.h",
        "cooperative_groups.h __async_copy",
        text!("cooperative_groups_memcpy_async.cuh"),
    ),
    header(
        "__thread_scope",
        "",
        "namespace cuda { enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, \
         thread_scope_thread }; }",
    ),
    header("__memory_order", "", text!("cuda/memory_order.cuh")),
    header(
        "cuda/atomic cuda/std/atomic",
        "__thread_scope __memory_order",
        text!("cuda/atomic.cuh"),
    ),
    header(
        "cuda/barrier",
        "__async_copy __thread_scope",
        text!("cuda/barrier.cuh"),
    ),
    header("cuda/pipeline", "cuda/barrier", text!("cuda/pipeline.cuh")),
    header("mma.h", "cuda_bf16.h", text!("mma.cuh")),
];

/// Headers that add nothing to a text.
pub fn empty() -> impl Iterator<Item = &'static str> {
    let accepted = ACCEPTED.split_whitespace();
    accepted.chain(OF_HOST.split_whitespace())
}

/// Whether a header is for code of the host only.
pub fn is_host_header(name: &str) -> bool {
    // Thrust's algorithms are called by the host, whose code is left out.
    lists(OF_HOST, name) || name.starts_with("thrust/")
}

/// CUB's headers for what a block or a warp does together, without those that launch kernels.
pub fn of_cub_in_kernels() -> impl Iterator<Item = &'static str> {
    let names = WRITTEN
        .iter()
        .flat_map(|header| header.names.split_whitespace());
    names.filter(|name| name.starts_with("cub/block/") || name.starts_with("cub/warp/"))
}

/// Whether a header is known by name, if only to be refused.
pub fn is_known(name: &str) -> bool {
    let is_written = WRITTEN.iter().any(|header| lists(header.names, name));
    lists(ACCEPTED, name) || is_host_header(name) || is_written
}

/// What `#include <name>` adds to the text: the texts of headers, each after those that it needs.
/// None where what the header declares is built in. An error where the header is not known.
pub fn texts(name: &str, span: Span) -> Result<Vec<(&'static str, &'static str)>, Diagnostic> {
    if lists(ACCEPTED, name) || is_host_header(name) {
        return Ok(Vec::new());
    }
    written(WRITTEN, name).ok_or_else(|| refusal(name, span))
}

fn refusal(name: &str, span: Span) -> Diagnostic {
    let warning = Diagnostic::warning(span, format!("the header `{name}` was not found"))
        .note("what it declares is missing; that is an error only where a kernel needs it");
    let written = WRITTEN
        .iter()
        .flat_map(|header| header.names.split_whitespace());
    // Headers for the host are no guesses: here something is missed that a kernel may need.
    match nearest(name, ACCEPTED.split_whitespace().chain(written)).first() {
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
