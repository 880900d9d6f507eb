/* hook_bench.c - what the hooks of -finstrument-functions cost a program, each time they are
 * called. It is built with them and run by `rastrum record`; prints ns an event, at best. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 1 << 13, BURSTS = 200 };

#define UNHOOKED __attribute__((no_instrument_function))

/* Two events, and next to nothing else. */
__attribute__((noinline)) static void hooked(void)
{
    __asm__ volatile("" ::: "memory");
}

UNHOOKED static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

UNHOOKED int main(void)
{
    double best = 1e9;
    for (unsigned i = 0; i < BURSTS; i++) {
        double start = cpu_ns();
        for (unsigned k = 0; k < CALLS; k++)
            hooked();
        double took = (cpu_ns() - start) / (2 * CALLS);
        best = took < best ? took : best;
        usleep(1000); /* so that there is room in the ring */
    }
    printf("%.2f\n", best);
    return 0;
}
