//! The contents of table cells, as plain data: rows and columns of figures, each with where it comes from.

mod contents;

mod published;

mod fill;

pub use contents::{TableColumn, TableContents, TableField, TableRow, times};
pub use fill::TableContext;
pub(super) use fill::figure_field;
