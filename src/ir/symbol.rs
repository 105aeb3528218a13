//! Variables at file scope, which CUDA calls symbols.

use crate::launch::ElementType;

/// A variable at file scope, in global or constant memory. It is there once for all launches of its
/// file's kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Type of its elements: of its scalars, if they are all of one type.
    pub element: ElementType,
    /// What it holds before the first launch.
    pub bytes: Vec<u8>,
    /// Whether it lies in constant memory.
    pub is_constant: bool,
}
