//! Names that CUDA knows and this does not: what is said of them, and what to use instead.

/// The whole name of what stands in the namespace of cooperative groups begins with this.
const GROUPS: &str = "cooperative_groups::";

/// A function of warps as it was before it took a mask, and as it is now.
pub fn with_mask(name: &str) -> Option<&'static str> {
    Some(match name {
        "__shfl" => "__shfl_sync",
        "__shfl_up" => "__shfl_up_sync",
        "__shfl_down" => "__shfl_down_sync",
        "__shfl_xor" => "__shfl_xor_sync",
        "__any" => "__any_sync",
        "__all" => "__all_sync",
        "__ballot" => "__ballot_sync",
        _ => return None,
    })
}

/// What is said of a name, and what to use instead; nothing of a name that CUDA does not know either.
pub fn refused(name: &str) -> Option<(String, &'static str)> {
    if let Some(instruction) = name.strip_prefix("__ptx::") {
        return Some((refused_ptx(instruction), "use CUDA's intrinsics"));
    }
    let of_groups = name.strip_prefix(GROUPS);
    if let Some((what, help)) = group(of_groups.unwrap_or(name)) {
        return Some((what.to_owned(), help));
    }
    if let Some(plain) = of_groups {
        return Some(missing_header(plain));
    }
    let help = match name {
        "cudaDeviceSynchronize" => {
            return Some((
                "kernels cannot wait for what they launch: CUDA 12 has no `cudaDeviceSynchronize` for them".to_owned(),
                "launch what comes after it into `cudaStreamTailLaunch`: it runs when the grid and its children have ended",
            ));
        }
        "globaltimer" => "use `clock64`, or time the launch from outside",
        _ if name.starts_with("cuda::") => {
            "use `__syncthreads`, and `atomicAdd` and its kin, in place of objects"
        }
        _ if name.starts_with("__half") || name.starts_with("__float2half") => {
            "convert with `__float2half` and `__half2float`"
        }
        _ if name.starts_with("atomic") => "use `atomicAdd`, or loop over `atomicCAS`",
        "erfinvf" | "erfcinvf" | "erfcxf" | "normcdfinvf" | "erfinv" | "j0f" | "j1f" | "y0f"
        | "y1f" | "nextafterf" | "logbf" | "ilogbf" | "norm3df" | "norm4df" | "rhypotf"
        | "__fmaf_rz" | "__fadd_rz" | "__fmul_rz" | "__dp2a_lo" | "__dp2a_hi" => {
            "compute it from the functions that are: `expf`, `logf`, `sqrtf`, `sinf` and so on"
        }
        _ => return None,
    };
    Some((format!("`{name}` is not supported yet"), help))
}

/// What is said of inline PTX, by the name that stands for it in the text made of it.
fn refused_ptx(name: &str) -> String {
    let what = match name.strip_prefix("refused_") {
        Some(what) => format!("`{what}` in inline PTX"),
        None => format!("the PTX instruction `{}`", name.replace('_', ".")),
    };
    format!("{what} is not supported yet")
}

/// What is said of a part of cooperative groups. The names with `__` are what the headers here call
/// where they stand for something that is not supported.
fn group(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "__split_barrier" => (
            "barriers in two halves are not supported yet",
            "call `sync()`",
        ),
        "cluster_group" | "this_cluster" => (
            "thread block clusters are not supported yet",
            "use one block, or pass results through global memory",
        ),
        "multi_grid_group" | "this_multi_grid" => (
            "grids over several GPUs are not supported",
            "launch a kernel on each",
        ),
        _ => return None,
    })
}

/// What is said of another part of cooperative groups: its header may be missing.
fn missing_header(name: &str) -> (String, &'static str) {
    match name {
        "reduce" | "plus" | "less" | "greater" | "bit_and" | "bit_or" | "bit_xor" => (
            format!("`{name}` of cooperative groups has a header of its own"),
            "write `#include <cooperative_groups/reduce.h>` at the top",
        ),
        "inclusive_scan" | "exclusive_scan" => (
            format!("`{name}` of cooperative groups has a header of its own"),
            "write `#include <cooperative_groups/scan.h>` at the top",
        ),
        "memcpy_async" | "wait" | "wait_prior" => (
            format!("`{name}` of cooperative groups has a header of its own"),
            "write `#include <cooperative_groups/memcpy_async.h>` at the top",
        ),
        _ => (
            format!("cooperative groups have no `{name}` here"),
            "write `#include <cooperative_groups.h>` at the top, if it is not there",
        ),
    }
}

