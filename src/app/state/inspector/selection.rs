//! What is looked at in the values: a buffer's element, or a step of the watched warp.

use crate::app::state::{FrameExtents, WarpSteps};
use crate::ir::{Kernel, Space};
use crate::launch::{ValueType, WARP_LANES, Watch};
use crate::lesson::{RunCell, taps};

/// Something whose values can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InspectedItem {
    /// A shared array of the kernel that is looked into, by its index among the kernel's allocations.
    Shared(usize),
    /// A buffer, by its index in the plan.
    Buffer(usize),
}

/// Elements in a row of a buffer that has one dimension only, as a picture: a row of four-byte elements is a line of
/// global memory, and a column of it a bank of shared memory.
const FOLD: usize = 32;

/// Which statement of a block is looked for: mostly the access that wastes most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoughtStep {
    /// Of global memory, by the bytes that move for nothing.
    Global,
    /// Of shared memory, by its bank conflicts.
    Shared,
    /// Of either.
    Any,
    /// No access, but the first statement on a line of the source, from 1, that the lesson names.
    Line(u32),
    /// No access, but the first statement behind which all that the lesson taps holds something.
    Taps,
}

/// A buffer as a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Number of elements.
    pub length: usize,
    /// Number of rows.
    pub rows: usize,
    /// Elements in a row.
    pub columns: usize,
    /// Whether it has one dimension, and is folded to be seen.
    pub folded: bool,
}

impl Matrix {
    /// The matrix of a buffer of `length` elements with this shape, outermost first. Dimensions
    /// but the last make rows; one dimension, or a shape that does not fit the length, is folded into
    /// rows of `fold`.
    pub fn new(shape: &[u64], length: usize, fold: usize) -> Self {
        let columns = shape.last().map_or(0, |&columns| columns as usize);
        // A shape may be a formula of sizes that the buffer's length does not follow: then rows would be cut wrongly.
        let fits = shape.iter().product::<u64>() == length as u64;
        let folded = shape.len() < 2 || !fits || columns == 0;
        let columns = if folded { fold } else { columns };
        Matrix {
            length,
            rows: length.div_ceil(columns),
            columns,
            folded,
        }
    }

    /// Index of the element in `row` and `column`, if there is one.
    pub fn index(&self, row: usize, column: usize) -> Option<usize> {
        let index = row * self.columns + column;
        (column < self.columns && index < self.length).then_some(index)
    }
}

/// What is shown of a buffer or shared array, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferView {
    /// Row and column of the element looked at.
    pub cursor: (usize, usize),
    /// First row and column on screen.
    pub scroll: (usize, usize),
    /// Whether memory is shown as a picture; else as numbers.
    pub picture: bool,
    /// Numbers in a row of what has one dimension: as many as the last frame had room for.
    pub fold: usize,
    /// Whether buffers are shown as the run left them; else as they are behind the step.
    pub after_run: bool,
}

/// What is looked at in one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspector {
    /// All there is to look at, what the lesson taps first.
    pub items: Vec<InspectedItem>,
    /// Index of what is looked at.
    pub chosen: usize,
    /// What is shown of buffers.
    pub buffer: BufferView,
    /// The warp to watch in the next run.
    pub watch: Watch,
    /// The launch that a run opens on, unless one is selected.
    pub(crate) launch: Option<usize>,
    /// Statement of the trace, from 0.
    pub step: usize,
    /// Variable of the trace; nothing until one is chosen.
    pub variable: Option<usize>,
    /// The lane that is looked at.
    pub lane: usize,
    /// Whether lanes are shown as numbers; else by what each did over time.
    pub as_numbers: bool,
    /// First row of the access on screen.
    pub access_scroll: usize,
    /// The memory whose worst access is looked for, as soon as the steps of the block are there.
    pub(crate) seeks: Option<SoughtStep>,
    /// Names the lesson taps.
    taps: Vec<String>,
}

impl Default for Inspector {
    fn default() -> Self {
        Inspector {
            items: Vec::new(),
            chosen: 0,
            buffer: BufferView {
                after_run: true,
                // Until the first frame says how many fit.
                fold: 4,
                ..BufferView::default()
            },
            watch: Watch::default(),
            launch: None,
            step: 0,
            variable: None,
            lane: 0,
            as_numbers: false,
            access_scroll: 0,
            seeks: None,
            taps: Vec::new(),
        }
    }
}

