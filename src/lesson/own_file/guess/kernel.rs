//! What a kernel is launched with when nobody says: by its parameters, by the indices in its text, and by a launch that
//! the file writes.

use std::collections::HashMap;

use crate::ir::{Kernel, Parameter, ParameterType};
use crate::launch::ValueType;
use crate::lesson::own_file::text::{Body, Known, WrittenLaunch, WrittenLaunches, evaluated};
use crate::source::{Diagnostic, SourceFile};

use super::kernel_guess::{GuessedBuffer, GuessedSize, Guesses, KernelGuess};
use super::roles::{self, Role};
use super::shape::Shape;

/// Elements where one number says how many: enough for every SM, and run at once.
const ONE_SIZE: u64 = 65_536;
/// Each of several numbers, the more the smaller, as they multiply. Different from each other, so that what a kernel
/// touches tells which of them a buffer's length goes by; multiples of 128 as long as they are sides of tiles.
const SEVERAL_SIZES: [&[u64]; 4] = [&[256], &[256, 128], &[256, 128, 384], &[8, 64, 128, 4]];
const EACH_OF_MANY: u64 = 16;
/// Most threads, and most values that one or two sizes may come to together; and three or more.
const MOST_VALUES: u64 = 1 << 22;
const MOST_STEPS: u64 = 1 << 25;
/// Most of a size that the file gives together with a number of blocks; most values of a buffer that it allocates.
const MOST_WRITTEN: u64 = 1 << 24;

/// A kernel and the file that it stands in.
pub struct Subject<'a> {
    pub file: &'a SourceFile,
    /// What the file calls it in a launch.
    pub name: &'a str,
    pub kernel: &'a Kernel,
    pub launches: &'a WrittenLaunches<'a>,
    /// The numbers among its template arguments.
    pub constants: HashMap<String, u64>,
}

/// What one guess does otherwise than another.
#[derive(Clone, Copy, Default)]
struct Variant {
    /// The block is the one that fills the arrays in shared memory, whatever the file launches.
    is_block_of_arrays: bool,
    /// All sizes are the same: the kernel may be for square matrices.
    is_square: bool,
}

impl Subject<'_> {
    /// What the kernel may be launched with.
    ///
    /// # Errors
    /// Which parameter nothing can be guessed for.
    pub fn guesses(&self) -> Result<Guesses, Box<Diagnostic>> {
        let first = self.guess(Variant::default())?;
        let mut others = Vec::new();
        for (is_block_of_arrays, is_square) in [(true, false), (false, true)] {
            let other = self.guess(Variant {
                is_block_of_arrays,
                is_square,
            })?;
            if other != first {
                others.push(other);
            }
        }
        Ok(Guesses { first, others })
    }

    fn guess(&self, variant: Variant) -> Result<KernelGuess, Box<Diagnostic>> {
        let (kernel, launches) = (self.kernel, self.launches);
        let body = Body::of(self.file, kernel);
        let written = launches.of(self.name);
        let shape = Shape {
            kernel,
            body: &body,
            launches,
            written,
            constants: &self.constants,
        };
        let mut guess = KernelGuess::blank(self.name);
        let of_arrays = shape
            .block_of_arrays()
            .filter(|_| variant.is_block_of_arrays);
        (guess.block, guess.is_block_written) = match of_arrays {
            Some(block) => (block, false),
            None => shape.block(),
        };
        let numbers = Numbers::of(kernel, launches, written);
        for (parameter, known) in kernel.written_parameters().iter().zip(&numbers.values) {
            guess.parameter(kernel, parameter, *known)?;
        }
        guess.choose_sizes(&numbers, &body, variant.is_square);
        guess.write_sizes(kernel);
        let variables = numbers.variables(kernel, &guess.arguments);
        let known = |name: &str| variables.get(name).cloned();
        guess.grid = shape.grid(&guess, &known);
        guess.shared_bytes = shape.shared_bytes(&guess, &known);
        guess.bound();
        guess.write_lengths(launches, &numbers, &known);
        Ok(guess)
    }
}

impl KernelGuess {
    fn parameter(
        &mut self,
        kernel: &Kernel,
        parameter: &Parameter,
        known: Option<u64>,
    ) -> Result<(), Box<Diagnostic>> {
        let name = plain_name(parameter);
        let argument = match parameter.parameter_type {
            ParameterType::Pointer => {
                // Buffers hold numbers: nothing could fill an array of pointers.
                let to = parameter
                    .points_to
                    .filter(|_| !parameter.type_name.ends_with("**"))
                    .ok_or_else(|| unknown(kernel, parameter))?;
                let element_bytes = to.element.size_bytes() as u32;
                self.buffers.push(GuessedBuffer {
                    name: name.clone(),
                    element: to.element,
                    per_value: (to.size_bytes / element_bytes).max(1),
                    length: String::new(),
                    is_length_written: false,
                    is_read: true,
                });
                name
            }
            ParameterType::Scalar(ValueType::Number(element)) if element.is_float() => {
                roles::float(&name).to_owned()
            }
            ParameterType::Scalar(ValueType::Number(element)) if element.size_bytes() >= 4 => {
                self.integer(name, known)
            }
            // A `bool` or a `char` is mostly a flag, and no size.
            ParameterType::Scalar(_) => known.unwrap_or(1).to_string(),
            ParameterType::Symbol(_) => return Ok(()),
        };
        self.arguments.push(argument);
        Ok(())
    }

