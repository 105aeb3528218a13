//! What a Triton kernel is launched with when nobody says: by what it uses its parameters as, and by their names.

use super::host_python::{next_power_of, shape};
use super::kernel_guess::{GuessedBuffer, GuessedSize, Guesses, KernelGuess};
use super::roles::{self, Role};
use crate::launch::ElementType;
use crate::source::{Diagnostic, SourceFile};
use crate::triton::{
    KernelParameter, USUAL_WARPS, first_configuration, kernel_parameters, kernel_place,
};

/// Elements where one number says how many, and each of several numbers.
const ONE_SIZE: u64 = 65_536;
const EACH_SIZE: u64 = 256;
/// Of many numbers, or where nothing larger runs.
const SMALL_SIZE: u64 = 64;
/// The side of a tile: of one that walks along a vector, that holds a row, and of each side of several.
const LONG_TILE: u64 = 1024;
const ROW_TILE: u64 = 256;
const TILE: u64 = 32;
/// Copies of a loop that is written out: each is compiled.
const COPIES: u64 = 4;
/// Most sizes that a guess tells apart.
const MOST_SIZES: usize = 3;
/// Rows where nothing says how many.
const ROWS: u64 = 16;

/// What the kernel called `name` may be launched with, the likeliest first.
///
/// # Errors
/// What is no Python.
pub fn guesses(file: &SourceFile, name: &str) -> Result<Guesses, Box<Diagnostic>> {
    let parameters = kernel_parameters(file, name)?;
    let mut signature = Signature::of(&parameters);
    let configuration = first_configuration(file, name);
    let tuned = configuration.iter().find(|(key, _)| key == "num_warps");
    let tuned = tuned.and_then(|(_, warps)| warps.parse().ok());
    signature.warps = tuned.unwrap_or(USUAL_WARPS);
    let body = file.slice(kernel_place(file, name)?);
    signature.is_matrix = ["None, :]", ":, None]", "tl.dot("]
        .iter()
        .any(|of| body.contains(of));
    let variants = signature.variants().into_iter();
    let guesses = variants.map(|variant| signature.guess(name, file.text(), variant));
    let mut guesses: Vec<KernelGuess> = guesses.collect();
    let others = guesses.split_off(1);
    Ok(Guesses {
        first: guesses.remove(0),
        others,
    })
}

/// What the text leaves open.
#[derive(Clone, Copy, PartialEq)]
struct Variant {
    /// What constants are that conditions ask for, and those of which nothing is known.
    flag: u64,
    other: u64,
    /// What pointers without integers point to, and those to factors of matrix products.
    element: ElementType,
    factor: ElementType,
    /// Whether a few programs have to do.
    is_small: bool,
}

impl Variant {
    const FIRST: Variant = Variant {
        flag: 0,
        other: 1,
        element: ElementType::F32,
        factor: ElementType::F32,
        is_small: false,
    };
    const HALVES: Variant = Variant {
        element: ElementType::F16,
        factor: ElementType::F16,
        ..Variant::FIRST
    };
    const BYTES: Variant = Variant {
        factor: ElementType::I8,
        ..Variant::FIRST
    };

    /// What Triton calls its elements.
    fn type_name(self) -> &'static str {
        match self.element {
            ElementType::F16 => "tl.float16",
            _ => "tl.float32",
        }
    }
}

/// A kernel's parameters by what they are.
struct Signature<'a> {
    /// Those that are no constants.
    given: Vec<&'a KernelParameter>,
    constants: Vec<&'a KernelParameter>,
    pointers: Vec<&'a KernelParameter>,
    /// Numbers that say how much there is.
    sizes: Vec<&'a KernelParameter>,
    /// Warps per program.
    warps: u32,
    /// Whether its tiles have rows and columns.
    is_matrix: bool,
}

