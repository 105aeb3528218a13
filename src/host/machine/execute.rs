//! The loop over operations.
//!
//! The slots of the functions that run lie in one row, so that arguments stand where the callee's parameters are. Nothing
//! is allocated for a call unless the row grows.

use crate::host::code::*;
use crate::host::memory::{STACK, function_address, function_at};
use crate::ir::GLOBAL_STRIDE;

use super::objects::{Handlers, Pending, next_end};
use super::state::{Call, Frame, Function, Machine};
use super::stop::Stop;
use super::unwind::Step;

/// Jumps and calls between two looks at whether somebody still waits.
const LOOKS_EVERY: u32 = 1 << 16;

/// How often functions of libraries may call functions of the program within each other.
const MOST_DEPTH: u32 = 64;

/// Slots that a row begins with.
const FIRST_SLOTS: usize = 4096;

/// Enters a function: its stack, its constants; what it cannot have is a fault.
macro_rules! enter {
    ($self:ident, $slots:ident, $regs:ident, $base:ident, $pc:ident, $function:ident, $callee:expr, $first:expr) => {{
        let callee = $callee as usize;
        let Some(routine) = $self.routine(callee) else {
            return Err($self.no_function(function_address(callee), $pc, $function));
        };
        let stack = $regs[0];
        let frame = stack.wrapping_sub(u64::from(routine.frame_bytes));
        if frame < STACK + 4096 || frame > stack {
            return Err($self.stack_overflow($pc, $function));
        }
        $self.frames.push(Frame {
            pc: $pc,
            base: $base,
            function: $function,
        });
        $base += $first as usize;
        $function = callee;
        $pc = routine.start as usize;
        let end = $base + routine.slots as usize;
        if $slots.len() < end {
            $slots.resize(end + FIRST_SLOTS, 0);
        }
        $regs = &mut $slots[$base..];
        $regs[0] = frame;
        let constants = 1 + routine.parameter_count as usize;
        $regs[constants..constants + routine.constants.len()].copy_from_slice(&routine.constants);
    }};
}

