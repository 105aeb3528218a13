//! Functions of numbers, element by element.

use crate::source::Span;
use crate::triton::tile::{Binary, Comparison, Element, Op, Precision, Type, Unary, Value};
use crate::triton::trace::arguments::Arguments;
use crate::triton::trace::builder::{Traceable, refuse};
use crate::triton::trace::tracer::Tracer;
use crate::triton::trace::value::Traced;

/// Functions of one operand by their names; the last says whether they are of floats alone.
const UNARY: [(&str, Unary, bool); 15] = [
    ("abs", Unary::Abs, false),
    ("fabs", Unary::Abs, true),
    ("exp", Unary::Exp, true),
    ("exp2", Unary::Exp2, true),
    ("log", Unary::Log, true),
    ("log2", Unary::Log2, true),
    ("sqrt", Unary::Sqrt, true),
    ("sqrt_rn", Unary::Sqrt, true),
    ("rsqrt", Unary::Rsqrt, true),
    ("sin", Unary::Sin, true),
    ("cos", Unary::Cos, true),
    ("tanh", Unary::Tanh, true),
    ("erf", Unary::Erf, true),
    ("floor", Unary::Floor, true),
    ("ceil", Unary::Ceil, true),
];

/// Functions of two operands by their names.
const BINARY: [(&str, Binary); 8] = [
    ("maximum", Binary::Max),
    ("max", Binary::Max),
    ("minimum", Binary::Min),
    ("min", Binary::Min),
    ("umulhi", Binary::MulHigh),
    ("add", Binary::Add),
    ("sub", Binary::Sub),
    ("mul", Binary::Mul),
];

