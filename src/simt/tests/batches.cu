// A row a warp: the row in registers, in loops that are unrolled, and shuffles between them.
extern "C" __global__ void rows_by_shuffles(const float* x, float* y, int n) {
    const float* in = x + threadIdx.x / 32 * 50;
    float* out = y + threadIdx.x / 32 * 32;
    float values[5];
    float most = -1e30f;
    for (int i = 0; i < 5; ++i) {
        values[i] = in[i * 32 + threadIdx.x % 32];
        most = fmaxf(most, values[i]);
    }
    for (int step = 16; step > 0; step /= 2) {
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
    }
    float sum = 0.0f;
    for (int i = 0; i < 5; ++i) {
        values[i] = expf(values[i] - most);
        sum += values[i];
    }
    out[threadIdx.x % 32] = sum;
}

extern "C" __global__ void copy(const float* x, float* y, int n) {
    int t = threadIdx.x;
    y[t] = x[t] + 1.0f;
}

extern "C" __global__ void strided_and_backwards(const float* x, float* y, int n) {
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < 40; ++i) {
        sum += x[(t * 3 + i * 5) % n] * x[n - 1 - (t + i) % n] + x[i];
    }
    y[t * 2 % n] = sum;
}

extern "C" __global__ void tiles(const float* x, float* y, int n) {
    __shared__ float tile[16][17];
    int tx = threadIdx.x % 16;
    int ty = threadIdx.x / 16 % 16;
    float sum = 0.0f;
    for (int round = 0; round < 3; ++round) {
        tile[ty][tx] = x[(round * 256 + ty * 16 + tx) % n];
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            sum += tile[ty][k] * tile[k][tx];
        }
        __syncthreads();
    }
    y[threadIdx.x] = sum;
}

// A barrier is missing: what is read depends on the order of warps.
extern "C" __global__ void race(const float* x, float* y, int n) {
    __shared__ float tile[512];
    int t = threadIdx.x;
    tile[t] = x[t];
    y[t] = tile[(t + 40) % blockDim.x];
}

extern "C" __global__ void in_place(const float* x, float* y, int n) {
    int t = threadIdx.x;
    for (int i = 0; i < 4; ++i) {
        y[t] = y[(t + 33) % n] + x[t] + i;
    }
}

// Warps part at different places, and meet again at the barrier.
extern "C" __global__ void parting(const float* x, float* y, int n) {
    __shared__ float partial[512];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < t % 7 + t / 64; ++i) {
        if (i % 3 == t % 3) {
            continue;
        }
        sum += x[(t + i * 32) % n];
        if (sum > 200.0f) {
            break;
        }
    }
    partial[t] = sum;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) {
            partial[t] += partial[t + step];
        }
        __syncthreads();
    }
    if (t % 32 == 0) {
        y[t] = partial[0];
    }
}

extern "C" __global__ void local_and_wide(const float* x, float* y, int n) {
    float kept[8];
    int t = threadIdx.x;
    for (int i = 0; i < 8; ++i) {
        kept[i] = x[(t + i * 97) % n];
    }
    float4 four = ((const float4*)x)[t % (n / 4)];
    float sum = four.x * four.w + four.y - four.z;
    for (int i = 0; i < 8; ++i) {
        sum += kept[(i + t) % 8] * kept[i];
    }
    sum += __shfl_xor_sync(__activemask(), sum, 0);
    y[t] = sum;
}

// Some warp misses the buffer; the first of them in order is told.
extern "C" __global__ void fault_late(const float* x, float* y, int n) {
    int t = threadIdx.x;
    float sum = x[t + (t >= 96 ? n : 0)];
    if (t >= 64) {
        sum += x[t * n];
    }
    y[t] = sum;
}

extern "C" __global__ void fault_in_order(const float* x, float* y, int n) {
    int t = threadIdx.x;
    float sum = x[t >= 200 ? n : t];
    sum += x[t >= 40 ? -1 : t];
    y[t] = sum;
}

