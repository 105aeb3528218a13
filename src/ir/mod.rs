//! The warp bytecode: what `compile` writes and `simt` runs.
//!
//! A kernel is a list of fixed-size [`Instruction`]s over registers. A register holds 32 bits in
//! each of the warp's 32 lanes; a 64-bit value takes a register and the next one (low word first).
//! All operations stand in one table in `op.rs`, with their operands: names, disassembler and
//! verifier derive from it.
//!
//! Control flow is structured. A warp keeps a stack of frames; lanes that a branch sends elsewhere
//! wait in a frame until they rejoin. No instruction but a joining one (`Else`, `EndIf`, `Rejoin`,
//! `ScopeEnd`, `End`) ever runs with no active lane: each instruction that may leave none carries
//! in its target where to go then, the next joining instruction of the innermost open frame.
//!
//! Most functions are inlined. The bodies of those that are not stand behind the kernel's `End`, each
//! ending with `Return`; a warp keeps a stack of where to go back to. No lane ends inside of a body, and
//! all frames that it opens it closes, so as many lanes come back as have gone.
//!
//! Values of `bool` are 0 or 1; 8- and 16-bit integers are kept sign- or zero-extended to 32 bits.
//!
//! An address is 64 bits. Below [`GLOBAL_STRIDE`] it lies in the block's shared memory
//! ([`SHARED_BASE`]) or the lane's local memory ([`LOCAL_BASE`]); buffer `i` of global memory
//! begins at `(i + 1) * GLOBAL_STRIDE`, which is aligned as `cudaMalloc` aligns and more. Variables at
//! file scope are buffers of their own, those in constant memory too.

mod op;
mod instruction;
mod print;
mod site;
mod texture;
mod variables;
mod source_map;
mod case_table;
mod staged_loop;
mod program;
mod registers;
mod cost;
mod disassemble;
mod verify;

pub use case_table::CaseTable;
pub use cost::fp32_cost;
pub use disassemble::disassemble;
pub use instruction::{Instruction, NO_REGISTER, Register};
pub use op::{Op, Operand};
pub use print::{Conversion, PrintFormat, PrintPiece, PrintSite};
pub use program::{Kernel, KernelMemory, KernelTables};
pub use registers::Registers;
pub use site::{
    AccessRole, AccessSite, IndexType, LaunchArgument, LaunchSite, Space, TrapSite, ValueKind,
};
pub use source_map::{Call, SourceMap, Statement};
pub use staged_loop::StagedLoop;
pub use texture::{
    AddressMode, DESCRIPTOR_BYTES, Sampling, TexelFormat, TexelKind, Texture, TextureRequest,
};
pub use variables::{
    Allocation, Declaration, Parameter, ParameterType, PointedTo, Symbol, Variable, VariablePlace,
};
pub use verify::{VerifyError, verify};

/// Distance between the addresses of two buffers of global memory, in bytes.
pub const GLOBAL_STRIDE: u64 = 1 << 40;
/// Address of the first byte of a block's shared memory.
pub const SHARED_BASE: u64 = 1 << 32;
/// Address of the first byte of a lane's local memory.
pub const LOCAL_BASE: u64 = 2 << 32;
