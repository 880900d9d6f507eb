/* aligned.c - a library whose constructor and function need an aligned stack. */
#include <stdint.h>

#define PLAIN __attribute__((noinline))

static volatile int off;

/* The frame address is that of two words below the caller's stack pointer before the call. */
PLAIN __attribute__((constructor)) static void begin(void)
{
    off |= (uintptr_t)__builtin_frame_address(0) % 16 != 0;
}

PLAIN int aligned(void)
{
    off |= (uintptr_t)__builtin_frame_address(0) % 16 != 0;
    return !off;
}
