//! Expressions: values into registers.

use super::kernel::{Lower, words};
use super::operator::{self, Kind, kind};
use crate::compile::tree::field;
use crate::cuda::{
    Axis, BinaryOp, Coordinate, Expr, ExprKind, Scalar, ShuffleKind, Type, UnaryOp, VoteKind,
};
use crate::ir::{Op, Register};

impl Lower<'_> {
    /// Evaluates `expr` into `into`, or wherever its value comes to be. That may be the home of
    /// a variable: the value must be used before the variable changes.
    pub fn expr(&mut self, expr: &Expr, into: Option<Register>) -> Register {
        if self.as_written || !self.is_worth_knowing(expr) {
            return self.compute(expr, into);
        }
        let (function, size) = (self.context.function, words(&expr.ty));
        if let Some(known) = self.emitter.reuse.find(function, expr) {
            return self.settle(known, size, into);
        }
        if let ExprKind::Load(place) = &expr.kind
            && let Some(known) = self.known_load(place)
        {
            return self.settle(known, size, into);
        }
        let register = self.compute(expr, into);
        if into.is_none() {
            self.remember(expr, register);
            self.remember_load(expr, register);
        }
        register
    }

    fn compute(&mut self, expr: &Expr, into: Option<Register>) -> Register {
        let size = words(&expr.ty);
        match &expr.kind {
            ExprKind::Constant(bits) => {
                let register = self.constant(*bits, size);
                self.settle(register, size, into)
            }
            ExprKind::Load(_) if self.is_alias(expr) => self.pointer_plus(expr, into),
            ExprKind::Load(place) => {
                let at = self.locate(place);
                self.reads(place);
                self.load(at, &place.ty, place.span, into)
            }
            ExprKind::AddressOf(place) => self.pointer_to(place, into),
            ExprKind::PointerOffset(..) => self.pointer_plus(expr, into),
            ExprKind::PointerDifference(a, b) => self.difference(a, b, into),
            ExprKind::Coordinate(what, axis) => {
                let register = self.emitter.coordinate(coordinate(*what, *axis));
                self.settle(register, 1, into)
            }
            ExprKind::ActiveMask => self.operation(Op::ActiveMask, 1, &[], into),
            ExprKind::Convert(operand) => {
                let register = self.expr(operand, None);
                self.convert(register, &operand.ty, &expr.ty, into)
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, into),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, into),
            ExprKind::And(a, b) => self.logical(a, b, true, into),
            ExprKind::Or(a, b) => self.logical(a, b, false, into),
            ExprKind::Conditional(condition, a, b) => self.conditional(condition, a, b, into),
            ExprKind::Assign(place, value) => self.assign(place, value, into),
            ExprKind::AssignOp {
                place,
                op,
                value,
                computed,
            } => self.assign_op(place, *op, value, computed, into),
            ExprKind::Step { place, up, prefix } => self.step(place, *up, *prefix, into),
            ExprKind::Call(function, arguments) => self.call(*function, arguments, into),
            ExprKind::Math(function, operands) => self.math(*function, operands, expr, into),
            ExprKind::Shuffle {
                kind,
                mask,
                value,
                lane,
                width,
            } => self.shuffle(*kind, [mask, value, lane], *width, into),
            ExprKind::Vote {
                kind,
                mask,
                predicate,
            } => {
                let mask = self.expr(mask, None);
                let predicate = self.expr(predicate, None);
                let op = match kind {
                    VoteKind::Any => Op::VoteAny,
                    VoteKind::All => Op::VoteAll,
                    VoteKind::Ballot => Op::Ballot,
                };
                self.operation(op, 1, &[predicate, mask], into)
            }
            ExprKind::Vector(components) => self.vector(components, size, into),
            ExprKind::Component(vector, component) => {
                let register = self.expr(vector, None) + (component * size) as Register;
                self.settle(register, size, into)
            }
            ExprKind::Struct(parts) => self.structure(parts, size, into),
            ExprKind::Member(object, index) => {
                let part = field(&object.ty, *index).expect("the checker found the field");
                let register = self.expr(object, None) + part.word as Register;
                self.settle(register, size, into)
            }
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.expr(second, into)
            }
            _ => self.special(expr, into),
        }
    }

    /// Evaluates `expr` for what it does only.
    pub fn effect(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Step { place, up, .. } => self.step(place, *up, true, None),
            ExprKind::Atomic { .. } => {
                self.unused = true;
                self.expr(expr, None)
            }
            _ => self.expr(expr, None),
        };
    }

    /// One instruction with a result of `words` registers.
    pub fn operation(
        &mut self,
        op: Op,
        words: u32,
        operands: &[Register],
        into: Option<Register>,
    ) -> Register {
        let result = self.result(words, into);
        self.emitter.op(op, result, operands, 0);
        result
    }

    pub fn constant(&mut self, bits: u64, words: u32) -> Register {
        if words == 2 {
            self.emitter.const64(bits)
        } else {
            self.emitter.const32(bits as u32)
        }
    }

    fn difference(&mut self, a: &Expr, b: &Expr, into: Option<Register>) -> Register {
        let size_bytes = match &a.ty {
            Type::Pointer { to, .. } => to.size_bytes().max(1),
            _ => 1,
        };
        let (a, b) = (self.expr(a, None), self.expr(b, None));
        let bytes = self.operation(Op::SubI64, 2, &[a, b], None);
        let size_bytes = self.emitter.const64(u64::from(size_bytes));
        self.operation(Op::DivI64, 2, &[bytes, size_bytes], into)
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, into: Option<Register>) -> Register {
        let register = self.expr(operand, None);
        if let Type::Vector(of, lanes) = operand.ty {
            return self.each(lanes, &Type::Scalar(of), into, |lower, i, into| {
                lower.operation(Op::NegB16, 1, &[register + i], into)
            });
        }
        let scalar = operand.ty.scalar().unwrap_or(Scalar::I32);
        let words = words(&operand.ty);
        let op = match (op, kind(scalar)) {
            (UnaryOp::LogicalNot, _) => {
                let zero = self.emitter.const32(0);
                return self.operation(Op::Eq32, 1, &[register, zero], into);
            }
            (UnaryOp::Negate, Kind::Int32 { .. }) => Op::NegI32,
            (UnaryOp::Negate, Kind::Int64 { .. }) => Op::NegI64,
            (UnaryOp::Negate, Kind::F16 | Kind::Bf16) => Op::NegB16,
            (UnaryOp::Negate, Kind::F32) => Op::NegF32,
            (UnaryOp::Negate, Kind::F64) => Op::NegF64,
            (UnaryOp::BitNot, Kind::Int64 { .. }) => Op::Not64,
            (UnaryOp::BitNot, _) => Op::Not32,
        };
        self.operation(op, words, &[register], into)
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, into: Option<Register>) -> Register {
        if let Some(result) = self.contracted(op, a, b, into) {
            return result;
        }
        // `x * 2` is `x + x` to nvcc.
        if let (BinaryOp::Mul, Some(doubled)) = (op, doubled(a, b)) {
            let register = self.expr(doubled, None);
            return self.operation(Op::AddF32, 1, &[register, register], into);
        }
        if op == BinaryOp::Div && is_f32(a, 1.0) {
            let register = self.expr(b, None);
            return self.operation(Op::RcpF32, 1, &[register], into);
        }
        let (left, right) = (self.expr(a, None), self.expr(b, None));
        self.binary_of(op, left, right, &a.ty, into)
    }

    pub fn binary_of(
        &mut self,
        op: BinaryOp,
        a: Register,
        b: Register,
        ty: &Type,
        into: Option<Register>,
    ) -> Register {
        if let Type::Vector(of, lanes) = *ty {
            let component = Type::Scalar(of);
            return self.each(lanes, &component, into, |lower, i, into| {
                lower.binary_of(op, a + i, b + i, &component, into)
            });
        }
        // Pointers compare as unsigned addresses.
        let scalar = ty.scalar().unwrap_or(Scalar::U64);
        let words = if op.is_comparison() { 1 } else { words(ty) };
        let (op, swapped) = operator::binary(op, scalar);
        self.operation(op, words, &if swapped { [b, a] } else { [a, b] }, into)
    }

    /// A vector whose components `f` computes, from the number of a component's first register.
    pub fn each(
        &mut self,
        lanes: u32,
        component: &Type,
        into: Option<Register>,
        mut f: impl FnMut(&mut Self, Register, Option<Register>) -> Register,
    ) -> Register {
        let size = words(component);
        // Not `into`: a later component may still read the variable that it is the home of.
        let result = self.emitter.registers(lanes * size);
        for i in 0..lanes {
            let offset = (i * size) as Register;
            f(self, offset, Some(result + offset));
        }
        self.settle(result, lanes * size, into)
    }

    /// `a && b`, or `a || b`.
    fn logical(&mut self, a: &Expr, b: &Expr, is_and: bool, into: Option<Register>) -> Register {
        if self.is_simple(b) {
            let (a, b) = (self.expr(a, None), self.expr(b, None));
            let op = if is_and { Op::And32 } else { Op::Or32 };
            return self.operation(op, 1, &[a, b], into);
        }
        let result = self.emitter.registers(1);
        self.expr(a, Some(result));
        let condition = if is_and {
            result
        } else {
            let zero = self.emitter.const32(0);
            self.operation(Op::Eq32, 1, &[result, zero], None)
        };
        self.emitter.open_if(condition);
        self.expr(b, Some(result));
        self.emitter.close();
        self.settle(result, 1, into)
    }

    fn conditional(
        &mut self,
        condition: &Expr,
        a: &Expr,
        b: &Expr,
        into: Option<Register>,
    ) -> Register {
        let size = words(&a.ty);
        let condition = self.expr(condition, None);
        if self.is_simple(a) && self.is_simple(b) {
            let op = if size == 2 {
                Op::Select64
            } else {
                Op::Select32
            };
            let (a, b) = (self.expr(a, None), self.expr(b, None));
            return self.operation(op, size, &[condition, a, b], into);
        }
        if let Some(result) = self.load_either(condition, a, b, into) {
            return result;
        }
        self.load_common(a, b);
        // Not `into`: it may be the home of a variable that the arms still read.
        let result = self.emitter.registers(size);
        self.emitter.open_if(condition);
        self.expr(a, Some(result));
        self.emitter.otherwise();
        self.expr(b, Some(result));
        self.emitter.close();
        self.settle(result, size, into)
    }

    fn vector(&mut self, components: &[Expr], size: u32, into: Option<Register>) -> Register {
        // Not `into`: a component may still read the variable that it is the home of.
        let result = self.emitter.registers(size);
        let mut next = result;
        for component in components {
            self.expr(component, Some(next));
            next += words(&component.ty) as Register;
        }
        self.settle(result, size, into)
    }

    /// A struct from its parts; what they leave is zero.
    fn structure(&mut self, parts: &[Expr], size: u32, into: Option<Register>) -> Register {
        // Not `into`: a part may still read the variable that it is the home of.
        let result = self.emitter.registers(size);
        let mut next = 0;
        for part in parts {
            self.expr(part, Some(result + next as Register));
            next += words(&part.ty);
        }
        let zero = self.emitter.const32(0);
        for word in next..size {
            self.settle(zero, 1, Some(result + word as Register));
        }
        self.settle(result, size, into)
    }

    fn shuffle(
        &mut self,
        kind: ShuffleKind,
        [mask, value, lane]: [&Expr; 3],
        width: u32,
        into: Option<Register>,
    ) -> Register {
        let op = match kind {
            ShuffleKind::Idx => Op::ShflIdx,
            ShuffleKind::Up => Op::ShflUp,
            ShuffleKind::Down => Op::ShflDown,
            ShuffleKind::Xor => Op::ShflXor,
        };
        let size = words(&value.ty);
        let [mask, value, lane] = [mask, value, lane].map(|operand| self.expr(operand, None));
        let result = self.result(size, into);
        for word in 0..size as Register {
            self.emitter
                .op(op, result + word, &[value + word, lane, mask], width);
        }
        result
    }
}

