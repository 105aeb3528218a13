//! Whole texts: the meaning of C++.

use crate::source::{SourceFile, Style, render};

use super::*;

mod aside;
mod classes;
mod errors_spread;
mod program;
mod properties;

fn read(text: &str) -> Parsed {
    parse(&SourceFile::new("a.cu", text), &[])
}

fn report(text: &str) -> String {
    let file = SourceFile::new("a.cu", text);
    let parsed = parse(&file, &[]);
    let rendered: Vec<String> = parsed
        .diagnostics
        .iter()
        .map(|diagnostic| render(diagnostic, &file, Style::Plain))
        .collect();
    rendered.join("\n")
}

/// The messages of a text.
fn messages(text: &str) -> Vec<String> {
    let all = read(text).diagnostics;
    all.into_iter()
        .map(|diagnostic| diagnostic.message)
        .collect()
}

/// The value that a kernel stores to `*out`, where `out` is a `double*`.
fn stored(declarations: &str, expression: &str) -> Expr {
    let text = format!(
        "__global__ void k(double* out, float x, double d, int i, unsigned u, char c, bool b,
                           long long l, size_t z, const float* p, float4 v) {{
            {declarations}
            *out = {expression};
        }}"
    );
    let parsed = read(&text);
    assert!(parsed.diagnostics.is_empty(), "{}", report(&text));
    let body = &parsed.program.functions[0].body;
    let Some(StmtKind::Expr(assign)) = body.last().map(|last| &last.kind) else {
        panic!("the kernel does not end with an assignment");
    };
    match &assign.kind {
        ExprKind::Assign(_, value) => match &value.kind {
            ExprKind::Convert(inner) => (**inner).clone(),
            _ => (**value).clone(),
        },
        _ => panic!("not an assignment"),
    }
}

fn type_of(expression: &str) -> String {
    stored("", expression).ty.to_string()
}

fn constant_of(declarations: &str, expression: &str) -> f64 {
    let value = stored(declarations, expression);
    match value.kind {
        ExprKind::Constant(bits) => f64::from_bits(bits),
        other => panic!("`{expression}` is not constant: {other:?}"),
    }
}

#[test]
fn arithmetic_converts_as_cpp_does() {
    for (expression, ty) in [
        ("x * x", "float"),
        ("x * d", "double"),
        ("x * 1.0", "double"),
        ("x * 2", "float"),
        ("c + c", "int"),
        ("i + u", "unsigned int"),
        ("i + l", "long long"),
        ("u + l", "long long"),
        ("l + z", "unsigned long long"),
        ("b + b", "int"),
        ("c << l", "int"),
        ("u >> 1", "unsigned int"),
        ("~c", "int"),
        ("-b", "int"),
        ("i / 2", "int"),
        ("i < u", "bool"),
        ("!i", "bool"),
        ("i ? x : i", "float"),
        ("threadIdx.x * i", "unsigned int"),
        ("threadIdx.x", "unsigned int"),
        ("p[i] + v.w", "float"),
        ("&p[i] - p", "long long"),
        ("sizeof(v) + i", "unsigned long long"),
        ("max(i, u)", "unsigned int"),
        ("max(x, d)", "double"),
        ("exp(x)", "float"),
        ("exp(i)", "double"),
        ("pow(x, i)", "double"),
        ("fabs(i)", "double"),
        ("abs(c)", "int"),
        ("__shfl_down_sync(0xffffffff, c, 1)", "int"),
        ("__ballot_sync(~0u, b)", "unsigned int"),
        ("i += 1.0", "int"),
    ] {
        assert_eq!(type_of(expression), *ty, "{expression}");
    }
}

#[test]
fn comparing_signed_with_unsigned_converts_the_signed_one() {
    let ExprKind::Binary(BinaryOp::Lt, a, b) = stored("", "i < u").kind else {
        panic!("not a comparison");
    };
    assert_eq!(
        (a.ty.to_string(), b.ty.to_string()),
        ("unsigned int".into(), "unsigned int".into())
    );
    assert!(matches!(a.kind, ExprKind::Convert(_)));
}

#[test]
fn compound_assignment_computes_in_the_common_type() {
    let ExprKind::AssignOp {
        computed, value, ..
    } = stored("", "x += 1.0").kind
    else {
        panic!("not a compound assignment");
    };
    assert_eq!(computed, Type::Scalar(Scalar::F64));
    assert_eq!(value.ty, Type::Scalar(Scalar::F64));
}

