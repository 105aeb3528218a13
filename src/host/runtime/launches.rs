//! Launches: what CUDA refuses of them, and what it tells of kernels.

use super::carry_out::read;
use super::facts::errors::{self, Code, SUCCESS};
use super::facts::structs::fill_struct;
use super::state::{Answer, Configuration, Runtime, put, put_i32};
use super::work::StreamOperation;
use crate::cuda::{FunctionId, Type};
use crate::device::occupancy;
use crate::host::device::{KernelFacts, KernelLaunch};
use crate::host::machine::{Call, Machine, Stop};
use crate::host::memory::function_at;
use crate::launch::{Dim3, volume};

/// `cudaFuncAttributeMaxDynamicSharedMemorySize`.
const MAX_DYNAMIC_SHARED: i32 = 8;
/// `cudaFuncAttributeMax`.
const ATTRIBUTES_END: i32 = 16;
/// Most threads of a block in x, y and z, on every GPU of the table (CUDA C++ Programming Guide, technical
/// specifications per compute capability).
pub const MOST_THREADS: Dim3 = [1024, 1024, 64];
/// Most blocks of a grid in x, y and z (the same table).
pub const MOST_BLOCKS: Dim3 = [i32::MAX as u32, 65_535, 65_535];

impl Runtime<'_> {
    /// Launches a kernel: an error goes where `cudaGetLastError` finds it.
    pub(super) fn launch_kernel(
        &mut self,
        machine: &mut Machine<'_>,
        launch: KernelLaunch,
        stream: u64,
    ) -> Answer {
        // A launch returns nothing: what is wrong is found by the next `cudaGetLastError`.
        if let Some(code) = self.blocked() {
            return Ok(code);
        }
        match self.check_launch(machine, &launch)? {
            SUCCESS => self.ask(machine, stream, StreamOperation::Launch(launch)),
            code => Ok(code),
        }
    }

    /// What CUDA says of a launch's shape; an H200 with CUDA 13.0 says "invalid argument" to all of these.
    fn check_launch(&mut self, machine: &mut Machine<'_>, launch: &KernelLaunch) -> Answer {
        let facts = self.facts(machine, launch.kernel)?;
        let axes = [
            ("grid", launch.grid, MOST_BLOCKS),
            ("block", launch.block, MOST_THREADS),
        ];
        for (what, sides, most) in axes {
            for (at, axis) in ["x", "y", "z"].into_iter().enumerate() {
                if !(1..=most[at]).contains(&sides[at]) {
                    let (side, most) = (sides[at], most[at]);
                    return Ok(self.wrong(format!(
                        "the {what} is {side} in {axis}: it may be 1 to {most}"
                    )));
                }
            }
        }
        let threads = volume(launch.block);
        let limit = self.gpu.limits().max_threads_per_block;
        if threads > u64::from(limit) {
            return Ok(self.wrong(format!(
                "a block of {threads} threads: {limit} are the most"
            )));
        }
        // `nvcc` gives each thread as many registers as so many threads leave: more of them would not fit.
        if let Some(bound) = facts
            .max_threads
            .filter(|&bound| threads > u64::from(bound))
        {
            let why = format!("a block of {threads} threads, and `__launch_bounds__` says {bound}");
            return Ok(self.wrong(why));
        }
        let most = self.most_dynamic_shared(launch.kernel, &facts);
        if launch.shared_bytes > u64::from(most) {
            let shared = launch.shared_bytes;
            return Ok(self.wrong(format!(
                "{shared} bytes of dynamic shared memory: the kernel may have {most}, or more by `cudaFuncSetAttribute`"
            )));
        }
        Ok(SUCCESS)
    }

    /// What is known of a kernel; the program ends where that cannot be compiled.
    fn facts(&self, machine: &mut Machine<'_>, kernel: FunctionId) -> Result<KernelFacts, Stop> {
        let facts = machine.memory.device.kernel(kernel);
        facts.map_err(|diagnostic| Stop::Fault(diagnostic, 1))
    }

    /// Dynamic shared memory that a block of a kernel may have.
    fn most_dynamic_shared(&self, kernel: FunctionId, facts: &KernelFacts) -> u32 {
        let set = self.launches.shared_limits.get(&kernel).copied();
        let limit = self.gpu.limits().shared_per_block_bytes;
        // Without leave, static and dynamic memory share the 48 KiB of every block.
        set.unwrap_or(0)
            .max(limit.saturating_sub(facts.static_shared_bytes))
    }

    /// The kernel that code of the host means by an address.
    pub(super) fn kernel_at(&self, address: u64) -> Option<FunctionId> {
        let id = function_at(address)?;
        self.program
            .functions
            .get(id)
            .filter(|function| function.is_kernel)?;
        Some(id)
    }

    /// The kernel at an address, and what is known of it; an error of CUDA's where there is none.
    fn kernel(
        &self,
        machine: &mut Machine<'_>,
        address: u64,
    ) -> Result<Result<(FunctionId, KernelFacts), Code>, Stop> {
        match self.kernel_at(address) {
            Some(id) => Ok(Ok((id, self.facts(machine, id)?))),
            None => Ok(Err(errors::INVALID_DEVICE_FUNCTION)),
        }
    }

    /// The addresses of a kernel's arguments, out of an array of them as `cudaLaunchKernel` takes it.
    pub(super) fn argument_addresses(
        &self,
        machine: &Machine<'_>,
        kernel: FunctionId,
        array: u64,
    ) -> Result<Vec<u64>, Stop> {
        let count = self.program.functions[kernel].parameter_count as u64;
        let word = |at: u64| {
            let bytes = read(machine, array.wrapping_add(8 * at), 8)?;
            Ok(u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
        };
        (0..count).map(word).collect()
    }

    /// Arguments as a kernel finds them.
    fn arguments(
        &self,
        machine: &Machine<'_>,
        kernel: FunctionId,
        addresses: &[u64],
    ) -> Result<Vec<u8>, Stop> {
        let function = &self.program.functions[kernel];
        let parameters = &function.locals[..function.parameter_count];
        let mut bytes = Vec::new();
        for (local, &address) in parameters.iter().zip(addresses) {
            // Parameters lie one behind the other as the fields of a struct do.
            let begin = bytes
                .len()
                .next_multiple_of(local.ty.align_bytes().max(1) as usize);
            bytes.resize(begin, 0);
            bytes.extend(read(machine, address, u64::from(local.ty.size_bytes()))?);
        }
        Ok(bytes)
    }

    /// A launch by its parts.
    pub(super) fn made_launch(
        &self,
        machine: &Machine<'_>,
        kernel: FunctionId,
        configuration: Configuration,
        addresses: &[u64],
    ) -> Result<KernelLaunch, Stop> {
        Ok(KernelLaunch {
            kernel,
            grid: configuration.grid,
            block: configuration.block,
            shared_bytes: configuration.shared_bytes,
            arguments: self.arguments(machine, kernel, addresses)?,
            span: machine.location(),
            is_cooperative: false,
        })
    }

    /// Blocks of a kernel that an SM holds at once.
    fn resident_blocks(&self, facts: &KernelFacts, threads: u32, dynamic_bytes: u64) -> u32 {
        let dynamic = u32::try_from(dynamic_bytes).unwrap_or(u32::MAX);
        let shared = facts.static_shared_bytes.saturating_add(dynamic);
        occupancy(self.gpu.limits(), threads, facts.registers, shared).blocks
    }
}

