//! Changes of layout: every element arrives, and what it costs is what an H200 counted for Triton 3.6.

use super::memory::{addresses, wavefronts};
use super::places;
use crate::launch::AccessKind;
use crate::triton::layout::{
    Conversion, Layout, LinearLayout, Mma, Place, SharedExchange, Shuffles, blocked_for, convert,
};

fn blocked(shape: &[u32], order: &[usize], per_thread: u32, warps: u32) -> Layout {
    Layout::Blocked(blocked_for(shape, order.to_vec(), per_thread, warps))
}

/// What each place holds after `shuffles` within a warp, where each held `value` before.
fn shuffled(shuffles: &Shuffles, place: Place, value: &dyn Fn(Place) -> u32) -> u32 {
    let moved = |lane: u32, at: u32| {
        let mut from = lane;
        if let Some(bases) = &shuffles.lanes {
            let set = bases
                .iter()
                .enumerate()
                .filter(|(bit, _)| lane >> bit & 1 == 1);
            from = set.fold(0, |from, (_, basis)| from ^ basis);
        }
        value(Place {
            lane: from,
            register: shuffles.sources[at as usize],
            ..place
        })
    };
    let at = shuffles.results[place.register as usize];
    match shuffles.exchange {
        Some(exchange)
            if (place.lane >> exchange.lane_bit ^ at >> exchange.register_bit) & 1 == 1 =>
        {
            moved(
                place.lane ^ 1 << exchange.lane_bit,
                at ^ 1 << exchange.register_bit,
            )
        }
        _ => moved(place.lane, at),
    }
}

/// What each place of `to` holds after an exchange.
fn exchanged(
    exchange: &SharedExchange,
    from: &LinearLayout,
    to: &LinearLayout,
) -> Vec<(Place, u32)> {
    let mut loaded = std::collections::HashMap::new();
    for (stores, loads) in exchange.stores.rounds.iter().zip(&exchange.loads.rounds) {
        let mut memory = std::collections::HashMap::new();
        let threads = |layout: &LinearLayout| {
            let firsts = places(layout)
                .into_iter()
                .filter(|place| place.register == 0);
            firsts.collect::<Vec<_>>()
        };
        for thread in threads(from) {
            for access in stores {
                let at = addresses(&exchange.stores, access, thread, exchange.element_bytes);
                for (&register, address) in access.registers.iter().zip(at) {
                    let element = from.element(Place { register, ..thread });
                    assert!(address < exchange.bytes);
                    assert_eq!(
                        *memory.entry(address).or_insert(element),
                        element,
                        "one element to an address"
                    );
                }
            }
        }
        for thread in threads(to) {
            for access in loads {
                let at = addresses(&exchange.loads, access, thread, exchange.element_bytes);
                for (&register, address) in access.registers.iter().zip(at) {
                    loaded.insert(Place { register, ..thread }, memory[&address]);
                }
            }
        }
    }
    let result = |place: Place| {
        let register = exchange.results[place.register as usize];
        (place, loaded[&Place { register, ..place }])
    };
    places(to).into_iter().map(result).collect()
}

fn check(from: &LinearLayout, to: &LinearLayout, bits: u32) -> Conversion {
    let conversion = convert(from, to, bits);
    let value = |place: Place| from.element(place);
    let got: Vec<(Place, u32)> = match &conversion {
        Conversion::Nothing => places(to)
            .into_iter()
            .map(|place| (place, value(place)))
            .collect(),
        Conversion::Registers(sources) => {
            let source = |place: Place| Place {
                register: sources[place.register as usize],
                ..place
            };
            places(to)
                .into_iter()
                .map(|place| (place, value(source(place))))
                .collect()
        }
        Conversion::Shuffles(shuffles) => places(to)
            .into_iter()
            .map(|place| (place, shuffled(shuffles, place, &value)))
            .collect(),
        Conversion::Shared(exchange) => exchanged(exchange, from, to),
    };
    for (place, element) in got {
        assert_eq!(
            element,
            to.element(place),
            "{from} to {to}, {bits} bits, at {place:?}"
        );
    }
    conversion
}

#[test]
fn every_element_arrives_whichever_way_it_takes() {
    let mut ways = [0; 4];
    for shape in [[8, 8], [32, 32], [64, 16], [2, 2]] {
        let mut layouts: Vec<LinearLayout> = Vec::new();
        for (order, per_thread) in [
            ([0, 1], 1),
            ([1, 0], 1),
            ([0, 1], 4),
            ([1, 0], 4),
            ([1, 0], 2),
            ([1, 0], 8),
        ] {
            layouts.push(blocked(&shape, &order, per_thread, 4).linear(&shape));
            let wide = [shape[0], shape[1], 8];
            layouts.push(
                blocked(&wide, &[2, order[1], order[0]], per_thread, 4)
                    .slice(2)
                    .linear(&shape),
            );
        }
        for from in &layouts {
            for to in &layouts {
                for bits in [16, 32] {
                    let way = match check(from, to, bits) {
                        Conversion::Nothing => 0,
                        Conversion::Registers(_) => 1,
                        Conversion::Shuffles(_) => 2,
                        Conversion::Shared(_) => 3,
                    };
                    ways[way] += 1;
                }
            }
        }
    }
    assert!(ways.iter().all(|&count| count > 5), "{ways:?}");
}

/// Name, layouts, shape, bits, warps; then shared bytes, and wavefronts of stores and of loads of one program.
type Recorded<'a> = (&'a str, Layout, Layout, &'a [u32], u32, u32, [u64; 3]);