impl<'a> Signature<'a> {
    fn of(parameters: &'a [KernelParameter]) -> Self {
        let (constants, given): (Vec<_>, Vec<_>) =
            parameters.iter().partition(|of| of.is_constexpr);
        let (pointers, numbers): (Vec<&KernelParameter>, Vec<_>) =
            given.iter().partition(|of| is_pointer(of));
        let bounds = numbers.iter().copied().filter(|of| of.used.is_bound);
        let mut sizes: Vec<&KernelParameter> = bounds.collect();
        if sizes.is_empty() {
            sizes = numbers.into_iter().filter(|of| is_size(of)).collect();
            // What comes behind those of a product are strides.
            sizes.truncate(MOST_SIZES);
        }
        Signature {
            given,
            constants,
            pointers,
            sizes,
            warps: USUAL_WARPS,
            is_matrix: false,
        }
    }

    /// What may be launched, the likeliest first.
    fn variants(&self) -> Vec<Variant> {
        let mut variants = vec![Variant::FIRST];
        if self.pointers.iter().any(|of| of.used.is_factor) {
            variants.extend([Variant::HALVES, Variant::BYTES]);
        }
        // What conditions ask for may be what the kernel is for.
        let has = |is: fn(&KernelParameter) -> bool| self.constants.iter().any(|of| is(of));
        let also = |variants: &mut Vec<Variant>, change: fn(Variant) -> Variant| {
            let changed: Vec<Variant> = variants.iter().map(|&of| change(of)).collect();
            variants.extend(changed);
        };
        if has(is_flag) {
            also(&mut variants, |of| Variant { flag: 1, ..of });
        }
        if has(|of| !is_flag(of) && !of.used.is_integer && of.default.is_none()) {
            also(&mut variants, |of| Variant { other: 3, ..of });
        }
        let with_small = |of: Variant| {
            let small = Variant {
                is_small: true,
                ..of
            };
            [of, small]
        };
        variants.into_iter().flat_map(with_small).collect()
    }

    /// What a variant launches.
    fn guess(&self, name: &str, text: &str, variant: Variant) -> KernelGuess {
        let sizes = &self.sizes;
        // One size that is no row's length: a vector, of which a program takes a tile.
        let is_vector = matches!(sizes[..], [one] if !is_row_length(&one.name));
        let each = match sizes.len() {
            _ if variant.is_small => SMALL_SIZE,
            _ if is_vector => ONE_SIZE,
            0..=3 => EACH_SIZE,
            // All of them together may be the elements of a buffer.
            _ => SMALL_SIZE,
        };
        let sides = shape(text);
        let size = |of: &&KernelParameter| {
            let side = side(&of.name, &sides, is_vector);
            GuessedSize::new(&of.name, side.unwrap_or(each).max(1))
        };
        let mut guess = KernelGuess {
            sizes: sizes.iter().map(size).collect(),
            block: [self.warps * 32, 1, 1],
            buffers: self.pointers.iter().map(|of| buffer(of, variant)).collect(),
            constants: self.constant_sizes(text, variant, is_vector),
            ..KernelGuess::blank(name)
        };
        guess.grid = self.grid(&guess, text);
        if variant.is_small {
            guess.grid = ["1"; 3].map(str::to_owned);
        }
        guess.arguments = self.arguments(&guess);
        let length = guess.lengths().swap_remove(0);
        for buffer in &mut guess.buffers {
            buffer.length.clone_from(&length);
        }
        guess
    }

    /// What the constants are: numbers that a learner may change, or what follows from them.
    fn constant_sizes(&self, text: &str, variant: Variant, is_vector: bool) -> Vec<GuessedSize> {
        let tiles = self.constants.iter().filter(|of| is_tile(of)).count();
        // A tile may have the same side twice.
        let tiles = if self.is_matrix { tiles.max(2) } else { tiles };
        let is_vector = is_vector || self.sizes.is_empty();
        let formula = |at: usize, of: &KernelParameter| match () {
            () if of.used.is_type => Some(variant.type_name().to_owned()),
            // Numbers of tiles are factors of indices, too.
            () if is_named_stride(of) && of.default.is_none() => self.constant_stride(at),
            () => followed(&of.name, &self.sizes, text),
        };
        let constants = self.constants.iter().enumerate();
        let constants = constants.map(|(at, of)| GuessedSize {
            formula: formula(at, of),
            ..constant(of, variant, tiles, is_vector)
        });
        constants.collect()
    }

