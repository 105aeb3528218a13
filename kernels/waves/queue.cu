// The queue of blocks, played by one thread.

// Notes with which block each wave begins.
extern "C" __global__ void queue(int* first, int blocks, int seats) {
    int next = 0;
    int wave = 0;
    while (next < blocks) {
        first[wave] = next;
        next += seats;
        wave += 1;
    }
}
