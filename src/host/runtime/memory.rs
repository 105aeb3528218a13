//! Memory: what both sides ask for and give back.

use super::facts::errors::{self, SUCCESS};
use super::state::{Allocation, AllocationKind, Answer, Runtime, put, put_u64};
use crate::host::machine::{Call, Machine, Stop};
use crate::ir::GLOBAL_STRIDE;

/// Rows of `cudaMallocPitch` begin at multiples of this, on the GPUs of these years.
const PITCH_BYTES: u64 = 512;
/// What the driver keeps for itself: of an H200, the difference between all and free memory.
const RESERVED_BYTES: u64 = 650_969_088;

impl Runtime<'_> {
    /// Memory of a kind, whose address goes to the place that the first argument names.
    fn allocate(
        &mut self,
        machine: &mut Machine<'_>,
        to: u64,
        size_bytes: u64,
        kind: AllocationKind,
    ) -> Answer {
        if to == 0 {
            return Ok(errors::INVALID_VALUE);
        }
        // As the card has it: no memory, no error, and a null pointer.
        if size_bytes == 0 {
            return put(machine, to, &[0; 8]);
        }
        let Some(address) = machine.memory.device.allocate(kind.name(), size_bytes) else {
            return match put(machine, to, &[0; 8])? {
                SUCCESS => Ok(errors::MEMORY_ALLOCATION),
                code => Ok(code),
            };
        };
        // Managed and pinned memory lie among the GPU's buffers, so that kernels find them like any other.
        if kind != AllocationKind::Device {
            machine.memory.share(address, true);
        }
        let span = machine.location();
        self.allocations.insert(
            address,
            Allocation {
                kind,
                size_bytes,
                span,
                host: None,
            },
        );
        put(machine, to, &address.to_le_bytes())
    }

    fn release(&mut self, machine: &mut Machine<'_>, address: u64, is_pinned: bool) -> Answer {
        let of_kind =
            |allocation: &Allocation| (allocation.kind == AllocationKind::Pinned) == is_pinned;
        // `cudaFree` of pinned memory, and `cudaFreeHost` of other, are errors on a real machine too.
        if !self.allocations.get(&address).is_some_and(of_kind) {
            return Ok(errors::INVALID_VALUE);
        }
        self.allocations.remove(&address);
        // In this order: a shared range must never outlive its buffer.
        machine.memory.share(address, false);
        machine.memory.device.free(address);
        Ok(SUCCESS)
    }

    /// All memory of the GPU, in bytes.
    pub(super) fn total_bytes(&self) -> u64 {
        super::facts::properties::total_bytes(self.gpu)
    }
}

pub fn malloc(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    runtime.allocate(machine, call.u64(0), call.u64(1), AllocationKind::Device)
}

pub fn malloc_managed(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    runtime.allocate(machine, call.u64(0), call.u64(1), AllocationKind::Managed)
}

pub fn malloc_host(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    runtime.allocate(machine, call.u64(0), call.u64(1), AllocationKind::Pinned)
}

pub fn malloc_pitch(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let (width, height) = (call.u64(2), call.u64(3));
    let pitch = width
        .checked_next_multiple_of(PITCH_BYTES)
        .unwrap_or(u64::MAX);
    let bytes = pitch.saturating_mul(height);
    match put_u64(machine, call, 1, pitch)? {
        SUCCESS => runtime.allocate(machine, call.u64(0), bytes, AllocationKind::Device),
        code => Ok(code),
    }
}

pub fn free(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    // It waits for all kernels, which may still use the memory.
    match (runtime.synchronize(machine, None)?, call.u64(0)) {
        (SUCCESS, 0) => Ok(SUCCESS),
        (SUCCESS, address) => runtime.release(machine, address, false),
        (code, _) => Ok(code),
    }
}

pub fn free_host(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    match (runtime.synchronize(machine, None)?, call.u64(0)) {
        (SUCCESS, 0) => Ok(SUCCESS),
        (SUCCESS, address) => runtime.release(machine, address, true),
        (code, _) => Ok(code),
    }
}

pub fn host_get_device_pointer(
    runtime: &mut Runtime,
    machine: &mut Machine,
    call: &Call,
) -> Answer {
    match call.u64(1) {
        0 => Ok(errors::INVALID_VALUE),
        address => {
            let on_device = runtime.mapped(address).unwrap_or(address);
            put_u64(machine, call, 0, on_device)
        }
    }
}

/// Pageable memory stays where it is: kernels get a copy of it, which is taken and given back around each of them.
pub fn host_register(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let (host, size_bytes) = (call.u64(0), call.u64(1));
    if host == 0 || size_bytes == 0 {
        return Ok(errors::INVALID_VALUE);
    }
    // What `cudaMallocHost` gave is registered already.
    if host >= GLOBAL_STRIDE || runtime.mapped(host).is_some() {
        return Ok(errors::HOST_MEMORY_ALREADY_REGISTERED);
    }
    let name = "registered memory";
    let Some(address) = machine.memory.device.allocate(name, size_bytes) else {
        return Ok(errors::MEMORY_ALLOCATION);
    };
    let allocation = Allocation {
        kind: AllocationKind::Pinned,
        size_bytes,
        span: machine.location(),
        host: Some(host),
    };
    runtime.allocations.insert(address, allocation);
    Ok(SUCCESS)
}

