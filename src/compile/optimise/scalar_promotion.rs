//! Places in memory that a loop stores to in every round, and whose value `nvcc` keeps in a register
//! from round to round.
//!
//! - What a round stores is not loaded by the next, if nothing else in the loop may write there.
//! - Where nothing else in the loop may read or write there, because the pointer is `__restrict__` or
//!   it is shared memory, only the last round's value is stored, behind the loop. Every round still
//!   stores, so that memory is as the source has it, but those stores count nothing.

use super::common_subexpressions::{Sources, same_place};
use super::loop_invariants::{Effects, Repeated};
use crate::compile::analysis::Region;
use crate::compile::analysis::Spot;
use crate::compile::analysis::reference;
use crate::compile::lower::Lower;
use crate::compile::tree::words;
use crate::compile::tree::{Part, bodies, everything, expressions};
use crate::cuda::{Expr, ExprKind, Place, PlaceKind, Stmt, StmtKind};
use crate::ir::Register;

/// Most stores of a loop that are looked at.
const MOST_STORES: usize = 16;

/// A place that a loop could keep in a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carrying<'a> {
    place: &'a Place,
    /// Whether a round begins with what is there.
    is_loaded: bool,
    /// Whether only the last value is stored.
    is_promoted: bool,
}

/// A place that a register holds while the loop is lowered.
#[derive(Debug)]
pub(crate) struct Carried {
    place: Place,
    spot: Spot,
    register: Register,
    region: Region,
    is_loaded: bool,
    is_promoted: bool,
}

/// What expressions of a loop do with a place and others that may be the same.
#[derive(Debug, Default)]
struct Uses {
    stores: usize,
    /// Whether others may be written.
    meets_store: bool,
    /// Whether others may be read.
    meets_load: bool,
}

impl<'a> Lower<'a> {
    /// The places that a loop with these effects keeps in registers.
    pub fn carrying(&mut self, repeated: Repeated<'a>, effects: &Effects) -> Vec<Carrying<'a>> {
        let mut found: Vec<Carrying> = Vec::new();
        if effects.regions.is_empty() || self.as_written {
            return found;
        }
        let mut sure = Vec::new();
        sure_stores(repeated.body, &mut sure);
        sure.retain(|(place, _)| !self.is_in_register(place));
        sure.truncate(MOST_STORES);
        for &(place, expr) in &sure {
            if found.iter().any(|known| same_place(known.place, place)) {
                continue;
            }
            let same = sure.iter().filter(|(other, _)| same_place(other, place));
            let count = same.count();
            found.extend(self.carried_place(place, expr, count, repeated, effects));
        }
        found
    }

    fn carried_place(
        &mut self,
        place: &'a Place,
        first: &Expr,
        count: usize,
        repeated: Repeated<'a>,
        effects: &Effects,
    ) -> Option<Carrying<'a>> {
        let region = self.region_of(place);
        let is_simple = self.place_is_simple(place);
        let stays = !(effects.synchronizes && region.changes_at_barriers());
        if !is_simple || !stays || matches!(region, Region::Volatile | Region::Local) {
            return None;
        }
        let mut sources = Sources::default();
        let is_known = self.sources_of_place(place, &mut sources);
        if !is_known || self.meet(effects, &sources) {
            return None;
        }
        let spot = self.spot(place).filter(|spot| spot.size_bytes <= 8)?;
        let uses = self.uses(place, &spot, region, repeated);
        if uses.meets_store || uses.stores != count {
            return None;
        }
        let is_loaded = match &first.kind {
            ExprKind::Assign(_, value) => loads(value, place),
            _ => true,
        };
        let is_own = matches!(
            region,
            Region::Restricted(_) | Region::Shared(..) | Region::Dynamic
        );
        let is_promoted = is_own && !uses.meets_load && !leaves(repeated.body);
        (is_loaded || is_promoted).then_some(Carrying {
            place,
            is_loaded,
            is_promoted,
        })
    }

    fn uses(&mut self, place: &Place, spot: &Spot, region: Region, repeated: Repeated) -> Uses {
        let mut all: Vec<&Expr> = repeated
            .condition
            .into_iter()
            .chain(repeated.step)
            .collect();
        expressions(repeated.body, &mut |expr| all.push(expr));
        let mut uses = Uses::default();
        for expr in all {
            everything(expr, &mut |part| {
                let Part::Expr(expr) = part else { return };
                match &expr.kind {
                    ExprKind::Assign(other, _)
                    | ExprKind::AssignOp { place: other, .. }
                    | ExprKind::Step { place: other, .. } => {
                        if same_place(other, place) {
                            uses.stores += 1;
                        } else {
                            uses.meets_store |= self.may_meet(other, spot, region);
                        }
                    }
                    ExprKind::Load(other) if !same_place(other, place) => {
                        uses.meets_load |= self.may_meet(other, spot, region);
                    }
                    ExprKind::Atomic { .. }
                    | ExprKind::MathTo { .. }
                    | ExprKind::Match { .. }
                    | ExprKind::Call(..) => {
                        let mut effects = Effects::default();
                        self.effects_of(self.context.function, expr, &mut effects);
                        let mut regions = effects.regions.into_iter();
                        uses.meets_store |= regions.any(|written| region.changes_with(written));
                        uses.meets_load |= matches!(expr.kind, ExprKind::Call(..));
                    }
                    _ => {}
                }
            });
        }
        uses
    }

