/* hook_thread.h - what the hooks keep of a thread, without thread-local variables of their own.
 *
 * A module with thread-local variables makes every thread of the program take 16 bytes more of
 * its heap. The value of a pthread_key_create() key is stored in the thread descriptor: once its
 * place is found, one instruction reads it. Every source of the hooks includes this file first,
 * so that the recorder finds a thread's lane here, too. */
#ifndef HOOKS_THREAD_H
#define HOOKS_THREAD_H

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ras_lane;
struct calls;

struct hook_thread {
    struct ras_lane *lane;
    struct calls *calls;
    unsigned ends;     /* rounds of destructors so far */
    uint32_t children; /* threads that it has created */
    size_t stack_size; /* 0: the default */
    char path[64];     /* which thread created it; "": not known */
    /* Of a process that was attached to: all of them, and where each is found. */
    struct hook_thread *next, **link;
    struct hook_thread **place;
};

extern struct hook_thread thread_none; /* of all threads that have no state yet */
extern uintptr_t thread_place;         /* offset from the thread pointer; 0: not found yet */

/* On x86-64 the thread descriptor begins there; on arm64 it ends there, and offsets wrap. */
static inline __attribute__((always_inline)) uintptr_t thread_pointer(void)
{
    uintptr_t at;
#if defined(__x86_64__)
    __asm__("movq %%fs:16, %0" : "=r"(at));
#else
    __asm__("mrs %0, tpidr_el0" : "=r"(at));
#endif
    return at;
}

static inline __attribute__((always_inline)) struct hook_thread *thread_at(uintptr_t place)
{
#if defined(__x86_64__)
    struct hook_thread *m;
    __asm__ volatile("movq %%fs:(%1), %0" : "=r"(m) : "r"(place));
    return m;
#else
    return *(struct hook_thread *volatile *)(thread_pointer() + place);
#endif
}

static inline __attribute__((always_inline)) struct hook_thread *thread_now(void)
{
    struct hook_thread *m = 0;
    uintptr_t place = thread_place;
    if (__builtin_expect(place != 0, 1))
        m = thread_at(place);
    return __builtin_expect(m != 0, 1) ? m : &thread_none;
}

/* hook_thread.c: the state of the calling thread, created if it has none; thread_none: not
 * possible. */
struct hook_thread *thread_make(void);
/* No thread has a state from here on, and the key is free again. */
void thread_release(void);
/* Find the offset. False: not found. */
bool thread_init(void);
/* The state of the drain's thread, by its thread pointer. */
void thread_give(struct hook_thread *, char *pointer);

#define RAS_LANE (thread_now()->lane)
#endif
#endif
