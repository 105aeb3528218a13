//! Grid, block and shared memory of a launch that is guessed.

use std::collections::HashMap;

use crate::ir::{Allocation, Kernel, Space};
use crate::launch::Dim3;
use crate::lesson::formula::Formula;

use crate::lesson::own_file::text::{Body, Known, WrittenLaunch, WrittenLaunches, evaluated};

use super::kernel_guess::KernelGuess;

/// Threads of a block where nothing says how many, and in x and y where its threads are numbered so.
const THREADS: u32 = 256;
const TILE: u32 = 16;
/// Names of template parameters that say how many threads a block has.
const COUNTS: [&str; 4] = [
    "NUM_THREADS",
    "THREADS_PER_BLOCK",
    "BLOCK_THREADS",
    "kNumThreads",
];
/// Most threads of a block.
const MOST_THREADS: u32 = 1024;
/// Most blocks along an axis that are guessed.
const MOST_BLOCKS: u64 = 1 << 20;

/// What is known of the shape of a kernel's launch.
pub struct Shape<'a> {
    pub kernel: &'a Kernel,
    pub body: &'a Body<'a>,
    pub launches: &'a WrittenLaunches<'a>,
    pub written: Option<&'a WrittenLaunch>,
    /// The numbers among its template arguments.
    pub constants: &'a HashMap<String, u64>,
}

