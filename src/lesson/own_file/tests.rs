use std::collections::BTreeMap;

use super::*;
use crate::device::{DEFAULT_GPU, gpu};
use crate::engine::{Control, Options, run};
use crate::launch::{ElementType, Ending, Init};
use crate::lesson::InitTemplate;

const FILE: &str = "
#define TILE 16
const int threads = 4 * 32;
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void row_sums(const float4* in, float* out, int rows, int cols) {
    float sum = 0;
    for (int c = threadIdx.x; c < cols / 4; c += blockDim.x) sum += in[blockIdx.x * (cols / 4) + c].x;
    atomicAdd(&out[blockIdx.x], sum);
}
template <typename T> __global__ void transpose(const T* in, T* out, int width, int height) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
__global__ void squares(int* values) { values[threadIdx.x] *= values[threadIdx.x]; }
int main() {
    dim3 block(TILE, TILE);
    add<<<1024 / threads, threads>>>(a, b, c, 1024);
    transpose<float><<<dim3(4, 4), block>>>(in, out, 64, 64);
}
";

fn guess(name: &str) -> KernelGuess {
    let file = SourceFile::new("mine.cu", FILE);
    let guesses = guesses(Path::new("mine.cu"), &file).expect("all can be launched");
    let found = guesses.into_iter().find(|guess| guess.kernel == name);
    found.unwrap_or_else(|| panic!("{name} is a page"))
}

#[test]
fn a_block_is_the_one_that_the_file_launches() {
    let add = guess("add");
    assert_eq!((add.block, add.is_block_written), ([128, 1, 1], true));
    assert_eq!(add.grid, ["ceil_div(n, 128)", "1", "1"]);
    let transpose = guess("transpose<float>");
    assert_eq!(transpose.block, [16, 16, 1]);
    assert_eq!(
        transpose.grid,
        ["ceil_div(width, 16)", "ceil_div(height, 16)", "1"]
    );
}

#[test]
fn a_block_works_on_a_row_where_its_number_alone_is_used() {
    let sums = guess("row_sums");
    assert!(!sums.is_block_written);
    assert_eq!(sums.grid[0], "rows");
    let lengths = sums.buffers.iter().map(|buffer| buffer.length.as_str());
    // Each value of the first is four.
    assert_eq!(lengths.collect::<Vec<_>>(), ["rows * cols / 4", "rows"]);
    assert_eq!(sums.buffers[0].per_value, 4);
}

#[test]
fn a_kernel_without_sizes_gets_a_value_for_each_thread() {
    let squares = guess("squares");
    assert_eq!(squares.grid[0], "1");
    assert_eq!(squares.buffers[0].length, "256");
}

#[test]
fn every_page_runs_and_what_is_only_written_begins_with_zeros() {
    let file = SourceFile::new("mine.cu", FILE);
    let lesson = lesson_of_kernels(Path::new("mine.cu"), &file).expect("is a lesson");
    let sizes = lesson.sizes_with(&[]).expect("has sizes");
    let gpu = gpu(DEFAULT_GPU).expect("is there");
    assert_eq!(lesson.run_cells().count(), 4);
    for cell in lesson.run_cells() {
        let plan = cell.plan(&sizes, gpu).expect("is a plan");
        let outcome = run(&plan, &Options::default(), &Control::default()).expect("runs");
        assert_eq!(outcome.ending, Ending::Finished, "{}", cell.title);
    }
    let add = lesson.run_cells().next().expect("is first");
    let begins: Vec<bool> = add
        .buffers
        .iter()
        .map(|buffer| buffer.init == InitTemplate::Fixed(Init::Zero))
        .collect();
    assert_eq!(begins, [false, false, true]);
}