fn recorded() -> Vec<Recorded<'static>> {
    let mut all = recorded_of_blocked();
    let mma = |version: u32, warps_per_block: [u32; 2], instruction: &[u32]| {
        let instruction = instruction.to_vec();
        Layout::Mma(Mma {
            version,
            warps_per_block,
            instruction,
        })
    };
    let rows =
        |shape: &[u32], per_thread: u32, warps: u32| blocked(shape, &[1, 0], per_thread, warps);
    let warps = mma(2, [2, 2], &[16, 8]);
    let groups = mma(3, [4, 1], &[16, 64, 16]);
    all.extend([
        (
            "matmul tf32",
            warps.clone(),
            rows(&[32, 32], 4, 4),
            &[32, 32][..],
            32,
            4,
            [4096, 32, 32],
        ),
        (
            "matmul f16",
            warps,
            rows(&[32, 32], 8, 4),
            &[32, 32],
            16,
            4,
            [2048, 16, 16],
        ),
        (
            "matmul f16, 1 warp",
            mma(2, [1, 1], &[16, 8]),
            rows(&[16, 16], 8, 1),
            &[16, 16],
            16,
            1,
            [512, 4, 4],
        ),
        (
            "matmul wgmma",
            groups.clone(),
            rows(&[64, 64], 4, 4),
            &[64, 64],
            32,
            4,
            [16384, 128, 128],
        ),
        (
            "matmul wgmma bf16",
            groups.clone(),
            rows(&[64, 64], 8, 4),
            &[64, 64],
            16,
            4,
            [8192, 64, 64],
        ),
        (
            "matmul wgmma f16",
            groups,
            rows(&[128, 64], 8, 4),
            &[128, 64],
            16,
            4,
            [8192, 128, 128],
        ),
    ]);
    all
}

fn recorded_of_blocked() -> Vec<Recorded<'static>> {
    let rows = |size: u32, warps: u32| blocked(&[size, size], &[1, 0], 4, warps);
    let columns = |size: u32, warps: u32| blocked(&[size, size], &[0, 1], 4, warps);
    vec![
        (
            "transpose_tile",
            columns(32, 4),
            rows(32, 4),
            &[32, 32],
            32,
            4,
            [4096, 32, 32],
        ),
        (
            "transpose_tile 64",
            columns(64, 4),
            rows(64, 4),
            &[64, 64],
            32,
            4,
            [16384, 128, 128],
        ),
        (
            "transpose_tile 1 warp",
            columns(16, 1),
            rows(16, 1),
            &[16, 16],
            32,
            1,
            [1024, 8, 8],
        ),
        (
            "transpose_pointers 64",
            rows(64, 4),
            columns(64, 4),
            &[64, 64],
            32,
            4,
            [16384, 128, 128],
        ),
        (
            "halves_to_floats",
            blocked(&[1024], &[0], 8, 4),
            blocked(&[1024], &[0], 4, 4),
            &[1024],
            16,
            4,
            [2048, 16, 16],
        ),
        (
            "layer_norm",
            blocked(&[1024], &[0], 4, 4),
            blocked(&[1024], &[0], 1, 4),
            &[1024],
            32,
            4,
            [2048, 32, 32],
        ),
        (
            "row_reduce",
            blocked(&[8, 256], &[1, 0], 1, 4).slice(1),
            blocked(&[8], &[0], 1, 4),
            &[8],
            32,
            4,
            [32, 32, 4],
        ),
        (
            "column_sum",
            blocked(&[16, 64], &[1, 0], 4, 4).slice(0),
            blocked(&[64], &[0], 1, 4),
            &[64],
            32,
            4,
            [256, 16, 4],
        ),
        (
            "add_row",
            blocked(&[256], &[0], 2, 4),
            blocked(&[4, 256], &[1, 0], 4, 4).slice(0),
            &[256],
            32,
            4,
            [1024, 8, 16],
        ),
        (
            "add_row, odd",
            blocked(&[256], &[0], 2, 4),
            blocked(&[4, 256], &[1, 0], 1, 4).slice(0),
            &[256],
            32,
            4,
            [1024, 8, 8],
        ),
    ]
}

#[test]
fn shared_memory_takes_the_wavefronts_that_an_h200_counted() {
    for (name, from, to, shape, bits, warps, [bytes, stores, loads]) in recorded() {
        let Conversion::Shared(exchange) = check(&from.linear(shape), &to.linear(shape), bits)
        else {
            panic!("{name} goes through shared memory");
        };
        let cost = |side, kind| wavefronts(side, exchange.element_bytes, warps, kind);
        let counted = [
            u64::from(exchange.bytes),
            cost(&exchange.stores, AccessKind::Store),
            cost(&exchange.loads, AccessKind::Load),
        ];
        assert_eq!(counted, [bytes, stores, loads], "{name}");
    }
}

#[test]
fn pairs_swap_within_their_threads() {
    // `swap_pairs` at 1,024 elements: two neighbours of a thread change places, and nothing leaves it.
    let layout = blocked(&[1024], &[0], 4, 4).linear(&[1024]);
    let pairs = layout.reshaped(&[512, 2]);
    assert_eq!(check(&pairs, &pairs, 32), Conversion::Nothing);
    let wider = blocked(&[1024], &[0], 8, 4).linear(&[1024]);
    assert!(matches!(check(&layout, &wider, 32), Conversion::Shared(_)));
}
