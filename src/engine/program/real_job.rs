//! A whole program's kernels as a job for a real GPU.

use crate::compile::{Fidelity, compile_within};
use crate::cuda::{FileMemory, FileVariable, FunctionId, Program};
use crate::engine::options::Control;
use crate::engine::real::{nvrtc_headers, nvrtc_text};
use crate::gpu::{Job, JobLaunch, JobSource, JobSymbol};
use crate::launch::KernelSource;
use crate::source::{Diagnostic, Span, Work};

/// What of a program goes to a real GPU.
pub(super) struct RealProgram<'a, 'k> {
    /// What the checker made of it.
    pub program: &'a Program,
    /// Its text, and its macros.
    pub source: KernelSource,
    /// The kernels that it launches.
    pub kernels: &'k [FunctionId],
}

/// The kernels as a job with a launch of each.
pub(super) fn job(
    of: &RealProgram,
    kernels: &[FunctionId],
    control: &Control,
) -> Result<Job, Vec<Diagnostic>> {
    refuse_child_grids(of.program)?;
    let KernelSource { file, defines, .. } = &of.source;
    let launches = kernels.iter().map(|&id| kernel_of_job(of.program, id));
    let launches: Vec<JobLaunch> = launches.collect();
    let variables = of.program.variables.iter();
    let variables = variables.filter(|variable| is_on_gpu(variable));
    let symbols: Vec<JobSymbol> = variables.map(symbol).collect();
    let kernels = launches.iter().map(|launch| &launch.kernel);
    // Host code may ask for any variable, and one that no kernel names may hold the address of a function: the text is to
    // have them all.
    let names = kernels.chain(symbols.iter().map(|symbol| &symbol.name));
    let names: Vec<&str> = names.map(String::as_str).collect();
    let work = Work::new(control.cancel);
    // For what of the text kernels need. The program was checked as a whole; what is wrong with its kernels alone, NVRTC says.
    let compiled = compile_within(file, defines, &names, Fidelity::AsWritten, &work).for_hardware();
    let source = JobSource {
        name: file.name().to_owned(),
        text: nvrtc_text(file, &compiled),
        headers: nvrtc_headers(file, &compiled),
        defines: defines.clone(),
        symbols,
        set: Vec::new(),
        shipped: None,
        is_for_9_0: compiled.hardware_only.is_some(),
    };
    refuse_textures(&source)?;
    Ok(Job {
        sources: vec![source],
        buffers: Vec::new(),
        launches,
        timing: None,
    })
}

fn symbol(variable: &FileVariable) -> JobSymbol {
    JobSymbol {
        name: variable.path.clone(),
        size_bytes: variable.ty.size_bytes() as usize,
    }
}

/// Refuses kernels that launch kernels.
fn refuse_child_grids(program: &Program) -> Result<(), Vec<Diagnostic>> {
    let Some(&kernel) = program.launched.first() else {
        return Ok(());
    };
    let message = "kernels that launch kernels run on the simulated GPU only";
    let error = Diagnostic::error(program.functions[kernel].span, message);
    let why = "NVRTC does not link CUDA's device runtime";
    Err(vec![error.label("a kernel launches this one").note(why)])
}

/// Refuses kernels with textures and surfaces. Objects of these types are made by our headers, as memory that our own
/// functions read: a real GPU would take their addresses for handles.
fn refuse_textures(source: &JobSource) -> Result<(), Vec<Diagnostic>> {
    let types = ["cudaTextureObject_t", "cudaSurfaceObject_t", "texture<"];
    let is_in = |name: &&str| source.texts().any(|text| text.contains(*name));
    let Some(name) = types.into_iter().find(is_in) else {
        return Ok(());
    };
    let message = format!("a kernel takes `{name}`: textures run on the simulated GPU only");
    let error = Diagnostic::error(Span::default(), message);
    Err(vec![error.help("leave `--engine gpu` out")])
}

/// Whether a variable lies in the GPU's memory, and the text names it: literals and variables of headers are left to the
/// compiler there.
pub(super) fn is_on_gpu(variable: &FileVariable) -> bool {
    let is_there = matches!(variable.memory, FileMemory::Device | FileMemory::Constant);
    is_there && !variable.path.starts_with(['"', '_'])
}

/// A launch of a kernel with one thread.
pub(super) fn kernel_of_job(program: &Program, kernel: FunctionId) -> JobLaunch {
    let function = &program.functions[kernel];
    JobLaunch {
        source: 0,
        kernel: function.name.clone(),
        span: function.span,
        grid: [1; 3],
        block: [1; 3],
        shared_bytes: 0,
        arguments: Vec::new(),
        is_cooperative: false,
    }
}
