//! Kinds whose threads change the same memory.

use super::kind::Kind;
use super::values::{Values, below, floats, no_numbers, zeros};

const TEXT: &str = include_str!("../../kernels/atomics.cu");
const N: usize = 1 << 18;

pub fn kinds() -> Vec<Kind> {
    let one = |name, kernel| Kind::over(N, name, TEXT, kernel);
    vec![
        one("histogram, shared memory", "histogram_shared")
            .launched([64, 1, 1], [256, 1, 1])
            .buffers(|| vec![below(1 << 20, N), no_numbers(256)])
            .plain(histogram),
        one("histogram, global memory", "histogram_global")
            .buffers(|| vec![below(1 << 20, N), no_numbers(256)])
            .plain(histogram),
        one("one counter", "count")
            .buffers(|| vec![below(1 << 20, N), no_numbers(1)])
            .plain(|buffers| {
                let [x, counter] = buffers else { return };
                let count = x.i32s().iter().filter(|&value| value % 3 == 0).count();
                counter.i32s_mut()[0] = count as i32;
            }),
        one("additions scattered", "scatter_add")
            .buffers(|| vec![floats(N), below(1 << 20, N), zeros(4096)])
            .plain(|buffers| {
                let [x, index, y] = buffers else { return };
                for (x, at) in x.f32s().iter().zip(index.i32s()) {
                    y.f32s_mut()[(at & 4095) as usize] += x;
                }
            }),
        one("greatest, compare and swap", "greatest")
            .buffers(|| vec![floats(N), no_numbers(1)])
            .plain(|buffers| {
                let [x, most] = buffers else { return };
                let greatest = x.f32s().iter().copied().fold(0.0, f32::max);
                most.i32s_mut()[0] = greatest.to_bits() as i32;
            }),
        one("compaction, ballots", "compact")
            .buffers(|| vec![below(1 << 20, N), no_numbers(N), no_numbers(1)])
            .plain(|buffers| {
                let [x, kept, counter] = buffers else { return };
                let multiples = x.i32s().iter().filter(|&value| value % 3 == 0);
                let kept = kept.i32s_mut();
                let mut count = 0;
                for &value in multiples {
                    kept[count] = value;
                    count += 1;
                }
                counter.i32s_mut()[0] = count as i32;
            }),
    ]
}

fn histogram(buffers: &mut [Values]) {
    let [x, bins] = buffers else { return };
    for value in x.i32s() {
        bins.i32s_mut()[(value & 255) as usize] += 1;
    }
}
