//! The machine: what it has, and what functions of libraries ask of it.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::cuda::Type;
use crate::host::code::{Image, Routine};
use crate::host::device::{Device, KernelLaunch};
use crate::host::memory::{Memory, STACK, STACK_BYTES};
use crate::source::{Diagnostic, Span};

use super::clock::Clock;
use super::hot_loops::Loops;
use super::objects::{Pending, Unwinding};
use super::outside::Io;
use super::stop::Stop;

/// Written output is given away when there is so much of it.
const OUTPUT_BYTES: usize = 1 << 14;

/// What stands in the way of a name of a part of the library.
const WARNINGS: &str = "warnings";

/// A function of the C library.
pub type Native = fn(&mut Machine<'_>, &Call<'_>) -> Result<u64, Stop>;

/// The functions of a part of the C library, by their names.
pub type Table = &'static [(&'static str, Native)];

/// Functions beside those of the C library, with what they keep between calls: CUDA's runtime.
pub trait Library {
    /// A function that needs nothing of what is kept between calls: functions of the host that others call may use it.
    fn native(&self, _name: &str) -> Option<Native> {
        None
    }

    /// The number of a function.
    fn find(&self, name: &str) -> Option<u32>;

    /// Calls a function; what it returns as a slot holds it.
    ///
    /// # Errors
    /// Why the program cannot go on.
    fn call(
        &mut self,
        function: u32,
        machine: &mut Machine<'_>,
        call: &Call<'_>,
    ) -> Result<u64, Stop>;

    /// Launches a kernel to a stream.
    ///
    /// # Errors
    /// Why the program cannot go on; what CUDA reports is no reason.
    fn launch(
        &mut self,
        machine: &mut Machine<'_>,
        launch: KernelLaunch,
        stream: u64,
    ) -> Result<(), Stop>;

    /// The program has ended by itself.
    ///
    /// # Errors
    /// Why that is no good end.
    fn end(&mut self, machine: &mut Machine<'_>) -> Result<(), Stop>;

    /// What is known of an address of the GPU that the host must not use.
    fn describe(&self, address: u64) -> Option<String>;
}

/// No functions beside the C library's.
pub struct NoLibrary;

impl Library for NoLibrary {
    fn find(&self, _name: &str) -> Option<u32> {
        None
    }

    fn call(
        &mut self,
        _function: u32,
        _machine: &mut Machine<'_>,
        _call: &Call<'_>,
    ) -> Result<u64, Stop> {
        Ok(0)
    }

    fn launch(
        &mut self,
        machine: &mut Machine<'_>,
        launch: KernelLaunch,
        _stream: u64,
    ) -> Result<(), Stop> {
        machine.memory.device.launch(&launch);
        Ok(())
    }

    fn end(&mut self, _machine: &mut Machine<'_>) -> Result<(), Stop> {
        Ok(())
    }

    fn describe(&self, _address: u64) -> Option<String> {
        None
    }
}

/// What a machine is given.
pub struct Setup<'a> {
    /// Input and output.
    pub io: Box<dyn Io + 'a>,
    /// The GPU.
    pub device: Box<dyn Device + 'a>,
    /// Functions beside those of the C library.
    pub library: Box<dyn Library + 'a>,
    /// Set by whoever waits no more.
    pub cancel: &'a AtomicBool,
    /// How many jumps and calls were made, told now and then.
    pub progress: &'a AtomicU64,
    /// Whether it is told where the heap is used outside of its blocks.
    pub check: bool,
}

/// Who answers for a library's function.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// The C library.
    Native(Native),
    /// The library that the machine was given, by its number.
    Other(u32),
}

/// A program that is ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its bytecode.
    pub image: Image,
    /// The functions of `Sites::names`.
    pub functions: Vec<Function>,
}

/// A call of a library's function.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The arguments as slots hold them: integers extended, `float` in the low 32 bits, of a struct its address.
    pub bits: &'c [u64],
    /// Their types.
    pub types: &'c [Type],
    /// What it returns.
    pub result: &'c Type,
    /// Where a struct is put that it returns; that is then the function's value.
    pub into: u64,
}

