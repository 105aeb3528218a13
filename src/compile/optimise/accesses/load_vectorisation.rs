//! Load vectorisation: neighbouring loads become one of 8 or 16 bytes, where the first of them stands.
//!
//! ```text
//! __shared__ float s[64];
//! a = s[4 * i];                    {a, b, c, d} = load 16 bytes at s + 4 * i;
//! b = s[4 * i + 1];        →
//! c = s[4 * i + 2];
//! d = s[4 * i + 3];
//! ```
//!
//! As nvcc 13.0 does for compute capability 9.0: of aligned 16 bytes, all four words or any three become
//! one load of 16, the first or last two one of 8. Also, what is loaded is known by its address: two
//! loads are the same if their addresses are the same affine expression, however they are written.

use std::collections::{HashMap, HashSet};

use super::access_groups::{AccessKey, AlignedPart, GroupMember, Window, used_words, word_mask};
use super::partial_redundancy::KnownRange;
use crate::compile::analysis::{Affine, ByteRange, Region, RegisterRange, WatchedRegisters};
use crate::ir::Register;

/// Most values, and most loads that others may be joined to, that are known at once.
const MOST_KNOWN: usize = 1024;

/// Fewest components of bytes that are loaded as one word.
const FEWEST_NARROW: usize = 3;

/// A value in memory that a register holds.
#[derive(Clone, Debug)]
pub(crate) struct LoadedValue {
    /// Of what its address is a sum of: addresses at a known distance have equal ones.
    hash: u64,
    range: ByteRange,
    register: Register,
    region: Region,
    /// Open frames where it became known.
    depth: usize,
    origin: Origin,
}

/// Why a register holds what lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It was loaded from there.
    Load,
    /// It was stored there, or loaded on several ways.
    Other,
}

impl LoadedValue {
    pub fn known(&self) -> KnownRange {
        KnownRange {
            range: self.range.clone(),
            region: self.region,
        }
    }

    fn registers(&self) -> RegisterRange {
        RegisterRange::new(self.register, self.range.size_bytes.div_ceil(4))
    }
}

/// A load that others may be joined to.
#[derive(Debug)]
struct Candidate {
    /// Of its address, as that of a value.
    hash: u64,
    /// The aligned bytes that it lies in.
    window: ByteRange,
    /// Those of their words that may have changed since.
    changed: u32,
    region: Region,
    is_of_assembler: bool,
    depth: usize,
    /// The number of its group in [`ObservedLoads`].
    group: usize,
}

/// What was known before an `if` and is not any more.
#[derive(Debug)]
struct LostValues {
    /// Open frames around the `if`.
    depth: usize,
    values: Vec<LoadedValue>,
}

impl LostValues {
    fn add(&mut self, gone: LoadedValue) {
        if gone.depth <= self.depth {
            self.values.push(gone);
        }
    }
}

/// What is known of memory, at one point of the code.
#[derive(Debug, Default)]
pub(crate) struct KnownLoads {
    /// What was known first comes first, so what is known in inner frames comes last.
    values: Vec<LoadedValue>,
    watched: WatchedRegisters,
    /// The `if`s whose first side is being written, the innermost last.
    sides: Vec<LostValues>,
    /// In the same order.
    candidates: Vec<Candidate>,
    /// What the load being written reads, if that is known.
    pub reading: Option<ByteRange>,
    /// Whether the load being written is joined to one before, where it reads.
    pub joins_earlier: bool,
}

impl KnownLoads {
    /// The register that holds so many bytes at `address`.
    pub fn find(&self, address: &Affine, size_bytes: u32) -> Option<Register> {
        let mut known = self.known_at(address, size_bytes);
        known.next().map(|(register, _)| register)
    }

    /// Whether `register` holds so many bytes that were loaded from `address`.
    pub fn was_loaded(&self, register: Register, address: &Affine, size_bytes: u32) -> bool {
        let mut known = self.known_at(address, size_bytes);
        known.any(|known| known == (register, Origin::Load))
    }

