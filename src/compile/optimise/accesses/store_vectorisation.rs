//! Store vectorisation: neighbouring stores become one of 8 or 16 bytes, where the last of them stands;
//! and dead stores: one that the next overwrites unread is none.
//!
//! ```text
//! q[i].y = b;
//! q[i].x = a;              →       store 8 bytes {a, b} at q + i;
//! ```
//!
//! As nvcc 13.0 does it for compute capability 9.0: between two branches, all four words of aligned 16
//! bytes become one store of 16, the first or last two one of 8, whatever their order. Nothing that may
//! read or write those bytes may stand between them.
//!
//! Every store is still carried out where the source has it, but counts nothing if it is joined to a
//! later one.

use std::collections::{HashMap, HashSet};

use super::access_groups::{AccessKey, AlignedPart, GroupMember, Window, used_words};
use crate::compile::analysis::{ByteRange, Region};
use crate::ir::Register;

/// Most stores that are observed at once.
const MOST_OPEN: usize = 64;

/// Words of the registers of one joined store.
pub(crate) const JOINED_WORDS: u32 = 4;

/// Stores to aligned bytes, or one store, that nothing has touched yet.
#[derive(Debug)]
struct OpenStore {
    range: ByteRange,
    region: Region,
    what: OpenKind,
}

impl OpenStore {
    /// Whether it is of a group that the assembler, not LLVM, joins.
    fn is_of_assembler(&self) -> bool {
        matches!(
            self.what,
            OpenKind::Group {
                is_of_assembler: true,
                ..
            }
        )
    }
}

#[derive(Clone, Copy, Debug)]
enum OpenKind {
    /// Stores to the words `used` of aligned bytes, and the number of their group in
    /// [`ObservedStores`].
    Group {
        group: usize,
        used: u32,
        is_of_assembler: bool,
    },
    /// One store.
    Single(AccessKey),
}

/// The stores that later ones may still be joined to, or make needless, at one point of the code.
#[derive(Debug, Default)]
pub(crate) struct OpenStores {
    open: Vec<OpenStore>,
    /// What the store being written goes to, if that is known.
    pub writing: Option<ByteRange>,
}

impl OpenStores {
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Nothing can be joined from here on.
    pub fn clear(&mut self) {
        self.open.clear();
    }

    /// A basic block of machine code ends, in which scalars of shared memory are joined.
    pub fn end_machine_block(&mut self) {
        self.open.retain(|open| !open.is_of_assembler());
    }

    /// An access to `region`, at `range` if that is known: what may alias it is open no longer.
    pub fn accessed(&mut self, region: Region, range: Option<&ByteRange>, is_store: bool) {
        self.open.retain(|open| {
            // The assembler joins scalars of shared memory, whatever variables they are of, and only those that no
            // other access to it stands between.
            let is_between = open.is_of_assembler() && region.is_shared();
            let may_alias =
                is_between || open.region.changes_with(region) || region.changes_with(open.region);
            !may_alias
                || range.is_some_and(|range| {
                    // A store into the bytes that are waited for fills them; a load there needs what was stored so
                    // far.
                    let is_own = is_store && range.offset_in(&open.range).is_some();
                    is_own || !is_between && open.range.is_disjoint(range)
                })
        });
    }

    /// Observes a store: the one before to the same bytes is dead, later ones may be joined to it.
    pub fn observe(
        &mut self,
        observed: &mut ObservedStores,
        range: &ByteRange,
        window: Option<Window>,
        store: GroupMember,
    ) {
        self.open.retain(|open| match open.what {
            OpenKind::Single(key) if open.range.is_same(range) => {
                observed.dead.insert(key);
                false
            }
            _ => true,
        });
        // Straight code of unrolled loops would otherwise take quadratic time.
        if self.open.len() >= MOST_OPEN {
            // The oldest: neighbouring stores mostly stand close together.
            self.open.remove(0);
        }
        self.open.push(OpenStore {
            range: range.clone(),
            region: store.region,
            what: OpenKind::Single(store.key),
        });
        if let Some(Window { range, offset }) = window {
            self.join(observed, range, GroupMember { offset, ..store });
        }
    }

    fn join(&mut self, observed: &mut ObservedStores, window: ByteRange, store: GroupMember) {
        let mask = store.mask();
        let groups = &mut observed.groups;
        let new = OpenKind::Group {
            group: groups.len(),
            used: mask,
            is_of_assembler: store.is_of_assembler,
        };
        let known = self.open.iter_mut().find(|open| {
            matches!(open.what, OpenKind::Group { .. }) && open.range.begins_with(&window)
        });
        match known.map(|open| &mut open.what) {
            Some(OpenKind::Group { group, used, .. }) if *used & mask == 0 => {
                *used |= mask;
                groups[*group].push(store);
                return;
            }
            // What is stored a second time begins anew.
            Some(what) => *what = new,
            None => self.open.push(OpenStore {
                range: window,
                region: store.region,
                what: new,
            }),
        }
        groups.push(vec![store]);
    }
}

/// The stores that the first lowering sees.
#[derive(Debug, Default)]
pub(crate) struct ObservedStores {
    groups: Vec<Vec<GroupMember>>,
    /// Stores that the next overwrites unread.
    dead: HashSet<AccessKey>,
}

impl ObservedStores {
    /// What to do with them.
    pub fn plan(&self) -> StorePlan {
        let dead = self.dead.iter().map(|&key| (key, PlannedStore::Silent));
        let mut plan = StorePlan {
            // What is dead counts nothing, unless it is part of a joined store, which is put over it below.
            stores: dead.collect(),
            ..StorePlan::default()
        };
        for group in &self.groups {
            plan.join(group);
        }
        plan
    }
}

