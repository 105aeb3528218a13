//! What kernels use without a header of CUDA's that is written out, in C++: of `<type_traits>` and
//! `<limits>`, read before a text that says `std`, and `dim3` and the predicates of address spaces,
//! read before one that says so.

use std::collections::HashSet;

use crate::source::{SourceFile, Span};

use super::directives::preprocess;
use super::headers::text;
use crate::cuda::lex::{Token, TokenKind};

/// What `<type_traits>` and `<limits>` hold, as far as kernels use it.
pub const STANDARD_LIBRARY: &str = text!("standard_library.cuh");

/// Words, and the texts that come before a text with such a word.
const TEXTS: [(&str, &str); 18] = [
    ("std", STANDARD_LIBRARY),
    ("dim3", text!("dim3.cuh")),
    ("__isGlobal", text!("is_global.cuh")),
    ("__isShared", text!("is_shared.cuh")),
    ("__isLocal", text!("is_local.cuh")),
    ("__cvta_generic_to_shared", text!("cvta_to_shared.cuh")),
    ("__cvta_generic_to_global", text!("cvta_to_global.cuh")),
    ("__cvta_shared_to_generic", text!("cvta_from_shared.cuh")),
    // CUDA C++ Programming Guide, "Compiler Optimization Hint Functions": nothing that is computed depends on them.
    (
        "__builtin_assume_aligned",
        "__host__ __device__ inline void* __builtin_assume_aligned(const void* p, unsigned long long, unsigned long long = 0) \
         { return (void*)p; }",
    ),
    (
        "__builtin_expect",
        "__host__ __device__ inline long __builtin_expect(long value, long) { return value; }",
    ),
    (
        "__builtin_assume",
        "__host__ __device__ inline void __builtin_assume(bool) {}",
    ),
    (
        "__assume",
        "__host__ __device__ inline void __assume(bool) {}",
    ),
    (
        "__builtin_unreachable",
        "__host__ __device__ inline void __builtin_unreachable() {}",
    ),
    (
        "__double2hiint",
        "__device__ inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }",
    ),
    (
        "__double2loint",
        "__device__ inline int __double2loint(double x) { return (int)__double_as_longlong(x); }",
    ),
    (
        "__hiloint2double",
        "__device__ inline double __hiloint2double(int high, int low) \
         { return __longlong_as_double((long long)high << 32 | (unsigned int)low); }",
    ),
    // A kernel begins when the one before it in its stream has ended, so there is nothing to wait for.
    (
        "cudaTriggerProgrammaticLaunchCompletion",
        "__device__ inline void cudaTriggerProgrammaticLaunchCompletion() {}",
    ),
    (
        "cudaGridDependencySynchronize",
        "__device__ inline void cudaGridDependencySynchronize() {}",
    ),
];

/// The same of kernels alone: whole programs include headers for these.
const OF_KERNELS: [(&str, &str); 9] = [
    (
        "nan",
        "__device__ inline double nan(const char*) { return __longlong_as_double(0x7ff8000000000000ll); }",
    ),
    (
        "nanf",
        "__device__ inline float nanf(const char*) { return __int_as_float(0x7fffffff); }",
    ),
    ("CUtexObject", "typedef unsigned long long CUtexObject;"),
    ("CUsurfObject", "typedef unsigned long long CUsurfObject;"),
    (
        "cudaExtent",
        "struct cudaExtent { unsigned long width, height, depth; };",
    ),
    ("memcpy", text!("memcpy.cuh")),
    ("memset", text!("memset.cuh")),
    ("clock_t", "typedef long clock_t;"),
    (
        "move",
        "namespace std { template <typename T> __host__ __device__ T&& move(T& value) { return (T&&)value; } }",
    ),
];

const OF_CHILDREN: &str = "cudaStream_t cudaStreamCreateWithFlags cudaStreamTailLaunch cudaStreamFireAndForget \
     cudaGetLastError cudaPeekAtLastError cudaMalloc cudaFree";

const SIMD: &str = "__vadd2 __vadd4 __vsub2 __vsub4 __vaddss2 __vaddss4 __vsubss2 __vsubss4 __vaddus2 __vaddus4 __vsubus2 __vsubus4 \
     __vavgs2 __vavgs4 __vavgu2 __vavgu4 __vhaddu2 __vhaddu4 __vabsdiffs2 __vabsdiffs4 __vabsdiffu2 __vabsdiffu4 \
     __vmaxs2 __vmaxs4 __vmins2 __vmins4 __vmaxu2 __vmaxu4 __vminu2 __vminu4 __vabs2 __vabs4 __vabsss2 __vabsss4 \
     __vneg2 __vneg4 __vnegss2 __vnegss4 __vsads2 __vsads4 __vsadu2 __vsadu4 __vcmpeq2 __vcmpeq4 __vseteq2 __vseteq4 \
     __vcmpne2 __vcmpne4 __vsetne2 __vsetne4 __vcmpges2 __vcmpges4 __vsetges2 __vsetges4 __vcmpgeu2 __vcmpgeu4 \
     __vsetgeu2 __vsetgeu4 __vcmpgts2 __vcmpgts4 __vsetgts2 __vsetgts4 __vcmpgtu2 __vcmpgtu4 __vsetgtu2 __vsetgtu4 \
     __vcmples2 __vcmples4 __vsetles2 __vsetles4 __vcmpleu2 __vcmpleu4 __vsetleu2 __vsetleu4 __vcmplts2 __vcmplts4 \
     __vsetlts2 __vsetlts4 __vcmpltu2 __vcmpltu4 __vsetltu2 __vsetltu4";

