//! The observer that follows the block, and keeps what it does.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::steps::{Change, History, RecordedAccess, RecordedStep, WordLog};
use crate::ir::{AccessSite, LOCAL_BASE, Op, Operand, VariablePlace};
use crate::memory::AccessKind;
use crate::simt::machine::{AddressSpace, Addresses, address_space};
use crate::simt::machine::{Moment, Observer};
use crate::simt::program::is_wide_value;
use crate::simt::warp::set_bits;

/// Keeps a block's history.
pub struct Recorder<'a> {
    history: History,
    /// Most bytes that the history may take.
    most_bytes: usize,
    /// Bytes so far, counted as they come.
    bytes: usize,
    /// Set by whoever wants the recording to end, and by the recorder when it is full.
    cancel: &'a AtomicBool,
    stop: &'a AtomicBool,
    /// By slot: whether a variable of the source lives there.
    named: Vec<bool>,
    /// The statement that is being executed, and whether it has written memory.
    open: Option<RecordedStep>,
    wrote: bool,
    /// By warp: the statement it is in.
    current: Vec<Option<usize>>,
    /// Slots that the open step writes.
    written: Vec<usize>,
    /// A store that has not happened yet.
    pending: Option<(Addresses, u64, u32)>,
    /// Whether the arguments are kept.
    has_arguments: bool,
}

impl<'a> Recorder<'a> {
    /// A recorder that fills `history`.
    pub fn new(
        history: History,
        most_bytes: usize,
        cancel: &'a AtomicBool,
        stop: &'a AtomicBool,
    ) -> Self {
        let kernel = &history.kernel;
        let registers = usize::from(kernel.registers);
        let mut named = vec![false; registers];
        for variable in &kernel.variables {
            if let VariablePlace::Register(register) = variable.place {
                let words = if is_wide_value(variable.value_type) {
                    2
                } else {
                    1
                };
                let first = usize::from(register);
                named[first..first + words].fill(true);
            }
        }
        let local_words = kernel.memory.local_bytes.div_ceil(4) as usize;
        // Local memory holds arrays of the source; registers also hold temporaries.
        named.resize(registers + local_words, true);
        Recorder {
            history,
            most_bytes,
            bytes: 0,
            cancel,
            stop,
            named,
            open: None,
            wrote: false,
            current: Vec::new(),
            written: Vec::new(),
            pending: None,
            has_arguments: false,
        }
    }

    /// What was kept.
    pub fn into_history(self) -> History {
        self.history
    }

    fn is_own(&self, moment: &Moment<'_, '_>) -> bool {
        moment.warp() as u32 == self.history.warp
    }

    /// The step that is open, or would be.
    fn next_step(&self) -> u32 {
        self.history.steps.len() as u32
    }

    fn follow(&mut self, moment: &Moment<'_, '_>) {
        let kernel = moment.program().kernel;
        let Some(at) = kernel.source.statement_at(moment.pc) else {
            return;
        };
        let begins = kernel.source.statements[at].first as usize == moment.pc;
        // A loop comes to the same statement again: each round is a step of its own.
        if begins || self.current[moment.warp()] != Some(at) {
            self.close(moment);
            self.current[moment.warp()] = Some(at);
        } else if self.open.is_some() || !does_something(moment) {
            return;
        }
        // A statement with a barrier in its middle goes on after it as a step of its own.
        if moment.active() != 0 {
            self.open(moment, at);
        }
    }

    fn open(&mut self, moment: &Moment<'_, '_>, statement: usize) {
        // Between statements only, so that the last step is whole.
        if self.cancel.load(Relaxed) || self.bytes > self.most_bytes {
            self.history.is_truncated = true;
            self.stop.store(true, Relaxed);
            return;
        }
        self.wrote = false;
        self.open = Some(RecordedStep {
            statement: statement as u32,
            active: moment.active(),
            warp: moment.warp() as u16,
            barrier: false,
            accesses: self.history.accesses.len() as u32,
        });
        if self.is_own(moment) && !std::mem::replace(&mut self.has_arguments, true) {
            let kernel = moment.program().kernel;
            let registers = usize::from(kernel.registers);
            let parameters = kernel
                .variables
                .iter()
                .take(kernel.written_parameters().len());
            let slots = parameters.flat_map(|parameter| {
                let first = match parameter.place {
                    VariablePlace::Register(register) => usize::from(register),
                    VariablePlace::Local(offset) => registers + offset as usize / 4,
                };
                // The second may be another variable's: it is kept as well, if it is new.
                [first, first + 1]
            });
            let named = slots.filter(|&slot| self.named.get(slot) == Some(&true));
            self.written.extend(named);
        }
    }

    /// Ends the open step: keeps what it changed.
    fn close(&mut self, moment: &Moment<'_, '_>) {
        self.note_last_store(moment);
        let Some(step) = self.open.take() else {
            self.written.clear();
            return;
        };
        let is_own = u32::from(step.warp) == self.history.warp;
        // Of other warps only what can be seen from the chosen one is kept.
        if !is_own && !self.wrote && !step.barrier {
            return;
        }
        let index = self.next_step();
        if is_own {
            // Taken out and put back, to keep its room for the next statement.
            let mut written = std::mem::take(&mut self.written);
            written.sort_unstable();
            written.dedup();
            for slot in written.drain(..) {
                self.keep(slot, index, moment);
            }
            self.written = written;
            self.history.own.push(index);
        }
        self.bytes += size_of::<RecordedStep>() + size_of::<u32>();
        self.history.steps.push(step);
    }

