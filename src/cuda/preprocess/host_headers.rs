//! Headers of code for the host, written out in CUDA C++: what `main` and the functions around it include.
//!
//! A text may define macros; those of the file that includes it do not reach into it. Functions that are declared
//! there and defined nowhere are the library's, which the host's interpreter knows by name.

use super::headers::{Header, header, is_host_header, is_known, lists, text, written};

/// What stands before every program, as with `nvcc`.
pub const FIRST: &str = "cuda_runtime.h";

/// The errors of the runtime: a line for each, with its number, and its text as a comment.
pub const RUNTIME_ERRORS: &str = text!("cuda/errors.cuh");

const HEADERS: &[Header] = &[
    header(
        "stdlib.h cstdlib stdio.h cstdio string.h cstring strings.h memory.h malloc.h alloca.h \
         time.h ctime stdarg.h cstdarg",
        "",
        text!("c/library.cuh"),
    ),
    header(
        "ctype.h cctype errno.h cerrno",
        "",
        text!("c/characters.cuh"),
    ),
    header(
        "unistd.h sys/time.h sys/resource.h getopt.h sys/types.h sys/stat.h sys/mman.h sys/utsname.h",
        "stdlib.h",
        text!("c/posix.cuh"),
    ),
    header("locale.h clocale", "stdlib.h", text!("c/locale.cuh")),
    header("pthread.h", "stdlib.h", text!("c/pthread.cuh")),
    header("crt/driver_errors.h", "", RUNTIME_ERRORS),
    header(
        "driver_types.h",
        "crt/driver_errors.h",
        text!("cuda/enumerations.cuh"),
    ),
    header(
        "texture_types.h surface_types.h",
        "",
        text!("cuda/texture_types.cuh"),
    ),
    header(
        "crt/host_runtime.h",
        "stdlib.h assert.h driver_types.h utility",
        text!("cuda/runtime.cuh"),
    ),
    header(
        "crt/device_runtime.h",
        "crt/host_runtime.h",
        text!("cuda/device_runtime.cuh"),
    ),
    header(
        "cuda_runtime.h cuda_runtime_api.h cuda_profiler_api.h channel_descriptor.h \
         cuda_texture_types.h cuda_surface_types.h texture_fetch_functions.h \
         texture_indirect_functions.h surface_functions.h surface_indirect_functions.h",
        "crt/host_runtime.h crt/device_runtime.h texture_types.h",
        text!("cuda/arrays.cuh"),
    ),
    header(
        "utility initializer_list exception new cstddef typeinfo",
        "",
        text!("std/utility.cuh"),
    ),
    header(
        "bits/stl_algobase.h",
        "utility",
        text!("std/base_algorithms.cuh"),
    ),
    header(
        "string stdexcept",
        "bits/stl_algobase.h",
        text!("std/string.cuh"),
    ),
    header(
        "iostream ostream istream ios iomanip sstream fstream",
        "string ctype.h",
        text!("std/streams.cuh"),
    ),
    header("string_view", "iostream", text!("std/string_view.cuh")),
    header("bitset", "iostream", text!("std/bitset.cuh")),
    header(
        "unordered_map unordered_set",
        "string iterator bits/functional.h",
        text!("std/hashed.cuh"),
    ),
    header("inttypes.h cinttypes", "stdlib.h", text!("c/integers.cuh")),
    header("numbers", "", text!("std/numbers.cuh")),
    header("iterator", "utility", text!("std/iterators.cuh")),
    header("vector array", "string iterator", text!("std/vector.cuh")),
    header("assert.h cassert", "", text!("c/assert.cuh")),
    header(
        "__samples",
        "stdio.h iostream vector algorithm assert.h",
        text!("cuda/samples.cuh"),
    ),
    header(
        "helper_cuda.h helper_functions.h helper_string.h helper_timer.h exception.h \
         helper_image.h",
        "__samples",
        text!("cuda/sample_files.cuh"),
    ),
    header(
        "helper_math.h cutil_math.h",
        "",
        text!("cuda/helper_math.cuh"),
    ),
    header("bits/random.h", "string limits", text!("std/random.cuh")),
    header(
        "algorithm numeric",
        "iterator bits/random.h bits/functional.h",
        text!("std/algorithm.cuh"),
    ),
    // libstdc++'s <random> includes <numeric> and <vector>.
    header("random", "numeric vector", ""),
    header(
        "bits/functional.h",
        "bits/stl_algobase.h",
        text!("std/functional.cuh"),
    ),
    // As libstdc++'s does from C++17 on.
    header(
        "functional",
        "bits/functional.h vector algorithm unordered_map memory",
        "",
    ),
    header("chrono ratio", "time.h", text!("std/chrono.cuh")),
    header(
        "memory optional tuple",
        "bits/stl_algobase.h",
        text!("std/memory.cuh"),
    ),
    header(
        "map set",
        "string iterator bits/functional.h memory",
        text!("std/maps.cuh"),
    ),
    header("variant", "utility", text!("std/variant.cuh")),
    header("span", "vector", text!("std/span.cuh")),
    header("bit", "stdlib.h", text!("std/bit.cuh")),
    header("any", "utility", text!("std/any.cuh")),
    header(
        "deque queue stack list",
        "vector algorithm bits/functional.h",
        text!("std/lists.cuh"),
    ),
    header(
        "bits/stdc++.h",
        "iostream vector algorithm map unordered_map bitset string_view deque memory functional \
         complex variant span any bit numbers thread assert.h",
        "",
    ),
    header(
        "cublas_v2.h cublas.h",
        "cuda_runtime.h cuComplex.h",
        text!("cuda/cublas.cuh"),
    ),
    header("cuComplex.h", "cuda_runtime.h", text!("cuda/complex.cuh")),
    header(
        "cufft.h cufftXt.h",
        "cuda_runtime.h cuComplex.h",
        text!("cuda/cufft.cuh"),
    ),
    header(
        "cublasLt.h",
        "cublas_v2.h string.h",
        text!("cuda/cublas_lt.cuh"),
    ),
    header(
        "cusparse.h cusparse_v2.h",
        "cublas_v2.h stdint.h",
        text!("cuda/cusparse.cuh"),
    ),
    header("complex", "iostream", text!("std/complex.cuh")),
    header("__memory_order", "", text!("cuda/memory_order.cuh")),
    header(
        "thread mutex atomic condition_variable future",
        "chrono bits/functional.h memory __memory_order",
        text!("std/threads.cuh"),
    ),
    header(
        "thrust/host_vector.h thrust/device_vector.h thrust/device_ptr.h thrust/reduce.h \
         thrust/sort.h thrust/transform.h thrust/transform_reduce.h thrust/scan.h thrust/copy.h \
         thrust/fill.h thrust/sequence.h thrust/functional.h thrust/for_each.h thrust/count.h \
         thrust/extrema.h thrust/execution_policy.h thrust/generate.h thrust/inner_product.h \
         thrust/remove.h thrust/unique.h thrust/find.h thrust/equal.h thrust/reverse.h \
         thrust/tuple.h thrust/pair.h thrust/device_malloc.h thrust/device_free.h \
         thrust/device_malloc_allocator.h thrust/random.h \
         thrust/random/linear_congruential_engine.h thrust/random/uniform_int_distribution.h \
         thrust/random/uniform_real_distribution.h thrust/binary_search.h \
         thrust/adjacent_difference.h thrust/gather.h thrust/scatter.h \
         thrust/system/cuda/execution_policy.h thrust/iterator/counting_iterator.h \
         thrust/iterator/constant_iterator.h thrust/iterator/transform_iterator.h \
         thrust/iterator/zip_iterator.h thrust/iterator/permutation_iterator.h \
         thrust/iterator/discard_iterator.h thrust/iterator/iterator_traits.h thrust/version.h \
         thrust/transform_scan.h thrust/partition.h thrust/merge.h thrust/set_operations.h thrust/logical.h \
         thrust/swap.h thrust/memory.h",
        "vector algorithm memory iostream functional cub/block.cuh",
        text!("cuda/thrust.cuh"),
    ),
    header(
        "thrust/universal_vector.h",
        "thrust/device_vector.h",
        text!("cuda/thrust_universal.cuh"),
    ),
    header(
        "thrust/complex.h",
        "iostream",
        text!("cuda/thrust_complex.cuh"),
    ),
    header(
        "cuda.h cudaProfiler.h",
        "cuda_runtime.h",
        text!("cuda/driver.cuh"),
    ),
    header(
        "cub/block.cuh",
        "cuda_runtime.h",
        text!("cuda/cub_block.cuh"),
    ),
    header(
        "cub/cub.cuh cub/block/block_reduce.cuh cub/block/block_scan.cuh \
         cub/block/block_load.cuh cub/block/block_store.cuh cub/block/block_radix_sort.cuh \
         cub/block/block_histogram.cuh cub/block/block_exchange.cuh cub/warp/warp_reduce.cuh \
         cub/warp/warp_scan.cuh cub/util_type.cuh cub/device/device_reduce.cuh \
         cub/device/device_scan.cuh cub/device/device_radix_sort.cuh cub/util_allocator.cuh \
         cub/device/device_select.cuh cub/device/device_histogram.cuh \
         cub/device/device_run_length_encode.cuh cub/util_debug.cuh",
        "cub/block.cuh",
        text!("cuda/cub_device.cuh"),
    ),
    header(
        "curand_states.h",
        "cuda_runtime.h",
        text!("cuda/curand_kernel.cuh"),
    ),
    header(
        "curand.h curand_kernel.h",
        "curand_states.h",
        text!("cuda/curand.cuh"),
    ),
    header(
        "omp.h nvToolsExt.h nvtx3/nvToolsExt.h nvToolsExtCuda.h",
        "stdlib.h",
        text!("c/tools.cuh"),
    ),
];

/// Whether a header is for code of the host only: what kernels need is none of it.
pub fn is_for_host(name: &str) -> bool {
    let is_here = HEADERS.iter().any(|header| lists(header.names, name));
    is_host_header(name) || (is_here && !is_known(name))
}

/// The texts that `#include <name>` stands for in a program, each under its first name and after those that it needs.
/// Nothing if no text has this name.
pub fn texts(name: &str) -> Option<Vec<(&'static str, &'static str)>> {
    written(HEADERS, name)
}
