//! Kinds that differ in where they go in global memory.

use super::kind::Kind;
use super::values::{Values, below, floats, no_numbers, zeros};

const TEXT: &str = include_str!("../../kernels/global_memory.cu");
/// Elements of most buffers.
const N: usize = 1 << 19;
/// Sides of a matrix of as many.
const WIDTH: usize = 1024;
const HEIGHT: usize = 512;
/// Side of a cube.
const SIDE: usize = 96;
/// Rows of a sparse matrix, with up to 32 elements each.
const ROWS: usize = 1 << 14;

pub fn kinds() -> Vec<Kind> {
    let one = |name, kernel| Kind::over(N, name, TEXT, kernel);
    let mut all = elementwise();
    all.extend([
        one("gather", "gather")
            .buffers(|| vec![floats(N), below(N as u32, N), zeros(N)])
            .plain(|buffers| {
                let [x, index, y] = buffers else { return };
                for (y, &at) in y.f32s_mut().iter_mut().zip(index.i32s()) {
                    *y = x.f32s()[at as usize];
                }
            }),
        one("scatter", "scatter")
            .buffers(|| vec![floats(N), Values::I32(permutation(N)), zeros(N)])
            .plain(|buffers| {
                let [x, index, y] = buffers else { return };
                for (&x, &at) in x.f32s().iter().zip(index.i32s()) {
                    y.f32s_mut()[at as usize] = x;
                }
            }),
        one("structs of 28 bytes", "particles")
            .buffers(|| vec![floats(7 * N)])
            .plain(|buffers| {
                for particle in buffers[0].f32s_mut().as_chunks_mut::<7>().0 {
                    let [x, y, z, vx, vy, vz, mass] = particle;
                    *x = 0.01_f32.mul_add(*vx, *x);
                    *y = 0.01_f32.mul_add(*vy, *y);
                    *z = 0.01_f32.mul_add(*vz, *z);
                    *vy = (-0.0981_f32).mul_add(*mass, *vy);
                }
            }),
        sparse("sparse rows, a thread each", "csr_rows", ROWS),
        sparse("sparse rows, a warp each", "csr_warps", 32 * ROWS),
        one("binary search", "search")
            .buffers(|| {
                vec![
                    Values::I32((0..4096).map(|at| 3 * at).collect()),
                    below(12_288, N),
                    no_numbers(N),
                ]
            })
            .numbers(&[4096, N as i64])
            .plain(|buffers| {
                let [sorted, wanted, found] = buffers else {
                    return;
                };
                for (found, &wanted) in found.i32s_mut().iter_mut().zip(wanted.i32s()) {
                    *found = sorted.i32s().partition_point(|&value| value < wanted) as i32;
                }
            }),
    ]);
    all.extend(stencils());
    all
}

fn elementwise() -> Vec<Kind> {
    let one = |name, kernel| Kind::over(N, name, TEXT, kernel);
    vec![
        one("vector add", "add")
            .buffers(|| vec![floats(N), floats(N), zeros(N)])
            .plain(add),
        Kind::over(N / 4, "vector add, float4", TEXT, "add4")
            .buffers(|| vec![floats(N), floats(N), zeros(N)])
            .plain(add),
        one("every eighth element", "strided")
            .buffers(|| vec![floats(8 * N), zeros(N)])
            .plain(|buffers| {
                let [x, y] = buffers else { return };
                for (y, x) in y.f32s_mut().iter_mut().zip(x.f32s().iter().step_by(8)) {
                    *y = 2.0 * x;
                }
            }),
        one("bytes", "bytes")
            .buffers(|| vec![Values::U8(vec![230; N]), Values::U8(vec![0; N])])
            .plain(|buffers| {
                let [x, y] = buffers else { return };
                for (y, x) in y.bytes_mut().iter_mut().zip(x.bytes()) {
                    *y = x.saturating_add(40);
                }
            }),
    ]
}

fn add(buffers: &mut [Values]) {
    let [a, b, c] = buffers else { return };
    for ((c, &a), &b) in c.f32s_mut().iter_mut().zip(a.f32s()).zip(b.f32s()) {
        *c = a + b;
    }
}