// Half of each warp ends early; the rest passes values on.
extern "C" __global__ void some_end(const float* x, float* y, int n) {
    int t = threadIdx.x;
    if (t % 32 >= 16) {
        y[t] = 1.0f;
        return;
    }
    float value = x[t];
    for (int step = 8; step > 0; step /= 2) {
        value += __shfl_down_sync(0xffffffff, value, step, 16);
    }
    y[t] = value;
}

// Values that differ by a known number from warp to warp, kept for the first of them: pointers to
// rows, conditions that some warps meet, loops of a length of their own, and what is left of them.
extern "C" __global__ void rows(const float* x, float* y, int n) {
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + warp;
    const float* mine = x + row * 40;
    float* out = y + row * 32;
    float sum = 0.0f;
    int last = 0;
    for (int i = lane; i < 40; i += 32) {
        if (row * 40 + i < n) {
            sum += mine[i] * (row + 1);
            last = i;
        }
    }
    if (row < 3) {
        sum += row * 100 + last;
    } else if (row == 5) {
        sum -= last;
    }
    for (int i = 0; i < row; ++i) {
        sum += i * 0.5f;
    }
    if (row * 32 + lane < n) {
        out[lane] = sum + row;
    }
}

// Widening of a number that is near its end in the last warps only.
extern "C" __global__ void wraps(const float* x, float* y, int n) {
    int far = 2147483647 - 100 + (int)threadIdx.x / 32 * 20 + (n - 1000);
    long long wide = far;
    unsigned near = 4294967200u + threadIdx.x / 32 * 32 + (n - 1000);
    unsigned long long wider = near;
    y[threadIdx.x] = (float)(wide % 1001) + (float)(wider % 1013) + x[(unsigned)(near % 900)];
}

// A shared array that all warps read alike, written by the first.
extern "C" __global__ void broadcast(const float* x, float* y, int n) {
    __shared__ float table[64];
    int t = threadIdx.x;
    if (t < 32) {
        table[t] = x[t];
        table[t + 32] = x[n - 1 - t];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < 64; ++i) {
        sum = sum * 0.5f + table[i] * table[63 - i] + (i & t);
    }
    __syncthreads();
    if (t % 64 < 32 && t < n) {
        sum += table[t % 64];
    }
    y[t] = sum;
}

// Sums of integers come to the same in any order.
extern "C" __global__ void counts(const float* x, float* y, int n) {
    __shared__ int bins[16];
    __shared__ int most;
    int t = threadIdx.x;
    if (t < 16) {
        bins[t] = 0;
    }
    most = 0;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) {
        atomicAdd(&bins[(int)x[i] % 16], 1);
    }
    __syncthreads();
    atomicMax(&most, bins[t % 16] * 3 % 7);
    __syncthreads();
    if (t < 16) {
        y[t] = bins[t] + most;
    }
}

// Sums and maxima at one place do not.
extern "C" __global__ void histogram(const float* x, float* y, int n) {
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16) {
        bins[t] = 0;
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) {
        atomicAdd(&bins[(int)x[i] % 16], 1);
        atomicMax(&bins[15], i % 50);
    }
    __syncthreads();
    if (t < 16) {
        y[t] = bins[t];
    }
}

// Sums of floats do not: warps keep their order at the one place where they add.
extern "C" __global__ void float_sum(const float* x, float* y, int n) {
    float sum = 0.1f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += x[i] * 0.3f;
    }
    if (threadIdx.x % 3 > 0) {
        atomicAdd(&y[threadIdx.x % 2], sum);
    }
}

// Every warp takes a number, and numbers are given in order.
extern "C" __global__ void tickets(const float* x, float* y, int n) {
    __shared__ int next;
    if (threadIdx.x == 0) {
        next = 0;
    }
    __syncthreads();
    int mine = atomicAdd(&next, 2);
    y[threadIdx.x] = mine + x[mine];
}

// Here a warp adds several times before the next does.
extern "C" __global__ void float_sums_in_a_loop(const float* x, float* y, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&y[0], x[i] * 0.3f);
    }
}

