//! `malloc` and its kin.

use crate::host::machine::{Machine, Stop, Table};

/// `ENOMEM`, which `posix_memalign` returns.
const NO_MEMORY: u64 = 12;

pub const TABLE: Table = &[
    ("malloc", |machine, call| Ok(allocate(machine, call.u64(0)))),
    // Arrays of run-time length. Frames have fixed sizes, so these stay until the program ends.
    ("alloca", |machine, call| Ok(allocate(machine, call.u64(0)))),
    ("calloc", |machine, call| {
        let Some(bytes) = call.u64(0).checked_mul(call.u64(1)) else {
            return Ok(0);
        };
        let address = allocate(machine, bytes);
        if address != 0 {
            machine.memory.fill(address, 0, bytes)?;
        }
        Ok(address)
    }),
    ("realloc", |machine, call| {
        reallocate(machine, call.u64(0), call.u64(1))
    }),
    ("free", |machine, call| {
        free(machine, call.u64(0))?;
        Ok(0)
    }),
    // What is aligned to more than a large block is, nobody needs here.
    ("aligned_alloc", |machine, call| {
        Ok(aligned(machine, call.u64(0), call.u64(1)))
    }),
    ("memalign", |machine, call| {
        Ok(aligned(machine, call.u64(0), call.u64(1)))
    }),
    ("posix_memalign", |machine, call| {
        let address = aligned(machine, call.u64(1), call.u64(2));
        machine.memory.write(call.u64(0), &address.to_le_bytes())?;
        Ok(if address == 0 { NO_MEMORY } else { 0 })
    }),
];

fn allocate(machine: &mut Machine<'_>, bytes: u64) -> u64 {
    machine.memory.allocate(bytes).unwrap_or(0)
}

/// A block with an address that is a multiple of `align`: a segment of its own begins at one.
fn aligned(machine: &mut Machine<'_>, align: u64, bytes: u64) -> u64 {
    let bytes = if align > 16 {
        bytes.max(1 << 20)
    } else {
        bytes
    };
    allocate(machine, bytes)
}

fn free(machine: &mut Machine<'_>, address: u64) -> Result<(), Stop> {
    if address == 0 {
        return Ok(());
    }
    let freed = machine.memory.free(address);
    freed.or_else(|error| machine.abort(error.message(address)))
}

fn reallocate(machine: &mut Machine<'_>, old: u64, bytes: u64) -> Result<u64, Stop> {
    if old == 0 {
        return Ok(allocate(machine, bytes));
    }
    let Some(size) = machine.memory.heap().size(old) else {
        return machine.abort("realloc(): invalid pointer");
    };
    if bytes == 0 {
        free(machine, old)?;
        return Ok(0);
    }
    // Always to a new place: a program that keeps the old pointer is found out.
    let address = allocate(machine, bytes);
    if address != 0 {
        machine.memory.copy(address, old, size.min(bytes))?;
        free(machine, old)?;
    }
    Ok(address)
}
