//! The program's side of the worker process: starts it, sends it requests, and ends it when it takes
//! too long or nobody wants its answer any more.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::lines::lines;
use super::protocol::{
    Answer, BaselineRun, CompiledPtx, Facts, Failure, Finished, Job, PtxSource, Request, Stage,
    Startup, TimingChoice, Unavailable, pipe, printed,
};
use super::python_process::Python;
use crate::launch::Baseline;

/// The command of this program that becomes a worker.
pub const WORKER_COMMAND: &str = "gpu-worker";

/// How long a kernel may run unless somebody says otherwise.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);
/// How long everything but kernels and the start may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a waiting program looks whether it is still wanted.
const POLL: Duration = Duration::from_millis(20);

/// A GPU behind a worker process, which is started when it is needed.
#[derive(Debug)]
pub struct Gpu {
    /// How long a kernel may run.
    pub time_limit: Duration,
    /// The program whose command becomes a worker; nothing for the one that runs.
    pub program: Option<PathBuf>,
    pub(super) worker: Option<WorkerProcess>,
    /// Who runs what takes PyTorch or Triton.
    pub(super) python: Python,
}

impl Default for Gpu {
    fn default() -> Self {
        Gpu {
            time_limit: TIME_LIMIT,
            program: None,
            worker: None,
            python: Python::default(),
        }
    }
}

/// What a plan left on the GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuRun {
    /// Bytes of the plan's buffers, then of the symbols of each source.
    pub buffers: Vec<Vec<u8>>,
    /// What each launch printed.
    pub printed: Vec<String>,
    /// What else came back.
    pub finished: Finished,
}

/// Why nothing came back.
#[derive(Clone, Debug, PartialEq)]
pub enum GpuError {
    /// There is nothing to run on.
    Unavailable(Unavailable),
    /// The plan cannot run, or failed.
    Failed(Failure),
    /// Nobody wanted it any more.
    Cancelled,
}

/// A worker process that runs.
#[derive(Debug)]
pub(super) struct WorkerProcess {
    child: Child,
    socket: UnixStream,
    answers: Receiver<io::Result<(Answer, Vec<u8>)>>,
    /// Lines that kernels print, and marks between them.
    printed: Receiver<String>,
    /// Lines of the driver's complaints.
    complaints: Receiver<String>,
    /// What it said last.
    stage: Stage,
}

impl Gpu {
    /// What there is; whether to look for the libraries of the baselines as well, which takes longer.
    pub fn probe(&mut self, with_baselines: bool) -> Result<Facts, Unavailable> {
        let request = Request::Probe(with_baselines);
        match self.ask(&request, &AtomicBool::new(false), &mut |_| {}) {
            Ok((Answer::Probed(facts), _)) => Ok(*facts),
            Err(GpuError::Unavailable(why)) => Err(why),
            Err(GpuError::Failed(failure)) => Err(Unavailable::Worker(why(failure))),
            other => Err(Unavailable::Worker(format!("it answered {other:?}"))),
        }
    }

    /// Compiles kernels of texts to PTX for an architecture such as `compute_75`.
    pub fn compile_to_ptx(
        &mut self,
        sources: Vec<PtxSource>,
        architecture: &str,
    ) -> Result<CompiledPtx, GpuError> {
        let request = Request::CompileToPtx(sources, architecture.to_owned());
        match self.ask(&request, &AtomicBool::new(false), &mut |_| {})?.0 {
            Answer::CompiledToPtx(compiled) => Ok(compiled),
            other => Err(self.unexpected(&other)),
        }
    }

    /// The program whose command becomes a worker.
    pub(super) fn program(&self) -> io::Result<PathBuf> {
        self.program.clone().map_or_else(std::env::current_exe, Ok)
    }

    /// Runs `job`. `progress` hears of each stage.
    pub fn run(
        &mut self,
        job: &Job,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(Stage),
    ) -> Result<GpuRun, GpuError> {
        let request = Request::Run(Box::new(job.clone()));
        let (answer, buffers) = self.ask(&request, cancel, progress)?;
        match (answer, &self.worker) {
            (Answer::Finished(finished), Some(worker)) => Ok(GpuRun {
                buffers,
                // The worker's standard output is what kernels print, and marks between launches.
                printed: printed::by_launch(worker.printed(), job.launches.len()),
                finished: *finished,
            }),
            (other, _) => Err(self.unexpected(&other)),
        }
    }

