//! The home screen: how far the learner is, the chosen lesson in detail, the list of lessons, and all of it.

mod progress;
mod detail;
mod list;
mod welcome;
mod page;

pub(crate) use page::draw;
