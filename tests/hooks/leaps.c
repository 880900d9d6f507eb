/* leaps.c - a handler that calls functions leaves by siglongjmp(), wherever it has come. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define PLAIN __attribute__((noinline))

enum { LEAPS = 20, ROUNDS = 100000 };

static sigjmp_buf back;
static volatile int armed, leaps, sink;

PLAIN static int leaf(int x)
{
    sink = x;
    return x + 1;
}

PLAIN static int middle(int x)
{
    return leaf(x) + leaf(x);
}

PLAIN static void on_alarm(int number)
{
    sink = middle(number);
    if (!armed)
        return;
    armed = 0;
    leaps++;
    siglongjmp(back, 1);
}

PLAIN static int work(void)
{
    int sum = 0;
    if (!sigsetjmp(back, 1)) {
        armed = 1;
        while (armed)
            sum += middle(1) & 1;
    }
    return sum;
}

int main(void)
{
    struct sigaction act;
    const struct itimerval every = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    memset(&act, 0, sizeof act);
    act.sa_handler = on_alarm;
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; leaps < LEAPS && i < ROUNDS; i++)
        sink = work();
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%d\n", leaps);
    return leaps == LEAPS ? 0 : 1;
}
