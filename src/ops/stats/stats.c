/* stats.c - figures of a trace: tables of scalars, the walk, the figures of formats that have none
 * of their own, and the public entries. */
#include "base/error.h"
#include "base/struct_size.h"
#include "core/document.h"
#include "core/format.h"
#include "ops/stats/stats_driver.h"
#include "ops/stats/tally.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROGRESS_EVERY = 65536 };

/* ---- tables ------------------------------------------------------------------- */

static bool wanted(struct stats *s, const char *name)
{
    const struct ras_stats_options *o = s->options;
    for (size_t i = 0; i < o->table_count; i++)
        if (!strcmp(o->tables[i], name)) {
            s->held[i] = 1;
            return true;
        }
    return !o->table_count;
}

static void note_column(struct stats *s, const char *column)
{
    for (size_t i = 0; i < s->all_columns; i++)
        if (!strcmp(s->columns[i], column))
            return;
    if (s->all_columns < STATS_COLUMNS_MOST)
        s->columns[s->all_columns++] = column;
}

bool stats_table(struct stats *s, const char *name, const char *const *columns)
{
    struct document *d = &s->doc;
    s->key = wanted(s, name) ? SIZE_MAX : d->cells.count;
    document_key(d, name);
    s->table = document_open(d, RAS_MAP);
    size_t list = document_put_open(d, "columns", RAS_LIST);
    s->names = columns;
    s->order = NULL;
    if (s->table_count < STATS_TABLES_MOST)
        s->tables[s->table_count++] = name;
    for (size_t i = 0; s->key == SIZE_MAX && columns[i]; i++)
        note_column(s, columns[i]);
    for (s->column_count = 0; columns[s->column_count]; s->column_count++)
        document_name(d, columns[s->column_count]);
    document_close(d, list);
    s->rows = document_put_open(d, "rows", RAS_LIST);
    return s->key == SIZE_MAX;
}

void stats_order(struct stats *s, const char *column, bool upwards)
{
    s->order = column;
    s->upwards = upwards;
}

size_t stats_row(struct stats *s)
{
    return document_open(&s->doc, RAS_LIST);
}

void stats_row_end(struct stats *s, size_t row)
{
    document_close(&s->doc, row);
}

bool stats_columns(struct stats *s, const char *name, const struct stats_column *columns,
                   void *user)
{
    size_t count = 0;
    for (; columns[count].name && count < STATS_WIDTH_MOST; count++)
        s->width[count] = columns[count].name;
    s->width[count] = NULL;
    s->cells = columns;
    s->row_user = user;
    return stats_table(s, name, s->width);
}

static void put_cell(struct stats *s, const struct stats_column *c, void *row)
{
    const void *at = (const char *)row + c->at;
    switch (c->cell) {
    case STATS_PUT:
        c->put(s, row, s->row_user);
        return;
    case STATS_SAME:
        return;
    case STATS_U32:
        document_uint(&s->doc, *(const uint32_t *)at);
        return;
    case STATS_U64:
        document_uint(&s->doc, *(const uint64_t *)at);
        return;
    case STATS_BOOL:
        document_bool(&s->doc, *(const bool *)at);
        return;
    case STATS_NAME:
        document_name(&s->doc, *(const char *const *)at);
    }
}

void stats_put(struct stats *s, void *row)
{
    size_t open = stats_row(s);
    for (const struct stats_column *c = s->cells; c->name; c++)
        put_cell(s, c, row);
    stats_row_end(s, open);
    assert(s->doc.cells.nomem || s->doc.cells.count - open == s->column_count + 1);
}

void stats_put_rows(struct stats *s, void *rows, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++)
        stats_put(s, (char *)rows + i * size);
}

/* Numbers descending, then other values; text in its own order. */
static int cell_order(const struct ras_value *a, const struct ras_value *b)
{
    bool text = a->kind == RAS_STR && b->kind == RAS_STR;
    if (text) {
        size_t shared = a->count < b->count ? a->count : b->count;
        int order = shared ? memcmp(a->at, b->at, shared) : 0;
        return order ? order : (a->count > b->count) - (a->count < b->count);
    }
    if (a->kind == RAS_UINT && b->kind == RAS_UINT)
        return (a->u < b->u) - (a->u > b->u);
    double x = a->kind == RAS_F64 ? a->f64 : a->kind == RAS_INT ? (double)a->i : (double)a->u;
    double y = b->kind == RAS_F64 ? b->f64 : b->kind == RAS_INT ? (double)b->i : (double)b->u;
    bool no_x = a->kind == RAS_NULL || a->kind == RAS_STR;
    bool no_y = b->kind == RAS_NULL || b->kind == RAS_STR;
    if (no_x || no_y)
        return no_x - no_y;
    return (x < y) - (x > y);
}

