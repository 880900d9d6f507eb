/* steps.h - the processor traps after every instruction: SIGTRAP. */
#ifndef STEPS_H
#define STEPS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TRAP_FLAG = 0x100, STEPS_SKIP = 77 };

static inline __attribute__((always_inline)) void step(bool on)
{
    uint64_t flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG : flags & ~(uint64_t)TRAP_FLAG);
}

static volatile sig_atomic_t steps_seen;

static void steps_see(int number)
{
    (void)number;
    steps_seen = 1;
}

/* Whether traps work here; not in every sandbox. Prints a line if not. */
static inline bool steps_work(const char *test)
{
    struct sigaction was, act = {.sa_handler = steps_see};
    sigaction(SIGTRAP, &act, &was);
    step(true);
    step(false);
    sigaction(SIGTRAP, &was, NULL);
    if (!steps_seen)
        printf("%s: not run: the processor's trap flag does nothing here\n", test);
    return steps_seen;
}
#endif
