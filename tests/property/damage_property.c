/* damage_property.c - no change of any byte crashes, hangs, leaks or takes much memory.
 *
 * Every byte of every golden is changed in several ways; spans are zeroed, repeated and removed.
 * The result is walked in every mode. */
#include "properties.h"
#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What one trace may hold in memory: buffers of constant size, and the input a
 * few times over. */
enum { HEAP_BASE = 6 << 20, HEAP_TIMES = 64, PICKS_MAX = 64 };

static void walk_once(struct ras_trace *t, const struct ras_scan *scan, const uint8_t *bytes,
                      size_t size)
{
    struct walk w = {.base = ras_wrapping(t) ? NULL : bytes, .size = size};
    walk_all(&w, t, scan);
    if (w.status == RAS_EMEMORY)
        complain("asks for more memory than there is");
    else if (w.status < 0 && !w.err.text[0])
        complain("fails with %d and says nothing", w.status);
    walk_free(&w);
}

/* The types delivered by default and every type on request. */
static void walk_requests(struct ras_trace *t, const uint8_t *bytes, size_t size)
{
    struct ras_pick picks[PICKS_MAX] = {{0}};
    size_t count = 1;
    for (size_t i = 0; i < ras_schema_count(t) && count < PICKS_MAX; i++)
        if (ras_schema_at(t, i)->flags & RAS_ON_REQUEST)
            picks[count++] = (struct ras_pick){.type = ras_schema_at(t, i)->name};
    struct ras_scan scan = {.picks = picks, .pick_count = count};
    if (count > 1)
        walk_once(t, &scan, bytes, size);
}

static void try_du(struct ras_trace *t, enum ras_du_by by)
{
    struct ras_du *du;
    struct ras_error err = {0};
    uint64_t sum = 0;
    if (ras_du(&du, t, by, NULL, NULL, &err) < 0)
        return;
    for (size_t i = 0; i < du->part_count; i++)
        sum += du->parts[i].bytes;
    if (sum != ras_size(t))
        complain("du by %d adds up to %" PRIu64 ", the trace has %" PRIu64, by, sum, ras_size(t));
    ras_du_free(du);
}

static void try_verify(struct ras_trace *t)
{
    struct ras_verify_options all = {.strict = true, .deep = true};
    struct ras_report *report;
    struct ras_error err = {0};
    if (ras_verify(&report, t, &all, &err) < 0)
        return;
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct ras_finding *f = &report->findings[i];
        if (!f->rule || !f->text || !f->text[0] || strchr(f->text, '\n'))
            complain("finding %zu is no line of text", i);
        if (f->part >= ras_part_count(t))
            complain("finding %zu lies in part %u of %zu", i, f->part, ras_part_count(t));
    }
    ras_report_free(report);
}

/* A trace that loses data when it is read is never reported as ok. */
static void judge_ending(struct ras_trace *t)
{
    struct ras_ending ending = ras_ending(t);
    struct ras_report *report;
    if (ending.kind != RAS_CUT && ending.kind != RAS_DAMAGED)
        return;
    if (ras_verify(&report, t, NULL, NULL) < 0)
        return;
    if (report->by_severity[RAS_ERROR] == 0)
        complain("ends %s at %" PRIu64 " (%s) and is called ok",
                 ending.kind == RAS_CUT ? "cut" : "damaged", ending.offset, ending.why);
    ras_report_free(report);
}

static void try_everything(struct ras_trace *t, const uint8_t *bytes, size_t size, bool more)
{
    struct ras_info *info;
    walk_once(t, NULL, bytes, size);
    judge_ending(t);
    walk_requests(t, bytes, size);
    try_verify(t);
    try_du(t, RAS_DU_TYPE);
    if (!more)
        return;
    try_du(t, RAS_DU_FIELD);
    try_du(t, RAS_DU_FRAME);
    try_du(t, RAS_DU_STREAM);
    walk_once(t, &(struct ras_scan){.merged = true}, bytes, size);
    walk_once(
        t, &(struct ras_scan){.choices = &(struct ras_choice){"with-detail", 0}, .choice_count = 1},
        bytes, size);
    walk_once(t, &(struct ras_scan){.strict = true}, bytes, size);
    walk_once(t, &(struct ras_scan){.frames_only = true, .headers_only = true}, bytes, size);
    if (ras_info(&info, t, NULL, NULL, NULL) == RAS_OK)
        ras_info_free(info);
}

static void check_heap(size_t size)
{
    struct heap h = heap_now();
    if (h.peak > HEAP_BASE + HEAP_TIMES * (int64_t)size)
        complain("held %" PRId64 " bytes for a trace of %zu", h.peak, size);
    if (h.live != 0)
        complain("left %" PRId64 " bytes behind", h.live);
}

/* `bytes` is at its exact size. */
static void abuse(const uint8_t *bytes, size_t size, bool more)
{
    struct ras_trace *t;
    struct ras_error err = {0};
    heap_watch();
    int status = ras_open_memory(&t, bytes, size, NULL, &err);
    if (status == RAS_OK)
        try_everything(t, bytes, size, more);
    else if (t || !err.text[0] || status == RAS_EMEMORY)
        complain("refused with %d: '%s'", status, err.text);
    ras_close(t);
    check_heap(size);
}