struct sorting {
    struct ras_value *spare;
    size_t width, at; /* cells of a row; the one to sort by */
    int sign;
};

/* Merge sort: stable, so that equal rows keep their order. */
static void sort_rows(const struct sorting *how, struct ras_value *rows, size_t count)
{
    size_t half = count / 2, a = 0, b = half, width = how->width;
    if (count < 2)
        return;
    sort_rows(how, rows, half);
    sort_rows(how, rows + half * width, count - half);
    memcpy(how->spare, rows, count * width * sizeof *rows);
    const struct ras_value *key = how->spare + how->at;
    for (size_t i = 0; i < count; i++) {
        bool second = a == half ||
                      (b < count && how->sign * cell_order(&key[b * width], &key[a * width]) < 0);
        size_t from = second ? b++ : a++;
        memcpy(rows + i * width, how->spare + from * width, width * sizeof *rows);
    }
}

/* The index of a column, by its name or as text shows it, without its unit; SIZE_MAX: the table has
 * no such column. */
static size_t column_of(const struct stats *s, const char *name)
{
    static const char *const units[] = {"", "_ns", "_bytes", "_percent"};
    for (size_t k = 0; name && k < sizeof units / sizeof *units; k++)
        for (size_t i = 0; s->names[i]; i++) {
            size_t len = strlen(name);
            if (!strncmp(s->names[i], name, len) && !strcmp(s->names[i] + len, units[k]))
                return i;
        }
    return SIZE_MAX;
}

static void sort_table(struct stats *s, size_t count)
{
    size_t requested = column_of(s, s->options->sort);
    size_t column = requested == SIZE_MAX ? column_of(s, s->order) : requested;
    s->sorted |= requested != SIZE_MAX;
    if (column == SIZE_MAX || !count)
        return;
    struct sorting how = {.width = s->column_count + 1,
                          .at = column + 1,
                          .sign = requested == SIZE_MAX && s->upwards ? -1 : 1};
    how.spare = malloc(count * how.width * sizeof *how.spare);
    s->doc.cells.nomem |= !how.spare;
    if (how.spare)
        sort_rows(&how, &s->doc.cells.items[s->rows + 1], count);
    free(how.spare);
}

/* Leave out the first rows that were requested to be; how many there were. */
static size_t skip_rows(struct stats *s, size_t count)
{
    struct document *d = &s->doc;
    size_t width = s->column_count + 1;
    size_t skipped = s->options->offset < count ? (size_t)s->options->offset : count;
    struct ras_value *rows = &d->cells.items[s->rows + 1];
    memmove(rows, rows + skipped * width, (count - skipped) * width * sizeof *rows);
    document_cut(d, d->cells.count - skipped * width);
    return skipped;
}

void stats_table_end(struct stats *s, const char *coverage, ...)
{
    struct document *d = &s->doc;
    char text[512];
    va_list args;
    va_start(args, coverage);
    vsnprintf(text, sizeof text, coverage, args);
    va_end(args);
    if (d->cells.nomem)
        return;
    if (s->key != SIZE_MAX) {
        document_cut(d, s->key);
        return;
    }
    size_t width = s->column_count + 1, count = (d->cells.count - s->rows - 1) / width, left = 0;
    bool figures = !strcmp(s->names[0], "figure"); /* one by one, nothing to select */
    sort_table(s, count);
    size_t skipped = figures ? 0 : skip_rows(s, count);
    count -= skipped;
    uint64_t most = s->options->no_rows ? 0 : s->options->limit ? s->options->limit : UINT64_MAX;
    if (count > most && !figures) {
        left = count - (size_t)most;
        document_cut(d, d->cells.count - left * width);
    }
    document_close(d, s->rows);
    document_put_text(d, "coverage", text);
    if (left)
        document_put_uint(d, "left_out", left);
    if (skipped)
        document_put_uint(d, "skipped", skipped);
    document_close(d, s->table);
}

/* ---- durations ---------------------------------------------------------------- */

void stats_put_quantiles(struct stats *s, struct quantiles *q)
{
    static const unsigned shares[] = {500, 900, 950, 990};
    struct document *d = &s->doc;
    document_uint(d, q->count);
    /* They are not sorted for a table that is dropped. */
    if (!q->count || s->key != SIZE_MAX) {
        for (int i = 0; i < 6; i++)
            document_null(d);
        document_uint(d, 0);
        return;
    }
    document_uint(d, q->min);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        document_uint(d, quantiles_at(q, shares[i]));
    document_uint(d, q->max);
    document_uint(d, q->sum);
}

