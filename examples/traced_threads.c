/* traced_threads.c - a program with threads to be recorded: each has a stream of its own.
 *
 *   cc -g -finstrument-functions -pthread -o traced examples/traced_threads.c
 *   rastrum record -o traced.calls -- ./traced */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 1000 };

static unsigned mix(unsigned x)
{
    return x * 1664525u + 1013904223u;
}

static void *work(void *seed)
{
    unsigned *x = seed;
    for (unsigned i = 0; i < ROUNDS; i++)
        *x = mix(*x);
    return seed;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned seeds[THREADS], sum = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = i;
        if (pthread_create(&threads[i], NULL, work, &seeds[i]) != 0)
            return 1;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum ^= seeds[i];
    }
    printf("%u\n", sum);
    return 0;
}
