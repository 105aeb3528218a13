//! What a Triton kernel is launched with when nobody says: by the names of its parameters.

use super::host_python::{next_power_of, shape};
use super::kernel_guess::{GuessedBuffer, GuessedSize, KernelGuess};
use crate::launch::ElementType;
use crate::source::{Diagnostic, SourceFile};
use crate::triton::{KernelParameter, USUAL_WARPS, kernel_parameters};

/// Elements where one number says how many, and each of several numbers.
const ONE_SIZE: u64 = 65_536;
const EACH_SIZE: u64 = 256;
/// The side of a tile: of one that walks along a vector, that holds a row, and of each side of several.
const LONG_TILE: u64 = 1024;
const ROW_TILE: u64 = 256;
const TILE: u64 = 32;
/// Most sizes that a guess tells apart.
const MOST_SIZES: usize = 3;
/// Rows where nothing says how many.
const ROWS: u64 = 16;

/// What the kernel called `name` is launched with.
///
/// # Errors
/// What is no Python.
pub fn guess(file: &SourceFile, name: &str) -> Result<KernelGuess, Box<Diagnostic>> {
    let parameters = kernel_parameters(file, name)?;
    let text = file.text();
    let constants = parameters.iter().filter(|parameter| parameter.is_constexpr);
    let given = parameters
        .iter()
        .filter(|parameter| !parameter.is_constexpr);
    let (pointers, numbers): (Vec<_>, Vec<_>) = given.clone().partition(|of| is_pointer(of, text));
    let mut sizes: Vec<&KernelParameter> = numbers.into_iter().filter(|of| is_size(of)).collect();
    // What comes behind those of a product are strides.
    sizes.truncate(MOST_SIZES);
    // One size that is no row's length: a vector, of which a program takes a tile.
    let is_vector = matches!(sizes[..], [one] if !is_row_length(&one.name));
    let each = if is_vector { ONE_SIZE } else { EACH_SIZE };
    let sides = shape(text);
    let size = |of: &&KernelParameter| {
        let side = side(&of.name, &sides, is_vector);
        GuessedSize::new(&of.name, side.unwrap_or(each))
    };
    let tiles = constants.clone().filter(|of| is_tile(of)).count();
    let mut guess = KernelGuess {
        sizes: sizes.iter().map(size).collect(),
        block: [USUAL_WARPS * 32, 1, 1],
        buffers: pointers.iter().map(|of| buffer(of)).collect(),
        constants: constants
            .map(|of| GuessedSize {
                formula: followed(&of.name, &sizes, text),
                ..constant(of, tiles, is_vector || sizes.is_empty())
            })
            .collect(),
        ..KernelGuess::blank(name)
    };
    guess.grid = grid(&guess, text);
    guess.arguments = arguments(given.collect(), &guess);
    let length = guess.lengths().swap_remove(0);
    for buffer in &mut guess.buffers {
        buffer.length.clone_from(&length);
    }
    Ok(guess)
}

/// A buffer for a pointer; how long it is, the sizes say.
fn buffer(of: &KernelParameter) -> GuessedBuffer {
    GuessedBuffer {
        name: of.name.clone(),
        element: ElementType::F32,
        per_value: 1,
        length: String::new(),
        is_length_written: false,
        is_read: true,
    }
}

/// Whether a parameter is a pointer: by its name, or as it is loaded from.
fn is_pointer(parameter: &KernelParameter, text: &str) -> bool {
    let name = parameter.name.as_str();
    // What is loaded from is a pointer, whatever it is called: `tl.load(x + offsets)`.
    let mut used = ["load", "store"]
        .map(|call| format!("tl.{call}({name} "))
        .into_iter();
    name.to_lowercase().contains("ptr") || used.any(|used| text.contains(&used))
}

/// Whether a number says how much there is.
fn is_size(parameter: &KernelParameter) -> bool {
    let name = parameter.name.to_lowercase();
    let other = ["stride", "seed", "eps", "scale", "alpha", "beta"];
    // Of one letter, only those that sizes have: M, N, K, height and width.
    name.len() > 1 && !other.iter().any(|word| name.contains(word)) || "mnkhw".contains(&name)
}

/// Whether a size is how long a row is.
fn is_row_length(name: &str) -> bool {
    name.to_lowercase().contains("col")
}

/// Whether a constant is the side of a tile.
fn is_tile(parameter: &KernelParameter) -> bool {
    let name = parameter.name.to_uppercase();
    ["BLOCK", "TILE", "SIZE"]
        .iter()
        .any(|word| name.contains(word))
        // `GROUP_SIZE_M` orders programs for L2: it is no side of a tile.
        && !name.contains("GROUP")
}

fn constant(of: &KernelParameter, tiles: usize, is_vector: bool) -> GuessedSize {
    let default = match (is_tile(of), tiles, is_vector) {
        (false, ..) => 1,
        (true, 1, true) => LONG_TILE,
        (true, 1, _) => ROW_TILE,
        _ => TILE,
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

/// Programs along each axis: as many tiles as cover the sizes, or one for each row.
fn grid(guess: &KernelGuess, text: &str) -> [String; 3] {
    let is_tile = |name: &str| name.contains("BLOCK") || name.contains("TILE");
    let tiles = guess.constants.iter().filter(|of| is_tile(&of.name));
    let tiles: Vec<&str> = tiles.map(GuessedSize::text).collect();
    let sizes: Vec<&str> = guess.sizes.iter().map(|of| of.name.as_str()).collect();
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

/// One for each parameter that is no constant.
fn arguments(parameters: Vec<&KernelParameter>, guess: &KernelGuess) -> Vec<String> {
    let row = guess.sizes.last().map_or("1", |size| &size.name);
    let mut strides = 0;
    let argument = |parameter: &KernelParameter| {
        let name = parameter.name.to_lowercase();
        let known = guess.buffers.iter().map(|buffer| &buffer.name);
        let known = known.chain(guess.sizes.iter().map(|size| &size.name));
        if known.into_iter().any(|known| *known == parameter.name) {
            return parameter.name.clone();
        }
        if name.contains("stride") || is_size(parameter) {
            strides += 1;
            // They mostly come in pairs: from row to row, then from column to column.
            let is_of_columns = name.contains("col") || !name.contains("row") && strides % 2 == 0;
            return if is_of_columns { "1" } else { row }.to_owned();
        }
        let is_float = ["eps", "scale", "alpha", "beta"]
            .iter()
            .any(|word| name.contains(word));
        if is_float { "0.5" } else { "1" }.to_owned()
    };
    parameters.into_iter().map(argument).collect()
}
