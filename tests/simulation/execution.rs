//! Kernels whose results are written beside them (see `case`), run on 1, 2 and 4 threads.

use std::path::Path;

use tutor::engine::{Control, Options, run};
use tutor::launch::{Ending, Outcome, Plan};

use super::rendered_reports;
use crate::case::{Case, read};
use crate::files::kernels_in;

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
    for path in ["execution", "contended", "faults"]
        .into_iter()
        .flat_map(kernels_in)
    {
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
    let reports = rendered_reports(&case.plan, &outcome);
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
