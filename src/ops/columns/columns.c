/* columns.c - a scan of a table: which columns, what of the records is decoded for them, batches.
 */
#include "base/error.h"
#include "base/struct_size.h"
#include "core/format.h"
#include "ops/columns/column_reader.h"

#include <stdlib.h>

enum { ROWS_FIRST = 64, ROWS_USUAL = 16384, ROWS_MOST = 1 << 24 };

/* ---- which columns -------------------------------------------------------------------------- */

static int add_buffer(struct ras_columns *c, uint16_t column, struct ras_error *err)
{
    const struct table *t = c->table;
    if (column >= t->count)
        return fail(err, RAS_EUSAGE, RAS_NONE, "column %u of the table %s, which has %zu", column,
                    t->about.name, t->count);
    if (t->defs[column].from == FROM_ALIAS) {
        uint16_t of = t->columns[column].alias_of;
        int status = add_buffer(c, of, err);
        c->buffer_of[column] = c->buffer_of[of];
        return status;
    }
    if (c->buffer_of[column] >= 0)
        return RAS_OK;
    const struct ras_column_about *a = &t->columns[column];
    c->buffer_of[column] = (int32_t)c->buffer_count;
    c->columns[c->buffer_count] = column;
    c->has_long |= a->type >= RAS_T_BLOB;
    return column_init(&c->buffers[c->buffer_count++], a->type, a->item, a->flags, &c->scratch)
               ? RAS_OK
               : fail_memory(err);
}