    /// Times an operation of NVIDIA's libraries; nothing if nobody wants it any more. Whatever fails is
    /// only why it has no times.
    pub fn time(
        &mut self,
        baseline: &Baseline,
        choice: TimingChoice,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(Stage),
    ) -> Option<BaselineRun> {
        let request = Request::Time(baseline.clone(), choice);
        let run = match self.ask(&request, cancel, progress) {
            Ok((Answer::Timed(run), _)) => run,
            Ok((other, _)) => BaselineRun::without_times(format!("the worker answered {other:?}")),
            Err(GpuError::Cancelled) => return None,
            Err(GpuError::Unavailable(why)) => BaselineRun::without_times(why),
            Err(GpuError::Failed(failure)) => {
                let notes = failure.notes.join("; ");
                BaselineRun::without_times(format!("{}: {notes}", failure.message))
            }
        };
        if run.measured.is_err() && run.library.is_some() {
            // After a fault every later call of that process would fail.
            self.worker = None;
        }
        Some(run)
    }

    /// Sends a request without bytes and waits for its last answer, and for the buffers before it.
    fn ask(
        &mut self,
        request: &Request,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(Stage),
    ) -> Result<(Answer, Vec<Vec<u8>>), GpuError> {
        self.ask_with(request, &[], cancel, progress)
    }

    /// Sends a request with `bytes` and waits for its last answer, and for the buffers before it.
    pub(super) fn ask_with(
        &mut self,
        request: &Request,
        bytes: &[u8],
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(Stage),
    ) -> Result<(Answer, Vec<Vec<u8>>), GpuError> {
        let worker = match &mut self.worker {
            Some(worker) => worker,
            None => {
                let started = self.program();
                let started = started.and_then(|program| WorkerProcess::start(&program));
                self.worker.insert(started.map_err(of_io)?)
            }
        };
        // Each stage has a limit of its own; the worker says when the next begins.
        worker.stage = Stage::Starting(Startup::Worker);
        let sent = pipe::send(&mut worker.socket, request, bytes);
        let answered = sent.and_then(|()| worker.listen(cancel, self.time_limit, progress));
        match answered {
            // The worker ends behind these: see `serve`.
            Ok((Answer::Failed(mut failure), _)) => {
                // The driver tells a failed assertion on standard error.
                let complaints = self.worker.take().map(WorkerProcess::end);
                failure.notes.extend(complaints.unwrap_or_default());
                Err(GpuError::Failed(failure))
            }
            Ok((Answer::Unavailable(why), _)) => {
                self.worker = None;
                Err(GpuError::Unavailable(why))
            }
            Ok(answered) => Ok(answered),
            Err(error) => Err(self.give_up(request, &error)),
        }
    }

    /// Ends a worker that does not answer; why it does not.
    fn give_up(&mut self, request: &Request, error: &io::Error) -> GpuError {
        let worker = self.worker.take();
        let Some(worker) = worker.filter(|_| error.kind() != io::ErrorKind::Interrupted) else {
            return GpuError::Cancelled;
        };
        let job = match request {
            Request::Run(job) | Request::LoadProgram(job) => Some(&**job),
            Request::Probe(_)
            | Request::Step(_)
            | Request::Time(..)
            | Request::CompileToPtx(..) => None,
        };
        match (error.kind(), worker.stage) {
            (io::ErrorKind::TimedOut, Stage::Starting(step)) => {
                GpuError::Unavailable(Unavailable::Hangs(step))
            }
            (io::ErrorKind::TimedOut, stage) => {
                GpuError::Failed(too_long(stage, limit(stage, self.time_limit), job))
            }
            _ => GpuError::Failed(lost(worker, job, error)),
        }
    }

    /// Ends a worker that answers something else than what it was asked.
    pub(super) fn unexpected(&mut self, answer: &Answer) -> GpuError {
        self.worker = None;
        of_io(io::Error::other(format!("it answered {answer:?}")))
    }
}

/// Why a worker did not say what there is.
fn why(failure: Failure) -> String {
    match failure.notes.is_empty() {
        true => failure.message,
        false => failure.notes.join("; "),
    }
}

/// What is said of a worker that did not answer in time.
fn too_long(stage: Stage, limit: Duration, job: Option<&Job>) -> Failure {
    let (launch, source, what) = doing(stage, job);
    let help =
        "run it with `--engine sim`: it finds loops that do not end; or choose smaller sizes";
    Failure {
        launch,
        source,
        message: format!("{what} took longer than {limit:?} and was stopped"),
        notes: Vec::new(),
        help: launch.map(|_| help.to_owned()),
        driver_error: None,
    }
}

