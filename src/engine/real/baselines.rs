//! What others take for what a plan does: NVIDIA's libraries, PyTorch, and Triton's own code for the plan's kernels.

use std::sync::atomic::AtomicBool;

use crate::engine::options::Control;
use crate::gpu::{
    BaselineRun, Gpu, HardwareCounts, NoCounters, PythonArgument, PythonJob, PythonLaunch, Stage,
    TimingChoice, python_counters,
};
use crate::launch::{
    Agreement, Argument, Baseline, BaselineOutcome, BufferValues, Launch, LaunchOutcome, Number,
    Operation, Outcome, Plan, Report, TensorMap, Timing, WARP_LANES, Work, Yardsticks,
};
use crate::source::{Diagnostic, Span, is_python};

/// The baselines of a plan.
pub(crate) struct Baselines<'a> {
    plan: &'a Plan,
    cancel: &'a AtomicBool,
    /// Whether Python may run the plan's files.
    runs_python: bool,
}

/// What came of one.
pub(crate) struct TimedBaseline {
    run: BaselineRun,
    /// Of Triton, what its kernels left in the plan's buffers.
    buffers: Vec<BufferValues>,
}

impl<'a> Baselines<'a> {
    /// Of a plan; `runs_python` is whether Python may run its files.
    pub fn new(plan: &'a Plan, control: &Control<'a>, runs_python: bool) -> Self {
        Baselines {
            plan,
            cancel: control.cancel,
            runs_python,
        }
    }

    /// Reads the hardware's counters of Triton's own code, where that is one of the baselines.
    pub fn read_counters(&self, outcome: &mut Outcome) {
        let mut baselines = self.plan.baselines.iter().filter(|_| self.runs_python);
        let triton = baselines.find(|baseline| baseline.operation == Operation::Triton);
        let job = triton.and_then(|triton| python_job(self.plan, triton, TimingChoice::Flushed));
        if let Some(job) = job {
            give_counters(python_counters(&job), outcome, |launch, counters| {
                launch.real.triton = counters;
            });
        }
    }

    /// Times them, one after the other; nothing of a run that is not timed.
    pub fn time(
        &self,
        timing: Option<TimingChoice>,
        gpu: &mut Gpu,
        stage: &mut dyn FnMut(Stage),
    ) -> Vec<TimedBaseline> {
        let Some(choice) = timing else {
            return Vec::new();
        };
        let mut time = |baseline: &Baseline| match baseline.operation.runs_in_python() {
            true => self.time_in_python(baseline, choice, gpu),
            false => {
                let run = gpu.time(baseline, choice, self.cancel, stage)?;
                Some(TimedBaseline::without_buffers(run))
            }
        };
        // It ends with the first that was cancelled; what was measured stays.
        self.plan.baselines.iter().map_while(&mut time).collect()
    }

    fn time_in_python(
        &self,
        baseline: &Baseline,
        choice: TimingChoice,
        gpu: &mut Gpu,
    ) -> Option<TimedBaseline> {
        let refused = |why: &str| {
            Some(TimedBaseline::without_buffers(BaselineRun::without_times(
                why,
            )))
        };
        if !self.runs_python {
            return refused(
                "Python runs only for `tutor run lesson ID --plain`, and for your own files with `tutor run kernel`",
            );
        }
        let Some(job) = python_job(self.plan, baseline, choice) else {
            return refused("the kernel is not one of Triton's");
        };
        let (run, buffers) = gpu.time_in_python(&job, self.cancel)?;
        Some(TimedBaseline { run, buffers })
    }
}

impl TimedBaseline {
    fn without_buffers(run: BaselineRun) -> Self {
        TimedBaseline {
            run,
            buffers: Vec::new(),
        }
    }

    /// What is to be told of it. `ours` is what the plan's kernels left in its buffers, `work` what they had to do,
    /// where that was counted.
    pub fn outcome(
        self,
        asked: &Baseline,
        work: Option<Work>,
        ours: &[BufferValues],
        yardsticks: &Yardsticks,
    ) -> BaselineOutcome {
        let (library, version) = self
            .run
            .library
            .map(|found| (found.path, found.version))
            .unzip();
        let (ms, reason) = match self.run.measured {
            Ok(ms) => (ms, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        let both = ours.iter().zip(&self.buffers);
        BaselineOutcome {
            name: asked.operation.title().to_owned(),
            baseline: asked.clone(),
            library,
            version,
            timing: match asked.operation {
                // It does the work of the plan itself.
                Operation::Triton => Timing::measured(&ms, work, yardsticks),
                _ => asked.timing(&ms, yardsticks),
            },
            reason,
            max_abs_error: self.run.max_abs_error,
            agreement: both
                .map(|(ours, theirs)| Agreement::of(ours, theirs))
                .collect(),
        }
    }
}

/// What Python is to run for a baseline of the plan; nothing where Triton is asked for and a kernel is not its.
pub(crate) fn python_job(
    plan: &Plan,
    baseline: &Baseline,
    timing: TimingChoice,
) -> Option<PythonJob> {
    let is_triton = baseline.operation == Operation::Triton;
    let launches = plan.launches.iter().filter(|_| is_triton);
    Some(PythonJob {
        baseline: baseline.clone(),
        launches: launches
            .map(|launch| python_launch(plan, launch))
            .collect::<Option<_>>()?,
        buffers: if is_triton {
            plan.buffers.clone()
        } else {
            Vec::new()
        },
        timing,
    })
}

fn python_launch(plan: &Plan, launch: &Launch) -> Option<PythonLaunch> {
    let source = &plan.sources[launch.source];
    let arguments = launch.arguments.iter().map(|argument| match *argument {
        Argument::Buffer(buffer) | Argument::TensorMap(TensorMap { buffer, .. }) => {
            PythonArgument::Buffer(buffer)
        }
        Argument::Number(Number::Integer(number)) => PythonArgument::Integer(number),
        Argument::Number(Number::Float(number)) => PythonArgument::Float(number),
    });
    is_python(source.file.name()).then(|| PythonLaunch {
        text: source.file.text().to_owned(),
        kernel: launch.kernel.clone(),
        grid: launch.grid,
        warps: launch.block[0] / WARP_LANES as u32,
        stages: source.tiles.stages,
        is_general: source.tiles.is_general,
        constants: source.defines.clone(),
        arguments: arguments.collect(),
    })
}

/// Gives each launch its counters, and says whether there were any; if not, a warning says why.
pub(crate) fn give_counters(
    read: Result<Vec<HardwareCounts>, NoCounters>,
    outcome: &mut Outcome,
    give: impl Fn(&mut LaunchOutcome, HardwareCounts),
) -> bool {
    match read {
        Ok(read) => {
            let launches = outcome.launches.iter_mut().zip(read);
            launches.for_each(|(launch, counters)| give(launch, counters));
            true
        }
        Err(why) => {
            let warning = Diagnostic::warning(Span::default(), why.message).help(why.help);
            outcome.reports.push(Report {
                source: 0,
                diagnostic: warning,
            });
            false
        }
    }
}
