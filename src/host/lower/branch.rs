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
            ExprKind::And(a, b) => self.both(a, b, when, label),
            // a || b is !(!a && !b).
            ExprKind::Or(a, b) => match when {
                true => {
                    self.branch(a, true, label);
                    self.branch(b, true, label);
                }
                false => {
                    let behind = self.label();
                    self.branch(a, true, behind);
                    self.branch(b, false, label);
                    self.bind(behind);
                }
            },
            ExprKind::Binary(op, a, b) if op.is_comparison() && scalar_of(&a.ty).is_integer() => {
                let scalar = scalar_of(&a.ty);
                let a = self.value(a, None);
                let b = self.value(b, None);
                self.emit(comparison(*op, scalar, when, [a, b], label.0), span);
            }
            _ => {
                let a = self.value(condition, None);
                let target = label.0;
                self.emit(
                    match when {
                        true => Op::JumpIf { a, target },
                        false => Op::JumpUnless { a, target },
                    },
                    span,
                );
            }
        }
        self.slots.next = mark;
    }

    fn both(&mut self, a: &Expr, b: &Expr, when: bool, label: Label) {
        match when {
            false => {
                self.branch(a, false, label);
                self.branch(b, false, label);
            }
            true => {
                let behind = self.label();
                self.branch(a, false, behind);
                self.branch(b, true, label);
                self.bind(behind);
            }
        }
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
