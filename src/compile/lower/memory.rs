//! Loads and stores as `nvcc` makes them: what is known is not loaded again, and neighbours are joined
//! where the plan says so.
//!
//! Whatever is joined, each access of the source is still made where it stands, so that values are there
//! when they are looked at; those that another one counts for are silent.

use std::collections::BTreeSet;

use super::lowering::Lower;
use super::place::Located;
use crate::compile::analysis::{ByteRange, Region, register_bytes};
use crate::compile::optimise::{
    AccessKey, GroupMember, JoinedStore, KnownRange, LoadedValue, MergedLoad, Origin, PlannedStore,
    WideLoad, base_alignment, ends, is_loaded_first, window,
};
use crate::compile::tree::{Chunk, bodies, chunks, expressions, walk, words};
use crate::cuda::{
    Expr, ExprKind, Initializer, LocalId, Node, Place, PlaceKind, Scalar, Stmt, StmtKind, Type,
};
use crate::ir::{AccessRole, Register};
use crate::memory::AccessKind;
use crate::source::Span;

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
        self.observe_merged(place, &range);
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
        let Some(window) = window(&self.context, &facts.affine, place, range) else {
            return;
        };
        let load = GroupMember {
            offset: window.offset,
            ..GroupMember::new(&self.context, place, range.size_bytes, key)
        };
        facts
            .loads
            .observe(&mut self.observed.loads, window, load, facts.depth);
    }

    /// Notes a load of what a side of an `if` before it knows.
    fn observe_merged(&mut self, place: &Place, range: &ByteRange) {
        // The place is written in the kernel's own variables, so that the `if` can load from it.
        if !self.observes_sides() || self.context.function != self.layout.functions[0] {
            return;
        }
        let facts = &mut self.emitter.facts;
        if let Some(branch) = facts.merged.find(range, facts.depth) {
            let place = place.clone();
            self.observed.merged.push(MergedLoad { branch, place });
        }
    }

    /// Whether a register holds what lies at a place in memory.
    pub fn is_known(&mut self, place: &Place) -> bool {
        let range = self.byte_range(place);
        range.is_some_and(|range| self.known_at(&range).is_some())
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
        let facts = &mut self.emitter.facts;
        facts.remember_bytes(range, register, region, Origin::Load);
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
        facts.remember_bytes(whole.clone(), register, address.region, Origin::Load);
        // Each word too: a store to one of them leaves the others known.
        for word in 0..words {
            let part = whole.moved(i64::from(word) * 4, 4);
            let register = register + word as Register;
            facts.remember_bytes(part, register, address.region, Origin::Load);
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

/// Structs in shared memory, which are moved by as few accesses as their addresses allow.
impl Lower<'_> {
    /// A power of two, up to 16, of bytes at a multiple of which a place is known to lie.
    pub fn known_alignment(&mut self, place: &Place) -> u32 {
        let declared = place.ty.align_bytes();
        let is_shared = self.context.region_of(place).is_shared();
        let is_struct = matches!(place.ty, Type::Struct(_));
        if !self.optimises() || !is_struct || !is_shared || !self.context.is_simple_place(place) {
            return declared;
        }
        let Some(range) = self.range_of(place, place.ty.size_bytes()) else {
            return declared;
        };
        let values = &self.emitter.facts.affine;
        let of_base = base_alignment(&self.context, values, place, &range.address);
        let of_constant = 1 << range.address.constant.trailing_zeros().min(4);
        declared.max(of_base.min(of_constant) as u32)
    }

    /// Whether all members of what is loaded are needed: it begins no variable, or one whose members are all named.
    pub fn is_needed_whole(&self, place: &Place) -> bool {
        let Type::Struct(of) = &place.ty else {
            return false;
        };
        let function = &self.context.program.functions[self.context.function];
        let Some(local) = declared_as(&function.body, place) else {
            return true;
        };
        let (mut members, mut whole) = (BTreeSet::new(), 0);
        let is_it = |place: &Place| place.kind == PlaceKind::Local(local);
        expressions(&function.body, &mut |expr| {
            walk(expr, &mut |node| match node {
                Node::Place(Place {
                    kind: PlaceKind::Member(base, index),
                    ..
                }) if is_it(base) => drop(members.insert(*index)),
                Node::Expr(expr) => match &expr.kind {
                    ExprKind::Load(place) if is_it(place) => whole += 1,
                    ExprKind::Member(object, index) if matches!(&object.kind, ExprKind::Load(place) if is_it(place)) =>
                    {
                        members.insert(*index);
                        // Its operand is met as well.
                        whole -= 1;
                    }
                    _ => {}
                },
                Node::Place(_) => {}
            });
        });
        // Of four words, three are worth one access.
        let count = of.fields().len();
        let is_most = count == 4 && place.ty.size_bytes() == 16 && members.len() == 3;
        whole > 0 || members.len() == count || is_most
    }
}

/// The variable that what is loaded from a place begins.
fn declared_as(stmts: &[Stmt], place: &Place) -> Option<LocalId> {
    stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Declare {
            local,
            init: Some(Initializer::Value(value)),
        } if matches!(&value.kind, ExprKind::Load(of) if of.span == place.span) => Some(*local),
        _ => {
            let mut inner = bodies(stmt).into_iter();
            inner.find_map(|body| declared_as(body, place))
        }
    })
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
        let unchanged = match promoted {
            None => self.unchanged_parts(place, &range, register),
            Some(_) => Vec::new(),
        };
        if !unchanged.is_empty() && unchanged.iter().all(|is_unchanged| *is_unchanged) {
            return self.store_again(place, at, register);
        }
        match promoted {
            Some((_, true)) => self.store_silently(place, at, register),
            _ => self.store_changed(place, at, register, &range, &unchanged),
        }
        self.emitter.facts.stores.writing = None;
        let facts = &mut self.emitter.facts;
        facts.remember_place(&self.context, place, register, Origin::Other);
    }

    /// Stores a value of which the `unchanged` parts count nothing.
    fn store_changed(
        &mut self,
        place: &Place,
        at: Located,
        register: Register,
        range: &ByteRange,
        unchanged: &[bool],
    ) {
        if register_bytes(&place.ty).is_some_and(|bytes| matches!(bytes, 4 | 8)) {
            return self.store_word(place, at, register, range);
        }
        let align_bytes = self.known_alignment(place);
        let from = self.emitter.tables.sites.len();
        self.store_aligned(at, &place.ty, align_bytes, register, place.span);
        // Each part has a site, in order.
        let sites = self.emitter.tables.sites[from..].iter_mut();
        for (site, _) in sites.zip(unchanged).filter(|(_, is)| **is) {
            site.role = AccessRole::Silent;
        }
    }

    /// Of the accesses that store a value, which would leave memory as it is: what they store was loaded from there.
    ///
    /// ```text
    /// P q = p[i];
    /// q.x += q.vx;
    /// p[i] = q;                 nothing but `x` is stored, and what no other line needs of `q` is not loaded
    /// ```
    fn unchanged_parts(
        &mut self,
        place: &Place,
        range: &ByteRange,
        register: Register,
    ) -> Vec<bool> {
        if !self.moves_accesses() || self.context.region_of(place) == Region::Volatile {
            return Vec::new();
        }
        let parts = chunks(&place.ty, self.known_alignment(place));
        let loads = &self.emitter.facts.loads;
        let is_unchanged = |part: &Chunk| {
            let address = range.address.clone().offset(part.offset_bytes.into());
            let register = register + part.word as Register;
            part.packed == 1 && loads.was_loaded(register, &address, part.width_bytes)
        };
        parts.iter().map(is_unchanged).collect()
    }

    /// A store of what memory holds already.
    fn store_again(&mut self, place: &Place, at: Located, register: Register) {
        self.emitter.facts.stores_again = true;
        self.store_silently(place, at, register);
        self.emitter.facts.stores_again = false;
        self.emitter.facts.stores.writing = None;
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
        let window = window(&self.context, &facts.affine, place, range);
        let store = GroupMember::new(&self.context, place, range.size_bytes, key);
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

/// The sides of an `if` being lowered, and what they load for the code after it.
pub(super) struct Sides {
    branch: AccessKey,
    /// Whether lanes come from both to the code after the `if`.
    meet: bool,
    has_otherwise: bool,
    loads: Vec<SideLoad>,
    /// What each side knows at its end; an empty one, what the other has lost.
    known: Vec<Vec<KnownRange>>,
}

/// A load that both sides of an `if` have in one register at their ends.
struct SideLoad {
    place: Place,
    /// Where it lies; nothing if that is another place at the end of a side.
    range: Option<ByteRange>,
    register: Register,
    /// Whether the register has it before the `if`, and the other side is empty.
    is_known: bool,
}

impl Sides {
    /// Whether a side without statements has to load something.
    pub fn needs_otherwise(&self) -> bool {
        self.loads.iter().any(|load| !load.is_known)
    }
}

/// What sides of an `if` leave in registers for the code after it.
impl Lower<'_> {
    /// An `if` begins.
    pub fn begin_sides(&mut self, span: Span, then: &[Stmt], otherwise: &[Stmt]) -> Sides {
        let branch = self.observed.branch(span);
        let has_otherwise = !otherwise.is_empty();
        if self.observes_sides() || self.optimises() && has_otherwise {
            let facts = &mut self.emitter.facts;
            facts.loads.begin_side(facts.depth);
        }
        let planned = self.plan.merged.iter().filter(|load| load.branch == branch);
        let places: Vec<Place> = planned.map(|load| load.place.clone()).collect();
        let loads = places
            .into_iter()
            .map(|place| self.side_load(place, then, has_otherwise))
            .collect();
        Sides {
            branch,
            meet: !ends(then) && !ends(otherwise),
            has_otherwise,
            loads,
            known: Vec::new(),
        }
    }

    /// Whether this is the lowering that sees what sides of `if`s know.
    fn observes_sides(&self) -> bool {
        self.optimises() && self.plan.is_empty()
    }

    /// A load for the code after an `if` that begins: where one side is empty, done now if the register can have it now.
    fn side_load(&mut self, place: Place, then: &[Stmt], has_otherwise: bool) -> SideLoad {
        let size = words(&place.ty);
        let register = self.emitter.registers.take(size);
        let range = self.byte_range(&place);
        let mut known = range.as_ref().and_then(|range| self.known_at(range));
        if !has_otherwise && known.is_none() && is_loaded_first(&self.context, then, &place) {
            known = Some(self.load_of(&place));
        }
        let known = known.filter(|_| !has_otherwise);
        if let Some(known) = known {
            self.copy_to(known, size, Some(register));
        }
        SideLoad {
            is_known: known.is_some(),
            place,
            range,
            register,
        }
    }

    fn known_at(&self, range: &ByteRange) -> Option<Register> {
        let loads = &self.emitter.facts.loads;
        loads.find(&range.address, range.size_bytes)
    }

    /// A side ends: what is to be known after it is in the registers for it.
    pub fn end_side(&mut self, sides: &mut Sides) {
        let is_empty = !sides.has_otherwise && !sides.known.is_empty();
        for load in &mut sides.loads {
            if is_empty && load.is_known {
                continue;
            }
            let size = words(&load.place.ty);
            let here = self.byte_range(&load.place);
            let range = load.range.take().zip(here).filter(|(a, b)| a.is_same(b));
            let Some((range, _)) = range else { continue };
            let value = self.known_at(&range);
            let value = value.unwrap_or_else(|| self.load_of(&load.place));
            self.copy_to(value, size, Some(load.register));
            load.range = Some(range);
        }
        if !self.observes_sides() {
            return sides.known.push(Vec::new());
        }
        let facts = &mut self.emitter.facts;
        sides.known.push(facts.loads.known_from(facts.depth));
        if !sides.has_otherwise {
            let lost = facts.loads.end_side();
            sides
                .known
                .push(lost.iter().map(LoadedValue::known).collect());
        }
    }

    /// The other side of an `if` begins: its lanes did not come through the first, so what was known before the `if` is
    /// known to them.
    pub fn begin_otherwise(&mut self, sides: &Sides) {
        self.emitter.otherwise();
        if self.optimises() && sides.has_otherwise {
            let facts = &mut self.emitter.facts;
            let lost = facts.loads.end_side();
            facts.loads.know(lost, facts.depth);
        }
    }

    pub fn load_of(&mut self, place: &Place) -> Register {
        let load = Expr {
            kind: ExprKind::Load(place.clone()),
            ty: place.ty.clone(),
            span: place.span,
        };
        self.expr(&load, None)
    }

    /// The `if` has ended.
    pub fn end_sides(&mut self, sides: Sides) {
        for load in sides.loads {
            let region = self.context.region_of(&load.place);
            if let Some(range) = load.range {
                let facts = &mut self.emitter.facts;
                facts.remember_bytes(range, load.register, region, Origin::Other);
            }
        }
        let facts = &mut self.emitter.facts;
        let mut known = sides.known.into_iter();
        let then = known.next().unwrap_or_default();
        let otherwise = known.next().unwrap_or_default();
        match sides.meet {
            true => {
                let depth = facts.depth;
                facts.merged.end_if(sides.branch, [then, otherwise], depth);
            }
            false => facts.merged.meet(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::compile;
    use crate::memory::AccessKind;
    use crate::source::SourceFile;

    /// How far into their struct the loads and the stores lie that count, of a kernel with this body.
    fn counted(body: &str) -> [Vec<i32>; 2] {
        let text = format!(
            "struct P {{ float x, y, z; char c; }};
             __global__ void k(P* p, float* y, int n) {{ int i = threadIdx.x;\n{body}\n}}"
        );
        let compiled = compile(&SourceFile::new("k.cu", &text), &[]);
        assert_eq!(compiled.diagnostics, []);
        [AccessKind::Load, AccessKind::Store].map(|kind| {
            let sites = compiled.kernels[0].sites.iter();
            let counted = sites.filter(|site| site.kind == kind && !site.is_silent());
            counted.map(|site| site.offset_bytes).collect()
        })
    }

    #[test]
    fn what_was_loaded_is_not_stored_where_it_came_from() {
        let counts = counted("P q = p[i]; q.x += q.y; p[i] = q;");
        assert_eq!(counts, [vec![0, 4], vec![0]]);
        let counts = counted("P q = p[i]; for (int j = 0; j < n; j++) q.x += q.x; p[i] = q;");
        assert_eq!(counts, [vec![0], vec![0]]);
        // Something may have changed it since, or another place is meant.
        let all = vec![0, 4, 8, 12];
        for between in ["*y = 1;", "__syncthreads();", "i += n;"] {
            let counts = counted(&format!("P q = p[i]; q.x += q.y; {between} p[i] = q;"));
            assert_eq!(counts[0], all, "{between}");
            assert_eq!(counts[1].len(), 4 + usize::from(between.starts_with('*')));
        }
        // A value that was stored is stored again.
        assert_eq!(counted("y[i] = n; p->x = y[n]; y[i] = n;")[1].len(), 3);
    }

    #[test]
    fn the_other_side_knows_what_was_loaded_before() {
        let counts = counted(
            "float v = y[i]; if (i < n) { p[0].x = v; } else { p[1].y = y[i] * 2; } p[2].z = v;",
        );
        assert_eq!(counts[0].len(), 1);
        let counts =
            counted("P q = p[i]; if (q.z > 4) { q.x = 0; p[i] = q; } else { q.y = 0; p[i] = q; }");
        assert_eq!(counts, [vec![8], vec![0, 4]]);
    }
}