/// Grid and block, shared memory and stream of the kernel that is called next.
pub fn push_configuration(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let configuration = Configuration {
        grid: machine.dim3(call.u64(0))?,
        block: machine.dim3(call.u64(1))?,
        shared_bytes: call.u64(2),
        stream: call.u64(3),
    };
    runtime.launches.configurations.push(configuration);
    Ok(SUCCESS)
}

/// A call of a kernel: its address, and the addresses of its arguments.
pub fn launch_configured(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let Some(kernel) = runtime.kernel_at(call.u64(0)) else {
        return Ok(errors::INVALID_DEVICE_FUNCTION);
    };
    let name = &runtime.program.functions[kernel].name;
    let (name, code) = match runtime.launches.configurations.pop() {
        Some(configuration) => {
            let launch = runtime.made_launch(machine, kernel, configuration, &call.bits[1..])?;
            let code = runtime.launch_kernel(machine, launch, configuration.stream)?;
            (format!("{name}<<<…>>>"), code)
        }
        None => (format!("{name}(…)"), errors::MISSING_CONFIGURATION),
    };
    // A launch has no value: what goes wrong is told here, by the kernel's name.
    runtime.returned(machine, &name, code);
    Ok(SUCCESS)
}

/// The kernel's address, grid and block in x, y and z, the addresses of the arguments, shared memory and stream.
pub fn launch_kernel(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    launch_by_parts(runtime, machine, call, false)
}

