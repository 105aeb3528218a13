//! Calls of functions that only return an expression, such as `v[i]` of a vector: the expression takes the call's place.
//!
//! ```text
//! float at(int i) { return first[i]; }      s += at(k);   →   s += first[k];
//! ```
//!
//! A call costs as much as ten other operations, and programs verify their results with loops over such calls.

use crate::cuda::{Expr, ExprKind, Function, Place, PlaceKind, StmtKind, Type};
use crate::host::code::Slot;
use crate::source::Span;

use super::function::{Lowering, VariableLocation};
use super::place::Address;
use super::unit::is_aggregate;

/// Larger expressions are called: the call costs little beside them.
const MOST_NODES: u32 = 24;

/// What such a function returns; nothing of functions that do more.
pub fn returned(function: &Function) -> Option<&Expr> {
    let [statement] = &function.body[..] else {
        return None;
    };
    let StmtKind::Return(Some(value)) = &statement.kind else {
        return None;
    };
    let parameters = &function.locals[..function.parameter_count];
    let is_plain = function.locals.len() == parameters.len()
        && function.returns != Type::Void
        && !is_aggregate(&function.returns)
        && !parameters.iter().any(|local| is_aggregate(&local.ty));
    let mut left = MOST_NODES;
    (is_plain && is_simple(value, &mut left)).then_some(value)
}

/// Whether an expression changes nothing by itself and points at no parameter: the caller's variables may stand for them.
fn is_simple(expr: &Expr, left: &mut u32) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    match &expr.kind {
        ExprKind::Constant(_) => true,
        ExprKind::Load(place) => is_simple_place(place, left),
        ExprKind::AddressOf(place) => {
            !matches!(place.kind, PlaceKind::Local(_)) && is_simple_place(place, left)
        }
        ExprKind::Convert(inner) | ExprKind::Unary(_, inner) => is_simple(inner, left),
        ExprKind::Binary(_, a, b)
        | ExprKind::PointerOffset(a, b)
        | ExprKind::PointerDifference(a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b) => is_simple(a, left) && is_simple(b, left),
        ExprKind::Conditional(c, a, b) => [c, a, b].iter().all(|part| is_simple(part, left)),
        ExprKind::Call(_, arguments) => arguments.iter().all(|argument| is_simple(argument, left)),
        _ => false,
    }
}

fn is_simple_place(place: &Place, left: &mut u32) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::File(_) => true,
        PlaceKind::Deref(pointer) => is_simple(pointer, left),
        PlaceKind::Index(array, index) => is_simple_place(array, left) && is_simple(index, left),
        PlaceKind::Component(of, _) | PlaceKind::Member(of, _) => is_simple_place(of, left),
    }
}

/// A call whose function's expression takes its place.
pub struct Inlined<'p, 'e> {
    pub callee: &'p Function,
    /// What the function returns.
    pub value: &'p Expr,
    /// The arguments with their places, in the order in which they are evaluated.
    pub arguments: Vec<(usize, &'e Expr)>,
}

impl<'p> Lowering<'_, 'p> {
    /// The value of a call.
    pub fn inlined_value(
        &mut self,
        call: &Inlined<'p, '_>,
        want: Option<Slot>,
        span: Span,
    ) -> Slot {
        let to = self.target(want);
        let mark = self.slots.next;
        self.within(call, span, |lowering| lowering.value(call.value, Some(to)));
        self.slots.next = mark;
        to
    }

    /// Where the place is that a call returns a reference to.
    pub fn inlined_place(&mut self, pointer: &Expr, place: &Place) -> Option<Address> {
        let call = self.inlinable(pointer)?;
        Some(self.within(&call, pointer.span, |lowering| {
            lowering.pointed_at(call.value, place)
        }))
    }

    /// Lowers in the scope of a function that is called, over what its parameters get.
    fn within<T>(
        &mut self,
        call: &Inlined<'p, '_>,
        span: Span,
        lower: impl FnOnce(&mut Self) -> T,
    ) -> T {
        // A variable stands for the parameter that gets it, unless another argument may change it first.
        let mut left = u32::MAX;
        let mut changes = |argument: &Expr| !is_simple(argument, &mut left);
        let may_change = call.arguments.iter().any(|(_, argument)| changes(argument));
        let mut locations = vec![VariableLocation::Slot(0); call.arguments.len()];
        for &(at, argument) in &call.arguments {
            let own = may_change.then(|| self.temporary());
            locations[at] = VariableLocation::Slot(self.value(argument, own));
        }
        let own_homes = std::mem::replace(&mut self.locations, locations);
        let own = std::mem::replace(&mut self.function, call.callee);
        // A fault in it happens at the call, as the program has it.
        let is_outermost = self.flow.inlined_at.is_none();
        self.flow.inlined_at.get_or_insert(span);
        self.flow.inlined.push(own);
        let result = lower(self);
        self.flow.inlined.pop();
        if is_outermost {
            self.flow.inlined_at = None;
        }
        (self.function, self.locations) = (own, own_homes);
        result
    }

    /// Whether a call of `callee` may take its expression: a function that calls itself is called.
    pub fn may_inline(&self, callee: &Function) -> bool {
        let mut within = self.flow.inlined.iter().chain([&self.function]);
        !within.any(|function| std::ptr::eq(*function, callee))
    }
}
