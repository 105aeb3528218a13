//! Kernels that come with the program as PTX, for machines with a driver and without NVRTC.
//!
//! They are made for compute capability 7.5, the least that current drivers have, by an old NVRTC: a
//! driver takes the PTX of its own CUDA and of those before it. That of NVRTC 12.0 has ISA 8.0, which
//! drivers since 525 take (PTX ISA manual, "Release Notes"). What multiplies matrices on tensor cores is
//! made for 8.0, the first that has them for bfloat16. A file holds the kernels of one source,
//! and begins with comments that say what it was made from, `// NAME: VALUE` a line. It is used only for
//! a source whose text has the hash that stands there.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::nvrtc_text::{nvrtc_headers, nvrtc_text};
use crate::assets::Folder;
use crate::compile::{Fidelity, compile_kernels};
use crate::cuda::HARDWARE_ONLY;
use crate::gpu::{Failure, Gpu, GpuError, JobSource, Ptx, PtxSource};
use crate::launch::{KernelSource, Plan};
use crate::source::{Severity, SourceFile, is_python};

/// How every file begins.
pub const SHIPPED_MARK: &str = "// source: ";

/// What PTX is made for: most of it; that of kernels which use tensor cores, asynchronous copies or bfloat16, whose
/// conversions CUDA 12.0 has from 8.0 on only; and what only GPUs of 9.0 have.
const ARCHITECTURES: [&str; 3] = ["compute_75", "compute_80", "compute_90a"];

/// What the PTX of a source is made for.
fn architecture(file: &SourceFile) -> &'static str {
    let [oldest, newer, hopper] = ARCHITECTURES;
    let has = |words: &[&str]| words.iter().any(|word| file.text().contains(word));
    if has(&HARDWARE_ONLY) {
        hopper
    } else if has(&["<mma.h>", "<cuda_bf16.h>", "cp.async."]) {
        newer
    } else {
        oldest
    }
}

/// A file of PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShippedFile {
    /// Its path under `assets/ptx`: that of its source under `kernels`, ending in `.ptx`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What comes with the program for a source: nothing unless it was made from exactly this text, without
/// macros from outside.
pub fn shipped_ptx(source: &KernelSource) -> Option<Ptx> {
    // Macros make another text of it, which nobody compiled.
    if !source.defines.is_empty() {
        return None;
    }
    let hash = sha256(source.file.text());
    shipped_files()
        .into_iter()
        .find(|file| header(&file.text, "sha256").any(|value| value == hash))
        .map(|file| Ptx {
            kernels: header(&file.text, "kernel")
                .filter_map(|value| value.rsplit_once(" = "))
                .map(|(name, linked)| (name.to_owned(), linked.to_owned()))
                .collect(),
            text: file.text,
        })
}

/// Every file of PTX that comes with the program, in order of their paths.
pub fn shipped_files() -> Vec<ShippedFile> {
    let paths = Folder::Ptx.paths().into_iter();
    let files = paths.filter_map(|path| {
        Some(ShippedFile {
            text: Folder::Ptx.read_text(&path)?,
            path: path.into_owned(),
        })
    });
    files.collect()
}

