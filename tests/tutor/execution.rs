//! Kernels whose results are written beside them (see `case`), run on 1, 2 and 4 threads.

use std::path::{Path, PathBuf};

use tutor::engine::{Control, Options, run};
use tutor::launch::{Ending, Outcome, Plan};
use tutor::source::{Style, render};

use super::case::{Case, read};

fn execute(plan: &Plan, threads: usize) -> Outcome {
    let control = Control::default();
    let options = Options {
        threads,
        ..Options::default()
    };
    run(plan, &options, &control).expect("buffers can be filled")
}

#[test]
fn kernels_compute_what_is_written_beside_them() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tutor/fixtures");
    let mut paths: Vec<PathBuf> = ["execution", "contended", "faults"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(fixtures.join(folder)).expect("is a folder"))
        .map(|entry| entry.expect("is readable").path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 6, "the fixtures are there");
    for path in paths {
        let case = read(&path);
        let says = !case.expected.is_empty() || !case.same.is_empty() || !case.faults.is_empty();
        assert!(says, "{} expects something", path.display());
        for threads in [1, 2, 4] {
            check(&case, &path, threads);
        }
    }
}

fn check(case: &Case, path: &Path, threads: usize) {
    let outcome = execute(&case.plan, threads);
    let reports: Vec<String> = outcome
        .reports
        .iter()
        .map(|report| render(&report.diagnostic, &case.plan.sources[0].file, Style::Plain))
        .collect();
    let reports = reports.join("\n");
    let path = path.display();
    if !case.faults.is_empty() {
        assert_eq!(outcome.ending, Ending::Failed, "{path}");
        for fault in &case.faults {
            assert!(reports.contains(fault), "{fault} is not in\n{reports}");
        }
        return;
    }
    assert!(outcome.ending == Ending::Finished, "{reports}");
    case.check_values(&outcome, &path.to_string());
    for (launch, pointer, expected) in &case.counts {
        let counts = launch.map_or(outcome.counts(), |at| outcome.launches[at].counts);
        let counts = serde_json::to_value(counts).expect("are numbers");
        let found = counts.pointer(pointer).and_then(|count| count.as_u64());
        assert_eq!(found, Some(*expected), "{pointer} of {path}");
    }
}
