//! What a `tl.dot` takes: the unit that computes it, and with it the layouts of its tiles.

use crate::triton::layout::{Dot, DotKind};
use crate::triton::tile::{Element, Function, Node, Op, Precision};

/// The product of a `tl.dot`.
pub fn product(function: &Function, node: &Node, warps: u32) -> Dot {
    let [left, right] = [0, 1].map(|at| function.ty(node.operands[at]));
    let is_exact = matches!(node.op, Op::Dot(Precision::Ieee));
    let kind = match left.element {
        // Tensor cores would cut its factors to the 10 bits of TF32.
        Element::F32 if is_exact => DotKind::MultiplyAdd,
        Element::F16 | Element::Bf16 | Element::F32 | Element::I8 | Element::U8 => {
            DotKind::TensorCores
        }
        _ => DotKind::MultiplyAdd,
    };
    Dot {
        rows: left.shape[0],
        columns: right.shape[1],
        inner: left.shape[1],
        element_bits: left.element.bits(),
        kind,
        warps,
    }
}
