/* duckdb_functions.c - the functions of functions.h in DuckDB: at, demangle, wall, tick_of,
 * time_of.
 *
 * A function of DuckDB has one type for its result: at() of a list has that of its items, at() of
 * JSON is text. */
#include "base/error.h"
#include "sql/duckdb_engine.h"
#include "sql/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A call: its vectors, and the rows of them. */
struct call {
    struct duckdb *duckdb;
    duckdb_handle info, result;
    duckdb_handle arguments[2];
    bool has_second;
    uint64_t rows;
};

static struct call call_of(duckdb_handle info, duckdb_handle chunk, duckdb_handle result,
                           bool has_second)
{
    return (struct call){.duckdb = duck.scalar_function_get_extra_info(info),
                         .info = info,
                         .result = result,
                         .arguments = {duck.data_chunk_get_vector(chunk, 0),
                                       has_second ? duck.data_chunk_get_vector(chunk, 1) : NULL},
                         .has_second = has_second,
                         .rows = duck.data_chunk_get_size(chunk)};
}

static void put_text(const struct call *c, uint64_t row, const char *text, size_t len)
{
    duck.vector_assign_string_element_len(c->result, row, len ? text : "", len);
}

/* The second argument as a text to free(); NULL: there is none. */
static char *name_at(const struct call *c, uint64_t row)
{
    if (!c->has_second || duckdb_is_null(c->arguments[1], row))
        return NULL;
    struct ras_bytes name = duckdb_bytes_at(c->arguments[1], row);
    return text_copy(name.at, name.len);
}

/* ---- times --------------------------------------------------------------------------------- */

static void write_walls(const struct call *c)
{
    const uint64_t *times = duck.vector_get_data(c->arguments[0]);
    for (uint64_t i = 0; i < c->rows; i++) {
        char text[RAS_TIME_ROOM];
        char *name = name_at(c, i);
        size_t len = 0;
        if (!duckdb_is_null(c->arguments[0], i))
            len = function_wall(c->duckdb->module.catalog, name, times[i], text);
        if (len)
            put_text(c, i, text, len);
        else
            duckdb_set_null(c->result, i);
        free(name);
    }
}

typedef bool find_in_ticks(const struct run_tick *, size_t count, uint64_t at, uint64_t *found);

/* The ticks are read from the traces of the catalog, once. */
static bool find_tick(const struct call *c, find_in_ticks *find, uint64_t row, uint64_t at,
                      uint64_t *found)
{
    struct ras_error err;
    size_t count;
    int status;
    char *name = name_at(c, row);
    mutex_lock(&c->duckdb->lock);
    const struct run_tick *ticks = run_ticks_of(&c->duckdb->module, name, &count, &status, &err);
    mutex_unlock(&c->duckdb->lock);
    free(name);
    if (status == RAS_END)
        duck.scalar_function_set_error(c->info, "tick_of and time_of need a run directory");
    else if (status < 0)
        duck.scalar_function_set_error(c->info, err.text);
    return ticks && find(ticks, count, at, found);
}

static void find_ticks(const struct call *c, find_in_ticks *find)
{
    const uint64_t *at = duck.vector_get_data(c->arguments[0]);
    uint64_t *found = duck.vector_get_data(c->result);
    for (uint64_t i = 0; i < c->rows; i++)
        if (duckdb_is_null(c->arguments[0], i) || !find_tick(c, find, i, at[i], &found[i]))
            duckdb_set_null(c->result, i);
}

static void wall_of_one(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    struct call c = call_of(info, chunk, result, false);
    write_walls(&c);
}

static void wall_of_two(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    struct call c = call_of(info, chunk, result, true);
    write_walls(&c);
}

static void tick_of_one(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    struct call c = call_of(info, chunk, result, false);
    find_ticks(&c, function_tick_of);
}

static void tick_of_two(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    struct call c = call_of(info, chunk, result, true);
    find_ticks(&c, function_tick_of);
}

static void time_of_one(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    struct call c = call_of(info, chunk, result, false);
    find_ticks(&c, function_time_of);
}

static void time_of_two(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    struct call c = call_of(info, chunk, result, true);
    find_ticks(&c, function_time_of);
}

/* ---- names --------------------------------------------------------------------------------- */