impl Shape<'_> {
    /// Threads of a block, and whether the file writes them.
    pub fn block(&self) -> (Dim3, bool) {
        // `__launch_bounds__` refuses larger blocks.
        let most = self.kernel.max_threads.unwrap_or(MOST_THREADS);
        let fits = |block: &Dim3| block.iter().product::<u32>() <= most;
        // The function around a launch often has the same template parameters.
        let known = |name: &str| self.constants.get(name).map(u64::to_string);
        let written = self.written;
        let written = written.and_then(|launch| self.launches.block(launch, &known));
        if let Some(block) = written.filter(fits) {
            return (block, true);
        }
        let of_count = self.block_of_count().filter(fits);
        let of_tiles = of_count.or_else(|| self.block_of_tiles().filter(fits));
        let named = of_tiles.or_else(|| self.block_of_constants().filter(fits));
        let block = named.or_else(|| self.block_of_arrays().filter(fits));
        let uses = |axis| self.body.uses_threads(axis);
        let usual = match (uses(1), uses(2)) {
            (true, false) => Some([TILE, TILE, 1]),
            // 256 threads, too.
            (_, true) => Some([8, 8, 4]),
            _ => None,
        };
        let block = block.or(usual.filter(fits));
        (block.unwrap_or([THREADS.min(most), 1, 1]), false)
    }

    /// The block by which the kernel numbers its threads: `blockIdx.x * TILE + threadIdx.x`.
    fn block_of_constants(&self) -> Option<Dim3> {
        let mut block = [1; 3];
        let mut is_known = false;
        for (axis, threads) in block.iter_mut().enumerate() {
            if !self.body.uses_threads(axis) {
                continue;
            }
            match self.body.factors(axis).find_map(|name| self.constant(name)) {
                Some(value) => {
                    is_known = true;
                    *threads = u32::try_from(value).ok()?;
                }
                None => *threads = 0,
            }
        }
        // What one axis says goes for the others.
        let known = block.iter().copied().filter(|&threads| threads > 1).min()?;
        for threads in &mut block {
            if *threads == 0 {
                *threads = known;
            }
        }
        is_known.then_some(block)
    }

    /// The block whose threads a template argument counts: `template <int NUM_THREADS = 64>`.
    fn block_of_count(&self) -> Option<Dim3> {
        let is_plane = self.body.uses_threads(1) || self.body.uses_threads(2);
        let count = |name: &&str| self.constants.get(*name).copied();
        let threads = COUNTS.iter().find_map(count).filter(|_| !is_plane)?;
        Some([u32::try_from(threads).ok()?, 1, 1])
    }

    /// The block of a product whose threads have tiles of their own: `BM * BN / (TM * TN)` threads.
    fn block_of_tiles(&self) -> Option<Dim3> {
        let side = |name: &str| self.constants.get(name).copied().filter(|&side| side > 0);
        let of_block = side("BM")? * side("BN")?;
        let of_thread = side("TM")? * side("TN").unwrap_or(1);
        let threads = u32::try_from(of_block / of_thread).ok()?;
        // Names of less than a warp mean something else.
        (threads >= 32).then_some([threads, 1, 1])
    }

    /// The block that fills the arrays in shared memory: a thread for each of their elements.
    pub fn block_of_arrays(&self) -> Option<Dim3> {
        let is_plane = self.body.uses_threads(1) && !self.body.uses_threads(2);
        let block_of = |array: &Allocation| match (&array.lengths[..], is_plane) {
            // A column more keeps lanes of a warp in different banks.
            ([rows, columns], true)
                if (4..=32).contains(rows) && (*rows..=rows + 1).contains(columns) =>
            {
                Some([*rows, *rows, 1])
            }
            ([threads], false) if (64..=MOST_THREADS).contains(threads) => Some([*threads, 1, 1]),
            _ => None,
        };
        let shared = self.kernel.memory.allocations.iter();
        let mut shared = shared.filter(|array| array.space == Space::Shared);
        shared.find_map(block_of)
    }

    /// The value of a constant of the file, or of a template argument.
    fn constant(&self, name: &str) -> Option<u64> {
        // In `blockDim.x * blockIdx.x` the block's size is what is looked for, and the word before the `*` is `x`.
        if matches!(name, "blockDim" | "x" | "y" | "z") {
            return None;
        }
        let of_template = self.constants.get(name).copied();
        let constant = of_template.or_else(|| self.launches.constant(name));
        constant.filter(|&value| value > 1)
    }

    /// Blocks in x, y and z, as formulas over the sizes.
    pub fn grid(&self, guess: &KernelGuess, known: Known) -> [String; 3] {
        let written = self
            .written
            .and_then(|launch| self.launches.grid(launch, known));
        let is_good = |blocks: &String| {
            let value = evaluated(blocks, &guess.default_sizes());
            value.is_some_and(|blocks| (1..=MOST_BLOCKS).contains(&blocks))
        };
        let by_rule = [0, 1, 2].map(|axis| self.blocks(axis, guess));
        let Some(mut written) = written.filter(|grid| grid.iter().all(is_good)) else {
            return by_rule;
        };
        for (blocks, rule) in written.iter_mut().zip(by_rule) {
            if is_over_sizes(blocks, guess) {
                continue;
            }
            // A number that is the same is better as a formula, which follows the sizes.
            let value = guess.value(blocks);
            *blocks = match value == guess.value(&rule) {
                true => rule,
                false => value.to_string(),
            };
        }
        written
    }

    /// Blocks along an axis.
    fn blocks(&self, axis: usize, guess: &KernelGuess) -> String {
        if !self.body.uses_blocks(axis) {
            return "1".to_owned();
        }
        let guard = self
            .body
            .guard(axis)
            .filter(|guard| is_over_sizes(&guard.extent, guess));
        let (extent, each) = match guard {
            Some(guard) => (Some(guard.extent), guard.each),
            None => (self.extent(axis, guess), 1),
        };
        let Some(extent) = extent else {
            // A kernel that takes no sizes: more than one block, or nobody would see what they share.
            return "4".to_owned();
        };
        if !self.numbers_threads(axis, guess) && guess.sizes.len() > 1 {
            // A block for each row.
            return extent;
        }
        let factors = self.body.factors(axis);
        let values = factors.filter_map(|name| self.constant(name));
        let threads = values.max().unwrap_or(guess.block[axis].into());
        format!("ceil_div({extent}, {})", threads * each)
    }

    /// Whether threads are numbered through all blocks: `blockIdx.x * blockDim.x + threadIdx.x`, where a constant may
    /// stand for the block's size. A factor that is one of the sizes numbers rows.
    fn numbers_threads(&self, axis: usize, guess: &KernelGuess) -> bool {
        let is_size = |factor: &str| guess.sizes.iter().any(|size| size.name == factor);
        self.body.factors(axis).any(|factor| !is_size(factor))
    }

    /// How far the threads of all blocks go along an axis, by the names of the sizes.
    fn extent(&self, axis: usize, guess: &KernelGuess) -> Option<String> {
        let named = |words: &[&str]| {
            let mut sizes = guess.sizes.iter().map(|size| &size.name);
            sizes
                .find(|name| words.contains(&name.to_lowercase().as_str()))
                .cloned()
        };
        let names: Vec<&str> = guess.sizes.iter().map(|size| size.name.as_str()).collect();
        let (first, last) = ((*names.first()?).to_owned(), (*names.last()?).to_owned());
        let is_product = named(&["m"]).is_some() && named(&["k"]).is_some();
        Some(match axis {
            0 if self.body.uses(1) => {
                named(&["width", "w", "cols", "columns", "nx", "n"]).unwrap_or(last)
            }
            0 if is_product => first,
            0 if self.numbers_threads(0, guess) => names.join(" * "),
            // A block for each row.
            0 if names.len() > 1 => names[..names.len() - 1].join(" * "),
            1 => named(&["height", "h", "rows", "ny", "m"]).unwrap_or(first),
            _ => first,
        })
    }

    /// Dynamic shared memory of a block in bytes, as a formula.
    pub fn shared_bytes(&self, guess: &KernelGuess, known: Known) -> String {
        let written = self
            .written
            .and_then(|launch| self.launches.shared_bytes(launch, known));
        let is_good = |bytes: &String| evaluated(bytes, &guess.default_sizes()).is_some();
        if let Some(bytes) = written.filter(is_good) {
            return bytes;
        }
        let mut shared = self.kernel.memory.allocations.iter();
        // `extern __shared__` has no size to the compiler.
        let dynamic = shared.find(|at| at.space == Space::Shared && at.size_bytes == 0);
        let threads: u32 = guess.block.iter().product();
        let bytes = dynamic.map_or(0, |array| {
            // One element for each thread, as reductions and tiles mostly have it.
            u64::from(array.element_bytes.max(4)) * u64::from(threads)
        });
        bytes.to_string()
    }
}

/// Whether a text is a formula over the sizes.
fn is_over_sizes(text: &str, guess: &KernelGuess) -> bool {
    let is_size = |name: &&str| guess.sizes.iter().any(|size| size.name == **name);
    Formula::parse(text).is_ok_and(|formula| {
        let names = formula.names();
        !names.is_empty() && names.iter().all(is_size)
    })
}
