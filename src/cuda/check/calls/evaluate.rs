//! Calls of `constexpr` functions with constants, computed.
//!
//! Only scalars are computed; whatever else a function does leaves its call to the GPU.

use std::collections::HashMap;

use crate::source::Span;

use super::callee::UNFINISHED;
use crate::cuda::resolve::{BodyState, Checker, Signature, constant as constant_expr, promoted};
use crate::cuda::typed::{
    Expr, ExprKind, Function, FunctionId, Initializer, LocalId, Place, PlaceKind, Program, Stmt,
    StmtKind, Type, arithmetic,
};

/// Most statements and expressions of one computation.
// Nothing else ends a `constexpr` function that loops for ever.
const MOST_STEPS: u32 = 200_000;

/// Most statements and expressions of all computations of a file.
const MOST_COMPUTED: u32 = 20_000_000;

/// Most calls within each other.
const MOST_CALLS: u32 = 64;

struct Evaluator<'a> {
    program: &'a Program,
    signatures: &'a [Signature],
    steps: u32,
    calls: u32,
}

/// What the variables of a call hold.
type Values = HashMap<LocalId, u64>;

/// How a statement ended.
enum Flow {
    Next,
    Break,
    Continue,
    Return(u64),
}

impl Evaluator<'_> {
    fn call(&mut self, id: FunctionId, arguments: &[u64]) -> Option<u64> {
        if self.calls >= MOST_CALLS {
            return None;
        }
        // From `UNFINISHED` on they are numbers of signatures: the function was still open when the call was checked.
        let id = match id.checked_sub(UNFINISHED) {
            None => id,
            Some(signature) => match self.signatures.get(signature)?.state {
                BodyState::Done(id) => id,
                _ => return None,
            },
        };
        let function: &Function = self.program.functions.get(id)?;
        // Parameters are the first variables of a function, in order.
        let mut values: Values = arguments.iter().copied().enumerate().collect();
        self.calls += 1;
        let flow = self.stmts(&function.body, &mut values);
        self.calls -= 1;
        match flow? {
            Flow::Return(bits) => Some(bits),
            _ => None,
        }
    }

    fn step(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps < MOST_STEPS).then_some(())
    }

    fn stmts(&mut self, stmts: &[Stmt], values: &mut Values) -> Option<Flow> {
        for stmt in stmts {
            match self.stmt(stmt, values)? {
                Flow::Next => {}
                flow => return Some(flow),
            }
        }
        Some(Flow::Next)
    }

    fn stmt(&mut self, stmt: &Stmt, values: &mut Values) -> Option<Flow> {
        self.step()?;
        match &stmt.kind {
            StmtKind::Expr(expr) => drop(self.expr(expr, values)?),
            StmtKind::Declare { local, init } => match init {
                Some(Initializer::Value(value)) => {
                    let bits = self.expr(value, values)?;
                    values.insert(*local, bits);
                }
                Some(Initializer::List(_)) => return None,
                // It is not in the map: whoever reads it before it is set leaves the call to the GPU.
                None => {}
            },
            StmtKind::Block(body) => return self.stmts(body, values),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let chosen = match self.expr(condition, values)? {
                    0 => otherwise,
                    _ => then,
                };
                return self.stmts(chosen, values);
            }
            StmtKind::Loop { .. } => return self.repeat(stmt, values),
            StmtKind::Break => return Some(Flow::Break),
            StmtKind::Continue => return Some(Flow::Continue),
            StmtKind::Return(Some(value)) => {
                return Some(Flow::Return(self.expr(value, values)?));
            }
            _ => return None,
        }
        Some(Flow::Next)
    }

    fn repeat(&mut self, stmt: &Stmt, values: &mut Values) -> Option<Flow> {
        let StmtKind::Loop {
            init,
            condition,
            step,
            body,
            test_first,
        } = &stmt.kind
        else {
            return None;
        };
        self.stmts(init, values)?;
        let mut tests = *test_first;
        loop {
            self.step()?;
            if let (true, Some(condition)) = (tests, condition)
                && self.expr(condition, values)? == 0
            {
                return Some(Flow::Next);
            }
            // The body of `do` runs once before the first test.
            tests = true;
            match self.stmts(body, values)? {
                Flow::Break => return Some(Flow::Next),
                Flow::Return(bits) => return Some(Flow::Return(bits)),
                Flow::Next | Flow::Continue => {}
            }
            if let Some(step) = step {
                self.expr(step, values)?;
            }
        }
    }

    fn expr(&mut self, expr: &Expr, values: &mut Values) -> Option<u64> {
        self.step()?;
        match &expr.kind {
            ExprKind::Constant(bits) => Some(*bits),
            ExprKind::Load(place) => values.get(&local(place)?).copied(),
            ExprKind::Convert(inner) => {
                let bits = self.expr(inner, values)?;
                arithmetic::convert(inner.ty.scalar()?, expr.ty.scalar()?, bits)
            }
            ExprKind::Unary(op, inner) => {
                let bits = self.expr(inner, values)?;
                arithmetic::unary(*op, inner.ty.scalar()?, bits)
            }
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.expr(a, values)?, self.expr(b, values)?);
                arithmetic::binary(*op, a.ty.scalar()?, x, y, amount(b, y)?)
            }
            // [expr.log.and]: if the left side is false the right one is not computed, and may have no value.
            ExprKind::And(a, b) => match self.expr(a, values)? {
                0 => Some(0),
                _ => self.expr(b, values),
            },
            ExprKind::Or(a, b) => match self.expr(a, values)? {
                0 => self.expr(b, values),
                _ => Some(1),
            },
            ExprKind::Conditional(condition, a, b) => match self.expr(condition, values)? {
                0 => self.expr(b, values),
                _ => self.expr(a, values),
            },
            ExprKind::Comma(a, b) => self.expr(a, values).and(self.expr(b, values)),
            ExprKind::Call(id, arguments) => {
                let bits = arguments.iter().map(|argument| self.expr(argument, values));
                let bits: Vec<u64> = bits.collect::<Option<_>>()?;
                self.call(*id, &bits)
            }
            _ => self.change(expr, values),
        }
    }

    /// An expression that gives a variable another value.
    fn change(&mut self, expr: &Expr, values: &mut Values) -> Option<u64> {
        match &expr.kind {
            ExprKind::Assign(place, value) => {
                let bits = self.expr(value, values)?;
                values.insert(local(place)?, bits);
                Some(bits)
            }
            ExprKind::AssignOp {
                place,
                op,
                value,
                computed,
            } => {
                let (at, of) = (local(place)?, computed.scalar()?);
                let operand = self.expr(value, values)?;
                let stored_type = place.ty.scalar()?;
                let old = arithmetic::convert(stored_type, of, *values.get(&at)?)?;
                let new = arithmetic::binary(*op, of, old, operand, amount(value, operand)?)?;
                let bits = arithmetic::convert(of, stored_type, new)?;
                values.insert(at, bits);
                Some(bits)
            }
            ExprKind::Step { place, up, prefix } => {
                let (at, of) = (local(place)?, place.ty.scalar()?);
                let old = *values.get(&at)?;
                let by = if *up { 1 } else { -1 };
                if promoted(of).is_float() {
                    return None;
                }
                let new = arithmetic::wrap(of, arithmetic::integer(of, old) + by);
                values.insert(at, new);
                Some(if *prefix { new } else { old })
            }
            _ => None,
        }
    }
}

