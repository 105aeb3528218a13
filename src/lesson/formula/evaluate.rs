//! The value of a formula.

use thiserror::Error;

use super::tree::{Formula, Function, Node, Operator};
use crate::device::{Gpu, occupancy};
use crate::lesson::sizes::Sizes;

/// Why a formula has no value at some sizes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EvaluateError {
    /// It uses a name that is no size.
    #[error("`{0}` is not a size")]
    UnknownName(String),
    /// It uses a figure that the table does not have of this GPU.
    #[error("`{0}` is not known of the {1}")]
    UnknownFact(&'static str, String),
    /// It divides by zero.
    #[error("it divides by zero")]
    DivisionByZero,
    /// A value on the way has more than 127 bits, or the result more than 64.
    #[error("the result is too large")]
    TooLarge,
    /// The result is below zero.
    #[error("the result is negative: {0}")]
    Negative(i128),
}

impl Formula {
    /// Its value at `sizes`, on `gpu`.
    ///
    /// # Errors
    /// Why there is none.
    pub fn evaluate(&self, sizes: &Sizes, gpu: &Gpu) -> Result<u64, EvaluateError> {
        let value = Environment { sizes, gpu }.value(&self.root)?;
        match u64::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) if value < 0 => Err(EvaluateError::Negative(value)),
            Err(_) => Err(EvaluateError::TooLarge),
        }
    }
}

/// Where a formula is evaluated.
#[derive(Clone, Copy)]
struct Environment<'a> {
    /// What its names stand for.
    sizes: &'a Sizes,
    /// Whose figures it may use.
    gpu: &'a Gpu,
}

impl Environment<'_> {
    /// The value of `node`.
    fn value(self, node: &Node) -> Result<i128, EvaluateError> {
        match node {
            Node::Number(number) => Ok(i128::from(*number)),
            Node::Name(name) => {
                let value = self.sizes.get(name).map(|&value| i128::from(value));
                value.ok_or_else(|| EvaluateError::UnknownName(name.clone()))
            }
            Node::Value(value) => self.value(&value.formula.root),
            Node::Fact(fact) => {
                let value = fact.of(self.gpu).map(i128::from);
                value.ok_or_else(|| EvaluateError::UnknownFact(fact.name, self.gpu.name.clone()))
            }
            Node::Binary(operator, left, right) => {
                apply(*operator, self.value(left)?, self.value(right)?)
            }
            Node::Call(function, arguments) => self.call(*function, arguments),
        }
    }

    fn call(self, function: Function, arguments: &[Node]) -> Result<i128, EvaluateError> {
        match (function, arguments) {
            (Function::CeilDiv, [a, b]) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                let quotient = apply(Operator::Divide, a, b)?;
                // Division rounds towards zero, so only a positive quotient has to go up.
                let up = apply(Operator::Remainder, a, b)? != 0 && (a < 0) == (b < 0);
                Ok(quotient + i128::from(up))
            }
            (Function::Min, [a, b]) => Ok(self.value(a)?.min(self.value(b)?)),
            (Function::Max, [a, b]) => Ok(self.value(a)?.max(self.value(b)?)),
            (Function::Gcd, [a, b]) => gcd(self.value(a)?, self.value(b)?),
            (Function::NextPow2, [a]) => next_pow2(self.value(a)?),
            // What is not taken need not have a value.
            (Function::If, [condition, then, otherwise]) => match self.value(condition)? {
                0 => self.value(otherwise),
                _ => self.value(then),
            },
            (Function::BlocksPerSm, [threads, registers, shared]) => {
                let small = |node| match self.value(node)? {
                    value if value < 0 => Err(EvaluateError::Negative(value)),
                    // No SM takes as much: occupancy answers 0 blocks, as for any launch that is refused.
                    value => Ok(u32::try_from(value).unwrap_or(u32::MAX)),
                };
                let (threads, registers, shared) =
                    (small(threads)?, small(registers)?, small(shared)?);
                let found = occupancy(self.gpu.limits(), threads, registers, shared);
                Ok(i128::from(found.blocks))
            }
            // Whoever adds a function to the table lists its arguments here.
            _ => unreachable!("the parser checks the number of arguments"),
        }
    }
}

fn apply(operator: Operator, left: i128, right: i128) -> Result<i128, EvaluateError> {
    let divides = matches!(operator, Operator::Divide | Operator::Remainder);
    // `checked_div` would call it too large.
    if divides && right == 0 {
        return Err(EvaluateError::DivisionByZero);
    }
    let truth = |holds| Some(i128::from(holds));
    let value = match operator {
        Operator::Less => truth(left < right),
        Operator::AtMost => truth(left <= right),
        Operator::Greater => truth(left > right),
        Operator::AtLeast => truth(left >= right),
        Operator::Equal => truth(left == right),
        Operator::NotEqual => truth(left != right),
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        Operator::Divide => left.checked_div(right),
        Operator::Remainder => left.checked_rem(right),
    };
    value.ok_or(EvaluateError::TooLarge)
}

/// The greatest common divisor, never negative; of 0 and a number that number.
fn gcd(a: i128, b: i128) -> Result<i128, EvaluateError> {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).map_err(|_| EvaluateError::TooLarge)
}

/// The least power of two that is not less; 1 of what is less than that.
fn next_pow2(value: i128) -> Result<i128, EvaluateError> {
    let power = value.max(1).unsigned_abs().checked_next_power_of_two();
    let power = power.and_then(|power| i128::try_from(power).ok());
    power.ok_or(EvaluateError::TooLarge)
}