const char *stats_exactness(bool all_exact)
{
    return all_exact ? "percentiles are exact (nearest rank)"
                     : "percentiles of more than 65,536 values, or of more than 4,194,304 in all "
                       "rows, are within 0.4 %, the rest exact";
}

/* ---- the walk ------------------------------------------------------------------ */

bool stats_in_range(const struct stats *s, enum ras_axis axis, uint64_t at)
{
    const struct ras_stats_options *o = s->options;
    return o->axis != axis || (at >= o->from && (at < o->to || o->to == RAS_NONE));
}

void stats_found_first(struct stats *s, uint64_t time_ns)
{
    s->trace->first_known = true;
    s->trace->first_ns = time_ns;
}

/* The same without the range, for a driver that applies it itself. */
static int stats_walk_all(struct stats *s, const struct ras_scan *scan, stats_take *take,
                          void *user, struct ras_error *err)
{
    struct ras_cursor *c;
    const struct ras_record *record;
    uint64_t count = 0, total, done;
    int status = ras_cursor_open(&c, s->trace, scan, err);
    while (status == RAS_OK && (status = walk_next(s->trace, c, &record, err)) == RAS_OK) {
        status = take(user, c, record, err);
        if (s->options->progress && ++count % PROGRESS_EVERY == 0) {
            done = ras_cursor_progress(c, &total);
            if (!s->options->progress(s->options->user, done, total))
                status = fail_canceled(err);
        }
    }
    ras_cursor_close(c);
    if (status == RAS_END)
        s->out->ending = ras_ending(s->trace);
    return status < 0 ? status : RAS_OK;
}

int stats_walk(struct stats *s, const struct ras_scan *scan, stats_take *take, void *user,
               struct ras_error *err)
{
    struct ras_scan ranged = *scan;
    ranged.axis = s->options->axis;
    ranged.from = s->options->from;
    ranged.to = s->options->to;
    return stats_walk_all(s, &ranged, take, user, err);
}

struct record_stats {
    struct stats *s;
    struct tally types;
    struct quantiles records, bytes; /* of each tick */
    bool has_ticks, begun;
    uint64_t tick, tick_records, tick_bytes;
    uint64_t all_records, all_ticks;
};

static void tick_close(struct record_stats *m)
{
    if (!m->begun)
        return;
    stats_add(m->s, &m->records, m->tick_records);
    stats_add(m->s, &m->bytes, m->tick_bytes);
    tally_unit_end(m->s, &m->types);
    m->all_ticks++;
    m->tick_records = m->tick_bytes = 0;
    m->begun = false;
}

static int take_record(void *user, const struct ras_cursor *c, const struct ras_record *r,
                       struct ras_error *err)
{
    struct record_stats *m = user;
    (void)err;
    if (r->schema == RAS_SCHEMA_GAP)
        return RAS_OK;
    bool ticked = m->has_ticks && r->flags & RAS_HAS_TICK;
    if (ticked && (!m->begun || r->tick != m->tick)) {
        tick_close(m);
        m->tick = r->tick;
        m->begun = true;
    }
    tally_add(m->s, &m->types, r->schema, ras_schema_of(c)->name, r->raw_len, m->tick);
    m->all_records++;
    m->tick_records++;
    /* Bytes of a record inside another are counted with that one already. */
    m->tick_bytes += r->parent == RAS_NONE ? r->raw_len : 0;
    return RAS_OK;
}

#define TYPE_COLUMNS                                                                               \
    {"type", STATS_NAME, offsetof(struct tally_row, name)}, TALLY_COLUMN("records", count),        \
        {"share_percent", .put = tally_put_share}, TALLY_COLUMN("size_bytes", bytes)

static void put_types(struct record_stats *m)
{
    static const struct stats_column plain[] = {TYPE_COLUMNS, {0}};
    static const struct stats_column by_tick[] = {TYPE_COLUMNS,
                                                  TALLY_COLUMN("ticks", units),
                                                  TALLY_COLUMN("first_tick", first),
                                                  TALLY_COLUMN("last_tick", last),
                                                  TALLY_PER_UNIT,
                                                  {0}};
    stats_columns(m->s, "types", m->has_ticks ? by_tick : plain, &m->all_records);
    stats_order(m->s, "records", false);
    stats_put_rows(m->s, m->types.rows, m->types.count, sizeof *m->types.rows);
    stats_table_end(m->s, "%s%s", ras_counted(m->all_records, "record").text,
                    m->has_ticks ? "; percentiles over the ticks in which a type occurs" : "");
}

static void put_spread(struct record_stats *m)
{
    static const char *const columns[] = {"in_each_tick", TALLY_SPREAD, NULL};
    stats_table(m->s, "spread", columns);
    tally_put_spread(m->s, "records", &m->records);
    tally_put_spread(m->s, "bytes of records", &m->bytes);
    stats_table_end(m->s, "over %s; %s", ras_counted(m->all_ticks, "tick").text,
                    stats_exactness(quantiles_exact(&m->records)));
}

