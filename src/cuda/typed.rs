//! The typed program: what the checker makes of a file, and what `compile` lowers.
//!
//! Invariants: every expression carries its type; operands of a binary operation have the same
//! type (but for shifts); every conversion, load and array decay stands in the tree; names are
//! resolved; templates and constants are gone. A function that a kernel reaches comes before it
//! and is not recursive.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use crate::ir::PrintPiece;
use crate::launch::ElementType;
use crate::source::Span;

/// All functions of a file, callees before callers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Functions; [`FunctionId`] indexes them.
    pub functions: Vec<Function>,
    /// Variables at file scope that live in memory; [`FileVariableId`] indexes them.
    pub variables: Vec<FileVariable>,
}

impl Program {
    /// The kernels, in order of definition.
    pub fn kernels(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|function| function.is_kernel)
    }
}

/// Index into [`Program::functions`].
pub type FunctionId = usize;

/// Index into [`Program::variables`].
pub type FileVariableId = usize;

/// Index into [`Function::locals`].
pub type LocalId = usize;

/// A `__global__` or `__device__` function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where the name is defined.
    pub span: Span,
    /// Whether it is `__global__`.
    pub is_kernel: bool,
    /// Whether a header of CUDA's declares it: it has no text to show or to step through.
    pub is_library: bool,
    /// What it returns; `Void` for kernels.
    pub returns: Type,
    /// The first so many locals are its parameters, in order.
    pub parameter_count: usize,
    /// Parameters and variables, in order of declaration.
    pub locals: Vec<Local>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// Most threads a block may have, from `__launch_bounds__`.
    pub max_threads: Option<u32>,
}

/// A variable at file scope, which all functions of the file share.
#[derive(Clone, Debug, PartialEq)]
pub struct FileVariable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where it lives.
    pub memory: FileMemory,
    /// Its name in the declaration.
    pub span: Span,
    /// What stands behind its `=`.
    pub initializer: Option<Span>,
    /// What it holds when the program begins, as it lies in memory; empty if that is zero, and in
    /// shared memory, where it holds nothing.
    pub bytes: Vec<u8>,
}

/// Where a variable at file scope lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileMemory {
    /// `__device__`: in global memory, from launch to launch.
    Device,
    /// `__constant__`: in constant memory.
    Constant,
    /// `__shared__`: in the shared memory of each block.
    Shared,
}

/// A parameter or variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where it lives.
    pub storage: Storage,
    /// Its name in the declaration.
    pub span: Span,
    /// Whether it is a reference: a pointer that always points to what it was made for.
    pub is_reference: bool,
    /// The alignment in bytes that is asked for, if it is more than its type's; else 1.
    pub align_bytes: u32,
    /// Whether it is a parameter with `__restrict__`: what it points to is reached through it alone.
    pub is_restrict: bool,
    /// Whether it, or what it points to, is `volatile`: every access is made.
    pub is_volatile: bool,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In each thread.
    Thread,
    /// In the block's shared memory.
    Shared,
    /// At the beginning of the block's dynamic shared memory: `extern __shared__`. The type is an
    /// array of length 0.
    DynamicShared,
}

/// An arithmetic type. `char` is `I8`, `long` and `long long` are `I64`, `size_t` is `U64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it: kind and bits")]
pub enum Scalar {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    /// `__half`.
    F16,
    /// `__nv_bfloat16`.
    Bf16,
    F32,
    F64,
}

