//! Graphs: work that is captured or put together, and launched as a whole.

use super::carry_out::read;
use super::copies::linear;
use super::facts::errors::{self, Code, SUCCESS};
use super::facts::structs::field;
use super::launches::Shape;
use super::state::{Answer, Runtime, put_i32, put_u64};
use super::work::{Callback, Fill, Rows, StreamOperation};
use crate::cuda::Type;
use crate::host::machine::{Call, Machine, Stop};
use crate::host::memory::function_at;

pub fn begin_capture(runtime: &mut Runtime, _: &mut Machine, call: &Call) -> Answer {
    match runtime.streams.get(call.u64(0)) {
        // The legacy default stream waits for all others, also for those that are not captured.
        Some((0, _)) => Ok(errors::CAPTURE_UNSUPPORTED),
        Some((handle, _)) if !runtime.streams.is_capturing(handle) => {
            runtime.streams.begin_capture(handle);
            Ok(SUCCESS)
        }
        Some(_) => Ok(errors::ILLEGAL_STATE),
        None => Ok(errors::INVALID_HANDLE),
    }
}

pub fn end_capture(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let of_stream = |origin: u64| origin == call.u64(0);
    let capture = runtime
        .streams
        .capture
        .take_if(|capture| of_stream(capture.origin));
    let Some(capture) = capture else {
        return Ok(errors::ILLEGAL_STATE);
    };
    // The capture ends either way; only the graph is not there.
    if capture.is_invalid {
        put_u64(machine, call, 1, 0)?;
        return Ok(errors::CAPTURE_INVALIDATED);
    }
    let handle = runtime.streams.new_handle();
    // Each a node of its own, so that the graph has as many nodes as the stream was asked for work.
    let works = capture.works.into_iter().map(|work| vec![work]).collect();
    runtime.graphs.graphs.insert(handle, works);
    put_u64(machine, call, 1, handle)
}

pub fn is_capturing(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let status = i32::from(runtime.streams.is_capturing(call.u64(0)));
    put_i32(machine, call, 1, status)
}

pub fn create(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let handle = runtime.streams.new_handle();
    runtime.graphs.graphs.insert(handle, Vec::new());
    put_u64(machine, call, 0, handle)
}

pub fn destroy(runtime: &mut Runtime, _: &mut Machine, call: &Call) -> Answer {
    match runtime.graphs.graphs.remove(&call.u64(0)) {
        Some(_) => Ok(SUCCESS),
        None => Ok(errors::INVALID_VALUE),
    }
}

pub fn instantiate(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let Some(works) = runtime.graphs.graphs.get(&call.u64(1)).cloned() else {
        return Ok(errors::INVALID_VALUE);
    };
    let handle = runtime.streams.new_handle();
    runtime.graphs.executables.insert(handle, works);
    put_u64(machine, call, 0, handle)
}

pub fn exec_destroy(runtime: &mut Runtime, _: &mut Machine, call: &Call) -> Answer {
    match runtime.graphs.executables.remove(&call.u64(0)) {
        Some(_) => Ok(SUCCESS),
        None => Ok(errors::INVALID_VALUE),
    }
}

pub fn launch(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let Some(works) = runtime.graphs.executables.get(&call.u64(0)).cloned() else {
        return Ok(errors::INVALID_VALUE);
    };
    // In the order in which nodes were added: each depends on earlier ones only, so that this order is legal.
    for work in works.into_iter().flatten() {
        match runtime.ask(machine, call.u64(1), work)? {
            SUCCESS => {}
            code => return Ok(code),
        }
    }
    Ok(SUCCESS)
}

/// How many nodes a graph has, and, where there is room, their handles.
pub fn get_nodes(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let Some(count) = runtime.graphs.graphs.get(&call.u64(0)).map(Vec::len) else {
        return Ok(errors::INVALID_VALUE);
    };
    if call.u64(1) != 0 {
        for at in 0..count as u64 {
            machine
                .memory
                // As `add` numbers them.
                .write(call.u64(1) + 8 * at, &(call.u64(0) + 1 + at).to_le_bytes())?;
        }
    }
    put_u64(machine, call, 2, count as u64)
}

fn add(
    runtime: &mut Runtime,
    machine: &mut Machine,
    call: &Call,
    work: Vec<StreamOperation>,
) -> Answer {
    let graph = call.u64(1);
    let Some(works) = runtime.graphs.graphs.get_mut(&graph) else {
        return Ok(errors::INVALID_VALUE);
    };
    works.push(work);
    // Nobody finds a node by its handle: a program only keeps it.
    let node = graph + works.len() as u64;
    put_u64(machine, call, 0, node)
}

pub fn add_empty_node(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    // A node for order alone: it does nothing.
    add(runtime, machine, call, Vec::new())
}

/// A graph as a node of another: it is copied, so that what is added to it later changes nothing.
pub fn add_child_graph_node(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    match runtime.graphs.graphs.get(&call.u64(4)) {
        Some(nodes) => {
            let works = nodes.concat();
            add(runtime, machine, call, works)
        }
        None => Ok(errors::INVALID_VALUE),
    }
}

