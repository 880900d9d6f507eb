/* attach_program.c - threads that call small functions until the program is killed. */
#include <pthread.h>
#include <stddef.h>

enum { THREADS = 8, WORDS = 64 };

static volatile unsigned sink;

__attribute__((noinline)) static unsigned mix(unsigned x)
{
    return x * 2654435761u ^ x >> 7;
}

__attribute__((noinline)) static unsigned mix_all(unsigned x)
{
    for (unsigned i = 0; i < WORDS; i++)
        x = mix(x + i);
    return x;
}

static void *mix_on(void *user)
{
    for (unsigned x = 1;;)
        sink = x = mix_all(x);
    return user;
}

int main(void)
{
    pthread_t thread;
    for (unsigned i = 1; i < THREADS; i++)
        if (pthread_create(&thread, NULL, mix_on, NULL))
            return 1;
    mix_on(NULL);
    return 0;
}
