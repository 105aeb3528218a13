//! cuFFT over the memory of the GPU. Transforms are computed in double precision and rounded once, so the last digits are
//! not those of a GPU, which rounds each step.

use std::f64::consts::TAU;

use rayon::prelude::*;

use super::elements::{decode, encode};
use crate::host::machine::{Call, Machine, Stop};
use crate::host::runtime::carry_out::{read, write};
use crate::host::runtime::facts::errors::SUCCESS;
use crate::host::runtime::state::{Answer, Runtime};
use crate::launch::ElementType;

/// Numbers of the array in which the header describes a transform.
const LAYOUT_NUMBERS: usize = 15;
/// Most elements of a call, and most places that they may lie over: what this machine has room for.
const MOST_ELEMENTS: usize = 1 << 28;

/// `CUFFT_ALLOC_FAILED`, `CUFFT_INVALID_VALUE`.
const ALLOC_FAILED: u32 = 2;
const INVALID_VALUE: u32 = 4;

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    fn conjugate(self) -> Self {
        Complex {
            re: self.re,
            im: -self.im,
        }
    }

    fn plus_product(self, a: Complex, b: Complex) -> Self {
        Complex {
            re: self.re + a.re * b.re - a.im * b.im,
            im: self.im + a.re * b.im + a.im * b.re,
        }
    }
}

/// How the elements of one side lie.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// Rows and columns of the two inner dimensions, as they lie in memory.
    embedded: [usize; 2],
    /// From element to element, and from transform to transform, in elements.
    step: usize,
    distance: usize,
    /// Whether elements are complex, and whether it has only the first half of each row, and one element more: the rest is
    /// conjugate to it.
    is_complex: bool,
    is_half: bool,
}

/// A transform, as `cufftExec…` describes it.
#[derive(Clone, Copy, Debug)]
struct Transform {
    /// The type of real numbers, and of both parts of complex ones.
    element: ElementType,
    /// −1 forwards, 1 backwards: the sign of the exponent.
    sign: f64,
    /// Outermost first.
    extents: [usize; 3],
    batch: usize,
    from: Side,
    to: Side,
    /// What the transform waits for.
    stream: u64,
}

impl Transform {
    /// What the header's array says; nothing where a number is none that there can be.
    fn new(layout: &[i64; LAYOUT_NUMBERS]) -> Option<Self> {
        let kind = layout[0];
        // By the header: the last four bits of a type say which sides are real, the others the precision.
        let (from_real, to_real) = (kind & 0xf == 0xa, kind & 0xf == 0xc);
        let mut sizes = [0; LAYOUT_NUMBERS - 3];
        for (size, &number) in sizes.iter_mut().zip(&layout[2..]) {
            *size = usize::try_from(number).ok()?;
        }
        let side = |at: usize, is_real: bool, is_half: bool| Side {
            embedded: [sizes[at], sizes[at + 1]],
            step: sizes[at + 2],
            distance: sizes[at + 3],
            is_complex: !is_real,
            is_half,
        };
        Some(Transform {
            element: match kind & 0xf0 {
                0x60 => ElementType::F64,
                _ => ElementType::F32,
            },
            sign: layout[1].signum() as f64,
            extents: [sizes[0], sizes[1], sizes[2]],
            batch: sizes[3],
            from: side(4, from_real, to_real),
            to: side(8, to_real, from_real),
            stream: layout[LAYOUT_NUMBERS - 1] as u64,
        })
    }

    /// Elements of a row of `side`.
    fn columns(&self, side: Side) -> usize {
        let all = self.extents[2];
        if side.is_half { all / 2 + 1 } else { all }
    }

    /// Where the elements of a transform lie on `side`, in elements: row by row.
    fn places(&self, side: Side, transform: usize) -> Vec<usize> {
        let [planes, rows, _] = self.extents;
        let columns = self.columns(side);
        let mut places = Vec::with_capacity(planes * rows * columns);
        for plane in 0..planes {
            for row in 0..rows {
                let first = (plane * side.embedded[0] + row) * side.embedded[1];
                let in_row = (first..first + columns).map(|place| place * side.step);
                places.extend(in_row.map(|place| transform * side.distance + place));
            }
        }
        places
    }

