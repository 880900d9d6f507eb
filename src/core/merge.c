/* merge.c - one order by (time, stream, seq) over all runs of a trace.
 *
 * Each run gets a cursor of its own. Unless the driver knows it already, a first,
 * headers-only pass counts the run's records, so that seq stays the place in stored
 * order, and sees whether the run is in order; one that is not is delivered through
 * a sorted list of marks. A heap picks the run whose record comes next. */
#include "base/memory.h"
#include "core/cursor.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 4096 }; /* beyond, the whole trace is sorted as one run */

struct key {
    uint64_t time, seq;
    uint32_t stream;
};

struct place {
    struct key key;
    struct ras_mark mark;
};

struct run {
    struct ras_cursor *cursor;
    struct key key;       /* of its current record */
    struct place *places; /* of a run that is not in order; else NULL */
    size_t place_count, place_room, place_at;
};

struct merge {
    struct run **heap; /* heap[0] comes next */
    size_t count;
    struct run *runs;
    size_t run_count, run_room;
    bool primed;          /* heap[0] is what the last call delivered */
    uint64_t place_count; /* of all runs */
    uint64_t given, all;  /* records: delivered so far, and how many there may be */
    struct ras_ending ending;
    char ending_why[200];
};

/* A gap without a time stays after the record before it; of other records without
 * one, the driver has said where they belong. */
static struct key key_after(const struct key *last, const struct ras_record *r)
{
    if (r->flags & RAS_HAS_TIME || r->schema != RAS_SCHEMA_GAP)
        return (struct key){r->time_ns, r->seq, r->stream};
    return (struct key){last->time, r->seq, last->stream};
}

static bool before(const struct key *a, const struct key *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->stream != b->stream)
        return a->stream < b->stream;
    return a->seq < b->seq;
}

static int by_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return before(&x->key, &y->key) ? -1 : before(&y->key, &x->key);
}

static int enter(struct ras_cursor **out, struct ras_cursor *whole, int64_t run, bool headers_only,
                 uint64_t seq, struct ras_error *err)
{
    struct ras_scan scan = whole->scan;
    scan.merged = false;
    scan.headers_only |= headers_only;
    int status = cursor_new(out, whole->trace, &scan, err);
    if (status < 0)
        return status;
    if (run >= 0)
        whole->trace->format->run_enter(*out, (size_t)run);
    (*out)->seq = seq;
    return RAS_OK;
}

static void keep_worst(struct merge *m, const struct ras_ending *ending, const char why[200])
{
    if (ending->kind <= m->ending.kind)
        return;
    m->ending = *ending;
    memcpy(m->ending_why, why, sizeof m->ending_why);
}

/* One more of all the places there are. */
static int add_place(struct merge *m, struct run *run, uint64_t limit, struct ras_error *err)
{
    if (++m->place_count > limit / sizeof *run->places)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "%" PRIu64 " records that are not in order take more than the limit of %" PRIu64
                    " bytes to be merged",
                    m->place_count, limit);
    if (!array_grow(&run->places, &run->place_room, run->place_count + 1, sizeof *run->places))
        return fail_memory(err);
    return RAS_OK;
}

/* Where every record of a run that is out of order lies, sorted. */
static int list_places(struct merge *m, struct run *run, struct ras_cursor *whole, int64_t index,
                       uint64_t seq, struct ras_error *err)
{
    struct ras_cursor *c;
    int status = enter(&c, whole, index, true, seq, err);
    if (status < 0)
        return status;
    struct key last = {0};
    for (;;) {
        status = add_place(m, run, whole->trace->limits.pool_bytes, err);
        if (status < 0)
            break;
        struct place *p = &run->places[run->place_count];
        const struct ras_record *r;
        ras_mark(c, &p->mark);
        status = cursor_deliver(c, &r, err);
        if (status != RAS_OK)
            break;
        p->key = last = key_after(&last, r);
        run->place_count++;
    }
    ras_cursor_close(c);
    if (status < 0)
        return status;
    qsort(run->places, run->place_count, sizeof *run->places, by_key);
    return RAS_OK;
}

/* Count a run's records and see whether they ascend. *end is the seq after it. */
static int survey(struct ras_cursor *whole, int64_t index, uint64_t seq, uint64_t *end,
                  uint64_t *shown, bool *ordered, struct ras_error *err)
{
    struct ras_cursor *c;
    int status = enter(&c, whole, index, true, seq, err);
    if (status < 0)
        return status;
    struct key last = {0};
    const struct ras_record *r;
    while ((status = ras_next(c, &r, err)) == RAS_OK) {
        struct key key = key_after(&last, r);
        *ordered &= !before(&key, &last);
        last = key;
        ++*shown;
    }
    *end = c->seq;
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

/* Move a run to its next record: RAS_OK, RAS_END or an error. */
static int advance(struct run *run, struct ras_error *err)
{
    struct ras_cursor *c = run->cursor;
    const struct ras_record *r;
    if (run->places) {
        if (run->place_at == run->place_count)
            return RAS_END;
        const struct place *p = &run->places[run->place_at++];
        int status = ras_jump(c, &p->mark, err);
        if (status < 0)
            return status;
        run->key = p->key;
        return cursor_deliver(c, &r, err);
    }
    int status = c->deliver(c, &r, err);
    if (status == RAS_OK)
        run->key = key_after(&run->key, r);
    return status;
}

static void sift_down(struct merge *m, size_t at)
{
    struct run *moving = m->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= m->count)
            break;
        if (child + 1 < m->count && before(&m->heap[child + 1]->key, &m->heap[child]->key))
            child++;
        if (!before(&m->heap[child]->key, &moving->key))
            break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = moving;
}