fn launch_by_parts(
    runtime: &mut Runtime,
    machine: &mut Machine,
    call: &Call,
    is_cooperative: bool,
) -> Answer {
    let Some(kernel) = runtime.kernel_at(call.u64(0)) else {
        return Ok(errors::INVALID_DEVICE_FUNCTION);
    };
    let sides =
        |at: usize| [call.u64(at), call.u64(at + 1), call.u64(at + 2)].map(|side| side as u32);
    let configuration = Configuration {
        grid: sides(1),
        block: sides(4),
        shared_bytes: call.u64(8),
        stream: call.u64(9),
    };
    let addresses = runtime.argument_addresses(machine, kernel, call.u64(7))?;
    let mut launch = runtime.made_launch(machine, kernel, configuration, &addresses)?;
    launch.is_cooperative = is_cooperative;
    runtime.launch_kernel(machine, launch, configuration.stream)
}

/// The same, for a grid whose blocks wait for each other: all of them must be on the GPU at once.
pub fn launch_cooperative_kernel(
    runtime: &mut Runtime,
    machine: &mut Machine,
    call: &Call,
) -> Answer {
    let (_, facts) = match runtime.kernel(machine, call.u64(0))? {
        Ok(found) => found,
        Err(code) => return Ok(code),
    };
    let product = |at: usize| (at..at + 3).fold(1, |all: u64, at| all.saturating_mul(call.u64(at)));
    let threads = u32::try_from(product(4)).unwrap_or(u32::MAX);
    let each = runtime.resident_blocks(&facts, threads, call.u64(8));
    let most = u64::from(each) * u64::from(runtime.gpu.sm_count.unwrap_or(1));
    // Other shapes are refused by the launch itself, with an error of their own.
    if (1..=1024).contains(&threads) && product(1) > most {
        return Ok(errors::COOPERATIVE_LAUNCH_TOO_LARGE);
    }
    launch_by_parts(runtime, machine, call, true)
}

pub fn func_get_attributes(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let (id, facts) = match runtime.kernel(machine, call.u64(1))? {
        Ok(found) => found,
        Err(code) => return Ok(code),
    };
    // 9.0 is 90.
    let cc: i64 = runtime
        .gpu
        .compute_capability
        .replace('.', "")
        .parse()
        .unwrap_or(0);
    let threads = facts
        .max_threads
        .unwrap_or(runtime.gpu.limits().max_threads_per_block);
    let dynamic = runtime.most_dynamic_shared(id, &facts);
    let constant = constant_bytes(runtime);
    let Some(Type::Pointer { to, .. }) = call.types.first() else {
        return Ok(errors::INVALID_VALUE);
    };
    let values: &[(&str, &[i64])] = &[
        ("sharedSizeBytes", &[i64::from(facts.static_shared_bytes)]),
        ("constSizeBytes", &[constant]),
        ("localSizeBytes", &[i64::from(facts.local_bytes)]),
        ("maxThreadsPerBlock", &[i64::from(threads)]),
        ("numRegs", &[i64::from(facts.registers)]),
        ("ptxVersion", &[cc]),
        ("binaryVersion", &[cc]),
        ("maxDynamicSharedSizeBytes", &[i64::from(dynamic)]),
        // `cudaSharedmemCarveoutDefault`.
        ("preferredShmemCarveout", &[-1]),
    ];
    fill_struct(machine, call.u64(0), to, values)
}

