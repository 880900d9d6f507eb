/* steps.c - a handler that calls functions, between any two instructions of a program that does;
 * the program's registers are preserved. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

#define PLAIN     __attribute__((noinline))
#define TRAP_FLAG 0x100
#define MOST      400

struct pair {
    double a, b;
};

static volatile int steps, deep, last, handled, noted, sink;
static char stack[1 << 18];

PLAIN static void note(int x)
{
    sink = x;
}

__attribute__((always_inline, no_instrument_function)) static inline void step(int on)
{
    unsigned long long flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG : flags & ~TRAP_FLAG);
}

/* Once, at one instruction, the handler itself is stepped, on its own stack, until the handlers
 * on top of it have made enough calls for the recorder to take its slow path. */
PLAIN static void on_step(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    int upon = (uintptr_t)registers[REG_RSP] - (uintptr_t)stack < sizeof stack;
    (void)info;
    handled++;
    if (upon ? ++deep < 100 : ++steps < last)
        return;
    registers[REG_EFL] &= ~TRAP_FLAG;
    if (upon)
        return;
    noted++;
    note(number);
    step(1);
}

PLAIN static struct pair sum(double a, double b, double c, double d, double e, double f)
{
    sink = 1;
    return (struct pair){a + b + c, d + e + f};
}

/* Its result is right, whatever interrupted it. */
PLAIN static int is_right(int i)
{
    struct pair p = sum(i, 1, 2, 3, 4, 5);
    return p.a == i + 3 && p.b == 12;
}

int main(void)
{
    struct sigaction was,
        act = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    int right = 0;
    sigaltstack(&other, NULL);
    sigaction(SIGTRAP, &act, &was);
    raise(SIGTRAP); /* a first call takes locks, where no trap may come */
    for (last = 0; last < MOST; last++) {
        steps = deep = 0;
        step(last > 0);
        right += is_right(last);
        step(0);
    }
    sigaction(SIGTRAP, &was, NULL);
    printf("%d %d %d\n", MOST, handled, noted);
    return right == MOST ? 0 : 1;
}
