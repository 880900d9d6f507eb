/* condition.h - what a program depends on beside its input, as `rastrum twice` sets it: private
 * interface of librastrum-conditions.
 *
 * The library is loaded before the others and defines functions of the C library that read a clock,
 * random numbers, directories, times of files and processors, or start threads. Each has a fixed
 * value in every run, which a file states: RASTRUM_CONDITIONS names it. Nothing here takes memory
 * from the program's heap, and what librastrum-* calls goes to the C library. */
#ifndef CONDITIONS_CONDITION_H
#define CONDITIONS_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines NAME=NUMBER of the file, in the order of setting_names. 0: as it is without us. */
enum setting {
    SET_CLOCK,   /* seconds of the first look at the time */
    SET_STEP,    /* nanoseconds from one look to the next */
    SET_SLOW,    /* that pass besides with each of the first looks, and before these */
    SET_RANDOM,  /* a seed */
    SET_FIRST,   /* the first random word: 1 it is 0, 2 it has all bits */
    SET_READDIR, /* 1 sorted, 2 reversed */
    SET_FILES,   /* 1 times and numbers of files as they were, 2 a day later, and others */
    SET_SINCE,   /* from this second on, files were changed by runs */
    SET_MADE,    /* when those were made */
    SET_THREADS, /* 1 a new thread runs until it waits, others: it starts late */
    SET_YIELD,   /* the hooks: in every call of this number */
    SET_STACK,   /* the hooks: enum stack_fill */
    SET_FLOAT,   /* 1 subnormal numbers are 0 */
    SET_HEAP,    /* bytes of a block before all others of the heap */
    SET_FILL,    /* the byte that new memory of the heap holds, and 1 */
    SET_CPUS,    /* processors that are reported */
    SETTINGS,
};
uint64_t setting(enum setting);

#define WRAP __attribute__((visibility("default")))
/* The next definition of the function that is being defined, in `real`. */
#define REAL(name)                                                                                 \
    static __typeof__(name) *real;                                                                 \
    if (!real)                                                                                     \
    condition_next(&real, #name)
/* Store the next definition of a name in *function. */
void condition_next(void *function, const char *name);
/* Whether librastrum-* made this call. */
#define IS_OWN_CALL() condition_is_own((uintptr_t)__builtin_return_address(0))
bool condition_is_own(uintptr_t address);

/* Memory of our own, zeroed; NULL: none. */
void *condition_memory(size_t size);
void condition_memory_free(void *, size_t size);
/* Twice as much memory for the `*room` items at `items`, which it replaces; at first for `first`.
 * False: there is none, and all is as it was. */
bool condition_memory_grow(void *items, size_t *room, size_t first, size_t item_size);

/* thread_start.c: a number of the calling thread, the same in every run: by who created it. */
uint64_t condition_thread(void);
void condition_float(void);
/* fixed_random.c: of a thread's own sequence. */
void condition_random(void *to, size_t size);
/* Whether a file is a replaced device. */
bool condition_is_device(uint64_t device, uint64_t inode);

/* system_files.c: a descriptor in place of a file that lists processors or times; -1: it is not
 * one. */
int condition_open_system_file(const char *path, int flags);

/* file_times.c: times and number of a file that the C library has inspected itself; the number of
 * one. */
struct stat;
void condition_set_times(struct stat *);
uint64_t condition_file_number(uint64_t inode);

/* fixed_clock.c: nanoseconds that have passed for the program were waited for; nanoseconds since
 * the system was started. */
void condition_waited(uint64_t ns);
uint64_t condition_up_ns(void);

static inline uint64_t condition_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

struct condition_lock {
    uint32_t held;
};
void condition_take(struct condition_lock *);
void condition_give(struct condition_lock *);
#endif
