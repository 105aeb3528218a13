//! Loads that give what is known already, and neighbouring ones that `nvcc` joins.
//!
//! Two loads are the same if their addresses are the same sum, however they are written. Loads whose
//! addresses lie in the same aligned 16 bytes are joined where the first of them stands, as nvcc 13.0
//! does for compute capability 9.0: all four words or any three to one load of 16 bytes, the
//! first or last two to one of 8. To know which loads follow, a kernel is lowered twice: the first
//! time only to see.

use super::vectorisation::{Key, Member, Wide, word_mask};
use crate::compile::analysis::Region;
use crate::compile::analysis::Sum;
use crate::compile::analysis::{Spot, spot};
use crate::compile::lower::Located;
use crate::compile::lower::{Lower, words};
use crate::cuda::{Expr, ExprKind, Place, PlaceKind, Scalar, Type};
use crate::ir::Register;
use crate::memory::AccessKind;

/// Bytes that one load can give a lane.
const CHUNK_BYTES: i64 = 16;

/// A value in memory that a register holds.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub spot: Spot,
    pub register: Register,
    pub region: Region,
    /// Open frames where it became known.
    pub depth: usize,
}

/// A load that others may be joined to.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The aligned bytes that it lies in.
    chunk: Spot,
    /// Those of their words that may have changed since.
    changed: u32,
    region: Region,
    depth: usize,
    group: usize,
}