    /// Numbers of a side's memory, from its first element to its last; nothing where these are too many.
    fn numbers(&self, side: Side) -> Option<usize> {
        let [planes, rows, _] = self.extents;
        let columns = self.columns(side);
        let all = self
            .extents
            .into_iter()
            .try_fold(self.batch, usize::checked_mul)?;
        let last = |count: usize| count.checked_sub(1);
        let row = last(planes)?
            .checked_mul(side.embedded[0])?
            .checked_add(last(rows)?)?;
        let place = row
            .checked_mul(side.embedded[1])?
            .checked_add(last(columns)?)?;
        let place = place.checked_mul(side.step)?;
        let elements = last(self.batch)?
            .checked_mul(side.distance)?
            .checked_add(place)?
            + 1;
        let fits = all <= MOST_ELEMENTS && elements <= MOST_ELEMENTS;
        fits.then_some(elements * if side.is_complex { 2 } else { 1 })
    }

    /// The elements of a transform, all of them.
    fn gather(&self, numbers: &[f64], transform: usize) -> Vec<Complex> {
        let places = self.places(self.from, transform);
        let element = |&place: &usize| match self.from.is_complex {
            true => Complex {
                re: numbers[2 * place],
                im: numbers[2 * place + 1],
            },
            false => Complex {
                re: numbers[place],
                im: 0.0,
            },
        };
        let given: Vec<Complex> = places.iter().map(element).collect();
        if self.from.is_half {
            self.whole(&given)
        } else {
            given
        }
    }

    /// All elements of which the first half of each row is `given`: what real numbers have as their transform.
    fn whole(&self, given: &[Complex]) -> Vec<Complex> {
        let [planes, rows, columns] = self.extents;
        let half = self.columns(self.from);
        let at =
            |plane: usize, row: usize, column: usize| given[(plane * rows + row) * half + column];
        let mut all = Vec::with_capacity(planes * rows * columns);
        for plane in 0..planes {
            for row in 0..rows {
                let opposite = ((planes - plane) % planes, (rows - row) % rows);
                all.extend((0..columns).map(|column| match column < half {
                    true => at(plane, row, column),
                    false => at(opposite.0, opposite.1, columns - column).conjugate(),
                }));
            }
        }
        all
    }

    /// Puts the elements of a transform to their places among the `numbers` of the other side.
    fn scatter(&self, elements: &[Complex], numbers: &mut [f64], transform: usize) {
        let columns = self.extents[2];
        let each = self.columns(self.to);
        let kept = elements.chunks(columns).flat_map(|row| &row[..each]);
        for (place, element) in self.places(self.to, transform).into_iter().zip(kept) {
            match self.to.is_complex {
                true => (numbers[2 * place], numbers[2 * place + 1]) = (element.re, element.im),
                false => numbers[place] = element.re,
            }
        }
    }

    /// Transforms all dimensions, the innermost first, with the roots of each.
    fn transform(&self, elements: &mut [Complex], roots: &[Vec<Complex>; 3]) {
        let mut step = 1;
        for (extent, roots) in self.extents.into_iter().zip(roots).rev() {
            let lines = elements.len() / extent.max(1);
            for line in 0..lines {
                let first = line / step * step * extent + line % step;
                let one: Vec<Complex> = (0..extent).map(|at| elements[first + at * step]).collect();
                let mut changed = vec![Complex::default(); extent];
                transform_line(&one, 1, &mut changed, roots);
                for (at, value) in changed.into_iter().enumerate() {
                    elements[first + at * step] = value;
                }
            }
            step *= extent;
        }
    }
}

/// The `count` roots of one, by their angles.
fn roots(count: usize, sign: f64) -> Vec<Complex> {
    let root = |at: usize| {
        let (im, re) = (sign * TAU * at as f64 / count as f64).sin_cos();
        Complex { re, im }
    };
    (0..count).map(root).collect()
}