impl Scalar {
    /// Size in bytes.
    pub fn size_bytes(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::Bf16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Whether it is an integer type, `bool` included.
    pub fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64) || self.is_half()
    }

    /// Whether it is one of the two floating-point types of 16 bits.
    pub fn is_half(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::Bf16)
    }

    /// Whether it is a signed integer type.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// The type of a buffer's elements that holds such values; `bool` as bytes.
    pub fn element(self) -> ElementType {
        match self {
            Scalar::Bool | Scalar::U8 => ElementType::U8,
            Scalar::I8 => ElementType::I8,
            Scalar::I16 => ElementType::I16,
            Scalar::U16 => ElementType::U16,
            Scalar::I32 => ElementType::I32,
            Scalar::U32 => ElementType::U32,
            Scalar::I64 => ElementType::I64,
            Scalar::U64 => ElementType::U64,
            Scalar::F16 => ElementType::F16,
            Scalar::Bf16 => ElementType::Bf16,
            Scalar::F32 => ElementType::F32,
            Scalar::F64 => ElementType::F64,
        }
    }

    /// Its name in C++.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "char",
            Scalar::U8 => "unsigned char",
            Scalar::I16 => "short",
            Scalar::U16 => "unsigned short",
            Scalar::I32 => "int",
            Scalar::U32 => "unsigned int",
            Scalar::I64 => "long long",
            Scalar::U64 => "unsigned long long",
            Scalar::F16 => "__half",
            Scalar::Bf16 => "__nv_bfloat16",
            Scalar::F32 => "float",
            Scalar::F64 => "double",
        }
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`.
    Void,
    /// Arithmetic.
    Scalar(Scalar),
    /// `float4` and its kin: so many components of a type, named x, y, z, w.
    Vector(Scalar, u32),
    /// To values of a type that may or may not be written through it.
    Pointer {
        /// What it points to.
        to: Box<Type>,
        /// Whether that is `const`.
        is_const: bool,
    },
    /// So many values of a type.
    Array(Box<Type>, u32),
    /// A struct.
    Struct(Struct),
}

/// A struct: its name, which no other struct of the program has, and where its fields lie.
#[derive(Clone)]
pub struct Struct(Arc<StructData>);

struct StructData {
    name: String,
    layout: OnceLock<Layout>,
}

/// Where the fields of a struct lie.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The fields in order.
    pub fields: Vec<Field>,
    /// Its size, a multiple of its alignment.
    pub size_bytes: u32,
    /// Its alignment.
    pub align_bytes: u32,
    /// Whether it is a union: all fields begin where it begins.
    pub is_union: bool,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where it begins in the struct.
    pub offset_bytes: u32,
}

impl Struct {
    /// A struct of which only the name is known.
    pub fn declared(name: String) -> Self {
        let layout = OnceLock::new();
        Struct(Arc::new(StructData { name, layout }))
    }

    /// Gives it its fields, with their names and types, and at least the alignment `align_bytes`;
    /// only the first time counts. The fields of a union all begin at 0.
    pub fn define(&self, fields: Vec<(String, Type)>, align_bytes: u32, is_union: bool) {
        let mut layout = Layout {
            align_bytes: align_bytes.max(1),
            is_union,
            ..Layout::default()
        };
        for (name, ty) in fields {
            let align_bytes = ty.align_bytes();
            let offset_bytes = match is_union {
                true => 0,
                false => layout.size_bytes.next_multiple_of(align_bytes),
            };
            layout.align_bytes = layout.align_bytes.max(align_bytes);
            let end_bytes = offset_bytes.saturating_add(ty.size_bytes());
            layout.size_bytes = layout.size_bytes.max(end_bytes);
            layout.fields.push(Field {
                name,
                ty,
                offset_bytes,
            });
        }
        let whole = layout
            .size_bytes
            .checked_next_multiple_of(layout.align_bytes);
        layout.size_bytes = whole.unwrap_or(layout.size_bytes).max(1);
        let _ = self.0.layout.set(layout);
    }

    /// Its name, with template arguments.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Where its fields lie; nothing while it is only declared.
    pub fn layout(&self) -> Option<&Layout> {
        self.0.layout.get()
    }

    /// Its fields; none while it is only declared.
    pub fn fields(&self) -> &[Field] {
        self.layout().map_or(&[], |layout| &layout.fields)
    }

    /// Of a union, the index of the field whose bytes are all of its bytes, or most of them.
    pub fn widest(&self) -> Option<usize> {
        let layout = self.layout().filter(|layout| layout.is_union)?;
        let order = |at: &usize| {
            let ty = &layout.fields[*at].ty;
            (ty.size_bytes(), ty.align_bytes(), usize::MAX - at)
        };
        (0..layout.fields.len()).max_by_key(order)
    }
}

impl PartialEq for Struct {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Struct {}

impl Hash for Struct {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Debug for Struct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "struct {}", self.0.name)
    }
}

impl Type {
    /// Size in bytes, as in CUDA; 0 for `void`.
    pub fn size_bytes(&self) -> u32 {
        match self {
            Type::Void => 0,
            Type::Scalar(scalar) => scalar.size_bytes(),
            Type::Vector(scalar, lanes) => scalar.size_bytes() * lanes,
            Type::Pointer { .. } => 8,
            Type::Array(element, length) => element.size_bytes().saturating_mul(*length),
            Type::Struct(of) => of.layout().map_or(0, |layout| layout.size_bytes),
        }
    }

    /// Alignment in bytes, as in CUDA: vectors of 2 and 4 align to their size, up to 16.
    pub fn align_bytes(&self) -> u32 {
        match self {
            Type::Void => 1,
            Type::Scalar(scalar) => scalar.size_bytes(),
            Type::Vector(scalar, 2 | 4) => self.size_bytes().min(16).max(scalar.size_bytes()),
            Type::Vector(scalar, _) => scalar.size_bytes(),
            Type::Pointer { .. } => 8,
            Type::Array(element, _) => element.align_bytes(),
            Type::Struct(of) => of.layout().map_or(1, |layout| layout.align_bytes),
        }
    }

    /// The scalar, for arithmetic types.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => write!(f, "void"),
            Type::Scalar(scalar) => write!(f, "{}", scalar.name()),
            Type::Vector(scalar, lanes) => {
                if scalar.is_half() {
                    return write!(f, "{}{lanes}", scalar.name());
                }
                let (prefix, name) = match scalar {
                    Scalar::U8 => ("u", "char"),
                    Scalar::U16 => ("u", "short"),
                    Scalar::U32 => ("u", "int"),
                    Scalar::U64 => ("u", "longlong"),
                    Scalar::I32 => ("", "int"),
                    Scalar::I64 => ("", "longlong"),
                    scalar => ("", scalar.name()),
                };
                write!(f, "{prefix}{name}{lanes}")
            }
            Type::Pointer { to, is_const: true } => write!(f, "const {to}*"),
            Type::Pointer {
                to,
                is_const: false,
            } => write!(f, "{to}*"),
            Type::Array(..) => {
                let (mut element, mut lengths) = (self, String::new());
                while let Type::Array(inner, length) = element {
                    lengths.push_str(&format!("[{length}]"));
                    element = inner;
                }
                write!(f, "{element}{lengths}")
            }
            Type::Struct(of) => write!(f, "{}", of.name()),
        }
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is. For `if` and loops, the head only.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// An expression for its effect.
    Expr(Expr),
    /// A variable comes into being.
    Declare {
        /// The variable.
        local: LocalId,
        /// What it begins with; nothing for shared variables and uninitialised ones.
        init: Option<Initializer>,
    },
    /// Statements with a scope of their own.
    Block(Vec<Stmt>),
    /// `if`; the condition is `bool`.
    If {
        /// Whether.
        condition: Expr,
        /// If so.
        then: Vec<Stmt>,
        /// If not.
        otherwise: Vec<Stmt>,
    },
    /// `for`, `while` (no `init`, no `step`) and `do` (`test_first` is false).
    Loop {
        /// Statements before it.
        init: Vec<Stmt>,
        /// Whether to go on, `bool`; nothing means for ever.
        condition: Option<Expr>,
        /// After each round and on `continue`.
        step: Option<Expr>,
        /// What is repeated.
        body: Vec<Stmt>,
        /// Whether the condition comes before the first round.
        test_first: bool,
    },
    /// `switch`.
    Switch {
        /// What is compared, of an integer type.
        value: Expr,
        /// What follows each group of labels; each runs on into the next.
        sections: Vec<Section>,
    },
    /// `break`, of a loop or `switch`.
    Break,
    /// `continue`.
    Continue,
    /// `return`, with a value of the function's type unless that is `void`.
    Return(Option<Expr>),
    /// `__syncthreads()`.
    Barrier,
    /// `__syncwarp(mask)`.
    SyncWarp(Expr),
}

/// Statements of a `switch` behind labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The constants of its `case` labels, as [`ExprKind::Constant`] holds them.
    pub cases: Vec<u64>,
    /// Whether `default` is among its labels.
    pub is_default: bool,
    /// The statements.
    pub body: Vec<Stmt>,
    /// Its first label.
    pub span: Span,
}

/// What a variable begins with.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// A value of its type.
    Value(Expr),
    /// `{…}` for an array, vector or struct: values of its parts in order of memory; the rest is
    /// zero. A part is a scalar, or a whole vector or struct.
    List(Vec<Expr>),
}

/// Something that can be loaded, stored to, or pointed at.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// Type of what it holds.
    pub ty: Type,
    /// Where it is written.
    pub span: Span,
}

/// What a place is.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaceKind {
    /// A variable.
    Local(LocalId),
    /// A variable at file scope.
    File(FileVariableId),
    /// What a pointer points to.
    Deref(Box<Expr>),
    /// An element of an array that is itself a place; the index is of any integer type.
    Index(Box<Place>, Box<Expr>),
    /// A component of a vector that is itself a place: 0 for x.
    Component(Box<Place>, u32),
    /// A field of a struct that is itself a place.
    Member(Box<Place>, usize),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Type of its value.
    pub ty: Type,
    /// Where it is.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A value of a scalar or pointer type, as its bits: integers sign-extended to 64 bits, `F32`
    /// in the low 32.
    Constant(u64),
    /// What a place holds.
    Load(Place),
    /// A pointer to a place. An array decays to the address of its first element.
    AddressOf(Place),
    /// `threadIdx.x` and its kin, unsigned.
    Coordinate(Coordinate, Axis),
    /// `warpSize` is a constant; this is `__activemask()`.
    ActiveMask,
    /// The value converted to the expression's type: between scalars, between pointers, between
    /// pointers and 64-bit integers, between vectors component by component, or from a scalar to
    /// a vector that has it in each component.
    Convert(Box<Expr>),
    /// On an operand of the expression's type; `LogicalNot` on and to `bool`.
    Unary(UnaryOp, Box<Expr>),
    /// On operands of one type; comparisons give `bool`, the others that type. For shifts the
    /// right operand is of any integer type. Comparisons also compare pointers.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Pointer plus so many elements, of any integer type.
    PointerOffset(Box<Expr>, Box<Expr>),
    /// Elements between two pointers, `I64`.
    PointerDifference(Box<Expr>, Box<Expr>),
    /// `&&`: the second operand only where the first is true. Both `bool`.
    And(Box<Expr>, Box<Expr>),
    /// `||`: the second operand only where the first is false. Both `bool`.
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`; `c` is `bool`, the others of the expression's type.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Stores a value of the place's type; the value is the expression's.
    Assign(Box<Place>, Box<Expr>),
    /// `place op= value`: the place's value converted to `value`'s type (but for shifts, where to
    /// `computed`), operated on, converted back and stored. The expression's type is the place's.
    /// For a pointer place, `op` is `Add` or `Sub` and `value` counts elements.
    AssignOp {
        /// What is changed.
        place: Box<Place>,
        /// How.
        op: BinaryOp,
        /// The other operand.
        value: Box<Expr>,
        /// The type in which it is computed.
        computed: Type,
    },
    /// `++` and `--`, on numbers and pointers.
    Step {
        /// What is changed.
        place: Box<Place>,
        /// Whether by +1 rather than -1.
        up: bool,
        /// Whether the expression's value is that after the change.
        prefix: bool,
    },
    /// A `__device__` function of the program.
    Call(FunctionId, Vec<Expr>),
    /// A mathematical function; all operands and the result have one type, unless the function
    /// says otherwise.
    Math(MathFunction, Vec<Expr>),
    /// `__shfl_*_sync`.
    Shuffle {
        /// Which.
        kind: ShuffleKind,
        /// Mask of lanes, `U32`.
        mask: Box<Expr>,
        /// The value exchanged, of the expression's type: 4 or 8 bytes.
        value: Box<Expr>,
        /// Lane, distance or lane mask, `I32` or `U32`.
        lane: Box<Expr>,
        /// Lanes in a segment: 1, 2, 4, 8, 16 or 32.
        width: u32,
    },
    /// `__any_sync`, `__all_sync` (to `I32`), `__ballot_sync` (to `U32`).
    Vote {
        /// Which.
        kind: VoteKind,
        /// Mask of lanes, `U32`.
        mask: Box<Expr>,
        /// The predicate, `bool`.
        predicate: Box<Expr>,
    },
    /// `atomicAdd` and its kin; the expression is what was there before.
    Atomic {
        /// Which.
        operation: AtomicOperation,
        /// Where: a pointer to the expression's type.
        pointer: Box<Expr>,
        /// What is compared (`Cas` only) and put there, of the expression's type.
        operands: Vec<Expr>,
    },
    /// `__reduce_*_sync`, of the value's type, `I32` or `U32`.
    Reduce {
        /// Which: `Add`, `Min`, `Max`, `And`, `Or` or `Xor`.
        operation: AtomicOperation,
        /// Mask of lanes, `U32`.
        mask: Box<Expr>,
        /// What is put together.
        value: Box<Expr>,
    },
    /// `__match_any_sync` and `__match_all_sync`, to `U32`.
    Match {
        /// Mask of lanes, `U32`.
        mask: Box<Expr>,
        /// What is compared, of 4 or 8 bytes.
        value: Box<Expr>,
        /// For `__match_all_sync`, a pointer to `I32`: whether all are the same.
        all: Option<Box<Expr>>,
    },
    /// What a warp does with matrices that lie over its lanes, as [`MatrixOperation`] says.
    Matrix(MatrixOperation, Vec<Expr>),
    /// `__syncthreads_count` and its kin, to `I32`; the predicate is `bool`.
    BarrierVote(BarrierVote, Box<Expr>),
    /// `sincosf`, `frexpf`, `modff`: each function of the same operand goes where its pointer
    /// points; the expression is the result's, or `void`.
    MathTo {
        /// Functions and pointers.
        outputs: Vec<(MathFunction, Expr)>,
        /// What the expression is.
        result: Option<MathFunction>,
        /// The operand.
        operand: Box<Expr>,
    },
    /// `printf`, to `I32`: how many values it printed.
    Print {
        /// What is printed.
        pieces: Vec<PrintPiece>,
        /// The values, each of the type that its conversion wants.
        values: Vec<Expr>,
    },
    /// `assert` (ends the launch where its `bool` is false) and `__trap`, `void`.
    Trap(Option<Box<Expr>>),
    /// `clock64()`, `I64`.
    Clock,
    /// `__threadfence()` and others that do nothing here once the operands are computed, `void`.
    Nothing(Vec<Expr>),
    /// A vector from its components.
    Vector(Vec<Expr>),
    /// A component of a vector that is no place: 0 for x.
    Component(Box<Expr>, u32),
    /// A struct from its parts, as [`Initializer::List`] has them.
    Struct(Vec<Expr>),
    /// A field of a struct that is no place.
    Member(Box<Expr>, usize),
    /// Both, for the second's value.
    Comma(Box<Expr>, Box<Expr>),
}

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
}

