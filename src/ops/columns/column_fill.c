/* column_fill.c - rows of a batch out of records: their heads, fields, members of maps, items of
 * lists. */
#include "base/error.h"
#include "codec/json_write.h"
#include "core/format.h"
#include "ops/columns/column_reader.h"

#define BATCH_BYTES_MOST ((size_t)16 << 20)

/* ---- the head ----------------------------------------------------------------------------- */

static void put_maybe(struct column_buffer *b, bool there, uint64_t u)
{
    if (there)
        column_u64(b, u);
    else
        column_null(b);
}

/* All values, as `cat --format jsonl` has them. */
static void put_values(struct ras_columns *c, struct column_buffer *b)
{
    const struct ras_schema *s = ras_schema_of(c->cursor);
    size_t count;
    const struct ras_value *v = ras_values(c->cursor, &count), *end = v + count;
    struct out *out = &c->scratch;
    out->len = 0;
    struct json j = json_start(out, 0);
    json_object(&j, NULL);
    for (; v < end; v = ras_value_next(v)) {
        json_key_name(&j, s->fields[v->field].name);
        json_lead(&j);
        json_put_value(out, v, s->fields[v->field].flags, false);
    }
    json_close(&j);
    b->nomem |= out->failed;
    out->failed = false;
    column_bytes(b, out->at, out->len);
}

/* The name of a type as it is in the trace: RAS_NAME_NUL is a NUL. */
static void put_name(struct ras_columns *c, struct column_buffer *b, const char *name)
{
    if (!strstr(name, RAS_NAME_NUL)) {
        column_text(b, name, strlen(name));
        return;
    }
    struct out *out = &c->scratch;
    out->len = 0;
    out_name(out, name);
    b->nomem |= out->failed;
    out->failed = false;
    column_text(b, out->at, out->len);
}

