//! Where the lanes of an access go: the address of each, and the pattern they form.

use crate::ir::{
    AccessSite, GLOBAL_STRIDE, IndexType, Instruction, LOCAL_BASE, NO_REGISTER, Op, Register,
    SHARED_BASE,
};
use crate::launch::WARP_LANES;
use crate::simt::warp::{ALL, Lanes, Vector, blend, join};

/// One address a lane.
pub type Addresses = [u64; WARP_LANES];

/// The memory that an address lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// A buffer.
    Global,
    /// The block's.
    Shared,
    /// The lane's.
    Local,
    /// None of the GPU: a null pointer, one that points before all memories, or one of the host.
    Unmapped,
}

/// Addresses of a lane's memory.
const LOCAL_BYTES: u64 = 1 << 32;

/// Where an address lies.
pub fn address_space(address: u64) -> AddressSpace {
    match address {
        // Half a stride below the first buffer still tells of that buffer.
        address if address >= GLOBAL_STRIDE / 2 => AddressSpace::Global,
        // Behind a lane's memory lies that of the host, in a program.
        address if address >= LOCAL_BASE + LOCAL_BYTES => AddressSpace::Unmapped,
        address if address >= LOCAL_BASE => AddressSpace::Local,
        address if address >= SHARED_BASE => AddressSpace::Shared,
        _ => AddressSpace::Unmapped,
    }
}

/// How the addresses of the active lanes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpPattern {
    /// All the same.
    Uniform(u64),
    /// The active lanes follow each other without gaps, and so do their addresses, from this one.
    Contiguous(u64),
    /// One base for all, and for each lane an index of 32 bits, as in `x[index[i]]`.
    Indexed {
        /// The address of index 0.
        base: u64,
        /// That of the first active lane.
        first: u64,
    },
    /// Anything else.
    Scattered,
}

/// The pattern of an access by at least one lane. Looks at base and index first, which is faster
/// than at addresses; `addresses` is filled only where the answer is `Scattered`.
#[inline(always)]
pub fn pattern(
    lanes: &Lanes<'_>,
    i: Instruction,
    site: &AccessSite,
    addresses: &mut Addresses,
) -> WarpPattern {
    if let Some(pattern) = pattern_of_operands(lanes, i, site) {
        return pattern;
    }
    fill(lanes, i, site, addresses);
    pattern_of_addresses(addresses, lanes.active(), u64::from(site.width_bytes))
}

/// The address of each lane, also where the pattern is a simple one.
#[inline(always)]
pub fn fill(lanes: &Lanes<'_>, i: Instruction, site: &AccessSite, addresses: &mut Addresses) {
    // Offsets may be negative: addresses wrap, as on the hardware.
    let offset = i64::from(site.offset_bytes) as u64;
    match (i.a, i.op) {
        (NO_REGISTER, _) => *addresses = [offset; WARP_LANES],
        (base, op) if matches!(op, Op::Load | Op::Store) || op.is_atomic() => {
            let base = lanes.pair(base);
            for (lane, address) in addresses.iter_mut().enumerate() {
                *address = join(&base, lane).wrapping_add(offset);
            }
        }
        (base, _) => {
            for (address, &base) in addresses.iter_mut().zip(lanes.get(base)) {
                *address = u64::from(base).wrapping_add(offset);
            }
        }
    }
    add_index(lanes, i, site, addresses);
}

/// Adds to the address of each lane its index, in elements.
#[inline(always)]
fn add_index(lanes: &Lanes<'_>, i: Instruction, site: &AccessSite, addresses: &mut Addresses) {
    let scale = u64::from(site.scale_bytes);
    let add = |address: &mut u64, index: u64| {
        *address = address.wrapping_add(index.wrapping_mul(scale));
    };
    match site.index {
        IndexType::None => {}
        IndexType::I32 => {
            for (address, &index) in addresses.iter_mut().zip(lanes.get(i.b)) {
                add(address, index as i32 as u64);
            }
        }
        IndexType::U32 => {
            for (address, &index) in addresses.iter_mut().zip(lanes.get(i.b)) {
                add(address, u64::from(index));
            }
        }
        IndexType::I64 => {
            let index = lanes.pair(i.b);
            for (lane, address) in addresses.iter_mut().enumerate() {
                add(address, join(&index, lane));
            }
        }
    }
}

