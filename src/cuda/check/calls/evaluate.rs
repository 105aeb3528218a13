//! Calls of `constexpr` functions with constants, computed.
//!
//! Only scalars are computed; whatever else a function does leaves its call to the GPU.

use std::collections::HashMap;
use std::ops::Range;

use crate::source::Span;

use crate::cuda::resolve::{Checker, constant as constant_expr, promoted};
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

/// Where the objects lie that constructors begin while their calls are computed: at no address of anything else.
const OBJECTS: u64 = 1 << 48;

/// Most bytes of these objects.
const MOST_BYTES: usize = 1 << 20;

struct Evaluator<'a> {
    program: &'a Program,
    /// The bytes of the objects from [`OBJECTS`] on.
    objects: Vec<u8>,
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

impl<'a> Evaluator<'a> {
    fn new(program: &'a Program) -> Self {
        Evaluator {
            program,
            objects: Vec::new(),
            steps: 0,
            calls: 0,
        }
    }

    fn call(&mut self, id: FunctionId, arguments: &[u64]) -> Option<u64> {
        if self.calls >= MOST_CALLS {
            return None;
        }
        let function: &Function = self.program.functions.get(id)?;
        // Parameters are the first variables of a function, in order.
        let mut values: Values = arguments.iter().copied().enumerate().collect();
        self.calls += 1;
        let flow = self.stmts(&function.body, &mut values);
        self.calls -= 1;
        match flow? {
            Flow::Return(bits) => Some(bits),
            Flow::Next if function.returns == Type::Void => Some(0),
            _ => None,
        }
    }

    /// The bytes of the objects that are a place, if it is part of one.
    fn part(&mut self, place: &Place, values: &mut Values) -> Option<Range<usize>> {
        let begin = match &place.kind {
            PlaceKind::Deref(pointer) => {
                let address = self.expr(pointer, values)?;
                usize::try_from(address.checked_sub(OBJECTS)?).ok()?
            }
            PlaceKind::Member(base, field) => {
                let Type::Struct(of) = &base.ty else {
                    return None;
                };
                let offset = of.fields().get(*field)?.offset_bytes;
                self.part(base, values)?.start + offset as usize
            }
            PlaceKind::Index(base, index) => {
                let at = usize::try_from(self.expr(index, values)?).ok()?;
                let offset = at.checked_mul(place.ty.size_bytes() as usize)?;
                self.part(base, values)?.start.checked_add(offset)?
            }
            // A variable that holds an object: what the map has of it is where that lies.
            PlaceKind::Local(local) if place.ty.scalar().is_none() => {
                let next = OBJECTS + self.objects.len() as u64;
                let address = *values.entry(*local).or_insert(next);
                if address == next {
                    // Met for the first time: its bytes begin behind those of all others.
                    self.reserve(&place.ty)?;
                }
                (address - OBJECTS) as usize
            }
            // A number has no address here: what points to one is left to the GPU.
            _ => return None,
        };
        let end = begin.checked_add(place.ty.size_bytes() as usize)?;
        (end <= self.objects.len()).then_some(begin..end)
    }

    /// Makes room for one more object.
    fn reserve(&mut self, ty: &Type) -> Option<()> {
        let end = self.objects.len().next_multiple_of(16) + ty.size_bytes() as usize;
        let is_small = end <= MOST_BYTES;
        is_small.then(|| self.objects.resize(end.next_multiple_of(16), 0))
    }

    /// Copies an object to a place.
    fn copy(&mut self, place: &Place, value: &Expr, values: &mut Values) -> Option<u64> {
        match &value.kind {
            ExprKind::Comma(first, value) => {
                self.expr(first, values)?;
                self.copy(place, value, values)
            }
            ExprKind::Load(from) => {
                let (to, from) = (self.part(place, values)?, self.part(from, values)?);
                self.objects.copy_within(from, to.start);
                Some(0)
            }
            _ => None,
        }
    }

