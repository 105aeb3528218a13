// <helper_math.h> of NVIDIA's samples: arithmetic of vectors. Macros say it once for all types and lengths; the names of
// parameters that they use are `a`, `b` and `v` of the functions in which they stand.
typedef unsigned int uint;
typedef unsigned short ushort;
#define __fn inline __host__ __device__

// `M` of each component: as a list, and as statements.
#define __list2(M, ...) M(x, __VA_ARGS__), M(y, __VA_ARGS__)
#define __list3(M, ...) __list2(M, __VA_ARGS__), M(z, __VA_ARGS__)
#define __list4(M, ...) __list3(M, __VA_ARGS__), M(w, __VA_ARGS__)
#define __each2(M, ...) M(x, __VA_ARGS__) M(y, __VA_ARGS__)
#define __each3(M, ...) __each2(M, __VA_ARGS__) M(z, __VA_ARGS__)
#define __each4(M, ...) __each3(M, __VA_ARGS__) M(w, __VA_ARGS__)

// Of component `c`: `M` above.
#define __just(c, value) value
#define __cast(c, S) (S)a.c
#define __sign(c, op) op a.c
#define __both(c, op) a.c op b.c
#define __left(c, op) a.c op b
#define __right(c, op) b op a.c
#define __change(c, op) a.c op b.c;
#define __change_by(c, op) a.c op b;
#define __call(c, f) f(v.c)
#define __call_both(c, f) f(a.c, b.c)
#define __fraction(c, floor) v.c - floor(v.c)
#define __between(c, low, high) high(a, low(v.c, b))
#define __between_each(c, low, high) high(a.c, low(v.c, b.c))
#define __dot2 a.x * b.x + a.y * b.y
#define __dot3 __dot2 + a.z * b.z
#define __dot4 __dot3 + a.w * b.w

// Functions of vectors `V` of `N` components of type `S`.
#define __cast_from(N, V, S, F) __fn V make_##V(F a) { return make_##V(__list##N(__cast, S)); }
#define __negative(N, V) __fn V operator-(const V& a) { return make_##V(__list##N(__sign, -)); }
#define __operator(N, V, S, op) \
    __fn V operator op(V a, V b) { return make_##V(__list##N(__both, op)); } \
    __fn V operator op(V a, S b) { return make_##V(__list##N(__left, op)); } \
    __fn V operator op(S b, V a) { return make_##V(__list##N(__right, op)); } \
    __fn void operator op##=(V& a, V b) { __each##N(__change, op##=) } \
    __fn void operator op##=(V& a, S b) { __each##N(__change_by, op##=) }
#define __arithmetic(N, V, S, low, high) \
    __fn V make_##V(S s) { return make_##V(__list##N(__just, s)); } \
    __operator(N, V, S, +) \
    __operator(N, V, S, -) \
    __operator(N, V, S, *) \
    __fn V low(V a, V b) { return make_##V(__list##N(__call_both, low)); } \
    __fn V high(V a, V b) { return make_##V(__list##N(__call_both, high)); } \
    __fn V clamp(V v, S a, S b) { return make_##V(__list##N(__between, low, high)); } \
    __fn V clamp(V v, V a, V b) { return make_##V(__list##N(__between_each, low, high)); } \
    __fn S dot(V a, V b) { return __dot##N; }
#define __of_float(N, V) \
    __negative(N, V) \
    __operator(N, V, float, /) \
    __fn V lerp(V a, V b, float t) { return a + t * (b - a); } \
    __fn float length(V v) { return sqrtf(dot(v, v)); } \
    __fn V normalize(V v) { return v * rsqrtf(dot(v, v)); } \
    __fn V floorf(V v) { return make_##V(__list##N(__call, floorf)); } \
    __fn V fracf(V v) { return make_##V(__list##N(__fraction, floorf)); } \
    __fn V fmodf(V a, V b) { return make_##V(__list##N(__call_both, fmodf)); } \
    __fn V fabs(V v) { return make_##V(__list##N(__call, fabsf)); } \
    __fn V smoothstep(V a, V b, V x) { \
        V y = clamp((x - a) / (b - a), 0.0f, 1.0f); \
        return y * y * (make_##V(__list##N(__just, 3.0f)) - make_##V(__list##N(__just, 2.0f)) * y); \
    }
#define __of_int(N, V) \
    __negative(N, V) \
    __fn V abs(V v) { return make_##V(__list##N(__call, abs)); }

// All vectors of components of type `S`, and their conversions to other lengths.
#define __vectors(T, S, zero, low, high) \
    __arithmetic(2, T##2, S, low, high) \
    __arithmetic(3, T##3, S, low, high) \
    __arithmetic(4, T##4, S, low, high) \
    __fn T##2 make_##T##2(T##3 a) { return make_##T##2(a.x, a.y); } \
    __fn T##3 make_##T##3(T##2 a) { return make_##T##3(a.x, a.y, zero); } \
    __fn T##3 make_##T##3(T##2 a, S s) { return make_##T##3(a.x, a.y, s); } \
    __fn T##3 make_##T##3(T##4 a) { return make_##T##3(a.x, a.y, a.z); } \
    __fn T##4 make_##T##4(T##2 a) { return make_##T##4(a.x, a.y, zero, zero); } \
    __fn T##4 make_##T##4(T##3 a) { return make_##T##4(a.x, a.y, a.z, zero); } \
    __fn T##4 make_##T##4(T##3 a, S w) { return make_##T##4(a.x, a.y, a.z, w); }
#define __casts(T, S, F) __cast_from(2, T##2, S, F##2) __cast_from(3, T##3, S, F##3) __cast_from(4, T##4, S, F##4)

__fn float lerp(float a, float b, float t) { return a + t * (b - a); }
__fn float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
__fn int clamp(int f, int a, int b) { return max(a, min(f, b)); }
__fn unsigned int clamp(unsigned int f, unsigned int a, unsigned int b) { return max(a, min(f, b)); }
__fn float fracf(float v) { return v - floorf(v); }
__fn float smoothstep(float a, float b, float x) {
    float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - 2.0f * y);
}
__vectors(float, float, 0.0f, fminf, fmaxf)
__vectors(int, int, 0, min, max)
__vectors(uint, unsigned int, 0, min, max)
__of_float(2, float2)
__of_float(3, float3)
__of_float(4, float4)
__of_int(2, int2)
__of_int(3, int3)
__of_int(4, int4)
__casts(float, float, int)
__casts(float, float, uint)
__casts(int, int, float)
__casts(int, int, uint)
__casts(uint, unsigned int, int)
__fn float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
__fn float3 cross(float3 a, float3 b) {
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

#undef __fn
#undef __list2
#undef __list3
#undef __list4
#undef __each2
#undef __each3
#undef __each4
#undef __just
#undef __cast
#undef __sign
#undef __both
#undef __left
#undef __right
#undef __change
#undef __change_by
#undef __call
#undef __call_both
#undef __fraction
#undef __between
#undef __between_each
#undef __dot2
#undef __dot3
#undef __dot4
#undef __cast_from
#undef __negative
#undef __operator
#undef __arithmetic
#undef __of_float
#undef __of_int
#undef __vectors
#undef __casts
