//! NVIDIA's command-line tools, asked for a few lines. They talk to the driver, so they may never answer.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::lines::lines;

/// How long a tool may take to say what it says.
const LIMIT: Duration = Duration::from_secs(8);

/// What `command` says on standard output; nothing where it does not start or takes too long.
pub(super) fn output_of(command: &mut Command) -> Option<String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let said = lines(child.stdout.take());
    let deadline = Instant::now() + LIMIT;
    let left = || deadline.saturating_duration_since(Instant::now());
    let text: Vec<String> = std::iter::from_fn(|| said.recv_timeout(left()).ok()).collect();
    let is_late = left().is_zero();
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
    (!is_late).then(|| text.join("\n"))
}
