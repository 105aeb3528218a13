// The sum of each row of x, as in rows.cu, but each lane loads pieces
// of 16 bytes, four words at once. Rows are `pieces` such pieces long.

extern "C" __global__ void sum_rows_in_pieces(
        const float4* x, float* sums, int rows, int pieces) {
    extern __shared__ float4 tile[];
    int first = blockIdx.x * 32;
    int t = threadIdx.x;
    for (int row = 0; row < 32; ++row) {
        for (int piece = t; piece < pieces; piece += 32) {
            if (first + row < rows) {
                tile[row * pieces + piece] =
                        x[(first + row) * pieces + piece];
            }
        }
    }
    __syncthreads();
    if (first + t < rows) {
        float sum = 0.0f;
        for (int piece = 0; piece < pieces; ++piece) {
            float4 four = tile[t * pieces + piece];
            sum += (four.x + four.y) + (four.z + four.w);
        }
        sums[first + t] = sum;
    }
}
