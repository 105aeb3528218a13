//! How many blocks an SM holds at once.

use super::table::{ComputeCapability, same_major};

/// What can limit the blocks on an SM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Warps, and with them threads.
    Warps,
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
    /// Blocks as such.
    Blocks,
}

impl Limit {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Warps => "warps",
            Limit::Registers => "registers",
            Limit::Shared => "shared",
            Limit::Blocks => "blocks",
        }
    }

    /// Its name in sentences.
    pub fn in_words(self) -> &'static str {
        match self {
            Limit::Shared => "shared memory",
            Limit::Blocks => "block slots",
            Limit::Warps | Limit::Registers => self.name(),
        }
    }
}

/// How full one SM is with blocks of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Occupancy {
    /// Blocks on an SM at once; 0 where the launch is refused.
    pub blocks: u32,
    /// Warps on an SM at once.
    pub warps: u32,
    /// Those of the warps that an SM can hold, between 0 and 1.
    pub fraction: f64,
    /// Blocks that the SM's warps allow.
    pub limit_warps: u32,
    /// Blocks that its registers allow; nothing for a kernel without registers.
    pub limit_registers: Option<u32>,
    /// Blocks that its shared memory allows; nothing where a block takes none.
    pub limit_shared: Option<u32>,
    /// Blocks that it holds at most.
    pub limit_blocks: u32,
    /// Registers that a block takes, rounded as they are handed out.
    pub registers_per_block: u32,
    /// Shared memory that a block takes, rounded and with what is reserved.
    pub shared_bytes_per_block: u32,
    /// The lowest limits, in the order of [`Limit`].
    pub limiting_factors: Vec<Limit>,
}

/// A share of an SM's warps as `18.75 %`: no more decimals than it has, and at most two.
pub fn occupancy_text(fraction: f64) -> String {
    let text = format!("{:.2}", 100.0 * fraction);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} %")
}

/// Occupancy of blocks of `threads` threads that take `registers` registers each, and
/// `shared_bytes` of shared memory a block. The rules are those of NVIDIA's occupancy calculator.
pub fn occupancy(
    cc: &ComputeCapability,
    threads: u32,
    registers: u32,
    shared_bytes: u32,
) -> Occupancy {
    // The last warp of a block is whole to the scheduler, however few threads it has.
    let warps = threads.div_ceil(cc.threads_per_warp).max(1);
    let fits = (1..=cc.max_threads_per_block).contains(&threads);
    let limit_warps = if fits { cc.max_warps_per_sm / warps } else { 0 };
    let warp_registers = registers_of_warp(cc, registers);
    let limit_registers = (registers > 0).then(|| blocks_by_registers(cc, warps, registers));
    let shared_bytes_per_block = shared_of_block(cc, shared_bytes);
    let limit_shared = match shared_bytes_per_block {
        _ if shared_bytes > cc.shared_per_block_optin_bytes => Some(0),
        // Where nothing is asked for and nothing reserved, shared memory limits nothing.
        0 => None,
        bytes => Some(cc.shared_per_sm_bytes / bytes),
    };
    let limits = [
        (Limit::Warps, Some(limit_warps)),
        (Limit::Registers, limit_registers),
        (Limit::Shared, limit_shared),
        (Limit::Blocks, Some(cc.max_blocks_per_sm)),
    ];
    let blocks = limits.iter().filter_map(|limit| limit.1).min().unwrap_or(0);
    let lowest = limits.iter().filter(|(_, limit)| *limit == Some(blocks));
    Occupancy {
        blocks,
        warps: blocks * warps,
        fraction: f64::from(blocks * warps) / f64::from(cc.max_warps_per_sm),
        limit_warps,
        limit_registers,
        limit_shared,
        limit_blocks: cc.max_blocks_per_sm,
        registers_per_block: warp_registers.saturating_mul(warps),
        shared_bytes_per_block,
        limiting_factors: lowest.map(|&(limit, _)| limit).collect(),
    }
}

/// Registers are handed to whole warps, in units.
fn registers_of_warp(cc: &ComputeCapability, registers: u32) -> u32 {
    let exact = registers.saturating_mul(cc.threads_per_warp);
    let units = exact.div_ceil(cc.register_allocation_unit);
    units.saturating_mul(cc.register_allocation_unit)
}

