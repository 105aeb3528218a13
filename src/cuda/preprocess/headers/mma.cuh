// What <mma.h> declares, in the CUDA C++ that this program reads. A fragment lies over the lanes of a
// warp as an H200's tensor cores want it: in blocks of 8 by 8, of which lane l holds two neighbours of
// line l / 4, those at 2 * (l % 4). The lines of A and of the sums are rows, those of B columns; of the
// shape 8x32x16 it is the other way round, since there the transposed product is computed.
namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32 {};
struct u4 {};
struct s4 {};
struct b1 {};
}

namespace details {

// How the blocks of a fragment follow one another: pairs of lines, then along them; along lines, then
// across; along one line of blocks; across lines only.
enum block_order { paired, along_first, along, across };

// Where a block begins: lines before it, and elements of a line before it.
template <int Order, int Block>
struct corner {
    static constexpr int line = Order == paired        ? 8 * (Block % 2) + 16 * (Block / 4)
                                : Order == along_first ? 8 * (Block / 2)
                                : Order == across      ? 8 * Block
                                                       : 0;
    static constexpr int at = Order == paired        ? 8 * (Block / 2 % 2)
                              : Order == along_first ? 8 * (Block % 2)
                              : Order == along       ? 8 * Block
                                                     : 0;
};

// Blocks of a fragment, their order, and whether memory in rows holds its lines one after the other.
template <typename Use, int M, int N, int K>
struct shape {
    static constexpr int blocks = 0;
};
template <int Blocks, int Order, bool LinesAreRows>
struct known_shape {
    static constexpr int blocks = Blocks, order = Order;
    static constexpr bool lines_are_rows = LinesAreRows;
};
template <>
struct shape<matrix_a, 16, 16, 16> : known_shape<4, paired, true> {};
template <>
struct shape<matrix_a, 32, 8, 16> : known_shape<8, paired, true> {};
template <>
struct shape<matrix_a, 8, 32, 16> : known_shape<2, along, true> {};
template <>
struct shape<matrix_b, 16, 16, 16> : known_shape<4, along_first, false> {};
template <>
struct shape<matrix_b, 32, 8, 16> : known_shape<2, along, false> {};
template <>
struct shape<matrix_b, 8, 32, 16> : known_shape<8, paired, false> {};
template <>
struct shape<accumulator, 16, 16, 16> : known_shape<4, paired, true> {};
template <>
struct shape<accumulator, 32, 8, 16> : known_shape<4, across, true> {};
template <>
struct shape<accumulator, 8, 32, 16> : known_shape<4, across, false> {};
template <>
struct shape<accumulator, 16, 16, 8> : known_shape<4, paired, true> {};

// Two neighbours, and how many elements a fragment has where each block is there once: A and B in
// `__half` always have 16, the blocks as often as they fit.
template <typename Use, typename T>
struct element {
    static constexpr bool exists = false;
};
template <typename Pair, int Least>
struct known_element {
    using pair = Pair;
    static constexpr bool exists = true;
    static constexpr int least = Least;
};
template <>
struct element<matrix_a, __half> : known_element<__half2, 16> {};
template <>
struct element<matrix_b, __half> : known_element<__half2, 16> {};
template <>
struct element<accumulator, __half> : known_element<__half2, 0> {};
template <>
struct element<matrix_a, __nv_bfloat16> : known_element<__nv_bfloat162, 0> {};
template <>
struct element<matrix_b, __nv_bfloat16> : known_element<__nv_bfloat162, 0> {};
template <>
struct element<matrix_a, signed char> : known_element<char2, 0> {};
template <>
struct element<matrix_b, signed char> : known_element<char2, 0> {};
template <>
struct element<matrix_a, unsigned char> : known_element<uchar2, 0> {};
template <>
struct element<matrix_b, unsigned char> : known_element<uchar2, 0> {};
template <>
struct element<accumulator, int> : known_element<int2, 0> {};
template <>
struct element<accumulator, float> : known_element<float2, 0> {};

template <typename T>
struct is_tf32 {
    static constexpr bool value = false;
};
template <>
struct is_tf32<precision::tf32> {
    static constexpr bool value = true;
};

// Four elements, as those `Back` before them.
template <int At, int Back, typename Fragment>
__device__ inline void repeat_four(Fragment& fragment) {
    fragment.x[At] = fragment.x[At - Back];
    fragment.x[At + 1] = fragment.x[At + 1 - Back];
    fragment.x[At + 2] = fragment.x[At + 2 - Back];
    fragment.x[At + 3] = fragment.x[At + 3 - Back];
}

// What comes behind the blocks: the same again.
template <typename Fragment>
__device__ inline void repeat(Fragment& fragment) {
    constexpr int back = 2 * Fragment::blocks;
    if constexpr (back < 8 && Fragment::num_elements > 8) {
        repeat_four<4, back>(fragment);
    }
    if constexpr (back < 16 && Fragment::num_elements > 8) {
        repeat_four<8, back>(fragment);
        repeat_four<12, back>(fragment);
    }
}

struct known {
    static constexpr bool exists = true;
};
struct unknown {
    static constexpr bool exists = false;
};
// Whether fragments of a use have such a layout.
template <typename Use, typename Layout>
struct layout : unknown {};
template <>
struct layout<matrix_a, row_major> : known {};
template <>
struct layout<matrix_a, col_major> : known {};
template <>
struct layout<matrix_b, row_major> : known {};
template <>
struct layout<matrix_b, col_major> : known {};
template <>
struct layout<accumulator, void> : known {};

template <typename Use>
struct is_sum {
    static constexpr bool value = false;
};
template <>
struct is_sum<accumulator> {
    static constexpr bool value = true;
};

// Whether tensor cores add products of such elements to such sums.
template <typename T, typename Sum>
struct product {
    static constexpr bool exists = sizeof(Sum) == 4;
};
template <>
struct product<signed char, float> : unknown {};
template <>
struct product<unsigned char, float> : unknown {};
template <typename T>
struct product<T, int> : unknown {};
template <>
struct product<signed char, int> : known {};
template <>
struct product<unsigned char, int> : known {};
template <>
struct product<double, double> : known {};
template <>
struct product<__half, __half> : known {};

// Bytes lie otherwise: lane l holds, of the lines l / 4 and each 8 further on, four neighbours, those at 4 * (l % 4).
template <bool Turned, typename Fragment, typename T>
__device__ inline void load_bytes(Fragment& fragment, const T* memory, unsigned int stride) {
    unsigned int lane = ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) & 31;
    unsigned int line = lane / 4, at = lane % 4 * 4;
#pragma unroll
    for (int four = 0; four < Fragment::num_elements; four += 4) {
        if constexpr (Turned) {
            const T* from = memory + at * stride + line + 2 * four;
            fragment.x[four] = from[0];
            fragment.x[four + 1] = from[stride];
            fragment.x[four + 2] = from[2 * stride];
            fragment.x[four + 3] = from[3 * stride];
        } else {
            unsigned int word = *(const unsigned int*)(memory + (line + 2 * four) * stride + at);
            fragment.x[four] = (T)word;
            fragment.x[four + 1] = (T)(word >> 8);
            fragment.x[four + 2] = (T)(word >> 16);
            fragment.x[four + 3] = (T)(word >> 24);
        }
    }
}
// Four bytes of a fragment in a word: signed, or not, as they are.
template <typename T>
struct word_of {
    using type = int;
};
template <>
struct word_of<unsigned char> {
    using type = unsigned int;
};
template <int At, typename T, typename Fragment>
__device__ inline typename word_of<T>::type four_bytes(const Fragment& fragment) {
    unsigned int low = (unsigned char)fragment.x[At] | (unsigned int)(unsigned char)fragment.x[At + 1] << 8;
    unsigned int high = (unsigned char)fragment.x[At + 2] | (unsigned int)(unsigned char)fragment.x[At + 3] << 8;
    return (typename word_of<T>::type)(low | high << 16);
}
// One instruction of the tensor cores: 16 lines of `tall` from element `A`, 8 of `wide` from element `B`, and the sums
// of four elements from `C`.
template <typename T, int A, int B, int C, typename Tall, typename Wide, typename Sums>
__device__ inline void multiply_bytes(Sums& sums, const Tall& tall, const Wide& wide, const Sums& before) {
    int4 four = __mma_m16n8k16_bytes(four_bytes<A, T>(tall), four_bytes<A + 4, T>(tall), four_bytes<B, T>(wide),
                                     before.x[C], before.x[C + 1], before.x[C + 2], before.x[C + 3]);
    sums.x[C] = four.x;
    sums.x[C + 1] = four.y;
    sums.x[C + 2] = four.z;
    sums.x[C + 3] = four.w;
}

