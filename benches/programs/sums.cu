#include <cstdio>
#include <cstdlib>

int main() {
    int n = 10000;
    int* values = (int*)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) values[i] = i * 7 % 1000;
    long long sum = 0;
    for (int round = 0; round < 1000; round++)
        for (int i = 0; i < n; i++) sum += values[i] ^ round;
    printf("%lld\n", sum);
    free(values);
    return 0;
}
