//! Headers, known by name: what they declare is built in.

use crate::source::{Diagnostic, Span, nearest};

const ACCEPTED: [&str; 36] = [
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
    "cuda_bf16.h",
    "cuda_fp16.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "float.h",
    "limits",
    "limits.h",
    "math.h",
    "math_constants.h",
    "sm_30_intrinsics.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "vector_functions.h",
    "vector_types.h",
];

/// What is said of `#include <name>`, or nothing where the header is known.
pub fn refusal(name: &str, span: Span) -> Option<Diagnostic> {
    if ACCEPTED.contains(&name) {
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