#[test]
fn what_nothing_can_be_guessed_for_says_so_at_the_kernel() {
    let file = SourceFile::new(
        "mine.cu",
        "__global__ void all(float** rows) { rows[0][0] = 1; }",
    );
    let errors = lesson_of_kernels(Path::new("mine.cu"), &file).expect_err("cannot be launched");
    assert!(errors[0].message.contains("`rows` of `all`"), "{errors:?}");
    let file = SourceFile::new("mine.cu", "int main() { return 0; }");
    let errors = lesson_of_kernels(Path::new("mine.cu"), &file).expect_err("has none");
    assert!(errors[0].message.contains("no kernel"), "{errors:?}");
}

/// The guess for the only kernel of a text, as it would be launched.
fn only(text: &str) -> KernelGuess {
    let file = SourceFile::new("mine.cu", text);
    let mut guesses = guesses(Path::new("mine.cu"), &file).expect("can be launched");
    assert_eq!(guesses.len(), 1);
    guesses.remove(0)
}

fn lengths(guess: &KernelGuess) -> Vec<&str> {
    let buffers = guess.buffers.iter();
    buffers.map(|buffer| buffer.length.as_str()).collect()
}

#[test]
fn each_matrix_of_a_product_has_its_own_two_sides() {
    let product = only(
        "__global__ void product(const float* a, const float* b, float* c, int M, int N, int K) {
             int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
             if (row < M && col < K) {
                 float sum = 0;
                 for (int i = 0; i < N; i++) sum += a[row * N + i] * b[i * K + col];
                 c[row * K + col] = sum;
             }
         }",
    );
    // By what rows and columns are compared with, whatever the sizes are called.
    assert_eq!(product.grid, ["ceil_div(K, 16)", "ceil_div(M, 16)", "1"]);
    assert_eq!(lengths(&product), ["M * N", "N * K", "M * K"]);
    let reads = product.buffers.iter().map(|buffer| buffer.is_read);
    assert_eq!(reads.collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn one_number_that_rows_are_multiplied_with_is_a_side() {
    let product = only(
        "__global__ void square(const int* a, int* c, int n) {
             int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
             if (row < n && col < n) c[row * n + col] = a[col * n + row];
         }",
    );
    assert_eq!(product.sizes[0].default, 256);
    assert_eq!(lengths(&product), ["n * n", "n * n"]);
}

#[test]
fn what_the_file_launches_says_how_much_there_is() {
    let scaled = only(
        "#define N (1 << 14)
         #define BLOCK 128
         __global__ void scaled(float* data, float* sums, int count, int stride) {
             int i = blockIdx.x * blockDim.x + threadIdx.x;
             if (i * stride < count) { data[i * stride] *= 2; sums[blockIdx.x] = 1; }
         }
         void run() {
             int n = N, blocks = (n / 4 + BLOCK - 1) / BLOCK;
             float *d, *s;
             cudaMalloc((void**)&d, (n + 2) * sizeof(float));
             scaled<<<blocks, BLOCK>>>(d, s, n, 4);
         }",
    );
    assert_eq!(scaled.sizes[0].default, 16_384);
    assert_eq!(scaled.arguments, ["data", "sums", "count", "4"]);
    assert_eq!(
        (scaled.block, scaled.value(&scaled.grid[0])),
        ([128, 1, 1], 32)
    );
    // One as long as the file allocates it, the other with a value for each block.
    assert_eq!(scaled.value(&scaled.buffers[0].length), 16_386);
    assert_eq!(scaled.value(&scaled.buffers[1].length), 32);
}

#[test]
fn an_index_one_behind_the_end_is_no_longer_buffer() {
    let file = SourceFile::new(
        "mine.cu",
        "__global__ void next(const float* x, float* y, int n) {
             int i = blockIdx.x * blockDim.x + threadIdx.x;
             if (i < n) y[i] = x[i + 1] - x[i];
         }",
    );
    let guesses = guesses(Path::new("mine.cu"), &file).expect("can be launched");
    assert_eq!(lengths(&guesses[0]), ["n", "n"]);
}

