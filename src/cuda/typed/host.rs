//! What only code for the host does: calls through pointers, objects that end, launches.
//!
//! No function that a kernel reaches holds any of it. Functions of the host may recurse.

use super::program::{Expr, FileVariableId, FunctionId, LocalId, Stmt};
use super::types::Type;

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
    /// The address of one of [`Program::virtual_tables`](super::Program::virtual_tables), `U64`.
    VirtualTable(usize),
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
    Delete {
        /// What `new` gave, or null.
        pointer: Expr,
        /// Whether it is `delete[]`.
        is_array: bool,
        /// The destructor that is called for each element first.
        destructor: Option<Destructor>,
    },
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
