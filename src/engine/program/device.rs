//! The simulated GPU of a whole program.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;

use super::inputs::LaunchInputs;
use super::modelled_time::modelled_ns;
use super::pointees::pointees;
use super::repeated_launches::{LaunchKey, RepeatedLaunches};
use crate::compile::ProgramKernels;
use crate::cuda::{FileMemory, FileVariableId, FunctionId, Program};
use crate::device::{Gpu, gpu};
use crate::engine::build::{MOST_BUFFER_BYTES, Prepared, bits_of_bytes, values_of};
use crate::engine::options::{Control, Options, RunError};
use crate::engine::simulated::{CacheState, Caches, Simulated, launch_outcome};
use crate::host::{Device, DeviceFault, KernelFacts, KernelLaunch, LaunchEnd};
use crate::ir::{Kernel, ParameterType};
use crate::launch::{BufferFootprint, BufferValues, ElementType, Launch, LaunchOutcome, volume};
use crate::simt::{
    Checks, ChildLaunch, End, FAILED_ASSERT, GlobalMemory, ILLEGAL_ADDRESS, MISALIGNED_ADDRESS,
    Run, SHARED_ADDRESS,
};
use crate::source::{Diagnostic, Severity, SourceFile, Span};

/// What a thread is taken to have where a program asks: the simulator does not allocate registers as `nvcc` does.
const REGISTERS: u32 = 32;
/// Buffers that there are before places of those that were freed are used again: so long a stale pointer is told.
const MANY_BUFFERS: usize = 4096;

/// Room behind a buffer: a GPU hands memory out in pages of 2 MiB.
const ROOM_BYTES: u64 = 64 << 10;
/// What fills its last page has none behind it: an H200 faults there.
const PAGE_BYTES: u64 = 2 << 20;

/// The stream of launches by kernels that run when the grid and its other children have ended.
const TAIL_LAUNCH: u64 = 3;
/// How deep grids may launch grids (CUDA C++ Programming Guide, CUDA Dynamic Parallelism, limits).
const MOST_DEPTH: u32 = 24;

/// The simulated GPU of one run of a program.
pub struct SimulatedDevice<'a> {
    gpu: &'static Gpu,
    program: &'a Program,
    kernels: ProgramKernels,
    options: &'a Options,
    control: &'a Control<'a>,
    memory: GlobalMemory,
    /// By variable of the program: its buffer, if it lies in the GPU's memory.
    symbols: Vec<Option<usize>>,
    /// Buffers that were freed, the oldest first.
    freed: VecDeque<usize>,
    allocated_bytes: u64,
    caches: Option<Caches>,
    launches: Rc<RefCell<Vec<ProgramLaunch>>>,
    stored: KeptBuffers,
    /// Where a launch that finds the same does the same, in counts and all.
    repeated: Option<RepeatedLaunches>,
}

/// What of a launch's buffers is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeps {
    /// Nothing.
    #[default]
    Nothing,
    /// What it leaves in them.
    Results,
    /// What it finds in them, of the first launch of each kernel at each place of the text.
    Inputs,
}

/// What is kept of the launches so far.
#[derive(Clone, Copy, Debug, Default)]
struct KeptBuffers {
    what: Keeps,
    bytes: u64,
}

/// Most bytes that all launches together keep of their buffers.
const MOST_KEPT_BYTES: u64 = 1 << 28;

/// A launch of a program, and what it did.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramLaunch {
    /// Where the program makes it.
    pub span: Span,
    /// Counts, footprints and the like.
    pub outcome: LaunchOutcome,
    /// What is to be said of it.
    pub reports: Vec<Diagnostic>,
    /// How long it takes.
    pub duration: LaunchDuration,
    /// The buffers that it was given, as it left them; where that is asked for, and not too much.
    pub buffers: Vec<BufferValues>,
    /// What it was given, where that is asked for.
    pub inputs: Option<LaunchInputs>,
}

/// How long a launch takes, and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchDuration {
    /// A model, in nanoseconds.
    Modelled(u64),
    /// Two events on a real GPU, in nanoseconds.
    Measured(u64),
}

