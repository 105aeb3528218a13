//! Buffers in global memory: what they begin with, and what is in them in the end.

use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::blocks::doubles;
use super::fill::{self, FillControl};
use super::init::{Init, InitError};
use super::npy;
use crate::launch::{ElementType, ResultCache, Value};

/// A buffer to make before the first launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferSpec {
    /// What the lesson or the kernel's parameter calls it.
    pub name: String,
    /// Type of its elements.
    pub element: ElementType,
    /// Number of elements.
    pub length: usize,
    /// What it begins with.
    pub init: Init,
}

/// Largest contents that are kept to be used again: some two million floats.
const MEMO_BYTES: usize = 8 << 20;
/// Elements that one thread reads at a time.
const TASK: usize = 1 << 14;
/// Contents that take arithmetic to make. Two runs of a cell ask for the same.
static FILLED: ResultCache<(ElementType, usize, Init), Vec<u8>> = ResultCache::new(6);

impl BufferSpec {
    /// Size in bytes.
    pub fn size_bytes(&self) -> usize {
        self.length * self.element.size_bytes()
    }

    /// Bytes of all these buffers together, or as many as there are numbers for.
    pub fn total_bytes(all: &[BufferSpec]) -> u64 {
        let sizes = all.iter().map(|spec| {
            let size = spec.length.checked_mul(spec.element.size_bytes());
            size.map_or(u64::MAX, |size| size as u64)
        });
        sizes.fold(0, u64::saturating_add)
    }

    /// The buffer with its initial contents.
    pub fn fill(&self) -> Result<BufferValues, InitError> {
        self.fill_following(&FillControl::default())
    }

    /// The same, for somebody who follows it. Once it is cancelled, what it gives is of no use.
    pub fn fill_following(&self, control: &FillControl) -> Result<BufferValues, InitError> {
        let generate =
            |control: &FillControl| fill::generate(self.element, self.length, &self.init, control);
        let bytes = match &self.init {
            Init::Npy(path) => npy::read(path, self.element, self.length).map_err(|reason| {
                let path = path.clone();
                InitError::Npy { path, reason }
            })?,
            Init::Listed(elements) => {
                let mut bytes = elements.clone();
                bytes.resize(self.size_bytes(), 0);
                bytes
            }
            Init::Normal(_) | Init::Uniform(_) | Init::Cosines(_) | Init::Sines(_)
                // Normal values and sines cost more than a copy; counting up does not.
                if self.size_bytes() <= MEMO_BYTES =>
            {
                let key = (self.element, self.length, self.init.clone());
                // What is cancelled is not whole: it must not be kept.
                let whole = || Ok(generate(&FillControl::default()));
                let made: Result<_, InitError> = FILLED.get(key, whole);
                made?.as_ref().clone()
            }
            _ => generate(control),
        };
        Ok(BufferValues {
            name: self.name.clone(),
            element: self.element,
            bytes,
        })
    }
}

/// A buffer's contents.
#[derive(Clone, PartialEq, Eq)]
pub struct BufferValues {
    /// Its name.
    pub name: String,
    /// Type of its elements.
    pub element: ElementType,
    /// Elements one after the other, little-endian.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for BufferValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}[{}]", self.name, self.element.name(), self.len())
    }
}

impl BufferValues {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.element.size_bytes()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Element `i`, or nothing past the end.
    pub fn get(&self, i: usize) -> Option<Value> {
        let size = self.element.size_bytes();
        let element = self.bytes.get(i * size..(i + 1) * size)?;
        let mut bits = [0; 8];
        bits[..size].copy_from_slice(element);
        Some(self.element.value(u64::from_le_bytes(bits)))
    }

