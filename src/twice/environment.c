/* environment.c - the environment of a run: the same in every run, but for what is changed.
 *
 * Its size decides where the stack begins. A filler makes it the same whatever values the others
 * have, and argv[0]. */
#include "twice/launch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    VARIABLES_MOST = 192,
    FILLER = 2048,            /* bytes in a pinned run, more or less */
    PINNED_TIME = 2000000000, /* 2033-05-18 03:33:20 UTC: after the times of all files */
    SLOW_NS = 3700000,        /* that pass with each of the first looks at the changed clock */
    WAYS = 3,                 /* in which a condition is changed, one in each attempt */
    LATER = 86400 + 3 * 3600 + 7 * 60 + 13,
};

/* Bytes that `env-size` adds, whole pages, and that `malloc` moves the heap by. */
static const size_t filler_more[WAYS] = {4096, 8192, 12288};
static const unsigned heap_moved[WAYS] = {1040, 5552, 33296};
/* MALLOC_PERTURB_: freed bytes hold it, new ones its complement. Pinned, these are 0xa5: new memory
 * is 0 first, so that a flag in it changes. With 0 nothing is filled: both hold what they held. */
static const unsigned heap_fills[WAYS] = {255, 165, 0};
enum { HEAP_FILL = 90 };

static unsigned heap_fill(uint32_t changed, unsigned attempt)
{
    return changed & TWICE_BIT(TWICE_MALLOC) ? heap_fills[attempt % WAYS] : HEAP_FILL;
}

/* What growing blocks hold, and 1; 0: what they held. */
static unsigned growth_fill(uint32_t changed, unsigned attempt)
{
    unsigned fill = heap_fill(changed, attempt);
    return fill ? 256 - fill : 0;
}

struct environment {
    char **at;
    size_t count;
    bool nomem;
};

static bool is_changed(uint32_t changed, enum twice_condition c)
{
    return changed & TWICE_BIT(c);
}

static void put(struct environment *e, const char *name, const char *value)
{
    char *text = NULL;
    if (e->count + 2 > VARIABLES_MOST)
        return;
    if (asprintf(&text, "%s=%s", name, value) < 0) {
        e->nomem = true;
        return;
    }
    e->at[e->count++] = text;
    e->at[e->count] = NULL;
}

static void put_either(struct environment *e, const char *name, bool changed, const char *pinned,
                       const char *other)
{
    put(e, name, changed ? other : pinned);
}

/* ---- the program's own -------------------------------------------------------------------- */

static void put_user(struct environment *e, const struct launch *l, bool changed)
{
    char home[2 * PATH_MAX], path[2 * PATH_MAX];
    const char *ours = getenv("PATH");
    snprintf(home, sizeof home, "%s/%s", l->scratch, changed ? "away" : "home");
    snprintf(path, sizeof path, "%s%s", ours ? ours : "/usr/local/bin:/usr/bin:/bin",
             changed ? ":/nowhere" : ":/missing");
    put(e, "PATH", path);
    put(e, "HOME", home);
    put_either(e, "USER", changed, "user", "somebody");
    put_either(e, "LOGNAME", changed, "user", "somebody");
    put_either(e, "SHELL", changed, "/bin/sh", "/bin/bash");
    put_either(e, "TERM", changed, "dumb", "xterm");
}

/* Without these a program may not start; the others are those of --keep. */
static void put_kept(struct environment *e, const struct launch *l)
{
    const char *libraries = getenv("LD_LIBRARY_PATH");
    if (libraries)
        put(e, "LD_LIBRARY_PATH", libraries);
    for (size_t i = 0; i < l->kept_count; i++) {
        const char *value = getenv(l->kept[i]);
        if (value)
            put(e, l->kept[i], value);
    }
}

static void put_conditions(struct environment *e, const struct launch *l, uint32_t changed,
                           unsigned attempt)
{
    put_user(e, l, is_changed(changed, TWICE_ENV));
    put(e, "PWD", l->folders[is_changed(changed, TWICE_CWD)]);
    put_either(e, "LC_ALL", is_changed(changed, TWICE_LOCALE), "C", l->locale.name);
    put_either(e, "LANG", is_changed(changed, TWICE_LOCALE), "C", l->locale.name);
    put_either(e, "TZ", is_changed(changed, TWICE_TZ), "UTC0", "LATER-5:45");
    char fill[16];
    snprintf(fill, sizeof fill, "%u", heap_fill(changed, attempt));
    put(e, "MALLOC_PERTURB_", fill);
    put_either(e, "GLIBC_TUNABLES", is_changed(changed, TWICE_MALLOC),
               "glibc.malloc.tcache_count=7:glibc.malloc.mxfast=128",
               "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0");
    if (*l->locale.path)
        put(e, "LOCPATH", l->locale.path);
    put(e, "ASAN_OPTIONS", "verify_asan_link_order=0"); /* it refuses to come after a preload */
    put(e, "PYTHONDONTWRITEBYTECODE", "1"); /* times of files are not their own: it would write
                                             * all its caches again */
}

/* ---- ours ---------------------------------------------------------------------------------- */

