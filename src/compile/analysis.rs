//! What a kernel reaches, and which variables must live in memory.

use std::collections::HashSet;

use crate::cuda::{
    Expr, ExprKind, FunctionId, Initializer, LocalId, Place, PlaceKind, Program, Stmt, StmtKind,
    Storage, Type,
};

/// What [`analyse`] finds.
#[derive(Debug, Default)]
pub(super) struct Analysis {
    /// Functions that run, the kernel first.
    pub reached: Vec<FunctionId>,
    /// Variables of threads that need an address: arrays, and those whose address is taken.
    pub in_memory: HashSet<(FunctionId, LocalId)>,
}

/// Follows calls from `kernel` and looks at every place whose address is taken.
pub(super) fn analyse(program: &Program, kernel: FunctionId) -> Analysis {
    let mut analysis = Analysis {
        reached: vec![kernel],
        in_memory: HashSet::new(),
    };
    let mut next = 0;
    while let Some(&id) = analysis.reached.get(next) {
        next += 1;
        for (local, declared) in program.functions[id].locals.iter().enumerate() {
            let is_array = matches!(declared.ty, Type::Array(..));
            if declared.storage == Storage::Thread && is_array {
                analysis.in_memory.insert((id, local));
            }
        }
        Walker {
            analysis: &mut analysis,
            id,
        }
        .stmts(&program.functions[id].body);
    }
    analysis
}

struct Walker<'a> {
    analysis: &'a mut Analysis,
    id: FunctionId,
}

impl Walker<'_> {
    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(expr) | StmtKind::SyncWarp(expr) => self.expr(expr),
            StmtKind::Declare {
                init: Some(Initializer::Value(value)),
                ..
            } => self.expr(value),
            StmtKind::Declare {
                init: Some(Initializer::List(values)),
                ..
            } => {
                values.iter().for_each(|value| self.expr(value));
            }
            StmtKind::Block(body) => self.stmts(body),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition);
                self.stmts(then);
                self.stmts(otherwise);
            }
            StmtKind::Loop {
                init,
                condition,
                step,
                body,
                ..
            } => {
                self.stmts(init);
                condition
                    .iter()
                    .chain(step)
                    .for_each(|expr| self.expr(expr));
                self.stmts(body);
            }
            StmtKind::Return(Some(value)) => self.expr(value),
            StmtKind::Declare { init: None, .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)
            | StmtKind::Barrier => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        use ExprKind::*;
        match &expr.kind {
            Constant(_) | Coordinate(..) | ActiveMask | Clock | Trap(None) => {}
            Load(place) => self.place(place),
            Step { place, .. } => self.place(place),
            AddressOf(place) => {
                if let Some(local) = root(place) {
                    self.analysis.in_memory.insert((self.id, local));
                }
                self.place(place);
            }
            Convert(operand)
            | Unary(_, operand)
            | Component(operand, _)
            | BarrierVote(_, operand)
            | Trap(Some(operand)) => self.expr(operand),
            Reduce { mask, value, .. } => {
                self.expr(mask);
                self.expr(value);
            }
            Match { mask, value, all } => {
                let operands = [mask, value].into_iter().chain(all);
                operands.for_each(|operand| self.expr(operand));
            }
            Atomic {
                pointer, operands, ..
            } => {
                self.expr(pointer);
                operands.iter().for_each(|operand| self.expr(operand));
            }
            MathTo {
                outputs, operand, ..
            } => {
                outputs.iter().for_each(|(_, pointer)| self.expr(pointer));
                self.expr(operand);
            }
            Binary(_, a, b)
            | PointerOffset(a, b)
            | PointerDifference(a, b)
            | And(a, b)
            | Or(a, b)
            | Comma(a, b)
            | Vote {
                mask: a,
                predicate: b,
                ..
            } => {
                self.expr(a);
                self.expr(b);
            }
            Conditional(a, b, c)
            | Shuffle {
                mask: a,
                value: b,
                lane: c,
                ..
            } => {
                [a, b, c].into_iter().for_each(|operand| self.expr(operand));
            }
            Assign(place, value) | AssignOp { place, value, .. } => {
                self.place(place);
                self.expr(value);
            }
            Call(function, arguments) => {
                if !self.analysis.reached.contains(function) {
                    self.analysis.reached.push(*function);
                }
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            Math(_, operands)
            | Vector(operands)
            | Nothing(operands)
            | Print {
                values: operands, ..
            } => {
                operands.iter().for_each(|operand| self.expr(operand));
            }
        }
    }

    fn place(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Local(_) => {}
            PlaceKind::Deref(pointer) => self.expr(pointer),
            PlaceKind::Index(base, index) => {
                self.place(base);
                self.expr(index);
            }
            PlaceKind::Component(base, _) => self.place(base),
        }
    }
}

/// The variable that a place is part of, unless it lies behind a pointer.
fn root(place: &Place) -> Option<LocalId> {
    match &place.kind {
        PlaceKind::Local(local) => Some(*local),
        PlaceKind::Deref(_) => None,
        PlaceKind::Index(base, _) | PlaceKind::Component(base, _) => root(base),
    }
}
