//! Which layout an operation's operands have to have for a layout of its result, and the other way around.
//!
//! After `inferSrcEncoding` and `inferDstEncoding` of Triton's `lib/Dialect/TritonGPU/Transforms/Utility.cpp`.

use crate::triton::layout::{Blocked, Layout};
use crate::triton::tile::{Function, Node, Op, Value};

/// The layout that `operand` has to have for a result in `layout`; nothing where there is none.
pub fn operand_layout(
    function: &Function,
    node: &Node,
    operand: Value,
    layout: &Layout,
) -> Option<Layout> {
    let shape = &function.ty(operand).shape;
    match &node.op {
        Op::ExpandDims(axis) => Some(layout.slice(*axis)),
        Op::Reduce(axis) => match layout {
            Layout::Slice { dim, parent } if dim == axis => Some((**parent).clone()),
            _ => None,
        },
        Op::Transpose(order) => {
            let mut inverse = vec![0; order.len()];
            for (at, &side) in order.iter().enumerate() {
                inverse[side] = at;
            }
            Some(transposed(
                layout,
                &inverse,
                &function.ty(node.results[0]).shape,
            ))
        }
        Op::Reshape => {
            let result = &function.ty(node.results[0]).shape;
            Some(Layout::Linear(layout.linear(result).reshaped(shape)))
        }
        Op::Join | Op::Split | Op::Gather(_) | Op::Dot(_) => None,
        _ => Some(layout.clone()),
    }
}

/// The layout of the results where an operand is in `layout`.
pub fn result_layout(
    function: &Function,
    node: &Node,
    operand: Value,
    layout: &Layout,
) -> Option<Layout> {
    let shape = &function.ty(operand).shape;
    match &node.op {
        Op::ExpandDims(axis) => match layout {
            Layout::Slice { dim, parent } if dim == axis => Some((**parent).clone()),
            _ => None,
        },
        Op::Reduce(axis) => Some(layout.slice(*axis)),
        Op::Transpose(order) => Some(transposed(layout, order, shape)),
        Op::Reshape => {
            let result = &function.ty(node.results[0]).shape;
            Some(Layout::Linear(layout.linear(shape).reshaped(result)))
        }
        Op::Load(_)
        | Op::Store(_)
        | Op::Atomic(..)
        | Op::Gather(_)
        | Op::Dot(_)
        | Op::Join
        | Op::Split => None,
        Op::For { .. } | Op::If | Op::While => None,
        _ => Some(layout.clone()),
    }
}

/// The layout of a transposed tile, whose side `i` is side `order[i]` of this one.
fn transposed(layout: &Layout, order: &[usize], shape: &[u32]) -> Layout {
    let pick = |sizes: &[u32]| order.iter().map(|&side| sizes[side]).collect();
    match layout {
        Layout::Blocked(blocked) => {
            let place = |side: &usize| order.iter().position(|at| at == side).unwrap_or(0);
            Layout::Blocked(Blocked {
                size_per_thread: pick(&blocked.size_per_thread),
                threads_per_warp: pick(&blocked.threads_per_warp),
                warps_per_block: pick(&blocked.warps_per_block),
                order: blocked.order.iter().map(place).collect(),
            })
        }
        other => Layout::Linear(other.linear(shape).transposed(order)),
    }
}
