//! Which engine runs what a command asks for.

use std::time::Duration;

use crate::cli::options::{EngineArguments, EngineChoice};
use crate::cli::output::{Output, Stop};
use crate::device::{self, DEFAULT_GPU, gpu_or_usual};
use crate::engine::{Control, InstrumentedRun, OnGpu, Options, run, run_on_gpu};
use crate::gpu::{Gpu, TimingChoice, Unavailable};
use crate::launch::{Ending, Engine, Outcome, Plan, Progress};
use crate::lesson::comes_with_program;

/// The engine that a command line chose.
pub(crate) struct Runner {
    gpu: Option<Gpu>,
    /// What a timed run finds in the L2 cache; nothing is timed without it.
    timing: Option<TimingChoice>,
    counters: bool,
    verify_counts: bool,
    /// Whether Python may run a kernel's file, which is native code, for a baseline.
    pub runs_python: bool,
    /// Whether PTX is shown.
    pub ptx: bool,
    /// How plans are simulated, also beside a real GPU; the watched warp's values are compared there.
    pub simulation: Options,
    /// Whether the simulated GPU will do where the real one does not work after all.
    may_fall_back: bool,
    /// Whether it was said that kernels run as native code.
    has_told_native: bool,
}

impl Runner {
    /// Chooses, with all that a command line says of a run.
    pub fn new(arguments: &EngineArguments, output: &Output) -> Result<Self, Stop> {
        let asked = arguments.gpu.as_deref();
        let mut chosen = Runner::choose(arguments.engine, asked, arguments.time_limit, output)?;
        chosen.simulation.watch = arguments.watch;
        Ok(Runner {
            timing: Some(arguments.l2.into()),
            counters: arguments.counters,
            verify_counts: arguments.verify_counts,
            ptx: arguments.ptx,
            ..chosen
        })
    }

    /// Chooses what runs plans once and shows no more of them than their results. `auto` says what it chose
    /// and why; `asked` is the GPU to simulate.
    pub fn choose(
        engine: EngineChoice,
        asked: Option<&str>,
        time_limit: Option<Duration>,
        output: &Output,
    ) -> Result<Self, Stop> {
        let mut runner = Runner::simulating(DEFAULT_GPU, time_limit);
        runner.may_fall_back = engine == EngineChoice::Auto;
        (runner.gpu, runner.simulation.gpu) = real_gpu(engine, asked, time_limit, output)?;
        Ok(runner)
    }

    fn simulating(gpu: &str, time_limit: Option<Duration>) -> Self {
        Runner {
            gpu: None,
            timing: None,
            counters: false,
            verify_counts: false,
            runs_python: false,
            ptx: false,
            simulation: Options {
                gpu: gpu.to_owned(),
                time_limit,
                ..Options::default()
            },
            may_fall_back: false,
            has_told_native: false,
        }
    }

    /// Runners that work at the same time, each like this one: as many as there are cores and `tasks`, or this one alone
    /// with a real GPU, which would give times that others disturb.
    pub fn side_by_side(self, tasks: usize) -> Vec<Runner> {
        if self.gpu.is_some() {
            return vec![self];
        }
        let options = &self.simulation;
        let another = |_| Runner::simulating(&options.gpu, options.time_limit);
        (0..options.threads.min(tasks).max(1))
            .map(another)
            .collect()
    }

