/* hooks.c - beginning with the first call, by what the environment says; and the lock. */
#include "hooks/hooks.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct hooks hooks = {.lock = PTHREAD_MUTEX_INITIALIZER};

void hooks_lock(struct held *held)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &held->mask);
    held->calls = calls;
    calls = (struct calls *)(uintptr_t)&calls_busy;
    pthread_mutex_lock(&hooks.lock);
}

void hooks_unlock(const struct held *held)
{
    pthread_mutex_unlock(&hooks.lock);
    calls = held->calls;
    pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
}

void hooks_next(void *function, const char *name, const char *library)
{
    void *found = dlsym(RTLD_NEXT, name);
    void *handle = found ? NULL : dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle)
        found = dlsym(handle, name);
    memcpy(function, &found, sizeof found);
}

/* ---- forks --------------------------------------------------------------------------------- */

static void before_fork(void)
{
    pthread_mutex_lock(&hooks.lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&hooks.lock);
}

static void in_child(void)
{
    loaded_map_leave();
    pthread_mutex_unlock(&hooks.lock);
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* Called by the recorder, which has told the system of its own handlers before: those of a
 * fork are called in the reverse order, so that locks are always taken in one. */
static void begun(void)
{
    static uint32_t watched;
    hooks.pid = getpid();
    loaded_map_open();
    if (!EXCHANGE(&watched, 1))
        pthread_atfork(before_fork, in_parent, in_child);
}

static const struct watch watch = {.begun = begun, .names = loaded_tell};

bool hooks_begin(void)
{
    uint32_t fresh = HOOKS_NEW;
    if (SWAP_IF(&hooks.state, &fresh, HOOKS_STARTING)) {
        recorder.watch = &watch;
        bool on = ras_record_start(&hooks.options, NULL) == RAS_OK;
        STORE_RELEASE(&hooks.state, on ? HOOKS_ON : HOOKS_OFF);
    }
    while (LOAD_ACQUIRE(&hooks.state) == HOOKS_STARTING)
        sched_yield();
    return LOAD(&hooks.state) == HOOKS_ON;
}

/* ---- the environment --------------------------------------------------------------------------
 */

static void take_word(const char *name, char *value)
{
    struct ras_record_options *o = &hooks.options;
    if (!strcmp(name, "session"))
        o->exact = value;
    else if (!strcmp(name, "policy"))
        o->policy = !strcmp(value, "drop") ? RAS_RECORD_DROP : RAS_RECORD_BLOCK;
    else if (!strcmp(name, "durable"))
        o->durable = true;
    else if (!strcmp(name, "max_depth"))
        hooks.max_depth = strtoull(value, NULL, 10);
}

/* RASTRUM_RECORD is lines of NAME=VALUE, which rastrum record writes. */
static void take_environment(void)
{
    const char *text = getenv("RASTRUM_RECORD");
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = size ? hooks_memory(size) : NULL;
    if (!copy)
        return;
    memcpy(copy, text, size);
    for (char *line = copy, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        char *equals = strchr(line, '=');
        if (!equals)
            continue;
        *equals = 0;
        take_word(line, equals + 1);
    }
}

__attribute__((constructor)) static void load(void)
{
    hooks.options.fork = RAS_RECORD_FORK_FOLLOW;
    take_environment();
    calls_init();
    thunk_init();
    ends_init();
    patch_all();
}