/// The pattern, where the base is uniform and an index has 32 bits.
#[inline(always)]
fn pattern_of_operands(
    lanes: &Lanes<'_>,
    i: Instruction,
    site: &AccessSite,
) -> Option<WarpPattern> {
    let active = lanes.active();
    let first = active.trailing_zeros() as usize;
    let mut base = i64::from(site.offset_bytes) as u64;
    if i.a != NO_REGISTER {
        base = base.wrapping_add(u64::from(uniform(lanes, i.a, first)?));
        if matches!(i.op, Op::Load | Op::Store) {
            let high = u64::from(uniform(lanes, i.a + 1, first)?);
            base = base.wrapping_add(high << 32);
        }
    }
    let scale = u64::from(site.scale_bytes);
    let start = match site.index {
        IndexType::None => return Some(WarpPattern::Uniform(base)),
        IndexType::I64 => return None,
        IndexType::I32 => lanes.get(i.b)[first] as i32 as u64,
        IndexType::U32 => u64::from(lanes.get(i.b)[first]),
    };
    let address = base.wrapping_add(start.wrapping_mul(scale));
    if uniform(lanes, i.b, first).is_some() {
        return Some(WarpPattern::Uniform(address));
    }
    let contiguous = scale == u64::from(site.width_bytes) && is_consecutive_run(lanes, i, site);
    Some(match contiguous {
        true => WarpPattern::Contiguous(address),
        false => WarpPattern::Indexed {
            base,
            first: address,
        },
    })
}

/// Whether lanes that follow each other have indices that do, in 64 bits, too.
#[inline(always)]
fn is_consecutive_run(lanes: &Lanes<'_>, i: Instruction, site: &AccessSite) -> bool {
    let (active, index) = (lanes.active(), lanes.get(i.b));
    let first = active.trailing_zeros() as usize;
    // Consecutive indices whose last wraps in 32 bits are not consecutive addresses.
    let wraps = match site.index {
        IndexType::I32 => index[first] as i32 > i32::MAX - WARP_LANES as i32,
        _ => index[first] > u32::MAX - WARP_LANES as u32,
    };
    !wraps && is_run(active) && is_consecutive(index, active, first)
}

/// The least index that goes at least to byte 0 and at most to byte `last`, and how many follow that do too, where index 0
/// goes to byte `first` and each further one `scale` bytes on; nothing if none does.
#[inline(always)]
fn good_indices(index_type: IndexType, first: i64, scale: i64, last: i64) -> Option<(u32, u32)> {
    let (least, most) = match index_type {
        IndexType::U32 => (0, i64::from(u32::MAX)),
        _ => (i64::from(i32::MIN), i64::from(i32::MAX)),
    };
    let begin = first.checked_div_euclid(scale)?.checked_neg()?.max(least);
    let end = last
        .checked_sub(first)?
        .checked_div_euclid(scale)?
        .min(most);
    (begin <= end).then(|| (begin as u32, (end - begin) as u32))
}

/// Where each active lane goes in a memory of `size` bytes at `origin`, where index 0 has the address `base`, and for the
/// others where the first of them goes; nothing unless all go there, aligned, and offsets have 32 bits.
#[inline(always)]
pub fn indexed_offsets(
    lanes: &Lanes<'_>,
    i: Instruction,
    site: &AccessSite,
    base: u64,
    [origin, size]: [u64; 2],
) -> Option<Vector> {
    let active = lanes.active();
    let (index, width) = (lanes.get(i.b), u64::from(site.width_bytes));
    let somewhere = [index[active.trailing_zeros() as usize]; WARP_LANES];
    let index = blend(active, index, &somewhere);
    let (scale, first) = (
        i64::from(site.scale_bytes),
        base.wrapping_sub(origin) as i64,
    );
    let is_aligned = (first | scale) as u64 & (width - 1) == 0;
    let last = size.min(u32::MAX.into()) as i64 - width as i64;
    let (begin, count) = good_indices(site.index, first, scale, last)?;
    let mut is_far = false;
    for index in &index {
        // Those before the first wrap to great numbers.
        is_far |= index.wrapping_sub(begin) > count;
    }
    if !is_aligned || is_far {
        return None;
    }
    let mut offsets = [0; WARP_LANES];
    for lane in 0..WARP_LANES {
        offsets[lane] = (first as u32).wrapping_add(index[lane].wrapping_mul(scale as u32));
    }
    Some(offsets)
}

/// Whether the lanes of `mask` follow each other without gaps.
fn is_run(mask: u32) -> bool {
    let run = u64::from(mask >> mask.trailing_zeros());
    // A mask of ones without gaps, plus one, is a power of two.
    run & (run + 1) == 0
}

/// The value that all active lanes of a register have, if they do.
#[inline(always)]
fn uniform(lanes: &Lanes<'_>, register: Register, first: usize) -> Option<u32> {
    let values = lanes.get(register);
    let value = values[first];
    let active = lanes.active();
    // Mostly the next active lane tells.
    if values[next_lane(active)] != value {
        return None;
    }
    let mut differences = 0;
    for &other in values {
        differences |= other ^ value;
    }
    // What all lanes have, as a parameter, the active ones have too, which need not be told apart then.
    if differences != 0 && active != ALL {
        differences = 0;
        for (lane, &other) in values.iter().enumerate() {
            differences |= (other ^ value) & 0_u32.wrapping_sub(active >> lane & 1);
        }
    }
    (differences == 0).then_some(value)
}

