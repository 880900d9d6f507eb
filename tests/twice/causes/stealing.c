/* stealing.c - threads take work from one another's queues. */
#include "take.h"
#include <pthread.h>
#include <sched.h>

enum { THREADS = 4, JOBS = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int queues[THREADS][JOBS], left[THREADS], done[THREADS];

static int steal(int me)
{
    int job = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < THREADS && job < 0; i++) {
        int from = (me + i) % THREADS;
        if (left[from])
            job = queues[from][--left[from]];
    }
    pthread_mutex_unlock(&lock);
    return job;
}

static void *work(void *user)
{
    int me = (int)(long)user, job;
    while ((job = steal(me)) >= 0) {
        done[me] += take((unsigned)job) & 3;
        sched_yield();
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < JOBS / (i + 1); k++)
            queues[i][left[i]++] = k * 7 + i;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS; i++)
        printf("%d ", done[i]);
    puts("");
}
