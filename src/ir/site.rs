//! Places in the source that access memory or end a launch, to which instructions refer by number.

use crate::memory::{AccessKind, GlobalRequest};
use crate::source::Span;

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Wherever its address points.
    Generic,
    /// The block's shared memory.
    Shared,
    /// The lane's local memory.
    Local,
}

/// What an access moves, or its first part if it moves several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A value that zeros fill up to 32 bits.
    Unsigned,
    /// A value that its sign fills up to 32 bits.
    Signed,
    /// An address.
    Address,
}

/// The type of an access's index register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexType {
    /// There is none.
    None,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// 64 bits.
    I64,
}

/// What an access stands for: `nvcc` may make it elsewhere, or as part of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessRole {
    /// Itself, where somebody needs it.
    Own,
    /// Itself, whether or not somebody needs what it gives: its address is one of something `volatile`.
    Volatile,
    /// Nothing, and counts nothing: `nvcc` makes this access elsewhere, or as part of another, where it
    /// counts; it is made here so that values are where and when the source has them.
    Silent,
    /// The store of an asynchronous copy: it counts nothing, as no counter of shared memory's stores of an H200 does,
    /// and others find what it stores once the copy is waited for.
    Copy,
    /// The load of an asynchronous copy of 16 bytes, which goes past L1: its sectors are those of shared memory that it
    /// fills, as an H200 counts them.
    PastL1,
    /// Accesses that are made beside it and count nothing. It may read more than they do, so checks
    /// look at them and not at it.
    Extra,
}

/// A place in the source that loads or stores, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessSite {
    /// Load or store.
    pub kind: AccessKind,
    /// Whether it is an atomic operation, which counts apart; its kind is that of a store.
    pub is_atomic: bool,
    /// Whether one lane goes for all that take part: they go to the same address, and `nvcc` puts
    /// their values together first.
    pub one_lane: bool,
    /// What it stands for.
    pub role: AccessRole,
    /// Where it goes.
    pub space: Space,
    /// Bytes a lane moves: 1, 2, 4, 8 or 16. From 4 up, in consecutive registers, one a word.
    pub width_bytes: u32,
    /// What it moves.
    pub value: ValueKind,
    /// Type of the index register.
    pub index: IndexType,
    /// Factor of the index, in bytes.
    pub scale_bytes: u32,
    /// Added to the address, in bytes.
    pub offset_bytes: i32,
    /// The expression in the source.
    pub span: Span,
    /// Its line, from 1.
    pub line: u32,
}

impl AccessSite {
    /// An access at `span` that goes wherever its address points; its line is not known yet.
    pub fn new(kind: AccessKind, width_bytes: u32, span: Span) -> Self {
        AccessSite {
            kind,
            is_atomic: false,
            one_lane: false,
            role: AccessRole::Own,
            space: Space::Generic,
            width_bytes,
            value: ValueKind::Unsigned,
            index: IndexType::None,
            scale_bytes: 0,
            offset_bytes: 0,
            span,
            line: 0,
        }
    }

    /// Whether it counts nothing.
    pub fn is_silent(&self) -> bool {
        matches!(self.role, AccessRole::Silent | AccessRole::Copy)
    }

    /// Whether it is the store of an asynchronous copy.
    pub fn is_copy(&self) -> bool {
        self.role == AccessRole::Copy
    }

    /// What a request to global memory by the lanes in `active` costs here.
    #[inline]
    pub fn request(&self, request: GlobalRequest, active: u32) -> GlobalRequest {
        match self.role {
            AccessRole::PastL1 => request.past_l1(active),
            _ => request,
        }
    }

    /// Whether it only counts, for others that are made beside it.
    pub fn is_extra(&self) -> bool {
        self.role == AccessRole::Extra
    }

    /// Registers that hold the value of one lane.
    pub fn words(&self) -> u32 {
        self.width_bytes.div_ceil(4)
    }
}

/// Why a kernel may end with a fault of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrapSite {
    /// Its place in the source.
    pub span: Span,
    /// The condition of an `assert`, as the source has it; nothing for `__trap`.
    pub condition: Option<String>,
}

/// A place where threads launch a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSite {
    /// Which: an index into the kernels that the program's kernels launch.
    pub kernel: usize,
    /// Its place in the source.
    pub span: Span,
    /// The scalars that are passed, in order of their registers.
    pub arguments: Vec<LaunchArgument>,
}

/// A scalar of what is passed to a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchArgument {
    /// Where the kernel finds it among its arguments.
    pub offset_bytes: u32,
    /// Its size.
    pub size_bytes: u32,
}

impl LaunchSite {
    /// Registers of what stands before the arguments: grid and block in x, y and z, bytes of shared memory, the stream.
    pub const SHAPE_WORDS: u32 = 3 + 3 + 2 + 2;

    /// Registers that hold all of it for one lane.
    pub fn words(&self) -> u32 {
        let arguments = self.arguments.iter();
        Self::SHAPE_WORDS + arguments.map(|of| of.size_bytes.div_ceil(4)).sum::<u32>()
    }
}
