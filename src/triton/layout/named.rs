//! The layouts that Triton's listings name, and the linear layout that each is for a shape.
//!
//! After `toLinearLayout` in Triton's `lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp`: bits of registers first,
//! then lanes, then warps, each with the fastest dimension first. A tile that is larger than the block's threads hold goes
//! around in further registers; of a tile that is smaller, the highest bits repeat it.

use std::fmt;

use super::bits::Bits;
use super::linear::LinearLayout;
use super::mma::Mma;

/// Lanes of a warp.
const LANES: u32 = 32;

/// A layout of boxes: each thread holds a box of elements, a warp a box of those, and the block a box of these.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Blocked {
    /// Elements of a thread along each dimension.
    pub size_per_thread: Vec<u32>,
    /// Lanes along each dimension, 32 in all.
    pub threads_per_warp: Vec<u32>,
    /// Warps along each dimension.
    pub warps_per_block: Vec<u32>,
    /// Dimensions, the fastest first.
    pub order: Vec<usize>,
}

impl Blocked {
    /// Lanes and warps laid over `shape` from the fastest dimension on; the slowest takes what is left of them.
    pub fn new(shape: &[u32], size_per_thread: Vec<u32>, order: Vec<usize>, warps: u32) -> Self {
        let mut threads_per_warp = vec![1; shape.len()];
        let mut warps_per_block = vec![1; shape.len()];
        let (mut lanes_left, mut warps_left, mut threads_left) = (LANES, warps, LANES * warps);
        let (last, faster) = order.split_last().expect("a tile has a dimension");
        for &dim in faster {
            // No more than have elements there: what is left goes to slower dimensions.
            let wanted = (shape[dim] / size_per_thread[dim]).max(1);
            let threads = threads_left.max(1).min(wanted);
            threads_per_warp[dim] = threads.min(lanes_left);
            warps_per_block[dim] = (threads / threads_per_warp[dim]).clamp(1, warps_left);
            lanes_left /= threads_per_warp[dim];
            warps_left /= warps_per_block[dim];
            threads_left /= threads;
        }
        threads_per_warp[*last] = lanes_left;
        warps_per_block[*last] = warps_left;
        Blocked {
            size_per_thread,
            threads_per_warp,
            warps_per_block,
            order,
        }
    }

    /// Which element each place holds of a tile of that shape.
    pub fn linear(&self, shape: &[u32]) -> LinearLayout {
        let mut bits = Bits::new(shape);
        let registers = bits.over(&self.size_per_thread, &self.order);
        let lanes = bits.over(&self.threads_per_warp, &self.order);
        let warps = bits.over(&self.warps_per_block, &self.order);
        let around = bits.rest(&self.order);
        LinearLayout {
            shape: shape.to_vec(),
            registers: [registers, around].concat(),
            lanes,
            warps,
        }
    }

    /// The layout of an operand (0 or 1) of a product whose result has this layout, where each thread multiplies its own
    /// elements: all that it needs along the inner dimension lies in its registers (`fmaDotToLinearLayout`).
    pub fn operand(&self, operand: usize, shape: &[u32]) -> LinearLayout {
        let inner = shape.len() - 1 - operand;
        let mut bits = Bits::new(shape);
        let mut per_thread = self.size_per_thread.clone();
        per_thread[inner] = shape[inner];
        let registers = bits.over(&per_thread, &self.order);
        let lanes = bits.over_but(&self.threads_per_warp, &self.order, inner);
        let warps = bits.over_but(&self.warps_per_block, &self.order, inner);
        LinearLayout {
            shape: shape.to_vec(),
            registers: [registers, bits.rest(&self.order)].concat(),
            lanes,
            warps,
        }
    }

    /// In words, as in "1 × 4 elements at a time, 4 × 8 lanes per warp, 4 × 1 warps": a thread of a larger tile has several times as many.
    pub fn in_words(&self) -> String {
        let across = |sizes: &[u32]| {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            sizes.join(" × ")
        };
        let plural = |sizes: &[u32]| {
            if sizes.iter().product::<u32>() == 1 {
                ""
            } else {
                "s"
            }
        };
        let mut words = format!(
            "{} element{} at a time, {} lanes per warp, {} warp{}",
            across(&self.size_per_thread),
            plural(&self.size_per_thread),
            across(&self.threads_per_warp),
            across(&self.warps_per_block),
            plural(&self.warps_per_block),
        );
        if self.order.len() > 1 {
            words += &format!("; neighbours lie along dimension {}", self.order[0]);
        }
        words
    }
}