    /// The registers that hold so many bytes at `address`.
    fn known_at(
        &self,
        address: &Affine,
        size_bytes: u32,
    ) -> impl Iterator<Item = (Register, Origin)> {
        let hash = address.hash_of_terms();
        // Hash and distance first: comparing sums of terms is what takes time.
        let is_near = move |loaded: &&LoadedValue| {
            let offset = address.constant.wrapping_sub(loaded.range.address.constant);
            loaded.hash == hash && (0..i64::from(loaded.range.size_bytes)).contains(&offset)
        };
        // The latest first: an older one with the same address was loaded before a store that changed it.
        let values = self.values.iter().rev().filter(is_near);
        values.filter_map(move |loaded| {
            let offset = address.distance(&loaded.range.address)?;
            let end = offset.checked_add(i64::from(size_bytes))?;
            let size = i64::from(loaded.range.size_bytes);
            // Within a value of 16 bytes, `x[i + 1]` is its second register. A part that begins between words is in
            // none.
            let fits = offset >= 0 && offset % 4 == 0 && end <= size;
            let register = loaded.register + (offset / 4) as Register;
            fits.then_some((register, loaded.origin))
        })
    }

    /// Remembers that `register` holds what memory holds at `range`.
    pub fn remember(
        &mut self,
        range: ByteRange,
        register: Register,
        region: Region,
        origin: Origin,
        depth: usize,
    ) {
        if self.values.len() >= MOST_KNOWN {
            // The oldest ones, many at once: each time costs a walk over all.
            let mut age = 0;
            self.retain(|_| {
                age += 1;
                age > MOST_KNOWN / 4
            });
        }
        self.add(LoadedValue {
            hash: range.address.hash_of_terms(),
            range,
            register,
            region,
            depth,
            origin,
        });
    }

    fn add(&mut self, value: LoadedValue) {
        self.watched.add(value.registers());
        self.values.push(value);
    }

    /// What has become known in at least `depth` open frames, with the registers that hold it.
    pub fn values_from(&self, depth: usize) -> Vec<LoadedValue> {
        self.inner_values(depth).cloned().collect()
    }

    /// Makes values known again, in `depth` open frames.
    pub fn know(&mut self, values: Vec<LoadedValue>, depth: usize) {
        for value in values {
            self.add(LoadedValue { depth, ..value });
        }
    }

    fn retain(&mut self, mut stays: impl FnMut(&LoadedValue) -> bool) {
        for gone in self.values.extract_if(.., |value| !stays(value)) {
            self.watched.remove(gone.registers());
            if let Some(side) = self.sides.last_mut() {
                side.add(gone);
            }
        }
    }

    /// The first side of an `if` begins, in so many open frames around the `if`.
    pub fn begin_side(&mut self, depth: usize) {
        let values = Vec::new();
        self.sides.push(LostValues { depth, values });
    }

    /// That side has ended: what was known before it and is not any more.
    pub fn end_side(&mut self) -> Vec<LoadedValue> {
        let ended = self.sides.pop().map_or_else(Vec::new, |side| side.values);
        if let Some(around) = self.sides.last_mut() {
            ended.iter().for_each(|gone| around.add(gone.clone()));
        }
        ended
    }

    /// Registers are written.
    pub fn wrote(&mut self, written: RegisterRange) {
        if self.watched.any(written) {
            // Only the value's own registers: `range` is a sum of values, not of registers, so it stays right when an
            // index that it was computed from is written.
            self.retain(|loaded| !loaded.registers().overlaps(written));
        }
    }