template <int At, typename Fragment, typename T>
__device__ inline void fill_four(Fragment& fragment, T value) {
    fragment.x[At] = value;
    fragment.x[At + 1] = value;
    fragment.x[At + 2] = value;
    fragment.x[At + 3] = value;
}

template <typename Fragment, typename T>
__device__ inline void fill(Fragment& fragment, T value) {
    fill_four<0>(fragment, value);
    if constexpr (Fragment::num_elements > 4) {
        fill_four<4>(fragment, value);
    }
    if constexpr (Fragment::num_elements > 8) {
        fill_four<8>(fragment, value);
        fill_four<12>(fragment, value);
    }
}

// How far the lane's part of a block at the beginning lies from that of the fragment, in memory that
// holds lines (or the elements of each line, if `Turned`) `stride` apart.
template <typename T, bool Turned>
__device__ inline unsigned int part(unsigned int stride) {
    unsigned int lane = ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) & 31;
    if constexpr (Turned && sizeof(T) == 4) {
        return lane % 4 * 2 * stride + lane / 4;
    } else {
        return lane / 4 * stride + lane % 4 * 2;
    }
}

// How far a block lies from the beginning.
template <int Order, int Block, bool Turned>
__device__ inline unsigned int beginning(unsigned int stride) {
    using Corner = corner<Order, Block>;
    constexpr int outer = Turned ? Corner::at : Corner::line;
    constexpr int inner = Turned ? Corner::line : Corner::at;
    if constexpr (outer == 0) {
        return inner;
    } else {
        return outer * stride + inner;
    }
}

