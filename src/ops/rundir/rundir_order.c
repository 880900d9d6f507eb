/* rundir_order.c - which record of a run belongs to which tick: by the order of the records, or
 * where they do not mark ticks, by the clock. */
#include "base/os.h"
#include "codec/sha256.h"
#include "core/format.h"
#include "core/source.h"
#include "ops/compare/compare_driver.h"
#include "ops/rundir/rundir_axes.h"

#include <stdio.h>
#include <stdlib.h>

/* By the clock: run directories of version 1 do not mark ticks in calls. A time belongs to the
 * tick of the first event at or after it that has a field `tick`, because records of a tick carry
 * the time of its end; without such events, the times of run.json decide. A call at a border may be
 * assigned to the neighbouring tick. */

/* Ticks, and the first time after those before them: one column. */
struct borders {
    struct tick_index of;
};

static bool tick_in(const struct ras_cursor *c, uint64_t *tick)
{
    const struct ras_value *v = ras_value_of(c, "tick");
    return v && cell_uint(v, tick);
}

/* By the events of a trace: a tick begins after the last event of the previous one. */
static void borders_of_events(struct borders *b, struct ras_trace *trace)
{
    static const char *const fields[] = {"tick"};
    const struct ras_pick pick = {.fields = fields, .field_count = 1};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    const struct ras_record *r;
    struct ras_cursor *c;
    uint64_t tick, now = RAS_NONE, over = 0;
    if (ras_cursor_open(&c, trace, &scan, NULL) < 0)
        return;
    while (ras_next(c, &r, NULL) == RAS_OK) {
        if (!(r->flags & RAS_HAS_TIME) || !tick_in(c, &tick) || r->time_ns == RAS_NONE)
            continue;
        if (now == RAS_NONE || tick > now)
            tick_index_add(&b->of, "", tick, over);
        now = tick;
        if (r->time_ns >= over)
            over = r->time_ns + 1;
    }
    ras_cursor_close(c);
}

/* run.json has the beginning of every tick, or of every nth. */
static void borders_of_json(struct borders *b, const struct ras_rundir *run)
{
    const struct ras_value *list =
        rundir_find(run, (const char *const[]){"axes", "time_ns", "begin", NULL});
    uint64_t tick, every, begin;
    if (!list || list->kind != RAS_LIST ||
        !rundir_uint(run, (const char *const[]){"axes", "time_ns", "first_tick", NULL}, &tick) ||
        !rundir_uint(run, (const char *const[]){"axes", "time_ns", "every", NULL}, &every))
        return;
    for (const struct ras_value *v = list + 1; v < ras_value_next(list); v = ras_value_next(v)) {
        if (!cell_uint(v, &begin))
            return;
        tick_index_add(&b->of, "", tick, begin);
        tick += every;
    }
}

/* The thread whose calls are being placed. */
struct thread {
    const struct tick_column *borders;
    struct tick_index *index;
    const char *format;
    uint32_t stream;
    uint64_t next; /* border */
    uint64_t seq;
};

/* Ticks that begin up to a time begin with the next call. */
static void begin_ticks(struct thread *t, uint64_t time_ns)
{
    char name[TICK_NAME];
    snprintf(name, sizeof name, "%.8s.%" PRIu32 ".tick", t->format, t->stream);
    for (; t->next < t->borders->count && tick_column_value(t->borders, t->next) <= time_ns;
         t->next++)
        tick_index_add(t->index, name, tick_column_tick(t->borders, t->next), t->seq);
}

/* The first call of each thread in each tick. */
static int place_calls(const struct borders *b, struct ras_trace *trace, struct tick_index *index)
{
    const struct ras_pick pick = {.type = "event"};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1, .headers_only = true};
    struct thread t = {.borders = tick_index_find(&b->of, ""),
                       .index = index,
                       .format = trace->format->about.name};
    const struct ras_record *r;
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, trace, &scan, NULL);
    while (status == RAS_OK && (status = ras_next(c, &r, NULL)) == RAS_OK) {
        if (t.seq && r->stream != t.stream) {
            begin_ticks(&t, RAS_NONE);
            t.next = t.seq = 0;
        }
        t.stream = r->stream;
        begin_ticks(&t, r->time_ns);
        t.seq++;
    }
    if (t.seq)
        begin_ticks(&t, RAS_NONE);
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

static bool has_own(const struct tick_index *index)
{
    for (size_t i = 0; i < index->count; i++)
        if (index->columns[i].kind == TICK_FIRST)
            return true;
    return false;
}

