//! What is wrong with a declaration is wrong with all that uses it, whoever met it first; and what C++
//! allows to stand twice is no error.

use super::*;

/// The errors of a kernel that stores `expression`, behind `declarations`.
fn errors(declarations: &str, expression: &str) -> Vec<String> {
    let kernel = format!("__global__ void k(float* y, int i) {{ y[i] = {expression}; }}");
    let all = read(&format!("{declarations}\n{kernel}")).diagnostics;
    let errors = all.into_iter().filter(|d| d.severity == Severity::Error);
    errors.map(|error| error.message).collect()
}

#[track_caller]
fn refused(declarations: &str, expression: &str, part: &str) {
    let errors = errors(declarations, expression);
    let is_told = errors.iter().any(|message| message.contains(part));
    assert!(is_told, "{declarations}\n{expression}\n{errors:#?}");
    let mut once = errors.clone();
    once.dedup();
    assert_eq!(once, errors, "each is told once");
}

/// `what` is the constant that the kernel stores.
#[track_caller]
fn stores(declarations: &str, expression: &str, what: f64) {
    let kernel = format!("__global__ void k(double* y) {{ *y = {expression}; }}");
    let text = format!("{declarations}\n{kernel}");
    let parsed = read(&text);
    assert!(!parsed.has_errors(), "{}", report(&text));
    let kernel = parsed.program.kernels().last().expect("a kernel");
    let stored = match kernel.body.last().map(|last| &last.kind) {
        Some(StmtKind::Expr(Expr {
            kind: ExprKind::Assign(_, value),
            ..
        })) => &value.kind,
        other => panic!("not an assignment: {other:?}"),
    };
    match stored {
        ExprKind::Constant(bits) => assert_eq!(f64::from_bits(*bits), what, "{text}"),
        other => panic!("not constant: {other:?}"),
    }
}

const VECTOR: &str = "#include <vector>\n";

#[test]
fn a_first_use_in_code_of_the_host_hides_no_error() {
    for (declarations, expression, part) in [
        (
            "typedef unsigned int u; typedef short u; void host(u a) {}",
            "(u)i",
            "`u` is for the host",
        ),
        (
            "typedef std::vector<int> V; void host(V a) {}",
            "sizeof(V)",
            "`V` is for the host",
        ),
        (
            "struct H { std::vector<int> v; int x; }; void host(H h) {}",
            "sizeof(H)",
            "`H` is for the host",
        ),
        (
            "struct H { int v[40000]; int x; }; void host(H h) {}",
            "sizeof(H)",
            "`H` is for the host",
        ),
        // The struct has two names, and only one of them is that of the declaration.
        (
            "typedef struct H { int v[40000]; } G; void host(H h) {}",
            "sizeof(H)",
            "more than 65536 bytes",
        ),
        (
            "typedef std::vector<int> V; struct A { V v; int x; }; struct B { A a; }; void host(B b) {}",
            "sizeof(B)",
            "`B` is for the host",
        ),
        (
            "struct H; struct P { H* h; }; struct H { std::vector<int> v; }; void host(P p) {}",
            "sizeof(*P().h)",
            "`std::vector` is for the host",
        ),
        (
            "struct B { std::vector<int> v; }; struct A : B { int x; }; void host(A a) {}",
            "sizeof(A)",
            "`A` is for the host",
        ),
        (
            "template <class T> struct A { typename T::no n; int x; }; void host(A<int> a) {}",
            "sizeof(A<int>)",
            "`T::no` is not defined",
        ),
        (
            "template <class T> constexpr T f(T a) { T::no b; return a; } int table[f(3)];",
            "f(3)",
            "`T::no` is not defined",
        ),
        (
            "int N = 4; constexpr int M = N * 2; int table[M];",
            "M",
            "`M` is for the host",
        ),
        (
            "int N = 4; typedef enum { a = N, b } E; void host(E e) {}",
            "b",
            "`N` is for the host",
        ),
        (
            "namespace n { struct P { std::vector<int> v; }; } using namespace n; void host(P p) {}",
            "sizeof(P)",
            "`P` is for the host",
        ),
        (
            "typedef struct { int a[40000]; } G; typedef G F; void host(F* f) {} \
          __device__ int g(int b = sizeof(F)) { return b; }",
            "g()",
            "`F` is for the host",
        ),
    ] {
        refused(&format!("{VECTOR}{declarations}"), expression, part);
    }
}

