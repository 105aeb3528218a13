//! Operators by Triton's rules (`python/triton/language/semantic.py`): types are promoted, shapes broadcast, numbers
//! that are known stay known.

use super::builder::{Builder, Traceable, compared, folded, refuse};
use super::value::Traced;
use crate::triton::tile::{Binary, Comparison, Constant, Element, Op, Type, Unary, Value};

impl Builder {
    /// A value out of what is known, of the type that it has where nothing else gives it one.
    pub fn materialise(&mut self, traced: &Traced) -> Traceable<Value> {
        let (constant, element) = match traced {
            Traced::Value(value) => return Ok(*value),
            Traced::Truth(truth) => (Constant::Integer(i128::from(*truth)), Element::Bool),
            Traced::Integer(value) => (Constant::Integer(*value), Element::of_integer(*value)),
            Traced::Float(value) => {
                // Python's floats have 64 bits, but one that float32 can hold must not widen a whole tile.
                let is_large = value.is_finite() && value.abs() > f64::from(f32::MAX);
                let element = if is_large { Element::F64 } else { Element::F32 };
                (Constant::Float(*value), element)
            }
            other => {
                let message = format!(
                    "expected a tensor or a number here, found {}",
                    other.words()
                );
                return refuse(self.span, message);
            }
        };
        Ok(self.constant(constant, Type::scalar(element)))
    }

    /// `value` with elements of another type.
    pub fn cast(&mut self, value: Value, element: Element) -> Traceable<Value> {
        let ty = self.ty(value).clone();
        if ty.is_pointer {
            let message = format!("a {} is not a number", ty.words());
            return refuse(self.span, message);
        }
        if ty.element == element {
            return Ok(value);
        }
        // Not the lowest bit: 2 is true as well.
        if element == Element::Bool {
            let zero = self.constant(Constant::Integer(0), ty.clone());
            let op = Op::Compare(Comparison::Ne);
            return Ok(self.emit(op, &[value, zero], ty.of(Element::Bool)));
        }
        Ok(self.emit(Op::Cast, &[value], ty.of(element)))
    }

    /// `value` as a tile of this shape.
    pub fn broadcast_to(&mut self, value: Value, shape: &[u32]) -> Traceable<Value> {
        let ty = self.ty(value).clone();
        if ty.shape == shape {
            return Ok(value);
        }
        if ty.is_scalar() {
            return Ok(self.emit(Op::Splat, &[value], ty.shaped(shape)));
        }
        let mut value = value;
        // As in NumPy: missing sides are in front.
        while self.ty(value).shape.len() < shape.len() {
            value = self.expand_dims(value, 0);
        }
        let sides = self.ty(value).shape.clone();
        for (at, (&from, &to)) in sides.iter().zip(shape).enumerate() {
            if from != to && from != 1 {
                let message = format!(
                    "shapes {:?} and {shape:?} do not broadcast: dimension {at} has {from} elements in one and {to} in the other",
                    ty.shape
                );
                return refuse(self.span, message);
            }
        }
        if sides == shape {
            return Ok(value);
        }
        Ok(self.emit(Op::Broadcast, &[value], ty.shaped(shape)))
    }

    /// `value` with one side of length 1 more.
    pub fn expand_dims(&mut self, value: Value, axis: usize) -> Value {
        let ty = self.ty(value).clone();
        let mut shape = ty.shape.clone();
        // Of a number, as Python inserts behind the end: `scale[:, None]` has one side.
        shape.insert(axis.min(shape.len()), 1);
        match ty.is_scalar() {
            true => self.emit(Op::Splat, &[value], ty.shaped(&shape)),
            false => self.emit(Op::ExpandDims(axis), &[value], ty.shaped(&shape)),
        }
    }

