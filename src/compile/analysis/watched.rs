//! The registers that known values lie in or depend on.
//!
//! Nearly every instruction writes a register that nothing is known of: it is told so at once, and not by
//! going through all that is known.

use std::collections::HashMap;

use super::effects::RegisterRange;
use crate::ir::Register;

/// How many known values each register matters to.
#[derive(Debug, Default)]
pub(crate) struct WatchedRegisters {
    counts: HashMap<Register, u32>,
}

impl WatchedRegisters {
    /// They matter to one value more.
    pub fn add(&mut self, registers: RegisterRange) {
        for register in registers.each() {
            *self.counts.entry(register).or_default() += 1;
        }
    }

    /// They matter to one value less.
    pub fn remove(&mut self, registers: RegisterRange) {
        for register in registers.each() {
            if let Some(count) = self.counts.get_mut(&register) {
                *count -= 1;
                if *count == 0 {
                    self.counts.remove(&register);
                }
            }
        }
    }

    /// Whether any of them matters to a value.
    pub fn any(&self, registers: RegisterRange) -> bool {
        match registers.words as usize > self.counts.len() {
            true => {
                let mut watched = self.counts.keys();
                watched.any(|&register| registers.overlaps(RegisterRange::new(register, 1)))
            }
            false => registers
                .each()
                .any(|register| self.counts.contains_key(&register)),
        }
    }
}
