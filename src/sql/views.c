/* views.c - views that people expect beside the tables of a trace.
 *
 * A row is chosen by the tables and columns that are there: a format is not named here. */
#include "sql/catalog.h"

#include <string.h>
#include <strings.h>

static bool has_column(const struct ras_table_about *about, const char *name)
{
    for (size_t i = 0; i < about->column_count; i++)
        if (!strcasecmp(about->columns[i].name, name))
            return true;
    return false;
}

bool sql_view_fits(const struct sql_view *row, const struct ras_tables *tables)
{
    if (ras_table_of(tables, row->name))
        return false;
    for (size_t i = 0; i < sizeof row->needs / sizeof *row->needs && row->needs[i]; i++)
        if (!ras_table_of(tables, row->needs[i]))
            return false;
    return has_column(ras_table_of(tables, row->needs[0]), row->column);
}

#define ENTITY(table)                                                                              \
    "SELECT seq, tick, pool_kind, uid, generation, \"index\", active, type_id, pos_x, pos_y "      \
    "FROM " #table

/* A bonus has no type_id but a bonus_id. */
static const struct sql_view view_rows[] = {
    {"delay", {"poll"}, "delay_ns", "SELECT * FROM poll WHERE delay_ns IS NOT NULL"},
    {"call", {"span"}, "parent_call_seq", "SELECT * FROM span"},
    {"draw", {"command"}, "opcode", "SELECT * FROM command WHERE name LIKE 'DRAW%'"},
    {"span",
     {"span_segment"},
     "span_id",
     "SELECT span_id, min(name) AS name, min(parent_span_id) AS parent_span_id,"
     " min(start_ns) AS start_ns, max(end_ns) AS end_ns, sum(duration_ns) AS busy_ns,"
     " count(*) AS segments FROM span_segment GROUP BY span_id"},
    {"entity",
     {"creature", "projectile", "secondary_projectile", "bonus"},
     "pool_kind",
     ENTITY(creature) " UNION ALL " ENTITY(projectile) " UNION ALL " ENTITY(
         secondary_projectile) " UNION ALL SELECT seq, tick, pool_kind, uid, generation, \"index\","
                               " active, bonus_id, pos_x, pos_y FROM bonus"},
};

const struct sql_view *sql_view_at(size_t i)
{
    return i < sizeof view_rows / sizeof *view_rows ? &view_rows[i] : NULL;
}

bool catalog_add_views(struct catalog *c, const char *schema, const struct ras_tables *tables)
{
    const struct sql_view *row;
    for (size_t i = 0; (row = sql_view_at(i)) != NULL; i++) {
        if (sql_view_fits(row, tables) &&
            !catalog_add(c,
                         &(struct sql_table){
                             .shown = {.schema = schema, .name = row->name, .view = row->select}}))
            return false;
    }
    return true;
}
