//! Stores that `nvcc` joins, and stores that it leaves out because others follow.
//!
//! As nvcc 13.0 does it for compute capability 9.0: neighbouring stores between two branches become
//! one of 16 bytes if they are all four words of aligned 16 bytes, or one of 8 if they are the first
//! or last two, whatever their order, where the last of them stands. Nothing that may read or write
//! those bytes may stand between them. A store to bytes that the next one overwrites unread is none.
//!
//! Every store is still carried out where the source has it, but counts nothing if it is joined to a
//! later one. Which stores follow is known from the first of two lowerings, as for loads.

use std::collections::{HashMap, HashSet};

use super::common_subexpressions::Reuse;
use super::vectorisation::{Joins, Key, word_mask};
use crate::compile::analysis::Region;
use crate::compile::analysis::Spot;
use crate::compile::lower::Located;
use crate::compile::lower::Lower;
use crate::cuda::{Place, Scalar, Type};
use crate::ir::Register;
use crate::memory::AccessKind;

/// Stores to aligned bytes, or one store, that nothing has met yet.
#[derive(Debug)]
pub(crate) struct OpenStore {
    spot: Spot,
    region: Region,
    /// The words of a group that are stored to; none of a single store.
    used: u32,
    /// The number of the group, or where the single store stands.
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Group(usize),
    Single(Key),
}

/// A store in a group: where it stands, its offset in the aligned bytes, its size, and the memory.
type Member = (Key, i64, u32, Region);

/// What to do with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// It counts nothing.
    Silent,
    /// Its value goes to a word of a joined store's registers.
    Joined {
        /// The number of the joined store.
        number: usize,
        word: u32,
        /// Of the last one: how far before it the joined store begins, and its size.
        last: Option<(i64, u32)>,
        /// Whether it stores to more than one variable: then it only counts.
        is_extra: bool,
    },
}

/// What the first lowering sees and the second does.
#[derive(Debug, Default)]
pub(crate) struct StoreJoins {
    groups: Vec<Vec<Member>>,
    overwritten: HashSet<Key>,
    plan: HashMap<Key, Plan>,
    /// Joined stores of the plan.
    joined: usize,
    /// The first register that holds what joined stores store.
    registers: Register,
}

impl StoreJoins {
    /// Whether nothing is to be done.
    pub fn is_empty(&self) -> bool {
        self.plan.is_empty()
    }

    /// What to do the second time.
    pub fn planned(&self) -> StoreJoins {
        let silent = self.overwritten.iter().map(|&key| (key, Plan::Silent));
        let mut planned = StoreJoins {
            plan: silent.collect(),
            ..StoreJoins::default()
        };
        for group in &self.groups {
            planned.plan_group(group);
        }
        planned
    }

    fn plan_group(&mut self, group: &[Member]) {
        let masks = group.iter().map(|store| word_mask(store.1, store.2));
        let used = masks.fold(0, |used, mask| used | mask);
        let pieces: &[(i64, u32)] = match used {
            0b1111 => &[(0, 16)],
            _ => &[(0, 8), (8, 8)],
        };
        for &(start, width_bytes) in pieces {
            let mask = word_mask(start, width_bytes);
            let end = start + i64::from(width_bytes);
            let parts = group.iter().filter(|store| (start..end).contains(&store.1));
            let parts: Vec<&Member> = parts.collect();
            if used & mask != mask || parts.len() < 2 {
                continue;
            }
            let is_extra = parts.iter().any(|store| store.3 != parts[0].3);
            for (at, &&(key, offset, ..)) in parts.iter().enumerate() {
                let is_last = at + 1 == parts.len();
                let plan = Plan::Joined {
                    number: self.joined,
                    word: ((offset - start) / 4) as u32,
                    last: is_last.then_some((offset - start, width_bytes)),
                    is_extra,
                };
                self.plan.insert(key, plan);
            }
            self.joined += 1;
        }
    }
}

/// Most stores that are kept in mind.
const MOST_OPEN: usize = 64;

/// Words of the registers of one joined store.
const JOINED_WORDS: u32 = 4;

