//! One block seen from inside: all that it did, statement by statement.
//!
//! A run keeps the first statements of one warp (a trace), which is there as soon as the run ends. The
//! history of a block holds more: every statement, each access with its addresses, and who wrote what;
//! it is asked for when somebody looks, and takes the trace's place when it comes. Both number the
//! statements alike.

use std::collections::HashMap;
use std::sync::Arc;

use crate::app::state::ValueRange;
use crate::app::state::inspector::value_range::shared_ranges;
use crate::launch::{BufferValues, LaneValues, Trace, ValueType, WARP_LANES, Watch};
use crate::simt::{Cursor, History, MemoryKind};

/// Which block's history: of a run, a launch, and the block with the warp whose statements are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryKey {
    /// The run.
    pub job: u64,
    /// Index of the launch.
    pub launch: usize,
    /// The block, and the warp whose statements are kept.
    pub watch: Watch,
}

/// All that one block of a launch did.
#[derive(Debug)]
pub struct BlockHistory {
    /// Whose history it is.
    pub key: HistoryKey,
    /// What it did.
    pub history: History,
    /// The buffers as the launch began with them.
    pub begun: Arc<Vec<BufferValues>>,
    /// By step, what is worth a mark on the timeline.
    pub marks: Vec<StepMark>,
    /// By allocation of the kernel, what shared memory holds at any step.
    pub shared_ranges: Vec<ValueRange>,
    /// By line, the last step on it.
    last_visits: HashMap<u32, usize>,
}

/// What a step is, on a timeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepMark {
    /// Number of active lanes.
    pub active: u8,
    /// Whether the warp reached a barrier.
    pub barrier: bool,
    /// Whether it accessed global memory.
    pub global: bool,
    /// Whether it accessed shared memory.
    pub shared: bool,
    /// Lanes that loaded.
    pub loads: u32,
    /// Lanes that stored.
    pub stores: u32,
}

impl BlockHistory {
    /// The history of a block, whose launch began with the buffers `begun`.
    pub fn new(key: HistoryKey, history: History, begun: Arc<Vec<BufferValues>>) -> Self {
        let cursors = (0..history.len()).filter_map(|at| history.cursor(at));
        let mut last_visits = HashMap::new();
        let marks = cursors.map(|cursor| {
            // The last one wins: whoever looks for a line further on only asks whether there is one.
            last_visits.insert(history.statement(cursor).line, cursor.at());
            let (loads, stores) = history.accessing(cursor);
            let mut mark = StepMark {
                loads,
                stores,
                active: history.active(cursor).count_ones() as u8,
                barrier: history.meets_barrier(cursor),
                ..StepMark::default()
            };
            for memory in history.memories(cursor) {
                mark.global |= memory == MemoryKind::Global;
                mark.shared |= memory == MemoryKind::Shared;
            }
            mark
        });
        BlockHistory {
            marks: marks.collect(),
            shared_ranges: shared_ranges(&history),
            last_visits,
            key,
            history,
            begun,
        }
    }

    /// Whether the warp comes to `line` after step `step`.
    pub fn comes_to(&self, line: u32, step: usize) -> bool {
        self.last_visits.get(&line).is_some_and(|&last| last > step)
    }
}

/// The history of a block as a cell holds it.
#[derive(Clone, Debug, Default)]
pub struct LoadedHistory {
    /// The latest that came.
    pub loaded: Option<Arc<BlockHistory>>,
    /// Why none came for what was asked last.
    pub error: Option<String>,
    /// What was asked for last.
    pub(crate) asked: Option<HistoryKey>,
}

/// The statements of a warp, from its block's history or from the run's trace.
#[derive(Clone, Copy, Debug)]
pub enum WarpSteps<'a> {
    /// What the run kept.
    Traced(&'a Trace),
    /// All of it.
    Recorded(&'a BlockHistory),
}

/// A variable of the source.
#[derive(Clone, Copy, Debug)]
pub struct SourceVariable<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type as the source has it.
    pub type_name: &'a str,
    /// How to read its bits.
    pub value_type: ValueType,
}

