//! Loads that give what is known already, and neighbouring ones that `nvcc` joins.
//!
//! Two loads are the same if their addresses are the same sum, however they are written. Loads whose
//! addresses lie in the same aligned 16 bytes are joined where the first of them stands, as nvcc 13.0
//! does for compute capability 9.0: all four words or three of them to one load of 16 bytes, the
//! first or last two to one of 8. To know which loads follow, a kernel is lowered twice: the first
//! time only to see.

use std::collections::{HashMap, HashSet};

use super::lower::{Lower, words};
use super::place::Located;
use super::region::Region;
use super::symbols::Sum;
use crate::cuda::{Expr, ExprKind, Place, PlaceKind, Scalar, Type};
use crate::ir::Register;

/// Bytes that one load can give a lane.
const CHUNK_BYTES: i64 = 16;

/// Fewest components of bytes that are loaded as one word.
const FEWEST_NARROW: usize = 3;

/// A value in memory that a register holds.
#[derive(Debug)]
pub(super) struct Loaded {
    pub sum: Sum,
    pub size_bytes: u32,
    pub register: Register,
    pub region: Region,
    /// Open frames where it became known.
    pub depth: usize,
}

/// A load that others may be joined to.
#[derive(Debug)]
pub(super) struct Seen {
    sum: Sum,
    region: Region,
    depth: usize,
    group: usize,
}

/// Where a load stands: the number of its statement as they are lowered, and its place in it.
type Key = (u32, u32);

/// A load that stands for several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wide {
    /// How far before the load's own address it begins.
    back_bytes: i64,
    width_bytes: u32,
}

/// What the first lowering sees and the second does.
#[derive(Debug, Default)]
pub(super) struct Joins {
    statement: u32,
    /// Loads in the same aligned bytes: where each stands, its offset there, its size, and whether
    /// it is part of a vector.
    groups: Vec<Vec<(Key, i64, u32, bool)>>,
    plan: HashMap<Key, Wide>,
    /// Small vectors of narrow components: where each is, and which components are loaded where.
    narrow: Vec<(Sum, Vec<(Key, u32)>)>,
    /// Loads of a component that load the whole vector.
    whole: HashSet<Key>,
}

impl Joins {
    /// Another statement begins.
    pub fn next_statement(&mut self) {
        self.statement += 1;
    }

    /// What to do the second time; nothing if no loads are to be joined.
    pub fn planned(&self) -> Option<Joins> {
        let mut plan = HashMap::new();
        for group in &self.groups {
            plan_group(group, &mut plan);
        }
        let mut whole = HashSet::new();
        for (_, loads) in &self.narrow {
            let components: HashSet<u32> = loads.iter().map(|load| load.1).collect();
            if components.len() >= FEWEST_NARROW {
                whole.insert(loads[0].0);
            }
        }
        (!plan.is_empty() || !whole.is_empty()).then_some(Joins {
            plan,
            whole,
            ..Joins::default()
        })
    }
}

