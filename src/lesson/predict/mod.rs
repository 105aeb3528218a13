//! Questions and their answers: what a learner guesses, what is right, and how far apart they are.

mod guess;

mod answer;

pub use answer::{Answer, Gap, RunCounts, Truth};
pub(crate) use answer::{nearest_to, no_time, of_time};
pub use guess::Guess;
