//! What is said where a program can go no further.

use std::collections::BTreeMap;

use crate::host::memory::{HEAP, Outside, STACK, STACK_BYTES, function_at};
use crate::ir::GLOBAL_STRIDE;
use crate::source::{Diagnostic, Span};

use super::state::{Frame, Machine};
use super::stop::Stop;

/// The codes that a shell gives for signals: 128 and the signal's number.
const SEGMENTATION_FAULT: i32 = 139;
const FLOATING_POINT: i32 = 136;
const ABORTED: i32 = 134;

/// How far behind a block an access has most likely to do with it: a row or two of what it holds.
const NEAR_BYTES: u64 = 4096;

/// Where blocks were allocated, by their addresses.
type Blocks = BTreeMap<u64, Span>;
const BLOCKS: &str = "blocks";

impl Machine<'_> {
    /// An access to an address at which nothing lies.
    #[cold]
    pub(super) fn segmentation_fault(&self, address: u64, at: Frame) -> Stop {
        let span = self.location_at(at.pc, at.function);
        let error = Diagnostic::error(span, "segmentation fault");
        let error = error.label(format!("uses the address {address:#x}"));
        let error = match self.described(address) {
            Some(note) => error.note(note),
            None => error,
        };
        let error = match address >= GLOBAL_STRIDE {
            true => error.help("copy it to the host first, with `cudaMemcpy`"),
            false => error,
        };
        Stop::Fault(Box::new(error), SEGMENTATION_FAULT)
    }

    /// What an address is that host code must not use.
    fn described(&self, address: u64) -> Option<String> {
        if address >= GLOBAL_STRIDE {
            let library = self.library.as_ref();
            let known = library.and_then(|library| library.describe(address));
            return known.or_else(|| {
                let (start, size) = self.memory.device.buffer_at(address)?;
                let offset = address - start;
                Some(format!(
                    "that is memory of the GPU: byte {offset} of a buffer of {size} bytes"
                ))
            });
        }
        if address < 4096 {
            return Some("that is a null pointer, or an element or field past one".to_owned());
        }
        if let Some(routine) = function_at(address).and_then(|id| self.routine(id)) {
            return Some(format!("that is the function `{}`", routine.name));
        }
        if (STACK..STACK + STACK_BYTES).contains(&address) {
            return Some("that is the stack, and the access goes beyond its end".to_owned());
        }
        let (start, size) = self.memory.heap().block_before(address)?;
        let behind = address - start;
        let is_near = address >= HEAP && behind < size.saturating_mul(2).max(4096);
        is_near.then(|| format!("that is byte {behind} of a block of {size} bytes"))
    }

    /// Says of the last access to a heap that is checked that it left its block, once at each place.
    #[cold]
    pub(super) fn check_access(&mut self, at: Frame) {
        let Some(Outside { address, length }) = self.memory.take_outside() else {
            return;
        };
        let span = self.location_at(at.pc, at.function);
        let bytes = if length == 1 { "byte" } else { "bytes" };
        let message = format!("an access of {length} {bytes} outside of a block of the heap");
        let error = Diagnostic::error(span, message);
        let error = match self.memory.heap().block_before(address) {
            // What lies far behind a block has to do with another, or with one that was freed.
            Some((start, size)) if address - start < size + NEAR_BYTES => {
                let place = self.library_state::<Blocks>(BLOCKS).get(&start).copied();
                let error = error.label(format!("byte {} of a block of {size}", address - start));
                match place {
                    Some(place) => error.also(place, "the block is allocated here"),
                    None => error,
                }
            }
            _ => error.label("in no block that is in use: was it freed?"),
        };
        self.report(error);
    }

    /// Keeps where the last block was allocated, if the heap is checked.
    pub(super) fn note_block(&mut self) {
        if let Some(block) = self.memory.take_new_block() {
            let place = self.location();
            self.library_state::<Blocks>(BLOCKS).insert(block, place);
        }
    }

    /// Recursion without an end, most likely.
    #[cold]
    pub(super) fn stack_overflow(&self, at: Frame) -> Stop {
        let span = self.location_at(at.pc, at.function);
        let name = self
            .routine(at.function)
            .map_or("", |routine| &routine.name);
        let error = Diagnostic::error(span, "segmentation fault: the stack of 8 MiB is used up");
        let calls = self.frames.len();
        let error = error.note(format!("`{name}` makes the call, {calls} calls deep"));
        Stop::Fault(Box::new(error), SEGMENTATION_FAULT)
    }

    /// A division that has no result.
    #[cold]
    pub(super) fn division_fault(&self, divisor: u64, at: Frame) -> Stop {
        let span = self.location_at(at.pc, at.function);
        let label = match divisor {
            0 => "divides by zero",
            _ => "the result does not fit its type",
        };
        let error = Diagnostic::error(span, "floating point exception").label(label);
        Stop::Fault(Box::new(error), FLOATING_POINT)
    }

    /// What code of the host cannot do.
    #[cold]
    pub(super) fn refused(&self, message: &str, at: Frame) -> Stop {
        let span = self.location_at(at.pc, at.function);
        Stop::Fault(Box::new(Diagnostic::error(span, message)), ABORTED)
    }

    /// A call of what is no function.
    #[cold]
    pub(super) fn no_function(&self, address: u64, at: Frame) -> Stop {
        let span = self.location_at(at.pc, at.function);
        let error = Diagnostic::error(span, "segmentation fault");
        let error = error.label(format!(
            "calls the address {address:#x}, which is no function"
        ));
        Stop::Fault(Box::new(error), SEGMENTATION_FAULT)
    }

    /// Adds the place to what a library's function could not do.
    pub(super) fn placed(&mut self, stop: Stop, at: Frame) -> Stop {
        match stop {
            Stop::Unmapped(address) => self.segmentation_fault(address, at),
            Stop::Abort(message) => {
                let mut line = message.clone();
                if !line.is_empty() && !line.ends_with('\n') {
                    line.push('\n');
                }
                self.print_error(line.as_bytes());
                let span = self.location_at(at.pc, at.function);
                let message = match message.trim_end() {
                    "" => "the program aborts".to_owned(),
                    text => format!("the program aborts: {text}"),
                };
                Stop::Fault(Box::new(Diagnostic::error(span, message)), ABORTED)
            }
            stop => stop,
        }
    }
}
