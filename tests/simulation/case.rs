//! Kernels whose results are written beside them: `//@ expect I: VALUES` is what the buffer that
//! is argument I of the first launch, or is called I, holds in the end, its lines one after the other;
//! `//@ same: A B` says that two buffers hold the same in the end, such as what a plain kernel computes
//! and a fast one; `//@ within: E` how far values may be apart, of 1 or of their size, and
//! `//@ tolerance: E` of their size only.
//! `//@ printed: LINE` is what it prints, `//@ count POINTER: N` a count by its JSON pointer,
//! `//@ here POINTER: N` one of the launch that the note stands in, `//@ fault: TEXT` a part of what is
//! said when it fails, in place of all others. A launch begins with `//@ kernel: NAME`, then come
//! `grid`, `block`, `shared` and an `arg` for each parameter: a number, a buffer of its own as
//! `TYPE[LENGTH]:INIT`, or one that `//@ buffer NAME: TYPE[LENGTH]:INIT` declared. The values of kernels without barriers and shuffles were computed by a C++ compiler
//! on the host, from the same text; those of some others by a sequential program.

use std::path::Path;

use tutor::launch::{
    Argument, BufferSpec, ElementType, Init, KernelSource, Launch, Number, Outcome, Plan, Value,
};
use tutor::source::SourceFile;

pub struct Case {
    /// What is run.
    pub plan: Plan,
    /// Index of a buffer, and what it must hold.
    pub expected: Vec<(usize, Vec<f64>)>,
    /// Pairs of buffers that must hold the same.
    pub same: Vec<(usize, usize)>,
    /// How far values may be apart, of 1 or of their size.
    within: f64,
    /// How far values may be apart, of their size.
    tolerance: f64,
    printed: Vec<String>,
    /// Pointer and number, of one launch or of all.
    pub counts: Vec<(Option<usize>, String, u64)>,
    /// Parts of what is said when it fails.
    pub faults: Vec<String>,
}

/// What a file's notes describe.
pub fn read(path: &Path) -> Case {
    let text = std::fs::read_to_string(path).expect("is readable");
    let notes: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//@ ")?.split_once(": "))
        .collect();
    let texts = |name: &str| {
        let with = notes.iter().filter(|note| note.0 == name);
        with.map(|note| note.1.to_owned()).collect()
    };
    let share = |name: &str| {
        let note = notes.iter().find(|note| note.0 == name);
        note.map_or(0.0, |note| note.1.parse().expect("is a number"))
    };
    let mut case = Case {
        plan: Plan::default(),
        expected: Vec::new(),
        same: Vec::new(),
        within: share("within"),
        tolerance: share("tolerance"),
        printed: texts("printed"),
        counts: Vec::new(),
        faults: texts("fault"),
    };
    case.launches(&notes);
    let file = SourceFile::new(&path.display().to_string(), &text);
    case.plan.sources.push(KernelSource::new(file, Vec::new()));
    for (name, values) in &notes {
        if let Some(argument) = name.strip_prefix("expect ") {
            case.expect(argument, values);
        } else if *name == "same" {
            let (a, b) = values.split_once(' ').expect("are two buffers");
            let same = (case.named(a), case.named(b));
            case.same.push(same);
        }
    }
    case
}

impl Case {
    /// Launches, each from its `kernel` note to the next, and the buffers.
    fn launches(&mut self, notes: &[(&str, &str)]) {
        for (name, value) in notes {
            if let Some(buffer_name) = name.strip_prefix("buffer ") {
                let name = buffer_name.to_owned();
                self.plan.buffers.push(BufferSpec {
                    name,
                    ..buffer(value)
                });
                continue;
            }
            if *name == "kernel" {
                self.plan.launches.push(Launch {
                    kernel: value.to_string(),
                    source: 0,
                    grid: [1; 3],
                    block: [1; 3],
                    shared_bytes: 0,
                    arguments: Vec::new(),
                });
                continue;
            }
            if let Some((scope, pointer)) = name.split_once(' ')
                && matches!(scope, "count" | "here")
            {
                let launch = (scope == "here").then(|| self.plan.launches.len() - 1);
                let count = value.parse().expect("is a number");
                self.counts.push((launch, pointer.to_owned(), count));
            }
            let argument = (*name == "arg").then(|| self.argument(value));
            let Some(launch) = self.plan.launches.last_mut() else {
                continue;
            };
            match *name {
                "grid" => launch.grid = sizes(value),
                "block" => launch.block = sizes(value),
                "shared" => launch.shared_bytes = value.parse().expect("is a number"),
                _ => launch.arguments.extend(argument),
            }
        }
    }

