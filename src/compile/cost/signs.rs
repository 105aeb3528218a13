//! Signs. An instruction that computes with floats takes the negative or the absolute value of what it
//! reads for nothing; where something else reads it, it is an addition of -0.

use std::collections::HashMap;

use super::cost_model::CostModel;
use super::values::{Definition, Value};
use crate::ir::{Op, fp32_cost};
use crate::launch::Fp32Counts;

/// Values of which the negative is computed, with the product that it is of, if it is one of a product alone.
type Negated = HashMap<Value, Option<usize>>;

/// What negative and absolute values cost.
pub(super) fn run(model: &mut CostModel) {
    let mut negated = Negated::new();
    for pc in 0..model.kernel.code.len() {
        let Some(value) = model.flow.writes[pc] else {
            continue;
        };
        if !model.is_live(pc) || !model.numbers.is_new(value) {
            continue;
        }
        match model.kernel.code[pc].op {
            Op::NegF32 => negate(model, pc, value, &mut negated),
            Op::AbsF32 => make(model, pc, value, None),
            _ if is_product(model, pc) && negates(model, pc, &negated) => {
                negated.insert(value, Some(pc));
                make(model, pc, value, Some(pc));
            }
            _ => {}
        }
    }
}

/// A negative: of a product that nothing else reads, the sign of the product; before a product, the product's.
fn negate(model: &mut CostModel, pc: usize, value: Value, negated: &mut Negated) {
    let operand = model.flow.reads[pc].operands[0];
    let operand = operand.filter(|&operand| is_alone(model, operand, pc));
    if operand.is_some_and(|operand| negated.contains_key(&operand)) {
        return;
    }
    let made = operand.and_then(|operand| match model.flow.definitions[operand] {
        Definition::At(at) => Some(at),
        _ => None,
    });
    if made.is_some_and(|at| ends_with_sign(model, at)) {
        negated.insert(value, None);
        return;
    }
    let product = made.filter(|&at| is_product(model, at));
    negated.insert(value, product);
    make(model, pc, value, product);
}

/// A signed value is made where something reads it that cannot take the sign in: once for all of them. A phi cannot
/// either, unless all lanes come to where it is chosen.
fn make(model: &mut CostModel, pc: usize, value: Value, product: Option<usize>) {
    let readers = model.uses.get(&value).map_or(&[][..], Vec::as_slice);
    let takes_it = |reader: usize| takes_sign(model.kernel.code[reader].op);
    let is_chosen = model.is_chosen(pc);
    if readers
        .iter()
        .all(|reader| reader.map_or(is_chosen, takes_it))
    {
        return;
    }
    match product {
        // `-p` of a product `p` that only this reader wants is `fma(-a, b, -0)`.
        Some(product) if readers.len() == 1 => {
            (model.costs[product].mul, model.costs[product].fma) = (0, 1);
        }
        _ => model.costs[pc].add += 1,
    }
}

/// Whether the sign of a result costs nothing: that of a constant divisor is another constant, and a logarithm ends with
/// a choice of operands that have signs.
fn ends_with_sign(model: &CostModel, pc: usize) -> bool {
    let [_, divisor, _] = model.numbers.single(&model.flow.reads[pc]);
    match model.ops[pc] {
        Op::DivF32 => divisor.is_some(),
        op => matches!(op, Op::LogF32 | Op::Log2F32 | Op::Log10F32),
    }
}

/// Whether it multiplies two values: of a constant factor the sign is the constant's.
fn is_product(model: &CostModel, pc: usize) -> bool {
    let [a, b, _] = model.numbers.single(&model.flow.reads[pc]);
    model.ops[pc] == Op::MulF32 && model.costs[pc].mul == 1 && a.is_none() && b.is_none()
}

/// Whether one factor, and not both, is a negative that nothing else reads: LLVM makes it one of the product.
fn negates(model: &CostModel, pc: usize, negated: &Negated) -> bool {
    let [a, b, _] = model.flow.reads[pc].operands;
    let is_negative = |factor: Option<Value>| {
        factor.is_some_and(|factor| negated.contains_key(&factor) && is_alone(model, factor, pc))
    };
    is_negative(a) != is_negative(b)
}

/// Whether `reader` is the only one of a value.
fn is_alone(model: &CostModel, value: Value, reader: usize) -> bool {
    let readers = model.uses.get(&value);
    readers.is_some_and(|readers| readers[..] == [Some(reader)])
}

/// Whether an operation takes signs of its operands. A root that is rounded to the nearest looks at the bits of its
/// operand first.
fn takes_sign(op: Op) -> bool {
    use Op::*;
    let computes = fp32_cost(op) != Fp32Counts::default() && op != SqrtF32;
    computes
        || matches!(
            op,
            MinF32
                | MaxF32
                | NegF32
                | AbsF32
                | Select32
                // They take three operands: a mask of the sign is one.
                | And32
                | Or32
                | EqF32
                | NeF32
                | LtF32
                | LeF32
                | F32ToI32
                | F32ToU32
                | F32ToI64
                | F32ToU64
                | F32ToF64
                | F32ToF16
                | F32ToBf16
                | FloorF32
                | CeilF32
                | TruncF32
                | RoundF32
        )
}
