//! Tiles that stay in shared memory: operands of products, and what asynchronous copies fill.
//!
//! After `SwizzledSharedEncodingAttr` and `NVMMASharedEncodingAttr` (`TritonGPUAttrDefs.td` and
//! `LinearLayoutConversions.cpp` of Triton 3.6).

use std::fmt;

use super::bits::Bits;

/// Bits of one row of all banks.
const BANK_ROW_BITS: u32 = 1024;

/// Where an element of a tile lies in shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SharedLayout {
    /// Rows one after another, the groups of `vector` elements of a row exchanged by its number.
    Swizzled {
        /// Elements that stay together.
        vector: u32,
        /// Rows with the same exchange, one after another.
        rows_per_phase: u32,
        /// Exchanges, before they start again.
        phases: u32,
        /// Dimensions, the one along rows first.
        order: Vec<usize>,
    },
    /// As `wgmma` reads it: rows of `swizzle_bytes`, groups of 16 bytes exchanged.
    Mma {
        /// 128, 64, 32, or 0.
        swizzle_bytes: u32,
        /// Whether columns lie side by side, not rows.
        is_transposed: bool,
        /// Bits of an element.
        element_bits: u32,
    },
}

impl SharedLayout {
    /// For an operand (0 or 1) that each thread multiplies by itself.
    pub fn plain(order: Vec<usize>) -> Self {
        SharedLayout::Swizzled {
            vector: 1,
            rows_per_phase: 1,
            phases: 1,
            order,
        }
    }

    /// For an operand (0 or 1) of that shape that `mma.sync` takes from registers.
    pub fn for_operand(
        operand: usize,
        k_width: u32,
        shape: &[u32],
        order: Vec<usize>,
        element_bits: u32,
    ) -> Self {
        // Rows shorter than the 32 banks lie side by side in them without conflicts, so they are exchanged alike.
        let rows_per_phase = (BANK_ROW_BITS / (element_bits * shape[order[0]])).max(1);
        let is_along_inner = order[0] == shape.len() - 1 - operand;
        // `ldmatrix` reads 8 rows of 16 bytes: a row's 16 bytes stay together, and the 8 rows are to lie in different
        // banks.
        let (vector, stride) = if is_along_inner {
            (4 * k_width, 8)
        } else {
            (8, 4 * k_width)
        };
        let phases = stride.min(BANK_ROW_BITS / (vector * element_bits)).max(1);
        SharedLayout::Swizzled {
            vector,
            rows_per_phase,
            phases: (phases / rows_per_phase).max(1),
            order,
        }
    }

    /// For an operand of that shape that `wgmma` takes from shared memory; the dimension along rows is `fastest`.
    pub fn for_warp_groups(shape: &[u32], fastest: usize, element_bits: u32) -> Self {
        let row_bytes = shape[fastest] * element_bits / 8;
        // The pattern of a swizzle is 8 rows high (PTX ISA, matrix descriptors of wgmma): a lower tile has none.
        let is_flat = shape[1 - fastest] < 8;
        let fits = |bytes: &u32| row_bytes >= *bytes && !is_flat;
        SharedLayout::Mma {
            swizzle_bytes: [128, 64, 32].into_iter().find(fits).unwrap_or(0),
            is_transposed: fastest == 0,
            element_bits,
        }
    }

    /// Where the elements of the transposed tile lie; nothing for that of `wgmma`.
    pub fn turned(&self) -> Option<Self> {
        let SharedLayout::Swizzled { order, .. } = self else {
            return None;
        };
        let mut turned = self.clone();
        let sides = order.len();
        if let SharedLayout::Swizzled { order, .. } = &mut turned {
            order.iter_mut().for_each(|side| *side = sides - 1 - *side);
        }
        Some(turned)
    }

    /// The element of each bit of an offset, counted in elements, of a tile of that shape.
    pub fn linear(&self, shape: &[u32]) -> Vec<u32> {
        match self {
            SharedLayout::Swizzled {
                vector,
                rows_per_phase,
                phases,
                order,
            } => {
                let mut bits = Bits::new(shape);
                let mut bases = bits.along(order[0], shape[order[0]]);
                if let Some(&slower) = order.get(1) {
                    let column =
                        |row: u32| vector * (row / rows_per_phase % phases) % shape[order[0]];
                    let rows = bits.along(slower, shape[slower]);
                    let first = bases.clone();
                    let swizzled = rows
                        .iter()
                        .enumerate()
                        .map(|(bit, row)| row ^ number(&first, column(1 << bit)));
                    bases.extend(swizzled);
                }
                bases.extend(bits.rest(order));
                bases
            }
            SharedLayout::Mma {
                swizzle_bytes,
                is_transposed,
                element_bits,
            } => mma_bases(shape, *swizzle_bytes, *is_transposed, *element_bits),
        }
    }
}

/// The element with that number among those which `bases` count.
fn number(bases: &[u32], index: u32) -> u32 {
    super::gf2::sum(bases, index)
}

fn mma_bases(
    shape: &[u32],
    swizzle_bytes: u32,
    is_transposed: bool,
    element_bits: u32,
) -> Vec<u32> {
    let (fast, slow) = if is_transposed { (0, 1) } else { (1, 0) };
    let mut bits = Bits::new(shape);
    if swizzle_bytes == 0 {
        return bits.rest(&[fast, slow]);
    }
    let group = 128 / element_bits;
    // All 32 banks are 128 bytes: with narrower rows several of them fill one turn.
    let (rows_per_phase, phases) = (128 / swizzle_bytes, swizzle_bytes / 16);
    // A row of the pattern is as wide as the swizzle; a wider tile is columns of patterns, one after another.
    let mut bases = bits.along(fast, 8 * swizzle_bytes / element_bits);
    let first = bases.clone();
    let rows = bits.along(slow, 8);
    let column = |row: u32| group * (row / rows_per_phase % phases);
    bases.extend(
        rows.iter()
            .enumerate()
            .map(|(bit, row)| row ^ number(&first, column(1 << bit))),
    );
    bases.extend(bits.rest(&[slow, fast]));
    bases
}

impl fmt::Display for SharedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SharedLayout::Swizzled {
                vector,
                rows_per_phase,
                phases,
                order,
            } => write!(
                f,
                "#ttg.swizzled_shared<{{vec = {vector}, perPhase = {rows_per_phase}, maxPhase = {phases}, order = {order:?}}}>"
            ),
            SharedLayout::Mma {
                swizzle_bytes,
                is_transposed,
                element_bits,
            } => write!(
                f,
                "#ttg.nvmma_shared<{{swizzlingByteWidth = {swizzle_bytes}, transposed = {is_transposed}, elementBitWidth = {element_bits}}}>"
            ),
        }
    }
}