    /// How long a row is, where the constant at a position is the stride from one to the next.
    fn constant_stride(&self, at: usize) -> Option<String> {
        let is_size = |of: &&&KernelParameter| of.used.is_bound && !is_tile(of) && !is_stride(of);
        let constant = self.constants.iter().rfind(is_size);
        let row = self.sizes.last().or(constant)?;
        let stride = stride(&self.constants, at, &row.name);
        (stride != "1").then_some(stride)
    }

    /// Programs along each axis: as many tiles as cover the sizes, or one for each row.
    fn grid(&self, guess: &KernelGuess, text: &str) -> [String; 3] {
        let tiles = self.tiles(guess);
        let sizes: Vec<&str> = self.sizes.iter().map(|of| of.name.as_str()).collect();
        let along = |axis: usize| match (sizes.get(axis), tiles.get(axis)) {
            (Some(size), Some(tile)) => format!("ceil_div({size}, {tile})"),
            (Some(size), None) => (*size).to_owned(),
            _ => "1".to_owned(),
        };
        let has_axis = |axis: usize| {
            let calls = [
                format!("program_id({axis})"),
                format!("program_id(axis={axis})"),
            ];
            calls.iter().any(|call| text.contains(call))
        };
        let first = match (sizes.len(), tiles.len()) {
            // A tile that holds a row: a program for each row, of which nothing says how many there are.
            (1, _) if is_row_length(sizes[0]) => ROWS.to_string(),
            (0 | 1, _) => along(0),
            _ if has_axis(1) => along(0),
            (_, 0 | 1) => sizes[0].to_owned(),
            _ => format!("{} * {}", along(0), along(1)),
        };
        let second = if has_axis(1) {
            along(1)
        } else {
            "1".to_owned()
        };
        [first, second, "1".to_owned()]
    }

    /// The sides of the tiles that programs take, in formulas.
    fn tiles<'g>(&self, guess: &'g KernelGuess) -> Vec<&'g str> {
        let is_named = |name: &str| {
            let name = name.to_uppercase();
            name.contains("BLOCK") || name.contains("TILE")
        };
        let tiles = guess.constants.iter().filter(|of| is_named(&of.name));
        tiles.map(GuessedSize::text).collect()
    }

    /// One for each parameter that is no constant.
    fn arguments(&self, guess: &KernelGuess) -> Vec<String> {
        let is_known = |of: &KernelParameter| {
            let mut known = self.pointers.iter().chain(&self.sizes);
            known.any(|known| known.name == of.name)
        };
        let row = guess.sizes.last().map_or("1", |size| &size.name);
        let argument = |(at, of): (usize, &&KernelParameter)| match () {
            () if is_known(of) => of.name.clone(),
            () if is_stride(of) => stride(&self.given, at, row),
            () if of.used.is_integer => match Role::of(&of.name) {
                Role::Fixed(number) => number.to_string(),
                _ => "1".to_owned(),
            },
            () => roles::float(&of.name).to_owned(),
        };
        self.given.iter().enumerate().map(argument).collect()
    }
}

/// The stride at a position of `all`: the last of a tensor's goes from column to column, those before it from row to row.
fn stride(all: &[&KernelParameter], at: usize, row: &str) -> String {
    let name = &all[at].name;
    let is_of_tensor = |of: &&KernelParameter| is_stride(of) && stem(&of.name) == stem(name);
    let is_last = !all.get(at + 1).is_some_and(is_of_tensor);
    let before = at.checked_sub(1);
    let is_alone = is_last && !before.is_some_and(|at| is_of_tensor(&all[at]));
    let lower = name.to_lowercase();
    let is_of_columns = lower.contains("col") || is_last && !is_alone && !lower.contains("row");
    if is_of_columns { "1" } else { row }.to_owned()
}

