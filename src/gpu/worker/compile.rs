//! A kernel's file as NVRTC takes it: without the host's headers, with the names that they would
//! have brought. And compiled: to machine code for a GPU, or to PTX for none in particular, which needs
//! neither a GPU nor a driver.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::failures;
use super::nvrtc::{CompileError, CompiledText, Input, Nvrtc};
use crate::cuda;
use crate::gpu::protocol::{CompiledPtx, Failure, JobSource, Ptx, PtxSource, Reporter, Stage};

/// Types of fixed size, and functions of the device runtime, which no header of NVRTC's defines.
const TYPES: &str = "\
using int8_t = signed char; using uint8_t = unsigned char;
using int16_t = short; using uint16_t = unsigned short;
using int32_t = int; using uint32_t = unsigned int; using uint = unsigned int;
using int64_t = long long; using uint64_t = unsigned long long;
using intptr_t = long long; using uintptr_t = unsigned long long;
namespace std {
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t;
using ::int32_t; using ::uint32_t; using ::int64_t; using ::uint64_t; using ::intptr_t; using ::uintptr_t;
}
#define cudaTriggerProgrammaticLaunchCompletion() asm volatile(\"griddepcontrol.launch_dependents;\" :::)
#define cudaGridDependencySynchronize() asm volatile(\"griddepcontrol.wait;\" ::: \"memory\")
";

/// Declares what member functions for the host call in classes that kernels use, too. Nothing on the GPU calls those.
const HOST_CALLS: &str = "\
#undef __managed__
#define __managed__ __device__
template <typename... Arguments> int cudaMalloc(Arguments...);
template <typename... Arguments> int cudaMallocManaged(Arguments...);
template <typename... Arguments> int cudaFree(Arguments...);
template <typename... Arguments> int cudaDeviceSynchronize(Arguments...);
template <typename... Arguments> unsigned long long strlen(Arguments...);
template <typename... Arguments> char* strcpy(Arguments...);
";

/// Types that NVRTC tells apart from those that our text of the standard library is written for. To our
/// front end, `long` is `long long`; to NVRTC it is a type of its own, which needs traits of its own.
const MORE_INTEGER_TYPES: &str = "
namespace std {
template <> struct is_integral<signed char> : true_type {};
template <> struct is_integral<long> : true_type {};
template <> struct is_integral<unsigned long> : true_type {};
template <> struct is_signed<signed char> : true_type {};
template <> struct is_signed<long> : true_type {};
template <> struct numeric_limits<signed char> : __integer_limits<signed char, -128, 127, true, 7> {};
template <> struct numeric_limits<long>
    : __integer_limits<long, -9223372036854775807l - 1, 9223372036854775807l, true, 63> {};
template <> struct numeric_limits<unsigned long>
    : __integer_limits<unsigned long, 0, 18446744073709551615ul, false, 64> {};
}
";

/// CUB as a whole.
const CUB: &str = "cub/cub.cuh";

/// What comes before a kernel's file, and the headers that it may include; the same for all sources of a job.
pub(crate) struct CompileContext {
    prologue: String,
    /// What stands for `cub/cub.cuh`, whose launches of kernels NVRTC does not take.
    cub: String,
    /// Folders with NVIDIA's headers.
    folders: Vec<PathBuf>,
}

impl CompileContext {
    /// Those of `nvrtc`.
    pub fn new(nvrtc: &Nvrtc) -> Self {
        let mut prologue = [TYPES, HOST_CALLS].concat();
        for (name, value) in cuda::constants() {
            prologue += &format!("#define {name} {value}\n");
        }
        let cub = cuda::cub_headers_in_kernels().map(|name| format!("#include <{name}>\n"));
        CompileContext {
            prologue,
            cub: cub.collect(),
            folders: nvrtc.include_folders(),
        }
    }

