//! What a kernel may not do, and what it is told.

use super::code::{Code, Site, ZERO};
use super::{Case, floats, words};
use crate::ir::{IndexType, Kernel, Op, SHARED_BASE};
use crate::source::{Diagnostic, Span};

/// `x[t + shift]` is loaded by every thread, in a statement on line 2.
fn load_at(shift: u32, width: u32, scale: u32) -> Kernel {
    let (mut code, parameters) = Code::new(1, 0);
    let i = code.global_index();
    let shift = code.constant(shift);
    let at = code.value(Op::AddI32, &[i, shift]);
    code.statement();
    let site = Site {
        scale: Some(scale),
        ..Site::of(width)
    };
    code.load(Op::Load, parameters[0], at, site);
    code.done()
}

fn label(fault: &Diagnostic) -> &str {
    &fault.labels[0].text
}

#[test]
fn an_access_past_the_end_names_buffer_element_and_thread() {
    let kernel = load_at(0, 4, 4);
    let fault = Case::new(&kernel, 4, 48).buffer(floats([0.0; 100])).fault();
    assert_eq!(
        fault.message,
        "out-of-bounds load: element 100 of `x`, which has 100 f32 elements"
    );
    assert_eq!(
        label(&fault),
        "4 bytes past its end, by lane 4 of warp 0 of block (2, 0, 0) (thread (4, 0, 0))"
    );
    assert_eq!(fault.notes, ["lanes 4-31 of the warp go outside"]);
    assert_eq!(fault.span(), Span::new(2, 3));
}

#[test]
fn an_access_before_the_beginning_says_so() {
    let kernel = load_at(-3_i32 as u32, 4, 4);
    let fault = Case::new(&kernel, 1, 32).buffer(floats([0.0; 100])).fault();
    assert!(
        fault.message.contains("element -3 of `x`"),
        "{}",
        fault.message
    );
    assert!(label(&fault).starts_with("12 bytes before its beginning, by lane 0"));
}

#[test]
fn a_wide_access_that_crosses_the_end_is_out_of_bounds() {
    let kernel = load_at(0, 16, 16);
    let fault = Case::new(&kernel, 1, 4).buffer(floats([0.0; 14])).fault();
    assert!(
        fault.message.contains("elements 12 to 15 of `x`"),
        "{}",
        fault.message
    );
    assert!(label(&fault).starts_with("8 bytes past its end, by lane 3"));
}

#[test]
fn the_first_block_in_order_is_told_with_any_number_of_threads() {
    let kernel = load_at(0, 4, 4);
    for threads in [1, 2, 4] {
        let mut case = Case::new(&kernel, 64, 32).buffer(floats([0.0; 330]));
        case.threads = threads;
        assert!(label(&case.fault()).contains("lane 10 of warp 0 of block (10, 0, 0)"));
    }
}

/// Block 0 works for a while before it goes wrong, the others go wrong at once.
#[test]
fn an_earlier_block_that_faults_later_is_the_one_told() {
    let (mut code, parameters) = Code::new(1, 0);
    let (block, one) = (code.value(Op::BlockX, &[]), code.constant(1));
    let (many, none, far) = (code.constant(5000), code.constant(0), code.constant(100));
    let turns = code.value(Op::Select32, &[block, none, many]);
    code.begin_loop();
    code.put(Op::LeaveUnless, 0, &[turns]);
    code.put(Op::SubI32, turns, &[turns, one]);
    code.end_loop();
    code.load(Op::Load, parameters[0], far, Site::of(4));
    let kernel = code.done();
    let mut case = Case::new(&kernel, 4, 32).buffer(floats([0.0; 100]));
    case.threads = 4;
    assert!(label(&case.fault()).contains("block (0, 0, 0)"));
}

