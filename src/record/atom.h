/* atom.h - atomic access to what threads share. */
#ifndef RECORD_ATOM_H
#define RECORD_ATOM_H

#include <stdbool.h>
#include <stdint.h>

#define LOAD(p)             __atomic_load_n((p), __ATOMIC_RELAXED)
#define LOAD_ACQUIRE(p)     __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define LOAD_ORDERED(p)     __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define STORE(p, v)         __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define STORE_RELEASE(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define STORE_ORDERED(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)
#define EXCHANGE(p, v)      __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define ADD(p, v)           __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define SET_BITS(p, v)      __atomic_fetch_or((p), (v), __ATOMIC_SEQ_CST)
#define SWAP_IF(p, was, now)                                                                       \
    __atomic_compare_exchange_n((p), (was), (now), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

/* Sleep while *word is `value`, at most timeout_ns (UINT64_MAX: no timeout). Spurious wakeups
 * happen. */
void word_wait(uint32_t *word, uint32_t value, uint64_t timeout_ns);
void word_wake(uint32_t *word);

/* A lock that does not depend on the C library's threads: the drain may not be one of them, and
 * in a program with one thread pthread_mutex_lock() skips the atomic operations that others
 * need. Zero: free. */
struct lock {
    uint32_t word; /* 1: taken; 2: a thread waits */
};
void lock_take(struct lock *);
void lock_give(struct lock *);
#endif
