//! Calls of the file's functions: which is meant, what is passed, and calls whose value is known now.

mod callee;

mod overload;

mod arguments;

mod function_pointer;

mod device_pointer;

mod virtual_functions;

mod object;

mod construct;

mod refuse;

mod evaluate;

mod call;

mod builtin_value;

mod launch;
mod child_launch;

pub use callee::{Callee, Method, count};
pub use function_pointer::pointed_function;
pub use overload::rank;
