//! What is to be said of a program's calls when it has ended.

use super::facts::errors;
use super::state::{AllocationKind, FailedCall, Runtime};
use crate::source::{Diagnostic, Span};

impl Runtime<'_> {
    /// Errors that the program never looked at; with `check`, those too at which it did, what its copies have done
    /// otherwise than they say, and memory that it did not give back. `exit` is its exit code.
    pub fn reports(&self, exit: i32) -> Vec<Diagnostic> {
        let is_checking = self.options.check;
        // Who ends with an error has seen one.
        let is_told = |failed: &&FailedCall| is_checking || !failed.is_seen && exit == 0;
        let failed = self.findings.failed.iter().filter(is_told).map(failed_call);
        let mut reports: Vec<Diagnostic> = failed.collect();
        reports.extend(unseen_text(&self.findings.unseen_text));
        if is_checking {
            reports.extend(self.findings.noted.iter().cloned());
            if exit == 0 {
                reports.extend(self.leaks());
            }
        }
        reports
    }

    /// Whether the program asked for times, which are the model's.
    pub fn has_modelled_times(&self) -> bool {
        self.findings.has_modelled_times
    }

    /// Memory that was not given back, by the place that asked for it.
    fn leaks(&self) -> Vec<Diagnostic> {
        let mut found: Vec<(Span, AllocationKind, u64, u64)> = Vec::new();
        // One report for each place: a loop that forgets a thousand buffers is one mistake.
        for allocation in self.allocations.values() {
            let same = found
                .iter_mut()
                .find(|leak| leak.0 == allocation.span && leak.1 == allocation.kind);
            match same {
                Some(leak) => {
                    leak.2 += 1;
                    leak.3 += allocation.size_bytes;
                }
                None => found.push((allocation.span, allocation.kind, 1, allocation.size_bytes)),
            }
        }
        let leaks = found.into_iter().map(|(span, kind, count, bytes)| {
            let (what, give_back) = match kind {
                AllocationKind::Device => ("memory of the GPU", "cudaFree"),
                AllocationKind::Managed => ("managed memory", "cudaFree"),
                AllocationKind::Pinned => ("pinned memory", "cudaFreeHost"),
            };
            let message = match count {
                1 => format!("{bytes} bytes of {what} are never given back"),
                _ => format!("{bytes} bytes of {what}, in {count} pieces, are never given back"),
            };
            Diagnostic::warning(span, message).help(format!(
                "call `{give_back}` when nothing uses them any more"
            ))
        });
        leaks.collect()
    }
}

/// What is said of text that kernels have printed and nobody waited for.
fn unseen_text(text: &str) -> Option<Diagnostic> {
    let line = text.lines().next()?;
    let count = text.lines().count();
    let message = "what kernels print last is not shown: the program ends without waiting for them";
    let report = Diagnostic::warning(Span::default(), message);
    Some(
        report
            .note(format!("lines: {count}, the first: {line}"))
            .help("call `cudaDeviceSynchronize()` after the last launch"),
    )
}

fn failed_call(failed: &FailedCall) -> Diagnostic {
    let (code, name) = (failed.code, &failed.name);
    let given = format!("{} ({code}): {}", errors::name(code), errors::text(code));
    let message = match failed.is_seen {
        true => format!("`{name}` gives {given}"),
        false => format!("`{name}` gives {given}, and the program never looks at it"),
    };
    let report = Diagnostic::warning(failed.span, message);
    let report = match &failed.why {
        Some(why) => report.note(why.clone()),
        None => report,
    };
    match failed.is_seen {
        true => report,
        false => report.help("compare what each call returns with `cudaSuccess`, and call `cudaGetLastError()` after a launch"),
    }
}
