#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

struct Cell { float value; int count; };

static int first_of(const int* x, int n, int wanted) {
    for (int i = 0; i < n; i++) if (x[i] == wanted) return i;
    return -1;
}

struct Point { float x, y, z; };
struct Wide { double d; long l; char c; };

static Point add(Point a, Point b) { Point sum = {a.x + b.x, a.y + b.y, a.z + b.z}; return sum; }
static float dot(const Point& a, const Point& b) { float s = a.x * b.x; s += a.y * b.y; s += a.z * b.z; return s; }
static int clamped(int x, int least, int most) { if (x < least) return least; if (x > most) return most; return x; }
static void count(int* counts, int at) { counts[at]++; }
static int twice(int x) { int y = x; y = y + x; return y; }
static int fourfold(int x) { return twice(twice(x) - 1) + 2; }
static int inner(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * n; return s; }
static unsigned next(unsigned* state) { *state = *state * 1664525u + 1013904223u; return *state >> 8; }
static float* element_of(float* x, int i) { static int calls = 0; calls++; return x + i + 0 * calls; }
static int deep(int n) { int room[64]; room[n & 63] = n; return n == 0 ? room[0] : deep(n - 1) + 1; }

int main() {
    const int n = 1000;
    static float x[n], y[n];
    static double z[n];
    static int k[n], m[n];
    static unsigned char bytes[n];
    static short words[n];
    static Cell cells[n];
    // Fills, by functions of the counter and of memory.
    for (int i = 0; i < n; ++i) { x[i] = i * 0.37f - 40; k[i] = (i * 7919) % n; bytes[i] = i; words[i] = -3 * i; }
    for (int i = 0; i < n; ++i) { y[i] = x[k[i]] * 1.5f; z[i] = (double)y[i] / 3; cells[i].value = y[i]; cells[i].count = i; }
    // Sums take their parts in one by one: in another order they would be rounded otherwise.
    float sum = 0, product = 1; double wide = 0; long whole = 0; unsigned mix = 1; int least = 0;
    for (int i = 0; i < n; i++) { sum += x[i] * y[i]; wide = z[i] + wide; whole += k[i] * bytes[i]; }
    for (int i = 0; i < n; i++) product *= 1 + x[i] / 100000;
    for (int i = 0; i < n; i++) mix ^= k[i] + words[i];
    for (int i = 0; i < n; i++) least = 3 - least;
    printf("%.9g %.17g %ld %.9g %u %d\n", sum, wide, whole, product, mix, least);
    // What an iteration stores is what a later one loads.
    for (int i = 1; i < n; i++) k[i] = k[i - 1] + k[i] % 5;
    for (int i = 0; i < n; i++) m[i % 10] += k[i];
    for (int i = n - 2; i >= 0; --i) x[i] = x[i] + x[i + 1] * 0.5f;
    for (int i = 0; i < n; i++) x[i] = x[i] * 0.5f + 1;
    printf("%d %d %d %.9g %.9g\n", k[n - 1], m[0], m[9], x[0], x[n / 2]);
    // Branches that go one way nearly always, never, and in turns.
    float most = x[0]; int at = 0, evens = 0, runs = 0; bool differs = false;
    for (int i = 0; i < n; i++) if (y[i] > most) { most = y[i]; at = i; }
    for (int i = 0; i < n; i++) { if (i % 2 == 0) evens += i; else evens -= 1; }
    for (int i = 0; i < n; i++) if (fabs(z[i] - y[i] / 3) > 1e-3) { differs = true; break; }
    for (int i = 0; i < n; i++) { if (i == 700) continue; if (k[i] < 0 || i == 900) break; runs++; }
    for (int i = 0; i < n; i++) { if (i < 990) runs += 2; }
    printf("%.9g %d %d %d %d %d %d\n", most, at, evens, differs, runs, first_of(k, n, k[640]), first_of(k, n, -1));
    // Pointers, narrow counters that wrap, steps other than one.
    int laps = 0, far = 0;
    for (const int *p = k, *end = k + n; p != end; ++p) far += *p & 3;
    for (unsigned char c = 0; laps < 700; c++) { laps++; far += c; }
    for (unsigned i = 4294967000u; i > 5; i += 3) far++;
    for (size_t i = n; i-- > 0;) far += bytes[i];
    for (int i = 0; i < n; i += 7) words[i] = words[i] / 2 + cells[i].count;
    for (int i = 2147483000; i > 0; i += 5) far += i & 1;
    printf("%d %d %d\n", laps, far, words[700]);
    // Loops within loops.
    std::vector<float> a(40 * 40), b(40 * 40), c(40 * 40);
    for (size_t i = 0; i < a.size(); i++) { a[i] = sinf(i) + sqrtf(i); b[i] = a[i] / (i + 1); }
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 40; j++) {
            float s = 0;
            for (int l = 0; l < 40; l++) s += a[i * 40 + l] * b[l * 40 + j];
            c[i * 40 + j] = s;
        }
    float all = 0;
    for (float v : c) all += v;
    for (int i = 0; i < 40; i++) for (int l = 0; l < 40; l++) for (int j = 0; j < 40; j++) c[i * 40 + j] += a[l * 40 + j];
    printf("%.9g %.9g %.9g\n", all, c[41], c[1599]);
    // Moves within one array, at a distance that is less than what runs together.
    for (int i = 0; i + 3 < n; i++) k[i] = k[i + 3];
    for (int i = n - 1; i >= 3; i--) m[i] = m[i - 3] + i;
    for (int i = 0; i < n; i++) { int t = k[i]; k[i] = m[i]; m[i] = t; }
    printf("%d %d %d %d\n", k[5], m[5], k[n - 1], m[n - 1]);
    // Numbers that a library gives one by one.
    srand(7);
    for (int i = 0; i < n; i++) { x[i] = (float)rand() / RAND_MAX; k[i] = rand() % 100; m[i] = rand() & 0xff; }
    for (int i = 0; i < n; i++) z[i] = drand48() * (i + 1);
    long drawn = 0;
    for (int i = 0; i < n; i++) drawn += rand() % (i % 300 + 2);
    for (int i = 0; i < n; i++) drawn += rand() % (i % 300 - 200 ? 7 : 9);
    int above = 0;
    for (int i = 0; i < n; i++) if (rand() > RAND_MAX / 2) above++;
    printf("%.9g %d %d %.17g %ld %d %d\n", x[999], k[998], m[997], z[996], drawn, above, rand());
    // Functions that are called, and objects on their way through them.
    static Point p[n], q[n]; static Wide w[n], v[n];
    for (int i = 0; i < n; i++) { p[i] = {x[i], i * 0.5f, -1}; q[i] = Point{1, x[i], y[i]}; w[i] = {z[i], i, (char)i}; }
    for (int i = 0; i < n; i++) { Point s = add(p[i], q[i]); p[i] = add(s, Point{0, 0, dot(p[i], q[i])}); v[i] = w[n - 1 - i]; }
    float dots = 0; int calls = 0; long wides = 0; unsigned state = 5, states = 0;
    int counts[10] = {};
    for (int i = 0; i < n; i++) dots += dot(p[i], q[i]);
    for (int i = 0; i < n; i++) calls += fourfold(i) + clamped(i, -5, 2000) + clamped(k[i], 20, 60);
    for (int i = 0; i < n; i++) { count(counts, 3); count(counts, i % 10); calls += inner(i % 3); }
    for (int i = 0; i < n; i++) { w[i].d += v[i].d; w[i].c = v[i].c + 1; wides += v[i].l * w[i].c; }
    for (int i = 0; i < n; i++) states ^= next(&state);
    for (int i = 0; i < n; i++) *element_of(x, i) += 1;
    for (int i = 0; i < n; i++) { int pair[2] = {i, k[i]}; pair[i % 2] += 3; calls += pair[0] - pair[1]; }
    for (int i = 0; i < 200; i++) calls += deep(i % 90);
    printf("%.9g %.9g %.9g %d %ld %u %d %d\n", p[7].z, p[999].x, dots, calls, wides, states, counts[3], counts[9]);
    printf("%.17g %ld %d %.9g\n", w[500].d, v[3].l, w[998].c, x[77]);
    // Sums in memory.
    static float f[100]; static double g[4]; static int h[4]; static short narrow[2];
    for (int r = 0; r < 100; r++) for (int i = 0; i < 100; i++) f[r] += x[i] * y[r + i];
    for (int i = 0; i < n; i++) { g[1] += z[i]; h[2] -= k[i]; narrow[1] += k[i]; h[3] = 7 - h[3]; }
    for (int i = 0; i < n; i++) { *h += i; h[i % 2 + 1] += 1; }
    float* last = &x[n - 1];
    for (int i = 0; i < n; i++) *last += x[i];
    for (int i = 0; i < n; i++) { g[2] = z[i]; g[3] += g[2]; }
    printf("%.9g %.9g %.17g %.17g %d %d %d %d %.9g\n", f[0], f[99], g[1], g[3], h[0], h[2], h[3], narrow[1], *last);
    // A division that has no result, in the middle.
    int* divisors = (int*)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) divisors[i] = 600 - i;
    int quotients = 0;
    for (int i = 0; i < n; i++) { quotients += 100000 / divisors[i]; printf("%s", i % 200 ? "" : "."); }
    return quotients;
}