/// What to do with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlannedStore {
    /// It counts nothing.
    Silent,
    /// Its value goes to a word of a joined store's registers.
    Joined(JoinedStore),
}

/// A store that is part of a joined one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JoinedStore {
    /// The number of the joined store.
    number: usize,
    word: u32,
    /// Of the last one, which stores for all: the joined store.
    pub whole: Option<WideStore>,
    /// Whether it stores to more than one variable: then it only counts.
    pub is_extra: bool,
}

/// A store that stands for several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WideStore {
    /// How far before the last store's own address it begins.
    pub back_bytes: i64,
    pub width_bytes: u32,
}

/// What the second lowering does with stores.
#[derive(Debug, Default)]
pub(crate) struct StorePlan {
    stores: HashMap<AccessKey, PlannedStore>,
    /// Joined stores.
    joined: usize,
    /// The first register that holds what joined stores store.
    pub registers: Register,
}

impl StorePlan {
    /// Whether nothing is to be done.
    pub fn is_empty(&self) -> bool {
        self.stores.is_empty()
    }

    /// What to do with a store.
    pub fn store(&self, key: AccessKey) -> Option<PlannedStore> {
        self.stores.get(&key).copied()
    }

    /// Registers that joined stores need.
    pub fn words(&self) -> u32 {
        self.joined as u32 * JOINED_WORDS
    }

    /// The registers of a joined store: its first, and that of one of its parts.
    pub fn registers_of(&self, store: JoinedStore) -> JoinedRegisters {
        let first = self.registers + store.number as Register * JOINED_WORDS as Register;
        JoinedRegisters {
            first,
            part: first + store.word as Register,
        }
    }

    /// Joins the stores of a group where they fill 8 or 16 bytes.
    fn join(&mut self, group: &[GroupMember]) {
        let used = used_words(group);
        // Three words are two stores: there is none of 12 bytes.
        let pieces = if used == 0b1111 {
            AlignedPart::ALL
        } else {
            AlignedPart::HALVES
        };
        for piece in pieces {
            let bytes = piece.start..piece.start + i64::from(piece.width_bytes);
            let parts = group.iter().filter(|store| bytes.contains(&store.offset));
            let parts: Vec<&GroupMember> = parts.collect();
            // Unlike a load, a store must not write what the source does not.
            // A single store that is as wide as the piece already is nothing to join.
            if used & piece.mask() != piece.mask() || parts.len() < 2 {
                continue;
            }
            let is_extra = parts.iter().any(|store| store.region != parts[0].region);
            for (at, store) in parts.iter().enumerate() {
                let back_bytes = store.offset - piece.start;
                let is_last = at + 1 == parts.len();
                let joined = JoinedStore {
                    // Each joined store has registers of its own: two may be open at the same time.
                    number: self.joined,
                    word: (back_bytes / 4) as u32,
                    whole: is_last.then_some(WideStore {
                        back_bytes,
                        width_bytes: piece.width_bytes,
                    }),
                    is_extra,
                };
                self.stores.insert(store.key, PlannedStore::Joined(joined));
            }
            self.joined += 1;
        }
    }
}

/// Where a joined store and one of its parts have their values.
pub(crate) struct JoinedRegisters {
    pub first: Register,
    pub part: Register,
}

#[cfg(test)]
mod tests {
    use crate::compile::compile;
    use crate::memory::AccessKind;
    use crate::source::SourceFile;

    /// The stores of a kernel with this body: how many bytes, and whether they count.
    fn stores(body: &str) -> Vec<(u32, bool)> {
        let text = format!(
            "__global__ void k(const float* __restrict__ x, float4* q, float* y) {{ int i = threadIdx.x; float a = x[i];\n{body}\n}}"
        );
        let compiled = compile(&SourceFile::new("k.cu", &text), &[]);
        assert_eq!(compiled.diagnostics, []);
        let sites = compiled.kernels[0].sites.iter();
        let stores = sites.filter(|site| site.kind == AccessKind::Store);
        stores
            .map(|site| (site.width_bytes, !site.is_silent()))
            .collect()
    }

    #[test]
    fn the_last_store_of_aligned_words_counts_for_all() {
        assert_eq!(
            stores("q[i].y = a; q[i].x = 2 * a;"),
            [(4, false), (8, true)]
        );
        assert_eq!(
            stores("q[i].y = a; q[i].z = 2 * a;"),
            [(4, true), (4, true)]
        );
        assert_eq!(
            stores("q[i].x = a; q[i].y = a; q[i].z = a;"),
            [(4, false), (8, true), (4, true)]
        );
    }

    #[test]
    fn what_may_be_read_or_overwritten_in_between_keeps_stores_apart() {
        assert_eq!(stores("q[i].x = a; q[i].y = y[i];"), [(4, true), (4, true)]);
        assert_eq!(
            stores("q[i].x = a; y[i] = a; q[i].y = a;"),
            [(4, true), (4, true), (4, true)]
        );
        assert_eq!(
            stores("q[i].x = a; __syncthreads(); q[i].y = a;"),
            [(4, true), (4, true)]
        );
        assert_eq!(
            stores("q[i].x = a; if (a > 0) q[i].y = a;"),
            [(4, true), (4, true)]
        );
    }

    #[test]
    fn a_store_that_the_next_overwrites_unread_counts_nothing() {
        assert_eq!(stores("y[i] = a; y[i] = 2 * a;"), [(4, false), (4, true)]);
        assert_eq!(stores("y[i] = a; y[i] = q[i].x;"), [(4, true), (4, true)]);
    }
}
