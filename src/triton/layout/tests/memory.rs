//! What instructions on shared memory move, and what they cost.

use crate::launch::AccessKind;
use crate::memory::SharedRequest;
use crate::triton::layout::{Instruction, Place, SharedAccess, SharedSide};

/// The bytes that `access` moves for each register of a lane, in order of the registers.
pub fn addresses(
    side: &SharedSide,
    access: &SharedAccess,
    place: Place,
    element_bytes: u32,
) -> Vec<u32> {
    let address = |lane: u32| side.offset_bytes(access, lane, place.warp);
    let per_word = (4 / element_bytes).max(1);
    let registers = 0..access.registers.len() as u32;
    let of = |at: u32| match side.instruction {
        Instruction::Plain => address(place.lane) + at * element_bytes,
        // Lane `l` gets word `l mod 4` of row `l / 4` of each matrix.
        Instruction::Matrix => {
            let (matrix, half) = (at / per_word, at % per_word);
            address(matrix * 8 + place.lane / 4) + place.lane % 4 * 4 + half * element_bytes
        }
        // Transposed: its element of column `l / 4` in rows `l mod 4 * 2` and the next.
        Instruction::MatrixTransposed => {
            let (matrix, half) = (at / 2, at % 2);
            address(matrix * 8 + place.lane % 4 * 2 + half) + place.lane / 4 * 2
        }
    };
    registers.map(of).collect()
}

/// Wavefronts of all warps of a block for one side.
pub fn wavefronts(side: &SharedSide, element_bytes: u32, warps: u32, kind: AccessKind) -> u64 {
    let mut total = 0;
    for access in side.rounds.iter().flatten() {
        for warp in 0..warps {
            let offsets: [u32; 32] =
                std::array::from_fn(|lane| side.offset_bytes(access, lane as u32, warp));
            let width = side.width_bytes(access, element_bytes);
            let matrices = access.registers.len() as u32 * element_bytes / 4;
            let groups: Vec<u32> = match side.instruction {
                Instruction::Plain => vec![u32::MAX],
                _ => (0..matrices).map(|matrix| 0xff << (8 * matrix)).collect(),
            };
            let costs = groups
                .iter()
                .map(|&lanes| SharedRequest::of(&offsets, lanes, width, kind).wavefronts);
            total += costs.sum::<u64>();
        }
    }
    total
}
