//! The state of each kind of cell.

pub(crate) mod comparison;
pub(crate) mod calculator;
pub(crate) mod prediction;
pub(crate) mod table;
pub(crate) mod figure;
pub(crate) mod sizes;
pub(crate) mod run;
pub(crate) mod exercise;
pub(crate) mod cell;
