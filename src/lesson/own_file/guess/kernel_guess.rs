//! What a kernel is launched with when nobody says.

use crate::launch::{Counts, Dim3, ElementType};
use crate::lesson::own_file::text::evaluated;
use crate::lesson::sizes::Sizes;

/// The least that a size is made.
const LEAST_SIZE: u64 = 16;

/// A number that a learner may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuessedSize {
    /// Its name: that of the parameter.
    pub name: String,
    /// What it begins with.
    pub default: u64,
    /// What follows from the others, if it does: nobody changes it by itself.
    pub formula: Option<String>,
}

impl GuessedSize {
    /// One that begins with `default`.
    pub fn new(name: &str, default: u64) -> Self {
        GuessedSize {
            name: name.to_owned(),
            default,
            formula: None,
        }
    }

    /// It in a formula.
    pub fn text(&self) -> &str {
        self.formula.as_ref().unwrap_or(&self.name)
    }
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
    /// How many values it has, as a formula.
    pub length: String,
    /// Whether the file makes it so long.
    pub is_length_written: bool,
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
    /// Dynamic shared memory in bytes, as a formula.
    pub shared_bytes: String,
    /// Its buffers.
    pub buffers: Vec<GuessedBuffer>,
    /// One a parameter.
    pub arguments: Vec<String>,
    /// Of a Triton kernel, its constants.
    pub constants: Vec<GuessedSize>,
    /// Whether it is smaller than what the file launches.
    pub is_scaled: bool,
    /// What the trial counted that came to its end.
    pub counts: Option<Box<Counts>>,
}

/// What a kernel may be launched with, the likeliest first.
pub struct Guesses {
    pub first: KernelGuess,
    pub others: Vec<KernelGuess>,
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
            shared_bytes: "0".to_owned(),
            buffers: Vec::new(),
            arguments: Vec::new(),
            constants: Vec::new(),
            is_scaled: false,
            counts: None,
        }
    }

    /// Its sizes as they begin.
    pub fn default_sizes(&self) -> Sizes {
        let sizes = self.sizes.iter().chain(&self.constants);
        sizes
            .filter(|size| size.formula.is_none())
            .map(|size| (size.name.clone(), size.default))
            .collect()
    }

    /// The value of a formula over its sizes as they begin; 1 if it has none.
    pub fn value(&self, formula: &str) -> u64 {
        evaluated(formula, &self.default_sizes()).unwrap_or(1)
    }

    /// How many values a buffer may have, the likeliest first.
    pub fn lengths(&self) -> Vec<String> {
        let names: Vec<&str> = self.sizes.iter().map(|size| size.name.as_str()).collect();
        let blocks = self.grid.iter().filter(|blocks| *blocks != "1");
        let blocks: Vec<String> = blocks.map(|blocks| in_parentheses(blocks)).collect();
        let mut lengths = Vec::new();
        if names.is_empty() {
            // No size at all: the kernel's own indices tell how much it needs.
            lengths.push(self.threads().to_string());
        }
        // Products of all, then of fewer: a bit for each name that takes part.
        // Six names have 63 products: more would take too long to try.
        let mut parts: Vec<u32> = (1..1 << names.len().min(6)).collect();
        parts.sort_by_key(|bits| std::cmp::Reverse(bits.count_ones()));
        let product = |bits: &u32| {
            let part = names.iter().enumerate();
            let part = part.filter(|(at, _)| bits >> at & 1 == 1);
            part.map(|(_, name)| *name).collect::<Vec<_>>().join(" * ")
        };
        let products: Vec<String> = parts.iter().map(product).collect();
        lengths.extend(products.iter().cloned());
        if let [one] = names[..] {
            lengths.push(format!("{one} * {one}"));
        }
        // Complex numbers, colours, or queries, keys and values in one buffer.
        for times in [2, 3, 4] {
            lengths.extend(products.iter().map(|length| format!("{times} * {length}")));
        }
        if !blocks.is_empty() {
            lengths.push(blocks.join(" * "));
            lengths.extend(
                names
                    .iter()
                    .map(|name| format!("{} * {name}", blocks.join(" * "))),
            );
        }
        lengths
    }

    /// Halves the largest size, or else the blocks where they follow from none. Whether there was much to halve.
    pub fn shrink(&mut self) -> bool {
        self.shrink_sizes() || self.shrink_blocks()
    }

    /// Halves the largest size. Whether it was large enough.
    pub fn shrink_sizes(&mut self) -> bool {
        let largest = self.sizes.iter_mut().max_by_key(|size| size.default);
        let Some(size) = largest.filter(|size| size.default >= 2 * LEAST_SIZE) else {
            return false;
        };
        size.default /= 2;
        self.is_scaled = true;
        true
    }

    /// Halves the most blocks that are no formula over the sizes. Whether there were several.
    pub fn shrink_blocks(&mut self) -> bool {
        let blocks = self.grid.iter_mut();
        let blocks = blocks.filter_map(|formula| Some((formula.parse::<u64>().ok()?, formula)));
        let Some((blocks, formula)) = blocks.max_by_key(|(blocks, _)| *blocks) else {
            return false;
        };
        *formula = (blocks / 2).max(1).to_string();
        self.is_scaled = true;
        blocks > 1
    }

    /// Threads of all blocks.
    pub fn threads(&self) -> u64 {
        let blocks = self.grid.iter().map(|blocks| self.value(blocks));
        let threads = self.block.iter().map(|&threads| u64::from(threads));
        blocks.chain(threads).fold(1, u64::saturating_mul)
    }
}

/// A formula that may stand in a product.
fn in_parentheses(formula: &str) -> String {
    // One name, or one call, which has its blanks inside: `ceil_div(n, 256)`.
    let is_one = !formula.contains(' ') || formula.ends_with(')') && !formula.contains(") ");
    if is_one {
        formula.to_owned()
    } else {
        format!("({formula})")
    }
}
