//! An access as the checks see it: where each lane goes, and what lies there.

use crate::ir::{AccessSite, Allocation, GLOBAL_STRIDE, LOCAL_BASE, SHARED_BASE, Space};
use crate::simt::machine::Moment;
use crate::simt::machine::{AddressSpace, Addresses, address_space};
use crate::simt::warp::set_bits;

/// One access of one warp, before it happens.
pub struct CheckedAccess<'l, 'm, 'a> {
    /// The moment.
    pub moment: &'l Moment<'m, 'a>,
    /// The place in the source.
    pub site: &'a AccessSite,
    /// Its index.
    pub index: u32,
    /// Where each lane goes.
    pub addresses: Addresses,
}

impl<'l, 'm, 'a> CheckedAccess<'l, 'm, 'a> {
    /// The access that the moment's instruction makes, if it makes one.
    pub fn new(moment: &'l Moment<'m, 'a>) -> Option<Self> {
        let site = moment.site()?;
        Some(CheckedAccess {
            moment,
            site,
            index: moment.instruction().imm,
            addresses: moment.addresses(site),
        })
    }

    /// The lanes that access memory.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        set_bits(self.moment.active())
    }

    /// The bytes that the lanes access, as the first of them and how many, if each begins where the one before it ends.
    pub fn run(&self) -> Option<(u64, u64)> {
        let active = self.moment.active();
        let (first, lanes) = (active.trailing_zeros(), u64::from(active.count_ones()));
        let begin = *self.addresses.get(first as usize)?;
        // No lane in between is missing.
        let mut is_run = u64::from(active >> first) == (1 << lanes) - 1;
        let places = (begin..).step_by(self.site.width_bytes as usize);
        for (address, place) in self.addresses[first as usize..]
            .iter()
            .zip(places)
            .take(lanes as usize)
        {
            is_run &= *address == place;
        }
        is_run.then_some((begin, lanes * self.width()))
    }

    /// Bytes that a lane moves.
    pub fn width(&self) -> u64 {
        u64::from(self.site.width_bytes)
    }

    /// Word `part` of what a lane stores.
    pub fn stored(&self, lane: usize, part: u64) -> u32 {
        let register = self.moment.instruction().dst + part as u16;
        self.moment.lanes().get(register)[lane]
    }
}

/// The variable in memory that lies at an offset of shared or local memory.
pub fn allocation_at<'a>(
    moment: &Moment<'_, 'a>,
    space: Space,
    offset_bytes: u64,
) -> Option<&'a Allocation> {
    let program = moment.program();
    let holds = |allocation: &&Allocation| {
        let first = u64::from(allocation.offset_bytes);
        // Size 0: dynamic shared memory, which reaches to the end.
        let end = match allocation.size_bytes {
            0 => u64::from(program.shared_bytes),
            size => first + u64::from(size),
        };
        allocation.space == space && (first..end).contains(&offset_bytes)
    };
    program.kernel.memory.allocations.iter().find(holds)
}

/// An address in words: "element 3 of `x`", "`tile[5]`".
pub fn name_of(moment: &Moment<'_, '_>, address: u64) -> String {
    let in_space = |space, offset| match allocation_at(moment, space, offset) {
        Some(found) => {
            let inside = offset - u64::from(found.offset_bytes);
            let element = u64::from(found.element_bytes.max(1));
            // A variable of one element is named without an index.
            match u64::from(found.size_bytes) == element {
                true => format!("`{}`", found.name),
                false => format!("element {} of `{}`", inside / element, found.name),
            }
        }
        None => format!("byte {offset} of the block's memory"),
    };
    match address_space(address) {
        AddressSpace::Shared => in_space(Space::Shared, address - SHARED_BASE),
        AddressSpace::Local => in_space(Space::Local, address - LOCAL_BASE),
        AddressSpace::Global => match moment.memory().buffer_at(address) {
            Some((_, buffer)) => {
                let element = address % GLOBAL_STRIDE / buffer.element_bytes();
                format!("element {element} of `{}`", buffer.name)
            }
            None => format!("address {address:#x}"),
        },
        AddressSpace::Unmapped => format!("address {address:#x}"),
    }
}