#[test]
fn an_index_that_overflows_its_type_wraps() {
    let (mut code, parameters) = Code::new(1, 0);
    let t = code.value(Op::ThreadX, &[]);
    let first = 0x7fff_fff0;
    let start = code.constant(first);
    let index = code.value(Op::AddI32, &[t, start]);
    let shift = code.constant64(4 * u64::from(first));
    let base = code.value(Op::SubI64, &[parameters[0], shift]);
    code.load(Op::Load, base, index, Site::of(4));
    let kernel = code.done();
    let fault = Case::new(&kernel, 1, 32).buffer(floats([0.0; 32])).fault();
    assert_eq!(fault.notes, ["lanes 16-31 of the warp go outside"]);
}

#[test]
fn a_misaligned_access_names_the_width() {
    let kernel = load_at(1, 16, 4);
    let fault = Case::new(&kernel, 1, 1).buffer(floats([0.0; 100])).fault();
    assert_eq!(fault.message, "misaligned load of 16 bytes");
    assert!(label(&fault).contains("4 bytes past a multiple of 16"));
}

#[test]
fn null_and_foreign_addresses_are_told_apart() {
    let at = |address: u64| {
        let (mut code, _) = Code::new(0, 0);
        let pointer = code.constant64(address);
        let site = Site {
            index: IndexType::None,
            ..Site::of(4)
        };
        let value = code.constant(1);
        code.store(Op::Store, value, pointer, 0, site);
        let kernel = code.done();
        Case::new(&kernel, 1, 1).fault().message
    };
    assert_eq!(at(0), "store through a null pointer");
    assert_eq!(at(8), "store through a null pointer");
    assert_eq!(at(1 << 50), "store at an address that belongs to no buffer");
}

#[test]
fn shared_memory_has_an_end_too() {
    let (mut code, _) = Code::new(0, 0);
    code.shared(64);
    let t = code.value(Op::ThreadX, &[]);
    code.store(Op::StoreShared, t, ZERO, t, Site::of(4));
    let kernel = code.done();
    let fault = Case::new(&kernel, 1, 32).fault();
    assert_eq!(
        fault.message,
        "out-of-bounds store: element 16 of the block's shared memory, which has 16 4-byte elements"
    );
    assert!(label(&fault).starts_with("4 bytes past its end, by lane 16"));
}

#[test]
fn memories_do_not_mix_in_one_access() {
    let (mut code, parameters) = Code::new(1, 0);
    code.shared(128);
    let (t, one) = (code.value(Op::ThreadX, &[]), code.constant(1));
    let odd = code.value(Op::And32, &[t, one]);
    let shared = code.constant64(SHARED_BASE);
    let pointer = code.value(Op::Select64, &[odd, parameters[0], shared]);
    code.load(Op::Load, pointer, t, Site::of(4));
    let kernel = code.done();
    let fault = Case::new(&kernel, 1, 32).buffer(words([0; 32])).fault();
    assert_eq!(fault.message, "one load goes to several memories at once");
}

#[test]
fn a_barrier_that_some_lanes_miss_says_which() {
    let (mut code, _) = Code::new(0, 0);
    let (t, limit) = (code.value(Op::ThreadX, &[]), code.constant(40));
    let low = code.value(Op::LtI32, &[t, limit]);
    code.begin_if(low);
    code.statement();
    code.put(Op::Barrier, 0, &[]);
    code.end_if();
    // Work for all lanes: those that go around the barrier cannot have ended.
    code.value(Op::ThreadX, &[]);
    let kernel = code.done();
    let fault = Case::new(&kernel, 1, 64).fault();
    assert!(fault.message.starts_with("barrier in divergent code"));
    assert_eq!(
        label(&fault),
        "only lanes 0-7 of warp 1 of block (0, 0, 0) arrive"
    );
    assert_eq!(fault.notes, ["lanes 8-31 took another path"]);
    assert_eq!(fault.span(), Span::new(2, 3));
}