    /// The shape that two broadcast to.
    pub fn joint_shape(&self, left: &[u32], right: &[u32]) -> Traceable<Vec<u32>> {
        let rank = left.len().max(right.len());
        let side = |shape: &[u32], at: usize| match (at + shape.len()).checked_sub(rank) {
            Some(at) => shape[at],
            None => 1,
        };
        let mut joint = Vec::with_capacity(rank);
        for at in 0..rank {
            let (a, b) = (side(left, at), side(right, at));
            if a != b && a != 1 && b != 1 {
                let message = format!(
                    "shapes {left:?} and {right:?} do not broadcast: dimension {at} has {a} elements in one and {b} in the other, and neither is 1"
                );
                return refuse(self.span, message);
            }
            joint.push(a.max(b));
        }
        Ok(joint)
    }

    /// Two values in one shape.
    pub fn broadcast_pair(&mut self, left: Value, right: Value) -> Traceable<[Value; 2]> {
        let shape = self.joint_shape(&self.ty(left).shape, &self.ty(right).shape)?;
        Ok([
            self.broadcast_to(left, &shape)?,
            self.broadcast_to(right, &shape)?,
        ])
    }

    /// Two operands in one shape and of one type of numbers.
    pub fn pair(
        &mut self,
        left: &Traced,
        right: &Traced,
        is_division: bool,
    ) -> Traceable<[Value; 2]> {
        let (a, b) = (self.materialise(left)?, self.materialise(right)?);
        for value in [a, b] {
            if self.ty(value).is_pointer {
                let message = format!("this operator does not take a {}", self.ty(value).words());
                return refuse(self.span, message);
            }
        }
        let (of_a, of_b) = (self.ty(a).element, self.ty(b).element);
        let is_known = |traced: &Traced| !matches!(traced, Traced::Value(_));
        // A known number gives way to a tile of its kind or a higher one: `x + 1.0` of float16 stays float16.
        let weak = match (is_known(left), is_known(right)) {
            (true, false) if of_a.kind() <= of_b.kind() => Some(of_b),
            (false, true) if of_b.kind() <= of_a.kind() => Some(of_a),
            _ => None,
        };
        let element = match weak {
            Some(Element::F16 | Element::Bf16) if is_division => Element::F32,
            Some(element) => element,
            None => Element::common(of_a, of_b, is_division),
        };
        let (a, b) = (self.cast(a, element)?, self.cast(b, element)?);
        self.broadcast_pair(a, b)
    }

    /// `left op right` for an operator whose result has the operands' type.
    pub fn arithmetic(&mut self, op: Binary, left: &Traced, right: &Traced) -> Traceable<Traced> {
        if let Some(known) = known_arithmetic(op, left, right) {
            return Ok(known);
        }
        if matches!(op, Binary::Add | Binary::Sub)
            && let Some(pointer) = self.pointer_arithmetic(op, left, right)?
        {
            return Ok(pointer);
        }
        let is_division = matches!(op, Binary::Div | Binary::Rem);
        let [a, b] = self.pair(left, right, is_division)?;
        let ty = self.ty(a).clone();
        // Python's `&` of floats is an error; CUDA C++ would refuse it only when the thread program is compiled.
        let is_bitwise = matches!(
            op,
            Binary::And | Binary::Or | Binary::Xor | Binary::ShiftLeft | Binary::ShiftRight
        );
        self.check_width(&ty)?;
        if is_bitwise && ty.element.is_float() {
            let message = format!(
                "bits of a {} cannot be combined; cast it to an integer first",
                ty.words()
            );
            return refuse(self.span, message);
        }
        Ok(Traced::Value(self.emit(Op::Binary(op), &[a, b], ty)))
    }

    /// Floats of 8 bits are loaded, stored, cast and multiplied by `tl.dot`: the GPU computes nothing else with them.
    pub fn check_width(&self, ty: &Type) -> Traceable<()> {
        if !ty.element.is_float8() {
            return Ok(());
        }
        let refusal: Traceable<()> = refuse(
            self.span,
            format!("the GPU does not compute with a {}", ty.words()),
        );
        refusal.map_err(|error| Box::new(error.help("cast it first: `x.to(tl.float32)`")))
    }