static void put_head(struct ras_columns *c, const struct head_column *h, const struct ras_record *r)
{
    struct column_buffer *b = &c->buffers[h->buffer];
    switch (h->from) {
    case FROM_SEQ:
        put_maybe(b, r->seq != RAS_NONE, r->seq);
        return;
    case FROM_TIME:
        put_maybe(b, ras_has_time(c->cursor), r->time_ns);
        return;
    case FROM_TICK:
        put_maybe(b, r->flags & RAS_HAS_TICK, r->tick);
        return;
    case FROM_RUN_TICK: {
        uint64_t tick =
            rundir_record_tick(c->set->run, c->set->pen, c->set->trace, r, &c->run_tick);
        put_maybe(b, tick != RAS_NONE, tick);
        return;
    }
    case FROM_STREAM:
        column_u32(b, r->stream);
        return;
    case FROM_OFFSET:
        column_u64(b, r->offset);
        return;
    case FROM_PARENT:
        put_maybe(b, r->parent != RAS_NONE, r->parent);
        return;
    case FROM_PART:
        ((uint16_t *)(void *)b->values.at)[b->row++] = (uint16_t)r->part;
        return;
    case FROM_RAW:
        column_bytes(b, r->raw, r->raw ? r->raw_len : 0);
        return;
    case FROM_SIZE:
        column_u32(b, r->raw_len);
        return;
    case FROM_VALUES:
        put_values(c, b);
        return;
    case FROM_IDX:
        column_u32(b, c->idx);
        return;
    default:
        if (h->from == FROM_TYPE)
            put_name(c, b, ras_schema_of(c->cursor)->name);
        else
            column_text(b, c->set->trace_name, strlen(c->set->trace_name));
    }
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* A buffer takes one value a row, whatever a damaged record holds. */
static inline void put_slot(struct ras_columns *c, int32_t buffer, const struct ras_value *v)
{
    struct column_buffer *b = &c->buffers[buffer];
    if (__builtin_expect(b->row == c->rows, 1))
        column_put(b, v);
}

static void put_members(struct ras_columns *c, const struct slots *s, const struct slot *slot,
                        const struct ras_value *map)
{
    const struct ras_value *v = map + 1, *end = ras_value_next(map);
    const struct slot *in = &s->at[slot->inner];
    for (uint32_t i = 0; i < slot->inner_count && v < end; i++, v = ras_value_next(v + 1)) {
        if (!in[i].used)
            continue;
        if (in[i].inner && v[1].kind == RAS_MAP)
            put_members(c, s, &in[i], v + 1);
        else if (in[i].buffer >= 0)
            put_slot(c, in[i].buffer, v + 1);
    }
}

static void put_word(struct ras_columns *c, const struct slots *s, const struct slot *slot,
                     const struct ras_value *v)
{
    struct column_buffer *b = &c->buffers[slot->word];
    const char *word = v->kind == RAS_UINT ? s->schema->fields[v->field].word(v->u) : NULL;
    if (b->row != c->rows)
        return;
    if (word)
        column_text(b, word, strlen(word));
    else
        column_null(b);
}

static void put_fields(struct ras_columns *c, const struct slots *s)
{
    size_t count;
    const struct ras_value *v = ras_values(c->cursor, &count), *end = v + count;
    for (; v < end; v = ras_value_next(v)) {
        if (v->field >= s->fields)
            continue;
        const struct slot *slot = &s->at[v->field];
        if (slot->buffer >= 0)
            put_slot(c, slot->buffer, v);
        else if (slot->used && slot->inner && v->kind == RAS_MAP)
            put_members(c, s, slot, v);
        if (slot->word >= 0)
            put_word(c, s, slot, v);
    }
}

/* Buffers that this record has nothing for. */
static void fill_missing(struct ras_columns *c)
{
    for (size_t i = 0; i < c->buffer_count; i++)
        if (c->buffers[i].row == c->rows)
            column_null(&c->buffers[i]);
}

/* Values of any length end a batch early. */
static bool is_loaded(const struct ras_columns *c)
{
    size_t load = 0;
    for (size_t i = 0; i < c->buffer_count; i++)
        load += column_load(&c->buffers[i]);
    return load > BATCH_BYTES_MOST;
}

/* ---- records ------------------------------------------------------------------------------------
 */

/* Whether a record is of one of the ticks of the run that are read. */
static bool is_in_ticks(struct ras_columns *c, const struct ras_record *r)
{
    uint64_t tick = rundir_record_tick(c->set->run, c->set->pen, c->set->trace, r, &c->run_tick);
    return tick != RAS_NONE && tick >= c->tick_from && tick < c->tick_to;
}

/* The next record of the table. */
static int next_record(struct ras_columns *c, const struct ras_record **record,
                       struct ras_error *err)
{
    for (;;) {
        int status = ras_next(c->cursor, record, err);
        if (status == RAS_WAIT)
            status = walk_next(c->set->trace, c->cursor, record, err);
        if (status != RAS_OK)
            return status;
        const struct ras_record *r = *record;
        if (c->has_end && r->seq >= c->end.seq)
            return RAS_END;
        bool wanted = c->table->is_all || (r->schema < c->slots_count && c->slots[r->schema].known);
        wanted = wanted && !(c->on_time && !ras_has_time(c->cursor));
        wanted = wanted && !(c->has_ticks && !is_in_ticks(c, r));
        if (wanted && c->where)
            status = ras_where_matches(c->where, c->cursor, r, &wanted, err);
        if (wanted || status < 0)
            return status;
    }
}

/* Numbers that ascend by one step a record, without a call for each; false: it is not one. */
static bool put_run_numbers(struct ras_columns *c, const struct head_column *h, size_t count)
{
    struct column_buffer *b = &c->buffers[h->buffer];
    const struct ras_record *r = &c->fill.first;
    uint64_t *wide = (uint64_t *)(void *)b->values.at + b->row;
    uint32_t *narrow = (uint32_t *)(void *)b->values.at + b->row;
    if (h->from == FROM_SEQ && r->seq != RAS_NONE)
        for (size_t k = 0; k < count; k++)
            wide[k] = r->seq + k;
    else if (h->from == FROM_OFFSET)
        for (size_t k = 0; k < count; k++)
            wide[k] = r->offset + k * c->fill.stride;
    else if (h->from == FROM_STREAM || h->from == FROM_SIZE)
        for (size_t k = 0; k < count; k++)
            narrow[k] = h->from == FROM_STREAM ? r->stream : r->raw_len;
    else
        return false;
    b->row += count;
    return true;
}

/* The heads of records that a driver has put. */
static void put_run_heads(struct ras_columns *c, size_t count)
{
    for (size_t i = 0; i < c->head_count; i++) {
        const struct head_column *h = &c->heads[i];
        struct column_buffer *b = &c->buffers[h->buffer];
        struct ras_record r = c->fill.first;
        if (h->from == FROM_TIME) {
            if (b != c->fill.time)
                memcpy(fill_room(b, sizeof r.seq), c->fill.time->values.at + c->rows * sizeof r.seq,
                       count * sizeof r.seq);
            b->row = c->rows + count;
            continue;
        }
        if (put_run_numbers(c, h, count))
            continue;
        for (size_t k = 0; k < count; k++, r.seq++, r.offset += c->fill.stride) {
            put_head(c, h, &r);
            r.raw += r.raw ? c->fill.stride : 0;
        }
    }
}

/* As many rows as the driver puts at once. */
static bool fill_run(struct ras_columns *c, size_t rows)
{
    const struct ras_cursor *at = c->cursor;
    size_t room = rows - c->rows;
    if (at->live || at->skipping || at->collecting || at->merge || at->ended ||
        at->generation != *at->source_generation || (c->has_end && at->seq >= c->end.seq))
        return false;
    if (c->has_end && c->end.seq - at->seq < room)
        room = (size_t)(c->end.seq - at->seq);
    c->fill.rows = room;
    size_t count = c->run(c->cursor, &c->fill);
    if (!count)
        return false;
    put_run_heads(c, count);
    c->rows += count;
    for (size_t i = 0; i < c->buffer_count; i++) /* of other schemas */
        while (c->buffers[i].row < c->rows)
            column_null(&c->buffers[i]);
    return true;
}

static int fill_records(struct ras_columns *c, size_t rows, struct ras_error *err)
{
    while (c->rows < rows) {
        const struct ras_record *r;
        if (c->run && fill_run(c, rows)) {
            if (c->has_long && is_loaded(c))
                break;
            continue;
        }
        int status = next_record(c, &r, err);
        if (status != RAS_OK)
            return status;
        for (size_t i = 0; i < c->head_count; i++)
            put_head(c, &c->heads[i], r);
        if (c->field_count) {
            put_fields(c, &c->slots[r->schema]);
            fill_missing(c);
        }
        c->rows++;
        if (c->has_long && is_loaded(c))
            break;
    }
    return RAS_OK;
}

/* ---- items of lists ------------------------------------------------------------------------ */

/* The list or map of a child table in the current record; NULL: it is null. */
static const struct ras_value *find_list(struct ras_columns *c, const struct slots *s)
{
    size_t count;
    const struct ras_value *v = ras_values(c->cursor, &count), *end = v + count;
    while (v < end && v->field != s->path[0])
        v = ras_value_next(v);
    for (unsigned i = 1; v < end && i < s->depth; i++) {
        const struct ras_value *map_end = ras_value_next(v);
        if (v->kind != RAS_MAP)
            return NULL;
        v++;
        for (unsigned k = 0; k < s->path[i] && v < map_end; k++)
            v = ras_value_next(v + 1);
        if (v >= map_end)
            return NULL;
        v++;
    }
    return v < end && (v->kind == RAS_LIST || v->kind == RAS_MAP) ? v : NULL;
}

static int next_list(struct ras_columns *c, struct ras_error *err)
{
    int status;
    while ((status = next_record(c, &c->record, err)) == RAS_OK) {
        const struct ras_value *list = find_list(c, &c->slots[c->record->schema]);
        if (!list || !list->count)
            continue;
        c->item = list + 1;
        c->item_end = ras_value_next(list);
        c->keyed = list->kind == RAS_MAP;
        c->idx = 0;
        return RAS_OK;
    }
    return status;
}

/* The text of a key: a string, else the JSON text of its value. */
static void put_key(struct ras_columns *c, struct column_buffer *b, const struct ras_value *key)
{
    if (key->kind == RAS_STR) {
        column_text(b, key->at, key->count);
        return;
    }
    c->scratch.len = 0;
    json_put_value(&c->scratch, key, 0, false);
    b->nomem |= c->scratch.failed;
    c->scratch.failed = false;
    column_text(b, c->scratch.at, c->scratch.len);
}

static void put_item(struct ras_columns *c, const struct ras_value *key,
                     const struct ras_value *item)
{
    const struct slot all = {.inner = 0, .inner_count = (uint32_t)c->items.fields};
    if (c->items.at && item->kind == RAS_MAP)
        put_members(c, &c->items, &all, item);
    for (size_t i = 0; i < c->buffer_count; i++) {
        enum column_from from = c->table->defs[c->columns[i]].from;
        if (from == FROM_ITEM)
            column_cell(&c->buffers[i], item);
        else if (from == FROM_KEY && key)
            put_key(c, &c->buffers[i], key);
    }
    fill_missing(c);
}

static int fill_items(struct ras_columns *c, size_t rows, struct ras_error *err)
{
    while (c->rows < rows) {
        int status = c->item == c->item_end ? next_list(c, err) : RAS_OK;
        if (status != RAS_OK)
            return status;
        for (size_t i = 0; i < c->head_count; i++)
            put_head(c, &c->heads[i], c->record);
        const struct ras_value *key = c->keyed ? c->item : NULL;
        const struct ras_value *item = c->keyed ? ras_value_next(key) : c->item;
        put_item(c, key, item);
        c->item = ras_value_next(item);
        c->idx++;
        c->rows++;
        if (c->has_long && is_loaded(c))
            break;
    }
    return RAS_OK;
}

/* ---- tables that were made ----------------------------------------------------------------------
 */

static int fill_cells(struct ras_columns *c, size_t rows)
{
    const struct table *t = c->table;
    while (c->rows < rows) {
        if (c->cell_row >= t->row_count)
            return RAS_END;
        for (size_t i = 0; i < c->buffer_count; i++)
            column_cell(&c->buffers[i], &t->cells[c->cell_row * t->count + c->columns[i]]);
        c->cell_row++;
        c->rows++;
        if (c->has_long && is_loaded(c))
            break;
    }
    return RAS_OK;
}

int columns_fill(struct ras_columns *c, size_t rows, struct ras_error *err)
{
    if (c->table->made || c->table->make)
        return fill_cells(c, rows);
    return c->table->parent ? fill_items(c, rows, err) : fill_records(c, rows, err);
}
