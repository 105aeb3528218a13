//! Expressions.

use ruff_python_ast::{
    BoolOp, CmpOp, Expr, ExprCompare, ExprIf, ExprListComp, ExprSlice, ExprSubscript, Number,
    Operator, UnaryOp,
};

use super::builder::{Traceable, refuse};
use super::limits::limit;
use super::tracer::Tracer;
use super::value::Traced;
use crate::source::{Diagnostic, Span, nearest};
use crate::triton::python::{Named, span, span_of};
use crate::triton::tile::{Binary, Comparison, Element, Op, Unary, Value};

/// Functions of Python itself that a kernel may name.
const PYTHON_FUNCTIONS: [&str; 11] = [
    "range",
    "min",
    "max",
    "abs",
    "float",
    "int",
    "bool",
    "len",
    "print",
    "isinstance",
    "getattr",
];

impl Tracer<'_> {
    /// What an expression stands for.
    pub fn expression(&mut self, expression: &Expr) -> Traceable<Traced> {
        let place = span_of(expression);
        // Operations take the innermost place, and what follows the expression its own again.
        let outer = std::mem::replace(&mut self.builder.span, place);
        let traced = self.expression_at(expression);
        self.builder.span = outer;
        traced
    }

    fn expression_at(&mut self, expression: &Expr) -> Traceable<Traced> {
        let place = span_of(expression);
        match expression {
            Expr::NumberLiteral(literal) => number(place, &literal.value),
            Expr::BooleanLiteral(literal) => Ok(Traced::Truth(literal.value)),
            Expr::NoneLiteral(_) => Ok(Traced::Nothing),
            Expr::StringLiteral(literal) => Ok(Traced::Text(literal.value.to_str().to_owned())),
            Expr::Name(name) => self.name(name.id.as_str()),
            Expr::Tuple(tuple) => self.tuple(&tuple.elts),
            Expr::List(list) => self.tuple(&list.elts),
            Expr::Attribute(attribute) => {
                let object = self.expression(&attribute.value)?;
                self.attribute(object, attribute.attr.as_str())
            }
            Expr::BinOp(operation) => {
                let left = self.expression(&operation.left)?;
                let right = self.expression(&operation.right)?;
                self.operator(operation.op, &left, &right)
            }
            Expr::UnaryOp(operation) => {
                let operand = self.expression(&operation.operand)?;
                self.unary_operator(operation.op, operand)
            }
            Expr::BoolOp(operation) => self.logical(operation.op, &operation.values),
            Expr::Compare(comparison) => self.comparisons(comparison),
            Expr::If(choice) => self.choice(choice),
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::Call(call) => self.call(call),
            Expr::FString(_) => Ok(Traced::Text(self.slice(place).to_owned())),
            Expr::ListComp(comprehension) => self.comprehension(comprehension),
            _ => {
                let message = format!(
                    "`{}` is not supported in a Triton kernel",
                    self.slice(place)
                );
                refuse(place, message)
            }
        }
    }

    /// `a < b < c`, which holds where both do.
    fn comparisons(&mut self, comparison: &ExprCompare) -> Traceable<Traced> {
        let mut left = self.expression(&comparison.left)?;
        let mut all = Traced::Truth(true);
        let is_chain = comparison.ops.len() > 1;
        for (op, right) in comparison.ops.iter().zip(&comparison.comparators) {
            let right = self.expression(right)?;
            let holds = self.compare(*op, &left, &right)?;
            // What is known is compared by Python, as in a `@triton.constexpr_function`.
            if is_chain && holds.truth().is_none() {
                let place = self.builder.span;
                let refusal = refuse(place, "Triton reads one comparison at a time");
                return refusal.map_err(|error| error.help("write `(a < b) & (b < c)`").into());
            }
            all = match (all.truth(), is_chain) {
                (Some(false), true) => all,
                _ => holds,
            };
            // Python evaluates the middle once.
            left = right;
        }
        Ok(all)
    }

    /// `a if test else b`.
    fn choice(&mut self, choice: &ExprIf) -> Traceable<Traced> {
        let test = self.expression(&choice.test)?;
        match test.truth() {
            Some(true) => self.expression(&choice.body),
            Some(false) => self.expression(&choice.orelse),
            None => {
                let value = self.builder.materialise(&test)?;
                if !self.builder.ty(value).is_scalar() && !self.is_mapped {
                    return refuse_tile(&choice.test);
                }
                // Both are computed, as for `tl.where`, and one is taken.
                let left = self.expression(&choice.body)?;
                let right = self.expression(&choice.orelse)?;
                self.builder.select(&test, &left, &right)
            }
        }
    }

    fn tuple(&mut self, parts: &[Expr]) -> Traceable<Traced> {
        let parts = parts.iter().map(|part| self.expression(part));
        Ok(Traced::Tuple(parts.collect::<Traceable<_>>()?))
    }

    /// `[f(x) for x in t]` over a tuple (`visit_ListComp` of `code_generator.py`).
    fn comprehension(&mut self, comprehension: &ExprListComp) -> Traceable<Traced> {
        let place = span(comprehension.range);
        let [generator] = &comprehension.generators[..] else {
            return refuse(place, "a list goes over one tuple, not over several");
        };
        let (Expr::Name(name), true) = (&generator.target, generator.ifs.is_empty()) else {
            return refuse(place, "a list takes a single name, and no `if`");
        };
        let Traced::Tuple(parts) = self.expression(&generator.iter)? else {
            return refuse(place, "a list goes over a tuple");
        };
        let mut results = Vec::new();
        for part in parts {
            self.assign(name.id.as_str(), part);
            results.push(self.expression(&comprehension.elt)?);
        }
        Ok(Traced::Tuple(results))
    }

    /// What a name stands for: a variable, a function, a constant of the file, an import, or Python's own.
    fn name(&mut self, name: &str) -> Traceable<Traced> {
        if let Some(traced) = self.scope.get(name) {
            return Ok(traced.clone());
        }
        self.warn_of_plain_constant(name);
        // Variables of the kernel hide names of the file, and these hide Python's own, as Python looks them up.
        if let Some(traced) = self.named(self.module, name)? {
            return Ok(traced);
        }
        if PYTHON_FUNCTIONS.contains(&name) {
            return Ok(Traced::Path(format!("python.{name}")));
        }
        let message = format!("`{name}` is not defined");
        let names = self
            .scope
            .keys()
            .map(String::as_str)
            .chain(self.python.functions());
        let error = Diagnostic::error(self.builder.span, message);
        Err(Box::new(match nearest(name, names).first() {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }))
    }

    /// Triton reads a variable of the file only where it is a `tl.constexpr`, but for defaults and other variables.
    fn warn_of_plain_constant(&mut self, name: &str) {
        let is_of_kernel = !self.scope.is_empty();
        if let Some(Named::Constant(_, constant)) = self.python.named(self.module, name)
            && is_of_kernel
            && is_literal(constant)
        {
            let text = self.python.text(constant);
            let help = format!("write `{name} = tl.constexpr({text})`");
            let message = format!("Triton 3.6 does not read `{name}`, which is no `tl.constexpr`");
            self.say_once(self.builder.span, &message, &help);
        }
    }

    /// What a name stands for at the level of a file.
    fn named(&mut self, module: usize, name: &str) -> Traceable<Option<Traced>> {
        Ok(match self.python.named(module, name) {
            None => None,
            Some(Named::Function(function)) => Some(Traced::Function(function)),
            Some(Named::Path(path)) => Some(library_member(path)),
            Some(Named::Scope(module, class)) => Some(Traced::Scope(module, class)),
            Some(Named::Constant(module, expression)) => {
                let read = |tracer: &mut Self| tracer.expression(expression);
                Some(self.in_file(module, read)?)
            }
        })
    }

    /// What something has under a name.
    pub fn attribute(&mut self, object: Traced, name: &str) -> Traceable<Traced> {
        match (&object, name) {
            (Traced::Path(path), _) => Ok(library_member(format!("{path}.{name}"))),
            (Traced::Scope(module, class), _) => {
                match self.named(*module, &format!("{class}{name}"))? {
                    Some(traced) => Ok(traced),
                    None => refuse(self.builder.span, format!("`{name}` is not defined there")),
                }
            }
            (Traced::Value(value), "dtype" | "type") => {
                let ty = self.builder.ty(*value);
                Ok(Traced::Type(ty.element, ty.is_pointer))
            }
            (Traced::Value(value), "numel") => Ok(integer(self.builder.ty(*value).count())),
            (Traced::Value(value), "shape") => Ok(integers(&self.builder.ty(*value).shape)),
            (
                Traced::Integer(_) | Traced::Float(_) | Traced::Truth(_) | Traced::Text(_),
                "value",
            ) => Ok(object),
            (Traced::Type(element, is_pointer), _) => {
                let known = type_attribute(*element, *is_pointer, name);
                Ok(known.unwrap_or_else(|| Traced::Method(Box::new(object), name.to_owned())))
            }
            (Traced::Block(block), "shape") => Ok(Traced::Tuple(block.shape.clone())),
            (Traced::Block(block), "strides") => Ok(Traced::Tuple(block.strides.clone())),
            (Traced::Block(block), "block_shape") => Ok(integers(&block.sides)),
            (Traced::Block(block), "dtype" | "type") => {
                // A block pointer may be made of a parameter that is still only a name.
                let base = self.builder.materialise(&block.base)?;
                let is_pointer = name == "type";
                Ok(Traced::Type(self.builder.ty(base).element, is_pointer))
            }
            (Traced::Value(value), "T") => Ok(Traced::Value(self.transposed(*value, &[1, 0])?)),
            // What is no attribute is a method, which the call that follows looks up.
            _ => Ok(Traced::Method(Box::new(object), name.to_owned())),
        }
    }

    /// The tile with its sides in another order.
    pub fn transposed(&mut self, value: Value, order: &[usize]) -> Traceable<Value> {
        let ty = self.builder.ty(value).clone();
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..ty.shape.len()) {
            let message = format!("{order:?} must name each dimension of {:?} once", ty.shape);
            return refuse(self.builder.span, message);
        }
        let shape: Vec<u32> = order.iter().map(|&side| ty.shape[side]).collect();
        Ok(self
            .builder
            .emit(Op::Transpose(order.to_vec()), &[value], ty.shaped(&shape)))
    }

    /// A binary operator of Python.
    pub fn operator(&mut self, op: Operator, left: &Traced, right: &Traced) -> Traceable<Traced> {
        let op = match op {
            Operator::Add => Binary::Add,
            Operator::Sub => Binary::Sub,
            Operator::Mult => Binary::Mul,
            Operator::Div => return self.builder.true_division(left, right),
            Operator::FloorDiv => {
                self.check_whole(&[left, right])?;
                Binary::Div
            }
            Operator::Mod => Binary::Rem,
            Operator::BitAnd => Binary::And,
            Operator::BitOr => Binary::Or,
            Operator::BitXor => Binary::Xor,
            Operator::LShift => Binary::ShiftLeft,
            Operator::RShift => Binary::ShiftRight,
            Operator::Pow => return self.power(left, right),
            Operator::MatMult => {
                return refuse(
                    self.builder.span,
                    "`@` is not supported: multiply tiles with `tl.dot`",
                );
            }
        };
        if let (Binary::Add, Traced::Tuple(a), Traced::Tuple(b)) = (op, left, right) {
            return Ok(Traced::Tuple([a.clone(), b.clone()].concat()));
        }
        self.builder.arithmetic(op, left, right)
    }

    /// `//` divides whole numbers, but for what Python divides itself.
    fn check_whole(&mut self, operands: &[&Traced; 2]) -> Traceable<()> {
        if operands.iter().all(|of| !matches!(of, Traced::Value(_))) {
            return Ok(());
        }
        for operand in operands {
            let value = self.builder.materialise(operand)?;
            let ty = self.builder.ty(value).clone();
            if ty.element.is_float() {
                let place = self.builder.span;
                let message = format!("`//` divides integers, and this is {}", ty.words());
                let refusal: Traceable<()> = refuse(place, message);
                return refusal.map_err(|error| error.help("write `tl.floor(a / b)`").into());
            }
        }
        Ok(())
    }

    fn power(&mut self, left: &Traced, right: &Traced) -> Traceable<Traced> {
        match (left, right) {
            (Traced::Integer(base), Traced::Integer(exponent)) => {
                let power = u32::try_from(*exponent)
                    .ok()
                    .and_then(|exponent| base.checked_pow(exponent));
                match power {
                    Some(power) => Ok(Traced::Integer(power)),
                    // 2 ** -1 is a float in Python, as is what leaves 128 bits here.
                    None => Ok(Traced::Float((*base as f64).powf(*exponent as f64))),
                }
            }
            (Traced::Float(base), Traced::Integer(exponent)) => {
                Ok(Traced::Float(base.powf(*exponent as f64)))
            }
            (Traced::Float(base), Traced::Float(exponent)) => {
                Ok(Traced::Float(base.powf(*exponent)))
            }
            _ => refuse(
                self.builder.span,
                "`**` works only on numbers known when the kernel is compiled; multiply, or use `tl.exp2` and `tl.log2`",
            ),
        }
    }

    fn unary_operator(&mut self, op: UnaryOp, operand: Traced) -> Traceable<Traced> {
        match (op, &operand) {
            (UnaryOp::USub, _) => self.builder.unary(Unary::Negate, &operand),
            (UnaryOp::UAdd, _) => Ok(operand),
            (UnaryOp::Not, _) => match operand.truth() {
                Some(truth) => Ok(Traced::Truth(!truth)),
                None => self.builder.unary(Unary::Not, &operand),
            },
            (UnaryOp::Invert, Traced::Integer(value)) => Ok(Traced::Integer(!value)),
            (UnaryOp::Invert, _) => {
                let value = self.builder.materialise(&operand)?;
                match self.builder.ty(value).element {
                    Element::Bool => self.builder.unary(Unary::Not, &operand),
                    _ => self
                        .builder
                        // All bits set: two's complement.
                        .arithmetic(Binary::Xor, &operand, &Traced::Integer(-1)),
                }
            }
        }
    }

    fn logical(&mut self, op: BoolOp, values: &[Expr]) -> Traceable<Traced> {
        let mut all: Option<Traced> = None;
        for value in values {
            let value = self.expression(value)?;
            let Some(before) = all else {
                all = Some(value);
                continue;
            };
            all = Some(match (op, before.truth()) {
                // What is known ends the question, as in Python.
                // All operands are traced, so that what is wrong in them is told; those behind are computed for
                // nothing.
                (BoolOp::And, Some(false)) | (BoolOp::Or, Some(true)) => before,
                (_, Some(_)) => value,
                (_, None) => {
                    let binary = if op == BoolOp::And {
                        Binary::And
                    } else {
                        Binary::Or
                    };
                    let truth = |tracer: &mut Self, traced: &Traced| {
                        let value = tracer.builder.materialise(traced)?;
                        tracer.builder.cast(value, Element::Bool).map(Traced::Value)
                    };
                    let (a, b) = (truth(self, &before)?, truth(self, &value)?);
                    self.builder.arithmetic(binary, &a, &b)?
                }
            });
        }
        Ok(all.unwrap_or(Traced::Nothing))
    }

    fn compare(&mut self, op: CmpOp, left: &Traced, right: &Traced) -> Traceable<Traced> {
        let op = match op {
            CmpOp::Eq => Comparison::Eq,
            CmpOp::NotEq => Comparison::Ne,
            CmpOp::Lt => Comparison::Lt,
            CmpOp::LtE => Comparison::Le,
            CmpOp::Gt => Comparison::Gt,
            CmpOp::GtE => Comparison::Ge,
            // `is` of what is known while the kernel is compiled: `x is None` chooses between versions.
            CmpOp::Is => return Ok(Traced::Truth(left == right)),
            CmpOp::IsNot => return Ok(Traced::Truth(left != right)),
            CmpOp::In | CmpOp::NotIn => {
                let Traced::Tuple(parts) = right else {
                    return refuse(self.builder.span, "`in` needs a tuple on its right");
                };
                return Ok(Traced::Truth(parts.contains(left) == (op == CmpOp::In)));
            }
        };
        self.builder.comparison(op, left, right)
    }

    /// `parts[from:to]`.
    fn slice_of(&mut self, parts: &[Traced], slice: &ExprSlice) -> Traceable<Traced> {
        let place = span(slice.range);
        let mut bounds = [0, parts.len()];
        for (bound, given) in bounds.iter_mut().zip([&slice.lower, &slice.upper]) {
            let Some(given) = given else { continue };
            match self.expression(given)?.integer() {
                Some(at) => *bound = self::bound(at, parts.len()),
                None => return refuse(place, "the parts of a tuple are counted by a constexpr"),
            }
        }
        if slice.step.is_some() {
            return refuse(place, "the parts of a tuple are taken one after the other");
        }
        let [from, to] = bounds;
        Ok(Traced::Tuple(parts[from.min(to)..to].to_vec()))
    }

    /// `x[:, None]`, or a part of a tuple.
    fn subscript(&mut self, subscript: &ExprSubscript) -> Traceable<Traced> {
        let object = self.expression(&subscript.value)?;
        let place = span(subscript.range);
        if let Traced::Tuple(parts) = &object {
            if let Expr::Slice(slice) = &*subscript.slice {
                return self.slice_of(parts, slice);
            }
            let index = self.expression(&subscript.slice)?;
            return part_of(parts, &index, place);
        }
        let Traced::Value(mut value) = object else {
            return refuse(place, format!("{} cannot be indexed", object.words()));
        };
        let slices = match &*subscript.slice {
            Expr::Tuple(tuple) => &tuple.elts[..],
            one => std::slice::from_ref(one),
        };
        // 0 of a number, of which Triton looks at `None` alone.
        let rank = self.builder.ty(value).shape.len();
        let sides = slices
            .iter()
            .filter(|slice| !matches!(slice, Expr::NoneLiteral(_)));
        if rank > 0 && sides.count() > rank {
            let message = format!("a tile with {rank} dimensions takes at most {rank} `:`");
            return refuse(place, message);
        }
        for (axis, slice) in slices.iter().enumerate() {
            match slice {
                // Each `None` adds a side where it stands; `:` takes the next one of the tile.
                Expr::NoneLiteral(_) => value = self.builder.expand_dims(value, axis),
                Expr::Slice(range)
                    if range.lower.is_none() && range.upper.is_none() && range.step.is_none() => {}
                _ => return refuse_element(slice),
            }
        }
        Ok(Traced::Value(value))
    }
}

