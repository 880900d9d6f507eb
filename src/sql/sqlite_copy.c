/* sqlite_copy.c - rows of a table in memory, ordered by key: for GROUP BY, and for joins.
 *
 * SQLite sorts 2 to 4 million rows a second, and never makes an index of a virtual table. Here the
 * keys are numbered by a hash table, the groups sorted, and the rows put in their places by a
 * counting sort: a join then finds its rows without reading the table again.
 *
 * Groups come in the order of their keys, NULL first and each key ascending or descending as
 * requested: SQLite drops an ORDER BY that repeats the GROUP BY. */
#include "sql/sqlite_copy.h"
#include "base/error.h"
#include "base/sort.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* ---- memory -------------------------------------------------------------------------------- */

/* What arrays hold, roughly: they are charged when they grow. */
static bool copy_grow(struct copy *c, void *items, size_t *room, size_t need, size_t size)
{
    size_t before = *room;
    if (need <= before)
        return true;
    if (!array_grow(items, room, need, size))
        return false;
    c->bytes += (*room - before) * size;
    return true;
}

void copy_free(struct copy *c)
{
    if (!c)
        return;
    c->module->copy_bytes -= c->bytes;
    for (size_t i = 0; c->columns && i < c->column_count; i++) {
        free(c->columns[i].cells);
        free(c->columns[i].nulls);
        free(c->columns[i].codes);
    }
    free(c->columns);
    free(c->texts);
    free(c->text_slots);
    arena_free(&c->text_bytes);
    out_free(&c->other_bytes);
    free(c->groups);
    free(c->starts);
    free(c->heads);
    free(c->slots);
    free(c);
}

/* ---- texts --------------------------------------------------------------------------------- */

static uint64_t text_hash(const void *at, size_t len)
{
    const uint8_t *p = at;
    uint64_t hash = len;
    for (; len >= 8; len -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        hash = mix(hash, word);
    }
    uint64_t word = 0;
    memcpy(&word, p, len);
    return mix(hash, word);
}

uint32_t copy_text_find(const struct copy *c, const void *at, size_t len)
{
    if (!c->text_slot_count)
        return UINT32_MAX;
    uint32_t i = c->text_slots[text_hash(at, len) & (c->text_slot_count - 1)];
    for (; i; i = c->texts[i - 1].next)
        if (c->texts[i - 1].len == len && !memcmp(c->texts[i - 1].at, at, len))
            return i - 1;
    return UINT32_MAX;
}

static void link_text(struct copy *c, uint32_t i)
{
    uint64_t hash = text_hash(c->texts[i].at, c->texts[i].len);
    uint32_t *slot = &c->text_slots[hash & (c->text_slot_count - 1)];
    c->texts[i].next = *slot;
    *slot = i + 1;
}

static bool grow_text_slots(struct copy *c)
{
    size_t count = c->text_slot_count ? c->text_slot_count * 2 : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(c->text_slots);
    c->text_slots = slots;
    c->bytes += (count - c->text_slot_count) * sizeof *slots;
    c->text_slot_count = count;
    for (uint32_t i = 0; i < c->text_count; i++)
        link_text(c, i);
    return true;
}

/* The index of a text, added if it is new; UINT32_MAX: memory is short. */
static uint32_t copy_text_add(struct copy *c, const void *at, size_t len)
{
    uint32_t found = copy_text_find(c, at, len);
    if (found != UINT32_MAX)
        return found;
    if (c->text_count >= UINT32_MAX - 1 ||
        (c->text_count >= c->text_slot_count && !grow_text_slots(c)) ||
        !copy_grow(c, &c->texts, &c->text_room, c->text_count + 1, sizeof *c->texts))
        return UINT32_MAX;
    char *bytes = arena_take(&c->text_bytes, len + 1);
    if (!bytes)
        return UINT32_MAX;
    memcpy(bytes, at, len);
    bytes[len] = 0;
    c->bytes += len + 1;
    c->texts[c->text_count] = (struct copy_text){bytes, (uint32_t)len, 0};
    link_text(c, (uint32_t)c->text_count);
    return (uint32_t)c->text_count++;
}