    /// Whether a place may be part of `spot`, or it of the place.
    fn may_meet(&mut self, other: &Place, spot: &Spot, region: Region) -> bool {
        if self.is_in_register(other) {
            return false;
        }
        let is_alias = matches!(&other.kind, PlaceKind::Deref(pointer)
            if reference(pointer).is_some() && self.is_alias(pointer));
        let met = self.region_of(other);
        if !region.changes_with(met) && !met.changes_with(region) {
            return false;
        }
        let other = if is_alias { None } else { self.spot(other) };
        !other.is_some_and(|other| other.is_apart(spot))
    }

    /// Opens a branch for the lanes that come into a loop, if something is to be stored behind it.
    pub fn open_promoted(
        &mut self,
        carrying: &[Carrying],
        condition: Option<&Expr>,
        test_first: bool,
    ) -> bool {
        let is_promoted = carrying.iter().any(|carrying| carrying.is_promoted);
        let Some(condition) = condition.filter(|_| is_promoted && test_first) else {
            return false;
        };
        self.joins.next_statement();
        self.emitter.statement(condition.span);
        let condition = self.expr(condition, None);
        self.emitter.open_if(condition);
        true
    }

    /// Loads what a loop keeps in registers.
    pub fn carry(&mut self, carrying: &[Carrying]) {
        for carrying in carrying {
            let place = carrying.place;
            let Some(spot) = self.spot(place) else {
                continue;
            };
            let size = words(&place.ty);
            let register = self.emitter.registers(size);
            if carrying.is_loaded {
                let load = Expr {
                    kind: ExprKind::Load(place.clone()),
                    ty: place.ty.clone(),
                    span: place.span,
                };
                let value = self.expr(&load, None);
                self.settle(value, size, Some(register));
            }
            let region = self.region_of(place);
            self.carried.push(Carried {
                place: place.clone(),
                spot,
                register,
                region,
                is_loaded: carrying.is_loaded,
                is_promoted: carrying.is_promoted,
            });
        }
    }

    /// A round begins: what was carried since there were `from` is known.
    pub fn know_carried(&mut self, from: usize) {
        for at in from..self.carried.len() {
            let carried = &self.carried[at];
            if carried.is_loaded {
                let (register, region) = (carried.register, carried.region);
                self.note_loaded(carried.spot.clone(), register, region);
            }
        }
    }

    /// The register that holds what lies at `spot` while a loop is lowered, and whether a store to
    /// it waits for the loop's end.
    pub fn carried_at(&self, spot: &Spot) -> Option<(Register, bool)> {
        let mut carried = self.carried.iter().rev();
        let known = carried.find(|carried| {
            let is_same = carried.spot.sum.from(&spot.sum) == Some(0);
            is_same && carried.spot.size_bytes == spot.size_bytes
        })?;
        Some((known.register, known.is_promoted))
    }

    /// The loop is over: stores what waited for its end.
    pub fn close_promoted(&mut self, from: usize, guard: bool) {
        for carried in self.carried.split_off(from) {
            if carried.is_promoted {
                let at = self.locate(&carried.place);
                self.emitter.reuse.storing = Some(carried.spot);
                let (ty, span) = (&carried.place.ty, carried.place.span);
                self.store(at, ty, carried.register, span);
            }
        }
        if guard {
            self.emitter.close();
        }
    }
}

/// The places that every round of a loop with this body stores to.
fn sure_stores<'a>(body: &'a [Stmt], found: &mut Vec<(&'a Place, &'a Expr)>) -> bool {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Block(body) if sure_stores(body, found) => {}
            StmtKind::Block(_) => return false,
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Assign(place, _)
                | ExprKind::AssignOp { place, .. }
                | ExprKind::Step { place, .. } => found.push((place, expr)),
                _ => {}
            },
            _ if super::loop_invariants::departs(std::slice::from_ref(stmt)) => return false,
            _ => {}
        }
    }
    true
}

/// Whether a loop's lanes may leave it elsewhere than at its test.
fn leaves(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Return(_) => true,
        _ => bodies(stmt).into_iter().any(|body| leaves(body)),
    })
}

/// Whether a value is computed from what lies at `place`.
fn loads(value: &Expr, place: &Place) -> bool {
    let mut found = false;
    everything(value, &mut |part| {
        if let Part::Expr(Expr {
            kind: ExprKind::Load(other),
            ..
        }) = part
        {
            found |= same_place(other, place);
        }
    });
    found
}
