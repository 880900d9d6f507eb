/* pens_api.c - open and close the pens, and end them with the process. */
#include "base/error.h"
#include "base/functions_map.h"
#include "base/os.h"
#include "base/struct_size.h"
#include "core/folder.h"
#include "pens/pens_notes.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLUSH_MS = 100, FLUSH_MOST = 3600000 };

/* All that were opened. A closed one stays, so that a pen that is used after it does nothing. */
static struct {
    pthread_mutex_t lock;
    struct ras_pens *first;
    bool watched;
} every = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- forks --------------------------------------------------------------------------------- */

static void pens_before_fork(void)
{
    pthread_mutex_lock(&every.lock);
}

static void pens_after_fork(void)
{
    pthread_mutex_unlock(&every.lock);
}

/* The thread that writes is the parent's. */
static void pens_in_child(void)
{
    for (struct ras_pens *p = every.first; p; p = p->next)
        p->left = true;
    pthread_mutex_unlock(&every.lock);
}

static void pens_watch(struct ras_pens *p)
{
    pthread_mutex_lock(&every.lock);
    if (!every.watched)
        pthread_atfork(pens_before_fork, pens_after_fork, pens_in_child);
    every.watched = true;
    p->next = every.first;
    every.first = p;
    pthread_mutex_unlock(&every.lock);
}

/* ---- opening ------------------------------------------------------------------------------- */

/* FROM..TO of the variable RASTRUM_PENS_BYTES, both included. */
static void choose_bytes(struct ras_pens *p)
{
    const char *text = getenv("RASTRUM_PENS_BYTES");
    unsigned long long from, to;
    if (!text || sscanf(text, "%llu..%llu", &from, &to) != 2)
        return;
    p->bytes_from = from;
    p->bytes_to = to == UINT64_MAX ? to : to + 1;
}

/* "murk,cdt": others are not written. */
static int choose_pens(struct desk *d, const char *list, struct ras_error *err)
{
    if (!list)
        return RAS_OK;
    for (unsigned i = 0; i < SCRIBES; i++)
        d->excluded[i] = true;
    for (const char *at = list; *at;) {
        size_t len = strcspn(at, ",");
        unsigned i = 0;
        while (i < SCRIBES &&
               (strlen(scribes[i]->name) != len || memcmp(scribes[i]->name, at, len)))
            i++;
        bool calls = len == 3 && !memcmp(at, "atf", 3);
        if (i == SCRIBES && !calls)
            return fail(err, RAS_EUSAGE, RAS_NONE, "there is no pen '%.*s'",
                        len < 40 ? (int)len : 40, at);
        if (i < SCRIBES)
            d->excluded[i] = false;
        at += len + (at[len] == ',');
    }
    return RAS_OK;
}

static bool has_calls(const struct ras_pens *p)
{
    struct stat about;
    return __atomic_load_n(&p->marked, __ATOMIC_RELAXED) &&
           fstatat(p->dir.fd, "calls", &about, 0) == 0 && S_ISDIR(about.st_mode);
}

static void note_began(const struct desk *d, bool *began)
{
    for (unsigned i = 0; i < SCRIBES; i++)
        began[i] = d->scribe[i] != NULL;
}

/* run.json names a file as soon as it is there. */
static int file_begun(void *user, struct ras_error *err)
{
    const struct ras_pens *p = user;
    struct run_facts f = {.desk = &p->desk, .durable = p->durable, .calls = has_calls(p)};
    note_began(&p->desk, f.began);
    return run_facts_write(&f, p->dir.fd, p->desk.run.folder, err);
}

static int copy_texts(struct ras_pens *p, const struct ras_pens_options *o, struct ras_error *err)
{
    p->program = text_cleaned(o->program ? o->program : program_invocation_short_name);
    p->settings = malloc(o->settings.len + 1);
    if (!p->program || !p->settings)
        return fail_memory(err);
    if (o->settings.len)
        memcpy(p->settings, o->settings.at, o->settings.len);
    return RAS_OK;
}

static int pens_begin(struct ras_pens *p, const char *dir, const struct ras_pens_options *o,
                      struct ras_error *err)
{
    struct scribe_run run = {.seed = o->seed, .dt_seconds = o->dt_seconds};
    int status = copy_texts(p, o, err);
    if (status == RAS_OK)
        status = pens_dir_open(&p->dir, dir, o->replace, err);
    if (status == RAS_OK)
        status = ras_folder_live(&run.folder, dir, err);
    if (status < 0)
        return status;
    run.program = p->program;
    run.settings = (struct ras_bytes){p->settings, o->settings.len};
    run.first_tick = o->first_tick;
    status = desk_open(&p->desk, &run, err);
    if (status == RAS_OK)
        status = choose_pens(&p->desk, o->pens, err);
    p->desk.begun = file_begun;
    p->desk.user = p;
    if (status == RAS_OK)
        status = ledger_open(&p->ledger, p->durable ? p->dir.fd : -1, err);
    return status < 0 ? status : file_begun(p, err);
}

static void pens_end(struct ras_pens *p)
{
    struct ras_folder *folder = p->desk.run.folder;
    desk_free(&p->desk);
    ras_folder_drop(folder);
    if (p->ledger.map)
        ledger_free(&p->ledger);
    pens_dir_close(&p->dir);
    free(p->program);
    free(p->settings);
    p->program = NULL;
    p->settings = NULL;
}