/// A layout as Triton's listings write it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Boxes within boxes.
    Blocked(Blocked),
    /// Of a tile that has one dimension less than `parent` is for: the threads along `dim` hold the same.
    Slice {
        /// The dimension of the parent that is missing.
        dim: usize,
        /// The layout with the dimension.
        parent: Box<Layout>,
    },
    /// The result of the tensor cores.
    Mma(Mma),
    /// An operand of a product.
    DotOperand {
        /// 0 for the left one, 1 for the right one.
        operand: usize,
        /// The layout of the product.
        parent: Box<Layout>,
        /// Elements along the inner dimension that a thread has side by side, for the tensor cores.
        k_width: u32,
    },
    /// Any other, with its bases written out; it goes with its own shape only.
    Linear(LinearLayout),
}

impl Layout {
    /// Which element each place holds of a tile of that shape.
    pub fn linear(&self, shape: &[u32]) -> LinearLayout {
        match self {
            Layout::Blocked(blocked) => blocked.linear(shape),
            Layout::Slice { dim, parent } => {
                let mut with = shape.to_vec();
                // Along a side of 1 all bits lie beyond the tile, and repeat it.
                with.insert(*dim, 1);
                parent.linear(&with).without(*dim)
            }
            Layout::Mma(mma) => mma.linear(shape),
            Layout::DotOperand {
                operand,
                parent,
                k_width,
            } => match &**parent {
                Layout::Blocked(blocked) => blocked.operand(*operand, shape),
                Layout::Mma(mma) => mma.operand(*operand, *k_width, shape),
                other => other.linear(shape),
            },
            Layout::Linear(layout) => layout.clone(),
        }
    }

    /// The layout of a tile that this one's is reduced to, or sliced to, along `dim`.
    pub fn slice(&self, dim: usize) -> Layout {
        Layout::Slice {
            dim,
            parent: Box::new(self.clone()),
        }
    }

    /// The layout that this one was sliced from along `dim`, if it was.
    pub fn sliced_from(&self, dim: usize) -> Option<Layout> {
        match self {
            Layout::Slice {
                dim: sliced,
                parent,
            } if *sliced == dim => Some((**parent).clone()),
            _ => None,
        }
    }

    /// In words, for those who do not read Triton's notation.
    pub fn in_words(&self) -> String {
        match self {
            Layout::Blocked(blocked) => blocked.in_words(),
            Layout::Slice { dim, parent } => {
                format!(
                    "{}, of which those along dimension {dim} hold the same",
                    parent.in_words()
                )
            }
            Layout::Mma(mma) => mma.in_words(),
            Layout::DotOperand {
                operand, parent, ..
            } => {
                let side = if *operand == 0 { "left" } else { "right" };
                format!(
                    "what each thread needs of the {side} operand for a product with {}",
                    parent.in_words()
                )
            }
            Layout::Linear(layout) => format!(
                "{} elements per thread in {} warps, in an order of its own",
                layout.registers(),
                layout.warps(),
            ),
        }
    }
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#ttg.blocked<{{sizePerThread = {:?}, threadsPerWarp = {:?}, warpsPerCTA = {:?}, order = {:?}}}>",
            self.size_per_thread, self.threads_per_warp, self.warps_per_block, self.order,
        )
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Layout::Blocked(blocked) => blocked.fmt(f),
            Layout::Slice { dim, parent } => {
                write!(f, "#ttg.slice<{{dim = {dim}, parent = {parent}}}>")
            }
            Layout::Mma(mma) => mma.fmt(f),
            Layout::DotOperand {
                operand,
                parent,
                k_width,
            } => {
                write!(f, "#ttg.dot_op<{{opIdx = {operand}, parent = {parent}")?;
                match **parent {
                    Layout::Mma(_) => write!(f, ", kWidth = {k_width}}}>"),
                    _ => write!(f, "}}>"),
                }
            }
            Layout::Linear(layout) => layout.fmt(f),
        }
    }
}