#[test]
fn constants_are_computed_as_the_gpu_would() {
    assert_eq!(constant_of("constexpr int N = 3 * 4 + 1;", "N / 2"), 6.0);
    assert_eq!(constant_of("", "-7 / 2"), -3.0);
    assert_eq!(constant_of("", "-7 % 2"), -1.0);
    assert_eq!(constant_of("", "1u - 2u"), 4294967295.0);
    assert_eq!(constant_of("", "(unsigned char)300"), 44.0);
    assert_eq!(constant_of("", "1 << 4 | 1"), 17.0);
    assert_eq!(constant_of("", "-1 < 1u"), 0.0);
    assert_eq!(constant_of("", "sizeof(float4)"), 16.0);
    assert_eq!(
        constant_of("float t[3][5];", "sizeof(t) / sizeof(t[0])"),
        3.0
    );
    assert_eq!(constant_of("", "true ? 0.1f : 2"), f64::from(0.1f32));
    assert_eq!(constant_of("", "'a' + 1"), 98.0);
    assert_eq!(
        constant_of("const int n = 5; const int m = n * 2;", "m"),
        10.0
    );
    assert_eq!(constant_of("", "INT_MIN"), -2147483648.0);
}

#[test]
fn macros_expand_as_the_standard_says() {
    for (define, expression, value) in [
        ("#define A B\n#define B A + 1\n#define b2 2", "b2", 2.0),
        ("#define SQ(x) ((x) * (x))", "SQ(1 + 2)", 9.0),
        (
            "#define ADD(a, b) a + b\n#define TWICE(f, x) f(x, x)",
            "TWICE(ADD, 4)",
            8.0,
        ),
        ("#define CAT(a, b) a##b", "CAT(1, 2)", 12.0),
        ("#define F() 7", "F()", 7.0),
        ("#define N (4)", "N", 4.0),
        ("#define LAST(a, ...) (__VA_ARGS__)", "LAST(1, 3)", 3.0),
        (
            "#if defined(X) || 1 == 2\n#define V 1\n#elif 3 > 2 && !defined X\n#define V 2\n#else\n#define V 3\n#endif",
            "V",
            2.0,
        ),
    ] {
        assert_eq!(
            constant_of(&format!("\n{define}\n"), expression),
            value,
            "{define}"
        );
    }
}

#[test]
fn options_define_macros() {
    let file = SourceFile::new("a.cu", "__global__ void k(float* x) { x[N] = 0; }");
    let define = |name: &str, value: &str| [(name.to_string(), value.to_string())];
    assert!(!parse(&file, &define("N", "3")).has_errors());
    let messages: Vec<String> = parse(&file, &define("3N", "3"))
        .diagnostics
        .into_iter()
        .map(|diagnostic| diagnostic.message)
        .collect();
    assert!(
        messages[0].contains("`-D 3N=3`: `3N` is not a name"),
        "{messages:?}"
    );
}

#[test]
fn functions_come_callees_first() {
    let parsed = read(
        "__device__ float later(float x);
         __global__ void first(float* y) { y[0] = later(1.0f); }
         __device__ float later(float x) { return x * x; }
         __global__ void second(float* y) { y[0] = later(2.0f); }",
    );
    let names: Vec<&str> = parsed
        .program
        .functions
        .iter()
        .map(|f| f.name.as_str())
        .collect();
    assert_eq!(parsed.diagnostics, []);
    assert_eq!(names, ["later", "first", "second"]);
}

#[test]
fn functions_call_themselves_and_each_other() {
    let text = "__device__ int g(int n);
        __device__ int f(int n) { return n ? f(n - 1) + g(n - 1) : 0; }
        __device__ int g(int n) { return n ? f(n - 1) : 1; }
        __global__ void k(int* x) { *x = f(*x); }";
    assert_eq!(messages(text), Vec::<String>::new());
    // Its type is that of its first `return`, which is not known yet.
    let found = messages("__device__ auto f(int n) { return n ? f(n - 1) : 0; }");
    assert_eq!(found, ["`f` is called before its type is known"]);
}

#[test]
fn a_missing_semicolon_is_one_error() {
    let text = "__global__ void k(float* x) {\n  int i = 0\n  x[i] = 1.0f;\n}\n";
    let parsed = read(text);
    assert_eq!(parsed.diagnostics.len(), 1, "{}", report(text));
    let file = SourceFile::new("a.cu", text);
    assert_eq!(
        file.line_column(parsed.diagnostics[0].span().start),
        (2, 12)
    );
}

