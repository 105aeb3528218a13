//! The home screen: what a newcomer sees, and the list of lessons.

mod lessons;
mod welcome;
