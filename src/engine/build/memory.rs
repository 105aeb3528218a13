//! How much memory of the host a run takes, found before it takes any.
//!
//! Buffers are there once, as they are filled, as the launches have them and as they are handed over; three times at
//! worst, with what another order of warps leaves and what is kept about them (footprints, references, the values a cell
//! shows). All else that grows while a kernel runs has a bound, whatever the kernel does:
//!
//! | what | grows with | bound |
//! | --- | --- | --- |
//! | log of a block, for the caches' model | accesses, barriers | 64 MiB; of a longer one nothing is modelled |
//! | logs of other blocks at work, waiting, resident | blocks | 16, 8 and 24 MiB: blocks wait |
//! | `printf` | calls | 1 MiB a launch |
//! | trace of a warp | statements, variables they change | `trace_steps`, and 64 MiB |
//! | history of a block | statements, accesses, stores | 128 MiB; truncated there |
//! | who touched what, for races | words touched | 48 bytes a word, at most 1 GiB; told beforehand |
//! | atomic operations, for races | addresses | a million; all others count as one |
//! | addresses of local variables, for lifetimes | stores | 65,536 |
//! | findings of the checks | places | 40 |
//! | footprints | elements touched, lines that touch them | 0.15 bytes per element and line; said beforehand |
//! | blocks' visits, for figures of orders | blocks, stores | 65,536 blocks; stores are joined |
//! | machines of worker threads | threads | 64 MiB, or one machine; told beforehand |
//! | contents and references used again | runs | 6 times 8 MiB, 4 times 2 million elements |
//!
//! Counters, patterns and strides have one place for each instruction, access site or warp.

use std::path::Path;

use crate::engine::options::Options;
use crate::engine::preparing::{Preparing, megabytes};
use crate::ir::Kernel;
use crate::launch::{BufferSpec, Launch, Plan};
use crate::simt::{MOST_MACHINE_BYTES, footprint_bytes, machine_bytes, shadow_bytes};
use crate::source::{Diagnostic, Span, read_text};

/// Most bytes that all buffers of a plan have together.
pub const MOST_BUFFER_BYTES: u64 = 8 << 30;
/// How often buffers are there at worst.
const COPIES: u64 = 3;
/// What a run takes beside its buffers: the program, logs, traces and prints at their bounds.
const USUAL_BYTES: u64 = 200 << 20;
/// What of that is there for footprints that are larger than the buffers.
const USUAL_FOOTPRINT_BYTES: u64 = 32 << 20;
/// What of that is there for checks.
const USUAL_CHECK_BYTES: u64 = 32 << 20;

/// What a run takes at its peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryNeed {
    /// The buffers, once.
    pub buffer_bytes: u64,
    /// What checks and blocks with much memory of their own take beyond the usual.
    pub extra_bytes: u64,
    /// What footprints take beyond a copy of the buffers and the usual, if every line touches every element, but no
    /// piece of a buffer as a whole. Possible, not certain.
    pub footprint_bytes: u64,
}

impl MemoryNeed {
    /// What `launches` of `plan` take.
    pub(crate) fn of<'a>(
        plan: &Plan,
        launches: impl Iterator<Item = (&'a Kernel, &'a Launch)>,
        options: &Options,
    ) -> Self {
        let buffers = plan.buffers.iter();
        let checks = match options.checks.races {
            false => 0,
            true => shadow_bytes(buffers.map(|buffer| (buffer.element, buffer.length as u64))),
        };
        let elements = plan.buffers.iter().map(|buffer| buffer.length as u64);
        let elements = elements.fold(0, u64::saturating_add);
        let (mut machine, mut footprints) = (0, 0);
        for (kernel, launch) in launches {
            // The largest, not the sum: launches run one after the other.
            machine = machine.max(machine_bytes(kernel, launch.block, launch.shared_bytes));
            footprints = footprints.max(footprint_bytes(kernel, elements));
        }
        let buffer_bytes = BufferSpec::total_bytes(&plan.buffers);
        let usual = buffer_bytes.saturating_add(USUAL_FOOTPRINT_BYTES);
        MemoryNeed {
            buffer_bytes,
            footprint_bytes: footprints.saturating_sub(usual),
            extra_bytes: checks.saturating_sub(USUAL_CHECK_BYTES)
                + machine.saturating_sub(MOST_MACHINE_BYTES),
        }
    }

    /// All of it.
    pub fn peak_bytes(self) -> u64 {
        let copies = self.buffer_bytes.saturating_mul(COPIES);
        let beside = USUAL_BYTES + self.extra_bytes;
        copies.saturating_add(beside.saturating_add(self.footprint_bytes))
    }

    /// The same, for whoever waits for the run.
    pub fn preparing(self) -> Preparing {
        Preparing::Memory {
            peak_bytes: self.peak_bytes(),
            buffer_bytes: self.buffer_bytes,
        }
    }

    /// Whether it is more than a run of these buffers mostly takes.
    pub fn is_unusual(self) -> bool {
        self.extra_bytes > 0 || self.footprint_bytes > 0
    }

    /// Why this host, which has so much free, cannot run it, if so; `span` is what would be launched.
    pub(crate) fn refusal(self, span: Span, free_bytes: Option<u64>) -> Option<Diagnostic> {
        let refuse = |message: String| {
            let refusal = Diagnostic::error(span, message).label("launched here");
            refusal.help("choose smaller sizes or buffers")
        };
        let bytes = self.buffer_bytes;
        if bytes > MOST_BUFFER_BYTES {
            let message = format!("together the buffers take {}", megabytes(bytes));
            return Some(refuse(message).note(format!(
                "the simulator takes at most {} of buffers",
                megabytes(MOST_BUFFER_BYTES)
            )));
        }
        // The buffers themselves are certain; the rest may be small.
        let least = bytes + USUAL_BYTES + self.extra_bytes;
        let free = free_bytes.filter(|&free| free < least)?;
        let message = format!("this run needs at least {} of memory", megabytes(least));
        Some(refuse(message).note(format!("{} are free here", megabytes(free))))
    }
}

