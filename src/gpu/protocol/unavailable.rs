//! Why there is no real GPU to run on, and what to do about it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::startup::Startup;

/// The oldest driver that works: the first one for CUDA 12.0 (CUDA 12.0 release notes, table 3), whose
/// functions are called and whose PTX, ISA 8.0, comes with the program (PTX ISA manual, release notes).
pub(crate) const LEAST_DRIVER: &str = "525";

/// What is missing, or too old; it says what is wrong as a sentence without its full stop.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unavailable {
    /// The driver's library is not there.
    #[error("there is no NVIDIA driver: libcuda.so.1 was not found")]
    NoDriver,
    /// A toolkit's stand-in was loaded in place of the driver's library.
    #[error("the libcuda that was loaded is a toolkit's stub, not a driver")]
    StubDriver,
    /// The driver was not willing: its name of the error.
    #[error("the NVIDIA driver does not start: {0}")]
    DriverFailed(String),
    /// The driver finds no GPU; what `CUDA_VISIBLE_DEVICES` says.
    #[error("the NVIDIA driver finds no GPU{}", visible(.0.as_deref()))]
    NoGpu(Option<String>),
    /// The driver lacks this function.
    #[error("the NVIDIA driver is too old: it has no `{0}`")]
    OldDriver(String),
    /// NVRTC was not found.
    #[error("NVRTC, which compiles kernels, was not found in {places}")]
    NoNvrtc {
        /// Where it was looked for.
        places: String,
    },
    /// It was found, but does not load or is something else.
    #[error("{} is not a usable NVRTC: {why}", path.display())]
    NvrtcBroken {
        /// Its file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// It makes code that the driver refuses.
    #[error(
        "{} is NVRTC {}.{}, but the driver takes code of CUDA {most_major} at most",
        path.display(), version.0, version.1
    )]
    NvrtcTooNew {
        /// Its file.
        path: PathBuf,
        /// Its version.
        version: (i32, i32),
        /// The latest that the driver takes.
        most_major: i32,
    },
    /// A step of its start did not return, and was given up.
    #[error("{} did not return within {} s", .0.subject(), .0.limit().as_secs())]
    Hangs(Startup),
    /// The worker process did not start or answer.
    #[error("the GPU's worker process failed: {0}")]
    Worker(String),
}

impl Unavailable {
    /// What to try.
    pub fn help(&self) -> &'static str {
        match self {
            Unavailable::NoDriver => {
                "install NVIDIA's driver (under WSL: the one of Windows), or use --engine sim"
            }
            Unavailable::StubDriver => {
                "take the toolkit's `stubs` folder out of LD_LIBRARY_PATH, or use --engine sim"
            }
            Unavailable::DriverFailed(_) => {
                "see whether `nvidia-smi` works; after an update of the driver the machine may want a restart"
            }
            Unavailable::NoGpu(_) => {
                "see what `nvidia-smi -L` and CUDA_VISIBLE_DEVICES say, or use --engine sim"
            }
            Unavailable::OldDriver(_) => "install a driver of version 525 or later",
            Unavailable::NoNvrtc { .. } => {
                "install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc`, or name its file in TUTOR_NVRTC"
            }
            Unavailable::NvrtcBroken { .. } => {
                "name another file in TUTOR_NVRTC, or `pip install nvidia-cuda-nvrtc`"
            }
            Unavailable::NvrtcTooNew { .. } => {
                "update the driver, or `pip install nvidia-cuda-nvrtc-cu12`"
            }
            Unavailable::Hangs(_) => {
                "see whether `nvidia-smi` answers: the driver may be stuck, or slow to wake; or use --engine sim"
            }
            Unavailable::Worker(_) => "run it again; if it fails again, use --engine sim",
        }
    }
}

/// `CUDA_VISIBLE_DEVICES` may hide every GPU.
fn visible(devices: Option<&str>) -> String {
    devices.map_or_else(String::new, |devices| {
        format!(": CUDA_VISIBLE_DEVICES is `{devices}`")
    })
}
