/* phases.c - threads that meet at a barrier. */
#include "take.h"
#include <pthread.h>

enum { THREADS = 4 };
static pthread_barrier_t barrier;
static unsigned cells[2][THREADS];

static void *work(void *user)
{
    int k = (int)(long)user;
    for (int i = 0; i < 20; i++) {
        unsigned *from = cells[i & 1], *to = cells[~i & 1];
        to[k] = (unsigned)take(from[(k + 1) % THREADS] + from[(k + 3) % THREADS] + (unsigned)k) + 7;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS; i++)
        printf("%u ", cells[0][i]);
    puts("");
}