#[test]
fn a_template_that_nothing_launches_has_usual_arguments() {
    let sum = only(
        "template <typename T, int BLOCK_SIZE> __global__ void sum(const T* x, T* total, int n) {
             __shared__ T part[BLOCK_SIZE];
             int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
             part[threadIdx.x] = i < n ? x[i] : T(0);
             __syncthreads();
             for (int s = BLOCK_SIZE / 2; s > 0; s /= 2) {
                 if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
                 __syncthreads();
             }
             if (threadIdx.x == 0) atomicAdd(total, part[0]);
         }",
    );
    assert_eq!(
        (sum.kernel.as_str(), sum.block),
        ("sum<float, 256>", [256, 1, 1])
    );
    // What atomic operations add up begins with 0.
    assert!(!sum.buffers[1].is_read);
}

#[test]
fn a_template_has_usual_arguments_where_macros_of_a_library_define_those_of_its_launch() {
    let scale = only(
        "template <typename Number, int kVec> __global__ void scale(Number* x, int n) {
             int i = (blockIdx.x * blockDim.x + threadIdx.x) * kVec;
             for (int k = 0; k < kVec && i + k < n; ++k) x[i + k] *= 2;
         }
         void launch(Tensor x) {
             DISPATCH(x.type(), [&] { scale<scalar_t, kWidth><<<8, 64>>>(x.data<scalar_t>(), x.n); });
         }",
    );
    assert_eq!(scale.kernel, "scale<float, 4>");
}

#[test]
fn a_template_argument_counts_the_threads_of_a_block() {
    let sum = only(
        "template <int NUM_THREADS = 256 / 4> __global__ void sum(const float4* x, float* total, int n) {
             __shared__ float part[NUM_THREADS / 32];
             int i = blockIdx.x * blockDim.x + threadIdx.x;
             part[threadIdx.x / 32] = i < n ? x[i].x : 0.0f;
             __syncthreads();
             if (threadIdx.x == 0) atomicAdd(total, part[0]);
         }",
    );
    assert_eq!(sum.block, [64, 1, 1]);
}

#[test]
fn template_arguments_are_those_of_a_kernel_that_the_file_only_names() {
    let text = |host: &str| {
        format!(
            "template <int ROWS, int WARPS> __global__ void scale(float* x) {{
                 static_assert(ROWS % (WARPS * 16) == 0);
                 x[blockIdx.x * ROWS + threadIdx.x] *= 2;
             }}
             template <typename F> void launch(F kernel, float* x) {{ kernel<<<4, 96>>>(x); }}
             void all(float* x) {{ const int rows = 96; constexpr int warps = 3; {host} }}"
        )
    };
    let passed_on = "auto kernel = scale<rows, warps>; launch(kernel, x);";
    assert_eq!(only(&text(passed_on)).kernel, "scale<96, 3>");
    assert_eq!(
        only(&text("launch(&scale<48, 1>, x);")).kernel,
        "scale<48, 1>"
    );
    let launched = only(&text(
        "auto k = scale<rows, warps>; k<<<2, 32 * warps>>>(x);",
    ));
    assert_eq!(
        (launched.kernel.as_str(), launched.block),
        ("scale<96, 3>", [96, 1, 1])
    );
}

#[test]
fn template_arguments_follow_from_a_call_of_the_template_around_the_launch() {
    let scale = only(
        "template <const int ROWS, int WARPS, int STEP> __global__ void scale(float* x) {
             static_assert(ROWS == 48 && WARPS == 3 && STEP == 16);
             for (int at = 0; at < ROWS; at += STEP) x[blockIdx.x * ROWS + at] *= 2;
         }
         template <const int ROWS> void launch(float* x) {
             constexpr int WARPS = (ROWS <= 16) ? 1 : ROWS / 16;
             if (x != nullptr) { scale<ROWS, WARPS, ROWS / WARPS><<<2, 32 * WARPS>>>(x); }
         }
         void all(float* x) { launch<48>(x); }",
    );
    assert_eq!(
        (scale.kernel.as_str(), scale.block),
        ("scale<48, 3, 16>", [96, 1, 1])
    );
}

