//! What no kernel reaches need not be understood; what one reaches is an error, once.

use crate::cuda::parse_kernels;
use crate::source::{Severity, SourceFile};

const TEXT: &str = "\
#include \"unknown.h\"
struct Bad { Foo f; __device__ int g() { return 1; } };
__device__ float helper(float x) { return mystery(x) + other(x); }
__device__ float lost(Foo x) { return 1; }
template <class T> struct Traits { static constexpr int n = 1; };
template <> struct Traits<float> { Foo f; static __device__ int n(); };
template <class T> __device__ T twice(T x) { return x + x; }
template <> __device__ float twice<float>(float x) { return mystery(x) }
__global__ void calls(float* x) { *x = helper(*x); }
__global__ void holds(float* x) { Bad b; *x = b.g(); }
__global__ void unread(float* x) { *x = 1 }
__global__ void takes(float* x) { *x = lost(1); }
__global__ void is_special(float* x) { *x = twice(*x); }
__global__ void names(float* x) { *x = Traits<float>::n; }
__global__ void good(float* x) { *x = 1; }
template <class T> __global__ void instance(T* x) { *x = helper(*x); }
struct Plain { float x; };
struct Counted { Counted() { ++alive; } static int alive; };
int Counted::alive = 0;
struct Both : Plain, Counted { };
__global__ void based(float* x, Plain plain) { *x = plain.x; }
int main() { calls<<<1, mystery>>>(); }
";

/// The errors that stand in the way of a kernel, with their lines.
fn errors(kernel: &str) -> Vec<String> {
    let file = SourceFile::new("a.cu", TEXT);
    let parsed = parse_kernels(&file, &[], &[kernel]);
    let errors = parsed.diagnostics.iter();
    let errors = errors.filter(|diagnostic| diagnostic.severity == Severity::Error);
    let lines = errors.map(|error| {
        let line = file.line(error.span().start);
        format!("{line}: {}", error.message)
    });
    lines.collect()
}

#[test]
fn only_what_a_kernel_reaches_must_be_understood() {
    assert_eq!(errors("good"), [""; 0]);
    assert_eq!(errors("based"), [""; 0]);
    let of_helper = [
        "3: the function `mystery` is not defined",
        "3: the function `other` is not defined",
    ];
    assert_eq!(errors("calls"), of_helper);
    assert_eq!(errors("instance<float>"), of_helper);
    assert_eq!(errors("holds"), ["2: unknown type `Foo`"]);
    assert_eq!(
        errors("unread"),
        ["11: expected `;` after this expression, found `}`"]
    );
    assert_eq!(errors("takes"), ["4: unknown type `Foo`"]);
    assert_eq!(errors("names"), ["6: unknown type `Foo`"]);
    assert_eq!(
        errors("is_special"),
        ["8: expected `;` after `return`, found `}`"]
    );
}

#[test]
fn what_is_not_reached_is_one_warning() {
    let file = SourceFile::new("a.cu", TEXT);
    let parsed = parse_kernels(&file, &[], &["good", "based"]);
    let messages: Vec<&str> = parsed.diagnostics.iter().map(|d| &*d.message).collect();
    assert_eq!(
        messages,
        [
            "the header `unknown.h` was not found",
            "what stands here is not understood, and nothing that runs needs it"
        ]
    );
    // Nothing of what was not understood is left to be run.
    let kernels: Vec<&str> = parsed.program.kernels().map(|k| &*k.name).collect();
    assert_eq!(kernels, ["good", "based"]);
}

#[test]
fn a_launch_may_name_constants_of_the_function_that_it_stands_in() {
    let text = "\
template <int M, int N> __global__ void tile(float* x) { x[0] = M * 100 + N; }
void launch(float* x) { const int BM = 4, BN = (BM + 2); int n = 3; tile<BM, BN><<<1, 1>>>(x); }
";
    let file = SourceFile::new("a.cu", text);
    for (kernel, name) in [
        ("tile<BM, BN * 2>", Some("tile<4, 12>")),
        ("tile<n, 1>", None),
    ] {
        let parsed = parse_kernels(&file, &[], &[kernel]);
        let made = parsed.requests[0].as_ref().ok();
        let made = made.map(|&id| parsed.program.functions[id].name.as_str());
        assert_eq!(made, name, "{kernel}: {:?}", parsed.requests);
    }
}