/// The values called `name` among the comments that a file begins with.
fn header<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let comments = text.lines().map_while(|line| line.strip_prefix("// "));
    comments.filter_map(move |line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// Why there is no PTX to ship.
#[derive(Debug, thiserror::Error)]
pub enum ShipError {
    /// A source does not compile here, or not there.
    #[error("{name}: {message}")]
    Source {
        /// The source's name.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// NVRTC does not work.
    #[error("{message}\n  {help}")]
    Compiler {
        /// What is wrong.
        message: String,
        /// What to try.
        help: String,
    },
}

/// The files to ship for the kernels that `plans` launch. It needs NVRTC, but neither a GPU nor a
/// driver. Sources that are given macros are left out.
pub fn ptx_to_ship(plans: &[Plan], gpu: &mut Gpu) -> Result<Vec<ShippedFile>, ShipError> {
    let mut wanted: BTreeMap<&str, Wanted> = BTreeMap::new();
    for plan in plans {
        for (index, source) in plan.sources.iter().enumerate() {
            let launched = plan.launches.iter().filter(|launch| launch.source == index);
            let mut kernels: Vec<String> = launched.map(|launch| launch.kernel.clone()).collect();
            // With macros it would be another text than the one whose hash is looked for.
            let is_other = !source.defines.is_empty() || is_python(source.file.name());
            if kernels.is_empty() || is_other {
                continue;
            }
            let entry = wanted.entry(source.file.name());
            let entry = entry.or_insert_with(|| (&source.file, Vec::new()));
            entry.1.append(&mut kernels);
            // In one order, whatever lesson launches a kernel first: files are compared.
            entry.1.sort();
            entry.1.dedup();
        }
    }
    let mut files = Vec::new();
    for wants in ARCHITECTURES {
        let sources = wanted
            .values()
            .filter(|(file, _)| architecture(file) == wants);
        let sources: Vec<Wanted> = sources.cloned().collect();
        if sources.is_empty() {
            continue;
        }
        let jobs = sources.iter().map(ptx_source);
        let compiled = gpu.compile_to_ptx(jobs.collect::<Result<_, _>>()?, wants);
        let compiled = compiled.map_err(|error| refusal(error, &sources))?;
        let made = sources.iter().zip(compiled.sources);
        files.extend(made.map(|((file, _), ptx)| ship(file, &compiled.compiler, &ptx)));
    }
    Ok(files)
}

/// A source, and the kernels of it that are launched.
type Wanted<'a> = (&'a SourceFile, Vec<String>);

fn ptx_source((file, kernels): &Wanted) -> Result<PtxSource, ShipError> {
    let names: Vec<&str> = kernels.iter().map(String::as_str).collect();
    let compiled = compile_kernels(file, &[], &names, Fidelity::AsCompiled).for_hardware();
    let mut reports = compiled.diagnostics.iter();
    if let Some(error) = reports.find(|report| report.severity == Severity::Error) {
        return Err(ShipError::Source {
            name: file.name().to_owned(),
            message: error.message.clone(),
        });
    }
    let source = JobSource {
        name: file.name().to_owned(),
        text: nvrtc_text(file, &compiled),
        headers: nvrtc_headers(file, &compiled),
        defines: Vec::new(),
        symbols: Vec::new(),
        set: Vec::new(),
        shipped: None,
        is_for_9_0: compiled.hardware_only.is_some(),
    };
    Ok(PtxSource {
        source,
        kernels: kernels.clone(),
    })
}

fn refusal(error: GpuError, sources: &[Wanted]) -> ShipError {
    match error {
        GpuError::Unavailable(why) => ShipError::Compiler {
            message: why.to_string(),
            help: why.help().to_owned(),
        },
        GpuError::Failed(Failure {
            source: Some(source),
            message,
            notes,
            ..
        }) => ShipError::Source {
            name: sources[source].0.name().to_owned(),
            message: format!("{message}: {}", notes.join("; ")),
        },
        GpuError::Failed(failure) => ShipError::Compiler {
            message: failure.message,
            help: failure.notes.join("; "),
        },
        GpuError::Cancelled => ShipError::Compiler {
            message: "it was cancelled".to_owned(),
            help: "run it again".to_owned(),
        },
    }
}

fn ship(file: &SourceFile, compiler: &str, ptx: &Ptx) -> ShippedFile {
    let name = file.name();
    let mut text = format!(
        "{SHIPPED_MARK}{name}\n// sha256: {}\n// compiler: {compiler}\n// architecture: {}\n",
        sha256(file.text()),
        architecture(file),
    );
    for (kernel, linked) in &ptx.kernels {
        text += &format!("// kernel: {kernel} = {linked}\n");
    }
    text.push('\n');
    for line in ptx.text.trim_start().lines() {
        // The folder that it was compiled in says nothing, and would make each machine's file another.
        text += &without_folder(line);
        text.push('\n');
    }
    let path = name.strip_prefix("kernels/").unwrap_or(name);
    let path = path.strip_suffix(".cu").unwrap_or(path);
    ShippedFile {
        path: format!("{path}.ptx"),
        text,
    }
}

/// A line that names a file of the machine that compiled, with the file's name alone.
fn without_folder(line: &str) -> Cow<'_, str> {
    let named = line
        .split_once(" \"/")
        .filter(|(start, _)| start.trim_start().starts_with(".file"));
    match named.and_then(|(start, path)| Some((start, path.rsplit_once('/')?.1))) {
        Some((start, name)) => format!("{start} \"{name}").into(),
        None => line.into(),
    }
}

/// The hash of a source's text, in hexadecimal digits.
fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