#[test]
fn kernels_without_buffers_and_with_shared_memory_of_any_size_run() {
    let file = SourceFile::new(
        "mine.cu",
        "#include <cstdio>
         __global__ void hello() { printf(\"%d\\n\", threadIdx.x); }
         __global__ void rows(float* x) {
             extern __shared__ float rows[][64];
             rows[threadIdx.x][63] = x[threadIdx.x];
             __syncthreads();
             x[threadIdx.x] = rows[255 - threadIdx.x][63];
         }
         int other() { hello<<<1, 4>>>(); }",
    );
    let lesson = lesson_of_kernels(Path::new("mine.cu"), &file).expect("is a lesson");
    let sizes = lesson.sizes_with(&[]).expect("has sizes");
    for cell in lesson.run_cells() {
        let plan = cell.plan(&sizes, gpu(DEFAULT_GPU).expect("is there"));
        let plan = plan.expect("is a plan");
        let outcome = run(&plan, &Options::default(), &Control::default()).expect("runs");
        assert_eq!(outcome.ending, Ending::Finished, "{}", cell.title);
    }
}

const PROGRAM: &str = "
#include <cstdio>
#include <cuda_runtime.h>
__constant__ int factor;
__global__ void scaled(int* values) { values[threadIdx.x] *= factor; }
int main() {
    int host[4] = {1, 2, 3, 4}, three = 3, *values;
    cudaMalloc(&values, sizeof(host));
    cudaMemcpy(values, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(factor, &three, sizeof(int));
    for (int i = 0; i < 2; i++) scaled<<<1, 2>>>(values + 1);
    cudaMemcpy(host, values, sizeof(host), cudaMemcpyDeviceToHost);
    printf(\"%d %d %d %d\\n\", host[0], host[1], host[2], host[3]);
}
";

#[test]
fn a_program_runs_and_each_place_that_launches_is_a_page_over_what_it_found_there() {
    let file = SourceFile::new("mine.cu", PROGRAM);
    let program = RanProgram::run(Path::new("mine.cu"), &file).expect("has a main");
    assert_eq!((program.printed.as_str(), program.code), ("1 18 27 4\n", 0));
    assert_eq!((program.places.len(), program.places[0].times), (1, 2));
    let lesson = lesson_of_kernels(Path::new("mine.cu"), &file).expect("is a lesson");
    let cell = lesson.run_cells().next().expect("is a run");
    let plan = cell.plan(&Default::default(), gpu(DEFAULT_GPU).expect("is there"));
    let outcome = run(
        &plan.expect("is a plan"),
        &Options::default(),
        &Control::default(),
    )
    .expect("runs");
    let of = |at: usize| {
        i32::from_le_bytes(
            outcome.buffers[0].bytes[4 * at..4 * at + 4]
                .try_into()
                .expect("four"),
        )
    };
    // The first of both launches, from the second value on.
    assert_eq!([of(0), of(1), of(2)], [6, 9, 4]);
}

#[test]
fn a_program_that_does_not_run_says_why_and_its_kernels_are_guessed() {
    let text = PROGRAM.replace("printf", "no_such_function");
    let file = SourceFile::new("mine.cu", &text);
    let lesson = lesson_of_kernels(Path::new("mine.cu"), &file).expect("is a lesson");
    let first = lesson.cells.iter().find_map(|cell| match cell {
        Cell::Prose(prose) if prose.markdown.written().contains("no_such_function") => Some(()),
        _ => None,
    });
    assert!(first.is_some(), "{:?}", lesson.cells);
    assert_eq!(lesson.run_cells().count(), 1);
}

const TRITON: &str = "
import triton
import triton.language as tl

@triton.jit
def double(x):
    return x + x

@triton.jit
def softmax(out_ptr, in_ptr, in_row_stride, out_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        cols = tl.arange(0, BLOCK_SIZE)
        x = tl.load(in_ptr + row * in_row_stride + cols, mask=cols < n_cols, other=-float('inf'))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * out_row_stride + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)

@triton.jit
def scale(x_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    at = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    tl.store(x_ptr + at, double(tl.load(x_ptr + at, mask=at < n_elements)), mask=at < n_elements)
";

#[test]
fn triton_kernels_are_pages_whose_constants_are_sizes() {
    let file = SourceFile::new("mine.py", TRITON);
    let lesson = lesson_of_kernels(Path::new("mine.py"), &file).expect("both can be launched");
    let sizes = lesson.sizes_with(&[("BLOCK_SIZE".to_owned(), 512)]);
    let sizes = sizes.expect("a constant is a size");
    let cells: Vec<&RunCell> = lesson.run_cells().collect();
    assert_eq!(cells.len(), 2);
    for cell in cells {
        let plan = cell.plan(&sizes, gpu(DEFAULT_GPU).expect("is there"));
        let outcome = run(
            &plan.expect("has values"),
            &Options::default(),
            &Control::default(),
        );
        assert_eq!(
            outcome.expect("runs").ending,
            Ending::Finished,
            "{}",
            cell.id
        );
    }
}

#[test]
fn host_code_of_triton_says_how_large_a_matrix_is() {
    let host = "
x = torch.randn(1823, 781, device='cuda')
BLOCK_SIZE = triton.next_power_of_2(n_cols)
softmax[(n_rows,)](y, x, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE)
";
    let file = SourceFile::new("mine.py", &[TRITON, host].concat());
    let lesson = lesson_of_kernels(Path::new("mine.py"), &file).expect("both can be launched");
    let sizes = lesson.sizes_with(&[]).expect("have defaults");
    assert_eq!((sizes["n_rows"], sizes["n_cols"]), (256, 781));
    let mut cells = lesson.run_cells();
    let softmax = cells.find(|cell| cell.title == "softmax");
    let softmax = softmax.expect("is there");
    let plan = softmax.plan(&sizes, gpu(DEFAULT_GPU).expect("is there"));
    let plan = plan.expect("has values");
    assert_eq!(plan.launches[0].grid, [256, 1, 1]);
    assert_eq!(
        plan.sources[0].defines,
        [("BLOCK_SIZE".to_owned(), "1024".to_owned())]
    );
}

/// As people write them: no name says what is a pointer, and what it points to only its use says.
const TRITON_IN_THE_WILD: &str = "
import triton
import triton.language as tl

@triton.jit
def inner(acc, q, K_block, n, BLOCK: tl.constexpr):
    for _ in range(0, n, BLOCK):
        acc += tl.dot(q, tl.load(K_block, boundary_check=(0, 1), padding_option='zero'))
        K_block = tl.advance(K_block, (0, BLOCK))
    return acc

@triton.autotune(configs=[triton.Config({'BLOCK': 32}, num_warps=2)], key=['n'])
@triton.jit
def scores(q, k, out, stride_qm, stride_qd, stride_kn, stride_kd, n, scale,
           D: tl.constexpr, BLOCK: tl.constexpr, IS_CAUSAL: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    tile = tl.load(q + rows[:, None] * stride_qm + d[None, :] * stride_qd, mask=rows[:, None] < n, other=0.0)
    K = tl.make_block_ptr(k, (D, n), (stride_kd, stride_kn), (0, 0), (D, BLOCK), (0, 1))
    acc = inner(tl.zeros([BLOCK, BLOCK], dtype=tl.float32), tile, K, n, BLOCK) * scale
    if IS_CAUSAL:
        acc = tl.where(rows[:, None] >= rows[None, :], acc, 0.0)
    tl.store(out + rows[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :], acc, mask=rows[:, None] < n)

@triton.jit
def gather(rows, table, out, stride, count, DTYPE: tl.constexpr, WIDTH: 'tl.constexpr'):
    at = tl.arange(0, WIDTH)
    row = tl.load(rows + tl.program_id(0))
    out += tl.program_id(0) * stride
    values = tl.load(table + row * stride + at, mask=at < count)
    tl.store(out + at, values.to(DTYPE), mask=at < count)

@triton.jit
def locked(sum, lock, x, BLOCK: tl.constexpr):
    value = tl.sum(tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)), axis=0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(sum, tl.load(sum) + value)
    tl.atomic_xchg(lock, 0)

@triton.jit
def halves(a, b, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tile = at[:, None] * BLOCK + at[None, :]
    product = tl.dot(tl.load(a + tile), tl.load(b + tile)).to(tl.float16)
    tl.store(out + tile, tl.dot(product, tl.load(b + tile)))

@triton.jit
def streams(x, out, n, stride, stride_on: tl.constexpr, stride_oc: tl.constexpr, HC: tl.constexpr, STEPS: tl.constexpr, LENGTH: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    sums = tl.zeros((BLOCK,), tl.float32)
    for s in tl.static_range(0, HC):
        for t in tl.static_range(STEPS - 1):
            for u in tl.static_range(0, LENGTH, BLOCK):
                sums += tl.load(x + s * stride + at, mask=(at < n) & (s < HC), other=0.0) * (t + u)
    tl.store(out + tl.program_id(0) * stride_on + at * stride_oc, sums, mask=at < n)
";

#[test]
fn what_triton_kernels_take_is_known_by_what_they_do_with_it() {
    use ElementType::{F16, F32, I32};
    let file = SourceFile::new("mine.py", TRITON_IN_THE_WILD);
    let lesson = lesson_of_kernels(Path::new("mine.py"), &file).expect("can be launched");
    let sizes = lesson.sizes_with(&[]).expect("have defaults");
    let mut launched = BTreeMap::new();
    for cell in lesson.run_cells() {
        let plan = cell.plan(&sizes, gpu(DEFAULT_GPU).expect("is there"));
        let plan = plan.expect("has values");
        let outcome = run(&plan, &Options::default(), &Control::default()).expect("runs");
        assert_eq!(outcome.ending, Ending::Finished, "{}", cell.title);
        let elements = plan.buffers.iter().map(|buffer| buffer.element).collect();
        launched.insert(cell.title.clone(), (elements, plan.launches[0].block[0]));
    }
    let expected: [(&str, Vec<ElementType>, u32); 5] = [
        // `inner` is a part of it, and the warps are those of its first configuration.
        ("scores", vec![F32, F32, F32], 64),
        ("gather", vec![I32, F32, F32], 128),
        ("locked", vec![F32, I32, F32], 128),
        // Factors have one type.
        ("halves", vec![F16, F16, F16], 128),
        ("streams", vec![F32, F32], 128),
    ];
    let expected = expected.map(|(name, elements, threads)| (name.to_owned(), (elements, threads)));
    assert_eq!(launched, BTreeMap::from(expected));
    let streams = lesson.run_cells().find(|cell| cell.title == "streams");
    let plan = streams.map(|cell| cell.plan(&sizes, gpu(DEFAULT_GPU).expect("is there")));
    let plan = plan.expect("is a page").expect("has values");
    let constants = plan.sources[0].defines.iter();
    let constants: BTreeMap<&str, &str> =
        constants.map(|(name, of)| (&name[..], &of[..])).collect();
    // Each copy of a loop that is written out is compiled; tiles and strides follow the sizes.
    let expected = [
        ("BLOCK", "32"),
        ("HC", "4"),
        ("LENGTH", "256"),
        ("STEPS", "4"),
        ("stride_oc", "1"),
        ("stride_on", "256"),
    ];
    assert_eq!(constants, BTreeMap::from(expected));
}