    /// Something in `region` may have changed: what lies at `stored`, if that is known.
    pub fn stored(&mut self, region: Region, stored: Option<&ByteRange>) {
        let is_apart = |range: &ByteRange| stored.is_some_and(|stored| range.is_disjoint(stored));
        self.retain(|loaded| !loaded.region.changes_with(region) || is_apart(&loaded.range));
        self.candidates.retain_mut(|candidate| {
            // The assembler joins scalars of shared memory, and only those that no store to it stands between.
            if candidate.is_of_assembler && region.is_shared() {
                return false;
            }
            if !candidate.region.changes_with(region) || is_apart(&candidate.window) {
                return true;
            }
            // Other members of the same struct stay as they are.
            let inside = stored.and_then(|stored| {
                let offset = stored.offset_in(&candidate.window)?;
                Some(word_mask(offset, stored.size_bytes))
            });
            candidate.changed |= inside.unwrap_or(0);
            inside.is_some()
        });
    }

    /// Other threads may have written.
    pub fn synchronized(&mut self) {
        self.retain(|loaded| !loaded.region.changes_at_barriers());
        self.candidates
            .retain(|candidate| !candidate.region.changes_at_barriers());
    }

    /// A basic block of machine code ends, in which scalars of shared memory are joined.
    pub fn end_machine_block(&mut self) {
        self.candidates
            .retain(|candidate| !candidate.is_of_assembler);
    }

    /// Only lanes of `depth` open frames go on.
    pub fn leave(&mut self, depth: usize) {
        if self.values.last().is_some_and(|value| value.depth > depth) {
            self.retain(|loaded| loaded.depth <= depth);
        }
        while self
            .candidates
            .last()
            .is_some_and(|candidate| candidate.depth > depth)
        {
            self.candidates.pop();
        }
    }

    /// What has become known in at least `depth` open frames.
    pub fn known_from(&self, depth: usize) -> Vec<KnownRange> {
        self.inner_values(depth).map(LoadedValue::known).collect()
    }

    fn inner_values(&self, depth: usize) -> impl Iterator<Item = &LoadedValue> {
        let values = self.values.iter();
        values.filter(move |value| value.depth >= depth)
    }

    /// The registers that hold known values.
    pub fn registers(&self) -> impl Iterator<Item = RegisterRange> {
        self.values.iter().map(LoadedValue::registers)
    }

    /// Observes a load that later ones may be joined to, or that is joined to one before.
    pub fn observe(
        &mut self,
        observed: &mut ObservedLoads,
        window: Window,
        load: GroupMember,
        depth: usize,
    ) {
        let mask = load.mask();
        let hash = window.range.address.hash_of_terms();
        let earlier = self.candidates.iter().find(|candidate| {
            let is_near = candidate.window.address.constant == window.range.address.constant;
            let may_be = is_near && candidate.hash == hash && candidate.changed & mask == 0;
            may_be && candidate.window.begins_with(&window.range)
        });
        if let Some(earlier) = earlier {
            observed.groups[earlier.group].push(load);
            self.joins_earlier = true;
            return;
        }
        // As values: a quarter at once, so that a long unrolled body does not move the list for each load.
        if self.candidates.len() >= MOST_KNOWN {
            self.candidates.drain(..MOST_KNOWN / 4);
        }
        self.candidates.push(Candidate {
            hash,
            window: window.range,
            changed: 0,
            region: load.region,
            is_of_assembler: load.is_of_assembler,
            depth,
            group: observed.groups.len(),
        });
        observed.groups.push(vec![load]);
    }
}

/// A load of one component of a small vector.
#[derive(Clone, Copy, Debug)]
struct ComponentLoad {
    key: AccessKey,
    component: u32,
}

/// The loads of a component of one small vector.
#[derive(Debug)]
struct VectorLoads {
    address: Affine,
    loads: Vec<ComponentLoad>,
}

/// The loads that the first lowering sees.
#[derive(Debug, Default)]
pub(crate) struct ObservedLoads {
    /// Loads in the same aligned bytes.
    groups: Vec<Vec<GroupMember>>,
    /// Small vectors of narrow components: `uchar4` and the like.
    vectors: Vec<VectorLoads>,
    /// Their places in that list, by what their addresses are sums of.
    vectors_at: HashMap<u64, Vec<usize>>,
}