// Steps of a reduction in place: each warp keeps to its own part between two barriers.
extern "C" __global__ void tree(const float* x, float* y, int n) {
    __shared__ float partial[512];
    int t = threadIdx.x;
    partial[t] = x[t % n] * 0.25f;
    __syncthreads();
    int rounds = 0;
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) {
            partial[t] += partial[t + step];
            ++rounds;
        }
        __syncthreads();
    }
    y[t] = partial[0] + rounds;
}

// The same with neighbours, and a race where the number of threads is no power of two.
extern "C" __global__ void neighbours(const float* x, float* y, int n) {
    __shared__ float partial[512];
    int t = threadIdx.x;
    partial[t] = x[t % n];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        int at = 2 * step * t;
        if (at + step < blockDim.x) {
            partial[at] += partial[at + step];
        }
        __syncthreads();
    }
    y[t] = partial[t];
}

// Between two barriers, warps store what others load; later steps are right again.
extern "C" __global__ void meeting(const float* x, float* y, int n) {
    __shared__ float line[512];
    int t = threadIdx.x;
    int count = blockDim.x;
    line[t] = x[t % n];
    __syncthreads();
    for (int round = 0; round < 4; ++round) {
        float left = line[(t + count - 1) % count];
        float right = line[(t + 33) % count];
        line[t] = left + 0.5f * right + round;
        __syncthreads();
    }
    line[t] = line[t] * 2.0f;
    __syncthreads();
    if (t < 64) {
        line[t] += line[count - 1 - t];
    }
    __syncthreads();
    y[t] = line[(t + 1) % count];
}

// Each round loads what no other warp stores.
extern "C" __global__ void halving(const float* x, float* y, int n) {
    __shared__ float partial[512];
    int t = threadIdx.x;
    int rounds = 0;
    partial[t] = x[t];
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) {
            partial[t] += partial[t + step];
        }
        ++rounds;
        __syncthreads();
    }
    if (t == 0) {
        y[0] = partial[0] + rounds;
    }
}

// Rounds within warps at first, and between them later.
extern "C" __global__ void doubling(const float* x, float* y, int n) {
    __shared__ float partial[1024];
    int t = threadIdx.x;
    partial[t] = x[t];
    for (int step = 1; step < blockDim.x; step *= 2) {
        __syncthreads();
        if (t % (2 * step) == 0) {
            partial[t] += partial[t + step];
        }
    }
    y[t] = partial[t];
}

// Barriers are missing: a warp loads what one before it has just stored, and what one behind it
// will store.
extern "C" __global__ void forward(const float* x, float* y, int n) {
    __shared__ float partial[1024];
    int t = threadIdx.x;
    partial[t] = x[t];
    partial[t + 512] = 0.0f;
    __syncthreads();
    for (int round = 0; round < 3; ++round) {
        if (t < 192) {
            partial[t + 32] += partial[t];
        }
        __syncthreads();
        if (t >= 40) {
            partial[t - 33] += partial[t];
        }
        __syncthreads();
    }
    y[t] = partial[t];
}

// What is kept for all warps changes in some of them only.
extern "C" __global__ void some_warps(const float* x, float* y, int n) {
    int t = threadIdx.x;
    int count = 3;
    float sum = 0.0f;
    for (int i = 0; i < 5; ++i) {
        if (t < 40) {
            count += i;
        }
        if (t < 100 * i) {
            sum += x[(t + count) % n];
        }
        if (t < 64) {
            int at = (t + 7) * 1000 * i - 5;
            sum += at >= 0 && at < n ? x[(long long)at] : 1.0f;
        }
    }
    if (t < 64) {
        int far = 2147483600 + t / 32 * 100 + (n - 1000);
        long long wide = far;
        sum += (float)(wide % 1001);
    }
    y[t] = sum + count;
}

// What all warps begin with, and each changes where it is: in single precision, in double, in a loop and
// as an index.
extern "C" __global__ void begun_alike(const float* x, float* y, int n) {
    int t = threadIdx.x % 100;
    float sum = x[n - 1];
    sum += x[t];
    float product = x[n - 2];
    product = fmaf(x[t + 1], 2.0f, product);
    double wide = x[n - 3];
    wide += x[t + 2];
    float again = x[n - 4];
    for (int i = 0; i < 3; ++i) {
        float here = again;
        here *= x[t + i];
        product += here;
        again += x[i];
    }
    int at = (int)x[n - 5];
    at = (int)(x + t)[at];
    y[threadIdx.x] = sum + product + (float)wide + at;
}

