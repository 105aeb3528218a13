//! Why there is no real GPU to run on, and what to do about it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The oldest driver that works: the first one for CUDA 12.0 (CUDA 12.0 release notes, table 3), whose
/// functions are called and whose PTX, ISA 8.0, comes with the program (PTX ISA manual, release notes).
pub(crate) const LEAST_DRIVER: &str = "525";

/// What is missing, or too old.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unavailable {
    /// The driver's library is not there.
    NoDriver,
    /// A toolkit's stand-in was loaded in place of the driver's library.
    StubDriver,
    /// The driver was not willing: its name of the error.
    DriverFailed(String),
    /// The driver finds no GPU; what `CUDA_VISIBLE_DEVICES` says.
    NoGpu(Option<String>),
    /// The driver lacks this function.
    OldDriver(String),
    /// NVRTC was not found.
    NoNvrtc {
        /// Where it was looked for.
        places: String,
    },
    /// It was found, but does not load or is something else.
    NvrtcBroken {
        /// Its file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// It makes code that the driver refuses.
    NvrtcTooNew {
        /// Its file.
        path: PathBuf,
        /// Its version.
        version: (i32, i32),
        /// The latest that the driver takes.
        most_major: i32,
    },
    /// The worker process did not start or answer.
    Worker(String),
}

impl Unavailable {
    /// What is wrong, as a sentence without its full stop.
    pub fn message(&self) -> String {
        match self {
            Unavailable::NoDriver => {
                "there is no NVIDIA driver: libcuda.so.1 was not found".to_owned()
            }
            Unavailable::StubDriver => {
                "the libcuda that was loaded is a toolkit's stub, not a driver".to_owned()
            }
            Unavailable::DriverFailed(name) => format!("the NVIDIA driver does not start: {name}"),
            Unavailable::NoGpu(None) => "the NVIDIA driver finds no GPU".to_owned(),
            Unavailable::NoGpu(Some(visible)) => {
                format!("the NVIDIA driver finds no GPU: CUDA_VISIBLE_DEVICES is `{visible}`")
            }
            Unavailable::OldDriver(function) => {
                format!("the NVIDIA driver is too old: it has no `{function}`")
            }
            Unavailable::NoNvrtc { places } => {
                format!("NVRTC, which compiles kernels, was not found in {places}")
            }
            Unavailable::NvrtcBroken { path, why } => {
                format!("{} is not a usable NVRTC: {why}", path.display())
            }
            Unavailable::NvrtcTooNew {
                path,
                version: (major, minor),
                most_major,
            } => format!(
                "{} is NVRTC {major}.{minor}, but the driver takes code of CUDA {most_major} at most",
                path.display()
            ),
            Unavailable::Worker(why) => format!("the GPU's worker process failed: {why}"),
        }
    }

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
            Unavailable::Worker(_) => "run it again; if it fails again, use --engine sim",
        }
    }
}
