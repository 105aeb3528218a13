// How many elements of each row are not zero, one warp per row. Each
// lane has one yes or no; a vote hands all 32 of them to every lane as
// the bits of one number, and the bits are counted.

extern "C" __global__ void count_rows(
        const float* x, int* y, int columns) {
    const float* row = x + blockIdx.x * columns;
    int total = 0;
    // All lanes go round together, those past the end too: they vote
    // no.
    for (int first = 0; first < columns; first += 32) {
        int column = first + threadIdx.x;
        bool found = false;
        if (column < columns) {
            found = row[column] != 0.0f;
        }
        unsigned votes = __ballot_sync(0xffffffff, found);
        total += __popc(votes);
    }
    if (threadIdx.x == 0) {
        y[blockIdx.x] = total;
    }
}