#[test]
fn lists_fill_arrays_in_order_of_memory() {
    let parsed = read("__global__ void k() { int a[2][3] = {{1}, {4, 5}}; int b[] = {1, 2}; }");
    assert_eq!(parsed.diagnostics, []);
    let function = &parsed.program.functions[0];
    let StmtKind::Declare {
        init: Some(Initializer::List(list)),
        ..
    } = &function.body[0].kind
    else {
        panic!("no list");
    };
    let values: Vec<&ExprKind> = list.iter().map(|value| &value.kind).collect();
    let constants = [1, 0, 0, 4, 5].map(ExprKind::Constant);
    assert_eq!(values, constants.iter().collect::<Vec<_>>());
    assert_eq!(function.locals[1].ty.to_string(), "int[2]");
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [
        ("(", ")"),
        ("-", ""),
        ("{", "}"),
        ("if (1) ", ";"),
        ("1 + ", "1"),
        ("x[", "]"),
    ] {
        let text = format!(
            "__global__ void k(int* x) {{ {}x{}; }}",
            open.repeat(20_000),
            close.repeat(20_000)
        );
        let found = messages(&text);
        assert!(
            found.iter().any(|m| m.contains("nested too deeply")),
            "{open}: {found:?}"
        );
    }
}

#[test]
fn macros_that_explode_are_stopped() {
    let mut text = String::from("#define A0 1 + 1\n");
    for i in 1..40 {
        text += &format!("#define A{i} A{} + A{}\n", i - 1, i - 1);
    }
    text += "__global__ void k(int* x) { *x = A39; }";
    let found = messages(&text);
    assert!(
        found.iter().any(|m| m.contains("too many tokens")),
        "{found:?}"
    );
}

#[test]
fn headers_of_vectors_and_complex_numbers_serve_kernels() {
    let text = "#include <helper_math.h>\n#include <cufftXt.h>\n
        __global__ void k(float4* a, cufftComplex* c, CUtexObject texture, cudaExtent size) {
            *a = lerp(*a, make_float4(1.0f), 0.5f) * dot(*a, *a) * (float)size.width;
            *c = cuCmulf(*c, make_cuComplex(0.0f, 1.0f));
        }";
    assert_eq!(report(text), "");
}

#[test]
fn kernels_launch_kernels_and_know_no_way_to_wait_for_them() {
    let text = |last: &str| {
        format!(
            "__global__ void child(int* x) {{ *x = 1; }}
             __global__ void k(int* x, dim3 grid) {{
                 child<<<1, 32>>>(x);
                 child<<<grid, blockDim, 0, cudaStreamTailLaunch>>>(x);
                 if (*x) k<<<grid.x - 1, dim3(2, 2)>>>(x, grid);
                 {last}
             }}"
        )
    };
    assert_eq!(report(&text("")), "");
    let parsed = read(&text(""));
    let names = parsed.program.launched.iter();
    let names: Vec<&str> = names
        .map(|&id| &*parsed.program.functions[id].name)
        .collect();
    assert_eq!(names, ["child", "k"]);
    let said = messages(&text("cudaDeviceSynchronize();"));
    assert_eq!(
        said,
        [
            "kernels cannot wait for what they launch: CUDA 12 has no `cudaDeviceSynchronize` for them"
        ]
    );
    assert_eq!(
        messages(&text("child<<<1.5f, 1>>>(x);")),
        ["a `float` is no size of a grid"]
    );
}

#[test]
fn pointers_to_functions_of_the_gpu_are_values() {
    let text = |call: &str| {
        format!(
            "typedef float (*op_t)(float, float);
             __device__ float add(float a, float b) {{ return a + b; }}
             __device__ float mul(float a, float b) {{ return a * b; }}
             __device__ int other(int a) {{ return a; }}
             __device__ op_t table[2] = {{add, &mul}};
             __global__ void k(float* x, op_t op, int i) {{ {call} }}"
        )
    };
    let good = "op_t mine = i ? add : mul; x[0] = mine(x[1], 2.0f) + (*op)(x[2], x[3]) + table[i](x[4], 1.0f);";
    assert_eq!(report(&text(good)), "");
    let said = messages(&text("op = other; x[0] = op(1.0f, 2.0f);"));
    assert_eq!(said, ["`other` is no `__device__` function of this type"]);
}