impl Lower<'_> {
    /// Says what the load that comes next reads, if any store wants to know.
    pub fn reads(&mut self, place: &Place) {
        if !self.emitter.reuse.open_stores.is_empty() && self.place_is_simple(place) {
            self.emitter.reuse.loading = self.spot(place);
        }
    }

    /// Takes registers for what joined stores store.
    pub fn house_joined_stores(&mut self) {
        let words = self.joins.stores.joined as u32 * JOINED_WORDS;
        self.joins.stores.registers = self.emitter.registers(words);
    }

    /// Stores `register` to a place at `spot`, alone or together with others.
    pub fn store_spot(&mut self, place: &Place, at: Located, register: Register, spot: &Spot) {
        let key = self.joins.key(place);
        if self.joins.stores.is_empty() {
            self.note_store(place, spot, key);
        }
        match self.joins.stores.plan.get(&key).copied() {
            None => self.store(at, &place.ty, register, place.span),
            Some(Plan::Silent) => self.store_silently(place, at, register),
            Some(Plan::Joined {
                number,
                word,
                last,
                is_extra,
            }) => {
                let first = self.joins.stores.registers + number as Register * JOINED_WORDS as u16;
                let target = first + word as Register;
                self.settle(register, spot.size_bytes / 4, Some(target));
                if last.is_none() || is_extra {
                    self.store_silently(place, at, register);
                }
                let (Some((back_bytes, width_bytes)), Located::Memory(mut address)) = (last, at)
                else {
                    return;
                };
                address.offset_bytes -= back_bytes;
                let ty = Type::Vector(Scalar::U32, width_bytes / 4);
                let from = self.emitter.tables.sites.len();
                self.emitter.reuse.storing = Some(spot.clone());
                self.store(Located::Memory(address), &ty, first, place.span);
                self.emitter.tables.sites[from].is_extra = is_extra;
            }
        }
    }

    /// A store that counts nothing.
    pub fn store_silently(&mut self, place: &Place, at: Located, register: Register) {
        let from = self.emitter.tables.sites.len();
        self.store(at, &place.ty, register, place.span);
        self.silence(from, AccessKind::Store);
    }

    /// The accesses of one kind written since there were `from` sites count nothing.
    pub fn silence(&mut self, from: usize, kind: AccessKind) -> bool {
        let sites = self.emitter.tables.sites[from..].iter_mut();
        let mut found = false;
        for site in sites.filter(|site| site.kind == kind) {
            site.is_silent = true;
            found = true;
        }
        found
    }

    /// Keeps a store in mind for those that follow.
    fn note_store(&mut self, place: &Place, spot: &Spot, key: Key) {
        let region = self.region_of(place);
        if matches!(region, Region::Volatile | Region::Local) {
            return;
        }
        let Joins { stores, .. } = &mut self.joins;
        self.emitter.reuse.open_stores.retain(|open| {
            let What::Single(key) = open.what else {
                return true;
            };
            let is_same = open.spot.sum.from(&spot.sum) == Some(0);
            let overwrites = is_same && open.spot.size_bytes == spot.size_bytes;
            if overwrites {
                stores.overwritten.insert(key);
            }
            !overwrites
        });
        let single = OpenStore {
            spot: spot.clone(),
            region,
            used: 0,
            what: What::Single(key),
        };
        let open_stores = &mut self.emitter.reuse.open_stores;
        if open_stores.len() >= MOST_OPEN {
            open_stores.remove(0);
        }
        open_stores.push(single);
        if let Some((chunk, offset)) = self.chunk(place, spot) {
            self.join_store(chunk, (key, offset, spot.size_bytes, region));
        }
    }

    fn join_store(&mut self, chunk: Spot, member: Member) {
        let region = member.3;
        let mask = word_mask(member.1, member.2);
        let groups = &mut self.joins.stores.groups;
        let open_stores = &mut self.emitter.reuse.open_stores;
        let known = open_stores.iter_mut().find_map(|open| match open.what {
            What::Group(group) if open.spot.sum.from(&chunk.sum) == Some(0) => Some((open, group)),
            _ => None,
        });
        if let Some((open, group)) = known {
            if open.used & mask == 0 {
                open.used |= mask;
                groups[group].push(member);
                return;
            }
            // What is stored a second time begins anew.
            (open.used, open.what) = (mask, What::Group(groups.len()));
        } else {
            open_stores.push(OpenStore {
                spot: chunk,
                region,
                used: mask,
                what: What::Group(groups.len()),
            });
        }
        groups.push(vec![member]);
    }
}

impl Reuse {
    /// An access to `region`, at `spot` if that is known: what may meet it is open no longer.
    pub fn stores_meet(&mut self, region: Region, spot: Option<&Spot>, is_store: bool) {
        self.open_stores.retain(|open| {
            let may_meet = match open.region.is_shared() && region.is_shared() {
                // The assembler joins them, and knows of shared memory no variables.
                true => true,
                false => open.region.changes_with(region) || region.changes_with(open.region),
            };
            if !may_meet {
                return true;
            }
            spot.is_some_and(|spot| {
                let is_own = is_store && spot.within(&open.spot).is_some();
                is_own || open.spot.is_apart(spot)
            })
        });
    }
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
            .map(|site| (site.width_bytes, !site.is_silent))
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
