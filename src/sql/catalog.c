/* catalog.c - which tables there are: of one trace, of a run, of several of them together.
 *
 * Engines show what is listed here, so that the names are the same in each of them. */
#include "sql/catalog.h"
#include "base/error.h"
#include <rastrum/rundir.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const type_names[] = {
    [RAS_T_BOOL] = "BOOLEAN", [RAS_T_U8] = "UTINYINT",    [RAS_T_U16] = "USMALLINT",
    [RAS_T_U32] = "UINTEGER", [RAS_T_U64] = "UBIGINT",    [RAS_T_I64] = "BIGINT",
    [RAS_T_F32] = "FLOAT",    [RAS_T_F64] = "DOUBLE",     [RAS_T_TEXT] = "TEXT",
    [RAS_T_BLOB] = "BLOB",    [RAS_T_JSON] = "JSON_TEXT", [RAS_T_LIST] = "JSON_TEXT",
};

const char *ras_sql_type(const struct ras_column_about *column)
{
    if (column->type == RAS_T_U64 && column->flags & RAS_HEX)
        return "UBIGINT_HEX";
    if (column->type == RAS_T_LIST && column->flags & RAS_HEX)
        return "JSON_TEXT_HEX";
    return type_names[column->type];
}

/* ---- lists --------------------------------------------------------------------------------- */

static char *catalog_text(struct catalog *c, const char *a, const char *between, const char *b)
{
    size_t len = strlen(a) + strlen(between) + strlen(b) + 1;
    char *text = arena_take(&c->texts, len);
    if (text)
        snprintf(text, len, "%s%s%s", a, between, b);
    return text;
}

bool catalog_add(struct catalog *c, const struct sql_table *table)
{
    if (!array_grow(&c->tables, &c->table_room, c->table_count + 1, sizeof *c->tables))
        return false;
    c->tables[c->table_count++] = *table;
    return true;
}

static bool catalog_note(struct catalog *c, const char *text)
{
    char *copy = catalog_text(c, text, "", "");
    if (!copy || !array_grow(&c->notes, &c->note_room, c->note_count + 1, sizeof *c->notes))
        return false;
    c->notes[c->note_count++] = copy;
    return true;
}

static bool add_schema(struct catalog *c, const char *name)
{
    if (!array_grow(&c->schemas, &c->schema_room, c->schema_count + 1, sizeof *c->schemas))
        return false;
    c->schemas[c->schema_count++] = name;
    return true;
}

/* ---- traces -------------------------------------------------------------------------------- */

static int add_trace(struct catalog *c, const struct sql_trace *trace, size_t pen,
                     const struct ras_sql_options *options, struct ras_error *err)
{
    if (!array_grow(&c->traces, &c->trace_room, c->trace_count + 1, sizeof *c->traces))
        return fail_memory(err);
    struct sql_trace *t = &c->traces[c->trace_count];
    *t = *trace;
    struct ras_tables_options how = {.struct_size = sizeof how,
                                     .run = trace->run,
                                     .pen = pen,
                                     .progress = options->progress,
                                     .user = options->user,
                                     .stats = options->stats};
    int status = ras_tables_open(&t->tables, t->trace, &how, err);
    if (status < 0)
        return status;
    c->trace_count++;
    return RAS_OK;
}

static int add_source(struct catalog *c, const struct ras_sql_source *source, const char *name,
                      const struct ras_sql_options *options, struct ras_error *err)
{
    struct sql_trace trace = {.name = name, .trace = source->trace, .run = source->run};
    if (!source->run)
        return add_trace(c, &trace, 0, options, err);
    for (size_t i = 0; i < source->run->pen_count; i++) {
        trace.trace = source->run->pens[i].trace;
        int status = trace.trace ? add_trace(c, &trace, i, options, err) : RAS_OK;
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

static int name_check(const char *const *names, size_t count, struct ras_error *err)
{
    static const char *const taken[] = {"main", "temp", "rastrum"};
    const char *name = names[count];
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!strcasecmp(name, taken[i]))
            return fail(err, RAS_EUSAGE, RAS_NONE, "a trace cannot be called %s", name);
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(name, names[i]))
            return fail(err, RAS_EUSAGE, RAS_NONE, "two traces are called %s", name);
    return RAS_OK;
}