/// How names of libraries begin that are not simulated, and what these are.
const LIBRARIES: [(&str, &str); 18] = [
    (
        "cufftXt",
        "cuFFT's extended interface (several GPUs, callbacks)",
    ),
    (
        "cudaLibXt",
        "cuFFT's extended interface (several GPUs, callbacks)",
    ),
    ("cusolver", "cuSOLVER (linear systems and eigenvalues)"),
    ("cusparse", "cuSPARSE (sparse matrices)"),
    ("cudnn", "cuDNN (layers of neural networks)"),
    ("nccl", "NCCL (exchange between GPUs)"),
    ("nvml", "NVML (the driver's view of a GPU)"),
    ("nvrtc", "NVRTC (compiling at run time)"),
    ("cudaGraphicsGL", "OpenGL (drawing)"),
    ("cudaGLSet", "OpenGL (drawing)"),
    ("glut", "GLUT (windows of OpenGL)"),
    ("GLuint", "OpenGL (drawing)"),
    ("GLubyte", "OpenGL (drawing)"),
    ("GLfloat", "OpenGL (drawing)"),
    ("cv::", "OpenCV (images)"),
    ("torch::", "PyTorch"),
    ("at::", "PyTorch"),
    ("MPI_", "MPI (exchange between processes)"),
];

/// What a name of a library that is not simulated belongs to, by how it begins, and what to do instead.
pub fn refused_library(name: &str) -> Option<(String, &'static str)> {
    let texture_references = ["cudaBindTexture", "cudaUnbindTexture", "textureReference"];
    let is_reference =
        name == "texture" || texture_references.iter().any(|of| name.starts_with(of));
    if is_reference {
        return Some((
            format!(
                "`{name}` belongs to texture references, which CUDA 12 has removed: nvcc refuses them too"
            ),
            "make a texture object with `cudaCreateTextureObject`, and pass it to the kernel",
        ));
    }
    let (_, what) = LIBRARIES
        .iter()
        .find(|(begin, _)| name.starts_with(begin))?;
    Some((
        format!("`{name}` belongs to {what}, which is not simulated"),
        "put kernels of your own in its place, or leave it out with `#ifdef`",
    ))
}

/// Headers of the C++ library and what programs take from them, besides those that are named as what they declare.
const HEADERS: [(&str, &[&str]); 10] = [
    ("iostream", &["cout", "cerr", "cin", "endl"]),
    ("string", &["to_string", "stoi", "stof", "stod", "getline"]),
    ("fstream", &["ifstream", "ofstream"]),
    (
        "sstream",
        &["stringstream", "ostringstream", "istringstream"],
    ),
    ("iomanip", &["setw", "setprecision", "setfill"]),
    (
        "memory",
        &["unique_ptr", "shared_ptr", "make_unique", "make_shared"],
    ),
    (
        "numeric",
        &["accumulate", "iota", "inner_product", "partial_sum"],
    ),
    (
        "random",
        &[
            "mt19937",
            "random_device",
            "uniform_real_distribution",
            "uniform_int_distribution",
        ],
    ),
    (
        "stdexcept",
        &["runtime_error", "invalid_argument", "out_of_range"],
    ),
    (
        "algorithm",
        &[
            "sort",
            "fill",
            "generate",
            "copy",
            "transform",
            "find",
            "max_element",
            "min_element",
        ],
    ),
];

/// The header that a name of code of the host comes from, where its namespace is a library's.
pub fn header_of(name: &str) -> Option<String> {
    let (namespace, rest) = name.split_once("::")?;
    let first = rest.split("::").next()?;
    match namespace {
        "std" => {
            let found = HEADERS.iter().find(|(_, names)| names.contains(&first));
            Some(found.map_or(first, |(header, _)| header).to_owned())
        }
        "thrust" => Some(format!("thrust/{first}.h")),
        _ => None,
    }
}

/// What is said of names in namespaces that are known but not supported, and what to do instead.
pub fn refused_namespace(name: &str) -> Option<(&'static str, &'static str)> {
    let (namespace, _) = name.split_once("::")?;
    Some(match namespace {
        "std" => ("is for the host", "use arrays, and CUDA's own functions"),
        "thrust" => ("is for the host", "write a loop, or pass pointers"),
        "cub" => (
            "is not supported",
            "write it with shuffles and shared memory",
        ),
        "wmma" | "nvcuda" => (
            "is not known here",
            "write `#include <mma.h>` and `using namespace nvcuda;` at the top, if they are not there: \
             there are `fragment`, `fill_fragment`, `load_matrix_sync`, `mma_sync` and `store_matrix_sync`",
        ),
        "cute" | "cutlass" => ("is not supported", "write it out"),
        _ => return None,
    })
}
