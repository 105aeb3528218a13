//! The worker process: it alone loads NVIDIA's libraries, so that a kernel that faults or never ends
//! takes nothing else with it.
//!
//! Requests come and answers go over standard input, which is a socket; standard output is left to
//! what kernels print. After a fault every later call of the process would fail, so it ends.

use std::any::Any;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Signal, getpid, kill_process};

use super::baseline::{Bench, Libraries};
use super::compile::compile_to_ptx;
use super::device::{self, Device};
use super::execute::execute;
use super::load::OpenGpu;
use super::nvrtc::Nvrtc;
use super::program::OpenProgram;
use crate::gpu::library::{self, CUBLAS, CUDNN, Library};
use crate::gpu::protocol::{
    Answer, BaselineRun, DriverFacts, Facts, Failure, FoundLibrary, Job, ProgramStep, Reporter,
    Request, Stage, Startup, TimingChoice, Unavailable, pipe,
};
use crate::launch::Baseline;
use crate::source::read_file;

/// Most bytes of a job in a file: it holds texts, not the buffers' contents.
const MAX_JOB_BYTES: u64 = 256 << 20;

/// Serves requests until nobody sends any more.
pub fn serve() -> io::Result<()> {
    let socket = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    end_with(socket.try_clone()?);
    let (mut from, mut to) = (socket.try_clone()?, socket);
    // cudarc panics where a library lacks a function; the answer says so.
    panic::set_hook(Box::new(|_| {}));
    let mut worker = Worker::default();
    loop {
        let (request, bytes) = match pipe::receive::<Request>(&mut from) {
            Ok(received) => received,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        };
        let last = guarded(|| Ok(worker.answer(&request, bytes, &mut to)));
        let last = last.unwrap_or_else(Answer::Unavailable);
        // After `CUDA_ERROR_ILLEGAL_ADDRESS` and the like, a process must end before CUDA works again (CUDA
        // driver API, `CUresult`).
        let is_fault = matches!(last, Answer::Failed(_) | Answer::Unavailable(_));
        pipe::send(&mut to, &last, &[])?;
        if is_fault {
            return Ok(());
        }
    }
}

/// Ends this process when the program at the other end of `socket` is gone: a call of the driver that never
/// returns would otherwise outlive it.
fn end_with(socket: File) {
    thread::spawn(move || {
        // Bytes that wait to be read are no event here, only that nobody will send any more.
        let mut other_end = [PollFd::new(&socket, PollFlags::empty())];
        while !matches!(poll(&mut other_end, None), Ok(events) if events > 0) {}
        // Not `exit`, which runs what NVIDIA's libraries left to be done at the end.
        let _ = kill_process(getpid(), Signal::KILL);
    });
}

/// Runs the job in a file once, and says nothing but why it failed: what it does is looked at from
/// outside.
pub fn serve_file(path: &Path) -> Result<(), String> {
    let job = read_file(path, MAX_JOB_BYTES).map_err(|error| error.to_string())?;
    let job: Job = serde_json::from_slice(&job).map_err(|error| error.to_string())?;
    let ran = guarded(|| {
        let mut silent = |_: Answer, _: &[u8]| {};
        Worker::default().run(&job, &mut Reporter::new(&mut silent))
    });
    match ran.map_err(|why| why.to_string())? {
        Answer::Failed(failure) => Err(failure.message),
        _ => Ok(()),
    }
}

/// What a panic in the driver's wrapper means.
fn of_panic(panic: Box<dyn Any + Send>) -> Unavailable {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    let text = text.unwrap_or_else(|| "it panicked".to_owned());
    // cudarc: `Missing symbol cuFoo: dlsym failed …`.
    let missing = text.strip_prefix("Missing symbol ");
    match missing.and_then(|rest| rest.split(':').next()) {
        Some(symbol) => Unavailable::OldDriver(symbol.to_owned()),
        None => Unavailable::Worker(text),
    }
}

/// What is open between requests.
#[derive(Default)]
struct Worker {
    driver_version: Option<i32>,
    open: Option<OpenGpu>,
    bench: Option<Bench>,
    program: Option<OpenProgram>,
}

impl Worker {
    /// Does what is asked; `bytes` came with the request.
    fn answer(&mut self, request: &Request, bytes: Vec<u8>, to: &mut impl Write) -> Answer {
        // Who sent the request has gone if this fails; the next `receive` ends the process.
        let mut send = |answer: Answer, bytes: &[u8]| drop(pipe::send(to, &answer, bytes));
        let mut report = Reporter::new(&mut send);
        match request {
            Request::Probe(with_baselines) => {
                Answer::Probed(Box::new(self.facts(*with_baselines, &mut report)))
            }
            Request::Run(job) => self
                .run(job, &mut report)
                .unwrap_or_else(Answer::Unavailable),
            Request::LoadProgram(job) => self
                .load_program(job, &mut report)
                .unwrap_or_else(Answer::Unavailable),
            Request::Step(step) => self.step(step, bytes, &mut report),
            Request::CompileToPtx(sources, architecture) => {
                report.stage(Stage::Starting(Startup::Compiler));
                match Nvrtc::open(None) {
                    Ok(nvrtc) => compile_to_ptx(&nvrtc, sources, architecture, &mut report)
                        .map_or_else(Answer::Failed, Answer::CompiledToPtx),
                    Err(why) => Answer::Unavailable(why),
                }
            }
            Request::Time(baseline, choice) => {
                Answer::Timed(self.time(baseline, *choice, &mut report))
            }
        }
    }

