/* table_made.c - tables that are made as a whole: those that describe the trace and its tables, and
 * the figures of `stats`. Their rows are cells. */
#include "base/error.h"
#include "base/out.h"
#include "codec/json_write.h"
#include "ops/columns/table_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ------------------------------------------------------------------------------ */

static struct ras_value *add_cell(struct table *t, enum ras_kind kind)
{
    if (t->nomem || !array_grow(&t->cells, &t->cell_room, t->cell_count + 1, sizeof *t->cells)) {
        t->nomem = true;
        return &t->spare;
    }
    struct ras_value *v = &t->cells[t->cell_count++];
    *v = (struct ras_value){.kind = (uint8_t)kind, .bits = 64};
    return v;
}

static void add_bytes(struct table *t, const char *text, size_t len)
{
    struct ras_value *v = add_cell(t, text ? RAS_STR : RAS_NULL);
    v->count = (uint32_t)len;
    v->at = text;
}

static void add_text(struct table *t, const char *text)
{
    add_bytes(t, text, text ? strlen(text) : 0);
}

/* The name of a type or a field as it is in the trace: RAS_NAME_NUL is a NUL. */
static void add_name(struct ras_tables *set, struct table *t, const char *name)
{
    if (!name || !strstr(name, RAS_NAME_NUL)) {
        add_text(t, name);
        return;
    }
    char *copy = arena_take(&set->texts, strlen(name)), *to = copy;
    t->nomem |= !copy;
    for (const char *from = name; to && *from; from++, to++) {
        bool nul = !strncmp(from, RAS_NAME_NUL, strlen(RAS_NAME_NUL));
        *to = nul ? 0 : *from;
        from += nul;
    }
    add_bytes(t, copy, (size_t)(to - copy));
}

static void add_uint(struct table *t, uint64_t u)
{
    add_cell(t, u == RAS_NONE ? RAS_NULL : RAS_UINT)->u = u == RAS_NONE ? 0 : u;
}

static void add_bool(struct table *t, bool is)
{
    add_cell(t, RAS_BOOL)->u = is;
}

static int cells_made(struct table *t, struct ras_error *err)
{
    if (t->nomem) {
        t->nomem = false;
        t->cell_count = 0;
        return fail_memory(err);
    }
    t->made = true;
    t->row_count = t->count ? t->cell_count / t->count : 0;
    return RAS_OK;
}

/* ---- tables that describe ------------------------------------------------------------------ */

static int make_tables(struct ras_tables *set, struct table *t, struct ras_error *err)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct ras_table_about *a = &set->tables[i]->about;
        add_text(t, a->name);
        add_name(set, t, a->type);
        add_text(t, ras_table_kind_name(a->kind));
        add_uint(t, a->rows);
        add_uint(t, a->column_count);
    }
    return cells_made(t, err);
}

/* "list of u64" as text that lives with the tables. */
static const char *type_text(struct ras_tables *set, const struct ras_column_about *c)
{
    if (c->type != RAS_T_LIST)
        return ras_type_name(c->type);
    return name_join(&set->texts, "list of ", "", ras_type_name(c->item));
}

static int make_columns(struct ras_tables *set, struct table *t, struct ras_error *err)
{
    for (size_t i = 0; i < set->count; i++)
        for (size_t k = 0; k < set->tables[i]->count; k++) {
            const struct ras_column_about *c = &set->tables[i]->columns[k];
            add_text(t, set->tables[i]->about.name);
            add_text(t, c->name);
            add_name(set, t, c->field);
            add_text(t, type_text(set, c));
            add_text(t, c->unit);
            add_bool(t, c->flags & RAS_NULLABLE);
            add_bool(t, c->flags & RAS_HEX);
            add_bool(t, c->flags & RAS_HIDDEN);
            add_text(t, c->note);
        }
    return cells_made(t, err);
}

/* A scalar as text: without quotes, numbers as `info` shows them. */
static bool add_scalar(struct ras_tables *set, struct table *t, const struct ras_fact *f)
{
    struct out out = {0};
    bool text = f->value.kind == RAS_STR;
    if (text)
        out_bytes(&out, f->value.at, f->value.count);
    else
        json_put_value(&out, &f->value, f->flags, false);
    size_t skip = !text && out.len > 1 && out.at[0] == '"', len = out.len - 2 * skip;
    char *copy = out.failed ? NULL : arena_take(&set->texts, len + 1);
    if (copy && len)
        memcpy(copy, out.at + skip, len);
    out_free(&out);
    add_bytes(t, copy, len);
    return copy;
}

