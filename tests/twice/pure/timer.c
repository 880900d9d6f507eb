/* timer.c - a timer that interrupts it until it has done so five times, or more. */
#include "take.h"
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t count;

static void note(int number)
{
    (void)number;
    count++;
}

int main(void)
{
    const struct itimerval often = {{0, 2000}, {0, 2000}};
    signal(SIGALRM, note);
    setitimer(ITIMER_REAL, &often, NULL);
    while (count < 5)
        pause();
    printf("five %d\n", take(5));
}
