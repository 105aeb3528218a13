//! Layouts of the tensor cores: results of `mma.sync` (version 2) and of `wgmma` (version 3), and operands in registers.
//!
//! After `nvidiaMmaTile` and its callers (`lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp` of Triton 3.6), and after
//! `AccelerateMatmul.cpp` and `mmaVersionToInstrShape` (`lib/Dialect/TritonGPU/Transforms`) for what is chosen on Hopper.

use std::fmt;

use super::bits::Bits;
use super::linear::LinearLayout;

/// Columns, then rows: the order in which tiles of an instruction repeat.
const ROW_MAJOR: [usize; 2] = [1, 0];
/// Rows, then columns.
const COLUMN_MAJOR: [usize; 2] = [0, 1];

/// The layout of a product that the tensor cores compute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mma {
    /// 2: `mma.sync` of a warp. 3: `wgmma` of four warps.
    pub version: u32,
    /// Warps along rows and columns.
    pub warps_per_block: [u32; 2],
    /// Rows and columns of an instruction's result for one warp, and for version 3 its inner dimension.
    pub instruction: Vec<u32>,
}

impl Mma {
    /// What Triton takes on Hopper for a product of these rows, columns and inner dimension, of elements of so many bits
    /// (16 for halves, 32 for tf32): `wgmma` where the tile has rows for four warps.
    pub fn on_hopper(rows: u32, columns: u32, inner: u32, element_bits: u32, warps: u32) -> Self {
        // `mmaVersionToInstrShape`: `wgmma` is of four warps with 64 rows, and an instruction takes 32 bytes of the
        // inner dimension.
        let has_warp_groups =
            warps.is_multiple_of(4) && rows.is_multiple_of(64) && columns.is_multiple_of(16);
        if has_warp_groups && inner >= 256 / element_bits {
            Self::of_warp_groups(rows, columns, element_bits, warps)
        } else {
            Self::of_warps(rows, columns, warps)
        }
    }

    /// Of products that follow each other, `mma.sync` has all warps along one side, so that what is computed of rows between
    /// them stays in a warp (`warpsPerTileV2`).
    pub fn in_chain(mut self, first: Option<[u32; 2]>) -> Self {
        if let (2, Some([rows, columns])) = (self.version, first) {
            let warps = self.warps_per_block.iter().product();
            self.warps_per_block = match rows >= columns {
                true => [warps, 1],
                false => [1, warps],
            };
        }
        self
    }

    /// Version 2: warps are added along the side that has more tiles of 16 × 8 left.
    fn of_warps(rows: u32, columns: u32, warps: u32) -> Self {
        let mut tiles = [rows.div_ceil(16), columns.div_ceil(8)];
        let mut along = [1, 1];
        while along[0] * along[1] < warps {
            // Warps go where more tiles are left: a part that is a long strip loads more for the same products.
            let side = usize::from(tiles[0] < tiles[1]);
            along[side] *= 2;
            tiles[side] = (tiles[side] / 2).max(1);
        }
        Mma {
            version: 2,
            warps_per_block: along,
            instruction: vec![16, 8],
        }
    }

    /// Version 3: the widest instruction that leaves every warp its part.
    fn of_warp_groups(rows: u32, columns: u32, element_bits: u32, warps: u32) -> Self {
        // Warps that have no rows of their own left share the columns, so an instruction may be only so wide.
        let across = (warps / (rows / 16).max(1)).max(1);
        let most = (columns / across).clamp(8, 256);
        let width = (1..=most / 8)
            .rev()
            .map(|eights| eights * 8)
            .find(|width| columns.is_multiple_of(*width));
        let width = width.unwrap_or(8);
        // The four warps of a group lie along the rows, 16 each: the instruction has it so.
        let mut along = [4, 1];
        while along[0] * along[1] < warps {
            let side = usize::from(rows <= 16 * along[0]);
            along[side] *= 2;
        }
        Mma {
            version: 3,
            warps_per_block: along,
            instruction: vec![16, width, 256 / element_bits],
        }
    }

    /// Dimensions in the order in which warps are laid over them.
    fn warp_order(&self) -> [usize; 2] {
        if self.version == 3 {
            COLUMN_MAJOR
        } else {
            ROW_MAJOR
        }
    }

    /// Which element each place holds of a product of that shape.
    pub fn linear(&self, shape: &[u32]) -> LinearLayout {
        let mut bits = Bits::new(shape);
        let sides = [self.instruction[0], self.instruction[1]];
        // Of a result, a lane holds pairs of neighbouring columns.
        let [registers, lanes] = fragment(&mut bits, sides, 2, ROW_MAJOR);
        let warps = bits.over(&self.warps_per_block, &self.warp_order());
        LinearLayout {
            shape: shape.to_vec(),
            registers: [registers, bits.rest(&ROW_MAJOR)].concat(),
            lanes,
            warps,
        }
    }

    /// Which element each place holds of an operand (0 or 1) of that shape, `k_width` of them side by side along the inner
    /// dimension.
    pub fn operand(&self, operand: usize, k_width: u32, shape: &[u32]) -> LinearLayout {
        let mut bits = Bits::new(shape);
        let (order, sides) = match operand {
            0 => (ROW_MAJOR, [16, k_width * 8]),
            _ => (COLUMN_MAJOR, [k_width * 8, 8]),
        };
        let [mut registers, lanes] = fragment(&mut bits, sides, k_width, order);
        if self.version == 3 && operand == 1 {
            // A warp has all columns of its instruction before the next warp's begin.
            registers.extend(bits.along(1, self.instruction[1] / 8));
        }
        // Warps along the result's other side multiply the same part of this operand, so each of them holds a copy.
        let warps = bits.over_but(&self.warps_per_block, &self.warp_order(), 1 - operand);
        LinearLayout {
            shape: shape.to_vec(),
            registers: [registers, bits.rest(&order)].concat(),
            lanes,
            warps,
        }
    }

    /// In words.
    pub fn in_words(&self) -> String {
        let [rows, columns] = self.warps_per_block;
        let name = if self.version == 3 {
            "wgmma"
        } else {
            "mma.sync"
        };
        let (height, width) = (self.instruction[0], self.instruction[1]);
        format!(
            "results of {name}, {height} × {width} elements per warp and instruction, {rows} × {columns} warps"
        )
    }
}

/// The bases of registers and of lanes within one instruction's tile: along the faster dimension `width` registers and four
/// lanes, along the other eight lanes; what is left of the tile in registers.
fn fragment(bits: &mut Bits, sides: [u32; 2], width: u32, order: [usize; 2]) -> [Vec<u32>; 2] {
    let [inner, outer] = order;
    let mut registers = bits.along(inner, width);
    let mut lanes = bits.along(inner, 4);
    lanes.extend(bits.along(outer, 8));
    registers.extend(bits.along(outer, sides[outer] / 8));
    registers.extend(bits.along(inner, sides[inner] / (width * 4)));
    [registers, lanes]
}

impl fmt::Display for Mma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#ttg.nvidia_mma<{{versionMajor = {}, versionMinor = 0, warpsPerCTA = {:?}, instrShape = {:?}}}>",
            self.version, self.warps_per_block, self.instruction,
        )
    }
}
