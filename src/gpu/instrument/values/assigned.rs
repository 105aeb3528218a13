//! What an expression sets: variables of the thread, or parts of them.

use super::variables::{offset_bytes, variable_of};
use crate::cuda::{Expr, ExprKind, Function, LocalId, Place, PlaceKind, Type};
use crate::gpu::instrument::call_graph::everything;
use crate::source::Span;

/// Something that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// A whole variable.
    Whole(LocalId),
    /// So many bytes of it, from some byte on.
    Part(LocalId, u32, u32),
    /// A number in an array, at an index that is known only when the kernel runs: as it is written,
    /// which means the same before and after.
    Element(LocalId, Span),
}

impl Set {
    /// A whole variable.
    pub fn whole(local: LocalId) -> Self {
        Set::Whole(local)
    }

    /// The variable.
    pub fn local(&self) -> LocalId {
        match self {
            Set::Whole(local) | Set::Part(local, ..) | Set::Element(local, _) => *local,
        }
    }
}

/// What evaluating `expr` sets, or may set through an address; each once.
pub(crate) fn sets(function: &Function, expr: &Expr) -> Vec<Set> {
    let mut places: Vec<(&Place, bool)> = Vec::new();
    everything(expr, &mut |expr| match &expr.kind {
        ExprKind::Assign(place, _)
        | ExprKind::AssignOp { place, .. }
        | ExprKind::Step { place, .. } => places.push((place, true)),
        ExprKind::AddressOf(place) => {
            if matches!(
                &expr.ty,
                Type::Pointer {
                    is_const: false,
                    ..
                }
            ) {
                places.push((place, false));
            }
        }
        _ => {}
    });
    let changed: Vec<LocalId> = places
        .iter()
        .filter_map(|(place, _)| variable_of(function, place))
        .collect();
    let mut all = Vec::new();
    for (place, is_direct) in places {
        let Some(local) = variable_of(function, place) else {
            continue;
        };
        let set = match is_direct {
            true => set_of(local, place, &changed),
            // From an element on, a pointer reaches the whole array.
            false => Set::Whole(local),
        };
        if !all.contains(&set) {
            all.push(set);
        }
    }
    let whole: Vec<Set> = all
        .iter()
        .filter(|set| matches!(set, Set::Whole(_)))
        .cloned()
        .collect();
    all.retain(|set| whole.contains(set) || !whole.contains(&Set::Whole(set.local())));
    all
}

fn set_of(local: LocalId, place: &Place, changed: &[LocalId]) -> Set {
    if matches!(place.kind, PlaceKind::Local(_)) {
        return Set::Whole(local);
    }
    if let Some(offset) = offset_bytes(place) {
        return Set::Part(local, offset, place.ty.size_bytes());
    }
    let is_scalar = matches!(place.ty, Type::Scalar(_) | Type::Pointer { .. });
    match is_scalar && is_lasting(place, changed) {
        true => Set::Element(local, place.span),
        false => Set::Whole(local),
    }
}

/// Whether a place written again after the statement is the same place.
fn is_lasting(place: &Place, changed: &[LocalId]) -> bool {
    match &place.kind {
        PlaceKind::Local(_) => true,
        PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => is_lasting(base, changed),
        PlaceKind::Index(base, index) => {
            let mut lasts = true;
            everything(index, &mut |expr| {
                lasts &= match &expr.kind {
                    ExprKind::Constant(_)
                    | ExprKind::Coordinate(..)
                    | ExprKind::Convert(_)
                    | ExprKind::Unary(..)
                    | ExprKind::Binary(..) => true,
                    ExprKind::Load(Place {
                        kind: PlaceKind::Local(local),
                        ..
                    }) => !changed.contains(local),
                    _ => false,
                };
            });
            lasts && is_lasting(base, changed)
        }
        PlaceKind::File(_) | PlaceKind::Deref(_) => false,
    }
}