/* A trace whose records have times, but neither ticks nor marks of them. */
bool rundir_is_unmarked(const struct ras_trace *trace)
{
    const struct tick_ops *ops = trace->format->ticks;
    return ops && !ops->column;
}

/* Add columns for traces of calls that do not mark ticks, by clock: that of the events of another
 * trace, else the times of run.json. False: none were added. */
static bool rundir_by_clock(struct ras_rundir *run, struct tick_index *index)
{
    struct borders b = {0};
    bool added = false;
    for (size_t i = 0; i < run->pen_count; i++) {
        struct ras_trace *trace = run->pens[i].trace;
        if (trace && !b.of.count && trace->format->ticks && trace->format->ticks->column &&
            !(trace->format->about.axes & 1u << RAS_AXIS_TICK))
            borders_of_events(&b, trace);
    }
    if (!b.of.count)
        borders_of_json(&b, run);
    for (size_t i = 0; i < run->pen_count && b.of.count && !has_own(index); i++) {
        struct ras_trace *trace = run->pens[i].trace;
        if (trace && rundir_is_unmarked(trace))
            added |= place_calls(&b, trace, index) == RAS_OK && has_own(index);
    }
    tick_index_free(&b.of);
    return added;
}

/* By the order of records: an event `tick` is the last of its tick, a call of `tick` the
 * first. ticks.idx holds a copy; one that is missing or damaged is made again from them. Records of
 * formats that have ticks of their own say it themselves. */

const char rundir_sidecar[] = "ticks.idx";

uint64_t rundir_first(const struct ras_rundir *run)
{
    uint64_t first;
    return rundir_uint(run, (const char *const[]){"axes", "tick", "first", NULL}, &first) ? first
                                                                                          : 1;
}

uint64_t rundir_tick_on(const struct ras_rundir *run, const char *axis, uint64_t at)
{
    uint64_t first, tick, per = 1;
    if (!strcmp(axis, "tick"))
        return at;
    if (!rundir_uint(run, (const char *const[]){"axes", axis, "first", NULL}, &first) ||
        !rundir_uint(run, (const char *const[]){"axes", axis, "first_tick", NULL}, &tick))
        return RAS_NONE;
    (void)!rundir_uint(run, (const char *const[]){"axes", axis, "per_tick", NULL}, &per);
    return at < first || !per ? RAS_NONE : tick + (at - first) / per;
}

/* ---- the index --------------------------------------------------------------------------- */

static int open_sidecar(const struct ras_rundir *run, struct source **source, struct ras_error *err)
{
    char path[4096];
    const struct ras_limits limits = limits_of(NULL);
    const struct ras_options plain = {0};
    const struct ras_part *part;
    if (rundir_part(run, rundir_sidecar, &part))
        return part ? source_open_memory(source, part->bytes.at, part->bytes.len, &plain, &limits,
                                         err)
                    : fail(err, RAS_EIO, RAS_NONE, "%s is not there", rundir_sidecar);
    if (snprintf(path, sizeof path, "%s/%s", run->path, rundir_sidecar) >= (int)sizeof path)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a path of %zu bytes", strlen(run->path));
    return source_open_path(source, path, &plain, &limits, err);
}

int rundir_read_sidecar(const struct ras_rundir *run, struct source **source,
                        struct tick_index *index, struct ras_error *err)
{
    uint64_t ticks;
    *source = NULL;
    *index = (struct tick_index){0};
    if (rundir_is_incomplete(run))
        ticks = RAS_NONE; /* as many as there are */
    else if (!rundir_uint(run, (const char *const[]){"ticks", NULL}, &ticks))
        return fail(err, RAS_EFORMAT, RAS_NONE, "run.json does not say how many ticks there are");
    int status = open_sidecar(run, source, err);
    if (status == RAS_OK)
        status = source_is_dir(*source)
                     ? fail(err, RAS_EFORMAT, RAS_NONE, "%s is a directory", rundir_sidecar)
                     : tick_index_read(index, source_bytes(*source, 0), ticks, err);
    if (status < 0) {
        source_close(*source);
        *source = NULL;
    }
    return status;
}

/* RAS_NONE: it is not there, or its name is too long. */
static uint64_t size_of_file(const struct ras_rundir *run, const char *name)
{
    char path[4096];
    struct os_about about;
    const struct ras_part *part;
    if (rundir_part(run, name, &part))
        return part ? part->bytes.len : RAS_NONE;
    int len = snprintf(path, sizeof path, "%s/%s", run->path, name);
    return len < (int)sizeof path && os_about(path, &about) == 0 ? about.size : RAS_NONE;
}

