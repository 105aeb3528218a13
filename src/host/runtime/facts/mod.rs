//! What the runtime knows by heart: errors, what GPUs say of themselves, structs of the headers.

pub(super) mod errors;

pub(super) mod structs;

pub(super) mod properties;
