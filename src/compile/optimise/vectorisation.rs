//! Which loads are made together: planned from what the first of two lowerings sees, for the second.

use std::collections::{HashMap, HashSet};

use super::store_vectorisation::StoreJoins;
use crate::compile::analysis::Region;
use crate::compile::analysis::Sum;
use crate::cuda::Place;

/// Fewest components of bytes that are loaded as one word.
const FEWEST_NARROW: usize = 3;

/// Where an access stands: the number of its statement as they are lowered, and its place in it.
pub(crate) type Key = (u32, u32);

/// A load that stands for several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wide {
    /// How far before the load's own address it begins.
    pub back_bytes: i64,
    pub width_bytes: u32,
    /// Whether it reads what the source does not, or more than one variable: then it only counts,
    /// and the loads that it stands for are made beside it.
    pub is_extra: bool,
}

/// One of the loads in the same aligned bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub key: Key,
    /// Where in those bytes.
    pub offset: i64,
    pub size_bytes: u32,
    pub in_vector: bool,
    pub region: Region,
}

/// What the first lowering sees and the second does.
#[derive(Debug, Default)]
pub(crate) struct Joins {
    statement: u32,
    /// Loads in the same aligned bytes.
    pub groups: Vec<Vec<Member>>,
    pub plan: HashMap<Key, Wide>,
    /// Loads that another one counts for.
    pub silent: HashSet<Key>,
    /// Small vectors of narrow components: where each is, and which components are loaded where.
    pub narrow: Vec<(Sum, Vec<(Key, u32)>)>,
    /// Loads of a component that load the whole vector.
    pub whole: HashSet<Key>,
    pub stores: StoreJoins,
}

impl Joins {
    /// Another statement begins.
    pub fn next_statement(&mut self) {
        self.statement += 1;
    }

    /// What to do the second time; nothing if no loads are to be joined.
    pub fn planned(&self) -> Option<Joins> {
        let (mut plan, mut silent) = (HashMap::new(), HashSet::new());
        for group in &self.groups {
            plan_group(group, &mut plan, &mut silent);
        }
        let mut whole = HashSet::new();
        for (_, loads) in &self.narrow {
            let components: HashSet<u32> = loads.iter().map(|load| load.1).collect();
            if components.len() >= FEWEST_NARROW {
                whole.insert(loads[0].0);
            }
        }
        let stores = self.stores.planned();
        let is_needed = !plan.is_empty() || !whole.is_empty() || !stores.is_empty();
        is_needed.then_some(Joins {
            plan,
            silent,
            whole,
            stores,
            ..Joins::default()
        })
    }

    /// Where an access of the current statement stands.
    pub fn key(&self, place: &Place) -> Key {
        (self.statement, place.span.start)
    }
}

fn plan_group(group: &[Member], plan: &mut HashMap<Key, Wide>, silent: &mut HashSet<Key>) {
    let masks = group.iter().map(Member::mask);
    let used = masks.fold(0, |used, mask| used | mask);
    let pieces: &[(i64, u32)] = match used {
        0b1111 | 0b0111 | 0b1011 | 0b1101 | 0b1110 => &[(0, 16)],
        _ => &[(0, 8), (8, 8)],
    };
    for &(start, width_bytes) in pieces {
        let mask = word_mask(start, width_bytes);
        if width_bytes == 8 && used & mask != mask {
            continue;
        }
        let parts = group.iter().filter(|load| load.mask() & mask != 0);
        let Some(first) = parts.clone().next() else {
            continue;
        };
        if first.size_bytes >= width_bytes {
            continue;
        }
        let in_vector = parts.clone().all(|load| load.in_vector);
        let is_mixed = parts.clone().any(|load| load.region != first.region);
        let is_extra = is_mixed || (used & mask != mask && !in_vector);
        let wide = Wide {
            back_bytes: first.offset - start,
            width_bytes,
            is_extra,
        };
        plan.insert(first.key, wide);
        if is_extra {
            silent.extend(parts.map(|load| load.key));
        }
    }
}

impl Member {
    /// The words that it takes.
    pub fn mask(&self) -> u32 {
        word_mask(self.offset, self.size_bytes)
    }
}

/// The words of 16 bytes that so many bytes at `offset` take.
pub(crate) fn word_mask(offset: i64, size_bytes: u32) -> u32 {
    ((1 << (size_bytes / 4)) - 1) << (offset / 4)
}
