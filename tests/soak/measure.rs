//! What the system says of a process.

use std::time::Duration;

use rustix::process::Pid;

/// What a process has in memory and open.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub memory_bytes: u64,
    pub threads: usize,
    pub files: usize,
}

impl Usage {
    /// What it has now; nothing once it is gone.
    pub fn of(process: Pid) -> Option<Usage> {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let files = std::fs::read_dir(format!("/proc/{process}/fd")).ok()?;
        Some(Usage {
            memory_bytes: field("VmRSS:")? * 1024,
            threads: field("Threads:")? as usize,
            files: files.count(),
        })
    }

    pub fn most(self, other: Usage) -> Usage {
        Usage {
            memory_bytes: self.memory_bytes.max(other.memory_bytes),
            threads: self.threads.max(other.threads),
            files: self.files.max(other.files),
        }
    }
}

/// How long the threads of the process that answer a key, and the thread that asks, have waited for a processor: the
/// machine's time, not the program's.
pub fn waited(process: Pid) -> Duration {
    let tasks = format!("/proc/{process}/task");
    let tasks = std::fs::read_dir(tasks).into_iter().flatten().flatten();
    let answers = tasks.map(|task| task.path()).filter(|task| {
        let is_main = task.ends_with(process.to_string());
        let name = std::fs::read_to_string(task.join("comm"));
        is_main || name.is_ok_and(|name| name.trim() == "input")
    });
    let asks = std::path::PathBuf::from("/proc/thread-self");
    let nanoseconds = answers.chain([asks]).filter_map(|task| {
        let text = std::fs::read_to_string(task.join("schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}
