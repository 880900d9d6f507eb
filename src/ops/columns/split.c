/* split.c - marks that cut a trace in shares, which several threads read. */
#include "base/error.h"
#include "core/format.h"
#include "core/marks.h"
#include <rastrum/columns.h>

/* How many records there are; the walk leaves marks. */
static int count_all(struct ras_trace *t, uint64_t *records, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, t, &scan, err);
    if (status < 0)
        return status;
    *records = 0;
    while ((status = walk_next(t, c, &r, err)) == RAS_OK)
        *records = r->seq + 1;
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

/* Put the cursor before record `at`. An index that does not count records is of no use. */
static int go_to(struct ras_cursor *c, uint64_t at, struct ras_error *err)
{
    const struct ras_trace *t = c->trace;
    if (t->format->seek && t->format->seek_counts)
        return ras_seek(c, RAS_AXIS_SEQ, at, err);
    const struct ras_mark *near = marks_find(t->marks, RAS_AXIS_SEQ, at);
    const struct ras_record *r;
    int status = near ? ras_jump(c, near, err) : RAS_OK;
    while (status == RAS_OK && c->seq < at)
        status = ras_next(c, &r, err);
    return status;
}

static int mark_at(struct ras_trace *t, uint64_t at, struct ras_mark *mark, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, t, &scan, err);
    if (status < 0)
        return status;
    status = go_to(c, at, err);
    ras_mark(c, mark);
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

int ras_split(struct ras_trace *t, struct ras_mark *marks, size_t *count, struct ras_error *err)
{
    uint64_t records, wanted = *count;
    *count = 0;
    int status = count_all(t, &records, err);
    if (status < 0)
        return status;
    if (wanted >= records)
        wanted = records ? records - 1 : 0;
    uint64_t shares = wanted + 1, size = records / shares, rest = records % shares;
    for (uint64_t i = 1; i <= wanted; i++) {
        struct ras_mark *mark = &marks[*count];
        uint64_t at = size * i + (rest < i ? rest : i);
        status = mark_at(t, at, mark, err);
        if (status < 0)
            return status;
        *count += mark->seq != RAS_NONE && mark->seq > (*count ? mark[-1].seq : 0);
    }
    return RAS_OK;
}