static int make_facts(struct ras_tables *set, struct table *t, struct ras_error *err)
{
    size_t count;
    const struct ras_fact *f = ras_facts(set->trace, &count);
    for (size_t i = 0; i < count; i++) {
        add_text(t, f[i].key);
        if (!add_scalar(set, t, &f[i]))
            return fail_memory(err);
    }
    return cells_made(t, err);
}

/* Walks the trace, once for all tables that need it. */
static int count_records(struct ras_tables *set, struct ras_error *err)
{
    return set->info ? RAS_OK : ras_info(&set->info, set->trace, NULL, NULL, err);
}

static int make_ending(struct ras_tables *set, struct table *t, struct ras_error *err)
{
    struct ras_ending e = ras_ending(set->trace);
    if (e.kind == RAS_OPEN_END) {
        int status = count_records(set, err);
        if (status < 0)
            return status;
        e = ras_ending(set->trace);
    }
    const char *part = ras_part_name(set->trace, e.part);
    const char *why = name_join(&set->texts, e.why, "", ""); /* the next walk may say another */
    add_text(t, ras_ending_name(e.kind));
    add_text(t, part && *part ? part : NULL);
    add_uint(t, e.offset);
    add_text(t, why);
    return cells_made(t, err);
}

static uint64_t records_of(const struct ras_info *info, uint32_t stream)
{
    for (size_t i = 0; i < info->stream_count; i++)
        if (info->streams[i].id == stream)
            return info->streams[i].records;
    return 0;
}

static int make_streams(struct ras_tables *set, struct table *t, struct ras_error *err)
{
    size_t count;
    int status = count_records(set, err);
    if (status < 0)
        return status;
    const struct ras_stream *s = ras_streams(set->trace, &count);
    for (size_t i = 0; i < count; i++) {
        add_uint(t, s[i].id);
        add_text(t, s[i].name);
        add_uint(t, records_of(set->info, s[i].id));
    }
    return cells_made(t, err);
}

enum { SYSTEM_COLUMNS = 9 };
static const struct system_table {
    const char *name;
    table_make *make;
    struct {
        const char *name;
        enum ras_type type;
        unsigned flags;
    } columns[SYSTEM_COLUMNS];
} system_tables[] = {
    {"_tables",
     make_tables,
     {{"name", RAS_T_TEXT, 0},
      {"type", RAS_T_TEXT, RAS_NULLABLE},
      {"kind", RAS_T_TEXT, 0},
      {"rows", RAS_T_U64, RAS_NULLABLE},
      {"columns", RAS_T_U64, 0}}},
    {"_columns",
     make_columns,
     {{"table", RAS_T_TEXT, 0},
      {"column", RAS_T_TEXT, 0},
      {"field", RAS_T_TEXT, RAS_NULLABLE},
      {"type", RAS_T_TEXT, 0},
      {"unit", RAS_T_TEXT, RAS_NULLABLE},
      {"nullable", RAS_T_BOOL, 0},
      {"hex", RAS_T_BOOL, 0},
      {"hidden", RAS_T_BOOL, 0},
      {"note", RAS_T_TEXT, RAS_NULLABLE}}},
    {"_facts", make_facts, {{"key", RAS_T_TEXT, 0}, {"value", RAS_T_TEXT, 0}}},
    {"_ending",
     make_ending,
     {{"state", RAS_T_TEXT, 0},
      {"part", RAS_T_TEXT, RAS_NULLABLE},
      {"offset", RAS_T_U64, 0},
      {"why", RAS_T_TEXT, 0}}},
    {"_streams",
     make_streams,
     {{"id", RAS_T_U32, 0}, {"name", RAS_T_TEXT, 0}, {"records", RAS_T_U64, 0}}},
};

bool tables_add_system(struct ras_tables *set)
{
    for (size_t i = 0; i < sizeof system_tables / sizeof *system_tables; i++) {
        const struct system_table *from = &system_tables[i];
        struct table *t = tables_add(set, from->name, RAS_TABLE_SYSTEM);
        if (!t)
            return false;
        t->make = from->make;
        for (size_t k = 0; k < SYSTEM_COLUMNS && from->columns[k].name; k++)
            if (!table_add(set, t, FROM_CELL, from->columns[k].name, from->columns[k].type,
                           from->columns[k].flags))
                return false;
    }
    return true;
}

/* ---- figures --------------------------------------------------------------------------------- */

