/* atom.c - futexes: waiting on a word, waking those who wait, and a lock made of one. */
#include "record/atom.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void word_wait(uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
    int was = errno; /* belongs to the program that is recorded */
    const struct timespec t = {(time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000)};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout_ns == UINT64_MAX ? NULL : &t, NULL,
            0);
    errno = was;
}

void word_wake(uint32_t *word)
{
    int was = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    errno = was;
}

void lock_take(struct lock *lock)
{
    uint32_t was = 0;
    if (SWAP_IF(&lock->word, &was, 1))
        return;
    while (EXCHANGE(&lock->word, 2))
        word_wait(&lock->word, 2, UINT64_MAX);
}

void lock_give(struct lock *lock)
{
    if (EXCHANGE(&lock->word, 0) == 2)
        word_wake(&lock->word);
}
