//! A run cell: its result, what it counts and costs, and what is looked at inside.

pub(crate) mod state;
pub(crate) mod first_look;
pub(crate) mod levels;
pub(crate) mod evidence;
pub(crate) mod inspected;
pub(crate) mod memory;
pub(crate) mod real_values;
pub(crate) mod edited;
