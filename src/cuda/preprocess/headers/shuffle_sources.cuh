// The lanes that shuffles read whose width only the run tells: the rules of `shfl.sync` in the PTX instruction set.
__device__ inline int __shuffle_lane() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31;
}
// For a width of 8: 24, the bits of a lane that number its segment.
__device__ inline int __shuffle_segment(int width) { return (32 - width) & 31; }
__device__ inline int __shuffle_source(int lane, int width) {
    int segment = __shuffle_segment(width);
    return (__shuffle_lane() & segment) | (lane & 31 & ~segment);
}
__device__ inline int __shuffle_source_up(unsigned int delta, int width) {
    int lane = __shuffle_lane(), source = lane - (int)(delta & 31);
    return source >= (lane & __shuffle_segment(width)) ? source : lane;
}
__device__ inline int __shuffle_source_down(unsigned int delta, int width) {
    int lane = __shuffle_lane(), source = lane + (int)(delta & 31);
    return source <= (lane | (31 & ~__shuffle_segment(width))) ? source : lane;
}
__device__ inline int __shuffle_source_xor(int mask, int width) {
    int lane = __shuffle_lane(), source = lane ^ (mask & 31);
    return source <= (lane | (31 & ~__shuffle_segment(width))) ? source : lane;
}
