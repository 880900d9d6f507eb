/* pens_repair.c - complete the directory of a run whose program was killed.
 *
 * Every file is read as far as it is whole and written again up to the last tick that all of them
 * have; then come the ticks that are in the ledger alone. The same code writes as in the
 * program, so that the result is what the program would have written. */
#include "base/error.h"
#include "base/struct_size.h"
#include "core/folder.h"
#include "core/tick_index.h"
#include "pens/pens_state.h"
#include <rastrum/atf.h>
#include <rastrum/rundir.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that is there, mapped. */
struct old_file {
    struct ras_bytes bytes;
    void *map;
    size_t size;
};

struct mender {
    const char *dir;
    int fd;
    struct ras_rundir *run;
    struct old_file files[SCRIBES], stage;
    struct ledger_scan scan;
    bool staged;            /* the ledger can be used */
    uint64_t first, common; /* ticks */
    bool there[SCRIBES];
    struct ras_pens_repaired *out;
    /* Of the scribe that is resumed. */
    struct desk desk;
    unsigned scribe;
    bool leads;   /* the ticks of this one are those of the run */
    size_t range; /* of those ticks, the one that comes next */
    uint64_t *places[SCRIBES];
    size_t place_counts[SCRIBES], place_rooms[SCRIBES];
    char names[SCRIBES][TICK_NAME];
    int status;
    struct ras_error *err;
};

/* ---- old files ----------------------------------------------------------------------------- */

/* One that is not there is empty. */
static int map_file(struct old_file *f, int dir, const char *name, struct ras_error *err)
{
    struct stat about;
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    *f = (struct old_file){0};
    if (fd < 0)
        return errno == ENOENT ? RAS_OK : fail_os(err, name);
    int status = RAS_OK;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        void *map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED)
            status = fail_os(err, name);
        else
            *f = (struct old_file){{map, (size_t)about.st_size}, map, (size_t)about.st_size};
    }
    close(fd);
    return status;
}

static void unmap_file(struct old_file *f)
{
    if (f->map)
        munmap(f->map, f->size);
    *f = (struct old_file){0};
}

/* ---- run.json ------------------------------------------------------------------------------ */

static const struct ras_value *member(const struct ras_value *map, const char *key)
{
    if (!map || map->kind != RAS_MAP)
        return NULL;
    const struct ras_value *end = ras_value_next(map);
    for (const struct ras_value *k = map + 1, *v; k < end; k = ras_value_next(v)) {
        v = k + 1;
        if (k->kind == RAS_STR && k->count == strlen(key) && !memcmp(k->at, key, k->count))
            return v;
    }
    return NULL;
}

static uint64_t number(const struct ras_value *v, uint64_t otherwise)
{
    bool good = v && (v->kind == RAS_UINT || (v->kind == RAS_INT && v->i >= 0));
    return good ? v->u : otherwise;
}

static struct scribe_run run_of(const struct mender *m, char **program)
{
    const struct ras_value *json = m->run->json;
    const struct ras_value *name = member(json, "program"), *recipe = member(json, "recipe");
    const struct ras_value *dt = member(json, "dt_seconds");
    *program = name && name->kind == RAS_STR ? text_cleaned(name->at) : NULL;
    return (struct scribe_run){
        .program = *program,
        .seed = number(member(json, "seed"), 0),
        .settings = recipe && recipe->kind == RAS_STR
                        ? (struct ras_bytes){(const uint8_t *)recipe->at, recipe->count}
                        : (struct ras_bytes){0},
        .first_tick = m->first,
        .dt_seconds = dt && dt->kind == RAS_F64 ? dt->f64 : (double)number(dt, 0),
    };
}

/* ---- how far --------------------------------------------------------------------------------- */

static void took_none(void *user, uint64_t tick, uint32_t commands)
{
    (void)user, (void)tick, (void)commands;
}

/* The last tick of every file, and of all. */
static int find_reach(struct mender *m, struct ras_error *err)
{
    int status = RAS_OK;
    m->common = RAS_NONE;
    for (unsigned i = 0; status == RAS_OK && i < SCRIBES; i++) {
        uint64_t last = m->staged ? m->scan.saved.tick : RAS_NONE - 1;
        struct ras_bytes *old = &m->files[i].bytes;
        if (m->staged && old->len > m->scan.saved.sizes[i])
            old->len = (size_t)m->scan.saved.sizes[i];
        if (!m->files[i].map)
            continue;
        if (m->staged && m->scan.saved.tick == RAS_NONE)
            last = 0;
        status = scribes[i]->resume(NULL, *old, m->first, &last, took_none, NULL, err);
        m->there[i] = last != RAS_NONE;
        m->out->reached[m->out->reached_count++] =
            (struct ras_pens_reached){scribes[i]->name, last};
        if (last < m->common)
            m->common = last;
    }
    return status;
}

