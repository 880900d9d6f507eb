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

static __thread char path[THREAD_PATH_ROOM] __attribute__((tls_model("initial-exec")));
static __thread uint32_t children __attribute__((tls_model("initial-exec")));

const char *thread_path(void)
{
    if (!path[0] && syscall(SYS_gettid) == getpid())
        memcpy(path, "0", 2);
    return path;
}

void thread_is_first(void)
{
    path[0] = 0;
    children = 0;
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
    uint32_t number = ++children;
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
    children--;
    birth_give(b);
}

static struct birth begin(void *user)
{
    struct birth b = *(struct birth *)user;
    memcpy(path, b.path, sizeof path);
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

static int (*real_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static void find_real(void)
{
    if (!real_create)
        hooks_next(&real_create, "pthread_create", "libc.so.6");
}

HOOK int pthread_create(pthread_t *restrict id, const pthread_attr_t *restrict attributes,
                        void *(*routine)(void *), void *restrict user)
{
    find_real();
    struct birth *b = birth_new();
    if (!b)
        return real_create(id, attributes, routine, user);
    b->run = routine;
    b->user = user;
    int status = real_create(id, attributes, run, b);
    if (status)
        birth_undo(b);
    return status;
}

HOOK int thrd_create(thrd_t *id, thrd_start_t routine, void *user)
{
    static int (*real)(thrd_t *, thrd_start_t, void *);
    if (!real)
        hooks_next(&real, "thrd_create", "libc.so.6");
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

/* ---- the drain -------------------------------------------------------------------------- */

int thread_start_drain(void *(*drain)(void *))
{
    find_real();
    return real_create(&recorder.drain, NULL, drain, NULL);
}

void thread_join_drain(void)
{
    pthread_join(recorder.drain, NULL);
}