/// Whether the text of a constant is a number, a truth value or a string.
fn is_literal(constant: &Expr) -> bool {
    match constant {
        Expr::UnaryOp(operation) => is_literal(&operation.operand),
        Expr::BinOp(operation) => is_literal(&operation.left) && is_literal(&operation.right),
        _ => constant.is_literal_expr() && !constant.is_none_literal_expr(),
    }
}

/// Where a bound of a slice lies among `count` parts, as Python counts from the end and cuts off.
fn bound(at: i128, count: usize) -> usize {
    let from_start = if at < 0 { at + count as i128 } else { at };
    from_start.clamp(0, count as i128) as usize
}

fn refuse_tile(test: &Expr) -> Traceable<Traced> {
    let message = "`a if test else b` takes a single truth value, and this is a tile of them";
    let help = "choose element by element with `tl.where`";
    refuse(span_of(test), message).map_err(|error| Box::new(error.help(help)))
}

fn refuse_element(slice: &Expr) -> Traceable<Traced> {
    let message = "a tile can only be indexed with `:` and `None`";
    let help = "single elements cannot be read from a tile: load what you need, or use `tl.gather`";
    refuse(span_of(slice), message).map_err(|error| Box::new(error.help(help)))
}

/// What a type has under a name.
fn type_attribute(element: Element, is_pointer: bool, name: &str) -> Option<Traced> {
    match (name, is_pointer) {
        ("value", _) => Some(Traced::Type(element, is_pointer)),
        ("element_ty", _) | ("scalar", false) => Some(Traced::Type(element, false)),
        ("primitive_bitwidth", false) => Some(integer(element.bits().into())),
        ("int_bitwidth", false) if !element.is_float() => Some(integer(element.bits().into())),
        _ => None,
    }
}

