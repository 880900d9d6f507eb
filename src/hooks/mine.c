/* mine.c - a thread's own, from its first event or its creation to its end. */
#include "hooks/hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Keys below KEYS lie in the thread's structure, which is longer than STRUCTURE. */
enum { KEYS = 32, STRUCTURE = 0x800, ENDS = 4 };

struct mine mine_none = {.lane = (struct ras_lane *)(uintptr_t)&lane_none,
                         .calls = (struct calls *)(uintptr_t)&calls_none};
uintptr_t mine_place;
static pthread_key_t key;

/* ---- the place -------------------------------------------------------------------------- */

/* Called once for each round of destructors that the C library makes. Those of other keys may be
 * called later and are recorded, too: until the last round the thread keeps what it has. */
static void ends(void *user)
{
    struct mine *m = user;
    if (++m->ends < ENDS)
        pthread_setspecific(key, m);
    if (m->ends == 1) {
        calls_thread_ends(m->calls);
        if (m->lane != &lane_none)
            lane_thread_ends(lane_of(m->lane));
    }
    if (m->ends < ENDS)
        return;
    calls_thread_gone(m->calls);
    free(m);
}

/* The last key that lies there, so that those of the program are numbered as without us. */
static bool make_key(void)
{
    pthread_key_t keys[KEYS];
    size_t count = 0;
    bool got = false;
    while (count < KEYS && pthread_key_create(&keys[count], ends) == 0 && keys[count] < KEYS)
        count++;
    for (size_t i = 0; i < count; i++)
        if (i + 1 < count)
            pthread_key_delete(keys[i]);
    if (count) {
        key = keys[count - 1];
        got = true;
    }
    return got;
}

/* Where the C library has put a value. */
static uintptr_t find(void)
{
    static const char mark[2];
    uintptr_t found = 0, self, word;
    __asm__("movq %%fs:16, %0" : "=r"(self));
    for (uintptr_t at = 64; !found && at < STRUCTURE; at += sizeof word) {
        const volatile uintptr_t *there = (const volatile uintptr_t *)(self + at);
        pthread_setspecific(key, &mark[0]);
        if (*there != (uintptr_t)&mark[0])
            continue;
        pthread_setspecific(key, &mark[1]);
        if (*there == (uintptr_t)&mark[1])
            found = at;
    }
    pthread_setspecific(key, NULL);
    return found;
}

bool mine_init(void)
{
    static uint32_t begun;
    if (!EXCHANGE(&begun, 1) && make_key())
        STORE_RELEASE(&mine_place, find());
    return LOAD_ACQUIRE(&mine_place);
}

/* ---- a thread's own --------------------------------------------------------------------- */

/* No signal handler comes while memory is taken: it may be recorded. */
struct mine *mine_make(void)
{
    struct mine *m = mine_now();
    if (m != &mine_none || !mine_init())
        return m;
    int was = errno;
    uint64_t all = ~UINT64_C(0), mask;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof all);
    m = malloc(sizeof *m);
    if (m) {
        *m = mine_none;
        if (pthread_setspecific(key, m)) {
            free(m);
            m = NULL;
        }
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
    errno = was;
    return m ? m : &mine_none;
}

void mine_give(struct mine *m, char *control)
{
    *m = mine_none;
    m->calls = (struct calls *)(uintptr_t)&calls_busy;
    *(struct mine **)(void *)(control + mine_place) = m;
}
