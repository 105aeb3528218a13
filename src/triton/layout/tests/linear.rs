//! Linear layouts: places and elements, replicas, changes of shape.

use super::places;
use crate::triton::layout::{Layout, Place, blocked_for};

fn place(warp: u32, lane: u32, register: u32) -> Place {
    Place {
        warp,
        lane,
        register,
    }
}

#[test]
fn a_tile_larger_than_its_threads_goes_around_in_registers() {
    let layout = blocked_for(&[2048], vec![0], 4, 4).linear(&[2048]);
    assert_eq!(layout.registers(), 16);
    assert_eq!(layout.apply(place(0, 1, 0)), [4]);
    assert_eq!(layout.apply(place(1, 0, 3)), [131]);
    assert_eq!(layout.apply(place(0, 0, 4)), [512]);
    assert_eq!(layout.replicated(), Place::default());
}

#[test]
fn a_tile_smaller_than_its_threads_is_repeated() {
    // 64 elements, 4 warps: warps 2 and 3 hold what 0 and 1 hold, and do not store.
    let layout = blocked_for(&[64], vec![0], 1, 4).linear(&[64]);
    assert_eq!(layout.registers(), 1);
    assert_eq!(layout.apply(place(3, 5, 0)), [37]);
    assert_eq!(layout.replicated(), place(2, 0, 0));
    assert_eq!(layout.place(37), Some(place(1, 5, 0)));
    // 16 elements: the upper half of every warp repeats the lower.
    let small = blocked_for(&[16], vec![0], 1, 4).linear(&[16]);
    assert_eq!(small.replicated(), place(3, 16, 0));
}

#[test]
fn each_element_is_stored_once() {
    let shapes: [(&[u32], u32); 5] = [
        (&[32, 32], 4),
        (&[8, 64], 2),
        (&[4, 256], 1),
        (&[64, 1], 4),
        (&[2, 2], 2),
    ];
    for (shape, per_thread) in shapes {
        let blocked = Layout::Blocked(blocked_for(shape, vec![1, 0], per_thread, 4));
        for layout in [blocked.linear(shape), blocked.slice(1).linear(&shape[..1])] {
            let storing = places(&layout)
                .into_iter()
                .filter(|place| layout.is_first(*place));
            let mut stored: Vec<u32> = storing.map(|place| layout.element(place)).collect();
            stored.sort_unstable();
            assert_eq!(
                stored,
                (0..layout.elements()).collect::<Vec<_>>(),
                "{layout}"
            );
            for element in stored {
                let place = layout.place(element).expect("every element is somewhere");
                assert!(layout.is_first(place));
                assert_eq!(layout.element(place), element);
            }
        }
    }
}

#[test]
fn a_slice_holds_a_row_in_all_lanes_along_it() {
    let parent = Layout::Blocked(blocked_for(&[32, 32], vec![1, 0], 4, 4));
    let rows = parent.slice(1).linear(&[32]);
    // 4 × 8 lanes: eight lanes in a row hold the same row's value, in two registers.
    assert_eq!(rows.lanes, [0, 0, 0, 1, 2]);
    assert_eq!(rows.warps, [4, 8]);
    assert_eq!(rows.registers, [16]);
    let columns = parent.slice(0).linear(&[32]);
    assert_eq!(columns.lanes, [4, 8, 16, 0, 0]);
    assert_eq!(columns.registers, [1, 2]);
}

#[test]
fn shapes_change_and_places_stay() {
    let layout = blocked_for(&[16, 64], vec![1, 0], 4, 4).linear(&[16, 64]);
    let transposed = layout.transposed(&[1, 0]);
    let reshaped = layout.reshaped(&[512, 2]);
    for place in places(&layout) {
        let [row, column] = layout.apply(place)[..] else {
            panic!("two indices");
        };
        assert_eq!(transposed.apply(place), [column, row]);
        let at = row * 64 + column;
        assert_eq!(reshaped.apply(place), [at / 2, at % 2]);
    }
    assert_eq!(layout.contiguous(1), 4);
    assert_eq!(transposed.contiguous(0), 4);
    assert_eq!(transposed.contiguous(1), 1);
}
