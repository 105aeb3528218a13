//! What is known of a result, given what is known of the operands: one rule for each operation.
//!
//! The visitors of Triton's `lib/Analysis/AxisInfo.cpp`.

use super::axis::{Axis, gcd, power_of_two, product};
use crate::triton::tile::{Binary, Comparison, Constant, Element, Op, Type};

/// What is known of the result of an operation without blocks, of type `ty`; `of` are its operands with their shapes.
pub fn result(op: &Op, of: &[(&Axis, &Type)], ty: &Type) -> Axis {
    let rank = ty.shape.len().max(1);
    match op {
        Op::Constant(Constant::Integer(value)) => Axis::of_constant(Some(*value), &ty.shape),
        Op::Constant(Constant::Float(_)) => Axis::of_constant(None, &ty.shape),
        Op::Range(start) => Axis {
            contiguity: vec![i64::from(ty.shape[0])],
            divisibility: vec![power_of_two(i128::from(*start))],
            constancy: vec![1],
            constant: None,
        },
        Op::Splat => splat(of[0].0, ty),
        Op::ExpandDims(axis) => expanded(of[0].0, *axis),
        Op::Broadcast => broadcast(of[0].0, of[0].1, ty),
        Op::Transpose(order) => transposed(of[0].0, order),
        Op::Cast if is_whole(of[0].1) && is_whole(ty) => of[0].0.clone(),
        Op::Bitcast => of[0].0.clone(),
        Op::Offset => sum(of[0].0, of[1].0, i64::from(ty.element.bytes())),
        Op::Binary(binary) if is_integer(ty.element) => arithmetic(*binary, of, ty),
        Op::Compare(comparison) if is_integer(of[0].1.element) => compare(*comparison, of, ty),
        Op::Select => select(
            of[0].0,
            of[1].0,
            of[2].0,
            of[0].1.is_scalar() && !ty.is_scalar(),
        ),
        Op::Load(access) => loaded(of[0].0, access.is_masked.then(|| of[1].0), rank),
        _ => Axis::unknown(rank),
    }
}

fn transposed(of: &Axis, order: &[usize]) -> Axis {
    let pick = |known: &[i64]| order.iter().map(|&side| known[side]).collect();
    Axis {
        contiguity: pick(&of.contiguity),
        divisibility: pick(&of.divisibility),
        constancy: pick(&of.constancy),
        constant: of.constant,
    }
}

/// Elements are equal where their pointers are, and where the mask, if any, is the same for them.
fn loaded(pointer: &Axis, mask: Option<&Axis>, rank: usize) -> Axis {
    let mut known = Axis::unknown(rank);
    for d in 0..rank {
        // The greatest common divisor with 0 is the other number: without a mask the pointers alone decide.
        let mask = mask.map_or(0, |mask| mask.constancy[d]);
        known.constancy[d] = gcd(pointer.constancy[d], mask);
    }
    known
}

fn is_integer(element: Element) -> bool {
    !element.is_float()
}

/// Whether it holds integers, not pointers to some.
fn is_whole(ty: &Type) -> bool {
    is_integer(ty.element) && !ty.is_pointer
}

fn splat(of: &Axis, ty: &Type) -> Axis {
    let rank = ty.shape.len();
    Axis {
        // All are equal, so no two follow each other.
        contiguity: vec![1; rank],
        divisibility: vec![of.divisibility[0]; rank],
        constancy: ty.shape.iter().map(|&side| i64::from(side)).collect(),
        constant: of.constant,
    }
}

fn expanded(of: &Axis, axis: usize) -> Axis {
    let mut known = of.clone();
    let all = (0..of.rank()).map(|d| of.divisor_of_all(d));
    let divisor = match of.constant {
        Some(value) => power_of_two(value),
        None => all.fold(0, gcd),
    };
    known.contiguity.insert(axis, 1);
    known.divisibility.insert(axis, divisor);
    known.constancy.insert(axis, 1);
    known
}

