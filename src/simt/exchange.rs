//! Shuffles, votes and their kin: values that cross lanes.

use super::collective::collective;
use super::fault::{self, Place};
use super::lanes::{ALL, Lanes, Vector};
use crate::ir::{Instruction, Op};
use crate::launch::WARP_LANES;
use crate::source::{Diagnostic, Span};

/// Carries out a shuffle, vote, reduction or match. `live` are the lanes whose threads have not ended.
pub fn exchange(
    lanes: &mut Lanes<'_>,
    i: Instruction,
    live: u32,
    span: impl Fn() -> Span,
) -> Result<(), Diagnostic> {
    let is_shuffle = matches!(i.op, Op::ShflIdx | Op::ShflUp | Op::ShflDown | Op::ShflXor);
    let masks = *lanes.get(if is_shuffle { i.c } else { i.b });
    check_masks(lanes, &masks, live, &span)?;
    if is_shuffle {
        return shuffle(lanes, i, &span);
    }
    if !matches!(i.op, Op::VoteAny | Op::VoteAll | Op::Ballot) {
        lanes.set(i.dst, collective(lanes, i, &masks));
        return Ok(());
    }
    let set = lanes.nonzero(i.a) & lanes.active();
    let active = lanes.active();
    let vote = |mask: u32| match i.op {
        Op::VoteAny => u32::from(set & mask != 0),
        Op::VoteAll => u32::from(!set & mask & active == 0),
        _ => set & mask,
    };
    lanes.set(i.dst, masks.map(vote));
    Ok(())
}

/// Every lane must be in its own mask, and every live lane of a mask must be here.
fn check_masks(
    lanes: &Lanes<'_>,
    masks: &Vector,
    live: u32,
    span: &impl Fn() -> Span,
) -> Result<(), Diagnostic> {
    let active = lanes.active();
    let mut rest = active;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let mask = masks[lane];
        if mask >> lane & 1 == 0 {
            return Err(fault::mask_lacks(span(), mask, lane, place(lanes)));
        }
        let absent = mask & live & !active;
        if absent != 0 {
            return Err(fault::mask_waits(span(), mask, absent, place(lanes)));
        }
    }
    Ok(())
}

fn shuffle(
    lanes: &mut Lanes<'_>,
    i: Instruction,
    span: &impl Fn() -> Span,
) -> Result<(), Diagnostic> {
    let (values, operands, active) = (*lanes.get(i.a), *lanes.get(i.b), lanes.active());
    let mut result = values;
    for lane in 0..WARP_LANES {
        let source = source_lane(i.op, lane as u32, operands[lane], i.imm) as usize;
        if active != ALL && active >> lane & 1 == 1 && active >> source & 1 == 0 {
            return Err(fault::inactive_source(span(), lane, source, place(lanes)));
        }
        result[lane] = values[source];
    }
    lanes.set(i.dst, result);
    Ok(())
}

/// The lane that `lane` reads, with segments of `width` lanes: the rule of `shfl.sync` in the PTX
/// instruction set, with the operands that CUDA's `__shfl_*_sync` pass to it.
pub fn source_lane(op: Op, lane: u32, operand: u32, width: u32) -> u32 {
    let segment = 32_u32.wrapping_sub(width) & 31;
    let first = lane & segment;
    let last = first | (31 & !segment);
    let operand = operand & 31;
    match op {
        Op::ShflUp => match lane.checked_sub(operand) {
            Some(source) if source >= first => source,
            _ => lane,
        },
        Op::ShflDown if lane + operand <= last => lane + operand,
        Op::ShflXor if lane ^ operand <= last => lane ^ operand,
        Op::ShflIdx => first | (operand & !segment),
        _ => lane,
    }
}

fn place<'a>(lanes: &Lanes<'a>) -> Place<'a> {
    Place {
        geometry: lanes.geometry,
        block: lanes.block,
        warp: lanes.warp,
    }
}
