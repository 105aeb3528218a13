//! Shuffles, votes, products of matrices and their kin: values that cross lanes.

use std::ops::Range;

use super::collective::collective;
use super::tensor_cores;
use crate::ir::{Instruction, Op};
use crate::launch::WARP_LANES;
use crate::simt::fault;
use crate::simt::fault::WarpPlace;
use crate::simt::warp::set_bits;
use crate::simt::warp::{ALL, BITS, Lanes, OF_FIRST_WARP, Vector};
use crate::source::{Diagnostic, Span};

/// What an exchange or a barrier did that CUDA leaves undefined, though every GPU does the same: lanes, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undefined {
    /// Named by a mask, but elsewhere: the others do not wait for them.
    pub absent: u32,
    /// Lanes that read one that takes no part: they get 0 (an H200 with CUDA 13.0, in 30 kernels).
    pub without_source: u32,
    /// Lanes that do not come to a barrier, and have nothing to do any more but to end.
    pub ending: u32,
}

impl Undefined {
    /// Whether there is nothing of the kind.
    pub fn is_none(self) -> bool {
        self.absent | self.without_source | self.ending == 0
    }

    /// Adds what another exchange did.
    pub fn add(&mut self, other: Undefined) {
        self.absent |= other.absent;
        self.without_source |= other.without_source;
        self.ending |= other.ending;
    }
}

/// Carries out a shuffle, vote, reduction, match or product in each of `warps`, which have the same active
/// lanes; stays at the one that fails. `live` are the lanes whose threads have not ended.
pub fn exchange_in_each(
    lanes: &mut Lanes<'_>,
    i: Instruction,
    warps: Range<usize>,
    live: u32,
    span: impl Fn() -> Span,
) -> Result<Undefined, Diagnostic> {
    // With one mask and one source lane for all warps, what holds for the first holds for all.
    let is_alike = i.op.is_shuffle() && lanes.active() == ALL && i.b & i.c & OF_FIRST_WARP != 0;
    let mut alike: Option<Vector> = None;
    let mut undefined = Undefined::default();
    for warp in warps {
        lanes.select(warp);
        match &alike {
            Some(sources) => permute(lanes, i, sources),
            None => undefined.add(exchange(lanes, i, live, &span)?),
        }
        // What one warp was checked for and reads, all are and do.
        if is_alike && alike.is_none() {
            alike = Some(sources(i.op, lanes.get(i.b), i.imm));
        }
    }
    Ok(undefined)
}

/// Carries out a shuffle, vote, reduction, match or product. `live` are the lanes whose threads have not ended.
pub fn exchange(
    lanes: &mut Lanes<'_>,
    i: Instruction,
    live: u32,
    span: impl Fn() -> Span,
) -> Result<Undefined, Diagnostic> {
    if i.op.is_matrix() {
        return matrix(lanes, i, span).map(|()| Undefined::default());
    }
    // Shuffles have their mask in the third operand, because the second is the lane.
    let masks = *lanes.get(if i.op.is_shuffle() { i.c } else { i.b });
    let mut undefined = Undefined {
        absent: absent(lanes, &masks, live, &span)?,
        ..Undefined::default()
    };
    if i.op.is_shuffle() {
        undefined.without_source = shuffle(lanes, i);
    } else if matches!(i.op, Op::VoteAny | Op::VoteAll | Op::Ballot) {
        vote(lanes, i, &masks);
    } else {
        lanes.set(i.dst, collective(lanes, i, &masks));
    }
    Ok(undefined)
}

/// What of the lanes of its mask each lane is told.
fn vote(lanes: &mut Lanes<'_>, i: Instruction, masks: &Vector) {
    let set = lanes.nonzero(i.a) & lanes.active();
    let active = lanes.active();
    let vote = |mask: u32| match i.op {
        Op::VoteAny => u32::from(set & mask != 0),
        Op::VoteAll => u32::from(!set & mask & active == 0),
        // A ballot: the bits of the lanes in which the predicate holds.
        _ => set & mask,
    };
    lanes.set(i.dst, masks.map(vote));
}