/* The text of a code of the reader, looked up once as long as its names are the same. */
static uint32_t text_of_code(struct copy *c, struct copy_column *column,
                             const struct ras_names *names, uint32_t code)
{
    if (column->names != names) {
        column->names = names;
        column->code_count = 0;
    }
    if (code >= column->code_count) {
        if (!copy_grow(c, &column->codes, &column->code_room, names->count, sizeof *column->codes))
            return UINT32_MAX;
        for (; column->code_count < names->count; column->code_count++)
            column->codes[column->code_count] = UINT32_MAX;
    }
    if (column->codes[code] == UINT32_MAX)
        column->codes[code] = copy_text_add(c, names->at[code], names->len[code]);
    return column->codes[code];
}

/* ---- cells --------------------------------------------------------------------------------- */

static enum copy_kind kind_of(const struct ras_column_about *column)
{
    if (plan_is_integer(column))
        return COPY_INTEGER;
    if (column->type == RAS_T_F32 || column->type == RAS_T_F64)
        return COPY_REAL;
    return column->type == RAS_T_TEXT ? COPY_TEXT : COPY_BYTES;
}

struct ras_bytes copy_bytes(const struct copy *c, uint64_t cell)
{
    uint32_t len;
    memcpy(&len, c->other_bytes.at + cell, sizeof len);
    return (struct ras_bytes){c->other_bytes.at + cell + sizeof len, len};
}

/* One cell that is not a number; false: memory is short. */
static bool take_bytes(struct copy *c, struct copy_column *column, struct reader *r, size_t i,
                       const struct ras_column *from, size_t row, uint64_t *cell)
{
    const struct ras_column_about *about = reader_about(r, i);
    enum ras_type shown = r->table->table->shown.columns[i].type;
    if (column->kind == COPY_TEXT) {
        uint32_t code = ((const uint32_t *)from->values)[row];
        *cell = text_of_code(c, column, from->names, code);
        return *cell != UINT32_MAX;
    }
    struct ras_bytes bytes = cell_text_of(&r->text, from, about, shown, row);
    uint32_t len = (uint32_t)bytes.len;
    *cell = c->other_bytes.len;
    out_bytes(&c->other_bytes, &len, sizeof len);
    out_bytes(&c->other_bytes, bytes.at, len);
    c->bytes += sizeof len + len;
    return !c->other_bytes.failed;
}

/* As many of them as there is room for cells, those that are added zero. */
static bool grow_nulls(struct copy *c, struct copy_column *column)
{
    size_t before = column->null_room;
    if (!copy_grow(c, &column->nulls, &column->null_room, column->room, 1))
        return false;
    memset(column->nulls + before, 0, column->null_room - before);
    return true;
}

static bool note_null(struct copy *c, struct copy_column *column, size_t row)
{
    if (!column->nulls && !grow_nulls(c, column))
        return false;
    column->nulls[row] = 1;
    return true;
}

/* The selected rows of a column of the batch. */
static bool take_column(struct copy *c, struct reader *r, size_t i, size_t count)
{
    struct copy_column *column = &c->columns[i];
    size_t at = c->row_count;
    const struct ras_column *from = reader_column(r, i);
    if (!copy_grow(c, &column->cells, &column->room, at + count, sizeof *column->cells) ||
        (column->nulls && !grow_nulls(c, column)))
        return false;
    if (r->table->table->has_trace && i == 0) {
        uint32_t name = copy_text_add(c, r->current->trace->name, strlen(r->current->trace->name));
        for (size_t k = 0; k < count; k++)
            column->cells[at + k] = name;
        return name != UINT32_MAX;
    }
    enum ras_type type = from ? reader_about(r, i)->type : RAS_T_U64;
    for (size_t k = 0; k < count; k++) {
        size_t row = r->batch->selected ? r->batch->selected[k] : k;
        uint64_t *cell = &column->cells[at + k];
        *cell = 0;
        if (!from || cell_is_null(from, row)) {
            if (!note_null(c, column, at + k))
                return false;
        } else if (column->kind == COPY_INTEGER) {
            *cell = (uint64_t)cell_integer(from, type, row);
        } else if (column->kind == COPY_REAL) {
            double value = cell_real(from, type, row);
            memcpy(cell, &value, sizeof value);
        } else if (!take_bytes(c, column, r, i, from, row, cell)) {
            return false;
        }
    }
    return true;
}

