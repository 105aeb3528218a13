//! Functions that give a text about an error, or an address. They need nothing of the runtime, so that functions that a stream calls
//! may use them.

use super::facts::errors::{self, Code};
use super::memory::managed_address;
use super::numeric_libraries::cublas_service::{status_name, status_text};
use crate::host::machine::{Call, Machine, Native, Stop};

/// What the machine keeps the errors under that were asked about.
const ASKED: &str = "errors of CUDA";

/// The function called `name`.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "cudaGetErrorString" => error_string,
        "cudaGetErrorName" => error_name,
        "cublasGetStatusString" => blas_string,
        "cublasGetStatusName" => blas_name,
        "__managed_address" => managed_address,
        _ => return None,
    })
}

/// The errors about which the program has asked since the last time.
pub fn asked(machine: &mut Machine<'_>) -> Vec<Code> {
    std::mem::take(machine.library_state::<Vec<Code>>(ASKED))
}

fn told(machine: &mut Machine<'_>, call: &Call<'_>, text: fn(Code) -> &'static str) -> u64 {
    let code = call.u64(0) as Code;
    let known = machine.library_state::<Vec<Code>>(ASKED);
    if !known.contains(&code) {
        known.push(code);
    }
    machine.lasting_text(text(code).as_bytes())
}

fn error_string(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<u64, Stop> {
    Ok(told(machine, call, errors::text))
}

fn error_name(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<u64, Stop> {
    Ok(told(machine, call, errors::name))
}

fn blas_string(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<u64, Stop> {
    Ok(machine.lasting_text(status_text(call.u64(0) as u32).as_bytes()))
}

fn blas_name(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<u64, Stop> {
    Ok(machine.lasting_text(status_name(call.u64(0) as u32).as_bytes()))
}
