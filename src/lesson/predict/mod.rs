//! Questions and their answers: what a learner guesses, what is right, and how far apart they are.

mod guess;

mod answer;

pub use answer::{GuessDistance, RightAnswer};
pub use guess::Guess;