static void change_bytes(const struct golden *g, enum effort effort)
{
    uint8_t *copy = exact_copy(g->bytes, g->size);
    /* A big golden is repetitive, and each change of it takes long to walk. */
    size_t places = effort == REDUCED ? 300 : g->big ? 512 : effort == NORMAL ? 2048 : SIZE_MAX;
    size_t step = g->size / places + 1;
    for (size_t at = 0; at < g->size; at += step) {
        uint8_t was = copy[at];
        uint8_t values[] = {(uint8_t)(was ^ 0x80), 0xff, 0, (uint8_t)(was ^ 1), (uint8_t)(was + 1),
                            (uint8_t)(was - 1),    0x7f};
        size_t count = effort == REDUCED ? 2 : effort == NORMAL ? 5 : sizeof values;
        for (size_t k = 0; k < count; k++) {
            if (values[k] == was)
                continue;
            copy[at] = values[k];
            trial(copy, g->size, "%s with byte %zu changed from 0x%02x to 0x%02x", g->name, at, was,
                  values[k]);
            abuse(copy, g->size, effort == FULL || (at + k) % 8 == 0);
        }
        copy[at] = was;
    }
    free(copy);
}

enum span { ZEROED, ONES, REPEATED, REMOVED, SPANS };

static void change_span(const struct golden *g, size_t at, size_t len, enum span how)
{
    static const char *const words[] = {"zeroed", "set to ones", "repeated", "removed"};
    size_t size = how == REPEATED ? g->size + len : how == REMOVED ? g->size - len : g->size;
    uint8_t *copy = malloc(size);
    if (!copy)
        return;
    size_t rest = how == REPEATED ? at : at + len; /* where the old bytes continue */
    size_t there = how == REMOVED ? at : at + len;
    memcpy(copy, g->bytes, at);
    if (how == ZEROED || how == ONES)
        memset(copy + at, how == ONES ? 0xff : 0, len);
    else if (how == REPEATED)
        memcpy(copy + at, g->bytes + at, len);
    memcpy(copy + there, g->bytes + rest, g->size - rest);
    trial(copy, size, "%s with bytes %zu to %zu %s", g->name, at, at + len, words[how]);
    abuse(copy, size, true);
    free(copy);
}

static void change_spans(const struct golden *g, enum effort effort)
{
    static const size_t lengths[] = {2, 4, 8, 13, 16, 32, 64, 256, 1024};
    size_t few = effort == REDUCED ? 8 : effort == NORMAL || g->big ? 64 : 512;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths && lengths[i] <= g->size; i++) {
        size_t places = g->size - lengths[i] + 1, step = places / few + 1;
        for (size_t at = 0; at < places; at += step)
            for (enum span how = 0; how < SPANS; how++)
                change_span(g, at, lengths[i], how);
    }
}

/* ---- a directory: each file changed in turn ----------------------------- */

static void abuse_directory(const char *path, size_t size)
{
    struct ras_trace *t;
    struct ras_error err = {0};
    heap_watch();
    int status = ras_open(&t, path, NULL, &err);
    if (status == RAS_OK)
        try_everything(t, NULL, 0, true);
    else if (t || !err.text[0] || status == RAS_EMEMORY)
        complain("refused with %d: '%s'", status, err.text);
    ras_close(t);
    check_heap(size);
}

static void change_file(const struct golden *g, const char *root, const char *path, size_t step)
{
    FILE *file = fopen(path, "r+b");
    struct stat st;
    if (!file || fstat(fileno(file), &st) < 0) {
        complain("cannot open %s", path);
        return;
    }
    size_t size = (size_t)st.st_size;
    int fd = fileno(file);
    for (size_t at = 0; at < size; at += step) {
        uint8_t was, now;
        if (pread(fd, &was, 1, (off_t)at) != 1)
            break;
        now = (uint8_t)(at % 3 == 0 ? was ^ 0x80 : at % 3 == 1 ? 0xff : 0);
        now = now == was ? (uint8_t)(was ^ 1) : now;
        trial(NULL, 0, "%s with byte %zu of %s changed to 0x%02x", g->name, at,
              path + strlen(root) + 1, now);
        if (pwrite(fd, &now, 1, (off_t)at) == 1)
            abuse_directory(root, size + 65536);
        if (pwrite(fd, &was, 1, (off_t)at) != 1)
            complain("cannot be put right again");
    }
    fclose(file);
}

static void change_directory(const struct golden *g, enum effort effort)
{
    char *root = tree_copy(g->path);
    char **files = root ? tree_files(root) : NULL;
    for (char **f = files; f && *f; f++)
        change_file(g, root, *f, effort == REDUCED ? 11 : 1);
    tree_files_free(files);
    tree_remove(root);
}

void damage_property(const struct goldens *g, enum effort effort)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct golden *one = &g->at[i];
        trial(one->bytes, one->size, "%s", one->name);
        if (one->is_dir) {
            change_directory(one, effort);
            continue;
        }
        uint8_t *copy = exact_copy(one->bytes, one->size);
        abuse(copy, one->size, true);
        free(copy);
        if (one->big && effort == REDUCED)
            continue;
        change_bytes(one, effort);
        change_spans(one, effort);
    }
}
