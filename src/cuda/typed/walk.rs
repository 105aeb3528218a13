//! The places in an expression, to be replaced.

use super::program::{Expr, ExprKind, HostExpr, Initial, Place, PlaceKind};

/// What is done with each place.
type Change<'a> = &'a mut dyn FnMut(&mut Place);

impl Expr {
    /// Calls `change` for each place in it, those within others first.
    pub fn for_places(&mut self, change: Change) {
        use ExprKind::*;
        match &mut self.kind {
            Constant(_) | Coordinate(..) | ActiveMask | Clock | Trap(None) => {}
            Load(place) | AddressOf(place) => place.for_places(change),
            Step { place, .. } => place.for_places(change),
            Convert(a) | Unary(_, a) | BarrierVote(_, a) => a.for_places(change),
            Component(a, _) | Member(a, _) | Trap(Some(a)) => a.for_places(change),
            Binary(_, a, b) | PointerOffset(a, b) | PointerDifference(a, b) => each([a, b], change),
            And(a, b) | Or(a, b) | Comma(a, b) => each([a, b], change),
            Conditional(a, b, c) => each([a, b, c], change),
            Assign(place, value) | AssignOp { place, value, .. } => {
                place.for_places(change);
                value.for_places(change);
            }
            Call(_, all) | Math(_, all) | Matrix(_, all) | Texture(_, all) => list(all, change),
            Nothing(all) | Order(_, all) | Vector(all) | Struct(all) => list(all, change),
            Print { values: all, .. } | Launch(_, all) => list(all, change),
            Shuffle { .. } | Vote { .. } | Reduce { .. } | Match { .. } => {
                self.for_places_among_lanes(change);
            }
            Atomic {
                pointer, operands, ..
            } => {
                pointer.for_places(change);
                list(operands, change);
            }
            MathTo {
                outputs, operand, ..
            } => {
                outputs.iter_mut().for_each(|(_, e)| e.for_places(change));
                operand.for_places(change);
            }
            Host(host) => host.for_places(change),
        }
    }

    /// The same for what lanes of a warp exchange.
    fn for_places_among_lanes(&mut self, change: Change) {
        use ExprKind::*;
        match &mut self.kind {
            Shuffle {
                mask, value, lane, ..
            } => each([mask, value, lane], change),
            Vote {
                mask, predicate, ..
            } => each([mask, predicate], change),
            Reduce { mask, value, .. } => each([mask, value], change),
            Match {
                mask, value, all, ..
            } => each([mask, value].into_iter().chain(all), change),
            kind => unreachable!("{kind:?} is walked by `for_places`"),
        }
    }
}

fn each<'a>(all: impl IntoIterator<Item = &'a mut Box<Expr>>, change: Change) {
    all.into_iter().for_each(|e| e.for_places(change));
}

fn list(all: &mut [Expr], change: Change) {
    all.iter_mut().for_each(|e| e.for_places(change));
}

impl Place {
    fn for_places(&mut self, change: Change) {
        match &mut self.kind {
            PlaceKind::Local(_) | PlaceKind::File(_) => {}
            PlaceKind::Deref(pointer) => pointer.for_places(change),
            PlaceKind::Index(base, index) => {
                base.for_places(change);
                index.for_places(change);
            }
            PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => base.for_places(change),
        }
        change(self);
    }
}

impl HostExpr {
    fn for_places(&mut self, change: Change) {
        match self {
            HostExpr::FunctionAddress(_) | HostExpr::VirtualTable(_) | HostExpr::Text(_) => {}
            HostExpr::CallPointer(first, all)
            | HostExpr::CallVirtual {
                object: first,
                arguments: all,
                ..
            } => {
                first.for_places(change);
                list(all, change);
            }
            HostExpr::Library(_, all) => list(all, change),
            HostExpr::Launch(of) => {
                let sizes = [&mut of.grid, &mut of.block, &mut of.shared, &mut of.stream];
                each(sizes, change);
                list(&mut of.arguments, change);
            }
            HostExpr::New(new) => {
                each(new.count.iter_mut().chain(&mut new.at), change);
                match &mut new.initial {
                    Initial::Unset | Initial::Zero => {}
                    Initial::Value(value) => value.for_places(change),
                    Initial::Constructed(_, all) => list(all, change),
                }
            }
            HostExpr::Delete(delete) => delete.pointer.for_places(change),
            HostExpr::TemporaryBegins(object) => object.pointer.for_places(change),
            HostExpr::Throw(thrown) => {
                each(thrown.iter_mut().map(|thrown| &mut thrown.value), change);
            }
        }
    }
}