impl Call<'_> {
    /// An argument as it is; 0 if it is missing.
    pub fn u64(&self, at: usize) -> u64 {
        self.bits.get(at).copied().unwrap_or(0)
    }

    /// An argument of type `int`.
    pub fn i32(&self, at: usize) -> i32 {
        self.u64(at) as i32
    }

    /// An argument of type `long`.
    pub fn i64(&self, at: usize) -> i64 {
        self.u64(at) as i64
    }

    /// An argument of type `float`.
    pub fn f32(&self, at: usize) -> f32 {
        f32::from_bits(self.u64(at) as u32)
    }

    /// An argument of type `double`.
    pub fn f64(&self, at: usize) -> f64 {
        f64::from_bits(self.u64(at))
    }
}

/// A function that runs: where its caller goes on.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The caller's next operation.
    pub pc: usize,
    /// Where the caller's slots begin.
    pub base: usize,
    /// The caller.
    pub function: usize,
}

/// A machine that runs a program once.
pub struct Machine<'a> {
    /// The program.
    pub(super) program: &'a Program,
    /// All memory, with the GPU.
    pub memory: Memory<'a>,
    /// The clock.
    pub clock: Clock,
    pub(super) console: Console<'a>,
    /// Functions beside those of the C library; away while one of them runs.
    pub(super) library: Option<Box<dyn Library + 'a>>,
    /// What the parts of the C library keep between calls, by their names.
    library_state: Vec<(&'static str, Box<dyn Any>)>,
    pub(super) now: Now,
    pub(super) limits: Limits<'a>,
    /// Functions that run.
    pub(super) frames: Vec<Frame>,
    /// Rows of slots that no call uses.
    pub(super) rows: Vec<Vec<u64>>,
    pub(super) objects: Objects,
    pub(super) loops: Loops,
}

/// Input and output, with what was written and not given away yet, and what the program was called there.
pub(super) struct Console<'a> {
    io: Box<dyn Io + 'a>,
    written: Vec<u8>,
    pub(super) name: String,
}

/// Where the machine is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Now {
    /// The operation behind the one that runs, as far as the loop has told.
    pub pc: usize,
    /// The function.
    pub function: usize,
    /// The part of the stack below which all is free.
    pub stack: u64,
    /// How deep the loop is entered again by functions of libraries.
    pub depth: u32,
}

/// Who may end the run, and who watches it.
pub struct Limits<'a> {
    pub cancel: &'a AtomicBool,
    pub progress: &'a AtomicU64,
    /// Jumps and calls so far.
    pub operations: u64,
}

/// What waits for its end, and what was thrown.
#[derive(Default)]
pub struct Objects {
    pub pending: Vec<Pending>,
    pub at_exit: Vec<Pending>,
    pub unwinding: Vec<Unwinding>,
}

impl<'a> Machine<'a> {
    /// A machine for one run.
    pub fn new(program: &'a Program, setup: Setup<'a>) -> Self {
        let image = &program.image;
        let mut memory = Memory::new(image.data.clone(), image.symbols.clone(), setup.device);
        if setup.check {
            memory.check_heap();
        }
        Machine {
            program,
            memory,
            clock: Clock::default(),
            console: Console {
                io: setup.io,
                written: Vec::new(),
                name: "a.out".to_owned(),
            },
            library: Some(setup.library),
            library_state: Vec::new(),
            now: Now {
                // The last bytes of the stack belong to nobody.
                stack: STACK + STACK_BYTES - 256,
                ..Now::default()
            },
            limits: Limits {
                cancel: setup.cancel,
                progress: setup.progress,
                operations: 0,
            },
            frames: Vec::new(),
            rows: Vec::new(),
            objects: Objects::default(),
            loops: Loops::new(&image.ops),
        }
    }

    /// Prints to standard output.
    pub fn print(&mut self, bytes: &[u8]) {
        self.console.written.extend_from_slice(bytes);
        // A call of the system for each `printf` would take longer than the program.
        if self.console.written.len() >= OUTPUT_BYTES {
            self.flush();
        }
    }

    /// Gives away what was printed.
    pub fn flush(&mut self) {
        let Console { io, written, .. } = &mut self.console;
        if !written.is_empty() {
            io.output(written);
            written.clear();
        }
    }

