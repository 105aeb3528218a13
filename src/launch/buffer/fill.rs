//! Makes what buffers begin with: element `i` is a pure function of `i`, so that threads share the work.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use super::blocks::{BLOCK, put_doubles, put_integers};
use super::init::Init;
use super::near_normal;
use super::pages::zeroed;
use super::random::Stream;
use crate::launch::{ElementType, Value, Vectorised, vectorised};
use crate::source::NEVER;

/// Elements that one thread fills at a time.
const FILL_CHUNK: usize = 1 << 14;

/// How to follow the filling of buffers, and to stop it.
pub struct FillControl<'a> {
    /// Leaves the rest as it is once it is true.
    pub cancel: &'a AtomicBool,
    /// Told of each piece how many bytes it has, from any thread.
    pub filled: &'a (dyn Fn(u64) + Sync),
}

impl Default for FillControl<'_> {
    /// Nobody follows it, and nothing stops it.
    fn default() -> Self {
        FillControl {
            cancel: &NEVER,
            filled: &|_| {},
        }
    }
}

/// The contents of a buffer that no file holds.
pub(super) fn generate(
    element: ElementType,
    length: usize,
    init: &Init,
    control: &FillControl,
) -> Vec<u8> {
    let size = element.size_bytes();
    let mut bytes = zeroed(length * size);
    if *init == Init::Zero {
        (control.filled)(bytes.len() as u64);
        return bytes;
    }
    let contents = Contents {
        element,
        length,
        init,
    };
    let chunks = bytes.par_chunks_mut(size * FILL_CHUNK).enumerate();
    chunks.for_each(|(chunk, bytes)| {
        if !control.cancel.load(Relaxed) {
            let first = (chunk * FILL_CHUNK) as u64;
            vectorised(Filling {
                contents: &contents,
                first,
                bytes,
            });
            (control.filled)(bytes.len() as u64);
        }
    });
    bytes
}

/// What a buffer is to hold.
struct Contents<'a> {
    element: ElementType,
    length: usize,
    init: &'a Init,
}

/// Elements from `first` on that are to be filled.
struct Filling<'a> {
    contents: &'a Contents<'a>,
    first: u64,
    bytes: &'a mut [u8],
}

impl Vectorised for Filling<'_> {
    type Output = ();
    const IS_WIDEST: bool = true;

    #[inline(always)]
    fn run(self) {
        self.contents.fill(self.first, self.bytes);
    }
}

