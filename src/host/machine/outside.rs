//! What a run reaches beyond itself: input and output, libraries, whoever waits for it.

use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::host::device::{Device, KernelLaunch};

use super::state::{Call, Machine};
use super::stop::Stop;

/// A function of the C library.
pub type Native = fn(&mut Machine<'_>, &Call<'_>) -> Result<u64, Stop>;

/// Input and output.
pub trait Io {
    /// Writes to standard output.
    fn output(&mut self, bytes: &[u8]);

    /// Writes to standard error.
    fn error(&mut self, bytes: &[u8]);

    /// Reads from standard input; how many bytes, 0 at its end.
    fn input(&mut self, bytes: &mut [u8]) -> usize;

    /// What a file holds, if the program may read it.
    fn file(&mut self, path: &str) -> Option<Vec<u8>>;
}

/// Functions beside those of the C library, with what they keep between calls: CUDA's runtime.
pub trait Library {
    /// The number of a function.
    fn find(&self, name: &str) -> Option<u32>;

    /// Calls a function; what it returns as a slot holds it.
    ///
    /// # Errors
    /// Why the program cannot go on.
    fn call(
        &mut self,
        function: u32,
        machine: &mut Machine<'_>,
        call: &Call<'_>,
    ) -> Result<u64, Stop>;

    /// Launches a kernel to a stream.
    ///
    /// # Errors
    /// Why the program cannot go on; what CUDA reports is no reason.
    fn launch(
        &mut self,
        machine: &mut Machine<'_>,
        launch: KernelLaunch,
        stream: u64,
    ) -> Result<(), Stop>;

    /// The program has ended by itself.
    ///
    /// # Errors
    /// Why that is no good end.
    fn end(&mut self, machine: &mut Machine<'_>) -> Result<(), Stop>;

    /// What is known of an address of the GPU that the host must not use.
    fn describe(&self, address: u64) -> Option<String>;
}

/// No functions beside the C library's.
pub struct NoLibrary;

impl Library for NoLibrary {
    fn find(&self, _name: &str) -> Option<u32> {
        None
    }

    fn call(
        &mut self,
        _function: u32,
        _machine: &mut Machine<'_>,
        _call: &Call<'_>,
    ) -> Result<u64, Stop> {
        Ok(0)
    }

    fn launch(
        &mut self,
        machine: &mut Machine<'_>,
        launch: KernelLaunch,
        _stream: u64,
    ) -> Result<(), Stop> {
        machine.memory.device.launch(&launch);
        Ok(())
    }

    fn end(&mut self, _machine: &mut Machine<'_>) -> Result<(), Stop> {
        Ok(())
    }

    fn describe(&self, _address: u64) -> Option<String> {
        None
    }
}

/// What a machine is given.
pub struct Setup<'a> {
    /// Input and output.
    pub io: Box<dyn Io + 'a>,
    /// The GPU.
    pub device: Box<dyn Device + 'a>,
    /// Functions beside those of the C library.
    pub library: Box<dyn Library + 'a>,
    /// Set by whoever waits no more.
    pub cancel: &'a AtomicBool,
    /// How many jumps and calls were made, told now and then.
    pub progress: &'a AtomicU64,
}