/// Each sub-partition of an SM holds as many warps as its own registers allow. A launch is refused
/// where a block's warps, as if they filled all sub-partitions, take more than a block may; within
/// one major version the strictest rule holds, so that code runs on all of it.
fn blocks_by_registers(cc: &ComputeCapability, warps: u32, registers: u32) -> u32 {
    let each = registers_of_warp(cc, registers);
    let granularity = same_major(&cc.cc).map(|row| row.warp_allocation_granularity);
    let filled = warps.next_multiple_of(granularity.max().unwrap_or(1));
    // In 64 bits: the product of two 32-bit numbers may not fit.
    let block = u64::from(each) * u64::from(filled);
    if registers > cc.max_registers_per_thread || block > u64::from(cc.max_registers_per_block) {
        return 0;
    }
    let partitions = cc.sub_partitions_per_sm;
    // Integer divisions in this order: what is left over in one sub-partition serves no warp of another.
    cc.registers_per_sm / partitions / each * partitions / warps
}

fn shared_of_block(cc: &ComputeCapability, shared_bytes: u32) -> u32 {
    let exact = shared_bytes.saturating_add(cc.shared_reserved_per_block_bytes);
    let units = exact.div_ceil(cc.shared_allocation_unit_bytes);
    units.saturating_mul(cc.shared_allocation_unit_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::compute_capability;

    fn row(fields: &[&str]) -> String {
        let number = |at: usize| fields[at].parse().expect("is a number");
        let cc = compute_capability(fields[0]).expect("is in the table");
        let found = occupancy(cc, number(1), number(2), number(3));
        let factors = found.limiting_factors.iter().map(|limit| limit.name());
        let or_none = |limit: Option<u32>| limit.map_or(String::new(), |limit| limit.to_string());
        let results = [
            found.blocks.to_string(),
            found.warps.to_string(),
            factors.collect::<Vec<_>>().join("+"),
            found.limit_warps.to_string(),
            or_none(found.limit_registers),
            or_none(found.limit_shared),
            found.limit_blocks.to_string(),
            found.registers_per_block.to_string(),
            found.shared_bytes_per_block.to_string(),
        ];
        format!("{},{}", fields[..4].join(","), results.join(","))
    }

    #[test]
    fn every_row_is_what_nvidias_calculator_says() {
        let sample = include_str!("../../tests/tutor/fixtures/occupancy_sample.csv");
        let rows: Vec<&str> = sample.lines().skip(1).collect();
        assert!(rows.len() >= 60, "the fixture is there");
        for expected in rows {
            assert_eq!(row(&expected.split(',').collect::<Vec<_>>()), expected);
        }
    }

    #[test]
    fn occupancy_has_as_many_decimals_as_are_exact_up_to_two() {
        let texts = [12.0, 64.0, 0.0, 48.0, 1.0].map(|warps| occupancy_text(warps / 64.0));
        assert_eq!(texts, ["18.75 %", "100 %", "0 %", "75 %", "1.56 %"]);
    }

    #[test]
    fn what_cannot_be_launched_has_no_blocks_whatever_the_numbers() {
        let cc = compute_capability("9.0").expect("is in the table");
        let blocks = |threads, registers, shared| occupancy(cc, threads, registers, shared).blocks;
        assert_eq!(blocks(0, 32, 0), 0);
        assert_eq!(blocks(1025, 32, 0), 0);
        assert_eq!(blocks(32, 256, 0), 0);
        assert_eq!(blocks(u32::MAX, u32::MAX, u32::MAX), 0);
        assert_eq!(blocks(32, 0, 0), 32);
    }

    #[test]
    fn what_a_relative_refuses_for_registers_is_refused() {
        // Ten warps of 200 registers fit the two partitions of 6.0, but not the four of 6.1.
        let blocks = |cc| {
            let cc = compute_capability(cc).expect("is in the table");
            occupancy(cc, 320, 200, 0).blocks
        };
        assert_eq!((blocks("6.0"), blocks("6.1")), (0, 0));
    }
}
