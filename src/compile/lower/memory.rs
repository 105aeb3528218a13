//! Loads and stores as `nvcc` makes them: what is known is not loaded again, and neighbours are joined
//! where the plan says so.
//!
//! Whatever is joined, each access of the source is still made where it stands, so that values are there
//! when they are looked at; those that another one counts for are silent.

use super::lowering::Lower;
use super::place::Located;
use crate::compile::analysis::{ByteRange, Region, offset_in_aggregate, register_bytes};
use crate::compile::optimise::{
    AccessKey, GroupMember, JoinedStore, PlannedStore, WideLoad, window,
};
use crate::compile::tree::words;
use crate::cuda::{Expr, ExprKind, Place, PlaceKind, Scalar, Type};
use crate::ir::{AccessRole, Register};
use crate::memory::AccessKind;

/// Loads.
impl Lower<'_> {
    /// The bytes of a place that takes as many in registers as in memory.
    pub fn byte_range(&mut self, place: &Place) -> Option<ByteRange> {
        let facts = &mut self.emitter.facts;
        facts.evaluator(&self.context).byte_range(place)
    }

    /// The address of a place in memory, as an affine expression.
    fn range_of(&mut self, place: &Place, size_bytes: u32) -> Option<ByteRange> {
        let facts = &mut self.emitter.facts;
        let address = facts.evaluator(&self.context).address(place)?;
        Some(ByteRange::of(place, address, size_bytes))
    }

    /// A value in memory whose address is the same as that of one already loaded, or that is loaded
    /// together with its neighbours.
    pub fn known_load(&mut self, place: &Place) -> Option<Register> {
        if !self.optimises() {
            return None;
        }
        let Some(size_bytes) = register_bytes(&place.ty) else {
            return self.known_component(place);
        };
        // A variable in a register is no load; a volatile one is made each time.
        if self.context.is_in_register(place) || self.context.region_of(place) == Region::Volatile {
            return None;
        }
        let range = self.range_of(place, size_bytes)?;
        let known = self.emitter.facts.loads.find(&range.address, size_bytes);
        // A silent value is loaded alone: where it counts, it may be joined.
        if known.is_some() || self.emitter.facts.is_silent {
            return known;
        }
        let key = self.observed.key(place);
        let wide = self.plan.loads.wide.get(&key).copied();
        if let Some(wide) = wide {
            self.load_wide(place, &range, wide);
        }
        if self.plan.loads.silent.contains(&key) {
            return Some(self.load_silently(place, range));
        }
        if wide.is_some() {
            return self.emitter.facts.loads.find(&range.address, size_bytes);
        }
        self.observe_load(place, &range, key);
        None
    }

    /// Notes a load that later ones may be joined to, or that is joined to one before.
    fn observe_load(&mut self, place: &Place, range: &ByteRange, key: AccessKey) {
        let facts = &mut self.emitter.facts;
        let Some(window) = window(&facts.affine, place, range) else {
            return;
        };
        let load = GroupMember {
            key,
            offset: window.offset,
            size_bytes: range.size_bytes,
            in_aggregate: offset_in_aggregate(place).is_some(),
            region: self.context.region_of(place),
        };
        facts
            .loads
            .observe(&mut self.observed.loads, window, load, facts.depth);
    }

    /// Whether a register holds what lies at a place in memory.
    pub fn is_known(&mut self, place: &Place) -> bool {
        self.byte_range(place).is_some_and(|range| {
            let loads = &self.emitter.facts.loads;
            loads.find(&range.address, range.size_bytes).is_some()
        })
    }

    /// A component of a vector that is loaded whole, because more of it is needed.
    fn known_component(&mut self, place: &Place) -> Option<Register> {
        let PlaceKind::Component(base, component) = &place.kind else {
            return None;
        };
        let is_word = matches!(base.ty, Type::Vector(_, 4)) && base.ty.size_bytes() == 4;
        let is_plain =
            self.context.is_simple_place(base) && self.context.region_of(place) != Region::Volatile;
        if !is_word || !is_plain || self.context.is_in_register(place) {
            return None;
        }
        let key = self.observed.key(place);
        if !self.plan.loads.whole_vectors.contains(&key) {
            let facts = &mut self.emitter.facts;
            let address = facts.evaluator(&self.context).address(base)?;
            let observed = &mut self.observed.loads;
            observed.observe_component(address, key, *component);
            return None;
        }
        let at = self.locate(base);
        let first = self.load(at, &base.ty, place.span, None);
        // The other three are found by their expressions: bytes have no registers of their own.
        for other in 0..4 {
            let mut place = place.clone();
            place.kind = PlaceKind::Component(base.clone(), other);
            let (ty, span) = (place.ty.clone(), place.span);
            let kind = ExprKind::Load(place);
            self.remember(&Expr { kind, ty, span }, first + other as Register);
        }
        Some(first + *component as Register)
    }

    /// A load that another one counts for.
    fn load_silently(&mut self, place: &Place, range: ByteRange) -> Register {
        let at = self.locate(place);
        // A load of several parts has several sites: all from here on.
        let from = self.emitter.tables.sites.len();
        let register = self.load(at, &place.ty, place.span, None);
        self.emitter.tables.silence(from, AccessKind::Load);
        let region = self.context.region_of(place);
        self.emitter.facts.remember_bytes(range, register, region);
        register
    }

    /// A load that stands for several: what it gives is known of each of them.
    fn load_wide(&mut self, place: &Place, range: &ByteRange, wide: WideLoad) {
        let Located::Memory(mut address) = self.locate(place) else {
            return;
        };
        // The first load in the text need not be the first in memory: `s[1] + s[0]`.
        address.offset_bytes -= wide.back_bytes;
        let words = wide.width_bytes / 4;
        let register = self.emitter.registers.take(words);
        let ty = Type::Vector(Scalar::U32, words);
        let from = self.emitter.tables.sites.len();
        self.load(Located::Memory(address), &ty, place.span, Some(register));
        if wide.is_extra {
            self.emitter.tables.sites[from].role = AccessRole::Extra;
            return;
        }
        let whole = range.moved(-wide.back_bytes, wide.width_bytes);
        let facts = &mut self.emitter.facts;
        facts.remember_bytes(whole.clone(), register, address.region);
        // Each word too: a store to one of them leaves the others known.
        for word in 0..words {
            let part = whole.moved(i64::from(word) * 4, 4);
            facts.remember_bytes(part, register + word as Register, address.region);
        }
    }

    /// Says what the load that comes next reads, if any store wants to know.
    pub fn about_to_read(&mut self, place: &Place) {
        // Only stores that wait to be joined ask what is read between them.
        if !self.emitter.facts.stores.is_empty() && self.context.is_simple_place(place) {
            self.emitter.facts.loads.reading = self.byte_range(place);
        }
    }
}

