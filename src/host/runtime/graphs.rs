//! Graphs: work that is captured or put together, and launched as a whole.

use super::carry_out::read;
use super::copies::linear;
use super::facts::errors::{self, Code, SUCCESS};
use super::facts::structs::field;
use super::state::{Answer, Configuration, Runtime, put_i32, put_u64};
use super::work::{Callback, Fill, Node, Rows, StreamOperation};
use crate::cuda::Type;
use crate::host::machine::{Call, Machine, Stop};

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
    runtime.graphs.graphs.insert(handle, capture.nodes);
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
    let Some(nodes) = runtime.graphs.graphs.get(&call.u64(1)) else {
        return Ok(errors::INVALID_VALUE);
    };
    let Some(ordered) = in_order(nodes) else {
        return Ok(errors::INVALID_VALUE);
    };
    let handle = runtime.streams.new_handle();
    runtime.graphs.executables.insert(handle, ordered);
    put_u64(machine, call, 0, handle)
}

/// Nodes in an order that their edges allow, which is that in which they were added where that is one; nothing of a
/// circle.
fn in_order(nodes: &[Node]) -> Option<Vec<Node>> {
    let mut left: Vec<&Node> = nodes.iter().collect();
    let mut ordered: Vec<Node> = Vec::with_capacity(nodes.len());
    while !left.is_empty() {
        let is_ready = |node: &&Node| !left.iter().any(|other| node.needs.contains(&other.handle));
        let next = left.iter().position(is_ready)?;
        ordered.push(left.remove(next).clone());
    }
    Some(ordered)
}

pub fn exec_destroy(runtime: &mut Runtime, _: &mut Machine, call: &Call) -> Answer {
    match runtime.graphs.executables.remove(&call.u64(0)) {
        Some(_) => Ok(SUCCESS),
        None => Ok(errors::INVALID_VALUE),
    }
}

pub fn launch(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let Some(nodes) = runtime.graphs.executables.get(&call.u64(0)).cloned() else {
        return Ok(errors::INVALID_VALUE);
    };
    for work in nodes.into_iter().flat_map(|node| node.operations) {
        match runtime.ask(machine, call.u64(1), work)? {
            SUCCESS => {}
            code => return Ok(code),
        }
    }
    Ok(SUCCESS)
}

/// How many nodes a graph has, and, where there is room, their handles.
pub fn get_nodes(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    nodes_where(runtime, machine, call, |_| true)
}

/// The same of the nodes that depend on no other.
pub fn get_root_nodes(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    nodes_where(runtime, machine, call, |node| node.needs.is_empty())
}

fn nodes_where(
    runtime: &mut Runtime,
    machine: &mut Machine,
    call: &Call,
    is_asked: fn(&Node) -> bool,
) -> Answer {
    let Some(nodes) = runtime.graphs.graphs.get(&call.u64(0)) else {
        return Ok(errors::INVALID_VALUE);
    };
    let asked = nodes.iter().filter(|node| is_asked(node));
    let handles: Vec<u64> = asked.map(|node| node.handle).collect();
    put_list(machine, call, &[1], 2, &[&handles])
}

/// The edges of a graph: from which nodes they lead, and to which.
pub fn get_edges(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let Some(nodes) = runtime.graphs.graphs.get(&call.u64(0)) else {
        return Ok(errors::INVALID_VALUE);
    };
    let edges = nodes
        .iter()
        .flat_map(|node| node.needs.iter().map(|from| (*from, node.handle)));
    let (from, to): (Vec<u64>, Vec<u64>) = edges.unzip();
    put_list(machine, call, &[1, 2], 3, &[&from, &to])
}

/// Writes lists of one length to where arguments say, as many entries as there is room for, and that number to another
/// place. Without room the whole length is asked for.
fn put_list(
    machine: &mut Machine,
    call: &Call,
    places: &[usize],
    count_at: usize,
    lists: &[&[u64]],
) -> Answer {
    let length = lists.first().map_or(0, |list| list.len());
    if places.iter().all(|place| call.u64(*place) == 0) {
        return put_u64(machine, call, count_at, length as u64);
    }
    let room = match call.u64(count_at) {
        0 => return Ok(errors::INVALID_VALUE),
        address => read(machine, address, 8)?,
    };
    let room = u64::from_le_bytes(room.try_into().unwrap_or_default());
    for (place, list) in places.iter().zip(lists) {
        for at in 0..room {
            // What is left of the room becomes null.
            let entry = list.get(at as usize).copied().unwrap_or(0);
            let address = call.u64(*place) + 8 * at;
            machine.memory.write(address, &entry.to_le_bytes())?;
        }
    }
    put_u64(machine, call, count_at, room.min(length as u64))
}