/// Something of a library: a type, a number, or a name that means something where it is used.
fn library_member(path: String) -> Traced {
    let last = path.strip_prefix("triton.language.");
    match (last.and_then(Element::named), &path[..]) {
        (Some(element), _) => Traced::Type(element, false),
        (None, "math.pi") => Traced::Float(std::f64::consts::PI),
        (None, "math.e") => Traced::Float(std::f64::consts::E),
        (None, "math.inf") => Traced::Float(f64::INFINITY),
        (None, "math.nan") => Traced::Float(f64::NAN),
        _ => limit(&path).unwrap_or(Traced::Path(path)),
    }
}

/// Known numbers as a tuple of the text.
fn integers(numbers: &[u32]) -> Traced {
    let integers = numbers.iter().map(|&number| integer(number.into()));
    Traced::Tuple(integers.collect())
}

fn integer(number: u64) -> Traced {
    Traced::Integer(number.into())
}

fn number(place: Span, number: &Number) -> Traceable<Traced> {
    match number {
        // Literals above 2^63 exist as masks: `0xffffffffffffffff`.
        Number::Int(value) => {
            let signed = value.as_i64().map(i128::from);
            match signed.or_else(|| value.as_u64().map(i128::from)) {
                Some(value) => Ok(Traced::Integer(value)),
                None => refuse(place, "an integer has at most 64 bits"),
            }
        }
        Number::Float(value) => Ok(Traced::Float(*value)),
        Number::Complex { .. } => refuse(place, "complex numbers do not exist in a kernel"),
    }
}

/// `parts[index]`; as in Python, -1 is the last.
fn part_of(parts: &[Traced], index: &Traced, span: Span) -> Traceable<Traced> {
    let count = parts.len() as i128;
    let at = index
        .integer()
        .map(|at| if at < 0 { at + count } else { at });
    let part = at.and_then(|at| parts.get(usize::try_from(at).ok()?));
    part.cloned().map_or_else(
        || refuse(span, format!("a tuple of {count} has no such element")),
        Ok,
    )
}