/// Stores.
impl Lower<'_> {
    /// Stores to a place, which lies `at`, and remembers what it holds now.
    pub fn store_to(&mut self, place: &Place, at: Located, register: Register) {
        let range = match at {
            // A place with effects of its own, as `x[i++]`, is evaluated once: its address must not be asked for
            // again.
            Located::Memory(_) if self.context.is_simple_place(place) => {
                self.range_of(place, place.ty.size_bytes())
            }
            _ => None,
        };
        let Some(range) = range else {
            self.store(at, &place.ty, register, place.span);
            return;
        };
        self.emitter.facts.stores.writing = Some(range.clone());
        // Loops lie in each other: the innermost that keeps the place is meant.
        let mut promoted = self.promoted.iter().rev();
        let promoted = promoted.find(|promoted| promoted.range.is_same(&range));
        let promoted = promoted.map(|promoted| (promoted.register, promoted.stores_once));
        let register = match promoted {
            // Later iterations read it from there.
            Some((promoted_register, _)) => {
                self.copy_to(register, words(&place.ty), Some(promoted_register))
            }
            None => register,
        };
        let is_word = register_bytes(&place.ty).is_some_and(|bytes| matches!(bytes, 4 | 8));
        match promoted {
            Some((_, true)) => self.store_silently(place, at, register),
            _ if is_word => self.store_word(place, at, register, &range),
            _ => self.store(at, &place.ty, register, place.span),
        }
        self.emitter.facts.stores.writing = None;
        let facts = &mut self.emitter.facts;
        facts.remember_place(&self.context, place, register);
    }

    /// Stores 4 or 8 bytes, alone or together with others.
    fn store_word(&mut self, place: &Place, at: Located, register: Register, range: &ByteRange) {
        let key = self.observed.key(place);
        // In the second lowering there is nothing left to plan.
        if self.plan.stores.is_empty() {
            self.observe_store(place, range, key);
        }
        match self.plan.stores.store(key) {
            None => self.store(at, &place.ty, register, place.span),
            Some(PlannedStore::Silent) => self.store_silently(place, at, register),
            Some(PlannedStore::Joined(joined)) => {
                self.store_joined(place, at, register, joined, range);
            }
        }
    }

    /// Notes a store that later ones may be joined to, or make needless.
    fn observe_store(&mut self, place: &Place, range: &ByteRange, key: AccessKey) {
        let region = self.context.region_of(place);
        if matches!(region, Region::Volatile | Region::Local) {
            return;
        }
        let facts = &mut self.emitter.facts;
        let window = window(&facts.affine, place, range);
        let store = GroupMember {
            key,
            offset: 0,
            size_bytes: range.size_bytes,
            in_aggregate: offset_in_aggregate(place).is_some(),
            region,
        };
        facts
            .stores
            .observe(&mut self.observed.stores, range, window, store);
    }

    /// A store that is part of a joined one, which the last part makes.
    fn store_joined(
        &mut self,
        place: &Place,
        at: Located,
        register: Register,
        joined: JoinedStore,
        range: &ByteRange,
    ) {
        let registers = self.plan.stores.registers_of(joined);
        self.copy_to(register, range.size_bytes / 4, Some(registers.part));
        // Its bytes are in memory where the source has it stored, though the joined store counts for it.
        if joined.whole.is_none() || joined.is_extra {
            self.store_silently(place, at, register);
        }
        let (Some(whole), Located::Memory(mut address)) = (joined.whole, at) else {
            return;
        };
        address.offset_bytes -= whole.back_bytes;
        let ty = Type::Vector(Scalar::U32, whole.width_bytes / 4);
        let from = self.emitter.tables.sites.len();
        // The silent store before has taken it.
        self.emitter.facts.stores.writing = Some(range.clone());
        let at = Located::Memory(address);
        self.store(at, &ty, registers.first, place.span);
        if joined.is_extra {
            self.emitter.tables.sites[from].role = AccessRole::Extra;
        }
    }

    /// A store that counts nothing.
    fn store_silently(&mut self, place: &Place, at: Located, register: Register) {
        let from = self.emitter.tables.sites.len();
        self.store(at, &place.ty, register, place.span);
        self.emitter.tables.silence(from, AccessKind::Store);
    }
}
