//! What is looked at inside a kernel: the steps of a block, variables, memory.

pub(crate) mod value_range;
pub(crate) mod block_history;
pub(crate) mod lane_steps;
pub(crate) mod selection;
pub(crate) mod worst_access;
