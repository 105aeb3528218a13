//! Kernels compiled to PTX for no GPU in particular. It needs NVRTC, but neither a GPU nor a driver.

use super::compile;
use super::compile::Surroundings;
use super::failures;
use super::nvrtc::Nvrtc;
use crate::gpu::protocol::{Answer, Failure, JobSource, Ptx, Stage, Tell, Translated};

/// Compiles the kernels of `sources` for an architecture of PTX.
pub(crate) fn translate(
    nvrtc: &Nvrtc,
    sources: &[(JobSource, Vec<String>)],
    architecture: &str,
    tell: Tell,
) -> Result<Translated, Failure> {
    let around = Surroundings::new(nvrtc);
    let mut one = |(index, (source, kernels)): (usize, &(JobSource, Vec<String>))| {
        tell(Answer::Stage(Stage::Compiling(index)), Vec::new());
        let names: Vec<&str> = kernels.iter().map(String::as_str).collect();
        let compiled = compile::compile(nvrtc, &around, source, &names, architecture);
        let compiled = compiled.map_err(|error| failures::of_compiler(nvrtc, index, error))?;
        Ok(Ptx {
            text: compile::without_folder(&compiled.ptx, &source.name),
            kernels: kernels.iter().cloned().zip(compiled.kernels).collect(),
        })
    };
    Ok(Translated {
        compiler: nvrtc.title(),
        sources: sources
            .iter()
            .enumerate()
            .map(&mut one)
            .collect::<Result<_, _>>()?,
    })
}
