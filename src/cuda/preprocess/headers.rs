//! Headers, known by name: what they declare is built in.

use crate::source::{Diagnostic, Span, nearest};

const ACCEPTED: [&str; 44] = [
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
    "cuda/std/cfloat",
    "cuda/std/climits",
    "cuda/std/cmath",
    "cuda/std/cstddef",
    "cuda/std/cstdint",
    "cuda/std/limits",
    "cuda/std/type_traits",
    "cuda/std/utility",
    "cuda_bf16.h",
    "cuda_fp16.h",
    "cuda_runtime.h",
    "cuda_fp16.hpp",
    "cuda_runtime_api.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "float.h",
    "limits",
    "limits.h",
    "math.h",
    "math_constants.h",
    "math_functions.h",
    "sm_20_intrinsics.h",
    "sm_30_intrinsics.h",
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
const OF_HOST: [&str; 60] = [
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
    "curand_kernel.h",
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
    "numeric",
    "nvToolsExt.h",
    "omp.h",
    "optional",
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
    "vector",
];

/// What is said of `#include <name>`, or nothing where the header is known.
pub fn refusal(name: &str, span: Span) -> Option<Diagnostic> {
    let known = ACCEPTED.contains(&name) || OF_HOST.contains(&name);
    if known || name.starts_with("thrust/") {
        return None;
    }
    let error = Diagnostic::error(span, format!("the header `{name}` is not known here"))
        .note("headers are known by name, and what CUDA's own declare is built in");
    Some(match (name, nearest(name, ACCEPTED).first()) {
        (name, _) if name.starts_with("cooperative_groups") => {
            Diagnostic::error(span, "cooperative groups are not supported yet")
                .help("use `__syncthreads`, `__syncwarp` and the shuffles `__shfl_*_sync`")
        }
        (_, Some(near)) => error.help(format!("did you mean `{near}`?")),
        (_, None) => error.help("leave it out, and paste what the kernel needs from it"),
    })
}
