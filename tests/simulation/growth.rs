//! Compiling takes work in proportion to the text, along every axis that a text can grow in: counted in
//! steps and instructions, as seconds differ from machine to machine.

use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use tutor::compile::{Compiled, Fidelity, compile_within};
use tutor::source::{SourceFile, Work};

/// Steps and instructions of one compilation of a text.
struct Grown {
    compiled: Compiled,
    steps: u64,
    instructions: usize,
}

fn compile(text: &str) -> Grown {
    let work = Work::default();
    let file = SourceFile::new("k.cu", text);
    let compiled = compile_within(&file, &[], &["k"], Fidelity::AsCompiled, &work);
    let code = compiled.kernels.iter().map(|kernel| kernel.code.len());
    Grown {
        steps: work.steps(),
        instructions: code.sum(),
        compiled,
    }
}

/// The text of a kernel with this body, behind `before`.
fn kernel(before: &str, body: &str) -> String {
    format!(
        "{before}\n__global__ void k(float* y, const float* x, int n) {{\n\
         int i = blockIdx.x * blockDim.x + threadIdx.x;\n{body}\n}}\n"
    )
}

/// `piece` of each number below `count`, one behind the other.
fn each(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, at| {
        writeln!(text, "{}", piece(at)).expect("is a string");
        text
    })
}

