//! The errors of CUDA's runtime: their numbers, names and texts, as CUDA 13.0 gives them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::cuda::RUNTIME_ERRORS;

/// An error as a number: 0 is none.
pub type Code = u32;

/// No error.
pub const SUCCESS: Code = 0;
/// `cudaErrorInvalidValue`.
pub const INVALID_VALUE: Code = 1;
/// `cudaErrorMemoryAllocation`.
pub const MEMORY_ALLOCATION: Code = 2;
/// `cudaErrorInvalidPitchValue`.
pub const INVALID_PITCH: Code = 12;
/// `cudaErrorInvalidSymbol`.
pub const INVALID_SYMBOL: Code = 13;
/// `cudaErrorInvalidMemcpyDirection`.
pub const INVALID_DIRECTION: Code = 21;
/// `cudaErrorDevicesUnavailable`: what there is after a fault, even behind `cudaDeviceReset`.
pub const DEVICES_UNAVAILABLE: Code = 46;
/// `cudaErrorMissingConfiguration`.
pub const MISSING_CONFIGURATION: Code = 52;
/// `cudaErrorInvalidDeviceFunction`.
pub const INVALID_DEVICE_FUNCTION: Code = 98;
/// `cudaErrorInvalidDevice`.
pub const INVALID_DEVICE: Code = 101;
/// `cudaErrorUnsupportedLimit`.
pub const UNSUPPORTED_LIMIT: Code = 215;
/// `cudaErrorPeerAccessUnsupported`.
pub const PEER_ACCESS_UNSUPPORTED: Code = 217;
/// `cudaErrorInvalidResourceHandle`.
pub const INVALID_HANDLE: Code = 400;
/// `cudaErrorIllegalState`.
pub const ILLEGAL_STATE: Code = 401;
/// `cudaErrorNotReady`.
pub const NOT_READY: Code = 600;
/// `cudaErrorIllegalAddress`.
pub const ILLEGAL_ADDRESS: Code = 700;
/// `cudaErrorLaunchTimeout`.
pub const LAUNCH_TIMEOUT: Code = 702;
/// `cudaErrorAssert`.
pub const ASSERT: Code = 710;
/// `cudaErrorHostMemoryNotRegistered`.
pub const HOST_MEMORY_ALREADY_REGISTERED: Code = 712;
pub const HOST_MEMORY_NOT_REGISTERED: Code = 713;
/// `cudaErrorMisalignedAddress`.
pub const MISALIGNED_ADDRESS: Code = 716;
/// `cudaErrorLaunchFailure`.
pub const LAUNCH_FAILURE: Code = 719;
/// `cudaErrorCooperativeLaunchTooLarge`.
pub const COOPERATIVE_LAUNCH_TOO_LARGE: Code = 720;
/// `cudaErrorStreamCaptureUnsupported`.
pub const CAPTURE_UNSUPPORTED: Code = 900;
/// `cudaErrorStreamCaptureInvalidated`.
pub const CAPTURE_INVALIDATED: Code = 901;
/// `cudaErrorGraphExecUpdateFailure`.
pub const GRAPH_EXEC_UPDATE_FAILURE: Code = 910;

/// What CUDA says of a number that is no error's.
const UNKNOWN: &str = "unrecognized error code";

/// Name and text of each error, as the header has them.
static ERRORS: LazyLock<BTreeMap<Code, (&str, &str)>> =
    LazyLock::new(|| RUNTIME_ERRORS.lines().filter_map(row).collect());

/// An error from its line: `cudaErrorInvalidValue = 1, // invalid argument`.
fn row(line: &'static str) -> Option<(Code, (&'static str, &'static str))> {
    let (enumerator, text) = line.trim().split_once(", // ")?;
    let (name, code) = enumerator.split_once(" = ")?;
    Some((code.parse().ok()?, (name, text)))
}

/// The name of an error, as in `cudaErrorInvalidValue`.
pub fn name(code: Code) -> &'static str {
    ERRORS.get(&code).map_or(UNKNOWN, |&(name, _)| name)
}

/// What it means, as in `invalid argument`.
pub fn text(code: Code) -> &'static str {
    ERRORS.get(&code).map_or(UNKNOWN, |&(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_names_and_texts_of_cuda() {
        assert_eq!(name(ILLEGAL_ADDRESS), "cudaErrorIllegalAddress");
        assert_eq!(text(SUCCESS), "no error");
        assert_eq!((name(11), text(-1_i32 as u32)), (UNKNOWN, UNKNOWN));
        assert_eq!(ERRORS.len(), 133);
    }
}