#[test]
fn a_function_that_calls_a_wrong_one_is_wrong() {
    let chain = "struct H { std::vector<int> v; }; int table[sizeof(H)]; \
                 __device__ int f() { return sizeof(H); } __device__ int g() { return f(); }";
    refused(&format!("{VECTOR}{chain}"), "g()", "`H` is for the host");
    // The same instance is asked for by the host first.
    let made = "template <class T> constexpr int f(T a) { return a + no; } int table[f(1)]; \
                __device__ int g() { return f(2); }";
    refused(made, "g()", "`no` is not defined");
}

#[test]
fn an_overload_that_is_not_known_may_be_meant() {
    for (declarations, expression, part) in [
        (
            "constexpr int f(int x) { return 1; } constexpr int f(double x) { goto a; a: return 2; }",
            "f(2.5)",
            "`f` is for the host",
        ),
        (
            "constexpr int f(double x) { goto a; a: return 2; } constexpr int f(int x) { return 1; }",
            "f(2.5)",
            "`f` is for the host",
        ),
        (
            "typedef std::vector<int> V; template <class T> __device__ int f(T a, V* z = 0) { return 2; } \
          __device__ int f(double a) { return 1; }",
            "f(1.0f)",
            "`V` is for the host",
        ),
        (
            "struct A { float x; }; template <class T> __device__ A operator+(T a, A b) { return b; } \
          inline constexpr A operator+(A a, A b) { goto z; z: return a; }",
            "(A() + A()).x",
            "`operator+` is for the host",
        ),
    ] {
        refused(&format!("{VECTOR}{declarations}"), expression, part);
    }
    stores(
        "#include <vector>\nint f(std::vector<int> a) { return 1; } constexpr int f(int a) { return 2; }",
        "f(1)",
        2.0,
    );
}

#[test]
fn a_definition_for_some_arguments_that_is_not_known_may_be_meant() {
    let template = "template <class T> struct A { static constexpr int n = 1; };";
    for (special, part) in [
        (
            "template <> struct A<float*> { static constexpr int n = 2; goto x; };",
            "`goto` is not supported yet",
        ),
        (
            "template <class T> struct A<T*> { static constexpr int n = sizeof(std::vector<T>); goto x; };",
            "expected an expression",
        ),
        (
            "template <> constexpr int A<float*>::n = 2;",
            "`A` is for the host",
        ),
    ] {
        refused(
            &format!("{VECTOR}{template} {special}"),
            "A<float*>::n",
            part,
        );
    }
    refused(
        "template <class T> constexpr int f() { return 1; } \
             template <> constexpr int f<float>() { goto a; a: return 2; }",
        "f<float>()",
        "`f` is for the host",
    );
    let constants =
        "template <class T> constexpr int n = 1; template <> constexpr int n<float> = 2;";
    stores(constants, "n<float> + 10 * n<int>", 12.0);
    refused(
        "template <class T> constexpr int n = 1; template <class T> constexpr int n<T*> = 2;",
        "n<float*>",
        "`n` for arguments of some form is not supported yet",
    );
    // `long` and `long long` are one type here.
    refused(
        &format!(
            "{template} template <> struct A<long> {{ static constexpr int n = 2; }}; \
             template <> struct A<long long> {{ static constexpr int n = 3; }};"
        ),
        "A<long>::n",
        "`A` is for",
    );
    refused(
        &format!(
            "{template} constexpr int m = A<float>::n; \
             template <> struct A<float> {{ static constexpr int n = 2; }};"
        ),
        "A<float>::n",
        "`A` is for",
    );
}

#[test]
fn what_is_declared_later_hides_nothing() {
    let later = "__device__ constexpr int f(int x) { return 2; }";
    let earlier = "__device__ constexpr int f(double x) { return 1; }";
    stores(
        &format!("{earlier} __device__ constexpr int g() {{ return f(1); }} {later}"),
        "g()",
        1.0,
    );
    stores(
        &format!("{earlier} template <class T> constexpr int g(T x) {{ return f(x); }} {later}"),
        "g(1)",
        1.0,
    );
    stores(
        "constexpr int N = 4; namespace a { constexpr int f() { return N; } constexpr int N = 5; }",
        "a::f()",
        4.0,
    );
    stores(
        "typedef int T; namespace a { constexpr int f() { return sizeof(T); } typedef double T; }",
        "a::f()",
        4.0,
    );
}

