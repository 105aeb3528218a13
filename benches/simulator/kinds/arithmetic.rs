//! Kinds that differ in what they compute with.

use half::f16;

use super::kind::Kind;
use super::values::{Values, below, floats, fractions, no_numbers, zeros};

const TEXT: &str = include_str!("../../kernels/arithmetic.cu");
const N: usize = 1 << 17;
/// Side of the matrices of a product.
const PRODUCT: usize = 128;

pub fn kinds() -> Vec<Kind> {
    let mut all = floating();
    all.extend(integers());
    all.extend(products());
    all
}

fn halves(length: usize) -> Values {
    Values::F16(fractions(length).into_iter().map(f16::from_f32).collect())
}

fn no_halves(length: usize) -> Values {
    Values::F16(vec![f16::ZERO; length])
}

fn doubles(length: usize) -> Values {
    Values::F64(fractions(length).into_iter().map(f64::from).collect())
}

fn long(length: usize) -> Values {
    let values = below(1 << 30, length);
    Values::I64(
        values
            .i32s()
            .iter()
            .map(|&value| i64::from(value) << 20)
            .collect(),
    )
}

fn floating() -> Vec<Kind> {
    let one = |threads, name, kernel| Kind::over(threads, name, TEXT, kernel);
    vec![
        one(N, "double precision", "doubles")
            .buffers(|| vec![doubles(N), Values::F64(vec![0.0; N])])
            .plain(|buffers| {
                let [x, y] = buffers else { return };
                for (y, &x) in y.f64s_mut().iter_mut().zip(x.f64s()) {
                    *y = (0..16).fold(1.0, |sum, _| sum * x + 0.5);
                }
            }),
        one(N, "half precision", "halves")
            .buffers(|| vec![halves(N), no_halves(N)])
            .plain(polynomial),
        one(N / 2, "half precision, pairs", "half_pairs")
            .buffers(|| vec![halves(N), no_halves(N)])
            .plain(polynomial),
        one(N, "special functions", "special")
            .buffers(|| vec![floats(N), zeros(N)])
            .plain(|buffers| {
                let [x, y] = buffers else { return };
                for (y, &x) in y.f32s_mut().iter_mut().zip(x.f32s()) {
                    *y = x.sin() * x.exp() + (x + 1.0).ln() + x.sqrt();
                }
            }),
    ]
}

fn polynomial(buffers: &mut [Values]) {
    let [x, y] = buffers else { return };
    let half = f16::from_f32(0.5);
    for (y, &x) in y.f16s_mut().iter_mut().zip(x.f16s()) {
        *y = (0..8).fold(f16::ONE, |sum, _| sum * x + half);
    }
}

fn integers() -> Vec<Kind> {
    let one = |name, kernel| Kind::over(N, name, TEXT, kernel);
    vec![
        one("64-bit integers, a hash", "hash")
            .buffers(|| vec![long(N), Values::I64(vec![0; N])])
            .plain(|buffers| {
                let [x, y] = buffers else { return };
                for (y, &x) in y.i64s_mut().iter_mut().zip(x.i64s()) {
                    let hash = x
                        .to_le_bytes()
                        .iter()
                        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
                            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
                        });
                    *y = hash as i64;
                }
            }),
        one("division by ten", "divide")
            .buffers(|| vec![below(1 << 30, N), no_numbers(N)])
            .plain(|buffers| {
                let [x, y] = buffers else { return };
                for (y, &x) in y.i32s_mut().iter_mut().zip(x.i32s()) {
                    let (mut value, mut digits) = (x, 0);
                    for _ in 0..8 {
                        digits += value % 10;
                        value /= 10;
                    }
                    *y = digits;
                }
            }),
    ]
}

fn products() -> Vec<Kind> {
    let square = PRODUCT * PRODUCT;
    let tiles = (PRODUCT / 16) as u32;
    vec![
        Kind::image(
            [PRODUCT, PRODUCT],
            [16, 16],
            "product, no tiles",
            TEXT,
            "matmul_naive",
        )
        .buffers(move || vec![floats(square), floats(square), zeros(square)])
        .numbers(&[PRODUCT as i64])
        .plain(|buffers| {
            let [a, b, c] = buffers else { return };
            crate::plain::matmul(a.f32s(), b.f32s(), c.f32s_mut(), PRODUCT);
        }),
        Kind::over(1, "product, tensor cores", TEXT, "fragments")
            .launched([tiles, tiles, 1], [32, 1, 1])
            .buffers(move || vec![halves(square), halves(square), zeros(square)])
            .numbers(&[PRODUCT as i64])
            .plain(|buffers| {
                let [a, b, c] = buffers else { return };
                let [a, b] = [a, b].map(|matrix| {
                    matrix
                        .f16s()
                        .iter()
                        .map(|value| value.to_f32())
                        .collect::<Vec<_>>()
                });
                crate::plain::matmul(&a, &b, c.f32s_mut(), PRODUCT);
            }),
    ]
}
