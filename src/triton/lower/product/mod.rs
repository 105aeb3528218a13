//! `tl.dot`: the factors from shared memory to the threads that multiply them.

mod fragment;

mod staged;

mod dot;