    /// Its row of the table.
    pub fn gpu(&self) -> &'static device::Gpu {
        gpu_or_usual(&self.simulation.gpu)
    }

    /// Which GPU is simulated.
    pub fn simulated(&self) -> &str {
        &self.simulation.gpu
    }

    /// Which engine it is.
    pub fn engine(&self) -> Engine {
        match self.gpu {
            Some(_) => Engine::Gpu,
            None => Engine::Sim,
        }
    }

    /// Runs `plan`.
    pub fn run(
        &mut self,
        plan: &Plan,
        options: &Options,
        output: &Output,
    ) -> Result<Outcome, Stop> {
        self.tell_native(plan, output);
        output.progress.begin();
        let preparing = |preparing| output.progress.preparing(preparing);
        let progress = |progress: Progress| output.progress.launch(&progress);
        let control = Control {
            preparing: &preparing,
            progress: &progress,
            ..Control::default()
        };
        let ran = self.run_watched(plan, options, &control, output);
        output.progress.clear();
        ran
    }

    fn run_watched(
        &mut self,
        plan: &Plan,
        options: &Options,
        control: &Control,
        output: &Output,
    ) -> Result<Outcome, Stop> {
        if let Some(gpu) = &mut self.gpu {
            let on = OnGpu {
                gpu,
                timing: self.timing,
                counters: self.counters,
                runs_python: self.runs_python || are_own(plan),
                or_simulate: self.may_fall_back,
                is_counted: true,
                stage: &mut |_| {},
            };
            match run_on_gpu(plan, options, control, on).map_err(failed)? {
                Ok(mut outcome) => {
                    self.look_inside(plan, options, control, &mut outcome)?;
                    return Ok(outcome);
                }
                Err(why) if self.may_fall_back => fell_back(&why, output),
                Err(why) => return Err(refusal(&why)),
            }
            // It will not work for the next cell either: said once, not for each.
            self.gpu = None;
        }
        if self.verify_counts {
            let message = "--verify-counts compares with a real GPU, and there is none";
            return Err(Stop::Usage(message.to_owned()));
        }
        run(plan, options, control).map_err(failed)
    }

    /// Says once where a kernel that did not come with the program is about to run as code of the machine: the
    /// simulated GPU only reads it.
    fn tell_native(&mut self, plan: &Plan, output: &Output) {
        if self.gpu.is_none() || self.has_told_native {
            return;
        }
        if !are_own(plan) {
            self.has_told_native = true;
            output.message(RUNS_AS_NATIVE_CODE);
        }
    }

    /// Refuses a result without values of a real GPU, measured or recorded, where they were asked for.
    pub fn check_watch(&self, outcome: &Outcome) -> Result<(), Stop> {
        let is_compared = outcome
            .launches
            .iter()
            .any(|launch| launch.real.compared.is_some());
        // A run that failed has said so; its values are not what is wrong.
        let is_missing = outcome.engine == Engine::Sim && outcome.ending == Ending::Finished;
        if self.simulation.watch.is_none() || is_compared || !is_missing {
            return Ok(());
        }
        let message = "--watch compares with a real GPU: there is none, and no values of this warp are \
                       recorded at these sizes";
        Err(Stop::Usage(message.to_owned()))
    }

    /// Runs instrumented texts as far as they were asked for.
    fn look_inside(
        &mut self,
        plan: &Plan,
        options: &Options,
        control: &Control,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        // A run that did not finish has nothing to compare.
        let Some(gpu) = self
            .gpu
            .as_mut()
            .filter(|_| outcome.ending == Ending::Finished)
        else {
            return Ok(());
        };
        let mut run = InstrumentedRun {
            plan,
            options,
            control,
            gpu,
        };
        if self.verify_counts {
            let counted = run.count_accesses().map_err(failed)?;
            for (launch, counted) in outcome.launches.iter_mut().zip(counted) {
                launch.real.counted = Some(counted);
            }
        }
        if let Some(watch) = self.simulation.watch {
            let compared = run.compare_values(watch, outcome).map_err(failed)?;
            for (launch, compared) in outcome.launches.iter_mut().zip(compared) {
                launch.real.compared = compared;
            }
        }
        Ok(())
    }
}

/// Whether all that runs came with the program.
fn are_own(plan: &Plan) -> bool {
    let mut sources = plan.sources.iter();
    sources.all(|source| comes_with_program(&source.file))
}

/// What is said before text that did not come with the program runs on a real GPU.
pub(super) const RUNS_AS_NATIVE_CODE: &str =
    "kernels run as native code on the GPU; --engine sim only simulates them";

pub(crate) fn failed(error: impl std::fmt::Display) -> Stop {
    Stop::Failed(error.to_string())
}

/// The real GPU that runs kernels, if one does, and the row of the table of GPUs that is simulated and described: the one
/// that was asked for, or the real one's. `auto` says what it chose and why.
pub(super) fn real_gpu(
    engine: EngineChoice,
    asked: Option<&str>,
    time_limit: Option<Duration>,
    output: &Output,
) -> Result<(Option<Gpu>, String), Stop> {
    let row = asked.unwrap_or(DEFAULT_GPU).to_owned();
    if engine == EngineChoice::Sim {
        return Ok((None, row));
    }
    let may_fall_back = engine == EngineChoice::Auto;
    let mut gpu = Gpu::default();
    gpu.time_limit = time_limit.unwrap_or(gpu.time_limit);
    let facts = gpu.probe(false);
    match facts.as_ref().and_then(|facts| facts.usable()) {
        Ok(found) => {
            if may_fall_back {
                output.message(&format!(
                    "engine: gpu, since there is a working {}",
                    found.name
                ));
            }
            let of_found = found.row().filter(|_| asked.is_none());
            let row = of_found.map_or(row, |found| found.id.clone());
            Ok((Some(gpu), row))
        }
        Err(why) if may_fall_back => {
            fell_back(why, output);
            Ok((None, row))
        }
        Err(why) => Err(refusal(why)),
    }
}

fn fell_back(why: &Unavailable, output: &Output) {
    output.message(&format!("engine: sim, since {why}"));
}

pub(crate) fn refusal(why: &Unavailable) -> Stop {
    Stop::Failed(format!(
        "{why}
  {}",
        why.help()
    ))
}
