//! An answer to an exercise, checked by running it.
//!
//! `case` says at which sizes and on which inputs, by rule; `finding` is what a check finds, as data; `checker` runs
//! the cases in order, those that tell most first; `explained` checks exercises that ask which line causes a count;
//! `check` begins with what needs no run; `describe` puts what was found at the places of the learner's text. Nothing is drawn here, and nothing depends on time or on
//! modelled traffic.

mod case;

mod finding;

mod checker;

mod explained;

mod check;

mod describe;

pub use case::Case;
pub use check::check_answer;
pub use checker::CheckError;
pub use finding::{Cost, Feedback, Finding, LineCost, WrongOutput};