template <int Block, bool Turned, typename Fragment, typename T>
__device__ inline void load_block(Fragment& fragment, const T* part, unsigned int stride) {
    using Pair = typename Fragment::pair;
    const T* from = part + beginning<Fragment::order, Block, Turned>(stride);
    if constexpr (Turned && sizeof(T) == 4) {
        fragment.x[2 * Block] = from[0];
        fragment.x[2 * Block + 1] = from[stride];
    } else if constexpr (Turned) {
        Pair two = __movm(*(const Pair*)from);
        fragment.x[2 * Block] = two.x;
        fragment.x[2 * Block + 1] = two.y;
    } else {
        Pair two = *(const Pair*)from;
        fragment.x[2 * Block] = two.x;
        fragment.x[2 * Block + 1] = two.y;
    }
}

template <bool Turned, typename Fragment, typename T>
__device__ inline void load(Fragment& fragment, const T* memory, unsigned int stride) {
    if constexpr (sizeof(T) == 1) {
        load_bytes<Turned>(fragment, memory, stride);
    } else {
        const T* from = memory + part<T, Turned>(stride);
        load_block<0, Turned>(fragment, from, stride);
        load_block<1, Turned>(fragment, from, stride);
        if constexpr (Fragment::blocks > 2) {
            load_block<2, Turned>(fragment, from, stride);
            load_block<3, Turned>(fragment, from, stride);
        }
        if constexpr (Fragment::blocks > 4) {
            load_block<4, Turned>(fragment, from, stride);
            load_block<5, Turned>(fragment, from, stride);
            load_block<6, Turned>(fragment, from, stride);
            load_block<7, Turned>(fragment, from, stride);
        }
        repeat(fragment);
    }
}

template <int Block, bool Turned, typename Fragment, typename T>
__device__ inline void store_block(T* part, const Fragment& fragment, unsigned int stride) {
    using Pair = typename Fragment::pair;
    T* to = part + beginning<Fragment::order, Block, Turned>(stride);
    if constexpr (Turned && sizeof(T) == 4) {
        to[0] = fragment.x[2 * Block];
        to[stride] = fragment.x[2 * Block + 1];
    } else {
        Pair two;
        two.x = fragment.x[2 * Block];
        two.y = fragment.x[2 * Block + 1];
        if constexpr (Turned) {
            *(Pair*)to = __movm(two);
        } else {
            *(Pair*)to = two;
        }
    }
}

