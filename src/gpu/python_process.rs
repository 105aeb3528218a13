//! A Python that waits for jobs: PyTorch takes seconds to load, so it is loaded once and not for each of them.
//!
//! Each line that goes in is the path of a job, and the next line of JSON that comes out its answer. Other lines are what
//! files print.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::lines::lines;
use super::python_folder::PythonFolder;

pub(super) const SCRIPT: &str = include_str!("../../assets/python/baseline.py");
pub(super) const NO_PYTHON: &str = "there is no python3 on the path";
/// Loading PyTorch takes ten seconds on a slow disk, and compiling a large kernel as long again.
const LIMIT: Duration = Duration::from_secs(180);
const POLL: Duration = Duration::from_millis(20);

/// What the script says: one line of JSON.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    pub version: Option<String>,
    pub path: String,
    pub ms: Vec<f32>,
    pub error: Option<f64>,
    /// A module that this Python does not have.
    missing: Option<String>,
    failed: Option<String>,
}

/// Every Python on the path, under its usual names.
pub(super) fn pythons() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let files = ["python3", "python"].into_iter().filter_map(|name| {
        let mut files = env::split_paths(&path).map(|folder| folder.join(name));
        files.find(|file| file.is_file())
    });
    files.collect()
}

/// The Python that jobs are given to, once one is found that has what they need.
#[derive(Debug, Default)]
pub(super) struct Python {
    running: Option<PythonProcess>,
}

impl Python {
    /// What the first Python says that has what the job needs; the error is for a person.
    pub fn ask(&mut self, job: &Path, cancel: &AtomicBool) -> Result<Answer, String> {
        if let Some(running) = &mut self.running {
            let answer = running.ask(job, cancel);
            return self.concluded(answer);
        }
        let mut why = NO_PYTHON.to_owned();
        for python in pythons() {
            let started = PythonProcess::start(&python);
            let says = |error: io::Error| format!("{}: {error}", python.display());
            let mut process = started.map_err(says)?;
            let answer = process.ask(job, cancel);
            if let Ok(Answer {
                missing: Some(module),
                path,
                ..
            }) = answer
            {
                why = format!("{path} has no module {module}");
                continue;
            }
            self.running = Some(process);
            return self.concluded(answer);
        }
        Err(why)
    }

    /// An answer that was given. After a fault every later call of a process may fail: it is given up.
    fn concluded(&mut self, answer: Result<Answer, String>) -> Result<Answer, String> {
        let answer = match answer {
            Ok(Answer {
                failed: Some(why), ..
            }) => Err(why),
            Ok(Answer {
                missing: Some(module),
                path,
                ..
            }) => Err(format!("{path} has no module {module}")),
            other => other,
        };
        if answer.is_err() {
            self.running = None;
        }
        answer
    }
}

/// A Python that runs.
#[derive(Debug)]
struct PythonProcess {
    path: PathBuf,
    child: Child,
    jobs: Option<ChildStdin>,
    said: Receiver<String>,
    /// Where the script is, and what it complains of.
    folder: PythonFolder,
}

impl PythonProcess {
    fn start(python: &Path) -> io::Result<Self> {
        let folder = PythonFolder::new()?;
        let script = folder.write("baseline.py", SCRIPT)?;
        // Into a file: a pipe that nobody reads stops whoever writes.
        let complaints = folder.create("complaints")?;
        let mut child = Command::new(python)
            .arg(script)
            .arg("--serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(complaints)
            .spawn()?;
        Ok(PythonProcess {
            path: python.to_owned(),
            jobs: child.stdin.take(),
            said: lines(child.stdout.take()),
            child,
            folder,
        })
    }

    fn ask(&mut self, job: &Path, cancel: &AtomicBool) -> Result<Answer, String> {
        if let Some(jobs) = &mut self.jobs {
            // A process that has ended says so below.
            let _ = writeln!(jobs, "{}", job.display()).and_then(|()| jobs.flush());
        }
        let deadline = Instant::now() + LIMIT;
        loop {
            match self.said.recv_timeout(POLL) {
                Ok(line) => {
                    if let Ok(answer) = serde_json::from_str(&line) {
                        return Ok(answer);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.last_words()),
                Err(RecvTimeoutError::Timeout) if cancel.load(Ordering::Relaxed) => {
                    return Err("it was cancelled".to_owned());
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() > deadline => {
                    return Err(format!("Python took more than {} s", LIMIT.as_secs()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn last_words(&self) -> String {
        let complaints = self.folder.read("complaints").unwrap_or_default();
        let complaints = String::from_utf8_lossy(&complaints);
        let last = complaints.lines().last().unwrap_or("it said nothing");
        format!("{} failed: {last}", self.path.display())
    }
}

impl Drop for PythonProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