impl<'a> SimulatedDevice<'a> {
    /// A GPU for `program`, which was made of `file` and has no errors.
    ///
    /// # Errors
    /// That the options name no GPU.
    pub fn new(
        program: &'a Program,
        file: &SourceFile,
        options: &'a Options,
        control: &'a Control<'a>,
    ) -> Result<Self, RunError> {
        let gpu = gpu(&options.gpu)?;
        let kernels = ProgramKernels::new(program, file, options.fidelity);
        let mut memory = GlobalMemory::new(Vec::new());
        let mut symbols = vec![None; program.variables.len()];
        // Constant memory is one range of addresses.
        for wanted in [FileMemory::Constant, FileMemory::Device] {
            for (id, variable) in program.variables.iter().enumerate() {
                if variable.memory == wanted {
                    let values = values_of(&kernels.symbols()[id]);
                    symbols[id] = Some(match wanted {
                        FileMemory::Constant => memory.push_constant(values),
                        _ => memory.push(values),
                    });
                }
            }
        }
        Ok(SimulatedDevice {
            gpu,
            program,
            kernels,
            options,
            control,
            memory,
            symbols,
            freed: VecDeque::new(),
            allocated_bytes: 0,
            // Made once: L2 keeps what a launch left there for the next one.
            caches: options.model_caches.then(|| Caches::new(gpu)).flatten(),
            launches: Rc::default(),
            stored: KeptBuffers::default(),
            repeated: repeats_alike(options).then(RepeatedLaunches::default),
        })
    }

    /// The same, whose launches go there; with what is wanted of their buffers.
    pub fn keeping(mut self, launches: Rc<RefCell<Vec<ProgramLaunch>>>, what: Keeps) -> Self {
        self.launches = launches;
        self.stored = KeptBuffers { what, bytes: 0 };
        self
    }

    /// The bits of a kernel's arguments, in order of its parameters.
    fn bits(&self, kernel: &Kernel, arguments: &[u8]) -> Vec<u64> {
        let bits = |parameter: &crate::ir::Parameter| match parameter.parameter_type {
            ParameterType::Symbol(at) => {
                let buffer = self.symbols.get(at as usize).copied().flatten();
                buffer.map_or(0, GlobalMemory::address)
            }
            of => {
                let begin = (parameter.offset_bytes as usize).min(arguments.len());
                bits_of_bytes(of, &arguments[begin..])
            }
        };
        kernel.parameters.iter().map(bits).collect()
    }

    /// Calls the buffers that the arguments point to as the kernel does, and their elements by its types: `cudaMalloc`
    /// knows neither.
    fn describe_buffers(&mut self, launch: &KernelLaunch, kernel: &Kernel) -> Vec<usize> {
        let mut described = Vec::new();
        for pointee in pointees(&self.program.functions[launch.kernel]) {
            let begin = pointee.offset_bytes as usize;
            let Some(bytes) = launch.arguments.get(begin..begin + 8) else {
                continue;
            };
            let address = bits_of_bytes(ParameterType::Pointer, bytes);
            let parameters = kernel.written_parameters().iter();
            let mut named = parameters.filter(|p| p.offset_bytes == pointee.offset_bytes);
            let (Some(index), Some(parameter)) = (GlobalMemory::index_at(address), named.next())
            else {
                continue;
            };
            // Two parameters may point into one buffer: the first one names it.
            let is_symbol = self.symbols.contains(&Some(index));
            if !is_symbol && !described.contains(&index) {
                described.push(index);
                // What has no element type of its own (`void*`, structs) is shown byte by byte.
                let element = pointee.element.unwrap_or(ElementType::U8);
                self.memory.describe(index, &parameter.name, element);
            }
        }
        described
    }

    /// What buffers hold, unless that is too much with what is kept already.
    fn keep_buffers(&mut self, indices: &[usize]) -> Vec<BufferValues> {
        let sizes = indices
            .iter()
            .filter_map(|&index| self.memory.size_bytes(index));
        let bytes: u64 = sizes.sum();
        // All or nothing of a launch: half of its buffers would look like all of them.
        if self.stored.what != Keeps::Results || self.stored.bytes + bytes > MOST_KEPT_BYTES {
            return Vec::new();
        }
        self.stored.bytes += bytes;
        let buffers = indices
            .iter()
            .filter_map(|&index| self.memory.buffer(index));
        buffers.collect()
    }