pub fn clone(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let Some(nodes) = runtime.graphs.graphs.get(&call.u64(1)).cloned() else {
        return Ok(errors::INVALID_VALUE);
    };
    let handle = runtime.streams.new_handle();
    runtime.graphs.graphs.insert(handle, nodes);
    put_u64(machine, call, 0, handle)
}

/// What is launched becomes that of another graph, which has to have as many nodes.
pub fn exec_update(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let Some(nodes) = runtime.graphs.graphs.get(&call.u64(1)).cloned() else {
        return Ok(errors::INVALID_VALUE);
    };
    let Some(executable) = runtime.graphs.executables.get_mut(&call.u64(0)) else {
        return Ok(errors::INVALID_VALUE);
    };
    let is_same_shape = executable.len() == nodes.len();
    if is_same_shape {
        *executable = nodes;
    }
    if call.u64(2) != 0 {
        // `cudaGraphExecUpdateSuccess` and `cudaGraphExecUpdateErrorTopologyChanged`.
        put_i32(machine, call, 2, i32::from(!is_same_shape) * 2)?;
    }
    Ok(match is_same_shape {
        true => SUCCESS,
        false => errors::GRAPH_EXEC_UPDATE_FAILURE,
    })
}

/// The parameters of a node: a struct behind a pointer, read by the names of its fields.
struct Parameters<'c> {
    address: u64,
    of: &'c Type,
}

impl<'c> Parameters<'c> {
    /// The bits of a field, or of a part of it that begins so many bytes behind.
    fn get(&self, machine: &Machine<'_>, name: &str, behind: u64) -> Result<u64, Stop> {
        let Some(field) = field(self.of, name) else {
            return Ok(0);
        };
        let size = (u64::from(field.ty.size_bytes()) - behind).min(8);
        // A `dim3` is read in three parts.
        let size = if matches!(field.ty, Type::Struct(_) | Type::Vector(..)) {
            4
        } else {
            size
        };
        let bytes = read(
            machine,
            self.address + u64::from(field.offset_bytes) + behind,
            size,
        )?;
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(&bytes);
        Ok(u64::from_le_bytes(word))
    }

    fn sides(&self, machine: &Machine<'_>, name: &str) -> Result<[u32; 3], Stop> {
        let side = |at: u64| self.get(machine, name, 4 * at).map(|side| side as u32);
        Ok([side(0)?, side(1)?, side(2)?])
    }
}

/// The work of a node, or CUDA's error where its parameters are no good.
type Made = Result<Result<StreamOperation, Code>, Stop>;

/// Adds a node that is made of its parameters; CUDA's error where they are no good.
fn add_made(
    runtime: &mut Runtime,
    machine: &mut Machine,
    call: &Call,
    make: fn(&mut Runtime, &Machine, &Parameters) -> Made,
) -> Answer {
    let Some(Type::Pointer { to: of, .. }) = call.types.get(4) else {
        return Ok(errors::INVALID_VALUE);
    };
    let address = call.u64(4);
    match make(runtime, machine, &Parameters { address, of })? {
        Ok(work) => add(runtime, machine, call, vec![work]),
        Err(code) => Ok(code),
    }
}

pub fn add_kernel_node(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    add_made(runtime, machine, call, |runtime, machine, of| {
        let Some(kernel) = function_at(of.get(machine, "func", 0)?) else {
            return Ok(Err(errors::INVALID_DEVICE_FUNCTION));
        };
        let shape = Shape {
            grid: of.sides(machine, "gridDim")?,
            block: of.sides(machine, "blockDim")?,
            shared_bytes: of.get(machine, "sharedMemBytes", 0)?,
        };
        let addresses = of.get(machine, "kernelParams", 0)?;
        // The arguments are read now: the program may change them once the node is there.
        let launch = runtime.made_launch(machine, kernel, shape, addresses)?;
        Ok(Ok(StreamOperation::Launch(launch)))
    })
}

pub fn add_host_node(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    add_made(runtime, machine, call, |_, machine, of| {
        Ok(Ok(StreamOperation::Callback(Callback {
            function: of.get(machine, "fn", 0)?,
            argument: of.get(machine, "userData", 0)?,
            stream: None,
        })))
    })
}

pub fn add_memset_node(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    add_made(runtime, machine, call, |_, machine, of| {
        let element_bytes = of.get(machine, "elementSize", 0)?;
        let to = Rows {
            address: of.get(machine, "dst", 0)?,
            pitch: of.get(machine, "pitch", 0)?,
        };
        Ok(Ok(StreamOperation::Fill(Fill {
            to,
            // The width counts elements, a fill bytes.
            width: of.get(machine, "width", 0)?.saturating_mul(element_bytes),
            height: of.get(machine, "height", 0)?,
            value: of.get(machine, "value", 0)? as u32,
            element_bytes,
        })))
    })
}

pub fn add_memcpy_node_1d(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let copy = linear(call.u64(4), call.u64(5), call.u64(6));
    add(runtime, machine, call, vec![StreamOperation::Copy(copy)])
}
