/* hook_thread.c - what the hooks keep of a thread, from its first event or its creation to its end;
 * and which thread created it.
 *
 * "0" is the first thread of a process, "0.2" the second that it created, whether or not it has
 * called anything. A path that becomes too long begins with a hash of what is left out. */
#include "codec/fnv1a.h"
#include "hooks/hooks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

/* Keys below KEYS are stored in the thread descriptor, which is longer than STRUCTURE. */
enum { KEYS = 32, STRUCTURE = 0x800, ENDS = 4 };
#if defined(__x86_64__)
enum { DESCRIPTOR_BELOW = 0 };
#else
enum { DESCRIPTOR_BELOW = 1 }; /* the thread pointer */
#endif

struct hook_thread thread_none = {.lane = (struct ras_lane *)(uintptr_t)&lane_none,
                                  .calls = (struct calls *)(uintptr_t)&calls_none};
uintptr_t thread_place;
static pthread_key_t key;

/* ---- all of them ------------------------------------------------------------------------ */

static struct {
    struct lock lock; /* with signals blocked */
    struct hook_thread *first;
} all_threads;

static void list_add(struct hook_thread *m)
{
    m->place = (struct hook_thread **)(thread_pointer() + thread_place);
    lock_take(&all_threads.lock);
    m->next = all_threads.first;
    m->link = &all_threads.first;
    if (m->next)
        m->next->link = &m->next;
    all_threads.first = m;
    lock_give(&all_threads.lock);
}

static void list_remove(struct hook_thread *m)
{
    uint64_t all = ~UINT64_C(0), mask;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof all);
    lock_take(&all_threads.lock);
    if (m->link) {
        *m->link = m->next;
        if (m->next)
            m->next->link = m->link;
    }
    lock_give(&all_threads.lock);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

/* The C library does not clear the values of a key that is deleted, and the next library that is
 * attached reads them without asking it. */
void thread_release(void)
{
    uint64_t all = ~UINT64_C(0), mask;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof all);
    lock_take(&all_threads.lock);
    bool had = EXCHANGE(&thread_place, 0) != 0;
    for (struct hook_thread *m = all_threads.first; m; m = m->next)
        STORE_RELEASE(m->place, NULL);
    lock_give(&all_threads.lock);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
    if (had)
        pthread_key_delete(key);
}

/* ---- the place -------------------------------------------------------------------------- */

/* Called once per round of destructors of the C library. Destructors of other keys may run later
 * and are recorded, too: the state is kept until the last round. */
static void thread_ends(void *user)
{
    struct hook_thread *m = user;
    if (++m->ends < ENDS)
        pthread_setspecific(key, m);
    if (m->ends == 1) {
        calls_thread_ends(m->calls);
        if (m->lane != &lane_none)
            lane_thread_ends(lane_of(m->lane));
    }
    if (m->ends < ENDS)
        return;
    list_remove(m);
    calls_thread_gone(m->calls);
    free(m);
}

/* The last key that is stored there, so that keys of the program get the same numbers as without
 * us. */
