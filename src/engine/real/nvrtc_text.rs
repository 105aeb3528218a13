//! The text of a source as NVRTC takes it.
//!
//! Whole programs have host code, which NVRTC does not know, and spell some initial values as only `nvcc` takes
//! them. NVRTC gets the kernels and what these need: declarations, macros, conditions, headers. Every line stays
//! where it is, so that NVRTC's messages and the PTX's `.loc` lines point into the original.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::compile::Compiled;
use crate::cuda::{is_host_header, tokens};
use crate::source::{SourceFile, Span};

/// The text of a source as NVRTC takes it; every line stays where it is.
pub(crate) fn nvrtc_text(file: &SourceFile, compiled: &Compiled) -> String {
    let own = file.places().next();
    own.map_or_else(String::new, |own| part_text(file, own, compiled))
}

/// The headers that came with a source: each by the name that an `#include` gives it, with its text as NVRTC takes it.
pub(crate) fn nvrtc_headers(file: &SourceFile, compiled: &Compiled) -> Vec<(String, String)> {
    let places: Vec<Span> = file.places().collect();
    let includes = file.texts().flat_map(|text| text.includes);
    let by_name: BTreeMap<String, usize> = includes.collect();
    let headers = by_name.into_iter();
    headers
        .map(|(name, part)| (name, part_text(file, places[part], compiled)))
        .collect()
}

/// The text of one of a source's files.
fn part_text(file: &SourceFile, place: Span, compiled: &Compiled) -> String {
    let text = file.slice(place);
    let directives = directives(text);
    let here = |span: &Span| Span {
        start: span.start.saturating_sub(place.start),
        end: span.end.saturating_sub(place.start),
    };
    let unreached: Vec<Span> = compiled.unreached.iter().map(here).collect();
    let mut blank = Vec::new();
    for span in &unreached {
        blank.extend(outside(span.range(), &directives));
    }
    for directive in &directives {
        if !directive.is_needed(text, &unreached) {
            blank.push(directive.range.clone());
        }
    }
    let spaces = blank
        .into_iter()
        .map(|range| (Span::new(range.start, range.end), ""));
    let respelt = compiled.respelt.iter();
    let mut edits: Vec<(Span, &str)> = respelt
        .map(|(span, text)| (here(span), text.as_str()))
        .collect();
    edits.extend(spaces);
    edited(text, edits)
}

/// A line that begins with `#`, with those that a `\\` at its end adds.
struct Directive {
    range: Range<usize>,
}

impl Directive {
    /// Macros and conditions stay wherever they stand: what is needed may use them, and which text counts
    /// must stay the same. Headers for the host go, and so does what is said of text that goes.
    fn is_needed(&self, text: &str, unreached: &[Span]) -> bool {
        let words = text[self.range.clone()]
            .trim_start()
            .trim_start_matches('#')
            .trim_start();
        let mut spans = unreached.iter().map(|span| span.range());
        let is_left_out = spans.any(|span| span.contains(&self.range.start));
        if let Some(header) = words.strip_prefix("include") {
            let name = header.trim_start().trim_start_matches(['<', '"']);
            let end = name.find(['>', '"']).unwrap_or(name.len());
            // One in text that does not count here might read any file where it does count.
            return !is_host_header(&name[..end]) && !is_left_out;
        }
        let stays = ["if", "el", "endif", "define", "undef"];
        stays.iter().any(|word| words.starts_with(word)) || !is_left_out
    }
}

/// The directives of a text, in order.
fn directives(text: &str) -> Vec<Directive> {
    let mut all: Vec<Directive> = Vec::new();
    for span in tokens(text).0 {
        let start = span.range().start;
        let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let is_first = text[line..start].trim().is_empty();
        // A line that goes on the one before may begin with `#`, too: `#x` in a macro.
        let goes_on = all.last().is_some_and(|last| start < last.range.end);
        if goes_on || !is_first || !text[start..].starts_with('#') {
            continue;
        }
        let mut end = start;
        loop {
            end += text[end..].find('\n').unwrap_or(text.len() - end);
            let line = text[start..end].trim_end_matches('\r');
            if end == text.len() || !line.ends_with('\\') && !opens_comment(line) {
                break;
            }
            end = (end + 1).min(text.len());
        }
        let range = start..end;
        all.push(Directive { range });
    }
    all
}

/// Whether a comment begins in a directive that goes on behind it.
fn opens_comment(directive: &str) -> bool {
    let last = directive.rsplit("*/").next().unwrap_or_default();
    let block = last.find("/*");
    block.is_some_and(|block| last.find("//").is_none_or(|line| block < line))
}