impl Lower<'_> {
    /// A value in memory whose address is the same as that of one already loaded, or that is loaded
    /// together with its neighbours.
    pub fn known_load(&mut self, place: &Place) -> Option<Register> {
        if self.as_written {
            return None;
        }
        let Some(size_bytes) = word_bytes(&place.ty) else {
            return self.known_component(place);
        };
        if self.is_in_register(place) || self.region_of(place) == Region::Volatile {
            return None;
        }
        let sum = self.sum_of_place(place)?;
        if let Some(register) = self.emitter.reuse.find_loaded(&sum, size_bytes) {
            return Some(register);
        }
        if self.emitter.reuse.is_silent {
            return None;
        }
        let key = self.joins.key(place);
        let spot = spot(place, sum, size_bytes);
        if let Some(&wide) = self.joins.plan.get(&key) {
            self.load_wide(place, &spot, wide);
        }
        if self.joins.silent.contains(&key) {
            let at = self.locate(place);
            let from = self.emitter.tables.sites.len();
            let register = self.load(at, &place.ty, place.span, None);
            self.silence(from, AccessKind::Load);
            let region = self.region_of(place);
            self.note_loaded(spot, register, region);
            return Some(register);
        }
        if self.joins.plan.contains_key(&key) {
            return self.emitter.reuse.find_loaded(&spot.sum, size_bytes);
        }
        self.see(place, spot, key);
        None
    }

    /// Whether a register holds what lies at a place in memory.
    pub fn is_known(&mut self, place: &Place) -> bool {
        let spot = self.spot(place);
        spot.is_some_and(|spot| {
            let reuse = &self.emitter.reuse;
            reuse.find_loaded(&spot.sum, spot.size_bytes).is_some()
        })
    }

    /// A component of a vector that is loaded whole, because more of it is needed.
    fn known_component(&mut self, place: &Place) -> Option<Register> {
        let PlaceKind::Component(base, component) = &place.kind else {
            return None;
        };
        let is_word = matches!(base.ty, Type::Vector(_, 4)) && base.ty.size_bytes() == 4;
        let is_plain = self.place_is_simple(base) && self.region_of(place) != Region::Volatile;
        if !is_word || !is_plain || self.is_in_register(place) {
            return None;
        }
        let key = self.joins.key(place);
        if !self.joins.whole.contains(&key) {
            let sum = self.sum_of_place(base)?;
            let narrow = &mut self.joins.narrow;
            match narrow
                .iter()
                .position(|(known, _)| known.from(&sum) == Some(0))
            {
                Some(at) => narrow[at].1.push((key, *component)),
                None => narrow.push((sum, vec![(key, *component)])),
            }
            return None;
        }
        let at = self.locate(base);
        let first = self.load(at, &base.ty, place.span, None);
        for other in 0..4 {
            let mut place = place.clone();
            place.kind = PlaceKind::Component(base.clone(), other);
            let (ty, span) = (place.ty.clone(), place.span);
            let kind = ExprKind::Load(place);
            self.remember(&Expr { kind, ty, span }, first + other as Register);
        }
        Some(first + *component as Register)
    }

    fn load_wide(&mut self, place: &Place, spot: &Spot, wide: Wide) {
        let Located::Memory(mut address) = self.locate(place) else {
            return;
        };
        address.offset_bytes -= wide.back_bytes;
        let words = wide.width_bytes / 4;
        let register = self.emitter.registers(words);
        let ty = Type::Vector(Scalar::U32, words);
        let at = Located::Memory(address);
        let from = self.emitter.tables.sites.len();
        self.load(at, &ty, place.span, Some(register));
        if wide.is_extra {
            self.emitter.tables.sites[from].is_extra = true;
            return;
        }
        let first = spot.moved(-wide.back_bytes, wide.width_bytes);
        self.note_loaded(first.clone(), register, address.region);
        for word in 0..words {
            let part = first.moved(i64::from(word) * 4, 4);
            self.note_loaded(part, register + word as Register, address.region);
        }
    }

    /// Keeps in mind that `register` holds what memory holds at `spot`.
    pub fn note_loaded(&mut self, spot: Spot, register: Register, region: Region) {
        let depth = self.emitter.depth();
        let reuse = &mut self.emitter.reuse;
        if !reuse.is_silent {
            reuse.loaded.push(Loaded {
                spot,
                register,
                region,
                depth,
            });
        }
    }

    /// Keeps in mind that `register` holds the value of `expr`, if that lies in memory.
    pub fn remember_load(&mut self, expr: &Expr, register: Register) {
        if let ExprKind::Load(place) = &expr.kind {
            self.remember_place(place, register);
        }
    }

    /// Keeps in mind that `register` holds what `place` holds, if that lies in memory.
    pub fn remember_place(&mut self, place: &Place, register: Register) {
        if self.is_in_register(place) || self.region_of(place) == Region::Volatile {
            return;
        }
        if let Some(spot) = self.spot(place) {
            let region = self.region_of(place);
            self.note_loaded(spot, register, region);
        }
    }

    /// The bytes of a place that takes as many in registers as in memory.
    pub fn spot(&mut self, place: &Place) -> Option<Spot> {
        let size_bytes = word_bytes(&place.ty)?;
        let sum = self.sum_of_place(place)?;
        Some(spot(place, sum, size_bytes))
    }

    /// Notes a load that neighbours may be joined to, or that is joined to one before.
    fn see(&mut self, place: &Place, spot: Spot, key: Key) {
        let Some((chunk, offset)) = self.chunk(place, &spot) else {
            return;
        };
        let region = self.region_of(place);
        let load = Member {
            key,
            offset,
            size_bytes: spot.size_bytes,
            in_vector: vector_offset(place).is_some(),
            region,
        };
        let mask = load.mask();
        let reuse = &mut self.emitter.reuse;
        let known = reuse
            .seen
            .iter()
            .find(|seen| seen.changed & mask == 0 && seen.chunk.sum.from(&chunk.sum) == Some(0));
        if let Some(seen) = known {
            self.joins.groups[seen.group].push(load);
            reuse.reads_before = true;
            return;
        }
        let group = self.joins.groups.len();
        self.joins.groups.push(vec![load]);
        let depth = self.emitter.depth();
        self.emitter.reuse.seen.push(Seen {
            chunk,
            changed: 0,
            region,
            depth,
            group,
        });
    }

    /// The aligned bytes that one access could move together with those of `spot`, and where in
    /// them it lies; none where that is not known.
    pub fn chunk(&self, place: &Place, spot: &Spot) -> Option<(Spot, i64)> {
        let symbols = &self.emitter.reuse.symbols;
        let aligned = symbols.alignment(&spot.sum).max(vector_alignment(place));
        let align_bytes = aligned.min(CHUNK_BYTES);
        if align_bytes < 8 || align_bytes <= i64::from(spot.size_bytes) {
            return None;
        }
        let base = vector_offset(place).unwrap_or(spot.sum.constant);
        let offset = base.rem_euclid(align_bytes);
        Some((spot.moved(-offset, align_bytes as u32), offset))
    }
}

