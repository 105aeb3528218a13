//! What keys do in each kind of cell.

pub(crate) mod calculator;
pub(crate) mod comparison;
pub(crate) mod table;
pub(crate) mod figure;
pub(crate) mod exercise;
pub(crate) mod prediction;
pub(crate) mod settings;
pub(crate) mod ptx;
pub(crate) mod restart;
pub(crate) mod run;
