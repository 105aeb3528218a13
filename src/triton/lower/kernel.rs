//! The whole thread program: its parameters, what it is made of, and which line came from which.

use std::collections::BTreeMap;

use super::lowering::{Lowering, stored};
use crate::launch::TileTensor;
use crate::source::SourceFile;
use crate::triton::analysis::Axes;
use crate::triton::layout::Layout;
use crate::triton::placement::place;
use crate::triton::tile::{Assembly, BlockId, Element, Function, Op};

/// What the text uses beyond CUDA's own names, and a word that tells whether it does.
const PRELUDE: [(&str, &str); 33] = [
    ("__pipeline_", "#include <cuda_pipeline_primitives.h>"),
    ("__half", "#include <cuda_fp16.h>"),
    ("halves_of_", "#include <cuda_fp16.h>"),
    ("__nv_bfloat16", "#include <cuda_bf16.h>"),
    ("_e4m3(", "#include <cuda_fp8.h>"),
    ("_e5m2(", "#include <cuda_fp8.h>"),
    ("e4m3_of(", "#include <cuda_fp8.h>"),
    ("e5m2_of(", "#include <cuda_fp8.h>"),
    // As `CUDART_INF_F` and `CUDART_NAN_F` of `math_constants.h`, without the header.
    ("INFINITE", "#define INFINITE __int_as_float(0x7f800000)"),
    (
        "NOT_A_NUMBER",
        "#define NOT_A_NUMBER __int_as_float(0x7fffffff)",
    ),
    (
        "Vector<",
        "template <typename T, int N>\nstruct alignas(sizeof(T) * N) Vector {\n    T at[N];\n};",
    ),
    (
        "power_of_two(",
        "// What ptxas makes of ex2.approx.f32: where the result is tiny, the square of that of half the exponent.\n__device__ float power_of_two(float x) {\n    const bool is_tiny = x < -126.0f;\n    if (is_tiny) x = x * 0.5f;\n    float power;\n    asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(power) : \"f\"(x));\n    if (is_tiny) power = power * power;\n    return power;\n}",
    ),
    (
        "exp2_flushed(",
        "__device__ float exp2_flushed(float x) {\n    float power;\n    asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(power) : \"f\"(x));\n    return power;\n}",
    ),
    (
        "float_of_e4m3(",
        "// By way of a half, exactly: its exponent counts from another number, 8 further down.\n__device__ float float_of_e4m3(unsigned char x) {\n    const int size = x & 0x7f;\n    const int bits = size == 0x7f ? 0x7fff : (x & 0x80) << 8 | size << 7;\n    return __half2float(__ushort_as_half((unsigned short)bits) * (__half)256.0f);\n}",
    ),
    (
        "float_of_e5m2(",
        "// Such a number is the upper byte of a half.\n__device__ float float_of_e5m2(unsigned char x) {\n    return __half2float(__ushort_as_half((unsigned short)(x << 8)));\n}",
    ),
    (
        "halves_of_e4m3(",
        "// By way of halves whose exponents count from another number, 8 further down.\n__device__ unsigned int halves_of_e4m3(unsigned int pair) {\n    unsigned int halves = 0;\n    for (int at = 0; at < 2; at++) {\n        const unsigned int x = pair >> at * 8, size = x & 0x7f;\n        const unsigned int bits = size == 0x7f ? 0x7fff : (x & 0x80) << 8 | size << 7;\n        halves |= (unsigned int)__half_as_ushort(__ushort_as_half((unsigned short)bits) * (__half)256.0f) << at * 16;\n    }\n    return halves;\n}",
    ),
    (
        "halves_of_e5m2(",
        "// Each of these is the upper byte of a half.\n__device__ unsigned int halves_of_e5m2(unsigned int pair) {\n    return (pair & 0xff) << 8 | (pair & 0xff00) << 16;\n}",
    ),
    (
        "e4m3_of(",
        "__device__ unsigned char e4m3_of(float x) {\n    return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);\n}",
    ),
    (
        "e5m2_of(",
        "__device__ unsigned char e5m2_of(float x) {\n    return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2);\n}",
    ),
    (
        "where<",
        "template <typename T>\n__device__ T where(bool condition, T yes, T no) {\n    return condition ? yes : no;\n}",
    ),
    (
        "hyperbolic_tangent(",
        "// As libdevice has it: a polynomial near 0, and by a power of 2 elsewhere.\n__device__ float hyperbolic_tangent(float x) {\n    float size;\n    asm(\"add.ftz.f32 %0, %1, %2;\" : \"=f\"(size) : \"f\"(fabsf(x)), \"f\"(-0.0f));\n    if (size >= 0.6f) {\n        float power;\n        asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(power) : \"f\"(size * 2.88539004f));\n        const float tangent = __fdividef(-2.0f, power + 1.0f) + 1.0f;\n        return copysignf(size >= 9.01091385f ? 1.0f : tangent, x);\n    }\n    const float square = x * x;\n    float sum = fmaf(0.0157396831f, square, -0.0523039624f);\n    sum = fmaf(sum, square, 0.133152977f);\n    sum = fmaf(sum, square, -0.333327681f);\n    return fmaf(fmaf(sum, square, 0.0f), x, x);\n}",
    ),
    (
        "error_function(",
        "// As libdevice has it: one polynomial near 0, and the exponent of a power of 2 elsewhere.\n__device__ float error_function(float x) {\n    float size;\n    asm(\"add.ftz.f32 %0, %1, %2;\" : \"=f\"(size) : \"f\"(fabsf(x)), \"f\"(-0.0f));\n    const bool is_large = size >= 1.00295997f;\n    float of = size;\n    if (!is_large) of = x * x;\n    float sum = fmaf(is_large ? 1.64258454e-05f : 8.48349446e-05f, of, is_large ? -0.000468021055f : -0.000821309164f);\n    sum = fmaf(sum, of, is_large ? 0.00526476419f : 0.00521348882f);\n    sum = fmaf(sum, of, is_large ? -0.0343030766f : -0.0268687736f);\n    sum = fmaf(sum, of, is_large ? 0.153293699f : 0.112840049f);\n    sum = fmaf(sum, of, is_large ? 0.916313052f : -0.376126647f);\n    sum = fmaf(sum, of, is_large ? 0.628299832f : 0.128379151f);\n    const float times = is_large ? -of : x;\n    sum = fmaf(sum, times, times);\n    if (is_large) {\n        float power;\n        asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(power) : \"f\"(sum));\n        sum = copysignf(1.0f - power, x);\n    }\n    return sum;\n}",
    ),
    (
        "square_root(",
        "__device__ float square_root(float x) {\n    float root;\n    asm(\"sqrt.approx.f32 %0, %1;\" : \"=f\"(root) : \"f\"(x));\n    return root;\n}",
    ),
    (
        "atomic_max(",
        "// Floats are ordered like integers where they are positive, and the other way round where they are not.\n__device__ float atomic_max(float* at, float x) {\n    int before;\n    if (x >= 0) before = atomicMax((int*)at, __float_as_int(x));\n    else before = (int)atomicMin((unsigned int*)at, __float_as_uint(x));\n    return __int_as_float(before);\n}",
    ),
    (
        "atomic_min(",
        "// Floats are ordered like integers where they are positive, and the other way round where they are not.\n__device__ float atomic_min(float* at, float x) {\n    int before;\n    if (x >= 0) before = atomicMin((int*)at, __float_as_int(x));\n    else before = (int)atomicMax((unsigned int*)at, __float_as_uint(x));\n    return __int_as_float(before);\n}",
    ),
    (
        "turned(",
        "// Transposes 8 x 8 elements of 16 bits, of which each lane holds two, as ldmatrix.trans does.\n__device__ unsigned int turned(unsigned int pair) {\n    unsigned int other;\n    asm(\"movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;\" : \"=r\"(other) : \"r\"(pair));\n    return other;\n}",
    ),
    (
        "multiply_halves(",
        "// 16 x 16 elements times 16 x 8, on tensor cores.\n__device__ float4 multiply_halves(float c0, float c1, float c2, float c3, unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1) {\n    float4 d;\n    asm(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\"\n        : \"=f\"(d.x), \"=f\"(d.y), \"=f\"(d.z), \"=f\"(d.w)\n        : \"r\"(a0), \"r\"(a1), \"r\"(a2), \"r\"(a3), \"r\"(b0), \"r\"(b1), \"f\"(c0), \"f\"(c1), \"f\"(c2), \"f\"(c3));\n    return d;\n}",
    ),
    (
        "multiply_in_halves(",
        "// 16 x 16 elements times 16 x 8, on tensor cores, summed in halves.\n__device__ float4 multiply_in_halves(__half c0, __half c1, __half c2, __half c3, unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1) {\n    const unsigned int upper = __half_as_ushort(c0) | (unsigned int)__half_as_ushort(c1) << 16;\n    const unsigned int lower = __half_as_ushort(c2) | (unsigned int)__half_as_ushort(c3) << 16;\n    unsigned int d0, d1;\n    asm(\"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};\"\n        : \"=r\"(d0), \"=r\"(d1)\n        : \"r\"(a0), \"r\"(a1), \"r\"(a2), \"r\"(a3), \"r\"(b0), \"r\"(b1), \"r\"(upper), \"r\"(lower));\n    float4 d;\n    d.x = __half2float(__ushort_as_half((unsigned short)d0));\n    d.y = __half2float(__ushort_as_half((unsigned short)(d0 >> 16)));\n    d.z = __half2float(__ushort_as_half((unsigned short)d1));\n    d.w = __half2float(__ushort_as_half((unsigned short)(d1 >> 16)));\n    return d;\n}",
    ),
    (
        "multiply_bfloats(",
        "// 16 x 16 elements times 16 x 8, on tensor cores.\n__device__ float4 multiply_bfloats(float c0, float c1, float c2, float c3, unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1) {\n    float4 d;\n    asm(\"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\"\n        : \"=f\"(d.x), \"=f\"(d.y), \"=f\"(d.z), \"=f\"(d.w)\n        : \"r\"(a0), \"r\"(a1), \"r\"(a2), \"r\"(a3), \"r\"(b0), \"r\"(b1), \"f\"(c0), \"f\"(c1), \"f\"(c2), \"f\"(c3));\n    return d;\n}",
    ),
    (
        "multiply_tf32(",
        "// 16 x 8 floats times 8 x 8, on tensor cores, which read 10 bits of their fractions.\n__device__ float4 multiply_tf32(float c0, float c1, float c2, float c3, unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1) {\n    float4 d;\n    asm(\"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\"\n        : \"=f\"(d.x), \"=f\"(d.y), \"=f\"(d.z), \"=f\"(d.w)\n        : \"r\"(a0), \"r\"(a1), \"r\"(a2), \"r\"(a3), \"r\"(b0), \"r\"(b1), \"f\"(c0), \"f\"(c1), \"f\"(c2), \"f\"(c3));\n    return d;\n}",
    ),
    (
        "multiply_bytes(",
        "// 16 x 32 bytes times 32 x 8, as mma.sync.m16n8k32 has them: four lanes hold a row, and four a column.\n__device__ int4 multiply_bytes(int c0, int c1, int c2, int c3, unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1) {\n    const int lane = threadIdx.x % 32;\n    int4 d = make_int4(c0, c1, c2, c3);\n    for (int part = 0; part < 4; part++) {\n        const int row = lane / 4 * 4 + part, column = lane % 4 * 8 + part;\n        const int r0 = __shfl_sync(0xffffffff, a0, row), r1 = __shfl_sync(0xffffffff, a1, row);\n        const int r2 = __shfl_sync(0xffffffff, a2, row), r3 = __shfl_sync(0xffffffff, a3, row);\n        const int s0 = __shfl_sync(0xffffffff, b0, column), s1 = __shfl_sync(0xffffffff, b1, column);\n        const int t0 = __shfl_sync(0xffffffff, b0, column + 4), t1 = __shfl_sync(0xffffffff, b1, column + 4);\n        d.x = __dp4a(r0, s0, __dp4a(r2, s1, (int)d.x));\n        d.y = __dp4a(r0, t0, __dp4a(r2, t1, (int)d.y));\n        d.z = __dp4a(r1, s0, __dp4a(r3, s1, (int)d.z));\n        d.w = __dp4a(r1, t0, __dp4a(r3, t1, (int)d.w));\n    }\n    return d;\n}",
    ),
    (
        "multiply_unsigned_bytes(",
        "// 16 x 32 bytes times 32 x 8, as mma.sync.m16n8k32 has them: four lanes hold a row, and four a column.\n__device__ int4 multiply_unsigned_bytes(int c0, int c1, int c2, int c3, unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1) {\n    const int lane = threadIdx.x % 32;\n    int4 d = make_int4(c0, c1, c2, c3);\n    for (int part = 0; part < 4; part++) {\n        const int row = lane / 4 * 4 + part, column = lane % 4 * 8 + part;\n        const unsigned int r0 = __shfl_sync(0xffffffff, a0, row), r1 = __shfl_sync(0xffffffff, a1, row);\n        const unsigned int r2 = __shfl_sync(0xffffffff, a2, row), r3 = __shfl_sync(0xffffffff, a3, row);\n        const unsigned int s0 = __shfl_sync(0xffffffff, b0, column), s1 = __shfl_sync(0xffffffff, b1, column);\n        const unsigned int t0 = __shfl_sync(0xffffffff, b0, column + 4), t1 = __shfl_sync(0xffffffff, b1, column + 4);\n        d.x = __dp4a(r0, s0, __dp4a(r2, s1, (unsigned int)d.x));\n        d.y = __dp4a(r0, t0, __dp4a(r2, t1, (unsigned int)d.y));\n        d.z = __dp4a(r1, s0, __dp4a(r3, s1, (unsigned int)d.z));\n        d.w = __dp4a(r1, t0, __dp4a(r3, t1, (unsigned int)d.w));\n    }\n    return d;\n}",
    ),
    (
        "nearest_tf32(",
        "__device__ float nearest_tf32(float x) {\n    unsigned int nearest;\n    asm(\"cvt.rna.tf32.f32 %0, %1;\" : \"=r\"(nearest) : \"f\"(x));\n    return __uint_as_float(nearest);\n}",
    ),
];

