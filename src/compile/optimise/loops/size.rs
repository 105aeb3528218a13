//! How large a loop's body is to `nvcc` when it decides how often to unroll it.

use crate::compile::tree::{
    any_expr, bodies, expressions, own_expressions, same_place, same_value, walk, walk_expressions,
};
use crate::cuda::{
    BinaryOp, Expr, ExprKind, LocalId, MathFunction, Node, Place, PlaceKind, children,
    place_children,
};
use crate::cuda::{Function, Program, Stmt, StmtKind, Storage};

/// Largest body of a loop, in instructions of LLVM, of which four iterations are done together.
pub(super) const MOST_BY_FOUR: u32 = 53;
/// What a function with branches takes: two iterations with a sine are done together, not four; one of a power.
const WITH_BRANCHES: u32 = 60;

/// Loads, stores and arithmetic in statements, about as the compiler counts them: multiplications
/// that feed additions, addresses and the loop's own counting cost nothing.
#[derive(Clone, Copy)]
pub(crate) struct Sizes<'a> {
    pub program: &'a Program,
    /// The sizes of the functions that it may call.
    pub called: &'a [u32],
    pub function: &'a Function,
    /// The counter of a loop that is unrolled whole: what it decides is computed before.
    pub counter: Option<LocalId>,
}

impl Sizes<'_> {
    /// Whether a thread has a variable to itself, and it is no reference to another.
    pub fn is_own(&self, local: LocalId) -> bool {
        let declared = &self.function.locals[local];
        declared.storage == Storage::Thread && !declared.is_reference
    }

    /// Whether a function of a header is called, such as a size of a group of threads.
    pub fn is_library_call(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Call(id, _) if self.program.functions[id].is_library)
    }

    pub fn of(&self, stmts: &[Stmt]) -> u32 {
        sum(stmts.iter().map(|stmt| self.of_one(stmt)))
    }

    fn of_one(&self, stmt: &Stmt) -> u32 {
        let control = match &stmt.kind {
            StmtKind::If { .. } | StmtKind::Barrier => 1,
            StmtKind::Loop { .. } => 2,
            StmtKind::Switch { sections, .. } => 2 * sections.len() as u32,
            _ => 0,
        };
        let exprs = own_expressions(stmt).into_iter();
        let inner = bodies(stmt).into_iter().map(|body| self.of(body));
        let parts = exprs.map(|expr| self.expr(expr)).chain(inner);
        sum(parts.chain([control]))
    }

    fn expr(&self, expr: &Expr) -> u32 {
        // In each copy of the body the counter is a constant, and so is what it decides.
        if self.counter.is_some() && self.is_known(expr) {
            return 0;
        }
        let own = match &expr.kind {
            // A variable's own register costs nothing to read.
            ExprKind::Load(place) => u32::from(self.is_in_memory(place)),
            ExprKind::Assign(place, _) => u32::from(self.is_in_memory(place)),
            ExprKind::AssignOp {
                place, op, value, ..
            } => {
                // `y[i] += a * b` is a load, a store and one multiply-add: the product counts where it stands, and is
                // taken off here.
                let memory = 2 * u32::from(self.is_in_memory(place));
                memory + u32::from(place.ty.scalar().is_some()) - fused(*op, value)
            }
            ExprKind::Binary(op, a, b) => binary(*op, a, b),
            ExprKind::Math(function, _) => function.row().instruction_count,
            ExprKind::Shuffle { .. }
            | ExprKind::Vote { .. }
            | ExprKind::Reduce { .. }
            | ExprKind::Matrix(..)
            | ExprKind::Texture(..) => 1,
            ExprKind::Atomic { .. } | ExprKind::Conditional(..) => 1,
            ExprKind::Call(id, _) => self.called.get(*id).copied().unwrap_or(0),
            _ => 0,
        };
        let mut parts = own;
        children(expr, &mut |node| {
            parts = parts.saturating_add(self.node(node))
        });
        parts
    }

    /// Whether constants and the counter decide a value.
    fn is_known(&self, expr: &Expr) -> bool {
        let all = |operands: &[Expr]| operands.iter().all(|operand| self.is_known(operand));
        match &expr.kind {
            ExprKind::Constant(_) => true,
            ExprKind::Load(place) => {
                matches!(place.kind, PlaceKind::Local(local) if Some(local) == self.counter)
            }
            ExprKind::Convert(a) | ExprKind::Unary(_, a) => self.is_known(a),
            ExprKind::Binary(_, a, b) => self.is_known(a) && self.is_known(b),
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().all(|a| self.is_known(a)),
            ExprKind::Call(id, operands) => {
                let body = &self.program.functions[*id].body;
                let returns = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Return(Some(_)));
                body.len() == 1 && returns(&body[0]) && all(operands)
            }
            _ => false,
        }
    }

    fn node(&self, node: Node) -> u32 {
        match node {
            Node::Expr(expr) => self.expr(expr),
            Node::Place(place) => {
                let mut parts = 0_u32;
                place_children(place, &mut |node| {
                    parts = parts.saturating_add(self.node(node))
                });
                parts
            }
        }
    }

    /// How many instructions of LLVM an iteration takes, with the three that count it. All operations count, and what
    /// computes each index.
    pub fn in_llvm(&self, body: &[Stmt]) -> u32 {
        let (mut count, mut indices) = (3 + branches(body), Vec::<&Expr>::new());
        expressions(body, &mut |expr| {
            walk(expr, &mut |node| match node {
                Node::Expr(expr) => count += self.operation(expr),
                Node::Place(place) => {
                    let index = index_of(place).filter(|_| self.is_in_memory(place));
                    if let Some(index) = index
                        && !indices.iter().any(|known| same_value(known, index))
                    {
                        indices.push(index);
                        let is_sum = |expr: &Expr| matches!(expr.kind, ExprKind::Binary(..));
                        count += 1 + u32::from(any_expr(index, is_sum));
                    }
                }
            });
        });
        count
    }

    /// How many instructions of machine code an iteration takes, without what computes indices.
    pub fn in_machine(&self, body: &[Stmt]) -> u32 {
        let mut indices = 0;
        walk_expressions(body, &mut |expr| {
            if let ExprKind::Binary(op, a, b) = &expr.kind
                && !is_float(a)
                && !op.is_comparison()
            {
                indices += binary(*op, a, b);
            }
        });
        self.of(body).saturating_sub(indices)
    }

    /// An operation in LLVM, without its operands; an access has the one that computes its address.
    fn operation(&self, expr: &Expr) -> u32 {
        let access = |place: &Place| 2 * u32::from(self.is_in_memory(place));
        match &expr.kind {
            ExprKind::Load(place) => access(place),
            ExprKind::Assign(place, _) => access(place),
            ExprKind::AssignOp { place, .. } => 1 + access(place) + access(place) / 2,
            ExprKind::Binary(op, a, _) => u32::from(op.is_comparison() || is_float(a)),
            // Its angle or its operands are reduced first, with code for the largest ones.
            ExprKind::Math(MathFunction::Pow, _) => 2 * WITH_BRANCHES,
            ExprKind::Math(function, _) if function.row().has_branches => WITH_BRANCHES,
            ExprKind::Math(function, _) => function.row().instruction_count,
            ExprKind::Call(id, _) => self.called.get(*id).copied().unwrap_or(0),
            ExprKind::Conditional(..) | ExprKind::Atomic { .. } => 1,
            _ => 0,
        }
    }

    /// How many places in memory these statements name.
    pub fn places(&self, body: &[Stmt]) -> u32 {
        let mut places = Vec::<&Place>::new();
        walk_expressions(body, &mut |expr| {
            let place = match &expr.kind {
                ExprKind::Load(place) => place,
                ExprKind::Assign(place, _) | ExprKind::AssignOp { place, .. } => &**place,
                _ => return,
            };
            if self.is_in_memory(place) && !places.iter().any(|known| same_place(known, place)) {
                places.push(place);
            }
        });
        places.len() as u32
    }

    pub fn is_in_memory(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Local(local) => self.function.locals[*local].storage != Storage::Thread,
            PlaceKind::Deref(_) | PlaceKind::File(_) => true,
            PlaceKind::Index(base, _)
            | PlaceKind::Component(base, _)
            | PlaceKind::Member(base, _) => self.is_in_memory(base),
        }
    }
}

