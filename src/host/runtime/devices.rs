//! The device and the runtime themselves: which there are, what they can do, how they are set.

use super::facts::errors::{self, SUCCESS};
use super::facts::properties;
use super::facts::structs::fill_struct;
use super::state::{AllocationKind, Answer, Errors, Runtime, put, put_i32, put_u64};
use crate::cuda::Type;
use crate::host::machine::{Call, Machine};

/// CUDA 13.0.
const VERSION: i32 = 13_000;
/// `cudaLimitMallocHeapSize`.
const MALLOC_HEAP_SIZE: u32 = 2;
/// Of `__heap::Block` in `device_heap.cuh`.
const HEAP_BLOCK_BYTES: u64 = 16;
/// `cudaLimit` by number, as an H200 has them; those that it does not know are missing.
const LIMITS: [(u32, u64); 6] = [
    (0, 1024),
    (1, 8_650_752),
    (2, 8_388_608),
    (4, 2048),
    (5, 64),
    (6, 11_796_480),
];
const DEVICES: i32 = 1;

/// Does nothing, successfully.
pub fn nothing(_: &mut Runtime, _: &mut Machine, _: &Call) -> Answer {
    Ok(SUCCESS)
}

/// Returns the error that it is given, which headers have found.
pub fn as_given(_: &mut Runtime<'_>, _: &mut Machine<'_>, call: &Call<'_>) -> Answer {
    Ok(call.i32(0) as errors::Code)
}

/// Gives 0 where the first argument says.
pub fn zero(_: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    put_i32(machine, call, 0, 0)
}

/// Gives the number of devices.
pub fn get_device_count(_: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    put_i32(machine, call, 0, DEVICES)
}

pub fn set_device(_: &mut Runtime, _: &mut Machine, call: &Call) -> Answer {
    Ok(device(call.i32(0)))
}

fn device(number: i32) -> errors::Code {
    match (0..DEVICES).contains(&number) {
        true => SUCCESS,
        false => errors::INVALID_DEVICE,
    }
}

pub fn get_attribute(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    if device(call.i32(2)) != SUCCESS {
        return Ok(errors::INVALID_DEVICE);
    }
    match properties::attribute(runtime.gpu, call.i32(1)) {
        Some(value) => put_i32(machine, call, 0, value as i32),
        None => Ok(errors::INVALID_VALUE),
    }
}

pub fn get_properties(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    if device(call.i32(1)) != SUCCESS {
        return Ok(errors::INVALID_DEVICE);
    }
    let Some(Type::Pointer { to, .. }) = call.types.first() else {
        return Ok(errors::INVALID_VALUE);
    };
    let name = properties::name(runtime.gpu);
    // `cudaDeviceProp::name` has 256 bytes, the last of which ends the text.
    let name: Vec<i64> = name.bytes().take(255).map(i64::from).collect();
    let known = properties::properties(runtime.gpu);
    let mut values: Vec<(&str, &[i64])> = vec![("name", &name)];
    values.extend(
        known
            .iter()
            .map(|(field, _, values)| (*field, values.as_slice())),
    );
    fill_struct(machine, call.u64(0), to, &values)
}

pub fn synchronize(runtime: &mut Runtime, machine: &mut Machine, _: &Call) -> Answer {
    runtime.synchronize(machine, None)
}

/// Algorithms of Thrust are code of the host here, and their functions reach what they would reach on the GPU.
pub fn gpu_code_begins(runtime: &mut Runtime, machine: &mut Machine, _: &Call) -> Answer {
    let code = runtime.synchronize(machine, None)?;
    machine.memory.act_as_gpu(true);
    Ok(code)
}

pub fn gpu_code_ends(_: &mut Runtime, machine: &mut Machine, _: &Call) -> Answer {
    machine.memory.act_as_gpu(false);
    Ok(SUCCESS)
}

