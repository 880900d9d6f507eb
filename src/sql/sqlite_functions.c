/* sqlite_functions.c - functions of SQL that traces need: numbers above 2^63, times, names. */
#include "base/error.h"
#include "base/sort.h"
#include "sql/functions.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static bool is_null(sqlite3_value *v)
{
    return sqlite3_value_type(v) == SQLITE_NULL;
}

static void hex64(sqlite3_context *context, int count, sqlite3_value **args)
{
    char text[24];
    (void)count;
    if (is_null(args[0]))
        return;
    snprintf(text, sizeof text, "0x%016" PRIx64, (uint64_t)sqlite3_value_int64(args[0]));
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

/* Decimal: a number where SQLite has it, else text. */
static void u64(sqlite3_context *context, int count, sqlite3_value **args)
{
    char text[24];
    (void)count;
    if (is_null(args[0]))
        return;
    int64_t value = sqlite3_value_int64(args[0]);
    if (value >= 0) {
        sqlite3_result_int64(context, value);
        return;
    }
    snprintf(text, sizeof text, "%" PRIu64, (uint64_t)value);
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

/* ---- times --------------------------------------------------------------------------------- */

static const char *name_argument(int count, sqlite3_value **args)
{
    return count > 1 && !is_null(args[1]) ? (const char *)sqlite3_value_text(args[1]) : NULL;
}

/* NULL where no trace has a wall clock. */
static void wall(sqlite3_context *context, int count, sqlite3_value **args)
{
    const struct module *m = sqlite3_user_data(context);
    char text[RAS_TIME_ROOM];
    if (is_null(args[0]))
        return;
    size_t len = function_wall(m->catalog, name_argument(count, args),
                               (uint64_t)sqlite3_value_int64(args[0]), text);
    if (len)
        sqlite3_result_text(context, text, (int)len, SQLITE_TRANSIENT);
}

static const struct run_tick *ticks_for(sqlite3_context *context, int count, sqlite3_value **args,
                                        size_t *tick_count)
{
    struct ras_error err;
    int status;
    const struct run_tick *ticks = run_ticks_of(
        sqlite3_user_data(context), name_argument(count, args), tick_count, &status, &err);
    if (status == RAS_END)
        sqlite3_result_error(context, "tick_of and time_of need a run directory", -1);
    else if (status < 0)
        sqlite3_result_error(context, err.text, -1);
    return ticks;
}

static void tick_of(sqlite3_context *context, int count, sqlite3_value **args)
{
    size_t n;
    uint64_t tick;
    if (is_null(args[0]))
        return;
    const struct run_tick *ticks = ticks_for(context, count, args, &n);
    if (ticks && function_tick_of(ticks, n, (uint64_t)sqlite3_value_int64(args[0]), &tick))
        sqlite3_result_int64(context, (sqlite3_int64)tick);
}

static void time_of(sqlite3_context *context, int count, sqlite3_value **args)
{
    size_t n;
    uint64_t time_ns;
    if (is_null(args[0]))
        return;
    const struct run_tick *ticks = ticks_for(context, count, args, &n);
    if (ticks && function_time_of(ticks, n, (uint64_t)sqlite3_value_int64(args[0]), &time_ns))
        sqlite3_result_int64(context, (sqlite3_int64)time_ns);
}

/* ---- names and lists ----------------------------------------------------------------------- */

static void demangle(sqlite3_context *context, int count, sqlite3_value **args)
{
    (void)count;
    if (is_null(args[0]))
        return;
    const char *name = (const char *)sqlite3_value_text(args[0]);
    const char *shown = name ? function_demangle(sqlite3_user_data(context), name) : NULL;
    if (shown)
        sqlite3_result_text(context, shown, -1, SQLITE_TRANSIENT);
    else
        sqlite3_result_error_nomem(context);
}

static void at(sqlite3_context *context, int count, sqlite3_value **args)
{
    struct out text = {0};
    struct ras_value item;
    (void)count;
    if (is_null(args[0]) || is_null(args[1]))
        return;
    const uint8_t *list = sqlite3_value_text(args[0]);
    struct ras_bytes bytes = {list, (size_t)sqlite3_value_bytes(args[0])};
    if (!function_at(bytes, sqlite3_value_int64(args[1]), &text, &item))
        sqlite3_result_error_nomem(context);
    else if (item.kind == RAS_INT)
        sqlite3_result_int64(context, item.i);
    else if (item.kind == RAS_F64)
        sqlite3_result_double(context, item.f64);
    else if (item.kind == RAS_STR)
        sqlite3_result_text64(context, item.count ? item.at : "", item.count, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    out_free(&text);
}

/* ---- percentile ---------------------------------------------------------------------------- */

/* Exact, by nearest rank: all values are kept. Integers stay integers. */
struct percentile {
    double percent;
    bool has_real, failed;
    struct percentile_value {
        bool is_real;
        int64_t i;
        double f;
    } * values;
    size_t count, room;
};

static void percentile_step(sqlite3_context *context, int count, sqlite3_value **args)
{
    struct percentile *p = sqlite3_aggregate_context(context, sizeof *p);
    const struct module *m = sqlite3_user_data(context);
    (void)count;
    if (!p || p->failed)
        return;
    p->percent = sqlite3_value_double(args[1]);
    int type = sqlite3_value_numeric_type(args[0]);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return;
    uint64_t most = (m->options.max_memory ? m->options.max_memory : UINT64_C(1) << 30) / 2;
    if ((p->count + 1) * sizeof *p->values > most ||
        !array_grow(&p->values, &p->room, p->count + 1, sizeof *p->values)) {
        p->failed = true;
        sqlite3_result_error_nomem(context);
        return;
    }
    p->values[p->count++] = (struct percentile_value){
        type == SQLITE_FLOAT, sqlite3_value_int64(args[0]), sqlite3_value_double(args[0])};
    p->has_real = p->has_real || type == SQLITE_FLOAT;
}

static int compare_percentile(const void *a, const void *b, void *context)
{
    const struct percentile_value *x = a, *y = b;
    const struct percentile *p = context;
    if (p->has_real)
        return (x->f > y->f) - (x->f < y->f);
    return (x->i > y->i) - (x->i < y->i);
}

static void percentile_final(sqlite3_context *context)
{
    struct percentile *p = sqlite3_aggregate_context(context, 0);
    if (!p)
        return;
    if (!p->failed && !(p->percent >= 0 && p->percent <= 100)) {
        sqlite3_result_error(context, "percentile(x, p): p is from 0 to 100", -1);
    } else if (!p->failed && p->count) {
        sort_with(p->values, p->count, sizeof *p->values, compare_percentile, p);
        double rank = ceil(p->percent / 100 * (double)p->count);
        size_t i = rank < 1 ? 0 : (size_t)rank - 1;
        const struct percentile_value *v = &p->values[i < p->count ? i : p->count - 1];
        if (v->is_real)
            sqlite3_result_double(context, v->f);
        else
            sqlite3_result_int64(context, v->i);
    }
    free(p->values);
    p->values = NULL;
}

/* ---- all of them --------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int arguments;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
} function_rows[] = {{"hex64", 1, hex64},       {"u64", 1, u64},
                     {"wall", 1, wall},         {"wall", 2, wall},
                     {"tick_of", 1, tick_of},   {"tick_of", 2, tick_of},
                     {"time_of", 1, time_of},   {"time_of", 2, time_of},
                     {"demangle", 1, demangle}, {"at", 2, at}};

int functions_register(sqlite3 *db, struct module *m)
{
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int status = sqlite3_create_function(db, "percentile", 2, flags, m, NULL, percentile_step,
                                         percentile_final);
    for (size_t i = 0; status == SQLITE_OK && i < sizeof function_rows / sizeof *function_rows; i++)
        status = sqlite3_create_function(db, function_rows[i].name, function_rows[i].arguments,
                                         flags, m, function_rows[i].call, NULL, NULL);
    return status;
}
