/* pen_atf.c - the calls of a run: the world's own functions, through the recorder. */
#include "base/error.h"
#include "core/folder.h"
#include "core/tick_index.h"
#include "world/run_pens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct atf {
    const struct ras_run_calls *calls;
    bool started;
    uint64_t mark, settled;       /* functions of the module `rastrum` */
    uint64_t tick_at, settled_at; /* events that mark the last tick */
    uint32_t thread;
    uint64_t ids[]; /* of the world's functions */
};

static const char *atf_pen_lacks(const struct ras_world_type *type,
                                 const struct ras_run_options *options)
{
    if (!type->watch || !type->functions)
        return "the world does not report its functions";
    return options->calls ? NULL : "no recorder of calls was given";
}

static void atf_pen_drop(void *pen)
{
    struct atf *a = pen;
    if (a && a->started)
        (void)!a->calls->stop(NULL);
    free(a);
}

static int atf_pen_begin(struct atf *a, const struct pen_run *run, struct ras_error *err)
{
    char dir[4096];
    const char *place = folder_place(run->folder);
    if (!place)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "calls cannot be recorded in memory");
    if (snprintf(dir, sizeof dir, "%s/%s", place, atf_pen.file) >= (int)sizeof dir)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a path of %zu bytes", strlen(place));
    int status = a->calls->start(dir, err);
    a->started = status == RAS_OK;
    for (unsigned i = 0; status == RAS_OK && run->type->functions[i].name; i++) {
        a->ids[i] = a->calls->function(run->type->name, run->type->functions[i].name);
        if (!a->ids[i])
            status = fail_memory(err);
    }
    if (status == RAS_OK) {
        a->mark = a->calls->function("rastrum", "tick");
        a->settled = a->calls->function("rastrum", "settled");
        if (!a->mark || !a->settled)
            status = fail_memory(err);
    }
    return status;
}

static int atf_pen_open(void **pen, const struct pen_run *run, struct ras_error *err)
{
    unsigned count = 0;
    while (run->type->functions[count].name)
        count++;
    struct atf *a = calloc(1, sizeof *a + count * sizeof *a->ids);
    *pen = NULL;
    if (!a)
        return fail_memory(err);
    a->calls = run->options->calls;
    int status = atf_pen_begin(a, run, err);
    if (status < 0)
        atf_pen_drop(a);
    else
        *pen = a;
    return status;
}

static void atf_pen_enter(void *pen, uint32_t function, const uint64_t *args, uint32_t count)
{
    const struct atf *a = pen;
    if (args)
        a->calls->call_with(a->ids[function], args, count);
    else
        a->calls->call(a->ids[function]);
}

static void atf_pen_leave(void *pen, uint32_t function)
{
    const struct atf *a = pen;
    a->calls->leave(a->ids[function]);
}

/* A call and its return, which are adjacent in the lane of the world's calls. */
static uint64_t put_mark(struct atf *a, uint64_t function)
{
    uint64_t at = a->calls->recorded(&a->thread);
    a->calls->call(function);
    a->calls->leave(function);
    return at;
}

static void mark_tick(void *pen)
{
    struct atf *a = pen;
    a->tick_at = put_mark(a, a->mark);
}

static void mark_settled(void *pen)
{
    struct atf *a = pen;
    a->settled_at = put_mark(a, a->settled);
}

static void atf_pen_place(const void *pen, struct tick_rows *rows)
{
    const struct atf *a = pen;
    char name[TICK_NAME];
    snprintf(name, sizeof name, "atf.%" PRIu32 ".tick", a->thread);
    tick_rows_put(rows, name, a->tick_at);
    snprintf(name, sizeof name, "atf.%" PRIu32 ".settled", a->thread);
    tick_rows_put(rows, name, a->settled_at);
}

static int atf_pen_tick(void *pen, const struct pen_tick *t, struct ras_error *err)
{
    (void)pen, (void)t, (void)err;
    return RAS_OK;
}

/* The recorder knows files by their descriptors: the name of the pen is added here. */
static int atf_pen_close(void *pen, struct ras_error *err)
{
    struct atf *a = pen;
    struct ras_error why = {0};
    a->started = false;
    int status = a->calls->stop(&why);
    free(a);
    if (status < 0 && err) {
        *err = why;
        snprintf(err->text, sizeof err->text, "%s: %.200s", atf_pen.file, why.text);
    }
    return status;
}

const struct pen_type atf_pen = {
    .name = "atf",
    .file = "calls",
    .lacks = atf_pen_lacks,
    .open = atf_pen_open,
    .tick = atf_pen_tick,
    .begin = mark_tick,
    .settle = mark_settled,
    .place = atf_pen_place,
    .close = atf_pen_close,
    .drop = atf_pen_drop,
    .enter = atf_pen_enter,
    .leave = atf_pen_leave,
};
