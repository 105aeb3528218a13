//! The thread that runs kernels.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::buffer_summary::summary;
use super::capture_values::{TRACE_STEPS, capture};
use super::compare_counts::compare_counts;
use crate::app::{EditComparison, Msg, Ran, RunTask};
use crate::device::DEFAULT_GPU;
use crate::engine::{self, Checks, Control, OnGpu, Options};
use crate::gpu::{Gpu, Unavailable};
use crate::launch::{Engine, Outcome};
use crate::lesson::{Cell, Lesson, Sizes};
use crate::runtime::events::Event;
use crate::runtime::setup::Setup;

/// Time without moves after which a slider rests.
const REST: Duration = Duration::from_millis(60);

/// What the thread is given, and what stops it.
type Asked = (Work, Arc<AtomicBool>);

/// What the thread is given.
enum Work {
    Run(RunTask),
    Capture(Arc<Ran>),
    CompareEdit(EditComparison),
}

/// The worker, seen from outside.
pub(crate) struct Worker {
    tasks: Sender<Asked>,
    /// The latest run, and what stops it.
    latest: Option<(u64, Arc<AtomicBool>)>,
    events: Sender<Event>,
}

impl Worker {
    /// Starts the thread.
    pub fn start(setup: Setup, events: Sender<Event>) -> Self {
        let (tasks, inbox) = mpsc::channel::<Asked>();
        let answers = events.clone();
        thread::spawn(move || {
            let mut real = Gpu::default();
            real.time_limit = setup.time_limit;
            if setup.engine.is_none() {
                choose_engine(&mut real, &answers);
            }
            let mut last = None;
            while let Ok(work) = inbox.recv() {
                let (work, cancel) = settle(work, &inbox, &mut last);
                let on = (&setup, &mut real);
                let work = AssertUnwindSafe(|| match work {
                    Work::Run(task) => perform(on, &task, &cancel, &answers),
                    Work::Capture(ran) => capture(ran, on.1, &cancel, &answers),
                    Work::CompareEdit(asked) => compare_counts(asked, &cancel, &answers),
                });
                if panic::catch_unwind(work).is_err() {
                    let _ = answers.send(Event::Panicked);
                    return;
                }
            }
        });
        Worker {
            tasks,
            latest: None,
            events,
        }
    }

    /// Asks for a run; the one before is stopped.
    pub fn run(&mut self, task: RunTask) {
        if let Some((_, cancel)) = &self.latest {
            cancel.store(true, Ordering::Relaxed);
        }
        let cancel = Arc::new(AtomicBool::new(false));
        self.latest = Some((task.job, cancel.clone()));
        let _ = self.tasks.send((Work::Run(task), cancel));
    }

    /// Asks for the values of a run, unless another was asked for since.
    pub fn capture(&self, ran: Arc<Ran>) {
        if let Some((latest, cancel)) = &self.latest
            && *latest == ran.job
        {
            let _ = self.tasks.send((Work::Capture(ran), cancel.clone()));
        }
    }

    /// Asks for what the original of an edited run counts, unless another run was asked for since.
    pub fn compare_edit(&self, asked: EditComparison) {
        if let Some((latest, cancel)) = &self.latest
            && *latest == asked.ran.job
        {
            let _ = self.tasks.send((Work::CompareEdit(asked), cancel.clone()));
        }
    }

    /// Stops run `job`, and its capture, if it is the latest.
    pub fn cancel(&self, job: u64) {
        if let Some((latest, cancel)) = &self.latest
            && *latest == job
        {
            cancel.store(true, Ordering::Relaxed);
        }
    }

    /// Asks for the summary of a buffer. It takes its own thread: a run may take long.
    pub fn summarise(&self, ran: Arc<Ran>, buffer: usize, columns: usize) {
        let events = self.events.clone();
        thread::spawn(move || {
            let work = AssertUnwindSafe(|| {
                let values = ran.result.outcome.buffers.get(buffer)?;
                Some(summary(values, columns))
            });
            let event = match panic::catch_unwind(work) {
                Ok(None) => return,
                Ok(Some(summary)) => Event::Session(Box::new(Msg::Summarised {
                    job: ran.job,
                    buffer,
                    summary,
                })),
                Err(_) => Event::Panicked,
            };
            let _ = events.send(event);
        });
    }
}

