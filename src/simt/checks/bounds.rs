//! Accesses that leave the array they name for its neighbour in the same memory, which the machine
//! itself cannot tell from good ones.

use super::checked_access::{CheckedAccess, allocation_at, name_of};
use super::reports::Reports;
use crate::ir::{LOCAL_BASE, SHARED_BASE, Space};
use crate::simt::fault::{amount, verb};
use crate::source::Diagnostic;

/// Checks an access that names its array, as in `tile[i]`.
pub fn check(access: &CheckedAccess<'_, '_, '_>, reports: &mut Reports) {
    let (moment, site) = (access.moment, access.site);
    let base = match site.space {
        Space::Generic => return,
        Space::Shared => SHARED_BASE,
        Space::Local => LOCAL_BASE,
    };
    // The constant part of the address is the array's beginning, or inside it.
    let named = u64::try_from(site.offset_bytes).ok();
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
    if moment.word_at(address, lane).is_none() {
        return;
    }
    let element = i64::from(named.element_bytes.max(1));
    let distance = if address < first {
        format!("{} before its beginning", bytes(first - address))
    } else {
        format!("{} past its end", bytes(address + access.width() - end))
    };
    let at = (address as i64 - first as i64).div_euclid(element);
    let length = i64::from(named.size_bytes) / element;
    reports.add(site.span, site.span, "bounds", || {
        Diagnostic::error(
            site.span,
            format!(
                "out-of-bounds {}: element {at} of `{}`, which has {}",
                verb(site),
                named.name,
                amount(length, "element")
            ),
        )
        .label(format!("{distance}, by {}", moment.place().lane(lane)))
        .also(named.declaration.span, "declared here")
        .note(format!("there it meets {}", name_of(moment, address)))
        .help("check the index against the array's length, and the array's length against the block's size")
    });
}

fn bytes(count: u64) -> String {
    amount(count as i64, "byte")
}
