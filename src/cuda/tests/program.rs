//! Whole programs: what `main` reaches becomes one typed program.

use super::*;

pub fn program(text: &str) -> Program {
    let file = SourceFile::new("a.cu", text);
    let parsed = parse_program(&file, &[]);
    let rendered: Vec<String> = parsed
        .diagnostics
        .iter()
        .map(|diagnostic| render(diagnostic, &file, Style::Plain))
        .collect();
    assert!(!parsed.has_errors(), "{}", rendered.join("\n"));
    parsed.program
}

/// The messages of a program's errors.
fn errors(text: &str) -> Vec<String> {
    let all = parse_program(&SourceFile::new("a.cu", text), &[]).diagnostics;
    let errors = all.into_iter().filter(|d| d.severity == Severity::Error);
    errors.map(|diagnostic| diagnostic.message).collect()
}

pub fn function<'a>(program: &'a Program, name: &str) -> &'a Function {
    let mut all = program.functions.iter();
    all.find(|function| function.name == name).expect(name)
}

#[test]
fn headers_of_libraries_are_found_behind_the_slashes_of_windows() {
    let program = program(
        "#include <thrust\\host_vector.h>
         #include <cooperative_groups\\reduce.h>
         int main() { thrust::host_vector<int> all(3, 2); return all[1]; }",
    );
    assert!(program.entry.is_some());
}

