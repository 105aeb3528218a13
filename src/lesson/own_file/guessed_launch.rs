//! One kernel with all that a command line leaves out guessed.

use std::path::Path;
use std::sync::Arc;

use super::guess::{self, GuessedSize, Guesses, Instances, KernelGuess, Subject};
use super::pages;
use super::text::WrittenLaunches;
use super::trial;
use crate::compile::Compiled;
use crate::launch::{Argument, Dim3, Launch, Number, Plan, TileOptions};
use crate::source::{Diagnostic, SourceFile};
use crate::triton::{kernel_place, whole_number};

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
    compiled: &Arc<Compiled>,
    defines: &[(String, String)],
    name: &str,
    numbers: &[Option<u64>],
) -> Result<GuessedLaunch, Box<Diagnostic>> {
    let launches = WrittenLaunches::find(file.text());
    let guesses = guesses_of(file, compiled, name, &launches)?;
    let path = Path::new(file.name());
    let source = trial::Source {
        path,
        file,
        defines,
        compiled: Some(compiled.clone()),
    };
    let guess = match numbers.is_empty() {
        // With numbers given, sizes are the caller's, and nothing is tried.
        true => trial::settled(&source, guesses),
        false => with_numbers(guesses.first, numbers),
    };
    let Some(plan) = source.plan(&guess) else {
        let message = format!("nothing can be guessed for a launch of `{name}`");
        let error = Diagnostic::error(compiled.kernel(name)?.span, message);
        return Err(Box::new(error.help("give --grid, --block and --arg")));
    };
    let options = options(&guess, &plan);
    Ok(GuessedLaunch { plan, options })
}

/// What is said of a launch of a Triton kernel.
#[derive(Default)]
pub struct KnownLaunch<'a> {
    /// Constants, by name.
    pub constants: &'a [(String, String)],
    /// Warps per program.
    pub warps: Option<u32>,
    /// Programs in x, y and z.
    pub grid: Option<Dim3>,
    /// How its tiles are compiled.
    pub tiles: TileOptions,
}

/// How the Triton kernel called `name` may be launched, as far as it is not `known`.
///
/// # Errors
/// What is no Python, and what nothing can be guessed for.
pub fn guess_triton_launch(
    file: &SourceFile,
    name: &str,
    known: &KnownLaunch,
) -> Result<GuessedLaunch, Box<Diagnostic>> {
    let source = trial::Source {
        path: Path::new(file.name()),
        file,
        defines: &[],
        compiled: None,
    };
    let Guesses { mut first, others } = guess::triton_guesses(file, name)?;
    let mut others: Vec<KernelGuess> = others;
    for guess in others.iter_mut().chain([&mut first]) {
        known.set(guess);
    }
    let guess = trial::settled(&source, Guesses { first, others });
    let Some(mut plan) = source.plan(&guess) else {
        let message = format!("nothing can be guessed for a launch of `{name}`");
        let error = Diagnostic::error(kernel_place(file, name)?, message);
        return Err(Box::new(error.help("give --grid, --meta and --arg")));
    };
    plan.sources[0].tiles = known.tiles;
    let launch = &plan.launches[0];
    let warps = launch.block[0] / 32;
    let constants = plan.sources[0].defines.iter();
    let constants = constants.map(|(name, value)| format!(" --meta {name}={value}"));
    let options = format!(
        "--grid {} --warps {warps}{}{}",
        listed(launch.grid),
        constants.collect::<String>(),
        argument_options(&guess, &plan)
    );
    Ok(GuessedLaunch { plan, options })
}

impl KnownLaunch<'_> {
    /// Has a guess launch what is known.
    fn set(&self, guess: &mut KernelGuess) {
        for constant in &mut guess.constants {
            let mut given = self.constants.iter();
            let Some((_, value)) = given.find(|(name, _)| *name == constant.name) else {
                continue;
            };
            match whole_number(value) {
                Some(number) => *constant = GuessedSize::new(&constant.name, number),
                None => constant.formula = Some(value.clone()),
            }
        }
        if let Some(warps) = self.warps {
            guess.block[0] = 32 * warps;
        }
        if let Some(grid) = self.grid {
            guess.grid = grid.map(|programs| programs.to_string());
        }
    }
}

/// A guess with sizes that are known, by the positions of their arguments.
fn with_numbers(mut guess: KernelGuess, numbers: &[Option<u64>]) -> KernelGuess {
    let given = guess.arguments.clone().into_iter().zip(numbers);
    for (argument, number) in given {
        let mut sizes = guess.sizes.iter_mut();
        if let (Some(size), Some(number)) = (sizes.find(|size| size.name == argument), number) {
            size.default = (*number).max(1);
        }
    }
    guess
}

/// What the kernel called `name` may be launched with.
pub(super) fn guesses_of(
    file: &SourceFile,
    compiled: &Compiled,
    name: &str,
    launches: &WrittenLaunches,
) -> Result<Guesses, Box<Diagnostic>> {
    let plain = name.split('<').next().unwrap_or(name);
    let listed = compiled.template_parameters(plain).unwrap_or_default();
    let kernel = compiled.kernel(name)?;
    let subject = Subject {
        file,
        name,
        kernel,
        launches,
        // With the arguments that the template leaves to it.
        constants: guess::template_numbers(&kernel.name, listed),
    };
    subject.guesses()
}

/// How the template of kernels called `name` may be named with arguments, the likeliest first: as the file launches it,
/// then with usual ones.
pub fn template_instances(file: &SourceFile, compiled: &Compiled, name: &str) -> Vec<String> {
    let launches = WrittenLaunches::find(file.text());
    let listed = compiled.template_parameters(name);
    listed.map_or_else(Vec::new, |listed| {
        let instances = Instances::of(name, listed, &launches);
        [instances.written, instances.usual].concat()
    })
}

fn options(guess: &KernelGuess, plan: &Plan) -> String {
    launch_options(&plan.launches[0]) + &argument_options(guess, plan)
}

fn argument_options(guess: &KernelGuess, plan: &Plan) -> String {
    let mut options = String::new();
    for argument in &plan.launches[0].arguments {
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
            // No guess is one.
            Argument::TensorMap(_) => String::new(),
        };
    }
    options
}

/// As people write it: `--grid 4`, and not `4,1,1`.
fn listed(of: [u32; 3]) -> String {
    let last = of.iter().rposition(|&count| count != 1).unwrap_or(0);
    let counts: Vec<String> = of[..=last].iter().map(u32::to_string).collect();
    counts.join(",")
}

fn launch_options(launch: &Launch) -> String {
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