/// Carries out what takes all lanes of a warp.
fn matrix(
    lanes: &mut Lanes<'_>,
    i: Instruction,
    span: impl Fn() -> Span,
) -> Result<(), Diagnostic> {
    match lanes.active() {
        ALL if i.op == Op::Transpose => tensor_cores::transpose(lanes, i),
        ALL if i.op == Op::MmaF64 => tensor_cores::multiply_doubles(lanes, i),
        ALL if is_of_bytes(i.op) => tensor_cores::multiply_bytes(lanes, i),
        ALL => tensor_cores::multiply(lanes, i),
        active => return Err(fault::part_of_a_warp(span(), !active, place(lanes))),
    }
    Ok(())
}

fn is_of_bytes(op: Op) -> bool {
    matches!(
        op,
        Op::MmaS32S8 | Op::MmaS32U8 | Op::MmaS32S8K32 | Op::MmaS32U8K32
    )
}

/// The live lanes of masks that are not here. Every lane must be in its own mask.
fn absent(
    lanes: &Lanes<'_>,
    masks: &Vector,
    live: u32,
    span: &impl Fn() -> Span,
) -> Result<u32, Diagnostic> {
    let active = lanes.active();
    let (mut lacking, mut named) = (0, 0);
    for lane in 0..WARP_LANES {
        // Without branches, for all lanes at once; which lane is wrong is found in the cold path.
        let is_active = 0_u32.wrapping_sub(active >> lane & 1);
        lacking |= is_active & !masks[lane] & BITS[lane];
        named |= is_active & masks[lane];
    }
    match lacking {
        0 => Ok(named & live & !active),
        _ => {
            let lane = lacking.trailing_zeros() as usize;
            Err(fault::mask_lacks(span(), masks[lane], lane, place(lanes)))
        }
    }
}

/// Carries out a shuffle; the lanes that read one which takes no part.
fn shuffle(lanes: &mut Lanes<'_>, i: Instruction) -> u32 {
    let sources = sources(i.op, lanes.get(i.b), i.imm);
    let active = lanes.active();
    // With all lanes active no source can be missing.
    if active == ALL {
        permute(lanes, i, &sources);
        return 0;
    }
    let is_missing = |&lane: &usize| active & BITS[sources[lane] as usize] == 0;
    let missing = set_bits(active).filter(is_missing);
    let missing = missing.fold(0, |mask, lane| mask | 1 << lane);
    let values = *lanes.get(i.a);
    let value = |lane: usize| match missing >> lane & 1 {
        0 => values[sources[lane] as usize % WARP_LANES],
        _ => 0,
    };
    lanes.set(i.dst, std::array::from_fn(value));
    missing
}

/// Gives each lane the value of its source.
#[inline(always)]
fn permute(lanes: &mut Lanes<'_>, i: Instruction, sources: &Vector) {
    let values = lanes.get(i.a);
    let mut result = [0; WARP_LANES];
    for (result, &source) in result.iter_mut().zip(sources) {
        *result = values[source as usize % WARP_LANES];
    }
    lanes.set(i.dst, result);
}

/// The lane that each lane reads, as [`source_lane`] has it.
fn sources(op: Op, operands: &Vector, width: u32) -> Vector {
    // With the operation known in each, the compiler can do many lanes at a time.
    match op {
        Op::ShflUp => each_source(Op::ShflUp, operands, width),
        Op::ShflDown => each_source(Op::ShflDown, operands, width),
        Op::ShflXor => each_source(Op::ShflXor, operands, width),
        _ => each_source(Op::ShflIdx, operands, width),
    }
}

#[inline(always)]
fn each_source(op: Op, operands: &Vector, width: u32) -> Vector {
    let mut sources = [0; WARP_LANES];
    for lane in 0..WARP_LANES {
        sources[lane] = source_lane(op, lane as u32, operands[lane], width);
    }
    sources
}

/// The lane that `lane` reads, with segments of `width` lanes: the rule of `shfl.sync` in the PTX
/// instruction set, with the operands that CUDA's `__shfl_*_sync` pass to it.
#[inline(always)]
pub fn source_lane(op: Op, lane: u32, operand: u32, width: u32) -> u32 {
    // For a width of 8: 24, the bits of a lane that number its segment.
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

fn place<'a>(lanes: &Lanes<'a>) -> WarpPlace<'a> {
    WarpPlace {
        geometry: lanes.geometry,
        block: lanes.block,
        warp: lanes.warp,
    }
}