#[test]
fn a_barrier_goes_on_without_lanes_that_have_only_to_end() {
    let kernel = |is_nested: bool| {
        let (mut code, parameters) = Code::new(1, 0);
        let (t, limit) = (code.value(Op::ThreadX, &[]), code.constant(40));
        let low = code.value(Op::LtI32, &[t, limit]);
        if is_nested {
            code.begin_if(limit);
        }
        code.begin_if(low);
        code.statement();
        code.put(Op::Barrier, 0, &[]);
        code.store(Op::Store, limit, parameters[0], t, Site::of(4));
        // As the compiler ends an `if` that has no `else`.
        code.end_else();
        if is_nested {
            code.end_else();
        }
        code.done()
    };
    for is_nested in [false, true] {
        let kernel = kernel(is_nested);
        let (run, buffers) = Case::new(&kernel, 1, 96).buffer(words([0; 96])).run();
        assert_eq!(run.end, crate::simt::End::Finished);
        let [warning] = &run.reports[..] else {
            panic!("{:?}", run.reports);
        };
        assert_eq!(warning.code, Some(crate::simt::DIVERGENT_BARRIER));
        assert_eq!(label(warning), "lanes 8-31 have ended without it");
        let stored: Vec<u32> = (0..96).map(|i| if i < 40 { 40 } else { 0 }).collect();
        assert_eq!(buffers[0].bytes, words(stored).bytes);
    }
}

/// A shuffle down by one with this mask, by the first `lanes` lanes.
fn shuffle(mask: u32, lanes: u32) -> Kernel {
    let (mut code, _) = Code::new(0, 0);
    let (t, one) = (code.value(Op::ThreadX, &[]), code.constant(1));
    let (mask, limit) = (code.constant(mask), code.constant(lanes));
    let takes_part = code.value(Op::LtI32, &[t, limit]);
    code.begin_if(takes_part);
    code.emit(Op::ShflDown, t, [t, one, mask], 32);
    code.end_if();
    code.done()
}

#[test]
fn a_shuffle_by_a_lane_outside_its_mask_is_refused() {
    let kernel = shuffle(0xff, 16);
    let fault = Case::new(&kernel, 1, 32).fault();
    let text = "a lane calls a warp function but is not in its mask";
    assert_eq!(fault.message, text);
    let place = label(&fault);
    assert!(place.starts_with("mask 0x000000ff lacks lane 8"), "{place}");
}

#[test]
fn shuffles_from_lanes_that_take_no_part_are_warned_of() {
    let warning = |mask, lanes, threads| {
        let kernel = shuffle(mask, lanes);
        let (run, _) = Case::new(&kernel, 3, threads).run();
        assert_eq!(run.end, crate::simt::End::Finished);
        let [warning] = &run.reports[..] else {
            panic!("{:?}", run.reports);
        };
        (warning.message.clone(), label(warning).to_owned())
    };
    let expected = "a shuffle reads lanes that do not take part in it";
    for (mask, lanes, threads, reader) in [
        (u32::MAX, 16, 32, 15),
        (0xffff, 16, 32, 15),
        // Lanes that are no threads of the block need not come, but have nothing to give.
        (u32::MAX, 32, 20, 19),
    ] {
        let (text, place) = warning(mask, lanes, threads);
        assert_eq!(text, expected);
        assert_eq!(place, format!("lane {reader} reads such a lane"));
    }
}

#[test]
fn shapes_that_cuda_refuses_are_refused_with_a_reason() {
    let (code, _) = Code::new(0, 1);
    let mut kernel = code.done();
    kernel.max_threads = Some(256);
    let message = |grid, block, arguments| {
        let mut case = Case::new(&kernel, 1, 1);
        (case.grid, case.block, case.scalars) = (grid, block, arguments);
        case.fault().message
    };
    let text = message([1, 0, 1], [32, 1, 1], vec![0]);
    assert!(text.contains("the grid is 0 in y"), "{text}");
    let text = message([1, 1, 1], [1, 1, 65], vec![0]);
    assert!(text.contains("the block is 65 in z"), "{text}");
    let text = message([1, 1, 1], [257, 1, 1], vec![0]);
    assert!(text.contains("257 threads, at most 256"), "{text}");
    let text = message([1, 1, 1], [32, 1, 1], vec![]);
    assert!(text.contains("0 arguments for 1 parameters"), "{text}");
}
