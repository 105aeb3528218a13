//! Steps through what a block did.

pub(crate) mod inside;
pub(crate) mod selection;
pub(crate) mod real_values;
pub(crate) mod jump;
