//! Which thread stored an element of a buffer last.

use super::stepper::{Following, HISTORY_BYTES, Stepper, StepperError};
use super::visits::{Watched, block_visits};
use crate::engine::options::{Control, Options};
use crate::launch::{AccessKind, Dim3, Plan};
use crate::simt::{Cursor, GlobalMemory, History, MemoryKind};
use crate::source::Span;

/// The thread that stored an element last, and the statement in which it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBy {
    /// Index of the launch.
    pub launch: usize,
    /// Index of the block in its grid.
    pub block: Dim3,
    /// The warp in the block.
    pub warp: u32,
    /// The lane in the warp.
    pub lane: u32,
    /// The statement.
    pub span: Span,
}

/// Runs `plan` again, and says who stored `element` of buffer `buffer` last; nothing if nobody did, or the block did more
/// than a history keeps.
///
/// # Errors
/// That the plan does not run to its end, or that the machine got something wrong.
pub fn stored_by(
    plan: &Plan,
    buffer: usize,
    element: u64,
    options: &Options,
    control: &Control,
) -> Result<Option<StoredBy>, StepperError> {
    let watched = Watched {
        loads: &[],
        output: buffer,
    };
    for launch in (0..plan.launches.len()).rev() {
        let visits = block_visits(plan, launch, watched, options, control)?;
        let stored = |visit: &crate::launch::BlockVisit| {
            visit.stored.iter().any(|range| range.contains(&element))
        };
        // Blocks run in some order; of several that store it any may have been last.
        if let Some(number) = visits.iter().rposition(stored) {
            let block = block_at(number as u64, plan.launches[launch].grid);
            let bytes = plan.buffers[buffer].element.size_bytes() as u64;
            let stepper = Stepper::new(plan, launch, options, control)?;
            let address = GlobalMemory::address(buffer) + element * bytes;
            return Ok(in_block(&stepper, block, address, control)
                .map(|found| StoredBy { launch, ..found }));
        }
    }
    Ok(None)
}

fn block_at(number: u64, [x, y, _]: Dim3) -> Dim3 {
    let (x, y) = (u64::from(x.max(1)), u64::from(y.max(1)));
    [number % x, number / x % y, number / (x * y)].map(|at| at as u32)
}

/// The thread of `block` that stored what is at `address` last.
fn in_block(stepper: &Stepper, block: Dim3, address: u64, control: &Control) -> Option<StoredBy> {
    let record = |warp| {
        let following = Following {
            block,
            warp,
            most_bytes: HISTORY_BYTES,
        };
        stepper.record(following, control.cancel).ok()
    };
    // A history knows the stores of all warps, but lanes only of the one that it follows.
    let warp = record(0)?.last_writer(address)?;
    let history = record(warp)?;
    let cursors = (0..history.len()).rev().filter_map(|at| history.cursor(at));
    let (cursor, lane) = cursors
        .filter_map(|cursor| Some((cursor, storing_lane(&history, cursor, address)?)))
        .next()?;
    Some(StoredBy {
        launch: 0,
        block,
        warp,
        lane,
        span: history.statement(cursor).span,
    })
}

/// The last lane that stores to `address` in a step.
fn storing_lane(history: &History, cursor: Cursor, address: u64) -> Option<u32> {
    let accesses = history.accesses(cursor).into_iter();
    let mut stores = accesses.filter(|access| {
        access.memory == MemoryKind::Global && access.site.kind == AccessKind::Store
    });
    stores.find_map(|access| {
        let width = u64::from(access.site.width_bytes);
        let covers = |lane: &u32| {
            let first = access.addresses[*lane as usize];
            access.active >> lane & 1 == 1 && (first..first + width).contains(&address)
        };
        (0..32).rev().find(covers)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{Argument, BufferSpec, ElementType, Init, KernelSource, Launch, Number};
    use crate::source::SourceFile;

    const KERNEL: &str = "\
__global__ void set(float* y, int first, int count) {
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = 2.0f * i;
    }
}
";

    fn plan() -> Plan {
        let launch = |first: i128, blocks: u32| Launch {
            kernel: "set".to_owned(),
            source: 0,
            grid: [blocks, 1, 1],
            block: [64, 1, 1],
            shared_bytes: 0,
            arguments: vec![
                Argument::Buffer(0),
                Argument::Number(Number::Integer(first)),
                Argument::Number(Number::Integer(150)),
            ],
        };
        Plan {
            sources: vec![KernelSource::new(
                SourceFile::new("set.cu", KERNEL),
                Vec::new(),
            )],
            buffers: vec![BufferSpec {
                name: "y".to_owned(),
                element: ElementType::F32,
                length: 200,
                init: Init::One,
            }],
            launches: vec![launch(0, 3), launch(100, 1)],
            ..Plan::default()
        }
    }

    #[test]
    fn the_last_store_is_told_with_its_launch_block_lane_and_line() {
        let by = |element| {
            let (options, control) = (Options::default(), Control::default());
            stored_by(&plan(), 0, element, &options, &control).expect("runs")
        };
        let of = |element| {
            let by = by(element).expect("is stored");
            (by.launch, by.block, by.warp, by.lane)
        };
        assert_eq!(of(0), (0, [0, 0, 0], 0, 0));
        assert_eq!(of(99), (0, [1, 0, 0], 1, 3));
        // The second launch stores it again.
        assert_eq!(of(149), (1, [0, 0, 0], 1, 17));
        assert_eq!(by(150), None);
        let span = by(5).expect("is stored").span;
        assert_eq!(&KERNEL[span.range()], "y[i] = 2.0f * i");
    }
}
