//! The side buffer: what the host gives an instrumented text, and what it reads back.
//!
//! It is made of 64-bit words, little-endian, zero before the launch. What is counted or recorded is for
//! one launch; a text that was not attached to a side buffer does neither.

use crate::launch::{Argument, BufferSpec, ElementType, Init, KernelSource, Launch, Number, Plan};

/// Counters of a site, in words: requests, elements, bytes, used bytes, sectors and lines in global
/// memory, bytes there outside of all buffers, requests to shared memory.
pub(super) const COUNTERS: usize = 8;
/// Words that describe a buffer.
pub(super) const RANGE_WORDS: usize = 4;
/// Words that describe a watched warp.
pub(super) const WATCH_WORDS: usize = 4;
/// Words of a record: the site and the active lanes, then each lane's bits.
pub(super) const RECORD_WORDS: usize = 33;

/// Word `at` of a side buffer; 0 behind its end.
pub(super) fn word(side: &[u8], at: usize) -> u64 {
    let bytes = side.get(8 * at..8 * at + 8);
    let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u64::from_le_bytes)
}

/// A plan with an instrumented source.
#[derive(Clone, Debug)]
pub struct InstrumentedPlan {
    /// The plan: launches that set up the side buffer stand around the instrumented one.
    pub plan: Plan,
    /// Which of its launches is instrumented.
    pub launch: usize,
    /// Which of its buffers is the side buffer.
    pub side_buffer: usize,
}

/// A launch of one thread of the text's own kernels, which are in `accesses.cuh` and `values.cuh`.
pub(super) struct SetupLaunch {
    /// Its name behind the prefix of all names that are put in.
    pub kernel: &'static str,
    pub arguments: Vec<Argument>,
}

/// How an instrumented text and its side buffer become part of a plan.
pub(super) struct Attachment<'a> {
    pub source: &'a KernelSource,
    /// What names that were put in begin with.
    pub prefix: &'a str,
    pub side_words: usize,
    /// Arguments of the kernel `attach` behind the buffer.
    pub attach: Vec<u64>,
    /// What is launched between `attach` and the launch.
    pub setup: Vec<SetupLaunch>,
}

impl Attachment<'_> {
    /// `plan` with launch `at` instrumented: its source is the text for all launches that use it, the side
    /// buffer stands behind the others, and is attached before the launch and detached behind it, so that
    /// launches of the same source that follow do nothing to it.
    pub fn apply(self, plan: &Plan, at: usize) -> InstrumentedPlan {
        let mut plan = plan.clone();
        let side_buffer = plan.buffers.len();
        plan.buffers.push(BufferSpec {
            name: format!("{}side", self.prefix),
            element: ElementType::U64,
            length: self.side_words,
            init: Init::Zero,
        });
        let source = plan.launches[at].source;
        plan.sources[source] = self.source.clone();
        let launch = |setup: SetupLaunch| Launch {
            kernel: format!("{}{}", self.prefix, setup.kernel),
            source,
            grid: [1, 1, 1],
            block: [1, 1, 1],
            shared_bytes: 0,
            arguments: setup.arguments,
        };
        let attached = attach(Argument::Buffer(side_buffer), &self.attach);
        let detached = attach(integer(0), &vec![0; self.attach.len()]);
        let before = 1 + self.setup.len();
        // First what stands behind it, so that `at` stays its index.
        plan.launches.insert(at + 1, launch(detached));
        let setup = std::iter::once(attached).chain(self.setup).map(launch);
        plan.launches.splice(at..at, setup);
        InstrumentedPlan {
            plan,
            launch: at + before,
            side_buffer,
        }
    }
}

fn attach(buffer: Argument, numbers: &[u64]) -> SetupLaunch {
    let numbers = numbers.iter().copied().map(integer);
    SetupLaunch {
        kernel: "attach",
        arguments: std::iter::once(buffer).chain(numbers).collect(),
    }
}

/// An integer argument.
pub(super) fn integer(value: u64) -> Argument {
    Argument::Number(Number::Integer(i128::from(value)))
}
