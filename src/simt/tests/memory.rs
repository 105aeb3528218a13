//! Loads and stores of every width and pattern, and values that cross lanes.

use proptest::prelude::*;

use super::code::{Code, Site, ZERO};
use super::{Case, to_words, words};
use crate::ir::{IndexType, Kernel, Op, SHARED_BASE, ValueKind};
use crate::launch::{BufferValues, ElementType};

fn bytes(values: Vec<u8>) -> BufferValues {
    BufferValues {
        name: "bytes".to_owned(),
        element: ElementType::U8,
        bytes: values,
    }
}

/// How a value gets from buffer 0 to buffer 1.
#[derive(Clone, Copy, Debug)]
enum Route {
    Global,
    Shared,
    SharedByAddress,
    Local,
}

/// `if (keep[t]) to[at[t]] = from[at[t]]`, in units of `width` bytes, by way of `route`.
fn copy(width: u32, index: IndexType, route: Route) -> Kernel {
    let (mut code, parameters) = Code::new(4, 0);
    code.shared(64 * width);
    code.local(64 * width);
    let t = code.value(Op::ThreadX, &[]);
    let keep = code.load(Op::Load, parameters[2], t, Site::of(4));
    let narrow = code.load(Op::Load, parameters[3], t, Site::of(4));
    let at = match index {
        IndexType::I64 => code.value(Op::I32ToI64, &[narrow]),
        _ => narrow,
    };
    let site = Site {
        index,
        ..Site::of(width)
    };
    code.begin_if(keep);
    let value = code.load(Op::Load, parameters[0], at, site);
    let (load, store, base) = match route {
        Route::Global => (Op::Mov32, Op::Mov32, ZERO),
        Route::Shared => (Op::LoadShared, Op::StoreShared, ZERO),
        Route::SharedByAddress => (Op::Load, Op::Store, code.constant64(SHARED_BASE)),
        Route::Local => (Op::LoadLocal, Op::StoreLocal, ZERO),
    };
    let value = match route {
        Route::Global => value,
        _ => {
            code.store(store, value, base, at, site);
            code.load(load, base, at, site)
        }
    };
    code.store(Op::Store, value, parameters[1], at, site);
    code.end_if();
    code.done()
}

fn pattern() -> impl Strategy<Value = Vec<u32>> {
    prop_oneof![
        (0_u32..32).prop_map(|first| (first..first + 32).collect()),
        (0_u32..64).prop_map(|same| vec![same; 32]),
        (0_u32..32).prop_map(|first| (first..first + 32).rev().collect()),
        prop::collection::vec(0_u32..64, 32),
        Just((0..32).map(|lane| lane * 2).collect()),
    ]
}

fn mask() -> impl Strategy<Value = u32> {
    prop_oneof![
        Just(u32::MAX),
        any::<u32>(),
        (0_u32..32).prop_map(|lane| 1 << lane),
        (0_u32..32, 0_u32..32).prop_map(|(left, right)| u32::MAX << left >> right),
    ]
}

proptest! {
    #[test]
    fn a_copy_moves_the_elements_of_the_active_lanes(
        at in pattern(),
        mask in mask(),
        width in prop::sample::select(vec![1_u32, 2, 4, 8, 16]),
        index in prop::sample::select(vec![IndexType::I32, IndexType::U32, IndexType::I64]),
        route in prop::sample::select(
            vec![Route::Global, Route::Shared, Route::SharedByAddress, Route::Local]
        ),
    ) {
        let kernel = copy(width, index, route);
        let from: Vec<u8> = (0..64 * width).map(|i| (i * 37 + i / 256 + 1) as u8).collect();
        let mut to = vec![0; from.len()];
        for (lane, &slot) in at.iter().enumerate() {
            if mask >> lane & 1 == 1 {
                let range = (slot * width) as usize..((slot + 1) * width) as usize;
                to[range.clone()].copy_from_slice(&from[range]);
            }
        }
        let (_, buffers) = Case::new(&kernel, 1, 32)
            .buffer(bytes(from))
            .buffer(bytes(vec![0; to.len()]))
            .buffer(words((0..32).map(|lane| mask >> lane & 1)))
            .buffer(words(at))
            .finish();
        prop_assert_eq!(&buffers[1].bytes, &to);
    }
}

#[test]
fn narrow_loads_extend_as_their_site_says() {
    for (width, value, expected) in [
        (1, ValueKind::Unsigned, 0x80_u32),
        (1, ValueKind::Signed, 0xffff_ff80),
        (2, ValueKind::Unsigned, 0xff80),
        (2, ValueKind::Signed, 0xffff_ff80),
    ] {
        let (mut code, parameters) = Code::new(2, 0);
        let t = code.value(Op::ThreadX, &[]);
        let site = Site {
            value,
            ..Site::of(width)
        };
        let value = code.load(Op::Load, parameters[0], t, site);
        code.store(Op::Store, value, parameters[1], t, Site::of(4));
        let kernel = code.done();
        let (_, buffers) = Case::new(&kernel, 1, 1)
            .buffer(bytes(vec![0x80, 0xff]))
            .buffer(words([0]))
            .finish();
        assert_eq!(to_words(&buffers[1]), [expected]);
    }
}

