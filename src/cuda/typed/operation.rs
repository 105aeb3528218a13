//! What expressions compute: operators, functions of numbers, functions of warps and blocks.

/// Built-in index variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "CUDA's own names")]
pub enum Coordinate {
    ThreadIdx,
    BlockIdx,
    BlockDim,
    GridDim,
}

/// x, y or z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Axis {
    X,
    Y,
    Z,
}

/// Operations on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum UnaryOp {
    Negate,
    BitNot,
    LogicalNot,
}

/// Operations on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    /// Whether the result is `bool`.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    /// The comparison that holds, of integers, where this one does not.
    pub fn opposite(self) -> Option<BinaryOp> {
        use BinaryOp::*;
        match self {
            Eq => Some(Ne),
            Ne => Some(Eq),
            Lt => Some(Ge),
            Ge => Some(Lt),
            Gt => Some(Le),
            Le => Some(Gt),
            _ => None,
        }
    }

    /// As written.
    pub fn spelling(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
        }
    }

    /// Whether it is `<<` or `>>`, whose operands are promoted each by itself ([expr.shift]).
    pub fn is_shift(self) -> bool {
        matches!(self, BinaryOp::Shl | BinaryOp::Shr)
    }

    /// Whether it is not defined for floating-point numbers.
    pub fn takes_integers_only(self) -> bool {
        use BinaryOp::*;
        matches!(self, Rem | BitAnd | BitOr | BitXor | Shl | Shr)
    }
}

/// What an atomic operation or a reduction of a warp does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of CUDA's atomic functions")]
pub enum AtomicOperation {
    Add,
    Sub,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Inc,
    Dec,
    /// Not atomic: the store of an asynchronous copy, past which nothing may be moved either.
    Copy,
}

/// What concerns when things happen, and gives no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The thread's asynchronous copies since the last one make a group.
    CommitCopies,
    /// Waits for the thread's groups of copies, but for the last so many.
    AwaitCopies,
    /// Other warps go on first.
    Yield,
    /// All threads of the grid wait for each other.
    GridBarrier,
}

/// What a warp does with matrices that lie over its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixOperation {
    /// The product of 16 by 16 and 16 by 8 elements, added to 16 by 8 sums: of 8 elements, 4
    /// elements and 4 sums of each lane, to a vector of 4 sums.
    Multiply,
    /// The product of 16 by 8 and 8 by 8 floats with 10 bits of fraction, added to 16 by 8 sums: of 4 elements, 2
    /// elements and 4 sums of each lane.
    MultiplyEight,
    /// As `Multiply` of such floats, where only 4 of 16 products are there: those of the first elements of A and B and of
    /// the third of A.
    MultiplyFour,
    /// The product of 16 by 16 and 16 by 8 bytes, signed in `I32` and unsigned in `U32`, four a word, added to 16 by 8
    /// sums: of 2 words, 1 word and 4 sums of each lane, to a vector of 4 sums.
    MultiplyBytes,
    /// The same of 16 by 32 and 32 by 8 bytes: of 4 words, 2 words and 4 sums.
    MultiplyMoreBytes,
    /// The product of 8 by 4 and 4 by 8 doubles, added to 8 by 8 sums: of one, one and 2 sums of each lane, to a vector
    /// of 2 sums.
    MultiplyDoubles,
    /// 8 by 8 elements turned over: of a pair, to a pair.
    Transpose,
}

/// What is done with a texture or surface object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureOperation {
    /// A texture is read.
    Fetch,
    /// A surface is read.
    Load,
    /// A surface is written.
    Store,
}

/// Which barrier with a predicate, or what is done at one of a block's numbered barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the suffixes of __syncthreads_*")]
pub enum BarrierVote {
    Count,
    And,
    Or,
    /// Threads come to a numbered barrier, and do not wait: how often it has opened before. The operand, `U32`, is its
    /// number and 16 times how many threads open it.
    Arrive,
    /// Whether a numbered barrier has opened since: the operand is its number and 16 times how often it had.
    Opened,
}

/// Which shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the suffixes of __shfl_*_sync")]
pub enum ShuffleKind {
    Idx,
    Up,
    Down,
    Xor,
}

/// Which vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of CUDA")]
pub enum VoteKind {
    Any,
    All,
    Ballot,
}
