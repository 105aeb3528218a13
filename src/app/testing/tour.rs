//! A lesson whose kernel does a bit of everything, run for real: for tests of what is seen inside.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{FinishedRun, run_cell, sample_lesson};
use crate::app::state::{BlockHistory, HistoryKey, Model};
use crate::engine::{Control, Following, HISTORY_BYTES, Options, Stepper, run};
use crate::launch::{ElementType, Init};
use crate::lesson::{
    ArgumentTemplate, BufferTemplate, Cell, Formula, InitTemplate, LaunchTemplate, Lesson, RunCell,
};
use crate::source::SourceFile;

const SOURCE: &str = include_str!("tour.cu");

/// Text, the tour, text: 40 blocks of two warps.
pub fn tour_lesson() -> Lesson {
    let mut lesson = sample_lesson();
    lesson.cells[2] = Cell::Run(Box::new(tour_cell()));
    lesson
}

fn tour_cell() -> RunCell {
    let formula = |text: &str| Formula::parse(text).expect("a formula");
    let buffer = |name: &str, element, length: &str, init| BufferTemplate {
        name: name.to_owned(),
        element,
        shape: vec![formula(length)],
        init: InitTemplate::Fixed(init),
    };
    RunCell {
        title: "A tour".to_owned(),
        source: SourceFile::new("tour.cu", SOURCE),
        buffers: vec![
            buffer("x", ElementType::F32, "256", Init::Arange),
            buffer("y", ElementType::F32, "64*M", Init::Zero),
            buffer("hits", ElementType::I32, "1", Init::Zero),
        ],
        launches: vec![LaunchTemplate {
            meta: Vec::new(),
            kernel: "tour".to_owned(),
            grid: [formula("M"), formula("1"), formula("1")],
            block: [formula("64"), formula("1"), formula("1")],
            shared_bytes: formula("0"),
            when: None,
            arguments: [0, 1, 2].map(ArgumentTemplate::Buffer).to_vec(),
        }],
        formulas: Vec::new(),
        verify: None,
        taps: vec!["own".to_owned()],
        ..run_cell()
    }
}

/// The cell on screen, run as job `job`.
pub fn tour_ran(job: u64, model: &Model) -> Arc<FinishedRun> {
    let (cell, state) = model.run_cell().expect("is on a run cell");
    let plan = state.plan.clone().expect("sizes are in range");
    let watch = state.inspector.watch;
    let options = Options {
        threads: 1,
        watch: Some(watch),
        ..Options::default()
    };
    let outcome = run(&plan, &options, &Control::default()).expect("runs");
    Arc::new(FinishedRun {
        edited: false,
        job,
        watch,
        result: cell.check_outcome(&model.settings.sizes, outcome),
        plan,
    })
}

/// What the chosen block of the last result did.
pub fn tour_history(model: &Model) -> Arc<BlockHistory> {
    let (_, state) = model.run_cell().expect("is on a run cell");
    let ran = state.ran.as_ref().expect("ran");
    let (launch, watch) = (state.inspected_launch(), state.inspector.watch);
    let control = Control::default();
    let stepper = Stepper::new(&ran.plan, launch, &Options::default(), &control);
    let stepper = stepper.expect("gets to its launch");
    let following = Following {
        block: watch.block,
        warp: watch.warp,
        most_bytes: HISTORY_BYTES,
    };
    let history = stepper.record(following, &AtomicBool::new(false));
    let history = history.expect("the warp is there");
    let begun = Arc::new(stepper.begun());
    Arc::new(BlockHistory::new(
        HistoryKey {
            job: ran.job,
            launch,
            watch,
        },
        history,
        begun,
    ))
}
