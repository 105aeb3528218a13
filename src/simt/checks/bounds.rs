//! Accesses that leave the array they name for its neighbour in the same memory, which the machine
//! itself cannot tell from good ones.

use super::checked_access::{CheckedAccess, allocation_at, name_of};
use super::reports::Reports;
use crate::ir::{AccessSite, Allocation, LOCAL_BASE, SHARED_BASE, Space};
use crate::simt::fault::{ILLEGAL_ADDRESS, amount, touched, verb};
use crate::source::Diagnostic;

/// Checks an access that names its array, as in `tile[i]`.
pub fn check(access: &CheckedAccess<'_, '_, '_>, reports: &mut Reports) {
    let (moment, site) = (access.moment, access.site);
    let base = match site.space {
        Space::Generic => return,
        Space::Shared => SHARED_BASE,
        Space::Local => LOCAL_BASE,
    };
    let named = u64::try_from(last_word(site)).ok();
    let Some(named) = named.and_then(|offset| allocation_at(moment, site.space, offset)) else {
        return;
    };
    let first = base + u64::from(named.offset_bytes);
    let end = match named.size_bytes {
        0 => return,
        size => first + u64::from(size),
    };
    let mut lanes = access.lanes();
    let Some(lane) = lanes.find(|&lane| {
        let address = access.addresses[lane];
        address < first || address + access.width() > end
    }) else {
        return;
    };
    let address = access.addresses[lane];
    // Outside of the whole memory: the machine itself is about to tell.
    if moment.word_at(address, lane).is_none() {
        return;
    }
    // Before the array it is negative.
    let (offset, size) = (address.wrapping_sub(first) as i64, end - first);
    reports.add(site.span, site.span, "bounds", || {
        let past = past(offset, access.width(), size);
        describe(access, named, offset, size)
            .label(format!("{past}, by {}", moment.place().lane(lane)))
            .also(named.declaration.span, "declared here")
            .note(format!("there it meets {}", name_of(moment, address)))
            .help("check the index against the array's length, and the array's length against the block's size")
    });
}

/// The constant part of an address is an array's beginning, or inside it. Of a joined access it may be that of the last
/// part, moved back before the array: its last word is inside.
fn last_word(site: &AccessSite) -> i64 {
    i64::from(site.offset_bytes) + i64::from(site.width_bytes.saturating_sub(4))
}

/// An access at `offset` bytes from the beginning of an array of `size` bytes.
fn describe(
    access: &CheckedAccess<'_, '_, '_>,
    named: &Allocation,
    offset: i64,
    size: u64,
) -> Diagnostic {
    let element = i64::from(named.element_bytes.max(1));
    let message = format!(
        "out-of-bounds {}: {} of `{}`, which has {}",
        verb(access.site),
        touched(offset, access.site.width_bytes.into(), element),
        named.name,
        amount(size as i64 / element, "element")
    );
    Diagnostic::error(access.site.span, message).code(ILLEGAL_ADDRESS)
}

/// How far an access of `width` bytes lies outside, in words.
fn past(offset: i64, width: u64, size: u64) -> String {
    match u64::try_from(offset) {
        Err(_) => format!("{} before its beginning", bytes(offset.unsigned_abs())),
        Ok(offset) => format!("{} past its end", bytes(offset + width - size)),
    }
}

fn bytes(count: u64) -> String {
    amount(count as i64, "byte")
}
