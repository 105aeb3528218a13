//! What goes wrong on a GPU, in words: what happened, and what to try.

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use super::nvrtc::{CompileError, Nvrtc};
use crate::gpu::protocol::{Failure, FoundGpu, Job, JobLaunch};
use crate::gpu::protocol::{LEAST_DRIVER, Unavailable};
use crate::launch::{CompileReport, InitError};

/// What to try where the simulated GPU can tell more.
const SIMULATE: &str =
    "run it with `--engine sim --check`: it names the line, the lane and the address";

/// The driver's own word for an error.
pub(crate) fn driver_says(error: DriverError) -> String {
    format!("the CUDA driver says {:?}", error.0)
}

/// An error without anything special to say.
pub(crate) fn of_driver(error: DriverError) -> Failure {
    failure(driver_says(error))
}

fn failure(message: String) -> Failure {
    Failure {
        message,
        ..Failure::default()
    }
}

/// An error of a launch, told by the driver when it was made or when it was waited for.
pub(crate) fn of_launch(
    job: &Job,
    index: usize,
    error: DriverError,
    report: Option<&CompileReport>,
) -> Failure {
    let launch = &job.launches[index];
    Failure {
        launch: Some(index),
        source: Some(launch.source),
        ..of_kernel(launch, error, report)
    }
}

/// The same of a launch on its own.
pub(crate) fn of_kernel(
    launch: &JobLaunch,
    error: DriverError,
    report: Option<&CompileReport>,
) -> Failure {
    let (what, help) = launch_error(error.0);
    let mut notes = vec![driver_says(error)];
    if let (CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, Some(report)) = (error.0, report) {
        let threads: u32 = launch.block.iter().product();
        let registers = report.registers;
        notes.push(format!(
            "{registers} registers per thread, {threads} threads per block"
        ));
    }
    Failure {
        notes,
        help: Some(help.to_owned()),
        driver_error: Some(error.0 as u32),
        ..failure(format!("`{}` {what}", launch.kernel))
    }
}

/// What a kernel did, and what to try. The meanings are those of `CUresult` in cuda.h.
fn launch_error(error: CUresult) -> (&'static str, &'static str) {
    use CUresult::*;
    match error {
        CUDA_ERROR_ILLEGAL_ADDRESS => ("accessed memory that belongs to no buffer", SIMULATE),
        CUDA_ERROR_MISALIGNED_ADDRESS => (
            "accessed an address that is not a multiple of the access size",
            SIMULATE,
        ),
        CUDA_ERROR_ASSERT => ("failed an assertion", SIMULATE),
        CUDA_ERROR_ILLEGAL_INSTRUCTION | CUDA_ERROR_LAUNCH_FAILED => {
            ("stopped itself (`__trap`) or faulted", SIMULATE)
        }
        CUDA_ERROR_HARDWARE_STACK_ERROR => ("overran its stack", SIMULATE),
        CUDA_ERROR_INVALID_ADDRESS_SPACE => ("used an address of another kind of memory", SIMULATE),
        CUDA_ERROR_INVALID_PC => ("jumped to an address without code", SIMULATE),
        CUDA_ERROR_LAUNCH_TIMEOUT => (
            "took longer than the system allows a GPU with a display",
            "give it less to do at a time",
        ),
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => (
            "needs more registers for a block than an SM has",
            "launch smaller blocks, or bound them with `__launch_bounds__`",
        ),
        CUDA_ERROR_INVALID_VALUE => (
            "cannot be launched like this",
            "check grid, block and shared memory against the limits of this GPU",
        ),
        // Buffers are there by now: local memory is given when a kernel is first launched.
        CUDA_ERROR_OUT_OF_MEMORY => (
            "found no memory for its stack or local memory",
            "use smaller local arrays, or fewer threads",
        ),
        _ => ("failed", SIMULATE),
    }
}

/// A text that NVRTC does not take.
pub(crate) fn of_compiler(nvrtc: &Nvrtc, source: usize, error: CompileError) -> Failure {
    let compiler = nvrtc.title();
    let (message, note) = match error {
        CompileError::Refused(log) => (format!("{compiler} does not compile this"), log),
        CompileError::Library(function, why) => {
            (format!("{compiler} failed"), format!("`{function}`: {why}"))
        }
    };
    Failure {
        source: Some(source),
        help: header_help(nvrtc.library.version.major, &note),
        notes: vec![note.trim_end().to_owned()],
        ..failure(message)
    }
}