    /// Keeps what a slot holds, if that is new.
    fn keep(&mut self, slot: usize, step: u32, moment: &Moment<'_, '_>) {
        let registers = usize::from(self.history.kernel.registers);
        let values = match slot.checked_sub(registers) {
            None => Some(moment.lanes().get(slot as u16)),
            Some(word) => moment.local(word),
        };
        let Some(values) = values else { return };
        let pool = &mut self.history.pool;
        let changes = &mut self.history.slots[slot];
        if changes
            .last()
            .is_some_and(|last| pool.unpack(last.value) == *values)
        {
            return;
        }
        let before = pool.bytes();
        let value = pool.pack(values);
        changes.push(Change { step, value });
        self.bytes += size_of::<Change>() + pool.bytes() - before;
    }

    fn note_registers(&mut self, moment: &Moment<'_, '_>) {
        let i = moment.instruction();
        for operand in i.op.operands() {
            let words = match operand {
                Operand::Dst32 => 1,
                Operand::Dst64 => 2,
                Operand::Dst128 => 4,
                Operand::DstSite => moment.site().map_or(0, AccessSite::words) as usize,
                _ => continue,
            };
            let first = usize::from(i.dst);
            let named = (first..first + words).filter(|&slot| self.named[slot]);
            self.written.extend(named);
        }
    }

    /// Keeps an access of the chosen warp, and what any warp is about to change.
    fn access(&mut self, moment: &Moment<'_, '_>, site: &AccessSite) {
        let (addresses, active) = (moment.addresses(site), moment.active());
        if self.is_own(moment) {
            let before = self.history.pool.bytes();
            let packed = self.history.pool.pack_addresses(&addresses, active);
            self.bytes += size_of::<RecordedAccess>() + self.history.pool.bytes() - before;
            self.history.accesses.push(RecordedAccess {
                site: moment.instruction().imm,
                active,
                addresses: packed,
            });
        }
        if site.kind == AccessKind::Store {
            let width = u64::from(site.width_bytes);
            for_words(&addresses, width, active, |lane, address| {
                if !matches!(
                    address_space(address),
                    AddressSpace::Shared | AddressSpace::Global
                ) {
                    return;
                }
                let Some(before) = moment.word_at(address, lane) else {
                    return;
                };
                let log = || WordLog {
                    before,
                    writes: Vec::new(),
                };
                self.history.words.entry(address).or_insert_with(|| {
                    // A table keeps about half of its room free.
                    self.bytes += 2 * size_of::<(u64, WordLog)>();
                    log()
                });
            });
            // What a store changes is known after it: when the warp's next instruction comes.
            self.pending = Some((addresses, width, active));
        }
    }

    /// The last store has happened: keeps what it changed.
    fn note_last_store(&mut self, moment: &Moment<'_, '_>) {
        let Some((addresses, width, active)) = self.pending.take() else {
            return;
        };
        let step = self.next_step();
        let registers = usize::from(self.history.kernel.registers);
        for_words(&addresses, width, active, |lane, address| {
            // Each lane's own: kept as a variable of the warp, not as a word of memory.
            if address_space(address) == AddressSpace::Local {
                let slot = registers + ((address - LOCAL_BASE) / 4) as usize;
                if slot < self.named.len() {
                    self.written.push(slot);
                }
                return;
            }
            let Some(now) = moment.word_at(address, lane) else {
                return;
            };
            let log = self.history.words.get_mut(&address);
            // The first write counts even if it writes what was there: then the word is no longer as it began.
            let is_new = |log: &&mut WordLog| log.writes.is_empty() || log.last() != now;
            if let Some(log) = log.filter(is_new) {
                log.writes.push((step, now));
                self.bytes += size_of::<(u32, u32)>();
                self.wrote = true;
            }
        });
    }
}

/// Each word that the active lanes touch, as its address.
fn for_words(addresses: &Addresses, width: u64, active: u32, mut each: impl FnMut(usize, u64)) {
    for lane in set_bits(active) {
        // Histories know words, also where bytes are stored.
        let first = addresses[lane] & !3;
        let end = addresses[lane].saturating_add(width);
        for address in (first..end).step_by(4) {
            each(lane, address);
        }
    }
}

/// Whether the instruction computes or accesses something, and is not mere control flow.
fn does_something(moment: &Moment<'_, '_>) -> bool {
    use Operand::{Dst32, Dst64, Dst128, Site};
    let operands = moment.instruction().op.operands();
    let does = |operand: &Operand| matches!(operand, Dst32 | Dst64 | Dst128 | Site);
    operands.iter().any(does)
}

impl Observer for Recorder<'_> {
    fn begin(&mut self, block: &Moment<'_, '_>) {
        self.current = vec![None; block.program().geometry.warps()];
    }

    fn before(&mut self, moment: &Moment<'_, '_>) {
        self.note_last_store(moment);
        self.follow(moment);
        if moment.active() == 0 {
            return;
        }
        let Some(open) = &mut self.open else { return };
        open.barrier |= matches!(moment.instruction().op, Op::Barrier | Op::BarrierVote);
        if self.is_own(moment) {
            self.note_registers(moment);
        }
        if let Some(site) = moment.site() {
            self.access(moment, site);
        }
    }

    fn pause(&mut self, moment: &Moment<'_, '_>) {
        self.close(moment);
    }
}
