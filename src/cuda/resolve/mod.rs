//! What names stand for: the state of a check, in parts with methods of their own.
//!
//! [`Checker`] is all of it: names and namespaces, types with their templates, functions with theirs,
//! the function being checked, and what was reported. Types as written become types here.

mod operand;

mod reports;

mod symbol;

mod template;

mod packs;

mod namespaces;

mod functions;

mod records;

mod deduction;

mod names;

mod frame;

mod checker;

mod lookup;

mod types;

pub use checker::Checker;
pub use frame::{About, Facts, Frame, RuntimeArray, Side};
pub use functions::{BodyState, Dispatcher, FunctionTemplate, Returns, RunsOn, Signature};
pub use lookup::NO_NAMESPACE;
pub use namespaces::is_library;
pub use operand::{
    Operand, address, chosen_value, comma, constant, convert, element_of, innermost, load, math,
    name_of, node, operation_types, place_as, pointer, promoted, scalar, usual,
};
pub use packs::Packs;
pub use records::{
    Base, FUNCTION_OBJECT, OutOfLine, Partial, Record, TABLE, TypeTemplate, TypeTemplateKind,
    UNNAMED, VariableTemplate, Virtual,
};
pub use reports::{Cause, Mark, Topic};
pub use symbol::{Candidate, Captures, Context, Entry, ParamType, Symbol, hidden_tag};
pub use template::{Argument, MOST_NESTED, argument_list, bound, flat, listed, param_text};
pub use types::{MOST_SHARED_BYTES, Qualified};
