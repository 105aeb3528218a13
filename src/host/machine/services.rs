//! What operations do beyond slots and the host's own memory: libraries, launches, the heap, objects, exceptions.

use crate::host::code::{CallSite, Slot};

use super::objects::{Ending, Handlers, Landing, Pending, next_end};
use super::registers::{Registers, Word};
use super::state::{Call, Frame, Function, Machine};
use super::stop::Stop;
use super::unwind::Step;

/// What glibc's `operator new` ends with where there is no memory.
const NO_MEMORY: &str =
    "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc";

/// Where the loop goes on.
pub enum Next {
    /// With the next operation.
    On,
    /// With the same one.
    Again,
    /// With a destructor and its object, then with the same operation.
    End(Ending),
    /// With a handler.
    Land(Landing),
}

impl Machine<'_> {
    /// Keeps where the loop is for whoever asks while it is away, and what of the stack is free.
    fn tell(&mut self, at: Frame, stack: u64) {
        (self.now.pc, self.now.function, self.now.stack) = (at.pc, at.function, stack);
    }

    /// Calls a function of a library: its slots hold what comes back, then the arguments.
    pub(super) fn call_site(
        &mut self,
        site: u32,
        stack: u64,
        slots: &mut [u64],
        at: Frame,
    ) -> Result<Next, Stop> {
        // A function of the program that the library called has thrown, and the call runs again.
        if self.is_unwinding() {
            return self.unwound();
        }
        self.tell(at, stack);
        let site = &self.program.image.sites.calls[site as usize];
        let result = self.call_library(site, &slots[1..=site.types.len()], slots[0]);
        if self.memory.is_checked() {
            self.check_call(site, at);
        }
        match result {
            Ok(value) => {
                slots[0] = value;
                Ok(Next::On)
            }
            Err(Stop::Unwind) => Ok(Next::Again),
            Err(stop) => Err(self.placed(stop, at)),
        }
    }

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
                // CUDA forbids its own functions in callbacks (`cudaLaunchHostFunc`).
                let Some(mut library) = self.library.take() else {
                    return self.abort("a function that CUDA calls must not call CUDA");
                };
                let result = library.call(number, self, &call);
                self.library = Some(library);
                result
            }
        }
    }

    /// What a function of a library has done to a heap that is checked.
    #[cold]
    fn check_call(&mut self, site: &CallSite, at: Frame) {
        self.note_block();
        match self.program.functions[site.name as usize] {
            Function::Native(_) => self.check_access(at),
            // CUDA's copies are checked where they are asked for.
            Function::Other(_) => self.memory.take_outside().map_or((), |_| ()),
        }
    }

    /// Launches a kernel: its slots hold grid, block, shared memory, stream and the arguments.
    pub(super) fn launch_site(
        &mut self,
        site: u32,
        slots: &[u64],
        stack: u64,
        at: Frame,
    ) -> Result<(), Stop> {
        self.tell(at, stack);
        let site = &self.program.image.sites.launches[site as usize];
        let launched = self.launch(site, &slots[..4 + site.types.len()]);
        launched.map_err(|stop| self.placed(stop, at))
    }

    /// A word of the GPU's memory that the host may reach, or of a heap that is checked.
    #[cold]
    pub(super) fn load_far<W: Word>(&mut self, address: u64, at: Frame) -> Result<u64, Stop> {
        let found = W::load_far(&self.memory, address);
        self.check_access(at);
        let value = found.map(Word::bits);
        value.ok_or_else(|| self.segmentation_fault(address, at))
    }

    /// The same for a store.
    #[cold]
    pub(super) fn store_far<W: Word>(
        &mut self,
        address: u64,
        value: W,
        at: Frame,
    ) -> Result<(), Stop> {
        let stored = value.store_far(&mut self.memory, address);
        self.check_access(at);
        stored.ok_or_else(|| self.segmentation_fault(address, at))
    }

    /// Copies an object.
    pub(super) fn copy(&mut self, to: u64, from: u64, bytes: u32, at: Frame) -> Result<(), Stop> {
        let copied = self.memory.copy(to, from, u64::from(bytes));
        self.check_access(at);
        copied.map_err(|place| self.segmentation_fault(place.0, at))
    }

    /// Sets the bytes of an object to zero.
    pub(super) fn zero(&mut self, to: u64, bytes: u32, at: Frame) -> Result<(), Stop> {
        let filled = self.memory.fill(to, 0, u64::from(bytes));
        self.check_access(at);
        filled.map_err(|place| self.segmentation_fault(place.0, at))
    }

    /// A block of the heap, for `new`.
    pub(super) fn new_block(&mut self, bytes: u64, stack: u64, at: Frame) -> Result<u64, Stop> {
        match self.new_block_or_null(bytes, stack, at) {
            0 => Err(self.placed(Stop::Abort(NO_MEMORY.to_owned()), at)),
            address => Ok(address),
        }
    }

    /// The same, or null where there is no memory.
    pub(super) fn new_block_or_null(&mut self, bytes: u64, stack: u64, at: Frame) -> u64 {
        self.tell(at, stack);
        let address = self.memory.allocate(bytes);
        if address.is_some() {
            self.note_block();
        }
        address.unwrap_or(0)
    }

    /// The end of a block, for `delete`.
    pub(super) fn delete_block(&mut self, address: u64, stack: u64, at: Frame) -> Result<(), Stop> {
        self.tell(at, stack);
        // [expr.delete]: deleting null does nothing.
        if address != 0
            && let Err(error) = self.memory.free(address)
        {
            let stop = Stop::Abort(error.message(address).to_owned());
            return Err(self.placed(stop, at));
        }
        Ok(())
    }

    /// Ends the last thing that began since a mark, if there is one.
    #[inline(always)]
    pub(super) fn end_to(&mut self, mark: u64) -> Next {
        // Most scopes have nothing that waits.
        if self.objects.pending.len() as u64 <= mark {
            return Next::On;
        }
        match next_end(&mut self.objects.pending, mark as usize) {
            Some(ending) => Next::End(ending),
            None => Next::On,
        }
    }

    /// An object begins.
    pub(super) fn object_begins(&mut self, pointer: u64, site: u32) {
        let site = &self.program.image.sites.objects[site as usize];
        let object = Pending::object(site, pointer);
        match site.until_exit {
            true => self.objects.at_exit.push(object),
            false => self.objects.pending.push(object),
        }
    }

    /// Handlers of `try` are there from now on.
    pub(super) fn handlers_begin(&mut self, to: Slot, site: u32, at: Frame) {
        let handlers = Handlers {
            site,
            to,
            depth: self.frames.len(),
            base: at.base,
            function: at.function,
        };
        self.objects.pending.push(Pending::Handlers(handlers));
    }

    /// Throws, or takes the next step of what this operation has thrown.
    pub(super) fn throw_at(
        &mut self,
        bits: u64,
        site: u32,
        stack: u64,
        at: Frame,
    ) -> Result<Next, Stop> {
        if !self.is_unwinding() {
            self.tell(at, stack);
            let thrown = self.throw(bits, site);
            thrown.map_err(|stop| self.placed(stop, at))?;
        }
        self.unwound()
    }

    /// The same for what is being handled.
    pub(super) fn throw_again_at(&mut self, stack: u64, at: Frame) -> Result<Next, Stop> {
        if !self.is_unwinding() {
            self.tell(at, stack);
            let thrown = self.throw_again();
            thrown.map_err(|stop| self.placed(stop, at))?;
        }
        self.unwound()
    }

    /// One step of an exception on its way.
    fn unwound(&mut self) -> Result<Next, Stop> {
        match self.unwind() {
            Some(Step::End(ending)) => Ok(Next::End(ending)),
            Some(Step::Land(landing)) => Ok(Next::Land(landing)),
            None => Err(Stop::Unwind),
        }
    }

    /// Goes on with a handler, or hands the exception to the caller of the library's function that is running: what
    /// `floor` functions below have, this loop cannot reach.
    pub(super) fn land(
        &mut self,
        slots: &mut Vec<u64>,
        landing: Landing,
        floor: usize,
    ) -> Result<Frame, Stop> {
        let handlers = landing.handlers;
        if handlers.depth <= floor {
            self.let_pass(floor, landing);
            return Err(Stop::Unwind);
        }
        self.frames.truncate(handlers.depth);
        Registers::new(slots, handlers.base).set(handlers.to, landing.address);
        Ok(Frame {
            pc: landing.target as usize,
            base: handlers.base,
            function: handlers.function,
        })
    }
}
