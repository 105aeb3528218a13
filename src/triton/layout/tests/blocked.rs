//! Blocked layouts: those that Triton 3.6 chose for our kernels, by shape, elements per thread, order and warps.

use crate::triton::layout::{Access, Blocked, Layout, blocked_for, coalesced, default_blocked};

fn blocked(sizes: [&[u32]; 3], order: &[usize]) -> Blocked {
    Blocked {
        size_per_thread: sizes[0].to_vec(),
        threads_per_warp: sizes[1].to_vec(),
        warps_per_block: sizes[2].to_vec(),
        order: order.to_vec(),
    }
}

/// Shape, elements per thread along the fastest dimension, order and warps; then lanes and warps as listed.
type Row<'a> = (&'a [u32], u32, &'a [usize], u32, &'a [u32], &'a [u32]);

/// Seen in the listings of recorded launches.
const CHOSEN: [Row; 30] = [
    (&[4, 256], 1, &[1, 0], 4, &[1, 32], &[1, 4]),
    (&[16, 64], 1, &[1, 0], 4, &[1, 32], &[2, 2]),
    (&[32, 32], 1, &[1, 0], 4, &[1, 32], &[4, 1]),
    (&[32, 16], 1, &[1, 0], 4, &[2, 16], &[4, 1]),
    (&[32, 32], 1, &[0, 1], 4, &[32, 1], &[1, 4]),
    (&[4, 256], 4, &[1, 0], 4, &[1, 32], &[2, 2]),
    (&[8, 128], 4, &[1, 0], 4, &[1, 32], &[4, 1]),
    (&[64, 8], 4, &[1, 0], 4, &[16, 2], &[4, 1]),
    (&[8, 64], 4, &[1, 0], 2, &[2, 16], &[2, 1]),
    (&[64, 64], 4, &[1, 0], 8, &[2, 16], &[8, 1]),
    (&[32, 32], 4, &[1, 0], 1, &[4, 8], &[1, 1]),
    (&[16, 16], 4, &[1, 0], 1, &[8, 4], &[1, 1]),
    (&[16, 16], 8, &[1, 0], 1, &[16, 2], &[1, 1]),
    (&[128, 64], 8, &[1, 0], 4, &[4, 8], &[4, 1]),
    (&[128, 32], 8, &[1, 0], 4, &[8, 4], &[4, 1]),
    (&[64, 64], 4, &[0, 1], 4, &[16, 2], &[1, 4]),
    (&[16, 16], 4, &[0, 1], 1, &[4, 8], &[1, 1]),
    (&[32, 32], 4, &[0, 1], 4, &[8, 4], &[1, 4]),
    (&[1024], 4, &[0], 2, &[32], &[2]),
    (&[16], 1, &[0], 4, &[32], &[4]),
    (&[1024], 8, &[0], 4, &[32], &[4]),
    (&[1024], 1, &[0], 1, &[32], &[1]),
    (&[1024], 1, &[0], 2, &[32], &[2]),
    (&[64], 1, &[0], 8, &[32], &[8]),
    (&[64], 2, &[0], 1, &[32], &[1]),
    (&[512], 2, &[0], 4, &[32], &[4]),
    (&[2048], 4, &[0], 4, &[32], &[4]),
    (&[4096], 4, &[0], 8, &[32], &[8]),
    (&[64, 16], 4, &[1, 0], 4, &[8, 4], &[4, 1]),
    (&[16, 64], 4, &[1, 0], 4, &[2, 16], &[4, 1]),
];

#[test]
fn lanes_and_warps_lie_as_triton_lays_them() {
    for (shape, per_thread, order, warps, lanes, warp_grid) in CHOSEN {
        let layout = blocked_for(shape, order.to_vec(), per_thread, warps);
        assert_eq!(layout.threads_per_warp, lanes, "{shape:?} {per_thread}");
        assert_eq!(layout.warps_per_block, warp_grid, "{shape:?} {per_thread}");
    }
    let default = default_blocked(&[4, 256], 4);
    assert_eq!(default, blocked_for(&[4, 256], vec![1, 0], 1, 4));
}

/// Accesses of one dimension: contiguity, divisibility in bytes, bits of an element, whether it loads.
fn access(contiguity: u32, divisibility: u32, element_bits: u32, is_load: bool) -> Access {
    Access {
        contiguity: vec![contiguity],
        divisibility: vec![divisibility],
        element_bits,
        is_load,
    }
}

#[test]
fn accesses_take_16_bytes_where_alignment_and_tile_allow() {
    let per_thread = |elements: u32, access: &Access, others: &[Access], warps| {
        coalesced(&[elements], access, others, warps).size_per_thread[0]
    };
    // The vector add at 1,024 elements and 4 warps: 4 floats, 8 halves, and 2 integers of 64 bits.
    assert_eq!(per_thread(1024, &access(1024, 16, 32, true), &[], 4), 4);
    assert_eq!(per_thread(1024, &access(1024, 16, 16, true), &[], 4), 8);
    assert_eq!(per_thread(1024, &access(1024, 16, 64, true), &[], 4), 2);
    // At a stride nothing lies side by side, and an address of 4 bytes leaves one float at a time.
    assert_eq!(per_thread(1024, &access(1, 16, 32, true), &[], 4), 1);
    assert_eq!(per_thread(1024, &access(1024, 4, 32, true), &[], 4), 1);
    // No more than the tile gives every thread.
    assert_eq!(per_thread(256, &access(256, 16, 32, true), &[], 4), 2);
    assert_eq!(per_thread(64, &access(64, 16, 32, true), &[], 4), 1);
    // Halves loaded, floats stored: the load goes by the wider of both, the store by its own.
    let (halves, floats) = (access(1024, 16, 16, true), access(1024, 16, 32, false));
    assert_eq!(
        per_thread(1024, &halves, std::slice::from_ref(&floats), 4),
        8
    );
    assert_eq!(
        per_thread(1024, &floats, std::slice::from_ref(&halves), 4),
        4
    );
}

#[test]
fn columns_side_by_side_make_columns_fastest() {
    let by_columns = Access {
        contiguity: vec![32, 1],
        divisibility: vec![16, 4],
        element_bits: 32,
        is_load: false,
    };
    let expected = blocked([&[4, 1], &[8, 4], &[1, 4]], &[0, 1]);
    assert_eq!(coalesced(&[32, 32], &by_columns, &[], 4), expected);
}

#[test]
fn layouts_are_written_as_triton_writes_them_and_in_words() {
    let layout = blocked([&[1, 4], &[4, 8], &[4, 1]], &[1, 0]);
    let written = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
    assert_eq!(layout.to_string(), written);
    let slice = Layout::Blocked(layout).slice(1);
    assert_eq!(
        slice.to_string(),
        format!("#ttg.slice<{{dim = 1, parent = {written}}}>")
    );
    assert_eq!(
        slice.in_words(),
        "1 × 4 elements at a time, 4 × 8 lanes per warp, 4 × 1 warps; neighbours lie along dimension 1, of which those \
         along dimension 1 hold the same"
    );
}
