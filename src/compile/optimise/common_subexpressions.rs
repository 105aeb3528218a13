//! Values that need not be loaded or computed again.
//!
//! `nvcc` loads `x[i]` once however often an expression names it, as long as nothing in between
//! can have changed it; counters show one request. The same is done here, for loads and for
//! floating-point arithmetic: a value stays known until an instruction writes a register that it
//! was computed from, or (for loads) memory may have changed, and as long as the lanes that want
//! it are among those that have it. A loop begins with what none of its rounds changes.

use super::load_vectorisation::{Loaded, Seen};
use super::store_vectorisation::OpenStore;
use crate::compile::analysis::Region;
use crate::compile::analysis::Spot;
use crate::compile::analysis::Symbols;
use crate::compile::emit::PINNED;
use crate::cuda::{Expr, ExprKind, FunctionId, Place, PlaceKind};
use crate::ir::Register;

/// Registers, from the first, that a value was computed from.
pub(crate) type Words = (Register, u32);

/// What a value depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    pub registers: Vec<Words>,
    pub memory: Vec<Region>,
}

impl Sources {
    /// Whether any of them lies in `words`.
    pub fn include(&self, words: Words) -> bool {
        self.registers.iter().any(|&source| overlap(source, words))
    }
}

#[derive(Debug)]
struct Known {
    function: FunctionId,
    expr: Expr,
    held: Words,
    sources: Sources,
    /// Open frames where it became known.
    depth: usize,
}

/// The values known at a place in the code.
#[derive(Debug, Default)]
pub(crate) struct Reuse {
    known: Vec<Known>,
    /// What registers of variables stand for.
    pub symbols: Symbols,
    /// Values that lie in memory.
    pub loaded: Vec<Loaded>,
    /// Loads that others may be joined to.
    pub seen: Vec<Seen>,
    /// What the store being written goes to.
    pub storing: Option<Spot>,
    /// What the load being written reads.
    pub loading: Option<Spot>,
    /// Whether the load being written is joined to one before, where it reads.
    pub reads_before: bool,
    /// Stores that others may be joined to, or make needless.
    pub open_stores: Vec<OpenStore>,
    /// Whether what is loaded and computed is not to be known: it counts elsewhere.
    pub is_silent: bool,
}

impl Reuse {
    /// The register that holds the value of `expr` in `function`.
    pub fn find(&self, function: FunctionId, expr: &Expr) -> Option<Register> {
        let is_same = |known: &&Known| known.function == function && same(&known.expr, expr);
        Some(self.known.iter().find(is_same)?.held.0)
    }

    /// Keeps in mind that `held` holds the value of `expr`.
    pub fn remember(
        &mut self,
        function: FunctionId,
        expr: &Expr,
        held: Words,
        sources: Sources,
        depth: usize,
    ) {
        if self.is_silent {
            return;
        }
        self.known.push(Known {
            function,
            expr: expr.clone(),
            held,
            sources,
            depth,
        });
    }

    /// Registers are written.
    pub fn wrote(&mut self, written: Words) {
        self.known
            .retain(|known| !overlap(known.held, written) && !known.sources.include(written));
        self.symbols.wrote(written);
        self.loaded.retain(|loaded| {
            let held = (loaded.register, loaded.spot.size_bytes / 4);
            !overlap(held, written)
        });
    }

    /// Something in `region` may have changed.
    pub fn wrote_memory(&mut self, region: Region) {
        self.known.retain(|known| {
            let mut memory = known.sources.memory.iter();
            !memory.any(|source| source.changes_with(region))
        });
        let storing = self.storing.take();
        self.stored(region, storing.as_ref());
        self.stores_meet(region, storing.as_ref(), true);
    }

    /// Something in `region` has been read.
    pub fn read_memory(&mut self, region: Region) {
        let loading = self.loading.take();
        if !std::mem::take(&mut self.reads_before) {
            self.stores_meet(region, loading.as_ref(), false);
        }
    }

    /// Other threads may have written.
    pub fn synchronized(&mut self) {
        self.known.retain(|known| {
            let mut memory = known.sources.memory.iter();
            !memory.any(|source| source.changes_at_barriers())
        });
        self.loads_synchronized();
        self.open_stores.clear();
    }

    /// Only lanes of `depth` open frames go on.
    pub fn leave(&mut self, depth: usize) {
        self.known.retain(|known| known.depth <= depth);
        self.symbols.leave(depth);
        self.loads_leave(depth);
    }

    /// One past the last register that holds a known value.
    pub fn end(&self) -> u32 {
        let known = self.known.iter().map(|known| known.held);
        let loaded = self.loaded.iter();
        let loaded = loaded.map(|loaded| (loaded.register, loaded.spot.size_bytes / 4));
        let free = known.chain(loaded).filter(|held| held.0 < PINNED);
        let ends = free.map(|held| u32::from(held.0) + held.1);
        ends.max().unwrap_or(0)
    }
}

fn overlap(a: Words, b: Words) -> bool {
    let end = |words: Words| u32::from(words.0) + words.1;
    u32::from(a.0) < end(b) && u32::from(b.0) < end(a)
}

/// Whether two expressions without effects say the same; where they stand does not matter.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    use ExprKind::*;
    let all_same =
        |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
    a.ty == b.ty
        && match (&a.kind, &b.kind) {
            (Constant(a), Constant(b)) => a == b,
            (Coordinate(what, axis), Coordinate(other, along)) => what == other && axis == along,
            (Load(a), Load(b)) | (AddressOf(a), AddressOf(b)) => same_place(a, b),
            (Convert(a), Convert(b)) => same(a, b),
            (Unary(op, a), Unary(other, b)) => op == other && same(a, b),
            (Component(a, i), Component(b, j)) => i == j && same(a, b),
            (Member(a, i), Member(b, j)) => i == j && same(a, b),
            (Binary(op, a, b), Binary(other, c, d)) => op == other && same(a, c) && same(b, d),
            (PointerOffset(a, b), PointerOffset(c, d)) => same(a, c) && same(b, d),
            (Math(function, a), Math(other, b)) => function == other && all_same(a, b),
            _ => false,
        }
}

pub(crate) fn same_place(a: &Place, b: &Place) -> bool {
    a.ty == b.ty
        && match (&a.kind, &b.kind) {
            (PlaceKind::Local(a), PlaceKind::Local(b)) => a == b,
            (PlaceKind::File(a), PlaceKind::File(b)) => a == b,
            (PlaceKind::Deref(a), PlaceKind::Deref(b)) => same(a, b),
            (PlaceKind::Index(a, i), PlaceKind::Index(b, j)) => same_place(a, b) && same(i, j),
            (PlaceKind::Member(a, i), PlaceKind::Member(b, j)) => i == j && same_place(a, b),
            (PlaceKind::Component(a, i), PlaceKind::Component(b, j)) => i == j && same_place(a, b),
            _ => false,
        }
}