#[test]
fn members_of_templates_can_be_defined_for_some_arguments() {
    let declared = "template <class T> struct A { static constexpr int f(); };";
    let general = "template <class T> constexpr int A<T>::f() { return 1; }";
    let special = "template <> constexpr int A<float>::f() { return 2; }";
    let inside = "template <class T> struct A { static constexpr int f() { return 1; } };";
    for text in [
        format!("{declared} {general} {special}"),
        format!("{inside} {special}"),
    ] {
        stores(&text, "A<float>::f() * 10 + A<int>::f()", 21.0);
    }
}

#[test]
fn what_may_stand_twice_is_no_error() {
    stores(
        "typedef unsigned int u; typedef unsigned int u; void host(u a) {}",
        "(u)4",
        4.0,
    );
    stores("struct A { int x; }; struct A; class A;", "sizeof(A)", 4.0);
    stores(
        "typedef struct P { int a; } P; typedef struct P P; typedef P P;",
        "sizeof(P)",
        4.0,
    );
    stores(
        "extern __shared__ float s[]; extern __shared__ float s[];",
        "sizeof(s[0])",
        4.0,
    );
    stores(
        "template <class T> constexpr T f(T x); template <class T> constexpr T f(T x) { return x; }",
        "f(4)",
        4.0,
    );
    stores(
        "namespace q { constexpr int g() { return 4; } struct A { int x; }; } \
            using q::g; using q::g; using q::A; using q::A; using namespace q; namespace z = q; \
            namespace z = q;",
        "g() + z::g() + sizeof(A)",
        12.0,
    );
    refused(
        "namespace q { constexpr int g() { return 4; } } namespace p { constexpr int g() { return 5; } } \
             namespace z = q; namespace z = p;",
        "z::g()",
        "`z` is another namespace already",
    );
}

#[test]
fn what_changes_sizes_is_not_overlooked() {
    for packed in [
        "#pragma pack(push, 1)\nstruct A { char c; int x; };\n",
        "#pragma pack(1)\nclass A { char c; int x; };\n",
        "struct __attribute__((packed)) A { char c; int x; };",
        "struct A { char c; int x; } __attribute__((packed));",
    ] {
        let all = format!("{packed}\nenum class E : int {{}};");
        stores(&all, "sizeof(A)", 5.0);
        let load = format!("{packed}\n__device__ int f(A* a) {{ return a->x; }}");
        refused(&load, "1", "`x` lies at byte 1 of a packed struct");
    }
    stores(
        "#pragma pack(push, 1)\n#pragma pack(pop)\nstruct A { char c; int x; };",
        "sizeof(A)",
        8.0,
    );
    for structs in [
        "struct A { char c; alignas(16) int x; };",
        "struct A { char c; int x __attribute__((aligned(16))); };",
        "struct alignas(16) alignas(8) A { char c; int x; };",
    ] {
        let errors = errors(structs, "sizeof(A)");
        assert!(!errors.is_empty(), "{structs}");
    }
    stores(
        "struct A { char c; int x; } __attribute__((aligned(16)));",
        "sizeof(A)",
        16.0,
    );
    for use_of_size in [
        "*h",
        "h + 1 == h",
        "h - h",
        "h[1]",
        "h++ == h",
        "(h += 1) == h",
    ] {
        let text = format!("struct H; __device__ void f(H* h) {{ {use_of_size}; }}");
        refused(&text, "1", "`H` is declared but not defined");
    }
}

#[test]
fn conditions_of_directives_know_what_headers_define() {
    for (condition, holds) in [
        ("INT_MAX > 100", true),
        ("defined(M_PI) && defined CHAR_BIT", true),
        (
            "CUDART_VERSION >= 11000 && __CUDACC_VER_MAJOR__ >= 11",
            true,
        ),
        ("-1 > 0u", true),
        ("-1 > 0", false),
        ("0xffffffff > -1", true),
        ("(2 - 3) / 2u > 5", true),
        ("18446744073709551615u >> 63 == 1", true),
        ("defined warpSize", false),
    ] {
        let text = format!("#if {condition}\n#define N 1\n#else\n#define N 0\n#endif");
        stores(&text, "N", f64::from(u8::from(holds)));
    }
}
