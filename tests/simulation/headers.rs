//! What headers of CUDA's declare, written out in CUDA C++: never seen by who steps through a kernel.

use std::sync::atomic::AtomicBool;

use crate::case::read;
use crate::files::fixture;
use tutor::engine::{Control, Following, HISTORY_BYTES, Options, Stepper};
use tutor::launch::Plan;
use tutor::simt::{Direction, History, Move};

/// The history of the first warp of a plan's first launch.
fn history(plan: &Plan) -> History {
    let control = Control::default();
    let stepper = Stepper::new(plan, 0, &Options::default(), &control).expect("gets to its launch");
    let following = Following {
        block: [0; 3],
        warp: 0,
        most_bytes: HISTORY_BYTES,
    };
    let history = stepper.record(following, &AtomicBool::new(false));
    history.expect("the warp is there")
}

#[test]
fn functions_of_headers_are_part_of_the_statements_that_call_them() {
    for name in ["groups.cu", "group_folds.cu", "fragments.cu"] {
        let plan = read(&fixture("execution").join(name)).plan;
        let history = history(&plan);
        let kernel = history.kernel();
        let file = &plan.sources[0].file;
        let include = file.text().find("#include").expect("includes a header") as u32;
        let begins = file.text()[include as usize..]
            .find("\n__")
            .expect("has functions");
        for statement in &kernel.source.statements {
            let at = statement.span.start;
            assert!(
                at >= include + begins as u32,
                "{}",
                file.slice(statement.span)
            );
        }
        let of_header = |name: &str| {
            name.contains("cooperative_groups") || name.contains("nvcuda") || name.is_empty()
        };
        let shown = kernel.variables.iter().map(|variable| &*variable.name);
        assert_eq!(shown.filter(|name| of_header(name)).count(), 0, "{name}");
        let first = history.first().expect("runs");
        let barrier = history.go(first, Direction::Forward, &Move::Barrier);
        let barrier = file.slice(history.statement(barrier.expect("waits")).span);
        assert!(barrier.contains("sync"), "{barrier}");
    }
}
