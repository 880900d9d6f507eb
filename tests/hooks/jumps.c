/* jumps.c - longjmp() over frames, and out of a signal handler that has a stack of its own. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#define PLAIN __attribute__((noinline))

static volatile int sink;
static jmp_buf back;
static sigjmp_buf rescue;

PLAIN static void jumper(int x)
{
    sink = x;
    longjmp(back, x);
}

PLAIN static void middle(int x)
{
    jumper(x);
    sink = 0;
}

PLAIN static int over(int x)
{
    int got = setjmp(back);
    if (!got)
        middle(x);
    sink = got;
    return got;
}

PLAIN static void leap(void)
{
    siglongjmp(rescue, 5);
}

PLAIN static void on_signal(int number)
{
    sink = number;
    leap();
    sink = 0;
}

PLAIN static int faulty(void)
{
    raise(SIGUSR1);
    return sink;
}

PLAIN static int rescued(void)
{
    int got = sigsetjmp(rescue, 1);
    if (!got)
        got = faulty();
    sink = got;
    return got;
}

PLAIN static int after(int x)
{
    sink = x;
    return x;
}

int main(void)
{
    stack_t own = {.ss_sp = malloc(65536), .ss_size = 65536};
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&own, 0);
    sigaction(SIGUSR1, &act, 0);
    int sum = over(3);
    sum += after(1);
    sum += rescued();
    sum += after(1);
    return sum == 10 ? 0 : 1;
}
