//! Fragments lie over the lanes of a warp as they do on an H200.

use std::collections::BTreeMap;

use half::{bf16, f16};
use tutor::engine::{Control, Options, run};
use tutor::launch::{
    Argument, BufferSpec, ElementType, Ending, Init, KernelSource, Launch, Number, Plan,
};
use tutor::source::SourceFile;

use crate::files::fixture;

/// Elements from one line of memory to the next.
const STRIDE: usize = 64;
/// Lines of memory that the largest fragment has.
const LINES: usize = 32;
/// Elements of a lane that the largest fragment has.
const MOST: usize = 16;

fn buffer(name: &str, element: ElementType, length: usize, init: Init) -> BufferSpec {
    BufferSpec {
        name: name.to_owned(),
        element,
        length,
        init,
    }
}

/// The type of what a kernel loads fragments from.
fn element(kernel: &str) -> (usize, ElementType) {
    match kernel.rsplit(", ").next() {
        Some("__nv_bfloat16>") => (0, ElementType::Bf16),
        Some("__half>") => (1, ElementType::F16),
        _ => (2, ElementType::F32),
    }
}

fn values(element: ElementType, bytes: &[u8]) -> Vec<f32> {
    let pairs = bytes.chunks_exact(2).map(|two| [two[0], two[1]]);
    match element {
        ElementType::Bf16 => pairs.map(|two| bf16::from_le_bytes(two).to_f32()).collect(),
        ElementType::F16 => pairs.map(|two| f16::from_le_bytes(two).to_f32()).collect(),
        _ => {
            let words = bytes.chunks_exact(4);
            let word = |four: &[u8]| [four[0], four[1], four[2], four[3]];
            words.map(|four| f32::from_le_bytes(word(four))).collect()
        }
    }
}

/// Each kernel of `lanes`, launched over random matrices, with what it writes.
fn plan(lanes: &BTreeMap<String, Vec<Vec<usize>>>) -> Plan {
    let text = std::fs::read_to_string(fixture("tensor_cores/fragments.cu")).expect("is a fixture");
    let mut plan = Plan::default();
    for element in [ElementType::Bf16, ElementType::F16, ElementType::F32] {
        let random = buffer("x", element, LINES * STRIDE, Init::Normal(7));
        plan.buffers.push(random);
    }
    for kernel in lanes.keys() {
        let out = buffer("out", ElementType::F32, MOST * 32, Init::Zero);
        plan.buffers.push(out);
        plan.launches.push(Launch {
            kernel: kernel.clone(),
            source: 0,
            grid: [1; 3],
            block: [32, 1, 1],
            shared_bytes: 0,
            arguments: vec![
                Argument::Buffer(element(kernel).0),
                Argument::Buffer(plan.buffers.len() - 1),
                Argument::Number(Number::Integer(STRIDE as i128)),
            ],
        });
    }
    plan.sources.push(KernelSource::new(
        SourceFile::new("fragments.cu", &text),
        Vec::new(),
    ));
    plan
}

#[test]
fn lanes_hold_the_elements_that_they_hold_on_the_hardware() {
    let text = std::fs::read_to_string(fixture("tensor_cores/lanes.json")).expect("is a fixture");
    let file: serde_json::Value = serde_json::from_str(&text).expect("is JSON");
    let lanes: BTreeMap<String, Vec<Vec<usize>>> =
        serde_json::from_value(file["lanes"].clone()).expect("holds places");
    assert_eq!(lanes.len(), 30, "the fixture is there");
    let plan = plan(&lanes);
    let outcome = run(&plan, &Options::default(), &Control::default()).expect("can be filled");
    assert_eq!(outcome.ending, Ending::Finished, "{:?}", outcome.reports);
    for (out, (kernel, lanes)) in (3..).zip(&lanes) {
        let (from, element) = element(kernel);
        let memory = values(element, &outcome.buffers[from].bytes);
        let held = values(ElementType::F32, &outcome.buffers[out].bytes);
        for (lane, places) in lanes.iter().enumerate() {
            let elements = places.iter().enumerate();
            let found: Vec<f32> = elements.map(|(at, _)| held[at * 32 + lane]).collect();
            let expected: Vec<f32> = places.iter().map(|&place| memory[place]).collect();
            assert_eq!(found, expected, "{kernel}, lane {lane}");
        }
    }
}
