//! What is known of a kernel before and while it is lowered: which memory pointers lead to, which
//! variables need an address, integers and addresses as affine expressions, what values depend on.

mod affine;
mod alias;
mod byte_range;
mod escape;
mod purity;

pub(crate) use affine::{Sum, Symbols, combined};
pub(crate) use alias::{Region, Regions};
pub(crate) use byte_range::{Spot, spot};
pub(crate) use escape::{Analysis, analyse, is_fixed, reference};
