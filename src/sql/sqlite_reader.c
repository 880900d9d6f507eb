/* sqlite_reader.c - the rows of a table for one execution of a plan, batch by batch.
 *
 * A table of several traces is read one member after the other. */
#include "sql/sqlite_reader.h"
#include "base/error.h"
#include "base/sort.h"

#include <string.h>

/* ---- values of conditions ------------------------------------------------------------------ */

static int compare_values(const void *a, const void *b, void *context)
{
    const struct ras_value *x = a, *y = b;
    (void)context;
    if (x->kind != RAS_STR)
        return (x->i > y->i) - (x->i < y->i);
    int order = memcmp(x->at, y->at, x->count < y->count ? x->count : y->count);
    return order ? order : (x->count > y->count) - (x->count < y->count);
}

/* A value that is compared as the column's own values are; false: it is not one. */
static bool take_value(struct ras_value *out, const struct ras_column_about *column,
                       sqlite3_value *value)
{
    int type = sqlite3_value_type(value);
    *out = (struct ras_value){0};
    if (plan_is_integer(column) && type == SQLITE_INTEGER) {
        out->kind = RAS_INT;
        out->i = sqlite3_value_int64(value);
        return true;
    }
    if (column->type == RAS_T_TEXT && type == SQLITE_TEXT) {
        out->kind = RAS_STR;
        out->at = sqlite3_value_text(value);
        out->count = (uint32_t)sqlite3_value_bytes(value);
        return out->at != NULL;
    }
    return false;
}

/* All values of IN (...), or none if one of them is of another type. */
static bool take_list(struct condition_value *v, const struct ras_column_about *column,
                      sqlite3_value *list)
{
    sqlite3_value *item;
    size_t room = 0;
    int status = sqlite3_vtab_in_first(list, &item);
    for (; status == SQLITE_OK && item; status = sqlite3_vtab_in_next(list, &item)) {
        struct ras_value value;
        if (sqlite3_value_type(item) == SQLITE_NULL)
            continue;
        if (!take_value(&value, column, item) || value.kind == RAS_STR)
            return false; /* a text lives until the next item only */
        if (!array_grow(&v->in, &room, v->in_count + 1, sizeof *v->in))
            return false;
        v->in[v->in_count++] = value;
    }
    if (status != SQLITE_DONE && status != SQLITE_OK)
        return false;
    if (v->in_count)
        sort_with(v->in, v->in_count, sizeof *v->in, compare_values, NULL);
    return true;
}

bool values_take(struct condition_value *values, const struct module_table *t,
                 const struct plan_condition *conditions, size_t count, sqlite3_value **args,
                 bool *memory)
{
    bool possible = true;
    *memory = false;
    for (size_t i = 0; i < count; i++) {
        struct condition_value *v = &values[i];
        const struct ras_column_about *column = &t->table->shown.columns[conditions[i].column];
        *v = (struct condition_value){0};
        if (conditions[i].op == RAS_TEST_IS_NULL || conditions[i].op == RAS_TEST_NOT_NULL) {
            v->usable = true;
        } else if (conditions[i].op == RAS_TEST_IN) {
            v->usable = take_list(v, column, args[i]);
            possible = possible && (!v->usable || v->in_count);
        } else if (sqlite3_value_type(args[i]) == SQLITE_NULL) {
            possible = false;
        } else {
            v->usable = take_value(&v->value, column, args[i]);
            if (v->usable && v->value.kind == RAS_STR) {
                v->text = text_copy(v->value.at, v->value.count);
                *memory = *memory || !v->text;
                v->value.at = v->text;
            }
        }
    }
    return possible && !*memory;
}

void values_free(struct condition_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(values[i].in);
        free(values[i].text);
    }
}

/* ---- ranges and tests of a scan ------------------------------------------------------------ */

struct bounds {
    uint64_t from, to; /* half-open */
    unsigned score;    /* how much it narrows: 0 not at all */
};

