//! What streams do, done: at once, or put off until somebody waits for it where another order is asked for.

use super::facts::errors::{self, Code, SUCCESS};
use super::state::{Answer, Runtime};
use super::work::{Callback, Copy, Fill, StreamOperation, Task};
use crate::host::device::{DeviceFault, KernelLaunch};
use crate::host::machine::{Machine, Stop};
use crate::ir::GLOBAL_STRIDE;
use crate::source::Diagnostic;

/// What a call takes that only asks for work.
const CALL_NS: u64 = 2_000;
/// What each copy takes beside its bytes.
const COPY_NS: u64 = 1_500;
/// Copies between pageable memory and the GPU, and between pinned memory and the GPU, over PCIe 5 × 16: as measured on
/// machines with an H200.
const PAGEABLE_BYTES_PER_NS: f64 = 10.0;
const PINNED_BYTES_PER_NS: f64 = 50.0;
/// Where the table does not know a GPU's memory.
const USUAL_MEMORY_BYTES_PER_NS: f64 = 500.0;
/// Most bytes that are moved at once: they stay in the processor's cache between the two sides.
const PIECE_BYTES: u64 = 1 << 18;

impl Runtime<'_> {
    /// Asks a stream for work.
    pub(super) fn ask(
        &mut self,
        machine: &mut Machine<'_>,
        stream: u64,
        work: StreamOperation,
    ) -> Answer {
        let Some((stream, _)) = self.streams.get(stream) else {
            return Ok(errors::INVALID_HANDLE);
        };
        if self.streams.is_capturing(stream) {
            // It does not run, now or later: it becomes a node of a graph, and each launch of that asks for it anew.
            self.streams.add_to_capture(stream, work);
            return Ok(SUCCESS);
        }
        // The host goes on while the work is done, but not before it has asked for it.
        machine.clock.advance_ns(CALL_NS);
        let task = self.streams.task(stream, work, machine.clock.elapsed_ns());
        // Another order can be had only of work that is known before it happens. A function of the host has a thread
        // of its own on a GPU, and comes after what the host does until it waits; so does what is asked for behind it.
        let is_put_off = self.options.schedule.is_some()
            || matches!(task.work, StreamOperation::Callback(_))
            || self.streams.is_busy(None);
        match is_put_off {
            true => self.streams.put_off(task),
            false => self.carry_out(machine, &task)?,
        }
        Ok(SUCCESS)
    }

    /// Waits for a stream, or for all; shows what kernels have printed, and their faults.
    pub(super) fn synchronize(&mut self, machine: &mut Machine<'_>, stream: Option<u64>) -> Answer {
        let stream = match stream {
            None => None,
            Some(handle) => match self.streams.get(handle) {
                Some((handle, _)) => Some(handle),
                None => return Ok(errors::INVALID_HANDLE),
            },
        };
        if let Some(capture) = &self.streams.capture
            && stream.is_none_or(|stream| self.streams.is_capturing(stream))
        {
            // Waiting for work that will not run spoils the capture, whoever waits.
            let mut capture = capture.clone();
            capture.is_invalid = true;
            self.streams.capture = Some(capture);
            return Ok(errors::CAPTURE_UNSUPPORTED);
        }
        while self.streams.is_busy(stream) {
            // Whichever comes next, also of another stream: it may be what this stream waits for.
            let Some(task) = self.next_task() else {
                break;
            };
            self.carry_out(machine, &task)?;
        }
        // Only now has the host spent the time that the GPU was busy.
        machine.clock.advance_to_ns(self.streams.ready_ns(stream));
        self.show_printed(machine);
        // From here on every call fails with the same error: the context is lost.
        if let Some(code) = self.errors.hidden.take() {
            self.errors.shown = Some(code);
        }
        Ok(self.blocked().unwrap_or(SUCCESS))
    }

    /// Carries one task out that was put off, if there is one: somebody asks whether it is done.
    pub(super) fn progress(&mut self, machine: &mut Machine<'_>) -> Result<(), Stop> {
        if let Some(task) = self.next_task() {
            self.carry_out(machine, &task)?;
        }
        Ok(())
    }

    /// The task that comes next: the first that may, or whichever the schedule asks for.
    fn next_task(&mut self) -> Option<Task> {
        self.streams.take(self.options.schedule.is_some())
    }

    /// Gives the text that kernels have printed to standard output.
    pub(super) fn show_printed(&mut self, machine: &mut Machine<'_>) {
        let text = std::mem::take(&mut self.printed);
        machine.print(text.as_bytes());
    }

    fn carry_out(&mut self, machine: &mut Machine<'_>, task: &Task) -> Result<(), Stop> {
        let begin_ns = self.streams.begin_ns(task);
        // Behind a fault nothing runs any more.
        let is_dead = self.errors.hidden.is_some() || self.blocked().is_some();
        let takes_ns = match &task.work {
            // Events keep their order behind a fault, so that who waits for them is not stuck.
            StreamOperation::Record(_) | StreamOperation::Wait(_) => 0,
            _ if is_dead => 0,
            StreamOperation::Launch(launch) => self.run(machine, launch)?,
            StreamOperation::Copy(copy) => {
                // The bytes move when the work is carried out, not when it is asked for: a buffer that the host changes
                // in between is a mistake that a program must see.
                move_rows(machine, copy)?;
                self.copy_ns(copy)
            }
            StreamOperation::Fill(fill) => {
                fill_rows(machine, fill)?;
                COPY_NS + fill.width.saturating_mul(fill.height) / self.memory_rate() as u64
            }
            StreamOperation::Callback(callback) => call_back(machine, callback)?,
            StreamOperation::Library(call) => {
                let done = (call.0)(machine);
                self.within_memory(machine, done)?;
                0
            }
        };
        self.streams.done(task, begin_ns + takes_ns);
        Ok(())
    }

    /// Runs a kernel; how long it takes.
    fn run(&mut self, machine: &mut Machine<'_>, launch: &KernelLaunch) -> Result<u64, Stop> {
        self.copy_registered(machine, true)?;
        let end = machine.memory.device.launch(launch);
        self.copy_registered(machine, false)?;
        self.printed.push_str(&end.printed);
        if let Some(fault) = end.fault {
            self.errors.hidden = Some(code(fault)?);
        }
        Ok(end.takes_ns)
    }

    /// What a library has done, or a fault of the GPU, and not of the host, where its kernels left memory of the GPU.
    pub(super) fn within_memory<T: Default>(
        &mut self,
        machine: &Machine<'_>,
        done: Result<T, Stop>,
    ) -> Result<T, Stop> {
        match done {
            Err(Stop::Unmapped(address)) if address >= GLOBAL_STRIDE => {
                self.go_outside(machine, address);
                Ok(T::default())
            }
            done => done,
        }
    }

    /// A library's kernels leave memory of the GPU at `address`.
    fn go_outside(&mut self, machine: &Machine<'_>, address: u64) {
        self.errors.hidden = Some(errors::ILLEGAL_ADDRESS);
        let error = Diagnostic::error(
            machine.location(),
            "the library goes outside of memory of the GPU",
        );
        let error = match self.allocation_at(address) {
            Some((begin, allocation)) => error.label(format!(
                "from byte {} on of {}, which has {} bytes",
                address - begin,
                allocation.kind.name(),
                allocation.size_bytes
            )),
            None => error.label(format!("at the address {address:#x}")),
        };
        let help = "compare sizes, steps and leading dimensions with what was allocated";
        self.note(error.help(help));
    }

    /// Bytes that the GPU's memory moves in a nanosecond.
    fn memory_rate(&self) -> f64 {
        let rate = self.gpu.memory_bandwidth_gb_s;
        rate.unwrap_or(USUAL_MEMORY_BYTES_PER_NS).max(1.0)
    }

    fn copy_ns(&self, copy: &Copy) -> u64 {
        let bytes = copy.width.saturating_mul(copy.height) as f64;
        // Buffers lie above, those of pinned memory too, which both sides reach.
        let is_host = |address: u64| address < GLOBAL_STRIDE;
        let is_pinned = |address: u64| {
            use super::state::AllocationKind::Pinned;
            let found = self.allocation_at(address);
            found.is_some_and(|(_, allocation)| allocation.kind == Pinned)
        };
        let (to, from) = (copy.to.address, copy.from.address);
        let rate = if is_host(to) || is_host(from) {
            PAGEABLE_BYTES_PER_NS
        } else if is_pinned(to) || is_pinned(from) {
            PINNED_BYTES_PER_NS
        } else {
            // Each byte is read and written.
            self.memory_rate() / 2.0
        };
        COPY_NS + (bytes / rate) as u64
    }
}

