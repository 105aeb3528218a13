//! Copies and fills: what is checked when they are asked for. `carry_out` moves the bytes.

use super::facts::errors::{self, Code, SUCCESS};
use super::memory::symbol;
use super::state::{AllocationKind, Answer, Runtime};
use super::work::{Copy, Fill, Rows, StreamOperation};
use crate::host::machine::{Call, Machine};
use crate::ir::GLOBAL_STRIDE;
use crate::source::Diagnostic;

/// `cudaMemcpyKind`.
const HOST_TO_HOST: i32 = 0;
const HOST_TO_DEVICE: i32 = 1;
const DEVICE_TO_HOST: i32 = 2;
const DEVICE_TO_DEVICE: i32 = 3;
const DEFAULT: i32 = 4;

/// When a copy is made.
#[derive(Clone, Copy)]
struct When {
    stream: u64,
    /// Whether the call returns before it is done, if it can.
    is_async: bool,
}

const AT_ONCE: When = When {
    stream: 0,
    is_async: false,
};

fn later(stream: u64) -> When {
    When {
        stream,
        is_async: true,
    }
}

/// One side of a copy: its name in messages.
struct Side {
    address: u64,
    extent: u64,
    name: &'static str,
}

impl Runtime<'_> {
    fn copy(&mut self, machine: &mut Machine<'_>, copy: Copy, kind: i32, when: When) -> Answer {
        match self.check_copy(machine, &copy, kind)? {
            SUCCESS => {}
            code => return Ok(code),
        }
        if copy.width == 0 || copy.height == 0 {
            return Ok(SUCCESS);
        }
        // The runtime takes pageable memory away at once, so that the call ends behind all that is in its stream.
        let is_pageable = [copy.to, copy.from]
            .iter()
            .any(|side| side.address < GLOBAL_STRIDE);
        let code = self.ask(machine, when.stream, StreamOperation::Copy(copy))?;
        let is_waiting = !when.is_async || is_pageable;
        // Waiting for a stream that is captured is an error in CUDA, and nothing has run yet.
        let is_captured = self.streams.is_capturing(when.stream);
        match code {
            SUCCESS if is_waiting && !is_captured => self.synchronize(machine, Some(when.stream)),
            code => Ok(code),
        }
    }

    /// What CUDA says of a copy, as an H200 with CUDA 13.0 does: a declared direction asks only that the sides it
    /// calls the device's are. The direction is looked at first, even of a copy of no bytes.
    fn check_copy(&mut self, machine: &mut Machine<'_>, copy: &Copy, kind: i32) -> Answer {
        if !(HOST_TO_HOST..=DEFAULT).contains(&kind) {
            return Ok(errors::INVALID_DIRECTION);
        }
        if copy.width == 0 || copy.height == 0 {
            return Ok(SUCCESS);
        }
        if copy.height > 1 && (copy.width > copy.to.pitch || copy.width > copy.from.pitch) {
            return Ok(errors::INVALID_PITCH);
        }
        let extent = |rows: Rows| rows.extent(copy.width, copy.height);
        let sides = [
            Side {
                address: copy.to.address,
                extent: extent(copy.to),
                name: "destination",
            },
            Side {
                address: copy.from.address,
                extent: extent(copy.from),
                name: "source",
            },
        ];
        let on_device = [
            matches!(kind, HOST_TO_DEVICE | DEVICE_TO_DEVICE),
            matches!(kind, DEVICE_TO_HOST | DEVICE_TO_DEVICE),
        ];
        for (side, on_device) in sides.iter().zip(on_device) {
            if on_device && side.address < GLOBAL_STRIDE {
                let why = format!("the {} is memory of the host, not of the GPU", side.name);
                return Ok(self.wrong(why));
            }
            match self.check_side(machine, side)? {
                SUCCESS => {}
                code => return Ok(code),
            }
        }
        self.check_direction(machine, &sides, kind);
        Ok(SUCCESS)
    }

    /// Says of a copy that goes well, though not in the direction that it names.
    fn check_direction(&mut self, machine: &Machine<'_>, sides: &[Side; 2], kind: i32) {
        let only_gpu = |side: &Side| {
            let found = self.allocation_at(side.address);
            found.is_some_and(|(_, of)| of.kind == AllocationKind::Device)
        };
        let named_host = match kind {
            HOST_TO_HOST => [true, true],
            HOST_TO_DEVICE => [false, true],
            DEVICE_TO_HOST => [true, false],
            _ => [false, false],
        };
        // One finding is enough: where both sides are wrong, the same word mends them.
        let wrong = sides
            .iter()
            .zip(named_host)
            .find(|(side, host)| *host && only_gpu(side));
        if let Some((side, _)) = wrong
            && self.options.check
        {
            let message = format!(
                "the {} of this copy is memory of the GPU, but its direction says the host's",
                side.name
            );
            let help = "name the direction in which it goes, or `cudaMemcpyDefault`";
            self.note(Diagnostic::warning(machine.location(), message).help(help));
        }
    }

    fn check_side(&mut self, machine: &mut Machine<'_>, side: &Side) -> Answer {
        let &Side {
            address,
            extent,
            name,
        } = side;
        if address == 0 {
            return Ok(self.wrong(format!("the {name} is null")));
        }
        if address < GLOBAL_STRIDE {
            // A real copy would end the process there; here it is a fault with its place.
            machine.memory.bytes(address, extent)?;
            self.check_block(machine, side);
            return Ok(SUCCESS);
        }
        let found = self
            .allocation_at(address)
            .map(|(begin, of)| (begin, of.size_bytes));
        // Variables of kernels are buffers that nobody has asked for.
        let found = found.or_else(|| machine.memory.device.buffer_at(address));
        let Some((begin, size_bytes)) = found else {
            let why = format!("the {name} belongs to no memory of the GPU, or it was freed");
            return Ok(self.wrong(why));
        };
        let end = (address - begin).checked_add(extent);
        if end.is_none_or(|end| end > size_bytes) {
            let why = format!(
                "the {name} has {} bytes from there on, of {extent}",
                size_bytes - (address - begin).min(size_bytes)
            );
            return Ok(self.wrong(why));
        }
        Ok(SUCCESS)
    }

    /// Says where a copy leaves the block of host memory that it begins in: a real one may get away with it.
    fn check_block(&mut self, machine: &Machine<'_>, side: &Side) {
        if !self.options.check {
            return;
        }
        let Some((begin, size_bytes)) = machine.memory.heap().block_before(side.address) else {
            return;
        };
        let offset = side.address - begin;
        // A pointer behind every block is another mistake, and found as a fault.
        if offset < size_bytes && offset.saturating_add(side.extent) > size_bytes {
            let (name, extent) = (side.name, side.extent);
            let message = format!(
                "the {name} of this copy has {} bytes, of {extent}",
                size_bytes - offset
            );
            let help = "give the size in bytes: the number of elements times `sizeof` one";
            self.note(Diagnostic::error(machine.location(), message).help(help));
        }
    }

    /// `cudaErrorInvalidValue`, with the reason for whoever reads what is said at the end.
    pub(super) fn wrong(&mut self, why: String) -> Code {
        self.findings.why = Some(why);
        errors::INVALID_VALUE
    }

    fn fill(&mut self, machine: &mut Machine<'_>, fill: Fill, stream: u64) -> Answer {
        if fill.width == 0 || fill.height == 0 {
            return Ok(SUCCESS);
        }
        if fill.to.address < GLOBAL_STRIDE {
            return Ok(self.wrong("that is memory of the host, not of the GPU".to_owned()));
        }
        let side = Side {
            address: fill.to.address,
            extent: fill.to.extent(fill.width, fill.height),
            name: "memory",
        };
        match self.check_side(machine, &side)? {
            SUCCESS => self.ask(machine, stream, StreamOperation::Fill(fill)),
            code => Ok(code),
        }
    }

    fn copy_symbol(&mut self, machine: &mut Machine<'_>, call: &Call<'_>, is_to: bool) -> Answer {
        let handle = call.u64(if is_to { 0 } else { 1 });
        let other = call.u64(if is_to { 1 } else { 0 });
        let (bytes, offset, kind, stream) = (call.u64(2), call.u64(3), call.i32(4), call.u64(5));
        let Some((address, size_bytes)) = symbol(machine, handle) else {
            return Ok(errors::INVALID_SYMBOL);
        };
        let is_opposite = kind
            == if is_to {
                DEVICE_TO_HOST
            } else {
                HOST_TO_DEVICE
            };
        if is_opposite || kind == HOST_TO_HOST {
            return Ok(errors::INVALID_DIRECTION);
        }
        if offset.checked_add(bytes).is_none_or(|end| end > size_bytes) {
            let why = format!(
                "the variable has {size_bytes} bytes; the copy takes {bytes} from byte {offset} on"
            );
            return Ok(self.wrong(why));
        }
        let inside = address + offset;
        let copy = match is_to {
            true => linear(inside, other, bytes),
            false => linear(other, inside, bytes),
        };
        let when = When {
            stream,
            // `cudaMemcpyToSymbol` names no stream, and waits.
            is_async: stream != 0,
        };
        self.copy(machine, copy, kind, when)
    }
}