    /// What a variable, or a part of the object, holds.
    fn load(&mut self, place: &Place, values: &mut Values) -> Option<u64> {
        if let Some(local) = variable(place) {
            return values.get(&local).copied();
        }
        let of = place.ty.scalar()?;
        let part = self.part(place, values)?;
        Some(arithmetic::from_bytes(of, &self.objects[part]))
    }

    /// Gives a variable, or a part of the object, a value.
    fn store(&mut self, place: &Place, bits: u64, values: &mut Values) -> Option<u64> {
        match variable(place) {
            Some(local) => drop(values.insert(local, bits)),
            None => {
                place.ty.scalar()?;
                let part = self.part(place, values)?;
                let bytes = bits.to_le_bytes();
                self.objects[part.clone()].copy_from_slice(&bytes[..part.len()]);
            }
        }
        Some(bits)
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
                    // Of a variable in a loop a new value each time; the old one is never read.
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
            StmtKind::Return(value) => {
                // A `return` without a value gives 0, which nobody looks at.
                let bits = value.as_ref().map(|value| self.expr(value, values));
                return Some(Flow::Return(bits.unwrap_or(Some(0))?));
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
            ExprKind::Load(place) => self.load(place, values),
            ExprKind::AddressOf(place) => Some(OBJECTS + self.part(place, values)?.start as u64),
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
                if matches!(place.ty, Type::Struct(_)) {
                    return self.copy(place, value, values);
                }
                let bits = self.expr(value, values)?;
                self.store(place, bits, values)
            }
            ExprKind::AssignOp {
                place,
                op,
                value,
                computed,
            } => {
                let of = computed.scalar()?;
                let operand = self.expr(value, values)?;
                let stored_type = place.ty.scalar()?;
                let old = arithmetic::convert(stored_type, of, self.load(place, values)?)?;
                let new = arithmetic::binary(*op, of, old, operand, amount(value, operand)?)?;
                let bits = arithmetic::convert(of, stored_type, new)?;
                self.store(place, bits, values)
            }
            ExprKind::Step { place, up, prefix } => {
                let of = place.ty.scalar()?;
                let old = self.load(place, values)?;
                let by = if *up { 1 } else { -1 };
                if promoted(of).is_float() {
                    return None;
                }
                let new = arithmetic::wrap(of, arithmetic::integer(of, old) + by);
                self.store(place, new, values)?;
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
        // Only integers are shifted.
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
        let mut evaluator = Evaluator::new(&self.program);
        // Each may take long, and there may be many.
        if self.functions.effort.computed >= MOST_COMPUTED {
            return None;
        }
        let bits = evaluator.call(id, &arguments);
        // Also where nothing came of it: a failed attempt costs as much.
        self.functions.effort.computed += evaluator.steps;
        let bits = bits?;
        Some(constant_expr(returns, bits, span))
    }

    /// The bytes of an object that a constructor makes of constants, as `constexpr` ones are for variables of a file.
    pub fn constant_object(&mut self, made: &Expr) -> Option<Vec<u8>> {
        let ExprKind::Comma(call, object) = &made.kind else {
            return None;
        };
        let (ExprKind::Call(id, arguments), ExprKind::Load(place)) = (&call.kind, &object.kind)
        else {
            return None;
        };
        let (this, arguments) = arguments.split_first()?;
        if !matches!(&this.kind, ExprKind::AddressOf(of) if of == place) {
            return None;
        }
        let mut evaluator = Evaluator::new(&self.program);
        evaluator.reserve(&made.ty)?;
        let mut values = vec![OBJECTS];
        for argument in arguments {
            // Nothing of the caller is known here: only constants are computed.
            values.push(evaluator.expr(argument, &mut Values::new())?);
        }
        evaluator.call(*id, &values)?;
        evaluator.objects.truncate(made.ty.size_bytes() as usize);
        Some(evaluator.objects)
    }
}

/// The variable that a place is, if it holds a scalar or a pointer.
fn variable(place: &Place) -> Option<LocalId> {
    match (&place.kind, &place.ty) {
        (PlaceKind::Local(id), Type::Scalar(_) | Type::Pointer { .. }) => Some(*id),
        _ => None,
    }
}