impl Inspector {
    /// Lists what `cell` has to look at.
    pub fn start(&mut self, cell: &RunCell) {
        let rank = |name: &str| {
            let tap = cell.taps.iter().position(|tap| taps(tap, name));
            tap.unwrap_or(cell.taps.len())
        };
        let mut buffers: Vec<usize> = (0..cell.buffers.len()).collect();
        // Stable: buffers that the lesson does not name stay in the order of the kernel's parameters.
        buffers.sort_by_key(|&buffer| rank(&cell.buffers[buffer].name));
        self.items = buffers.into_iter().map(InspectedItem::Buffer).collect();
        self.taps.clone_from(&cell.taps);
    }

    /// Lists the shared arrays of `kernel` before the buffers, in place of those of another kernel; what is
    /// looked at stays so.
    pub(crate) fn list_shared(&mut self, kernel: &Kernel) {
        // By what it is, not by its place in the list: another launch may have other shared arrays.
        let looked_at = self.item();
        let is_buffer = |item: &InspectedItem| matches!(item, InspectedItem::Buffer(_));
        let is_first = self.items.iter().all(is_buffer);
        self.items.retain(is_buffer);
        let arrays = kernel.memory.allocations.iter().enumerate();
        let shared = arrays.filter(|(_, array)| array.space == Space::Shared);
        let shared: Vec<InspectedItem> = shared
            .map(|(index, _)| InspectedItem::Shared(index))
            .collect();
        self.items.splice(0..0, shared);
        let place = self.items.iter().position(|&item| Some(item) == looked_at);
        // A shared array that the lesson names first is what there is to see, unless somebody has chosen.
        let first = self.taps.first().filter(|_| is_first && self.chosen == 0);
        let tapped = first.and_then(|tap| {
            let is_tapped = |item: &InspectedItem| match item {
                InspectedItem::Shared(index) => taps(tap, &kernel.memory.allocations[*index].name),
                InspectedItem::Buffer(_) => false,
            };
            self.items.iter().position(is_tapped)
        });
        self.chosen = tapped.or(place).unwrap_or(0);
    }

    /// Elements in a row of what has one dimension.
    pub fn fold(&self) -> usize {
        if self.buffer.picture {
            FOLD
        } else {
            self.buffer.fold.max(1)
        }
    }

    /// Takes how many numbers a row has room for, if one dimension is shown as numbers; the element looked at stays.
    pub(crate) fn take_fold(&mut self, columns: usize) {
        let old = self.fold();
        if columns == 0 || columns == old {
            return;
        }
        // The same element under the cursor, wherever it lies in rows of another length.
        let place = |(row, column): (usize, usize)| {
            let index = row * old + column;
            (index / columns, index % columns)
        };
        self.buffer.cursor = place(self.buffer.cursor);
        self.buffer.scroll = (place(self.buffer.scroll).0, 0);
        self.buffer.fold = columns;
    }

    /// Looks at another lane, `by` on, around the warp.
    pub(crate) fn step_lane(&mut self, by: isize) {
        let lanes = WARP_LANES as isize;
        // Round the ends, so that one key reaches every lane.
        self.lane = (self.lane as isize + by).rem_euclid(lanes) as usize;
    }

    /// What is looked at.
    pub fn item(&self) -> Option<InspectedItem> {
        self.items.get(self.chosen).copied()
    }

    /// Looks at another thing, from its start.
    pub fn choose(&mut self, chosen: usize) {
        self.chosen = chosen.min(self.items.len().saturating_sub(1));
        self.buffer.cursor = (0, 0);
        self.buffer.scroll = (0, 0);
    }

    /// The variables of `walk` that exist at `step`, and the one looked at, in the order they are shown.
    pub fn order(&self, walk: WarpSteps, step: usize) -> Vec<usize> {
        let looked_at = self.variable(walk);
        let mut order = self.ranked(walk);
        // What somebody looks at stays listed where it is out of scope: it must not vanish as they step.
        order.retain(|&index| index == looked_at || walk.is_alive(index, step));
        order
    }

