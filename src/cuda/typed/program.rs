//! The typed program: what the checker makes of a file, and what `compile` lowers.
//!
//! Invariants: every expression carries its type; operands of a binary operation have the same
//! type (but for shifts); every conversion, load and array decay stands in the tree; names are
//! resolved; templates and constants are gone. A function that a kernel reaches comes before it, and before
//! those that call it but for functions that call themselves, by way of others or not.

use crate::ir::PrintPiece;
use crate::source::Span;

use super::math_function::MathFunction;
use super::operation::*;
use super::types::*;

/// The kind of the error in a program without `main`: its file may have kernels alone.
pub const NO_MAIN: &str = "no-main";

/// All functions of a file, callees before callers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Functions; [`FunctionId`] indexes them.
    pub functions: Vec<Function>,
    /// Variables at file scope that live in memory; [`FileVariableId`] indexes them.
    pub variables: Vec<FileVariable>,
    /// Where a program of the host begins: `main`.
    pub entry: Option<FunctionId>,
    /// What gives variables of the host at file scope their values before `main` begins; it has no parameters.
    pub start: Option<FunctionId>,
    /// Of each class with virtual functions, those that its objects have, in order of their rows.
    pub virtual_tables: Vec<Vec<FunctionId>>,
    /// Kernels that kernels launch: they may stand behind those, and may be the same.
    pub launched: Vec<FunctionId>,
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
    /// Whether it may do what only the host can ([`HostExpr`]): no kernel calls it.
    pub is_host: bool,
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
    /// The function in its place on the host, where `__CUDA_ARCH__` decides about parts of it.
    pub on_host: Option<Box<Function>>,
}

impl Function {
    /// What the host runs.
    pub fn for_host(&self) -> &Function {
        self.on_host.as_deref().unwrap_or(self)
    }
}

/// A variable at file scope, which all functions of the file share.
#[derive(Clone, Debug, PartialEq)]
pub struct FileVariable {
    /// Its name.
    pub name: String,
    /// The same behind the namespaces that it stands in.
    pub path: String,
    /// Its type.
    pub ty: Type,
    /// Where it lives.
    pub memory: FileMemory,
    /// The alignment in bytes that is asked for on the host, if it is more than its type's; else 1.
    pub align_bytes: u32,
    /// Its name in the declaration.
    pub span: Span,
    /// What stands behind its `=`.
    pub initializer: Option<Span>,
    /// What it holds when the program begins, as it lies in memory; empty if that is zero, and in
    /// shared memory, where it holds nothing.
    pub bytes: Vec<u8>,
    /// Where host code fills it, or may, before the kernels run.
    pub filled_by_host: Option<Span>,
}

/// Where a variable at file scope lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileMemory {
    /// `__device__`: in global memory, from launch to launch.
    Device,
    /// `__constant__`: in constant memory.
    Constant,
    /// `__shared__`: in the shared memory of each block.
    Shared,
    /// Neither: in the host's memory.
    Host,
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

impl Local {
    /// A variable of which nothing more is said.
    pub fn new(name: &str, ty: Type, storage: Storage, span: Span) -> Self {
        Local {
            name: name.to_owned(),
            ty,
            storage,
            span,
            is_reference: false,
            align_bytes: 1,
            is_restrict: false,
            is_volatile: false,
        }
    }
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
    /// What only code for the host does.
    Host(Box<HostStmt>),
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
    /// What a texture or surface object, `U64`, gives at three coordinates of 32 bits by a request, as four words; a
    /// store takes four words behind these and is `void`.
    Texture(TextureOperation, Vec<Expr>),
    /// `__syncthreads_count` and its kin, to `I32`; the predicate is `bool`, of numbered barriers `U32`.
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
    /// A kernel launches another, of [`Program::launched`], `void`: grid and block, each of three words, bytes of shared
    /// memory and stream, `U64`, and what is passed.
    Launch(usize, Vec<Expr>),
    /// `assert` (ends the launch where its `bool` is false) and `__trap`, `void`.
    Trap(Option<Box<Expr>>),
    /// `clock64()`, `I64`.
    Clock,
    /// `__threadfence()` and others that do nothing here once the operands are computed, `void`.
    Nothing(Vec<Expr>),
    /// What concerns when things happen, with its operands, `void`.
    Order(Order, Vec<Expr>),
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
    /// What an object of a class with virtual functions begins with, `U64`.
    VirtualTable {
        /// On the host, the address of this one of [`Program::virtual_tables`](Program::virtual_tables).
        table: usize,
        /// On the GPU, this number of the class.
        class: u64,
    },
    /// What only code for the host does.
    Host(Box<HostExpr>),
}