/// What is said of a worker that is gone.
fn lost(mut worker: WorkerProcess, job: Option<&Job>, error: &io::Error) -> Failure {
    let status = worker.child.wait().ok();
    let how = match status.map(|status| (status.signal(), status.code())) {
        Some((Some(signal), _)) => format!("it was ended by signal {signal}"),
        Some((None, Some(code))) => format!("it ended with code {code}"),
        _ => error.to_string(),
    };
    let (launch, source, what) = doing(worker.stage, job);
    let mut notes = vec![how];
    notes.extend(worker.end());
    Failure {
        launch,
        source,
        message: format!("the GPU's worker process was lost in {what}"),
        notes,
        help: Some("run it again: the next run starts a new one".to_owned()),
        driver_error: None,
    }
}

impl WorkerProcess {
    fn start(program: &Path) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut child = Command::new(program)
            .arg(WORKER_COMMAND)
            // Both ways through one socket: standard output belongs to the kernels' `printf`.
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        // The thread ends with the stream, which ends with the worker.
        let mut from = ours.try_clone()?;
        let (send, answers) = mpsc::channel();
        thread::spawn(move || {
            loop {
                let received = pipe::receive(&mut from);
                let is_last = received.is_err();
                if send.send(received).is_err() || is_last {
                    return;
                }
            }
        });
        Ok(WorkerProcess {
            printed: lines(child.stdout.take()),
            complaints: lines(child.stderr.take()),
            child,
            socket: ours,
            answers,
            stage: Stage::Starting(Startup::Worker),
        })
    }

    /// Waits for a worker that ends; what it complained about.
    fn end(mut self) -> Vec<String> {
        let _ = self.child.wait();
        self.complaints.iter().collect()
    }

    /// Lines that kernels print, as long as any come.
    pub(super) fn printed(&self) -> impl Iterator<Item = String> + '_ {
        std::iter::from_fn(|| self.printed.recv_timeout(PATIENCE).ok())
    }

    /// Listens until the last answer. `TimedOut` is a stage that takes too long, `Interrupted` a
    /// request that nobody wants any more.
    fn listen(
        &mut self,
        cancel: &AtomicBool,
        kernels: Duration,
        progress: &mut dyn FnMut(Stage),
    ) -> io::Result<(Answer, Vec<Vec<u8>>)> {
        let mut buffers = Vec::new();
        loop {
            match self.next(cancel, limit(self.stage, kernels))? {
                (Answer::Stage(stage), _) => {
                    self.stage = stage;
                    progress(stage);
                }
                (Answer::Buffer, bytes) => buffers.push(bytes),
                (last, _) => return Ok((last, buffers)),
            }
        }
    }

    fn next(&self, cancel: &AtomicBool, limit: Duration) -> io::Result<(Answer, Vec<u8>)> {
        let begin = Instant::now();
        // A channel cannot wait for the flag as well, so it is looked at again and again.
        loop {
            match self.answers.recv_timeout(POLL) {
                Ok(received) => return received,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                Err(RecvTimeoutError::Timeout) if cancel.load(Ordering::Relaxed) => {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                Err(RecvTimeoutError::Timeout) if begin.elapsed() > limit => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How long a stage may take, where kernels may take as long as `kernels`.
fn limit(stage: Stage, kernels: Duration) -> Duration {
    match stage {
        Stage::Running(_) | Stage::Timing(_) => kernels,
        Stage::Starting(step) => step.limit(),
        _ => PATIENCE,
    }
}

/// The launch and source that a stage is about, and what it does.
fn doing(stage: Stage, job: Option<&Job>) -> (Option<usize>, Option<usize>, String) {
    let kernel = |launch: usize| job.and_then(|job| job.launches.get(launch));
    match (stage, job) {
        (Stage::Running(launch), _) if let Some(kernel) = kernel(launch) => (
            Some(launch),
            Some(kernel.source),
            format!("`{}`", kernel.kernel),
        ),
        (Stage::Running(_), None) => (None, None, "a kernel".to_owned()),
        (Stage::Timing(_), Some(job)) => {
            // The whole plan is timed; where it stood is not known.
            let last = job.launches.len().saturating_sub(1);
            (Some(last), None, "a timed run".to_owned())
        }
        (Stage::Compiling(source), _) => (None, Some(source), "the compiler".to_owned()),
        (Stage::Baseline, _) => (None, None, "a baseline".to_owned()),
        (Stage::Filling, _) => (None, None, "filling the buffers".to_owned()),
        (Stage::Starting(step), _) => (None, None, step.subject().to_owned()),
        _ => (None, None, "opening the GPU".to_owned()),
    }
}

fn of_io(error: io::Error) -> GpuError {
    GpuError::Unavailable(Unavailable::Worker(error.to_string()))
}
