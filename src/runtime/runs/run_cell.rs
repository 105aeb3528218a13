//! A run of a cell, on the simulated GPU or on the real one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::capture_values::TRACE_STEPS;
use crate::app::{FinishedRun, Msg, RunTask};
use crate::device::DEFAULT_GPU;
use crate::engine::{self, Checks, Control, OnGpu, Options};
use crate::gpu::{Gpu, Unavailable};
use crate::launch::{Engine, Outcome};
use crate::lesson::{Cell, RunCell, comes_with_program};
use crate::runtime::events::EventSender;
use crate::runtime::setup::Setup;

/// What runs cells.
pub(crate) struct CellRunner {
    setup: Setup,
    /// The real GPU, if there is one; its worker process is started when it is first asked. Shared, since a
    /// driver may take long to start, or hang: only who wants the real GPU waits for that.
    gpu: Arc<Mutex<Gpu>>,
    events: EventSender,
    /// Whether it was said that kernels run as native code.
    has_told_native: bool,
}

impl CellRunner {
    pub fn new(setup: Setup, events: EventSender) -> Self {
        let mut gpu = Gpu::default();
        gpu.time_limit = setup.time_limit.unwrap_or(gpu.time_limit);
        CellRunner {
            setup,
            gpu: Arc::new(Mutex::new(gpu)),
            events,
            has_told_native: false,
        }
    }

    /// The real GPU, once nobody else asks it anything.
    pub fn gpu(&self) -> MutexGuard<'_, Gpu> {
        self.gpu.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says which engine cells run on at first, if none is asked for; runs on the simulated GPU do not wait
    /// for the answer.
    pub fn choose_engine(&self) {
        if self.setup.engine.is_none() {
            let gpu = self.gpu.clone();
            self.events.answer_on_thread(move || found_engine(&gpu));
        }
    }

    /// Runs a cell; nothing is said once it is cancelled.
    pub fn run(&mut self, task: &RunTask, cancel: &AtomicBool) -> Option<Msg> {
        let is_cancelled = || cancel.load(Ordering::Relaxed);
        let cell = task.lesson.cells.get(task.cell).and_then(Cell::as_run)?;
        if is_cancelled() {
            return None;
        }
        let options = self.options(task);
        let (job, events) = (task.job, self.events.clone());
        let progress = |progress| {
            let progress = Box::new(progress);
            events.message(Msg::Progress { job, progress });
        };
        let preparing = |preparing| {
            events.message(Msg::Preparing { job, preparing });
        };
        let control = Control {
            cancel,
            progress: &progress,
            preparing: &preparing,
        };
        let ran = |outcome| Arc::new(judged(task, cell, &options, outcome));
        if let (Some(outcome), false) = (self.counted(task, &options, &control), is_cancelled()) {
            let ran = ran(outcome);
            events.message(Msg::Counted { job, ran });
        }
        let result = self.execute(task, &options, &control);
        (!is_cancelled()).then(|| Msg::Finished {
            job,
            result: result.map(ran),
        })
    }

    /// What comes before the result while a slider moves: counts without the caches' model are there several times
    /// sooner.
    fn counted(&mut self, task: &RunTask, options: &Options, control: &Control) -> Option<Outcome> {
        if !task.settles || task.engine != Engine::Sim {
            return None;
        }
        let counting = Options {
            model_caches: false,
            ..options.clone()
        };
        self.execute(task, &counting, control).ok()
    }

    fn options(&mut self, task: &RunTask) -> Options {
        Options {
            gpu: self.simulated_gpu(task),
            watch: Some(task.watch),
            trace_steps: TRACE_STEPS,
            time_limit: self.setup.time_limit,
            checks: match task.checks || self.setup.check {
                true => Checks::ALL,
                false => Checks::NONE,
            },
            ..Options::default()
        }
    }

    /// The GPU to simulate: the one that is asked for, or one like the real GPU, or the usual one.
    fn simulated_gpu(&mut self, task: &RunTask) -> String {
        if let Some(asked) = &task.gpu {
            return asked.clone();
        }
        let facts = match task.engine {
            Engine::Gpu => self.gpu().probe(false).ok(),
            Engine::Sim => None,
        };
        // A real GPU that the table does not have is compared with the usual one.
        let real = facts.as_ref().and_then(|facts| facts.usable().ok()?.row());
        real.map_or(DEFAULT_GPU, |row| &row.id).to_owned()
    }

    /// Says once where the kernel of a lesson that did not come with the program runs as code of the machine. What a
    /// learner edits is nobody else's.
    fn tell_native(&mut self, task: &RunTask) {
        let cell = task.lesson.cells.get(task.cell);
        let Some(Cell::Run(cell)) = cell.filter(|_| !self.has_told_native) else {
            return;
        };
        if !comes_with_program(&cell.source) {
            self.has_told_native = true;
            let text =
                "this kernel runs as native code on the GPU; :real GPU goes back to simulating it";
            self.events.message(Msg::Notice(text.to_owned()));
        }
    }

    /// Runs on the engine that was asked for; where there is no real GPU, says why and what to do.
    fn execute(
        &mut self,
        task: &RunTask,
        options: &Options,
        control: &Control,
    ) -> Result<Outcome, String> {
        if task.engine == Engine::Sim {
            return engine::run(&task.plan, options, control).map_err(|error| error.to_string());
        }
        self.tell_native(task);
        let on = OnGpu {
            gpu: &mut self.gpu(),
            timing: Some(self.setup.timing),
            counters: self.setup.counters,
            // Loading PyTorch takes seconds, and who presses enter waits for a result.
            runs_python: false,
            or_simulate: false,
            is_counted: true,
            // The notebook shows launches; stages of a run are shorter than a glance.
            stage: &mut |_| {},
        };
        let ran = engine::run_on_gpu(&task.plan, options, control, on);
        ran.map_err(|error| error.to_string())?.map_err(|why| {
            format!(
                "No real GPU: {why}. :real GPU goes back to the simulated one; `tutor doctor` says what helps."
            )
        })
    }
}

/// Which engine the machine has. That there is no driver is nothing to tell a learner.
fn found_engine(gpu: &Mutex<Gpu>) -> Option<Msg> {
    let facts = gpu
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .probe(false);
    Some(match facts.as_ref().and_then(|facts| facts.usable()) {
        Ok(gpu) => Msg::Engine {
            engine: Engine::Gpu,
            why: format!(
                "engine: gpu, since there is a working {}; :real GPU switches",
                gpu.name
            ),
            found: gpu.row().map(|row| row.id.clone()),
        },
        Err(Unavailable::NoDriver) => return None,
        Err(why) => Msg::Engine {
            engine: Engine::Sim,
            why: format!("engine: sim, since {why}"),
            found: None,
        },
    })
}

/// What ran, held against the cell's formulas and reference and beside what is recorded of it.
fn judged(task: &RunTask, cell: &RunCell, options: &Options, outcome: Outcome) -> FinishedRun {
    let mut result = cell.check_outcome(&task.sizes, outcome);
    result.checked = options.checks == Checks::ALL;
    FinishedRun {
        job: task.job,
        plan: task.plan.clone(),
        watch: task.watch,
        edited: task.edited,
        result: cell.with_recorded(&task.lesson.id, result),
    }
}
