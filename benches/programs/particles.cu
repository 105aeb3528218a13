#include <cstdio>
#include <cstdlib>

struct Particle {
    float x, y, z;
    float vx, vy, vz;
};

void step(Particle* p, float dt) {
    p->x += p->vx * dt;
    p->y += p->vy * dt;
    p->z += p->vz * dt;
}

int main() {
    const int n = 1000;
    Particle* all = (Particle*)malloc(n * sizeof(Particle));
    for (int i = 0; i < n; i++) {
        Particle p = {(float)i, 0.0f, 1.0f, 1.0f, i * 0.5f, -1.0f};
        all[i] = p;
    }
    for (int round = 0; round < 1000; round++)
        for (int i = 0; i < n; i++) step(&all[i], 0.01f);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += all[i].x;
    printf("%.2f\n", sum);
    return 0;
}