    fn pointer_arithmetic(
        &mut self,
        op: Binary,
        left: &Traced,
        right: &Traced,
    ) -> Traceable<Option<Traced>> {
        let is_pointer = |builder: &Builder, traced: &Traced| match traced {
            Traced::Value(value) => builder.ty(*value).is_pointer,
            _ => false,
        };
        // Offsets count elements, as in C: of two pointers, nothing promises that they lie a whole number of them apart.
        let (pointer, offset) = match (is_pointer(self, left), is_pointer(self, right)) {
            (false, false) => return Ok(None),
            (true, true) => return refuse(self.span, "two pointers cannot be added or subtracted"),
            (true, false) => (left, right),
            (false, true) => (right, left),
        };
        let offset = self.materialise(offset)?;
        if self.ty(offset).element.is_float() {
            return refuse(self.span, "a pointer can only be offset by an integer");
        }
        let offset = match op {
            Binary::Sub => self.negated(offset),
            _ => offset,
        };
        let pointer = self.materialise(pointer)?;
        let [pointer, offset] = self.broadcast_pair(pointer, offset)?;
        let ty = self.ty(pointer).clone();
        Ok(Some(Traced::Value(self.emit(
            Op::Offset,
            &[pointer, offset],
            ty,
        ))))
    }

    fn negated(&mut self, value: Value) -> Value {
        let ty = self.ty(value).clone();
        let zero = self.constant(Constant::Integer(0), ty.clone());
        self.emit(Op::Binary(Binary::Sub), &[zero, value], ty)
    }

    /// `/`: of integers, a float.
    pub fn true_division(&mut self, left: &Traced, right: &Traced) -> Traceable<Traced> {
        let float = |traced: &Traced| match traced {
            Traced::Integer(value) => Some(*value as f64),
            Traced::Float(value) => Some(*value),
            _ => None,
        };
        // Both known: Python divides them, in 64 bits, before Triton sees anything.
        if let (Some(left), Some(right)) = (float(left), float(right)) {
            return Ok(Traced::Float(left / right));
        }
        let [a, b] = self.pair(left, right, true)?;
        // Integers of 64 bits too are divided as float32.
        let (a, b) = match self.ty(a).element.is_float() {
            true => (a, b),
            false => (self.cast(a, Element::F32)?, self.cast(b, Element::F32)?),
        };
        let ty = self.ty(a).clone();
        Ok(Traced::Value(self.emit(
            Op::Binary(Binary::Div),
            &[a, b],
            ty,
        )))
    }

    /// A comparison.
    pub fn comparison(
        &mut self,
        op: Comparison,
        left: &Traced,
        right: &Traced,
    ) -> Traceable<Traced> {
        if let Some(known) = known_comparison(op, left, right) {
            return Ok(Traced::Truth(known));
        }
        let [a, b] = self.pair(left, right, false)?;
        self.check_width(&self.ty(a).clone())?;
        let ty = self.ty(a).of(Element::Bool);
        Ok(Traced::Value(self.emit(Op::Compare(op), &[a, b], ty)))
    }

    /// A function of one operand.
    pub fn unary(&mut self, op: Unary, operand: &Traced) -> Traceable<Traced> {
        match (op, operand) {
            (Unary::Negate, Traced::Integer(value)) => return Ok(Traced::Integer(-value)),
            (Unary::Negate, Traced::Float(value)) => return Ok(Traced::Float(-value)),
            (Unary::Abs, Traced::Integer(value)) => return Ok(Traced::Integer(value.abs())),
            _ => {}
        }
        let value = self.materialise(operand)?;
        let ty = self.ty(value).clone();
        if ty.is_pointer {
            return refuse(self.span, format!("a {} is not a number", ty.words()));
        }
        self.check_width(&ty)?;
        let result = match op {
            // `minus` of `semantic.py` subtracts from zero, of floats too: it costs an addition.
            Unary::Negate => self.negated(value),
            Unary::Not => {
                let value = self.cast(value, Element::Bool)?;
                let truth = ty.of(Element::Bool);
                let one = self.constant(Constant::Integer(1), truth.clone());
                self.emit(Op::Binary(Binary::Xor), &[value, one], truth)
            }
            _ => self.emit(Op::Unary(op), &[value], ty),
        };
        Ok(Traced::Value(result))
    }

