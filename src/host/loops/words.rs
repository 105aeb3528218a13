//! Words that an iteration loads and stores.
//!
//! What an iteration has stored it does not load again: `p.x = a; p.y = b; return p;` leaves two registers. All stores of
//! an iteration happen at its end; that no other word is among them is looked at when it runs.

use crate::host::code::{Op, Slot};

use super::path::{Path, Place, Store};
use super::step::{Access, Register, Step, WordKind};

/// Copies of larger objects are left to the interpreter.
const MOST_COPIED_BYTES: u32 = 64;

impl Path {
    /// Adds a load or a store; nothing of any other operation.
    pub fn accesses_memory(&mut self, op: Op) -> Option<()> {
        match op {
            Op::LoadI8 { to, base, offset } => self.load(to, base, offset, WordKind::I8),
            Op::LoadU8 { to, base, offset } => self.load(to, base, offset, WordKind::U8),
            Op::LoadI16 { to, base, offset } => self.load(to, base, offset, WordKind::I16),
            Op::LoadU16 { to, base, offset } => self.load(to, base, offset, WordKind::U16),
            Op::LoadI32 { to, base, offset } => self.load(to, base, offset, WordKind::I32),
            Op::LoadU32 { to, base, offset } => self.load(to, base, offset, WordKind::U32),
            Op::Load64 { to, base, offset } => self.load(to, base, offset, WordKind::Whole),
            Op::LoadIndexI32 { to, base, index } => {
                self.load_index(to, [base, index], WordKind::I32)
            }
            Op::LoadIndexU32 { to, base, index } => {
                self.load_index(to, [base, index], WordKind::U32)
            }
            Op::LoadIndex64 { to, base, index } => {
                self.load_index(to, [base, index], WordKind::Whole)
            }
            Op::Store8 { from, base, offset } => self.store(from, base, offset, WordKind::U8),
            Op::Store16 { from, base, offset } => self.store(from, base, offset, WordKind::U16),
            Op::Store32 { from, base, offset } => self.store(from, base, offset, WordKind::U32),
            Op::Store64 { from, base, offset } => self.store(from, base, offset, WordKind::Whole),
            Op::StoreIndex32 { from, base, index } => {
                self.store_index(from, [base, index], WordKind::U32)
            }
            Op::StoreIndex64 { from, base, index } => {
                self.store_index(from, [base, index], WordKind::Whole)
            }
            _ => None,
        }
    }

    fn load(&mut self, to: Slot, base: Slot, offset: i32, word: WordKind) -> Option<()> {
        let base = self.read(base);
        self.loads(to, self.place(base, offset)?, word)
    }

    fn load_index(&mut self, to: Slot, place: [Slot; 2], word: WordKind) -> Option<()> {
        let base = self.element(place, word);
        self.loads(to, self.place(base, 0)?, word)
    }

    fn loads(&mut self, to: Slot, place: Place, word: WordKind) -> Option<()> {
        let value = self.loaded(place, word)?;
        self.set(to, value);
        Some(())
    }

    fn store(&mut self, from: Slot, base: Slot, offset: i32, word: WordKind) -> Option<()> {
        let (base, value) = (self.read(base), self.read(from));
        self.stored(self.place(base, offset)?, value, word)
    }

    fn store_index(&mut self, from: Slot, place: [Slot; 2], word: WordKind) -> Option<()> {
        let base = self.element(place, word);
        let value = self.read(from);
        self.stored(self.place(base, 0)?, value, word)
    }

    fn element(&mut self, [base, index]: [Slot; 2], word: WordKind) -> Register {
        let (a, b) = (self.read(base), self.read(index));
        self.computed(|to| match word {
            WordKind::Whole => Op::Element8 { to, a, b },
            _ => Op::Element4 { to, a, b },
        })
    }

    /// The place so many bytes behind an address; an offset of an offset is one.
    fn place(&self, base: Register, offset: i32) -> Option<Place> {
        let found = self.steps.iter().find_map(|step| match *step {
            Step::Compute(Op::Offset {
                to,
                base: of,
                offset,
            }) if to == base => Some((of, offset)),
            _ => None,
        });
        let (base, before) = found.unwrap_or((base, 0));
        let offset = offset.checked_add(before)?;
        Some(Place { base, offset })
    }

    /// The register of an address so many bytes behind another one.
    pub fn behind(&mut self, base: Register, offset: i32) -> Option<Register> {
        let place = self.place(base, offset)?;
        Some(self.address(place))
    }

    fn address(&mut self, Place { base, offset }: Place) -> Register {
        match offset {
            0 => base,
            _ => self.computed(|to| Op::Offset { to, base, offset }),
        }
    }

