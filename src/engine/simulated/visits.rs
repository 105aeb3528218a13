//! Which block of a launch touches what, taken from a run of it.

use std::ops::Range;

use super::caches::Closing;
use super::run::Simulated;
use super::stepper::{StepperError, run_before};
use crate::engine::options::{Control, Options};
use crate::launch::{AccessKind, BlockVisit, Ending, Plan, Report, Tiling, volume};
use crate::memory::{AccessLog, LINE_BYTES, LineAccess, LogQueue};
use crate::simt::{End, GlobalMemory, Run};

/// What to tell of each block.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'a> {
    /// Buffers whose loads are told, cut into tiles.
    pub loads: &'a [Tiling],
    /// The buffer whose stores are told: an index into the plan's.
    pub output: usize,
}

/// Runs `plan` up to launch `launch` and tells of each of its blocks, in order of their numbers, which
/// tiles of the watched buffers it loads from and which elements of the output it stores.
///
/// # Errors
/// That the plan does not get as far, or that the machine got something wrong.
pub fn block_visits(
    plan: &Plan,
    launch: usize,
    watched: Watched,
    options: &Options,
    control: &Control,
) -> Result<Vec<BlockVisit>, StepperError> {
    let element_bytes: Vec<u64> = plan
        .buffers
        .iter()
        .map(|buffer| buffer.element.size_bytes() as u64)
        .collect();
    let options = options.plain();
    run_before(plan, launch, &options, control, |begun| {
        let machine = Simulated {
            options: &options,
            control,
            memory: &begun.memory,
        };
        let taken = |log: &AccessLog| visit(log, watched, &element_bytes);
        let (ran, visits) = collected(taken, |queue| {
            machine.launch(launch, begun.prepared, Some(queue))
        });
        let mut outcome = begun.outcome;
        match ran.end {
            End::Finished if visits.len() as u64 == volume(begun.prepared.launch.grid) => {
                return Ok(visits);
            }
            // The queue has given up: a log of one block would have filled memory.
            End::Finished => outcome.ending = Ending::Exhausted,
            End::Cancelled => outcome.ending = Ending::Cancelled,
            End::Fault(diagnostic) | End::OutOfFuel(diagnostic) => {
                let source = begun.prepared.launch.source;
                outcome.ending = Ending::Failed;
                outcome.reports.push(Report { source, diagnostic });
            }
        }
        Err(StepperError::Ended(Box::new(outcome)))
    })
}

/// What `run` gives, which must feed the queue, and what `taken` makes of each block's log.
fn collected(
    taken: impl Fn(&AccessLog) -> BlockVisit + Sync,
    run: impl FnOnce(&LogQueue) -> Run,
) -> (Run, Vec<BlockVisit>) {
    // Exact ones tell which bytes a load reads: the sectors that it moves may hold elements of other tiles.
    let queue = LogQueue::exact();
    std::thread::scope(|scope| {
        let collecting = scope.spawn(|| {
            let logs = std::iter::from_fn(|| queue.take());
            let visits = logs.map(|log| {
                let visit = taken(&log);
                queue.recycle(log);
                visit
            });
            visits.collect()
        });
        let ran = {
            let _closing = Closing(&queue);
            run(&queue)
        };
        let visits = collecting.join();
        (
            ran,
            visits.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    })
}

/// Runs of stored elements that are kept before neighbours among them are put together.
const LEAST_JOINED: usize = 4096;

fn visit(log: &AccessLog, watched: Watched, element_bytes: &[u64]) -> BlockVisit {
    let mut visit = BlockVisit::default();
    let mut seen = std::collections::HashSet::new();
    // Joined now and then: a block that stores the same elements again and again stores no more of them.
    let mut most_apart = LEAST_JOINED;
    let mut at = 0;
    while let Some((access, next)) = log.access(at) {
        at = next;
        let Some((buffer, offset)) = place(&access) else {
            continue;
        };
        let Some(&size) = element_bytes.get(buffer) else {
            continue;
        };
        for elements in runs(&access, offset, size) {
            if access.kind == AccessKind::Store {
                if buffer == watched.output {
                    visit.stored.push(elements);
                    if visit.stored.len() >= most_apart {
                        visit.stored = joined(std::mem::take(&mut visit.stored));
                        most_apart = LEAST_JOINED + 2 * visit.stored.len();
                    }
                }
                continue;
            }
            let of_buffer = watched
                .loads
                .iter()
                .enumerate()
                .filter(|(_, tiling)| tiling.buffer == buffer);
            for (index, tiling) in of_buffer {
                let new = tiling.tiles_of(elements.clone()).map(|tile| (index, tile));
                visit.loaded.extend(new.filter(|&tile| seen.insert(tile)));
            }
        }
    }
    visit.stored = joined(std::mem::take(&mut visit.stored));
    visit
}

/// The buffer that a line is in, and where in it.
fn place(access: &LineAccess) -> Option<(usize, u64)> {
    // Each buffer has an address range of its own, of this size, the first one behind address 0.
    let stride = GlobalMemory::address(0);
    let buffer = (access.line / stride).checked_sub(1)?;
    Some((buffer as usize, access.line % stride))
}

/// Runs of neighbouring elements among the bytes of an access to the line at `offset`.
fn runs(access: &LineAccess, offset: u64, size: u64) -> Vec<Range<u64>> {
    let mut runs: Vec<Range<u64>> = Vec::new();
    let mut byte = 0;
    while byte < LINE_BYTES {
        let rest = access.bytes >> byte;
        if rest == 0 {
            break;
        }
        byte += u64::from(rest.trailing_zeros());
        let length = u64::from((!(access.bytes >> byte)).trailing_zeros()).min(LINE_BYTES - byte);
        let first = offset + byte;
        runs.push(first / size..(first + length).div_ceil(size));
        byte += length;
    }
    runs
}

/// The same elements in order, with neighbours put together.
fn joined(mut elements: Vec<Range<u64>>) -> Vec<Range<u64>> {
    elements.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in elements {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}
