//! What a program asks of the GPU, and the order in which it may happen: streams, events, graphs. Nothing here is
//! carried out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use crate::host::device::KernelLaunch;
use crate::host::machine::{Machine, Stop};

/// Something that a stream does.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamOperation {
    Launch(KernelLaunch),
    Copy(Copy),
    Fill(Fill),
    Callback(Callback),
    Library(LibraryCall),
    /// An event is reached.
    Record(u64),
    /// Nothing: later work waits for an event.
    Wait(u64),
}

/// Rows of bytes from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    pub to: Rows,
    pub from: Rows,
    /// Bytes in each row.
    pub width: u64,
    pub height: u64,
}

/// Where rows begin, and how far apart they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    pub address: u64,
    pub pitch: u64,
}

/// Rows of elements that are set to one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    pub to: Rows,
    /// Bytes in each row.
    pub width: u64,
    pub height: u64,
    pub value: u32,
    pub element_bytes: u64,
}

/// A function of the host that a stream calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callback {
    pub function: u64,
    pub argument: u64,
    /// Of `cudaStreamAddCallback`: the stream, which it is given with a status.
    pub stream: Option<u64>,
}

/// A call of a library's function with the arguments that it was given, as part of a graph. What it does is the
/// library's to know.
#[derive(Clone)]
pub struct LibraryCall(pub Rc<LibraryWork>);

type LibraryWork = dyn Fn(&mut Machine<'_>) -> Result<(), Stop>;

impl fmt::Debug for LibraryCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LibraryCall")
    }
}

impl PartialEq for LibraryCall {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Rows {
    /// The address of a row.
    pub fn row(self, row: u64) -> u64 {
        self.address.wrapping_add(row.wrapping_mul(self.pitch))
    }

    /// Bytes from the first to the last of `height` rows of `width` bytes.
    pub fn extent(self, width: u64, height: u64) -> u64 {
        // The last row ends with its width: what pads it need not be there.
        let before_last = height.saturating_sub(1).saturating_mul(self.pitch);
        match height {
            0 => 0,
            _ => before_last.saturating_add(width),
        }
    }
}

/// Work that was asked for and has not happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    id: u64,
    pub stream: u64,
    /// What has to happen first.
    needs: Vec<u64>,
    pub work: StreamOperation,
    /// When it was asked for, by the clock of the host.
    pub issued_ns: u64,
}

/// A stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stream {
    /// Whether it waits for the default stream, and that for it.
    pub is_blocking: bool,
    pub flags: u32,
    pub priority: i32,
    /// The last that was asked of it.
    last: Option<u64>,
    /// When all that has happened in it is done, by the model.
    pub ready_ns: u64,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub is_timed: bool,
    pub reached: Reached,
}

/// Whether an event was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    Never,
    /// When a task of this number has happened.
    By(u64),
    At {
        ns: u64,
    },
    /// Where a graph that is being captured stands.
    Captured,
}

/// Work that becomes a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capture {
    pub origin: u64,
    /// Streams that take part.
    members: BTreeSet<u64>,
    /// The nodes so far, in the order in which they were asked for.
    pub nodes: Vec<Node>,
    /// The nodes that the next one of a stream depends on.
    last_of_streams: BTreeMap<u64, Vec<u64>>,
    /// Those that had to happen before an event.
    before_events: BTreeMap<u64, Vec<u64>>,
    pub is_invalid: bool,
}

/// A node of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    pub handle: u64,
    /// The nodes that it depends on.
    pub needs: Vec<u64>,
    /// What it does: nothing of an empty node, and all of a graph within a graph.
    pub operations: Vec<StreamOperation>,
    /// Whether it is such a graph.
    pub is_graph: bool,
}

/// Graphs and what can be launched of them, in the order in which nodes were added.
#[derive(Debug, Default)]
pub struct Graphs {
    pub graphs: BTreeMap<u64, Vec<Node>>,
    pub executables: BTreeMap<u64, Vec<Node>>,
}

/// The default stream.
pub const DEFAULT_STREAM: u64 = 0;
const LEGACY_STREAM: u64 = 1;
const PER_THREAD_STREAM: u64 = 2;

/// All streams and events, and what has not happened yet.
#[derive(Debug)]
pub struct Streams {
    streams: BTreeMap<u64, Stream>,
    pub events: BTreeMap<u64, Event>,
    tasks: Vec<Task>,
    next_task: u64,
    next_handle: u64,
    pub capture: Option<Capture>,
    /// The state of the generator that chooses among tasks.
    random: u64,
}

