#include <cstdio>
#include <cstdlib>

void multiply(const float* a, const float* b, float* c, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

int main() {
    const int n = 256;
    float* a = (float*)malloc(n * n * sizeof(float));
    float* b = (float*)malloc(n * n * sizeof(float));
    float* c = (float*)malloc(n * n * sizeof(float));
    for (int i = 0; i < n * n; i++) {
        a[i] = i % 13;
        b[i] = i % 7;
    }
    multiply(a, b, c, n);
    printf("%.1f %.1f\n", c[0], c[n * n - 1]);
    return 0;
}
