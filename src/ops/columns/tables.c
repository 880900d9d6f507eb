/* tables.c - the tables of a trace: one a record type, those of lists, `record` and the tables that
 * describe it; surveyed first where the trace defines its types. */
#include "base/error.h"
#include "base/struct_size.h"
#include "core/format.h"
#include "core/marks.h"
#include "ops/columns/table_set.h"

#include <stdlib.h>

enum { SURVEY_PROGRESS = 65536 };

const char *ras_type_name(enum ras_type type)
{
    static const char *const names[] = {"bool", "u8",  "u16",  "u32",  "u64",  "i64",
                                        "f32",  "f64", "text", "blob", "json", "list"};
    return (unsigned)type < sizeof names / sizeof *names ? names[type] : "unknown";
}

const char *ras_table_kind_name(enum ras_table_kind kind)
{
    static const char *const names[] = {"records", "on_request", "child", "stats", "system"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

/* ---- one table ------------------------------------------------------------------------- */

struct table *tables_add(struct ras_tables *set, const char *name, enum ras_table_kind kind)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t || !array_grow(&set->tables, &set->room, set->count + 1, sizeof(struct table *))) {
        free(t);
        return NULL;
    }
    t->about.kind = kind;
    t->about.rows = RAS_NONE;
    set->tables[set->count] = t;
    name = name_plain(&set->texts, name);
    if (name)
        name = name_take(&set->texts, &set->names, name, (uint32_t)set->count);
    set->count++; /* also without a name, so that it is freed */
    t->about.name = name;
    return name ? t : NULL;
}

static void binding_free(struct binding *b)
{
    free(b->binds);
}

static void table_free(struct table *t)
{
    for (size_t i = 0; i < t->binding_count; i++)
        binding_free(&t->bindings[i]);
    binding_free(&t->items);
    free(t->bindings);
    free(t->columns);
    free(t->defs);
    free(t->cells);
    free(t);
}

struct table *tables_find(const struct ras_tables *set, const char *name)
{
    uint32_t index = name_table_find(&set->names, name, true);
    return index < set->count ? set->tables[index] : NULL;
}

/* ---- record types ------------------------------------------------------------------------ */

static bool is_fixed(const struct ras_tables *set, uint32_t schema)
{
    return schema == RAS_SCHEMA_GAP || !ras_format_of(set->trace)->defines_types ||
           ras_schema_at(set->trace, schema)->flags & RAS_ON_REQUEST;
}

/* The schemas that are one table: those with the name of the first, as fixed as it is. */
struct schema_group {
    uint32_t first, count;
    uint32_t next; /* where its members end */
    size_t table;
};

struct grouping {
    struct schema_group *groups;
    size_t count, room;
    uint32_t *group_of; /* by schema */
    uint32_t *members;  /* schemas, by group */
};

static void grouping_free(struct grouping *g)
{
    free(g->groups);
    free(g->group_of);
    free(g->members);
}

static void list_members(struct grouping *g, uint32_t schemas)
{
    uint32_t at = 0;
    for (size_t i = 0; i < g->count; at += g->groups[i++].count)
        g->groups[i].next = at;
    for (uint32_t i = 0; i < schemas; i++)
        if (g->group_of[i] != UINT32_MAX)
            g->members[g->groups[g->group_of[i]].next++] = i;
}

/* Types that the format defines and those of the trace are told apart, though of one name. */
static bool group_schemas(const struct ras_tables *set, struct grouping *g, bool fixed)
{
    struct name_table names = {0};
    size_t count = set->schema_count;
    g->group_of = calloc(count + 1, sizeof *g->group_of);
    g->members = calloc(count + 1, sizeof *g->members);
    bool ok = g->group_of && g->members;
    for (uint32_t i = 0; ok && i < count; i++) {
        g->group_of[i] = UINT32_MAX;
        if (is_fixed(set, i) != fixed)
            continue;
        const char *name = ras_schema_at(set->trace, i)->name;
        uint32_t group = name_table_find(&names, name, false);
        if (group == UINT32_MAX) {
            group = (uint32_t)g->count;
            ok = array_grow(&g->groups, &g->room, g->count + 1, sizeof *g->groups) &&
                 name_table_add(&names, name, false, group);
            if (!ok)
                break;
            g->groups[g->count++] = (struct schema_group){.first = i};
        }
        g->group_of[i] = group;
        g->groups[group].count++;
    }
    name_table_free(&names);
    if (ok)
        list_members(g, (uint32_t)count);
    return ok;
}