/// Whether `expr` is the single-precision constant `value`.
fn is_f32(expr: &Expr, value: f32) -> bool {
    expr.ty == Type::Scalar(Scalar::F32)
        && matches!(expr.kind, ExprKind::Constant(bits) if bits as u32 == value.to_bits())
}

/// The factor that the single-precision constant 2 multiplies.
fn doubled<'a>(a: &'a Expr, b: &'a Expr) -> Option<&'a Expr> {
    match (is_f32(a, 2.0), is_f32(b, 2.0)) {
        (true, false) => Some(b),
        (false, true) => Some(a),
        _ => None,
    }
}

fn coordinate(what: Coordinate, axis: Axis) -> Op {
    let of_axis = |x, y, z| match axis {
        Axis::X => x,
        Axis::Y => y,
        Axis::Z => z,
    };
    match what {
        Coordinate::ThreadIdx => of_axis(Op::ThreadX, Op::ThreadY, Op::ThreadZ),
        Coordinate::BlockIdx => of_axis(Op::BlockX, Op::BlockY, Op::BlockZ),
        Coordinate::BlockDim => of_axis(Op::BlockDimX, Op::BlockDimY, Op::BlockDimZ),
        Coordinate::GridDim => of_axis(Op::GridDimX, Op::GridDimY, Op::GridDimZ),
    }
}