/// What a thread program says of its `if (mask)`: each guards one access, as Triton predicates it, and nothing else is
/// computed there. `nvcc` would move arithmetic there that only a store needs.
pub const PREDICATED: &str = "#pragma tutor predicated";

/// The text of a thread program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadText {
    /// CUDA C++.
    pub text: String,
    /// For each of its lines, the line of the Python that it came from; 0 for none.
    pub lines: Vec<u32>,
    /// Shared memory that the launch asks for.
    pub shared_bytes: u32,
    /// How tensors lie.
    pub tensors: Vec<TileTensor>,
    /// Whether Triton multiplies with `wgmma` somewhere, for which `mma.sync` stands here.
    pub has_warp_groups: bool,
}

/// Writes what a thread does.
pub fn lower(
    file: &SourceFile,
    function: &Function,
    axes: &Axes,
    warps: u32,
    stages: u32,
) -> ThreadText {
    let placement = place(function, axes, warps);
    let mut lowering = Lowering::new(function, axes, placement, warps);
    lowering.stages = stages;
    let head = head(&mut lowering);
    // Taken, so that no variable hides the kernel's own name.
    lowering.fresh(&function.name.clone());
    lowering.writer.open(head);
    let top = lowering.writer.position();
    lowering.block(BlockId(0));
    lowering.writer.span = crate::source::Span::default();
    lowering.writer.close();
    let pool = lowering.fresh("shared_memory");
    // Only now are all arrays known: together they may be more than a kernel may declare.
    let shared_bytes = lowering.writer.pool_shared(&pool);
    let mut header = lowering.header();
    if shared_bytes > 0 {
        let declaration = format!("extern __shared__ __align__(128) unsigned char {pool}[];");
        header.insert(0, declaration);
    }
    lowering.writer.insert(top, &header);
    finish(file, lowering, shared_bytes)
}