/* ---- groups -------------------------------------------------------------------------------- */

static bool key_is_null(const struct copy *c, size_t key, size_t row)
{
    const struct copy_column *column = &c->columns[c->key_columns[key]];
    return column->nulls && column->nulls[row];
}

static uint64_t row_hash(const struct copy *c, size_t row)
{
    uint64_t hash = 0;
    for (size_t k = 0; k < c->key_count; k++)
        hash = mix(hash + key_is_null(c, k, row), c->columns[c->key_columns[k]].cells[row]);
    return hash;
}

static bool same_key(const struct copy *c, size_t a, size_t b)
{
    for (size_t k = 0; k < c->key_count; k++) {
        const struct copy_column *column = &c->columns[c->key_columns[k]];
        if (column->cells[a] != column->cells[b] || key_is_null(c, k, a) != key_is_null(c, k, b))
            return false;
    }
    return true;
}

static bool grow_slots(struct copy *c)
{
    size_t count = c->slot_count ? c->slot_count * 4 : 1024;
    struct copy_slot *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < c->slot_count; i++)
        if (c->slots[i].group) {
            size_t at = c->slots[i].hash & (count - 1);
            while (slots[at].group)
                at = (at + 1) & (count - 1);
            slots[at] = c->slots[i];
        }
    free(c->slots);
    c->bytes += (count - c->slot_count) * sizeof *slots;
    c->slots = slots;
    c->slot_count = count;
    return true;
}

/* The group of a row, made if it is new; UINT32_MAX: memory is short. */
static uint32_t group_of(struct copy *c, size_t row)
{
    if (c->group_count * 2 >= c->slot_count && !grow_slots(c))
        return UINT32_MAX;
    uint64_t hash = row_hash(c, row);
    size_t at = hash & (c->slot_count - 1);
    for (; c->slots[at].group; at = (at + 1) & (c->slot_count - 1))
        if (c->slots[at].hash == hash && same_key(c, c->heads[c->slots[at].group - 1], row))
            return c->slots[at].group - 1;
    if (!copy_grow(c, &c->heads, &c->head_room, c->group_count + 1, sizeof *c->heads))
        return UINT32_MAX;
    c->heads[c->group_count++] = (uint32_t)row;
    c->slots[at] = (struct copy_slot){hash, (uint32_t)c->group_count};
    return (uint32_t)c->group_count - 1;
}

/* Neighbours often have the same key: a tick, a frame. */
static bool number_rows(struct copy *c, size_t count)
{
    size_t from = c->row_count;
    if (!copy_grow(c, &c->groups, &c->group_room_rows, from + count, sizeof *c->groups))
        return false;
    for (size_t row = from; row < from + count; row++) {
        bool same = row && same_key(c, row - 1, row);
        c->groups[row] = same ? c->groups[row - 1] : group_of(c, row);
        if (c->groups[row] == UINT32_MAX)
            return false;
    }
    return true;
}

/* ---- order --------------------------------------------------------------------------------- */