/// By how much a shift shifts, whatever the type of its right side.
fn amount(right: &Expr, bits: u64) -> Option<i128> {
    Some(match right.ty.scalar()? {
        of if of.is_integer() => arithmetic::integer(of, bits),
        _ => 0,
    })
}

impl Checker {
    /// The value of a call, if the function is `constexpr` and the arguments are constants.
    pub fn folded_call(
        &mut self,
        index: usize,
        template: Option<usize>,
        values: &[Expr],
        span: Span,
    ) -> Option<Expr> {
        let signature = &self.functions.signatures[index];
        signature.function.specifiers.constexpr?;
        signature.function.body.as_ref()?;
        let mut arguments = Vec::with_capacity(values.len());
        for value in values {
            match value.kind {
                ExprKind::Constant(bits) => arguments.push(bits),
                _ => return None,
            }
        }
        let id = match template {
            Some(template) => self.instance_body(index, template)?,
            None => self.body_of(index)?,
        };
        let returns = self.program.functions[id].returns.clone();
        returns.scalar()?;
        let mut evaluator = Evaluator {
            program: &self.program,
            signatures: &self.functions.signatures,
            steps: 0,
            calls: 0,
        };
        // Each may take long, and there may be many.
        if self.functions.effort.computed >= MOST_COMPUTED {
            return None;
        }
        let bits = evaluator.call(id, &arguments);
        self.functions.effort.computed += evaluator.steps;
        let bits = bits?;
        Some(constant_expr(returns, bits, span))
    }
}

/// The scalar variable that a place is.
fn local(place: &Place) -> Option<LocalId> {
    match (&place.kind, &place.ty) {
        (PlaceKind::Local(id), Type::Scalar(_)) => Some(*id),
        _ => None,
    }
}
