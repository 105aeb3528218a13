//! The contents of table cells, as plain data: rows and columns of figures, each with where it comes from.

mod contents;

pub(crate) mod published;

pub use contents::{Column, Field, Grid, Row, times};
