/* marks.c - resume points: seek in formats that have no index of their own.
 *
 * A mark is kept about every 64 KiB of the first pass. When there are too many
 * every other one goes and the spacing doubles, so memory stays constant in the
 * length of the trace. Times and ticks need not ascend: each mark knows the
 * largest of the records between it and the next, and a span is passed over only
 * when even that lies below what is sought. */
#include "core/marks.h"

#include <stdio.h>
#include <stdlib.h>

enum { MARKS_MAX = 4096 };
#define SPACING ((uint64_t)64 << 10)

struct entry {
    struct ras_mark mark;
    uint64_t time_max, tick_max; /* of the records up to the next entry */
};

struct marks {
    const void *walker;
    uint64_t frontier; /* offset up to which the entries speak */
    uint64_t spacing;
    bool complete;        /* the members below are known */
    unsigned ascends;     /* axes, as bits */
    uint64_t complete_at; /* the source's generation */
    struct ras_ending ending;
    char ending_why[200];
    size_t count;
    struct entry entries[MARKS_MAX];
};

struct marks *marks_new(void)
{
    struct marks *m = malloc(sizeof *m); /* pages that stay untouched cost nothing */
    if (!m)
        return NULL;
    m->walker = NULL;
    m->frontier = 0;
    m->spacing = SPACING;
    m->count = 0;
    m->complete = false;
    return m;
}

void marks_free(struct marks *m)
{
    free(m);
}

bool marks_take(struct marks *m, const void *walker, uint64_t *next)
{
    if (m->walker)
        return false;
    m->walker = walker;
    *next = m->frontier;
    return true;
}

static void widen_last(struct marks *m, uint64_t time_max, uint64_t tick_max)
{
    if (!m->count)
        return;
    struct entry *e = &m->entries[m->count - 1];
    e->time_max = larger(e->time_max, time_max);
    e->tick_max = larger(e->tick_max, tick_max);
}

static void thin_out(struct marks *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->count; i += 2) {
        struct entry e = m->entries[i];
        if (i + 1 < m->count) {
            e.time_max = larger(e.time_max, m->entries[i + 1].time_max);
            e.tick_max = larger(e.tick_max, m->entries[i + 1].tick_max);
        }
        m->entries[kept++] = e;
    }
    m->count = kept;
    m->spacing *= 2;
}

uint64_t marks_add(struct marks *m, const struct ras_mark *mark, uint64_t time_max,
                   uint64_t tick_max)
{
    widen_last(m, time_max, tick_max);
    if (m->count == MARKS_MAX)
        thin_out(m);
    m->entries[m->count++] = (struct entry){.mark = *mark};
    m->frontier = mark->offset;
    return mark->offset + m->spacing;
}

void marks_complete(struct marks *m, const void *walker, uint64_t generation, unsigned ascends,
                    const struct ras_ending *ending)
{
    if (m->walker != walker)
        return;
    m->complete = true;
    m->complete_at = generation;
    m->ascends = ascends;
    snprintf(m->ending_why, sizeof m->ending_why, "%s", ending->why);
    m->ending = *ending;
    m->ending.why = m->ending_why;
}

bool marks_known(const struct marks *m, uint64_t generation, unsigned *ascends,
                 struct ras_ending *ending)
{
    if (!m->complete || m->complete_at != generation)
        return false;
    *ascends = m->ascends;
    *ending = m->ending;
    return true;
}

void marks_leave(struct marks *m, const void *walker, uint64_t offset, uint64_t time_max,
                 uint64_t tick_max)
{
    if (m->walker != walker)
        return;
    m->walker = NULL;
    if (offset <= m->frontier)
        return; /* it never got beyond what was known */
    widen_last(m, time_max, tick_max);
    m->frontier = offset;
}

const struct ras_mark *marks_find(const struct marks *m, enum ras_axis axis, uint64_t to)
{
    size_t i = 0;
    if (axis == RAS_AXIS_SEQ) {
        while (i + 1 < m->count && m->entries[i + 1].mark.seq <= to)
            i++;
    } else {
        while (i + 1 < m->count &&
               (axis == RAS_AXIS_TIME ? m->entries[i].time_max : m->entries[i].tick_max) < to)
            i++;
    }
    return m->count ? &m->entries[i].mark : NULL;
}

bool marks_reach(const struct marks *m, enum ras_axis axis, uint64_t to)
{
    for (size_t i = m->count; i--;)
        if ((axis == RAS_AXIS_SEQ    ? m->entries[i].mark.seq
             : axis == RAS_AXIS_TIME ? m->entries[i].time_max
                                     : m->entries[i].tick_max) >= to)
            return true;
    return false;
}