/// Bytes of all variables in constant memory.
fn constant_bytes(runtime: &Runtime<'_>) -> i64 {
    let all = runtime.program.variables.iter();
    let constant = all.filter(|variable| variable.memory == crate::cuda::FileMemory::Constant);
    constant
        .map(|variable| i64::from(variable.ty.size_bytes()))
        .sum()
}

pub fn func_set_attribute(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let (id, facts) = match runtime.kernel(machine, call.u64(0))? {
        Ok(found) => found,
        Err(code) => return Ok(code),
    };
    let (attribute, value) = (call.i32(1), call.i32(2));
    if attribute != MAX_DYNAMIC_SHARED {
        // The others are preferences, such as how much L1 to leave: they change no result.
        let is_known = (MAX_DYNAMIC_SHARED..ATTRIBUTES_END).contains(&attribute);
        return Ok(if is_known {
            SUCCESS
        } else {
            errors::INVALID_VALUE
        });
    }
    // What the kernel declares is taken off first.
    let most = runtime.gpu.limits().shared_per_block_optin_bytes - facts.static_shared_bytes;
    match u32::try_from(value).ok().filter(|&bytes| bytes <= most) {
        Some(bytes) => {
            runtime.launches.shared_limits.insert(id, bytes);
            Ok(SUCCESS)
        }
        None => Ok(runtime.wrong(format!("{value} bytes: the kernel may have up to {most}"))),
    }
}

/// Blocks that an SM holds: where they go, the kernel, threads of a block, dynamic shared memory.
pub fn occupancy_blocks(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let (_, facts) = match runtime.kernel(machine, call.u64(1))? {
        Ok(found) => found,
        Err(code) => return Ok(code),
    };
    let Some(threads) = u32::try_from(call.i32(2))
        .ok()
        .filter(|&threads| threads > 0)
    else {
        return Ok(errors::INVALID_VALUE);
    };
    let blocks = runtime.resident_blocks(&facts, threads, call.u64(3));
    put_i32(machine, call, 0, blocks as i32)
}

/// The block that fills an SM best, the largest of several; and the grid that fills the GPU with it.
pub fn occupancy_block_size(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let (_, facts) = match runtime.kernel(machine, call.u64(2))? {
        Ok(found) => found,
        Err(code) => return Ok(code),
    };
    let limit = facts
        .max_threads
        .unwrap_or(runtime.gpu.limits().max_threads_per_block);
    // 0 is no limit.
    let most = match call.i32(4) {
        0 => limit,
        asked => limit.min(asked.unsigned_abs()),
    };
    let (mut best_threads, mut best_blocks) = (0, 0);
    // From the largest down, in whole warps, as NVIDIA's header does.
    for threads in (1..=most.div_ceil(32))
        .rev()
        .map(|warps| (warps * 32).min(most))
    {
        let blocks = runtime.resident_blocks(&facts, threads, call.u64(3));
        // Of equals the largest block stays: it was tried first.
        if blocks * threads > best_blocks * best_threads {
            (best_threads, best_blocks) = (threads, blocks);
        }
    }
    let grid = best_blocks * runtime.gpu.sm_count.unwrap_or(1);
    match put_i32(machine, call, 0, grid as i32)? {
        SUCCESS => put(machine, call.u64(1), &best_threads.to_le_bytes()),
        code => Ok(code),
    }
}