fn broadcast(of: &Axis, from: &Type, ty: &Type) -> Axis {
    let mut known = of.clone();
    for d in 0..ty.shape.len() {
        if from.shape[d] == 1 {
            known.contiguity[d] = 1;
            known.constancy[d] = i64::from(ty.shape[d]);
        }
    }
    known
}

/// Of `left + right * scale`.
fn sum(left: &Axis, right: &Axis, scale: i64) -> Axis {
    let rank = left.rank();
    let mut known = Axis::unknown(rank);
    for d in 0..rank {
        // Neighbours stay neighbours as long as the same is added to all of them.
        let (a, b) = (
            gcd(left.constancy[d], right.contiguity[d]),
            gcd(left.contiguity[d], right.constancy[d]),
        );
        known.contiguity[d] = a.max(b);
        known.divisibility[d] = gcd(left.divisibility[d], product(right.divisibility[d], scale));
        known.constancy[d] = gcd(left.constancy[d], right.constancy[d]);
    }
    known.constant = match (left.constant, right.constant) {
        (Some(a), Some(b)) => Some(a + b * i128::from(scale)),
        _ => None,
    };
    known
}

fn difference(left: &Axis, right: &Axis) -> Axis {
    let mut axis = sum(left, right, 1);
    for d in 0..axis.rank() {
        // `c - x` counts down: only what is subtracted being equal keeps neighbours neighbours.
        axis.contiguity[d] = gcd(left.contiguity[d], right.constancy[d]);
    }
    axis.constant = None;
    axis
}

fn arithmetic(binary: Binary, of: &[(&Axis, &Type)], ty: &Type) -> Axis {
    let (left, right) = (of[0].0, of[1].0);
    if let (Some(a), Some(b)) = (left.constant, right.constant)
        && let Some(value) = known(binary, a, b)
    {
        let mut axis = Axis::of_constant(Some(value), &ty.shape);
        for d in 0..axis.rank() {
            axis.constancy[d] = left.constancy[d].max(right.constancy[d]);
        }
        return axis;
    }
    let mut axis = match binary {
        Binary::Add => return sum(left, right, 1),
        Binary::Sub => return difference(left, right),
        Binary::Max | Binary::Min => return left.join(right),
        _ => Axis::unknown(left.rank()),
    };
    for d in 0..axis.rank() {
        axis.constancy[d] = gcd(left.constancy[d], right.constancy[d]);
        match binary {
            Binary::Mul => multiply(&mut axis, [left, right], d),
            Binary::Div => divide(&mut axis, [left, right], ty, d),
            Binary::Rem => remainder(&mut axis, [left, right], ty, d),
            Binary::ShiftLeft | Binary::ShiftRight => {
                axis.contiguity[d] = match right.constant {
                    Some(0) => left.contiguity[d],
                    _ => 1,
                };
                axis.divisibility[d] = shifted(binary, left, right.constant, d);
            }
            _ => {}
        }
    }
    axis
}

fn multiply(axis: &mut Axis, [left, right]: [&Axis; 2], d: usize) {
    let is_one = |axis: &Axis| axis.constant == Some(1);
    // Times 1 neighbours stay neighbours; times 2 they lie two apart.
    let a = if is_one(right) { left.contiguity[d] } else { 1 };
    let b = if is_one(left) { right.contiguity[d] } else { 1 };
    axis.contiguity[d] = a.max(b);
    let divisor = |of: &Axis, by: &Axis| match is_one(by) {
        true => of.divisibility[d],
        false => of.divisor_of_all(d),
    };
    axis.divisibility[d] = product(divisor(left, right), divisor(right, left));
}

/// What a shifted number is divisible by.
fn shifted(binary: Binary, left: &Axis, by: Option<i128>, d: usize) -> i64 {
    match (binary, by) {
        (Binary::ShiftLeft, None | Some(0)) => left.divisibility[d],
        (Binary::ShiftLeft, Some(by)) => product(left.divisor_of_all(d), 1 << by.clamp(0, 61)),
        (_, Some(by)) => (left.divisor_of_all(d) >> by.clamp(0, 62)).max(1),
        (_, None) => 1,
    }
}

