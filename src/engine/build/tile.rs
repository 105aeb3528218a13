//! A Triton kernel as it is launched: compiled as the program of one thread, and told of the Python's lines.

use std::sync::Arc;

use crate::compile::{Compiled, Fidelity, compile_within};
use crate::launch::{Argument, KernelSource, Launch, Plan, TensorMap, TileProgram};
use crate::source::{SourceFile, Work};
use crate::triton::{ArgumentFact, Launched, Options, ThreadProgram, USUAL_STAGES, thread_program};

/// A Triton source, compiled for its launch.
pub struct CompiledTiles {
    /// Its places are those of the Python, but for what NVRTC is told of the text.
    pub compiled: Compiled,
    /// What it became; nothing where it has mistakes.
    pub program: Option<Arc<TileProgram>>,
    /// The launch of the thread program.
    pub launch: Launch,
}

/// Compiles `source` for the one launch of it, whose macros are the constants.
pub fn compile_tiles(
    source: &KernelSource,
    launch: &Launch,
    plan: &Plan,
    fidelity: Fidelity,
    work: &Work,
) -> CompiledTiles {
    let arguments = launch.arguments.iter().map(|argument| match *argument {
        Argument::Number(number) => ArgumentFact::Number(number),
        Argument::Buffer(buffer) | Argument::TensorMap(TensorMap { buffer, .. }) => {
            ArgumentFact::Buffer(plan.buffers[buffer].element)
        }
    });
    let options = Options {
        kernel: launch.kernel.clone(),
        warps: launch.block[0] / 32,
        stages: source.tiles.stages.unwrap_or(USUAL_STAGES),
        launched: Launched {
            meta: source.defines.clone(),
            arguments: arguments.collect(),
            is_general: source.tiles.is_general,
        },
    };
    match thread_program(&source.file, &options) {
        Ok(program) => translated(&source.file, launch, program, fidelity, work),
        Err(error) => CompiledTiles {
            compiled: Compiled::failed(*error),
            program: None,
            launch: launch.clone(),
        },
    }
}

fn translated(
    python: &SourceFile,
    launch: &Launch,
    program: ThreadProgram,
    fidelity: Fidelity,
    work: &Work,
) -> CompiledTiles {
    let names = [&program.kernel[..]];
    let mut compiled = compile_within(&program.file, &[], &names, fidelity, work);
    let arguments = program.arguments.iter();
    // Constants are compiled in: only the arguments that are left are passed.
    let arguments = arguments.map(|&argument| launch.arguments[argument]);
    let launch = Launch {
        arguments: arguments.collect(),
        kernel: program.kernel.clone(),
        // Found by the compiler: a Triton launch names no shared memory.
        shared_bytes: program.shared_bytes,
        ..launch.clone()
    };
    compiled.relocate(&|line| program.line(line), &|span| {
        program.place(python, span)
    });
    compiled.diagnostics.extend(program.warnings);
    CompiledTiles {
        compiled,
        launch,
        program: Some(Arc::new(TileProgram {
            tensors: program.tensors,
            file: program.file,
            lines: program.lines,
            facts: program.facts,
            unreached: program.unreached,
        })),
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::{Control, Options, run};
    use crate::launch::{
        Argument, BufferSpec, ElementType, Init, KernelSource, Launch, Number, Plan,
    };
    use crate::source::SourceFile;

    const ADD: &str = "\
import triton
import triton.language as tl

@triton.jit
def twice(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < count)
    tl.store(y_ptr + offsets, 2 * x, mask=offsets < count)
";

    fn plan(text: &str, length: usize) -> Plan {
        let buffer = |name: &str, init| BufferSpec {
            name: name.to_owned(),
            element: ElementType::F32,
            length,
            init,
        };
        Plan {
            sources: vec![KernelSource::new(
                SourceFile::new("twice.py", text),
                vec![("BLOCK".to_owned(), "1024".to_owned())],
            )],
            buffers: vec![buffer("x", Init::Arange), buffer("y", Init::Zero)],
            launches: vec![Launch {
                kernel: "twice".to_owned(),
                source: 0,
                grid: [length.div_ceil(1024) as u32, 1, 1],
                block: [128, 1, 1],
                shared_bytes: 0,
                arguments: vec![
                    Argument::Buffer(0),
                    Argument::Buffer(1),
                    Argument::Number(Number::Integer(length as i128)),
                ],
            }],
            ..Plan::default()
        }
    }

    #[test]
    fn a_triton_kernel_runs_and_is_told_of_its_own_lines() {
        for (length, sectors) in [(100_000, 12_500), (100_003, 50_003), (1, 1)] {
            let plan = plan(ADD, length);
            let outcome = run(&plan, &Options::default(), &Control::default()).expect("runs");
            let launch = &outcome.launches[0];
            let loads = launch.lines.iter().find(|line| line.line == 7);
            let loads = loads.expect("line 7 loads").counts.global_load;
            assert_eq!(loads.sectors, sectors, "{length}");
            let place = launch.accesses[0].span;
            assert_eq!(
                plan.sources[0].file.text()[place.range()].trim(),
                "x = tl.load(x_ptr + offsets, mask=offsets < count)"
            );
            let tiles = launch.tiles.as_ref().expect("it has tiles");
            let x = tiles.tensors.iter().find(|tensor| tensor.name == "x");
            let held = x.expect("is there").holders[130];
            assert_eq!((held.warp, held.lane, held.register), (1, 0, 2));
        }
    }

    #[test]
    fn launches_of_one_triton_file_add_up_at_its_lines() {
        let mut plan = plan(ADD, 100_000);
        let (mut source, mut launch) = (plan.sources[0].clone(), plan.launches[0].clone());
        source.defines[0].1 = "512".to_owned();
        (launch.source, launch.grid[0]) = (1, 196);
        plan.sources.push(source);
        plan.launches.push(launch);
        let outcome = run(&plan, &Options::default(), &Control::default()).expect("runs");
        assert_eq!(outcome.accesses(0)[0].global.sectors, 2 * 12_500);
    }

    #[test]
    fn a_mistake_in_a_triton_kernel_is_told_at_its_line() {
        let text = ADD.replace("2 * x", "2 * z");
        let outcome = run(&plan(&text, 8), &Options::default(), &Control::default());
        let outcome = outcome.expect("is no fault of the machine");
        let told = &outcome.reports[0].diagnostic;
        let line = SourceFile::new("twice.py", &text).line(told.span().start);
        assert_eq!((line, told.message.contains('z')), (8, true), "{told:?}");
    }
}
