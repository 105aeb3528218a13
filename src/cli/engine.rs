//! Which engine runs what a command asks for.

use std::sync::atomic::AtomicBool;

use super::arguments::{EngineChoice, L2State, RunArguments};
use super::output::{Output, Stop};
use crate::engine::{Control, OnGpu, Options, run, run_on_gpu};
use crate::gpu::{Gpu, TimingChoice, Unavailable};
use crate::launch::{Engine, Outcome, Plan};

/// The engine that a command line chose.
pub(super) struct Runner {
    gpu: Option<Gpu>,
    timing: TimingChoice,
    counters: bool,
    /// Whether the simulated GPU will do where the real one does not work after all.
    may_fall_back: bool,
}

impl Runner {
    /// Chooses. `auto` says what it chose and why.
    pub fn new(arguments: &RunArguments, output: &Output) -> Result<Self, Stop> {
        let mut runner = Runner {
            gpu: None,
            timing: match arguments.l2 {
                L2State::Flushed => TimingChoice::Flushed,
                L2State::Warm => TimingChoice::Warm,
            },
            counters: arguments.counters,
            may_fall_back: arguments.engine == EngineChoice::Auto,
        };
        if arguments.engine == EngineChoice::Sim {
            return Ok(runner);
        }
        let mut gpu = Gpu::default();
        gpu.time_limit = arguments.time_limit;
        let facts = gpu.probe(false);
        let usable = facts.as_ref().and_then(|facts| facts.usable());
        match usable {
            Ok(found) => {
                if runner.may_fall_back {
                    output.message(&format!("engine: gpu, since there is an {}", found.name));
                }
                runner.gpu = Some(gpu);
            }
            Err(why) if runner.may_fall_back => fell_back(why, output),
            Err(why) => return Err(refusal(why)),
        }
        Ok(runner)
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
        let control = Control {
            cancel: &AtomicBool::new(false),
            progress: &|_| {},
        };
        let failed = |error: crate::engine::RunError| Stop::Failed(error.to_string());
        if let Some(gpu) = &mut self.gpu {
            let on = OnGpu {
                gpu,
                timing: Some(self.timing),
                counters: self.counters,
                stage: &mut |_| {},
            };
            match run_on_gpu(plan, options, &control, on).map_err(failed)? {
                Ok(outcome) => return Ok(outcome),
                Err(why) if self.may_fall_back => fell_back(&why, output),
                Err(why) => return Err(refusal(&why)),
            }
            self.gpu = None;
        }
        run(plan, options, &control).map_err(failed)
    }
}

fn fell_back(why: &Unavailable, output: &Output) {
    output.message(&format!("engine: sim, since {}", why.message()));
}

fn refusal(why: &Unavailable) -> Stop {
    Stop::Failed(format!("{}\n  {}", why.message(), why.help()))
}
