/* dial9_derived.c - polls, span segments and spans as records on request.
 *
 * They are derived from the whole trace by the matcher that stats has, hence delivered after all
 * other records, in the order in which they end; where nothing else is requested, the other
 * records are not even walked. Those that have not ended when the trace does come last. */
#include "base/memory.h"
#include "formats/dial9/dial9_row_put.h"

#include <stdlib.h>

/* ---- the types ------------------------------------------------------------------- */

enum {
    POLL_F_WORKER_ID,
    POLL_F_TASK_ID,
    POLL_F_SPAWN_LOC,
    POLL_F_LOCAL_QUEUE,
    POLL_F_START_NS,
    POLL_F_END_NS,
    POLL_F_DURATION_NS,
    POLL_F_WOKEN_NS,
    POLL_F_DELAY_NS,
    POLL_F_REASON,
    POLL_FIELDS
};
static const struct ras_field poll_fields[POLL_FIELDS] = {
    [POLL_F_WORKER_ID] = {"worker_id", RAS_UINT, 64, 0},
    [POLL_F_TASK_ID] = {"task_id", RAS_UINT, 64, 0},
    [POLL_F_SPAWN_LOC] = {"spawn_loc", RAS_STR, 0, RAS_NULLABLE},
    [POLL_F_LOCAL_QUEUE] = {"local_queue", RAS_UINT, 8, RAS_NULLABLE},
    [POLL_F_START_NS] = {"start_ns", RAS_UINT, 64, 0},
    [POLL_F_END_NS] = {"end_ns", RAS_UINT, 64, RAS_NULLABLE},
    [POLL_F_DURATION_NS] = {"duration_ns", RAS_UINT, 64, RAS_NULLABLE},
    [POLL_F_WOKEN_NS] = {"woken_ns", RAS_UINT, 64, RAS_NULLABLE},
    [POLL_F_DELAY_NS] = {"delay_ns", RAS_UINT, 64, RAS_NULLABLE},
    [POLL_F_REASON] = {"reason", RAS_STR, 0, 0},
};
const struct ras_schema dial9_poll_schema = {"poll", poll_fields, POLL_FIELDS, RAS_ON_REQUEST};

/* ---- rows ------------------------------------------------------------------------ */

enum rows_stage {
    ROWS_BEFORE, /* other records are delivered first */
    ROWS_NOW,
    ROWS_AFTER, /* what ends the trace is left */
};

struct dial9_rows {
    enum rows_stage stage;
    bool wanted[DERIVED_KINDS];
    bool alone;   /* nothing else is requested: other records are not walked */
    bool perhaps; /* that is not known before all types are */
    bool run;     /* of a merge: nothing else, in the order of time */
    bool keep;    /* all rows stay in memory: a run, or a cursor that has jumped */
    bool made;    /* no more rows come */
    uint64_t given;
    struct dial9_stats *d; /* NULL: not begun */
    struct replay *order;
    struct derived_row *at;
    size_t count, room, next;
    size_t end_worker, end_span, end_modern;
};

static void row_take(void *user, const struct derived_row *row)
{
    struct dial9_rows *r = user;
    if (!r->wanted[row->kind])
        return;
    if (array_grow(&r->at, &r->room, r->count + 1, sizeof *r->at))
        r->at[r->count++] = *row;
    else
        stats_nomem(r->d);
}

/* ---- making them ------------------------------------------------------------------ */

/* Facts that the wanted types need. */
static uint32_t kinds_of(const struct dial9_rows *r)
{
    uint32_t kinds = 0;
    if (r->wanted[DERIVED_POLL])
        kinds |= 1u << FACT_WAKE | 1u << FACT_POLL_START | 1u << FACT_POLL_END | 1u << FACT_SPAWN |
                 1u << FACT_TERMINATE;
    if (r->wanted[DERIVED_SEGMENT] || r->wanted[DERIVED_SPAN])
        kinds |= 1u << FACT_SPAN_ENTER | 1u << FACT_SPAN_EXIT | 1u << FACT_SPAN_CLOSE |
                 1u << FACT_SPAN_WHOLE;
    return kinds;
}