    /// The text to compile.
    fn text(&self, source: &JobSource) -> String {
        let library = match uses_library(source) {
            true => [cuda::STANDARD_LIBRARY, MORE_INTEGER_TYPES].concat(),
            false => String::new(),
        };
        let name = source.name.replace(['\\', '"'], "/");
        format!(
            // Errors then have the lines of the file, not of the text with the prologue.
            "{}{library}\n#line 1 \"{name}\"\n{}",
            self.prologue, source.text
        )
    }
}

/// Whether a text uses the standard library.
fn uses_library(source: &JobSource) -> bool {
    let mut texts = source.texts();
    texts.any(|text| text.contains("std::") || text.contains("namespace std"))
}

/// The headers that a source has or that its texts include and that add nothing: names and texts. NVRTC takes none
/// twice.
fn headers<'a>(source: &'a JobSource, context: &'a CompileContext) -> Vec<(&'a str, &'a str)> {
    let own = source.headers.iter();
    let mut headers: BTreeMap<&str, &str> = own
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    // `cuda/std/…` comes with some toolkits and wheels: then it is better than an empty header.
    let is_ours = |name: &&str| {
        let mut folders = context.folders.iter();
        let is_real = name.starts_with("cuda/") && folders.any(|f| f.join(name).is_file());
        let mut known = cuda::empty_headers();
        !is_real && (known.any(|known| known == *name) || name.starts_with("thrust/"))
    };
    let names = source
        .texts()
        .flat_map(|text| text.lines().filter_map(included));
    for name in names {
        if name == CUB {
            headers.entry(name).or_insert(&context.cub);
        } else if is_ours(&name) {
            headers.entry(name).or_insert("\n");
        }
    }
    headers.into_iter().collect()
}

/// The header that a line includes.
fn included(line: &str) -> Option<&str> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let name = directive.strip_prefix("include")?.trim_start();
    let end = match name.chars().next()? {
        '<' => '>',
        '"' => '"',
        _ => return None,
    };
    name[1..].split(end).next()
}

/// C++20, where the compiler knows it: since CUDA 12.0 (release notes of NVRTC).
fn standard(major: i32) -> &'static str {
    match major {
        12.. => "--std=c++20",
        _ => "--std=c++17",
    }
}

/// Compiles `source` for an architecture: `sm_90`, or `compute_75` for PTX alone.
pub(crate) fn compile(
    nvrtc: &Nvrtc,
    context: &CompileContext,
    source: &JobSource,
    kernels: &[&str],
    architecture: &str,
) -> Result<CompiledText, CompileError> {
    let mut options = vec![
        format!("--gpu-architecture={architecture}"),
        standard(nvrtc.library.version.major).to_owned(),
        // So that the PTX names lines of the source, which the notebook shows beside it.
        "--generate-line-info".to_owned(),
        "--device-int128".to_owned(),
        // Functions without `__device__` that are left in the text are constant expressions.
        "--device-as-default-execution-space".to_owned(),
    ];
    let defines = source.defines.iter();
    options.extend(defines.map(|(name, value)| format!("--define-macro={name}={value}")));
    let folders = context.folders.iter();
    options.extend(folders.map(|folder| format!("--include-path={}", folder.display())));
    let headers = headers(source, context);
    let text = context.text(source);
    nvrtc.compile(&Input {
        name: &source.name,
        text: &text,
        headers: &headers,
        kernels,
        options: &options,
    })
}

/// Compiles the kernels of `sources` for an architecture of PTX, as in `compute_75`.
pub(crate) fn compile_to_ptx(
    nvrtc: &Nvrtc,
    sources: &[PtxSource],
    architecture: &str,
    report: &mut Reporter,
) -> Result<CompiledPtx, Failure> {
    let context = CompileContext::new(nvrtc);
    let mut compiled = Vec::new();
    for (index, PtxSource { source, kernels }) in sources.iter().enumerate() {
        report.stage(Stage::Compiling(index));
        let names: Vec<&str> = kernels.iter().map(String::as_str).collect();
        let made = compile(nvrtc, &context, source, &names, architecture)
            .map_err(|error| failures::of_compiler(nvrtc, index, error))?;
        compiled.push(Ptx {
            text: without_folder(&made.ptx, &source.name),
            kernels: kernels.iter().cloned().zip(made.kernels).collect(),
        });
    }
    Ok(CompiledPtx {
        compiler: nvrtc.title(),
        sources: compiled,
    })
}