/* For drivers without `stats`: records by type, and those of each tick. */
static int stats_records(struct ras_trace *t, struct stats *s, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    struct record_stats m = {.s = s, .has_ticks = t->format->about.axes >> RAS_AXIS_TICK & 1};
    int status = stats_walk(s, &scan, take_record, &m, err);
    tick_close(&m);
    if (status == RAS_OK) {
        put_types(&m);
        if (m.has_ticks)
            put_spread(&m);
    }
    tally_free(&m.types);
    quantiles_free(&m.records);
    quantiles_free(&m.bytes);
    return status;
}

/* The document follows the public struct in memory. */
struct held {
    struct ras_stats stats;
    struct document doc;
};

static int unknown(const char *what, const char *word, const char *const *names, size_t count,
                   struct ras_error *err)
{
    struct ras_near near;
    char text[120];
    ras_near_start(&near, word);
    for (size_t i = 0; i < count; i++)
        ras_near_add(&near, names[i]);
    return fail(err, RAS_EUSAGE, RAS_NONE, "%s '%.60s'%s", what, word,
                ras_near_text(&near, text, sizeof text));
}

/* An unknown table or column is refused: it would be ignored without notice. */
static int check_asked(const struct stats *s, struct ras_error *err)
{
    const struct ras_stats_options *o = s->options;
    for (size_t i = 0; i < o->table_count; i++)
        if (!s->held[i])
            return unknown("there is no table", o->tables[i], s->tables, s->table_count, err);
    if (o->sort && !s->sorted)
        return unknown("no table has a column", o->sort, s->columns, s->all_columns, err);
    return RAS_OK;
}

/* Times have one origin, whatever part of the trace the figures cover. */
static int find_first(struct stats *s, struct ras_error *err)
{
    if (!(s->trace->format->about.axes >> RAS_AXIS_TIME & 1))
        return RAS_OK;
    int status = ras_first_time(s->trace, &s->out->time_first, err);
    s->out->has_time = status == RAS_OK;
    return status < 0 ? status : RAS_OK;
}

static int run(struct stats *s, const struct ras_tree_options *tree, struct ras_error *err)
{
    const struct ras_format *f = s->trace->format;
    s->held = calloc(s->options->table_count + 1, sizeof *s->held);
    if (!s->held)
        return fail_memory(err);
    trace_report_driver(s->trace, tree ? "tree" : "stats", tree ? "tree" : "stats",
                        tree || f->stats);
    s->top = document_open(&s->doc, RAS_MAP);
    int status = tree       ? f->tree(s->trace, s, tree, err)
                 : f->stats ? f->stats(s->trace, s, err)
                            : stats_records(s->trace, s, err);
    document_close(&s->doc, s->top);
    if (status == RAS_OK && s->doc.cells.nomem)
        status = fail_memory(err);
    if (status == RAS_OK)
        status = check_asked(s, err);
    if (status == RAS_OK && !tree)
        status = find_first(s, err);
    free(s->held);
    return status;
}

static int figures(struct ras_stats **out, struct ras_trace *t,
                   const struct ras_stats_options *options, const struct ras_tree_options *tree,
                   struct ras_error *err)
{
    struct held *held = calloc(1, sizeof *held);
    if (!held)
        return fail_memory(err);
    struct stats s = {
        .trace = t, .options = options, .out = &held->stats, .budget = QUANTILES_BUDGET};
    int status = run(&s, tree, err);
    held->doc = s.doc;
    if (status < 0) {
        ras_stats_free(&held->stats);
        return status;
    }
    held->stats.tables = &held->doc.cells.items[s.top];
    *out = &held->stats;
    return RAS_OK;
}

int ras_stats(struct ras_stats **out, struct ras_trace *t, const struct ras_stats_options *options,
              struct ras_error *err)
{
    *out = NULL;
    struct ras_stats_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    return figures(out, t, options, NULL, err);
}

int ras_tree(struct ras_stats **out, struct ras_trace *t, const struct ras_tree_options *options,
             struct ras_error *err)
{
    *out = NULL;
    struct ras_tree_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    const struct ras_tree_options *o = options;
    if (!t->format->tree)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces hold no calls, hence no call tree",
                    t->format->about.name);
    struct ras_stats_options how = {
        .axis = o->axis, .from = o->from, .to = o->to, .progress = o->progress, .user = o->user};
    return figures(out, t, &how, o, err);
}

void ras_stats_free(struct ras_stats *stats)
{
    if (!stats)
        return;
    struct held *held = (struct held *)stats;
    document_free(&held->doc);
    free(held);
}