fn stencils() -> Vec<Kind> {
    let image = |name, kernel, block| Kind::image([WIDTH, HEIGHT], block, name, TEXT, kernel);
    vec![
        Kind::over(N, "stencil of a line", TEXT, "stencil1")
            .buffers(|| vec![floats(N), zeros(N)])
            .plain(|buffers| {
                let [x, y] = buffers else { return };
                for (y, x) in y.f32s_mut()[3..].iter_mut().zip(x.f32s().windows(7)) {
                    *y = x.iter().sum::<f32>() / 7.0;
                }
            }),
        image("stencil of an image", "stencil2", [32, 8])
            .buffers(|| vec![floats(N), zeros(N)])
            .plain(stencil_of_image),
        Kind::image([SIDE, SIDE], [32, 8], "stencil of a cube", TEXT, "stencil3")
            .buffers(|| vec![floats(SIDE * SIDE * SIDE), zeros(SIDE * SIDE * SIDE)])
            .numbers(&[SIDE as i64])
            .plain(stencil_of_cube),
        Kind::image([512, 512], [32, 8], "transpose", TEXT, "transpose")
            .buffers(|| vec![floats(512 * 512), zeros(512 * 512)])
            .numbers(&[512])
            .plain(|buffers| transpose(buffers, 512)),
    ]
}

/// Rows to columns, of a square.
pub fn transpose(buffers: &mut [Values], side: usize) {
    let [x, y] = buffers else { return };
    for (row, x) in x.f32s().chunks(side).enumerate() {
        for (column, &x) in x.iter().enumerate() {
            y.f32s_mut()[column * side + row] = x;
        }
    }
}

fn stencil_of_image(buffers: &mut [Values]) {
    let [x, y] = buffers else { return };
    let (x, y) = (x.f32s(), y.f32s_mut());
    for row in 1..HEIGHT - 1 {
        for at in row * WIDTH + 1..(row + 1) * WIDTH - 1 {
            y[at] = 0.2 * (x[at] + x[at - 1] + x[at + 1] + x[at - WIDTH] + x[at + WIDTH]);
        }
    }
}

fn stencil_of_cube(buffers: &mut [Values]) {
    let [x, y] = buffers else { return };
    let (x, y) = (x.f32s(), y.f32s_mut());
    for k in 1..SIDE - 1 {
        for j in 1..SIDE - 1 {
            let row = (k * SIDE + j) * SIDE;
            for at in row + 1..row + SIDE - 1 {
                let sides = x[at - 1] + x[at + 1] + x[at - SIDE] + x[at + SIDE];
                y[at] = (x[at] + sides + x[at - SIDE * SIDE] + x[at + SIDE * SIDE]) / 7.0;
            }
        }
    }
}

fn sparse(name: &'static str, kernel: &'static str, threads: usize) -> Kind {
    Kind::over(threads, name, TEXT, kernel)
        .buffers(|| {
            let lengths = below(33, ROWS);
            let mut starts = vec![0];
            starts.extend(lengths.i32s().iter().scan(0, |sum, length| {
                *sum += length;
                Some(*sum)
            }));
            let total = *starts.last().unwrap_or(&0) as usize;
            vec![
                floats(total),
                below(ROWS as u32, total),
                Values::I32(starts),
                floats(ROWS),
                zeros(ROWS),
            ]
        })
        .numbers(&[ROWS as i64])
        .plain(|buffers| {
            let [values, columns, starts, x, y] = buffers else {
                return;
            };
            for (y, ends) in y.f32s_mut().iter_mut().zip(starts.i32s().windows(2)) {
                let row = ends[0] as usize..ends[1] as usize;
                let terms = values.f32s()[row.clone()].iter().zip(&columns.i32s()[row]);
                *y = terms
                    .map(|(value, &column)| value * x.f32s()[column as usize])
                    .sum();
            }
        })
}

/// Each number below `length` once, a power of two, in no order.
pub fn permutation(length: usize) -> Vec<i32> {
    // An odd factor is invertible modulo a power of two.
    (0..length)
        .map(|at| (at * 40_503 % length) as i32)
        .collect()
}
