/* How much arithmetic the cores can do: `spin SECONDS` counts for so long and prints how far it came, in millions. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    volatile unsigned long value = 0;
    unsigned long millions = 0;
    do {
        for (int i = 0; i < 1000000; i++) value = value * 6364136223846793005UL + 1442695040888963407UL;
        millions++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) + (now.tv_nsec - start.tv_nsec) / 1e9 < seconds);
    printf("%lu\n", millions);
    return 0;
}