/// Words, separated by blanks, of what takes several to tell, with its text, and whether whole programs need it too: they have types in a
/// header. Of textures each function of an object, and the types; of launches by kernels what they call beside them.
const OF_WORDS: [(&str, &str, bool); 11] = [
    (SIMD, text!("simd_in_words.cuh"), true),
    (
        "__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __shfl __shfl_up __shfl_down __shfl_xor \
         __ptx",
        text!("shuffle_sources.cuh"),
        true,
    ),
    (
        "malloc free new delete cudaMalloc cudaFree",
        text!("cuda/device_heap.cuh"),
        true,
    ),
    (
        "__builtin_popcount __builtin_popcountl __builtin_popcountll __builtin_clz __builtin_clzl __builtin_clzll \
         __builtin_ctz __builtin_ctzl __builtin_ctzll __builtin_ffs __builtin_ffsl __builtin_ffsll __builtin_parity \
         __builtin_parityl __builtin_parityll",
        text!("bit_counts.cuh"),
        true,
    ),
    (
        "INT8_C INT16_C INT32_C INT64_C INTMAX_C UINT8_C UINT16_C UINT32_C UINT64_C UINTMAX_C",
        text!("c/integer_constants.cuh"),
        true,
    ),
    // Code of the host is one thread.
    (
        "__sync_fetch_and_add __sync_fetch_and_sub __sync_add_and_fetch __sync_sub_and_fetch __sync_fetch_and_or \
         __sync_fetch_and_and __sync_fetch_and_xor __sync_bool_compare_and_swap __sync_val_compare_and_swap \
         __sync_lock_test_and_set __sync_synchronize",
        text!("c/sync.cuh"),
        true,
    ),
    (OF_CHILDREN, text!("cuda/device_runtime_types.cuh"), false),
    (OF_CHILDREN, text!("cuda/device_runtime.cuh"), false),
    (
        "cudaTextureObject_t cudaSurfaceObject_t",
        text!("cuda/texture_types.cuh"),
        false,
    ),
    (
        "tex1Dfetch tex1D tex2D tex2Dgather tex3D tex1DLod tex2DLod tex3DLod tex2DGrad tex1DLayered \
         tex2DLayered surf1Dread surf2Dread surf3Dread surf2DLayeredread surf1Dwrite \
         surf2Dwrite surf3Dwrite surf2DLayeredwrite",
        text!("cuda/textures.cuh"),
        true,
    ),
    // Calls of these stand for inline PTX.
    ("__ptx", text!("ptx.cuh"), true),
];

/// The tokens to read, with what they need before them. Its own tokens stand nowhere in the text.
pub fn before(tokens: Vec<Token>, is_program: bool) -> Vec<Token> {
    let mut all = Vec::new();
    let said: HashSet<&str> = tokens
        .iter()
        .filter_map(Token::ident)
        .map(|name| &**name)
        .collect();
    let says = |word: &&str| said.contains(word);
    let of_kernels = OF_KERNELS.iter().filter(|_| !is_program);
    let of_word = TEXTS
        .iter()
        .chain(of_kernels)
        .filter(|(word, _)| says(word));
    let of_words = OF_WORDS.iter().filter(|(words, _, is_for_all)| {
        (*is_for_all || !is_program) && words.split_whitespace().any(|word| says(&word))
    });
    let texts = of_word.map(|(_, text)| (*text).to_owned());
    let texts = texts
        .chain(of_words.map(|(_, text, _)| (*text).to_owned()))
        .chain(of_both_sides(says, is_program));
    for text in texts {
        let file = SourceFile::new("prelude", &text);
        let mut needed = preprocess(&file, &[], false).tokens;
        needed.retain(|token| token.kind != TokenKind::End);
        for token in &mut needed {
            token.span = Span::default();
        }
        all.extend(needed);
    }
    match all.is_empty() {
        true => tokens,
        false => {
            all.extend(tokens);
            all
        }
    }
}

/// What a program's kernels call in place of the host's functions of these names.
fn of_both_sides<'a>(
    says: impl Fn(&&str) -> bool + 'a,
    is_program: bool,
) -> impl Iterator<Item = String> + 'a {
    let both = OF_KERNELS.iter();
    let both = both.filter(move |(word, _)| {
        is_program && matches!(*word, "memcpy" | "memset" | "nan" | "nanf")
    });
    both.filter(move |(word, _)| says(word))
        .map(|(word, text)| text.replace(word, &format!("__device_{word}")))
}
