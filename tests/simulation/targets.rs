//! What must hold for any text: shared by the fuzz targets and the replay of their corpora.

use crossterm::event::{Event, KeyCode, KeyEvent};
use tutor::compile::compile;
use tutor::cuda;
use tutor::device::gpu_or_usual;
use tutor::engine::{self, Control, Options};
use tutor::gpu::answers_in;
use tutor::ir::{Kernel, ParameterType, verify};
use tutor::launch::{
    Argument, BufferSpec, BufferValues, ElementType, Init, KernelSource, Launch, Number, Plan,
    Recording,
};
use tutor::lesson::{Formula, KernelFiles, Lesson, OtherLessons, Sizes};
use tutor::runtime::{Sequences, saved_in};
use tutor::source::{Diagnostic, SourceFile, Style, render};

/// Elements of each buffer that a kernel is given.
const LENGTH: usize = 256;
/// Warp instructions that a kernel may take.
const FUEL: u64 = 20_000;

fn file(bytes: &[u8]) -> SourceFile {
    SourceFile::new("fuzz.cu", &String::from_utf8_lossy(bytes))
}

fn all_can_be_shown(diagnostics: &[Diagnostic], file: &SourceFile) {
    for diagnostic in diagnostics {
        for label in &diagnostic.labels {
            assert!(label.span.start <= label.span.end, "{diagnostic:?}");
            assert!(
                label.span.end as usize <= file.text().len(),
                "{diagnostic:?}"
            );
        }
        render(diagnostic, file, Style::Plain);
    }
}

/// Tokens stand in order and apart.
pub fn lex(bytes: &[u8]) {
    let file = file(bytes);
    let (tokens, diagnostics) = cuda::tokens(file.text());
    all_can_be_shown(&diagnostics, &file);
    for pair in tokens.windows(2) {
        assert!(pair[0].end <= pair[1].start, "{pair:?}");
    }
}

/// The front end says what is wrong with any text, and where.
pub fn parse(bytes: &[u8]) {
    let file = file(bytes);
    all_can_be_shown(&cuda::parse(&file, &[]).diagnostics, &file);
}

/// What is accepted becomes bytecode that keeps the rules.
pub fn compile_all(bytes: &[u8]) {
    let file = file(bytes);
    let compiled = compile(&file, &[]);
    all_can_be_shown(&compiled.diagnostics, &file);
    for kernel in &compiled.kernels {
        assert_eq!(verify(kernel), Ok(()));
    }
}

/// What compiles runs to an end, if only to a fault.
pub fn run(bytes: &[u8]) {
    let file = file(bytes);
    for kernel in compile(&file, &[]).kernels {
        let plan = plan(&file, &kernel);
        let options = Options {
            threads: 1,
            fuel: FUEL,
            ..Options::default()
        };
        let control = Control::default();
        let outcome = engine::run(&plan, &options, &control).expect("buffers can be filled");
        for report in &outcome.reports {
            all_can_be_shown(std::slice::from_ref(&report.diagnostic), &file);
        }
    }
}

/// Two blocks of a warp and a half, with a buffer for each pointer.
fn plan(file: &SourceFile, kernel: &Kernel) -> Plan {
    let mut plan = Plan {
        sources: vec![KernelSource::new(file.clone(), Vec::new())],
        ..Plan::default()
    };
    let mut arguments = Vec::new();
    for parameter in kernel.written_parameters() {
        arguments.push(match parameter.parameter_type {
            ParameterType::Pointer => {
                plan.buffers.push(BufferSpec {
                    name: parameter.name.clone(),
                    element: ElementType::F32,
                    length: LENGTH,
                    init: Init::Ramp,
                });
                Argument::Buffer(plan.buffers.len() - 1)
            }
            ParameterType::Scalar(_) | ParameterType::Symbol(_) => {
                Argument::Number(Number::Integer(37))
            }
        });
    }
    plan.launches.push(Launch {
        kernel: kernel.name.clone(),
        source: 0,
        grid: [2, 1, 1],
        block: [48, 1, 1],
        shared_bytes: 1024,
        arguments,
    });
    plan
}

/// A lesson is read, or what is wrong with it is said at its place.
pub fn lesson(bytes: &[u8]) {
    let file = SourceFile::new("fuzz.md", &String::from_utf8_lossy(bytes));
    let kernels = KernelFiles {
        folder: "kernels/",
        read: &|_| {
            Ok(Some(
                "__global__ void k(float* x) { x[threadIdx.x] = 1; }".to_owned(),
            ))
        },
        names: Vec::new(),
        data: &|_| Err("there is none".to_owned()),
    };
    let (lesson, diagnostics) = Lesson::parse(&file, &kernels, &OtherLessons::none());
    assert!(lesson.is_some() || !diagnostics.is_empty());
    all_can_be_shown(&diagnostics, &file);
}

/// A formula has a value or none, and is written as it was read.
pub fn formula(bytes: &[u8]) {
    let Ok(formula) = Formula::parse(&String::from_utf8_lossy(bytes)) else {
        return;
    };
    let sizes: Sizes = [("M".to_owned(), 7), ("N".to_owned(), 0)]
        .into_iter()
        .collect();
    let value = formula.evaluate(&sizes, gpu_or_usual("h200")).ok();
    formula.textbook();
    let again = Formula::parse(formula.text()).expect("its own text is a formula");
    assert_eq!(again.evaluate(&sizes, gpu_or_usual("h200")).ok(), value);
}

/// A NumPy file is read whole, or refused; what is read is the same when it is written and read again.
pub fn npy(bytes: &[u8]) {
    let read = |bytes: &[u8], like| {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("writes");
        BufferValues::from_npy(file.path(), like, 1 << 16).ok()
    };
    if let Some(values) = read(bytes, ElementType::F32) {
        let again = read(&values.to_npy(), values.element).expect("is what we write");
        assert_eq!((again.element, again.bytes), (values.element, values.bytes));
    }
}

/// The notebook's state is read, or refused.
pub fn state(bytes: &[u8]) {
    let _ = saved_in(bytes);
}

/// A recording is read, or refused; what is read is the same when it is written and read again.
pub fn recording(bytes: &[u8]) {
    let Ok(recording) = Recording::read(bytes) else {
        return;
    };
    let text = recording.text().expect("can be written");
    let again = Recording::read(text.as_bytes()).expect("is what we write");
    assert_eq!(again.text().ok(), Some(text));
}

/// Messages of a worker that went mad are refused without taking the memory that they ask for.
pub fn worker(bytes: &[u8]) {
    answers_in(bytes);
}

/// After any bytes of a terminal, wherever reads end, the next key is understood.
pub fn input(bytes: &[u8]) {
    let mut sequences = Sequences::default();
    let mut events = Vec::new();
    for read in bytes.chunks(7) {
        sequences.take(read, &mut events);
        // A line that is slow at some places.
        if read[0] % 5 == 0 && sequences.patience().is_some() {
            sequences.expire(&mut events);
        }
    }
    while sequences.patience().is_some() {
        sequences.expire(&mut events);
    }
    events.clear();
    sequences.take(b"x", &mut events);
    let pressed = Event::Key(KeyEvent::from(KeyCode::Char('x')));
    assert_eq!(events, [pressed], "{bytes:?}");
}