impl Machine<'_> {
    /// Calls a function of the program, as a function of a library does; what it returns as a slot holds it.
    ///
    /// # Errors
    /// Why the program cannot go on; that is to be handed on.
    pub fn call(&mut self, address: u64, arguments: &[u64]) -> Result<u64, Stop> {
        let now = self.now;
        let known = function_at(address).filter(|&id| self.routine(id).is_some());
        let Some(function) = known else {
            return Err(self.no_function(address, now.pc, now.function));
        };
        if now.depth >= MOST_DEPTH {
            return Err(self.stack_overflow(now.pc, now.function));
        }
        self.now.depth += 1;
        let result = self.execute(function, arguments);
        self.now = now;
        result
    }

    /// Calls a function of a library.
    fn call_library(&mut self, site: &CallSite, bits: &[u64], into: u64) -> Result<u64, Stop> {
        let call = Call {
            bits,
            types: &site.types,
            result: &site.result,
            into,
        };
        match self.program.functions[site.name as usize] {
            Function::Native(native) => native(self, &call),
            Function::Other(number) => {
                let Some(mut library) = self.library.take() else {
                    return self.abort("a function that CUDA calls must not call CUDA");
                };
                let result = library.call(number, self, &call);
                self.library = Some(library);
                result
            }
        }
    }

    /// What lies at an address that is no memory of the host alone.
    #[cold]
    fn load_far<const N: usize>(
        &mut self,
        address: u64,
        pc: usize,
        function: usize,
    ) -> Result<[u8; N], Stop> {
        if address >= GLOBAL_STRIDE
            && let Ok(bytes) = self.memory.read(address, N as u64)
            && let Ok(bytes) = bytes.try_into()
        {
            return Ok(bytes);
        }
        Err(self.segmentation_fault(address, pc, function))
    }

    /// The same for a store.
    #[cold]
    fn store_far(
        &mut self,
        address: u64,
        bytes: &[u8],
        pc: usize,
        function: usize,
    ) -> Result<(), Stop> {
        if address >= GLOBAL_STRIDE && self.memory.write(address, bytes).is_ok() {
            return Ok(());
        }
        Err(self.segmentation_fault(address, pc, function))
    }

    /// Whether somebody still waits; tells how far it is.
    #[cold]
    fn look(&mut self, budget: u32) -> Result<u32, Stop> {
        use std::sync::atomic::Ordering::Relaxed;
        let operations = u64::from(LOOKS_EVERY - budget);
        self.limits.operations += operations;
        self.clock.advance_ns(operations);
        self.limits.progress.store(self.limits.operations, Relaxed);
        match self.limits.cancel.load(Relaxed) {
            true => Err(Stop::Cancelled),
            false => Ok(LOOKS_EVERY),
        }
    }

    fn execute(&mut self, entry: usize, arguments: &[u64]) -> Result<u64, Stop> {
        let floor = self.frames.len();
        let mut budget = LOOKS_EVERY;
        let mut slots = self.rows.pop().unwrap_or_else(|| vec![0; FIRST_SLOTS]);
        let result = self.operations(entry, arguments, &mut slots, &mut budget);
        self.rows.push(slots);
        self.frames.truncate(floor);
        let left = std::mem::replace(&mut budget, LOOKS_EVERY);
        self.look(left)?;
        result
    }

    fn operations(
        &mut self,
        entry: usize,
        arguments: &[u64],
        slots: &mut Vec<u64>,
        budget: &mut u32,
    ) -> Result<u64, Stop> {
        let program = self.program;
        let image = &program.image;
        let ops = &image.ops[..];
        let floor = self.frames.len();
        slots[0] = self.now.stack;
        slots[2..2 + arguments.len()].copy_from_slice(arguments);
        let (mut pc, mut base, mut function) = (self.now.pc, 0, self.now.function);
        let mut regs = &mut slots[..];
        // The first function's slots begin behind one that holds the stack.
        enter!(self, slots, regs, base, pc, function, entry, 1);

        macro_rules! get {
            ($slot:expr) => {
                regs[$slot as usize]
            };
        }
        macro_rules! jump {
            ($target:expr) => {{
                pc = $target as usize;
                *budget -= 1;
                if *budget == 0 {
                    *budget = self.look(0)?;
                }
            }};
        }
        macro_rules! load {
            ($to:ident, $address:expr, $ty:ty, $bytes:literal) => {{
                let address: u64 = $address;
                let bytes = match self.memory.load::<$bytes>(address) {
                    Some(bytes) => bytes,
                    None => self.load_far::<$bytes>(address, pc, function)?,
                };
                get!($to) = <$ty>::from_le_bytes(bytes) as i64 as u64;
            }};
        }
        macro_rules! store {
            ($from:ident, $address:expr, $ty:ty) => {{
                let address: u64 = $address;
                let bytes = (get!($from) as $ty).to_le_bytes();
                if self.memory.store(address, bytes).is_none() {
                    self.store_far(address, &bytes, pc, function)?;
                }
            }};
        }
        macro_rules! at {
            ($base:expr, $offset:expr) => {
                get!($base).wrapping_add($offset as i64 as u64)
            };
        }
        macro_rules! divide {
            ($to:ident, $a:ident, $b:ident, $ty:ty, $divide:ident) => {{
                let (a, b) = (get!($a), get!($b));
                match (a as $ty).$divide(b as $ty) {
                    Some(value) => get!($to) = value as i64 as u64,
                    None => return Err(self.division_fault(b, pc, function)),
                }
            }};
        }
        macro_rules! enter_at {
            ($callee:expr, $first:expr) => {{
                enter!(self, slots, regs, base, pc, function, $callee, $first);
                *budget -= 1;
                if *budget == 0 {
                    *budget = self.look(0)?;
                }
            }};
        }
        macro_rules! tell {
            () => {
                self.now.pc = pc;
                self.now.function = function;
                self.now.stack = regs[0];
            };
        }
        // Calls a destructor; when it returns, the same operation runs again.
        macro_rules! end_object {
            ($destructor:expr, $object:expr) => {{
                let first = self.routine(function).map_or(0, |routine| routine.slots);
                let slot = base + first as usize + 1;
                if slots.len() <= slot {
                    slots.resize(slot + FIRST_SLOTS, 0);
                }
                slots[slot] = $object;
                regs = &mut slots[base..];
                pc -= 1;
                enter_at!($destructor, first);
            }};
        }
        // One step of an exception on its way.
        macro_rules! unwind {
            () => {
                match self.unwind() {
                    Some(Step::End(destructor, object)) => end_object!(destructor, object),
                    Some(Step::Land(handlers, target, address)) => {
                        if handlers.depth <= floor {
                            self.let_pass(floor, (handlers, target, address));
                            return Err(Stop::Unwind);
                        }
                        self.frames.truncate(handlers.depth);
                        base = handlers.base;
                        function = handlers.function;
                        pc = target as usize;
                        regs = &mut slots[base..];
                        get!(handlers.to) = address;
                    }
                    None => return Err(Stop::Unwind),
                }
            };
        }
        macro_rules! dispatch {
            ([$($unary:ident |$ua:ident| $unary_value:expr;)*]
             $($binary:ident |$a:ident, $b:ident| $binary_value:expr;)*) => {
                loop {
                    let op = ops[pc];
                    pc += 1;
                    match op {
                        $(Op::$binary { to, a, b } => {
                            let ($a, $b) = (get!(a), get!(b));
                            get!(to) = $binary_value;
                        })*
                        $(Op::$unary { to, a } => {
                            let $ua = get!(a);
                            get!(to) = $unary_value;
                        })*
                        Op::Move { to, a } => get!(to) = get!(a),
                        Op::DivI32 { to, a, b } => divide!(to, a, b, i32, checked_div),
                        Op::DivI64 { to, a, b } => divide!(to, a, b, i64, checked_div),
                        Op::DivU { to, a, b } => divide!(to, a, b, u64, checked_div),
                        Op::RemI32 { to, a, b } => divide!(to, a, b, i32, checked_rem),
                        Op::RemI64 { to, a, b } => divide!(to, a, b, i64, checked_rem),
                        Op::RemU { to, a, b } => divide!(to, a, b, u64, checked_rem),
                        Op::Convert { to, a, from, into } => {
                            get!(to) = super::numbers::convert(from, into, get!(a));
                        }
                        Op::Math { to, first, site } => {
                            let (which, scalar) = image.sites.math[site as usize];
                            let operands = &regs[first as usize..];
                            get!(to) = super::numbers::compute(which, scalar, operands);
                        }
                        Op::Offset { to, base, offset } => get!(to) = at!(base, offset),
                        Op::Element { to, base, index, size } => {
                            let bytes = get!(index).wrapping_mul(u64::from(size));
                            get!(to) = get!(base).wrapping_add(bytes);
                        }
                        Op::LoadI8 { to, base, offset } => load!(to, at!(base, offset), i8, 1),
                        Op::LoadU8 { to, base, offset } => load!(to, at!(base, offset), u8, 1),
                        Op::LoadI16 { to, base, offset } => load!(to, at!(base, offset), i16, 2),
                        Op::LoadU16 { to, base, offset } => load!(to, at!(base, offset), u16, 2),
                        Op::LoadI32 { to, base, offset } => load!(to, at!(base, offset), i32, 4),
                        Op::LoadU32 { to, base, offset } => load!(to, at!(base, offset), u32, 4),
                        Op::Load64 { to, base, offset } => load!(to, at!(base, offset), u64, 8),
                        Op::LoadIndexI32 { to, base, index } => {
                            load!(to, get!(base).wrapping_add(get!(index) << 2), i32, 4);
                        }
                        Op::LoadIndexU32 { to, base, index } => {
                            load!(to, get!(base).wrapping_add(get!(index) << 2), u32, 4);
                        }
                        Op::LoadIndex64 { to, base, index } => {
                            load!(to, get!(base).wrapping_add(get!(index) << 3), u64, 8);
                        }
                        Op::Store8 { from, base, offset } => store!(from, at!(base, offset), u8),
                        Op::Store16 { from, base, offset } => store!(from, at!(base, offset), u16),
                        Op::Store32 { from, base, offset } => store!(from, at!(base, offset), u32),
                        Op::Store64 { from, base, offset } => store!(from, at!(base, offset), u64),
                        Op::StoreIndex32 { from, base, index } => {
                            store!(from, get!(base).wrapping_add(get!(index) << 2), u32);
                        }
                        Op::StoreIndex64 { from, base, index } => {
                            store!(from, get!(base).wrapping_add(get!(index) << 3), u64);
                        }
                        Op::Copy { to, from, bytes } => {
                            let copied = self.memory.copy(get!(to), get!(from), u64::from(bytes));
                            copied.map_err(|place| self.segmentation_fault(place.0, pc, function))?;
                        }
                        Op::Zero { to, bytes } => {
                            let filled = self.memory.fill(get!(to), 0, u64::from(bytes));
                            filled.map_err(|place| self.segmentation_fault(place.0, pc, function))?;
                        }
                        Op::Jump { target } => jump!(target),
                        Op::JumpIf { a, target } => {
                            if get!(a) != 0 {
                                jump!(target);
                            }
                        }
                        Op::JumpUnless { a, target } => {
                            if get!(a) == 0 {
                                jump!(target);
                            }
                        }
                        Op::JumpEq { a, b, target } => {
                            if get!(a) == get!(b) {
                                jump!(target);
                            }
                        }
                        Op::JumpNe { a, b, target } => {
                            if get!(a) != get!(b) {
                                jump!(target);
                            }
                        }
                        Op::JumpLtI { a, b, target } => {
                            if (get!(a) as i64) < (get!(b) as i64) {
                                jump!(target);
                            }
                        }
                        Op::JumpLeI { a, b, target } => {
                            if (get!(a) as i64) <= (get!(b) as i64) {
                                jump!(target);
                            }
                        }
                        Op::JumpLtU { a, b, target } => {
                            if get!(a) < get!(b) {
                                jump!(target);
                            }
                        }
                        Op::JumpLeU { a, b, target } => {
                            if get!(a) <= get!(b) {
                                jump!(target);
                            }
                        }
                        Op::Call { first, function: callee } => enter_at!(callee, first),
                        Op::CallPointer { first, pointer } => {
                            let address = get!(pointer);
                            match function_at(address) {
                                Some(callee) if self.routine(callee).is_some() => {
                                    enter_at!(callee, first);
                                }
                                _ => return Err(self.no_function(address, pc, function)),
                            }
                        }
                        Op::CallLibrary { first, site } => {
                            if self.is_unwinding() {
                                unwind!();
                                continue;
                            }
                            tell!();
                            let site = &image.sites.calls[site as usize];
                            let at = first as usize;
                            let bits = &regs[at + 1..at + 1 + site.types.len()];
                            match self.call_library(site, bits, regs[at]) {
                                Ok(value) => get!(first) = value,
                                // It is on its way: the operation runs again, and finds that so.
                                Err(Stop::Unwind) => pc -= 1,
                                Err(stop) => return Err(self.placed(stop, pc, function)),
                            }
                        }
                        Op::Launch { first, site } => {
                            tell!();
                            let site = &image.sites.launches[site as usize];
                            let at = first as usize;
                            let slots = &regs[at..at + 4 + site.types.len()];
                            let launched = self.launch(site, slots);
                            launched.map_err(|stop| self.placed(stop, pc, function))?;
                        }
                        Op::Return { a } => {
                            let value = get!(a);
                            get!(0) = value;
                            match self.frames.pop() {
                                Some(frame) if self.frames.len() > floor => {
                                    (pc, base, function) = (frame.pc, frame.base, frame.function);
                                    regs = &mut slots[base..];
                                }
                                _ => return Ok(value),
                            }
                        }
                        Op::ReturnNothing => match self.frames.pop() {
                            Some(frame) if self.frames.len() > floor => {
                                (pc, base, function) = (frame.pc, frame.base, frame.function);
                                regs = &mut slots[base..];
                            }
                            _ => return Ok(0),
                        },
                        Op::Allocate { to, bytes } => {
                            tell!();
                            match self.memory.allocate(get!(bytes)) {
                                Some(address) => get!(to) = address,
                                None => {
                                    let message = "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc";
                                    let stop = Stop::Abort(message.to_owned());
                                    return Err(self.placed(stop, pc, function));
                                }
                            }
                        }
                        Op::Free { a } => {
                            tell!();
                            let address = get!(a);
                            if address != 0 && let Err(error) = self.memory.free(address) {
                                let stop = Stop::Abort(error.message(address).to_owned());
                                return Err(self.placed(stop, pc, function));
                            }
                        }
                        Op::Mark { to } => get!(to) = self.objects.pending.len() as u64,
                        Op::EndTo { mark } => {
                            if self.objects.pending.len() as u64 > get!(mark) {
                                let height = get!(mark) as usize;
                                let next = next_end(&mut self.objects.pending, height);
                                if let Some((destructor, object)) = next {
                                    end_object!(destructor, object);
                                }
                            }
                        }
                        Op::ObjectBegins { pointer, site } => {
                            let site = &image.sites.objects[site as usize];
                            let object = Pending::object(site, get!(pointer));
                            match site.until_exit {
                                true => self.objects.at_exit.push(object),
                                false => self.objects.pending.push(object),
                            }
                        }
                        Op::HandlersBegin { to, site } => {
                            let depth = self.frames.len();
                            let handlers = Handlers { site, to, depth, base, function };
                            self.objects.pending.push(Pending::Handlers(handlers));
                        }
                        Op::Throw { a, site } => {
                            if !self.is_unwinding() {
                                tell!();
                                let thrown = self.throw(get!(a), site);
                                thrown.map_err(|stop| self.placed(stop, pc, function))?;
                            }
                            unwind!();
                        }
                        Op::ThrowAgain => {
                            if !self.is_unwinding() {
                                tell!();
                                let thrown = self.throw_again();
                                thrown.map_err(|stop| self.placed(stop, pc, function))?;
                            }
                            unwind!();
                        }
                        Op::Refuse { site } => {
                            let message = &image.sites.refused[site as usize];
                            return Err(self.refused(message, pc, function));
                        }
                    }
                }
            };
        }
        macro_rules! with_unary {
            ($($binary:tt)*) => { unary_rows! { with_both [$($binary)*] } };
        }
        macro_rules! with_both {
            ([$($binary:tt)*] $($unary:tt)*) => { dispatch! { [$($unary)*] $($binary)* } };
        }
        binary_rows! { with_unary }
    }
}