    /// What a launch finds, unless one like it is known already.
    fn keep_inputs(
        &mut self,
        shape: &Launch,
        kernel: &Kernel,
        arguments: &[u64],
        span: Span,
    ) -> Option<LaunchInputs> {
        let launches = self.launches.borrow();
        let mut known = launches.iter();
        let is_known =
            known.any(|launch| launch.span == span && launch.outcome.kernel == kernel.name);
        if self.stored.what != Keeps::Inputs || is_known {
            return None;
        }
        let most_bytes = MOST_KEPT_BYTES - self.stored.bytes;
        let inputs = LaunchInputs::of(shape, kernel, arguments, &self.memory, most_bytes)?;
        let all = inputs.buffers.iter().chain(&inputs.symbols);
        self.stored.bytes += all.map(|buffer| buffer.size_bytes() as u64).sum::<u64>();
        Some(inputs)
    }

    /// Runs a kernel and counts what it does.
    fn simulate(&mut self, kernel: &Kernel, launch: &Launch, arguments: Vec<u64>) -> Run {
        let prepared = Prepared {
            launch,
            kernel,
            arguments,
        };
        let machine = Simulated {
            options: self.options,
            control: self.control,
            memory: &self.memory,
        };
        let index = self.launches.borrow().len();
        let Some(caches) = &mut self.caches else {
            return machine.launch(index, &prepared, None);
        };
        let (ran, state) = caches.launch(kernel, launch, self.control.cancel, |logs| {
            machine.launch(index, &prepared, Some(logs))
        });
        // What later launches would find there is not known either.
        if state == CacheState::Unknown {
            self.caches = None;
        }
        ran
    }

    /// The same, unless a launch like it has found the same: then what that one did is done again.
    fn simulate_or_repeat(
        &mut self,
        kernel: &Kernel,
        shape: &Launch,
        arguments: Vec<u64>,
        launch: &KernelLaunch,
    ) -> Run {
        let Some(mut repeated) = self.repeated.take() else {
            return self.simulate(kernel, shape, arguments);
        };
        let key = LaunchKey::of(launch);
        let found = repeated.look(&key, &self.memory);
        let again = found
            .as_ref()
            .and_then(|found| repeated.replay(&key, found, &self.memory));
        let ran = again.unwrap_or_else(|| {
            let begin = Instant::now();
            let ran = self.simulate(kernel, shape, arguments);
            repeated.learn(key, found, &ran, begin.elapsed(), &self.memory);
            ran
        });
        self.repeated = Some(repeated);
        ran
    }

    /// What a buffer holds changes.
    fn changes(&mut self, address: u64) {
        if let (Some(repeated), Some(index)) = (&mut self.repeated, GlobalMemory::index_at(address))
        {
            repeated.forget(index);
        }
    }

    /// Runs a grid to its end; what its threads have launched.
    fn grid(&mut self, launch: &KernelLaunch) -> (LaunchEnd, Vec<ChildLaunch>) {
        // Compiled at its first launch: programs bring many kernels that they never launch.
        let kernel = match self.kernels.kernel(launch.kernel) {
            Ok(kernel) => kernel,
            Err(diagnostic) => {
                return self.refuse(launch, *diagnostic, DeviceFault::NotCompiled);
            }
        };
        if let Some(error) = barrier_without_cooperation(&kernel, launch) {
            return self.refuse(launch, error, DeviceFault::Other);
        }
        let described = self.describe_buffers(launch, &kernel);
        let arguments = self.bits(&kernel, &launch.arguments);
        let shape = plan_launch(&kernel.name, launch);
        // Before it runs, which overwrites what it was given.
        let inputs = self.keep_inputs(&shape, &kernel, &arguments, launch.span);
        let mut ran = self.simulate_or_repeat(&kernel, &shape, arguments, launch);
        let modelled_ns = modelled_ns(self.gpu, &ran.counts, self.touched_bytes(&ran));
        let outcome = launch_outcome(&shape, &mut ran);
        let mut reports = ran.reports;
        let fault = fault(ran.end, &mut reports);
        let buffers = self.keep_buffers(&described);
        self.keep(ProgramLaunch {
            span: launch.span,
            outcome,
            reports,
            duration: LaunchDuration::Modelled(modelled_ns),
            buffers,
            inputs,
        });
        let printed = ran.printed;
        (
            LaunchEnd {
                fault,
                printed,
                takes_ns: modelled_ns,
            },
            ran.launches,
        )
    }

    /// Keeps what is known of a launch. What a library launches on its own is none of the program's.
    fn keep(&mut self, done: ProgramLaunch) {
        if !done.outcome.kernel.starts_with("__") {
            self.launches.borrow_mut().push(done);
        }
    }

