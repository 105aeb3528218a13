//! The places in an expression, to be replaced.

use super::program::{Expr, ExprKind, HostExpr, Initial, Object, Place, PlaceKind};

impl Expr {
    /// Calls `change` for each place in it, those within others first.
    pub fn for_places(&mut self, change: &mut dyn FnMut(&mut Place)) {
        use ExprKind::*;
        match &mut self.kind {
            Constant(_) | Coordinate(..) | ActiveMask | Clock | Trap(None) => {}
            Load(place) | AddressOf(place) => place.for_places(change),
            Step { place, .. } => place.for_places(change),
            Convert(a)
            | Unary(_, a)
            | BarrierVote(_, a)
            | Component(a, _)
            | Member(a, _)
            | Trap(Some(a)) => a.for_places(change),
            Binary(_, a, b)
            | PointerOffset(a, b)
            | PointerDifference(a, b)
            | And(a, b)
            | Or(a, b)
            | Comma(a, b) => {
                a.for_places(change);
                b.for_places(change);
            }
            Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| e.for_places(change)),
            Assign(place, value) => {
                place.for_places(change);
                value.for_places(change);
            }
            AssignOp { place, value, .. } => {
                place.for_places(change);
                value.for_places(change);
            }
            Call(_, all)
            | Math(_, all)
            | Matrix(_, all)
            | Texture(_, all)
            | Nothing(all)
            | Vector(all)
            | Struct(all) => all.iter_mut().for_each(|e| e.for_places(change)),
            Print { values, .. } => values.iter_mut().for_each(|e| e.for_places(change)),
            Shuffle {
                mask, value, lane, ..
            } => [mask, value, lane]
                .into_iter()
                .for_each(|e| e.for_places(change)),
            Vote {
                mask, predicate, ..
            } => [mask, predicate]
                .into_iter()
                .for_each(|e| e.for_places(change)),
            Reduce { mask, value, .. } => {
                [mask, value].into_iter().for_each(|e| e.for_places(change));
            }
            Atomic {
                pointer, operands, ..
            } => {
                pointer.for_places(change);
                operands.iter_mut().for_each(|e| e.for_places(change));
            }
            Match {
                mask, value, all, ..
            } => {
                let all = all.iter_mut();
                [mask, value]
                    .into_iter()
                    .chain(all)
                    .for_each(|e| e.for_places(change));
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
}

impl Place {
    fn for_places(&mut self, change: &mut dyn FnMut(&mut Place)) {
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
    fn for_places(&mut self, change: &mut dyn FnMut(&mut Place)) {
        match self {
            HostExpr::FunctionAddress(_) | HostExpr::VirtualTable(_) | HostExpr::Text(_) => {}
            HostExpr::CallPointer(callee, all) => {
                callee.for_places(change);
                all.iter_mut().for_each(|e| e.for_places(change));
            }
            HostExpr::CallVirtual {
                object, arguments, ..
            } => {
                object.for_places(change);
                arguments.iter_mut().for_each(|e| e.for_places(change));
            }
            HostExpr::Library(_, all) => all.iter_mut().for_each(|e| e.for_places(change)),
            HostExpr::Launch(launch) => {
                let sizes = [
                    &mut launch.grid,
                    &mut launch.block,
                    &mut launch.shared,
                    &mut launch.stream,
                ];
                sizes.into_iter().for_each(|e| e.for_places(change));
                launch
                    .arguments
                    .iter_mut()
                    .for_each(|e| e.for_places(change));
            }
            HostExpr::New(new) => {
                let parts = new.count.iter_mut().chain(&mut new.at);
                parts.for_each(|e| e.for_places(change));
                match &mut new.initial {
                    Initial::Unset | Initial::Zero => {}
                    Initial::Value(value) => value.for_places(change),
                    Initial::Constructed(_, all) => {
                        all.iter_mut().for_each(|e| e.for_places(change));
                    }
                }
            }
            HostExpr::Delete(delete) => delete.pointer.for_places(change),
            HostExpr::TemporaryBegins(Object { pointer, .. }) => pointer.for_places(change),
            HostExpr::Throw(thrown) => {
                thrown
                    .iter_mut()
                    .for_each(|thrown| thrown.value.for_places(change));
            }
        }
    }
}