static uint64_t rows_of(const struct ras_tables *set, const uint32_t *schemas, size_t count)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < count; i++) {
        if (!set->records || ras_schema_at(set->trace, schemas[i])->flags & RAS_ON_REQUEST)
            return RAS_NONE;
        rows += set->records[schemas[i]];
    }
    return rows;
}

static unsigned ascends_of(const struct ras_tables *set)
{
    const struct ras_trace *t = set->trace;
    struct ras_ending ending;
    unsigned ascends = 0;
    if (!marks_known(t->marks, *source_generation(t->source), &ascends, &ending))
        ascends = 0;
    return ascends | 1u << RAS_AXIS_SEQ;
}

/* Its columns come after all tables of its kind have their names. */
static bool add_type(struct ras_tables *set, struct schema_group *group, bool fixed)
{
    const struct ras_schema *s = ras_schema_at(set->trace, group->first);
    const char *name = s->name;
    const char *plain = name_plain(&set->texts, name);
    if (!plain)
        return false;
    if (!fixed && name_reserved(set, plain))
        name = name_join(&set->texts, ras_format_of(set->trace)->name, ":", name);
    group->table = set->count;
    struct table *t =
        name ? tables_add(set, name,
                          s->flags & RAS_ON_REQUEST ? RAS_TABLE_ON_REQUEST : RAS_TABLE_RECORDS)
             : NULL;
    if (t) {
        t->about.type = s->name;
        t->is_dynamic = !fixed;
    }
    return t;
}

static bool add_columns(struct ras_tables *set, const struct grouping *g)
{
    const uint32_t *members = g->members;
    for (size_t i = 0; i < g->count; i++) {
        struct table *t = set->tables[g->groups[i].table];
        size_t count = g->groups[i].count;
        t->about.ascends = ascends_of(set);
        t->about.rows = rows_of(set, members, count);
        if (set->columns > ALL_COLUMNS_MOST)
            return true; /* the caller drops them */
        if (!table_add_common(set, t) || !table_bind(set, t, members, count) ||
            !table_add_children(set, t))
            return false;
        members += count;
    }
    return true;
}

static bool add_types(struct ras_tables *set, struct grouping *g, bool fixed)
{
    bool ok = group_schemas(set, g, fixed);
    for (size_t i = 0; ok && i < g->count && set->count <= TABLES_MOST; i++)
        ok = add_type(set, &g->groups[i], fixed);
    return ok;
}

static bool add_all(struct ras_tables *set)
{
    struct table *t = tables_add(set, "record", RAS_TABLE_RECORDS);
    if (!t)
        return false;
    t->is_all = true;
    t->about.ascends = ascends_of(set);
    for (size_t i = 0; set->records && i < set->schema_count; i++)
        t->about.rows = (t->about.rows == RAS_NONE ? 0 : t->about.rows) + set->records[i];
    return table_add_common(set, t);
}

/* What the trace defines is too much: it is read through `record`. */
static void drop_dynamic(struct ras_tables *set, size_t keep)
{
    while (set->count > keep)
        table_free(set->tables[--set->count]);
    name_table_free(&set->names);
    for (size_t i = 0; i < set->count; i++)
        (void)name_table_add(&set->names, set->tables[i]->about.name, true, (uint32_t)i);
    note_add(set->trace,
             "it defines more than %d tables or %d columns: only the table record "
             "has its records",
             TABLES_MOST, ALL_COLUMNS_MOST);
}

static bool add_dynamic(struct ras_tables *set)
{
    struct grouping g = {0};
    size_t keep = set->count;
    bool ok = add_types(set, &g, false);
    bool many = set->count > TABLES_MOST;
    if (ok && !many)
        ok = add_columns(set, &g);
    many |= set->count > TABLES_MOST || set->columns > ALL_COLUMNS_MOST;
    if (ok && many)
        drop_dynamic(set, keep);
    grouping_free(&g);
    return ok;
}