/// The second of the lanes of a mask, or the only one.
#[inline(always)]
fn next_lane(active: u32) -> usize {
    let rest = active & active.wrapping_sub(1);
    let rest = if rest == 0 { active } else { rest };
    rest.trailing_zeros() as usize % WARP_LANES
}

/// Whether the active lanes hold consecutive numbers.
#[inline(always)]
fn is_consecutive(values: &Vector, active: u32, first: usize) -> bool {
    let zero = values[first].wrapping_sub(first as u32);
    let next = next_lane(active);
    if values[next] != zero.wrapping_add(next as u32) {
        return false;
    }
    let mut differences = 0;
    for (lane, &value) in values.iter().enumerate() {
        let take = 0_u32.wrapping_sub(active >> lane & 1);
        differences |= (value ^ zero.wrapping_add(lane as u32)) & take;
    }
    differences == 0
}

#[inline(always)]
fn pattern_of_addresses(addresses: &Addresses, active: u32, width: u64) -> WarpPattern {
    let first = active.trailing_zeros() as usize;
    let start = addresses[first];
    // The first two active lanes say what the pattern can be; the loop below checks it for all.
    let step = match addresses.get(first + 1) {
        Some(next) if active >> first >> 1 & 1 == 1 => next.wrapping_sub(start),
        // One lane, or gaps; with gaps only a uniform address will do.
        _ => 0,
    };
    if step != 0 && (step != width || !is_run(active)) {
        return WarpPattern::Scattered;
    }
    let zero = start.wrapping_sub(step.wrapping_mul(first as u64));
    let mut differences = 0;
    for (lane, &address) in addresses.iter().enumerate() {
        let expected = zero.wrapping_add(step.wrapping_mul(lane as u64));
        differences |= (address ^ expected) & 0_u64.wrapping_sub(u64::from(active >> lane & 1));
    }
    match (differences, step) {
        (0, 0) => WarpPattern::Uniform(start),
        (0, _) => WarpPattern::Contiguous(start),
        _ => WarpPattern::Scattered,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::launch::AccessKind;
    use crate::simt::warp::{Geometry, set_bits};
    use crate::source::Span;

    const ORIGIN: u64 = 3 * GLOBAL_STRIDE;

    proptest! {
        #[test]
        fn offsets_of_indices_are_those_of_addresses(
            near in prop::array::uniform32(-4_i32..60),
            far in prop::sample::select(vec![0_u32, i32::MAX as u32, 1 << 31, u32::MAX]),
            far_lane in 0_usize..32,
            active in 1_u32..,
            begin in -3_i64..9,
            scale_bytes in prop::sample::select(vec![1_u32, 2, 4, 8, 12, 1 << 30]),
            width in prop::sample::select(vec![1_u32, 2, 4, 8]),
            index in prop::sample::select(vec![IndexType::I32, IndexType::U32]),
            size in prop::sample::select(vec![0_u64, 3, 200, 300, 1 << 33]),
        ) {
            let mut indices = near.map(|index| index as u32);
            indices[far_lane] ^= far;
            let base = ORIGIN.wrapping_add((begin * 4) as u64);
            let rows = [[base as u32; WARP_LANES], [(base >> 32) as u32; WARP_LANES], indices];
            let geometry = Geometry::new([1; 3], [WARP_LANES as u32, 1, 1], 1);
            let mut lanes = Lanes::new(&rows, &geometry, &[]);
            lanes.set_active(active);
            let i = Instruction { op: Op::Load, dst: 3, a: 0, b: 2, c: 0, imm: 0 };
            let site = AccessSite {
                index,
                scale_bytes,
                ..AccessSite::new(AccessKind::Load, width, Span::default())
            };
            let found = indexed_offsets(&lanes, i, &site, base, [ORIGIN, size]);
            let mut addresses = [0; WARP_LANES];
            fill(&lanes, i, &site, &mut addresses);
            let offset = |lane: usize| addresses[lane].wrapping_sub(ORIGIN);
            let width = u64::from(width);
            let fits = |lane: usize| offset(lane) <= size && offset(lane) + width <= size;
            let most = u64::from(u32::MAX);
            let is_near = set_bits(active).all(|lane| fits(lane) && offset(lane) + width <= most);
            let is_aligned = ((begin * 4) as u64 | u64::from(scale_bytes)).is_multiple_of(width);
            prop_assert_eq!(found.is_some(), is_near && is_aligned);
            for (lane, offset_found) in found.into_iter().flatten().enumerate() {
                let at = if active >> lane & 1 == 1 { lane } else { active.trailing_zeros() as usize };
                prop_assert_eq!(u64::from(offset_found), offset(at));
            }
        }
    }
}
