// How long does one load take? A thread follows a chain through memory:
// each load says where the next one goes, so no two of them can
// overlap.

// Nodes of the chain stand so many ints apart: one to a line of 128
// bytes.
#define APART 32

// Lays the chain: one warp a node, and one lane an int of its line, so
// that whole lines are written. Each node names the one that lies
// `jump` further, and the last ones go on at the start.
extern "C" __global__ void lay(int* chain, int nodes, int jump) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int node = i / APART;
    if (node < nodes) {
        chain[i] = (node + jump) % nodes;
    }
}

// Follows it, with one thread, and says where it arrived.
extern "C" __global__ void chase(const int* chain, int* end, int hops) {
    int node = 0;
    for (int hop = 0; hop < hops; hop++) {
        node = chain[node * APART];
    }
    end[0] = node;
}
