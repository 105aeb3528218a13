//! Whole-number formulas over the sizes of a lesson.
//!
//! A formula is read once, with the lesson; a formula that reads is evaluated without panics: a
//! missing size, a division by zero and a result that does not fit are errors. Values between are
//! 128-bit and may be negative; the result may not.

mod parse;
mod textbook;

use std::fmt;

use thiserror::Error;

use super::Sizes;
use parse::parse;

/// A formula such as `5*M*N + 2*M`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    text: String,
    root: Node,
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A function by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    CeilDiv,
    Min,
    Max,
    NextPow2,
}

/// Every function with its name and number of arguments.
const FUNCTIONS: [(Function, &str, usize); 4] = [
    (Function::CeilDiv, "ceil_div", 2),
    (Function::Min, "min", 2),
    (Function::Max, "max", 2),
    (Function::NextPow2, "next_pow2", 1),
];

/// A part of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Number(u64),
    Name(String),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

/// What is wrong with the text of a formula, and where in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct FormulaError {
    /// Bytes of the text.
    pub at: std::ops::Range<usize>,
    /// One sentence without a full stop.
    pub message: String,
}

/// Why a formula has no value at some sizes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EvaluateError {
    /// It uses a name that is no size.
    #[error("`{0}` is not a size")]
    UnknownName(String),
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
    /// Reads a formula: whole numbers, names, `+ - * / %`, parentheses, and the functions
    /// `ceil_div(a, b)`, `min(a, b)`, `max(a, b)`, `next_pow2(a)`. Division rounds towards zero.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let text = text.to_owned();
        let root = parse(&text)?;
        Ok(Formula { text, root })
    }

    /// The formula of one number.
    pub fn constant(number: u64) -> Self {
        Formula {
            text: number.to_string(),
            root: Node::Number(number),
        }
    }

    /// The formula as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// As a textbook writes it: `5MN + 2M`.
    pub fn textbook(&self) -> String {
        textbook::write(&self.root)
    }

    /// Every name it uses, in order, repeated where it is.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        collect_names(&self.root, &mut names);
        names
    }

    /// Its value at `sizes`.
    pub fn evaluate(&self, sizes: &Sizes) -> Result<u64, EvaluateError> {
        let value = evaluate(&self.root, sizes)?;
        match u64::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) if value < 0 => Err(EvaluateError::Negative(value)),
            Err(_) => Err(EvaluateError::TooLarge),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn collect_names<'a>(node: &'a Node, names: &mut Vec<&'a str>) {
    match node {
        Node::Number(_) => {}
        Node::Name(name) => names.push(name),
        Node::Binary(_, left, right) => {
            collect_names(left, names);
            collect_names(right, names);
        }
        Node::Call(_, arguments) => {
            for argument in arguments {
                collect_names(argument, names);
            }
        }
    }
}

fn evaluate(node: &Node, sizes: &Sizes) -> Result<i128, EvaluateError> {
    match node {
        Node::Number(number) => Ok(i128::from(*number)),
        Node::Name(name) => sizes
            .get(name)
            .map(|&value| i128::from(value))
            .ok_or_else(|| EvaluateError::UnknownName(name.clone())),
        Node::Binary(operator, left, right) => {
            apply(*operator, evaluate(left, sizes)?, evaluate(right, sizes)?)
        }
        Node::Call(function, arguments) => {
            let arguments: Result<Vec<i128>, _> =
                arguments.iter().map(|node| evaluate(node, sizes)).collect();
            call(*function, &arguments?)
        }
    }
}

fn apply(operator: Operator, left: i128, right: i128) -> Result<i128, EvaluateError> {
    let divides = matches!(operator, Operator::Divide | Operator::Remainder);
    if divides && right == 0 {
        return Err(EvaluateError::DivisionByZero);
    }
    let value = match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        Operator::Divide => left.checked_div(right),
        Operator::Remainder => left.checked_rem(right),
    };
    value.ok_or(EvaluateError::TooLarge)
}

fn call(function: Function, arguments: &[i128]) -> Result<i128, EvaluateError> {
    match (function, arguments) {
        (Function::CeilDiv, &[a, b]) => {
            let quotient = apply(Operator::Divide, a, b)?;
            let up = a % b != 0 && (a < 0) == (b < 0);
            Ok(quotient + i128::from(up))
        }
        (Function::Min, &[a, b]) => Ok(a.min(b)),
        (Function::Max, &[a, b]) => Ok(a.max(b)),
        (Function::NextPow2, &[a]) if a <= 1 => Ok(1),
        (Function::NextPow2, &[a]) => {
            let power = (a as u128).checked_next_power_of_two();
            let power = power.and_then(|power| i128::try_from(power).ok());
            power.ok_or(EvaluateError::TooLarge)
        }
        _ => unreachable!("the parser checks the number of arguments"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Result<u64, EvaluateError> {
        let sizes = Sizes::from([("M".to_owned(), 1823), ("N".to_owned(), 781)]);
        Formula::parse(text).expect("reads").evaluate(&sizes)
    }

    #[test]
    fn formulas_have_the_values_of_arithmetic() {
        assert_eq!(value("5*M*N + 2*M"), Ok(5 * 1823 * 781 + 2 * 1823));
        assert_eq!(value("2 + 3 * 4 - 6 / 4 % 5"), Ok(2 + 12 - 1));
        assert_eq!(value("(M - N) * (1 - 2 + 3)"), Ok((1823 - 781) * 2));
        assert_eq!(value("ceil_div(M, 256)"), Ok(8));
        assert_eq!(value("ceil_div(512, 256)"), Ok(2));
        assert_eq!(value("min(M, N) + max(M, N)"), Ok(1823 + 781));
        assert_eq!(value("next_pow2(N) + next_pow2(0)"), Ok(1025));
    }

    #[test]
    fn what_has_no_value_is_an_error() {
        assert_eq!(value("M / (N - N)"), Err(EvaluateError::DivisionByZero));
        assert_eq!(value("N - M"), Err(EvaluateError::Negative(-1042)));
        assert_eq!(value("K"), Err(EvaluateError::UnknownName("K".to_owned())));
        let most = u64::MAX;
        let huge = format!("{most} * {most} * {most}");
        assert_eq!(value(&huge), Err(EvaluateError::TooLarge));
        assert_eq!(value(&format!("{most} + 1")), Err(EvaluateError::TooLarge));
        let power = format!("next_pow2({most} * {most})");
        assert_eq!(value(&power), Err(EvaluateError::TooLarge));
    }

    proptest! {
        #[test]
        fn reading_and_evaluating_never_panic(text in "[MN0-9+*/%(), a-z_-]{0,40}") {
            let sizes = Sizes::from([("M".to_owned(), u64::MAX), ("N".to_owned(), 0)]);
            if let Ok(formula) = Formula::parse(&text) {
                let _ = formula.evaluate(&sizes);
                let textbook = formula.textbook();
                prop_assert!(!textbook.is_empty());
            }
        }

        #[test]
        fn ceil_div_covers_and_not_more(a in 0_u64..1 << 40, b in 1_u64..1 << 20) {
            let text = format!("ceil_div({a}, {b})");
            let blocks = Formula::parse(&text).expect("reads").evaluate(&Sizes::new());
            prop_assert_eq!(blocks, Ok(a.div_ceil(b)));
        }
    }
}