/* The type of a column of figures by its cells. */
static enum ras_type cells_type(const struct ras_value *rows, size_t count, size_t width,
                                size_t column, unsigned *flags)
{
    unsigned kinds = 0;
    bool large = false;
    for (size_t i = 0; i < count; i++) {
        const struct ras_value *v = &rows[i * (width + 1) + 1 + column];
        kinds |= 1u << v->kind;
        large |= v->kind == RAS_UINT && v->u > INT64_MAX;
    }
    if (kinds & 1u << RAS_NULL || !count)
        *flags |= RAS_NULLABLE;
    kinds &= ~(1u << RAS_NULL);
    if (!kinds || kinds == 1u << RAS_UINT)
        return RAS_T_U64;
    if (kinds == 1u << RAS_STR)
        return RAS_T_TEXT;
    if (kinds == 1u << RAS_BOOL)
        return RAS_T_BOOL;
    if (!(kinds & ~(1u << RAS_UINT | 1u << RAS_INT)))
        return large ? RAS_T_JSON : RAS_T_I64;
    if (!(kinds & ~(1u << RAS_UINT | 1u << RAS_F32 | 1u << RAS_F64)))
        return RAS_T_F64;
    return RAS_T_JSON;
}

static const char *unit_of_name(const char *name)
{
    static const char *const units[][2] = {
        {"_ns", "ns"}, {"_bytes", "bytes"}, {"_percent", "percent"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t len = strlen(name), end = strlen(units[i][0]);
        if (len >= end && !strcmp(name + len - end, units[i][0]))
            return units[i][1];
    }
    return NULL;
}

static const struct ras_value *member(const struct ras_value *map, const char *key)
{
    const struct ras_value *end = ras_value_next(map);
    for (const struct ras_value *k = map + 1; k < end; k = ras_value_next(k + 1))
        if (k->count == strlen(key) && !memcmp(k->at, key, k->count))
            return k + 1;
    return NULL;
}

static bool add_figure_columns(struct ras_tables *set, struct table *t,
                               const struct ras_value *columns, const struct ras_value *rows,
                               size_t count)
{
    struct name_table names = {0};
    bool ok = true;
    size_t width = columns->count;
    for (size_t i = 0; ok && i < width; i++) {
        const struct ras_value *v = &columns[1 + i];
        char *text = arena_take(&set->texts, v->count + 1u);
        if (text) {
            memcpy(text, v->at, v->count);
            text[v->count] = 0;
        }
        const char *name = text ? name_take(&set->texts, &names, text, 0) : NULL;
        unsigned flags = 0;
        enum ras_type type = cells_type(rows + 1, count, width, i, &flags);
        struct ras_column_about *a = table_add(set, t, FROM_CELL, name, type, flags);
        ok = a;
        if (a)
            a->unit = unit_of_name(name);
    }
    name_table_free(&names);
    return ok;
}

/* A table of a report; its rows stay where they are, each after a cell that counts them. */
static bool add_figures(struct ras_tables *set, const struct ras_value *key)
{
    const struct ras_value *columns = member(key + 1, "columns"), *rows = member(key + 1, "rows");
    char name[200];
    snprintf(name, sizeof name, "stats_%.*s", (int)(key->count < 150 ? key->count : 150),
             (const char *)key->at);
    if (!columns || !rows || !columns->count)
        return true;
    size_t width = columns->count, count = rows->count / (width + 1);
    struct table *t = tables_add(set, name, RAS_TABLE_STATS);
    if (!t || (set->trace_name && !table_add(set, t, FROM_TRACE_NAME, "trace", RAS_T_TEXT, 0)))
        return false;
    size_t first = t->count;
    if (!add_figure_columns(set, t, columns, rows, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < first; k++)
            add_text(t, set->trace_name);
        for (size_t k = 0; k < width; k++)
            *add_cell(t, RAS_NULL) = rows[1 + i * (width + 1) + 1 + k];
    }
    t->about.rows = count;
    return cells_made(t, NULL) == RAS_OK;
}

static int add_report(struct ras_tables *set, const struct ras_stats *report, struct ras_error *err)
{
    const struct ras_value *end = ras_value_next(report->tables);
    for (const struct ras_value *key = report->tables + 1; key < end; key = ras_value_next(key + 1))
        if (!add_figures(set, key))
            return fail_memory(err);
    return RAS_OK;
}

int tables_add_stats(struct ras_tables *set, ras_progress *progress, void *user,
                     struct ras_error *err)
{
    const struct ras_stats_options figures = {.progress = progress, .user = user};
    const struct ras_tree_options calls = {.progress = progress, .user = user};
    int status = ras_stats(&set->stats, set->trace, &figures, err);
    if (status == RAS_OK)
        status = add_report(set, set->stats, err);
    if (status < 0)
        return status == RAS_EUNSUPPORTED ? RAS_OK : status;
    struct ras_error none;
    status = ras_tree(&set->tree, set->trace, &calls, &none);
    if (status == RAS_EUNSUPPORTED || status == RAS_ENOTHING)
        return RAS_OK;
    if (status < 0) {
        if (err)
            *err = none;
        return status;
    }
    return add_report(set, set->tree, err);
}
