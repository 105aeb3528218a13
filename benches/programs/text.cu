#include <cstdio>

int main() {
    char text[64];
    int length = 0;
    for (int i = 0; i < 100000; i++) length += sprintf(text, "%d %.3f %8s", i, i * 0.5, "word");
    printf("%d\n", length);
    return 0;
}