static bool make_key(void)
{
    pthread_key_t keys[KEYS];
    size_t count = 0;
    bool got = false;
    while (count < KEYS && pthread_key_create(&keys[count], thread_ends) == 0 && keys[count] < KEYS)
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

/* Where the C library stores the value of the key. */
static uintptr_t find_key_place(void)
{
    static const char mark[2];
    uintptr_t found = 0, self = thread_pointer();
    for (uintptr_t away = 64; !found && away < STRUCTURE; away += sizeof away) {
        uintptr_t at = DESCRIPTOR_BELOW ? 0 - away : away;
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

bool thread_init(void)
{
    static uint32_t begun;
    if (!EXCHANGE(&begun, 1) && make_key())
        STORE_RELEASE(&thread_place, find_key_place());
    return LOAD_ACQUIRE(&thread_place);
}

/* ---- a thread's own --------------------------------------------------------------------- */

/* Signals are blocked while memory is allocated: a handler may be recorded. */
struct hook_thread *thread_make(void)
{
    struct hook_thread *m = thread_now();
    if (m != &thread_none || !thread_init())
        return m;
    int was = errno;
    uint64_t all = ~UINT64_C(0), mask;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof all);
    m = malloc(sizeof *m);
    if (m) {
        *m = thread_none;
        if (pthread_setspecific(key, m)) {
            free(m);
            m = NULL;
        } else {
            list_add(m);
        }
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
    errno = was;
    return m ? m : &thread_none;
}

void thread_give(struct hook_thread *m, char *pointer)
{
    *m = thread_none;
    m->calls = (struct calls *)(uintptr_t)&calls_busy;
    *(struct hook_thread **)(void *)(pointer + thread_place) = m;
}

/* ---- creation -------------------------------------------------------------------- */

enum { PATH_MOST = 40 }; /* of a creator; the numbers of its threads are appended */

_Static_assert(sizeof thread_none.path == THREAD_PATH_ROOM, "as the recorder has it");

const char *thread_path(void)
{
    struct hook_thread *m = thread_make();
    if (m != &thread_none && !m->path[0] && syscall(SYS_gettid) == getpid())
        memcpy(m->path, "0", 2);
    return m->path;
}

void thread_is_first(void)
{
    struct hook_thread *m = thread_now();
    if (m == &thread_none)
        return;
    m->path[0] = 0;
    m->children = 0;
}

/* ---- beginning -------------------------------------------------------------------------- */

/* What a new thread needs. The memory comes from hooks_memory(), and is reused. */
struct birth {
    struct birth *next;
    union {
        void *(*run)(void *);
        int (*run_c11)(void *);
    };
    void *user;
    size_t stack_size; /* 0: the default */
    char path[THREAD_PATH_ROOM];
};
static struct birth *spare; /* guarded by hooks.lock */

static struct birth *birth_take(void)
{
    struct held held;
    hooks_lock(&held);
    struct birth *b = spare;
    if (b)
        spare = b->next;
    else
        b = hooks_memory(sizeof *b);
    hooks_unlock(&held);
    return b;
}

static void birth_give(struct birth *b)
{
    struct held held;
    hooks_lock(&held);
    b->next = spare;
    spare = b;
    hooks_unlock(&held);
}

/* The next child of the calling thread; NULL: memory is short, and its path is not known. */
static struct birth *birth_new(void)
{
    struct birth *b = birth_take();
    const char *mine = thread_path();
    if (!b)
        return NULL;
    uint32_t number = ++thread_now()->children;
    if (!*mine)
        b->path[0] = 0;
    else if (strlen(mine) <= PATH_MOST)
        snprintf(b->path, sizeof b->path, "%s.%" PRIu32, mine, number);
    else
        snprintf(b->path, sizeof b->path, "#%016" PRIx64 ".%" PRIu32, fnv1a_text(mine), number);
    return b;
}

/* The thread was not created after all. */
static void birth_undo(struct birth *b)
{
    thread_now()->children--;
    birth_give(b);
}

static struct birth thread_begin(void *user)
{
    struct birth b = *(struct birth *)user;
    struct hook_thread *m = thread_make();
    if (m != &thread_none) {
        memcpy(m->path, b.path, sizeof m->path);
        m->stack_size = b.stack_size;
    }
    birth_give(user);
    return b;
}

static void *thread_run(void *user)
{
    struct birth b = thread_begin(user);
    return b.run(b.user);
}

static int thread_run_c11(void *user)
{
    struct birth b = thread_begin(user);
    return b.run_c11(b.user);
}

/* ---- creating --------------------------------------------------------------------------- */

HOOK int pthread_create(pthread_t *restrict id, const pthread_attr_t *restrict attributes,
                        void *(*routine)(void *), void *restrict user)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        hooks_next(&real, "pthread_create");
    struct birth *b = birth_new();
    if (!b)
        return real(id, attributes, routine, user);
    b->run = routine;
    b->user = user;
    if (!attributes || pthread_attr_getstacksize(attributes, &b->stack_size))
        b->stack_size = 0;
    int status = real(id, attributes, thread_run, b);
    if (status)
        birth_undo(b);
    return status;
}

HOOK int thrd_create(thrd_t *id, thrd_start_t routine, void *user)
{
    static int (*real)(thrd_t *, thrd_start_t, void *);
    if (!real)
        hooks_next(&real, "thrd_create");
    struct birth *b = birth_new();
    if (!b)
        return real(id, routine, user);
    b->run_c11 = routine;
    b->user = user;
    b->stack_size = 0;
    int status = real(id, thread_run_c11, b);
    if (status != thrd_success)
        birth_undo(b);
    return status;
}
