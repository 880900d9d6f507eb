/* lost.c - threads add to one number without a lock: each is done before the next one would begin,
 * unless they begin together. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, TIMES = 8000000 };
static volatile long sum;

static void *add(void *user)
{
    for (int i = 0; i < TIMES; i++) {
        long value = sum;
        sum = value + 1;
    }
    return user;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", sum);
}
