//! `qsort` and `bsearch`, with functions of the program that compare.

use crate::host::machine::{Call, Machine, Stop, Table};

pub const TABLE: Table = &[
    ("qsort", |machine, call| {
        let elements = Elements {
            size: call.u64(2),
            compare: call.u64(3),
        };
        elements.sort(machine, call.u64(0), call.u64(1))?;
        Ok(0)
    }),
    ("bsearch", bsearch),
];

struct Elements {
    size: u64,
    compare: u64,
}

impl Elements {
    fn compare(&self, machine: &mut Machine<'_>, a: u64, b: u64) -> Result<i32, Stop> {
        Ok(machine.call(self.compare, &[a, b])? as i32)
    }

    /// By merging, in the order of comparisons of glibc's `msort.c`: equal elements keep their order.
    fn sort(&self, machine: &mut Machine<'_>, base: u64, count: u64) -> Result<(), Stop> {
        if count <= 1 {
            return Ok(());
        }
        // Halves as glibc has them, so that the program's function is called in the same order with the same
        // elements.
        let half = count / 2;
        let middle = base + half * self.size;
        self.sort(machine, base, half)?;
        self.sort(machine, middle, count - half)?;
        let end = base + count * self.size;
        let (mut a, mut b) = (base, middle);
        let mut merged = Vec::with_capacity((count * self.size) as usize);
        while a < middle && b < end {
            let from = match self.compare(machine, a, b)? <= 0 {
                true => &mut a,
                false => &mut b,
            };
            merged.extend_from_slice(machine.memory.bytes(*from, self.size)?);
            *from += self.size;
        }
        // What is left of the second half lies where it belongs.
        merged.extend_from_slice(machine.memory.bytes(a, middle - a)?);
        machine.memory.write(base, &merged)?;
        Ok(())
    }
}

fn bsearch(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<u64, Stop> {
    let (key, base) = (call.u64(0), call.u64(1));
    let elements = Elements {
        size: call.u64(3),
        compare: call.u64(4),
    };
    let (mut low, mut high) = (0, call.u64(2));
    while low < high {
        let middle = (low + high) / 2;
        let element = base + middle * elements.size;
        match elements.compare(machine, key, element)? {
            0 => return Ok(element),
            order if order < 0 => high = middle,
            _ => low = middle + 1,
        }
    }
    Ok(0)
}