/// A copy of bytes in a row.
pub(super) fn linear(to: u64, from: u64, bytes: u64) -> Copy {
    Copy {
        to: Rows {
            address: to,
            pitch: 0,
        },
        from: Rows {
            address: from,
            pitch: 0,
        },
        width: bytes,
        height: 1,
    }
}

/// Rows of `cudaMemcpy2D` and its kin.
fn rows(call: &Call<'_>) -> Copy {
    Copy {
        to: Rows {
            address: call.u64(0),
            pitch: call.u64(1),
        },
        from: Rows {
            address: call.u64(2),
            pitch: call.u64(3),
        },
        width: call.u64(4),
        height: call.u64(5),
    }
}

pub fn memcpy(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let copy = linear(call.u64(0), call.u64(1), call.u64(2));
    runtime.copy(machine, copy, call.i32(3), AT_ONCE)
}

pub fn memcpy_async(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let copy = linear(call.u64(0), call.u64(1), call.u64(2));
    runtime.copy(machine, copy, call.i32(3), later(call.u64(4)))
}

pub fn memcpy_2d(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    runtime.copy(machine, rows(call), call.i32(6), AT_ONCE)
}

pub fn memcpy_2d_async(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    runtime.copy(machine, rows(call), call.i32(6), later(call.u64(7)))
}

