/* sqlite_plan.c - how a statement reads a table: conditions, order and groups that it leaves to us.
 *
 * Conditions only narrow what is read: SQLite checks each of them again, and so decides about texts
 * that look like numbers, reals and NULL. */
#include "sql/sqlite_plan.h"

#include <string.h>

bool plan_is_integer(const struct ras_column_about *column)
{
    return column->type <= RAS_T_I64;
}

bool plan_is_keyed(const struct ras_column_about *column)
{
    return plan_is_integer(column) || column->type == RAS_T_TEXT;
}

static int op_of(int op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return RAS_TEST_EQ;
    case SQLITE_INDEX_CONSTRAINT_LT:
        return RAS_TEST_LT;
    case SQLITE_INDEX_CONSTRAINT_LE:
        return RAS_TEST_LE;
    case SQLITE_INDEX_CONSTRAINT_GT:
        return RAS_TEST_GT;
    case SQLITE_INDEX_CONSTRAINT_GE:
        return RAS_TEST_GE;
    case SQLITE_INDEX_CONSTRAINT_NE:
        return RAS_TEST_NE;
    case SQLITE_INDEX_CONSTRAINT_ISNULL:
        return RAS_TEST_IS_NULL;
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
        return RAS_TEST_NOT_NULL;
    default:
        return -1;
    }
}

/* Whether a condition can narrow what is read. */
static bool is_usable(const struct module_table *t, sqlite3_index_info *info, int i)
{
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    int op = op_of(c->op);
    if (!c->usable || op < 0 || c->iColumn < 0)
        return false;
    const struct ras_column_about *column = &t->table->shown.columns[c->iColumn];
    if (op == RAS_TEST_IS_NULL || op == RAS_TEST_NOT_NULL)
        return true;
    if (plan_is_integer(column))
        return true;
    const char *collation = sqlite3_vtab_collation(info, i);
    return column->type == RAS_T_TEXT && op == RAS_TEST_EQ && collation &&
           !sqlite3_stricmp(collation, "BINARY");
}

/* How much of the table a condition leaves, as a divisor. */
static double narrowing(const struct plan_condition *c, const struct ras_column_about *column)
{
    if (c->op == RAS_TEST_EQ)
        return column->axis != RAS_AXIS_NONE ? 1000 : 100;
    return c->op == RAS_TEST_IN ? 20 : c->op == RAS_TEST_NE || c->op == RAS_TEST_NOT_NULL ? 1.1 : 2;
}

static void choose_conditions(const struct module_table *t, sqlite3_index_info *info,
                              struct plan *plan, double *left)
{
    for (int i = 0; i < info->nConstraint && plan->condition_count < PLAN_CONDITIONS; i++) {
        if (!is_usable(t, info, i))
            continue;
        struct plan_condition *c = &plan->conditions[plan->condition_count++];
        sqlite3_value *value;
        c->column = (uint16_t)info->aConstraint[i].iColumn;
        c->op = (uint8_t)op_of(info->aConstraint[i].op);
        c->fixed =
            c->op >= RAS_TEST_IS_NULL || sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK;
        if (c->op == RAS_TEST_EQ && sqlite3_vtab_in(info, i, -1) && sqlite3_vtab_in(info, i, 1))
            c->op = RAS_TEST_IN;
        info->aConstraintUsage[i].argvIndex = (int)plan->condition_count;
        info->aConstraintUsage[i].omit = 0;
        *left /= narrowing(c, &t->table->shown.columns[c->column]);
    }
}

/* A list of IN is taken as a whole: a plan does not depend on its items. */
static bool depends_on_others(const struct plan *plan)
{
    for (size_t i = 0; i < plan->condition_count; i++)
        if (!plan->conditions[i].fixed && plan->conditions[i].op != RAS_TEST_IN)
            return true;
    return false;
}