/// The transform of every `step`th element of `from`, by Cooley and Tukey: of `p` parts of a length `m`, each `p`th
/// element, the transforms are put together.
fn transform_line(from: &[Complex], step: usize, to: &mut [Complex], roots: &[Complex]) {
    let length = to.len();
    if length <= 1 {
        to.copy_from_slice(&from[..length]);
        return;
    }
    let parts = (2..)
        .take_while(|p| p * p <= length)
        .find(|p| length.is_multiple_of(*p));
    let parts = parts.unwrap_or(length);
    let part = length / parts;
    for (at, to) in to.chunks_mut(part).enumerate() {
        transform_line(&from[at * step..], step * parts, to, roots);
    }
    let mut terms = vec![Complex::default(); parts];
    for k in 0..part {
        for (at, term) in terms.iter_mut().enumerate() {
            *term = to[at * part + k];
        }
        for q in 0..parts {
            let sum = terms
                .iter()
                .enumerate()
                .fold(Complex::default(), |sum, (at, &term)| {
                    // The root of this length among those of the whole.
                    sum.plus_product(term, roots[at * (k + q * part) % length * step])
                });
            to[k + q * part] = sum;
        }
    }
}

/// `__cufftTransform(layout, in, out)`: `in` and `out` may be the same.
pub fn transform(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let Some(transform) = layout(machine, call.u64(0))? else {
        return Ok(INVALID_VALUE);
    };
    let sides = [transform.from, transform.to].map(|side| transform.numbers(side));
    let [Some(given), Some(made)] = sides else {
        return Ok(ALLOC_FAILED);
    };
    // It is computed here, not by a kernel: what its input waits for must be done.
    runtime.synchronize(machine, Some(transform.stream))?;
    let given = numbers_at(machine, call.u64(1), given, transform.element)?;
    // What lies between the elements stays.
    let mut made = numbers_at(machine, call.u64(2), made, transform.element)?;
    let roots = transform
        .extents
        .map(|extent| roots(extent, transform.sign));
    let each = (0..transform.batch).into_par_iter().map(|at| {
        let mut elements = transform.gather(&given, at);
        transform.transform(&mut elements, &roots);
        elements
    });
    let each: Vec<Vec<Complex>> = each.collect();
    for (at, elements) in each.iter().enumerate() {
        transform.scatter(elements, &mut made, at);
    }
    write(machine, call.u64(2), &encode(transform.element, &made))?;
    Ok(SUCCESS)
}

fn numbers_at(
    machine: &Machine,
    address: u64,
    count: usize,
    element: ElementType,
) -> Result<Vec<f64>, Stop> {
    let bytes = read(machine, address, (count * element.size_bytes()) as u64)?;
    Ok(decode(element, &bytes))
}

fn layout(machine: &Machine, address: u64) -> Result<Option<Transform>, Stop> {
    let bytes = read(machine, address, (LAYOUT_NUMBERS * 8) as u64)?;
    let mut layout = [0; LAYOUT_NUMBERS];
    for (number, &bytes) in layout.iter_mut().zip(bytes.as_chunks().0) {
        *number = i64::from_le_bytes(bytes);
    }
    Ok(Transform::new(&layout))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_any_length_are_transformed_as_their_definition_says() {
        for length in [1_usize, 2, 3, 4, 6, 7, 8, 12, 15, 17, 30, 64] {
            let from: Vec<Complex> = (0..length)
                .map(|at| Complex {
                    re: (at * at % 7) as f64,
                    im: (at % 5) as f64 - 2.0,
                })
                .collect();
            let roots = roots(length, -1.0);
            let mut to = vec![Complex::default(); length];
            transform_line(&from, 1, &mut to, &roots);
            for (k, found) in to.iter().enumerate() {
                let terms = from.iter().enumerate();
                let sum = terms.fold(Complex::default(), |sum, (at, &value)| {
                    sum.plus_product(value, roots[at * k % length])
                });
                let distance = (found.re - sum.re).hypot(found.im - sum.im);
                assert!(
                    distance < 1e-9 * length as f64,
                    "{length}: {found:?} {sum:?}"
                );
            }
        }
    }
}
