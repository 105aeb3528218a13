//! What a kernel is launched with when nobody says: by its parameters, by the indices in its text, and by the block of
//! a launch that the file writes.

use crate::cuda::tokens;
use crate::ir::{Kernel, Parameter, ParameterType, Space};
use crate::launch::{Dim3, ElementType, ValueType};
use crate::source::{Diagnostic, SourceFile};

use super::written_launches::WrittenLaunch;

/// Elements where one number says how many: enough for every SM, and run at once.
const ONE_SIZE: u64 = 65_536;
/// Each of several numbers.
const EACH_SIZE: u64 = 256;
/// Threads of a block where nothing says how many, and in x and y where its threads are numbered so.
const THREADS: u32 = 256;
const TILE: u32 = 16;

/// A number that a learner may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuessedSize {
    /// Its name: that of the parameter.
    pub name: String,
    /// What it begins with.
    pub default: u64,
}

/// A buffer for a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuessedBuffer {
    /// The parameter's name.
    pub name: String,
    /// The type of its elements.
    pub element: ElementType,
    /// Elements that one value has: 4 behind a `float4*`.
    pub per_value: u32,
    /// Whether it begins with numbers rather than zeros.
    pub is_read: bool,
}

/// What a kernel is launched with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelGuess {
    /// The kernel, with its template arguments.
    pub kernel: String,
    /// The numbers among its parameters that say how much there is.
    pub sizes: Vec<GuessedSize>,
    /// Blocks in x, y and z, as formulas.
    pub grid: [String; 3],
    /// Threads of a block.
    pub block: Dim3,
    /// Whether the file writes a launch with this block.
    pub is_block_written: bool,
    /// Dynamic shared memory, in bytes.
    pub shared_bytes: u64,
    /// Its buffers.
    pub buffers: Vec<GuessedBuffer>,
    /// How many values each buffer has, as a formula.
    pub length: String,
    /// One a parameter.
    pub arguments: Vec<String>,
    /// Of a Triton kernel, its constants.
    pub constants: Vec<GuessedSize>,
}

impl KernelGuess {
    /// Of the kernel called so, of which nothing is known.
    pub fn blank(name: &str) -> Self {
        KernelGuess {
            kernel: name.to_owned(),
            sizes: Vec::new(),
            grid: [const { String::new() }; 3],
            block: [1; 3],
            is_block_written: false,
            shared_bytes: 0,
            buffers: Vec::new(),
            length: String::new(),
            arguments: Vec::new(),
            constants: Vec::new(),
        }
    }

    /// What `kernel`, of `file`, is launched with; `name` is what the file calls it in a launch.
    ///
    /// # Errors
    /// Which parameter nothing can be guessed for.
    pub fn new(
        file: &SourceFile,
        name: &str,
        kernel: &Kernel,
        written: Option<&WrittenLaunch>,
    ) -> Result<Self, Box<Diagnostic>> {
        let body = Body::of(file, kernel);
        let mut guess = KernelGuess::blank(name);
        for parameter in kernel.written_parameters() {
            guess.parameter(kernel, parameter)?;
        }
        let several = guess.sizes.len() > 1;
        for size in &mut guess.sizes {
            // Several sizes multiply: each must be small for the buffers to stay so.
            size.default = if several { EACH_SIZE } else { ONE_SIZE };
        }
        guess.block = guess.block_of(kernel, written, &body);
        guess.is_block_written = written.is_some_and(|launch| launch.block == Some(guess.block));
        guess.grid = [0, 1, 2].map(|axis| guess.blocks(axis, &body));
        guess.length = guess.lengths()[0].clone();
        guess.shared_bytes = guess.dynamic_shared_bytes(kernel, written);
        Ok(guess)
    }

    /// How many values a buffer may have, the likeliest first.
    pub fn lengths(&self) -> Vec<String> {
        let names: Vec<&str> = self.sizes.iter().map(|size| size.name.as_str()).collect();
        let threads: u32 = self.block.iter().product();
        let all = names.join(" * ");
        match names[..] {
            // No size at all: the kernel's own indices tell how much it needs, a thread or four elements each.
            [] => [1, 4]
                .map(|times| (u64::from(threads) * times * self.blocks_alone()).to_string())
                .into(),
            [one] => vec![
                one.to_owned(),
                format!("{one} * {one}"),
                format!("4 * {one}"),
            ],
            [_, _] => vec![all.clone(), format!("4 * {all}")],
            // Three sizes are those of a matrix product: each matrix has two of them.
            [a, b, c] => vec![format!("max({a} * {b}, max({a} * {c}, {b} * {c}))"), all],
            _ => vec![all.clone(), format!("4 * {all}")],
        }
    }

    /// Blocks of a kernel that takes no sizes.
    fn blocks_alone(&self) -> u64 {
        let blocks = self.grid.iter().map(|blocks| blocks.parse().unwrap_or(1));
        blocks.product()
    }

    fn parameter(&mut self, kernel: &Kernel, parameter: &Parameter) -> Result<(), Box<Diagnostic>> {
        // Members of structs have dots, which no name of a size may have.
        let name = parameter.name.replace(['.', '[', ']'], "_");
        let argument = match parameter.parameter_type {
            ParameterType::Pointer => {
                let Some(to) = parameter
                    .points_to
                    .filter(|_| !parameter.type_name.ends_with("**"))
                else {
                    return Err(unknown(kernel, parameter));
                };
                let element_bytes = to.element.size_bytes() as u32;
                self.buffers.push(GuessedBuffer {
                    name: name.clone(),
                    element: to.element,
                    per_value: (to.size_bytes / element_bytes).max(1),
                    is_read: true,
                });
                name
            }
            ParameterType::Scalar(ValueType::Number(element)) if element.is_float() => {
                // Added to a variance: 1 would hide what the kernel computes.
                if name.contains("eps") {
                    "0.00001".to_owned()
                } else {
                    "1.0".to_owned()
                }
            }
            ParameterType::Scalar(ValueType::Number(element)) if element.size_bytes() >= 4 => {
                self.integer(name)
            }
            ParameterType::Scalar(_) => "1".to_owned(),
            ParameterType::Symbol(_) => return Ok(()),
        };
        self.arguments.push(argument);
        Ok(())
    }