static bool build(struct ras_tables *set, bool survey)
{
    struct grouping g = {0};
    set->schema_count = ras_schema_count(set->trace);
    bool ok = add_all(set) && add_types(set, &g, true) && tables_add_system(set);
    set->fixed = set->count;
    ok = ok && add_columns(set, &g) && (!survey || add_dynamic(set));
    grouping_free(&g);
    return ok;
}

/* ---- survey ---------------------------------------------------------------------------- */

/* Which types there are, and how many records of each. */
static int take_survey(struct ras_tables *set, const struct ras_tables_options *o,
                       struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    uint64_t total, passed = 0;
    size_t room = 0;
    int status = ras_cursor_open(&c, set->trace, &scan, err);
    if (status < 0)
        return status;
    while ((status = walk_next(set->trace, c, &r, err)) == RAS_OK) {
        size_t old = room;
        if (r->schema >= room) {
            if (!array_grow(&set->records, &room, r->schema + 1u, sizeof *set->records)) {
                status = fail_memory(err);
                break;
            }
            memset(set->records + old, 0, (room - old) * sizeof *set->records);
        }
        set->records[r->schema]++;
        uint64_t done = o->progress && !(++passed % SURVEY_PROGRESS)
                            ? ras_cursor_progress(c, &total)
                            : RAS_NONE;
        if (done != RAS_NONE && !o->progress(o->user, done, total)) {
            status = fail_canceled(err);
            break;
        }
    }
    ras_cursor_close(c);
    size_t old = room, need = ras_schema_count(set->trace) + 1;
    if (status == RAS_END && !array_grow(&set->records, &room, need, sizeof *set->records))
        status = fail_memory(err);
    if (status == RAS_END)
        memset(set->records + old, 0, (room - old) * sizeof *set->records);
    return status < 0 ? status : RAS_OK;
}

/* ---- public ------------------------------------------------------------------------------ */

int ras_tables_open(struct ras_tables **out, struct ras_trace *trace,
                    const struct ras_tables_options *options, struct ras_error *err)
{
    struct ras_tables_options own;
    *out = NULL;
    const struct ras_tables_options *o = OPTIONS(&own, options, err);
    if (!o)
        return RAS_EUSAGE;
    if (o->run && o->pen >= o->run->pen_count)
        return fail(err, RAS_EUSAGE, RAS_NONE, "pen %zu of a run that has %zu", o->pen,
                    o->run->pen_count);
    struct ras_tables *set = calloc(1, sizeof *set);
    if (!set)
        return fail_memory(err);
    set->trace = trace;
    set->run = o->run;
    set->pen = o->pen;
    set->trace_name = o->trace ? name_join(&set->texts, o->trace, "", "") : NULL;
    bool survey = !o->no_survey && ras_format_of(trace)->defines_types;
    int status = o->trace && !set->trace_name ? fail_memory(err) : RAS_OK;
    if (status == RAS_OK && survey)
        status = take_survey(set, o, err);
    if (status == RAS_OK && !build(set, survey))
        status = fail_memory(err);
    if (status == RAS_OK && o->stats)
        status = tables_add_stats(set, o->progress, o->user, err);
    if (status < 0) {
        ras_tables_close(set);
        return status;
    }
    for (size_t i = 0; i < set->count; i++) {
        set->tables[i]->about.columns = set->tables[i]->columns;
        set->tables[i]->about.column_count = set->tables[i]->count;
    }
    *out = set;
    return RAS_OK;
}

void ras_tables_close(struct ras_tables *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->count; i++)
        table_free(set->tables[i]);
    free(set->tables);
    free(set->records);
    ras_stats_free(set->stats);
    ras_stats_free(set->tree);
    ras_info_free(set->info);
    name_table_free(&set->names);
    arena_free(&set->texts);
    if (set->owns_trace)
        ras_close(set->trace);
    free(set);
}

const struct ras_table_about *ras_table_at(const struct ras_tables *set, size_t i)
{
    return i < set->count ? &set->tables[i]->about : NULL;
}

const struct ras_table_about *ras_table_of(const struct ras_tables *set, const char *name)
{
    const struct table *t = tables_find(set, name);
    return t ? &t->about : NULL;
}

struct ras_trace *ras_tables_trace(const struct ras_tables *set)
{
    return set->trace;
}
