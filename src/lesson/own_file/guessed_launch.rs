//! One kernel with all that a command line leaves out guessed.

use std::path::Path;

use super::guess::KernelGuess;
use super::pages;
use super::trial;
use super::written_launches::WrittenLaunches;
use crate::compile::Compiled;
use crate::launch::{Argument, Launch, Number, Plan};
use crate::source::{Diagnostic, SourceFile};

/// A launch of a kernel over buffers that were guessed.
pub struct GuessedLaunch {
    /// What to run.
    pub plan: Plan,
    /// The same as options of a command line: `--grid 256 --block 256 --arg f32[65536]:zero …`.
    pub options: String,
}

/// How the kernel called `name` may be launched, with the macros `defines`. `numbers` are arguments that are known, by
/// their positions.
///
/// # Errors
/// What nothing can be guessed for.
pub fn guess_launch(
    file: &SourceFile,
    compiled: &Compiled,
    defines: &[(String, String)],
    name: &str,
    numbers: &[Option<u64>],
) -> Result<GuessedLaunch, Box<Diagnostic>> {
    let written = WrittenLaunches::find(file.text());
    let kernel = compiled.kernel(name)?;
    let mut guess = KernelGuess::new(file, name, kernel, written.of(name))?;
    let given = guess.arguments.clone().into_iter().zip(numbers);
    for (argument, number) in given {
        let mut sizes = guess.sizes.iter_mut();
        if let (Some(size), Some(number)) = (sizes.find(|size| size.name == argument), number) {
            size.default = (*number).max(1);
        }
    }
    let path = Path::new(file.name());
    let source = trial::Source {
        path,
        file,
        defines,
    };
    let guess = match numbers.is_empty() {
        // With numbers given, sizes are the caller's, and nothing is tried.
        true => trial::settled(&source, guess),
        false => guess,
    };
    let Some(plan) = source.plan(&guess) else {
        let message = format!("nothing can be guessed for a launch of `{}`", kernel.name);
        let error = Diagnostic::error(kernel.span, message);
        return Err(Box::new(error.help("give --grid, --block and --arg")));
    };
    let options = options(&guess, &plan);
    Ok(GuessedLaunch { plan, options })
}

fn options(guess: &KernelGuess, plan: &Plan) -> String {
    let launch = &plan.launches[0];
    let mut options = launch_options(launch);
    for argument in &launch.arguments {
        options += &match argument {
            Argument::Buffer(index) => {
                let (guessed, buffer) = (&guess.buffers[*index], &plan.buffers[*index]);
                let init = pages::content(guessed, *index);
                format!(
                    " --arg '{}[{}]:{init}'",
                    buffer.element.name(),
                    buffer.length
                )
            }
            Argument::Number(Number::Integer(number)) => format!(" --arg {number}"),
            Argument::Number(Number::Float(number)) => format!(" --arg {number:?}"),
        };
    }
    options
}

fn launch_options(launch: &Launch) -> String {
    let listed = |of: [u32; 3]| {
        // As people write it: `--grid 4`, and not `4,1,1`.
        let last = of.iter().rposition(|&count| count != 1).unwrap_or(0);
        let counts: Vec<String> = of[..=last].iter().map(u32::to_string).collect();
        counts.join(",")
    };
    let shared = match launch.shared_bytes {
        0 => String::new(),
        bytes => format!(" --shared {bytes}"),
    };
    format!(
        "--grid {} --block {}{shared}",
        listed(launch.grid),
        listed(launch.block)
    )
}
