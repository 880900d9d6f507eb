/* steps.h - the processor traps after every instruction: SIGTRAP. */
#ifndef STEPS_H
#define STEPS_H

#include <stdbool.h>
#include <stdint.h>

enum { TRAP_FLAG = 0x100 };

static inline __attribute__((always_inline)) void step(bool on)
{
    uint64_t flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG : flags & ~(uint64_t)TRAP_FLAG);
}
#endif
