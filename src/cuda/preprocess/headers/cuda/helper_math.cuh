// <helper_math.h> of NVIDIA's samples: arithmetic of vectors.
typedef unsigned int uint;
typedef unsigned short ushort;
inline __host__ __device__ float lerp(float a, float b, float t) { return a + t * (b - a); }
inline __host__ __device__ float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
inline __host__ __device__ int clamp(int f, int a, int b) { return max(a, min(f, b)); }
inline __host__ __device__ unsigned int clamp(unsigned int f, unsigned int a, unsigned int b) {
    return max(a, min(f, b));
}
inline __host__ __device__ float fracf(float v) { return v - floorf(v); }
inline __host__ __device__ float smoothstep(float a, float b, float x) {
    float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - 2.0f * y);
}
inline __host__ __device__ float2 make_float2(float s) { return make_float2(s, s); }
inline __host__ __device__ float2 make_float2(float3 a) { return make_float2(a.x, a.y); }
inline __host__ __device__ float2 make_float2(int2 a) { return make_float2((float)a.x, (float)a.y); }
inline __host__ __device__ float2 make_float2(uint2 a) { return make_float2((float)a.x, (float)a.y); }
inline __host__ __device__ float2 operator-(const float2& a) { return make_float2(-a.x, -a.y); }
inline __host__ __device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
inline __host__ __device__ float2 operator+(float2 a, float b) { return make_float2(a.x + b, a.y + b); }
inline __host__ __device__ float2 operator+(float b, float2 a) { return make_float2(b + a.x, b + a.y); }
inline __host__ __device__ void operator+=(float2& a, float2 b) { a.x += b.x; a.y += b.y; }
inline __host__ __device__ void operator+=(float2& a, float b) { a.x += b; a.y += b; }
inline __host__ __device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
inline __host__ __device__ float2 operator-(float2 a, float b) { return make_float2(a.x - b, a.y - b); }
inline __host__ __device__ float2 operator-(float b, float2 a) { return make_float2(b - a.x, b - a.y); }
inline __host__ __device__ void operator-=(float2& a, float2 b) { a.x -= b.x; a.y -= b.y; }
inline __host__ __device__ void operator-=(float2& a, float b) { a.x -= b; a.y -= b; }
inline __host__ __device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x, a.y * b.y); }
inline __host__ __device__ float2 operator*(float2 a, float b) { return make_float2(a.x * b, a.y * b); }
inline __host__ __device__ float2 operator*(float b, float2 a) { return make_float2(b * a.x, b * a.y); }
inline __host__ __device__ void operator*=(float2& a, float2 b) { a.x *= b.x; a.y *= b.y; }
inline __host__ __device__ void operator*=(float2& a, float b) { a.x *= b; a.y *= b; }
inline __host__ __device__ float2 operator/(float2 a, float2 b) { return make_float2(a.x / b.x, a.y / b.y); }
inline __host__ __device__ float2 operator/(float2 a, float b) { return make_float2(a.x / b, a.y / b); }
inline __host__ __device__ float2 operator/(float b, float2 a) { return make_float2(b / a.x, b / a.y); }
inline __host__ __device__ void operator/=(float2& a, float2 b) { a.x /= b.x; a.y /= b.y; }
inline __host__ __device__ void operator/=(float2& a, float b) { a.x /= b; a.y /= b; }
inline __host__ __device__ float2 fminf(float2 a, float2 b) { return make_float2(fminf(a.x, b.x), fminf(a.y, b.y)); }
inline __host__ __device__ float2 fmaxf(float2 a, float2 b) { return make_float2(fmaxf(a.x, b.x), fmaxf(a.y, b.y)); }
inline __host__ __device__ float2 clamp(float2 v, float a, float b) {
    return make_float2(fmaxf(a, fminf(v.x, b)), fmaxf(a, fminf(v.y, b)));
}
inline __host__ __device__ float2 clamp(float2 v, float2 a, float2 b) {
    return make_float2(fmaxf(a.x, fminf(v.x, b.x)), fmaxf(a.y, fminf(v.y, b.y)));
}
inline __host__ __device__ float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
inline __host__ __device__ float2 lerp(float2 a, float2 b, float t) { return a + t * (b - a); }
inline __host__ __device__ float length(float2 v) { return sqrtf(dot(v, v)); }
inline __host__ __device__ float2 normalize(float2 v) { return v * rsqrtf(dot(v, v)); }
inline __host__ __device__ float2 floorf(float2 v) { return make_float2(floorf(v.x), floorf(v.y)); }
inline __host__ __device__ float2 fracf(float2 v) { return make_float2(v.x - floorf(v.x), v.y - floorf(v.y)); }
inline __host__ __device__ float2 fmodf(float2 a, float2 b) { return make_float2(fmodf(a.x, b.x), fmodf(a.y, b.y)); }
inline __host__ __device__ float2 fabs(float2 v) { return make_float2(fabsf(v.x), fabsf(v.y)); }
inline __host__ __device__ float2 smoothstep(float2 a, float2 b, float2 x) {
    float2 y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (make_float2(3.0f, 3.0f) - make_float2(2.0f, 2.0f) * y);
}
inline __host__ __device__ float3 make_float3(float s) { return make_float3(s, s, s); }
inline __host__ __device__ float3 make_float3(float2 a) { return make_float3(a.x, a.y, 0.0f); }
inline __host__ __device__ float3 make_float3(float2 a, float s) { return make_float3(a.x, a.y, s); }
inline __host__ __device__ float3 make_float3(float4 a) { return make_float3(a.x, a.y, a.z); }
inline __host__ __device__ float3 make_float3(int3 a) { return make_float3((float)a.x, (float)a.y, (float)a.z); }
inline __host__ __device__ float3 make_float3(uint3 a) { return make_float3((float)a.x, (float)a.y, (float)a.z); }
inline __host__ __device__ float3 operator-(const float3& a) { return make_float3(-a.x, -a.y, -a.z); }
inline __host__ __device__ float3 operator+(float3 a, float3 b) {
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
inline __host__ __device__ float3 operator+(float3 a, float b) { return make_float3(a.x + b, a.y + b, a.z + b); }
inline __host__ __device__ float3 operator+(float b, float3 a) { return make_float3(b + a.x, b + a.y, b + a.z); }
inline __host__ __device__ void operator+=(float3& a, float3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
inline __host__ __device__ void operator+=(float3& a, float b) { a.x += b; a.y += b; a.z += b; }
inline __host__ __device__ float3 operator-(float3 a, float3 b) {
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
inline __host__ __device__ float3 operator-(float3 a, float b) { return make_float3(a.x - b, a.y - b, a.z - b); }
inline __host__ __device__ float3 operator-(float b, float3 a) { return make_float3(b - a.x, b - a.y, b - a.z); }
inline __host__ __device__ void operator-=(float3& a, float3 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; }
inline __host__ __device__ void operator-=(float3& a, float b) { a.x -= b; a.y -= b; a.z -= b; }
inline __host__ __device__ float3 operator*(float3 a, float3 b) {
    return make_float3(a.x * b.x, a.y * b.y, a.z * b.z);
}
inline __host__ __device__ float3 operator*(float3 a, float b) { return make_float3(a.x * b, a.y * b, a.z * b); }
inline __host__ __device__ float3 operator*(float b, float3 a) { return make_float3(b * a.x, b * a.y, b * a.z); }
inline __host__ __device__ void operator*=(float3& a, float3 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; }
inline __host__ __device__ void operator*=(float3& a, float b) { a.x *= b; a.y *= b; a.z *= b; }
inline __host__ __device__ float3 operator/(float3 a, float3 b) {
    return make_float3(a.x / b.x, a.y / b.y, a.z / b.z);
}
inline __host__ __device__ float3 operator/(float3 a, float b) { return make_float3(a.x / b, a.y / b, a.z / b); }
inline __host__ __device__ float3 operator/(float b, float3 a) { return make_float3(b / a.x, b / a.y, b / a.z); }
inline __host__ __device__ void operator/=(float3& a, float3 b) { a.x /= b.x; a.y /= b.y; a.z /= b.z; }
inline __host__ __device__ void operator/=(float3& a, float b) { a.x /= b; a.y /= b; a.z /= b; }
inline __host__ __device__ float3 fminf(float3 a, float3 b) {
    return make_float3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}
inline __host__ __device__ float3 fmaxf(float3 a, float3 b) {
    return make_float3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}
inline __host__ __device__ float3 clamp(float3 v, float a, float b) {
    return make_float3(fmaxf(a, fminf(v.x, b)), fmaxf(a, fminf(v.y, b)), fmaxf(a, fminf(v.z, b)));
}
inline __host__ __device__ float3 clamp(float3 v, float3 a, float3 b) {
    return make_float3(fmaxf(a.x, fminf(v.x, b.x)), fmaxf(a.y, fminf(v.y, b.y)), fmaxf(a.z, fminf(v.z, b.z)));
}
inline __host__ __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __host__ __device__ float3 lerp(float3 a, float3 b, float t) { return a + t * (b - a); }
inline __host__ __device__ float length(float3 v) { return sqrtf(dot(v, v)); }
inline __host__ __device__ float3 normalize(float3 v) { return v * rsqrtf(dot(v, v)); }
inline __host__ __device__ float3 floorf(float3 v) { return make_float3(floorf(v.x), floorf(v.y), floorf(v.z)); }
inline __host__ __device__ float3 fracf(float3 v) {
    return make_float3(v.x - floorf(v.x), v.y - floorf(v.y), v.z - floorf(v.z));
}
inline __host__ __device__ float3 fmodf(float3 a, float3 b) {
    return make_float3(fmodf(a.x, b.x), fmodf(a.y, b.y), fmodf(a.z, b.z));
}
inline __host__ __device__ float3 fabs(float3 v) { return make_float3(fabsf(v.x), fabsf(v.y), fabsf(v.z)); }
inline __host__ __device__ float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
inline __host__ __device__ float3 smoothstep(float3 a, float3 b, float3 x) {
    float3 y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (make_float3(3.0f, 3.0f, 3.0f) - make_float3(2.0f, 2.0f, 2.0f) * y);
}
inline __host__ __device__ float4 make_float4(float s) { return make_float4(s, s, s, s); }
inline __host__ __device__ float4 make_float4(float2 a) { return make_float4(a.x, a.y, 0.0f, 0.0f); }
inline __host__ __device__ float4 make_float4(float3 a) { return make_float4(a.x, a.y, a.z, 0.0f); }
inline __host__ __device__ float4 make_float4(float3 a, float w) { return make_float4(a.x, a.y, a.z, w); }
inline __host__ __device__ float4 make_float4(int4 a) {
    return make_float4((float)a.x, (float)a.y, (float)a.z, (float)a.w);
}
inline __host__ __device__ float4 make_float4(uint4 a) {
    return make_float4((float)a.x, (float)a.y, (float)a.z, (float)a.w);
}
inline __host__ __device__ float4 operator-(const float4& a) { return make_float4(-a.x, -a.y, -a.z, -a.w); }
inline __host__ __device__ float4 operator+(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
inline __host__ __device__ float4 operator+(float4 a, float b) {
    return make_float4(a.x + b, a.y + b, a.z + b, a.w + b);
}
inline __host__ __device__ float4 operator+(float b, float4 a) {
    return make_float4(b + a.x, b + a.y, b + a.z, b + a.w);
}
inline __host__ __device__ void operator+=(float4& a, float4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
inline __host__ __device__ void operator+=(float4& a, float b) { a.x += b; a.y += b; a.z += b; a.w += b; }
inline __host__ __device__ float4 operator-(float4 a, float4 b) {
    return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}
inline __host__ __device__ float4 operator-(float4 a, float b) {
    return make_float4(a.x - b, a.y - b, a.z - b, a.w - b);
}
inline __host__ __device__ float4 operator-(float b, float4 a) {
    return make_float4(b - a.x, b - a.y, b - a.z, b - a.w);
}
inline __host__ __device__ void operator-=(float4& a, float4 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; a.w -= b.w; }
inline __host__ __device__ void operator-=(float4& a, float b) { a.x -= b; a.y -= b; a.z -= b; a.w -= b; }
inline __host__ __device__ float4 operator*(float4 a, float4 b) {
    return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}
inline __host__ __device__ float4 operator*(float4 a, float b) {
    return make_float4(a.x * b, a.y * b, a.z * b, a.w * b);
}
inline __host__ __device__ float4 operator*(float b, float4 a) {
    return make_float4(b * a.x, b * a.y, b * a.z, b * a.w);
}
inline __host__ __device__ void operator*=(float4& a, float4 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; a.w *= b.w; }
inline __host__ __device__ void operator*=(float4& a, float b) { a.x *= b; a.y *= b; a.z *= b; a.w *= b; }
inline __host__ __device__ float4 operator/(float4 a, float4 b) {
    return make_float4(a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w);
}
inline __host__ __device__ float4 operator/(float4 a, float b) {
    return make_float4(a.x / b, a.y / b, a.z / b, a.w / b);
}
inline __host__ __device__ float4 operator/(float b, float4 a) {
    return make_float4(b / a.x, b / a.y, b / a.z, b / a.w);
}
inline __host__ __device__ void operator/=(float4& a, float4 b) { a.x /= b.x; a.y /= b.y; a.z /= b.z; a.w /= b.w; }
inline __host__ __device__ void operator/=(float4& a, float b) { a.x /= b; a.y /= b; a.z /= b; a.w /= b; }
inline __host__ __device__ float4 fminf(float4 a, float4 b) {
    return make_float4(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z), fminf(a.w, b.w));
}
inline __host__ __device__ float4 fmaxf(float4 a, float4 b) {
    return make_float4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w));
}
inline __host__ __device__ float4 clamp(float4 v, float a, float b) {
    return make_float4(fmaxf(a, fminf(v.x, b)), fmaxf(a, fminf(v.y, b)), fmaxf(a, fminf(v.z, b)), fmaxf(a,
        fminf(v.w, b)));
}
inline __host__ __device__ float4 clamp(float4 v, float4 a, float4 b) {
    return make_float4(fmaxf(a.x, fminf(v.x, b.x)), fmaxf(a.y, fminf(v.y, b.y)), fmaxf(a.z, fminf(v.z, b.z)),
        fmaxf(a.w, fminf(v.w, b.w)));
}
inline __host__ __device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline __host__ __device__ float4 lerp(float4 a, float4 b, float t) { return a + t * (b - a); }
inline __host__ __device__ float length(float4 v) { return sqrtf(dot(v, v)); }
inline __host__ __device__ float4 normalize(float4 v) { return v * rsqrtf(dot(v, v)); }
inline __host__ __device__ float4 floorf(float4 v) {
    return make_float4(floorf(v.x), floorf(v.y), floorf(v.z), floorf(v.w));
}
inline __host__ __device__ float4 fracf(float4 v) {
    return make_float4(v.x - floorf(v.x), v.y - floorf(v.y), v.z - floorf(v.z), v.w - floorf(v.w));
}
inline __host__ __device__ float4 fmodf(float4 a, float4 b) {
    return make_float4(fmodf(a.x, b.x), fmodf(a.y, b.y), fmodf(a.z, b.z), fmodf(a.w, b.w));
}
inline __host__ __device__ float4 fabs(float4 v) {
    return make_float4(fabsf(v.x), fabsf(v.y), fabsf(v.z), fabsf(v.w));
}
inline __host__ __device__ float4 smoothstep(float4 a, float4 b, float4 x) {
    float4 y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (make_float4(3.0f, 3.0f, 3.0f, 3.0f) - make_float4(2.0f, 2.0f, 2.0f, 2.0f) * y);
}
inline __host__ __device__ int2 make_int2(int s) { return make_int2(s, s); }
inline __host__ __device__ int2 make_int2(int3 a) { return make_int2(a.x, a.y); }
inline __host__ __device__ int2 make_int2(float2 a) { return make_int2((int)a.x, (int)a.y); }
inline __host__ __device__ int2 make_int2(uint2 a) { return make_int2((int)a.x, (int)a.y); }
inline __host__ __device__ int2 operator-(const int2& a) { return make_int2(-a.x, -a.y); }
inline __host__ __device__ int2 operator+(int2 a, int2 b) { return make_int2(a.x + b.x, a.y + b.y); }
inline __host__ __device__ int2 operator+(int2 a, int b) { return make_int2(a.x + b, a.y + b); }
inline __host__ __device__ int2 operator+(int b, int2 a) { return make_int2(b + a.x, b + a.y); }
inline __host__ __device__ void operator+=(int2& a, int2 b) { a.x += b.x; a.y += b.y; }
inline __host__ __device__ void operator+=(int2& a, int b) { a.x += b; a.y += b; }
inline __host__ __device__ int2 operator-(int2 a, int2 b) { return make_int2(a.x - b.x, a.y - b.y); }
inline __host__ __device__ int2 operator-(int2 a, int b) { return make_int2(a.x - b, a.y - b); }
inline __host__ __device__ int2 operator-(int b, int2 a) { return make_int2(b - a.x, b - a.y); }
inline __host__ __device__ void operator-=(int2& a, int2 b) { a.x -= b.x; a.y -= b.y; }
inline __host__ __device__ void operator-=(int2& a, int b) { a.x -= b; a.y -= b; }
inline __host__ __device__ int2 operator*(int2 a, int2 b) { return make_int2(a.x * b.x, a.y * b.y); }
inline __host__ __device__ int2 operator*(int2 a, int b) { return make_int2(a.x * b, a.y * b); }
inline __host__ __device__ int2 operator*(int b, int2 a) { return make_int2(b * a.x, b * a.y); }
inline __host__ __device__ void operator*=(int2& a, int2 b) { a.x *= b.x; a.y *= b.y; }
inline __host__ __device__ void operator*=(int2& a, int b) { a.x *= b; a.y *= b; }
inline __host__ __device__ int2 min(int2 a, int2 b) { return make_int2(min(a.x, b.x), min(a.y, b.y)); }
inline __host__ __device__ int2 max(int2 a, int2 b) { return make_int2(max(a.x, b.x), max(a.y, b.y)); }
inline __host__ __device__ int2 clamp(int2 v, int a, int b) {
    return make_int2(max(a, min(v.x, b)), max(a, min(v.y, b)));
}
inline __host__ __device__ int2 clamp(int2 v, int2 a, int2 b) {
    return make_int2(max(a.x, min(v.x, b.x)), max(a.y, min(v.y, b.y)));
}
inline __host__ __device__ int dot(int2 a, int2 b) { return a.x * b.x + a.y * b.y; }
inline __host__ __device__ int2 abs(int2 v) { return make_int2(abs(v.x), abs(v.y)); }
inline __host__ __device__ int3 make_int3(int s) { return make_int3(s, s, s); }
inline __host__ __device__ int3 make_int3(int2 a) { return make_int3(a.x, a.y, 0); }
inline __host__ __device__ int3 make_int3(int2 a, int s) { return make_int3(a.x, a.y, s); }
inline __host__ __device__ int3 make_int3(int4 a) { return make_int3(a.x, a.y, a.z); }
inline __host__ __device__ int3 make_int3(float3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }
inline __host__ __device__ int3 make_int3(uint3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }
inline __host__ __device__ int3 operator-(const int3& a) { return make_int3(-a.x, -a.y, -a.z); }
inline __host__ __device__ int3 operator+(int3 a, int3 b) { return make_int3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ int3 operator+(int3 a, int b) { return make_int3(a.x + b, a.y + b, a.z + b); }
inline __host__ __device__ int3 operator+(int b, int3 a) { return make_int3(b + a.x, b + a.y, b + a.z); }
inline __host__ __device__ void operator+=(int3& a, int3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
inline __host__ __device__ void operator+=(int3& a, int b) { a.x += b; a.y += b; a.z += b; }
inline __host__ __device__ int3 operator-(int3 a, int3 b) { return make_int3(a.x - b.x, a.y - b.y, a.z - b.z); }
inline __host__ __device__ int3 operator-(int3 a, int b) { return make_int3(a.x - b, a.y - b, a.z - b); }
inline __host__ __device__ int3 operator-(int b, int3 a) { return make_int3(b - a.x, b - a.y, b - a.z); }
inline __host__ __device__ void operator-=(int3& a, int3 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; }
inline __host__ __device__ void operator-=(int3& a, int b) { a.x -= b; a.y -= b; a.z -= b; }
inline __host__ __device__ int3 operator*(int3 a, int3 b) { return make_int3(a.x * b.x, a.y * b.y, a.z * b.z); }
inline __host__ __device__ int3 operator*(int3 a, int b) { return make_int3(a.x * b, a.y * b, a.z * b); }
inline __host__ __device__ int3 operator*(int b, int3 a) { return make_int3(b * a.x, b * a.y, b * a.z); }
inline __host__ __device__ void operator*=(int3& a, int3 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; }
inline __host__ __device__ void operator*=(int3& a, int b) { a.x *= b; a.y *= b; a.z *= b; }
inline __host__ __device__ int3 min(int3 a, int3 b) { return make_int3(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)); }
inline __host__ __device__ int3 max(int3 a, int3 b) { return make_int3(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)); }
inline __host__ __device__ int3 clamp(int3 v, int a, int b) {
    return make_int3(max(a, min(v.x, b)), max(a, min(v.y, b)), max(a, min(v.z, b)));
}
inline __host__ __device__ int3 clamp(int3 v, int3 a, int3 b) {
    return make_int3(max(a.x, min(v.x, b.x)), max(a.y, min(v.y, b.y)), max(a.z, min(v.z, b.z)));
}
inline __host__ __device__ int dot(int3 a, int3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __host__ __device__ int3 abs(int3 v) { return make_int3(abs(v.x), abs(v.y), abs(v.z)); }
inline __host__ __device__ int4 make_int4(int s) { return make_int4(s, s, s, s); }
inline __host__ __device__ int4 make_int4(int2 a) { return make_int4(a.x, a.y, 0, 0); }
inline __host__ __device__ int4 make_int4(int3 a) { return make_int4(a.x, a.y, a.z, 0); }
inline __host__ __device__ int4 make_int4(int3 a, int w) { return make_int4(a.x, a.y, a.z, w); }
inline __host__ __device__ int4 make_int4(float4 a) { return make_int4((int)a.x, (int)a.y, (int)a.z, (int)a.w); }
inline __host__ __device__ int4 make_int4(uint4 a) { return make_int4((int)a.x, (int)a.y, (int)a.z, (int)a.w); }
inline __host__ __device__ int4 operator-(const int4& a) { return make_int4(-a.x, -a.y, -a.z, -a.w); }
inline __host__ __device__ int4 operator+(int4 a, int4 b) {
    return make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
inline __host__ __device__ int4 operator+(int4 a, int b) { return make_int4(a.x + b, a.y + b, a.z + b, a.w + b); }
inline __host__ __device__ int4 operator+(int b, int4 a) { return make_int4(b + a.x, b + a.y, b + a.z, b + a.w); }
inline __host__ __device__ void operator+=(int4& a, int4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
inline __host__ __device__ void operator+=(int4& a, int b) { a.x += b; a.y += b; a.z += b; a.w += b; }
inline __host__ __device__ int4 operator-(int4 a, int4 b) {
    return make_int4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}
inline __host__ __device__ int4 operator-(int4 a, int b) { return make_int4(a.x - b, a.y - b, a.z - b, a.w - b); }
inline __host__ __device__ int4 operator-(int b, int4 a) { return make_int4(b - a.x, b - a.y, b - a.z, b - a.w); }
inline __host__ __device__ void operator-=(int4& a, int4 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; a.w -= b.w; }
inline __host__ __device__ void operator-=(int4& a, int b) { a.x -= b; a.y -= b; a.z -= b; a.w -= b; }
inline __host__ __device__ int4 operator*(int4 a, int4 b) {
    return make_int4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}
inline __host__ __device__ int4 operator*(int4 a, int b) { return make_int4(a.x * b, a.y * b, a.z * b, a.w * b); }
inline __host__ __device__ int4 operator*(int b, int4 a) { return make_int4(b * a.x, b * a.y, b * a.z, b * a.w); }
inline __host__ __device__ void operator*=(int4& a, int4 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; a.w *= b.w; }
inline __host__ __device__ void operator*=(int4& a, int b) { a.x *= b; a.y *= b; a.z *= b; a.w *= b; }
inline __host__ __device__ int4 min(int4 a, int4 b) {
    return make_int4(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w));
}
inline __host__ __device__ int4 max(int4 a, int4 b) {
    return make_int4(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w));
}
inline __host__ __device__ int4 clamp(int4 v, int a, int b) {
    return make_int4(max(a, min(v.x, b)), max(a, min(v.y, b)), max(a, min(v.z, b)), max(a, min(v.w, b)));
}
inline __host__ __device__ int4 clamp(int4 v, int4 a, int4 b) {
    return make_int4(max(a.x, min(v.x, b.x)), max(a.y, min(v.y, b.y)), max(a.z, min(v.z, b.z)), max(a.w,
        min(v.w, b.w)));
}
inline __host__ __device__ int dot(int4 a, int4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline __host__ __device__ int4 abs(int4 v) { return make_int4(abs(v.x), abs(v.y), abs(v.z), abs(v.w)); }
inline __host__ __device__ uint2 make_uint2(unsigned int s) { return make_uint2(s, s); }
inline __host__ __device__ uint2 make_uint2(uint3 a) { return make_uint2(a.x, a.y); }
inline __host__ __device__ uint2 make_uint2(int2 a) { return make_uint2((unsigned int)a.x, (unsigned int)a.y); }
inline __host__ __device__ uint2 operator+(uint2 a, uint2 b) { return make_uint2(a.x + b.x, a.y + b.y); }
inline __host__ __device__ uint2 operator+(uint2 a, unsigned int b) { return make_uint2(a.x + b, a.y + b); }
inline __host__ __device__ uint2 operator+(unsigned int b, uint2 a) { return make_uint2(b + a.x, b + a.y); }
inline __host__ __device__ void operator+=(uint2& a, uint2 b) { a.x += b.x; a.y += b.y; }
inline __host__ __device__ void operator+=(uint2& a, unsigned int b) { a.x += b; a.y += b; }
inline __host__ __device__ uint2 operator-(uint2 a, uint2 b) { return make_uint2(a.x - b.x, a.y - b.y); }
inline __host__ __device__ uint2 operator-(uint2 a, unsigned int b) { return make_uint2(a.x - b, a.y - b); }
inline __host__ __device__ uint2 operator-(unsigned int b, uint2 a) { return make_uint2(b - a.x, b - a.y); }
inline __host__ __device__ void operator-=(uint2& a, uint2 b) { a.x -= b.x; a.y -= b.y; }
inline __host__ __device__ void operator-=(uint2& a, unsigned int b) { a.x -= b; a.y -= b; }
inline __host__ __device__ uint2 operator*(uint2 a, uint2 b) { return make_uint2(a.x * b.x, a.y * b.y); }
inline __host__ __device__ uint2 operator*(uint2 a, unsigned int b) { return make_uint2(a.x * b, a.y * b); }
inline __host__ __device__ uint2 operator*(unsigned int b, uint2 a) { return make_uint2(b * a.x, b * a.y); }
inline __host__ __device__ void operator*=(uint2& a, uint2 b) { a.x *= b.x; a.y *= b.y; }
inline __host__ __device__ void operator*=(uint2& a, unsigned int b) { a.x *= b; a.y *= b; }
inline __host__ __device__ uint2 min(uint2 a, uint2 b) { return make_uint2(min(a.x, b.x), min(a.y, b.y)); }
inline __host__ __device__ uint2 max(uint2 a, uint2 b) { return make_uint2(max(a.x, b.x), max(a.y, b.y)); }
inline __host__ __device__ uint2 clamp(uint2 v, unsigned int a, unsigned int b) {
    return make_uint2(max(a, min(v.x, b)), max(a, min(v.y, b)));
}
inline __host__ __device__ uint2 clamp(uint2 v, uint2 a, uint2 b) {
    return make_uint2(max(a.x, min(v.x, b.x)), max(a.y, min(v.y, b.y)));
}
inline __host__ __device__ unsigned int dot(uint2 a, uint2 b) { return a.x * b.x + a.y * b.y; }
inline __host__ __device__ uint3 make_uint3(unsigned int s) { return make_uint3(s, s, s); }
inline __host__ __device__ uint3 make_uint3(uint2 a) { return make_uint3(a.x, a.y, 0); }
inline __host__ __device__ uint3 make_uint3(uint2 a, unsigned int s) { return make_uint3(a.x, a.y, s); }
inline __host__ __device__ uint3 make_uint3(uint4 a) { return make_uint3(a.x, a.y, a.z); }
inline __host__ __device__ uint3 make_uint3(int3 a) {
    return make_uint3((unsigned int)a.x, (unsigned int)a.y, (unsigned int)a.z);
}
inline __host__ __device__ uint3 operator+(uint3 a, uint3 b) { return make_uint3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ uint3 operator+(uint3 a, unsigned int b) { return make_uint3(a.x + b, a.y + b, a.z + b); }
inline __host__ __device__ uint3 operator+(unsigned int b, uint3 a) { return make_uint3(b + a.x, b + a.y, b + a.z); }
inline __host__ __device__ void operator+=(uint3& a, uint3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
inline __host__ __device__ void operator+=(uint3& a, unsigned int b) { a.x += b; a.y += b; a.z += b; }
inline __host__ __device__ uint3 operator-(uint3 a, uint3 b) { return make_uint3(a.x - b.x, a.y - b.y, a.z - b.z); }
inline __host__ __device__ uint3 operator-(uint3 a, unsigned int b) { return make_uint3(a.x - b, a.y - b, a.z - b); }
inline __host__ __device__ uint3 operator-(unsigned int b, uint3 a) { return make_uint3(b - a.x, b - a.y, b - a.z); }
inline __host__ __device__ void operator-=(uint3& a, uint3 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; }
inline __host__ __device__ void operator-=(uint3& a, unsigned int b) { a.x -= b; a.y -= b; a.z -= b; }
inline __host__ __device__ uint3 operator*(uint3 a, uint3 b) { return make_uint3(a.x * b.x, a.y * b.y, a.z * b.z); }
inline __host__ __device__ uint3 operator*(uint3 a, unsigned int b) { return make_uint3(a.x * b, a.y * b, a.z * b); }
inline __host__ __device__ uint3 operator*(unsigned int b, uint3 a) { return make_uint3(b * a.x, b * a.y, b * a.z); }
inline __host__ __device__ void operator*=(uint3& a, uint3 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; }
inline __host__ __device__ void operator*=(uint3& a, unsigned int b) { a.x *= b; a.y *= b; a.z *= b; }
inline __host__ __device__ uint3 min(uint3 a, uint3 b) {
    return make_uint3(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z));
}
inline __host__ __device__ uint3 max(uint3 a, uint3 b) {
    return make_uint3(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z));
}
inline __host__ __device__ uint3 clamp(uint3 v, unsigned int a, unsigned int b) {
    return make_uint3(max(a, min(v.x, b)), max(a, min(v.y, b)), max(a, min(v.z, b)));
}
inline __host__ __device__ uint3 clamp(uint3 v, uint3 a, uint3 b) {
    return make_uint3(max(a.x, min(v.x, b.x)), max(a.y, min(v.y, b.y)), max(a.z, min(v.z, b.z)));
}
inline __host__ __device__ unsigned int dot(uint3 a, uint3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __host__ __device__ uint4 make_uint4(unsigned int s) { return make_uint4(s, s, s, s); }
inline __host__ __device__ uint4 make_uint4(uint2 a) { return make_uint4(a.x, a.y, 0, 0); }
inline __host__ __device__ uint4 make_uint4(uint3 a) { return make_uint4(a.x, a.y, a.z, 0); }
inline __host__ __device__ uint4 make_uint4(uint3 a, unsigned int w) { return make_uint4(a.x, a.y, a.z, w); }
inline __host__ __device__ uint4 make_uint4(int4 a) {
    return make_uint4((unsigned int)a.x, (unsigned int)a.y, (unsigned int)a.z, (unsigned int)a.w);
}
inline __host__ __device__ uint4 operator+(uint4 a, uint4 b) {
    return make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
inline __host__ __device__ uint4 operator+(uint4 a, unsigned int b) {
    return make_uint4(a.x + b, a.y + b, a.z + b, a.w + b);
}
inline __host__ __device__ uint4 operator+(unsigned int b, uint4 a) {
    return make_uint4(b + a.x, b + a.y, b + a.z, b + a.w);
}
inline __host__ __device__ void operator+=(uint4& a, uint4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
inline __host__ __device__ void operator+=(uint4& a, unsigned int b) { a.x += b; a.y += b; a.z += b; a.w += b; }
inline __host__ __device__ uint4 operator-(uint4 a, uint4 b) {
    return make_uint4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}
inline __host__ __device__ uint4 operator-(uint4 a, unsigned int b) {
    return make_uint4(a.x - b, a.y - b, a.z - b, a.w - b);
}
inline __host__ __device__ uint4 operator-(unsigned int b, uint4 a) {
    return make_uint4(b - a.x, b - a.y, b - a.z, b - a.w);
}
inline __host__ __device__ void operator-=(uint4& a, uint4 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; a.w -= b.w; }
inline __host__ __device__ void operator-=(uint4& a, unsigned int b) { a.x -= b; a.y -= b; a.z -= b; a.w -= b; }
inline __host__ __device__ uint4 operator*(uint4 a, uint4 b) {
    return make_uint4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}
inline __host__ __device__ uint4 operator*(uint4 a, unsigned int b) {
    return make_uint4(a.x * b, a.y * b, a.z * b, a.w * b);
}
inline __host__ __device__ uint4 operator*(unsigned int b, uint4 a) {
    return make_uint4(b * a.x, b * a.y, b * a.z, b * a.w);
}
inline __host__ __device__ void operator*=(uint4& a, uint4 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; a.w *= b.w; }
inline __host__ __device__ void operator*=(uint4& a, unsigned int b) { a.x *= b; a.y *= b; a.z *= b; a.w *= b; }
inline __host__ __device__ uint4 min(uint4 a, uint4 b) {
    return make_uint4(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w));
}
inline __host__ __device__ uint4 max(uint4 a, uint4 b) {
    return make_uint4(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w));
}
inline __host__ __device__ uint4 clamp(uint4 v, unsigned int a, unsigned int b) {
    return make_uint4(max(a, min(v.x, b)), max(a, min(v.y, b)), max(a, min(v.z, b)), max(a, min(v.w, b)));
}
inline __host__ __device__ uint4 clamp(uint4 v, uint4 a, uint4 b) {
    return make_uint4(max(a.x, min(v.x, b.x)), max(a.y, min(v.y, b.y)), max(a.z, min(v.z, b.z)), max(a.w,
        min(v.w, b.w)));
}
inline __host__ __device__ unsigned int dot(uint4 a, uint4 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
inline __host__ __device__ float3 cross(float3 a, float3 b) {
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
