/* hooks.c - starting with the first call, with the options from the environment; and the lock. */
#include "hooks/hooks.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct hooks hooks;

void hooks_lock(struct held *held)
{
    sigset_t all;
    held->error = errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &held->mask);
    held->mine = thread_make();
    held->calls = held->mine->calls;
    if (held->mine != &thread_none)
        held->mine->calls = (struct calls *)(uintptr_t)&calls_busy;
    lock_take(&hooks.lock);
}

void hooks_unlock(const struct held *held)
{
    lock_give(&hooks.lock);
    if (held->mine != &thread_none)
        held->mine->calls = held->calls;
    pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
    errno = held->error;
}

/* ---- forks --------------------------------------------------------------------------------- */

/* The signals of the thread that forks: a handler that calls a recorded function would wait for
 * the lock that its own thread has. Guarded by the lock. */
static sigset_t mask_of_fork;

static void before_fork(void)
{
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    lock_take(&hooks.lock);
    mask_of_fork = mask;
}

static void hooks_after_fork(void)
{
    sigset_t mask = mask_of_fork;
    lock_give(&hooks.lock);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void hooks_after_fork_in_child(void)
{
    thread_is_first();
    hooks_after_fork();
}

/* ---- the environment ----------------------------------------------------------------- */

/* Options that choose functions; false: it is not one of them. */
static bool take_choice(const char *name, char *value, bool *good)
{
    static const char *const names[CHOICES] = {[CHOICE_FILTER] = "filter",
                                               [CHOICE_EXCLUDE] = "exclude",
                                               [CHOICE_DETAIL] = "detail",
                                               [CHOICE_TRIGGER] = "trigger"};
    for (unsigned i = 0; i < CHOICES; i++)
        if (!strcmp(name, names[i])) {
            hooks.options.flight |= i == CHOICE_TRIGGER;
            if (!choice_add((enum choice)i, value))
                *good = false; /* better to record nothing than everything */
            return true;
        }
    return false;
}

/* Options with a number. */
static void take_number(const char *name, uint64_t n)
{
    struct ras_record_options *o = &hooks.options;
    if (!strcmp(name, "max_depth"))
        hooks.max_depth = n;
    else if (!strcmp(name, "min_duration"))
        hooks.min_duration = n;
    else if (!strcmp(name, "stop_at"))
        recorder.stop_at = n;
    else if (!strcmp(name, "pre_ms"))
        o->pre_ms = (unsigned)n;
    else if (!strcmp(name, "post_ms"))
        o->post_ms = (unsigned)n;
    else if (!strcmp(name, "history_bytes"))
        o->history_bytes = n;
    else if (!strcmp(name, "flight"))
        o->flight = n;
    else if (!strcmp(name, "trigger_ns"))
        hooks.trigger_ns = n;
    else if (!strcmp(name, "trigger_signal"))
        hooks.trigger_signal = (int)n;
    else if (!strcmp(name, "durable"))
        o->durable = n;
    else if (!strcmp(name, "compress"))
        o->compress = n;
    else if (!strcmp(name, "rotate_bytes"))
        o->rotate_bytes = n;
    else if (!strcmp(name, "rotate_ms"))
        o->rotate_ms = (unsigned)n;
    else if (!strcmp(name, "keep"))
        o->keep_segments = (unsigned)n;
    else if (!strcmp(name, "drop"))
        o->policy = n ? RAS_RECORD_DROP : RAS_RECORD_BLOCK;
}

static void take_word(const char *name, char *value, bool *good)
{
    if (!strcmp(name, "plans"))
        hooks.plans = value;
    else if (!take_choice(name, value, good))
        take_number(name, strtoull(value, NULL, 10));
}

/* The path of the session, and of its plans where there are any. */
static bool take_session(const char *path)
{
    size_t room = strlen(path) + sizeof "/plans";
    hooks.options.exact = path;
    if (!hooks.plans)
        return true;
    char *plans = hooks_memory(room);
    if (plans)
        snprintf(plans, room, "%s/plans", path);
    hooks.plans = plans;
    return plans;
}

/* RASTRUM_RECORD has lines NAME=VALUE, written by `rastrum record`; the last is session=PATH, to
 * the end of the text, as a path may have line feeds. False: one is not valid. */
static bool take_environment(char *const *environment)
{
    static const char name[] = "RASTRUM_RECORD=";
    const char *text = NULL;
    for (; environment && *environment && !text; environment++)
        if (!strncmp(*environment, name, sizeof name - 1))
            text = *environment + sizeof name - 1;
    if (!text)
        text = attached_settings();
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = size ? hooks_memory(size) : NULL;
    bool good = true;
    if (!copy)
        return true;
    memcpy(copy, text, size);
    for (char *line = copy, *next; line; line = next) {
        static const char last[] = "session=";
        if (!strncmp(line, last, sizeof last - 1))
            return take_session(line + sizeof last - 1) && good;
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        char *equals = strchr(line, '=');
        if (!equals)
            continue;
        *equals = 0;
        take_word(line, equals + 1, &good);
    }
    hooks.plans = NULL; /* they are below a session */
    return good;
}

/* librastrum-conditions, where `rastrum twice` has loaded it: the value of a condition by its
 * name. Its constructor has not run yet. */
extern uint64_t rastrum_condition(const char *name) __attribute__((weak));

static void take_conditions(void)
{
    if (!rastrum_condition)
        return;
    STORE(&hooks.apart, 1);
    hooks.fill = (enum stack_fill)rastrum_condition("stack");
    hooks.yield = (uint32_t)rastrum_condition("yield");
}

/* False: do not record. */
static bool hooks_configure(char *const *environment)
{
    hooks.options.struct_size = sizeof hooks.options;
    hooks.options.fork = RAS_RECORD_FORK_FOLLOW;
    take_conditions();
    bool ready = thread_init(), good = take_environment(environment) && ready;
    calls_init();
    ends_init();
    if (hooks.attached) /* its threads are running */
        return good;
    arrival_init();
    patch_all(PATCH_AT_START);
    return good;
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* Called by the recorder, after it has registered its own fork handlers: these run in reverse
 * order before a fork, so that locks are always taken in the same order. */
static void hooks_begun(void)
{
    static uint32_t watched;
    hooks.pid = getpid();
    if (hooks.trigger_ns)
        ras_record_trigger_at(ras_record_now() + hooks.trigger_ns);
    if (hooks.trigger_signal)
        (void)!ras_record_trigger_on_signal(hooks.trigger_signal, NULL);
    if (!EXCHANGE(&watched, 1))
        pthread_atfork(before_fork, hooks_after_fork, hooks_after_fork_in_child);
}

static void hooks_crashed(struct crash_info *c)
{
    calls_list(c);
    mark_last_tick(c);
}

static const struct watch watch = {.begun = hooks_begun,
                                   .names = loaded_report,
                                   .map = loaded_map,
                                   .moved = loaded_map_moved,
                                   .path = thread_path,
                                   .stack = calls_stack,
                                   .crashed = hooks_crashed,
                                   .start = drain_thread_start,
                                   .join = drain_thread_join};

extern void *__libc_stack_end;

/* As the kernel puts it on the stack, after the arguments: the first constructors run before
 * libc has set environ. */
static char *const *first_environment(void)
{
    char *const *words = __libc_stack_end;
    return words + 1 + *(const long *)__libc_stack_end + 1;
}

/* Libraries that the program was linked with may have constructors that run before ours. */
static void read_once(void)
{
    uint32_t unread = HOOKS_UNREAD;
    if (SWAP_IF(&hooks.state, &unread, HOOKS_READING))
        STORE_RELEASE(&hooks.state, hooks_configure(environ ? environ : first_environment())
                                        ? HOOKS_NEW
                                        : HOOKS_OFF);
    while (LOAD_ACQUIRE(&hooks.state) == HOOKS_READING)
        sched_yield();
}

bool hooks_begin(void)
{
    uint32_t fresh = HOOKS_NEW;
    read_once();
    if (SWAP_IF(&hooks.state, &fresh, HOOKS_STARTING)) {
        recorder.watch = &watch;
        bool on = ras_record_start(&hooks.options, NULL) == RAS_OK;
        STORE_RELEASE(&hooks.state, on ? HOOKS_ON : HOOKS_OFF);
    }
    while (LOAD_ACQUIRE(&hooks.state) == HOOKS_STARTING)
        sched_yield();
    return LOAD(&hooks.state) == HOOKS_ON;
}

/* The library is linked so that its constructor runs first, and functions of all others are
 * patched before theirs. */
__attribute__((constructor)) static void hooks_load(void)
{
    thunk_init();
    read_once();
    if (hooks.attached)
        attached_begin();
}
