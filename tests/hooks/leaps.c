/* leaps.c - a handler that leaves by siglongjmp(), at each instruction of a program that calls
 * functions. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

#define PLAIN     __attribute__((noinline))
#define TRAP_FLAG 0x100
#define ROUNDS    400

static volatile int steps, last, left, sink;
static sigjmp_buf back;

__attribute__((always_inline, no_instrument_function)) static inline void step(int on)
{
    unsigned long long flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG : flags & ~TRAP_FLAG);
}

__attribute__((no_instrument_function, patchable_function_entry(0))) static void on_trap(
    int number);

PLAIN static void on_step(int number)
{
    left++;
    sink = number;
    siglongjmp(back, 1);
}

/* Only the handler that leaves is recorded. */
static void on_trap(int number)
{
    if (++steps >= last)
        on_step(number);
}

PLAIN static int inner(int x)
{
    sink = x;
    return x + 1;
}

PLAIN static int outer(int x)
{
    return inner(x) + inner(x + 1);
}

PLAIN static void after(void)
{
    sink = 2;
}

int main(void)
{
    struct sigaction was, act = {.sa_handler = on_trap};
    sigaction(SIGTRAP, &act, &was);
    if (sigsetjmp(back, 1) == 0)
        raise(SIGTRAP);
    for (last = 0; last < ROUNDS; last++) {
        steps = 0;
        if (sigsetjmp(back, 1) == 0) {
            step(last > 0); /* a first call takes locks, where no trap may come */
            sink = outer(last);
            step(0);
        }
        after();
    }
    sigaction(SIGTRAP, &was, NULL);
    printf("%d %d\n", ROUNDS, left);
    return 0;
}