/* ---- taking over --------------------------------------------------------------------------- */

/* Whether it is a tick of the run: frames of numbers that were skipped are not. */
static bool is_tick(struct mender *m, uint64_t tick)
{
    const struct desk *d = &m->desk;
    while (m->range < d->range_count &&
           tick >= d->ranges[m->range].first + d->ranges[m->range].count)
        m->range++;
    return m->range < d->range_count && tick >= d->ranges[m->range].first;
}

static void took_one(void *user, uint64_t tick, uint32_t commands)
{
    struct mender *m = user;
    if (!m->leads && !is_tick(m, tick))
        return;
    struct tick_rows *row = calloc(1, sizeof *row);
    unsigned i = m->scribe;
    size_t n = m->place_counts[i];
    if (!row || !array_grow(&m->places[i], &m->place_rooms[i], n + 1, sizeof *m->places[i])) {
        m->status = fail_memory(m->err);
        free(row);
        return;
    }
    scribes[i]->place(m->desk.scribe[i], row);
    m->places[i][n] = row->values[0];
    memcpy(m->names[i], row->names[0], TICK_NAME);
    m->place_counts[i] = n + 1;
    free(row);
    m->desk.commands += commands;
    if (m->leads && m->status == RAS_OK)
        m->status = desk_resumed(&m->desk, tick, m->err);
}

/* The rows of ticks.idx, which come after all files. */
static int put_rows(struct mender *m, struct ras_error *err)
{
    int status = RAS_OK;
    uint64_t k = 0;
    for (size_t r = 0; r < m->desk.range_count; r++)
        for (uint64_t n = 0; status == RAS_OK && n < m->desk.ranges[r].count; n++, k++) {
            tick_rows_put(m->desk.rows, "tick", m->desk.ranges[r].first + n);
            for (unsigned i = 0; i < SCRIBES; i++)
                if (k < m->place_counts[i])
                    tick_rows_put(m->desk.rows, m->names[i], m->places[i][k]);
            status = tick_rows_end(m->desk.rows, err);
        }
    return status;
}

static int take_over(struct mender *m, struct ras_error *err)
{
    int status = RAS_OK;
    for (unsigned i = 0; status == RAS_OK && i < SCRIBES; i++)
        if (m->there[i])
            status = desk_begin(&m->desk, i, err);
    m->leads = true;
    for (unsigned k = 0; status == RAS_OK && k < SCRIBES; k++) {
        unsigned i = SCRIBES - 1 - k; /* that of events has every tick */
        uint64_t last = m->common;
        if (!m->there[i])
            continue;
        m->scribe = i;
        m->range = 0;
        status = scribes[i]->resume(m->desk.scribe[i], m->files[i].bytes, m->first, &last, took_one,
                                    m, err);
        if (status == RAS_OK)
            status = m->status;
        m->leads = false;
    }
    return status < 0 ? status : put_rows(m, err);
}

/* The notes of ticks that have ended. */
static int replay(struct mender *m, struct ras_error *err)
{
    struct ledger_scan scan = m->scan;
    struct note n;
    size_t count = 0, ended = 0;
    int status = RAS_OK;
    uint64_t before = m->desk.ticks;
    while (ledger_scan_next(&scan, &n)) {
        count++;
        if (n.kind == NOTE_TICK || n.kind == NOTE_END)
            ended = count;
    }
    scan = m->scan;
    while (status == RAS_OK && ended-- && ledger_scan_next(&scan, &n))
        status = desk_note(&m->desk, &n, err);
    m->desk.open = false;
    m->out->staged = m->desk.ticks - before;
    return status;
}

/* ---- the copy -------------------------------------------------------------------------------- */

static int copy_calls(const struct mender *m, struct ras_folder *folder, bool *calls,
                      struct ras_error *err)
{
    char from[4096], to[4096];
    struct ras_trace *trace;
    struct ras_repair *repair;
    struct stat about;
    *calls = fstatat(m->fd, "calls", &about, 0) == 0 && S_ISDIR(about.st_mode);
    if (!*calls)
        return RAS_OK;
    snprintf(from, sizeof from, "%s/calls", m->dir);
    snprintf(to, sizeof to, "%s/calls", folder_place(folder));
    int status = ras_open(&trace, from, NULL, err);
    if (status < 0) {
        *calls = false; /* nothing of it can be read: it is left out */
        return RAS_OK;
    }
    const struct ras_repair_options how = {.path = to};
    status = ras_repair(&repair, trace, &how, err);
    if (status == RAS_OK)
        ras_repair_free(repair);
    ras_close(trace);
    return status;
}

