/* family.c - threads that create threads. */
#include "take.h"
#include <pthread.h>

static void *work(void *user)
{
    long depth = (long)user;
    pthread_t t[2];
    void *results[2] = {NULL, NULL};
    for (long i = 0; depth && i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)(depth - 1));
    for (int i = 0; depth && i < 2; i++)
        pthread_join(t[i], &results[i]);
    return (void *)((long)results[0] * 3 + (long)results[1] + take((unsigned)depth));
}

int main(void)
{
    printf("%ld\n", (long)work((void *)3));
}