/// How many branches stand in these statements.
fn branches(body: &[Stmt]) -> u32 {
    let of_one = |stmt: &Stmt| {
        let inner = bodies(stmt).into_iter().map(|body| branches(body));
        sum(inner) + u32::from(matches!(stmt.kind, StmtKind::If { .. }))
    };
    sum(body.iter().map(of_one))
}

/// The index that a place is found by.
fn index_of(place: &Place) -> Option<&Expr> {
    match &place.kind {
        PlaceKind::Index(_, index) => Some(index),
        PlaceKind::Deref(pointer) => match &pointer.kind {
            ExprKind::PointerOffset(_, index) => Some(index),
            _ => None,
        },
        _ => None,
    }
}

/// Functions that call each other twice have sizes beyond all numbers.
fn sum(sizes: impl Iterator<Item = u32>) -> u32 {
    sizes.fold(0, u32::saturating_add)
}

fn is_float(expr: &Expr) -> bool {
    expr.ty.scalar().is_some_and(|scalar| scalar.is_float())
}

/// 1 if `op` takes in the product that `term` is.
fn fused(op: BinaryOp, term: &Expr) -> u32 {
    let is_product = matches!(term.kind, ExprKind::Binary(BinaryOp::Mul, ..));
    let adds = matches!(op, BinaryOp::Add | BinaryOp::Sub);
    u32::from(is_product && adds && is_float(term))
}

fn binary(op: BinaryOp, a: &Expr, b: &Expr) -> u32 {
    match (op, is_float(a)) {
        // A quotient of floats is some nine instructions.
        (BinaryOp::Div, true) => 9,
        (BinaryOp::Add | BinaryOp::Sub, true) => 1 - fused(op, a).max(fused(op, b)).min(1),
        (_, true) => 1,
        // Addresses: `4 * row` is part of the access.
        (BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem, false) => {
            u32::from(!matches!(b.kind, ExprKind::Constant(_)))
        }
        // Sums and shifts of integers are mostly parts of addresses, which cost nothing here.
        _ => 0,
    }
}