impl Contents<'_> {
    /// Fills the elements from `first` on.
    #[inline(always)]
    fn fill(&self, first: u64, bytes: &mut [u8]) {
        let is_float = self.element.is_float();
        match *self.init {
            Init::Zero | Init::Npy(_) | Init::Listed(_) => bytes.fill(0),
            Init::Normal(seed) => self.normal(Stream::new(seed), first, bytes),
            Init::Cosines(columns) => {
                self.each(first, bytes, &|i| libm::cos(rope_angle(i, columns)));
            }
            Init::Sines(columns) => {
                self.each(first, bytes, &|i| libm::sin(rope_angle(i, columns)));
            }
            Init::Uniform(seed) => self.uniform(Stream::new(seed), first, bytes),
            Init::Ramp if is_float => {
                self.counting(Counting::new(first, 1, 1021), 1021.0, bytes);
            }
            Init::Ramp => self.counting(Counting::new(first, 1, 251), 1.0, bytes),
            Init::One => self.counting(Counting::constant(1), 1.0, bytes),
            Init::Arange => self.counting(Counting::new(first, 1, u64::MAX), 1.0, bytes),
            Init::Mod(k) => self.counting(Counting::new(first, 1, k), 1.0, bytes),
            Init::Perm(p) => {
                let counting = Counting::new(first, p, self.length as u64);
                self.counting(counting, 1.0, bytes);
            }
        }
    }

    /// Numbers that are counted, of floats divided by `divisor`.
    #[inline(always)]
    fn counting(&self, counting: Counting, divisor: f64, bytes: &mut [u8]) {
        let Counting {
            mut lanes,
            step,
            modulus,
        } = counting;
        let (mut numbers, mut values) = ([0; BLOCK], [0.0; BLOCK]);
        for bytes in bytes.chunks_mut(BLOCK * self.element.size_bytes()) {
            for numbers in numbers.as_chunks_mut::<LANES>().0 {
                *numbers = lanes;
                for lane in &mut lanes {
                    let next = *lane + step;
                    // As signed numbers, which processors compare.
                    let wraps = next as i64 >= modulus as i64;
                    *lane = if wraps { next - modulus } else { next };
                }
            }
            if self.element.is_float() {
                for (at, value) in values.iter_mut().enumerate() {
                    *value = small_double(numbers[at]) / divisor;
                }
                put_doubles(self.element, &values, bytes);
            } else {
                put_integers(self.element, &numbers, bytes);
            }
        }
    }

    #[inline(always)]
    fn normal(&self, stream: Stream, first: u64, bytes: &mut [u8]) {
        use ElementType::{Bf16, F16, F32};
        let size = self.element.size_bytes();
        // Doubles show every bit, and other types of normal values nobody asks for.
        if !matches!(self.element, F32 | F16 | Bf16) {
            return self.each(first, bytes, &|i| stream.normal(i));
        }
        let blocks = bytes.chunks_mut(BLOCK * size);
        for (bytes, first) in blocks.zip((first..).step_by(BLOCK)) {
            // A type that the compiler knows, for each its own loop.
            match self.element {
                F32 => near_normal::fill(stream, first, size, bytes, |values, bytes| {
                    put_doubles(F32, values, bytes);
                }),
                F16 => near_normal::fill(stream, first, size, bytes, |values, bytes| {
                    put_doubles(F16, values, bytes);
                }),
                _ => near_normal::fill(stream, first, size, bytes, |values, bytes| {
                    put_doubles(Bf16, values, bytes);
                }),
            }
        }
    }

    #[inline(always)]
    fn uniform(&self, stream: Stream, first: u64, bytes: &mut [u8]) {
        let blocks = bytes.chunks_mut(BLOCK * self.element.size_bytes());
        let (mut values, mut numbers) = ([0.0; BLOCK], [0; BLOCK]);
        for (bytes, first) in blocks.zip((first..).step_by(BLOCK)) {
            if self.element.is_float() {
                for (at, value) in values.iter_mut().enumerate() {
                    *value = stream.uniform(first + at as u64);
                }
                put_doubles(self.element, &values, bytes);
            } else {
                for (at, number) in numbers.iter_mut().enumerate() {
                    *number = stream.bits(first + at as u64);
                }
                put_integers(self.element, &numbers, bytes);
            }
        }
    }

    /// Numbers that take so long to make that nothing else counts.
    fn each(&self, first: u64, bytes: &mut [u8], value: &dyn Fn(u64) -> f64) {
        let size = self.element.size_bytes();
        for (element, i) in bytes.chunks_exact_mut(size).zip(first..) {
            let bits = self.element.bits(Value::Float(value(i)));
            element.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
}

/// `number` in double precision, which has to be below 2^52: in the fraction of 2^52 it stands as it is.
#[inline(always)]
fn small_double(number: u64) -> f64 {
    const WHOLE: f64 = (1_u64 << 52) as f64;
    f64::from_bits(WHOLE.to_bits() | number) - WHOLE
}

/// The numbers `i * step mod modulus` for one `i` after the other.
struct Counting {
    /// Those that come next.
    lanes: [u64; LANES],
    /// From each to the one `LANES` behind it.
    step: u64,
    modulus: u64,
}

/// Numbers that do not wait for each other.
const LANES: usize = 8;
/// No buffer has as many elements.
const MOST: u64 = 1 << 52;

impl Counting {
    /// From `i` = `first` on.
    fn new(first: u64, step: u64, modulus: u64) -> Self {
        let at = |i: u64| {
            let product = u128::from(i) * u128::from(step);
            // What is below the modulus.
            (product % u128::from(modulus)) as u64
        };
        Counting {
            lanes: std::array::from_fn(|lane| at(first + lane as u64)),
            step: at(LANES as u64),
            modulus: modulus.min(MOST),
        }
    }

    /// The same number again and again.
    fn constant(number: u64) -> Self {
        Counting {
            lanes: [number; LANES],
            step: 0,
            modulus: MOST,
        }
    }
}

/// The angle of element `i` of a table of `columns`: base 10,000, as Su et al. 2021 have it.
fn rope_angle(i: u64, columns: u64) -> f64 {
    let (row, column) = ((i / columns) as f64, (i % columns) as f64);
    row * libm::pow(10_000.0, -column / columns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What element `i` of `length` begins with, before it takes the buffer's type.
    fn initial_value(is_float: bool, length: usize, init: &Init, i: u64) -> Value {
        let integer = |value: u64| Value::Integer(i128::from(value));
        match *init {
            Init::Zero | Init::Npy(_) | Init::Listed(_) => integer(0),
            Init::One => integer(1),
            Init::Arange => integer(i),
            Init::Ramp if is_float => Value::Float((i % 1021) as f64 / 1021.0),
            Init::Ramp => integer(i % 251),
            Init::Perm(p) => Value::Integer(i128::from(i) * i128::from(p) % length as i128),
            Init::Mod(k) => integer(i % k),
            Init::Cosines(columns) => Value::Float(libm::cos(rope_angle(i, columns))),
            Init::Sines(columns) => Value::Float(libm::sin(rope_angle(i, columns))),
            Init::Normal(seed) => Value::Float(Stream::new(seed).normal(i)),
            Init::Uniform(seed) if is_float => Value::Float(Stream::new(seed).uniform(i)),
            Init::Uniform(seed) => integer(Stream::new(seed).bits(i)),
        }
    }

    #[test]
    fn every_element_is_a_function_of_its_index() {
        let inits = [
            Init::Zero,
            Init::One,
            Init::Arange,
            Init::Ramp,
            Init::Perm(7),
            Init::Perm(u64::MAX),
            Init::Mod(1),
            Init::Mod(5),
            Init::Mod(1000),
            Init::Mod(u64::MAX),
            Init::Cosines(3),
            Init::Sines(64),
            Init::Normal(1),
            Init::Uniform(2),
        ];
        // A chunk, and one that ends within a block.
        for length in [1, FILL_CHUNK + BLOCK + 3] {
            for element in ElementType::names().filter_map(ElementType::from_name) {
                let size = element.size_bytes();
                for init in &inits {
                    let bytes = generate(element, length, init, &FillControl::default());
                    assert_eq!(bytes.len(), length * size);
                    for (i, found) in bytes.chunks_exact(size).enumerate() {
                        let value = initial_value(element.is_float(), length, init, i as u64);
                        let bits = element.bits(value).to_le_bytes();
                        assert_eq!(found, &bits[..size], "{element:?} {init:?} {i}");
                    }
                }
            }
        }
    }
}
