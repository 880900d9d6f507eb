/* mine.h - what the hooks keep of a thread, without thread-local variables of their own.
 *
 * A module with thread-local variables has every thread of the program take 16 bytes more of its
 * heap. A key of pthread_key_create() has its place in the thread's own structure: found once, it
 * is read by one instruction. Every source of the hooks includes this file first, so that the
 * recorder's lane of a thread is found here, too. */
#ifndef HOOKS_MINE_H
#define HOOKS_MINE_H

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

struct ras_lane;
struct calls;

struct mine {
    struct ras_lane *lane;
    struct calls *calls;
    unsigned ends;     /* how often the end of the thread was told */
    uint32_t children; /* threads that it has created */
    char path[64];     /* who created it; "": not known */
};

extern struct mine mine_none; /* of all threads that have none yet */
extern uintptr_t mine_place;  /* from the thread pointer; 0: not found yet */

static inline __attribute__((always_inline)) struct mine *mine_now(void)
{
    struct mine *m = 0;
    uintptr_t place = mine_place;
    if (__builtin_expect(place != 0, 1))
        __asm__ volatile("movq %%fs:(%1), %0" : "=r"(m) : "r"(place));
    return __builtin_expect(m != 0, 1) ? m : &mine_none;
}

/* mine.c: the calling thread's, made when it has none; mine_none: that cannot be done. */
struct mine *mine_make(void);
/* Find the place. False: there is none. */
bool mine_init(void);
/* The drain's thread has this one, whose structure begins at `control`. */
void mine_give(struct mine *, char *control);

#define RAS_LANE (mine_now()->lane)
#endif
#endif