/// Of runs that follow moves of a slider, the last one: waits until the slider rests. The first move
/// after a rest does not wait. What another run has replaced is stopped already.
fn settle(mut work: Asked, inbox: &Receiver<Asked>, last: &mut Option<Instant>) -> Asked {
    let moved = |work: &Asked| matches!(&work.0, Work::Run(task) if task.settles);
    let rested = last.is_none_or(|last: Instant| last.elapsed() > REST);
    if moved(&work) {
        *last = Some(Instant::now());
        let mut rests = Instant::now() + REST;
        while !rested && moved(&work) {
            let wait = rests.saturating_duration_since(Instant::now());
            match inbox.recv_timeout(wait) {
                Ok(newer) => work = newer,
                Err(_) => break,
            }
            *last = Some(Instant::now());
            rests = Instant::now() + REST;
        }
    }
    work
}

impl Worker {
    /// Reads what is recorded of the lesson on the GPU called `id`.
    pub fn recall(&self, lesson: Arc<Lesson>, id: String) {
        self.answer(lesson, move |lesson| Msg::Recalled {
            samples: lesson.recorded_samples(&id),
        });
    }

    /// Has the blocks run of the figure in cell `cell`.
    pub fn replay(&self, lesson: Arc<Lesson>, cell: usize, sizes: Sizes, gpu: String) {
        self.answer(lesson, move |lesson| {
            let replayed = match lesson.cells.get(cell) {
                Some(Cell::Figure(figure)) => figure.replayed(lesson, &sizes, &gpu),
                _ => None,
            };
            let replayed = replayed.map_or_else(
                || Err("this figure shows no blocks".to_owned()),
                |replayed| replayed.map_err(|error| error.to_string()),
            );
            Msg::Replayed {
                cell,
                sizes,
                gpu,
                replayed,
            }
        });
    }

    /// Sends what `work` gives for `lesson`, and is dropped if another is open by then. It takes its own
    /// thread: a run may take long.
    fn answer(&self, lesson: Arc<Lesson>, work: impl FnOnce(&Lesson) -> Msg + Send + 'static) {
        let events = self.events.clone();
        thread::spawn(move || {
            let work = AssertUnwindSafe(|| work(&lesson));
            let event = match panic::catch_unwind(work) {
                Ok(msg) => Event::Session(Box::new(Msg::About {
                    lesson: lesson.clone(),
                    msg: Box::new(msg),
                })),
                Err(_) => Event::Panicked,
            };
            let _ = events.send(event);
        });
    }
}

/// Says which engine cells run on at first. That there is no driver is nothing to tell a learner.
fn choose_engine(real: &mut Gpu, events: &Sender<Event>) {
    let facts = real.probe(false);
    let usable = facts.as_ref().ok().and_then(|facts| facts.usable().ok());
    let found = usable.and_then(|gpu| Some(gpu.row()?.id.clone()));
    let (engine, why) = match facts.as_ref().and_then(|facts| facts.usable()) {
        Ok(gpu) => (
            Engine::Gpu,
            format!(
                "engine: gpu, since there is a working {}; e switches",
                gpu.name
            ),
        ),
        Err(Unavailable::NoDriver) => return,
        Err(why) => (Engine::Sim, format!("engine: sim, since {}", why.message())),
    };
    let _ = events.send(Event::Session(Box::new(Msg::Engine { engine, why, found })));
}

