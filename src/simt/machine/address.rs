//! Where the lanes of an access go: the address of each, and the pattern they form.

use crate::ir::{
    AccessSite, GLOBAL_STRIDE, IndexType, Instruction, LOCAL_BASE, NO_REGISTER, Op, Register,
    SHARED_BASE,
};
use crate::launch::WARP_LANES;
use crate::simt::warp::{ALL, Lanes, Vector, join};

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
    /// Anything else.
    Scattered,
}

/// The pattern of an access by at least one lane. Looks at base and index first, which is faster
/// than at addresses; `addresses` is filled only where the answer is `Scattered`.
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

/// The pattern, where the base is uniform and the index uniform or consecutive.
fn pattern_of_operands(
    lanes: &Lanes<'_>,
    i: Instruction,
    site: &AccessSite,
) -> Option<WarpPattern> {
    let active = lanes.active();
    let first = active.trailing_zeros() as usize;
    let mut address = i64::from(site.offset_bytes) as u64;
    if i.a != NO_REGISTER {
        address = address.wrapping_add(u64::from(uniform(lanes, i.a, first)?));
        if matches!(i.op, Op::Load | Op::Store) {
            let high = u64::from(uniform(lanes, i.a + 1, first)?);
            address = address.wrapping_add(high << 32);
        }
    }
    let scale = u64::from(site.scale_bytes);
    let start = match site.index {
        IndexType::None => return Some(WarpPattern::Uniform(address)),
        IndexType::I64 => return None,
        IndexType::I32 => lanes.get(i.b)[first] as i32 as u64,
        IndexType::U32 => u64::from(lanes.get(i.b)[first]),
    };
    address = address.wrapping_add(start.wrapping_mul(scale));
    let index = lanes.get(i.b);
    if uniform(lanes, i.b, first).is_some() {
        return Some(WarpPattern::Uniform(address));
    }
    // Consecutive indices whose last wraps in 32 bits are not consecutive addresses.
    let wraps = match site.index {
        IndexType::I32 => start as i32 > i32::MAX - WARP_LANES as i32,
        _ => start as u32 > u32::MAX - WARP_LANES as u32,
    };
    let contiguous = scale == u64::from(site.width_bytes)
        && !wraps
        && is_run(active)
        && is_consecutive(index, active, first);
    contiguous.then_some(WarpPattern::Contiguous(address))
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
    let mut differences = 0;
    if active == ALL {
        for &other in values {
            differences |= other ^ value;
        }
    } else {
        for (lane, &other) in values.iter().enumerate() {
            differences |= (other ^ value) & 0_u32.wrapping_sub(active >> lane & 1);
        }
    }
    (differences == 0).then_some(value)
}

/// Whether the active lanes hold consecutive numbers.
#[inline(always)]
fn is_consecutive(values: &Vector, active: u32, first: usize) -> bool {
    let zero = values[first].wrapping_sub(first as u32);
    let mut differences = 0;
    for (lane, &value) in values.iter().enumerate() {
        let take = 0_u32.wrapping_sub(active >> lane & 1);
        differences |= (value ^ zero.wrapping_add(lane as u32)) & take;
    }
    differences == 0
}

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