    /// What the lesson taps, other numbers, pointers.
    fn ranked(&self, walk: WarpSteps) -> Vec<usize> {
        let rank = |&index: &usize| {
            let variable = walk.variable(index);
            let is = |tap: &str| variable.is_some_and(|variable| taps(tap, variable.name));
            let tap = self.taps.iter().position(|tap| is(tap));
            let pointer = variable.is_some_and(|of| of.value_type == ValueType::Pointer);
            // A pointer is the same in all lanes all along: it comes last.
            (pointer, tap.unwrap_or(self.taps.len()))
        };
        let mut ranked: Vec<usize> = (0..walk.variables()).collect();
        ranked.sort_by_key(rank);
        ranked
    }

    /// The variable looked at in `walk`: the chosen one, else the first of all.
    pub fn variable(&self, walk: WarpSteps) -> usize {
        let chosen = self.variable.filter(|&index| index < walk.variables());
        chosen
            .or_else(|| self.ranked(walk).first().copied())
            .unwrap_or(0)
    }

    /// The first step of `walk` behind which every variable that the lesson taps holds something.
    pub(crate) fn first_with_taps(&self, walk: WarpSteps) -> Option<usize> {
        let steps: Vec<usize> = (0..walk.steps()).collect();
        // What holds something goes on doing so.
        let first = |variable: usize| {
            let first = steps.partition_point(|&step| walk.value(variable, step).is_none());
            steps.get(first).copied()
        };
        let first_of = |tap: &String| {
            let is_named =
                |&index: &usize| walk.variable(index).is_some_and(|of| taps(tap, of.name));
            (0..walk.variables())
                .filter(is_named)
                .filter_map(first)
                .min()
        };
        self.taps.iter().filter_map(first_of).max()
    }

    /// Looks at the variable `by` places on.
    pub fn step_variable(&mut self, walk: WarpSteps, step: usize, by: isize) {
        let order = self.order(walk, step);
        let now = self.variable(walk);
        let at = order.iter().position(|&index| index == now).unwrap_or(0);
        let at = at
            .saturating_add_signed(by)
            .min(order.len().saturating_sub(1));
        self.variable = order.get(at).copied();
    }

    /// Moves the cursor inside `matrix`, and what is on screen after it.
    pub fn move_cursor(
        &mut self,
        matrix: &Matrix,
        rows: isize,
        columns: isize,
        seen: &FrameExtents,
    ) {
        let moved = |at: usize, by: isize, count: usize| {
            at.saturating_add_signed(by).min(count.saturating_sub(1))
        };
        let row = moved(self.buffer.cursor.0, rows, matrix.rows);
        let column = moved(self.buffer.cursor.1, columns, matrix.columns);
        self.place_cursor(matrix, row, column, seen);
    }

    /// Puts the cursor on an element, and it on screen.
    pub fn place_cursor(
        &mut self,
        matrix: &Matrix,
        row: usize,
        column: usize,
        seen: &FrameExtents,
    ) {
        let last = matrix.length.saturating_sub(1);
        let index = (row * matrix.columns + column).min(last);
        self.buffer.cursor = (index / matrix.columns, index % matrix.columns);
        let follow = |scroll: usize, at: usize, visible: usize| {
            // Only as far as the cursor needs: what stands still is easier to read.
            scroll.clamp((at + 1).saturating_sub(visible.max(1)), at)
        };
        self.buffer.scroll.0 = follow(
            self.buffer.scroll.0,
            self.buffer.cursor.0,
            seen.matrix.rows.visible,
        );
        self.buffer.scroll.1 = follow(
            self.buffer.scroll.1,
            self.buffer.cursor.1,
            seen.matrix.columns.visible,
        );
    }
}

/// What to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// The next statement.
    Step,
    /// A barrier.
    Barrier,
    /// A change of the chosen variable, or of the element looked at.
    Change,
    /// An access to global or shared memory; to the element looked at, if it is one.
    Access,
    /// The same line once more.
    SameLine,
    /// A statement that the chosen lane does not execute.
    Idle,
    /// A step behind which the real GPU holds another value.
    Difference,
}