impl super::common_subexpressions::Reuse {
    /// The register that holds what memory holds at `sum`.
    fn find_loaded(&self, sum: &Sum, size_bytes: u32) -> Option<Register> {
        self.loaded.iter().rev().find_map(|loaded| {
            let offset = sum.from(&loaded.spot.sum)?;
            let end = offset.checked_add(i64::from(size_bytes))?;
            let fits = offset >= 0 && offset % 4 == 0 && end <= i64::from(loaded.spot.size_bytes);
            fits.then(|| loaded.register + (offset / 4) as Register)
        })
    }

    /// Something in `region` may have changed: what lies at `stored`, if that is known.
    pub fn stored(&mut self, region: Region, stored: Option<&Spot>) {
        let apart = |spot: &Spot| stored.is_some_and(|stored| spot.is_apart(stored));
        self.loaded
            .retain(|loaded| !loaded.region.changes_with(region) || apart(&loaded.spot));
        self.seen.retain_mut(|seen| {
            if !seen.region.changes_with(region) || apart(&seen.chunk) {
                return true;
            }
            // Other members of the same struct stay as they are.
            let within = stored.and_then(|stored| Some((stored.within(&seen.chunk)?, stored)));
            let Some((offset, stored)) = within else {
                return false;
            };
            seen.changed |= word_mask(offset, stored.size_bytes);
            true
        });
    }

    /// Other threads may have written.
    pub fn loads_synchronized(&mut self) {
        self.loaded
            .retain(|loaded| !loaded.region.changes_at_barriers());
        self.seen.retain(|seen| !seen.region.changes_at_barriers());
    }

    /// Only lanes of `depth` open frames go on.
    pub fn loads_leave(&mut self, depth: usize) {
        self.loaded.retain(|loaded| loaded.depth <= depth);
        self.seen.retain(|seen| seen.depth <= depth);
    }
}

/// The size of a value that takes as many bytes in registers as in memory.
fn word_bytes(ty: &Type) -> Option<u32> {
    let is_plain = match ty {
        Type::Scalar(scalar) | Type::Vector(scalar, _) => scalar.size_bytes() >= 4,
        Type::Pointer { .. } => true,
        _ => false,
    };
    (is_plain && words(ty) * 4 == ty.size_bytes()).then(|| ty.size_bytes())
}

/// How far a component or member lies from the beginning of its vector or struct.
pub(crate) fn vector_offset(place: &Place) -> Option<i64> {
    match &place.kind {
        PlaceKind::Component(base, component) => {
            let own = i64::from(component * place.ty.size_bytes());
            Some(own + vector_offset(base).unwrap_or(0))
        }
        PlaceKind::Member(base, index) => {
            let own = i64::from(crate::compile::tree::field(&base.ty, *index)?.offset_bytes);
            Some(own + vector_offset(base).unwrap_or(0))
        }
        _ => None,
    }
}

/// The alignment of the vector or struct that a place is part of.
fn vector_alignment(place: &Place) -> i64 {
    match &place.kind {
        PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
            vector_alignment(base).max(i64::from(base.ty.align_bytes()))
        }
        _ => 1,
    }
}
