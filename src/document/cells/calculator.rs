//! The occupancy of an SM: how many blocks it holds, and what limits them.

use crate::device::{Limit, Occupancy, occupancy_text};
use crate::document::block::{Block, Table};
use crate::document::columns::thousands;
use crate::document::drawing::slots_text;
use crate::lesson::{CalculatorCell, Inputs};

/// The occupancy at the calculator's inputs.
pub fn calculator(cell: &CalculatorCell, inputs: &Inputs) -> Vec<Block> {
    let mut blocks = vec![Block::heading(&cell.title, &cell.id)];
    blocks.extend(occupancy(inputs));
    let slots = inputs.limits.max_warps_per_sm;
    let lines = slots_text(&inputs.occupancy(), slots, 78, 8);
    blocks.push(Block::picture("", lines));
    blocks
}

/// How full an SM is.
pub fn occupancy(inputs: &Inputs) -> Vec<Block> {
    let (cc, found) = (inputs.limits, inputs.occupancy());
    let launch = format!(
        "Compute capability {}: {} threads per block, {} registers per thread, {} bytes of shared memory \
         per block (computed)",
        cc.cc,
        number(inputs.threads),
        number(inputs.registers),
        number(inputs.shared_bytes),
    );
    // 0 blocks is what CUDA answers with `too many resources requested for launch`.
    let blocks = match found.blocks {
        0 => "the launch is refused: not one block fits".to_owned(),
        blocks => format!(
            "blocks on an SM: {}, {} of {} warps: {} occupancy",
            number(blocks),
            number(found.warps),
            number(cc.max_warps_per_sm),
            occupancy_text(found.fraction),
        ),
    };
    let taken = format!(
        "A block takes {} registers, handed to each warp in units of {}, and {} bytes of shared memory, \
         {} of them reserved, in units of {}.",
        number(found.registers_per_block),
        number(cc.register_allocation_unit),
        number(found.shared_bytes_per_block),
        number(cc.shared_reserved_per_block_bytes),
        number(cc.shared_allocation_unit_bytes),
    );
    vec![
        Block::Prose(launch),
        Block::lines("", vec![blocks]),
        Block::Table(allowed(&found)),
        Block::Prose(taken),
    ]
}

/// How many blocks each limit of an SM allows.
fn allowed(found: &Occupancy) -> Table {
    // A limit that does not bind has no number.
    let limits = [
        (Limit::Warps, Some(found.limit_warps)),
        (Limit::Registers, found.limit_registers),
        (Limit::Shared, found.limit_shared),
        (Limit::Blocks, Some(found.limit_blocks)),
    ];
    let rows = limits.map(|(limit, blocks)| {
        let lowest = found.limiting_factors.contains(&limit);
        vec![
            limit.name().to_owned(),
            blocks.map_or_else(|| "no limit".to_owned(), number),
            if lowest { "limits" } else { "" }.to_owned(),
        ]
    });
    Table {
        ends_in_words: true,
        ..Table::new("Blocks that each limit allows", &[], 1, rows.into())
    }
}

fn number(value: u32) -> String {
    thousands(u64::from(value))
}
