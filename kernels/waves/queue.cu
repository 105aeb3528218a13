// The queue of blocks, played by one thread. A GPU has so many seats: one
// for each block that its SMs hold at once. When all seats are taken, the
// rest of the blocks wait; if all blocks take equally long, the seats
// become free together, and the next blocks sit down: a wave.

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
