//! The cells of a lesson, one file a kind; a run is a folder.

mod text_row;
pub(crate) mod sliders;
pub(crate) mod run;
pub(crate) mod prose;
pub(crate) mod kernel;
pub(crate) mod exercise;
pub(crate) mod calculator;
pub(crate) mod prediction;
pub(crate) mod table;
pub(crate) mod figure;
pub(crate) mod comparison;

pub(crate) use text_row::TextRow;