fn perform(
    (setup, real): (&Setup, &mut Gpu),
    task: &RunTask,
    cancel: &AtomicBool,
    events: &Sender<Event>,
) {
    if cancel.load(Ordering::Relaxed) {
        return;
    }
    let Some(Cell::Run(cell)) = task.lesson.cells.get(task.cell) else {
        return;
    };
    let checked = task.checks || setup.check;
    let options = Options {
        gpu: simulated(task.gpu.as_deref(), task.engine, real),
        model_caches: true,
        threads: thread::available_parallelism().map_or(1, usize::from),
        watch: Some(task.watch),
        trace_steps: TRACE_STEPS,
        checks: match checked {
            true => Checks::ALL,
            false => Checks::NONE,
        },
        ..Options::default()
    };
    let job = task.job;
    let progress = |progress| {
        let progress = Box::new(progress);
        let _ = events.send(Event::Session(Box::new(Msg::Progress { job, progress })));
    };
    let control = Control {
        cancel,
        progress: &progress,
    };
    let ran = |outcome| {
        let mut result = cell.judge(&task.sizes, outcome);
        result.checked = checked;
        Arc::new(Ran {
            job,
            plan: task.plan.clone(),
            watch: task.watch,
            edited: task.edited,
            result: cell.recall(&task.lesson.id, result),
        })
    };
    if task.settles && task.engine == Engine::Sim {
        let counting = Options {
            model_caches: false,
            ..options.clone()
        };
        let counted = run(task, &counting, &control, (setup, real));
        if let (Ok(outcome), false) = (counted, cancel.load(Ordering::Relaxed)) {
            let ran = ran(outcome);
            let _ = events.send(Event::Session(Box::new(Msg::Counted { job, ran })));
        }
    }
    let result = run(task, &options, &control, (setup, real));
    if cancel.load(Ordering::Relaxed) {
        return;
    }
    let result = result.map(ran);
    let _ = events.send(Event::Session(Box::new(Msg::Finished { job, result })));
}

/// The GPU to simulate: the one that is asked for, or one like the real GPU, or the usual one.
fn simulated(asked: Option<&str>, engine: Engine, real: &mut Gpu) -> String {
    let like_real = || {
        let facts = real.probe(false).ok()?;
        Some(facts.usable().ok()?.row()?.id.as_str())
    };
    let beside = asked.or_else(|| (engine == Engine::Gpu).then(like_real)?);
    beside.unwrap_or(DEFAULT_GPU).to_owned()
}

/// Runs on the engine that was asked for; where there is no real GPU, says why and what to do.
fn run(
    task: &RunTask,
    options: &Options,
    control: &Control,
    (setup, gpu): (&Setup, &mut Gpu),
) -> Result<Outcome, String> {
    if task.engine == Engine::Sim {
        return engine::run(&task.plan, options, control).map_err(|error| error.to_string());
    }
    let on = OnGpu {
        gpu,
        timing: Some(setup.timing),
        counters: setup.counters,
        or_simulate: false,
        stage: &mut |_| {},
    };
    let ran = engine::run_on_gpu(&task.plan, options, control, on);
    ran.map_err(|error| error.to_string())?.map_err(|why| {
        let message = why.message();
        format!(
            "No real GPU: {message}. Press e for the simulated one; `tutor doctor` says what helps."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::sample_lesson;
    use crate::launch::Watch;
    use crate::lesson::Sizes;

    fn asked(job: u64, settles: bool) -> Asked {
        let task = RunTask {
            job,
            lesson: Arc::new(sample_lesson()),
            cell: 0,
            plan: Arc::default(),
            sizes: Sizes::new(),
            watch: Watch::default(),
            engine: Engine::Sim,
            edited: false,
            gpu: None,
            settles,
            checks: false,
        };
        (Work::Run(task), Arc::default())
    }

    fn job((work, _): &Asked) -> u64 {
        match work {
            Work::Run(task) => task.job,
            Work::Capture(ran) => ran.job,
            Work::CompareEdit(asked) => asked.ran.job,
        }
    }

    #[test]
    fn of_moves_that_follow_each_other_the_first_and_the_last_run() {
        let (outbox, inbox) = mpsc::channel();
        let mut last = None;
        for at in 2..5 {
            outbox.send(asked(at, true)).expect("is open");
        }
        let first = settle(asked(1, true), &inbox, &mut last);
        assert_eq!(job(&first), 1, "nothing is gained by waiting after a rest");
        let next = inbox.recv().expect("is there");
        assert_eq!(job(&settle(next, &inbox, &mut last)), 4);
        let enter = settle(asked(5, false), &inbox, &mut last);
        assert_eq!(job(&enter), 5);
    }
}