/// The kernel's name, its parameters and its block.
fn head(lowering: &mut Lowering) -> String {
    let function = lowering.function;
    let parameters = function.parameters.iter().enumerate();
    let parameters = parameters.map(|(at, parameter)| {
        let name = lowering.parameter(at);
        let element = match parameter.ty.is_pointer {
            true => format!("{}*", stored(parameter.ty.element)),
            false => parameter.ty.element.cuda().to_owned(),
        };
        format!("{element} {name}")
    });
    let parameters: Vec<String> = parameters.collect();
    format!(
        "extern \"C\" __global__ void __launch_bounds__({}) {}({})",
        lowering.warps * 32,
        function.name,
        parameters.join(", ")
    )
}

fn finish(file: &SourceFile, lowering: Lowering, shared_bytes: u32) -> ThreadText {
    let mut layouts = lowering.placement.layouts.iter();
    let has_warp_groups =
        layouts.any(|layout| matches!(layout, Layout::Mma(mma) if mma.version == 3));
    let tensors = lowering.tensors;
    let body = lowering.writer.finish();
    let mut text = format!("{PREDICATED}\n");
    let mut lines = vec![0];
    for (word, prelude) in PRELUDE {
        // Only what is used: the text is shown to learners.
        if body.iter().any(|(line, _)| line.contains(word)) {
            text += prelude;
            text += "\n\n";
            lines.extend(std::iter::repeat_n(0, prelude.lines().count() + 1));
        }
    }
    for function in assemblies(lowering.function) {
        text += &function;
        text += "\n\n";
        lines.extend(std::iter::repeat_n(0, function.lines().count() + 1));
    }
    for (line, span) in body {
        text += &line;
        text.push('\n');
        // The header and closing braces came from no line of Python.
        lines.push(if span.end == 0 {
            0
        } else {
            file.line(span.start)
        });
    }
    ThreadText {
        text,
        lines,
        shared_bytes,
        tensors,
        has_warp_groups,
    }
}

