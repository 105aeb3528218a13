//! Addresses of variables in local memory: used after the variable has ended, or by another thread.

use std::collections::HashMap;

use super::look::{Look, allocation_at};
use super::reports::Reports;
use crate::ir::{LOCAL_BASE, SHARED_BASE, Space};
use crate::memory::AccessKind;
use crate::simt::execute::{Home, home};
use crate::simt::fault::verb;
use crate::source::{Diagnostic, Span};

/// Addresses of local variables that lie in memory which other threads can read.
#[derive(Default)]
pub struct Lifetimes {
    /// By the place that holds such an address: who put it there.
    kept: HashMap<u64, Keeper>,
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
        let in_global = |&at: &u64| home(at) == Home::Global;
        self.kept.retain(|at, _| in_global(at));
    }

    /// One access of one warp.
    pub fn access(&mut self, look: &Look<'_, '_, '_>, reports: &mut Reports) {
        if look.site.space == Space::Generic {
            dangling(look, reports);
        }
        if look.width() < 8 {
            return;
        }
        for lane in look.lanes() {
            let at = look.addresses[lane];
            if !matches!(home(at), Home::Shared | Home::Global) {
                continue;
            }
            match look.site.kind {
                AccessKind::Store => self.keep(look, lane, at),
                AccessKind::Load if !self.kept.is_empty() => self.fetch(look, lane, at, reports),
                AccessKind::Load => {}
            }
        }
    }

    fn keep(&mut self, look: &Look<'_, '_, '_>, lane: usize, at: u64) {
        let value = u64::from(look.stored(lane, 0)) | u64::from(look.stored(lane, 1)) << 32;
        if home(value) == Home::Local && value - LOCAL_BASE < SHARED_BASE {
            let keeper = Keeper {
                block: look.moment.block_index(),
                warp: look.moment.warp(),
                lane,
                span: look.site.span,
            };
            self.kept.insert(at, keeper);
        } else if !self.kept.is_empty() {
            self.kept.remove(&at);
        }
    }

    fn fetch(&self, look: &Look<'_, '_, '_>, lane: usize, at: u64, reports: &mut Reports) {
        let moment = look.moment;
        let me = (moment.block_index(), moment.warp(), lane);
        let Some(keeper) = self.kept.get(&at) else {
            return;
        };
        if (keeper.block, keeper.warp, keeper.lane) == me {
            return;
        }
        let span = look.site.span;
        reports.add((span, keeper.span), "foreign", || {
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
fn dangling(look: &Look<'_, '_, '_>, reports: &mut Reports) {
    let moment = look.moment;
    let kernel = moment.program().kernel;
    let Some(statement) = kernel.statement_at(moment.pc) else {
        return;
    };
    let statement = &kernel.statements[statement];
    for lane in look.lanes() {
        let address = look.addresses[lane];
        if home(address) != Home::Local {
            return;
        }
        let found = allocation_at(moment, Space::Local, address - LOCAL_BASE);
        let Some(variable) = found else { continue };
        let declaration = &variable.declaration;
        if kernel.is_alive(declaration, statement) {
            continue;
        }
        let span = look.site.span;
        reports.add((span, declaration.span), "dangling", || {
            let message = format!(
                "{} through a pointer to `{}`, which no longer exists",
                verb(look.site),
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
