//! The home screen: the lessons that there are, and what is searched for.

mod lessons;
mod search;

pub(crate) use lessons::{Home, Listed, Row};
