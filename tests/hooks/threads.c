/* threads.c - threads that return, leave by pthread_exit() or are cancelled in nested calls. */
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#define PLAIN __attribute__((noinline))

enum { ROUNDS = 3000 };

static volatile int sink;

PLAIN static int step(int x)
{
    return x + 1;
}

PLAIN static void *work(void *user)
{
    int x = 0;
    for (int i = 0; i < ROUNDS; i++)
        x = step(x);
    return (void *)((uintptr_t)user + (uintptr_t)x);
}

PLAIN static void quit(void)
{
    sink = 1;
    pthread_exit((void *)9);
}

PLAIN static void *leaver(void *user)
{
    quit();
    return user;
}

#ifndef NO_CANCEL
static int waiting;

PLAIN static void wait_long(void)
{
    __atomic_store_n(&waiting, 1, __ATOMIC_RELEASE);
    sleep(60);
    sink = 2;
}

PLAIN static void *waiter(void *user)
{
    wait_long();
    return user;
}
#endif

int main(void)
{
    pthread_t threads[4], other;
    void *got;
    int good = 1;
    for (uintptr_t i = 0; i < 4; i++)
        good &= !pthread_create(&threads[i], 0, work, (void *)i);
    for (uintptr_t i = 0; i < 4; i++)
        good &= !pthread_join(threads[i], &got) && got == (void *)(i + ROUNDS);
    good &= !pthread_create(&other, 0, leaver, 0) && !pthread_join(other, &got) && got == (void *)9;
#ifndef NO_CANCEL
    good &= !pthread_create(&other, 0, waiter, 0);
    while (!__atomic_load_n(&waiting, __ATOMIC_ACQUIRE))
        usleep(1000);
    pthread_cancel(other);
    good &= !pthread_join(other, &got) && got == PTHREAD_CANCELED;
#endif
    return good ? 0 : 1;
}