/* In the order of the scan; NULL: all that are not hidden. */
static int choose_columns(struct ras_columns *c, const struct ras_columns_scan *s,
                          struct ras_error *err)
{
    size_t given = s->no_columns ? 0 : s->columns ? s->column_count : c->table->count;
    for (size_t i = 0; i < given; i++) {
        uint16_t column = s->columns ? s->columns[i] : (uint16_t)i;
        if (!s->columns && c->table->columns[column].flags & RAS_HIDDEN)
            continue;
        int status = add_buffer(c, column, err);
        if (status < 0)
            return status;
        c->order[c->order_count++] = (uint16_t)c->buffer_of[column];
    }
    for (size_t i = 0; i < s->test_count; i++) {
        int status = add_buffer(c, s->tests[i].column, err);
        if (status == RAS_OK)
            status = column_test_init(&c->tests[c->test_count++], &s->tests[i],
                                      &c->buffers[c->buffer_of[s->tests[i].column]], err);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

static int take_room(struct ras_columns *c, const struct ras_columns_scan *s, struct ras_error *err)
{
    size_t count = c->table->count, shown = s->columns ? s->column_count : count;
    size_t most = count + 1;
    c->buffers = calloc(most, sizeof *c->buffers);
    c->columns = calloc(most, sizeof *c->columns);
    c->buffer_of = calloc(most, sizeof *c->buffer_of);
    c->heads = calloc(most, sizeof *c->heads);
    c->order = calloc(shown + 1, sizeof *c->order);
    c->out = calloc(shown + 1, sizeof *c->out);
    c->tests = calloc(s->test_count + 1, sizeof *c->tests);
    if (!c->buffers || !c->columns || !c->buffer_of || !c->heads || !c->order || !c->out ||
        !c->tests)
        return fail_memory(err);
    for (size_t i = 0; i < most; i++)
        c->buffer_of[i] = -1;
    return RAS_OK;
}

/* What is filled from the head of a record; an alias is, too. */
static void choose_heads(struct ras_columns *c)
{
    const struct table *t = c->table;
    for (size_t i = 0; i < c->buffer_count; i++) {
        const struct ras_column_about *a = &t->columns[c->columns[i]];
        enum column_from from = t->defs[a->flags & RAS_ALIAS ? a->alias_of : c->columns[i]].from;
        if (from < FROM_FIELD || from == FROM_IDX)
            c->heads[c->head_count++] = (struct head_column){from, (uint16_t)i};
        else
            c->field_count++;
    }
}

/* ---- where values go ---------------------------------------------------------------------------
 */

static bool mark_used(struct slot *at, struct slot *s)
{
    s->used = s->buffer >= 0 || s->word >= 0;
    for (uint32_t i = 0; i < s->inner_count; i++)
        s->used |= mark_used(at, &at[s->inner + i]);
    return s->used;
}

static bool resolve(const struct ras_columns *c, const struct binding *b, size_t fields,
                    struct slots *out)
{
    out->at = calloc(b->count + 1, sizeof *out->at);
    if (!out->at)
        return false;
    out->count = b->count;
    out->fields = (uint32_t)fields;
    out->known = true;
    for (size_t i = 0; i < b->count; i++) {
        const struct bind *from = &b->binds[i];
        int32_t buffer = from->column >= 0 ? c->buffer_of[from->column] : -1;
        if (buffer >= 0 && c->table->columns[from->column].flags & RAS_ALIAS)
            buffer = -1; /* its head has it */
        out->at[i] = (struct slot){.buffer = buffer,
                                   .word = from->word >= 0 ? c->buffer_of[from->word] : -1,
                                   .inner = from->inner,
                                   .inner_count = from->inner_count};
    }
    for (size_t i = 0; i < fields; i++)
        (void)mark_used(out->at, &out->at[i]);
    return true;
}

/* The path to a column among the fields: which field, then which member of each map. */
static bool find_path(const struct binding *b, size_t at, size_t count, int32_t column,
                      struct slots *out, unsigned depth)
{
    for (size_t i = 0; i < count; i++) {
        const struct bind *bind = &b->binds[at + i];
        out->path[depth] = (uint16_t)i;
        out->depth = depth + 1;
        if (bind->column == column)
            return true;
        if (bind->inner && depth < NEST_MOST &&
            find_path(b, bind->inner, bind->inner_count, column, out, depth + 1))
            return true;
    }
    return false;
}

static const struct table *bound(const struct ras_columns *c)
{
    return c->table->parent ? c->table->parent : c->table;
}

static bool resolve_all(struct ras_columns *c)
{
    const struct table *t = bound(c);
    struct ras_trace *trace = c->set->trace;
    for (size_t i = 0; i < t->binding_count; i++)
        if (t->bindings[i].schema >= c->slots_count)
            c->slots_count = t->bindings[i].schema + 1u;
    c->slots = calloc(c->slots_count + 1, sizeof *c->slots);
    if (!c->slots)
        return false;
    for (size_t i = 0; i < t->binding_count; i++) {
        const struct binding *b = &t->bindings[i];
        struct slots *s = &c->slots[b->schema];
        s->schema = ras_schema_at(trace, b->schema);
        if (!c->table->parent) {
            if (!resolve(c, b, s->schema->field_count, s))
                return false;
            continue;
        }
        s->known = find_path(b, 0, s->schema->field_count, c->table->parent_column, s, 0);
    }
    return !c->table->items.count || resolve(c, &c->table->items, c->table->items.count, &c->items);
}

/* ---- what is decoded ------------------------------------------------------------------------- */

struct picks {
    struct ras_pick *at;
    const char **names;
    size_t name_count;
    bool any; /* field */
};

static bool is_wanted(const struct ras_columns *c, const struct slots *s, unsigned field)
{
    return c->table->parent ? s->path[0] == field : s->at[field].used;
}

static bool wants_values(const struct ras_columns *c)
{
    for (size_t i = 0; i < c->head_count; i++)
        if (c->heads[i].from == FROM_VALUES)
            return true;
    return false;
}

static bool pick_schemas(const struct ras_columns *c, struct picks *p)
{
    const struct table *t = bound(c);
    size_t fields = 0;
    bool all = wants_values(c) || c->where;
    for (size_t i = 0; i < t->binding_count; i++)
        fields += c->slots[t->bindings[i].schema].schema->field_count;
    p->at = calloc(t->binding_count + 1, sizeof *p->at);
    p->names = calloc(fields + 1, sizeof *p->names);
    if (!p->at || !p->names)
        return false;
    p->any = all;
    for (size_t i = 0; i < t->binding_count; i++) {
        uint32_t schema = t->bindings[i].schema;
        const struct slots *s = &c->slots[schema];
        struct ras_pick *pick = &p->at[i];
        *pick = (struct ras_pick){.type = s->schema->name, .schema = schema};
        if (all || !s->known)
            continue;
        pick->fields = &p->names[p->name_count];
        for (unsigned k = 0; k < s->schema->field_count; k++)
            if (is_wanted(c, s, k)) {
                p->names[p->name_count++] = s->schema->fields[k].name;
                pick->field_count++;
            }
        p->any |= pick->field_count > 0;
    }
    return true;
}

/* Streams that a test leaves, so that others are not read; none: the test says nothing of them. */
enum { STREAMS_MOST = 64 };
static size_t tested_streams(const struct ras_columns *c, const struct ras_columns_scan *s,
                             uint32_t *streams)
{
    for (size_t i = 0; i < s->test_count; i++) {
        const struct ras_test *t = &s->tests[i];
        bool many = t->op == RAS_TEST_IN;
        size_t count = many ? t->in_count : 1, kept = 0;
        if (c->table->defs[t->column].from != FROM_STREAM || count > STREAMS_MOST ||
            (!many && t->op != RAS_TEST_EQ))
            continue;
        for (size_t k = 0; k < count; k++) {
            const struct ras_value *v = many ? &t->in[k] : &t->value;
            bool whole = v->kind == RAS_UINT || v->kind == RAS_INT;
            if (!whole)
                break;
            if (v->u <= UINT32_MAX)
                streams[kept++] = (uint32_t)v->u;
        }
        if (kept == count && kept)
            return kept;
    }
    return 0;
}

static int open_cursor(struct ras_columns *c, const struct ras_columns_scan *s,
                       struct ras_error *err)
{
    struct picks p = {0};
    struct ras_scan scan = {.axis = s->axis,
                            .from = s->from,
                            .to = s->to,
                            .merged = s->merged,
                            .streams = s->streams,
                            .stream_count = s->stream_count};
    int status = RAS_OK;
    uint32_t streams[STREAMS_MOST];
    if (!s->stream_count && !c->table->is_all) {
        scan.streams = streams;
        scan.stream_count = tested_streams(c, s, streams);
    }
    if (s->end && !s->axis) { /* so that the walk ends there, whatever the type: after one step */
        scan.axis = RAS_AXIS_SEQ; /* more, in which a driver notes how what it leaves has ended */
        scan.to = s->end->seq + 1;
    }
    if (c->table->is_all) {
        scan.headers_only = !wants_values(c) && !c->where;
    } else if (pick_schemas(c, &p)) {
        scan.picks = p.at;
        scan.pick_count = bound(c)->binding_count;
        scan.headers_only = !p.any;
    } else {
        status = fail_memory(err);
    }
    if (status == RAS_OK)
        status = ras_cursor_open(&c->cursor, c->set->trace, &scan, err);
    if (status == RAS_OK && s->begin)
        status = ras_jump(c->cursor, s->begin, err);
    free(p.at);
    free(p.names);
    return status;
}

/* ---- the driver's own ------------------------------------------------------------------------ */

static enum ras_type plain_type(const struct ras_field *f)
{
    static const enum ras_type types[] = {
        [RAS_BOOL] = RAS_T_BOOL, [RAS_INT] = RAS_T_I64,  [RAS_F32] = RAS_T_F32,
        [RAS_F64] = RAS_T_F64,   [RAS_STR] = RAS_T_TEXT, [RAS_BLOB] = RAS_T_BLOB};
    if (f->kind == RAS_UINT)
        return f->bits == 8    ? RAS_T_U8
               : f->bits == 16 ? RAS_T_U16
               : f->bits == 32 ? RAS_T_U32
                               : RAS_T_U64;
    return f->kind && f->kind <= RAS_BLOB ? types[f->kind] : RAS_T_LIST;
}

/* Whether the heads are those that can be made of many records; which one the times fill. */
static bool take_run_heads(struct ras_columns *c)
{
    for (size_t i = 0; i < c->head_count; i++) {
        if (c->heads[i].from == FROM_VALUES || c->heads[i].from == FROM_TYPE)
            return false;
        if (c->heads[i].from == FROM_TIME && !c->fill.time)
            c->fill.time = &c->buffers[c->heads[i].buffer];
    }
    return true;
}

/* Let the driver fill columns, where it can and they are of the types that its fields have. A
 * condition is of single records. */
static bool offer_run(struct ras_columns *c)
{
    const struct table *t = c->table;
    if (c->where || c->has_ticks || !c->set->trace->format->columns || t->is_all || t->parent ||
        !t->binding_count || !take_run_heads(c))
        return true;
    const struct slots *s = &c->slots[t->bindings[0].schema];
    c->fill.schema = t->bindings[0].schema;
    c->fill.fields = calloc(s->fields + 1u, sizeof *c->fill.fields);
    c->fill.texts = calloc(s->fields + 1u, sizeof *c->fill.texts);
    if (!c->fill.fields || !c->fill.texts)
        return false;
    for (uint32_t i = 0; i < s->fields; i++) {
        const struct slot *slot = &s->at[i];
        if (slot->word >= 0 || (slot->used && slot->inner))
            return true;
        if (slot->buffer < 0)
            continue;
        struct column_buffer *b = &c->buffers[slot->buffer];
        if (b->type != plain_type(&s->schema->fields[i]))
            return true;
        c->fill.fields[i] = b;
        c->fill.texts[i] = b->type == RAS_T_TEXT ? fill_texts_new() : NULL;
        if (b->type == RAS_T_TEXT && !c->fill.texts[i])
            return false;
    }
    c->run = c->set->trace->format->columns;
    return true;
}

static void fill_free(struct ras_columns *c)
{
    const struct table *t = c->table;
    uint32_t fields = c->fill.texts ? c->slots[t->bindings[0].schema].fields : 0;
    for (uint32_t i = 0; i < fields; i++)
        fill_texts_free(c->fill.texts[i]);
    free(c->fill.texts);
    free(c->fill.fields);
}

/* ---- open ------------------------------------------------------------------------------------ */

static int check_scan(const struct ras_columns *c, const struct ras_columns_scan *s,
                      struct ras_error *err)
{
    const struct ras_table_about *a = &c->table->about;
    bool share = s->begin || s->end;
    bool has_ticks = s->run_from || s->run_to;
    bool partly = share || s->axis || s->stream_count || s->merged || s->where || has_ticks;
    if (a->kind >= RAS_TABLE_STATS && partly)
        return fail(err, RAS_EUSAGE, RAS_NONE, "the table %s has no records: it is read whole",
                    a->name);
    if (has_ticks && !c->set->run)
        return fail(err, RAS_EUSAGE, RAS_NONE, "ticks of a run, and the trace is not one of a run");
    if (share && s->merged)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a share of the trace cannot be merged");
    if (share && bound(c)->about.kind == RAS_TABLE_ON_REQUEST)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "records of %s are made on request and counted from the start: read them "
                    "without shares",
                    a->name);
    return RAS_OK;
}

static int start(struct ras_columns *c, const struct ras_columns_scan *s, struct ras_error *err)
{
    int status = check_scan(c, s, err);
    if (status == RAS_OK)
        status = take_room(c, s, err);
    if (status == RAS_OK)
        status = choose_columns(c, s, err);
    if (status < 0)
        return status;
    c->most_rows = !s->rows ? ROWS_USUAL : s->rows < ROWS_MOST ? s->rows : ROWS_MOST;
    c->next_rows = c->most_rows < ROWS_FIRST ? c->most_rows : ROWS_FIRST;
    c->progress = s->progress;
    c->user = s->user;
    c->on_time = s->axis == RAS_AXIS_TIME;
    c->has_ticks = s->run_from || s->run_to;
    c->tick_from = s->run_from;
    c->tick_to = s->run_to;
    c->has_end = s->end;
    if (s->end)
        c->end = *s->end;
    if (c->table->make && !c->table->made) {
        status = c->table->make(c->set, c->table, err);
        if (status < 0)
            return status;
    }
    if (c->table->about.kind >= RAS_TABLE_STATS)
        return RAS_OK;
    c->where = s->where;
    if (c->where && ras_where_begin(c->where, c->set->trace, err) < 0)
        return RAS_EUSAGE;
    choose_heads(c);
    return resolve_all(c) && offer_run(c) ? open_cursor(c, s, err) : fail_memory(err);
}

int ras_columns_open(struct ras_columns **out, struct ras_tables *set,
                     const struct ras_columns_scan *scan, struct ras_error *err)
{
    struct ras_columns_scan own;
    *out = NULL;
    const struct ras_columns_scan *s = OPTIONS(&own, scan, err);
    if (!s)
        return RAS_EUSAGE;
    struct table *t = s->table ? tables_find(set, s->table) : NULL;
    if (!t)
        return fail(err, RAS_ENAME, RAS_NONE, "no table is called %s", s->table ? s->table : "");
    struct ras_columns *c = calloc(1, sizeof *c);
    if (!c)
        return fail_memory(err);
    c->set = set;
    c->table = t;
    int status = start(c, s, err);
    if (status < 0) {
        ras_columns_close(c);
        return status;
    }
    *out = c;
    return RAS_OK;
}

void ras_columns_close(struct ras_columns *c)
{
    if (!c)
        return;
    ras_cursor_close(c->cursor);
    fill_free(c);
    for (size_t i = 0; i < c->buffer_count; i++)
        column_free(&c->buffers[i]);
    for (size_t i = 0; i < c->test_count; i++)
        column_test_free(&c->tests[i]);
    for (size_t i = 0; i < c->slots_count; i++)
        free(c->slots[i].at);
    free(c->items.at);
    free(c->slots);
    free(c->buffers);
    free(c->columns);
    free(c->buffer_of);
    free(c->heads);
    free(c->order);
    free(c->out);
    free(c->tests);
    aligned_free(c->selected.at);
    out_free(&c->scratch);
    free(c);
}

/* ---- batches --------------------------------------------------------------------------------- */

static int check_buffers(const struct ras_columns *c, struct ras_error *err)
{
    for (size_t i = 0; i < c->buffer_count; i++) {
        if (c->buffers[i].nomem)
            return fail_memory(err);
        if (c->buffers[i].too_long)
            return fail(err, RAS_ELIMIT, RAS_NONE, "the column %s has more than 4 GiB in one batch",
                        c->table->columns[c->columns[i]].name);
    }
    return RAS_OK;
}

/* Which rows pass all tests. */
static int select_rows(struct ras_columns *c, struct ras_error *err)
{
    c->batch.selected = NULL;
    c->batch.selected_count = c->rows;
    if (!c->test_count)
        return RAS_OK;
    if (!aligned_grow(&c->selected, (c->rows + 1) * sizeof(uint32_t)))
        return fail_memory(err);
    uint32_t *selected = (uint32_t *)(void *)c->selected.at;
    size_t count = c->rows;
    for (size_t i = 0; i < c->test_count; i++)
        if (!column_test_run(&c->tests[i], selected, &count, !i))
            return fail_memory(err);
    c->batch.selected = selected;
    c->batch.selected_count = count;
    return RAS_OK;
}

static int report_progress(struct ras_columns *c, struct ras_error *err)
{
    uint64_t total, done;
    if (!c->progress || !c->cursor)
        return RAS_OK;
    done = ras_cursor_progress(c->cursor, &total);
    if (c->progress(c->user, done, total))
        return RAS_OK;
    c->ended = true;
    return fail_canceled(err);
}

static int fill_batch(struct ras_columns *c, struct ras_error *err)
{
    c->rows = 0;
    for (size_t i = 0; i < c->buffer_count; i++)
        if (!column_begin(&c->buffers[i], c->next_rows))
            return fail_memory(err);
    int status = columns_fill(c, c->next_rows, err);
    if (status < 0)
        return status;
    c->ended = status == RAS_END;
    c->next_rows = c->next_rows > c->most_rows / 2 ? c->most_rows : 2 * c->next_rows;
    status = check_buffers(c, err);
    for (size_t i = 0; i < c->buffer_count; i++)
        column_end(&c->buffers[i]);
    if (status == RAS_OK)
        status = select_rows(c, err);
    return status == RAS_OK ? report_progress(c, err) : status;
}

/* A share that ends before the trace does: something worse than a complete end is kept. */
static void keep_noted(const struct ras_columns *c)
{
    struct ras_trace *t = c->set->trace;
    if (!c->has_end || !c->cursor || c->cursor->noted.kind <= RAS_COMPLETE)
        return;
    t->ending = c->cursor->noted;
    memcpy(t->ending_why, c->cursor->noted_why, sizeof t->ending_why);
    t->ending.why = t->ending_why;
}

int ras_columns_next(struct ras_columns *c, const struct ras_batch **batch, struct ras_error *err)
{
    *batch = NULL;
    while (!c->ended) {
        int status = fill_batch(c, err);
        if (status < 0)
            return status;
        if (c->ended)
            keep_noted(c);
        if (!c->batch.selected_count)
            continue;
        for (size_t i = 0; i < c->order_count; i++)
            c->out[i] = c->buffers[c->order[i]].out;
        c->batch.rows = c->rows;
        c->batch.columns = c->out;
        c->batch.column_count = c->order_count;
        *batch = &c->batch;
        return RAS_OK;
    }
    return RAS_END;
}