    /// Starts the driver, once; its version.
    fn driver(&mut self, report: &mut Reporter) -> Result<i32, Unavailable> {
        match self.driver_version {
            Some(version) => Ok(version),
            None => Ok(*self.driver_version.insert(device::start_driver(report)?)),
        }
    }

    /// Times a baseline; whatever fails is only why it has no times.
    fn time(
        &mut self,
        baseline: &Baseline,
        choice: TimingChoice,
        report: &mut Reporter,
    ) -> BaselineRun {
        let measured = guarded(|| Ok(self.bench(report)?.measure(baseline, choice, report)));
        measured.unwrap_or_else(BaselineRun::without_times)
    }

    fn bench(&mut self, report: &mut Reporter) -> Result<&mut Bench, Unavailable> {
        if self.bench.is_none() {
            self.driver(report)?;
            report.stage(Stage::Opening);
            self.bench = Some(Bench {
                l2_bytes: device::found_gpus()?.swap_remove(0).l2_bytes,
                device: Device::open().map_err(device::refused)?,
                libraries: Libraries::default(),
            });
        }
        report.stage(Stage::Baseline);
        Ok(self.bench.as_mut().expect("is there, by the lines above"))
    }

    fn facts(&mut self, with_baselines: bool, report: &mut Reporter) -> Facts {
        let driver = guarded(|| {
            let version = self.driver(report)?;
            Ok(DriverFacts {
                version: driver_version(version),
                path: library::loaded_from("libcuda.so").map(|path| path.display().to_string()),
                gpus: device::found_gpus()?,
            })
        });
        report.stage(Stage::Starting(Startup::Compiler));
        // 12080 is CUDA 12.8.
        let nvrtc = Nvrtc::open(self.driver_version.map(|version| version / 1000));
        report.stage(Stage::Starting(Startup::BaselineLibraries));
        let baselines: &[_] = match with_baselines {
            true => &[CUBLAS, CUDNN],
            false => &[],
        };
        let found =
            |library: &Library| -> Option<FoundLibrary> { Some(library.open().ok()?.found) };
        Facts {
            driver,
            nvrtc: nvrtc.map(|nvrtc| nvrtc.library.found),
            baselines: baselines.iter().filter_map(found).collect(),
        }
    }

    fn run(&mut self, job: &Job, report: &mut Reporter) -> Result<Answer, Unavailable> {
        Ok(match execute(job, self.gpu(report)?, report) {
            Ok(finished) => Answer::Finished(Box::new(finished)),
            Err(failure) => Answer::Failed(failure),
        })
    }

    fn load_program(&mut self, job: &Job, report: &mut Reporter) -> Result<Answer, Unavailable> {
        Ok(match OpenProgram::load(job, self.gpu(report)?, report) {
            Ok((program, loaded)) => {
                self.program = Some(program);
                Answer::LoadedProgram(Box::new(loaded))
            }
            Err(failure) => Answer::Failed(failure),
        })
    }

    fn step(&mut self, step: &ProgramStep, bytes: Vec<u8>, report: &mut Reporter) -> Answer {
        let (Some(program), Some(on)) = (&mut self.program, &self.open) else {
            let message = "no program is loaded".to_owned();
            return Answer::Failed(Failure {
                message,
                ..Failure::default()
            });
        };
        let done = program.step(step, bytes, on, report);
        done.map_or_else(Answer::Failed, Answer::StepDone)
    }

    /// The GPU, opened once.
    fn gpu(&mut self, report: &mut Reporter) -> Result<&OpenGpu, Unavailable> {
        let version = self.driver(report)?;
        if self.open.is_none() {
            report.stage(Stage::Starting(Startup::Compiler));
            let nvrtc = Nvrtc::open(Some(version / 1000));
            report.stage(Stage::Opening);
            self.open = Some(OpenGpu {
                gpu: device::found_gpus()?.swap_remove(0),
                device: Device::open().map_err(device::refused)?,
                nvrtc,
            });
        }
        Ok(self.open.as_ref().expect("is open, by the lines above"))
    }
}

/// What `work` gives, or what its panic means.
fn guarded<T>(work: impl FnOnce() -> Result<T, Unavailable>) -> Result<T, Unavailable> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(panic)))
}

/// `13000` is CUDA 13.0.
fn driver_version(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}
