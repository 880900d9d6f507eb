/* thunk.c - thunks to which functions return instead of their callers: one per return address.
 *
 * A thunk knows its return address, whatever happened to the open calls: the program continues
 * as it would have, and an unwinder can pass it (fentry.S). */
#include "hooks/hooks.h"

#include <cpuid.h>
#include <string.h>
#include <sys/mman.h>

enum { THUNK = THUNK_SIZE, PAGE = 4096, THUNKS_MOST = THUNKS_SIZE / THUNK };

extern void hooks_return(void);
extern uint64_t hooks_vector_size;
extern uint8_t hooks_has_xsave;
uint64_t hooks_vector_size = 512 + 64;
uint8_t hooks_has_xsave;

bool thunk_is(uintptr_t address)
{
    return address - (uintptr_t)hooks_thunks < THUNKS_SIZE;
}

uintptr_t thunk_origin(uintptr_t thunk)
{
    uintptr_t origin;
    memcpy(&origin, (const uint8_t *)thunk + THUNKS_SIZE, sizeof origin);
    return origin;
}

/* push $number; jmp hooks_return */
static void write_code(uint8_t *at, uint32_t number)
{
    int32_t far = (int32_t)((intptr_t)(uintptr_t)&hooks_return - (intptr_t)(at + 10));
    at[0] = 0x68;
    memcpy(at + 1, &number, 4);
    at[5] = 0xe9;
    memcpy(at + 6, &far, 4);
    memset(at + 10, 0xcc, THUNK - 10);
}

/* A page of them is written before any is used. */
static bool write_page(uint32_t first)
{
    uint8_t *page = hooks_thunks + (size_t)first * THUNK;
    for (uint32_t i = 0; i < PAGE / THUNK; i++)
        write_code(page + (size_t)i * THUNK, first + i);
    return mprotect(page, PAGE, PROT_READ | PROT_EXEC) == 0;
}

static uintptr_t thunk_new(uintptr_t origin)
{
    static uint32_t count;
    uintptr_t thunk = known_in(&thunk_table, origin);
    if (thunk)
        return thunk; /* another thread has added it */
    if (count == THUNKS_MOST || (count % (PAGE / THUNK) == 0 && !write_page(count)))
        return 0;
    uint8_t *at = hooks_thunks + (size_t)count * THUNK;
    memcpy(at + THUNKS_SIZE, &origin, sizeof origin);
    if (!known_put(&thunk_table, origin, (uintptr_t)at))
        return 0;
    count++;
    return (uintptr_t)at;
}

uintptr_t thunk_make(uintptr_t origin)
{
    struct held held;
    hooks_lock(&held);
    uintptr_t thunk = thunk_new(origin);
    hooks_unlock(&held);
    return thunk;
}

/* The size of the vector registers, and how they are saved. */
void thunk_init(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) ||
        !__get_cpuid_count(13, 0, &a, &b, &c, &d))
        return;
    hooks_vector_size = b + 64;
    hooks_has_xsave = 1;
}