/// Bytes that this process may still take; nothing where the system does not say.
pub(crate) fn free_bytes() -> Option<u64> {
    let read = |path: &str| read_text(Path::new(path)).ok();
    let of_host =
        read("/proc/meminfo").and_then(|text| field(&text, "MemAvailable:")?.checked_mul(1024));
    // In a container the host's memory is not all ours.
    let of_group = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    // `ulimit -v` ends a process long before the host has no memory left.
    let of_process = read("/proc/self/limits").and_then(|limits| {
        let most = field(&limits, "Max address space")?;
        let taken = read("/proc/self/status").and_then(|text| field(&text, "VmSize:"));
        Some(most.saturating_sub(taken.unwrap_or(0) * 1024))
    });
    [of_host, of_group, of_process].into_iter().flatten().min()
}

/// The number behind `name` in a file of lines.
fn field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(buffer_bytes: u64, extra_bytes: u64) -> MemoryNeed {
        MemoryNeed {
            buffer_bytes,
            extra_bytes,
            footprint_bytes: 0,
        }
    }

    #[test]
    fn what_cannot_run_is_refused_with_its_number() {
        let text = |need: MemoryNeed, free| {
            let refusal = need.refusal(Span::default(), free)?;
            Some(format!("{}; {}", refusal.message, refusal.notes[0]))
        };
        assert_eq!(text(need(1_000_000, 0), Some(1 << 30)), None);
        assert_eq!(text(need(8 << 30, 0), None), None);
        assert_eq!(
            text(need(400_000_000_000, 0), None).as_deref(),
            Some(
                "together the buffers take 400,000 MB; the simulator takes at most 8,590 MB of buffers"
            )
        );
        assert_eq!(
            text(need(u64::MAX, 0), Some(1)).as_deref(),
            Some(
                "together the buffers take 18,446,744,073,710 MB; the simulator takes at most 8,590 MB of buffers"
            )
        );
        assert_eq!(
            text(need(4_000_000_000, 90_284_800), Some(3_999_999_999)).as_deref(),
            Some("this run needs at least 4,300 MB of memory; 4,000 MB are free here")
        );
    }

    #[test]
    fn the_peak_is_three_times_the_buffers_and_the_usual() {
        assert_eq!(need(1000, 0).peak_bytes(), 3000 + USUAL_BYTES);
        assert!(!need(1000, 0).is_unusual() && need(1000, 1).is_unusual());
        assert_eq!(need(u64::MAX, 7).peak_bytes(), u64::MAX);
    }

    #[test]
    fn this_host_says_what_is_free() {
        let limits = "Limit   Soft Limit   Hard Limit   Units\nMax address space         4096      unlimited   bytes\n";
        assert_eq!(field(limits, "Max address space"), Some(4096));
        assert_eq!(
            field("Max address space   unlimited", "Max address space"),
            None
        );
        assert_eq!(
            field("MemTotal: 9 kB\nMemAvailable:  12 kB", "MemAvailable:"),
            Some(12)
        );
        assert!(free_bytes().is_none_or(|free| free > 0));
    }
}