/// The functions that hold the kernel's own PTX.
fn assemblies(function: &Function) -> Vec<String> {
    let mut written = BTreeMap::new();
    for node in &function.nodes {
        if let Op::Assembly(assembly) = &node.op {
            let values = node.results.iter().chain(&node.operands);
            let elements = values.map(|&value| function.ty(value).element);
            let elements: Vec<Element> = elements.collect();
            let text = assembly_function(assembly, &elements);
            written.entry(assembly.name.clone()).or_insert(text);
        }
    }
    written.into_values().collect()
}

/// A function around PTX, whose result and operands are of these types.
fn assembly_function(assembly: &Assembly, elements: &[Element]) -> String {
    // A register of 32 bits may hold a float.
    let is_word = |at: usize| assembly.letters[at] == 'r' && elements[at] == Element::F32;
    let names = (1..elements.len()).map(|at| format!("x{at}"));
    let names: Vec<String> = names.collect();
    let parameters = names.iter().zip(&elements[1..]);
    let parameters = parameters.map(|(name, element)| format!("{} {name}", element.cuda()));
    let operands = names.iter().enumerate().map(|(at, name)| {
        let letter = assembly.letters[at + 1];
        match is_word(at + 1) {
            true => format!("\"{letter}\"(__float_as_uint({name}))"),
            false => format!("\"{letter}\"({name})"),
        }
    });
    let (kind, returned) = match is_word(0) {
        true => ("unsigned int", "__uint_as_float(result)"),
        false => (elements[0].cuda(), "result"),
    };
    let text = assembly.text.replace('%', "%%").replace('$', "%");
    let text = text.replace('"', "\\\"").replace('\n', "\\n");
    format!(
        "// PTX of the kernel.\n__device__ {} {}({}) {{\n    {kind} result;\n    asm(\"{text}\" : \"={}\"(result) : {});\n    return {returned};\n}}",
        elements[0].cuda(),
        assembly.name,
        parameters.collect::<Vec<_>>().join(", "),
        assembly.letters[0],
        operands.collect::<Vec<_>>().join(", "),
    )
}