impl Tracer<'_> {
    /// A function of numbers; nothing if `name` is none of these.
    pub fn math_function(&mut self, name: &str, given: &Arguments) -> Traceable<Option<Traced>> {
        if let Some((_, op, of_floats)) = UNARY.iter().find(|row| row.0 == name) {
            return self.float_function(name, *op, *of_floats, given).map(Some);
        }
        let need = |at: usize, name: &str| given.need(at, name);
        if let Some((_, op)) = BINARY.iter().find(|row| row.0 == name) {
            let (x, y) = (need(0, "x")?, need(1, "y")?);
            return self.builder.arithmetic(*op, &x, &y).map(Some);
        }
        let traced = match name {
            "clamp" => {
                let (x, low) = (need(0, "x")?, need(1, "min")?);
                let low = self.builder.arithmetic(Binary::Max, &x, &low)?;
                self.builder
                    .arithmetic(Binary::Min, &low, &need(2, "max")?)?
            }
            "where" => {
                self.builder
                    .select(&need(0, "condition")?, &need(1, "x")?, &need(2, "y")?)?
            }
            "fma" => self.fma(&need(0, "x")?, &need(1, "y")?, &need(2, "z")?)?,
            "cdiv" => self.rounded_up(&need(0, "x")?, &need(1, "div")?)?,
            "fdiv" | "div_rn" => self.builder.true_division(&need(0, "x")?, &need(1, "y")?)?,
            "sigmoid" => self.sigmoid(&need(0, "x")?)?,
            "cast" | "to" => self.cast(given)?,
            "logical_and" => self.both_truths(Binary::And, given)?,
            "logical_or" => self.both_truths(Binary::Or, given)?,
            "isnan" => {
                let x = need(0, "x")?;
                self.builder.comparison(Comparison::Ne, &x, &x)?
            }
            "dot" => self.dot(given)?,
            "dot_scaled" => {
                let message = "`tl.dot_scaled` is not read here: multiply the scales in and call `tl.dot`, as Triton itself does on Hopper";
                return refuse(given.span, message);
            }
            _ => return Ok(None),
        };
        Ok(Some(traced))
    }

    fn fma(&mut self, x: &Traced, y: &Traced, z: &Traced) -> Traceable<Traced> {
        let [a, b] = self.builder.pair(x, y, false)?;
        let [a, c] = self.builder.pair(&Traced::Value(a), z, false)?;
        let ty = self.builder.ty(a).clone();
        // With `z` the shape may have grown.
        let b = self.builder.broadcast_to(b, &ty.shape)?;
        Ok(Traced::Value(self.builder.emit(Op::Fma, &[a, b, c], ty)))
    }

    /// A quotient of whole numbers, rounded up.
    fn rounded_up(&mut self, x: &Traced, by: &Traced) -> Traceable<Traced> {
        let one = Traced::Integer(1);
        let less = self.builder.arithmetic(Binary::Sub, by, &one)?;
        let sum = self.builder.arithmetic(Binary::Add, x, &less)?;
        self.builder.arithmetic(Binary::Div, &sum, by)
    }

    fn sigmoid(&mut self, x: &Traced) -> Traceable<Traced> {
        let one = Traced::Integer(1);
        let negative = self.builder.unary(Unary::Negate, x)?;
        let exponential = self.float_of(Unary::Exp, &negative)?;
        let sum = self.builder.arithmetic(Binary::Add, &one, &exponential)?;
        self.builder.true_division(&one, &sum)
    }

    fn both_truths(&mut self, op: Binary, given: &Arguments) -> Traceable<Traced> {
        let mut sides = Vec::new();
        for (at, name) in ["x", "y"].into_iter().enumerate() {
            // Numbers are truths, too: `2 and 1` holds, although 2 & 1 is 0.
            let value = self.builder.materialise(&given.need(at, name)?)?;
            sides.push(Traced::Value(self.builder.cast(value, Element::Bool)?));
        }
        self.builder.arithmetic(op, &sides[0], &sides[1])
    }

    /// A function of floats of a value.
    pub fn float_of(&mut self, op: Unary, operand: &Traced) -> Traceable<Traced> {
        let value = self.builder.materialise(operand)?;
        self.builder.unary(op, &Traced::Value(value))
    }

    fn float_function(
        &mut self,
        name: &str,
        op: Unary,
        of_floats: bool,
        given: &Arguments,
    ) -> Traceable<Traced> {
        let operand = given.need(0, "x")?;
        let value = self.builder.materialise(&operand)?;
        let ty = self.builder.ty(value).clone();
        // What has no sign is its own magnitude.
        if op == Unary::Abs && !ty.element.is_float() && !ty.element.is_signed() {
            return Ok(operand);
        }
        let has_half =
            matches!(op, Unary::Abs | Unary::Floor | Unary::Ceil) && !ty.element.is_float8();
        if of_floats
            && !matches!(ty.element, Element::F32 | Element::F64)
            && !(has_half && ty.element.is_float())
        {
            let refusal: Traceable<Traced> = refuse(
                given.span,
                format!(
                    "`tl.{name}` takes float32 or float64, and this is {}",
                    ty.words()
                ),
            );
            return refusal
                .map_err(|error| Box::new(error.help("cast it first: `x.to(tl.float32)`")));
        }
        self.builder.unary(
            op,
            &if ty.is_scalar() {
                Traced::Value(value)
            } else {
                operand
            },
        )
    }

    fn cast(&mut self, given: &Arguments) -> Traceable<Traced> {
        let value = self.builder.materialise(&given.need(0, "input")?)?;
        let Some(Traced::Type(element, is_pointer)) = given.get(1, "dtype").cloned() else {
            return refuse(
                given.span,
                "name the type to cast to, such as `tl.float32`; of the floats of 8 bits, this GPU has `tl.float8e4nv` and `tl.float8e5`",
            );
        };
        let ty = self.builder.ty(value).clone();
        if is_pointer || ty.is_pointer {
            return self.cast_pointer(value, element, is_pointer, given.span);
        }
        if given.flag(3, "bitcast") {
            if element.bits() != ty.element.bits() {
                let message = format!(
                    "the bits can be kept only between types of the same size, not {} and {}",
                    ty.element.name(),
                    element.name()
                );
                return refuse(given.span, message);
            }
            return Ok(Traced::Value(self.builder.emit(
                Op::Bitcast,
                &[value],
                ty.of(element),
            )));
        }
        Ok(Traced::Value(self.builder.cast(value, element)?))
    }

    /// A pointer as a number, a number as a pointer, or a pointer to something else.
    fn cast_pointer(
        &mut self,
        value: Value,
        element: Element,
        is_pointer: bool,
        place: Span,
    ) -> Traceable<Traced> {
        let ty = self.builder.ty(value).clone();
        let wanted = Type {
            is_pointer,
            ..ty.of(element)
        };
        if wanted == ty {
            return Ok(Traced::Value(value));
        }
        let is_whole = |ty: &Type| matches!(ty.element, Element::I64 | Element::U64);
        if [&ty, &wanted]
            .iter()
            .any(|ty| !ty.is_pointer && !is_whole(ty))
        {
            return refuse(
                place,
                "a pointer has 64 bits: only integers of 64 bits become pointers, and pointers only them",
            );
        }
        let cast = self.builder.emit(Op::Cast, &[value], wanted);
        Ok(Traced::Value(cast))
    }

    fn dot(&mut self, given: &Arguments) -> Traceable<Traced> {
        let (a, left) = self.tile(given, 0, "input")?;
        let (b, right) = self.tile(given, 1, "other")?;
        check_factors(given, &left, &right)?;
        let precision = precision(given)?;
        let element = sum_element(given, left.element)?;
        let rank = left.shape.len();
        let mut shape = left.shape.clone();
        shape[rank - 1] = right.shape[rank - 1];
        let ty = left.shaped(&shape).of(element);
        let sum = match given.maybe(2, "acc") {
            Some(sum) => {
                let sum = self.builder.materialise(&sum)?;
                check_sum(given, self.builder.function.ty(sum), &ty)?;
                let sum = self.builder.broadcast_to(sum, &ty.shape)?;
                self.builder.cast(sum, element)?
            }
            None => self
                .builder
                .constant(crate::triton::tile::Constant::Integer(0), ty.clone()),
        };
        let op = Op::Dot(precision);
        if rank == 3 {
            self.say_once(given.span, BATCH, "its values are right");
            let batch = self.builder.batched_product(&op, [a, b], sum, &ty);
            return Ok(Traced::Value(batch));
        }
        let product = self.builder.emit(op, &[a, b, sum], ty);
        Ok(Traced::Value(product))
    }
}

