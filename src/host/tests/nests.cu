#include <math.h>
#include <stdio.h>
#include <vector>

static float dot(const float* a, const float* b, int n, int stride) {
    float s = 0;
    for (int l = 0; l < n; l++) s += a[l] * b[l * stride];
    return s;
}
static int steps_of(unsigned x) { int steps = 0; while (x > 1) { x = x % 2 ? 3 * x + 1 : x / 2; steps++; } return steps; }

int main() {
    const int n = 300, few = 20;
    static float a[n * n], b[n * n], c[n * n];
    static double sums[n];
    static int whole[n], turns[n];
    for (int i = 0; i < n * n; i++) { a[i] = sinf(i); b[i] = cosf(i) + i % 7; }
    // A product, and its check, which ends at what differs.
    for (int i = 0; i < few; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int l = 0; l < n; l++) s += a[i * n + l] * b[l * n + j];
            c[i * n + j] = s;
        }
    int same = 0;
    c[7 * n + 170] += 1;
    for (int i = 0; i < few; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int l = 0; l < n; l++) s += a[i * n + l] * b[l * n + j];
            if (fabsf(s - c[i * n + j]) > 1e-3f) { printf("%d, %d: %.9g\n", i, j, s); break; }
            same++;
        }
    std::vector<int> p(n * n), q(n * n);
    for (int i = 0; i < n * n; i++) { p[i] = i * 7 % 100; q[i] = i * 3 % 50; }
    long all = 0;
    for (int i = 0; i < few; i++)
        for (int j = 0; j < n; j++) {
            int s = 0;
            for (int l = 0; l < n; l++) s += p[i * n + l] * q[l * n + j];
            all += s % 1000;
        }
    printf("%d %ld %.9g %.9g\n", same, all, c[5], c[few * n - 1]);
    // Several turns, none, as many as the iteration says, and until something is found.
    for (int j = 0; j < n; j++) { double s = 0; for (int l = 0; l < 5; l++) s += a[j + l] * b[l]; sums[j] = s; }
    for (int j = 0; j < n; j++) { double s = 1; for (int l = 0; l < j / 64; l++) s += a[j + l]; sums[j] += s; }
    for (int j = 0; j < n; j++) { int l = 0; while (l < n && b[l] < 6.5f) l++; turns[j] = l; }
    for (int j = 0; j < n; j++) { int l = 0; do { l += 3; } while (l < 50); turns[j] += l; }
    for (int j = 0; j < n; j++) { int s = 0; for (int l = n; l < 0; l++) s += j; turns[j] += s; }
    for (int j = 1; j < n; j++) turns[j] += steps_of(j);
    // Two loops; one in a function; values that change places from turn to turn.
    for (int j = 0; j < n; j++) {
        float most = -1e9f, s = 0;
        for (int l = 0; l < 40; l++) most = fmaxf(most, a[l * n + j]);
        for (int l = 0; l < 40; l++) s += expf(a[l * n + j] - most);
        c[j] = s;
    }
    for (int j = 0; j < n; j++) c[n + j] = dot(a, b + j, n, n) + dot(a + n, b + j, 30, n);
    for (int j = 0; j < n; j++) {
        int x = 0, y = j;
        for (int l = 0; l < 30; l++) { int z = (x + y) % 1009; x = y; y = z; }
        whole[j] = x;
    }
    for (int j = 0; j < n; j++) { int last = 0, l; for (l = 0; l < 33; l++) last = l * j; whole[j] += last + l; }
    printf("%.17g %.17g %d %d %.9g %.9g %d\n", sums[3], sums[299], turns[5], turns[299], c[9], c[n + 250], whole[222]);
    // What an iteration stores is what a later one loads, in its loop or behind it.
    for (int j = 0; j < n; j++) { float s = 0; for (int l = 0; l < 12; l++) s += a[j + l] * 0.05f; a[j + 6] = s; }
    for (int j = 0; j < n; j++) { whole[j] = 0; for (int l = 0; l < 9; l++) whole[j] += p[l * n + j]; }
    for (int j = 0; j < n; j++) { turns[0] = j; int s = 0; for (int l = 0; l < 9; l++) s += turns[l]; whole[j] += s; }
    // Words that lie apart, shared ones, and a quotient that is missing in one iteration.
    for (int j = 0; j < n; j++) { float s = 0; for (int l = 0; l < n; l++) s += b[j * n + l] * a[l]; c[2 * n + j] = s; }
    printf("%.9g %.9g %d %.9g\n", a[6], a[n], whole[250], c[2 * n + 77]);
    // Words that wait in a register: set before, of three types, two at once, found by others, and changed askew.
    for (int i = 0; i < few; i++)
        for (int j = 0; j < n; j++) {
            c[i * n + j] *= 0.5f;
            for (int l = 0; l < n; l++) c[i * n + j] += 1.5f * a[i * n + l] * b[l * n + j];
        }
    for (int j = 0; j < n; j++) {
        sums[j] = 1;
        whole[j] = j;
        for (int l = 0; l < 50; l++) { sums[j] += a[l * n + j]; whole[j] -= p[l * n + j]; }
    }
    printf("%.9g %.17g %d\n", c[3 * n + 5], sums[7], whole[9]);
    for (int j = 1; j < n; j++) for (int l = 0; l < 5; l++) sums[j] += sums[j - 1] * 0.1;
    for (int j = 0; j < n; j++) for (int l = 0; l < 9; l++) sums[j / 2] += l;
    for (int j = 0; j < n; j++) for (int l = 0; l < 9; l++) whole[3] += p[l * n + j];
    for (int j = 0; j < n - 4; j++) for (int l = 0; l < 4; l++) whole[j] += whole[j + l];
    for (int j = 0; j < n; j++) for (int l = 0; l < 4; l++) whole[j + l % 2] += l;
    for (int j = 0; j < n; j++) for (int l = 0; l < 4; l++) { whole[j] += l; turns[j] += whole[j]; }
    for (int j = 0; j < n; j++) for (int l = 0; l < 4; l++) { whole[j] ^= q[l * n + j]; turns[j] = whole[j]; }
    printf("%.17g %.17g %d %d %d\n", sums[7], sums[200], whole[9], whole[290], turns[77]);
    int quotients = 0;
    for (int j = 0; j < n; j++) { int s = 0; for (int l = 1; l < 20; l++) s += l * 1000 / (250 - j); quotients += s; }
    return quotients;
}
