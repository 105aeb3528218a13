//! The arguments of a call, by place and by name.

use super::builder::{Traceable, refuse};
use super::value::Traced;
use crate::source::Span;

/// What a call is given.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// By place.
    pub positional: Vec<Traced>,
    /// By name.
    pub named: Vec<(String, Traced)>,
    /// Where the call is written.
    pub span: Span,
}

impl Arguments {
    /// The argument at a place, or of a name.
    pub fn get(&self, at: usize, name: &str) -> Option<&Traced> {
        let named = self.named.iter().find(|(given, _)| given == name);
        self.positional.get(at).or(named.map(|(_, value)| value))
    }

    /// The argument at a place, which has to be there.
    pub fn need(&self, at: usize, name: &str) -> Traceable<Traced> {
        match self.get(at, name) {
            Some(value) => Ok(value.clone()),
            None => refuse(self.span, format!("the argument `{name}` is missing")),
        }
    }

    /// One that may be left out or `None`.
    pub fn maybe(&self, at: usize, name: &str) -> Option<Traced> {
        self.get(at, name)
            .filter(|value| **value != Traced::Nothing)
            .cloned()
    }

    /// An integer that has to be known when the kernel is compiled.
    pub fn integer(&self, at: usize, name: &str) -> Traceable<Option<i128>> {
        match self.maybe(at, name) {
            None => Ok(None),
            Some(value) => match value.integer() {
                Some(value) => Ok(Some(value)),
                None => refuse(
                    self.span,
                    format!(
                        "`{name}` must be a constexpr: a number known when the kernel is compiled"
                    ),
                ),
            },
        }
    }

    /// Whether something is asked for.
    pub fn flag(&self, at: usize, name: &str) -> bool {
        self.maybe(at, name)
            .and_then(|value| value.truth())
            .unwrap_or(false)
    }

    /// A shape: a tuple, or the rest of the arguments.
    pub fn shape(&self, at: usize, name: &str) -> Traceable<Vec<u32>> {
        let parts = match self.get(at, name) {
            Some(Traced::Tuple(parts)) => parts.clone(),
            Some(_) if self.positional.len() > at => self.positional[at..].to_vec(),
            Some(one) => vec![one.clone()],
            None => return refuse(self.span, format!("the argument `{name}` is missing")),
        };
        let side = |part: &Traced| match part.integer() {
            Some(side) if side > 0 && side <= 1 << 20 && (side as u64).is_power_of_two() => {
                Ok(side as u32)
            }
            Some(side) => refuse(
                self.span,
                format!(
                    "each dimension of a tile must be a power of two of at most 1,048,576, not {side}"
                ),
            ),
            None => refuse(
                self.span,
                "the shape of a tile must be constexpr: known when the kernel is compiled",
            ),
        };
        parts.iter().map(side).collect()
    }
}
