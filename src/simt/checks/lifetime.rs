//! Addresses of variables in local memory: used after the variable has ended, or by another thread.

use std::collections::HashMap;

use super::checked_access::{CheckedAccess, allocation_at};
use super::reports::Reports;
use crate::ir::{LOCAL_BASE, SHARED_BASE, Space, ValueKind};
use crate::memory::AccessKind;
use crate::simt::fault::verb;
use crate::simt::machine::{AddressSpace, address_space};
use crate::source::{Diagnostic, Span};

/// Most addresses of local variables that are kept in mind: one is enough to find the mistake.
const MOST_KEPT: usize = 1 << 16;

/// Addresses of local variables that lie in memory which other threads can read.
#[derive(Default)]
pub struct Lifetimes {
    /// By the place that holds such an address: who put it there.
    keepers: HashMap<u64, Keeper>,
}

struct Keeper {
    block: u64,
    warp: usize,
    lane: usize,
    span: Span,
}

impl Lifetimes {
    /// A block begins, with shared memory of its own.
    pub fn begin(&mut self) {
        // Global memory outlives blocks, and so do the stale addresses in it.
        let in_global = |&at: &u64| address_space(at) == AddressSpace::Global;
        self.keepers.retain(|at, _| in_global(at));
    }

    /// One access of one warp.
    pub fn access(&mut self, access: &CheckedAccess<'_, '_, '_>, reports: &mut Reports) {
        if access.site.space == Space::Generic {
            dangling(access, reports);
        }
        // Pointers have 64 bits: narrower values cannot be one.
        if access.width() < 8 {
            return;
        }
        let is_address = access.site.value == ValueKind::Address;
        if self.keepers.is_empty() && !is_address {
            return;
        }
        for lane in access.lanes() {
            let at = access.addresses[lane];
            if !matches!(
                address_space(at),
                AddressSpace::Shared | AddressSpace::Global
            ) {
                continue;
            }
            match access.site.kind {
                AccessKind::Store => self.keep(access, lane, at),
                AccessKind::Load if !self.keepers.is_empty() => {
                    self.fetch(access, lane, at, reports)
                }
                AccessKind::Load => {}
            }
        }
    }

    fn keep(&mut self, access: &CheckedAccess<'_, '_, '_>, lane: usize, at: u64) {
        let value = u64::from(access.stored(lane, 0)) | u64::from(access.stored(lane, 1)) << 32;
        // A number may have the bits of an address by chance.
        let is_address = access.site.value == ValueKind::Address;
        if is_address
            && address_space(value) == AddressSpace::Local
            && value - LOCAL_BASE < SHARED_BASE
        {
            let keeper = Keeper {
                block: access.moment.block_index(),
                warp: access.moment.warp(),
                lane,
                span: access.site.span,
            };
            if self.keepers.len() < MOST_KEPT || self.keepers.contains_key(&at) {
                self.keepers.insert(at, keeper);
            }
        } else if !self.keepers.is_empty() {
            // Overwritten: the address is there no longer.
            self.keepers.remove(&at);
        }
    }

    fn fetch(
        &self,
        access: &CheckedAccess<'_, '_, '_>,
        lane: usize,
        at: u64,
        reports: &mut Reports,
    ) {
        let moment = access.moment;
        let me = (moment.block_index(), moment.warp(), lane);
        let Some(keeper) = self.keepers.get(&at) else {
            return;
        };
        if (keeper.block, keeper.warp, keeper.lane) == me {
            return;
        }
        let span = access.site.span;
        reports.add(span, keeper.span, "foreign", || {
            let message = "address of another thread's local variable";
            Diagnostic::error(span, message)
                .label(format!("loaded by {}", moment.place().lane(lane)))
                .also(keeper.span, "stored by the thread that owns the variable")
                .note("local memory is each thread's own: the same address means another variable")
                .help("pass the value itself, or keep the variable in shared memory")
        });
    }
}

/// An access through a pointer to a variable that has ended.
fn dangling(access: &CheckedAccess<'_, '_, '_>, reports: &mut Reports) {
    let moment = access.moment;
    let kernel = moment.program().kernel;
    let is_local = |lane: &usize| address_space(access.addresses[*lane]) == AddressSpace::Local;
    // An access to several memories is a fault, which the machine tells.
    let mut lanes = access.lanes().take_while(is_local).peekable();
    // Most accesses go elsewhere, and looking up a statement takes longer than they do.
    if lanes.peek().is_none() {
        return;
    }
    let Some(statement) = kernel.source.statement_at(moment.pc) else {
        return;
    };
    let statement = &kernel.source.statements[statement];
    for lane in lanes {
        let address = access.addresses[lane];
        let found = allocation_at(moment, Space::Local, address - LOCAL_BASE);
        let Some(variable) = found else { continue };
        let declaration = &variable.declaration;
        if kernel.source.is_alive(declaration, statement) {
            continue;
        }
        let span = access.site.span;
        reports.add(span, declaration.span, "dangling", || {
            let message = format!(
                "{} through a pointer to `{}`, which no longer exists",
                verb(access.site),
                variable.name
            );
            Diagnostic::error(span, message)
                .label(format!("by {}", moment.place().lane(lane)))
                .also(declaration.span, "it ends with the block that declares it")
                .note(format!("at address {address:#x}"))
                .help("declare the variable where the pointer is used, or pass its value")
        });
        return;
    }
}