impl Streams {
    pub fn new(seed: u64) -> Self {
        let blocking = Stream {
            is_blocking: true,
            ..Stream::default()
        };
        Streams {
            streams: [DEFAULT_STREAM, PER_THREAD_STREAM]
                .map(|handle| (handle, blocking.clone()))
                .into(),
            events: BTreeMap::new(),
            tasks: Vec::new(),
            next_task: 1,
            // Far from small numbers, which programs pass by mistake.
            next_handle: 0x5000_0000,
            capture: None,
            random: seed,
        }
    }

    /// A number that stands for nothing yet.
    pub fn new_handle(&mut self) -> u64 {
        self.next_handle += 0x10;
        self.next_handle
    }

    pub fn create(&mut self, flags: u32, priority: i32) -> u64 {
        let handle = self.new_handle();
        let stream = Stream {
            // `cudaStreamNonBlocking`, bit 0, is all that is told apart.
            is_blocking: flags & 1 == 0,
            flags,
            priority,
            ..Stream::default()
        };
        self.streams.insert(handle, stream);
        handle
    }

    /// The stream of a handle, and the handle that it is known by.
    pub fn get(&self, handle: u64) -> Option<(u64, &Stream)> {
        let handle = match handle {
            LEGACY_STREAM => DEFAULT_STREAM,
            handle => handle,
        };
        Some((handle, self.streams.get(&handle)?))
    }

    /// Forgets a stream; whether it was there to be forgotten.
    pub fn destroy(&mut self, handle: u64) -> bool {
        // The default streams cannot be destroyed.
        handle > PER_THREAD_STREAM && self.streams.remove(&handle).is_some()
    }