/* ---- signals ------------------------------------------------------------------------------- */

/* A limit of the size of files signals the thread that reaches it. The program's threads write
 * only here, and do not receive it. */
struct limit_signal {
    sigset_t was;
    bool pending;
};

static void limit_set(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGXFSZ);
}

static struct limit_signal limit_hold(void)
{
    struct limit_signal held;
    sigset_t limit, pending;
    limit_set(&limit);
    pthread_sigmask(SIG_BLOCK, &limit, &held.was);
    held.pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    return held;
}

static void limit_release(const struct limit_signal *held)
{
    static const struct timespec at_once = {0};
    sigset_t limit;
    limit_set(&limit);
    if (!held->pending)
        (void)sigtimedwait(&limit, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &held->was, NULL);
}

/* The program's signals go to its own threads. */
static bool pens_thread_start(struct ras_pens *p)
{
    sigset_t all, was;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    bool started = thread_start(&p->thread, pens_run, p);
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    return started;
}

int ras_pens_open(struct ras_pens **out, const struct ras_pens_options *options,
                  struct ras_error *err)
{
    struct ras_pens_options own;
    *out = NULL;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    const char *dir = options->dir ? options->dir : getenv("RASTRUM_PENS");
    if (!dir || !*dir)
        return RAS_END;
    struct ras_pens *p = calloc(1, sizeof *p);
    if (!p || !mutex_init(&p->name_lock)) {
        free(p);
        return fail_memory(err);
    }
    p->dir.fd = -1;
    p->durable = options->keep == RAS_PENS_DURABLE;
    p->flush_ms = !options->flush_ms               ? FLUSH_MS
                  : options->flush_ms < FLUSH_MOST ? options->flush_ms
                                                   : FLUSH_MOST;
    p->first_tick = options->first_tick;
    p->owner = pthread_self();
    choose_bytes(p);
    *(void **)&p->mark = dlsym(RTLD_DEFAULT, "rastrum_mark");
    const struct limit_signal held = limit_hold();
    int status = pens_begin(p, dir, options, err);
    limit_release(&held);
    if (status == RAS_OK && !pens_thread_start(p))
        status = fail(err, RAS_EMEMORY, RAS_NONE, "no thread can be started");
    if (status < 0) {
        pens_end(p);
        mutex_free(&p->name_lock);
        free(p);
        return status;
    }
    pens_watch(p);
    *out = p;
    return RAS_OK;
}

/* ---- closing ------------------------------------------------------------------------------- */

/* All files are closed, or those of a failure are left as they are. */
static int pens_finish(struct ras_pens *p, struct ras_error *err)
{
    struct tick_note end = {.time_ns = os_boot_ns()};
    struct run_facts f = {.desk = &p->desk, .complete = true};
    (void)ledger_put(&p->ledger, NOTE_END, &(struct piece){&end, sizeof end}, 1);
    ledger_stop(&p->ledger);
    thread_join(&p->thread);
    note_began(&p->desk, f.began);
    f.calls = has_calls(p);
    bool whole = p->status == RAS_OK || p->misused;
    const struct run_end misuse = {
        .tick = p->desk.ticks ? p->desk.last : RAS_NONE, .known = true, .why = p->failure.text};
    f.ended = p->misused ? &misuse : NULL;
    int status = whole ? desk_close(&p->desk, err) : RAS_OK;
    if (whole && status == RAS_OK)
        status = folder_settle(p->desk.run.folder, err);
    if (whole && status == RAS_OK)
        status = run_facts_write(&f, p->dir.fd, p->desk.run.folder, err);
    if (whole && status == RAS_OK && p->durable)
        unlinkat(p->dir.fd, "pens.stage", 0);
    if (status == RAS_OK && p->status < 0) {
        if (err)
            *err = p->failure;
        status = p->status;
    }
    return status;
}

int ras_pens_close(struct ras_pens *p, struct ras_error *err)
{
    if (!p || p->left)
        return RAS_OK;
    if (__atomic_exchange_n(&p->closed, true, __ATOMIC_ACQ_REL))
        return fail(err, RAS_EUSAGE, RAS_NONE, "the pens are closed already");
    const struct limit_signal held = limit_hold();
    int status = pens_finish(p, err);
    pens_end(p); /* the names stay: a thread may be about to use one */
    limit_release(&held);
    return status;
}

/* The memory stays: the parent's thread may have held locks in it. */
void ras_pens_leave(struct ras_pens *p)
{
    if (!p)
        return;
    p->left = true;
    if (p->dir.fd >= 0)
        close(p->dir.fd);
    p->dir.fd = -1;
}

bool ras_pens_is_on(const struct ras_pens *p)
{
    return pens_are_on(p);
}

/* exit() ends the open tick and closes all. Memory is left to threads that still run. */
__attribute__((destructor)) static void pens_at_exit(void)
{
    const struct limit_signal held = limit_hold();
    for (struct ras_pens *p = every.first; p; p = p->next)
        if (!p->left && !__atomic_exchange_n(&p->closed, true, __ATOMIC_ACQ_REL))
            (void)!pens_finish(p, NULL);
    limit_release(&held);
}