template <bool Turned, typename Fragment, typename T>
__device__ inline void store(T* memory, const Fragment& fragment, unsigned int stride) {
    T* to = memory + part<T, Turned>(stride);
    store_block<0, Turned>(to, fragment, stride);
    store_block<1, Turned>(to, fragment, stride);
    store_block<2, Turned>(to, fragment, stride);
    store_block<3, Turned>(to, fragment, stride);
}

// One instruction of the tensor cores: 16 lines of `tall` from element `A`, 8 of `wide` from element
// `B`, and the sums of four elements from `C`.
template <int A, int B, int C, typename Tall, typename Wide, typename Sums>
__device__ inline void multiply(Sums& sums, const Tall& tall, const Wide& wide, const Sums& before) {
    auto four = __mma_m16n8k16(tall.x[A], tall.x[A + 1], tall.x[A + 2], tall.x[A + 3], tall.x[A + 4],
                               tall.x[A + 5], tall.x[A + 6], tall.x[A + 7], wide.x[B], wide.x[B + 1],
                               wide.x[B + 2], wide.x[B + 3], before.x[C], before.x[C + 1],
                               before.x[C + 2], before.x[C + 3]);
    sums.x[C] = four.x;
    sums.x[C + 1] = four.y;
    sums.x[C + 2] = four.z;
    sums.x[C + 3] = four.w;
}

}

template <typename Use, int M, int N, int K, typename T, typename Layout = void>
struct fragment {
    static_assert(details::shape<Use, M, N, K>::blocks > 0 && details::element<Use, T>::exists,
                  "there are fragments of the shapes 16x16x16, 32x8x16 and 8x32x16, with A and B in `__half`, `__nv_bfloat16`, `signed char` or `unsigned char` and sums in `float`, `__half` or `int`, of 16x16x8 in `precision::tf32`, and of 8x8x4 in `double`: others are not supported yet");
    static_assert(details::layout<Use, Layout>::exists,
                  "a fragment of A or B is `row_major` or `col_major`, and one of sums has no layout");
    using element_type = T;
    using pair = typename details::element<Use, T>::pair;
    static constexpr int blocks = details::shape<Use, M, N, K>::blocks;
    static constexpr int order = details::shape<Use, M, N, K>::order;
    static constexpr int num_elements = 2 * blocks > details::element<Use, T>::least
                                            ? 2 * blocks
                                            : details::element<Use, T>::least;
    static constexpr int num_storage_elements = num_elements;
    T x[num_elements];
};

template <typename Use, int M, int N, int K, typename T, typename Layout, typename Value>
__device__ inline void fill_fragment(fragment<Use, M, N, K, T, Layout>& fragment, const Value& value) {
    if constexpr (details::is_tf32<T>::value) {
        details::fill_four<0>(fragment, (float)value);
    } else {
        details::fill(fragment, T(value));
    }
}

template <typename Use, int M, int N, int K, typename T>
__device__ inline void load_matrix_sync(fragment<Use, M, N, K, T, row_major>& fragment, const T* memory,
                                        unsigned int ldm) {
    details::load<!details::shape<Use, M, N, K>::lines_are_rows>(fragment, memory, ldm);
}
template <typename Use, int M, int N, int K, typename T>
__device__ inline void load_matrix_sync(fragment<Use, M, N, K, T, col_major>& fragment, const T* memory,
                                        unsigned int ldm) {
    details::load<details::shape<Use, M, N, K>::lines_are_rows>(fragment, memory, ldm);
}
template <int M, int N, int K, typename T>
__device__ inline void load_matrix_sync(fragment<accumulator, M, N, K, T>& fragment, const T* memory,
                                        unsigned int ldm, layout_t layout) {
    if (layout == mem_row_major) {
        details::load<!details::shape<accumulator, M, N, K>::lines_are_rows>(fragment, memory, ldm);
    } else {
        details::load<details::shape<accumulator, M, N, K>::lines_are_rows>(fragment, memory, ldm);
    }
}

template <int M, int N, int K, typename T>
__device__ inline void store_matrix_sync(T* memory, const fragment<accumulator, M, N, K, T>& fragment,
                                         unsigned int ldm, layout_t layout) {
    if (layout == mem_row_major) {
        details::store<!details::shape<accumulator, M, N, K>::lines_are_rows>(memory, fragment, ldm);
    } else {
        details::store<details::shape<accumulator, M, N, K>::lines_are_rows>(memory, fragment, ldm);
    }
}

