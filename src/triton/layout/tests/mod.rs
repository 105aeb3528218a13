//! Layouts against what Triton 3.6 wrote for kernels of ours.

use super::{LinearLayout, Place};

/// All places of a layout.
fn places(layout: &LinearLayout) -> Vec<Place> {
    let mut places = Vec::new();
    for warp in 0..layout.warps() {
        for lane in 0..32 {
            let registers = 0..layout.registers();
            places.extend(registers.map(|register| Place {
                warp,
                lane,
                register,
            }));
        }
    }
    places
}

mod memory;

mod blocked;

mod linear;

mod convert;

mod reduce;

mod scan;

mod dot;
