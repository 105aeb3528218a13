//! The slots of the function that runs, and the words that move between them and memory.

use crate::host::code::{Slot, double, float, float_bits, int};
use crate::host::memory::Memory;

/// As many slots as a [`Slot`] can name.
pub const SLOTS: usize = 1 << 16;

/// The slots of the function that runs, from its own 0 on. There are always as many as a number of a slot can name, so that
/// no access needs a check.
pub struct Registers<'s>(&'s mut [u64; SLOTS]);

impl<'s> Registers<'s> {
    /// Those from `base` on of a row, which grows where it is too short.
    #[inline(always)]
    pub fn new(row: &'s mut Vec<u64>, base: usize) -> Self {
        if row.len() < base + SLOTS {
            row.resize(base + 2 * SLOTS, 0);
        }
        match row[base..].first_chunk_mut() {
            Some(slots) => Registers(slots),
            None => unreachable!("the row has just grown"),
        }
    }

    #[inline(always)]
    pub fn get(&self, slot: Slot) -> u64 {
        self.0[usize::from(slot)]
    }

    #[inline(always)]
    pub fn set(&mut self, slot: Slot, bits: u64) {
        self.0[usize::from(slot)] = bits;
    }

    /// The slots from one on: what a call takes and returns.
    pub fn since(&self, first: Slot) -> &[u64] {
        &self.0[usize::from(first)..]
    }

    /// The same, to be changed.
    pub fn since_mut(&mut self, first: Slot) -> &mut [u64] {
        &mut self.0[usize::from(first)..]
    }

    /// The product of two slots that hold an `int`, as `Op::MulI32` has it.
    #[inline(always)]
    pub fn product(&self, a: Slot, b: Slot) -> u64 {
        int(self.get(a).wrapping_mul(self.get(b)))
    }

    /// Their sum, as `Op::AddI32` has it.
    #[inline(always)]
    pub fn sum(&self, a: Slot, b: Slot) -> u64 {
        int(self.get(a).wrapping_add(self.get(b)))
    }

    /// The same of `float`.
    #[inline(always)]
    pub fn product_f32(&self, a: Slot, b: Slot) -> u64 {
        float_bits(float(self.get(a)) * float(self.get(b)))
    }

    #[inline(always)]
    pub fn sum_f32(&self, a: Slot, b: Slot) -> u64 {
        float_bits(float(self.get(a)) + float(self.get(b)))
    }

    /// The same of `double`.
    #[inline(always)]
    pub fn product_f64(&self, a: Slot, b: Slot) -> u64 {
        (double(self.get(a)) * double(self.get(b))).to_bits()
    }

    #[inline(always)]
    pub fn sum_f64(&self, a: Slot, b: Slot) -> u64 {
        (double(self.get(a)) + double(self.get(b))).to_bits()
    }

    /// The address so many bytes behind one in a slot.
    #[inline(always)]
    pub fn behind(&self, base: Slot, offset: i32) -> u64 {
        self.get(base).wrapping_add(offset as i64 as u64)
    }

    /// The address of an element.
    #[inline(always)]
    pub fn element(&self, base: Slot, index: Slot, size: u32) -> u64 {
        let offset = self.get(index).wrapping_mul(u64::from(size));
        self.get(base).wrapping_add(offset)
    }

    /// What a function makes of two slots that hold integers of its type.
    #[inline(always)]
    pub fn of<W: Word>(&self, a: Slot, b: Slot, compute: fn(W, W) -> Option<W>) -> Option<W> {
        compute(W::of(self.get(a)), W::of(self.get(b)))
    }
}

/// An integer as it lies in memory; in a slot it is extended by its sign, or by zeros.
pub trait Word: Copy {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
    /// That at an address of the host's own memory.
    fn load(memory: &Memory<'_>, address: u64) -> Option<Self>;
    /// Puts it there.
    fn store(self, memory: &mut Memory<'_>, address: u64) -> Option<()>;
    /// That at an address of the GPU's memory which the host may reach, or of a heap that is checked.
    fn load_far(memory: &Memory<'_>, address: u64) -> Option<Self>;
    /// Puts it there.
    fn store_far(self, memory: &mut Memory<'_>, address: u64) -> Option<()>;
}

macro_rules! words {
    ($($word:ty),*) => {$(
        impl Word for $word {
            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as $word
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self as i64 as u64
            }

            #[inline(always)]
            fn load(memory: &Memory<'_>, address: u64) -> Option<Self> {
                memory.load(address).map(<$word>::from_le_bytes)
            }

            #[inline(always)]
            fn store(self, memory: &mut Memory<'_>, address: u64) -> Option<()> {
                memory.store(address, self.to_le_bytes())
            }

            fn load_far(memory: &Memory<'_>, address: u64) -> Option<Self> {
                let mut bytes = [0; size_of::<$word>()];
                memory.read_to(address, &mut bytes).ok()?;
                Some(<$word>::from_le_bytes(bytes))
            }

            fn store_far(self, memory: &mut Memory<'_>, address: u64) -> Option<()> {
                memory.write(address, &self.to_le_bytes()).ok()
            }
        }
    )*};
}

words!(i8, u8, i16, u16, i32, u32, i64, u64);
