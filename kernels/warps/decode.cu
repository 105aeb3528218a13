// Elements of two kinds. Some are stored as they are, in four bytes;
// the others as a code of one byte, and a table says which value it
// stands for. `run` neighbours are of one kind, then `run` of the
// other.

extern "C" __global__ void decode(
        const float* plain, const unsigned char* codes,
        const float* table, float* y, int count, int run) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float value;
        if ((i / run) % 2 == 0) {
            value = plain[i];
        } else {
            value = table[codes[i]];
        }
        y[i] = value;
    }
}
