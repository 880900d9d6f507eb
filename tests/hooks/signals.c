/* signals.c - a handler that calls functions, at any moment of a program that does. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#define PLAIN __attribute__((noinline))

static volatile int handled, sink;

PLAIN static void note(int x)
{
    sink = x;
}

PLAIN static void on_alarm(int number)
{
    handled++;
    note(number);
}

PLAIN static int step(int x)
{
    for (int i = 0; i < 300; i++)
        sink = x;
    return x;
}

int main(void)
{
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    int steps = 0;
    sigaction(SIGALRM, &act, 0);
    setitimer(ITIMER_REAL, &often, 0);
    while (handled < 100 || steps < 10000) {
        step(steps);
        steps++;
    }
    setitimer(ITIMER_REAL, &never, 0);
    printf("%d %d\n", steps, handled);
    return 0;
}
