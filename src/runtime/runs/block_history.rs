//! The thread that steps through blocks, so that looking into one never waits for a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use super::priority::give_way;
use crate::app::{BlockHistory, FinishedRun, HistoryKey, Msg};
use crate::engine::{Control, Following, HISTORY_BYTES, Options, Stepper, StepperError};
use crate::launch::{BufferValues, Ending, Plan, Watch};
use crate::runtime::events::EventSender;

/// A block asked for.
struct BlockTask {
    ran: Arc<FinishedRun>,
    launch: usize,
    watch: Watch,
    cancel: Arc<AtomicBool>,
}

impl BlockTask {
    fn key(&self) -> HistoryKey {
        HistoryKey {
            job: self.ran.job,
            launch: self.launch,
            watch: self.watch,
        }
    }
}

/// The thread that records the histories of blocks, seen from outside.
pub(crate) struct BlockRecorder {
    tasks: Sender<BlockTask>,
    /// Stops what was asked for last.
    cancel: Arc<AtomicBool>,
}

impl BlockRecorder {
    /// Starts the thread.
    pub fn start(events: EventSender) -> Self {
        let (tasks, inbox) = mpsc::channel::<BlockTask>();
        thread::spawn(move || {
            give_way();
            let mut launch = None;
            for task in inbox {
                let is_heard = events.answer(|| {
                    let result = record(&task, &mut launch)?;
                    Some(Msg::HistoryLoaded {
                        of: task.key(),
                        result: result.map(Arc::new),
                    })
                });
                // The notebook has ended.
                if !is_heard {
                    return;
                }
            }
        });
        BlockRecorder {
            tasks,
            cancel: Arc::default(),
        }
    }

    /// Asks for a block; one asked for before is dropped.
    pub fn record(&mut self, ran: Arc<FinishedRun>, launch: usize, watch: Watch) {
        self.cancel.store(true, Ordering::Relaxed);
        self.cancel = Arc::default();
        let _ = self.tasks.send(BlockTask {
            ran,
            launch,
            watch,
            cancel: self.cancel.clone(),
        });
    }
}

/// A launch at its beginning, from which any of its blocks can be stepped through without running those
/// before it again.
struct SteppedLaunch {
    plan: Arc<Plan>,
    launch: usize,
    stepper: Stepper,
    /// The buffers at the launch's beginning.
    buffers: Arc<Vec<BufferValues>>,
}

/// The block's history; nothing if another was asked for meanwhile. `launch` is that of the task before, and
/// is used again where it is the same.
fn record(
    task: &BlockTask,
    launch: &mut Option<SteppedLaunch>,
) -> Option<Result<BlockHistory, String>> {
    let is_cancelled = || task.cancel.load(Ordering::Relaxed);
    if is_cancelled() {
        return None;
    }
    let is_same = |launch: &SteppedLaunch| {
        Arc::ptr_eq(&launch.plan, &task.ran.plan) && launch.launch == task.launch
    };
    if !launch.as_ref().is_some_and(is_same) {
        // Memory of another launch is given back before this one takes its own.
        *launch = None;
        match begin(task) {
            Ok(new) => *launch = Some(new),
            Err(_) if is_cancelled() => return None,
            Err(why) => return Some(Err(why)),
        }
    }
    let launch = launch.as_ref()?;
    let following = Following {
        block: task.watch.block,
        warp: task.watch.warp,
        most_bytes: HISTORY_BYTES,
    };
    let history = launch.stepper.record(following, &task.cancel);
    if is_cancelled() {
        return None;
    }
    let of = task.key();
    Some(match history {
        Ok(history) => Ok(BlockHistory::new(of, history, launch.buffers.clone())),
        Err(diagnostic) => Err(diagnostic.message),
    })
}

/// Runs the launches before the one that is asked for.
fn begin(task: &BlockTask) -> Result<SteppedLaunch, String> {
    let options = Options {
        gpu: task.ran.result.outcome.simulated.clone(),
        ..Options::default()
    };
    let control = Control {
        cancel: &task.cancel,
        ..Control::default()
    };
    let stepper = Stepper::new(&task.ran.plan, task.launch, &options, &control);
    let stepper = stepper.map_err(|error| match error {
        StepperError::Run(error) => error.to_string(),
        StepperError::Ended(outcome) if outcome.ending == Ending::Failed => {
            "an earlier launch fails: Counts says why".to_owned()
        }
        StepperError::Ended(_) => "the earlier launches do not end".to_owned(),
    })?;
    Ok(SteppedLaunch {
        plan: task.ran.plan.clone(),
        launch: task.launch,
        buffers: Arc::new(stepper.begun()),
        stepper,
    })
}
