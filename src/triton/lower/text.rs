//! Text that grows line by line, each line with the place in the Python that it came from.

use crate::source::Span;

/// An array in shared memory.
#[derive(Clone, Debug)]
pub struct SharedArray {
    /// What it is called.
    pub name: String,
    /// The type of its elements.
    pub element: String,
    /// How many there are.
    pub count: u64,
    /// The size of all of them.
    pub bytes: u64,
}

/// Behind a load of the thread program that Triton's code does without: it counts nothing.
pub const UNCOUNTED: &str = "// wgmma reads this itself";

/// Stands behind an atomic addition that counts with the one above it: Triton adds both in one instruction.
pub const PART_OF_ACCESS: &str = "// part of the access above";

/// Most shared memory that `__shared__` arrays have together.
// Beyond it memory has to be dynamic, and asked for by `cudaFuncSetAttribute`.
const MOST_STATIC_BYTES: u64 = 48 * 1024;
/// Arrays begin at the first bank.
const ROW_BYTES: u64 = 128;

/// Lines of CUDA C++.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    lines: Vec<(String, Span)>,
    /// Arrays in shared memory, each with the line that declares it.
    shared: Vec<(usize, SharedArray)>,
    /// For each of them the line from which on nothing needs it.
    ends: Vec<usize>,
    /// Lines before which memory may go from one array to another.
    reuses: Vec<usize>,
    depth: usize,
    /// Variables of a thread that are set once, at the top: what they are, and what they are called.
    pub places: Vec<(String, String)>,
    /// Where what is written now came from.
    pub span: Span,
}