// Memories that are loaded and stored: by each lane in its own place; in a loop; with two places each, a neighbour's
// among them; in places that warps share; by a few lanes first; a place that a loop moves.
extern "C" __global__ void own_places(const float* x, float* y, int n) {
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < 20; ++i) {
        sum += x[(t + i) % n];
    }
    y[t] = 2.0f * sum + 3.0f * y[t];
}

extern "C" __global__ void own_places_in_a_loop(const float* x, float* y, int n) {
    int t = threadIdx.x;
    y[t] = 0.0f;
    for (int i = 0; i < 20; ++i) {
        y[t] += x[(t + i) % n];
    }
}

extern "C" __global__ void own_pairs(const float* x, float* y, int n) {
    int t = threadIdx.x % 300;
    y[t * 2] += x[t];
    y[t * 2 + 1] += y[t * 2] * 0.5f;
}

extern "C" __global__ void overlapping_pairs(const float* x, float* y, int n) {
    int t = threadIdx.x;
    y[t] += x[t];
    y[t + 1] += y[t] * 0.5f;
}

extern "C" __global__ void places_of_all_warps(const float* x, float* y, int n) {
    int t = threadIdx.x;
    float sum = x[t] + x[n - 1 - t];
    y[t % 40] = y[t % 40] * 0.5f + sum;
}

extern "C" __global__ void own_places_of_some(const float* x, float* y, int n) {
    int t = threadIdx.x % 96;
    if (threadIdx.x % 32 < 3) {
        y[t] += x[t];
    }
    if (threadIdx.x < 160) {
        y[t] = y[t] * 0.5f + 1.0f;
    }
    y[t] += x[t + 1];
}

extern "C" __global__ void places_that_move(const float* x, float* y, int n) {
    for (int i = threadIdx.x; i < n; i += 48) {
        y[i] = y[i] * 0.5f + x[i];
    }
}

extern "C" __global__ void places_written_between(const float* x, float* y, int n) {
    int t = threadIdx.x;
    y[t] += 1.0f;
    __syncthreads();
    t = (t * 7 + (int)x[3]) % n;
    y[t] += 2.0f;
    __syncthreads();
    y[threadIdx.x] = y[threadIdx.x] + y[t];
}

// What is loaded for some lanes goes through copies: a default, a part of a vector, an element of an array.
extern "C" __global__ void masked_tiles(const float* x, float* y, int n) {
    int first = threadIdx.x * 4 % 256;
    float a[8];
#pragma unroll
    for (int i = 0; i < 8; i += 4) {
        float4 several;
        several.x = 7.0f;
        several.y = 0.5f;
        several.z = 0.5f;
        several.w = 0.5f;
        int offset = first + i / 4 * 256;
        if (offset < n - 600) several = *(const float4*)(x + offset);
        a[i] = several.x;
        a[i + 1] = several.y;
        a[i + 2] = several.z;
        a[i + 3] = several.w;
    }
    float b[8];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        b[i] = 0.25f;
        if (x[first + i] > 12.0f) b[i] = x[first + 2 * i] + a[i];
    }
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float stored = a[i] + b[7 - i];
        if (i + first < 250) sum += stored * i;
    }
    y[threadIdx.x] = sum;
}

// Copies whose sources change or live on, that turn around in a loop, and that only some lanes make.
extern "C" __global__ void passed_on(const float* x, float* y, int n) {
    int t = threadIdx.x;
    float a = x[t], b = x[t + 1], c = x[t + 2];
    for (int k = 0; k < 9; ++k) {
        float old = a;
        a = b;
        b = c;
        c = old + x[(t + k) % n];
        float kept = c;
        if (x[t] > 3.0f * k) {
            c = a;
            a = kept;
            if (t % 5 == k) continue;
        } else {
            kept = b;
        }
        b = kept - c;
        if (b > 40.0f) break;
    }
    double wide = a, other = wide;
    wide = wide * b;
    other = t % 3 ? wide : other;
    y[t] = (float)(wide + other) + c;
}