    /// Prints to standard error, behind what was printed before.
    pub fn print_error(&mut self, bytes: &[u8]) {
        // The order on a terminal is that in which the program writes.
        self.flush();
        self.console.io.error(bytes);
    }

    /// Reads standard input; how many bytes, 0 at its end.
    pub fn input(&mut self, bytes: &mut [u8]) -> usize {
        self.flush();
        self.console.io.input(bytes)
    }

    /// What a file holds, if the program may read it.
    pub fn file(&mut self, path: &str) -> Option<Vec<u8>> {
        self.console.io.file(path)
    }

    /// What a part of a library keeps between calls.
    pub fn library_state<T: Any + Default>(&mut self, name: &'static str) -> &mut T {
        let states = &mut self.library_state;
        let known = states.iter().position(|(other, _)| *other == name);
        let at = known.unwrap_or_else(|| {
            states.push((name, Box::<T>::default()));
            states.len() - 1
        });
        // The one that was asked for last is found first: `rand` is asked for in every iteration of a loop.
        states.swap(0, at);
        let slot = &mut states[0].1;
        if !slot.is::<T>() {
            *slot = Box::<T>::default();
        }
        match slot.downcast_mut() {
            Some(library_state) => library_state,
            None => unreachable!("it was just put there"),
        }
    }

    /// Keeps what is to be said of the place where the program is, once; the program goes on.
    pub fn warn(&mut self, message: impl Into<String>, help: impl Into<String>) {
        self.report(Diagnostic::warning(self.location(), message).help(help));
    }

    /// Keeps what is to be said of a place, once.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let library_state = self.library_state::<Vec<Diagnostic>>(WARNINGS);
        let same = |other: &Diagnostic| {
            other.span() == diagnostic.span() && other.message == diagnostic.message
        };
        if !library_state.iter().any(same) {
            library_state.push(diagnostic);
        }
    }

    /// What was kept so.
    pub(super) fn warnings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(self.library_state(WARNINGS))
    }

    /// Room that stays for as long as the program runs, with `bytes` and a zero behind them.
    pub fn lasting_text(&mut self, bytes: &[u8]) -> u64 {
        self.memory.add_text(bytes)
    }

    /// A function of the program in bytecode, if host code can call it.
    pub(super) fn routine(&self, function: usize) -> Option<&'a Routine> {
        let program = self.program;
        program.image.functions.get(function)?.as_ref()
    }

    /// Where the program is: the innermost place that lies in no header of the C library or CUDA.
    pub fn location(&self) -> Span {
        self.location_at(self.now.pc, self.now.function)
    }

    pub(super) fn location_at(&self, pc: usize, function: usize) -> Span {
        let here = std::iter::once((pc, function));
        let callers = self
            .frames
            .iter()
            .rev()
            .map(|frame| (frame.pc, frame.function));
        let mut all = here.chain(callers);
        let own = all.find(|&(_, function)| {
            self.routine(function)
                .is_some_and(|routine| !routine.is_library)
        });
        let pc = own.map_or(pc, |(pc, _)| pc);
        let spans = &self.program.image.spans;
        spans.get(pc.wrapping_sub(1)).copied().unwrap_or_default()
    }

    /// An `exit` of the program.
    pub fn at_exit(&mut self, function: u64) {
        self.objects.at_exit.push(Pending::Function(function));
    }

    /// Nothing is done at the program's exit.
    pub fn forget_exit(&mut self) {
        self.objects.at_exit.clear();
    }

    /// Nanoseconds since 1970, with the operations since the clock was last set.
    pub fn now_ns(&mut self) -> u64 {
        self.now_elapsed_ns();
        self.clock.now_ns()
    }

    /// Nanoseconds since the run began; each question takes some of them.
    pub fn now_elapsed_ns(&mut self) -> u64 {
        // Else a loop that waits for time to pass would never end.
        self.clock.advance_ns(50);
        self.clock.elapsed_ns()
    }

    /// The name that the program was called by.
    pub fn program_name(&self) -> &str {
        &self.console.name
    }

    /// Ends with a message on standard error, as glibc does.
    pub fn abort<T>(&self, message: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Abort(message.into()))
    }
}