// Fragments of floats with 10 bits of fraction: lane l holds of two lines, l / 4 and the one 8 further on, the elements
// l % 4 and 4 further on. Lines of A are rows, those of B columns.
template <typename Use, typename Layout>
struct fragment<Use, 16, 16, 8, precision::tf32, Layout> {
    static_assert(details::layout<Use, Layout>::exists, "a fragment of A or B is `row_major` or `col_major`");
    using element_type = precision::tf32;
    using storage_element_type = float;
    static constexpr int num_elements = 4;
    static constexpr int num_storage_elements = 4;
    float x[4];
};

// Fragments of doubles: lane l holds of A and B one element, of line l / 4 that at l % 4, and of the sums two
// neighbours, those at 2 * (l % 4). Lines of A and of the sums are rows, those of B columns.
template <typename Use, typename Layout>
struct fragment<Use, 8, 8, 4, double, Layout> {
    static_assert(details::layout<Use, Layout>::exists,
                  "a fragment of A or B is `row_major` or `col_major`, and one of sums has no layout");
    using element_type = double;
    using storage_element_type = double;
    static constexpr int num_elements = details::is_sum<Use>::value ? 2 : 1;
    static constexpr int num_storage_elements = num_elements;
    double x[num_elements];
};
template <typename Use, typename Layout>
__device__ inline void fill_fragment(fragment<Use, 8, 8, 4, double, Layout>& fragment, double value) {
    fragment.x[0] = value;
    if constexpr (details::is_sum<Use>::value) {
        fragment.x[1] = value;
    }
}
namespace details {
__device__ inline double one_double(const double* memory, unsigned int outer, unsigned int inner) {
    unsigned int lane = ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) & 31;
    return memory[lane / 4 * outer + lane % 4 * inner];
}
__device__ inline unsigned int place_of_sums(unsigned int outer, unsigned int inner) {
    unsigned int lane = ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) & 31;
    return lane / 4 * outer + lane % 4 * 2 * inner;
}
}
#define __loads_double(use, layout, outer, inner) \
    __device__ inline void load_matrix_sync(fragment<use, 8, 8, 4, double, layout>& fragment, const double* memory, \
                                            unsigned int ldm) { \
        fragment.x[0] = details::one_double(memory, outer, inner); \
    }
__loads_double(matrix_a, row_major, ldm, 1)
__loads_double(matrix_a, col_major, 1, ldm)
__loads_double(matrix_b, row_major, 1, ldm)
__loads_double(matrix_b, col_major, ldm, 1)
__device__ inline void load_matrix_sync(fragment<accumulator, 8, 8, 4, double>& fragment, const double* memory,
                                        unsigned int ldm, layout_t layout) {
    if (layout == mem_row_major) {
        double2 two = *(const double2*)(memory + details::place_of_sums(ldm, 1));
        fragment.x[0] = two.x;
        fragment.x[1] = two.y;
    } else {
        const double* from = memory + details::place_of_sums(1, ldm);
        fragment.x[0] = from[0];
        fragment.x[1] = from[ldm];
    }
}
__device__ inline void store_matrix_sync(double* memory, const fragment<accumulator, 8, 8, 4, double>& fragment,
                                         unsigned int ldm, layout_t layout) {
    if (layout == mem_row_major) {
        double2 two;
        two.x = fragment.x[0];
        two.y = fragment.x[1];
        *(double2*)(memory + details::place_of_sums(ldm, 1)) = two;
    } else {
        double* to = memory + details::place_of_sums(1, ldm);
        to[0] = fragment.x[0];
        to[ldm] = fragment.x[1];
    }
}

// To nearest, halves away from zero.
__device__ inline float __float_to_tf32(float value) {
    return __uint_as_float((__float_as_uint(value) + 0x1000) & 0xffffe000);
}

