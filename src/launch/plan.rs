//! What to run: sources, buffers, launches.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::tile::TileOptions;
use super::{Baseline, BufferSpec};
use crate::source::SourceFile;

/// Lanes in a warp, on every NVIDIA GPU so far.
pub const WARP_LANES: usize = 32;

/// The lanes of a mask.
pub fn set_bits(mut mask: u32) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        lane
    })
}

/// Sizes in x, y and z.
pub type Dim3 = [u32; 3];

/// Number of points in a box: of blocks in a grid, of threads in a block.
pub fn volume(size: Dim3) -> u64 {
    size.iter().map(|&side| u64::from(side)).product()
}

/// A kernel's file and what it is compiled with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSource {
    /// The text.
    pub file: SourceFile,
    /// `-D NAME=VALUE`, in order; of a Triton kernel, its constants.
    pub defines: Vec<(String, String)>,
    /// How Triton compiles it, if it is one of Triton's.
    pub tiles: TileOptions,
}

impl KernelSource {
    /// A file compiled with macros, and otherwise as usual.
    pub fn new(file: SourceFile, defines: Vec<(String, String)>) -> Self {
        KernelSource {
            file,
            defines,
            tiles: TileOptions::default(),
        }
    }

    /// SHA-256 of the text and its headers', and behind it of each macro as a zero byte and `NAME=VALUE`: without macros
    /// that of the file.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new_with_prefix(self.file.whole());
        for (name, value) in &self.defines {
            // No source holds a zero byte: `AB` + `C` and `A` + `BC` differ.
            hash.update(format!("\0{name}={value}"));
        }
        let bytes = hash.finalize();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A number as written by a person, before it takes a parameter's type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Without a fraction or exponent.
    Integer(i128),
    /// With one.
    Float(f64),
}

/// How copies in bulk see a buffer: as a matrix of which they take boxes (`cuTensorMapEncodeTiled`, CUDA driver API).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorMap {
    /// Index into [`Plan::buffers`].
    pub buffer: usize,
    /// Rows of the matrix.
    pub rows: u64,
    /// Elements of a row, which lie one after the other.
    pub columns: u64,
    /// Rows of a box.
    pub box_rows: u32,
    /// Elements of a row of a box. Rows of 128 bytes are swizzled.
    pub box_columns: u32,
}

impl TensorMap {
    /// Bytes that a kernel takes for it, by value.
    pub const SIZE_BYTES: u32 = 128;
}

/// What a kernel's parameter is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    /// For a scalar.
    Number(Number),
    /// For a pointer: an index into [`Plan::buffers`].
    Buffer(usize),
    /// For a structure of 128 bytes that stands for a tensor map.
    TensorMap(TensorMap),
}

/// One kernel launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Name of the kernel.
    pub kernel: String,
    /// Index into [`Plan::sources`] of the file that defines it.
    pub source: usize,
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Dynamic shared memory of a block, in bytes.
    pub shared_bytes: u32,
    /// One argument a parameter, in order.
    pub arguments: Vec<Argument>,
}

/// Kernels to launch one after the other over the same buffers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The kernels' files.
    pub sources: Vec<KernelSource>,
    /// Buffers of global memory.
    pub buffers: Vec<BufferSpec>,
    /// Variables at file scope that begin with something else than their file says, by name; each as long as it is.
    pub symbols: Vec<BufferSpec>,
    /// Launches in order.
    pub launches: Vec<Launch>,
    /// What a real GPU times beside them.
    pub baselines: Vec<Baseline>,
}

impl Plan {
    /// The first source that has the same file as source `source`.
    pub fn first_with_text_of(&self, source: usize) -> usize {
        let file = |of: usize| self.sources.get(of).map(|source| &source.file);
        let mut earlier = 0..source;
        earlier
            .find(|&of| file(of) == file(source))
            .unwrap_or(source)
    }
}
