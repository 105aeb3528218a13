//! The loop over operations.
//!
//! The slots of the functions that run lie in one row, so that arguments stand where the callee's parameters are. Nothing
//! is allocated for a call unless the row grows.

use crate::host::code::*;
use crate::host::memory::{GUARD_BYTES, STACK, function_address, function_at};

use super::objects::Ending;
use super::registers::{Registers, SLOTS, Word};
use super::services::Next;
use super::state::{Frame, Machine};
use super::stop::Stop;

/// Jumps and calls between two looks at whether somebody still waits: some milliseconds.
const LOOKS_EVERY: u32 = 1 << 16;

/// How often functions of libraries may call functions of the program within each other: each takes the stack of this
/// process, not of the program.
const MOST_DEPTH: u32 = 64;

/// The table of what operations do, a row each: those of `code::op`'s tables compute, the others call one method.
///
/// All of it is one `match` in one loop, inlined: the compiler keeps the registers' place and the next operation in
/// registers of the machine, and each row jumps through one table. For that, nobody but inlined functions may be given the
/// address of `at`.
macro_rules! dispatch {
    ([$($unary:ident |$ua:ident| $unary_value:expr;)*]
     $($binary:ident |$a:ident, $b:ident| $binary_value:expr;)*) => {
        /// Runs a function to its end.
        fn operations(
            &mut self,
            entry: usize,
            arguments: &[u64],
            slots: &mut Vec<u64>,
            budget: &mut u32,
        ) -> Result<u64, Stop> {
            let image = &self.program.image;
            let floor = self.frames.len();
            // The first function's slots begin behind one that holds the stack.
            slots[0] = self.now.stack;
            slots[2..2 + arguments.len()].copy_from_slice(arguments);
            let mut at = Frame { pc: self.now.pc, base: 0, function: self.now.function };
            let mut row = self.enter(&mut at, slots, entry, 1)?;
            macro_rules! jump_when {
                ($condition:expr, $target:ident) => {
                    if $condition {
                        let behind = at.pc;
                        at.pc = $target as usize;
                        self.count(budget)?;
                        if at.pc < behind && self.loops.is_hot(at.pc) {
                            self.repeat(at.pc, behind - 1, row.since_mut(0), budget);
                        }
                    }
                };
            }
            // What stands next, if it is that operation: a jump through the table less.
            macro_rules! then {
                ($op:ident $x:ident $y:ident $z:ident => $what:expr) => {
                    if let Op::$op { $x, $y, $z } = image.ops[at.pc] {
                        at.pc += 1;
                        $what
                    }
                };
            }
            macro_rules! mul_add {
                ($to:ident $left:ident $right:ident $op:ident $product:ident $sum:ident) => {{
                    row.set($to, row.$product($left, $right));
                    then!($op to a b => row.set(to, row.$sum(a, b)));
                }};
            }
            macro_rules! then_load {
                ($op:ident $word:ty) => {
                    then!($op to base index => row.set(to, self.load::<$word>(row.element(base, index, 4), at)?))
                };
            }
            // The next operation may be the first of a group itself: it does what it does alone.
            macro_rules! then_element {
                ($op:ident $word:ty) => {
                    if let Op::Load64 { to, base, offset } | Op::ElementI32 { to, base, offset } | Op::ElementU32 { to, base, offset } = image.ops[at.pc] {
                        at.pc += 1;
                        row.set(to, self.load::<u64>(row.behind(base, offset), at)?);
                        then_load!($op $word);
                    }
                };
            }
            macro_rules! then_step {
                ($op:ident) => {{
                    then!($op to a b => row.set(to, row.sum(a, b)));
                    then!(JumpLtI a b target => jump_when!((row.get(a) as i64) < row.get(b) as i64, target));
                }};
            }
            macro_rules! enter {
                ($callee:expr, $first:expr) => {{
                    let callee = $callee;
                    row = self.enter(&mut at, slots, callee, usize::from($first))?;
                    self.count(budget)?;
                }};
            }
            macro_rules! go_on {
                ($next:expr) => {
                    match $next {
                        Next::On => {}
                        Next::Again => at.pc -= 1,
                        Next::End(ending) => {
                            at = self.enter_destructor(at, slots, ending)?;
                            row = Registers::new(slots, at.base);
                        }
                        Next::Land(landing) => {
                            at = self.land(slots, landing, floor)?;
                            row = Registers::new(slots, at.base);
                        }
                    }
                };
            }
            macro_rules! leave {
                ($value:expr) => {
                    match self.frames.pop() {
                        Some(frame) if self.frames.len() > floor => {
                            at = frame;
                            row = Registers::new(slots, at.base);
                        }
                        _ => return Ok($value),
                    }
                };
            }
            loop {
                let op = image.ops[at.pc];
                at.pc += 1;
                match op {
                    $(Op::$binary { to, a, b } => {
                        let ($a, $b) = (row.get(a), row.get(b));
                        row.set(to, $binary_value);
                    })*
                    $(Op::$unary { to, a } => {
                        let $ua = row.get(a);
                        row.set(to, $unary_value);
                    })*
                    Op::Move { to, a } => row.set(to, row.get(a)),
                    Op::DivI32 { to, a, b } => row.set(to, self.whole(row.of(a, b, i32::checked_div), row.get(b), at)?),
                    Op::DivI64 { to, a, b } => row.set(to, self.whole(row.of(a, b, i64::checked_div), row.get(b), at)?),
                    Op::DivU { to, a, b } => row.set(to, self.whole(row.of(a, b, u64::checked_div), row.get(b), at)?),
                    Op::RemI32 { to, a, b } => row.set(to, self.whole(row.of(a, b, i32::checked_rem), row.get(b), at)?),
                    Op::RemI64 { to, a, b } => row.set(to, self.whole(row.of(a, b, i64::checked_rem), row.get(b), at)?),
                    Op::RemU { to, a, b } => row.set(to, self.whole(row.of(a, b, u64::checked_rem), row.get(b), at)?),
                    Op::Convert { to, a, from, into } => row.set(to, numbers::convert(from, into, row.get(a))),
                    Op::Math { to, first, site } => row.set(to, numbers::compute_at(&image.sites, site, row.since(first))),
                    Op::Offset { to, base, offset } => row.set(to, row.behind(base, offset)),
                    Op::Element { to, base, index, size } => row.set(to, row.element(base, index, size)),
                    Op::LoadI8 { to, base, offset } => row.set(to, self.load::<i8>(row.behind(base, offset), at)?),
                    Op::LoadU8 { to, base, offset } => row.set(to, self.load::<u8>(row.behind(base, offset), at)?),
                    Op::LoadI16 { to, base, offset } => row.set(to, self.load::<i16>(row.behind(base, offset), at)?),
                    Op::LoadU16 { to, base, offset } => row.set(to, self.load::<u16>(row.behind(base, offset), at)?),
                    Op::LoadI32 { to, base, offset } => row.set(to, self.load::<i32>(row.behind(base, offset), at)?),
                    Op::LoadU32 { to, base, offset } => row.set(to, self.load::<u32>(row.behind(base, offset), at)?),
                    Op::Load64 { to, base, offset } => row.set(to, self.load::<u64>(row.behind(base, offset), at)?),
                    Op::LoadIndexI32 { to, base, index } => row.set(to, self.load::<i32>(row.element(base, index, 4), at)?),
                    Op::LoadIndexU32 { to, base, index } => row.set(to, self.load::<u32>(row.element(base, index, 4), at)?),
                    Op::LoadIndex64 { to, base, index } => row.set(to, self.load::<u64>(row.element(base, index, 8), at)?),
                    Op::Store8 { from, base, offset } => self.store(row.behind(base, offset), row.get(from) as u8, at)?,
                    Op::Store16 { from, base, offset } => self.store(row.behind(base, offset), row.get(from) as u16, at)?,
                    Op::Store32 { from, base, offset } => self.store(row.behind(base, offset), row.get(from) as u32, at)?,
                    Op::Store64 { from, base, offset } => self.store(row.behind(base, offset), row.get(from), at)?,
                    Op::StoreIndex32 { from, base, index } => self.store(row.element(base, index, 4), row.get(from) as u32, at)?,
                    Op::StoreIndex64 { from, base, index } => self.store(row.element(base, index, 8), row.get(from), at)?,
                    Op::Copy { to, from, bytes } => self.copy(row.get(to), row.get(from), bytes, at)?,
                    Op::Zero { to, bytes } => self.zero(row.get(to), bytes, at)?,
                    Op::MulAddI32 { to, a, b } => mul_add!(to a b AddI32 product sum),
                    Op::MulAddF32 { to, a, b } => mul_add!(to a b AddF32 product_f32 sum_f32),
                    Op::MulAddF64 { to, a, b } => mul_add!(to a b AddF64 product_f64 sum_f64),
                    Op::MulAddLoadI32 { to, a, b } => {
                        mul_add!(to a b AddI32 product sum);
                        then_load!(LoadIndexI32 i32);
                    }
                    Op::MulAddLoadU32 { to, a, b } => {
                        mul_add!(to a b AddI32 product sum);
                        then_load!(LoadIndexU32 u32);
                    }
                    Op::MulAddElementI32 { to, a, b } => {
                        mul_add!(to a b AddI32 product sum);
                        then_element!(LoadIndexI32 i32);
                    }
                    Op::MulAddElementU32 { to, a, b } => {
                        mul_add!(to a b AddI32 product sum);
                        then_element!(LoadIndexU32 u32);
                    }
                    Op::MulAddJumpI32 { to, a, b } => {
                        mul_add!(to a b AddI32 product sum);
                        then_step!(AddJumpI32);
                    }
                    Op::MulAddJumpF32 { to, a, b } => {
                        mul_add!(to a b AddF32 product_f32 sum_f32);
                        then_step!(AddJumpI32);
                    }
                    Op::MulAddJumpF64 { to, a, b } => {
                        mul_add!(to a b AddF64 product_f64 sum_f64);
                        then_step!(AddJumpI32);
                    }
                    Op::AddJumpI32 { to, a, b } => {
                        row.set(to, row.sum(a, b));
                        then!(JumpLtI a b target => jump_when!((row.get(a) as i64) < row.get(b) as i64, target));
                    }
                    Op::ElementI32 { to, base, offset } => {
                        row.set(to, self.load::<u64>(row.behind(base, offset), at)?);
                        then_load!(LoadIndexI32 i32);
                    }
                    Op::ElementU32 { to, base, offset } => {
                        row.set(to, self.load::<u64>(row.behind(base, offset), at)?);
                        then_load!(LoadIndexU32 u32);
                    }
                    Op::Jump { target } => jump_when!(true, target),
                    Op::JumpIf { a, target } => jump_when!(row.get(a) != 0, target),
                    Op::JumpUnless { a, target } => jump_when!(row.get(a) == 0, target),
                    Op::JumpEq { a, b, target } => jump_when!(row.get(a) == row.get(b), target),
                    Op::JumpNe { a, b, target } => jump_when!(row.get(a) != row.get(b), target),
                    Op::JumpLtI { a, b, target } => jump_when!((row.get(a) as i64) < row.get(b) as i64, target),
                    Op::JumpLeI { a, b, target } => jump_when!(row.get(a) as i64 <= row.get(b) as i64, target),
                    Op::JumpLtU { a, b, target } => jump_when!(row.get(a) < row.get(b), target),
                    Op::JumpLeU { a, b, target } => jump_when!(row.get(a) <= row.get(b), target),
                    Op::Call { first, function } => enter!(function as usize, first),
                    Op::CallPointer { first, pointer } => enter!(self.function_behind(row.get(pointer), at)?, first),
                    Op::CallLibrary { first, site } => go_on!(self.call_site(site, row.get(0), row.since_mut(first), at)?),
                    Op::Launch { first, site } => self.launch_site(site, row.since(first), row.get(0), at)?,
                    Op::Return { a } => {
                        let value = row.get(a);
                        row.set(0, value);
                        leave!(value);
                    }
                    Op::ReturnNothing => leave!(0),
                    Op::Allocate { to, bytes } => row.set(to, self.new_block(row.get(bytes), row.get(0), at)?),
                    Op::AllocateOrNull { to, bytes } => row.set(to, self.new_block_or_null(row.get(bytes), row.get(0), at)),
                    Op::Free { a } => self.delete_block(row.get(a), row.get(0), at)?,
                    Op::Mark { to } => row.set(to, self.objects.pending.len() as u64),
                    Op::EndTo { mark } => go_on!(self.end_to(row.get(mark))),
                    Op::ObjectBegins { pointer, site } => self.object_begins(row.get(pointer), site),
                    Op::HandlersBegin { to, site } => self.handlers_begin(to, site, at),
                    Op::Throw { a, site } => go_on!(self.throw_at(row.get(a), site, row.get(0), at)?),
                    Op::ThrowAgain => go_on!(self.throw_again_at(row.get(0), at)?),
                    Op::Refuse { site } => return Err(self.refused(&image.sites.refused[site as usize], at)),
                }
            }
        }
    };
}