static void demangle_names(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    struct call c = call_of(info, chunk, result, false);
    for (uint64_t i = 0; i < c.rows; i++) {
        if (duckdb_is_null(c.arguments[0], i)) {
            duckdb_set_null(result, i);
            continue;
        }
        struct ras_bytes name = duckdb_bytes_at(c.arguments[0], i);
        char *copy = text_copy(name.at, name.len);
        mutex_lock(&c.duckdb->lock);
        const char *shown = copy ? function_demangle(&c.duckdb->module, copy) : NULL;
        if (shown)
            put_text(&c, i, shown, strlen(shown));
        mutex_unlock(&c.duckdb->lock);
        free(copy);
        if (!shown)
            duck.scalar_function_set_error(info, "out of memory");
    }
}

/* ---- items --------------------------------------------------------------------------------- */

/* A number as it is printed elsewhere. */
static void number_text(const struct ras_value *v, struct out *text)
{
    char number[40];
    text->len = 0;
    if (v->kind == RAS_INT)
        snprintf(number, sizeof number, "%" PRId64, v->i);
    else
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(number, sizeof number, "%.*g", digits, v->f64);
            if (strtod(number, NULL) == v->f64)
                break;
        }
    out_text(text, number);
    if (v->kind == RAS_F64 && !strpbrk(number, ".en"))
        out_text(text, ".0");
}

static void items_of_json(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    struct call c = call_of(info, chunk, result, true);
    const int64_t *at = duck.vector_get_data(c.arguments[1]);
    struct out text = {0};
    for (uint64_t i = 0; i < c.rows; i++) {
        struct ras_value item = {.kind = RAS_NULL};
        bool fine = true;
        if (!duckdb_is_null(c.arguments[0], i) && !duckdb_is_null(c.arguments[1], i))
            fine = function_at(duckdb_bytes_at(c.arguments[0], i), at[i], &text, &item);
        if (item.kind == RAS_NULL) {
            duckdb_set_null(result, i);
        } else if (item.kind == RAS_STR) {
            put_text(&c, i, item.at, item.count);
        } else {
            number_text(&item, &text);
            put_text(&c, i, (const char *)text.at, text.len);
        }
        if (!fine || text.failed)
            duck.scalar_function_set_error(info, "out of memory");
    }
    out_free(&text);
}

/* Items of a list that are numbers of so many bytes each, or texts (0). */
static void items_of_list(duckdb_handle info, duckdb_handle chunk, duckdb_handle result,
                          unsigned width)
{
    struct call c = call_of(info, chunk, result, true);
    const struct duckdb_entry *entries = duck.vector_get_data(c.arguments[0]);
    const int64_t *at = duck.vector_get_data(c.arguments[1]);
    duckdb_handle items = duck.list_vector_get_child(c.arguments[0]);
    const char *from = duck.vector_get_data(items);
    char *to = duck.vector_get_data(result);
    for (uint64_t i = 0; i < c.rows; i++) {
        bool is_there = !duckdb_is_null(c.arguments[0], i) && !duckdb_is_null(c.arguments[1], i) &&
                        at[i] >= 0 && (uint64_t)at[i] < entries[i].len;
        uint64_t place = is_there ? entries[i].offset + (uint64_t)at[i] : 0;
        if (!is_there || duckdb_is_null(items, place)) {
            duckdb_set_null(result, i);
        } else if (width) {
            memcpy(to + i * width, from + place * width, width);
        } else {
            struct ras_bytes text = duckdb_bytes_at(items, place);
            put_text(&c, i, (const char *)text.at, text.len);
        }
    }
}

static void items_of_1(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    items_of_list(info, chunk, result, 1);
}

static void items_of_2(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    items_of_list(info, chunk, result, 2);
}

static void items_of_4(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    items_of_list(info, chunk, result, 4);
}

static void items_of_8(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    items_of_list(info, chunk, result, 8);
}

static void items_of_texts(duckdb_handle info, duckdb_handle chunk, duckdb_handle result)
{
    items_of_list(info, chunk, result, 0);
}

/* ---- all of them --------------------------------------------------------------------------- */

/* at() is a macro, which makes its second argument one type. `list`: the first argument is a list
 * of its kind. */