impl ObservedLoads {
    /// A component of the small vector at `address` is loaded.
    pub fn observe_component(&mut self, address: Affine, key: AccessKey, component: u32) {
        let load = ComponentLoad { key, component };
        let near = self.vectors_at.entry(address.hash_of_terms()).or_default();
        // A hash of the terms leaves the constants open: `v[i]` and `v[i + 1]` have the same one, and are not at
        // distance 0.
        let is_it = |at: &&usize| self.vectors[**at].address.distance(&address) == Some(0);
        // The latest ones: a loop over bytes loads one vector after the other.
        let known = near.iter().rev().take(MOST_KNOWN).find(is_it).copied();
        if let Some(at) = known {
            self.vectors[at].loads.push(load);
            return;
        }
        near.push(self.vectors.len());
        self.vectors.push(VectorLoads {
            address,
            loads: vec![load],
        });
    }

    /// What to do with them.
    pub fn plan(&self) -> LoadPlan {
        let mut plan = LoadPlan::default();
        for group in &self.groups {
            plan.join(group);
        }
        for VectorLoads { loads, .. } in &self.vectors {
            let components: HashSet<u32> = loads.iter().map(|load| load.component).collect();
            // Fewer are loaded byte by byte.
            if components.len() >= FEWEST_NARROW {
                // The first one loads the whole vector; the others find their component in its registers.
                plan.whole_vectors.insert(loads[0].key);
            }
        }
        plan
    }
}

/// A load that stands for several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WideLoad {
    /// How far before the load's own address it begins.
    pub back_bytes: i64,
    pub width_bytes: u32,
    /// Whether it reads what the source does not, or more than one variable: then it only counts,
    /// and the loads that it stands for are made beside it.
    pub is_extra: bool,
}

/// What the second lowering does with loads.
#[derive(Debug, Default)]
pub(crate) struct LoadPlan {
    pub wide: HashMap<AccessKey, WideLoad>,
    /// Loads that another one counts for.
    pub silent: HashSet<AccessKey>,
    /// Loads of a component that load the whole vector.
    pub whole_vectors: HashSet<AccessKey>,
}

impl LoadPlan {
    /// Whether nothing is to be done.
    pub fn is_empty(&self) -> bool {
        // `silent` has nothing but parts of what `wide` has.
        self.wide.is_empty() && self.whole_vectors.is_empty()
    }

    /// Joins the loads of a group where that pays.
    fn join(&mut self, group: &[GroupMember]) {
        let used = used_words(group);
        // Any three words of four: one load of 16 bytes reads one for nothing.
        let pieces = if used.count_ones() >= 3 {
            AlignedPart::ALL
        } else {
            AlignedPart::HALVES
        };
        for piece in pieces {
            let mask = piece.mask();
            let is_whole = used & mask == mask;
            // Half of 8 bytes is a load of 4, which is what the source has.
            if piece.width_bytes == 8 && !is_whole {
                continue;
            }
            let parts = group.iter().filter(|load| load.mask() & mask != 0);
            let Some(first) = parts.clone().next() else {
                continue;
            };
            // The source has it that wide already.
            if first.size_bytes >= piece.width_bytes {
                continue;
            }
            let in_aggregate = parts.clone().all(|load| load.in_aggregate);
            let is_mixed = parts.clone().any(|load| load.region != first.region);
            // In a vector or struct the word in between is its own; else it may be another variable's, which
            // checks must not see read.
            let is_extra = is_mixed || (!is_whole && !in_aggregate);
            let wide = WideLoad {
                back_bytes: first.offset - piece.start,
                width_bytes: piece.width_bytes,
                is_extra,
            };
            self.wide.insert(first.key, wide);
            if is_extra {
                self.silent.extend(parts.map(|load| load.key));
            }
        }
    }
}
