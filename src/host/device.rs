//! The GPU as code of the host knows it: its memory, the variables of the program that lie there, and launches.
//! What simulates one, or drives a real one, implements it.

use crate::cuda::{FileVariableId, FunctionId};
use crate::device::Gpu;
use crate::launch::Dim3;
use crate::source::{Diagnostic, Span};

/// A GPU for one run of a program. Addresses are those of [`crate::ir`]: all from [`crate::ir::GLOBAL_STRIDE`] on.
pub trait Device {
    /// Which GPU it is.
    fn gpu(&self) -> &'static Gpu;

    /// A new buffer of so many bytes, all zero; nothing where there is no room for it.
    fn allocate(&mut self, name: &str, size_bytes: u64) -> Option<u64>;

    /// Takes a buffer away, which begins at `address`; whether there is one. Who uses it from then on is refused.
    fn free(&mut self, address: u64) -> bool;

    /// Where the buffer begins that `address` lies in or right behind, and its size.
    fn buffer_at(&self, address: u64) -> Option<(u64, u64)>;

    /// Where a variable in global or constant memory lies, and its size.
    fn symbol(&self, variable: FileVariableId) -> Option<(u64, u64)>;

    /// Bytes from `address` on; whether all of them lie in one buffer, without which nothing is read.
    fn read(&self, address: u64, bytes: &mut [u8]) -> bool;

    /// The same for who has the device alone, so that whole ranges can be copied at once.
    fn read_alone(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        self.read(address, bytes)
    }

    /// Writes bytes from `address` on; whether all of them lie in one buffer, without which nothing is written.
    fn write(&mut self, address: u64, bytes: &[u8]) -> bool;

    /// What is known of a kernel before it is launched.
    ///
    /// # Errors
    /// What the compiler does not take of it.
    fn kernel(&mut self, kernel: FunctionId) -> Result<KernelFacts, Box<Diagnostic>>;

    /// Runs a kernel to its end.
    fn launch(&mut self, launch: &KernelLaunch) -> LaunchEnd;
}

/// A launch, checked by nobody.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelLaunch {
    /// Which kernel.
    pub kernel: FunctionId,
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Dynamic shared memory of a block.
    pub shared_bytes: u64,
    /// All arguments as a kernel finds them: each at the next multiple of its type's alignment.
    pub arguments: Vec<u8>,
    /// Where the program launches it.
    pub span: Span,
    /// Whether its blocks may wait for each other.
    pub is_cooperative: bool,
}

/// What is known of a kernel before it is launched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelFacts {
    /// Shared memory of a block that it declares with its size.
    pub static_shared_bytes: u32,
    /// Local memory of a thread.
    pub local_bytes: u32,
    /// Registers of a thread, as far as can be told without `nvcc`.
    pub registers: u32,
    /// Most threads of a block, by `__launch_bounds__`.
    pub max_threads: Option<u32>,
}

/// How a launch ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchEnd {
    /// What kept it from its end.
    pub fault: Option<DeviceFault>,
    /// What its threads printed, in order of blocks.
    pub printed: String,
    /// How long it takes, by a model or as a GPU has measured it.
    pub takes_ns: u64,
}

/// What keeps a kernel from its end. The device has reported it where it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceFault {
    /// It does not compile.
    NotCompiled,
    /// Memory that belongs to nothing.
    IllegalAddress,
    /// An address that is no multiple of the access's width.
    MisalignedAddress,
    /// An `assert` that does not hold.
    Assert,
    /// Anything else that ends a kernel.
    Other,
    /// It does not end.
    TooLong,
    /// Somebody asked it to stop.
    Cancelled,
}
