//! Going back over a million steps of a warp.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::Criterion;
use tutor::engine::{Control, Following, Options, Stepper};
use tutor::launch::{
    Argument, BufferSpec, ElementType, Init, KernelSource, Launch, Number, Plan, Value,
};
use tutor::simt::{Breakpoint, ComparisonOperator, Condition, Direction, History, Move};
use tutor::source::SourceFile;

const KERNEL: &str = "extern \"C\" __global__ void walk(float* x, int rounds) {
    float sum = x[threadIdx.x];
    int even = 0;
    for (int i = 0; i < rounds; ++i) {
        sum = sum * 0.5f + i;
        even += i % 2;
        x[threadIdx.x] = sum;
    }
}
";
/// Three statements and a condition each.
const ROUNDS: i128 = 260_000;

/// Each way to go back from the last step to the first ones.
pub fn history_time(criterion: &mut Criterion) {
    let history = record();
    assert!(history.len() > 1_000_000 && !history.is_truncated());
    let last = history.last().expect("has steps");
    let variable = |name: &str| {
        let variables = &history.kernel().variables;
        let found = variables.iter().position(|variable| variable.name == name);
        found.expect("is there")
    };
    let first_round = |lane| {
        let condition = Condition {
            variable: variable("i"),
            lane,
            comparison: ComparisonOperator::Equal,
            value: Value::Integer(0),
        };
        Move::Break(vec![Breakpoint {
            line: 5,
            condition: Some(condition),
        }])
    };
    let moves = [
        ("line", Move::Line(2)),
        ("change of a parameter", Move::Change(variable("rounds"))),
        ("breakpoint, one lane", first_round(Some(31))),
        ("breakpoint, any lane", first_round(None)),
        ("address nobody accesses", Move::Touch(8..12)),
        ("barrier", Move::Barrier),
        ("caller", Move::Out),
    ];
    let mut group = criterion.benchmark_group("back over a million steps");
    for (name, to) in &moves {
        group.bench_function(*name, |bencher| {
            bencher.iter(|| history.go(black_box(last), Direction::Back, to));
        });
    }
    let first = history.first().expect("has steps");
    group.bench_function("a variable at the first step", |bencher| {
        bencher.iter(|| history.value(black_box(first), variable("sum")));
    });
    group.finish();
}

fn record() -> History {
    let plan = Plan {
        sources: vec![KernelSource::new(
            SourceFile::new("walk.cu", KERNEL),
            Vec::new(),
        )],
        buffers: vec![BufferSpec {
            name: "x".to_owned(),
            element: ElementType::F32,
            length: 32,
            init: Init::Ramp,
        }],
        launches: vec![Launch {
            kernel: "walk".to_owned(),
            source: 0,
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared_bytes: 0,
            arguments: vec![
                Argument::Buffer(0),
                Argument::Number(Number::Integer(ROUNDS)),
            ],
        }],
        symbols: Vec::new(),
        baselines: Vec::new(),
    };
    let control = Control::default();
    let stepper = Stepper::new(&plan, 0, &Options::default(), &control);
    let following = Following {
        block: [0, 0, 0],
        warp: 0,
        most_bytes: 2 << 30,
    };
    let stepper = stepper.expect("gets to its launch");
    let history = stepper.record(following, &AtomicBool::new(false));
    history.expect("the warp is there")
}