/// The parts of a range that no directive covers.
fn outside(range: Range<usize>, directives: &[Directive]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut begin = range.start;
    let first = directives.partition_point(|directive| directive.range.end <= begin);
    for directive in &directives[first..] {
        if directive.range.start >= range.end {
            break;
        }
        // What a header brought stands in its `#include`, and not in the text.
        parts.push(begin..directive.range.start.max(begin));
        begin = directive.range.end;
    }
    parts.push(begin..range.end.max(begin));
    parts
}

/// The text with what stands at each span replaced: by another text, and spaces and the ends of its
/// lines behind it.
fn edited(text: &str, mut edits: Vec<(Span, &str)>) -> String {
    edits.retain(|(span, _)| !span.range().is_empty());
    edits.sort_by_key(|(span, _)| span.start);
    let mut changed = String::with_capacity(text.len());
    let (mut at, mut next) = (0, 0);
    for (index, character) in text.char_indices() {
        while let Some((span, other)) = edits
            .get(next)
            .filter(|(span, _)| span.range().start <= index)
        {
            // In what goes anyhow, nothing is spelt otherwise.
            if span.range().start >= at {
                changed.push_str(other);
            }
            at = at.max(span.range().end);
            next += 1;
        }
        match (index < at, character) {
            (false, character) => changed.push(character),
            (true, '\n') => changed.push('\n'),
            // As many bytes: what stands behind keeps its place.
            (true, _) => changed.extend(std::iter::repeat_n(' ', character.len_utf8())),
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Fidelity, compile, compile_kernels};

    #[test]
    fn what_is_for_the_host_becomes_spaces() {
        let text = "int main() {\n  é();\n}\nrest";
        let main = Span::new(0, text.find("\nrest").expect("is there"));
        assert_eq!(
            edited(text, vec![(main, "")]),
            "            \n       \n \nrest"
        );
    }

    #[test]
    fn what_is_spelt_otherwise_keeps_its_lines() {
        let text = "a = {1,\n2};\nb";
        let value = Span::new(4, 11 - 1);
        assert_eq!(edited(text, vec![(value, "{x}")]), "a = {x}   \n  ;\nb");
    }

    /// The lines that NVRTC gets, without the blanks at their ends.
    fn lines_of(text: &str, kernels: &[&str]) -> Vec<String> {
        let file = SourceFile::new("a.cu", text);
        let compiled = compile_kernels(&file, &[], kernels, Fidelity::AsCompiled).for_hardware();
        assert!(!compiled.has_failed(), "{:?}", compiled.diagnostics);
        let changed = nvrtc_text(&file, &compiled);
        assert_eq!(changed.lines().count(), text.lines().count());
        let again = SourceFile::new("a.cu", &changed);
        let again = compile_kernels(&again, &[], kernels, Fidelity::AsCompiled).for_hardware();
        let same = format!("{:?}", again.kernels) == format!("{:?}", compiled.kernels);
        assert!(same, "{changed}");
        changed
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect()
    }

    #[test]
    fn nvrtc_gets_a_kernel_and_what_it_reaches() {
        let text = "\
#include <cstdio>
#include <vector>
#include <thrust/sort.h>
#include \"helper_cuda.h\"
#define N 4
#define CHECK(x) do { if (x) exit(1); } while (0)
using namespace std;
using namespace std::chrono;
using std::vector;
namespace cg = cooperative_groups;
struct Pair { float a, b; };
struct Timer { float begin; int count; };
int main(int argc, char** argv);
void print(const float* x, int n);
template <typename T> __device__ T twice(T x) { return x + x; }
template <typename T> __device__ T thrice(T x) { return x + x + x; }
template <typename T> __global__ void k(T* y) { Pair p = {y[0], N}; y[0] = twice(p.a); }
template <typename T> void launch(T* y) {
#define IN_HOST 3
#ifdef IN_HOST
#pragma omp parallel
  k<T><<<1, 32>>>(y);
#endif
}
template void launch<float>(float*);
template __global__ void k<double>(double*);
__global__ void other(Timer* t) { t->begin = thrice(1.0f); }
int main(int argc, char** argv) { vector<float> v(N); launch(v.data()); CHECK(0); return 0; }
";
        let empty = "";
        assert_eq!(
            lines_of(text, &["k<float>"]),
            [
                "#include <cstdio>",
                empty,
                empty,
                empty,
                "#define N 4",
                "#define CHECK(x) do { if (x) exit(1); } while (0)",
                "using namespace std;",
                empty,
                empty,
                empty,
                "struct Pair { float a, b; };",
                empty,
                empty,
                empty,
                "template <typename T> __device__ T twice(T x) { return x + x; }",
                empty,
                "template <typename T> __global__ void k(T* y) { Pair p = {y[0], N}; y[0] = twice(p.a); }",
                empty,
                "#define IN_HOST 3",
                "#ifdef IN_HOST",
                empty,
                empty,
                "#endif",
                empty,
                empty,
                empty,
                empty,
                empty,
            ]
        );
    }

    #[test]
    fn directives_are_kept_with_all_of_their_lines() {
        let text = "void host() {\n#define A(x) \\\n  #x /* a\n  b */ \n  é();\n#define B 1 // c /*\n}\n\
                    __global__ void k(int* y) { *y = B; }\n";
        assert_eq!(
            lines_of(text, &["k"]),
            [
                "",
                "#define A(x) \\",
                "  #x /* a",
                "  b */",
                "",
                "#define B 1 // c /*",
                "",
                "__global__ void k(int* y) { *y = B; }",
            ]
        );
    }

    #[test]
    fn what_a_name_may_mean_is_all_there() {
        // Overloads, specialisations, members defined outside, operators of a type that is used, and what
        // macros made.
        let text = "\
template <typename T> struct Traits { static constexpr int n = 1; };
template <> struct Traits<float> { static constexpr int n = 2; };
struct V { float x; __device__ float get() const; };
struct W { float x; };
__device__ float V::get() const { return x; }
__device__ V operator+(V a, V b) { return V{a.x + b.x}; }
__device__ W operator+(W a, W b) { return W{a.x + b.x}; }
__device__ float4 operator*(float4 a, float b) { return make_float4(a.x * b, 0, 0, 0); }
__device__ float f(float x) { return x; }
__device__ float f(double x) { return 2; }
enum Mode { fast, slow };
typedef struct Q { int a; } R;
namespace inner { constexpr int size = 3; constexpr int unused = 4; }
#define KERNEL(name, T) __global__ void name(T* y) { *y = f(*y) + (V{1} + V{2}).get(); }
KERNEL(k, float)
KERNEL(l, double)
__global__ void m(float* y) { *y = inner::size + fast + Traits<float>::n + sizeof(R); }
";
        let lines_left = |kernel: &str| {
            let lines = lines_of(text, &[kernel]).into_iter().enumerate();
            let lines_left = lines.filter(|(_, line)| !line.is_empty());
            lines_left.map(|(at, _)| at + 1).collect::<Vec<usize>>()
        };
        assert_eq!(lines_left("k"), [3, 5, 6, 8, 9, 10, 13, 14, 15]);
        assert_eq!(lines_left("l"), [3, 5, 6, 8, 9, 10, 13, 14, 16]);
        assert_eq!(lines_left("m"), [1, 2, 8, 11, 12, 13, 14, 17]);
    }

    #[test]
    fn every_kernel_means_the_same_in_the_text_for_nvrtc() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut count = 0;
        for folder in [
            "kernels",
            "tests/tutor/fixtures/execution",
            "tests/tutor/fixtures/cuda/accepted",
        ] {
            for path in kernels_under(&root.join(folder)) {
                let text = std::fs::read_to_string(&path).expect("a text");
                let notes = text
                    .lines()
                    .filter_map(|line| line.strip_prefix("//@ kernel: "));
                let mut kernels: Vec<&str> = notes.collect();
                kernels.dedup();
                let parsed = crate::cuda::parse(&SourceFile::new("a.cu", &text), &[]);
                // Values that are spelt otherwise move what stands behind them on their line.
                if parsed.has_errors() || text.contains("__constant__ half") {
                    continue;
                }
                lines_of(&text, &kernels);
                count += 1;
            }
        }
        assert!(count > 100, "{count}");
    }

    fn kernels_under(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder).expect("is a folder");
        let paths = entries.map(|entry| entry.expect("is readable").path());
        paths
            .flat_map(|path| match path.is_dir() {
                true => kernels_under(&path),
                false => vec![path],
            })
            .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
            .collect()
    }

    #[test]
    fn nvrtc_reads_no_file_that_a_kernel_names() {
        let text = "#if __CUDA_ARCH__ == 800\n#include \"/etc/passwd\"\n  # /**/ inc\\\nlude <../a.h>\n\
                    #define A </etc/passwd>\n#include A\n%:include \"/etc/passwd\"\n#include <cuda/../../a>\n\
                    #include <cuda_fp16.h>\n#include <cuda/std/array>\nint a = 8 % 3;\n#endif\n\
                    __global__ void f(float* y) { *y = 1; }\n";
        let file = SourceFile::new("a.cu", text);
        let compiled = compile(&file, &[]).for_hardware();
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
        let compiled = compile(&file, &[]).for_hardware();
        let text = nvrtc_text(&file, &compiled);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(
            lines,
            [
                "",
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
