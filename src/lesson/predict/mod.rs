//! Questions and their answers: what a learner guesses, what is right, and how far apart they are.

mod guess;

mod answer;

pub use answer::{Gap, Truth};
pub use guess::Guess;