/// An expression that only code for the host has.
#[derive(Clone, Debug, PartialEq)]
pub enum HostExpr {
    /// The address of a function or kernel of the program.
    FunctionAddress(FunctionId),
    /// A call through a pointer to a function.
    CallPointer(Expr, Vec<Expr>),
    /// A call of a virtual function: the object's address, the row of its class's table, and the arguments behind
    /// the object's address.
    CallVirtual {
        /// A pointer to the object, which begins with the address of its class's table.
        object: Expr,
        /// The row of the table.
        row: u32,
        /// What is passed behind the object's address.
        arguments: Vec<Expr>,
    },
    /// A function of the C library or of CUDA's runtime, which the embedded headers declare and do not define, by its
    /// name. Arguments that match `...` are promoted.
    Library(String, Vec<Expr>),
    /// A string literal: a pointer to its bytes, the last of which is 0.
    Text(Vec<u8>),
    /// `kernel<<<grid, block, shared, stream>>>(arguments)`, `void`.
    Launch(Launch),
    /// `new`: a pointer to the first element.
    New(New),
    /// `delete` and `delete[]`, `void`.
    Delete(Delete),
    /// From here on an object exists that stands in no declaration: it ends with the full expression. `void`.
    TemporaryBegins(Object),
    /// `throw`; without a value, what is being handled is thrown again. `void`.
    Throw(Option<Thrown>),
}

/// A statement that only code for the host has.
#[derive(Clone, Debug, PartialEq)]
pub enum HostStmt {
    /// From here on an object exists: it ends with the block around this statement, however that is left, later
    /// objects before earlier ones.
    ObjectBegins(Object),
    /// Statements for the first time only that control passes here: the variable, of type `bool`, is set behind them.
    Once(FileVariableId, Vec<Stmt>),
    /// `try`.
    Try {
        /// What is tried.
        body: Vec<Stmt>,
        /// Its handlers, the first that matches is taken.
        handlers: Vec<Handler>,
    },
    /// A label, by its number in the function.
    Label(u32),
    /// `goto`.
    Goto(u32),
}

/// A function that is called with an object's address when it ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Destructor {
    /// Of the class itself.
    Function(FunctionId),
    /// Whichever the object's table of virtual functions has in this row.
    Virtual(u32),
}

/// An object with a destructor.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// A pointer to it, or to its first element.
    pub pointer: Expr,
    /// Its type; for arrays that of an element.
    pub element: Type,
    /// How many elements it has; 1 for what is no array.
    pub count: u64,
    /// The function that ends each element, the last one first; its one argument is the element's address.
    pub destructor: FunctionId,
}

/// A launch of a kernel by the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Which.
    pub kernel: FunctionId,
    /// Blocks in the grid, a `dim3`.
    pub grid: Box<Expr>,
    /// Threads in a block, a `dim3`.
    pub block: Box<Expr>,
    /// Bytes of dynamic shared memory, `U64`.
    pub shared: Box<Expr>,
    /// The stream, `U64`; 0 is the default stream.
    pub stream: Box<Expr>,
    /// What is passed, each of its parameter's type.
    pub arguments: Vec<Expr>,
}

/// `new`.
#[derive(Clone, Debug, PartialEq)]
pub struct New {
    /// The type of each element.
    pub element: Type,
    /// How many, of an integer type; nothing for `new T`.
    pub count: Option<Box<Expr>>,
    /// What each element begins with.
    pub initial: Initial,
    /// Whether the number of elements is kept for `delete[]`, as their class has a destructor.
    pub has_destructor: bool,
    /// Where the elements are put: placement `new`.
    pub at: Option<Box<Expr>>,
    /// Whether it is null where there is no memory, as its argument is no pointer: `new (std::nothrow) T`.
    pub is_nothrow: bool,
}

/// `delete` and `delete[]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    /// What `new` gave, or null.
    pub pointer: Expr,
    /// Whether it is `delete[]`.
    pub is_array: bool,
    /// The destructor that is called for each element first.
    pub destructor: Option<Destructor>,
    /// The class's own `operator delete`, which takes the memory back.
    pub release: Option<FunctionId>,
}

/// What an element that `new` makes begins with.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// Nothing that is known.
    Unset,
    /// Zeroes.
    Zero,
    /// A value of its type.
    Value(Box<Expr>),
    /// What a constructor makes of these arguments, which follow the element's address.
    Constructed(FunctionId, Vec<Expr>),
}

/// What `throw` throws.
#[derive(Clone, Debug, PartialEq)]
pub struct Thrown {
    /// A copy of it.
    pub value: Box<Expr>,
    /// As what it can be caught: its type and its bases, with the offset of each in bytes.
    pub catchable: Vec<(Type, u32)>,
    /// What ends it, where its handler ends.
    pub destructor: Option<FunctionId>,
}

/// A handler of `try`.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// What it catches; everything if nothing is said.
    pub catches: Option<Type>,
    /// The variable that holds what is caught, or if that is a reference its address.
    pub local: Option<LocalId>,
    /// What is done.
    pub body: Vec<Stmt>,
}