fn plan_group(group: &[(Key, i64, u32, bool)], plan: &mut HashMap<Key, Wide>) {
    let mut used = 0_u32;
    for &(_, offset, size_bytes, _) in group {
        used |= ((1 << (size_bytes / 4)) - 1) << (offset / 4);
    }
    let in_vector = group.iter().all(|load| load.3);
    let pieces: &[(i64, u32)] = match used {
        0b1111 => &[(0, 16)],
        0b0111 | 0b1011 | 0b1101 | 0b1110 if in_vector => &[(0, 16)],
        _ => &[(0, 8), (8, 8)],
    };
    for &(start, width_bytes) in pieces {
        let mask = ((1 << (width_bytes / 4)) - 1) << (start / 4);
        if width_bytes == 8 && used & mask != mask {
            continue;
        }
        let end = start + i64::from(width_bytes);
        let first = group.iter().find(|load| (start..end).contains(&load.1));
        if let Some(&(key, offset, size_bytes, _)) = first
            && size_bytes < width_bytes
        {
            let back_bytes = offset - start;
            plan.insert(
                key,
                Wide {
                    back_bytes,
                    width_bytes,
                },
            );
        }
    }
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
        let key = (self.joins.statement, place.span.start);
        if let Some(&wide) = self.joins.plan.get(&key) {
            self.load_wide(place, sum.clone(), wide);
            return self.emitter.reuse.find_loaded(&sum, size_bytes);
        }
        self.see(place, sum, size_bytes, key);
        None
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
        let key = (self.joins.statement, place.span.start);
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

    fn load_wide(&mut self, place: &Place, sum: Sum, wide: Wide) {
        let Located::Memory(mut address) = self.locate(place) else {
            return;
        };
        address.offset_bytes -= wide.back_bytes;
        let size_bytes = wide.width_bytes;
        let register = self.emitter.registers(size_bytes / 4);
        let lanes = size_bytes / 4;
        let ty = Type::Vector(Scalar::U32, lanes);
        let at = Located::Memory(address);
        self.load(at, &ty, place.span, Some(register));
        let sum = sum.plus(&Sum::constant(-wide.back_bytes), 1);
        self.note_loaded(sum, size_bytes, register, address.region);
    }

    /// Keeps in mind that `register` holds what memory holds at `sum`.
    fn note_loaded(&mut self, sum: Sum, size_bytes: u32, register: Register, region: Region) {
        let depth = self.emitter.depth();
        self.emitter.reuse.loaded.push(Loaded {
            sum,
            size_bytes,
            register,
            region,
            depth,
        });
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
        let Some(size_bytes) = word_bytes(&place.ty) else {
            return;
        };
        if let Some(sum) = self.sum_of_place(place) {
            let region = self.region_of(place);
            self.note_loaded(sum, size_bytes, register, region);
        }
    }

    /// Notes a load that neighbours may be joined to, or that is joined to one before.
    fn see(&mut self, place: &Place, sum: Sum, size_bytes: u32, key: Key) {
        let reuse = &mut self.emitter.reuse;
        let aligned = reuse.symbols.alignment(&sum).max(vector_alignment(place));
        let align_bytes = aligned.min(CHUNK_BYTES);
        if align_bytes < 8 || align_bytes <= i64::from(size_bytes) {
            return;
        }
        let base = vector_offset(place).unwrap_or(sum.constant);
        let offset = base.rem_euclid(align_bytes);
        let chunk = Sum {
            constant: sum.constant - offset,
            ..sum
        };
        let in_vector = vector_offset(place).is_some();
        let load = (key, offset, size_bytes, in_vector);
        let known = reuse
            .seen
            .iter()
            .find(|seen| seen.sum == chunk || seen.sum.from(&chunk) == Some(0));
        if let Some(seen) = known {
            self.joins.groups[seen.group].push(load);
            return;
        }
        let group = self.joins.groups.len();
        self.joins.groups.push(vec![load]);
        let (region, depth) = (self.region_of(place), self.emitter.depth());
        self.emitter.reuse.seen.push(Seen {
            sum: chunk,
            region,
            depth,
            group,
        });
    }
}

impl super::reuse::Reuse {
    /// The register that holds what memory holds at `sum`.
    fn find_loaded(&self, sum: &Sum, size_bytes: u32) -> Option<Register> {
        self.loaded.iter().rev().find_map(|loaded| {
            let offset = sum.from(&loaded.sum)?;
            let end = offset.checked_add(i64::from(size_bytes))?;
            let fits = offset >= 0 && offset % 4 == 0 && end <= i64::from(loaded.size_bytes);
            fits.then(|| loaded.register + (offset / 4) as Register)
        })
    }

    /// Something in `region` may have changed: so many bytes at `stored`, if that is known.
    pub fn stored(&mut self, region: Region, stored: Option<&(Sum, u32)>) {
        let apart = |sum: &Sum, size_bytes: u32| {
            let offset = stored.and_then(|(stored, _)| sum.from(stored));
            let width = stored.map_or(0, |(_, width)| i64::from(*width));
            offset.is_some_and(|offset| offset >= width || offset + i64::from(size_bytes) <= 0)
        };
        self.loaded.retain(|loaded| {
            !loaded.region.changes_with(region) || apart(&loaded.sum, loaded.size_bytes)
        });
        self.seen.retain(|seen| {
            !seen.region.changes_with(region) || apart(&seen.sum, CHUNK_BYTES as u32)
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
fn vector_offset(place: &Place) -> Option<i64> {
    match &place.kind {
        PlaceKind::Component(base, component) => {
            let own = i64::from(component * place.ty.size_bytes());
            Some(own + vector_offset(base).unwrap_or(0))
        }
        PlaceKind::Member(base, index) => {
            let own = i64::from(super::layout::field(&base.ty, *index)?.offset_bytes);
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
