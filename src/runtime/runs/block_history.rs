//! The thread that steps through blocks, so that looking into one never waits for a run.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use crate::app::{Inside, Msg, Ran};
use crate::engine::{Control, Following, HISTORY_BYTES, Options, Stepper, StepperError};
use crate::launch::{BufferValues, Ending, Plan, Watch};
use crate::runtime::events::Event;

/// A block asked for.
struct Task {
    ran: Arc<Ran>,
    launch: usize,
    watch: Watch,
    cancel: Arc<AtomicBool>,
}

/// The thread, seen from outside.
pub(crate) struct Looker {
    tasks: Sender<Task>,
    latest: Arc<AtomicBool>,
}

impl Looker {
    /// Starts the thread.
    pub fn start(events: Sender<Event>) -> Self {
        let (tasks, inbox) = mpsc::channel::<Task>();
        thread::spawn(move || {
            let mut held = None;
            for task in inbox {
                let work = AssertUnwindSafe(|| look(&task, &mut held));
                let event = match panic::catch_unwind(work) {
                    Ok(None) => continue,
                    Ok(Some(result)) => Event::Session(Box::new(Msg::Looked {
                        of: (task.ran.job, task.launch, task.watch),
                        result: result.map(Arc::new),
                    })),
                    Err(_) => Event::Panicked,
                };
                if events.send(event).is_err() {
                    return;
                }
            }
        });
        Looker {
            tasks,
            latest: Arc::default(),
        }
    }

    /// Asks for a block; one asked for before is dropped.
    pub fn look(&mut self, ran: Arc<Ran>, launch: usize, watch: Watch) {
        self.latest.store(true, Ordering::Relaxed);
        let cancel = Arc::new(AtomicBool::new(false));
        self.latest = cancel.clone();
        let _ = self.tasks.send(Task {
            ran,
            launch,
            watch,
            cancel,
        });
    }
}

/// A launch held at its beginning: any of its blocks is at hand.
struct Held {
    plan: Arc<Plan>,
    launch: usize,
    stepper: Stepper,
    begun: Arc<Vec<BufferValues>>,
}

/// The block's history; nothing if another was asked for meanwhile.
fn look(task: &Task, held: &mut Option<Held>) -> Option<Result<Inside, String>> {
    let is_cancelled = || task.cancel.load(Ordering::Relaxed);
    if is_cancelled() {
        return None;
    }
    let is_held =
        |held: &Held| Arc::ptr_eq(&held.plan, &task.ran.plan) && held.launch == task.launch;
    if !held.as_ref().is_some_and(is_held) {
        // Memory of another launch is given back before this one takes its own.
        *held = None;
        match hold(task) {
            Ok(new) => *held = Some(new),
            Err(_) if is_cancelled() => return None,
            Err(why) => return Some(Err(why)),
        }
    }
    let held = held.as_ref()?;
    let following = Following {
        block: task.watch.block,
        warp: task.watch.warp,
        most_bytes: HISTORY_BYTES,
    };
    let history = held.stepper.record(following, &task.cancel);
    if is_cancelled() {
        return None;
    }
    let of = (task.ran.job, task.launch, task.watch);
    Some(match history {
        Ok(history) => Ok(Inside::new(of, history, held.begun.clone())),
        Err(diagnostic) => Err(diagnostic.message),
    })
}

fn hold(task: &Task) -> Result<Held, String> {
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
            "a launch before this one fails: the counts say why".to_owned()
        }
        StepperError::Ended(_) => "the launches before this one do not end".to_owned(),
    })?;
    Ok(Held {
        plan: task.ran.plan.clone(),
        launch: task.launch,
        begun: Arc::new(stepper.begun()),
        stepper,
    })
}