/// CUDA's error for what has ended a kernel.
fn code(fault: DeviceFault) -> Result<Code, Stop> {
    match fault {
        DeviceFault::Cancelled => Err(Stop::Cancelled),
        DeviceFault::IllegalAddress => Ok(errors::ILLEGAL_ADDRESS),
        DeviceFault::MisalignedAddress => Ok(errors::MISALIGNED_ADDRESS),
        DeviceFault::Assert => Ok(errors::ASSERT),
        DeviceFault::TooLong => Ok(errors::LAUNCH_TIMEOUT),
        DeviceFault::NotCompiled | DeviceFault::Other => Ok(errors::LAUNCH_FAILURE),
    }
}

/// Bytes of either side.
pub(super) fn read(machine: &Machine<'_>, address: u64, length: u64) -> Result<Vec<u8>, Stop> {
    if address < GLOBAL_STRIDE {
        return Ok(machine.memory.bytes(address, length)?.to_vec());
    }
    let mut bytes = vec![0; length as usize];
    match machine.memory.device.read(address, &mut bytes) {
        true => Ok(bytes),
        false => Err(Stop::Unmapped(address)),
    }
}

/// Writes to either side.
pub(super) fn write(machine: &mut Machine<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop> {
    if address < GLOBAL_STRIDE {
        let to = machine.memory.bytes_mut(address, bytes.len() as u64)?;
        to.copy_from_slice(bytes);
        return Ok(());
    }
    match machine.memory.device.write(address, bytes) {
        true => Ok(()),
        false => Err(Stop::Unmapped(address)),
    }
}

fn move_rows(machine: &mut Machine<'_>, copy: &Copy) -> Result<(), Stop> {
    // In pieces: a copy of a gigabyte needs no second gigabyte on the way.
    let mut room = vec![0; PIECE_BYTES.min(copy.width) as usize];
    for row in 0..copy.height {
        let (to, from) = (copy.to.row(row), copy.from.row(row));
        let mut done = 0;
        while done < copy.width {
            let piece = PIECE_BYTES.min(copy.width - done);
            let bytes = &mut room[..piece as usize];
            read_to(machine, from + done, bytes)?;
            write(machine, to + done, bytes)?;
            done += piece;
        }
    }
    Ok(())
}

/// Bytes of either side, as many as there is room for.
fn read_to(machine: &mut Machine<'_>, address: u64, bytes: &mut [u8]) -> Result<(), Stop> {
    if address < GLOBAL_STRIDE {
        bytes.copy_from_slice(machine.memory.bytes(address, bytes.len() as u64)?);
        return Ok(());
    }
    match machine.memory.device.read_alone(address, bytes) {
        true => Ok(()),
        false => Err(Stop::Unmapped(address)),
    }
}

fn fill_rows(machine: &mut Machine<'_>, fill: &Fill) -> Result<(), Stop> {
    let element = fill.value.to_le_bytes();
    let element = &element[..(fill.element_bytes as usize).clamp(1, 4)];
    // In pieces too, each of whole elements.
    let piece_bytes = PIECE_BYTES.min(fill.width) as usize;
    let piece: Vec<u8> = element.iter().copied().cycle().take(piece_bytes).collect();
    for at in 0..fill.height {
        let row = fill.to.row(at);
        let mut done = 0;
        while done < fill.width {
            let bytes = PIECE_BYTES.min(fill.width - done);
            write(machine, row + done, &piece[..bytes as usize])?;
            done += bytes;
        }
    }
    Ok(())
}

fn call_back(machine: &mut Machine<'_>, callback: &Callback) -> Result<u64, Stop> {
    let &Callback {
        function, argument, ..
    } = callback;
    match callback.stream {
        Some(stream) => machine.call(function, &[stream, u64::from(SUCCESS), argument])?,
        None => machine.call(function, &[argument])?,
    };
    Ok(CALL_NS)
}

impl Runtime<'_> {
    /// What was asked for still happens when the program ends; but what kernels have printed is shown when the host
    /// waits for them, and a program that ends does not wait (CUDA C++ Programming Guide, "Formatted Output").
    pub(super) fn finish_unseen(&mut self, machine: &mut Machine<'_>) -> Result<(), Stop> {
        while let Some(task) = self.next_task() {
            self.carry_out(machine, &task)?;
        }
        self.findings.unseen_text = std::mem::take(&mut self.printed);
        self.synchronize(machine, None).map(|_| ())
    }

    /// What has ended without that all was waited for: shows what kernels have printed, and their faults.
    pub(super) fn show_finished(&mut self, machine: &mut Machine<'_>) -> Code {
        self.show_printed(machine);
        if let Some(code) = self.errors.hidden.take() {
            self.errors.shown = Some(code);
        }
        self.blocked().unwrap_or(SUCCESS)
    }
}
