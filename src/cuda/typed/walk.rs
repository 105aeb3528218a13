//! What expressions and places are made of, to look at and to change.

use super::program::{Expr, ExprKind, HostExpr, Initial, Place, PlaceKind};

// Rust cannot be generic over `&` and `&mut`.
/// Declares the steps down from an expression or a place, once over `&` and once over `&mut`.
macro_rules! steps_down {
    ($Node:ident, $children:ident, $place_children:ident, $iter:ident $(, $mutable:ident)?) => {
        /// An expression or a place: what expressions are made of.
        pub enum $Node<'a> {
            /// An expression.
            Expr(&'a $($mutable)? Expr),
            /// A place.
            Place(&'a $($mutable)? Place),
        }

        /// Shows `visit` the expressions and places directly inside an expression.
        pub fn $children<'a>(
            expr: &'a $($mutable)? Expr,
            visit: &mut dyn FnMut($Node<'a>),
        ) {
            use ExprKind::*;
            match & $($mutable)? expr.kind {
                // What only the host does is made of other things: see `HostExpr`. No pass looks into it.
                Constant(_) | Coordinate(..) | ActiveMask | Clock | Trap(None) | VirtualTable { .. } | Host(_) => {}
                Load(place) | AddressOf(place) => visit($Node::Place(place)),
                Step { place, .. } => visit($Node::Place(place)),
                Convert(a)
                | Unary(_, a)
                | Component(a, _)
                | Member(a, _)
                | BarrierVote(_, a)
                | Trap(Some(a)) => visit($Node::Expr(a)),
                MathTo { outputs, operand, .. } => {
                    outputs.$iter().for_each(|(_, a)| visit($Node::Expr(a)));
                    visit($Node::Expr(operand));
                }
                Binary(_, a, b)
                | PointerOffset(a, b)
                | PointerDifference(a, b)
                | And(a, b)
                | Or(a, b)
                | Comma(a, b)
                | Vote { mask: a, predicate: b, .. }
                | Reduce { mask: a, value: b, .. } => {
                    visit($Node::Expr(a));
                    visit($Node::Expr(b));
                }
                Conditional(a, b, c) | Shuffle { mask: a, value: b, lane: c, .. } => {
                    [a, b, c].into_iter().for_each(|a| visit($Node::Expr(a)));
                }
                Match { mask, value, all } => {
                    let parts = [mask, value].into_iter().chain(all);
                    parts.for_each(|a| visit($Node::Expr(a)));
                }
                Assign(place, value) | AssignOp { place, value, .. } => {
                    visit($Node::Place(place));
                    visit($Node::Expr(value));
                }
                Atomic { pointer, operands, .. } => {
                    visit($Node::Expr(pointer));
                    operands.$iter().for_each(|a| visit($Node::Expr(a)));
                }
                Call(_, operands)
                | Math(_, operands)
                | Matrix(_, operands)
                | Texture(_, operands)
                | Launch(_, operands)
                | Nothing(operands)
                | Order(_, operands)
                | Vector(operands)
                | Struct(operands)
                | Print { values: operands, .. } => {
                    operands.$iter().for_each(|a| visit($Node::Expr(a)));
                }
            }
        }

        /// Shows `visit` what is directly inside a place.
        pub fn $place_children<'a>(
            place: &'a $($mutable)? Place,
            visit: &mut dyn FnMut($Node<'a>),
        ) {
            match & $($mutable)? place.kind {
                PlaceKind::Local(_) | PlaceKind::File(_) => {}
                PlaceKind::Deref(pointer) => visit($Node::Expr(pointer)),
                PlaceKind::Index(base, index) => {
                    visit($Node::Place(base));
                    visit($Node::Expr(index));
                }
                PlaceKind::Component(base, _) | PlaceKind::Member(base, _) => {
                    visit($Node::Place(base));
                }
            }
        }
    };
}

steps_down!(Node, children, place_children, iter);
steps_down!(NodeMut, children_mut, place_children_mut, iter_mut, mut);

impl Expr {
    /// Whether evaluating it changes anything, or may.
    pub fn has_effects(&self) -> bool {
        match &self.kind {
            ExprKind::Host(host) => {
                !matches!(**host, HostExpr::FunctionAddress(_) | HostExpr::Text(_))
            }
            ExprKind::Assign(..)
            | ExprKind::AssignOp { .. }
            | ExprKind::Step { .. }
            | ExprKind::Call(..)
            | ExprKind::Atomic { .. }
            | ExprKind::Print { .. } => true,
            _ => {
                let mut found = false;
                children(self, &mut |node| found |= node.has_effects());
                found
            }
        }
    }
}

impl Node<'_> {
    fn has_effects(self) -> bool {
        let mut found = false;
        match self {
            Node::Expr(expr) => return expr.has_effects(),
            Node::Place(place) => place_children(place, &mut |node| found |= node.has_effects()),
        }
        found
    }
}

/// What is done with each place.
type Change<'a> = &'a mut dyn FnMut(&mut Place);

impl Expr {
    /// Calls `change` for each place in it, those within others first; also in what only the host does.
    pub fn for_places(&mut self, change: Change) {
        match &mut self.kind {
            ExprKind::Host(host) => host.for_places(change),
            _ => children_mut(self, &mut |node| node.for_places(change)),
        }
    }
}

impl NodeMut<'_> {
    fn for_places(self, change: Change) {
        match self {
            NodeMut::Expr(expr) => expr.for_places(change),
            NodeMut::Place(place) => {
                place_children_mut(place, &mut |node| node.for_places(change));
                change(place);
            }
        }
    }
}

fn each<'a>(all: impl IntoIterator<Item = &'a mut Box<Expr>>, change: Change) {
    all.into_iter().for_each(|e| e.for_places(change));
}

fn list(all: &mut [Expr], change: Change) {
    all.iter_mut().for_each(|e| e.for_places(change));
}

impl HostExpr {
    fn for_places(&mut self, change: Change) {
        match self {
            HostExpr::FunctionAddress(_) | HostExpr::Text(_) => {}
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