/* The first walk, unless it was done. */
static int rows_survey(struct dial9_rows *r, struct ras_trace *t, struct ras_error *err)
{
    if (r->d)
        return RAS_OK;
    r->d = dial9_stats_new(t);
    if (!r->d)
        return fail_memory(err);
    r->d->take = row_take;
    r->d->taker = r;
    r->d->kinds = kinds_of(r);
    int status = dial9_stats_survey(r->d, err);
    return status == RAS_OK && r->d->nomem ? fail_memory(err) : status;
}

/* Forget rows that are not kept. */
static void rows_reset(struct dial9_rows *r)
{
    r->given = r->next = 0;
    if (r->keep && r->made)
        return;
    dial9_order_close(r->order);
    dial9_stats_free(r->d);
    r->order = NULL;
    r->d = NULL;
    r->count = r->end_worker = r->end_span = r->end_modern = 0;
    r->made = false;
}

/* One more fact, or one more worker or span that is open at the end. */
static int rows_make(struct dial9_rows *r, struct ras_error *err)
{
    struct dial9_stats *d = r->d;
    int status = r->order ? RAS_OK : dial9_order_open(&r->order, d, err);
    if (status == RAS_OK)
        status = dial9_order_step(r->order, err);
    if (status < 0)
        return status;
    if (status == RAS_END && r->end_worker < d->worker_count) {
        const struct worker *w = &d->workers[r->end_worker++];
        if (w->polling)
            dial9_found_poll(d, w, RAS_NONE, RAS_NONE);
    } else if (status == RAS_END && r->end_span < d->span_count) {
        dial9_stats_end_span(d, &d->spans[r->end_span++]);
    } else if (status == RAS_END && r->end_modern < dial9_spans_live(d)) {
        dial9_spans_end(d, r->end_modern++);
    } else {
        r->made = status == RAS_END;
    }
    return d->nomem ? fail_memory(err) : RAS_OK;
}

