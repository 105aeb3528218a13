//! The random numbers of glibc, number for number: `rand`, `rand_r`, `drand48`.

use crate::host::machine::{Machine, Stop, Table};

/// Words of the state of `random` (`TYPE_3` in glibc's `random_r.c`).
const WORDS: usize = 31;

/// What `random` and `rand` share.
struct Random {
    state: [u32; WORDS],
    at: usize,
}

impl Default for Random {
    fn default() -> Self {
        Random::seeded(1)
    }
}

impl Random {
    fn seeded(seed: u32) -> Self {
        let mut state = [0; WORDS];
        // A seed of 0 is taken for 1.
        let mut word = i64::from(seed.max(1) as i32);
        for slot in &mut state {
            *slot = word as u32;
            // Schrage's method, as glibc has it: 16807 * word modulo 2^31 - 1.
            let (high, low) = (word / 127_773, word % 127_773);
            word = 16807 * low - 2836 * high;
            if word < 0 {
                word += 2_147_483_647;
            }
        }
        // glibc throws the first 310 numbers away.
        let mut random = Random { state, at: 3 };
        for _ in 0..10 * WORDS {
            random.next();
        }
        random
    }

    /// The sum of the words 31 and 3 steps ago.
    fn next(&mut self) -> u32 {
        // The state is a ring: the word 31 steps ago is the one that is about to be replaced.
        let at = self.at;
        let other = if at < 3 { at + WORDS - 3 } else { at - 3 };
        let sum = self.state[at].wrapping_add(self.state[other]);
        self.state[at] = sum;
        self.at = if at + 1 == WORDS { 0 } else { at + 1 };
        sum >> 1
    }
}

/// The state of `drand48`, which begins with 0.
#[derive(Default)]
struct Wide(u64);

impl Wide {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5_deec_e66d).wrapping_add(0xb) & ((1 << 48) - 1);
        self.0
    }
}

fn random<'m>(machine: &'m mut Machine<'_>) -> &'m mut Random {
    machine.library_state("random")
}

fn wide<'m>(machine: &'m mut Machine<'_>) -> &'m mut Wide {
    machine.library_state("drand48")
}

fn next(machine: &mut Machine<'_>) -> u64 {
    u64::from(random(machine).next())
}

fn seed(machine: &mut Machine<'_>, seed: u64) -> Result<u64, Stop> {
    *random(machine) = Random::seeded(seed as u32);
    Ok(0)
}

pub const TABLE: Table = &[
    ("rand", |machine, _| Ok(next(machine))),
    ("random", |machine, _| Ok(next(machine))),
    ("srand", |machine, call| seed(machine, call.u64(0))),
    ("srandom", |machine, call| seed(machine, call.u64(0))),
    ("rand_r", |machine, call| {
        let bytes = machine.memory.read(call.u64(0), 4)?;
        let mut state = u32::from_le_bytes(bytes.try_into().unwrap_or_default());
        // Three steps of a weak generator give 11, 10 and 10 bits.
        let mut result = 0;
        for (bits, modulus) in [(0, 2048), (10, 1024), (10, 1024)] {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12345);
            result = (result << bits) ^ (state / 65536 % modulus);
        }
        machine.memory.write(call.u64(0), &state.to_le_bytes())?;
        Ok(u64::from(result))
    }),
    ("drand48", |machine, _| {
        Ok((wide(machine).next() as f64 / (1u64 << 48) as f64).to_bits())
    }),
    ("lrand48", |machine, _| Ok(wide(machine).next() >> 17)),
    ("mrand48", |machine, _| {
        Ok(i64::from((wide(machine).next() >> 16) as i32) as u64)
    }),
    ("srand48", |machine, call| {
        // POSIX fixes the low 16 bits of a seeded state.
        *wide(machine) = Wide((u64::from(call.u64(0) as u32) << 16) + 0x330e);
        Ok(0)
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_glibc() {
        let first = |seed, count| {
            let mut random = Random::seeded(seed);
            (0..count).map(|_| random.next()).collect::<Vec<_>>()
        };
        // `for (i) printf("%d, ", rand())` with glibc 2.36.
        let one = [1804289383, 846930886, 1681692777, 1714636915, 1957747793];
        assert_eq!(first(1, 5), one);
        assert_eq!(first(0, 2), one[..2]);
        assert_eq!(first(42, 3), [71876166, 708592740, 1483128881]);
    }
}