/// Mathematical functions. `Fast` ones are the intrinsics: `__expf` and so on, single precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum MathFunction {
    Abs,
    Min,
    Max,
    Fma,
    Sqrt,
    Rsqrt,
    Exp,
    Exp2,
    Exp10,
    Log,
    Log2,
    Log10,
    Sin,
    Cos,
    Tan,
    Tanh,
    Pow,
    Fmod,
    Floor,
    Ceil,
    Trunc,
    Round,
    Rint,
    FastExp,
    FastLog,
    FastSin,
    FastCos,
    FastPow,
    FastDivide,
    /// Multiplication and addition that must not contract: `__fmul_rn`, `__fadd_rn`, `__dmul_rn`, …
    MulRn,
    AddRn,
    SubRn,
    /// To `bool`.
    IsNan,
    /// To `bool`.
    IsInf,
    /// High word of the product: `__mulhi`, `__umulhi`.
    MulHi,
    /// To `I32`: `__popc`, of 32 or 64 bits.
    Popc,
    /// To `I32`: `__clz`, of 32 or 64 bits.
    Clz,
    /// To `I32`: `__ffs`, of 32 or 64 bits.
    Ffs,
    /// `__brev`, of 32 or 64 bits.
    Brev,
    BytePerm,
    FunnelL,
    FunnelLClamp,
    FunnelR,
    FunnelRClamp,
    Mul24,
    Sad,
    Dp4a,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Asinh,
    Acosh,
    Atanh,
    Cbrt,
    Rcbrt,
    Erf,
    Erfc,
    Expm1,
    Log1p,
    Lgamma,
    Tgamma,
    SinPi,
    CosPi,
    NormCdf,
    Atan2,
    Hypot,
    Copysign,
    Fdim,
    Remainder,
    /// The second operand is `I32`.
    Ldexp,
    FrexpMantissa,
    /// To `I32`.
    FrexpExponent,
    ModfFraction,
    /// To `bool`.
    SignBit,
    FastLog2,
    FastLog10,
    FastExp10,
    FastTan,
    /// `__float_as_int` and its kin: the same bits as another type of the same size.
    Bitcast,
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
}

/// What a warp does with matrices that lie over its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixOperation {
    /// The product of 16 by 16 and 16 by 8 elements, added to 16 by 8 sums: of 8 elements, 4
    /// elements and 4 sums of each lane, to a vector of 4 sums.
    Multiply,
    /// 8 by 8 elements turned over: of a pair, to a pair.
    Transpose,
}

/// Which barrier with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the suffixes of __syncthreads_*")]
pub enum BarrierVote {
    Count,
    And,
    Or,
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
