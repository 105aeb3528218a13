//! Products: layouts as Triton 3.6 wrote them for our kernels, operands that arrive, and wavefronts of an H200.

use std::collections::HashMap;

use super::memory::{addresses, wavefronts};
use super::places;
use crate::launch::AccessKind;
use crate::triton::layout::{Dot, DotKind, Layout, Place, SharedSide, blocked_for, shared_access};

fn dot(rows: u32, columns: u32, inner: u32, element_bits: u32, warps: u32) -> Dot {
    Dot {
        rows,
        columns,
        inner,
        element_bits,
        least_bits: element_bits,
        kind: DotKind::TensorCores,
        warps,
        chain: None,
    }
}

fn multiply_add(rows: u32, columns: u32, inner: u32) -> Dot {
    Dot {
        kind: DotKind::MultiplyAdd,
        ..dot(rows, columns, inner, 32, 4)
    }
}

#[test]
fn results_have_the_layouts_that_triton_wrote() {
    let warps_2 = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";
    let groups = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>";
    assert_eq!(dot(32, 32, 32, 32, 4).result().to_string(), warps_2);
    assert_eq!(dot(64, 64, 32, 16, 4).result().to_string(), groups);
    assert_eq!(dot(128, 64, 32, 16, 4).result().to_string(), groups);
    assert_eq!(
        dot(16, 16, 16, 16, 1).result().to_string(),
        "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>"
    );
    assert_eq!(
        multiply_add(32, 32, 16).result().to_string(),
        "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>"
    );
    assert_eq!(
        multiply_add(64, 64, 16).result().to_string(),
        "#ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>"
    );
    let operand = dot(32, 32, 32, 16, 4)
        .operand(1)
        .expect("is in registers")
        .to_string();
    assert_eq!(
        operand,
        format!("#ttg.dot_op<{{opIdx = 1, parent = {warps_2}, kWidth = 2}}>")
    );
    assert_eq!(dot(64, 64, 32, 16, 4).operand(0), None);
}

#[test]
fn operands_lie_in_shared_memory_as_triton_wrote() {
    let swizzled = |vector: u32, rows: u32, phases: u32| {
        format!(
            "#ttg.swizzled_shared<{{vec = {vector}, perPhase = {rows}, maxPhase = {phases}, order = [1, 0]}}>"
        )
    };
    let written = |dot: Dot| [0, 1].map(|operand| dot.shared(operand, 1).to_string());
    assert_eq!(
        written(multiply_add(32, 32, 32)),
        [swizzled(1, 1, 1), swizzled(1, 1, 1)]
    );
    assert_eq!(
        written(dot(32, 32, 32, 32, 4)),
        [swizzled(4, 1, 8), swizzled(8, 1, 4)]
    );
    assert_eq!(
        written(dot(32, 32, 32, 16, 4)),
        [swizzled(8, 2, 4), swizzled(8, 2, 4)]
    );
    assert_eq!(
        written(dot(16, 16, 16, 16, 1)),
        [swizzled(8, 4, 2), swizzled(8, 4, 2)]
    );
    let groups = |bytes: u32| {
        format!(
            "#ttg.nvmma_shared<{{swizzlingByteWidth = {bytes}, transposed = false, elementBitWidth = 16}}>"
        )
    };
    assert_eq!(written(dot(64, 64, 32, 16, 4)), [groups(64), groups(128)]);
    // Of floats the second factor lies along the inner dimension, however it was loaded.
    let is_turned =
        written(dot(64, 64, 32, 32, 4)).map(|shared| shared.contains("transposed = true"));
    assert_eq!(is_turned, [false, true]);
}

/// Stores and loads of both operands for one step along the inner dimension, checked element by element.
fn step(dot: Dot, per_thread: [u32; 2]) -> [u64; 2] {
    let mut cost = [0, 0];
    for operand in [0, 1] {
        let shape = [[dot.rows, dot.inner], [dot.inner, dot.columns]][operand];
        let loaded = Layout::Blocked(blocked_for(
            &shape,
            vec![1, 0],
            per_thread[operand],
            dot.warps,
        ));
        let from = loaded.linear(&shape);
        let shared = dot.shared(operand, 1);
        let bytes = dot.element_bits / 8;
        let stores = shared_access(&from, &shared, dot.element_bits);
        cost[0] += wavefronts(&stores, bytes, dot.warps, AccessKind::Store);
        let mut memory = HashMap::new();
        let each = |side: &SharedSide, place: Place, on: &mut dyn FnMut(u32, u32)| {
            for access in side.rounds.iter().flatten() {
                for (&register, address) in access
                    .registers
                    .iter()
                    .zip(addresses(side, access, place, bytes))
                {
                    on(register, address);
                }
            }
        };
        for thread in places(&from)
            .into_iter()
            .filter(|place| place.register == 0)
        {
            each(&stores, thread, &mut |register, address| {
                let element = from.element(Place { register, ..thread });
                assert_eq!(*memory.entry(address).or_insert(element), element);
            });
        }
        let Some(layout) = dot.operand(operand) else {
            continue;
        };
        let to = layout.linear(&shape);
        let loads = shared_access(&to, &shared, dot.element_bits);
        cost[1] += wavefronts(&loads, bytes, dot.warps, AccessKind::Load);
        for thread in places(&to).into_iter().filter(|place| place.register == 0) {
            each(&loads, thread, &mut |register, address| {
                assert_eq!(
                    memory.get(&address),
                    Some(&to.element(Place { register, ..thread })),
                    "{layout}"
                );
            });
        }
    }
    cost
}

#[test]
fn operands_take_the_wavefronts_that_an_h200_counted() {
    assert_eq!(step(multiply_add(32, 32, 32), [4, 4]), [64, 512]);
    assert_eq!(step(multiply_add(64, 64, 16), [4, 4]), [64, 512]);
    assert_eq!(step(dot(32, 32, 32, 32, 4), [4, 4]), [64, 128]);
    assert_eq!(step(dot(32, 32, 32, 16, 4), [8, 8]), [32, 64]);
    assert_eq!(step(dot(16, 16, 16, 16, 1), [8, 8]), [8, 8]);
    assert_eq!(step(dot(64, 64, 32, 16, 4), [8, 8]), [64, 0]);
}

#[test]
fn each_thread_has_what_its_results_need() {
    for dot in [
        multiply_add(32, 32, 16),
        multiply_add(64, 16, 8),
        multiply_add(4, 4, 4),
    ] {
        let result = dot.result().linear(&[dot.rows, dot.columns]);
        let operands = [0, 1].map(|operand| {
            let shape = [[dot.rows, dot.inner], [dot.inner, dot.columns]][operand];
            dot.operand(operand)
                .expect("is in registers")
                .linear(&shape)
        });
        for place in places(&result) {
            let [row, column] = result.apply(place)[..] else {
                panic!("two indices");
            };
            for inner in 0..dot.inner {
                for (layout, wanted) in operands.iter().zip([[row, inner], [inner, column]]) {
                    let mut registers = 0..layout.registers();
                    assert!(
                        registers
                            .any(|register| layout.apply(Place { register, ..place }) == wanted)
                    );
                }
            }
        }
    }
}
