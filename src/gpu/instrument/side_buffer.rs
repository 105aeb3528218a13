//! The side buffer: what the host gives an instrumented text, and what it reads back.
//!
//! It is made of 64-bit words, little-endian, zero before the launch. What is counted or kept is for
//! one launch; a text that was not attached to a side buffer does neither.

use crate::launch::{Argument, BufferSpec, ElementType, Init, KernelSource, Launch, Number, Plan};

/// Counters of a site, in words: requests, elements, bytes, used bytes, sectors and lines in global
/// memory, bytes there outside of all buffers, requests to shared memory.
pub(crate) const COUNTERS: usize = 8;
/// Words that describe a buffer.
pub(crate) const RANGE_WORDS: usize = 4;
/// Words that describe a watched warp.
pub(crate) const WATCH_WORDS: usize = 4;
/// Words of a record: the site and the active lanes, then each lane's bits.
pub(crate) const RECORD_WORDS: usize = 33;

/// Word `at` of a side buffer; 0 behind its end.
pub(crate) fn word(side: &[u8], at: usize) -> u64 {
    let bytes = side.get(8 * at..8 * at + 8);
    let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u64::from_le_bytes)
}

/// A plan with an instrumented source, and where its side buffer and launch are.
pub(crate) struct Sided {
    pub plan: Plan,
    pub launch: usize,
    pub buffer: usize,
}

/// A launch of one thread of a text's own kernels.
pub(crate) struct Setup {
    pub kernel: String,
    pub arguments: Vec<Argument>,
}

/// An integer argument.
pub(crate) fn integer(value: u64) -> Argument {
    Argument::Number(Number::Integer(i128::from(value)))
}

/// `plan` with launch `at` instrumented: its source is `source` for all launches that use it, a side
/// buffer of so many words stands behind the others, and `setup` runs before and `after` behind the
/// launch.
pub(crate) fn sided(
    plan: &Plan,
    at: usize,
    source: &KernelSource,
    name: &str,
    words: usize,
    (setup, after): (Vec<Setup>, Setup),
) -> Sided {
    let mut plan = plan.clone();
    let index = plan.launches[at].source;
    plan.sources[index] = source.clone();
    plan.buffers.push(BufferSpec {
        name: name.to_owned(),
        element: ElementType::U64,
        length: words,
        init: Init::Zero,
    });
    let one = [1, 1, 1];
    let launch = |setup: Setup| Launch {
        kernel: setup.kernel,
        source: index,
        grid: one,
        block: one,
        shared_bytes: 0,
        arguments: setup.arguments,
    };
    plan.launches.insert(at + 1, launch(after));
    let before = setup.len();
    plan.launches.splice(at..at, setup.into_iter().map(launch));
    Sided {
        launch: at + before,
        buffer: plan.buffers.len() - 1,
        plan,
    }
}