    /// Runs a grid, then what its threads have launched, each with what it launches itself: in order of blocks and
    /// threads, which is one that CUDA allows, and at last what goes behind all of these.
    fn launch_with_children(&mut self, launch: &KernelLaunch, depth: u32) -> LaunchEnd {
        let (mut end, children) = self.grid(launch);
        let is_tail = |child: &ChildLaunch| child.stream == TAIL_LAUNCH;
        // Tail launches begin when the grid and its other children have ended (Programming Guide, CDP2).
        let (last, first): (Vec<_>, Vec<_>) = children.into_iter().partition(is_tail);
        for child in first.into_iter().chain(last) {
            if end.fault.is_some() {
                break;
            }
            if let Some(why) = refused_child(&child, depth, self.gpu) {
                // On a GPU the kernel would get an error code; few look at it, so it is told.
                if let Some(parent) = self.launches.borrow_mut().last_mut() {
                    let message = format!("this kernel is not launched: {why}");
                    parent
                        .reports
                        .push(Diagnostic::warning(child.span, message));
                }
                break;
            }
            let of_child = self.launch_with_children(
                &KernelLaunch {
                    kernel: self.program.launched[child.kernel],
                    grid: child.grid,
                    block: child.block,
                    shared_bytes: child.shared_bytes,
                    arguments: child.arguments,
                    span: child.span,
                    is_cooperative: false,
                },
                depth + 1,
            );
            end.printed.push_str(&of_child.printed);
            // One behind the other: how far children overlap on a GPU, the model does not know.
            end.takes_ns += of_child.takes_ns;
            end.fault = of_child.fault;
        }
        end
    }

    /// Different bytes of buffers that a launch has loaded or stored.
    fn touched_bytes(&self, ran: &Run) -> u64 {
        let of = |footprint: &BufferFootprint| {
            let element_bytes = self.memory.element_bytes(footprint.buffer);
            (footprint.loaded + footprint.stored) * element_bytes
        };
        ran.footprints.iter().map(of).sum()
    }

    /// Keeps what a launch that could not be made has to say.
    fn refuse(
        &mut self,
        launch: &KernelLaunch,
        diagnostic: Diagnostic,
        fault: DeviceFault,
    ) -> (LaunchEnd, Vec<ChildLaunch>) {
        let name = &self.program.functions[launch.kernel].name;
        self.launches.borrow_mut().push(ProgramLaunch {
            span: launch.span,
            outcome: LaunchOutcome::blank(&plan_launch(name, launch)),
            reports: vec![diagnostic],
            duration: LaunchDuration::Modelled(0),
            buffers: Vec::new(),
            inputs: None,
        });
        let end = LaunchEnd {
            fault: Some(fault),
            ..LaunchEnd::default()
        };
        (end, Vec::new())
    }
}

impl Device for SimulatedDevice<'_> {
    fn gpu(&self) -> &'static Gpu {
        self.gpu
    }

    fn allocate(&mut self, name: &str, size_bytes: u64) -> Option<u64> {
        let total = self.allocated_bytes.checked_add(size_bytes)?;
        if total > MOST_BUFFER_BYTES {
            return None;
        }
        self.allocated_bytes = total;
        // As on a GPU, whose allocations are larger than what is asked for; who checks, checks the end as well.
        let room_bytes = match self.options.checks == Checks::NONE {
            true => {
                let rest = size_bytes.next_multiple_of(PAGE_BYTES) - size_bytes;
                ROOM_BYTES.min(rest)
            }
            false => 0,
        };
        let reused = match self.freed.len() >= MANY_BUFFERS {
            true => self.freed.pop_front(),
            false => None,
        };
        let index = self.memory.allocate(reused, name, size_bytes + room_bytes);
        self.memory.end_at(index, size_bytes);
        let address = GlobalMemory::address(index);
        self.changes(address);
        Some(address)
    }

    fn free(&mut self, address: u64) -> bool {
        let Some(index) = GlobalMemory::index_at(address) else {
            return false;
        };
        let is_beginning = GlobalMemory::address(index) == address;
        let size_bytes = self.memory.size_bytes(index);
        if !is_beginning || self.symbols.contains(&Some(index)) || !self.memory.release(index) {
            return false;
        }
        self.allocated_bytes -= size_bytes.unwrap_or(0);
        self.freed.push_back(index);
        true
    }

    fn buffer_at(&self, address: u64) -> Option<(u64, u64)> {
        let index = GlobalMemory::index_at(address)?;
        let first = GlobalMemory::address(index);
        let size_bytes = self.memory.size_bytes(index)?;
        (address <= first + size_bytes).then_some((first, size_bytes))
    }

    fn symbol(&self, variable: FileVariableId) -> Option<(u64, u64)> {
        let index = self.symbols.get(variable).copied().flatten()?;
        let size_bytes = self.memory.size_bytes(index)?;
        Some((GlobalMemory::address(index), size_bytes))
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        self.memory.read(address, bytes)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.changes(address);
        match self.memory.bytes_mut(address, bytes.len()) {
            Some(into) => {
                into.copy_from_slice(bytes);
                true
            }
            None => self.memory.write(address, bytes),
        }
    }

    fn read_alone(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        match self.memory.bytes_mut(address, bytes.len()) {
            Some(from) => {
                bytes.copy_from_slice(from);
                true
            }
            None => self.memory.read(address, bytes),
        }
    }

    fn kernel(&mut self, kernel: FunctionId) -> Result<KernelFacts, Box<Diagnostic>> {
        let kernel = self.kernels.kernel(kernel)?;
        Ok(KernelFacts {
            static_shared_bytes: kernel.memory.shared_bytes,
            local_bytes: kernel.memory.local_bytes,
            registers: REGISTERS,
            max_threads: kernel.max_threads,
        })
    }

    fn launch(&mut self, launch: &KernelLaunch) -> LaunchEnd {
        self.launch_with_children(launch, 0)
    }
}

