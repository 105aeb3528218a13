//! A kernel's file as NVRTC takes it: without the host's headers, with the names that they would
//! have brought.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::job::JobSource;
use super::nvrtc::{CompileError, Compiled, Input, Nvrtc};
use crate::cuda;

/// Types of fixed size, which no header of NVRTC's defines.
const TYPES: &str = "\
using int8_t = signed char; using uint8_t = unsigned char;
using int16_t = short; using uint16_t = unsigned short;
using int32_t = int; using uint32_t = unsigned int; using uint = unsigned int;
using int64_t = long; using uint64_t = unsigned long;
using intptr_t = long; using uintptr_t = unsigned long;
";

/// What comes before a kernel's file, and the headers that it may include.
pub(super) struct Surroundings {
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
        let library = match source.text.contains("std::") {
            true => cuda::STANDARD_LIBRARY,
            false => "",
        };
        let name = source.name.replace(['\\', '"'], "/");
        format!(
            "{}{library}\n#line 1 \"{name}\"\n{}",
            self.prologue, source.text
        )
    }
}

/// The headers that `text` may mean and that add nothing to it: names and texts. NVRTC takes none twice.
fn empty_headers(text: &str) -> Vec<(&'static str, &'static str)> {
    let named = cuda::empty_headers().filter(|name| text.contains(name));
    let names: BTreeSet<&str> = named.collect();
    names.into_iter().map(|name| (name, "\n")).collect()
}

/// Compiles `source` for a compute capability such as `9.0`.
pub(super) fn compile(
    nvrtc: &Nvrtc,
    around: &Surroundings,
    source: &JobSource,
    kernels: &[&str],
    compute_capability: &str,
) -> Result<Compiled, CompileError> {
    let architecture = compute_capability.replace('.', "");
    let mut options = vec![
        format!("--gpu-architecture=sm_{architecture}"),
        "--std=c++17".to_owned(),
        "--generate-line-info".to_owned(),
        "--device-int128".to_owned(),
        // The standard library's text brings its own.
        "--builtin-move-forward=false".to_owned(),
    ];
    options.extend(
        source
            .defines
            .iter()
            .map(|(name, value)| format!("--define-macro={name}={value}")),
    );
    let folders = around.folders.iter();
    options.extend(folders.map(|folder| format!("--include-path={}", folder.display())));
    let headers = empty_headers(&source.text);
    let text = around.text(source);
    nvrtc.compile(&Input {
        name: &source.name,
        text: &text,
        headers: &headers,
        kernels,
        options: &options,
    })
}

/// The part of `ptx` that is the kernel with this linker's name, or all of it.
pub(super) fn of_kernel(ptx: &str, name: &str) -> String {
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
    fn a_kernel_is_cut_out_of_its_ptx() {
        let ptx =
            ".version 9.0\n.visible .entry a(\n)\n{\n ret;\n}\n\n.visible .entry ab(\n)\n{\n}\n";
        assert_eq!(of_kernel(ptx, "ab"), ".visible .entry ab(\n)\n{\n}\n");
        assert_eq!(of_kernel(ptx, "a"), ".visible .entry a(\n)\n{\n ret;\n}\n");
        assert_eq!(of_kernel(ptx, "c"), ptx);
    }
}
