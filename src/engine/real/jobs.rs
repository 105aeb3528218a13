//! A plan as a job for a real GPU: what the front end knows of its kernels, as bytes.

use super::nvrtc_text::{nvrtc_headers, nvrtc_text};
use super::shipped::shipped_ptx;
use crate::compile::Compiled;
use crate::engine::build::{Prepared, ReadyPlan, parameters_of, set};
use crate::gpu::{Job, JobArgument, JobLaunch, JobSource, JobSymbol, JobValue, TimingChoice};
use crate::ir::{Parameter, ParameterType};
use crate::launch::{Argument, BufferSpec, Plan, TensorMap, ValueType};

/// The job of a plan.
pub(crate) fn job(ready: &ReadyPlan, timing: Option<TimingChoice>) -> Job {
    let (plan, built) = (ready.plan, ready.built);
    let sources = plan.sources.iter().zip(&built.compiled).enumerate();
    Job {
        sources: sources
            .map(|(index, (source, compiled))| JobSource {
                name: source.file.name().to_owned(),
                text: nvrtc_text(built.text(plan, index), compiled),
                headers: nvrtc_headers(built.text(plan, index), compiled),
                defines: built.macros(plan, index),
                symbols: symbols_of(built.symbols.of_source(index), compiled),
                set: set_of(plan, built.symbols.of_source(index), compiled),
                shipped: shipped_ptx(source),
                is_for_9_0: compiled.hardware_only.is_some(),
            })
            .collect(),
        buffers: plan.buffers.clone(),
        launches: ready.launches.iter().map(launch).collect(),
        timing,
    }
}

/// The variables in global memory that launches use, in the order in which a run gives them back.
fn symbols_of(used: &[Option<usize>], compiled: &Compiled) -> Vec<JobSymbol> {
    let pairs = compiled.symbols.iter().zip(used);
    // Kernels cannot change constants, so none comes back.
    let global = pairs.filter(|(symbol, used)| used.is_some() && !symbol.is_constant);
    global
        .map(|(symbol, _)| JobSymbol {
            name: symbol.path.clone(),
            size_bytes: symbol.size_bytes as usize,
        })
        .collect()
}

/// What the plan sets variables of a source to, as far as launches use them.
fn set_of(plan: &Plan, used: &[Option<usize>], compiled: &Compiled) -> Vec<BufferSpec> {
    let pairs = compiled.symbols.iter().zip(used);
    let used = pairs.filter(|(_, used)| used.is_some());
    used.filter_map(|(symbol, _)| set(plan, &symbol.path).cloned())
        .collect()
}

fn launch(prepared: &Prepared) -> JobLaunch {
    let launch = prepared.launch;
    JobLaunch {
        source: launch.source,
        kernel: launch.kernel.clone(),
        span: prepared.kernel.span,
        grid: launch.grid,
        block: launch.block,
        shared_bytes: launch.shared_bytes,
        arguments: arguments(prepared),
        is_cooperative: prepared.kernel.waits_for_grid(),
    }
}

/// Each argument at the place of its first parameter.
fn arguments(prepared: &Prepared) -> Vec<JobArgument> {
    let parameters = prepared.kernel.written_parameters();
    let mut first = 0;
    let arguments = prepared.launch.arguments.iter().map(|argument| {
        let (parameter, bits) = (&parameters[first], prepared.arguments[first]);
        first += parameters_of(argument);
        JobArgument {
            offset_bytes: parameter.offset_bytes,
            size_bytes: match argument {
                Argument::TensorMap(_) => TensorMap::SIZE_BYTES,
                Argument::Buffer(_) | Argument::Number(_) => size_bytes(parameter),
            },
            value: match *argument {
                // Where it lies is known only once the worker has allocated it.
                Argument::Buffer(buffer) => JobValue::Buffer(buffer),
                Argument::TensorMap(map) => JobValue::TensorMap(map),
                Argument::Number(_) => JobValue::Bits(bits),
            },
        }
    });
    arguments.collect()
}

fn size_bytes(parameter: &Parameter) -> u32 {
    match parameter.parameter_type {
        // As nvcc lays parameters out: `bool` takes a byte, a pointer 64 bits.
        ParameterType::Scalar(ValueType::Bool) => 1,
        ParameterType::Scalar(ValueType::Number(element)) => element.size_bytes() as u32,
        ParameterType::Scalar(ValueType::Pointer)
        | ParameterType::Pointer
        | ParameterType::Symbol(_) => 8,
    }
}
