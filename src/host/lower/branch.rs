//! Conditions that decide where to go on, without a value in between.

use crate::cuda::{BinaryOp, Expr, ExprKind, Scalar, UnaryOp};
use crate::host::code::{Op, Slot};

use super::function::{Label, Lowering};
use super::place::scalar_of;

impl Lowering<'_, '_> {
    /// Goes to `label` where the condition is what `when` says, else on.
    pub fn branch(&mut self, condition: &Expr, when: bool, label: Label) {
        let span = condition.span;
        let mark = self.slots.next;
        match &condition.kind {
            ExprKind::Constant(bits) => {
                if (*bits != 0) == when {
                    self.jump(label, span);
                }
            }
            ExprKind::Unary(UnaryOp::LogicalNot, inner) => self.branch(inner, !when, label),
            // a && b is false as soon as one is false; a || b is true as soon as one is true.
            ExprKind::And(a, b) => self.both(a, b, false, when, label),
            ExprKind::Or(a, b) => self.both(a, b, true, when, label),
            // Of floats `!(a < b)` is not `a >= b`: with NaN both are false.
            ExprKind::Binary(op, a, b) if op.is_comparison() && scalar_of(&a.ty).is_integer() => {
                let scalar = scalar_of(&a.ty);
                let a = self.value(a, None);
                let b = self.value(b, None);
                self.emit(comparison(*op, scalar, when, [a, b], label.0), span);
            }
            _ => {
                let a = self.value(condition, None);
                self.jump_when(a, when, label, span);
            }
        }
        self.slots.next = mark;
    }

    /// Two conditions of which the first decides alone where it is `decides`.
    fn both(&mut self, a: &Expr, b: &Expr, decides: bool, when: bool, label: Label) {
        // As of `if (!(a && b))`: each of the two jumps for itself.
        if decides == when {
            self.branch(a, when, label);
            return self.branch(b, when, label);
        }
        let behind = self.label();
        self.branch(a, decides, behind);
        self.branch(b, when, label);
        self.bind(behind);
    }
}

/// The jump of a comparison of integers or pointers.
fn comparison(op: BinaryOp, scalar: Scalar, when: bool, [a, b]: [Slot; 2], target: u32) -> Op {
    let op = match (op, when) {
        (op, true) => op,
        (BinaryOp::Eq, false) => BinaryOp::Ne,
        (BinaryOp::Ne, false) => BinaryOp::Eq,
        (BinaryOp::Lt, false) => BinaryOp::Ge,
        (BinaryOp::Le, false) => BinaryOp::Gt,
        (BinaryOp::Gt, false) => BinaryOp::Le,
        (_, false) => BinaryOp::Lt,
    };
    // Two orders are enough: the others are these with their sides exchanged.
    let (a, b, op) = match op {
        BinaryOp::Gt => (b, a, BinaryOp::Lt),
        BinaryOp::Ge => (b, a, BinaryOp::Le),
        op => (a, b, op),
    };
    match (op, scalar == Scalar::U64) {
        (BinaryOp::Eq, _) => Op::JumpEq { a, b, target },
        (BinaryOp::Ne, _) => Op::JumpNe { a, b, target },
        (BinaryOp::Lt, false) => Op::JumpLtI { a, b, target },
        (BinaryOp::Lt, true) => Op::JumpLtU { a, b, target },
        (_, false) => Op::JumpLeI { a, b, target },
        (_, true) => Op::JumpLeU { a, b, target },
    }
}