/// Edges between nodes that are there already.
pub fn add_dependencies(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let from = handles(machine, call.u64(1), call.u64(3))?;
    let to = handles(machine, call.u64(2), call.u64(3))?;
    let Some(nodes) = runtime.graphs.graphs.get_mut(&call.u64(0)) else {
        return Ok(errors::INVALID_VALUE);
    };
    for (from, to) in from.into_iter().zip(to) {
        match nodes.iter_mut().find(|node| node.handle == to) {
            Some(node) => node.needs.push(from),
            None => return Ok(errors::INVALID_VALUE),
        }
    }
    Ok(SUCCESS)
}

/// `cudaGraphNodeType` of a node.
pub fn node_type(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let mut all = runtime.graphs.graphs.values().flatten();
    let Some(node) = all.find(|node| node.handle == call.u64(0)) else {
        return Ok(errors::INVALID_VALUE);
    };
    let number = match (node.is_graph, node.operations.first()) {
        (true, _) => 4,
        (false, None) => 5,
        (false, Some(operation)) => match operation {
            // A library's work are kernels of its own.
            StreamOperation::Launch(_) | StreamOperation::Library(_) => 0,
            StreamOperation::Copy(_) => 1,
            StreamOperation::Fill(_) => 2,
            StreamOperation::Callback(_) => 3,
            StreamOperation::Wait(_) => 6,
            StreamOperation::Record(_) => 7,
        },
    };
    put_i32(machine, call, 1, number)
}

/// So many handles at an address.
fn handles(machine: &Machine, address: u64, count: u64) -> Result<Vec<u64>, Stop> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let bytes = read(machine, address, count.saturating_mul(8))?;
    let words = bytes.chunks_exact(8);
    Ok(words
        .map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
        .collect())
}

/// Adds a node that does this, behind those that the call names.
fn add(
    runtime: &mut Runtime,
    machine: &mut Machine,
    call: &Call,
    operations: Vec<StreamOperation>,
) -> Answer {
    let needs = handles(machine, call.u64(2), call.u64(3))?;
    let handle = runtime.streams.new_handle();
    let Some(nodes) = runtime.graphs.graphs.get_mut(&call.u64(1)) else {
        return Ok(errors::INVALID_VALUE);
    };
    nodes.push(Node {
        handle,
        needs,
        operations,
        is_graph: false,
    });
    put_u64(machine, call, 0, handle)
}

pub fn add_empty_node(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    // A node for order alone: it does nothing.
    add(runtime, machine, call, Vec::new())
}

/// A graph as a node of another: it is copied, so that what is added to it later changes nothing.
pub fn add_child_graph_node(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let child = runtime.graphs.graphs.get(&call.u64(4));
    let Some(ordered) = child.and_then(|nodes| in_order(nodes)) else {
        return Ok(errors::INVALID_VALUE);
    };
    let operations = ordered.into_iter().flat_map(|node| node.operations);
    let code = add(runtime, machine, call, operations.collect())?;
    let nodes = runtime.graphs.graphs.get_mut(&call.u64(1));
    if let Some(node) = nodes.and_then(|nodes| nodes.last_mut()) {
        node.is_graph = true;
    }
    Ok(code)
}

pub fn clone(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let Some(nodes) = runtime.graphs.graphs.get(&call.u64(1)).cloned() else {
        return Ok(errors::INVALID_VALUE);
    };
    let handle = runtime.streams.new_handle();
    let copied = renumbered(runtime, nodes);
    runtime.graphs.graphs.insert(handle, copied);
    put_u64(machine, call, 0, handle)
}

/// The same nodes with handles of their own.
fn renumbered(runtime: &mut Runtime, mut nodes: Vec<Node>) -> Vec<Node> {
    let before: Vec<u64> = nodes.iter().map(|node| node.handle).collect();
    let after: Vec<u64> = before
        .iter()
        .map(|_| runtime.streams.new_handle())
        .collect();
    let other = |handle: u64| {
        let at = before.iter().position(|known| *known == handle);
        at.map_or(handle, |at| after[at])
    };
    for node in &mut nodes {
        node.handle = other(node.handle);
        node.needs.iter_mut().for_each(|need| *need = other(*need));
    }
    nodes
}

/// What is launched becomes that of another graph, which has to have as many nodes.
pub fn exec_update(runtime: &mut Runtime, machine: &mut Machine, call: &Call) -> Answer {
    let graph = runtime.graphs.graphs.get(&call.u64(1));
    let Some(nodes) = graph.and_then(|nodes| in_order(nodes)) else {
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
        let Some(kernel) = runtime.kernel_at(of.get(machine, "func", 0)?) else {
            return Ok(Err(errors::INVALID_DEVICE_FUNCTION));
        };
        let configuration = Configuration {
            grid: of.sides(machine, "gridDim")?,
            block: of.sides(machine, "blockDim")?,
            shared_bytes: of.get(machine, "sharedMemBytes", 0)?,
            stream: 0,
        };
        let array = of.get(machine, "kernelParams", 0)?;
        let addresses = runtime.argument_addresses(machine, kernel, array)?;
        // The arguments are read now: the program may change them once the node is there.
        let launch = runtime.made_launch(machine, kernel, configuration, &addresses)?;
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