static int add_run(struct merge *m, struct ras_cursor *whole, int64_t index, uint64_t *seq,
                   struct ras_error *err)
{
    const struct ras_format *f = whole->trace->format;
    uint64_t end = *seq, shown = 0;
    bool ordered = true;
    int status = RAS_OK;
    if (index >= 0 && f->run_known && f->run_known(whole, (size_t)index, &shown, &ordered)) {
        end += shown;
    } else {
        whole->trace->ending.kind = RAS_OPEN_END; /* another cursor's does not count */
        status = survey(whole, index, *seq, &end, &shown, &ordered, err);
        keep_worst(m, &whole->trace->ending, whole->trace->ending_why);
    }
    m->all += shown;
    if (status < 0 || !shown) {
        *seq = end;
        return status;
    }
    if (!array_grow(&m->runs, &m->run_room, m->run_count + 1, sizeof *m->runs))
        return fail_memory(err);
    struct run *run = &m->runs[m->run_count];
    *run = (struct run){0};
    if (!ordered)
        status = list_places(m, run, whole, index, *seq, err);
    if (status == RAS_OK)
        status = enter(&run->cursor, whole, index, false, *seq, err);
    m->run_count++;
    *seq = end;
    return status;
}

static int fill_heap(struct merge *m, struct ras_error *err)
{
    m->heap = calloc(m->run_count + 1, sizeof *m->heap);
    if (!m->heap)
        return fail_memory(err);
    for (size_t i = 0; i < m->run_count; i++) {
        int status = advance(&m->runs[i], err);
        if (status < 0)
            return status;
        if (status == RAS_OK)
            m->heap[m->count++] = &m->runs[i];
    }
    for (size_t i = m->count / 2; i-- > 0;)
        sift_down(m, i);
    return RAS_OK;
}

static int merge_deliver(struct ras_cursor *whole, const struct ras_record **record,
                         struct ras_error *err)
{
    struct merge *m = whole->merge;
    *record = NULL;
    if (m->primed && m->count) {
        int status = advance(m->heap[0], err);
        if (status < 0)
            return status;
        if (status == RAS_END)
            m->heap[0] = m->heap[--m->count];
        if (m->count)
            sift_down(m, 0);
    }
    m->primed = true;
    if (!m->count) {
        struct ras_trace *t = whole->trace;
        keep_worst(m, &whole->noted, whole->noted_why);
        keep_worst(m, &t->missing, t->missing_why);
        t->ending = m->ending;
        t->ending.size =
            t->ending.part < source_count(t->source) ? source_length(t->source, t->ending.part) : 0;
        memcpy(t->ending_why, m->ending_why, sizeof t->ending_why);
        t->ending.why = t->ending_why;
        return RAS_END;
    }
    struct ras_cursor *c = m->heap[0]->cursor;
    if (c->requests && whole->trace->schemas[c->record.schema]->flags & RAS_ON_REQUEST &&
        !cursor_count_request(whole, c->record.schema, &c->record.seq))
        return fail_memory(err);
    whole->shown = c;
    m->given++;
    *record = &c->record;
    return RAS_OK;
}

int merge_open(struct merge **out, struct ras_cursor *whole, struct ras_error *err)
{
    const struct ras_format *f = whole->trace->format;
    struct merge *m = calloc(1, sizeof *m);
    *out = m;
    if (!m)
        return fail_memory(err);
    whole->deliver = merge_deliver;
    int status = source_whole(whole->trace->source, err);
    if (status < 0)
        return status;
    cursor_rebase(whole);
    if (whole->live)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a trace that still grows cannot be merged");
    size_t runs = f->run_count ? f->run_count(whole->trace) : 0;
    uint64_t seq = 0;
    status = runs == SIZE_MAX ? fail_memory(err) : RAS_OK;
    if (status < 0)
        return status;
    if (runs <= 1 || runs > RUNS_MAX)
        status = add_run(m, whole, -1, &seq, err);
    for (size_t i = 0; status == RAS_OK && runs > 1 && runs <= RUNS_MAX && i < runs; i++)
        status = add_run(m, whole, (int64_t)i, &seq, err);
    return status == RAS_OK ? fill_heap(m, err) : status;
}

uint64_t merge_share(const struct merge *m, uint64_t bytes)
{
    if (m->given >= m->all)
        return bytes;
    return (uint64_t)((long double)bytes * (long double)m->given / (long double)m->all);
}

void merge_close(struct merge *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->run_count; i++) {
        ras_cursor_close(m->runs[i].cursor);
        free(m->runs[i].places);
    }
    free(m->runs);
    free(m->heap);
    free(m);
}
