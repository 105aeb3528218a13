//! The integration tests, one module a subject.

mod frontend;
mod invariants;
