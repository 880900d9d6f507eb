/* parts.c - threads with a part each; the sum is made in their order. */
#include "take.h"
#include <pthread.h>

static double sums[8];

static double part(int k)
{
    double s = 0;
    for (int i = 1; i < 500; i++)
        s += 1.0 / (i * 8 + k);
    return s;
}

static void *work(void *user)
{
    int k = (int)(long)user;
    sums[k] = part(k) + take((unsigned)k);
    return NULL;
}

int main(void)
{
    pthread_t t[8];
    double sum = 0;
    for (long i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 8; i++) {
        pthread_join(t[i], NULL);
        sum += sums[i];
    }
    printf("%.17g\n", sum);
}