    /// What a whole number is: a size that the learner may change, or a constant where its name says that it is none.
    fn integer(&mut self, name: String, known: Option<u64>) -> String {
        match Role::of(&name) {
            Role::Fixed(usual) => known.unwrap_or(usual).to_string(),
            Role::BlockThreads => self.block.iter().product::<u32>().to_string(),
            Role::Size | Role::Total | Role::RowPitch => {
                // Chosen when all sizes are known.
                self.sizes.push(GuessedSize::new(&name, 0));
                name
            }
        }
    }

    /// What the sizes begin with: what the file gives them, or less where together they come to too much.
    fn choose_sizes(&mut self, numbers: &Numbers, body: &Body, is_square: bool) {
        let known: HashMap<String, u64> = numbers.by_name();
        let count = self.multiplied().len();
        let usual = match SEVERAL_SIZES.get(count.wrapping_sub(1)) {
            Some(usual) if is_square => vec![usual.iter().copied().min().unwrap_or(1); count],
            Some(usual) => usual.to_vec(),
            None => vec![EACH_OF_MANY; self.sizes.len()],
        };
        // What something is multiplied with, as in `row * n`, is the side of a matrix, whose square would be too much.
        let is_vector = count <= 1 && !self.sizes.iter().any(|size| body.is_side(&size.name));
        let mut usual = usual.into_iter();
        let names: Vec<String> = self
            .multiplied()
            .iter()
            .map(|size| size.name.clone())
            .collect();
        for size in &mut self.sizes {
            let next = names.contains(&size.name).then(|| usual.next()).flatten();
            let next = match is_vector {
                true => ONE_SIZE,
                false => next.unwrap_or(SEVERAL_SIZES[0][0]),
            };
            let known = known.get(&size.name).copied();
            size.default = known.filter(|&value| value > 0).unwrap_or(next);
        }
    }

    /// The sizes that multiply: how much there is in all, and how far rows lie apart, follow from them.
    fn multiplied(&self) -> Vec<&GuessedSize> {
        let is_size = |size: &&GuessedSize| Role::of(&size.name) == Role::Size;
        let sizes: Vec<&GuessedSize> = self.sizes.iter().filter(is_size).collect();
        match sizes.is_empty() {
            true => self.sizes.iter().take(1).collect(),
            false => sizes,
        }
    }

    /// Makes sizes and blocks smaller until nobody has to wait for them.
    fn bound(&mut self) {
        // Blocks that follow the sizes become fewer with them; with a number of blocks, sizes that the file gives go
        // together, and only absurd ones are made smaller.
        let follows = self
            .grid
            .iter()
            .any(|blocks| blocks.parse::<u64>().is_err());
        let most = if follows { MOST_VALUES } else { MOST_WRITTEN };
        loop {
            let is_less = match (self.threads() > MOST_VALUES, self.is_large(most)) {
                (true, _) => self.shrink_blocks() || self.shrink_sizes(),
                (false, true) => self.shrink_sizes(),
                (false, false) => false,
            };
            if !is_less {
                return;
            }
        }
    }

    /// Whether the sizes come to more than `most` together.
    fn is_large(&self, most: u64) -> bool {
        let sizes = self.multiplied();
        let product = sizes
            .iter()
            .fold(1u64, |product, size| product.saturating_mul(size.default));
        let most_together = match sizes.len() {
            0..=2 => most,
            // Three are those of a matrix product: no buffer goes by all of them.
            _ => most.max(MOST_STEPS),
        };
        product > most_together || self.sizes.iter().any(|size| size.default > most)
    }