/// `ptx` with the name of a file that it points at as `name` has it: NVRTC puts the folder that it runs
/// in before it.
pub(crate) fn without_folder(ptx: &str, name: &str) -> String {
    // `.file 1 "/tmp/run/softmax/naive.cu"` would differ from run to run.
    let mut out = String::with_capacity(ptx.len());
    let behind = format!("/{name}\"");
    for line in ptx.lines() {
        let quoted = line.split_once('"').filter(|(word, path)| {
            word.trim_start().starts_with(".file") && path.ends_with(&behind)
        });
        match quoted {
            Some((word, _)) => out += &format!("{word}\"{name}\""),
            None => out += line,
        }
        out.push('\n');
    }
    out
}

/// The part of `ptx` that is the kernel with this linker's name, or all of it.
pub(crate) fn ptx_of_kernel(ptx: &str, name: &str) -> String {
    let entry = ptx.lines().position(|line| {
        let mut words = line.split([' ', '(', '\t']);
        line.contains(".entry") && words.any(|word| word == name)
    });
    let Some(entry) = entry else {
        return ptx.to_owned();
    };
    let mut kernel = String::new();
    for line in ptx.lines().skip(entry) {
        kernel += line;
        kernel.push('\n');
        // Blocks inside a kernel are indented.
        if line == "}" {
            break;
        }
    }
    kernel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_headers_that_a_text_includes_are_given() {
        let text = "#include <cstdio>\n # include \"helper_cuda.h\"\n#include <thrust/sort.h>\n\
                    #include <cuda_fp16.h>\n#include <cstdio>\n// #include <vector>\n#define X <y>";
        let mut source = JobSource {
            text: text.to_owned(),
            headers: vec![("helper_cuda.h".to_owned(), "#include <vector>".to_owned())],
            ..JobSource::default()
        };
        let context = CompileContext {
            prologue: String::new(),
            cub: String::new(),
            folders: Vec::new(),
        };
        let with_own = headers(&source, &context);
        let names = ["cstdio", "helper_cuda.h", "thrust/sort.h", "vector"];
        assert_eq!(
            with_own.iter().map(|header| header.0).collect::<Vec<_>>(),
            names
        );
        assert_eq!(with_own[1].1, "#include <vector>");
        source.headers.clear();
        let without = headers(&source, &context);
        assert_eq!(
            without,
            names[..3]
                .iter()
                .map(|name| (*name, "\n"))
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_folder_of_a_run_leaves_no_trace() {
        let ptx = "\t.file\t1 \"/here/a/b.cu\"\n\t.file\t2 \"/here/c.h\"\nret; // \"/a/b.cu\"\n";
        let kept = "\t.file\t1 \"a/b.cu\"\n\t.file\t2 \"/here/c.h\"\nret; // \"/a/b.cu\"\n";
        assert_eq!(without_folder(ptx, "a/b.cu"), kept);
    }

    #[test]
    fn a_kernel_is_cut_out_of_its_ptx() {
        let ptx =
            ".version 9.0\n.visible .entry a(\n)\n{\n ret;\n}\n\n.visible .entry ab(\n)\n{\n}\n";
        assert_eq!(ptx_of_kernel(ptx, "ab"), ".visible .entry ab(\n)\n{\n}\n");
        assert_eq!(
            ptx_of_kernel(ptx, "a"),
            ".visible .entry a(\n)\n{\n ret;\n}\n"
        );
        assert_eq!(ptx_of_kernel(ptx, "c"), ptx);
    }
}