pub fn reset(runtime: &mut Runtime, machine: &mut Machine, _: &Call) -> Answer {
    let code = runtime.synchronize(machine, None)?;
    let all = std::mem::take(&mut runtime.allocations);
    for (address, allocation) in all {
        if allocation.kind != AllocationKind::Device {
            machine.memory.share(address, false);
        }
        machine.memory.device.free(address);
    }
    runtime.errors = Errors {
        is_gone: code != SUCCESS,
        ..Errors::default()
    };
    Ok(SUCCESS)
}

pub fn get_limit(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let number = call.i32(1) as u32;
    let set = runtime.limits.get(&number).copied();
    let usual = LIMITS.iter().find(|(limit, _)| *limit == number);
    match set.or(usual.map(|(_, value)| *value)) {
        Some(value) => put_u64(machine, call, 0, value),
        None => Ok(errors::UNSUPPORTED_LIMIT),
    }
}

pub fn set_limit(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let number = call.i32(0) as u32;
    if !LIMITS.iter().any(|(limit, _)| *limit == number) {
        return Ok(errors::UNSUPPORTED_LIMIT);
    }
    if number == MALLOC_HEAP_SIZE && !set_heap(runtime, machine, call.u64(1)) {
        return Ok(errors::MEMORY_ALLOCATION);
    }
    runtime.limits.insert(number, call.u64(1));
    Ok(SUCCESS)
}

/// Gives kernels a heap of another size, if they use one; whether there is room.
fn set_heap(runtime: &Runtime, machine: &mut Machine, bytes: u64) -> bool {
    let place = |machine: &Machine, name: &str| {
        let variables = &runtime.program.variables;
        let id = variables.iter().position(|known| known.path == name)?;
        machine.memory.device.symbol(id)
    };
    // The heap of kernels is CUDA code in a header: its size stands in variables of the device, which only programs
    // have whose kernels call `malloc`.
    let places = ["__heap::set", "__heap::set_blocks"].map(|name| place(machine, name));
    let [Some((set, _)), Some((set_blocks, _))] = places else {
        return true;
    };
    let blocks = bytes.div_ceil(HEAP_BLOCK_BYTES);
    let device = &mut machine.memory.device;
    let heap = device.allocate("heap of kernels", blocks * HEAP_BLOCK_BYTES);
    heap.is_some_and(|heap| {
        device.write(set, &heap.to_le_bytes()) && device.write(set_blocks, &blocks.to_le_bytes())
    })
}

pub fn get_pci_bus_id(_: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let text = b"0000:00:06.0\0";
    match (device(call.i32(2)), usize::try_from(call.i32(1))) {
        (SUCCESS, Ok(room)) if room >= text.len() => put(machine, call.u64(0), text),
        (SUCCESS, _) => Ok(errors::INVALID_VALUE),
        (code, _) => Ok(code),
    }
}

pub fn get_stream_priority_range(_: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    // Least and greatest: a lower number is more urgent (`cudaStreamCreateWithPriority`).
    for (at, value) in [0, -5].into_iter().enumerate() {
        if call.u64(at) != 0 {
            put_i32(machine, call, at, value)?;
        }
    }
    Ok(SUCCESS)
}

pub fn enable_peer_access(_: &mut Runtime, _: &mut Machine, call: &Call) -> Answer {
    match device(call.i32(0)) {
        // There is one device, and none is a peer of itself.
        SUCCESS => Ok(errors::PEER_ACCESS_UNSUPPORTED),
        code => Ok(code),
    }
}

/// Of the driver and of the runtime.
pub fn get_version(_: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    put_i32(machine, call, 0, VERSION)
}

/// The one pool, by a number that is no other handle's.
pub fn default_pool(_: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    put_u64(machine, call, 0, 0x4000_0000)
}

/// Banks of four bytes, on all GPUs of these years.
pub fn get_bank_size(_: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    // `cudaSharedMemBankSizeFourByte`.
    put_i32(machine, call, 0, 1)
}
