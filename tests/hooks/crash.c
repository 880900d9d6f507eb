/* crash.c - threads that end, then a crash; every call is written down in memory that a file has.
 *
 *   crash FILE
 *
 * FILE becomes THREADS + 1 times a count and that many pairs of times: before a call and after it,
 * by the clock of the recorder. The last are those of the thread that crashes. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#define PLAIN __attribute__((noinline))
#define BARE  __attribute__((noinline, no_instrument_function))

enum { THREADS = 3, CALLS = 1500, ROOM = 4096 };

struct book {
    uint64_t count;
    struct {
        uint64_t before, after;
    } calls[ROOM];
};

static struct book *books;
static volatile int sink;
static int *volatile nowhere;

BARE static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#define CALLEE(n)                                                                                  \
    PLAIN static void call_##n(void)                                                               \
    {                                                                                              \
        sink = n;                                                                                  \
    }
CALLEE(0)
CALLEE(1)
CALLEE(2)
CALLEE(3)

BARE static void call(int who)
{
    static void (*const callees[])(void) = {call_0, call_1, call_2, call_3};
    struct book *b = &books[who];
    uint64_t before = now();
    callees[who]();
    b->calls[b->count].before = before;
    b->calls[b->count].after = now();
    __atomic_store_n(&b->count, b->count + 1, __ATOMIC_RELEASE);
}

BARE static void *work(void *user)
{
    int who = (int)(intptr_t)user;
    for (int i = 0; i < CALLS; i++) {
        call(who);
        if (i % 500 == 499)
            nanosleep(&(struct timespec){0, 500000}, NULL);
    }
    return NULL;
}

PLAIN static void explode(void)
{
    *nowhere = 1;
}

BARE int main(int argc, char **argv)
{
    const struct rlimit no_core = {0, 0};
    pthread_t threads[THREADS];
    setrlimit(RLIMIT_CORE, &no_core);
    int fd = open(argv[argc - 1], O_RDWR);
    books = mmap(NULL, (THREADS + 1) * sizeof *books, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (books == MAP_FAILED)
        return 3;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i))
            return 3;
    for (int i = 0; i < 100; i++)
        call(THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 100; i++)
        call(THREADS);
    explode();
    return 0;
}