/* Bounds are of unsigned numbers: negative ones are left to SQLite. */
static void narrow(struct bounds *b, unsigned op, int64_t value)
{
    uint64_t at = (uint64_t)value, from = 0, to = RAS_NONE;
    if (op == RAS_TEST_EQ) {
        from = at;
        to = at + (at != RAS_NONE);
    } else if (value < 0) {
        return;
    } else if (op == RAS_TEST_LT || op == RAS_TEST_LE) {
        to = at + (op == RAS_TEST_LE);
    } else if (op == RAS_TEST_GT || op == RAS_TEST_GE) {
        from = at + (op == RAS_TEST_GT);
    } else {
        return;
    }
    if (!b->score)
        *b = (struct bounds){0, RAS_NONE, 0};
    b->from = from > b->from ? from : b->from;
    b->to = to < b->to ? to : b->to;
    b->score += op == RAS_TEST_EQ ? 3 : 1;
}

static bool fits_axis(const struct plan_condition *c, const struct condition_value *v,
                      enum ras_axis axis)
{
    return v->usable && axis != RAS_AXIS_NONE && c->op <= RAS_TEST_GE && c->op != RAS_TEST_NE &&
           (c->op == RAS_TEST_EQ || v->value.i >= 0);
}

static enum ras_axis axis_of(const struct reader *r, size_t column)
{
    const struct sql_member *m = r->current;
    size_t own = m->map ? m->map[column] : column;
    return own == SQL_NO_COLUMN ? RAS_AXIS_NONE : m->about->columns[own].axis;
}

static enum ras_axis best_axis(const struct reader *r, struct bounds *best)
{
    struct bounds bounds[RAS_AXIS_TICK + 1] = {{0}};
    enum ras_axis axis = RAS_AXIS_NONE;
    for (size_t i = 0; i < r->condition_count; i++) {
        enum ras_axis on = axis_of(r, r->conditions[i].column);
        if (fits_axis(&r->conditions[i], &r->values[i], on))
            narrow(&bounds[on], r->conditions[i].op, r->values[i].value.i);
    }
    for (enum ras_axis i = RAS_AXIS_SEQ; i <= RAS_AXIS_TICK; i++)
        if (bounds[i].score > (axis == RAS_AXIS_NONE ? 0 : bounds[axis].score))
            axis = i;
    *best = bounds[axis];
    return axis;
}

/* The tests that the axis does not decide; their number. */
static size_t make_tests(const struct reader *r, enum ras_axis axis, struct ras_test *tests)
{
    size_t count = 0;
    for (size_t i = 0; i < r->condition_count; i++) {
        const struct plan_condition *c = &r->conditions[i];
        const struct condition_value *v = &r->values[i];
        const struct sql_member *m = r->current;
        size_t own = m->map ? m->map[c->column] : c->column;
        if (!v->usable || own == SQL_NO_COLUMN ||
            (axis != RAS_AXIS_NONE && axis_of(r, c->column) == axis && fits_axis(c, v, axis)))
            continue;
        const struct ras_column_about *about = &m->about->columns[own];
        if (c->op < RAS_TEST_IS_NULL && !plan_is_keyed(about))
            continue;
        tests[count++] = (struct ras_test){.column = (uint16_t)own,
                                           .op = c->op,
                                           .value = v->value,
                                           .in = v->in,
                                           .in_count = v->in_count};
    }
    return count;
}

/* Whether a condition on the column `trace` leaves this member out. */
static bool is_other_trace(const struct reader *r)
{
    for (size_t i = 0; r->table->table->has_trace && i < r->condition_count; i++) {
        const struct condition_value *v = &r->values[i];
        const char *name = r->current->trace->name;
        if (r->conditions[i].column == 0 && r->conditions[i].op == RAS_TEST_EQ && v->usable &&
            (v->value.count != strlen(name) || memcmp(v->value.at, name, v->value.count) != 0))
            return true;
    }
    return false;
}

/* The columns of the member that are wanted; their number. */
static size_t pick_columns(struct reader *r)
{
    const struct sql_member *m = r->current;
    size_t count = 0;
    for (size_t i = 0; i < r->wanted_count; i++) {
        size_t column = r->wanted[i], own = m->map ? m->map[column] : column;
        r->slots[column] = own == SQL_NO_COLUMN ? SQL_NO_COLUMN : (uint16_t)count;
        if (own != SQL_NO_COLUMN)
            r->picked[count++] = (uint16_t)own;
    }
    return count;
}

