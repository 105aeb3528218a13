// GeLU of each element, one kernel an operation, as an array library does
// it that runs each operation when it meets it. Every operation reads its
// operands from memory and writes its result there.

// out = 0.044715 * in
extern "C" __global__ void times_cubic(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 0.044715f * in[i];
    }
}

// out = a * b
extern "C" __global__ void multiply(const float* a, const float* b,
                                    float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] * b[i];
    }
}

// out = a + b
extern "C" __global__ void add(const float* a, const float* b,
                               float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}

// out = sqrt(2 / pi) * in
extern "C" __global__ void times_scale(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 0.7978845608f * in[i];
    }
}

// out = tanh(in)
extern "C" __global__ void tanh_of(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = tanhf(in[i]);
    }
}

// out = 1 + in
extern "C" __global__ void one_plus(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 1.0f + in[i];
    }
}

// out = in / 2
extern "C" __global__ void half_of(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 0.5f * in[i];
    }
}
