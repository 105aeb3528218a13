//! Guesses: what a kernel is launched with when nobody says.
//!
//! `roles` says what numbers are by their names, `shape` chooses grid, block and shared memory, and `kernel` puts a guess
//! together; `triton` does the same for kernels in Python. `template_arguments` chooses those of a template.

mod roles;

mod kernel_guess;

mod shape;

mod kernel;

mod host_python;

mod triton;

mod template_arguments;

pub use kernel::Subject;
pub use kernel_guess::{GuessedBuffer, GuessedSize, Guesses, KernelGuess};
pub use template_arguments::{Instances, numbers as template_numbers};
pub use triton::guesses as triton_guesses;
