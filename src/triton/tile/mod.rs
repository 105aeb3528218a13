//! A kernel over tiles: element types with Triton's promotion, types, operations in static single assignment form.
//!
//! Knows neither the text that it came from nor threads.

mod element;

mod function;

mod choices;

mod invariants;

mod unused;

pub use choices::share_choices;
pub use element::Element;
pub use function::{
    Access, Assembly, Atomic, Binary, Block, BlockId, Comparison, Constant, Function, Hints, Node,
    NodeId, Op, Parameter, Precision, Type, Unary, Value,
};
pub use invariants::hoist_invariants;
pub use unused::remove_unused;