// The first of three faults in the order of warps comes last in each warp's code.
extern "C" __global__ void traps_in_order(const float* x, float* y, int n) {
    int t = threadIdx.x;
    y[t] = x[t];
    if (t == 200) __trap();
    y[t] = y[t] + 1.0f;
    if (t == 70) __trap();
    float sum = x[(t + 1) % n];
    if (t == 40) sum = x[t + (1 << 20)];
    y[t] = sum;
}

// Values of each warp and of all warps take turns in one variable.
extern "C" __global__ void shared_variable(const float* x, float* y, int n) {
    __shared__ float tile[512];
    int t = threadIdx.x;
    float v = x[t];
    float w = v;
    tile[t] = w;
    __syncthreads();
    v = x[n / 2];
    float u = v;
    for (int k = 0; k < 3; ++k) {
        float last = w;
        w = tile[(t + 32 * k) % blockDim.x];
        u = u + last;
        if (k == t / 32) v = w;
    }
    __syncthreads();
    if (t < 48) {
        float part = tile[t];
        tile[t] = part + u;
    }
    __syncthreads();
    y[t] = u + v + w + tile[t % 64];
}

// Lanes part by their values, and warps with them: to come together where each branch ends.
extern "C" __global__ void joining(const float* x, float* y, int n) {
    int t = threadIdx.x;
    float v = x[t], sum = 0.0f;
    for (int k = 0; k < 6; ++k) {
        float w = x[(7 * t + 131 * k) % n];
        if (w > 15.0f) {
            y[t] = w;
            if (v > w) {
                y[t] = v;
                if (k == 3) continue;
            } else if (w > 29.0f) {
                break;
            }
            sum += w;
        } else {
            y[t] = -w;
            while (sum > v) {
                sum -= v + 1.0f;
                y[t] = sum;
            }
        }
        sum = sum * 0.5f + v;
    }
    __syncthreads();
    if (v > 25.0f) return;
    if (x[t + 5] > 12.0f) y[t] = sum;
    sum += x[t / 3];
    y[t] = sum * 2.0f;
}

// The last warps fault in the branch, the first of all behind it.
extern "C" __global__ void fault_behind_a_branch(const float* x, float* y, int n) {
    int t = threadIdx.x;
    if (x[t] > 15.0f) y[t > 70 ? 2 * n : t] = 1.0f;
    float v = x[t];
    y[t < 9 ? 3 * n + t : t] = v;
}

// Lanes go each to a place of its own, from pointers and with values that all warps have in common or each has for itself.
extern "C" __global__ void scattered(const float* x, float* y, int n) {
    __shared__ float tile[511];
    int t = threadIdx.x;
    float v = x[t], sum = 0.0f, common = x[n / 3];
    tile[t] = v + t;
    __syncthreads();
    float own[8];
    for (int k = 0; k < 8; ++k) own[k] = common;
    const float* middle = x + (n / 2 - 30);
    for (int k = 0; k < 6; ++k) {
        int at = ((int)v * 17 + 13 * k + t) % 97;
        sum += middle[at] + x[at + k] + tile[at % blockDim.x];
        if (at > 40) sum += middle[at - 2 * k];
        own[at & 7] += sum;
        const float* last = middle + 3 * k;
        v = last[(int)v];
    }
    y[(t * 37 + 5) % 997] = common;
    __syncthreads();
    y[t ^ ((int)v < 0)] = sum + own[(int)v & 7];
}

// What lanes are to each other differs from warp to warp, and warps go one by one.
extern "C" __global__ void rows_of_24(const float* x, float* y, int n) {
    __shared__ float tile[1024];
    int t = threadIdx.x, row = t / 24, column = t % 24;
    for (int k = 0; k < 4; ++k) {
        tile[row * 40 + column] = x[row * 30 + column + k];
        y[row * 24 + column] = tile[(row * 40 + column) ^ k] + tile[row * 40];
    }
}
