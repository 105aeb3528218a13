//! A job's sources on the device: compiled by NVRTC, or, where there is none, by the driver from the
//! PTX that comes with the program.

use std::collections::BTreeMap;

use super::compile::{self, CompileContext};
use super::device::{Device, LoadedModule};
use super::failures;
use super::nvrtc::Nvrtc;
use crate::gpu::protocol::{Failure, FoundGpu, Job, JobSource, Ptx, Reporter, Stage, Unavailable};

/// Who compiled what comes with the program.
const BY_DRIVER: &str = "the driver, from shipped PTX";

/// The GPU that jobs run on, and the compiler for it, if there is one.
pub(crate) struct OpenGpu {
    pub device: Device,
    pub gpu: FoundGpu,
    pub nvrtc: Result<Nvrtc, Unavailable>,
}

/// A source that is compiled and loaded.
pub(crate) struct LoadedSource {
    pub module: LoadedModule,
    /// The linker's names of kernels and variables, by those that C++ gives them.
    pub names: BTreeMap<String, String>,
    pub ptx: String,
    /// What compiled it.
    pub compiled_by: String,
}

impl LoadedSource {
    /// The linker's name of a variable; in shipped PTX it is its own.
    pub fn linked_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.names.get(name).map_or(name, String::as_str)
    }
}

/// Every source that is launched, by its index.
pub(crate) fn load_sources(
    job: &Job,
    on: &OpenGpu,
    report: &mut Reporter,
) -> Result<BTreeMap<usize, LoadedSource>, Failure> {
    let compiler = on.nvrtc.as_ref().map(|nvrtc| Compiler {
        nvrtc,
        context: CompileContext::new(nvrtc),
        // Compute capability 9.0 is `sm_90`.
        architecture: format!("sm_{}", on.gpu.compute_capability.replace('.', "")),
    });
    let mut for_9_0 = job.sources.iter().map(|source| source.is_for_9_0);
    if let Some(source) = for_9_0.position(|is| is && on.gpu.compute_capability != "9.0") {
        return Err(failures::of_capability(source, &on.gpu));
    }
    let mut loaded = BTreeMap::new();
    for (index, source) in job.sources.iter().enumerate() {
        let launched = job.launches.iter().filter(|launch| launch.source == index);
        let mut kernels: Vec<&str> = launched.map(|launch| launch.kernel.as_str()).collect();
        kernels.sort_unstable();
        kernels.dedup();
        if kernels.is_empty() {
            // NVRTC takes time even for a text of which nothing runs.
            continue;
        }
        report.stage(Stage::Compiling(index));
        let of_source = match &compiler {
            Ok(compiler) => compiler.load(&on.device, index, source, &kernels),
            Err(why) => load_shipped(&on.device, index, source, &kernels, why),
        };
        loaded.insert(index, of_source?);
    }
    Ok(loaded)
}

struct Compiler<'a> {
    nvrtc: &'a Nvrtc,
    context: CompileContext,
    architecture: String,
}

impl Compiler<'_> {
    fn load(
        &self,
        device: &Device,
        index: usize,
        source: &JobSource,
        kernels: &[&str],
    ) -> Result<LoadedSource, Failure> {
        let nvrtc = self.nvrtc;
        let variables = source.variables();
        // The compiler takes the name of a variable as an expression: `&ns::weights`.
        let expressions: Vec<String> = variables.iter().map(|name| format!("&{name}")).collect();
        let expressions = expressions.iter().map(String::as_str);
        let wanted: Vec<&str> = kernels.iter().copied().chain(expressions).collect();
        // What only one generation has takes an architecture of its own, `sm_90a`.
        let architecture = match source.is_for_9_0 {
            true => format!("{}a", self.architecture),
            false => self.architecture.clone(),
        };
        let made = compile::compile(nvrtc, &self.context, source, &wanted, &architecture)
            .map_err(|error| failures::of_compiler(nvrtc, index, error))?;
        let module = LoadedModule::load(device, &made.cubin)
            .map_err(|error| failures::of_module(nvrtc, index, error))?;
        let names = kernels.iter().chain(&variables);
        let names = names.map(|name| (*name).to_owned());
        Ok(LoadedSource {
            module,
            names: names.zip(made.kernels).collect(),
            ptx: made.ptx,
            compiled_by: nvrtc.title(),
        })
    }
}

/// Loads the PTX that was shipped for a source, if it has all these kernels.
fn load_shipped(
    device: &Device,
    index: usize,
    source: &JobSource,
    kernels: &[&str],
    why: &Unavailable,
) -> Result<LoadedSource, Failure> {
    let has_all = |ptx: &&Ptx| {
        let has = |kernel: &&str| ptx.kernels.iter().any(|(name, _)| name == kernel);
        kernels.iter().all(has)
    };
    let ptx = source.shipped.as_ref().filter(has_all);
    let ptx = ptx.ok_or_else(|| failures::of_no_compiler(index, why))?;
    // `cuModuleLoadData` takes PTX as a text of C's.
    let image = [ptx.text.as_bytes(), &[0]].concat();
    let module = LoadedModule::load(device, &image);
    Ok(LoadedSource {
        module: module.map_err(|error| failures::of_ptx(index, error))?,
        names: ptx.kernels.iter().cloned().collect(),
        ptx: ptx.text.clone(),
        compiled_by: BY_DRIVER.to_owned(),
    })
}