/// Whether launches depend on nothing but their arguments and memory, and nobody follows them.
fn repeats_alike(options: &Options) -> bool {
    !options.model_caches
        && options.checks == Checks::NONE
        && options.schedule.is_none()
        && options.watch.is_none()
}

/// Why CUDA does not launch what a thread asks for, if so.
fn refused_child(child: &ChildLaunch, depth: u32, gpu: &Gpu) -> Option<String> {
    let most = u64::from(gpu.limits().max_threads_per_block);
    let sides = [child.grid, child.block].concat();
    if sides.contains(&0) || volume(child.block) > most {
        let (grid, block) = (child.grid, child.block);
        return Some(format!("its grid is {grid:?}, its block {block:?}"));
    }
    let is_deep = depth + 1 >= MOST_DEPTH;
    is_deep.then(|| format!("grids launch grids {MOST_DEPTH} deep at most"))
}

/// What is wrong with a launch whose blocks may not wait for each other, if they do.
fn barrier_without_cooperation(kernel: &Kernel, launch: &KernelLaunch) -> Option<Diagnostic> {
    let is_wrong = kernel.waits_for_grid() && !launch.is_cooperative;
    is_wrong.then(|| {
        let message = "a barrier of the grid needs a cooperative launch";
        Diagnostic::error(launch.span, message)
            .also(kernel.span, "this kernel waits for its grid")
            .help("launch it by `cudaLaunchCooperativeKernel`")
    })
}

/// The launch as plans have it; its arguments stand elsewhere.
pub(super) fn plan_launch(kernel: &str, launch: &KernelLaunch) -> Launch {
    Launch {
        kernel: kernel.to_owned(),
        source: 0,
        grid: launch.grid,
        block: launch.block,
        shared_bytes: u32::try_from(launch.shared_bytes).unwrap_or(u32::MAX),
        arguments: Vec::new(),
    }
}

/// What ended a launch; what is to be said of it goes to the reports.
fn fault(end: End, reports: &mut Vec<Diagnostic>) -> Option<DeviceFault> {
    let (fault, diagnostic) = match end {
        End::Finished => return None,
        End::Cancelled => return Some(DeviceFault::Cancelled),
        End::OutOfFuel(diagnostic) => (DeviceFault::TooLong, diagnostic),
        End::Fault(diagnostic) => {
            let fault = match diagnostic.code {
                Some(ILLEGAL_ADDRESS | SHARED_ADDRESS) => DeviceFault::IllegalAddress,
                Some(MISALIGNED_ADDRESS) => DeviceFault::MisalignedAddress,
                Some(FAILED_ASSERT) => DeviceFault::Assert,
                _ => DeviceFault::Other,
            };
            (fault, diagnostic)
        }
    };
    reports.push(diagnostic);
    Some(fault)
}

impl ProgramLaunch {
    /// Whether anything went wrong.
    pub fn has_errors(&self) -> bool {
        let mut reports = self.reports.iter();
        reports.any(|report| report.severity == Severity::Error)
    }
}

#[cfg(test)]
mod tests;
