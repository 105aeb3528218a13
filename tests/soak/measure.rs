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

/// How long the main thread of the process, and the thread that asks, have waited for a processor: the machine's time,
/// not the program's.
pub fn waited(process: Pid) -> Duration {
    let paths = [
        format!("/proc/{process}/schedstat"),
        "/proc/thread-self/schedstat".to_owned(),
    ];
    let nanoseconds = paths.iter().filter_map(|path| {
        let text = std::fs::read_to_string(path).ok()?;
        text.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}
