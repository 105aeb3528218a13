//! What an expression assigns: variables of the thread, or parts of them.

use super::variables::{offset_bytes, variable_of};
use crate::cuda::{Expr, ExprKind, Function, LocalId, Place, PlaceKind, Type};
use crate::gpu::instrument::walk::with_operands;
use crate::source::Span;

/// Something that is assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Assigned {
    /// A whole variable.
    Whole(LocalId),
    /// Some bytes of it, as `p.x`.
    Part {
        local: LocalId,
        offset_bytes: u32,
        size_bytes: u32,
    },
    /// A number in an array, at an index that is known only when the kernel runs: as it is written,
    /// which means the same before and after.
    Element(LocalId, Span),
}

impl Assigned {
    /// The variable.
    pub fn local(&self) -> LocalId {
        match self {
            Assigned::Whole(local) | Assigned::Element(local, _) => *local,
            Assigned::Part { local, .. } => *local,
        }
    }
}

/// A place that an expression writes, or may write.
struct WrittenPlace<'a> {
    local: LocalId,
    place: &'a Place,
    /// Not through an address.
    is_direct: bool,
}

/// What evaluating `expr` assigns, or may assign through an address; each once. `a[i] = ++n` gives the
/// element `a[i]` and the whole `n`; `a[i++] = 0` gives the whole `a`, since `a[i]` is another element behind
/// it, and the whole `i`.
pub(super) fn assigned_by(function: &Function, expr: &Expr) -> Vec<Assigned> {
    let mut written = Vec::new();
    with_operands(expr, &mut |expr| {
        let (place, is_direct): (&Place, _) = match &expr.kind {
            ExprKind::Assign(place, _)
            | ExprKind::AssignOp { place, .. }
            | ExprKind::Step { place, .. } => (place, true),
            ExprKind::AddressOf(place) if is_mutable_pointer(&expr.ty) => (place, false),
            _ => return,
        };
        written.extend(variable_of(function, place).map(|local| WrittenPlace {
            local,
            place,
            is_direct,
        }));
    });
    // Also through addresses: the index of an element that is written again must not have changed.
    let changed: Vec<LocalId> = written.iter().map(|written| written.local).collect();
    let mut all = Vec::new();
    for written in written {
        let assigned = match written.is_direct {
            true => assigned_to(written.local, written.place, &changed),
            // From an element on, a pointer reaches the whole array.
            false => Assigned::Whole(written.local),
        };
        if !all.contains(&assigned) {
            all.push(assigned);
        }
    }
    let is_whole = |assigned: &Assigned| matches!(assigned, Assigned::Whole(_));
    let whole: Vec<Assigned> = all.iter().filter(|a| is_whole(a)).cloned().collect();
    // What a whole holds, its parts need not record.
    all.retain(|a| is_whole(a) || !whole.contains(&Assigned::Whole(a.local())));
    all
}

fn is_mutable_pointer(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Pointer {
            is_const: false,
            ..
        }
    )
}

fn assigned_to(local: LocalId, place: &Place, changed: &[LocalId]) -> Assigned {
    if matches!(place.kind, PlaceKind::Local(_)) {
        return Assigned::Whole(local);
    }
    if let Some(offset_bytes) = offset_bytes(place) {
        return Assigned::Part {
            local,
            offset_bytes,
            size_bytes: place.ty.size_bytes(),
        };
    }
    // A struct or vector at a variable index has parts of which none is known.
    let is_scalar = matches!(place.ty, Type::Scalar(_) | Type::Pointer { .. });
    match is_scalar && is_lasting(place, changed) {
        true => Assigned::Element(local, place.span),
        false => Assigned::Whole(local),
    }
}

/// Whether a place written again after the statement is the same place, where the statement changes the
/// variables `changed`: `a[i + 1]` is, unless `i` is one of them; `a[f(i)]` might not be.
fn is_lasting(place: &Place, changed: &[LocalId]) -> bool {
    match &place.kind {
        PlaceKind::Local(_) => true,
        PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => is_lasting(base, changed),
        PlaceKind::Index(base, index) => {
            let mut lasts = true;
            with_operands(index, &mut |expr| {
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
        // What lies behind a pointer is no variable of the thread.
        PlaceKind::File(_) | PlaceKind::Deref(_) => false,
    }
}
