//! Why an access may not be carried out: finds the lane and the words for it.

use super::block_memory::Extent;
use super::transfer::Access;
use crate::ir::{AccessSite, Allocation, GLOBAL_STRIDE, LOCAL_BASE, Op, Space};
use crate::simt::fault;
use crate::simt::fault::Target;
use crate::simt::global_memory::Buffer;
use crate::simt::machine::{AddressSpace, Addresses, Machine, address_space};
use crate::simt::warp::set_bits;
use crate::source::Diagnostic;

/// What local memory is called.
const LOCAL: &str = "the thread's local memory";
/// What shared memory is called.
const SHARED: &str = "the block's shared memory";

impl Machine<'_> {
    #[cold]
    pub(crate) fn unmapped(&self, access: Access<'_>, address: u64, lane: u32) -> Box<Diagnostic> {
        let lane = lane as usize;
        Box::new(fault::unmapped(access.site, address, lane, self.place()))
    }

    /// Why `lane` may not access global memory there.
    #[cold]
    pub(crate) fn refuse(
        &self,
        access: Access<'_>,
        addresses: &Addresses,
        lane: u32,
    ) -> Box<Diagnostic> {
        let address = addresses[lane as usize];
        if matches!(
            address_space(address),
            // Told first: such an address lies far from every buffer, and "out of bounds" would mislead.
            AddressSpace::Shared | AddressSpace::Local
        ) {
            let place = self.place();
            return Box::new(fault::mixed_spaces(access.site, 1 << lane, place));
        }
        let Some((buffer, offset)) = self.nearest(address) else {
            return self.unmapped(access, address, lane);
        };
        if buffer.is_freed {
            let lane = lane as usize;
            return Box::new(fault::freed(access.site, &buffer.name, lane, self.place()));
        }
        match is_outside(access, buffer, offset) {
            true => self.out_of_bounds(access, addresses, buffer, offset),
            false => self.misaligned(access, address, lane),
        }
    }

    /// Which lanes miss `buffer`, of an access that lies at `offset` in one of them.
    fn out_of_bounds(
        &self,
        access: Access<'_>,
        addresses: &Addresses,
        buffer: &Buffer,
        offset: i64,
    ) -> Box<Diagnostic> {
        // All lanes that miss the same buffer are told at once, not only the first.
        let misses_it = |&lane: &usize| {
            let nearest = self.nearest(addresses[lane]);
            nearest
                .is_some_and(|(of, at)| std::ptr::eq(of, buffer) && is_outside(access, buffer, at))
        };
        let outside = set_bits(access.active).filter(misses_it);
        let outside = outside.fold(0, |mask, lane| mask | 1 << lane);
        let target = Target {
            name: &format!("`{}`", buffer.name),
            size_bytes: buffer.own_bytes,
            element_bytes: buffer.element_bytes(),
            element: buffer.element.name(),
        };
        let fault = fault::out_of_bounds(access.site, &target, offset, outside, self.place());
        Box::new(fault)
    }

    /// The buffer nearest to an address, and how far into it that is. An address up to half a stride
    /// before a buffer is told as one before its beginning: `x[-1]` means `x`.
    fn nearest(&self, address: u64) -> Option<(&Buffer, i64)> {
        let index = (address.wrapping_add(GLOBAL_STRIDE / 2) / GLOBAL_STRIDE) as usize;
        let buffer = self.memory.get(index.checked_sub(1)?)?;
        let base = index as u64 * GLOBAL_STRIDE;
        Some((buffer, address.wrapping_sub(base) as i64))
    }

    #[cold]
    pub(crate) fn misaligned(
        &self,
        access: Access<'_>,
        address: u64,
        lane: u32,
    ) -> Box<Diagnostic> {
        let lane = lane as usize;
        Box::new(fault::misaligned(access.site, address, lane, self.place()))
    }

    /// Why some lanes may not access shared or local memory there; `good` may.
    #[cold]
    pub(crate) fn refuse_private(
        &self,
        access: Access<'_>,
        addresses: &Addresses,
        good: u32,
        extent: Extent,
    ) -> Box<Diagnostic> {
        let (origin, size_bytes) = (extent.origin, extent.size);
        let bad = access.active & !good;
        let lane = bad.trailing_zeros();
        let address = addresses[lane as usize];
        // Instructions of shared and of local memory have offsets, which name no space.
        let elsewhere =
            |address: u64| origin != 0 && address_space(address) != address_space(origin);
        if elsewhere(address) {
            let place = self.place();
            return Box::new(fault::mixed_spaces(access.site, 1 << lane, place));
        }
        let offset = address.wrapping_sub(origin) as i64;
        let is_outside = |offset: i64| offset < 0 || offset as u64 + access.width > size_bytes;
        if !is_outside(offset) {
            return self.misaligned(access, address, lane);
        }
        let outside = set_bits(bad)
            .filter(|&lane| is_outside(addresses[lane].wrapping_sub(origin) as i64))
            .fold(0, |mask, lane| mask | 1 << lane);
        self.out_of_private(access, extent, offset, outside)
    }

    /// The lanes of `outside` leave shared or local memory, or a variable in it.
    fn out_of_private(
        &self,
        access: Access<'_>,
        extent: Extent,
        offset: i64,
        outside: u32,
    ) -> Box<Diagnostic> {
        let (origin, size_bytes) = (extent.origin, extent.size);
        let place = self.place();
        let whole = match access.i.op {
            Op::LoadLocal | Op::StoreLocal => LOCAL,
            _ if origin == LOCAL_BASE => LOCAL,
            _ => SHARED,
        };
        let Some(named) = self.named(access.site, whole) else {
            return self.out_of_whole(access, whole, size_bytes, offset, outside);
        };
        let target = Target {
            name: &format!("`{}`", named.name),
            size_bytes: match named.size_bytes {
                // Dynamic shared memory has what the launch gives.
                0 => size_bytes - u64::from(named.offset_bytes),
                size_bytes => size_bytes.into(),
            },
            element_bytes: named.element_bytes.into(),
            element: &format!("{}-byte", named.element_bytes),
        };
        let offset = offset - i64::from(named.offset_bytes);
        let fault = fault::out_of_bounds(access.site, &target, offset, outside, place);
        Box::new(of_space(fault, whole))
    }

    /// The same of an access that names no variable.
    fn out_of_whole(
        &self,
        access: Access<'_>,
        whole: &str,
        size_bytes: u64,
        offset: i64,
        outside: u32,
    ) -> Box<Diagnostic> {
        let (place, bytes) = (self.place(), access.width);
        let stack_bytes = self.program.kernel.memory.stack_bytes;
        // Behind all else in local memory lies the stack.
        if whole == LOCAL && stack_bytes > 0 && offset >= 0 {
            let fault = fault::stack_overflow(access.site.span, stack_bytes, outside, place);
            return Box::new(fault);
        }
        let target = Target {
            name: whole,
            size_bytes,
            element_bytes: bytes,
            element: &format!("{bytes}-byte"),
        };
        let fault = fault::out_of_bounds(access.site, &target, offset, outside, place);
        Box::new(of_space(fault, whole))
    }

    /// The variable that an access names, as in `tile[i]`: the constant part of its address lies
    /// inside.
    fn named(&self, site: &AccessSite, whole: &str) -> Option<&Allocation> {
        let space = if whole == LOCAL {
            Space::Local
        } else {
            Space::Shared
        };
        // In `tile[i]` the offset is where `tile` lies, and `i` is in a register.
        let at = u32::try_from(site.offset_bytes).ok()?;
        let holds = |allocation: &&Allocation| {
            let size = allocation.size_bytes;
            let inside = at.checked_sub(allocation.offset_bytes);
            allocation.space == space && inside.is_some_and(|inside| size == 0 || inside < size)
        };
        let mut all = self.program.kernel.memory.allocations.iter();
        all.find(holds).filter(|_| site.space == space)
    }
}

/// Part of the access may lie inside: the last byte decides.
fn is_outside(access: Access<'_>, buffer: &Buffer, offset: i64) -> bool {
    offset < 0 || offset as u64 + access.width > buffer.size_bytes
}

/// A fault of an access to what is called `whole`.
fn of_space(fault: Diagnostic, whole: &str) -> Diagnostic {
    match whole {
        SHARED => fault.code(fault::SHARED_ADDRESS),
        _ => fault,
    }
}
