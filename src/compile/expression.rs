//! Expressions: values into registers.

use super::analysis::is_simple;
use super::lower::{Home, Lower, words};
use super::operator::{self, Kind, kind};
use super::place::Located;
use crate::cuda::{
    Axis, BinaryOp, Coordinate, Expr, ExprKind, MathFunction, Place, PlaceKind, Scalar,
    ShuffleKind, Type, UnaryOp, VoteKind,
};
use crate::ir::{Op, Register};

impl Lower<'_> {
    /// Evaluates `expr` into `into`, or wherever its value comes to be. That may be the home of
    /// a variable: the value must be used before the variable changes.
    pub fn expr(&mut self, expr: &Expr, into: Option<Register>) -> Register {
        let size = words(&expr.ty);
        match &expr.kind {
            ExprKind::Constant(bits) => {
                let register = self.constant(*bits, size);
                self.settle(register, size, into)
            }
            ExprKind::Load(place) => {
                let at = self.locate(place);
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
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.expr(second, into)
            }
        }
    }

    /// Evaluates `expr` for what it does only.
    pub fn effect(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Step { place, up, .. } => self.step(place, *up, true, None),
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
        let scalar = operand.ty.scalar().unwrap_or(Scalar::I32);
        let words = words(&operand.ty);
        let op = match (op, kind(scalar)) {
            (UnaryOp::LogicalNot, _) => {
                let zero = self.emitter.const32(0);
                return self.operation(Op::Eq32, 1, &[register, zero], into);
            }
            (UnaryOp::Negate, Kind::Int32 { .. }) => Op::NegI32,
            (UnaryOp::Negate, Kind::Int64 { .. }) => Op::NegI64,
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
        if op == BinaryOp::Div && is_one_f32(a) {
            let register = self.expr(b, None);
            return self.operation(Op::RcpF32, 1, &[register], into);
        }
        let (left, right) = (self.expr(a, None), self.expr(b, None));
        self.binary_of(op, left, right, &a.ty, into)
    }

    fn binary_of(
        &mut self,
        op: BinaryOp,
        a: Register,
        b: Register,
        ty: &Type,
        into: Option<Register>,
    ) -> Register {
        // Pointers compare as unsigned addresses.
        let scalar = ty.scalar().unwrap_or(Scalar::U64);
        let words = if op.is_comparison() { 1 } else { words(ty) };
        let (op, swapped) = operator::binary(op, scalar);
        self.operation(op, words, &if swapped { [b, a] } else { [a, b] }, into)
    }

    /// A floating-point sum of which one side is a product, as a fused multiply-add. Where both
    /// are, the left one is fused.
    fn contracted(
        &mut self,
        op: BinaryOp,
        a: &Expr,
        b: &Expr,
        into: Option<Register>,
    ) -> Option<Register> {
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            return None;
        }
        let (fma, negate, words) = fused(&a.ty)?;
        if op == BinaryOp::Add && (exponent(a).is_some() || exponent(b).is_some()) {
            let (product, addend) = if exponent(a).is_some() {
                (a, b)
            } else {
                (b, a)
            };
            let addend = self.expr(addend, None);
            return Some(self.add_product(op, addend, product, into));
        }
        if let ExprKind::Binary(BinaryOp::Mul, x, y) = &a.kind {
            let (x, y) = (self.expr(x, None), self.expr(y, None));
            let mut addend = self.expr(b, None);
            if op == BinaryOp::Sub {
                addend = self.operation(negate, words, &[addend], None);
            }
            return Some(self.operation(fma, words, &[x, y, addend], into));
        }
        let ExprKind::Binary(BinaryOp::Mul, ..) = &b.kind else {
            return None;
        };
        let addend = self.expr(a, None);
        Some(self.add_product(op, addend, b, into))
    }

    /// `addend ± product`, where `product` is a multiplication, or ends with one: for a sum, an
    /// exponential.
    fn add_product(
        &mut self,
        op: BinaryOp,
        addend: Register,
        product: &Expr,
        into: Option<Register>,
    ) -> Register {
        if let Some(exponent) = exponent(product) {
            let exponent = self.expr(exponent, None);
            return self.operation(Op::ExpAddF32, 1, &[exponent, addend], into);
        }
        let (ExprKind::Binary(_, x, y), Some((fma, negate, words))) =
            (&product.kind, fused(&product.ty))
        else {
            unreachable!("callers looked")
        };
        let (mut x, y) = (self.expr(x, None), self.expr(y, None));
        if op == BinaryOp::Sub {
            x = self.operation(negate, words, &[x], None);
        }
        self.operation(fma, words, &[x, y, addend], into)
    }

    /// `a && b`, or `a || b`.
    fn logical(&mut self, a: &Expr, b: &Expr, is_and: bool, into: Option<Register>) -> Register {
        if is_simple(b) {
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
        if is_simple(a) && is_simple(b) {
            let op = if size == 2 {
                Op::Select64
            } else {
                Op::Select32
            };
            let (a, b) = (self.expr(a, None), self.expr(b, None));
            return self.operation(op, size, &[condition, a, b], into);
        }
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

    fn assign(&mut self, place: &Place, value: &Expr, into: Option<Register>) -> Register {
        let size = words(&value.ty);
        if let PlaceKind::Local(local) = place.kind
            && let Home::Register(home) = self.home(local)
        {
            let target = if writes_last(value) { Some(home) } else { None };
            let register = self.expr(value, target);
            self.settle(register, size, Some(home));
            return self.settle(home, size, into);
        }
        let mut register = self.expr(value, None);
        if !place_is_simple(place) {
            // The place's own effects come after the value.
            let copy = self.emitter.registers(size);
            register = self.settle(register, size, Some(copy));
        }
        let at = self.locate(place);
        self.store(at, &place.ty, register, place.span);
        self.settle(register, size, into)
    }

    fn assign_op(
        &mut self,
        place: &Place,
        op: BinaryOp,
        value: &Expr,
        computed: &Type,
        into: Option<Register>,
    ) -> Register {
        let size = words(&place.ty);
        if matches!(place.ty, Type::Pointer { .. }) {
            let count = self.expr(value, None);
            let count = self.convert(count, &value.ty, &Type::Scalar(Scalar::I64), None);
            return self.move_pointer(place, count, op == BinaryOp::Sub, into);
        }
        // C++17: the value is computed before the place.
        let fuses = matches!(op, BinaryOp::Add | BinaryOp::Sub)
            && value.ty == *computed
            && fused(computed).is_some()
            && (matches!(value.kind, ExprKind::Binary(BinaryOp::Mul, ..))
                || (op == BinaryOp::Add && exponent(value).is_some()));
        let operand = if fuses {
            None
        } else {
            Some(self.expr(value, None))
        };
        let at = self.locate(place);
        let old = self.load(at, &place.ty, place.span, None);
        let old = self.convert(old, &place.ty, computed, None);
        let direct = match at {
            Located::Register(home) if place.ty == *computed => Some(home),
            _ => None,
        };
        let new = match operand {
            None => self.add_product(op, old, value, direct),
            Some(operand) => self.binary_of(op, old, operand, computed, direct),
        };
        let new = self.convert(new, computed, &place.ty, None);
        self.store(at, &place.ty, new, place.span);
        self.settle(new, size, into)
    }

    fn step(&mut self, place: &Place, up: bool, prefix: bool, into: Option<Register>) -> Register {
        let size = words(&place.ty);
        let at = self.locate(place);
        let old = self.load(at, &place.ty, place.span, None);
        let kept = if prefix {
            old
        } else {
            let copy = self.result(size, into);
            self.settle(old, size, Some(copy))
        };
        let (op, one, computed) = match &place.ty {
            Type::Pointer { to, .. } => (BinaryOp::Add, to.size_bytes().into(), Scalar::I64),
            ty => {
                let scalar = ty.scalar().unwrap_or(Scalar::I32);
                (BinaryOp::Add, one_of(scalar), scalar)
            }
        };
        let op = if up { op } else { BinaryOp::Sub };
        let one = self.constant(one, size);
        let new = self.binary_of(op, old, one, &Type::Scalar(computed), None);
        let promoted = Type::Scalar(if size == 1 && computed.is_integer() {
            Scalar::I32
        } else {
            computed
        });
        let new = match place.ty {
            Type::Pointer { .. } => new,
            _ => self.convert(new, &promoted, &place.ty, None),
        };
        self.store(at, &place.ty, new, place.span);
        if prefix {
            self.settle(new, size, into)
        } else {
            kept
        }
    }

    /// Adds or subtracts `count` elements, 64 bits, to the pointer in `place`.
    fn move_pointer(
        &mut self,
        place: &Place,
        count: Register,
        back: bool,
        into: Option<Register>,
    ) -> Register {
        let Type::Pointer { to, .. } = &place.ty else {
            unreachable!("callers looked")
        };
        let size_bytes = self.emitter.const64(u64::from(to.size_bytes()));
        let bytes = self.operation(Op::MulI64, 2, &[count, size_bytes], None);
        let at = self.locate(place);
        let old = self.load(at, &place.ty, place.span, None);
        let op = if back { Op::SubI64 } else { Op::AddI64 };
        let new = self.operation(op, 2, &[old, bytes], None);
        self.store(at, &place.ty, new, place.span);
        self.settle(new, 2, into)
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

/// The fused multiply-add of a floating-point type, its negation, and its words.
fn fused(ty: &Type) -> Option<(Op, Op, u32)> {
    match ty.scalar()? {
        Scalar::F32 => Some((Op::FmaF32, Op::NegF32, 1)),
        Scalar::F64 => Some((Op::FmaF64, Op::NegF64, 2)),
        _ => None,
    }
}

/// The exponent, if `expr` is a single-precision exponential.
fn exponent(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Math(MathFunction::Exp, operands) if expr.ty == Type::Scalar(Scalar::F32) => {
            operands.first()
        }
        _ => None,
    }
}

fn is_one_f32(expr: &Expr) -> bool {
    expr.ty == Type::Scalar(Scalar::F32)
        && matches!(expr.kind, ExprKind::Constant(bits) if bits as u32 == 1.0_f32.to_bits())
}

fn one_of(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F32 => u64::from(1.0_f32.to_bits()),
        Scalar::F64 => 1.0_f64.to_bits(),
        _ => 1,
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

/// Whether the value's last instruction writes it whole, after everything that it reads: only
/// then may it be written straight to the variable that it is assigned to.
fn writes_last(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Load(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Convert(_)
        | ExprKind::Constant(_)
        | ExprKind::Coordinate(..)
        | ExprKind::Math(..) => words(&value.ty) == 1,
        ExprKind::And(_, b) | ExprKind::Or(_, b) => is_simple(b),
        ExprKind::Conditional(_, a, b) => words(&value.ty) == 1 && is_simple(a) && is_simple(b),
        _ => false,
    }
}

fn place_is_simple(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) => true,
        PlaceKind::Deref(pointer) => pointer_is_simple(pointer),
        PlaceKind::Index(base, index) => place_is_simple(base) && is_simple(index),
        PlaceKind::Component(base, _) => place_is_simple(base),
    }
}

fn pointer_is_simple(pointer: &Expr) -> bool {
    match &pointer.kind {
        ExprKind::PointerOffset(base, index) => pointer_is_simple(base) && is_simple(index),
        ExprKind::AddressOf(place) => place_is_simple(place),
        ExprKind::Load(Place {
            kind: PlaceKind::Local(_),
            ..
        }) => true,
        _ => false,
    }
}