/// A text of size n, and how it grows.
type Axis = (&'static str, fn(usize) -> String);

const AXES: &[Axis] = &[
    ("statements", |n| {
        let body = each(n, |j| format!("a = a * {j}.5f + 1.f;"));
        kernel("", &format!("float a = x[i]; {body} y[i] = a;"))
    }),
    ("loads", |n| {
        let body = each(n, |j| format!("a += x[i + {}];", 3 * j));
        kernel("", &format!("float a = 0; {body} y[i] = a;"))
    }),
    ("stores", |n| {
        kernel("", &each(n, |j| format!("y[i + n * {j}] = {j};")))
    }),
    ("variables", |n| {
        let body = each(n, |j| format!("float v{j} = x[i + {j}];"));
        kernel("", &(body + &each(n, |j| format!("y[i + {j}] = v{j};"))))
    }),
    ("branches", |n| {
        let body = each(n, |j| format!("if (i > {j}) a += {j}.5f; else a -= 1;"));
        kernel("", &format!("float a = x[i]; {body} y[i] = a;"))
    }),
    ("loops", |n| {
        let body = each(n, |j| {
            format!("for (int j = 0; j < n; ++j) a += x[j + {j}];")
        });
        kernel("", &format!("float a = x[i]; {body} y[i] = a;"))
    }),
    ("unrolled loops", |n| {
        let body = each(n, |j| {
            format!("for (int j = 0; j < 4; ++j) a += x[j + {j}];")
        });
        kernel("", &format!("float a = x[i]; {body} y[i] = a;"))
    }),
    ("cases", |n| {
        let cases = each(n, |j| format!("case {j}: a = {j}.5f; break;"));
        kernel(
            "",
            &format!("float a = 0; switch (n) {{ {cases} }} y[i] = a;"),
        )
    }),
    ("cases that run on", |n| {
        let cases = each(n, |j| format!("case {j}: a += {j}.5f;"));
        kernel(
            "",
            &format!("float a = 0; switch (n) {{ {cases} default: a = 1; }} y[i] = a;"),
        )
    }),
    ("functions", |n| {
        let functions = each(n, |j| {
            format!("__device__ float f{j}(float a) {{ return a + {j}; }}")
        });
        let body = each(n, |j| format!("a = f{j}(a);"));
        kernel(&functions, &format!("float a = x[i]; {body} y[i] = a;"))
    }),
    ("calls of one function", |n| {
        let function =
            "__device__ float f(float a, int m) { for (int j = 0; j < m; ++j) a += a; return a; }";
        let body = each(n, |j| format!("a = f(a, {j});"));
        kernel(function, &format!("float a = x[i]; {body} y[i] = a;"))
    }),
    ("a chain of calls", |n| {
        let functions = each(n, |j| match j {
            0 => "__device__ float f0(float a) { return a + 1; }".to_owned(),
            _ => format!(
                "__device__ float f{j}(float a) {{ return f{}(a) * 2; }}",
                j - 1
            ),
        });
        kernel(&functions, &format!("y[i] = f{}(x[i]);", n - 1))
    }),
    ("functions that call another twice", |n| {
        let functions = each(n, |j| match j {
            0 => "__device__ float f0(float a) { return a + 1; }".to_owned(),
            _ => format!(
                "__device__ float f{j}(float a) {{ return f{0}(a) + f{0}(a + {j}); }}",
                j - 1
            ),
        });
        kernel(&functions, &format!("y[i] = f{}(x[i]);", n - 1))
    }),
    ("arrays", |n| {
        let body = each(n, |j| {
            format!("float v{j}[8]; v{j}[n & 7] = i; y[i] += v{j}[i & 7];")
        });
        kernel("", &body)
    }),
    ("initialisers", |n| {
        let values = vec!["1"; n].join(", ");
        kernel(
            "",
            &format!("const int t[{n}] = {{ {values} }}; y[i] = t[i % {n}];"),
        )
    }),
    ("structs", |n| {
        let structs = each(n, |j| format!("struct S{j} {{ float a; int b[4]; }};"));
        let body = each(n, |j| format!("S{j} s{j}; s{j}.a = x[i]; y[i] += s{j}.a;"));
        kernel(&structs, &body)
    }),
    ("templates", |n| {
        let function = "template <int N> __device__ float f(float a) { return a * N; }";
        let body = each(n, |j| format!("a = f<{j}>(a);"));
        kernel(function, &format!("float a = x[i]; {body} y[i] = a;"))
    }),
    ("conditions of the preprocessor", |n| {
        let lines = each(n, |j| {
            format!("#if {j} > 3 || defined(A)\n#define B{j} 1\n#endif")
        });
        kernel(&lines, "y[i] = B4;")
    }),
    ("macros", |n| {
        let lines = each(n, |j| format!("#define C{j} {j}"));
        let body = each(n, |j| format!("a += C{j};"));
        kernel(&lines, &format!("float a = x[i]; {body} y[i] = a;"))
    }),
    ("prints", |n| {
        kernel(
            "",
            &each(n, |j| format!("if (i == {j}) printf(\"{j} %d\\n\", i);")),
        )
    }),
    ("kernels", |n| {
        let kernels = each(n, |j| {
            format!("__global__ void k{j}(float* y) {{ y[threadIdx.x] = {j}; }}")
        });
        kernel(&kernels, "y[i] = x[i];")
    }),
];

#[test]
fn work_grows_as_the_text_does() {
    for (axis, text) in AXES {
        let [small, large] = [50, 400].map(|n| compile(&text(n)));
        assert_eq!(small.compiled.diagnostics, [], "{axis}");
        assert_eq!(large.compiled.diagnostics, [], "{axis}");
        // 8 times the text; a part of it is there at any size.
        assert!(
            large.steps <= 10 * small.steps,
            "{axis}: {} steps, and {} of 8 times the text",
            small.steps,
            large.steps
        );
        assert!(
            large.instructions <= 10 * small.instructions,
            "{axis}: {} instructions, and {} of 8 times the text",
            small.instructions,
            large.instructions
        );
    }
}

#[test]
fn functions_that_are_called_very_often_are_written_once() {
    let (_, text) = AXES
        .iter()
        .find(|(axis, _)| axis.contains("twice"))
        .expect("is there");
    // Inlined, it would be 2^39 times what `f0` does.
    let grown = compile(&text(40));
    assert_eq!(grown.compiled.diagnostics, []);
    assert!(grown.instructions < 50_000, "{}", grown.instructions);
    // Where there is room, they are inlined, as nvcc does.
    let code = &compile(&text(8)).compiled.kernels[0].code;
    assert!(!code.iter().any(|i| i.op == tutor::ir::Op::Call));
}

#[test]
fn a_lane_takes_few_branches_to_its_case() {
    let (_, text) = AXES
        .iter()
        .find(|(axis, _)| *axis == "cases")
        .expect("is there");
    let deepest = |n: usize| {
        let code = &compile(&text(n)).compiled.kernels[0].code;
        let mut open = 0;
        let depths = code.iter().map(|i| {
            match i.op {
                tutor::ir::Op::If => open += 1,
                tutor::ir::Op::EndIf => open -= 1,
                _ => {}
            }
            open
        });
        depths.max()
    };
    assert_eq!([15, 1000].map(deepest), [Some(4), Some(10)]);
}

#[test]
fn what_is_nested_too_deeply_or_grows_without_end_is_an_error() {
    let twice = |define: &str| each(60, |j| format!("#define M{} M{j} M{j} {define}", j + 1));
    let deep = |open: &str, close: &str| {
        format!("y[i] = {}x[i]{};", open.repeat(9_000), close.repeat(9_000))
    };
    let texts = [
        kernel("", &deep("(", ")")),
        kernel("", &deep("-", "")),
        kernel("", &deep("n ? 1.f : ", "")),
        kernel(
            "",
            &format!("{} y[i] = 1; {}", "{".repeat(9_000), "}".repeat(9_000)),
        ),
        kernel(
            "",
            &each(9_000, |j| format!("if (i == {j}) y[i] = {j}; else")),
        ),
        kernel(
            "",
            &each(9_000, |j| format!("for (int j{j} = 0; j{j} < n; ++j{j})")),
        ),
        kernel(&format!("#define M0 n +\n{}", twice("")), "y[i] = M60 1;"),
        kernel(
            &format!("#if {}1{}\n#endif", "(".repeat(9_000), ")".repeat(9_000)),
            "y[i] = 1;",
        ),
        kernel(
            "template <int N> struct S { static constexpr int v = S<2 * N>::v + S<2 * N + 1>::v; };",
            "y[i] = S<1>::v;",
        ),
        kernel(
            "template <int N> struct S { S<N + 1> a; S<N + 2> b; };",
            "S<0> s; y[i] = 1;",
        ),
        kernel(
            "template <int N> __device__ int f(int a) { return f<2 * N>(a) + f<2 * N + 1>(a); }",
            "y[i] = f<1>(n);",
        ),
    ];
    for text in texts {
        assert!(compile(&text).compiled.has_failed(), "{:.300}", text);
    }
}

#[test]
fn compiling_ends_when_it_is_cancelled_and_says_what_has_grown_too_much() {
    let text = kernel(
        "__device__ float f(float a) { a += 1; return a; }",
        &format!(
            "float a = 0; {} y[i] = a;",
            each(500, |_| "a = f(a);".to_owned())
        ),
    );
    let file = SourceFile::new("k.cu", &text);
    let errors = |work: &Work| {
        let compiled = compile_within(&file, &[], &["k"], Fidelity::AsCompiled, work);
        assert!(compiled.kernels.is_empty());
        compiled.diagnostics
    };
    let cancelled = errors(&Work::new(&AtomicBool::new(true)));
    assert_eq!(cancelled[0].message, "the compilation of `k` was cancelled");
    let late = errors(&Work::default().within(Some(std::time::Duration::ZERO)));
    assert!(
        late[0].message.contains("longer than the time limit"),
        "{late:?}"
    );
    let spent = errors(&Work::default().at_most(1_000));
    assert!(
        spent[0]
            .message
            .contains("`k` is too large: 1001 statements"),
        "{spent:?}"
    );
    assert!(
        spent[0].notes[0].starts_with("`f` was written 333 times"),
        "{spent:?}"
    );
}
