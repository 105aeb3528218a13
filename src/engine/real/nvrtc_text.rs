//! The text of a source as NVRTC takes it.
//!
//! Whole programs have host code, which NVRTC does not know, and spell some initial values as only `nvcc` takes
//! them. Every line stays where it is, so that NVRTC's messages and the PTX's `.loc` lines point into the
//! original.

use crate::compile::Compiled;
use crate::source::{SourceFile, Span};

/// The text of a source as NVRTC takes it; every line stays where it is.
pub(crate) fn nvrtc_text(file: &SourceFile, compiled: &Compiled) -> String {
    let spaces = compiled.skipped.iter().map(|&span| (span, ""));
    let respelt = compiled.respelt.iter();
    let mut edits: Vec<(Span, &str)> = respelt.map(|(span, text)| (*span, text.as_str())).collect();
    edits.extend(spaces);
    edited(file.text(), &edits)
}

/// The text with what stands at each span replaced: by another text, and spaces and the ends of its
/// lines behind it.
fn edited(text: &str, edits: &[(Span, &str)]) -> String {
    let mut kept = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let mut over = edits.iter().filter(|(span, _)| span.range().contains(&at));
        let Some(first) = over.next() else {
            kept.push(character);
            continue;
        };
        let begins = over
            .chain([first])
            .filter(|(span, _)| span.range().start == at);
        kept.extend(begins.map(|(_, other)| *other));
        kept.push(if character == '\n' { '\n' } else { ' ' });
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile;

    #[test]
    fn what_is_for_the_host_becomes_spaces() {
        let text = "int main() {\n  é();\n}\nrest";
        let main = Span::new(0, text.find("\nrest").expect("is there"));
        assert_eq!(edited(text, &[(main, "")]), "            \n      \n \nrest");
    }

    #[test]
    fn what_is_spelt_otherwise_keeps_its_lines() {
        let text = "a = {1,\n2};\nb";
        let value = Span::new(4, 11 - 1);
        assert_eq!(edited(text, &[(value, "{x}")]), "a = {x}   \n  ;\nb");
    }

    #[test]
    fn nvrtc_reads_no_file_that_a_kernel_names() {
        let text = "#if __CUDA_ARCH__ == 800\n#include \"/etc/passwd\"\n  # /**/ inc\\\nlude <../a.h>\n\
                    #define A </etc/passwd>\n#include A\n%:include \"/etc/passwd\"\n#include <cuda/../../a>\n\
                    #include <cuda_fp16.h>\n#include <cuda/std/array>\nint a = 8 % 3;\n#endif\n\
                    __global__ void f(float* y) { *y = 1; }\n";
        let file = SourceFile::new("a.cu", text);
        let compiled = compile(&file, &[]);
        assert!(!compiled.has_failed(), "{:?}", compiled.diagnostics);
        let left = nvrtc_text(&file, &compiled);
        assert_eq!(left.lines().count(), text.lines().count());
        let included: Vec<&str> = left.lines().filter(|l| l.contains("nclude")).collect();
        assert_eq!(
            included,
            ["#include <cuda_fp16.h>", "#include <cuda/std/array>"]
        );
        assert!(left.contains("int a = 8 % 3;") && !left.contains("lude <../a.h>"));
    }

    #[test]
    fn nvrtc_gets_no_types_of_the_host_and_halves_as_bits() {
        let text = "#include <vector>\ntypedef std::vector<float> Floats;\nstd::vector<int> sizes;\n\
                    using Real = float;\n__constant__ half one = 1.0f;\n\
                    __constant__ __nv_bfloat16 two[2] = {1.0f, -2.0f};\n\
                    __global__ void f(Real* y) { *y = __half2float(one) + float(two[1]); }\n";
        let file = SourceFile::new("a.cu", text);
        let compiled = compile(&file, &[]);
        let text = nvrtc_text(&file, &compiled);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(
            lines,
            [
                "#include <vector>",
                "",
                "",
                "using Real = float;",
                "__constant__ half one = {__half_raw{0x3c00}}    ;",
                "__constant__ __nv_bfloat16 two[2] = \
                 {__nv_bfloat16_raw{0x3f80}, __nv_bfloat16_raw{0xc000}}             ;",
                "__global__ void f(Real* y) { *y = __half2float(one) + float(two[1]); }",
            ]
        );
    }
}