/* GROUP BY and DISTINCT: rows come sorted by these columns. */
static bool choose_groups(const struct module_table *t, sqlite3_index_info *info, struct plan *plan)
{
    const struct module *m = t->module;
    if (!info->nOrderBy || info->nOrderBy > PLAN_KEYS || !sqlite3_vtab_distinct(info) ||
        m->ungrouped || m->options.no_grouping || depends_on_others(plan))
        return false;
    for (int i = 0; i < info->nOrderBy; i++)
        if (info->aOrderBy[i].iColumn < 0 ||
            !plan_is_keyed(&t->table->shown.columns[info->aOrderBy[i].iColumn]))
            return false;
    for (int i = 0; i < info->nOrderBy; i++)
        plan->keys[i] =
            (struct plan_key){(uint16_t)info->aOrderBy[i].iColumn, info->aOrderBy[i].desc != 0};
    plan->key_count = (uint32_t)info->nOrderBy;
    return true;
}

/* ORDER BY seq, or by an axis on which this table never descends: the order of the trace. */
static bool is_stored_order(const struct module_table *t, const sqlite3_index_info *info)
{
    if (info->nOrderBy != 1 || info->aOrderBy[0].desc || info->aOrderBy[0].iColumn < 0 ||
        t->table->member_count != 1)
        return false;
    const struct ras_column_about *column = &t->table->shown.columns[info->aOrderBy[0].iColumn];
    if (column->axis == RAS_AXIS_SEQ)
        return true;
    return column->axis != RAS_AXIS_NONE && !(column->flags & RAS_NULLABLE) &&
           t->table->members[0].about->ascends >> column->axis & 1;
}

/* The index of a plan, which is kept once. -1: memory is short. */
static int plan_index(struct module_table *t, const struct plan *plan)
{
    for (size_t i = 0; i < t->plan_count; i++)
        if (!memcmp(&t->plans[i], plan, sizeof *plan))
            return (int)i;
    size_t need = t->plan_count + 1;
    if (!array_grow(&t->plans, &t->plan_room, need, sizeof *t->plans) ||
        !array_grow(&t->uses, &t->use_room, need, sizeof *t->uses))
        return -1;
    t->plans[t->plan_count] = *plan;
    t->uses[t->plan_count] = (struct plan_use){0};
    return (int)t->plan_count++;
}

/* For EXPLAIN QUERY PLAN. */
static char *plan_text(const struct module_table *t, const struct plan *plan)
{
    static const char *const ops[] = {"=",  "<>",       "<",         "<=", ">",
                                      ">=", " IS NULL", " NOT NULL", " IN"};
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (size_t i = 0; i < plan->condition_count; i++)
        sqlite3_str_appendf(text, "%s%s%s", i ? " " : "",
                            t->table->shown.columns[plan->conditions[i].column].name,
                            ops[plan->conditions[i].op]);
    for (size_t i = 0; i < plan->key_count; i++)
        sqlite3_str_appendf(text, "%s%s%s", i ? ", " : " GROUPED BY ",
                            t->table->shown.columns[plan->keys[i].column].name,
                            plan->keys[i].desc ? " DESC" : "");
    return sqlite3_str_finish(text);
}

/* A lookup by key is cheap once there is a copy, and so is a place on an axis; otherwise the whole
 * table is read. */
static double plan_cost(const struct module_table *t, const struct plan *plan, double left)
{
    bool is_narrow = false;
    for (size_t i = 0; i < plan->condition_count; i++) {
        const struct plan_condition *c = &plan->conditions[i];
        is_narrow = is_narrow || (c->op == RAS_TEST_EQ &&
                                  (!c->fixed || t->table->shown.columns[c->column].axis));
    }
    return is_narrow ? 20 + left : (double)t->rows + left;
}

int plan_choose(struct module_table *t, sqlite3_index_info *info)
{
    struct plan plan;
    double left = (double)t->rows;
    memset(&plan, 0, sizeof plan);
    plan.used = info->colUsed;
    if (!t->module->options.no_push_down)
        choose_conditions(t, info, &plan, &left);
    bool grouped = choose_groups(t, info, &plan);
    info->orderByConsumed = grouped || is_stored_order(t, info);
    info->estimatedRows = left < 1 ? 1 : (sqlite3_int64)left;
    info->estimatedCost = plan_cost(t, &plan, left);
    info->idxNum = plan_index(t, &plan);
    if (info->idxNum < 0)
        return SQLITE_NOMEM;
    info->idxStr = plan_text(t, &plan);
    info->needToFreeIdxStr = 1;
    return SQLITE_OK;
}