fn known(binary: Binary, a: i128, b: i128) -> Option<i128> {
    match binary {
        Binary::Add => a.checked_add(b),
        Binary::Sub => a.checked_sub(b),
        Binary::Mul => a.checked_mul(b),
        Binary::Div => a.checked_div(b),
        Binary::Rem => a.checked_rem(b),
        Binary::And => Some(a & b),
        Binary::Or => Some(a | b),
        Binary::Xor => Some(a ^ b),
        _ => None,
    }
}

fn divide(axis: &mut Axis, [left, right]: [&Axis; 2], ty: &Type, d: usize) {
    let is_one = right.constant == Some(1);
    axis.contiguity[d] = if is_one { left.contiguity[d] } else { 1 };
    if left.is_contiguous(&ty.shape, d) && right.is_constant(&ty.shape, d) {
        let shared = gcd(
            gcd(left.contiguity[d], left.divisibility[d]),
            right.divisibility[d],
        );
        axis.constancy[d] = axis.constancy[d].max(shared);
    }
    let power = right
        .constant
        .filter(|&by| by > 0 && (by as u128).is_power_of_two());
    axis.divisibility[d] = match power {
        _ if is_one || left.constant == Some(0) => left.divisibility[d],
        // In a run only the first is known to be a multiple; the quotients of the others are not.
        Some(by) if left.contiguity[d] == 1 => {
            (left.divisibility[d] / i64::try_from(by).unwrap_or(i64::MAX)).max(1)
        }
        _ => 1,
    };
}

fn remainder(axis: &mut Axis, [left, right]: [&Axis; 2], ty: &Type, d: usize) {
    if left.is_contiguous(&ty.shape, d) && right.is_constant(&ty.shape, d) {
        axis.contiguity[d] = gcd(
            gcd(left.contiguity[d], left.divisibility[d]),
            right.divisibility[d],
        );
    }
    if right.constancy[d] > 1 {
        axis.divisibility[d] = gcd(left.divisibility[d], right.divisibility[d]);
    }
}

fn compare(comparison: Comparison, of: &[(&Axis, &Type)], ty: &Type) -> Axis {
    let (left, right) = (of[0].0, of[1].0);
    let mut axis = Axis::unknown(left.rank());
    if ty.is_scalar() {
        return axis;
    }
    for d in 0..axis.rank() {
        if left.constant.is_some() && right.constant.is_some() {
            axis.constancy[d] = left.constancy[d];
            continue;
        }
        axis.constancy[d] = gcd(left.constancy[d], right.constancy[d]);
        let shared = |rows: &Axis| {
            gcd(
                gcd(rows.contiguity[d], left.divisibility[d]),
                right.divisibility[d],
            )
        };
        // `i < n` turns at n: with n a multiple of 16 and i counting from one, 16 in a row agree, and a mask costs no
        // width. `i <= n` turns one behind it.
        let hint = match comparison {
            Comparison::Gt | Comparison::Le if left.is_constant(&ty.shape, d) => shared(right),
            Comparison::Lt | Comparison::Ge if right.is_constant(&ty.shape, d) => shared(left),
            _ => 1,
        };
        axis.constancy[d] = axis.constancy[d].max(hint);
    }
    axis
}

fn select(condition: &Axis, left: &Axis, right: &Axis, is_whole: bool) -> Axis {
    if let Some(holds) = condition.constant {
        return if holds != 0 {
            left.clone()
        } else {
            right.clone()
        };
    }
    let mut axis = left.join(right);
    for d in 0..axis.rank() {
        // One condition for all takes a side as it is; a tile of conditions may take neighbours from different sides.
        if !is_whole {
            axis.constancy[d] = gcd(axis.constancy[d], condition.constancy[d]);
            axis.contiguity[d] = gcd(axis.contiguity[d], condition.constancy[d]);
        }
    }
    axis
}
