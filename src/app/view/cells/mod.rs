//! The cells of a lesson, one file a kind; a run and a figure are folders.

pub(crate) mod calculator;
pub(crate) mod comparison;
pub(crate) mod figure;
pub(crate) mod kernel;
pub(crate) mod prediction;
pub(crate) mod prose;
pub(crate) mod run;
pub(crate) mod sliders;
pub(crate) mod table;

pub(crate) use run::{block_index, diagnostic, dims};