static int open_member(struct reader *r, struct ras_error *err)
{
    struct ras_test tests[PLAN_CONDITIONS];
    struct bounds bounds;
    enum ras_axis axis = best_axis(r, &bounds);
    size_t count = pick_columns(r);
    struct ras_columns_scan scan = {.struct_size = sizeof scan,
                                    .table = r->current->about->name,
                                    .columns = r->picked,
                                    .column_count = count,
                                    .no_columns = !count,
                                    .axis = axis,
                                    .from = bounds.from,
                                    .to = bounds.to,
                                    .tests = tests,
                                    .test_count = make_tests(r, axis, tests),
                                    .begin = r->begin,
                                    .end = r->end,
                                    .progress = module_progress,
                                    .user = r->table->module};
    if (axis != RAS_AXIS_NONE && bounds.from >= bounds.to && bounds.to != RAS_NONE)
        return RAS_END;
    return ras_columns_open(&r->columns, r->tables ? r->tables : r->current->trace->tables, &scan,
                            err);
}

/* ---- batches ------------------------------------------------------------------------------- */

size_t reader_wanted(const struct module_table *t, const struct plan *plan, uint16_t *wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < t->table->shown.column_count; i++) {
        bool is_key = false;
        for (size_t k = 0; k < plan->key_count; k++)
            is_key = is_key || plan->keys[k].column == i;
        for (size_t k = 0; k < plan->condition_count; k++)
            is_key = is_key || (plan->conditions[k].column == i && !plan->conditions[k].fixed);
        if (is_key || plan->used >> (i < 63 ? i : 63) & 1)
            wanted[count++] = (uint16_t)i;
    }
    return count;
}

int reader_open(struct reader *r, struct module_table *t, struct ras_error *err)
{
    size_t count = t->table->shown.column_count + 1;
    r->table = t;
    if (!r->slots) {
        r->slots = malloc(2 * count * sizeof *r->slots);
        r->picked = r->slots ? r->slots + count : NULL;
    }
    if (!r->slots)
        return fail_memory(err);
    for (size_t i = 0; i < count; i++)
        r->slots[i] = SQL_NO_COLUMN;
    if (t->module->lost && !r->lost && !(r->lost = calloc(count, sizeof *r->lost)))
        return fail_memory(err);
    return RAS_OK;
}

static void count_lost(const struct reader *r)
{
    for (size_t i = 0; r->lost && i < r->wanted_count; i++) {
        const struct ras_column *c = reader_column(r, r->wanted[i]);
        if (c)
            lost_add(&r->lost[r->wanted[i]], c, reader_about(r, r->wanted[i])->type, r->batch->rows,
                     r->table->module->lost->keeps_nan);
    }
}

void reader_settle(struct reader *r)
{
    if (!r->lost || r->is_share)
        return;
    lost_note(r->table->module->lost, r->table->table, r->lost);
    memset(r->lost, 0, (r->table->table->shown.column_count + 1) * sizeof *r->lost);
}

int reader_next(struct reader *r, struct ras_error *err)
{
    for (;;) {
        if (!module_goes_on(r->table->module))
            return fail_canceled(err);
        int status = RAS_END;
        if (r->columns)
            status = ras_columns_next(r->columns, &r->batch, err);
        if (status == RAS_OK)
            count_lost(r);
        if (status == RAS_OK && (r->batch->selected ? r->batch->selected_count : r->batch->rows))
            return RAS_OK;
        if (status < 0)
            return status;
        if (status == RAS_OK)
            continue;
        if (r->member == (r->last ? r->last : r->table->table->member_count))
            return RAS_END;
        if (r->columns)
            reader_retire(r);
        r->current = &r->table->table->members[r->member++];
        status = is_other_trace(r) ? RAS_END : open_member(r, err);
        if (status < 0)
            return status;
    }
}

void reader_close(struct reader *r)
{
    reader_retire(r);
    reader_settle(r);
    free(r->slots);
    free(r->lost);
    r->slots = NULL;
    r->lost = NULL;
    cell_text_free(&r->text);
}
