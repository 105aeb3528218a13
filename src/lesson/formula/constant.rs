//! Constants of Triton kernels: numbers that follow from sizes, and types.

use super::tree::Formula;

/// A constant of a Triton kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantTemplate {
    /// A whole number.
    Formula(Formula),
    /// A type of elements, such as `tl.float32`.
    Type(String),
}

impl ConstantTemplate {
    /// The formula, if it is a number.
    pub fn formula(&self) -> Option<&Formula> {
        match self {
            ConstantTemplate::Formula(formula) => Some(formula),
            ConstantTemplate::Type(_) => None,
        }
    }
}