static int compare_cells(const struct copy *c, const struct copy_column *column, size_t a, size_t b)
{
    bool x_null = column->nulls && column->nulls[a], y_null = column->nulls && column->nulls[b];
    if (x_null || y_null)
        return y_null - x_null;
    if (column->kind == COPY_INTEGER) {
        int64_t x = (int64_t)column->cells[a], y = (int64_t)column->cells[b];
        return (x > y) - (x < y);
    }
    const struct copy_text *x = &c->texts[column->cells[a]], *y = &c->texts[column->cells[b]];
    int order = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

static int compare_groups(const void *a, const void *b, void *context)
{
    const struct copy *c = context;
    size_t x = c->heads[*(const uint32_t *)a], y = c->heads[*(const uint32_t *)b];
    for (size_t k = 0; k < c->key_count; k++) {
        int order = compare_cells(c, &c->columns[c->key_columns[k]], x, y);
        if (order)
            return c->plan.key_count && c->plan.keys[k].desc ? -order : order;
    }
    return 0;
}

/* Put the rows of each group together, groups in their order: the place of each row. */
static bool place_rows(struct copy *c, uint32_t *places)
{
    uint32_t *sorted = malloc((c->group_count + 1) * sizeof *sorted);
    uint32_t *next = calloc(c->group_count + 1, sizeof *next);
    c->starts = calloc(c->group_count + 1, sizeof *c->starts);
    if (sorted && next && c->starts) {
        for (uint32_t i = 0; i < c->group_count; i++)
            sorted[i] = i;
        if (c->plan.key_count) /* for a lookup the order does not matter */
            sort_with(sorted, c->group_count, sizeof *sorted, compare_groups, c);
        for (size_t row = 0; row < c->row_count; row++)
            next[c->groups[row]]++;
        uint32_t at = 0;
        for (size_t i = 0; i < c->group_count; i++) {
            uint32_t count = next[sorted[i]];
            c->starts[sorted[i]] = next[sorted[i]] = at;
            at += count;
        }
        for (size_t row = 0; row < c->row_count; row++)
            places[row] = next[c->groups[row]]++;
        for (size_t i = 0; i < c->group_count; i++) /* where each one ends */
            c->heads[i] = next[i];
    }
    bool fine = sorted && next && c->starts;
    free(sorted);
    free(next);
    return fine;
}

static bool is_in_order(const uint32_t *places, size_t count)
{
    for (size_t row = 0; row < count; row++)
        if (places[row] != row)
            return false;
    return true;
}

static bool scatter_column(struct copy_column *column, const uint32_t *places, size_t count)
{
    uint64_t *cells = malloc(column->room * sizeof *cells);
    uint8_t *nulls = column->nulls ? malloc(column->null_room) : NULL;
    if (!cells || (column->nulls && !nulls)) {
        free(cells);
        free(nulls);
        return false;
    }
    for (size_t row = 0; row < count; row++)
        cells[places[row]] = column->cells[row];
    for (size_t row = 0; nulls && row < count; row++)
        nulls[places[row]] = column->nulls[row];
    free(column->cells);
    free(column->nulls);
    column->cells = cells;
    column->nulls = nulls;
    return true;
}

static bool scatter(struct copy *c)
{
    uint32_t *places = malloc((c->row_count + 1) * sizeof *places);
    bool fine = places && place_rows(c, places);
    if (fine && !is_in_order(places, c->row_count))
        for (size_t i = 0; fine && i < c->column_count; i++)
            fine = c->columns[i].kind == COPY_NONE || !c->columns[i].cells ||
                   scatter_column(&c->columns[i], places, c->row_count);
    free(places);
    free(c->groups);
    c->groups = NULL;
    return fine;
}

/* ---- making and finding -------------------------------------------------------------------- */

static int take_batch(struct copy *c, struct reader *r, const uint16_t *wanted, size_t wanted_count,
                      uint64_t most, struct ras_error *err)
{
    size_t count = r->batch->selected ? r->batch->selected_count : r->batch->rows;
    if (c->row_count + count >= UINT32_MAX)
        return fail(err, RAS_EMEMORY, RAS_NONE, "more than 2^32 rows");
    for (size_t i = 0; i < wanted_count; i++)
        if (!take_column(c, r, wanted[i], count))
            return fail_memory(err);
    if (c->key_count && !number_rows(c, count))
        return fail_memory(err);
    c->row_count += count;
    if (c->bytes > most)
        return fail(err, RAS_EMEMORY, RAS_NONE,
                    "%zu rows need more than %" PRIu64 " bytes of memory", c->row_count, most);
    return RAS_OK;
}

static struct copy *copy_new(struct reader *r, const struct plan *plan, const uint16_t *wanted,
                             size_t wanted_count)
{
    const struct sql_table *table = r->table->table;
    struct copy *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->module = r->table->module;
    c->plan = *plan;
    c->column_count = table->shown.column_count;
    c->columns = calloc(c->column_count, sizeof *c->columns);
    for (size_t i = 0; c->columns && i < wanted_count; i++) {
        const struct ras_column_about *column = &table->shown.columns[wanted[i]];
        c->columns[wanted[i]].kind = kind_of(column);
        c->columns[wanted[i]].is_blob = column->type == RAS_T_BLOB;
    }
    for (size_t i = 0; i < plan->key_count; i++)
        c->key_columns[c->key_count++] = plan->keys[i].column;
    for (size_t i = 0; !plan->key_count && i < plan->condition_count; i++)
        if (plan->conditions[i].op == RAS_TEST_EQ && !plan->conditions[i].fixed &&
            plan_is_keyed(&table->shown.columns[plan->conditions[i].column]) &&
            c->key_count < PLAN_KEYS)
            c->key_columns[c->key_count++] = plan->conditions[i].column;
    if (c->columns)
        return c;
    free(c);
    return NULL;
}

int copy_make(struct copy **out, struct reader *r, const struct plan *plan, const uint16_t *wanted,
              size_t wanted_count, uint64_t most, struct ras_error *err)
{
    struct copy *c = copy_new(r, plan, wanted, wanted_count);
    *out = NULL;
    if (!c)
        return fail_memory(err);
    int status;
    while ((status = reader_next(r, err)) == RAS_OK) {
        status = take_batch(c, r, wanted, wanted_count, most, err);
        if (status < 0)
            break;
    }
    if (status == RAS_END)
        status = !c->key_count || scatter(c) ? RAS_OK : fail_memory(err);
    c->module->copy_bytes += c->bytes;
    if (status < 0)
        copy_free(c);
    else
        *out = c;
    return status;
}

/* The cell that a key value would be; false: no row has it. */
static bool key_cell(const struct copy *c, size_t key, const struct ras_value *value,
                     uint64_t *cell)
{
    if (c->columns[c->key_columns[key]].kind == COPY_INTEGER) {
        *cell = value->u;
        return true;
    }
    uint32_t text = copy_text_find(c, value->at, value->count);
    *cell = text;
    return text != UINT32_MAX;
}

void copy_find(const struct copy *c, const struct ras_value *keys, size_t *from, size_t *to)
{
    uint64_t cells[PLAN_KEYS], hash = 0;
    *from = *to = 0;
    if (!c->key_count) {
        *to = c->row_count;
        return;
    }
    for (size_t k = 0; k < c->key_count; k++) {
        if (!key_cell(c, k, &keys[k], &cells[k]))
            return;
        hash = mix(hash, cells[k]);
    }
    for (size_t at = hash & (c->slot_count - 1); c->slot_count && c->slots[at].group;
         at = (at + 1) & (c->slot_count - 1)) {
        uint32_t group = c->slots[at].group - 1;
        bool same = c->slots[at].hash == hash;
        for (size_t k = 0; same && k < c->key_count; k++)
            same = !key_is_null(c, k, c->starts[group]) &&
                   c->columns[c->key_columns[k]].cells[c->starts[group]] == cells[k];
        if (!same)
            continue;
        *from = c->starts[group];
        *to = c->heads[group];
        return;
    }
}
