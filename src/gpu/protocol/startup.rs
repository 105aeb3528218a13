//! How NVIDIA's software starts: the steps that may never return, and how long each is waited for.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A step of the start of NVIDIA's software that may never return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Startup {
    /// The process itself starts.
    #[default]
    Worker,
    /// The driver's library is being loaded, which runs its constructors.
    DriverLibrary,
    /// `cuInit`, and questions about the GPUs.
    Driver,
    /// NVRTC is being looked for and loaded.
    Compiler,
    /// cuBLAS and cuDNN are.
    BaselineLibraries,
}

impl Startup {
    /// How long the step may take. A driver that no other process uses takes seconds to wake the GPUs of a large
    /// machine; cuDNN has a gigabyte, which may come from a slow disk.
    pub fn limit(self) -> Duration {
        Duration::from_secs(match self {
            Startup::BaselineLibraries => 30,
            _ => 8,
        })
    }

    /// The step, as the subject of a sentence.
    pub fn subject(self) -> &'static str {
        match self {
            Startup::Worker => "the GPU's worker process",
            Startup::DriverLibrary => "loading the NVIDIA driver's library, libcuda.so.1,",
            Startup::Driver => "`cuInit` of the NVIDIA driver",
            Startup::Compiler => "loading NVRTC",
            Startup::BaselineLibraries => "loading cuBLAS or cuDNN",
        }
    }
}