/// A buffer for a pointer; how long it is, the sizes say.
fn buffer(of: &KernelParameter, variant: Variant) -> GuessedBuffer {
    let element = match of.used {
        used if used.holds_integers => ElementType::I32,
        used if used.is_factor => variant.factor,
        _ => variant.element,
    };
    GuessedBuffer {
        name: of.name.clone(),
        element,
        per_value: 1,
        length: String::new(),
        is_length_written: false,
        is_read: true,
    }
}

/// Whether a parameter is a pointer: as it is used, or by its name.
fn is_pointer(of: &KernelParameter) -> bool {
    of.used.is_pointer || of.name.to_lowercase().contains("ptr") && !of.used.is_integer
}

/// Whether a number says how much there is, by its name.
fn is_size(of: &KernelParameter) -> bool {
    let name = of.name.to_lowercase();
    let other = ["stride", "seed", "eps", "scale", "alpha", "beta"];
    // Of one letter, only those that sizes have: M, N, K, height and width.
    of.used.is_integer
        && (name.len() > 1 && !other.iter().any(|word| name.contains(word))
            || "mnkhw".contains(&name))
}

/// Whether a number says how far it is from one element to another.
fn is_stride(of: &KernelParameter) -> bool {
    of.used.is_stride || is_named_stride(of)
}

fn is_named_stride(of: &KernelParameter) -> bool {
    of.name.to_lowercase().contains("stride")
}

/// What the strides of one tensor have in common: `stride_a` of `stride_am` and `stride_ak`.
fn stem(name: &str) -> &str {
    name.char_indices()
        .last()
        .map_or(name, |(at, _)| &name[..at])
}

/// Whether a size is how long a row is.
fn is_row_length(name: &str) -> bool {
    name.to_lowercase().contains("col")
}

/// Whether a constant is the side of a tile.
fn is_tile(of: &KernelParameter) -> bool {
    let name = of.name.to_uppercase();
    let is_named = ["BLOCK", "TILE", "SIZE"]
        .iter()
        .any(|word| name.contains(word))
        // `GROUP_SIZE_M` orders programs for L2: it is no side of a tile.
        && !name.contains("GROUP");
    of.used.is_tile_side || is_named
}

/// Whether a constant says which way conditions go.
fn is_flag(of: &KernelParameter) -> bool {
    of.used.is_flag && !of.used.is_integer && of.default.is_none()
}

fn constant(of: &KernelParameter, variant: Variant, tiles: usize, is_vector: bool) -> GuessedSize {
    let default = match (is_tile(of), tiles, is_vector) {
        _ if of.used.is_unrolled => COPIES,
        (true, 1, true) => LONG_TILE,
        (true, 1, _) => ROW_TILE,
        (true, ..) => TILE,
        _ if of.used.is_bound => EACH_SIZE,
        _ if is_flag(of) => variant.flag,
        _ if of.used.is_integer => 1,
        _ => variant.other,
    };
    GuessedSize::new(&of.name, of.default.unwrap_or(default))
}

/// The formula of a constant that follows from one of `sizes`, as the file's host code has it.
fn followed(name: &str, sizes: &[&KernelParameter], text: &str) -> Option<String> {
    let size = next_power_of(text, name)?;
    let is_known = sizes.iter().any(|of| of.name == size);
    is_known.then(|| format!("next_pow2({size})"))
}

/// The side of what the file makes that a size is: a matrix has rows of so many columns, a vector its length.
fn side(name: &str, sides: &[u64], is_vector: bool) -> Option<u64> {
    let is_of_rows = name.to_lowercase().contains("row");
    match *sides {
        [length] if is_vector => Some(length),
        [.., columns] if sides.len() > 1 && is_row_length(name) => Some(columns),
        // Rows are alike: a few hundred show what there is to see.
        [rows, _] if is_of_rows => Some(rows.min(EACH_SIZE)),
        _ => None,
    }
}