impl<'a> WarpSteps<'a> {
    /// The history, if that is what is walked through.
    pub fn block_history(self) -> Option<&'a BlockHistory> {
        match self {
            WarpSteps::Traced(_) => None,
            WarpSteps::Recorded(block) => Some(block),
        }
    }

    /// The history and its cursor at a step.
    pub fn cursor(self, step: usize) -> Option<(&'a BlockHistory, Cursor)> {
        let block = self.block_history()?;
        Some((block, block.history.cursor(step)?))
    }

    /// Number of steps.
    pub fn steps(self) -> usize {
        match self {
            WarpSteps::Traced(trace) => trace.steps.len(),
            WarpSteps::Recorded(block) => block.history.len(),
        }
    }

    /// Whether the warp went on after the last step.
    pub fn is_truncated(self) -> bool {
        match self {
            WarpSteps::Traced(trace) => trace.truncated,
            WarpSteps::Recorded(block) => block.history.is_truncated(),
        }
    }

    /// The warp.
    pub fn watch(self) -> Watch {
        match self {
            WarpSteps::Traced(trace) => trace.watch,
            WarpSteps::Recorded(block) => block.key.watch,
        }
    }

    /// Line of a step, from 1.
    pub fn line(self, step: usize) -> Option<u32> {
        match self {
            WarpSteps::Traced(trace) => Some(trace.steps.get(step)?.line),
            WarpSteps::Recorded(block) => {
                let cursor = block.history.cursor(step)?;
                Some(block.history.statement(cursor).line)
            }
        }
    }

    /// Lanes that executed a step.
    pub fn active(self, step: usize) -> u32 {
        match self {
            WarpSteps::Traced(trace) => trace.steps.get(step).map_or(0, |step| step.active),
            WarpSteps::Recorded(block) => {
                let cursor = block.history.cursor(step);
                cursor.map_or(0, |cursor| block.history.active(cursor))
            }
        }
    }

    /// Number of variables.
    pub fn variables(self) -> usize {
        match self {
            WarpSteps::Traced(trace) => trace.variables.len(),
            WarpSteps::Recorded(block) => block.history.kernel().variables.len(),
        }
    }

    /// A variable.
    pub fn variable(self, index: usize) -> Option<SourceVariable<'a>> {
        match self {
            WarpSteps::Traced(trace) => trace.variables.get(index).map(|of| SourceVariable {
                name: &of.name,
                type_name: &of.type_name,
                value_type: of.value_type,
            }),
            WarpSteps::Recorded(block) => {
                let variables = &block.history.kernel().variables;
                variables.get(index).map(|of| SourceVariable {
                    name: &of.name,
                    type_name: &of.type_name,
                    value_type: of.value_type,
                })
            }
        }
    }

    /// Whether a variable exists at a step: its scope has begun and not ended.
    pub fn is_alive(self, variable: usize, step: usize) -> bool {
        // A trace of one warp does not know the scopes of the source.
        let Some((block, cursor)) = self.cursor(step) else {
            return true;
        };
        let kernel = block.history.kernel();
        let of = kernel.variables.get(variable);
        of.is_some_and(|of| {
            kernel
                .source
                .is_alive(&of.declaration, block.history.statement(cursor))
        })
    }

    /// What a variable holds in each lane after a step; nothing if it has no value yet.
    pub fn value(self, variable: usize, step: usize) -> Option<LaneValues> {
        match self {
            WarpSteps::Traced(trace) => trace.value(variable, step).copied(),
            WarpSteps::Recorded(block) => {
                let cursor = block.history.cursor(step)?;
                block.history.value(cursor, variable)
            }
        }
    }

    /// Lanes in which a step changed a variable; of one that had no value, those that executed it.
    pub fn changed(self, variable: usize, step: usize) -> u32 {
        let Some(new) = self.value(variable, step) else {
            return 0;
        };
        let before = step.checked_sub(1);
        // Nothing before it: all lanes that run have just got a value.
        let Some(old) = before.and_then(|before| self.value(variable, before)) else {
            return self.active(step);
        };
        (0..WARP_LANES).fold(0, |lanes, lane| {
            lanes | u32::from(new[lane] != old[lane]) << lane
        })
    }
}