    /// What a whole number is: a size that the learner may change, or a constant where its name says that it is none.
    fn integer(&mut self, name: String) -> String {
        let lower = name.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if has(&["offset", "start", "begin", "shift", "seed", "base"]) {
            return "0".to_owned();
        }
        if has(&["stride", "step", "iter", "inc", "repeat"]) {
            return "1".to_owned();
        }
        self.sizes.push(GuessedSize {
            name: name.clone(),
            default: 1,
        });
        name
    }

    fn block_of(&self, kernel: &Kernel, written: Option<&WrittenLaunch>, body: &Body) -> Dim3 {
        if let Some(block) = written.and_then(|launch| launch.block) {
            return block;
        }
        // `__launch_bounds__` refuses larger blocks.
        let most = kernel.max_threads.unwrap_or(THREADS);
        match (body.uses(1), body.uses(2)) {
            (false, false) => [THREADS.min(most), 1, 1],
            (true, false) => [TILE, TILE, 1],
            _ => [8, 8, 4],
        }
    }

    /// Blocks along an axis.
    fn blocks(&self, axis: usize, body: &Body) -> String {
        let threads = self.block[axis];
        if !body.uses_block(axis) {
            return "1".to_owned();
        }
        let Some(extent) = self.extent(axis, body) else {
            // A kernel that takes no sizes: more than one block, or nobody would see what they share.
            return "4".to_owned();
        };
        match body.numbers_threads(axis, &self.sizes) || self.sizes.len() == 1 {
            true => format!("ceil_div({extent}, {threads})"),
            // A block for each row.
            false => extent,
        }
    }

    /// How far the threads of all blocks go along an axis.
    fn extent(&self, axis: usize, body: &Body) -> Option<String> {
        let named = |words: &[&str]| {
            let mut sizes = self.sizes.iter().map(|size| &size.name);
            sizes
                .find(|name| words.contains(&name.to_lowercase().as_str()))
                .cloned()
        };
        let (first, last) = (
            self.sizes.first()?.name.clone(),
            self.sizes.last()?.name.clone(),
        );
        Some(match axis {
            0 if body.uses(1) => {
                named(&["width", "w", "cols", "columns", "nx", "n"]).unwrap_or(last)
            }
            0 if body.numbers_threads(0, &self.sizes) => match &self.sizes[..] {
                [a, b, ..] => format!("{} * {}", a.name, b.name),
                _ => first,
            },
            1 => named(&["height", "h", "rows", "ny", "m"]).unwrap_or(first),
            _ => first,
        })
    }

    fn dynamic_shared_bytes(&self, kernel: &Kernel, written: Option<&WrittenLaunch>) -> u64 {
        if let Some(bytes) = written.and_then(|launch| launch.shared_bytes) {
            return bytes;
        }
        let mut shared = kernel.memory.allocations.iter();
        // `extern __shared__` is an array of no elements to the compiler.
        let dynamic = shared.find(|at| at.space == Space::Shared && at.lengths[..] == [0]);
        let threads: u32 = self.block.iter().product();
        dynamic.map_or(0, |array| {
            // One element for each thread, as reductions and tiles mostly have it.
            u64::from(array.element_bytes.max(4)) * u64::from(threads)
        })
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

/// The words of a kernel's body.
struct Body<'a>(Vec<&'a str>);

impl<'a> Body<'a> {
    fn of(file: &'a SourceFile, kernel: &Kernel) -> Self {
        let text = file.text().get(kernel.span.start as usize..).unwrap_or("");
        let (spans, _) = tokens(text);
        let mut depth = 0;
        let mut words = Vec::new();
        for span in spans {
            let word = text
                .get(span.start as usize..span.end as usize)
                .unwrap_or("");
            words.push(word);
            depth += match word {
                "{" => 1,
                "}" => -1,
                _ => 0,
            };
            if depth == 0 && word == "}" {
                break;
            }
        }
        Body(words)
    }

    fn has(&self, what: &str, axis: usize) -> bool {
        let axis = ["x", "y", "z"][axis];
        self.0.windows(3).any(|words| words == [what, ".", axis])
    }

    /// Whether threads or blocks are numbered along an axis.
    fn uses(&self, axis: usize) -> bool {
        self.has("threadIdx", axis) || self.has("blockIdx", axis)
    }

    fn uses_block(&self, axis: usize) -> bool {
        self.has("blockIdx", axis)
    }

    /// Whether threads are numbered through all blocks: `blockIdx.x * blockDim.x + threadIdx.x`, where a constant may
    /// stand for the block's size. A factor that is one of the `sizes` numbers rows.
    fn numbers_threads(&self, axis: usize, sizes: &[GuessedSize]) -> bool {
        let axis = ["x", "y", "z"][axis];
        let is_fixed = |factor: &str| {
            let is_size = sizes.iter().any(|size| size.name == factor);
            !is_size && !matches!(factor, "(" | ")")
        };
        self.0.windows(5).any(|words| match words {
            ["blockIdx", ".", of, "*", factor] | [factor, "*", "blockIdx", ".", of] => {
                *of == axis && is_fixed(factor)
            }
            _ => false,
        })
    }
}
