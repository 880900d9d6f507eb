/* pipeline.c - a producer and a consumer, with a bounded queue between them. */
#include "take.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int queue[4], count, first;

static void put(int v)
{
    pthread_mutex_lock(&lock);
    while (count == 4)
        pthread_cond_wait(&changed, &lock);
    queue[(first + count++) % 4] = v;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static int get(void)
{
    pthread_mutex_lock(&lock);
    while (!count)
        pthread_cond_wait(&changed, &lock);
    int v = queue[first];
    first = (first + 1) % 4;
    count--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return v;
}

static void *produce(void *user)
{
    (void)user;
    for (int i = 0; i < 100; i++)
        put(take((unsigned)i));
    put(-100);
    return NULL;
}

int main(void)
{
    pthread_t t;
    long sum = 0;
    pthread_create(&t, NULL, produce, NULL);
    for (int v; (v = get()) != -100;)
        sum = sum * 3 % 100003 + take((unsigned)v);
    pthread_join(t, NULL);
    printf("%ld\n", sum);
}
