//! Kinds whose threads part, or have memory of their own.

use std::fmt::Write;

use super::kind::Kind;
use super::values::{Values, below, no_numbers};

const TEXT: &str = include_str!("../../kernels/control_flow.cu");
const N: usize = 1 << 18;
const WIDTH: usize = 256;
const HEIGHT: usize = 128;

pub fn kinds() -> Vec<Kind> {
    let one = |threads, name, kernel| Kind::over(threads, name, TEXT, kernel);
    vec![
        one(N, "switch of four", "switches")
            .buffers(|| vec![below(1 << 20, N), no_numbers(N)])
            .plain(|buffers| {
                map(buffers, |value| match value & 3 {
                    0 => value * 3 + 1,
                    1 => value ^ 0x55,
                    2 => value >> 2,
                    _ => value - 7,
                });
            }),
        one(N / 16, "loops of different lengths", "collatz")
            .buffers(|| vec![below(1 << 20, N / 16), no_numbers(N / 16)])
            .plain(|buffers| map(buffers, collatz)),
        Kind::image([WIDTH, HEIGHT], [16, 16], "mandelbrot", TEXT, "mandelbrot")
            .buffers(|| vec![no_numbers(WIDTH * HEIGHT)])
            .plain(mandelbrot),
        one(N / 8, "local array, insertion sort", "insertion_sort")
            .buffers(|| vec![below(1 << 20, N), no_numbers(N)])
            .plain(|buffers| {
                let [x, y] = buffers else { return };
                y.i32s_mut().copy_from_slice(x.i32s());
                for own in y.i32s_mut().as_chunks_mut::<8>().0 {
                    own.sort();
                }
            }),
        one(N / 32, "local array, bins", "own_bins")
            .buffers(|| vec![below(1 << 20, N), no_numbers(N / 32)])
            .plain(|buffers| {
                let [x, most] = buffers else { return };
                for (at, most) in most.i32s_mut().iter_mut().enumerate() {
                    let mut bins = [0; 16];
                    for value in x.i32s()[at..].iter().step_by(N / 32) {
                        bins[(value & 15) as usize] += 1;
                    }
                    *most = bins.into_iter().max().unwrap_or(0);
                }
            }),
        one(N / 16, "printf", "print")
            .buffers(|| vec![below(1 << 20, N / 16), no_numbers(N / 16)])
            .plain(|buffers| {
                let mut printed = String::new();
                for (at, value) in buffers[0].i32s().iter().enumerate().step_by(4) {
                    writeln!(printed, "{at}: {value}").expect("strings take everything");
                }
                std::hint::black_box(printed);
                map(buffers, |value| value + 1);
            }),
    ]
}

fn map(buffers: &mut [Values], f: impl Fn(i32) -> i32) {
    let [x, y] = buffers else { return };
    for (y, &x) in y.i32s_mut().iter_mut().zip(x.i32s()) {
        *y = f(x);
    }
}

fn collatz(value: i32) -> i32 {
    let (mut value, mut count) = (value as u32 & 1023 | 1, 0);
    while value != 1 {
        value = if value.is_multiple_of(2) {
            value / 2
        } else {
            3 * value + 1
        };
        count += 1;
    }
    count
}

fn mandelbrot(buffers: &mut [Values]) {
    for (at, steps) in buffers[0].i32s_mut().iter_mut().enumerate() {
        let cx = -2.0 + 3.0 * (at % WIDTH) as f32 / WIDTH as f32;
        let cy = -1.0 + 2.0 * (at / WIDTH) as f32 / HEIGHT as f32;
        let (mut x, mut y, mut step) = (0.0_f32, 0.0_f32, 0);
        // Contracted as in the kernel: near the edge of the set every bit counts.
        while step < 100 && x.mul_add(x, y * y) < 4.0 {
            let next = x.mul_add(x, -(y * y)) + cx;
            y = (2.0 * x).mul_add(y, cy);
            x = next;
            step += 1;
        }
        *steps = step;
    }
}
