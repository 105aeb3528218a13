//! What a kernel of tiles became: the program of one thread, and which thread holds which element. For those who read it.

use crate::source::{SourceFile, Span};

/// How Triton compiles a kernel, beside its constants and its number of warps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileOptions {
    /// Whether nothing is assumed of the arguments, such as that 16 divides them.
    pub is_general: bool,
    /// Stages that loads of loops are spread over, where it is said.
    pub stages: Option<u32>,
}

/// What one thread does of a tile program.
#[derive(Clone, Debug, PartialEq)]
pub struct TileProgram {
    /// As CUDA C++.
    pub file: SourceFile,
    /// For each of its lines, the line of the tile program that it came from; 0 for none.
    pub lines: Vec<u32>,
    /// Its tensors, in the order in which they are made.
    pub tensors: Vec<TileTensor>,
    /// What the compiler knows of the arguments, and what that buys, in words.
    pub facts: Vec<String>,
    /// What of the tile program's file the kernel does not need.
    pub unreached: Vec<Span>,
}

/// A tensor, and who holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileTensor {
    /// What the thread program calls it.
    pub name: String,
    /// Its type: `float32[1024]`.
    pub type_name: String,
    /// Whether its elements are truth values, as those of a mask.
    pub is_bool: bool,
    /// Its layout in Triton's notation.
    pub notation: String,
    /// The same in words.
    pub words: String,
    /// Registers of a thread that hold it.
    pub registers: u32,
    /// Elements along each dimension, outermost first.
    pub shape: Vec<u32>,
    /// Who holds each element, the last dimension running fastest.
    pub holders: Vec<Holder>,
}

/// Where an element lies: a register of a lane of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    /// Number of the warp in its block.
    pub warp: u32,
    /// Number of the lane in its warp.
    pub lane: u32,
    /// Number of the value among those of this tensor that the lane holds.
    pub register: u32,
}
