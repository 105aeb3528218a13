//! A plan as a job for a real GPU: what the front end knows of its kernels, as bytes.

use super::build::{Built, Prepared};
use super::shipped::shipped_ptx;
use crate::compile::Compiled;
use crate::gpu::{Job, JobArgument, JobLaunch, JobSource, JobSymbol, JobValue, TimingChoice};
use crate::ir::{Parameter, ParameterType};
use crate::launch::{Argument, Plan, ValueType};
use crate::source::{SourceFile, Span};

/// The job of `plan`, whose launches are `prepared`.
pub(super) fn job(
    plan: &Plan,
    built: &Built,
    prepared: &[Prepared],
    timing: Option<TimingChoice>,
) -> Job {
    let sources = plan.sources.iter().zip(&built.compiled).enumerate();
    Job {
        sources: sources
            .map(|(index, (source, compiled))| JobSource {
                name: source.file.name().to_owned(),
                text: text(&source.file, compiled),
                defines: source.defines.clone(),
                symbols: symbols_of(built.symbols.of_source(index), compiled),
                shipped: shipped_ptx(source),
            })
            .collect(),
        buffers: plan.buffers.clone(),
        launches: prepared.iter().map(launch).collect(),
        timing,
    }
}

/// The text of a source as NVRTC takes it; every line stays where it is.
pub(super) fn text(file: &SourceFile, compiled: &Compiled) -> String {
    let spaces = compiled.skipped.iter().map(|&span| (span, ""));
    let respelt = compiled.respelt.iter();
    let mut edits: Vec<(Span, &str)> = respelt.map(|(span, text)| (*span, text.as_str())).collect();
    edits.extend(spaces);
    edited(file.text(), &edits)
}

/// The text with what stands at each span replaced: by another text, and spaces and the ends of its
/// lines behind it.
fn edited(text: &str, edits: &[(Span, &str)]) -> String {
    let mut kept = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let mut over = edits.iter().filter(|(span, _)| span.range().contains(&at));
        let Some(first) = over.next() else {
            kept.push(character);
            continue;
        };
        let begins = over
            .chain([first])
            .filter(|(span, _)| span.range().start == at);
        kept.extend(begins.map(|(_, other)| *other));
        kept.push(if character == '\n' { '\n' } else { ' ' });
    }
    kept
}

/// The variables in global memory that launches use, in the order in which a run gives them back.
fn symbols_of(used: &[Option<usize>], compiled: &Compiled) -> Vec<JobSymbol> {
    let pairs = compiled.symbols.iter().zip(used);
    let global = pairs.filter(|(symbol, used)| used.is_some() && !symbol.is_constant);
    global
        .map(|(symbol, _)| JobSymbol {
            name: symbol.name.clone(),
            size_bytes: symbol.size_bytes as usize,
        })
        .collect()
}

fn launch(prepared: &Prepared) -> JobLaunch {
    let launch = prepared.launch;
    let parameters = prepared.kernel.written_parameters().iter();
    let values = prepared.arguments.iter().zip(&launch.arguments);
    JobLaunch {
        source: launch.source,
        kernel: launch.kernel.clone(),
        span: prepared.kernel.span,
        grid: launch.grid,
        block: launch.block,
        shared_bytes: launch.shared_bytes,
        arguments: parameters
            .zip(values)
            .map(|(parameter, (&bits, argument))| JobArgument {
                offset_bytes: parameter.offset_bytes,
                size_bytes: size_bytes(parameter),
                value: match *argument {
                    Argument::Buffer(buffer) => JobValue::Buffer(buffer),
                    Argument::Number(_) => JobValue::Bits(bits),
                },
            })
            .collect(),
    }
}

fn size_bytes(parameter: &Parameter) -> u32 {
    match parameter.parameter_type {
        ParameterType::Scalar(ValueType::Bool) => 1,
        ParameterType::Scalar(ValueType::Number(element)) => element.size_bytes() as u32,
        ParameterType::Scalar(ValueType::Pointer)
        | ParameterType::Pointer
        | ParameterType::Symbol(_) => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_the_host_becomes_spaces() {
        let text = "int main() {\n  é();\n}\nrest";
        let main = Span::new(0, text.find("\nrest").expect("is there"));
        assert_eq!(edited(text, &[(main, "")]), "            \n      \n \nrest");
    }

    #[test]
    fn what_is_spelt_otherwise_keeps_its_lines() {
        let text = "a = {1,\n2};\nb";
        let value = Span::new(4, 11 - 1);
        assert_eq!(edited(text, &[(value, "{x}")]), "a = {x}   \n  ;\nb");
    }

    #[test]
    fn nvrtc_gets_no_types_of_the_host_and_halves_as_bits() {
        let text = "#include <vector>\ntypedef std::vector<float> Floats;\nstd::vector<int> sizes;\n\
                    using Real = float;\n__constant__ half one = 1.0f;\n\
                    __constant__ __nv_bfloat16 two[2] = {1.0f, -2.0f};\n\
                    __global__ void f(Real* y) { *y = __half2float(one) + float(two[1]); }\n";
        let file = SourceFile::new("a.cu", text);
        let compiled = crate::compile::compile(&file, &[]);
        let text = super::text(&file, &compiled);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(
            lines,
            [
                "#include <vector>",
                "",
                "",
                "using Real = float;",
                "__constant__ half one = {__half_raw{0x3c00}}    ;",
                "__constant__ __nv_bfloat16 two[2] = \
                 {__nv_bfloat16_raw{0x3f80}, __nv_bfloat16_raw{0xc000}}             ;",
                "__global__ void f(Real* y) { *y = __half2float(one) + float(two[1]); }",
            ]
        );
    }
}