static const struct overload {
    const char *name;
    int result;
    int arguments[2];
    bool list;
    duckdb_scalar *call;
} overloads[] = {
    {"wall", DUCKDB_VARCHAR, {DUCKDB_UBIGINT, 0}, false, wall_of_one},
    {"wall", DUCKDB_VARCHAR, {DUCKDB_BIGINT, 0}, false, wall_of_one},
    {"wall", DUCKDB_VARCHAR, {DUCKDB_UBIGINT, DUCKDB_VARCHAR}, false, wall_of_two},
    {"wall", DUCKDB_VARCHAR, {DUCKDB_BIGINT, DUCKDB_VARCHAR}, false, wall_of_two},
    {"tick_of", DUCKDB_UBIGINT, {DUCKDB_UBIGINT, 0}, false, tick_of_one},
    {"tick_of", DUCKDB_UBIGINT, {DUCKDB_BIGINT, 0}, false, tick_of_one},
    {"tick_of", DUCKDB_UBIGINT, {DUCKDB_UBIGINT, DUCKDB_VARCHAR}, false, tick_of_two},
    {"tick_of", DUCKDB_UBIGINT, {DUCKDB_BIGINT, DUCKDB_VARCHAR}, false, tick_of_two},
    {"time_of", DUCKDB_UBIGINT, {DUCKDB_UBIGINT, 0}, false, time_of_one},
    {"time_of", DUCKDB_UBIGINT, {DUCKDB_BIGINT, 0}, false, time_of_one},
    {"time_of", DUCKDB_UBIGINT, {DUCKDB_UBIGINT, DUCKDB_VARCHAR}, false, time_of_two},
    {"time_of", DUCKDB_UBIGINT, {DUCKDB_BIGINT, DUCKDB_VARCHAR}, false, time_of_two},
    {"demangle", DUCKDB_VARCHAR, {DUCKDB_VARCHAR, 0}, false, demangle_names},
    {"rastrum_at", DUCKDB_VARCHAR, {DUCKDB_VARCHAR, DUCKDB_BIGINT}, false, items_of_json},
    {"rastrum_at", DUCKDB_BOOLEAN, {DUCKDB_BOOLEAN, DUCKDB_BIGINT}, true, items_of_1},
    {"rastrum_at", DUCKDB_UTINYINT, {DUCKDB_UTINYINT, DUCKDB_BIGINT}, true, items_of_1},
    {"rastrum_at", DUCKDB_USMALLINT, {DUCKDB_USMALLINT, DUCKDB_BIGINT}, true, items_of_2},
    {"rastrum_at", DUCKDB_UINTEGER, {DUCKDB_UINTEGER, DUCKDB_BIGINT}, true, items_of_4},
    {"rastrum_at", DUCKDB_UBIGINT, {DUCKDB_UBIGINT, DUCKDB_BIGINT}, true, items_of_8},
    {"rastrum_at", DUCKDB_BIGINT, {DUCKDB_BIGINT, DUCKDB_BIGINT}, true, items_of_8},
    {"rastrum_at", DUCKDB_FLOAT, {DUCKDB_FLOAT, DUCKDB_BIGINT}, true, items_of_4},
    {"rastrum_at", DUCKDB_DOUBLE, {DUCKDB_DOUBLE, DUCKDB_BIGINT}, true, items_of_8},
    {"rastrum_at", DUCKDB_VARCHAR, {DUCKDB_VARCHAR, DUCKDB_BIGINT}, true, items_of_texts},
};
enum { OVERLOADS = sizeof overloads / sizeof *overloads };

static void add_argument(duckdb_handle function, int kind, bool list)
{
    duckdb_handle type = duck.create_logical_type(kind);
    if (list) {
        duckdb_handle item = type;
        type = duck.create_list_type(item);
        duck.destroy_logical_type(&item);
    }
    duck.scalar_function_add_parameter(function, type);
    duck.destroy_logical_type(&type);
}

static void add_overload(struct duckdb *d, duckdb_handle set, const struct overload *o)
{
    duckdb_handle function = duck.create_scalar_function();
    duckdb_handle type = duck.create_logical_type(o->result);
    duck.scalar_function_set_name(function, o->name);
    duck.scalar_function_set_return_type(function, type);
    duck.destroy_logical_type(&type);
    add_argument(function, o->arguments[0], o->list);
    if (o->arguments[1])
        add_argument(function, o->arguments[1], false);
    duck.scalar_function_set_extra_info(function, d, NULL);
    duck.scalar_function_set_function(function, o->call);
    (void)!duck.add_scalar_function_to_set(set, function); /* registering fails without it */
    duck.destroy_scalar_function(&function);
}

int duckdb_functions_make(struct duckdb *d, struct ras_error *err)
{
    for (size_t i = 0; i < OVERLOADS;) {
        const char *name = overloads[i].name;
        duckdb_handle set = duck.create_scalar_function_set(name);
        for (; i < OVERLOADS && !strcmp(overloads[i].name, name); i++)
            add_overload(d, set, &overloads[i]);
        int failed = duck.register_scalar_function_set(d->connection, set);
        duck.destroy_scalar_function_set(&set);
        if (failed)
            return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "DuckDB takes no function %s", name);
    }
    return RAS_OK;
}