    /// Makes a task of work for a stream that is there.
    pub fn task(&mut self, stream: u64, work: StreamOperation, issued_ns: u64) -> Task {
        let id = self.next_task;
        self.next_task += 1;
        let is_blocking = self.streams.get(&stream).is_some_and(|of| of.is_blocking);
        let waits_for = |(&handle, other): (&u64, &Stream)| {
            // The default stream and all blocking streams wait for each other.
            let is_default = stream == DEFAULT_STREAM || handle == DEFAULT_STREAM;
            let waits = handle == stream || is_default && is_blocking && other.is_blocking;
            other.last.filter(|_| waits)
        };
        let mut needs: Vec<u64> = self.streams.iter().filter_map(waits_for).collect();
        // The record that was asked for last, not one that comes later (`cudaStreamWaitEvent`).
        if let StreamOperation::Wait(event) = work
            && let Some(Reached::By(task)) = self.events.get(&event).map(|event| event.reached)
        {
            needs.push(task);
        }
        if let StreamOperation::Record(event) = work
            && let Some(event) = self.events.get_mut(&event)
        {
            event.reached = Reached::By(id);
        }
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.last = Some(id);
        }
        Task {
            id,
            stream,
            needs,
            work,
            issued_ns,
        }
    }

    /// Puts a task off.
    pub fn put_off(&mut self, task: Task) {
        self.tasks.push(task);
    }

    /// Whether a stream, or any if none is named, has something to do.
    pub fn is_busy(&self, stream: Option<u64>) -> bool {
        let mut tasks = self.tasks.iter();
        tasks.any(|task| stream.is_none_or(|stream| task.stream == stream))
    }

    /// One of the tasks that may happen now: the first, or one chosen at random.
    pub fn take(&mut self, is_random: bool) -> Option<Task> {
        // What has happened is in the list no longer: a need that nobody finds there is met.
        let is_open = |id: &u64| self.tasks.iter().any(|task| task.id == *id);
        let may_happen = |at: &usize| !self.tasks[*at].needs.iter().any(is_open);
        let ready: Vec<usize> = (0..self.tasks.len()).filter(may_happen).collect();
        if !is_random || ready.is_empty() {
            return ready.first().map(|first| self.tasks.remove(*first));
        }
        // SplitMix64: any that CUDA allows, so that a missing synchronisation shows.
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        Some(
            self.tasks
                .remove(ready[(mixed % ready.len() as u64) as usize]),
        )
    }

    /// When a task can begin, by the model.
    pub fn begin_ns(&self, task: &Task) -> u64 {
        let own = self.streams.get(&task.stream);
        let is_blocking = own.is_some_and(|of| of.is_blocking);
        let others = self.streams.iter().filter(|(handle, other)| {
            let is_default = task.stream == DEFAULT_STREAM || **handle == DEFAULT_STREAM;
            is_default && is_blocking && other.is_blocking
        });
        let ready = others.map(|(_, other)| other.ready_ns);
        let own_ns = own.map_or(0, |stream| stream.ready_ns);
        let event_ns = match &task.work {
            StreamOperation::Wait(event) => match self.events.get(event).map(|event| event.reached)
            {
                Some(Reached::At { ns }) => ns,
                _ => 0,
            },
            _ => 0,
        };
        // The latest of all: the host must have asked, its own stream and those that it waits for must be done.
        ready.fold(task.issued_ns.max(own_ns).max(event_ns), u64::max)
    }

    /// A task has happened, and is done at `ns`.
    pub fn done(&mut self, task: &Task, ns: u64) {
        if let Some(stream) = self.streams.get_mut(&task.stream) {
            stream.ready_ns = ns;
        }
        if let StreamOperation::Record(event) = task.work
            && let Some(event) = self.events.get_mut(&event)
            // It may have been recorded again meanwhile.
            && event.reached == Reached::By(task.id)
        {
            event.reached = Reached::At { ns };
        }
    }

    /// When a stream, or all if none is named, has done all that has happened in it.
    pub fn ready_ns(&self, stream: Option<u64>) -> u64 {
        let asked = |handle: u64| stream.is_none_or(|stream| stream == handle);
        let streams = self.streams.iter().filter(|(handle, _)| asked(**handle));
        streams
            .map(|(_, stream)| stream.ready_ns)
            .max()
            .unwrap_or(0)
    }

    /// Begins to make a graph of what a stream is asked for.
    pub fn begin_capture(&mut self, stream: u64) {
        self.capture = Some(Capture {
            origin: stream,
            members: [stream].into(),
            ..Capture::default()
        });
    }

    /// Whether what a stream is asked for goes to a graph.
    pub fn is_capturing(&self, stream: u64) -> bool {
        let capture = self.capture.as_ref();
        capture.is_some_and(|capture| capture.members.contains(&stream))
    }

    /// Adds work to the graph; `stream` takes part in it from now on.
    pub fn add_to_capture(&mut self, stream: u64, work: StreamOperation) {
        let Some(mut capture) = self.capture.take() else {
            return;
        };
        capture.members.insert(stream);
        let last = capture.last_of_streams.entry(stream).or_default();
        match work {
            StreamOperation::Record(event) => {
                capture.before_events.insert(event, last.clone());
                if let Some(event) = self.events.get_mut(&event) {
                    event.reached = Reached::Captured;
                }
            }
            StreamOperation::Wait(event) => {
                let before = capture.before_events.get(&event).into_iter().flatten();
                let more: Vec<u64> = before
                    .filter(|node| !last.contains(node))
                    .copied()
                    .collect();
                last.extend(more);
            }
            work => {
                let handle = self.new_handle();
                let needs = std::mem::replace(last, vec![handle]);
                capture.nodes.push(Node {
                    handle,
                    needs,
                    operations: vec![work],
                    is_graph: false,
                });
            }
        }
        self.capture = Some(capture);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(address: u64) -> StreamOperation {
        let to = Rows { address, pitch: 0 };
        StreamOperation::Fill(Fill {
            to,
            width: 1,
            height: 1,
            value: 0,
            element_bytes: 1,
        })
    }

    fn order(streams: &mut Streams) -> Vec<StreamOperation> {
        std::iter::from_fn(|| streams.take(true).map(|task| task.work)).collect()
    }

    #[test]
    fn every_order_keeps_that_of_each_stream_and_of_the_default_stream() {
        let mut orders = BTreeSet::new();
        for seed in 0..50 {
            let mut streams = Streams::new(seed);
            let (a, b) = (streams.create(0, 0), streams.create(0, 0));
            for (stream, work) in [(a, 1), (b, 2), (a, 3), (DEFAULT_STREAM, 4), (b, 5)] {
                let task = streams.task(stream, fill(work), 0);
                streams.put_off(task);
            }
            let found: Vec<u64> = order(&mut streams)
                .iter()
                .map(|work| match work {
                    StreamOperation::Fill(fill) => fill.to.address,
                    _ => 0,
                })
                .collect();
            assert_eq!(found[3..], [4, 5]);
            let at = |work: u64| found.iter().position(|&other| other == work);
            assert!(at(1) < at(3));
            orders.insert(found);
        }
        assert_eq!(orders.len(), 3);
    }

    #[test]
    fn a_stream_that_waits_for_an_event_goes_on_behind_it() {
        for seed in 0..20 {
            let mut streams = Streams::new(seed);
            let (a, b) = (streams.create(1, 0), streams.create(1, 0));
            let event = streams.new_handle();
            let made = Event {
                is_timed: true,
                reached: Reached::Never,
            };
            streams.events.insert(event, made);
            let all = [
                (a, fill(1)),
                (a, StreamOperation::Record(event)),
                (b, StreamOperation::Wait(event)),
                (b, fill(2)),
            ];
            for (stream, work) in all.clone() {
                let task = streams.task(stream, work, 0);
                streams.put_off(task);
            }
            assert_eq!(order(&mut streams), all.map(|(_, work)| work));
        }
    }
}
