//! What instrumented texts look like, what is said of those that cannot be, and what a side buffer
//! holds when it is full.

use std::path::Path;

use tutor::engine::Options;
use tutor::gpu::{InstrumentError, instrument_accesses, instrument_values};
use tutor::launch::{Argument, BufferSpec, ElementType, Init, KernelSource, Launch, Plan, Watch};
use tutor::source::SourceFile;

use super::execute;

/// A source of one text.
fn source(text: &str, defines: &[(&str, &str)]) -> KernelSource {
    let own = |define: &(&str, &str)| (define.0.to_owned(), define.1.to_owned());
    KernelSource::new(
        SourceFile::new("k.cu", text),
        defines.iter().map(own).collect(),
    )
}

/// What was made of the lines of a text, without those put before them.
fn lines_of(source: &KernelSource, lines_before: u32) -> String {
    let lines = source.file.text().lines().skip(lines_before as usize);
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn instrumented_texts_stay_readable() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (file, kernel) in [
        ("kernels/softmax/fused.cu", "softmax_fused"),
        ("tests/tutor/fixtures/instrument/corners.cu", "corners"),
    ] {
        let text = std::fs::read_to_string(root.join(file)).expect("is readable");
        let original = source(&text, &[]);
        let counted = instrument_accesses(&original, &[kernel]).expect("is understood");
        let traced = instrument_values(&original, &[kernel]).expect("is understood");
        let counted = lines_of(&counted.source, counted.lines_before);
        let traced = lines_of(&traced.source, traced.lines_before);
        assert_eq!(counted.lines().count(), text.lines().count(), "{file}");
        assert_eq!(traced.lines().count(), text.lines().count(), "{file}");
        insta::assert_snapshot!(format!("{kernel}_accesses"), counted);
        insta::assert_snapshot!(format!("{kernel}_values"), traced);
    }
}

#[test]
fn names_put_in_are_not_those_of_the_text_nor_of_macros() {
    let text =
        "__global__ void k(int* tutor_side) { int tutor_set = 1; tutor_side[0] = tutor_set; }";
    for define in [&[][..], &[("VALUE", "tutor_2_x")][..]] {
        let original = source(text, define);
        let counted = instrument_accesses(&original, &["k"]).expect("other names are found");
        assert!(!counted.source.file.text().contains(" tutor_attach("));
        let traced = instrument_values(&original, &["k"]).expect("other names are found");
        let line = lines_of(&traced.source, traced.lines_before);
        let prefix = if define.is_empty() {
            "tutor_2_"
        } else {
            "tutor_3_"
        };
        assert!(line.contains("int tutor_set = 1; "), "{line}");
        assert!(
            line.contains(&format!("; {prefix}set<0>(tutor_set);")),
            "{line}"
        );
    }
    let error = instrument_values(&source(text, &[("lane", "3")]), &["k"]).expect_err("clashes");
    assert!(error.to_string().contains("`lane`"), "{error}");
}

#[test]
fn what_is_wrong_with_a_text_is_said() {
    let broken = source("__global__ void k(int* y) { y[0] = x; }", &[]);
    let Err(InstrumentError::Source(errors)) = instrument_accesses(&broken, &["k"]) else {
        panic!("the text has an error");
    };
    assert_eq!(broken.file.slice(errors[0].span()), "x");
    let good = source("__global__ void k(int* y) { y[0] = 1; }", &[]);
    let error = instrument_values(&good, &["other"]).expect_err("there is no such kernel");
    assert!(matches!(error, InstrumentError::Source(_)), "{error}");
}

#[test]
fn a_full_side_buffer_ends_the_trace() {
    let text = "__global__ void k(int* y) { for (int i = 0; i < 9; ++i) y[threadIdx.x] += i; }";
    let plan = Plan {
        sources: vec![source(text, &[])],
        buffers: vec![BufferSpec {
            name: "y".to_owned(),
            element: ElementType::I32,
            length: 32,
            init: Init::Zero,
        }],
        launches: vec![Launch {
            kernel: "k".to_owned(),
            source: 0,
            grid: [1; 3],
            block: [32, 1, 1],
            shared_bytes: 0,
            arguments: vec![Argument::Buffer(0)],
        }],
        symbols: Vec::new(),
        baselines: Vec::new(),
    };
    let traced = instrument_values(&plan.sources[0], &["k"]).expect("is understood");
    let watch = Watch::default();
    for (room, kept) in [(4, 4), (10, 10), (30, 10)] {
        let changed = traced.plan(&plan, 0, &[watch], room);
        let outcome = execute(&changed.plan, Options::default());
        let trace = &traced.decode(&outcome.buffers[changed.side_buffer].bytes, &[])[0];
        assert_eq!(trace.steps.len(), kept);
        assert_eq!(trace.truncated, room < kept.max(10), "{room}");
        assert_eq!(trace.value(0, 3).map(|lanes| lanes[31]), Some(3));
    }
    assert!(traced.decode(&[], &[]).is_empty(), "nothing was run");
}