impl Writer {
    /// One line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        let indent = "    ".repeat(self.depth);
        self.lines
            .push((format!("{indent}{}", text.as_ref()), self.span));
    }

    /// A line at the margin.
    pub fn margin(&mut self, text: impl AsRef<str>) {
        self.lines.push((text.as_ref().to_owned(), self.span));
    }

    /// A line that opens a block.
    pub fn open(&mut self, text: impl AsRef<str>) {
        self.line(format!("{} {{", text.as_ref()).trim_start());
        self.depth += 1;
    }

    /// Ends a block and begins its other half.
    pub fn other(&mut self, text: &str) {
        self.depth -= 1;
        self.open(format!("}} {text}"));
    }

    /// Ends a block.
    pub fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// An array in shared memory.
    pub fn shared(&mut self, array: SharedArray) {
        let SharedArray {
            name,
            element,
            count,
            ..
        } = &array;
        let aligned = match element.as_str() {
            // Bytes stand for elements of other types, whose widest access is of 16 bytes.
            "unsigned char" => "__align__(16) ",
            _ => "",
        };
        let line = format!("__shared__ {aligned}{element} {name}[{count}];");
        self.shared.push((self.lines.len(), array));
        self.ends.push(usize::MAX);
        self.line(line);
    }

    /// Where the arrays in shared memory are too large for `__shared__`, makes them parts of `pool`; gives the pool's
    /// size, or 0. To be asked for before lines are put in between.
    pub fn pool_shared(&mut self, pool: &str) -> u32 {
        let sizes = self.shared.iter().map(|(_, array)| array.bytes);
        let pool_bytes = match sizes.sum::<u64>() <= MOST_STATIC_BYTES {
            true => 0,
            false => self.place_in_pool(pool),
        };
        self.part_reuses(pool_bytes > 0);
        pool_bytes
    }

    /// Makes the arrays parts of `pool`, and gives its size.
    fn place_in_pool(&mut self, pool: &str) -> u32 {
        let (placed, all_bytes) = self.placed();
        for (from_bytes, (line, array)) in placed.iter().zip(&self.shared) {
            let SharedArray { name, element, .. } = array;
            let text = &mut self.lines[*line].0;
            let indent = text.len() - text.trim_start().len();
            text.truncate(indent);
            *text += &format!("{element}* {name} = ({element}*)({pool} + {from_bytes});");
        }
        u32::try_from(all_bytes).unwrap_or(u32::MAX)
    }

    /// Puts a barrier where shared memory passes from one array to another, as Triton's `lib/Analysis/Membar.cpp` does
    /// for memory that it always shares. Also where the arrays are apart here: loads and stores of shared memory that no
    /// barrier parts keep the simulated GPU from running warps together.
    fn part_reuses(&mut self, is_pooled: bool) {
        let is_barrier = |(text, _): &(String, Span)| text.trim() == "__syncthreads();";
        // Before the first barrier nothing was in shared memory, but for what a loop left in the pool.
        let first = self.lines.iter().position(is_barrier);
        let is_behind = |line: usize| first.is_some_and(|first| first < line);
        let reuses = self.reuses.iter().rev().copied();
        // From the last on, so that the places of the others stay.
        for line in reuses.filter(|&line| is_pooled || is_behind(line)) {
            let (next, span) = &self.lines[line];
            let indent = next.len() - next.trim_start().len();
            let barrier = format!("{}__syncthreads();", &next[..indent]);
            self.lines.insert(line, (barrier, *span));
        }
    }

    /// Where each array begins in the pool, and the pool's size. Arrays that are never needed at once share memory, as
    /// `lib/Analysis/Allocation.cpp` of Triton has it; without that, large kernels of Triton would not fit.
    fn placed(&self) -> (Vec<u64>, u64) {
        let mut placed: Vec<u64> = Vec::new();
        let mut all_bytes = 0;
        for (line, array) in &self.shared {
            let earlier = placed.iter().zip(&self.shared).zip(&self.ends);
            let mut beside: Vec<(u64, u64)> = earlier
                .filter(|(_, end)| **end > *line)
                .map(|((&from, (_, other)), _)| (from, from + other.bytes))
                .collect();
            beside.sort_unstable();
            let mut from_bytes = 0;
            // From the lowest up: the first gap that is large enough is taken.
            for (from, to) in beside {
                if from_bytes + array.bytes > from {
                    from_bytes = from_bytes.max(to.next_multiple_of(ROW_BYTES));
                }
            }
            placed.push(from_bytes);
            all_bytes = all_bytes.max((from_bytes + array.bytes).next_multiple_of(ROW_BYTES));
        }
        (placed, all_bytes)
    }

    /// How many arrays in shared memory there are so far.
    pub fn shared_count(&self) -> usize {
        self.shared.len()
    }

    /// From here on, nothing needs the arrays from number `first` on.
    pub fn end_shared(&mut self, first: usize) {
        for end in self.ends[first..]
            .iter_mut()
            .filter(|end| **end == usize::MAX)
        {
            *end = self.lines.len();
        }
    }

    /// Here an array is stored to first: where it shares its memory, threads have to wait for those that read another.
    pub fn reuse(&mut self) {
        self.reuses.push(self.lines.len());
    }

    /// A loop that is written out by the compiler: `count` times, `step` apart.
    pub fn unrolled(&mut self, name: &str, count: u32, step: u32) {
        self.margin("#pragma unroll");
        let next = match step {
            1 => format!("{name}++"),
            _ => format!("{name} += {step}"),
        };
        // The loop's variable needs no fresh name: `OWN_NAMES` keeps it from all others.
        self.open(format!("for (int {name} = 0; {name} < {count}; {next})"));
    }

    /// Where the next line will stand.
    pub fn position(&self) -> usize {
        self.lines.len()
    }

    /// Puts lines in between.
    pub fn insert(&mut self, at: usize, lines: &[String]) {
        let lines = lines
            .iter()
            .map(|line| (format!("    {line}"), Span::default()));
        self.lines.splice(at..at, lines);
    }

    /// All lines, each with its place.
    pub fn finish(self) -> Vec<(String, Span)> {
        self.lines
    }
}
