//! What is known at the point of the code that is being written: which registers hold which values,
//! which loads and stores may still be joined to others.
//!
//! Every instruction is reported here by its effects, so that nothing is known for longer than it is
//! true. Where lanes part and rejoin, what only some of them know is forgotten ([`Facts::leave`]).

use super::accesses::{KnownLoads, LoadedValue, MergeCandidates, OpenStores, Origin};
use super::common_subexpressions::{Available, AvailableExpressions};
use crate::compile::analysis::{
    AffineValues, ByteRange, Context, Effects, Evaluator, Region, RegisterRange, register_bytes,
};
use crate::compile::tree::chunks;
use crate::cuda::{Expr, Place};
use crate::ir::Register;

/// What is known at one point of the code.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Open frames: branches, loops, inlined functions.
    pub depth: usize,
    pub expressions: AvailableExpressions,
    /// What registers of variables hold, as affine expressions.
    pub affine: AffineValues,
    pub loads: KnownLoads,
    /// What sides of `if`s knew.
    pub merged: MergeCandidates,
    pub stores: OpenStores,
    /// Whether what is loaded and computed is not to be known: it counts elsewhere.
    pub is_silent: bool,
    /// Whether the store being written leaves memory as it is.
    pub stores_again: bool,
}

/// Values that became known in a frame, which others of its lanes come to later.
#[derive(Debug, Default)]
pub(crate) struct FrameFacts {
    expressions: Vec<Available>,
    loads: Vec<LoadedValue>,
}

impl Facts {
    /// What is known in the innermost frame alone.
    pub fn of_frame(&self) -> FrameFacts {
        FrameFacts {
            expressions: self.expressions.known_from(self.depth),
            loads: self.loads.values_from(self.depth),
        }
    }

    /// Makes known again what a frame knew that has been closed: only its lanes go on here, and nothing has been
    /// written since.
    pub fn know(&mut self, frame: FrameFacts) {
        self.expressions.know(frame.expressions, self.depth);
        self.loads.know(frame.loads, self.depth);
    }

    /// What expressions are at this point, as affine expressions.
    pub fn evaluator<'e, 'a>(&'e mut self, context: &'e Context<'a>) -> Evaluator<'e, 'a> {
        Evaluator {
            context,
            function: context.function,
            values: &mut self.affine,
            depth: self.depth,
        }
    }

    /// Remembers that `register` holds the value of `expr`.
    pub fn remember(&mut self, context: &Context, expr: &Expr, register: Register) {
        if !self.is_silent {
            let depth = self.depth;
            self.expressions.remember(context, expr, register, depth);
        }
    }

    /// Remembers that `register` holds what `place` holds, if that lies in memory.
    pub fn remember_place(
        &mut self,
        context: &Context,
        place: &Place,
        register: Register,
        origin: Origin,
    ) {
        let region = context.region_of(place);
        // A volatile load is made each time, whatever was loaded before.
        if context.is_in_register(place) || region == Region::Volatile {
            return;
        }
        let Some(address) = self.evaluator(context).address(place) else {
            return;
        };
        let whole = ByteRange::of(place, address, place.ty.size_bytes());
        let parts = chunks(&place.ty, place.ty.align_bytes());
        // Each part too: a change of one leaves the others known.
        for part in parts.iter().filter(|part| part.packed == 1) {
            let range = whole.moved(part.offset_bytes.into(), part.width_bytes);
            let register = register + part.word as Register;
            self.remember_bytes(range, register, region, origin);
        }
        if parts.len() > 1 && register_bytes(&place.ty).is_some() {
            self.remember_bytes(whole, register, region, origin);
        }
    }

    /// Remembers that `register` holds what memory holds at `range`.
    pub fn remember_bytes(
        &mut self,
        range: ByteRange,
        register: Register,
        region: Region,
        origin: Origin,
    ) {
        if !self.is_silent {
            let depth = self.depth;
            self.loads.remember(range, register, region, origin, depth);
        }
    }

    /// Registers are written.
    pub fn wrote(&mut self, written: RegisterRange) {
        self.expressions.wrote(written);
        self.affine.wrote(written);
        self.loads.wrote(written);
    }

    /// Something in `region` may have changed.
    pub fn wrote_memory(&mut self, region: Region) {
        if self.stores_again {
            return;
        }
        self.expressions.wrote_memory(region);
        // Taken, not read: it holds for this instruction alone. The next store may go where nothing is known.
        let range = self.stores.writing.take();
        // Another member of the same struct stays known: the bytes are apart.
        self.loads.stored(region, range.as_ref());
        self.merged.stored(region, range.as_ref());
        self.stores.accessed(region, range.as_ref(), true);
    }

    /// Something in `region` has been read.
    pub fn read_memory(&mut self, region: Region) {
        let range = self.loads.reading.take();
        // A load that is joined to an earlier one reads there, before the stores in between.
        if !std::mem::take(&mut self.loads.joins_earlier) {
            self.stores.accessed(region, range.as_ref(), false);
        }
    }

    /// A basic block of machine code ends: behind a quotient, say, which has a branch for some operands.
    pub fn end_machine_block(&mut self) {
        self.loads.end_machine_block();
        self.stores.end_machine_block();
    }

    /// Other threads may have written.
    pub fn synchronized(&mut self) {
        self.expressions.synchronized();
        self.loads.synchronized();
        self.merged.synchronized();
        // nvcc joins no stores across a barrier.
        self.stores.clear();
    }

    /// Only lanes of `depth` open frames go on.
    pub fn leave(&mut self, depth: usize) {
        // Lanes that did not come into a branch have no value of what was computed in it.
        self.expressions.leave(depth);
        self.affine.leave(depth);
        self.loads.leave(depth);
        self.merged.leave(depth);
    }

    /// A body begins that several calls go to: nothing is known.
    pub fn begin_body(&mut self) {
        *self = Facts {
            // What atoms stand for stays: an atom of this body must not be taken for another one of the caller's.
            affine: std::mem::take(&mut self.affine).forgotten(),
            ..Facts::default()
        };
    }

    /// Forgets what code with these effects changes.
    pub fn forget(&mut self, effects: &Effects) {
        for &written in &effects.registers {
            self.wrote(written);
        }
        for &region in &effects.regions {
            self.wrote_memory(region);
        }
        if effects.synchronizes {
            self.synchronized();
        }
    }

    /// One past the last register below `limit` that holds a known value.
    pub fn end(&self, limit: Register) -> u32 {
        let registers = self.expressions.registers().chain(self.loads.registers());
        let free = registers.filter(|registers| registers.first < limit);
        free.map(RegisterRange::end).max().unwrap_or(0)
    }
}