#[test]
fn lanes_may_load_from_several_buffers_at_once() {
    let (mut code, parameters) = Code::new(3, 0);
    let t = code.value(Op::ThreadX, &[]);
    let one = code.constant(1);
    let odd = code.value(Op::And32, &[t, one]);
    let pointer = code.value(Op::Select64, &[odd, parameters[0], parameters[1]]);
    let value = code.load(Op::Load, pointer, t, Site::of(4));
    code.store(Op::Store, value, parameters[2], t, Site::of(4));
    let kernel = code.done();
    let (run, buffers) = Case::new(&kernel, 1, 32)
        .buffer(words((0..32).map(|i| 100 + i)))
        .buffer(words((0..32).map(|i| 200 + i)))
        .buffer(words([0; 32]))
        .finish();
    let expected = (0..32).map(|t| t + if t % 2 == 1 { 100 } else { 200 });
    assert_eq!(to_words(&buffers[2]), expected.collect::<Vec<_>>());
    let load = run.counts.global_load;
    assert_eq!((load.requests, load.elements, load.sectors), (1, 32, 8));
    assert_eq!(load.distinct_elements, 32);
}

#[test]
fn the_last_lane_wins_where_many_store_to_one_place() {
    let (mut code, parameters) = Code::new(1, 0);
    let (t, zero) = (code.value(Op::ThreadX, &[]), code.constant(0));
    code.store(Op::Store, t, parameters[0], zero, Site::of(4));
    let kernel = code.done();
    let (_, buffers) = Case::new(&kernel, 1, 20).buffer(words([99])).finish();
    assert_eq!(to_words(&buffers[0]), [19]);
}

/// `x[t] = shuffle(0xffffffff, t * t, operand, width)`.
fn shuffle(op: Op, operand: u32, width: u32) -> Vec<u32> {
    let (mut code, parameters) = Code::new(1, 0);
    let t = code.value(Op::ThreadX, &[]);
    let square = code.value(Op::MulI32, &[t, t]);
    let (operand, mask) = (code.constant(operand), code.constant(u32::MAX));
    let result = code.registers(1);
    code.emit(op, result, [square, operand, mask], width);
    code.store(Op::Store, result, parameters[0], t, Site::of(4));
    let kernel = code.done();
    let (_, buffers) = Case::new(&kernel, 1, 32).buffer(words([0; 32])).finish();
    to_words(&buffers[0])
}

proptest! {
    #[test]
    fn shuffles_stay_in_their_segments(
        operand in 0_u32..32,
        width in prop::sample::select(vec![1_u32, 2, 4, 8, 16, 32]),
    ) {
        let squares = |source: fn(u32, u32, u32) -> u32| {
            (0..32).map(|lane| source(lane, operand, width).pow(2)).collect::<Vec<_>>()
        };
        let up = squares(|lane, delta, width| {
            if lane % width >= delta { lane - delta } else { lane }
        });
        let down = squares(|lane, delta, width| {
            if lane % width + delta < width { lane + delta } else { lane }
        });
        let index = squares(|lane, source, width| lane / width * width + source % width);
        // Reading a segment below is allowed, one above is not.
        let xor = squares(|lane, bits, width| {
            if (lane ^ bits) / width > lane / width { lane } else { lane ^ bits }
        });
        prop_assert_eq!(shuffle(Op::ShflUp, operand, width), up);
        prop_assert_eq!(shuffle(Op::ShflDown, operand, width), down);
        prop_assert_eq!(shuffle(Op::ShflIdx, operand, width), index);
        prop_assert_eq!(shuffle(Op::ShflXor, operand, width), xor);
    }
}

#[test]
fn votes_look_at_the_lanes_of_their_mask() {
    let (mut code, parameters) = Code::new(1, 0);
    let t = code.value(Op::ThreadX, &[]);
    let (limit, half) = (code.constant(12), code.constant(16));
    let (low, high) = (code.constant(0xffff), code.constant(0xffff_0000));
    let is_low = code.value(Op::LtI32, &[t, half]);
    let mask = code.value(Op::Select32, &[is_low, low, high]);
    let small = code.value(Op::LtI32, &[t, limit]);
    let site = |row: i32| Site {
        offset: row * 128,
        ..Site::of(4)
    };
    for (row, op) in [Op::VoteAny, Op::VoteAll, Op::Ballot]
        .into_iter()
        .enumerate()
    {
        let vote = code.value(op, &[small, mask]);
        code.store(Op::Store, vote, parameters[0], t, site(row as i32));
    }
    let kernel = code.done();
    let (_, buffers) = Case::new(&kernel, 1, 32).buffer(words([7; 96])).finish();
    let found = to_words(&buffers[0]);
    let by_half = |low: u32, high: u32| [[low; 16], [high; 16]].concat();
    assert_eq!(found[..32], by_half(1, 0));
    assert_eq!(found[32..64], by_half(0, 0));
    assert_eq!(found[64..], by_half(0xfff, 0));
}

#[test]
fn dynamic_shared_memory_follows_the_static_one() {
    let (mut code, parameters) = Code::new(1, 0);
    code.shared(20);
    let t = code.value(Op::ThreadX, &[]);
    let dynamic = Site {
        offset: 32,
        ..Site::of(4)
    };
    code.store(Op::StoreShared, t, ZERO, t, dynamic);
    let value = code.load(Op::LoadShared, ZERO, t, dynamic);
    code.store(Op::Store, value, parameters[0], t, Site::of(4));
    let kernel = code.done();
    let mut case = Case::new(&kernel, 1, 8).buffer(words([0; 8]));
    case.dynamic_shared_bytes = 32;
    let (_, buffers) = case.finish();
    assert_eq!(to_words(&buffers[0]), (0..8).collect::<Vec<_>>());
}
