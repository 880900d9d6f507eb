/* handlers.c - a program that asks who handles a signal does not find the recorder.
 *
 * Python handles an interrupt only if nobody did before it; others say so, or refuse to go on. */
#include "hooks/hooks.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A child of vfork() has its parent's memory, and signals of its own. */
static bool is_seen(int number, const struct sigaction *act, struct sigaction *old)
{
    return LOAD_ACQUIRE(&hooks.state) == HOOKS_ON && syscall(SYS_getpid) == hooks.pid &&
           crash_exchange(number, act, old);
}

HOOK int sigaction(int number, const struct sigaction *restrict act, struct sigaction *restrict old)
{
    static int (*real)(int, const struct sigaction *, struct sigaction *);
    if (!real)
        hooks_next(&real, "sigaction");
    return is_seen(number, act, old) ? 0 : real(number, act, old);
}

HOOK sighandler_t signal(int number, sighandler_t handler)
{
    static sighandler_t (*real)(int, sighandler_t);
    struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    if (!real)
        hooks_next(&real, "signal");
    sigemptyset(&act.sa_mask);
    sigaddset(&act.sa_mask, number);
    return is_seen(number, &act, &old) ? old.sa_handler : real(number, handler);
}
