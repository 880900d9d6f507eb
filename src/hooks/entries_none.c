/* entries_none.c - where no entries of functions are patched: on other processors than x86-64.
 *
 * There -finstrument-functions alone is recorded: the compiler calls a hook at the end of a
 * function, too, so that no return address is replaced. */
#include "hooks/hooks.h"

void thunk_init(void)
{
}

bool thunk_is(uintptr_t address)
{
    (void)address;
    return false;
}

void patch_all(enum patch_when when)
{
    (void)when;
}

void patch_sweep(void)
{
}

uintptr_t planned_function(uintptr_t address)
{
    return address;
}

void arrival_init(void)
{
}

const char *attached_settings(void)
{
    return NULL;
}

void attached_begin(void)
{
}

/* The stack is filled on x86-64 only: only `rastrum twice` has that done. */
void cyg_enter_slow(uintptr_t function, uintptr_t sp, uintptr_t site)
{
    (void)calls_enter(function, sp, site);
}

void cyg_exit_slow(uintptr_t function, uintptr_t sp)
{
    (void)calls_exit(function, sp);
}
