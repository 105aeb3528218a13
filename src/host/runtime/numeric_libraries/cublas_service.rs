//! cuBLAS beside its arithmetic: handles, copies of vectors and matrices between both sides, and what a status means.

use crate::host::machine::{Call, Machine};
use crate::host::runtime::carry_out::{read, write};
use crate::host::runtime::facts::errors::SUCCESS;
use crate::host::runtime::state::{Answer, Runtime, put_i32, put_u64};

const VERSION: i32 = 130_000;

pub fn create(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let handle = runtime.streams.new_handle();
    put_u64(machine, call, 0, handle)
}

pub fn set_stream(runtime: &mut Runtime, _: &mut Machine, call: &Call) -> Answer {
    runtime.cublas_stream = call.u64(1);
    Ok(SUCCESS)
}

pub fn get_stream(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    put_u64(machine, call, 1, runtime.cublas_stream)
}

pub fn get_version(_: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    put_i32(machine, call, 1, VERSION)
}

/// `cublasSetVector` and `cublasGetVector`: n, the size of an element, from with its step, to with its step.
pub fn move_vector(_: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let (n, size) = (call.u64(0) as u32 as u64, call.u64(1) as u32 as u64);
    let (from_step, to_step) = (call.u64(3) as u32 as u64, call.u64(5) as u32 as u64);
    for i in 0..n {
        let bytes = read(
            machine,
            call.u64(2)
                .wrapping_add(i.wrapping_mul(from_step).wrapping_mul(size)),
            size,
        )?;
        write(
            machine,
            call.u64(4)
                .wrapping_add(i.wrapping_mul(to_step).wrapping_mul(size)),
            &bytes,
        )?;
    }
    Ok(SUCCESS)
}

/// `cublasSetMatrix` and `cublasGetMatrix`: rows, columns, the size of an element, from with its leading dimension, to.
pub fn move_matrix(_: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let number = |at: usize| call.u64(at) as u32 as u64;
    let (rows, columns, size) = (number(0), number(1), number(2));
    for column in 0..columns {
        let bytes = read(
            machine,
            call.u64(3)
                .wrapping_add(column.wrapping_mul(number(4)).wrapping_mul(size)),
            rows * size,
        )?;
        write(
            machine,
            call.u64(5)
                .wrapping_add(column.wrapping_mul(number(6)).wrapping_mul(size)),
            &bytes,
        )?;
    }
    Ok(SUCCESS)
}

/// The name of a status.
pub fn status_name(status: u32) -> &'static str {
    match status {
        0 => "CUBLAS_STATUS_SUCCESS",
        1 => "CUBLAS_STATUS_NOT_INITIALIZED",
        3 => "CUBLAS_STATUS_ALLOC_FAILED",
        7 => "CUBLAS_STATUS_INVALID_VALUE",
        8 => "CUBLAS_STATUS_ARCH_MISMATCH",
        11 => "CUBLAS_STATUS_MAPPING_ERROR",
        13 => "CUBLAS_STATUS_EXECUTION_FAILED",
        14 => "CUBLAS_STATUS_INTERNAL_ERROR",
        15 => "CUBLAS_STATUS_NOT_SUPPORTED",
        16 => "CUBLAS_STATUS_LICENSE_ERROR",
        _ => "CUBLAS_STATUS_UNKNOWN",
    }
}

/// What a status means.
pub fn status_text(status: u32) -> &'static str {
    match status {
        0 => "success",
        1 => "the library was not initialized",
        3 => "the resource allocation failed",
        7 => "an unsupported value or parameter was passed to the function",
        8 => "the function requires an architectural feature absent from the device architecture",
        11 => "an access to GPU memory space failed",
        13 => "the GPU program failed to execute",
        14 => "an internal operation failed",
        15 => "the functionality requested is not supported",
        16 => {
            "the functionality requested requires some license and an error was detected when trying to check the current licensing"
        }
        _ => "unknown",
    }
}