static void put_recording(struct environment *e, const struct launch *l)
{
    char text[4 * PATH_MAX];
    const char *hooks = l->bare ? NULL : l->hooks;
    bool both = l->conditions && hooks;
    snprintf(text, sizeof text, "%s%s%s", l->conditions ? l->conditions : "", both ? ":" : "",
             hooks ? hooks : "");
    if (*text)
        put(e, "LD_PRELOAD", text);
    snprintf(text, sizeof text, "%s/settings", l->scratch);
    put(e, "RASTRUM_CONDITIONS", text);
    snprintf(text, sizeof text, "%s/run", l->scratch);
    put(e, "RASTRUM_PENS", text);
    if (!l->hooks)
        return;
    char *lines = NULL;
    if (asprintf(&lines, "%s%ssession=%s/run/calls", l->plans ? "plans=1\n" : "",
                 l->hook_lines ? l->hook_lines : "", l->scratch) < 0) {
        e->nomem = true;
        return;
    }
    put(e, "RASTRUM_RECORD", lines);
    free(lines);
}

static size_t bytes_of(const struct environment *e, const char *name)
{
    size_t bytes = strlen(name) + 1;
    for (size_t i = 0; i < e->count; i++)
        bytes += strlen(e->at[i]) + 1;
    return bytes;
}

static void put_filler(struct environment *e, const struct launch *l, size_t more, const char *name)
{
    char text[4 * PATH_MAX];
    size_t size = l->size ? l->size : bytes_of(e, name) + FILLER, used = bytes_of(e, name);
    size_t len = size > used ? size - used : 0;
    len += more;
    len = len < sizeof text ? len : sizeof text - 1;
    memset(text, '.', len);
    text[len] = 0;
    put(e, "RASTRUM_FILLER", text);
}

void environment_free(char **e)
{
    for (size_t i = 0; e && e[i]; i++)
        free(e[i]);
    free(e);
}

/* Another path of the same length; a name without one is that which was found. */
static void put_name(const struct launch *l, bool changed, char name[PATH_MAX])
{
    const char *given = strchr(l->words[0], '/') ? l->words[0] : l->path;
    snprintf(name, PATH_MAX, "%s", given);
    char *end = strrchr(name, '/');
    for (char *at = name; changed && at < end; at++)
        if (*at != '/')
            *at = 'x';
}

char **environment_make(const struct launch *l, uint32_t changed, unsigned attempt,
                        char name[PATH_MAX])
{
    size_t more = is_changed(changed, TWICE_ENV_SIZE) ? filler_more[attempt % WAYS] : 0;
    struct environment e = {.at = calloc(VARIABLES_MOST, sizeof *e.at)};
    if (!e.at)
        return NULL;
    put_name(l, is_changed(changed, TWICE_ARGV0), name);
    put_recording(&e, l);
    put_conditions(&e, l, changed, attempt);
    put_kept(&e, l);
    put_filler(&e, l, more, name);
    if (!e.nomem)
        return e.at;
    environment_free(e.at);
    return NULL;
}

/* ---- what is read by librastrum-conditions ----------------------------------------------------
 */

/* Another value each time: hours, and once more than a year. */
static uint64_t time_of(bool changed, unsigned attempt)
{
    static const unsigned steps[] = {1, 6, 11};
    uint64_t years = (attempt / 3 + (attempt % 3 == 2)) % 4; /* not beyond 2038 */
    return PINNED_TIME + (changed ? (uint64_t)LATER * steps[attempt % 3] + years * 401 * 86400 : 0);
}

bool environment_settings(const struct launch *l, uint32_t changed, unsigned attempt)
{
    static const unsigned yields[] = {64, 17, 5};
    char path[2 * PATH_MAX], text[512];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    bool random = is_changed(changed, TWICE_RANDOM);
    bool late = is_changed(changed, TWICE_THREADS), clock = is_changed(changed, TWICE_CLOCK);
    snprintf(path, sizeof path, "%s/settings", l->scratch);
    int len = snprintf(
        text, sizeof text,
        "clock=%" PRIu64 "\nstep=%u\nrandom=%u\nfirst=%u\nreaddir=%d\nfiles=%d\nthreads=%u\n"
        "yield=%u\nstack=%u\nfloat=%d\ncpus=%ld\nsince=%" PRIu64 "\nmade=%" PRIu64
        "\nheap=%u\nfill=%u\nslow=%u\n",
        time_of(clock, attempt), clock ? 1700u : 1000u, random ? 2 + attempt : 1,
        random ? attempt % WAYS : 0, /* what is rare is often at an end */
        is_changed(changed, TWICE_READDIR) ? 2 : 1, is_changed(changed, TWICE_FILES) ? 2 : 1,
        late ? 2 + attempt : 1, late && !l->no_yields ? yields[attempt % 3] : 0,
        is_changed(changed, TWICE_STACK) ? 2 + attempt % 2
                                         : 1, /* two bytes, with and without a sign */
        is_changed(changed, TWICE_FLOAT),
        !is_changed(changed, TWICE_CPUS) ? 1
        : processors > 2                 ? processors
                                         : 2,
        l->since, time_of(clock, attempt),
        is_changed(changed, TWICE_MALLOC) ? heap_moved[attempt % WAYS] : 0,
        growth_fill(changed, attempt), clock ? SLOW_NS : 0u);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool done = fd >= 0 && len > 0 && write(fd, text, (size_t)len) == len;
    if (fd >= 0)
        close(fd);
    return done;
}
