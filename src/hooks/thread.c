/* thread.c - who created a thread, and as which of its threads.
 *
 * "0" is the first thread of a process, "0.2" the second that it created, whether or not it has
 * called anything. A path that becomes too long begins with a hash of what is left out. */
#include "hooks/hooks.h"
#include "codec/fnv1a.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

enum { PATH_MOST = 40 }; /* of a creator; its threads' numbers come behind */

_Static_assert(sizeof mine_none.path == THREAD_PATH_ROOM, "as the recorder has it");

const char *thread_path(void)
{
    struct mine *m = mine_make();
    if (m != &mine_none && !m->path[0] && syscall(SYS_gettid) == getpid())
        memcpy(m->path, "0", 2);
    return m->path;
}

void thread_is_first(void)
{
    struct mine *m = mine_now();
    if (m == &mine_none)
        return;
    m->path[0] = 0;
    m->children = 0;
}

/* ---- beginning -------------------------------------------------------------------------- */

/* What a new thread is to know. The memory is ours, and used again. */
struct birth {
    struct birth *next;
    union {
        void *(*run)(void *);
        int (*run_c11)(void *);
    };
    void *user;
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

/* The next child of the calling thread; NULL: memory is short, and nobody will know it. */
static struct birth *birth_new(void)
{
    struct birth *b = birth_take();
    const char *mine = thread_path();
    if (!b)
        return NULL;
    uint32_t number = ++mine_now()->children;
    if (!*mine)
        b->path[0] = 0;
    else if (strlen(mine) <= PATH_MOST)
        snprintf(b->path, sizeof b->path, "%s.%" PRIu32, mine, number);
    else
        snprintf(b->path, sizeof b->path, "#%016" PRIx64 ".%" PRIu32,
                 fnv1a_bytes(FNV1A_START, mine, strlen(mine)), number);
    return b;
}

/* It was not created after all. */
static void birth_undo(struct birth *b)
{
    mine_now()->children--;
    birth_give(b);
}

static struct birth begin(void *user)
{
    struct birth b = *(struct birth *)user;
    struct mine *m = mine_make();
    if (m != &mine_none)
        memcpy(m->path, b.path, sizeof m->path);
    birth_give(user);
    return b;
}

static void *run(void *user)
{
    struct birth b = begin(user);
    return b.run(b.user);
}

static int run_c11(void *user)
{
    struct birth b = begin(user);
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
    int status = real(id, attributes, run, b);
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
    int status = real(id, run_c11, b);
    if (status != thrd_success)
        birth_undo(b);
    return status;
}
