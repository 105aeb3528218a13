//! Whole-number formulas over the sizes of a lesson.

use super::Sizes;

/// A formula such as `5*M*N + 2*M`, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    text: String,
}

impl Formula {
    /// The formula as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its value at `sizes`.
    pub fn evaluate(&self, sizes: &Sizes) -> Result<u64, String> {
        let _ = sizes;
        unimplemented!("written next")
    }
}
