//! What is counted, of whom.

use super::code::{Code, Site, ZERO};
use super::flow::block_sum;
use super::{Case, floats, words};
use crate::ir::Op;
use crate::launch::{BranchCounts, BufferFootprint, Fp32Counts, GlobalCounts, SharedCounts};

#[test]
fn a_wide_copy_counts_elements_of_the_buffer() {
    let (mut code, parameters) = Code::new(2, 0);
    let i = code.global_index();
    let value = code.load(Op::Load, parameters[0], i, Site::of(16));
    code.store(Op::Store, value, parameters[1], i, Site::of(16));
    let kernel = code.done();
    let (run, buffers) = Case::new(&kernel, 2, 64)
        .buffer(floats((0..512).map(|i| i as f32)))
        .buffer(floats([0.0; 512]))
        .finish();
    assert_eq!(buffers[0].bytes, buffers[1].bytes);
    let expected = GlobalCounts {
        requests: 4,
        elements: 512,
        distinct_elements: 512,
        bytes: 2048,
        used_bytes: 2048,
        sectors: 64,
        lines: 16,
    };
    assert_eq!(run.counts.global_load, expected);
    assert_eq!(run.counts.global_store, expected);
    let footprint = |buffer, loaded, stored| BufferFootprint {
        buffer,
        loaded,
        stored,
        end: 512,
    };
    assert_eq!(run.footprints, [footprint(0, 512, 0), footprint(1, 0, 512)]);
}

#[test]
fn distinct_elements_are_of_the_line_and_of_the_launch() {
    let (mut code, parameters) = Code::new(1, 0);
    let t = code.value(Op::ThreadX, &[]);
    // Line 2 loads x[t] and x[t + 16], line 3 x[t] again.
    code.statement();
    code.load(Op::Load, parameters[0], t, Site::of(4));
    let shifted = Site {
        offset: 64,
        ..Site::of(4)
    };
    code.load(Op::Load, parameters[0], t, shifted);
    code.statement();
    code.load(Op::Load, parameters[0], t, Site::of(4));
    let kernel = code.done();
    let (run, _) = Case::new(&kernel, 1, 32).buffer(words([0; 64])).finish();
    let lines = run.lines.iter().map(|line| {
        let load = line.counts.global_load;
        (line.line, load.elements, load.distinct_elements)
    });
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [(1, 0, 0), (2, 64, 48), (3, 32, 32)]
    );
    let load = run.counts.global_load;
    assert_eq!((load.elements, load.distinct_elements), (96, 48));
}

#[test]
fn strides_and_broadcasts_cost_what_they_touch() {
    let (mut code, parameters) = Code::new(1, 0);
    let (t, zero) = (code.value(Op::ThreadX, &[]), code.constant(0));
    code.statement();
    let column = Site {
        scale: Some(128),
        ..Site::of(4)
    };
    code.load(Op::Load, parameters[0], t, column);
    code.statement();
    code.load(Op::Load, parameters[0], zero, Site::of(4));
    let kernel = code.done();
    let (run, _) = Case::new(&kernel, 1, 32).buffer(words(0..1024)).finish();
    let of_line = |line: usize| {
        let load = run.lines[line].counts.global_load;
        (
            load.sectors,
            load.lines,
            load.elements,
            load.distinct_elements,
            load.used_bytes,
        )
    };
    assert_eq!(of_line(1), (32, 32, 32, 32, 128));
    assert_eq!(of_line(2), (1, 1, 32, 1, 4));
}

#[test]
fn bank_conflicts_are_wavefronts_beyond_the_fewest() {
    let (mut code, _) = Code::new(0, 0);
    code.shared(32 * 128);
    let t = code.value(Op::ThreadX, &[]);
    let column = Site {
        scale: Some(128),
        ..Site::of(4)
    };
    code.store(Op::StoreShared, t, ZERO, t, Site::of(4));
    code.load(Op::LoadShared, ZERO, t, column);
    code.load(Op::LoadShared, ZERO, t, Site::of(16));
    let kernel = code.done();
    let (run, _) = Case::new(&kernel, 1, 32).finish();
    let expected = |requests, wavefronts, bank_conflicts| SharedCounts {
        requests,
        wavefronts,
        bank_conflicts,
    };
    assert_eq!(run.counts.shared_store, expected(1, 1, 0));
    assert_eq!(run.counts.shared_load, expected(2, 32 + 4, 31));
}

#[test]
fn instructions_branches_and_operations_count_warps_and_lanes() {
    let (mut code, _) = Code::new(0, 0);
    let (t, limit) = (code.value(Op::ThreadX, &[]), code.constant(40));
    let low = code.value(Op::LtI32, &[t, limit]);
    code.begin_if(low);
    code.statement();
    code.value(Op::FmaF32, &[t, t, t]);
    code.value(Op::ExpF32, &[t]);
    code.begin_else();
    code.statement();
    code.value(Op::AddF32, &[t, t]);
    code.end_else();
    let kernel = code.done();
    let (run, _) = Case::new(&kernel, 1, 96).finish();
    // An exponential is an addition, a multiplication, four multiply-adds and a power of two.
    let expected = Fp32Counts {
        add: 56 + 40,
        mul: 40,
        fma: 40 + 4 * 40,
        special: 40,
    };
    assert_eq!(run.counts.fp32, expected);
    let branches = BranchCounts {
        executed: 3,
        divergent: 1,
    };
    assert_eq!(run.counts.branches, branches);
    let of_line = |line: usize| {
        let counts = &run.lines[line].counts;
        (counts.warp_instructions, counts.thread_instructions)
    };
    assert_eq!(of_line(0), (4 * 3, 4 * 96));
    // The two operations by two warps, and `Else`, which every warp executes.
    assert_eq!(of_line(1), (2 * 2 + 3, 2 * 40 + 40));
    assert_eq!(run.counts.l1.0, None);
}

#[test]
fn counts_and_results_do_not_depend_on_the_number_of_threads() {
    let kernel = block_sum();
    let run = |threads| {
        let mut case = Case::new(&kernel, 200, 256)
            .buffer(words((0..200 * 256).map(|i| i * 7)))
            .buffer(words([0; 200]));
        case.threads = threads;
        case.finish()
    };
    let serial = run(1);
    assert_eq!(serial.0.counts.global_load.distinct_elements, 200 * 256);
    for threads in [2, 4] {
        assert_eq!(run(threads), serial);
    }
}
