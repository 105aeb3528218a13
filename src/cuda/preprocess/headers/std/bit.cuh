// <bit>
namespace std {

template <class T> __host__ __device__ constexpr int popcount(T bits) {
    int count = 0;
    for (; bits != 0; bits = (T)(bits & (T)(bits - 1))) {
        ++count;
    }
    return count;
}
template <class T> __host__ __device__ constexpr int bit_width(T bits) {
    int width = 0;
    for (; bits != 0; bits = (T)(bits >> 1)) {
        ++width;
    }
    return width;
}
template <class T> __host__ __device__ constexpr int countl_zero(T bits) { return (int)sizeof(T) * 8 - bit_width(bits); }
template <class T> __host__ __device__ constexpr int countl_one(T bits) { return countl_zero((T)~bits); }
template <class T> __host__ __device__ constexpr int countr_one(T bits) {
    int count = 0;
    for (; (bits & 1) != 0; bits = (T)(bits >> 1)) {
        ++count;
    }
    return count;
}
template <class T> __host__ __device__ constexpr int countr_zero(T bits) { return countr_one((T)~bits); }
template <class T> __host__ __device__ constexpr bool has_single_bit(T bits) { return popcount(bits) == 1; }
template <class T> __host__ __device__ constexpr T bit_floor(T bits) {
    return bits == 0 ? (T)0 : (T)((T)1 << (bit_width(bits) - 1));
}
template <class T> __host__ __device__ constexpr T bit_ceil(T bits) {
    return bits <= 1 ? (T)1 : (T)((T)1 << bit_width((T)(bits - 1)));
}
template <class T> __host__ __device__ constexpr T rotl(T bits, int by) {
    constexpr int width = (int)sizeof(T) * 8;
    int left = (by % width + width) % width;
    return left == 0 ? bits : (T)((bits << left) | (bits >> (width - left)));
}
template <class T> __host__ __device__ constexpr T rotr(T bits, int by) { return rotl(bits, -by); }
template <class To, class From> __host__ __device__ To bit_cast(const From& from) {
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}
enum class endian { little = 1234, big = 4321, native = 1234 };

}  // namespace std