impl Machine<'_> {
    all_rows! { dispatch }

    /// Calls a function of the program, as a function of a library does; what it returns as a slot holds it.
    ///
    /// # Errors
    /// Why the program cannot go on; that is to be handed on.
    pub fn call(&mut self, address: u64, arguments: &[u64]) -> Result<u64, Stop> {
        let now = self.now;
        let at = Frame {
            pc: now.pc,
            base: 0,
            function: now.function,
        };
        let function = self.function_behind(address, at)?;
        if now.depth >= MOST_DEPTH {
            return Err(self.stack_overflow(at));
        }
        self.now.depth += 1;
        let result = self.execute(function, arguments);
        // Put back even after a fault: what called may report where it stood.
        self.now = now;
        result
    }

    fn execute(&mut self, entry: usize, arguments: &[u64]) -> Result<u64, Stop> {
        let floor = self.frames.len();
        let mut budget = LOOKS_EVERY;
        // Used again: a comparison that `qsort` calls would allocate at each call.
        let mut slots = self.rows.pop().unwrap_or_else(|| vec![0; 2 * SLOTS]);
        let result = self.operations(entry, arguments, &mut slots, &mut budget);
        self.rows.push(slots);
        // After a fault the frames of the callee are still there.
        self.frames.truncate(floor);
        self.look(budget)?;
        result
    }

    /// Enters a function whose slots begin `first` behind the caller's: its stack, its constants; what it cannot have is
    /// a fault.
    #[inline(always)]
    fn enter<'s>(
        &mut self,
        at: &mut Frame,
        slots: &'s mut Vec<u64>,
        callee: usize,
        first: usize,
    ) -> Result<Registers<'s>, Stop> {
        let Some(routine) = self.routine(callee) else {
            return Err(self.no_function(function_address(callee), *at));
        };
        let stack = slots[at.base];
        let frame = stack.wrapping_sub(u64::from(routine.frame_bytes));
        // Above the old top it has wrapped: a frame larger than all of the address space below.
        if frame < STACK + GUARD_BYTES || frame > stack {
            return Err(self.stack_overflow(*at));
        }
        self.frames.push(*at);
        *at = Frame {
            pc: routine.start as usize,
            base: at.base + first,
            function: callee,
        };
        let mut row = Registers::new(slots, at.base);
        row.set(0, frame);
        // Constants have slots of their own, so that operations need only one kind of operand.
        let constants = 1 + routine.parameter_count as Slot;
        row.since_mut(constants)[..routine.constants.len()].copy_from_slice(&routine.constants);
        Ok(row)
    }

    /// Calls a destructor with an object; when it returns, the operation that ends objects runs again.
    fn enter_destructor(
        &mut self,
        mut at: Frame,
        slots: &mut Vec<u64>,
        ending: Ending,
    ) -> Result<Frame, Stop> {
        let own = self.routine(at.function).map_or(0, |routine| routine.slots) as usize;
        Registers::new(slots, at.base + own).set(1, ending.object);
        at.pc -= 1;
        self.enter(&mut at, slots, ending.destructor, own)?;
        Ok(at)
    }

    /// The number of the function that an address is that of.
    fn function_behind(&self, address: u64, at: Frame) -> Result<usize, Stop> {
        let known = function_at(address).filter(|&id| self.routine(id).is_some());
        known.ok_or_else(|| self.no_function(address, at))
    }

    /// Counts a jump or a call, and looks now and then whether somebody still waits.
    #[inline(always)]
    fn count(&mut self, budget: &mut u32) -> Result<(), Stop> {
        *budget -= 1;
        if *budget == 0 {
            *budget = LOOKS_EVERY;
            self.look(0)?;
        }
        Ok(())
    }

    /// Whether somebody still waits, with `left` of the budget; tells how far it is.
    #[cold]
    fn look(&mut self, left: u32) -> Result<(), Stop> {
        use std::sync::atomic::Ordering::Relaxed;
        let operations = u64::from(LOOKS_EVERY - left);
        self.limits.operations += operations;
        // A nanosecond per operation: programs that time themselves find time passing.
        self.clock.advance_ns(operations);
        self.limits.progress.store(self.limits.operations, Relaxed);
        match self.limits.cancel.load(Relaxed) {
            true => Err(Stop::Cancelled),
            false => Ok(()),
        }
    }

    /// A quotient or remainder, or the fault of having none.
    #[inline(always)]
    fn whole<W: Word>(&self, value: Option<W>, divisor: u64, at: Frame) -> Result<u64, Stop> {
        match value {
            Some(value) => Ok(value.bits()),
            None => Err(self.division_fault(divisor, at)),
        }
    }

    /// What lies at an address, as a slot holds it.
    #[inline(always)]
    fn load<W: Word>(&mut self, address: u64, at: Frame) -> Result<u64, Stop> {
        match W::load(&self.memory, address) {
            Some(value) => Ok(value.bits()),
            None => self.load_far::<W>(address, at),
        }
    }

    /// Puts a value to an address.
    #[inline(always)]
    fn store<W: Word>(&mut self, address: u64, value: W, at: Frame) -> Result<(), Stop> {
        match value.store(&mut self.memory, address) {
            Some(()) => Ok(()),
            None => self.store_far(address, value, at),
        }
    }
}
