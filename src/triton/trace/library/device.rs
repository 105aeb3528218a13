//! The functions of the GPU's library that `tl.extra.cuda.libdevice` and `tl.math` name, element by element.

use crate::triton::tile::{Element, Op};
use crate::triton::trace::arguments::Arguments;
use crate::triton::trace::builder::{Traceable, refuse};
use crate::triton::trace::tracer::Tracer;
use crate::triton::trace::value::Traced;

/// Functions of one float.
const OF_ONE: &str = "acos acosh asin asinh atan atanh cbrt cosh erfc erfinv exp10 expm1 lgamma log10 log1p \
     nearbyint normcdf rcbrt rint round sinh tan tgamma trunc sinpi cospi";

/// Functions of two floats.
const OF_TWO: &str = "atan2 copysign fdim fmod hypot pow remainder";

/// Questions about a float.
const QUESTIONS: [(&str, &str); 5] = [
    ("isinf", "isinf"),
    ("isfinited", "isfinite"),
    ("finitef", "isfinite"),
    ("isfinite", "isfinite"),
    ("signbit", "signbit"),
];

/// Functions of the bits of an integer.
const OF_BITS: [(&str, &str); 4] = [
    ("popc", "__popc"),
    ("clz", "__clz"),
    ("ffs", "__ffs"),
    ("brev", "__brev"),
];

/// Functions that round to a whole number: how, and the type that they give.
const TO_INTEGER: [(&str, &str, Element); 8] = [
    ("llrint", "rint", Element::I64),
    ("llround", "round", Element::I64),
    ("float2int_rn", "rint", Element::I32),
    ("float2int_rz", "trunc", Element::I32),
    ("float2int_rd", "floor", Element::I32),
    ("float2int_ru", "ceil", Element::I32),
    ("float2ll_rn", "rint", Element::I64),
    ("float2ll_rz", "trunc", Element::I64),
];

/// Faster functions, which are those that Triton itself takes, or come down to them.
const FAST: [(&str, &str); 9] = [
    ("fast_expf", "exp"),
    ("fast_exp10f", "exp10"),
    ("fast_logf", "log"),
    ("fast_log2f", "log2"),
    ("fast_sinf", "sin"),
    ("fast_cosf", "cos"),
    ("fast_tanf", "tan"),
    ("fast_powf", "pow"),
    ("fast_dividef", "fdiv"),
];

impl Tracer<'_> {
    /// A function of the GPU's library; nothing if `name` is none of these.
    pub fn device_function(&mut self, name: &str, given: &Arguments) -> Traceable<Option<Traced>> {
        if let Some((_, usual)) = FAST.iter().find(|row| row.0 == name) {
            return match self.math_function(usual, given)? {
                Some(traced) => Ok(Some(traced)),
                None => self.device_function(usual, given),
            };
        }
        if let Some(name) = OF_ONE.split_whitespace().find(|known| *known == name) {
            return self.of_floats(name, 1, given).map(Some);
        }
        if let Some(name) = OF_TWO.split_whitespace().find(|known| *known == name) {
            return self.of_floats(name, 2, given).map(Some);
        }
        if let Some((_, cuda)) = QUESTIONS.iter().find(|row| row.0 == name) {
            let (value, ty) = self.tile(given, 0, "x")?;
            let ty = ty.of(Element::Bool);
            let op = Op::Call(cuda);
            return Ok(Some(Traced::Value(self.builder.emit(op, &[value], ty))));
        }
        if let Some((_, rounding, element)) = TO_INTEGER.iter().find(|row| row.0 == name) {
            let (value, ty) = self.tile(given, 0, "x")?;
            let rounded = self.builder.emit(Op::Call(rounding), &[value], ty);
            let whole = self.builder.cast(rounded, *element)?;
            return Ok(Some(Traced::Value(whole)));
        }
        match OF_BITS.iter().find(|row| row.0 == name) {
            Some((_, cuda)) => self.of_bits(cuda, given).map(Some),
            None => Ok(None),
        }
    }

    fn of_floats(
        &mut self,
        name: &'static str,
        count: usize,
        given: &Arguments,
    ) -> Traceable<Traced> {
        let mut operands = vec![self.tile(given, 0, "x")?.0];
        if count == 2 {
            let (x, y) = (given.need(0, "x")?, given.need(1, "y")?);
            operands = self.builder.pair(&x, &y, true)?.to_vec();
        }
        let ty = self.builder.ty(operands[0]).clone();
        if !matches!(ty.element, Element::F32 | Element::F64) {
            let message = format!(
                "`{name}` takes float32 or float64, and this is {}",
                ty.words()
            );
            let refusal: Traceable<Traced> = refuse(given.span, message);
            return refusal
                .map_err(|error| Box::new(error.help("cast it first: `x.to(tl.float32)`")));
        }
        let value = self.builder.emit(Op::Call(name), &operands, ty);
        Ok(Traced::Value(value))
    }

    fn of_bits(&mut self, cuda: &'static str, given: &Arguments) -> Traceable<Traced> {
        let (value, ty) = self.tile(given, 0, "x")?;
        if ty.element.is_float() || ty.element.bits() != 32 {
            let message = format!(
                "this counts the bits of a 32-bit integer, and this is {}",
                ty.words()
            );
            return refuse(given.span, message);
        }
        let ty = ty.of(Element::I32);
        Ok(Traced::Value(self.builder.emit(
            Op::Call(cuda),
            &[value],
            ty,
        )))
    }
}