/* The last tick whose beginning is in the calls; RAS_NONE: none is. */
static uint64_t begun_in_calls(const struct mender *m)
{
    uint64_t last = RAS_NONE;
    for (size_t i = 0; i < m->run->pen_count; i++) {
        struct ras_trace *trace = m->run->pens[i].trace;
        struct ras_atf_session *s = trace ? ras_atf_session(trace) : NULL;
        for (size_t k = 0; s && k < ras_atf_thread_count(s); k++) {
            struct ras_atf_thread thread;
            if (ras_atf_thread_at(s, k, &thread, NULL) < 0)
                continue;
            uint64_t tick = ras_rundir_tick_of(m->run, i, thread.stream, RAS_NONE);
            if (tick != RAS_NONE && (last == RAS_NONE || tick > last))
                last = tick;
        }
    }
    return last;
}

/* Where the program was when it ended. The files have ticks that have ended; the ledger and the
 * calls have one that did not. */
static struct run_end find_end(const struct mender *m)
{
    struct ledger_scan scan = m->scan;
    struct note n;
    struct tick_note tick;
    struct run_end end = {.tick = m->desk.ticks ? m->desk.last : RAS_NONE, .known = m->staged};
    const uint64_t calls = m->staged ? RAS_NONE : begun_in_calls(m);
    if (calls != RAS_NONE && (end.tick == RAS_NONE || calls > end.tick))
        end.tick = calls;
    while (m->staged && ledger_scan_next(&scan, &n)) {
        if (n.kind == NOTE_TICK && n.size >= sizeof tick) {
            memcpy(&tick, n.at, sizeof tick);
            end.tick = tick.tick;
            end.inside = true;
        } else if (n.kind == NOTE_SETTLED || n.kind == NOTE_END) {
            end.inside = false;
        }
    }
    return end;
}

/* The crash that the recorder of its calls has noted; false: none. */
static bool find_crash(const struct mender *m, struct scribe_crash *c)
{
    char path[4096];
    struct ras_trace *trace;
    snprintf(path, sizeof path, "%s/calls", m->dir);
    if (ras_open(&trace, path, NULL, NULL) < 0)
        return false;
    const struct ras_atf_session *s = ras_atf_session(trace);
    *c = (struct scribe_crash){0};
    for (size_t i = 0; s && !c->signal && i < ras_atf_thread_count(s); i++) {
        const struct ras_atf_crash *crash = &ras_atf_manifest(s, i)->crash;
        const struct ras_atf_fault *f = ras_atf_fault(s, i);
        *c = (struct scribe_crash){.time_ns = crash->time_ns,
                                   .signal = crash->signal,
                                   .thread_id = crash->thread_id,
                                   .has_thread = crash->has_thread,
                                   .code = f->code,
                                   .has_address = f->has_address,
                                   .address = f->address,
                                   .stack = {f->pc, f->returns},
                                   .stack_count = !f->pc       ? 0
                                                  : f->returns ? 2
                                                               : 1};
    }
    ras_close(trace);
    return c->signal;
}

/* The program has no handler of its own that could write it: the recorder's handler knows nothing
 * of these files. */
static int add_crash(struct mender *m, struct ras_error *err)
{
    struct scribe_crash crash;
    if (!m->desk.scribe[DIAL9] || !find_crash(m, &crash))
        return RAS_OK;
    crash.tick = find_end(m).tick;
    return dial9_scribe_crash(m->desk.scribe[DIAL9], &crash, err);
}

