/* counter.c - threads that count under a lock. */
#include "take.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void add(int n)
{
    pthread_mutex_lock(&lock);
    total += n;
    pthread_mutex_unlock(&lock);
}

static void *work(void *user)
{
    for (int i = 0; i < 300; i++)
        add(take((unsigned)i) + (int)(long)user);
    return NULL;
}

int main(void)
{
    pthread_t t[5];
    for (long i = 0; i < 5; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", total);
}
