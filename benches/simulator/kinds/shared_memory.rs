//! Kinds whose threads meet in shared memory, or by shuffles.

use super::global_memory::transpose;
use super::kind::Kind;
use super::values::{Values, floats, zeros};

const TEXT: &str = include_str!("../../kernels/shared_memory.cu");
/// Elements of most buffers.
const N: usize = 1 << 18;
/// Threads of a block, and the elements that it takes.
const BLOCK: usize = 256;
/// Sides of a matrix of as many.
const SIDE: usize = 512;
/// Side of the matrices of a product.
const PRODUCT: usize = 128;
const BODIES: usize = 2048;

pub fn kinds() -> Vec<Kind> {
    let mut all = reductions();
    all.extend(scans());
    all.extend(tiles());
    all
}

fn reductions() -> Vec<Kind> {
    let sums = |name, kernel| {
        Kind::over(N, name, TEXT, kernel)
            .buffers(|| vec![floats(N), zeros(N / BLOCK)])
            .numbers(&[])
            .plain(|buffers| {
                let [x, sums] = buffers else { return };
                for (sum, x) in sums.f32s_mut().iter_mut().zip(x.f32s().chunks(BLOCK)) {
                    *sum = x.iter().sum();
                }
            })
    };
    vec![
        sums("sums, a tree", "sum_tree"),
        sums("sums, shuffles", "sum_shuffles"),
        Kind::over(1, "softmax", TEXT, "softmax")
            .launched([128, 1, 1], [256, 1, 1])
            .buffers(|| vec![floats(N), zeros(N)])
            .numbers(&[(N / 128) as i64])
            .plain(|buffers| {
                let [x, y] = buffers else { return };
                crate::plain::softmax(x.f32s(), y.f32s_mut(), N / 128);
            }),
    ]
}

fn scans() -> Vec<Kind> {
    let of_blocks = |name, kernel| {
        Kind::over(N, name, TEXT, kernel)
            .buffers(|| vec![floats(N), zeros(N)])
            .numbers(&[])
    };
    vec![
        of_blocks("scan, two buffers", "scan_double").plain(|buffers| scan(buffers, false)),
        of_blocks("scan, a tree", "scan_tree").plain(|buffers| scan(buffers, true)),
        of_blocks("scan, shuffles", "scan_shuffles").plain(|buffers| scan(buffers, false)),
        of_blocks("bitonic sort", "bitonic").plain(|buffers| {
            let [x, y] = buffers else { return };
            y.f32s_mut().copy_from_slice(x.f32s());
            for part in y.f32s_mut().chunks_mut(BLOCK) {
                part.sort_unstable_by(f32::total_cmp);
            }
        }),
    ]
}

/// Sums from the beginning of each block, with or without the element itself.
fn scan(buffers: &mut [Values], is_exclusive: bool) {
    let [x, y] = buffers else { return };
    for (x, y) in x.f32s().chunks(BLOCK).zip(y.f32s_mut().chunks_mut(BLOCK)) {
        let mut sum = 0.0;
        for (y, x) in y.iter_mut().zip(x) {
            *y = if is_exclusive { sum } else { sum + x };
            sum += x;
        }
    }
}

fn tiles() -> Vec<Kind> {
    let product = |name, kernel| {
        let square = PRODUCT * PRODUCT;
        Kind::image([PRODUCT, PRODUCT], [16, 16], name, TEXT, kernel)
            .buffers(move || vec![floats(square), floats(square), zeros(square)])
            .numbers(&[PRODUCT as i64])
            .plain(|buffers| {
                let [a, b, c] = buffers else { return };
                crate::plain::matmul(a.f32s(), b.f32s(), c.f32s_mut(), PRODUCT);
            })
    };
    let image = |name, kernel, block| Kind::image([SIDE, SIDE], block, name, TEXT, kernel);
    vec![
        image("transpose, tiles", "transpose_tiles", [32, 32])
            .launched([SIDE as u32 / 32, SIDE as u32 / 32, 1], [32, 8, 1])
            .buffers(|| vec![floats(SIDE * SIDE), zeros(SIDE * SIDE)])
            .numbers(&[SIDE as i64])
            .plain(|buffers| transpose(buffers, SIDE)),
        image("stencil, a tile with its edge", "stencil_tile", [16, 16])
            .buffers(|| vec![floats(SIDE * SIDE), zeros(SIDE * SIDE)])
            .plain(stencil),
        product("product, tiles", "matmul_tiles"),
        product("product, two buffers", "matmul_double"),
        Kind::over(BODIES, "bodies, tiles", TEXT, "bodies")
            .buffers(|| vec![floats(4 * BODIES), zeros(BODIES)])
            .plain(bodies),
    ]
}

/// Outside of the image there are zeros.
fn stencil(buffers: &mut [Values]) {
    let [x, y] = buffers else { return };
    let (x, y) = (x.f32s(), y.f32s_mut());
    for at in 0..SIDE * SIDE {
        let (row, column) = (at / SIDE, at % SIDE);
        let left = if column > 0 { x[at - 1] } else { 0.0 };
        let right = if column < SIDE - 1 { x[at + 1] } else { 0.0 };
        let above = if row > 0 { x[at - SIDE] } else { 0.0 };
        let below = if row < SIDE - 1 { x[at + SIDE] } else { 0.0 };
        y[at] = 0.2 * (x[at] + left + right + above + below);
    }
}

fn bodies(buffers: &mut [Values]) {
    let [body, force] = buffers else { return };
    let (body, _) = body.f32s().as_chunks::<4>();
    for (force, me) in force.f32s_mut().iter_mut().zip(body) {
        *force = 0.0;
        for other in body {
            let [dx, dy, dz] = [0, 1, 2].map(|axis| other[axis] - me[axis]);
            let inverse = 1.0 / (dx * dx + dy * dy + dz * dz + 0.01).sqrt();
            *force += dx * inverse * inverse * inverse;
        }
    }
}
