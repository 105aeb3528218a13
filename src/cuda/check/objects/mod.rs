//! Objects that are more than their bytes: how they begin, are copied, assigned, and end.
//!
//! An object of such a struct is no value: it is passed, returned and assigned by address. An
//! expression that makes one makes it in a variable without a name, which whoever wants the object
//! elsewhere replaces by that place before anything was made.

mod bits;

mod initialise;

mod lifetime;

mod bases;

mod memberwise;

mod lists;

mod device_heap;

mod allocation;

mod exceptions;

pub use bases::is_reference;
pub use bits::BitFields;
