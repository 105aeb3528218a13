//! What a watched warp's variables are called and hold: elements of arrays, members of structs.

use tutor::engine::{Control, Options, run};
use tutor::launch::{
    Argument, BufferSpec, ElementType, Ending, Init, KernelSource, Launch, Plan, Trace, Watch,
};
use tutor::source::SourceFile;

/// The trace of the only warp of a kernel `k(int* out)`.
fn trace(text: &str) -> Trace {
    let plan = Plan {
        sources: vec![KernelSource::new(SourceFile::new("k.cu", text), Vec::new())],
        buffers: vec![BufferSpec {
            name: "out".to_owned(),
            element: ElementType::I32,
            length: 32,
            init: Init::parse("zero").expect("is known"),
        }],
        launches: vec![Launch {
            kernel: "k".to_owned(),
            source: 0,
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared_bytes: 0,
            arguments: vec![Argument::Buffer(0)],
        }],
        symbols: Vec::new(),
        baselines: Vec::new(),
    };
    let options = Options {
        watch: Some(Watch::default()),
        ..Options::default()
    };
    let control = Control::default();
    let mut outcome = run(&plan, &options, &control).expect("buffers can be filled");
    assert_eq!(outcome.ending, Ending::Finished, "{:?}", outcome.reports);
    outcome.launches.remove(0).trace.expect("was watched")
}

/// What lane 5 holds in the end, by name; nothing for variables that never had a value.
fn last(trace: &Trace) -> Vec<(&str, Option<u64>)> {
    let value = |at| trace.value(at, trace.steps.len() - 1).map(|lanes| lanes[5]);
    let named = trace.variables.iter().enumerate();
    named.map(|(at, v)| (v.name.as_str(), value(at))).collect()
}

#[test]
fn elements_of_local_arrays_are_variables() {
    let trace = trace(
        "__global__ void k(int* out) {
             int t = threadIdx.x;
             short acc[2][2] = {{1, 2}};
             double other[2];
             for (int i = 0; i < 2; ++i) acc[i][1] = (short)(t - 10 * i);
             int* p = out + acc[t & 1][0];
             other[t & 1] = 0.5;
             *p = t;
         }",
    );
    let found = last(&trace);
    let of = |name: &str| {
        found
            .iter()
            .find(|entry| entry.0 == name)
            .expect("is listed")
            .1
    };
    assert_eq!(of("acc[0][0]"), Some(1));
    assert_eq!(of("acc[0][1]"), Some(5));
    assert_eq!(of("acc[1][0]"), Some(0));
    assert_eq!(of("acc[1][1]"), Some(0xfffb));
    assert_eq!(of("other[1]"), Some(0.5f64.to_bits()));
    // The statement that changes an element is where the change stands.
    let at = trace.variables.iter().position(|v| v.name == "acc[1][1]");
    let at = at.expect("is listed") as u32;
    let lines = trace.steps.iter().filter(|step| {
        let mut changes = step.changes.iter();
        changes.any(|change| change.0 == at)
    });
    let lines: Vec<u32> = lines.map(|step| step.line).collect();
    assert_eq!(lines, [3, 5]);
}
