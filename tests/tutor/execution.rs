//! Kernels whose results are written beside them: `//@ expect I: VALUES` is what the buffer that
//! is argument I holds in the end, its lines one after the other, to within the share of them that
//! `//@ tolerance:` allows; `//@ printed: LINE` is what it prints, `//@ count POINTER: N` a count by
//! its JSON pointer, `//@ fault: TEXT` a part of what is said when it fails, in place of all others.
//! `//@ grid:` and `//@ block:` are X, X,Y or X,Y,Z, and `//@ shared:` bytes of dynamic shared memory.
//! Each runs on 1, 2 and 4 threads. The values of kernels without barriers and shuffles were computed
//! by a C++ compiler on the host, from the same text; those of the others by a sequential program.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tutor::engine::{Control, Options, run};
use tutor::launch::{
    Argument, BufferSpec, Dim3, ElementType, Ending, Init, KernelSource, Launch, Number, Outcome,
    Plan, Value,
};
use tutor::source::{SourceFile, Style, render};

pub struct Case {
    /// What is run.
    pub plan: Plan,
    /// Index of a buffer, and what it must hold.
    expected: Vec<(usize, Vec<f64>)>,
    /// How far a value may be off, of the expected one.
    tolerance: f64,
    printed: Vec<String>,
    /// Pointer and number.
    counts: Vec<(String, u64)>,
    faults: Vec<String>,
}

/// The launch that a file's notes describe.
pub fn read(path: &Path) -> Case {
    let text = std::fs::read_to_string(path).expect("is readable");
    let notes: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//@ ")?.split_once(": "))
        .collect();
    let all = |name: &'static str| {
        notes
            .iter()
            .filter(move |note| note.0 == name)
            .map(|note| note.1)
    };
    let sides = |name: &'static str| -> Dim3 {
        let text = all(name).next().expect("is given");
        let mut sides = [1; 3];
        for (side, text) in sides.iter_mut().zip(text.split(',')) {
            *side = text.parse().expect("is a number");
        }
        sides
    };
    let mut plan = Plan::default();
    let mut arguments = Vec::new();
    for argument in all("arg") {
        arguments.push(match (argument.parse(), argument.parse()) {
            (Ok(number), _) => Argument::Number(Number::Integer(number)),
            (_, Ok(number)) => Argument::Number(Number::Float(number)),
            _ => {
                plan.buffers.push(buffer(argument));
                Argument::Buffer(plan.buffers.len() - 1)
            }
        });
    }
    let mut expected: Vec<(usize, Vec<f64>)> = Vec::new();
    for (name, values) in &notes {
        let Some(argument) = name.strip_prefix("expect ") else {
            continue;
        };
        let argument: usize = argument.parse().expect("is an index");
        let Argument::Buffer(buffer) = arguments[argument] else {
            panic!("is no buffer")
        };
        let values = values
            .split(' ')
            .map(|value| value.parse::<f64>().expect("is a number"));
        match expected.iter_mut().find(|entry| entry.0 == buffer) {
            Some(entry) => entry.1.extend(values),
            None => expected.push((buffer, values.collect())),
        }
    }
    let texts = |name| all(name).map(str::to_owned).collect();
    let (printed, faults) = (texts("printed"), texts("fault"));
    let counts = notes.iter().filter_map(|(name, value)| {
        let pointer = name.strip_prefix("count ")?;
        Some((pointer.to_owned(), value.parse().expect("is a number")))
    });
    let counts = counts.collect();
    plan.launches.push(Launch {
        kernel: all("kernel").next().expect("is named").to_owned(),
        source: 0,
        grid: sides("grid"),
        block: sides("block"),
        shared_bytes: all("shared")
            .next()
            .map_or(0, |bytes| bytes.parse().expect("is a number")),
        arguments,
    });
    let file = SourceFile::new(&path.display().to_string(), &text);
    plan.sources.push(KernelSource {
        file,
        defines: Vec::new(),
    });
    Case {
        plan,
        expected,
        tolerance: all("tolerance")
            .next()
            .map_or(0.0, |text| text.parse().expect("is a number")),
        printed,
        counts,
        faults,
    }
}

/// `TYPE[LENGTH]:INIT`.
fn buffer(text: &str) -> BufferSpec {
    let (element, rest) = text.split_once('[').expect("has a length");
    let (length, init) = rest.split_once("]:").expect("has contents");
    BufferSpec {
        name: text.to_owned(),
        element: ElementType::from_name(element).expect("is a type"),
        length: length.parse().expect("is a number"),
        init: Init::parse(init).expect("is known"),
    }
}

fn execute(plan: &Plan, threads: usize) -> Outcome {
    let control = Control {
        cancel: &AtomicBool::new(false),
        progress: &|_| {},
    };
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
        let says = !case.expected.is_empty() || !case.faults.is_empty();
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
    for (buffer, expected) in &case.expected {
        let found: Vec<f64> = outcome.buffers[*buffer]
            .values()
            .map(Value::as_f64)
            .collect();
        assert_eq!(found.len(), expected.len(), "buffer {buffer} of {path}");
        let is_near = |(found, expected): (&f64, &f64)| {
            found == expected || (found - expected).abs() <= case.tolerance * expected.abs()
        };
        let is_right = found.iter().zip(expected).all(is_near);
        assert!(is_right, "buffer {buffer} of {path} holds {found:?}");
    }
    assert_eq!(
        outcome.printed().collect::<Vec<_>>(),
        case.printed,
        "{path}"
    );
    let counts = serde_json::to_value(outcome.counts()).expect("are numbers");
    for (pointer, expected) in &case.counts {
        let found = counts.pointer(pointer).and_then(|count| count.as_u64());
        assert_eq!(found, Some(*expected), "{pointer} of {path}");
    }
}
