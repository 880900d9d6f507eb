/* split.c - a trace for several threads: marks that cut it in shares, and its tables once more. */
#include "base/error.h"
#include "core/format.h"
#include "core/marks.h"
#include "ops/columns/table_set.h"

#include <stdlib.h>
#include <string.h>

/* ---- shares -------------------------------------------------------------------------------- */

/* Records between two marks that are near enough: shares need not be of one size. */
enum { SHARE_LARGE = 4096 };

static bool is_walked(const struct ras_trace *t)
{
    struct ras_ending ending;
    unsigned ascends;
    return marks_known(t->marks, *source_generation(t->source), &ascends, &ending);
}

bool ras_split_is_cheap(const struct ras_trace *t)
{
    return (t->format->seek && t->format->seek_counts) || is_walked(t);
}

/* By the index, past the last record. What the trace says of its ending is kept: nothing was
 * walked. */
static uint64_t count_by_index(struct ras_trace *t, struct ras_cursor *c)
{
    struct ras_ending ending = t->ending;
    char why[sizeof t->ending_why];
    memcpy(why, t->ending_why, sizeof why);
    int status = ras_seek(c, RAS_AXIS_SEQ, RAS_NONE - 1, NULL);
    t->ending = ending;
    memcpy(t->ending_why, why, sizeof why);
    return status == RAS_OK && c->seq != RAS_NONE ? c->seq : 0;
}

/* About how many records there are, without a walk; 0: that is not known. */
static uint64_t count_known(struct ras_trace *t, struct ras_cursor *c, uint64_t shares)
{
    if (t->format->seek && t->format->seek_counts)
        return count_by_index(t, c);
    const struct ras_mark *last =
        is_walked(t) ? marks_find(t->marks, RAS_AXIS_SEQ, RAS_NONE) : NULL;
    return last && last->seq / shares >= SHARE_LARGE ? last->seq : 0;
}

/* How many records there are, at most a few less; a walk leaves marks. */
static int count_all(struct ras_trace *t, uint64_t shares, uint64_t *records, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, t, &scan, err);
    if (status < 0)
        return status;
    *records = count_known(t, c, shares);
    if (*records) {
        ras_cursor_close(c);
        return RAS_OK;
    }
    ras_cursor_close(c);
    status = ras_cursor_open(&c, t, &scan, err);
    if (status < 0)
        return status;
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
    int status = count_all(t, wanted + 1, &records, err);
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

/* ---- the same tables once more ------------------------------------------------------------- */

/* Its bytes are those of the first trace, without their wrapping. */
static int open_parts_again(struct ras_trace **out, struct ras_trace *t,
                            const struct ras_options *how, struct ras_error *err)
{
    struct source *s = t->source;
    size_t count = source_count(s);
    struct ras_part *parts = calloc(count + 1, sizeof *parts);
    int status = parts ? RAS_OK : fail_memory(err);
    for (size_t i = 0; status == RAS_OK && i < count; i++) { /* marks number all of them */
        bool is_read = !source_is_foreign(s, i) && !source_is_carried(s, i);
        int loaded = source_load(s, i, is_read ? err : NULL);
        parts[i] = (struct ras_part){
            source_name(s, i), loaded == RAS_OK ? source_bytes(s, i) : (struct ras_bytes){NULL, 0}};
        status = is_read ? loaded : RAS_OK;
    }
    if (status == RAS_OK && source_is_dir(s))
        status = ras_open_parts(out, parts, count, how, err);
    else if (status == RAS_OK)
        status = ras_open_memory(out, parts[0].bytes.at, parts[0].bytes.len, how, err);
    free(parts);
    return status;
}

static bool is_whole(const struct ras_trace *t)
{
    bool whole = !t->missing.kind && !source_growing(t->source) && !source_can_grow(t->source);
    for (size_t i = 0; whole && i < source_count(t->source); i++)
        whole = source_wrapping(t->source, i)->kind <= RAS_COMPLETE;
    return whole && source_count(t->source);
}

int ras_tables_again(struct ras_tables **out, const struct ras_tables *set, struct ras_error *err)
{
    struct ras_trace *t = set->trace, *again = NULL;
    *out = NULL;
    if (set->run || set->trace_name || t->format->about.defines_types || !is_whole(t))
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "this trace is read by one thread");
    const struct ras_options how = {.struct_size = sizeof how,
                                    .format = t->format->about.name,
                                    .dialect = t->dialect_requested,
                                    .limits = t->limits};
    int status = open_parts_again(&again, t, &how, err);
    if (status == RAS_OK)
        status = ras_tables_open(out, again, NULL, err);
    if (status < 0)
        ras_close(again);
    else
        (*out)->owns_trace = true;
    return status;
}