namespace details {
// Where a lane's first element lies in memory that holds lines `outer` apart, and elements of a line `inner`.
__device__ inline unsigned int tf32_part(unsigned int outer, unsigned int inner) {
    unsigned int lane = ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) & 31;
    return lane / 4 * outer + lane % 4 * inner;
}
template <typename Fragment>
__device__ inline void load_tf32_a(Fragment& fragment, const float* from, unsigned int outer, unsigned int inner) {
    fragment.x[0] = from[0];
    fragment.x[1] = from[8 * outer];
    fragment.x[2] = from[4 * inner];
    fragment.x[3] = from[8 * outer + 4 * inner];
}
template <typename Fragment>
__device__ inline void load_tf32_b(Fragment& fragment, const float* from, unsigned int outer, unsigned int inner) {
    fragment.x[0] = from[0];
    fragment.x[1] = from[4 * inner];
    fragment.x[2] = from[8 * outer];
    fragment.x[3] = from[8 * outer + 4 * inner];
}
// Eight columns of sums from element `C`, and the columns of B from element `B`: two steps of four products each, as
// an H200 takes them.
template <int B, int C, typename Sums, typename Tall, typename Wide>
__device__ inline void multiply_tf32(Sums& sums, const Tall& tall, const Wide& wide, const Sums& before) {
    float4 half = __mma_m16n8k4(tall.x[0], 0.0f, tall.x[1], 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, wide.x[B], 0.0f, 0.0f, 0.0f,
                                before.x[C], before.x[C + 1], before.x[C + 2], before.x[C + 3]);
    float4 whole = __mma_m16n8k4(tall.x[2], 0.0f, tall.x[3], 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, wide.x[B + 1], 0.0f, 0.0f,
                                 0.0f, half.x, half.y, half.z, half.w);
    sums.x[C] = whole.x;
    sums.x[C + 1] = whole.y;
    sums.x[C + 2] = whole.z;
    sums.x[C + 3] = whole.w;
}
}

#define __loads_tf32(use, load, layout, outer, inner) \
    __device__ inline void load_matrix_sync(fragment<use, 16, 16, 8, precision::tf32, layout>& fragment, \
                                            const float* memory, unsigned int ldm) { \
        details::load(fragment, memory + details::tf32_part(outer, inner), outer, inner); \
    }
__loads_tf32(matrix_a, load_tf32_a, row_major, ldm, 1)
__loads_tf32(matrix_a, load_tf32_a, col_major, 1, ldm)
__loads_tf32(matrix_b, load_tf32_b, row_major, 1, ldm)
__loads_tf32(matrix_b, load_tf32_b, col_major, ldm, 1)

template <int M, int N, int K, typename T, typename LayoutA, typename LayoutB, typename Sum>
__device__ inline void mma_sync(fragment<accumulator, M, N, K, Sum>& d,
                                const fragment<matrix_a, M, N, K, T, LayoutA>& a,
                                const fragment<matrix_b, M, N, K, T, LayoutB>& b,
                                const fragment<accumulator, M, N, K, Sum>& c) {
    static_assert(details::product<T, Sum>::exists,
                  "products of `__nv_bfloat16` are added to sums in `float`, those of `__half` in `float` or `__half`, those of bytes in `int`");
    if constexpr (!details::product<T, Sum>::exists) {
    } else if constexpr (K == 4) {
        double2 two = __mma_m8n8k4_doubles(a.x[0], b.x[0], c.x[0], c.x[1]);
        d.x[0] = two.x;
        d.x[1] = two.y;
    } else if constexpr (details::product<T, int>::exists && M == 16) {
        details::multiply_bytes<T, 0, 0, 0>(d, a, b, c);
        details::multiply_bytes<T, 0, 4, 4>(d, a, b, c);
    } else if constexpr (details::product<T, int>::exists && M == 32) {
        details::multiply_bytes<T, 0, 0, 0>(d, a, b, c);
        details::multiply_bytes<T, 8, 0, 4>(d, a, b, c);
    } else if constexpr (details::product<T, int>::exists) {
        details::multiply_bytes<T, 0, 0, 0>(d, b, a, c);
        details::multiply_bytes<T, 8, 0, 4>(d, b, a, c);
    } else if constexpr (K == 8) {
        details::multiply_tf32<0, 0>(d, a, b, c);
        details::multiply_tf32<2, 4>(d, a, b, c);
    } else if constexpr (M == 16) {
        details::multiply<0, 0, 0>(d, a, b, c);
        details::multiply<0, 4, 4>(d, a, b, c);
    } else if constexpr (M == 32) {
        details::multiply<0, 0, 0>(d, a, b, c);
        details::multiply<8, 0, 4>(d, a, b, c);
    } else {
        details::multiply<0, 0, 0>(d, b, a, c);
        details::multiply<8, 0, 4>(d, b, a, c);
    }
}

}
}
#undef __loads_double
#undef __loads_tf32
