//! A kernel's file as NVRTC takes it: without the host's headers, with the names that they would
//! have brought.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::nvrtc::{CompileError, Compiled, Input, Nvrtc};
use crate::cuda;
use crate::gpu::protocol::JobSource;

/// Types of fixed size, which no header of NVRTC's defines.
const TYPES: &str = "\
using int8_t = signed char; using uint8_t = unsigned char;
using int16_t = short; using uint16_t = unsigned short;
using int32_t = int; using uint32_t = unsigned int; using uint = unsigned int;
using int64_t = long long; using uint64_t = unsigned long long;
using intptr_t = long long; using uintptr_t = unsigned long long;
";

/// Types that NVRTC tells apart from those of the standard library's text: ours are 32 and 64 bits.
const MORE_OF_THE_LIBRARY: &str = "
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

/// What comes before a kernel's file, and the headers that it may include.
pub(crate) struct Surroundings {
    prologue: String,
    /// Folders with NVIDIA's headers.
    folders: Vec<PathBuf>,
}

impl Surroundings {
    /// Those of `nvrtc`.
    pub fn new(nvrtc: &Nvrtc) -> Self {
        let mut prologue = TYPES.to_owned();
        for (name, value) in cuda::constants() {
            prologue += &format!("#define {name} {value}\n");
        }
        Surroundings {
            prologue,
            folders: nvrtc.include_folders(),
        }
    }

    /// The text to compile.
    fn text(&self, source: &JobSource) -> String {
        let library = match uses_library(source) {
            true => [cuda::STANDARD_LIBRARY, MORE_OF_THE_LIBRARY].concat(),
            false => String::new(),
        };
        let name = source.name.replace(['\\', '"'], "/");
        format!(
            "{}{library}\n#line 1 \"{name}\"\n{}",
            self.prologue, source.text
        )
    }
}

/// Whether a text uses the standard library.
fn uses_library(source: &JobSource) -> bool {
    source.text.contains("std::") || source.text.contains("namespace std")
}

/// The headers that `text` includes and that add nothing to it: names and texts. NVRTC takes none
/// twice.
fn empty_headers<'a>(text: &'a str, folders: &[PathBuf]) -> Vec<(&'a str, &'static str)> {
    let is_ours = |name: &&str| {
        let is_real = name.starts_with("cuda/") && folders.iter().any(|f| f.join(name).is_file());
        let mut known = cuda::empty_headers();
        !is_real && (known.any(|known| known == *name) || name.starts_with("thrust/"))
    };
    let names: BTreeSet<&str> = text.lines().filter_map(included).filter(is_ours).collect();
    names.into_iter().map(|name| (name, "\n")).collect()
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

/// Compiles `source` for an architecture: `sm_90`, or `compute_75` for PTX alone.
pub(crate) fn compile(
    nvrtc: &Nvrtc,
    around: &Surroundings,
    source: &JobSource,
    kernels: &[&str],
    architecture: &str,
) -> Result<Compiled, CompileError> {
    let mut options = vec![
        format!("--gpu-architecture={architecture}"),
        "--std=c++17".to_owned(),
        "--generate-line-info".to_owned(),
        "--device-int128".to_owned(),
        // Functions without `__device__` that are left in the text are constant expressions.
        "--device-as-default-execution-space".to_owned(),
    ];
    options.extend(
        source
            .defines
            .iter()
            .map(|(name, value)| format!("--define-macro={name}={value}")),
    );
    let folders = around.folders.iter();
    options.extend(folders.map(|folder| format!("--include-path={}", folder.display())));
    let headers = empty_headers(&source.text, &around.folders);
    let text = around.text(source);
    nvrtc.compile(&Input {
        name: &source.name,
        text: &text,
        headers: &headers,
        kernels,
        options: &options,
    })
}

/// `ptx` with the name of a file that it points at as `name` has it: NVRTC puts the folder that it runs
/// in before it.
pub(crate) fn without_folder(ptx: &str, name: &str) -> String {
    let mut kept = String::with_capacity(ptx.len());
    let behind = format!("/{name}\"");
    for line in ptx.lines() {
        let quoted = line.split_once('"').filter(|(word, path)| {
            word.trim_start().starts_with(".file") && path.ends_with(&behind)
        });
        match quoted {
            Some((word, _)) => kept += &format!("{word}\"{name}\""),
            None => kept += line,
        }
        kept.push('\n');
    }
    kept
}

/// The part of `ptx` that is the kernel with this linker's name, or all of it.
pub(crate) fn of_kernel(ptx: &str, name: &str) -> String {
    let entry = ptx.lines().position(|line| {
        let mut words = line.split([' ', '(', '\t']);
        line.contains(".entry") && words.any(|word| word == name)
    });
    let Some(entry) = entry else {
        return ptx.to_owned();
    };
    let lines = ptx.lines().skip(entry);
    let mut kernel = String::new();
    for line in lines {
        kernel += line;
        kernel.push('\n');
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
        let headers = empty_headers(text, &[]);
        let names: Vec<&str> = headers.iter().map(|header| header.0).collect();
        assert_eq!(names, ["cstdio", "helper_cuda.h", "thrust/sort.h"]);
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
        assert_eq!(of_kernel(ptx, "ab"), ".visible .entry ab(\n)\n{\n}\n");
        assert_eq!(of_kernel(ptx, "a"), ".visible .entry a(\n)\n{\n ret;\n}\n");
        assert_eq!(of_kernel(ptx, "c"), ptx);
    }
}
