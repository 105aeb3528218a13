// What counts the accesses of the text below. The host launches tutor_attach, then tutor_range for
// each buffer; without them nothing is counted.
__device__ unsigned long long* tutor_side;

extern "C" __global__ void tutor_attach(unsigned long long* side) { tutor_side = side; }

extern "C" __global__ void tutor_range(int index, const void* begin, unsigned long long bytes,
                                       int element_bytes, unsigned long long bits) {
    unsigned long long* range = tutor_side + 1 + tutor_counters * 8 + index * 4;
    range[0] = (unsigned long long)begin;
    range[1] = bytes;
    range[2] = element_bytes;
    range[3] = bits;
    if (tutor_side[0] < index + 1) tutor_side[0] = index + 1;
}

// Elements of buffers that one lane's access touches, or 0 outside of all buffers; their bits are set.
__device__ inline unsigned int tutor_elements(unsigned long long address, unsigned int width, int kind) {
    int count = tutor_side[0];
    for (int index = 0; index < count; ++index) {
        unsigned long long* range = tutor_side + 1 + tutor_counters * 8 + index * 4;
        unsigned long long offset = address - range[0];
        if (address >= range[0] && offset < range[1]) {
            unsigned long long first = offset / range[2];
            unsigned long long last = (offset + width - 1) / range[2];
            unsigned long long words = (range[1] / range[2] + 63) / 64;
            unsigned long long* bits = tutor_side + range[3] + (kind == 0 ? 0 : words);
            for (unsigned long long at = first; kind < 2 && at <= last; ++at) {
                if ((bits[at / 64] >> at % 64 & 1) == 0) atomicOr(bits + at / 64, 1ull << at % 64);
            }
            return last - first + 1;
        }
    }
    return 0;
}

// Lanes of the mask whose value no lower lane of it has.
__device__ inline unsigned int tutor_distinct(unsigned int mask, unsigned int lane, unsigned long long value) {
    unsigned int same = __match_any_sync(mask, value);
    return __popc(__ballot_sync(mask, __ffs(same) - 1 == lane));
}

// Sum of numbers below 32.
__device__ inline unsigned int tutor_sum(unsigned int mask, unsigned int value) {
    unsigned int sum = 0;
    for (int bit = 0; bit < 5; ++bit) sum += __popc(__ballot_sync(mask, value >> bit & 1)) << bit;
    return sum;
}

// Sectors that an atomic operation moves: each as often as lanes meet at its busiest address.
__device__ inline unsigned int tutor_turns(unsigned int mask, unsigned int lane, unsigned long long address) {
    unsigned int lanes = __popc(__match_any_sync(mask, address));
    unsigned int sector = __match_any_sync(mask, address / 32);
    unsigned int most = 0;
    for (unsigned int rest = mask; rest != 0; rest &= rest - 1) {
        int other = __ffs(rest) - 1;
        unsigned int theirs = __shfl_sync(mask, lanes, other);
        if ((sector >> other & 1) != 0 && theirs > most) most = theirs;
    }
    unsigned int sum = 0;
    unsigned int mine = __ffs(sector) - 1 == lane ? most : 0;
    for (int bit = 0; bit < 6; ++bit) sum += __popc(__ballot_sync(mask, mine >> bit & 1)) << bit;
    return sum;
}

// Lanes that came to a statement together go on together. A call, since a compiler may copy what stands behind
// a branch, and lanes that wait for each other in two copies are still apart.
__device__ __noinline__ void tutor_meet(unsigned int lanes) { __syncwarp(lanes); }

// One access of the warp, by the lanes that are here: kind is 0 of a load, 1 of a store, 2 of an atomic.
// Not inlined: unrolled loops would have it hundreds of times, and compilers would take minutes. Then a compiler may
// also make one call of those of two branches, so lanes that are here for another access are told apart.
__device__ __noinline__ void tutor_access(int site, const void* place, unsigned int width, int kind) {
    if (tutor_side == nullptr) return;
    unsigned int here = __match_any_sync(__activemask(), site);
    unsigned int lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
    unsigned int shared = __ballot_sync(here, __isShared(place) != 0);
    unsigned int global = __ballot_sync(here, __isGlobal(place) != 0);
    unsigned long long* counters = tutor_side + 1 + site * 8;
    unsigned long long address = (unsigned long long)place;
    if ((shared >> lane & 1) != 0) {
        if (lane == __ffs(shared) - 1) atomicAdd(counters + 7, 1ull);
    } else if ((global >> lane & 1) != 0) {
        unsigned int elements = tutor_elements(address, width, kind);
        unsigned int outside = __popc(__ballot_sync(global, elements == 0));
        unsigned int all = tutor_sum(global, elements);
        unsigned int sectors = kind == 2 ? tutor_turns(global, lane, address) : tutor_distinct(global, lane, address / 32);
        unsigned int lines = tutor_distinct(global, lane, address / 128);
        unsigned int used = tutor_distinct(global, lane, address);
        if (lane == __ffs(global) - 1) {
            atomicAdd(counters, 1ull);
            atomicAdd(counters + 1, (unsigned long long)all);
            atomicAdd(counters + 2, (unsigned long long)(__popc(global) * width));
            atomicAdd(counters + 3, (unsigned long long)(used * width));
            atomicAdd(counters + 4, (unsigned long long)sectors);
            atomicAdd(counters + 5, (unsigned long long)lines);
            atomicAdd(counters + 6, (unsigned long long)(outside * width));
        }
    }
}

// Values of up to 16 bytes are moved at once, where their alignment allows.
template <class T> __device__ inline void tutor_accesses(int site, const void* place, int kind) {
    const unsigned int width = alignof(T) < 16 ? alignof(T) : 16;
    for (unsigned int at = 0; at < sizeof(T); at += width) {
        tutor_access(site, (const char*)place + at, width, kind);
    }
}

template <int SITE, class T> __device__ inline T& tutor_load(T& place) {
    tutor_accesses<T>(SITE, (const void*)&place, 0);
    return place;
}
template <int SITE, class T> __device__ inline T& tutor_store(T& place) {
    tutor_accesses<T>(SITE, (const void*)&place, 1);
    return place;
}
template <int LOAD, int STORE, class T> __device__ inline T& tutor_update(T& place) {
    tutor_accesses<T>(LOAD, (const void*)&place, 0);
    tutor_accesses<T>(STORE, (const void*)&place, 1);
    return place;
}
template <int SITE, class T> __device__ inline T* tutor_load_at(T* place) {
    tutor_accesses<T>(SITE, (const void*)place, 0);
    return place;
}
template <int SITE, class T> __device__ inline T* tutor_store_at(T* place) {
    tutor_accesses<T>(SITE, (const void*)place, 1);
    return place;
}
template <int SITE, class T> __device__ inline T* tutor_atomic(T* place) {
    tutor_accesses<T>(SITE, (const void*)place, 2);
    return place;
}
