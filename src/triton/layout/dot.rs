//! What a product of two tiles takes: the layout of its result, and where its operands are.
//!
//! After `TritonDotPattern` (`lib/Conversion/TritonToTritonGPU`), `AccelerateMatmul.cpp` and `ReduceDataDuplication.cpp`
//! (`lib/Dialect/TritonGPU/Transforms` of Triton 3.6), for Hopper.

use super::mma::Mma;
use super::named::{Blocked, Layout};
use super::shared_layout::SharedLayout;

/// How the products are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DotKind {
    /// By fused multiply-adds of each thread: floats with `input_precision="ieee"`, and whole numbers of 32 bits.
    MultiplyAdd,
    /// By the tensor cores: halves, bfloats, and floats as tf32.
    TensorCores,
}

/// A product of `rows × inner` and `inner × columns` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dot {
    /// Rows of the left operand.
    pub rows: u32,
    /// Columns of the right operand.
    pub columns: u32,
    /// Columns of the left and rows of the right operand.
    pub inner: u32,
    /// Bits of an operand's element.
    pub element_bits: u32,
    /// Bits of the narrowest elements that the operands are made of.
    pub least_bits: u32,
    /// How it is computed.
    pub kind: DotKind,
    /// Warps of a block.
    pub warps: u32,
    /// Rows and columns of the first of several products of which one leads to the other.
    pub chain: Option<[u32; 2]>,
}

impl Dot {
    /// The layout of the result, and of what is added to it.
    ///
    /// With multiply-adds, each thread goes through its results in the order of its registers, and for each through the
    /// inner dimension from 0 on.
    pub fn result(&self) -> Layout {
        match self.kind {
            DotKind::MultiplyAdd => Layout::Blocked(self.blocked()),
            DotKind::TensorCores => Layout::Mma(self.mma()),
        }
    }

    /// Whether `wgmma` computes it.
    pub fn is_of_warp_groups(&self) -> bool {
        matches!(self.result(), Layout::Mma(mma) if mma.version == 3)
    }

    fn mma(&self) -> Mma {
        Mma::on_hopper(
            self.rows,
            self.columns,
            self.inner,
            self.element_bits,
            self.warps,
        )
        .in_chain(self.chain)
    }

    fn blocked(&self) -> Blocked {
        let shape = [self.rows, self.columns];
        // A square of results per thread, where there are enough: each factor that it loads then serves a whole row
        // or column of it.
        let side = match self.rows * self.columns / (32 * self.warps) {
            0..4 => 1,
            4..16 => 2,
            _ => 4,
        };
        let per_thread = vec![side.min(self.rows), side.min(self.columns)];
        Blocked::new(&shape, per_thread, vec![1, 0], self.warps)
    }

    /// Elements along the inner dimension that a thread has side by side in registers, for the tensor cores.
    pub fn k_width(&self) -> u32 {
        // A fragment's register has 32 bits, and holds neighbours along the inner dimension (PTX ISA, fragments of
        // mma). What is made of narrower elements has as many of them side by side as a register of those would.
        let bits = match self.is_of_warp_groups() {
            true => self.element_bits,
            false => self.least_bits.min(self.element_bits),
        };
        (32 / bits).max(1)
    }

    /// The layout of operand 0 or 1 in registers; none where `wgmma` reads it from shared memory.
    pub fn operand(&self, operand: usize) -> Option<Layout> {
        (!self.is_of_warp_groups()).then(|| self.fragment(operand))
    }

    /// Whether the tiles are as large as an instruction of the tensor cores: a smaller one would need lanes that
    /// multiply zeroes.
    pub fn fills_instructions(&self) -> bool {
        self.kind == DotKind::TensorCores
            && self.rows >= 16
            && self.columns >= 8
            && self.inner * self.element_bits >= 256
    }

    /// The layout in which operand 0 or 1 is in registers for `mma.sync`, where `wgmma` would read it from shared memory
    /// too: the elements that a warp multiplies are the same.
    pub fn fragment(&self, operand: usize) -> Layout {
        Layout::DotOperand {
            operand,
            k_width: self.k_width(),
            parent: Box::new(self.result()),
        }
    }

    /// Where operand 0 or 1 lies in shared memory, if the loads that fill it go along dimension `fastest` of it.
    pub fn shared(&self, operand: usize, fastest: usize) -> SharedLayout {
        self.shared_of(operand, fastest, self.element_bits)
    }

    /// Where elements of so many bits lie that operand 0 or 1 is made of.
    pub fn shared_of(&self, operand: usize, fastest: usize, bits: u32) -> SharedLayout {
        let shape = match operand {
            0 => [self.rows, self.inner],
            _ => [self.inner, self.columns],
        };
        let order = vec![fastest, 1 - fastest];
        match self.result() {
            Layout::Mma(mma) if mma.version == 3 => {
                // `wgmma` transposes elements of 16 bits alone: of others the factors lie along the inner dimension
                // (`getSharedMemoryMMAOperand` of `AccelerateMatmul.cpp`, `allowTranspose`), and 4 bytes at a time are
                // copied to there.
                let fastest = if self.element_bits == 16 {
                    fastest
                } else {
                    1 - operand
                };
                SharedLayout::for_warp_groups(&shape, fastest, self.element_bits)
            }
            Layout::Mma(_) => {
                SharedLayout::for_operand(operand, self.k_width(), &shape, order, bits)
            }
            _ => SharedLayout::plain(order),
        }
    }
}