pub fn host_unregister(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let code = runtime.synchronize(machine, None)?;
    if code != SUCCESS {
        return Ok(code);
    }
    // The address that it was registered by: a later one within the range is refused.
    let begins = |of: &Allocation| of.host == Some(call.u64(0));
    let mut all = runtime.allocations.iter();
    let found = all.find(|(_, of)| begins(of)).map(|(&address, _)| address);
    match found {
        Some(address) => {
            runtime.allocations.remove(&address);
            machine.memory.device.free(address);
            Ok(SUCCESS)
        }
        None => Ok(errors::HOST_MEMORY_NOT_REGISTERED),
    }
}

impl Runtime<'_> {
    /// Where kernels find memory of the host that is registered.
    fn mapped(&self, address: u64) -> Option<u64> {
        self.allocations.iter().find_map(|(&device, of)| {
            let at = address.checked_sub(of.host?)?;
            (at < of.size_bytes).then_some(device + at)
        })
    }

    /// Copies registered memory to where kernels find it, or back.
    pub(super) fn copy_registered(
        &self,
        machine: &mut Machine<'_>,
        is_to_device: bool,
    ) -> Result<(), Stop> {
        for (&device, of) in &self.allocations {
            let Some(host) = of.host else {
                continue;
            };
            if is_to_device {
                // A kernel may read anything of it, and the host may have written anything since the last one.
                let bytes = machine.memory.read(host, of.size_bytes)?;
                machine.memory.device.write(device, &bytes);
            } else {
                let mut bytes = vec![0; of.size_bytes as usize];
                machine.memory.device.read(device, &mut bytes);
                machine.memory.write(host, &bytes)?;
            }
        }
        Ok(())
    }
}

/// Where a `__managed__` variable lies, which the host reaches from now on.
pub fn managed_address(machine: &mut Machine<'_>, call: &Call<'_>) -> Result<u64, Stop> {
    let Some((address, _)) = symbol(machine, call.u64(0)) else {
        return Ok(0);
    };
    machine.memory.share(address, true);
    Ok(address)
}

pub fn mem_get_info(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let all = runtime.allocations.values();
    let on_gpu = all.filter(|allocation| allocation.kind != AllocationKind::Pinned);
    // The driver hands memory out in pages of 2 MiB.
    let used: u64 = on_gpu.map(|allocation| allocation.size_bytes).sum();
    let used = used.next_multiple_of(2 << 20);
    let total = runtime.total_bytes();
    let free = total.saturating_sub(RESERVED_BYTES + used);
    match put_u64(machine, call, 0, free)? {
        SUCCESS => put_u64(machine, call, 1, total),
        code => Ok(code),
    }
}

pub fn pointer_get_attributes(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let address = call.u64(1);
    let found = runtime
        .allocation_at(address)
        .map(|(_, allocation)| allocation.kind);
    let is_symbol = address >= GLOBAL_STRIDE && machine.memory.device.buffer_at(address).is_some();
    // `cudaMemoryType`, the device, its pointer and the host's.
    let (kind, device, on_device, on_host) = match found {
        Some(AllocationKind::Pinned) => (1, 0, address, address),
        Some(AllocationKind::Managed) => (3, 0, address, address),
        Some(AllocationKind::Device) => (2, 0, address, 0),
        None if is_symbol => (2, 0, address, 0),
        // `cudaMemoryTypeUnregistered`, and `cudaInvalidDeviceId`.
        None => (0, -2, 0, address),
    };
    let mut bytes = i32::to_le_bytes(kind).to_vec();
    bytes.extend(i32::to_le_bytes(device));
    bytes.extend(u64::to_le_bytes(on_device));
    bytes.extend(u64::to_le_bytes(on_host));
    put(machine, call.u64(0), &bytes)
}

pub fn get_symbol_address(_: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    match symbol(machine, call.u64(1)) {
        Some((address, _)) => put_u64(machine, call, 0, address),
        None => Ok(errors::INVALID_SYMBOL),
    }
}

pub fn get_symbol_size(_: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    match symbol(machine, call.u64(1)) {
        Some((_, size_bytes)) => put_u64(machine, call, 0, size_bytes),
        None => Ok(errors::INVALID_SYMBOL),
    }
}

/// Where the variable lies that host code names by a handle, and its size.
pub fn symbol(machine: &Machine<'_>, handle: u64) -> Option<(u64, u64)> {
    let variable = machine.memory.symbol_at(handle)?;
    machine.memory.device.symbol(variable)
}