#[test]
fn main_and_what_it_reaches_are_checked() {
    let program = program(
        "#include <stdio.h>
         int odd(const int);
         int even(int n) { return n == 0 ? 1 : odd(n - 1); }
         int odd(int n) { return n == 0 ? 0 : even(n - 1); }
         int unreached() { return nobody(knows); }
         int main(void) { int a[3] = {1, 2, 3}; for (int i = 0; i < 3; i++) printf(\"%d\\n\", a[i]); return even(4); }",
    );
    let main = program.entry.expect("main");
    assert!(program.functions[main].is_host);
    assert!(function(&program, "even").is_host && function(&program, "odd").is_host);
    assert!(program.functions.iter().all(|f| f.name != "unreached"));
}

#[test]
fn launches_make_kernels_of_templates() {
    let program = program(
        "template <typename T> __global__ void fill(T* p, T x, int n) {
             int i = blockIdx.x * blockDim.x + threadIdx.x;
             if (i < n) { p[i] = x; printf(\"%d\\n\", i); assert(i >= 0); }
         }
         int main() {
             float* d; int n = 100;
             cudaMalloc(&d, n * sizeof(float));
             fill<<<(n + 31) / 32, dim3(32)>>>(d, 1.0f, n);
             fill<float><<<1, 32, 0>>>(d, 2, n);
             assert(n == 100);
             cudaDeviceSynchronize();
         }",
    );
    let kernels: Vec<&str> = program.kernels().map(|kernel| &*kernel.name).collect();
    assert_eq!(kernels, ["fill<float>"]);
    assert!(!function(&program, "fill<float>").is_host);
}

#[test]
fn a_kernel_is_called_after_the_function_that_a_parameter_stands_for() {
    let program = program(
        "using Step = void (*)(float*);
         __device__ void increment(float* x) { *x += 1; }
         template <Step step> __global__ void apply(float* x) { step(x); }
         template <Step step> void launch(float* x) { apply<step><<<1, 1>>>(x); }
         int main() { launch<increment>(nullptr); }",
    );
    function(&program, "apply<increment>");
}

#[test]
fn what_a_program_lacks_is_told() {
    assert_eq!(errors("void f() {}"), ["this file has no `main`"]);
    let text = "__device__ int f() { return 1; } int main() { return f(); }";
    assert_eq!(
        errors(text),
        ["`f` runs on the GPU: the host cannot call it"]
    );
    let text = "int f() { return 1; } __global__ void k() { f(); } int main() { k<<<1, 1>>>(); }";
    assert_eq!(
        errors(text),
        ["`f` runs on the host: a kernel cannot call it"]
    );
    let text = "int main() { return nobody(); }";
    assert_eq!(errors(text), ["the function `nobody` is not defined"]);
    let text = "#include <cusolverDn.h>\nint main() { cusolverDnHandle_t handle; }";
    assert_eq!(
        errors(text),
        [
            "`cusolverDnHandle_t` belongs to cuSOLVER (linear systems and eigenvalues), which is not simulated"
        ]
    );
    let text = "texture<float, 2> all; int main() { cudaUnbindTexture(all); }";
    assert_eq!(
        errors(text)[0],
        "`texture` belongs to texture references, which CUDA 12 has removed: nvcc refuses them too"
    );
}

#[test]
fn variables_of_the_host_live_in_its_memory() {
    let program = program(
        "const int N = 4;
         static float table[N] = {1, 2, 3};
         const float weights[3] = {0.5f, 1.5f, 2.5f};
         char greeting[] = \"hi\";
         const char* names[] = {\"one\", \"two\"};
         int start = rand();
         __global__ void k(float* o) { o[threadIdx.x] = weights[threadIdx.x] + N; }
         int next() { static int n = 10; static int m = rand(); return n++ + m; }
         int main(int argc, char** argv) {
             char s[] = \"abc\";
             float v[argc];
             if (argc > 3) goto out;
             k<<<1, 3>>>(v + (int)weights[argc]);
         out:
             return next() + sizeof(s) + table[0] + greeting[0] + names[0][0] + start;
         }",
    );
    let memory = |name: &str| {
        let named = program.variables.iter().filter(|v| v.name == name);
        named.map(|v| v.memory).collect::<Vec<_>>()
    };
    assert_eq!(memory("table"), [FileMemory::Host]);
    assert_eq!(memory("weights"), [FileMemory::Host, FileMemory::Constant]);
    assert_eq!(memory("n"), [FileMemory::Host]);
    assert_eq!(
        memory("m").len(),
        2,
        "a variable and whether it has its value"
    );
    let start = program.start.expect("names and start need code");
    assert_eq!(program.functions[start].body.len(), 3);
}

#[test]
fn functions_are_values() {
    let program = program(
        "typedef int (*binary)(int, int);
         int add(int a, int b) { return a + b; }
         template <class T> T twice(T x) { return x + x; }
         struct Op { const char* name; int (*f)(int, int); };
         Op ops[] = {{\"add\", add}};
         template <class F> int run(F f, int x) { return f(x, x); }
         int apply(binary f, int a, int b) { return f(a, b) + (*f)(a, b); }
         int main() {
             int (*table[2])(int, int) = {add, &add};
             float (*t)(float) = twice;
             binary l = [](int x, int y) { return x * y; };
             int (*compare)(const char*, const char*) = strcmp;
             return apply(add, 1, 2) + run(add, 3) + ops[0].f(1, 2) + table[1](3, 4) + l(5, 6) + (int)t(1)
                 + compare(\"a\", \"b\");
         }",
    );
    assert!(function(&program, "twice<float>").is_host);
    assert!(function(&program, "strcmp").is_library);
}

#[test]
fn host_code_uses_the_whole_language() {
    let program = program(
        "namespace shapes { struct P { int x; }; int area(P p) { return p.x; } }
         struct Range { int a[3]; int* begin() { return a; } int* end() { return a + 3; } };
         template <class F> int run(F f) { return f(1); }
         __host__ __device__ int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
         __global__ void fill(float* p, int n) { p[0] = n; }
         int main() {
             shapes::P p; p.x = 3;
             Range r = {{1, 2, 3}};
             int sum = 0;
             for (auto& x : r) sum += x;
             auto add = [&](int k) { auto inner = [&] { sum++; }; inner(); return sum + k; };
             void (*kernel)(float*, int) = &fill;
             float* d;
             kernel<<<1, 2>>>(d, 3);
             int id = cudaGetDevice(&id);
             while (int left = sum--) { if (left < 2) break; }
             return area(p) + gcd(12, 18) + run(add);
         }",
    );
    assert_eq!(program.kernels().count(), 1);
    assert!(function(&program, "gcd").is_host, "it calls itself");
}

#[test]
fn a_kernel_calls_no_function_of_both_sides_that_needs_the_host() {
    let found = errors(
        "__host__ __device__ void inner(int* p) { if (!p) throw 1; }
         __host__ __device__ void outer(int* p) { inner(p); }
         __global__ void k(int* p) { outer(p); }
         int main() { k<<<1, 1>>>(nullptr); outer(nullptr); }",
    );
    assert_eq!(found, ["exceptions are not supported in a kernel yet"]);
}

#[test]
fn architectures_are_known_in_code_for_the_gpu() {
    let program = program(
        "__host__ __device__ int where() {
         #ifdef __CUDA_ARCH__
             return __CUDA_ARCH__;
         #else
             return 0;
         #endif
         }
         #if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
         __global__ void k(int* p) { *p = where(); }
         #endif
         int main() {
         #ifdef __CUDA_ARCH__
             return nowhere;
         #endif
             k<<<1, 1>>>(nullptr);
         }",
    );
    assert_eq!(program.kernels().count(), 1);
    // The host has a function of its own: what it returns is another constant.
    let both = function(&program, "where");
    assert_ne!(both.body, both.for_host().body);
}
