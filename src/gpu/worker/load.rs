//! A job's sources on the device: compiled by NVRTC, or, where there is none, by the driver from the
//! PTX that comes with the program.

use std::collections::BTreeMap;

use super::compile;
use super::compile::Surroundings;
use super::device::{Device, Module};
use super::failures;
use super::nvrtc::Nvrtc;
use crate::gpu::protocol::Unavailable;
use crate::gpu::protocol::{Answer, Failure, FoundGpu, Job, JobSource, Ptx, Stage, Tell};

/// Who compiled what comes with the program.
const BY_DRIVER: &str = "the driver, from shipped PTX";

/// A source that is compiled and loaded.
pub(crate) struct Loaded {
    pub module: Module,
    /// The linker's names of kernels, by those that C++ gives them.
    pub names: BTreeMap<String, String>,
    pub ptx: String,
    /// What compiled it.
    pub compiled_by: String,
}

/// Every source that is launched, by its index.
pub(crate) fn sources(
    job: &Job,
    (device, gpu): (&Device, &FoundGpu),
    nvrtc: &Result<Nvrtc, Unavailable>,
    tell: Tell,
) -> Result<BTreeMap<usize, Loaded>, Failure> {
    let compiler = nvrtc
        .as_ref()
        .map(|nvrtc| (nvrtc, Surroundings::new(nvrtc)));
    let architecture = format!("sm_{}", gpu.compute_capability.replace('.', ""));
    let mut loaded = BTreeMap::new();
    for (index, source) in job.sources.iter().enumerate() {
        let launched = job.launches.iter().filter(|launch| launch.source == index);
        let mut kernels: Vec<&str> = launched.map(|launch| launch.kernel.as_str()).collect();
        kernels.sort_unstable();
        kernels.dedup();
        if kernels.is_empty() {
            continue;
        }
        tell(Answer::Stage(Stage::Compiling(index)), Vec::new());
        let of_source = match &compiler {
            Ok((nvrtc, around)) => {
                let how = (*nvrtc, around, architecture.as_str());
                compiled(device, how, (index, source), &kernels)
            }
            Err(why) => shipped(device, (index, source), &kernels, why),
        };
        loaded.insert(index, of_source?);
    }
    Ok(loaded)
}

fn compiled(
    device: &Device,
    (nvrtc, around, architecture): (&Nvrtc, &Surroundings, &str),
    (index, source): (usize, &JobSource),
    kernels: &[&str],
) -> Result<Loaded, Failure> {
    let compiled = compile::compile(nvrtc, around, source, kernels, architecture);
    let compiled = compiled.map_err(|error| failures::of_compiler(nvrtc, index, error))?;
    let module = Module::load(device, &compiled.cubin);
    let module = module.map_err(|error| failures::of_module(nvrtc, index, error))?;
    let names = kernels.iter().map(|kernel| (*kernel).to_owned());
    Ok(Loaded {
        module,
        names: names.zip(compiled.kernels).collect(),
        ptx: compiled.ptx,
        compiled_by: nvrtc.title(),
    })
}

fn shipped(
    device: &Device,
    (index, source): (usize, &JobSource),
    kernels: &[&str],
    why: &Unavailable,
) -> Result<Loaded, Failure> {
    let has_all = |ptx: &&Ptx| {
        let has = |kernel: &&str| ptx.kernels.iter().any(|(name, _)| name == kernel);
        kernels.iter().all(has)
    };
    let ptx = source.shipped.as_ref().filter(has_all);
    let ptx = ptx.ok_or_else(|| failures::of_no_compiler(index, why))?;
    let image = [ptx.text.as_bytes(), &[0]].concat();
    let module = Module::load(device, &image);
    Ok(Loaded {
        module: module.map_err(|error| failures::of_ptx(index, error))?,
        names: ptx.kernels.iter().cloned().collect(),
        ptx: ptx.text.clone(),
        compiled_by: BY_DRIVER.to_owned(),
    })
}