    /// Two values of one type to choose from: numbers, or pointers to the same.
    fn alternatives(&mut self, left: &Traced, right: &Traced) -> Traceable<[Value; 2]> {
        let is_pointer = |builder: &Builder, traced: &Traced| match traced {
            Traced::Value(value) => builder.ty(*value).is_pointer.then_some(*value),
            _ => None,
        };
        match (is_pointer(self, left), is_pointer(self, right)) {
            (Some(a), Some(b)) if self.ty(a).element == self.ty(b).element => {
                self.broadcast_pair(a, b)
            }
            _ => self.pair(left, right, false),
        }
    }

    /// `a if condition else b`, element by element.
    pub fn select(
        &mut self,
        condition: &Traced,
        left: &Traced,
        right: &Traced,
    ) -> Traceable<Traced> {
        let [a, b] = self.alternatives(left, right)?;
        let condition = self.materialise(condition)?;
        let condition = self.cast(condition, Element::Bool)?;
        // All three in one shape: the condition may be larger than what it chooses from, and the other way round.
        let [condition, a] = self.broadcast_pair(condition, a)?;
        let shape = self.ty(a).shape.clone();
        let b = self.broadcast_to(b, &shape)?;
        let ty = self.ty(a).clone();
        Ok(Traced::Value(self.emit(Op::Select, &[condition, a, b], ty)))
    }
}

/// Arithmetic of numbers that are known, by Python's rules.
fn known_arithmetic(op: Binary, left: &Traced, right: &Traced) -> Option<Traced> {
    if let (Some(a), Some(b)) = (left.integer(), right.integer()) {
        let value = match op {
            Binary::Div => a
                // Python rounds down, Rust's division towards zero, and Euclid's so that nothing negative is left
                // over.
                .checked_div_euclid(b)
                .map(|whole| match (b < 0, a.rem_euclid(b)) {
                    (true, rest) if rest != 0 => whole - 1,
                    _ => whole,
                }),
            Binary::Rem => a
                .checked_rem(b)
                .map(|rest| match rest != 0 && (rest < 0) != (b < 0) {
                    true => rest + b,
                    false => rest,
                }),
            _ => folded(op, a, b),
        };
        // `True & False` is a truth value for Python, `True + False` a number.
        let both_truths = matches!((left, right), (Traced::Truth(_), Traced::Truth(_)));
        let is_logical = matches!(op, Binary::And | Binary::Or | Binary::Xor);
        return value.map(|value| match both_truths && is_logical {
            true => Traced::Truth(value != 0),
            false => Traced::Integer(value),
        });
    }
    let (a, b) = (known_float(left)?, known_float(right)?);
    let value = match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => (a / b).floor(),
        Binary::Rem => a - b * (a / b).floor(),
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        _ => return None,
    };
    Some(Traced::Float(value))
}

fn known_float(traced: &Traced) -> Option<f64> {
    match traced {
        Traced::Float(value) => Some(*value),
        other => other.integer().map(|value| value as f64),
    }
}

fn known_comparison(op: Comparison, left: &Traced, right: &Traced) -> Option<bool> {
    if let (Some(a), Some(b)) = (left.integer(), right.integer()) {
        return Some(compared(op, a, b));
    }
    if let (Some(a), Some(b)) = (known_float(left), known_float(right)) {
        return Some(compared(op, a, b));
    }
    let is_value = |traced: &Traced| matches!(traced, Traced::Value(_));
    if is_value(left) || is_value(right) {
        return None;
    }
    match op {
        Comparison::Eq => Some(left == right),
        Comparison::Ne => Some(left != right),
        _ => None,
    }
}