    /// Writes totals and the distances between rows by the other sizes.
    fn write_sizes(&mut self, kernel: &Kernel) {
        let names: Vec<String> = self
            .multiplied()
            .iter()
            .map(|size| size.name.clone())
            .collect();
        let Some((first, rest)) = names.split_first() else {
            return;
        };
        // As far as the longest asks for: rows too far apart do no harm, rows too near overlap.
        let longest = rest.iter().fold(first.clone(), |longest, name| {
            format!("max({longest}, {name})")
        });
        let product = names.join(" * ");
        let is_product = names.len() > 1 && self.value(&product) <= MOST_VALUES;
        for (at, parameter) in kernel.written_parameters().iter().enumerate() {
            let name = plain_name(parameter);
            let is_size = self.sizes.iter().any(|size| size.name == name);
            if self.arguments[at] != name || !is_size || names.contains(&name) {
                continue;
            }
            self.arguments[at] = match Role::of(&name) {
                Role::Total if is_product => product.clone(),
                // In bytes, as `cudaMallocPitch` gives it.
                Role::RowPitch if name.to_lowercase().contains("pitch") => format!("4 * {longest}"),
                Role::RowPitch => longest.clone(),
                _ => continue,
            };
            self.sizes.retain(|size| size.name != name);
        }
    }

    /// Writes how long each buffer is: as long as the file makes it, or all sizes together until a trial tells.
    fn write_lengths(&mut self, launches: &WrittenLaunches, numbers: &Numbers, known: Known) {
        let usual = self.lengths().swap_remove(0);
        for at in 0..self.buffers.len() {
            let buffer = &self.buffers[at];
            let value_bytes = buffer.element.size_bytes() as u64 * u64::from(buffer.per_value);
            let variable = numbers.variable(&buffer.name);
            let bytes = variable.and_then(|name| launches.allocated_bytes(name, known));
            let is_possible = |bytes: &String| {
                let bytes = evaluated(bytes, &self.default_sizes());
                bytes.is_some_and(|bytes| (1..=MOST_WRITTEN).contains(&(bytes / value_bytes)))
            };
            let bytes = bytes.filter(is_possible);
            self.buffers[at].is_length_written = bytes.is_some();
            self.buffers[at].length = match bytes {
                Some(bytes) => format!("({bytes}) / {value_bytes}"),
                None => usual.clone(),
            };
        }
    }
}

/// A parameter's name, which a size may have: members of structs have dots.
fn plain_name(parameter: &Parameter) -> String {
    parameter.name.replace(['.', '[', ']'], "_")
}

/// What the file gives a kernel where it launches it.
struct Numbers<'a> {
    names: Vec<String>,
    /// By parameter, the number.
    values: Vec<Option<u64>>,
    /// By parameter, the variable of the host.
    variables: Vec<Option<&'a str>>,
}

impl<'a> Numbers<'a> {
    fn of(kernel: &Kernel, launches: &WrittenLaunches, written: Option<&'a WrittenLaunch>) -> Self {
        let mut numbers = Numbers {
            names: Vec::new(),
            values: Vec::new(),
            variables: Vec::new(),
        };
        let (mut argument, mut of) = (0, "");
        for (number, parameter) in kernel.written_parameters().iter().enumerate() {
            // Members of one struct are one argument together.
            let name = parameter.name.split(['.', '[']).next().unwrap_or("");
            argument += usize::from(number > 0 && name != of);
            of = name;
            let is_whole = name == parameter.name;
            let written = written.filter(|_| is_whole);
            numbers.names.push(plain_name(parameter));
            numbers
                .values
                .push(written.and_then(|launch| launches.value(launch, argument)));
            numbers
                .variables
                .push(written.and_then(|launch| launches.argument(launch, argument)));
        }
        numbers
    }

    /// The variable of the host that is given for the parameter called `name`.
    fn variable(&self, name: &str) -> Option<&'a str> {
        let at = self.names.iter().position(|known| known == name)?;
        self.variables[at]
    }

    fn by_name(&self) -> HashMap<String, u64> {
        let named = self.names.iter().cloned().zip(&self.values);
        named
            .filter_map(|(name, value)| Some((name, (*value)?)))
            .collect()
    }

    /// What variables of the host are, as formulas: the `arguments` that the kernel is given for them.
    fn variables(&self, kernel: &Kernel, arguments: &[String]) -> HashMap<&'a str, String> {
        let parameters = kernel.written_parameters().iter();
        let is_number = |of: &Parameter| matches!(of.parameter_type, ParameterType::Scalar(_));
        let numbers = parameters
            .map(is_number)
            .zip(&self.variables)
            .zip(arguments);
        numbers
            .filter(|((is_number, _), _)| *is_number)
            .filter_map(|((_, variable), argument)| Some(((*variable)?, argument.clone())))
            .collect()
    }
}

fn unknown(kernel: &Kernel, parameter: &Parameter) -> Box<Diagnostic> {
    let (name, ty) = (&parameter.name, &parameter.type_name);
    let message = format!(
        "what `{name}` of `{}` points to cannot be guessed: `{ty}`",
        kernel.name
    );
    let help = "write a lesson for it (`tutor help authors`), or a `main` that launches it";
    Box::new(Diagnostic::error(kernel.span, message).help(help))
}