/// What to do where a compiler's log says that a header of NVIDIA's is missing.
fn header_help(major: i32, log: &str) -> Option<String> {
    // `a.cu(1): error: could not open source file "cuda_fp16.h" (no directories in search list)`.
    let opened = log.split_once(" open source file \"")?.1;
    let is_nvidias = opened.starts_with("cuda_") || opened.starts_with("nv/");
    // The wheels of CUDA 13 have no suffix any more.
    let of = if major < 13 { "-cu12" } else { "" };
    is_nvidias.then(|| {
        format!(
            "NVIDIA's headers come with the CUDA toolkit, or \
             `pip install nvidia-cuda-runtime{of} nvidia-cuda-cccl{of}`"
        )
    })
}

/// Machine code that the driver does not take.
pub(crate) fn of_module(nvrtc: &Nvrtc, source: usize, error: DriverError) -> Failure {
    Failure {
        source: Some(source),
        notes: vec![driver_says(error)],
        help: Some("update the driver, or name another NVRTC in TUTOR_NVRTC".to_owned()),
        ..failure(format!(
            "the driver does not load what {} made",
            nvrtc.title()
        ))
    }
}

/// A text that only a compiler makes something of, where there is none.
pub(crate) fn of_no_compiler(source: usize, why: &Unavailable) -> Failure {
    let note = "kernels of the lessons come compiled; one of your own, one that was changed, and one \
                that is looked into (--verify-counts, --watch) need NVRTC";
    Failure {
        source: Some(source),
        notes: vec![note.to_owned()],
        help: Some(why.help().to_owned()),
        ..failure(why.to_string())
    }
}

/// A source that uses what GPUs of compute capability 9.0 have, on another one.
pub(crate) fn of_capability(source: usize, gpu: &FoundGpu) -> Failure {
    let (name, has) = (&gpu.name, &gpu.compute_capability);
    Failure {
        source: Some(source),
        notes: vec![format!("{name} has compute capability {has}")],
        help: Some("it takes an H100 or H200".to_owned()),
        ..failure("this kernel is for GPUs of compute capability 9.0".to_owned())
    }
}

/// PTX that comes with the program, and that the driver does not take.
pub(crate) fn of_ptx(source: usize, error: DriverError) -> Failure {
    let help = match error.0 {
        CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND => {
            "install the driver's libnvidia-ptxjitcompiler.so.1 (in a container: the capability \
             `compute`), or NVRTC: `pip install nvidia-cuda-nvrtc`"
                .to_owned()
        }
        _ => format!(
            "it wants a driver of version {LEAST_DRIVER} or later and a GPU of compute capability 7.5 \
             or later; with NVRTC it is not needed: `pip install nvidia-cuda-nvrtc`"
        ),
    };
    Failure {
        source: Some(source),
        notes: vec![driver_says(error)],
        help: Some(help),
        ..failure("the driver does not load the PTX that comes with the program".to_owned())
    }
}

/// Buffers that are larger than what the GPU has left; `no_room` says by how much.
pub(crate) fn of_memory(no_room: &str) -> Failure {
    Failure {
        help: Some("choose smaller sizes, or stop other programs on the GPU".to_owned()),
        ..failure(format!("the buffers {no_room}"))
    }
}

/// A buffer that cannot be filled.
pub(crate) fn of_buffer(name: &str, error: &InitError) -> Failure {
    failure(format!("buffer `{name}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_a_wheel_brings_are_named() {
        let log =
            |name: &str| format!("a.cu(1): error: could not open source file \"{name}\" (no…)");
        let help = header_help(12, &log("cuda_fp16.h")).expect("is NVIDIA's");
        assert!(
            help.contains("nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12"),
            "{help}"
        );
        let help = header_help(13, &log("nv/target")).expect("is NVIDIA's");
        assert!(
            help.contains("nvidia-cuda-runtime nvidia-cuda-cccl"),
            "{help}"
        );
        assert_eq!(header_help(13, &log("mine.h")), None);
        assert_eq!(header_help(13, "a.cu(1): error: this is not C++"), None);
    }
}
