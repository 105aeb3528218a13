//! Variables and memory as they were after a step.

use super::steps::{Change, Cursor, History};
use crate::ir::{GLOBAL_STRIDE, SHARED_BASE, Variable, VariablePlace};
use crate::launch::{BufferValues, LaneValues, ValueType};
use crate::simt::program::is_wide_value;
use crate::simt::warp::Vector;

/// The change that gave a word of memory what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The warp of the block that made it.
    pub warp: u32,
    /// The line of the statement that made it, from 1.
    pub line: u32,
    /// Whether it was the cursor's own step.
    pub is_now: bool,
}

/// Where a variable's bits lie.
#[derive(Clone, Copy)]
pub(super) struct Slots {
    pub first: usize,
    pub is_wide: bool,
    /// Bits of the word to drop, and to keep after that, for types narrower than a word that lie
    /// in memory.
    shift: u32,
    mask: u32,
}

impl Slots {
    /// One lane's value from its words.
    pub fn value(&self, low: u32, high: u32) -> u64 {
        let low = low >> self.shift & self.mask;
        if self.is_wide {
            u64::from(low) | u64::from(high) << 32
        } else {
            u64::from(low)
        }
    }
}

impl History {
    /// Variables that can be named at the cursor's statement, innermost function only, as indices
    /// into the kernel's.
    pub fn in_scope(&self, cursor: Cursor) -> Vec<usize> {
        let statement = self.statement(cursor);
        let variables = self.kernel.variables.iter().enumerate();
        let visible = variables.filter(|(_, variable)| {
            self.kernel
                .source
                .is_in_scope(&variable.declaration, statement)
        });
        visible.map(|(at, _)| at).collect()
    }

    /// What a variable holds in each lane after the cursor's step; nothing before it has been given
    /// a value in any lane.
    pub fn value(&self, cursor: Cursor, variable: usize) -> Option<LaneValues> {
        self.value_after(self.index(cursor), variable)
    }

    pub(super) fn value_after(&self, step: u32, variable: usize) -> Option<LaneValues> {
        let slots = self.slots_of(self.kernel.variables.get(variable)?);
        let low = self.slot_after(slots.first, step)?;
        let high = match slots.is_wide {
            true => self.slot_after(slots.first + 1, step)?,
            false => [0; 32],
        };
        Some(std::array::from_fn(|lane| {
            slots.value(low[lane], high[lane])
        }))
    }

    fn slot_after(&self, slot: usize, step: u32) -> Option<Vector> {
        let changes = self.slots.get(slot)?;
        let after = changes.partition_point(|change| change.step <= step);
        let change = &changes[after.checked_sub(1)?];
        Some(self.pool.unpack(change.value))
    }

    /// The changes of a slot, in order.
    pub(super) fn changes(&self, slot: usize) -> &[Change] {
        self.slots.get(slot).map_or(&[], Vec::as_slice)
    }

    pub(super) fn slots_of(&self, variable: &Variable) -> Slots {
        let is_wide = is_wide_value(variable.value_type);
        match variable.place {
            VariablePlace::Register(register) => Slots {
                first: usize::from(register),
                is_wide,
                shift: 0,
                mask: u32::MAX,
            },
            VariablePlace::Local(offset) => {
                let size_bytes = match variable.value_type {
                    ValueType::Bool => 1,
                    ValueType::Number(element) => element.size_bytes() as u32,
                    ValueType::Pointer => 8,
                };
                Slots {
                    first: usize::from(self.kernel.registers) + offset as usize / 4,
                    is_wide,
                    // A `char` in local memory shares its word with its neighbours.
                    shift: offset % 4 * 8,
                    mask: u32::MAX >> (32 - 8 * size_bytes.min(4)),
                }
            }
        }
    }

    /// Size of the block's shared memory, in bytes.
    pub fn shared_bytes(&self) -> usize {
        4 * self.shared_words
    }

    /// The block's shared memory after the cursor's step, in words. What nobody has written is 0.
    pub fn shared(&self, cursor: Cursor) -> Vec<u32> {
        let step = self.index(cursor);
        let mut words = vec![0; self.shared_words];
        for (at, word) in words.iter_mut().enumerate() {
            let address = SHARED_BASE + 4 * at as u64;
            *word = self.words.get(&address).map_or(0, |log| log.at(step));
        }
        words
    }

    /// The word of global or shared memory at an address after the cursor's step, if the block has
    /// written it at any time.
    pub fn word(&self, cursor: Cursor, address: u64) -> Option<u32> {
        let log = self.words.get(&(address & !3))?;
        Some(log.at(self.index(cursor)))
    }

    /// Who changed the word at an address last, up to the cursor's step; nothing if the block has not.
    pub fn written(&self, cursor: Cursor, address: u64) -> Option<Written> {
        let now = self.index(cursor);
        let writes = &self.words.get(&(address & !3))?.writes;
        let after = writes.partition_point(|write| write.0 <= now);
        let at = writes[after.checked_sub(1)?].0;
        let step = &self.steps[at as usize];
        Some(Written {
            warp: step.warp.into(),
            line: self.kernel.source.statements[step.statement as usize].line,
            is_now: at == now,
        })
    }

    /// The warp of the block that gave the word at an address what it holds in the end; nothing if none has.
    pub fn last_writer(&self, address: u64) -> Option<u32> {
        let (step, _) = self.word_changes(address).last()?;
        Some(self.steps[*step as usize].warp.into())
    }

    /// The changes of the word at an address in order: step and value.
    pub(super) fn word_changes(&self, address: u64) -> &[(u32, u32)] {
        let log = self.words.get(&(address & !3));
        log.map_or(&[], |log| log.writes.as_slice())
    }

    /// Makes buffer `index`, as the launch began with it, into what the block sees after the
    /// cursor's step.
    pub fn apply(&self, cursor: Cursor, index: usize, buffer: &mut BufferValues) {
        let step = self.index(cursor);
        let base = (index as u64 + 1) * GLOBAL_STRIDE;
        for (&address, log) in &self.words {
            // One table holds the words of all buffers and of shared memory.
            if !(base..base + GLOBAL_STRIDE).contains(&address) {
                continue;
            }
            // The last word of a buffer may reach past its end: `zip` stops there.
            let bytes = buffer.bytes.iter_mut().skip((address - base) as usize);
            for (byte, value) in bytes.zip(log.at(step).to_le_bytes()) {
                *byte = value;
            }
        }
    }
}