static int add_sources(struct catalog *c, const struct ras_sql_source *sources, size_t count,
                       const struct ras_sql_options *options, struct ras_error *err)
{
    const char **names = arena_take(&c->texts, count * sizeof *names);
    if (!names)
        return fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        char made[24];
        snprintf(made, sizeof made, "t%zu", i + 1);
        names[i] = catalog_text(c, sources[i].name ? sources[i].name : made, "", "");
        if (!names[i])
            return fail_memory(err);
        int status = name_check(names, i, err);
        if (status == RAS_OK)
            status = add_source(c, &sources[i], names[i], options, err);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

/* ---- tables of one trace ------------------------------------------------------------------- */

static bool add_own_table(struct catalog *c, const char *schema, const struct sql_trace *trace,
                          const struct ras_table_about *about)
{
    struct sql_member *member = arena_take(&c->texts, sizeof *member);
    if (!member)
        return false;
    *member = (struct sql_member){.trace = trace, .about = about};
    return catalog_add(c, &(struct sql_table){.shown = {.schema = schema,
                                                        .name = about->name,
                                                        .columns = about->columns,
                                                        .column_count = about->column_count},
                                              .members = member,
                                              .member_count = 1});
}

/* All tables of a trace in one schema, and the views that they allow. */
static int show_trace(struct catalog *c, const char *schema, const struct sql_trace *trace,
                      struct ras_error *err)
{
    const struct ras_table_about *about;
    for (size_t i = 0; (about = ras_table_at(trace->tables, i)); i++) {
        if (about->column_count > SQL_COLUMNS_MOST) {
            char text[200];
            snprintf(text, sizeof text, "%s.%.80s is left out: it has %zu columns, of at most %d",
                     schema, about->name, about->column_count, SQL_COLUMNS_MOST);
            if (!catalog_note(c, text))
                return fail_memory(err);
        } else if (!add_own_table(c, schema, trace, about)) {
            return fail_memory(err);
        }
    }
    return catalog_add_views(c, schema, trace->tables) ? RAS_OK : fail_memory(err);
}

/* ---- tables of several traces -------------------------------------------------------------- */

/* A table of all traces of a format in the making: columns are added in order of appearance. */
struct together {
    struct ras_column_about *columns;
    size_t count, room;
    struct sql_member *members;
    size_t member_count;
};

static bool is_integer(enum ras_type type)
{
    return type <= RAS_T_I64;
}

/* The type that holds both: docs/sql.md has the table. */
static enum ras_type widest(enum ras_type a, enum ras_type b)
{
    enum ras_type low = a < b ? a : b, high = a < b ? b : a;
    if (low == high)
        return a;
    if (low >= RAS_T_U8 && high <= RAS_T_U64)
        return high;
    if (is_integer(low) && high == RAS_T_I64)
        return low != RAS_T_BOOL && low <= RAS_T_U32 ? RAS_T_I64 : RAS_T_JSON;
    if (low >= RAS_T_U8 && low <= RAS_T_U32 && (high == RAS_T_F32 || high == RAS_T_F64))
        return RAS_T_F64;
    if (low == RAS_T_F32 && high == RAS_T_F64)
        return RAS_T_F64;
    return RAS_T_JSON;
}

static size_t find_column(const struct together *t, const char *name)
{
    for (size_t i = 1; i < t->count; i++)
        if (!strcasecmp(t->columns[i].name, name))
            return i;
    return t->count;
}

static bool add_columns(struct together *t, const struct ras_table_about *about)
{
    for (size_t i = 0; i < about->column_count; i++) {
        const struct ras_column_about *column = &about->columns[i];
        size_t at = find_column(t, column->name);
        if (at < t->count) {
            struct ras_column_about *same = &t->columns[at];
            if (widest(same->type, column->type) != same->type || same->item != column->item)
                same->axis = RAS_AXIS_NONE;
            same->type = widest(same->type, column->type);
            same->flags |= column->flags & RAS_NULLABLE;
            same->axis = same->axis == column->axis ? same->axis : RAS_AXIS_NONE;
            continue;
        }
        if (!array_grow(&t->columns, &t->room, t->count + 1, sizeof *t->columns))
            return false;
        t->columns[t->count] = *column;
        t->columns[t->count].alias_of = 0;
        if (t->member_count) /* those before it have no such column */
            t->columns[t->count].flags |= RAS_NULLABLE;
        t->count++;
    }
    return true;
}

static const uint16_t *map_columns(struct catalog *c, const struct together *t,
                                   const struct ras_table_about *about)
{
    uint16_t *map = arena_take(&c->texts, t->count * sizeof *map);
    for (size_t i = 0; map && i < t->count; i++)
        map[i] = SQL_NO_COLUMN;
    for (size_t i = 0; map && i < about->column_count; i++)
        map[find_column(t, about->columns[i].name)] = (uint16_t)i;
    return map;
}

static bool collect(struct catalog *c, struct together *t, const char *format, const char *name)
{
    static const struct ras_column_about trace_column = {
        .name = "trace", .type = RAS_T_TEXT, .note = "name of the trace"};
    if (!array_grow(&t->columns, &t->room, 1, sizeof *t->columns))
        return false;
    t->columns[t->count++] = trace_column;
    t->members = arena_take(&c->texts, c->trace_count * sizeof *t->members);
    for (size_t i = 0; t->members && i < c->trace_count; i++) {
        const struct sql_trace *trace = &c->traces[i];
        const struct ras_table_about *about = strcmp(ras_format_of(trace->trace)->name, format)
                                                  ? NULL
                                                  : ras_table_of(trace->tables, name);
        if (!about)
            continue;
        if (!add_columns(t, about))
            return false;
        t->members[t->member_count++] = (struct sql_member){.trace = trace, .about = about};
    }
    for (size_t i = 0; t->members && i < t->member_count; i++)
        if (!(t->members[i].map = map_columns(c, t, t->members[i].about)))
            return false;
    return t->members != NULL;
}

static bool has_table(const struct catalog *c, const char *schema, const char *name)
{
    for (size_t i = 0; i < c->table_count; i++)
        if (!strcmp(c->tables[i].shown.schema, schema) &&
            !strcasecmp(c->tables[i].shown.name, name))
            return true;
    return false;
}

/* The table FORMAT_TYPE, if it is not there yet. */
static int show_together(struct catalog *c, const struct sql_trace *trace, const char *type,
                         struct ras_error *err)
{
    struct together t = {0};
    const char *format = ras_format_of(trace->trace)->name;
    const char *name = catalog_text(c, format, "_", type);
    if (!name)
        return fail_memory(err);
    if (has_table(c, "main", name))
        return RAS_OK;
    bool fine = collect(c, &t, format, type);
    struct ras_column_about *columns =
        fine ? arena_take(&c->texts, t.count * sizeof *columns) : NULL;
    if (columns)
        memcpy(columns, t.columns, t.count * sizeof *columns);
    size_t count = t.count;
    free(t.columns);
    if (!columns)
        return fail_memory(err);
    if (count > SQL_COLUMNS_MOST)
        return catalog_note(c, "a table of all traces is left out: it has more than 2000 columns")
                   ? RAS_OK
                   : fail_memory(err);
    return catalog_add(c, &(struct sql_table){.shown = {.schema = "main",
                                                        .name = name,
                                                        .columns = columns,
                                                        .column_count = count},
                                              .members = t.members,
                                              .member_count = t.member_count,
                                              .has_trace = true})
               ? RAS_OK
               : fail_memory(err);
}

static int show_all_together(struct catalog *c, struct ras_error *err)
{
    for (size_t i = 0; i < c->trace_count; i++) {
        const struct ras_table_about *about;
        for (size_t k = 0; (about = ras_table_at(c->traces[i].tables, k)); k++) {
            int status = about->kind == RAS_TABLE_SYSTEM
                             ? RAS_OK
                             : show_together(c, &c->traces[i], about->name, err);
            if (status < 0)
                return status;
        }
    }
    return RAS_OK;
}

/* ---- which schemas ------------------------------------------------------------------------- */

/* A schema for each trace: NAME, or NAME_FORMAT of a run among several, or FORMAT of one run. */
static int show_schemas(struct catalog *c, bool several, struct ras_error *err)
{
    if (c->trace_count > SQL_SCHEMAS_MOST) {
        char text[120];
        snprintf(text, sizeof text,
                 "%zu traces: only tables of all of them, FORMAT_TYPE (at most %d schemas)",
                 c->trace_count, SQL_SCHEMAS_MOST);
        return catalog_note(c, text) ? RAS_OK : fail_memory(err);
    }
    for (size_t i = 0; i < c->trace_count; i++) {
        const struct sql_trace *t = &c->traces[i];
        const char *format = ras_format_of(t->trace)->name, *schema = t->name;
        if (t->run)
            schema = several ? catalog_text(c, t->name, "_", format) : format;
        int status = schema && add_schema(c, schema) ? RAS_OK : fail_memory(err);
        if (status == RAS_OK)
            status = show_trace(c, schema, t, err);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

int catalog_open(struct catalog *c, const struct ras_sql_source *sources, size_t count,
                 const struct ras_sql_options *options, struct ras_error *err)
{
    if (!count)
        return fail(err, RAS_EUSAGE, RAS_NONE, "no trace to query");
    int status = add_sources(c, sources, count, options, err);
    if (status < 0)
        return status;
    if (!c->trace_count)
        return fail(err, RAS_ENOTHING, RAS_NONE, "no trace can be read");
    bool several = count > 1, lone = !several && !sources[0].run;
    if (lone)
        status = show_trace(c, "main", &c->traces[0], err);
    if (status == RAS_OK && (!lone || sources[0].name))
        status = show_schemas(c, several, err);
    if (status == RAS_OK && several)
        status = show_all_together(c, err);
    return status;
}

void catalog_close(struct catalog *c)
{
    for (size_t i = 0; i < c->trace_count; i++)
        ras_tables_close(c->traces[i].tables);
    free(c->traces);
    free(c->tables);
    free(c->schemas);
    free(c->notes);
    arena_free(&c->texts);
}