    /// All elements in order.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        (0..self.len()).filter_map(|i| self.get(i))
    }

    /// All elements in double precision, in order.
    pub fn floats(&self) -> Vec<f64> {
        let size = self.element.size_bytes();
        let mut all = vec![0.0; self.len()];
        // Outputs of tens of millions of elements are compared after each run.
        let tasks = all
            .par_chunks_mut(TASK)
            .zip(self.bytes.par_chunks(TASK * size));
        tasks.for_each(|(all, bytes)| doubles(self.element, bytes, all));
        all
    }

    /// What the NumPy file `path` holds, at most `most_elements` of them; of bf16, which NumPy lacks, where `like` is
    /// that and the file has 16-bit integers.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn from_npy(
        path: &Path,
        like: ElementType,
        most_elements: usize,
    ) -> Result<Self, InitError> {
        let read = npy::read_any(path, like, most_elements);
        let (element, bytes) = read.map_err(|reason| InitError::Npy {
            path: path.to_owned(),
            reason,
        })?;
        Ok(BufferValues {
            name: path.display().to_string(),
            element,
            bytes,
        })
    }

    /// The bytes of a NumPy file that holds the elements.
    pub fn to_npy(&self) -> Vec<u8> {
        npy::npy_bytes(self.element, &self.bytes)
    }

    /// The sum of all elements, one after the other in double precision.
    pub fn sum(&self) -> f64 {
        Self::sums([self])[0]
    }

    /// The sum of each of several buffers.
    pub fn sums<'a>(buffers: impl IntoIterator<Item = &'a Self>) -> Vec<f64> {
        // What a sum of no numbers begins with.
        let none: f64 = [0.0; 0].iter().sum();
        let all = buffers.into_iter();
        let mut sums: Vec<Summed> = all.map(|buffer| Summed::new(none, buffer)).collect();
        loop {
            let mut left: Vec<&mut Summed> = sums.iter_mut().filter(|one| one.is_left()).collect();
            // A sum waits for each addition before the next. Those of other buffers are made meanwhile.
            match &mut left[..] {
                [] => break,
                [a] => add_all([a]),
                [a, b] => add_all([a, b]),
                [a, b, c, ..] => add_all([a, b, c]),
            }
        }
        sums.into_iter().map(|summed| summed.sum).collect()
    }

    /// SHA-256 of the bytes, in hexadecimal.
    pub fn sha256(&self) -> String {
        Sha256::digest(&self.bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

/// A buffer that is being summed up.
struct Summed<'a> {
    sum: f64,
    element: ElementType,
    /// The elements that are not in the sum yet.
    left: &'a [u8],
}

impl<'a> Summed<'a> {
    fn new(sum: f64, buffer: &'a BufferValues) -> Self {
        Summed {
            sum,
            element: buffer.element,
            left: &buffer.bytes,
        }
    }

    fn is_left(&self) -> bool {
        !self.left.is_empty()
    }

    /// The next elements, at most so many as there is room for, and how many they are.
    fn next(&mut self, numbers: &mut [f64]) -> usize {
        let size = self.element.size_bytes();
        let bytes = self.left.len().min(numbers.len() * size);
        let (next, left) = self.left.split_at(bytes);
        self.left = left;
        doubles(self.element, next, numbers);
        bytes / size
    }
}

/// Elements of each buffer that are added before the next are read: the first cache has room for them.
const SUMMED: usize = 512;

/// Adds the elements of some buffers, until one of them has none left.
fn add_all<const N: usize>(mut summed: [&mut &mut Summed; N]) {
    let mut numbers = [[0.0; SUMMED]; N];
    let mut counts = [SUMMED; N];
    while counts == [SUMMED; N] {
        for (at, one) in summed.iter_mut().enumerate() {
            counts[at] = one.next(&mut numbers[at]);
        }
        let least = counts.iter().fold(SUMMED, |least, &count| least.min(count));
        let mut sums = summed.each_ref().map(|one| one.sum);
        (0..least).for_each(|element| {
            for (at, sum) in sums.iter_mut().enumerate() {
                *sum += numbers[at][element];
            }
        });
        for (at, one) in summed.iter_mut().enumerate() {
            let rest = numbers[at][least..counts[at]].iter();
            one.sum = rest.fold(sums[at], |sum, value| sum + value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(element: ElementType, length: usize, init: &str) -> BufferValues {
        let init = Init::parse(init).expect("known");
        let spec = BufferSpec {
            name: "x".to_owned(),
            element,
            length,
            init,
        };
        spec.fill().expect("fills")
    }

    #[test]
    fn contents_follow_their_rules() {
        let at = |element, init, i| buffer(element, 2048, init).get(i).map(Value::as_f64);
        assert_eq!(
            at(ElementType::F32, "ramp", 1022),
            Some(f64::from(1.0_f32 / 1021.0))
        );
        assert_eq!(at(ElementType::I32, "ramp", 252), Some(1.0));
        assert_eq!(
            at(ElementType::I32, "perm:5", 2047),
            Some(f64::from(2047 * 5 % 2048))
        );
        assert_eq!(at(ElementType::U8, "mod:7", 8), Some(1.0));
        assert_eq!(at(ElementType::F64, "arange", 9), Some(9.0));
        assert_eq!(at(ElementType::F64, "one", 2048), None);
        let angle = 3.0 * 10_000.0_f64.powf(-0.25);
        let cosine = at(ElementType::F64, "rope_cos:4", 13).expect("is there");
        let sine = at(ElementType::F64, "rope_sin:4", 13).expect("is there");
        assert!((cosine - angle.cos()).abs() < 1e-15 && (sine - angle.sin()).abs() < 1e-15);
    }

    #[test]
    fn random_contents_repeat_and_have_their_moments() {
        let normal = buffer(ElementType::F64, 40_000, "normal:1");
        assert_eq!(normal, buffer(ElementType::F64, 40_000, "normal:1"));
        assert_ne!(normal, buffer(ElementType::F64, 40_000, "normal:2"));
        let mean = normal.sum() / 40_000.0;
        let square: f64 = normal.values().map(|value| value.as_f64().powi(2)).sum();
        // Four standard errors of 40 000 samples.
        assert!(
            mean.abs() < 0.02 && (square / 40_000.0 - 1.0).abs() < 0.03,
            "{mean} {square}"
        );
        let uniform = buffer(ElementType::F64, 40_000, "uniform:1").sum() / 40_000.0;
        assert!((uniform - 0.5).abs() < 0.006, "{uniform}");
    }

    #[test]
    fn sums_add_one_element_after_the_other() {
        let lengths = [0, 1, SUMMED, 3 * SUMMED + 5, 10 * SUMMED];
        let names = ElementType::names().filter_map(ElementType::from_name);
        let buffers =
            names.flat_map(|element| lengths.map(|length| buffer(element, length, "uniform:3")));
        let buffers: Vec<BufferValues> = buffers.collect();
        let sums = BufferValues::sums(&buffers);
        for (buffer, sum) in buffers.iter().zip(sums) {
            let alone: f64 = buffer.values().map(Value::as_f64).sum();
            let floats: f64 = buffer.floats().iter().sum();
            let all = [sum, buffer.sum(), floats].map(f64::to_bits);
            assert_eq!(all, [alone.to_bits(); 3], "{buffer:?}");
        }
    }

    #[test]
    fn unknown_contents_are_refused() {
        for text in ["ones", "perm", "perm:x", "mod:0", ""] {
            assert!(Init::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_numpy_file_fills_a_buffer_of_its_type_and_length() {
        let file = tempfile::Builder::new()
            .suffix(".npy")
            .tempfile()
            .expect("temporary file");
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n";
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.bytes());
        bytes.extend(
            [1.5_f32, 2.5, -1.0]
                .iter()
                .flat_map(|value| value.to_le_bytes()),
        );
        std::fs::write(file.path(), bytes).expect("written");
        let name = file.path().to_str().expect("a plain path");
        assert_eq!(buffer(ElementType::F32, 3, name).sum(), 3.0);
        let init = Init::parse(name).expect("known");
        for (element, length) in [(ElementType::F64, 3), (ElementType::F32, 4)] {
            let spec = BufferSpec {
                name: "x".to_owned(),
                element,
                length,
                init: init.clone(),
            };
            assert!(spec.fill().is_err());
        }
    }
}