/* An index is not valid for files that have changed since. */
static int check_sizes(const struct ras_rundir *run, struct ras_error *err)
{
    for (size_t i = 0; i < run->pen_count; i++)
        for (size_t k = 0; k < run->pens[i].file_count; k++) {
            const struct ras_rundir_file *f = &run->pens[i].files[k];
            uint64_t size = size_of_file(run, f->name);
            if (f->size_bytes != RAS_NONE && size != RAS_NONE && size != f->size_bytes)
                return fail(err, RAS_EFORMAT, RAS_NONE,
                            "it is not of this %.100s, which has %" PRIu64 " bytes, not %" PRIu64,
                            f->name, size, f->size_bytes);
        }
    return RAS_OK;
}

/* Nor is one with another hash than in run.json. */
static int check_sidecar_hash(const struct ras_rundir *run, const struct source *sidecar,
                              struct ras_error *err)
{
    const struct ras_value *files = rundir_find(run, (const char *const[]){"order", "files", NULL});
    const struct ras_value *file =
        files && files->kind == RAS_LIST && files->count ? files + 1 : NULL;
    const struct ras_value *said = file && file->kind == RAS_MAP ? map_find(file, "sha256") : NULL;
    struct ras_bytes bytes = source_bytes(sidecar, 0);
    struct sha256 sha = sha256_start();
    uint8_t digest[SHA256_SIZE];
    char hex[2 * SHA256_SIZE + 1];
    sha256_add(&sha, bytes.at, bytes.len);
    sha256_end(&sha, digest);
    for (size_t i = 0; i < SHA256_SIZE; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    if (said && said->kind == RAS_STR && said->count == 2 * SHA256_SIZE &&
        !memcmp(said->at, hex, 2 * SHA256_SIZE))
        return RAS_OK;
    return fail(err, RAS_EFORMAT, RAS_NONE, "its SHA-256 is %.16s..., not what run.json says", hex);
}

/* From the marks of traces whose records have no ticks. */
static void scan_marks(struct rundir *h)
{
    struct ras_rundir *run = &h->run;
    for (size_t i = 0; i < run->pen_count; i++) {
        struct ras_trace *trace = run->pens[i].trace;
        if (trace && !(trace->format->about.axes & 1u << RAS_AXIS_TICK))
            (void)!tick_index_scan(&h->index, trace, rundir_first(run), NULL);
    }
}

bool rundir_order_is_partial(const struct ras_rundir *run)
{
    const struct ras_value *partial =
        rundir_find(run, (const char *const[]){"order", "partial", NULL});
    return partial && partial->kind == RAS_BOOL && partial->u;
}

static bool nth_first(const struct tick_index *index)
{
    for (size_t i = 0; i < index->count; i++)
        if (index->columns[i].kind == TICK_FIRST)
            return true;
    return false;
}

/* An index that says so has not all marks: calls that another library has recorded, and traces that
 * were begun late, mark ticks themselves. */
static void scan_rest(struct rundir *h)
{
    struct ras_rundir *run = &h->run;
    bool calls = nth_first(&h->index);
    for (size_t i = 0; rundir_order_is_partial(run) && i < run->pen_count; i++) {
        struct ras_trace *trace = run->pens[i].trace;
        const struct tick_ops *ops = trace ? trace->format->ticks : NULL;
        if (ops && !(trace->format->about.axes & 1u << RAS_AXIS_TICK) &&
            !(ops->column ? tick_index_find(&h->index, ops->column) != NULL : calls))
            (void)!tick_index_scan(&h->index, trace, rundir_first(run), NULL);
    }
}

const struct tick_index *rundir_index(const struct ras_rundir *run)
{
    struct rundir *h = (struct rundir *)(uintptr_t)run;
    uint64_t version = 0;
    if (h->ordered)
        return &h->index;
    h->ordered = true;
    h->order = RAS_ORDER_INDEX;
    if (check_sizes(run, &h->sidecar_err) == RAS_OK &&
        rundir_read_sidecar(run, &h->sidecar, &h->index, &h->sidecar_err) == RAS_OK) {
        if (check_sidecar_hash(run, h->sidecar, &h->sidecar_err) == RAS_OK) {
            scan_rest(h);
            return &h->index;
        }
        tick_index_free(&h->index);
    }
    h->order = RAS_ORDER_MARKS;
    scan_marks(h);
    bool marked =
        rundir_uint(run, (const char *const[]){"run_version", NULL}, &version) && version >= 2;
    if (!marked && rundir_by_clock(&h->run, &h->index))
        h->order = RAS_ORDER_CLOCK;
    return &h->index;
}

enum ras_rundir_order ras_rundir_order(const struct ras_rundir *run, const char **why)
{
    const struct rundir *h = (const struct rundir *)run;
    (void)rundir_index(run);
    if (why)
        *why = h->order == RAS_ORDER_INDEX ? "" : h->sidecar_err.text;
    return h->order;
}

/* ---- records that have ticks ------------------------------------------------------------- */

static bool has_ticks(const struct ras_trace *trace)
{
    return trace->format->about.axes & 1u << RAS_AXIS_TICK;
}

static const char *axis_of(const struct ras_trace *trace)
{
    return trace->format->compare ? trace->format->compare->word : "tick";
}

uint64_t rundir_tick_of_axis(const struct ras_rundir *run, const struct ras_trace *trace,
                             uint64_t tick)
{
    return rundir_tick_on(run, axis_of(trace), tick);
}

/* The first record at or after a place; false: there is none. */
static bool record_at(struct ras_trace *trace, enum ras_axis axis, uint64_t from, uint64_t to,
                      struct ras_record *out)
{
    const struct ras_scan scan = {.axis = axis, .from = from, .to = to, .headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    if (ras_cursor_open(&c, trace, &scan, NULL) < 0)
        return false;
    bool found = ras_next(c, &r, NULL) == RAS_OK;
    if (found)
        *out = *r;
    ras_cursor_close(c);
    return found;
}

static uint64_t tick_of_record(const struct ras_rundir *run, struct ras_trace *trace, uint64_t seq)
{
    struct ras_record r;
    if (!record_at(trace, RAS_AXIS_SEQ, seq, seq + 1, &r) || !(r.flags & RAS_HAS_TICK))
        return RAS_NONE;
    return rundir_tick_on(run, axis_of(trace), r.tick);
}

/* Records of a tick follow each other. */
static bool span_of_records(const struct ras_rundir *run, struct ras_trace *trace, uint64_t tick,
                            struct ras_span *span)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    bool any = false;
    if (ras_cursor_open(&c, trace, &scan, NULL) < 0)
        return false;
    while (ras_next(c, &r, NULL) == RAS_OK) {
        bool of_it =
            r->flags & RAS_HAS_TICK && rundir_tick_on(run, axis_of(trace), r->tick) == tick;
        if (any && !of_it)
            break;
        if (!of_it)
            continue;
        if (!any)
            span->from = r->seq;
        any = true;
        span->to = r->seq + 1;
    }
    ras_cursor_close(c);
    return any;
}

/* ---- records by their order --------------------------------------------------------------- */

static const struct ras_trace *trace_of(const struct ras_rundir *run, size_t pen)
{
    return pen < run->pen_count ? run->pens[pen].trace : NULL;
}

/* The column of a stream: the last or the first record of each tick; NULL: it has no marks. */
static const struct tick_column *column_of(const struct ras_rundir *run, size_t pen,
                                           uint32_t stream)
{
    const struct ras_trace *trace = trace_of(run, pen);
    const struct tick_ops *ops = trace ? trace->format->ticks : NULL;
    const struct tick_index *index = ops ? rundir_index(run) : NULL;
    const struct tick_column *c;
    if (!index)
        return NULL;
    if (ops->column)
        return tick_index_find(index, ops->column);
    c = tick_index_stream(index, TICK_FIRST, stream);
    return c ? c : tick_index_stream(index, TICK_HEAD, stream);
}

/* Events after the last mark of their batch belong to the tick of the first field `tick` in it. */
static uint64_t tick_of_batch(struct ras_trace *trace, uint32_t batch, uint64_t seq)
{
    static const char *const fields[] = {"tick"};
    const struct ras_pick pick = {.fields = fields, .field_count = 1};
    const struct ras_scan scan = {
        .picks = &pick, .pick_count = 1, .axis = RAS_AXIS_SEQ, .to = RAS_NONE};
    const struct ras_record *r;
    struct ras_cursor *c;
    uint64_t tick, found = RAS_NONE, own = RAS_NONE;
    if (ras_cursor_open(&c, trace, &scan, NULL) < 0)
        return RAS_NONE;
    while (ras_next(c, &r, NULL) == RAS_OK && r->seq <= seq) {
        bool has = tick_in(c, &tick);
        if (has && r->stream == batch && found == RAS_NONE)
            found = tick;
        if (has && r->seq == seq)
            own = tick;
    }
    ras_cursor_close(c);
    return own != RAS_NONE ? own : found;
}

/* Whether two records are in one batch; the second is the current one. */
static bool in_batch(struct ras_trace *trace, uint64_t seq, uint32_t stream)
{
    struct ras_record r;
    size_t batches;
    (void)ras_streams(trace, &batches);
    return batches == 1 || (record_at(trace, RAS_AXIS_SEQ, seq, seq + 1, &r) && r.stream == stream);
}

uint64_t ras_rundir_tick_of(const struct ras_rundir *run, size_t pen, uint32_t stream, uint64_t seq)
{
    struct ras_trace *trace = (struct ras_trace *)(uintptr_t)trace_of(run, pen);
    if (trace && has_ticks(trace))
        return tick_of_record(run, trace, seq);
    const struct tick_column *c = column_of(run, pen, stream);
    if (!c || !c->count)
        return RAS_NONE;
    if (c->kind == TICK_LAST) {
        uint64_t i = tick_column_from(c, seq);
        bool marked = i < c->count && in_batch(trace, tick_column_value(c, i), stream);
        return marked ? tick_column_tick(c, i) : tick_of_batch(trace, stream, seq);
    }
    uint64_t i = seq == RAS_NONE ? c->count : tick_column_from(c, seq + 1);
    return i ? tick_column_tick(c, i - 1) : RAS_NONE;
}

bool ras_rundir_span_of(const struct ras_rundir *run, size_t pen, uint32_t stream, uint64_t tick,
                        bool inside, struct ras_span *span)
{
    struct ras_trace *trace = (struct ras_trace *)(uintptr_t)trace_of(run, pen);
    if (trace && has_ticks(trace))
        return span_of_records(run, trace, tick, span);
    const struct tick_column *c = column_of(run, pen, stream);
    uint64_t i = c ? tick_column_since(c, tick) : 0;
    if (!c || i == c->count || tick_column_tick(c, i) != tick)
        return false;
    if (c->kind == TICK_LAST) {
        span->from = i ? tick_column_value(c, i - 1) + 1 : 0;
        span->to = tick_column_value(c, i) + 1;
        return true;
    }
    span->from = tick_column_value(c, i);
    span->to = i + 1 < c->count ? tick_column_value(c, i + 1) : RAS_NONE;
    const struct tick_column *settled =
        inside ? tick_index_stream(rundir_index(run), TICK_SETTLED, stream) : NULL;
    i = settled ? tick_column_since(settled, tick) : 0;
    if (settled && i < settled->count && tick_column_tick(settled, i) == tick) {
        uint64_t over = tick_column_value(settled, i);
        if (over >= span->from && over < span->to)
            span->to = over;
    }
    return true;
}

/* ---- one record after the other ------------------------------------------------------------ */

/* The number of a record in its stream, by which its tick is known; RAS_NONE: it has none. */
static uint64_t number_of(const struct ras_trace *t, const struct ras_record *r)
{
    if (t->format->ticks && t->format->ticks->number)
        return t->format->ticks->number(t, r);
    bool request = t->schemas[r->schema]->flags & RAS_ON_REQUEST;
    return request ? r->parent : r->seq;
}

uint64_t rundir_record_tick(const struct ras_rundir *run, size_t pen, const struct ras_trace *t,
                            const struct ras_record *r, struct rundir_place *last)
{
    struct ras_span span;
    if (has_ticks(t))
        return r->flags & RAS_HAS_TICK ? rundir_tick_of_axis(run, t, r->tick) : RAS_NONE;
    uint64_t number = number_of(t, r);
    if (number == RAS_NONE)
        return RAS_NONE;
    if (r->stream == last->stream && number >= last->from && number < last->to)
        return last->tick;
    uint64_t tick = ras_rundir_tick_of(run, pen, r->stream, number);
    bool span_known = tick != RAS_NONE &&
                      ras_rundir_span_of(run, pen, r->stream, tick, false, &span) &&
                      number >= span.from && number < span.to;
    *last = span_known ? (struct rundir_place){r->stream, span.from, span.to, tick}
                       : (struct rundir_place){0};
    return tick;
}
