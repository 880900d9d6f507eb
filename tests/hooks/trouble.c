/* trouble.c - a program that does the same under any trouble of its recorder.
 *
 * trouble steps N: calls N functions; never: ends while its threads call functions; wait FILE:
 * calls some, waits until FILE exists, calls more; remove DIR: removes DIR, calls some; names:
 * threads and functions have names that are not UTF-8. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((noinline, noclone)) static long step(long n)
{
    __asm__ volatile("" : "+r"(n));
    return n + 1;
}

__attribute__((noinline, noclone)) static long named(long n) __asm__("caf\xe9_\xff");
static long named(long n)
{
    __asm__ volatile("" : "+r"(n));
    return n + 2;
}

static long steps(long count)
{
    long n = 0;
    while (n < count)
        n = step(n);
    return n;
}

static void *for_ever(void *started)
{
    pthread_barrier_wait(started);
    for (long n = 0;;)
        n = step(n);
    return NULL;
}

static void *under_a_name(void *unused)
{
    prctl(PR_SET_NAME, "thr\xe9\xff");
    return (void *)(named(1) + step(1) - 5 + (char *)unused);
}

static void run(const char *word, const char *more)
{
    enum { THREADS = 3 };
    static pthread_barrier_t started; /* threads may still leave it */
    pthread_t t;
    if (!strcmp(word, "never")) {
        pthread_barrier_init(&started, NULL, THREADS + 1);
        for (int i = 0; i < THREADS; i++)
            pthread_create(&t, NULL, for_ever, &started);
        pthread_barrier_wait(&started);
    } else if (!strcmp(word, "wait")) {
        printf("%d\n", (int)getpid());
        fflush(stdout);
        while (access(more, F_OK))
            usleep(1000);
    } else if (!strcmp(word, "remove")) {
        char command[4096];
        snprintf(command, sizeof command, "rm -rf '%s'", more);
        if (system(command))
            abort();
    } else if (!strcmp(word, "names")) {
        pthread_create(&t, NULL, under_a_name, NULL);
        pthread_join(t, NULL);
    }
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "steps";
    long count = argc > 2 && !strcmp(word, "steps") ? atol(argv[2]) : 1000;
    long sum = steps(count);
    run(word, argc > 2 ? argv[2] : "");
    printf("%ld\n", sum + steps(count));
    return 7;
}