/// There is one GPU: a copy from one to another stays on it.
pub fn memcpy_peer(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    // There is one GPU here, number 0.
    if call.i32(1) != 0 || call.i32(3) != 0 {
        return Ok(errors::INVALID_DEVICE);
    }
    let copy = linear(call.u64(0), call.u64(2), call.u64(4));
    let when = match call.bits.len() {
        // `cudaMemcpyPeerAsync` has the stream behind the same arguments.
        6 => later(call.u64(5)),
        _ => AT_ONCE,
    };
    runtime.copy(machine, copy, DEVICE_TO_DEVICE, when)
}

pub fn memcpy_to_symbol(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    runtime.copy_symbol(machine, call, true)
}

pub fn memcpy_from_symbol(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    runtime.copy_symbol(machine, call, false)
}

/// A fill of bytes.
fn bytes(to: Rows, value: i32, width: u64, height: u64) -> Fill {
    Fill {
        to,
        width,
        height,
        // As `memset`: an `int` of which the lowest byte counts.
        value: u32::from(value as u8),
        element_bytes: 1,
    }
}

/// `cudaMemset` and `cudaMemsetAsync`.
pub fn memset(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let to = Rows {
        address: call.u64(0),
        pitch: 0,
    };
    let fill = bytes(to, call.i32(1), call.u64(2), 1);
    runtime.fill(machine, fill, call.u64(3))
}

/// `cudaMemset2D` and `cudaMemset2DAsync`.
pub fn memset_2d(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let to = Rows {
        address: call.u64(0),
        pitch: call.u64(1),
    };
    let fill = bytes(to, call.i32(2), call.u64(3), call.u64(4));
    runtime.fill(machine, fill, call.u64(5))
}