static int write_copy(struct mender *m, const struct ras_pens_repair_options *o,
                      struct ras_error *err)
{
    char *program = NULL;
    struct scribe_run run = run_of(m, &program);
    struct run_facts f = {.desk = &m->desk, .complete = true, .repaired = m->out};
    if (!program)
        return fail_memory(err);
    int status = ras_folder_open(&run.folder, o->path, o->replace, err);
    if (status == RAS_OK)
        status = desk_open(&m->desk, &run, err);
    if (status == RAS_OK)
        status = take_over(m, err);
    if (status == RAS_OK && m->staged)
        status = replay(m, err);
    if (status == RAS_OK)
        status = add_crash(m, err);
    for (unsigned i = 0; i < SCRIBES; i++)
        f.began[i] = m->desk.scribe[i] != NULL;
    if (status == RAS_OK)
        status = desk_close(&m->desk, err);
    if (status == RAS_OK)
        status = copy_calls(m, run.folder, &f.calls, err);
    if (status == RAS_OK)
        status = folder_settle(run.folder, err);
    m->out->last_tick = m->desk.ticks ? m->desk.last : RAS_NONE;
    const struct run_end end = find_end(m);
    f.ended = &end;
    if (status == RAS_OK)
        status = run_facts_put(&f, run.folder, err);
    desk_free(&m->desk);
    if (status == RAS_OK) {
        status = ras_folder_close(run.folder, err);
    } else if (run.folder) {
        (void)!folder_settle(run.folder, NULL);
        ras_folder_drop(run.folder);
    }
    free(program);
    return status;
}

/* Ticks of the ledger that have ended, without writing them. */
static void count_staged(struct mender *m)
{
    struct ledger_scan scan = m->scan;
    struct note n;
    struct tick_note tick;
    bool open = false;
    m->out->last_tick = m->common;
    while (m->staged && ledger_scan_next(&scan, &n)) {
        if (n.kind != NOTE_TICK && n.kind != NOTE_END)
            continue;
        if (open) {
            m->out->staged++;
            m->out->last_tick = tick.tick;
        }
        open = n.kind == NOTE_TICK && n.size >= sizeof tick;
        if (open)
            memcpy(&tick, n.at, sizeof tick);
    }
}

/* ---- the directory --------------------------------------------------------------------------- */

static int repair_open(struct mender *m, struct ras_error *err)
{
    m->fd = open(m->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (m->fd < 0)
        return fail_os(err, m->dir);
    if (flock(m->fd, LOCK_EX | LOCK_NB) < 0)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%.150s: a program is writing this run",
                    m->dir);
    unlinkat(m->fd, ".run.json", 0); /* never complete */
    unlinkat(m->fd, ".pens.stage", 0);
    int status = ras_rundir_open(&m->run, m->dir, NULL, err);
    if (status < 0)
        return status;
    const struct ras_value *complete = member(m->run->json, "complete");
    if (!m->run->json || !member(m->run->json, "program"))
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "%.150s is not a run of a program: repair its traces one by one", m->dir);
    m->out->complete = complete && complete->kind == RAS_BOOL && complete->u;
    m->first = number(member(member(member(m->run->json, "axes"), "tick"), "first"), 1);
    m->out->first_tick = m->first;
    for (unsigned i = 0; status == RAS_OK && i < SCRIBES; i++)
        status = map_file(&m->files[i], m->fd, scribes[i]->file, err);
    if (status == RAS_OK)
        status = map_file(&m->stage, m->fd, "pens.stage", err);
    m->staged = m->stage.map && ledger_scan(&m->scan, m->stage.bytes, NULL) == RAS_OK;
    return status;
}

static void repair_close(struct mender *m)
{
    ras_rundir_close(m->run);
    for (unsigned i = 0; i < SCRIBES; i++) {
        unmap_file(&m->files[i]);
        free(m->places[i]);
    }
    unmap_file(&m->stage);
    if (m->fd >= 0)
        close(m->fd);
}

static int repair_attempt(const char *dir, const struct ras_pens_repair_options *o, bool staged,
                          struct ras_pens_repaired *out, struct ras_error *err)
{
    struct mender m = {.dir = dir, .fd = -1, .out = out, .err = err};
    *out = (struct ras_pens_repaired){.last_tick = RAS_NONE};
    int status = repair_open(&m, err);
    m.staged &= staged;
    if (status == RAS_OK && !out->complete)
        status = find_reach(&m, err);
    if (status == RAS_OK && !out->complete && o->path)
        status = write_copy(&m, o, err);
    else if (status == RAS_OK && !out->complete)
        count_staged(&m);
    repair_close(&m);
    return status;
}

int ras_pens_repair(struct ras_pens_repaired *out, const char *dir,
                    const struct ras_pens_repair_options *options, struct ras_error *err)
{
    struct ras_pens_repair_options own;
    *out = (struct ras_pens_repaired){.last_tick = RAS_NONE};
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    int status = repair_attempt(dir, options, true, out, err);
    if (status == RAS_EFORMAT) /* the ledger is damaged: without it */
        status = repair_attempt(dir, options, false, out, err);
    return status;
}
