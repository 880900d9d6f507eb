/* hook_thread.h - what the hooks keep of a thread, without thread-local variables of their own.
 *
 * A module with thread-local variables has every thread of the program take 16 bytes more of its
 * heap. A key of pthread_key_create() has its place in the thread's own structure: found once, it
 * is read by one instruction. Every source of the hooks includes this file first, so that the
 * recorder's lane of a thread is found here, too. */
#ifndef HOOKS_THREAD_H
#define HOOKS_THREAD_H

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

struct ras_lane;
struct calls;

struct hook_thread {
    struct ras_lane *lane;
    struct calls *calls;
    unsigned ends;     /* how often the end of the thread was told */
    uint32_t children; /* threads that it has created */
    char path[64];     /* who created it; "": not known */
};

extern struct hook_thread thread_none; /* of all threads that have none yet */
extern uintptr_t thread_place;         /* from the thread pointer; 0: not found yet */

static inline __attribute__((always_inline)) struct hook_thread *thread_now(void)
{
    struct hook_thread *m = 0;
    uintptr_t place = thread_place;
    if (__builtin_expect(place != 0, 1))
        __asm__ volatile("movq %%fs:(%1), %0" : "=r"(m) : "r"(place));
    return __builtin_expect(m != 0, 1) ? m : &thread_none;
}

/* hook_thread.c: the calling thread's, made when it has none; thread_none: that cannot be done. */
struct hook_thread *thread_make(void);
/* Find the place. False: there is none. */
bool thread_init(void);
/* The drain's thread has this one, whose structure begins at `control`. */
void thread_give(struct hook_thread *, char *control);

#define RAS_LANE (thread_now()->lane)
#endif
#endif
