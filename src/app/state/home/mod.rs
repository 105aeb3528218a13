//! The home screen: the lessons that there are, and what is searched for.

pub(crate) mod search;
pub(crate) mod welcome;
pub(crate) mod lessons;
