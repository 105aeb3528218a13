//! How long a launch takes, by a roofline: whatever it keeps busy longest, and what any launch takes.

use crate::device::Gpu;
use crate::launch::Counts;

/// What an empty kernel takes between two events, on GPUs of these years.
const LAUNCH_NS: f64 = 2_000.0;
/// Where the table has no figure for a GPU.
const USUAL_CLOCK_MHZ: u32 = 1_500;
const SECTOR_BYTES: u64 = 32;

/// The time that a launch with these counts takes on `gpu`, which touches so many different bytes.
pub(super) fn modelled_ns(gpu: &Gpu, counts: &Counts, touched_bytes: u64) -> u64 {
    // One GB/s is one byte per nanosecond.
    let memory = gpu.memory_bandwidth_gb_s;
    let memory = memory.map_or(0.0, |rate| touched_bytes as f64 / rate);
    let sectors = [
        counts.global_load.sectors,
        counts.global_store.sectors,
        counts.global_atomic.sectors,
    ];
    let moved_bytes = sectors.iter().sum::<u64>() * SECTOR_BYTES;
    let l2 = gpu.onchip_number("l2_measured_tb_s");
    let l2 = l2.map_or(0.0, |rate| moved_bytes as f64 / (1_000.0 * rate));
    let clock_ghz = f64::from(gpu.boost_clock_mhz.unwrap_or(USUAL_CLOCK_MHZ)) / 1_000.0;
    let issued_per_clock = gpu.limits().sub_partitions_per_sm * gpu.sm_count.unwrap_or(1);
    let issue = counts.warp_instructions as f64 / (f64::from(issued_per_clock) * clock_ghz);
    (LAUNCH_NS + memory.max(l2).max(issue)) as u64
}
