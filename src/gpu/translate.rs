//! Kernels compiled to PTX for no GPU in particular: what is asked of the worker, and what it does. It
//! needs NVRTC, but neither a GPU nor a driver.

use std::io;
use std::sync::atomic::AtomicBool;

use super::client::{Gpu, GpuError, of_io};
use super::execute::Tell;
use super::fault;
use super::job::{Answer, Failure, JobSource, Ptx, Request, Stage, Translated};
use super::nvrtc::Nvrtc;
use super::text::{self, Surroundings};

impl Gpu {
    /// Compiles kernels of texts to PTX for an architecture such as `compute_75`.
    pub fn translate(
        &mut self,
        sources: Vec<(JobSource, Vec<String>)>,
        architecture: &str,
    ) -> Result<Translated, GpuError> {
        let request = Request::Translate(sources, architecture.to_owned());
        let (answer, _) = self.ask(&request, &AtomicBool::new(false), &mut |_| {})?;
        if let Answer::Translated(translated) = answer {
            return Ok(translated);
        }
        self.end_worker();
        Err(match answer {
            Answer::Failed(failure) => GpuError::Failed(failure),
            Answer::Unavailable(why) => GpuError::Unavailable(why),
            other => of_io(io::Error::other(format!("it answered {other:?}"))),
        })
    }
}

/// Compiles the kernels of `sources` for an architecture of PTX.
pub(super) fn translate(
    nvrtc: &Nvrtc,
    sources: &[(JobSource, Vec<String>)],
    architecture: &str,
    tell: Tell,
) -> Result<Translated, Failure> {
    let around = Surroundings::new(nvrtc);
    let mut one = |(index, (source, kernels)): (usize, &(JobSource, Vec<String>))| {
        tell(Answer::Stage(Stage::Compiling(index)), Vec::new());
        let names: Vec<&str> = kernels.iter().map(String::as_str).collect();
        let compiled = text::compile(nvrtc, &around, source, &names, architecture);
        let compiled = compiled.map_err(|error| fault::of_compiler(nvrtc, index, error))?;
        Ok(Ptx {
            text: text::without_folder(&compiled.ptx, &source.name),
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
