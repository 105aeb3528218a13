//! What must hold for any text: shared by the fuzz targets and the replay of their corpora.

use tutor::compile::compile;
use tutor::cuda;
use tutor::engine::{self, Control, Options};
use tutor::ir::{Kernel, ParameterType, verify};
use tutor::launch::{Argument, BufferSpec, ElementType, Init, KernelSource, Launch, Number, Plan};
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
        sources: vec![KernelSource {
            file: file.clone(),
            defines: Vec::new(),
        }],
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
