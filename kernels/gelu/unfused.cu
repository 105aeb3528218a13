// GeLU of each element, one kernel per operation, as an array library
// does it that runs each operation when it meets it. Every operation
// reads its operands from memory and writes its result there. Numbers
// that are the same for all elements, such as `factor`, come with the
// launch.

// out = factor * in
extern "C" __global__ void scale(
        const float* in, float factor, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = factor * in[i];
    }
}

// out = number + in
extern "C" __global__ void shift(
        const float* in, float number, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = number + in[i];
    }
}

// out = a * b
extern "C" __global__ void multiply(
        const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] * b[i];
    }
}

// out = a + b
extern "C" __global__ void add(
        const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}

// out = tanh(in)
extern "C" __global__ void tanh_of(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = tanhf(in[i]);
    }
}