    /// What lies at a place: what the iteration has stored there, or a load.
    pub fn loaded(&mut self, place: Place, word: WordKind) -> Option<Register> {
        if let Some(value) = self.stored_before(place, word) {
            return Some(value);
        }
        // Some of it was stored, and some not.
        let (stores, bytes) = (&self.stores, word.bytes());
        if stores.iter().any(|store| place.meets(bytes, store)) {
            return None;
        }
        let address = self.address(place);
        let value = self.new_register();
        let order = self.steps.len();
        self.steps.push(Step::Load(Access {
            address,
            value,
            word,
            order,
        }));
        Some(value)
    }

    fn stored_before(&mut self, place: Place, word: WordKind) -> Option<Register> {
        let mut stores = self.stores.iter();
        if let Some(&store) = stores.find(|store| store.covers(place, word.bytes())) {
            let a = store.access.value;
            let bits = 8 * (place.offset - store.place.offset) as u64;
            let b = self.constant(bits);
            let shifted = match bits {
                0 => a,
                _ => self.computed(|to| Op::ShrU64 { to, a, b }),
            };
            return Some(self.as_word(shifted, word));
        }
        // Two halves.
        if word != WordKind::Whole {
            return None;
        }
        let above = Place {
            offset: place.offset.checked_add(4)?,
            ..place
        };
        let low = self.stored_before(place, WordKind::U32)?;
        let a = self.stored_before(above, WordKind::U32)?;
        let b = self.constant(32);
        let high = self.computed(|to| Op::Shl64 { to, a, b });
        Some(self.computed(|to| Op::Or {
            to,
            a: low,
            b: high,
        }))
    }

    /// How a slot holds the lowest bytes of a register as a word.
    fn as_word(&mut self, a: Register, word: WordKind) -> Register {
        self.computed(|to| match word {
            WordKind::I8 => Op::ToI8 { to, a },
            WordKind::U8 => Op::ToU8 { to, a },
            WordKind::I16 => Op::ToI16 { to, a },
            WordKind::U16 => Op::ToU16 { to, a },
            WordKind::I32 => Op::ToI32 { to, a },
            WordKind::U32 => Op::ToU32 { to, a },
            WordKind::Whole => Op::Offset {
                to,
                base: a,
                offset: 0,
            },
        })
    }

    pub fn stored(&mut self, place: Place, value: Register, word: WordKind) -> Option<()> {
        let address = self.address(place);
        let order = self.steps.len();
        let access = Access {
            address,
            value,
            word,
            order,
        };
        let new = Store { place, access };
        // What is stored over is not stored.
        let is_covered = |store: &Store| new.covers(store.place, store.access.word.bytes());
        self.stores.retain(|store| !is_covered(store));
        let (stores, bytes) = (&self.stores, word.bytes());
        if stores.iter().any(|store| place.meets(bytes, store)) {
            return None;
        }
        self.stores.push(new);
        Some(())
    }

    pub fn copy(&mut self, to: Slot, from: Slot, bytes: u32) -> Option<()> {
        let (to, from) = (self.read(to), self.read(from));
        for (offset, word) in words_of(bytes)? {
            let value = self.loaded(self.place(from, offset)?, word)?;
            self.stored(self.place(to, offset)?, value, word)?;
        }
        Some(())
    }

    pub fn zero(&mut self, to: Slot, bytes: u32) -> Option<()> {
        let (to, zero) = (self.read(to), self.constant(0));
        for (offset, word) in words_of(bytes)? {
            self.stored(self.place(to, offset)?, zero, word)?;
        }
        Some(())
    }
}

impl Store {
    /// Whether it stores all of these bytes.
    fn covers(&self, place: Place, bytes: u64) -> bool {
        let before = i64::from(place.offset) - i64::from(self.place.offset);
        let most = self.access.word.bytes() as i64 - bytes as i64;
        self.place.base == place.base && (0..=most).contains(&before)
    }
}

impl Place {
    /// Whether a store reaches some of these bytes, by the same base.
    fn meets(self, bytes: u64, store: &Store) -> bool {
        let before = i64::from(self.offset) - i64::from(store.place.offset);
        let reach = 1 - bytes as i64..store.access.word.bytes() as i64;
        self.base == store.place.base && reach.contains(&before)
    }
}

/// The words of an object, with their offsets: of 4 bytes, as most members are.
fn words_of(bytes: u32) -> Option<Vec<(i32, WordKind)>> {
    let kind = |at: u32| {
        if at + 4 <= bytes {
            WordKind::U32
        } else {
            WordKind::U8
        }
    };
    let mut words: Vec<(i32, WordKind)> = Vec::new();
    let mut at = 0;
    while at < bytes.min(MOST_COPIED_BYTES) {
        words.push((at as i32, kind(at)));
        at += kind(at).bytes() as u32;
    }
    (at == bytes).then_some(words)
}
