//! Whole programs and functions, run.

mod harness;

mod language;

mod faults;

mod library;

mod objects;

mod loops;
