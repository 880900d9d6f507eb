/* rundir_reach.c - runs whose program ended without closing them: how far their traces reach. */
#include "base/error.h"
#include "core/format.h"
#include "core/source.h"
#include "ops/rundir/rundir_axes.h"

#include <stdio.h>

bool rundir_is_incomplete(const struct ras_rundir *run)
{
    const struct ras_value *complete = rundir_find(run, (const char *const[]){"complete", NULL});
    return complete && complete->kind == RAS_BOOL && !complete->u;
}

void ras_rundir_how_ended(const struct ras_rundir *run, struct ras_rundir_ended *ended)
{
    const struct ras_value *end = rundir_find(run, (const char *const[]){"ended", NULL});
    const struct ras_value *inside =
        rundir_find(run, (const char *const[]){"ended", "inside", NULL});
    *ended = (struct ras_rundir_ended){
        .closed = !rundir_is_incomplete(run),
        .repaired = rundir_find(run, (const char *const[]){"repaired", NULL}) != NULL,
    };
    if (!rundir_uint(run, (const char *const[]){"ended", "tick", NULL}, &ended->tick))
        ended->tick = RAS_NONE;
    if (!rundir_uint(run, (const char *const[]){"axes", "tick", "last", NULL}, &ended->last))
        ended->last = RAS_NONE;
    ended->lost = !ended->closed || (end && (!inside || inside->kind == RAS_NULL)) ||
                  rundir_find(run, (const char *const[]){"ended", "why", NULL});
}

static uint64_t last_of(const struct tick_column *c)
{
    return c->count ? tick_column_tick(c, c->count - 1) : RAS_NONE;
}

/* The last tick that a trace marks: of calls, the one before the last that has begun. */
static uint64_t trace_reach(const struct ras_rundir *run, struct ras_trace *trace)
{
    struct tick_index marks = {0};
    uint64_t last = RAS_NONE;
    if (tick_index_scan(&marks, trace, rundir_first(run), NULL) == RAS_OK)
        for (size_t i = 0; i < marks.count; i++) {
            const struct tick_column *c = &marks.columns[i];
            if (c->kind == TICK_FIRST && c->count > 1)
                last = tick_column_tick(c, c->count - 2);
            else if (c->kind == TICK_LAST || c->kind == TICK_PLACE)
                last = last_of(c);
        }
    tick_index_free(&marks);
    return last;
}

/* The index is written last: what it names is in all files. */
static uint64_t index_reach(const struct ras_rundir *run)
{
    struct tick_index index;
    struct source *source;
    if (rundir_read_sidecar(run, &source, &index, NULL) < 0)
        return RAS_NONE;
    const struct tick_column *ticks = tick_index_find(&index, "tick");
    uint64_t last = ticks ? last_of(ticks) : RAS_NONE;
    tick_index_free(&index);
    source_close(source);
    return last;
}

uint64_t rundir_reached(const struct ras_rundir *run, char *text, size_t room)
{
    uint64_t least = index_reach(run);
    size_t len = 0;
    if (room)
        *text = 0;
    for (size_t i = 0; i < run->pen_count; i++) {
        uint64_t last = run->pens[i].trace ? trace_reach(run, run->pens[i].trace) : RAS_NONE;
        if (!run->pens[i].trace)
            continue;
        if (last < least)
            least = last;
        if (len < room && last != RAS_NONE)
            len += (size_t)snprintf(text + len, room - len, "%s%.20s reaches tick %" PRIu64,
                                    len ? ", " : "", run->pens[i].format, last);
        else if (len < room)
            len += (size_t)snprintf(text + len, room - len, "%s%.20s has no tick", len ? ", " : "",
                                    run->pens[i].format);
    }
    return least;
}
