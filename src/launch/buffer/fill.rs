//! Makes what buffers begin with: element `i` is a pure function of `i`, so that threads share the work.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use super::init::Init;
use super::near_normal;
use super::random::Stream;
use crate::launch::{ElementType, Value, bf16_nearest, f16_nearest};
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
    let mut bytes = vec![0; length * size];
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
            contents.fill((chunk * FILL_CHUNK) as u64, bytes);
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

impl Contents<'_> {
    /// Fills the elements from `first` on.
    fn fill(&self, first: u64, bytes: &mut [u8]) {
        use ElementType::{Bf16, F16, F32};
        if let Init::Normal(seed) = *self.init {
            let stream = Stream::new(seed);
            match self.element {
                F32 => {
                    let round = |value| (value as f32).to_le_bytes();
                    return near_normal::fill(stream, first, bytes.as_chunks_mut().0, round);
                }
                F16 => {
                    let round = |value| f16_nearest(value).to_le_bytes();
                    return near_normal::fill(stream, first, bytes.as_chunks_mut().0, round);
                }
                Bf16 => {
                    let round = |value| bf16_nearest(value).to_le_bytes();
                    return near_normal::fill(stream, first, bytes.as_chunks_mut().0, round);
                }
                // Doubles show every bit, and integers of normal values nobody asks for.
                _ => {}
            }
        }
        let size = self.element.size_bytes();
        for (element, i) in bytes.chunks_exact_mut(size).zip(first..) {
            let bits = self.element.bits(self.initial_value(i));
            element.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }

    /// What element `i` begins with, before it takes the buffer's type.
    fn initial_value(&self, i: u64) -> Value {
        let integer = |value: u64| Value::Integer(i128::from(value));
        let is_float = self.element.is_float();
        match *self.init {
            Init::Zero | Init::Npy(_) | Init::Listed(_) => integer(0),
            Init::One => integer(1),
            Init::Arange => integer(i),
            Init::Ramp if is_float => Value::Float((i % 1021) as f64 / 1021.0),
            Init::Ramp => integer(i % 251),
            Init::Perm(p) => match i.checked_mul(p) {
                Some(product) => integer(product % self.length as u64),
                None => Value::Integer(i128::from(i) * i128::from(p) % self.length as i128),
            },
            Init::Mod(k) => integer(i % k),
            Init::Cosines(columns) => Value::Float(libm::cos(rope_angle(i, columns))),
            Init::Sines(columns) => Value::Float(libm::sin(rope_angle(i, columns))),
            Init::Normal(seed) => Value::Float(Stream::new(seed).normal(i)),
            Init::Uniform(seed) if is_float => Value::Float(Stream::new(seed).uniform(i)),
            Init::Uniform(seed) => integer(Stream::new(seed).bits(i)),
        }
    }
}

/// The angle of element `i` of a table of `columns`: base 10,000, as Su et al. 2021 have it.
fn rope_angle(i: u64, columns: u64) -> f64 {
    let (row, column) = ((i / columns) as f64, (i % columns) as f64);
    row * libm::pow(10_000.0, -column / columns as f64)
}
