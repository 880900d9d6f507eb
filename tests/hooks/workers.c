/* workers.c - eight threads that do the same in every run, but begin in any order.
 *
 * Two are C11's, one is created by a thread that calls nothing else, and one by a worker. */
#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>
#include <threads.h>
#include <time.h>

#define PLAIN  __attribute__((noinline))
#define SILENT __attribute__((noinline, no_instrument_function, patchable_function_entry(0)))

enum { WORKERS = 8 };

static volatile int sink;

PLAIN static void step(int x)
{
    sink += x;
}

PLAIN static void other(int x)
{
    step(x);
}

PLAIN static void work(uintptr_t number)
{
    for (uintptr_t i = 0; i <= number; i++)
        if (number % 2)
            other((int)i);
        else
            step((int)i);
}

SILENT static void delay(void)
{
    unsigned char random = 0;
    if (getrandom(&random, 1, 0) == 1)
        nanosleep(&(struct timespec){0, random * 8000l}, 0);
}

SILENT static void *late(void *user)
{
    delay();
    work((uintptr_t)user);
    return user;
}

SILENT static int late_c11(void *user)
{
    delay();
    work((uintptr_t)user);
    return 0;
}

SILENT static void *creator(void *user)
{
    pthread_t child;
    delay();
    if (user)
        work((uintptr_t)user - 1);
    if (pthread_create(&child, 0, late, user) || pthread_join(child, 0))
        return 0;
    return user;
}

int main(void)
{
    pthread_t threads[4];
    thrd_t others[2];
    int good = 1;
    good &= !pthread_create(&threads[0], 0, creator, 0);
    for (uintptr_t i = 1; i < 3; i++)
        good &= !pthread_create(&threads[i], 0, late, (void *)i);
    for (uintptr_t i = 0; i < 2; i++)
        good &= thrd_create(&others[i], late_c11, (void *)(3 + i)) == thrd_success;
    good &= !pthread_create(&threads[3], 0, creator, (void *)6);
    for (int i = 0; i < 4; i++)
        good &= !pthread_join(threads[i], 0);
    for (int i = 0; i < 2; i++)
        good &= thrd_join(others[i], 0) == thrd_success;
    return good ? 0 : 1;
}