    /// A number, the name of a buffer, or a buffer of its own.
    fn argument(&mut self, text: &str) -> Argument {
        let known = |buffer: &BufferSpec| buffer.name == text && !text.contains('[');
        if let Some(buffer) = self.plan.buffers.iter().position(known) {
            return Argument::Buffer(buffer);
        }
        if let Ok(number) = text.parse() {
            return Argument::Number(Number::Integer(number));
        }
        if let Ok(number) = text.parse() {
            return Argument::Number(Number::Float(number));
        }
        self.plan.buffers.push(buffer(text));
        Argument::Buffer(self.plan.buffers.len() - 1)
    }

    fn named(&self, name: &str) -> usize {
        let mut buffers = self.plan.buffers.iter();
        buffers
            .position(|buffer| buffer.name == name)
            .expect("is the name of a buffer")
    }

    /// What the buffer must hold that is an argument of the first launch, or has this name.
    fn expect(&mut self, argument: &str, values: &str) {
        let buffer = match argument.parse::<usize>() {
            Ok(argument) => match self.plan.launches[0].arguments[argument] {
                Argument::Buffer(buffer) => buffer,
                Argument::Number(_) | Argument::TensorMap(_) => panic!("is no buffer"),
            },
            Err(_) => self.named(argument),
        };
        let values = values
            .split(' ')
            .map(|value| value.parse::<f64>().expect("is a number"));
        match self.expected.iter_mut().find(|entry| entry.0 == buffer) {
            Some(entry) => entry.1.extend(values),
            None => self.expected.push((buffer, values.collect())),
        }
    }

    /// Whether a value is as near as the file asks.
    fn is_near(&self, found: f64, expected: f64) -> bool {
        let size = expected.abs();
        let far = (self.within * size.max(1.0)).max(self.tolerance * size);
        found == expected || (found - expected).abs() <= far || found.is_nan() && expected.is_nan()
    }
}

/// `X`, `X,Y` or `X,Y,Z`.
fn sizes(text: &str) -> [u32; 3] {
    let mut all = [1; 3];
    for (size, written) in all.iter_mut().zip(text.split(',')) {
        *size = written.parse().expect("is a number");
    }
    all
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

impl Case {
    /// Asserts that buffers hold, and kernels print, what is written in the file at `path`.
    pub fn check_values(&self, outcome: &Outcome, path: &str) {
        let values = |buffer: usize| {
            let values = outcome.buffers[buffer].values();
            values.map(Value::as_f64).collect::<Vec<f64>>()
        };
        for (buffer, expected) in &self.expected {
            let found = values(*buffer);
            let near = |(a, b): (&f64, &f64)| self.is_near(*a, *b);
            let all = found.len() == expected.len() && found.iter().zip(expected).all(near);
            assert!(
                all,
                "buffer {buffer} of {path} is\n{found:?}\nnot\n{expected:?}"
            );
        }
        for &(a, b) in &self.same {
            let (found, expected) = (values(a), values(b));
            assert_eq!(found.len(), expected.len(), "{path}");
            assert!(expected.iter().any(|value| *value != 0.0), "{path}");
            for (at, (found, expected)) in found.into_iter().zip(expected).enumerate() {
                let near = self.is_near(found, expected);
                assert!(near, "{path}: {found} at {at}, not {expected}");
            }
        }
        assert_eq!(
            outcome.printed().collect::<Vec<_>>(),
            self.printed,
            "{path}"
        );
    }
}
