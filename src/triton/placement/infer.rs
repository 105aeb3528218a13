//! Which layout an operation's operands have to have for a layout of its result, and the other way around.
//!
//! After `inferSrcEncoding` and `inferDstEncoding` of Triton's `lib/Dialect/TritonGPU/Transforms/Utility.cpp`.

use crate::triton::layout::{Blocked, Layout, LinearLayout};
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
        Op::Reduce(axis) => layout.sliced_from(*axis),
        Op::Transpose(order) => {
            // From the result back to the operand: the permutation the other way round.
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
        Op::Join => halved(&layout.linear(&function.ty(node.results[0]).shape)).map(Layout::Linear),
        Op::Split => {
            let half = layout.linear(&function.ty(node.results[0]).shape);
            Some(Layout::Linear(doubled(&half)))
        }
        Op::Dot(_) if node.operands.get(2) == Some(&operand) => Some(layout.clone()),
        Op::Gather(_) if node.operands.get(1) == Some(&operand) => Some(layout.clone()),
        // Factors, and the tile that is gathered from, have layouts of their own.
        Op::Gather(_) | Op::Dot(_) => None,
        _ => Some(layout.clone()),
    }
}

/// The layout of two tiles along a new last side: each thread holds both.
fn doubled(half: &LinearLayout) -> LinearLayout {
    let mut whole = half.without_register_replicas();
    // `inferDefaultJoinOpEncoding`: the pair is the fastest bit of the register, so joining moves nothing between
    // threads.
    whole.registers.insert(0, half.elements());
    whole.shape.push(2);
    whole
}

/// The layout of one of two tiles along a last side, if each thread holds both.
fn halved(whole: &LinearLayout) -> Option<LinearLayout> {
    let mut half = whole.without_register_replicas();
    half.shape.pop();
    let side = half.elements();
    let at = half.registers.iter().position(|&basis| basis == side)?;
    half.registers.remove(at);
    Some(half)
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
        Op::ExpandDims(axis) => layout.sliced_from(*axis),
        Op::Reduce(axis) => Some(layout.slice(*axis)),
        Op::Transpose(order) => Some(transposed(layout, order, shape)),
        Op::Reshape => {
            let result = &function.ty(node.results[0]).shape;
            Some(Layout::Linear(layout.linear(shape).reshaped(result)))
        }
        Op::Join => Some(Layout::Linear(doubled(&layout.linear(shape)))),
        Op::Split => halved(&layout.linear(shape)).map(Layout::Linear),
        // These have layouts of their own, whatever they take.
        Op::Load(_) | Op::Store(_) | Op::Atomic(..) | Op::Gather(_) | Op::Dot(_) => None,
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