static int by_start(const void *a, const void *b)
{
    const struct derived_row *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

static int rows_make_all(struct dial9_rows *r, struct ras_trace *t, struct ras_error *err)
{
    int status = RAS_OK;
    while (status == RAS_OK && !r->made) {
        status = rows_make(r, err);
        if (r->count > t->limits.pool_bytes / sizeof *r->at)
            return fail(err, RAS_ELIMIT, RAS_NONE,
                        "%zu derived records take more than the limit of %" PRIu64
                        " bytes to be sorted",
                        r->count, t->limits.pool_bytes);
    }
    if (status == RAS_OK && r->run && r->count)
        qsort(r->at, r->count, sizeof *r->at, by_start);
    return status;
}

/* The next row: RAS_OK, RAS_END or an error. */
static int rows_next(struct dial9_rows *r, struct ras_trace *t, const struct derived_row **row,
                     struct ras_error *err)
{
    int status = rows_survey(r, t, err);
    if (status == RAS_OK && r->keep && !r->made)
        status = rows_make_all(r, t, err);
    if (r->keep)
        r->next = r->given < r->count ? (size_t)r->given : r->count;
    while (status == RAS_OK && r->next == r->count && !r->made) {
        r->next = r->count = 0;
        status = rows_make(r, err);
    }
    if (status < 0)
        return status;
    if (r->next == r->count)
        return RAS_END;
    *row = &r->at[r->next++];
    r->given++;
    return RAS_OK;
}

/* ---- rows as records -------------------------------------------------------------- */

static void put_poll_row(struct row_put *p, struct dial9_stats *d, const struct derived_row *row)
{
    dial9_row_number(p, true, 64, row->worker);
    dial9_row_number(p, true, 64, row->id);
    dial9_row_interned(p, d, row->text);
    dial9_row_number(p, row->queue <= UINT8_MAX, 8, row->queue);
    dial9_row_time(p, row->start);
    dial9_row_time(p, row->end);
    dial9_row_time(p, row->duration);
    dial9_row_time(p, row->woken);
    dial9_row_time(p, row->delay);
    dial9_row_word(p, row->unended ? "unended" : "ended");
}

uint32_t dial9_batch_at(const struct dial9 *trace, uint64_t offset)
{
    size_t low = 0, high = trace->place_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (trace->places[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static enum step row_record(struct ras_cursor *c, const struct derived_row *row)
{
    static void (*const puts[])(struct row_put *, struct dial9_stats *,
                                const struct derived_row *) = {put_poll_row, dial9_put_segment_row,
                                                               dial9_put_span_row};
    struct ras_bytes bytes = source_arrived(c->trace->source, 0);
    struct dial9_cursor *d = c->priv;
    uint64_t offset = row->event >> 16, size = row->event & UINT16_MAX;
    bool there = offset <= bytes.len && size <= bytes.len - offset;
    c->record = (struct ras_record){.time_ns = row->start,
                                    .flags = RAS_HAS_TIME,
                                    .parent = RAS_NONE,
                                    .offset = offset,
                                    .raw = there ? bytes.at + offset : NULL,
                                    .raw_len = there ? (uint32_t)size : 0,
                                    .schema = (uint16_t)(DIAL9_POLL_RECORD + row->kind),
                                    .stream = dial9_batch_at(c->trace->priv, offset)};
    struct row_put put = {c, cursor_view(c, DIAL9_POLL_RECORD + row->kind), 0};
    if (!put.view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, ROW_FIELDS_MOST))
        return STEP_NOMEM;
    puts[row->kind](&put, d->rows->d, row);
    return STEP_RECORD;
}
_Static_assert((int)POLL_FIELDS <= (int)ROW_FIELDS_MOST, "room for any of them");

/* ---- the cursor ------------------------------------------------------------------- */

static bool is_derived(uint32_t schema)
{
    return schema >= DIAL9_POLL_RECORD && schema <= DIAL9_SPAN_RECORD;
}

/* Whether a type that is not derived is requested, of those that are known so far. */
static bool wants_others(struct ras_cursor *c)
{
    for (uint32_t i = 0; i < c->trace->schema_count; i++)
        if (!is_derived(i) && cursor_view(c, i)->wanted)
            return true;
    return false;
}

/* What could not be followed is missing, or not complete: this is how the trace ends. */
static void note_limits(struct ras_cursor *c, const struct dial9_stats *d)
{
    if (d->workers_dropped)
        ending_note(c, RAS_DAMAGED, 0, 0, "%s of more than %u workers are missing",
                    ras_counted(d->workers_dropped, "event").text, WORKERS_MOST);
    if (d->tasks_dropped || d->spans_dropped)
        ending_note(c, RAS_DAMAGED, 0, 0,
                    "%" PRIu64 " events of more than %zu live tasks and %" PRIu64
                    " of more than %zu live spans were not followed",
                    d->tasks_dropped, LIVE_MOST, d->spans_dropped, LIVE_MOST);
    if (d->texts_dropped)
        ending_note(c, RAS_DAMAGED, 0, 0, "%s not kept: more than %zu, or beyond the limit",
                    ras_counted(d->texts_dropped, "name").text, TEXTS_MOST);
}

static enum step refuse(struct ras_cursor *c, const struct ras_error *err)
{
    return err->status == RAS_EMEMORY ? STEP_NOMEM : damaged(c, RAS_NONE, "%s", err->text);
}

/* Records of other types. True: *step is what the cursor does now. */
static bool others_first(struct ras_cursor *c, struct dial9_rows *r, enum step *step)
{
    struct ras_error err;
    if ((r->perhaps || r->alone) && !c->live) {
        if (rows_survey(r, c->trace, &err) < 0) {
            *step = refuse(c, &err);
            return true;
        }
        r->alone = !wants_others(c);
        r->perhaps = false;
    }
    if (r->alone && !c->live) {
        cursor_stop_collecting(c); /* what lies between is not seen */
        c->seq = r->d->end.seq;
        return false;
    }
    const uint8_t *before = c->in.at;
    *step = dial9_next(c);
    if (*step == STEP_RECORD || *step == STEP_NOMEM || c->live || source_pending(c->trace->source))
        return true;
    c->in = (struct in){before, c->in.end, false}; /* repeated after the rows */
    c->values.count = 0;
    return false;
}

/* What ends the trace, without the records before it. */
static enum step last_step(struct ras_cursor *c, struct dial9_rows *r)
{
    struct dial9_cursor *d = c->priv;
    struct ras_error err;
    struct place here = d->at;
    if (rows_survey(r, c->trace, &err) < 0)
        return refuse(c, &err);
    if (!cursor_enter(c, 0, r->d->end.offset))
        return STEP_DAMAGED;
    d->at = (struct place){0};
    dial9_place_load(c, &r->d->end);
    enum step step = d->at.batch ? dial9_next(c) : STEP_NOMEM;
    if (step == STEP_RECORD || step == STEP_END) {
        dial9_batch_leave(c->trace->priv, here.batch);
        return step;
    }
    dial9_batch_leave(c->trace->priv, d->at.batch);
    d->at = here;
    d->special = false;
    return step;
}

static enum step derived_next(struct ras_cursor *c)
{
    struct dial9_cursor *d = c->priv;
    struct dial9_rows *r = d->rows;
    const struct derived_row *row;
    struct ras_error err;
    enum step step;
    if (d->one_batch)
        return dial9_next(c);
    if (r->stage == ROWS_BEFORE && !r->run && others_first(c, r, &step))
        return step;
    if (r->stage != ROWS_AFTER) {
        r->stage = ROWS_NOW;
        int status = rows_next(r, c->trace, &row, &err);
        if (status == RAS_OK)
            return row_record(c, row);
        if (status < 0)
            return refuse(c, &err);
        r->stage = ROWS_AFTER;
        note_limits(c, r->d);
    }
    if (r->run)
        return STEP_END;
    return r->alone ? last_step(c, r) : dial9_next(c);
}

int dial9_derived_start(struct ras_cursor *c, struct ras_error *err)
{
    struct dial9_cursor *d = c->priv;
    bool wanted[DERIVED_KINDS] = {false}, any = false;
    for (uint32_t i = DERIVED_POLL; i <= DERIVED_SPAN; i++)
        any |= wanted[i] = cursor_view(c, DIAL9_POLL_RECORD + i)->wanted;
    if (!any)
        return RAS_OK;
    d->rows = calloc(1, sizeof *d->rows);
    if (!d->rows)
        return fail_memory(err);
    memcpy(d->rows->wanted, wanted, sizeof wanted);
    /* Not in the middle of a step: bytes may move. */
    d->rows->perhaps =
        !c->live && !wants_others(c) && source_whole(c->trace->source, NULL) == RAS_OK;
    c->next = derived_next;
    return RAS_OK;
}

void dial9_derived_stop(struct dial9_rows *r)
{
    if (!r)
        return;
    dial9_order_close(r->order);
    dial9_stats_free(r->d);
    free(r->at);
    free(r);
}

void dial9_derived_run(struct dial9_rows *r)
{
    r->run = r->keep = true;
}

uint64_t dial9_derived_save(const struct dial9_rows *r)
{
    if (!r || r->stage == ROWS_BEFORE)
        return 0;
    return r->stage == ROWS_AFTER ? RAS_NONE : 1 + r->given;
}

void dial9_derived_load(struct dial9_rows *r, uint64_t saved)
{
    if (!r)
        return;
    r->keep |= saved && saved != RAS_NONE;
    rows_reset(r);
    r->given = saved && saved != RAS_NONE ? saved - 1 : 0;
    r->stage = !saved ? ROWS_BEFORE : saved == RAS_NONE ? ROWS_AFTER : ROWS_NOW;
}