/// Said of products whose layout in Triton has three dimensions.
const BATCH: &str = "the counts of shared memory of this line differ from Triton's: Triton multiplies the batch at once, and here each of its products is multiplied by itself";

fn check_factors(given: &Arguments, left: &Type, right: &Type) -> Traceable<()> {
    let is_even = match (&left.shape[..], &right.shape[..]) {
        ([_, inner], [rows, _]) => inner == rows,
        ([of_left, _, inner], [of_right, rows, _]) => inner == rows && of_left == of_right,
        _ => false,
    };
    if !is_even {
        let message = format!(
            "{:?} and {:?} cannot be multiplied: the first must have as many columns as the second has rows",
            left.shape, right.shape
        );
        return refuse(given.span, message);
    }
    check_width(given, left)?;
    if left.element != right.element {
        let message = format!(
            "both tiles must have the same type, and these are {} and {}",
            left.words(),
            right.words()
        );
        return refuse(given.span, message);
    }
    Ok(())
}

/// Whether a factor's elements and the length that is summed over are ones that `tl.dot` takes.
fn check_width(given: &Arguments, left: &Type) -> Traceable<()> {
    let inner = left.shape[left.shape.len() - 1];
    // `min_dot_size` of Triton's `third_party/nvidia/backend/compiler.py`.
    let least = if left.element.bits() == 8 { 32 } else { 16 };
    if inner < least {
        let message = format!(
            "`tl.dot` sums over at least {least} elements of {}, and here over {inner}",
            left.element.name()
        );
        return refuse(given.span, message);
    }
    let is_multiplied = left.element.is_float() || left.element == Element::I8;
    if !is_multiplied {
        let message = format!(
            "`tl.dot` multiplies floats and `tl.int8`, not {}",
            left.element.name()
        );
        return refuse(given.span, message);
    }
    Ok(())
}

/// Whether a product can be added to `acc`, as `out_dtype` says of what type its elements are.
fn check_sum(given: &Arguments, sum: &Type, product: &Type) -> Traceable<()> {
    let wanted = out_element(given);
    if sum.element == wanted && sum.shape == product.shape {
        return Ok(());
    }
    let is_mended = sum.element == product.element && sum.shape == product.shape;
    let mend = match is_mended {
        true => format!("say `out_dtype=tl.{}`", sum.element.name()),
        false => format!(
            "make it `tl.zeros({:?}, tl.{})`",
            product.shape,
            product.element.name()
        ),
    };
    let message = format!(
        "`acc` is {}, and must be {} as `out_dtype` says: {mend}",
        sum.words(),
        product.of(wanted).words()
    );
    refuse(given.span, message)
}

/// The type that a product is asked for in.
fn out_element(given: &Arguments) -> Element {
    match given.maybe(6, "out_dtype") {
        Some(Traced::Type(wanted, _)) => wanted,
        _ => Element::F32,
    }
}

/// How a product of floats is rounded.
fn precision(given: &Arguments) -> Traceable<Precision> {
    Ok(match given.maybe(3, "input_precision") {
        // `allow_tf32` is what the option was called before.
        None if given.maybe(4, "allow_tf32") == Some(Traced::Truth(false)) => Precision::Ieee,
        None => Precision::Tf32,
        Some(Traced::Text(text)) if text == "ieee" => Precision::Ieee,
        Some(Traced::Text(text)) if text == "tf32" => Precision::Tf32,
        Some(Traced::Text(text)) if text == "tf32x3" => Precision::Tf32x3,
        Some(_) => {
            return refuse(
                given.span,
                "`input_precision` is \"tf32\", \"tf32x3\" or \"ieee\"",
            );
        }
    })
}

/// The type that products of such elements are summed in (`dot` of `semantic.py`).
fn sum_element(given: &Arguments, factor: Element) -> Traceable<Element> {
    let wanted = out_element(given);
    if wanted == Element::Bf16 {
        return refuse(
            given.span,
            "products are not summed in bfloat16: leave `out_dtype` out, and cast the result with `.to(tl.bfloat16)`",
        );
    }
    Ok(match factor {
        Element::I8 | Element::U8 => Element::I32,
        Element::F64 => Element::F64,
        Element::F16 if wanted == Element::F16 => wanted,
        _ if factor.is_float8() && wanted == Element::F16 => wanted,
        _ => Element::F32,
    })
}
