/* sqlite_plan.h - how a statement reads a table: what xBestIndex decides, and xFilter executes. */
#ifndef SQL_SQLITE_PLAN_H
#define SQL_SQLITE_PLAN_H

#include "sql/sqlite_module.h"

enum { PLAN_CONDITIONS = 24, PLAN_KEYS = 8 };

/* A condition, whose value is the argument of the same index. */
struct plan_condition {
    uint16_t column;
    uint8_t op; /* enum ras_test_op */
    bool fixed; /* a constant of the statement */
};

struct plan {
    uint64_t used; /* columns, as sqlite3_index_info has them */
    uint32_t condition_count, key_count;
    struct plan_condition conditions[PLAN_CONDITIONS];
    struct plan_key {
        uint16_t column;
        bool desc;
    } keys[PLAN_KEYS]; /* rows come sorted by these: grouped; none: as they are stored */
};

/* How often a plan was executed, and how long that took. */
struct plan_use {
    uint64_t statement;
    uint64_t runs, spent_ns;
};

/* A virtual table. */
struct module_table {
    sqlite3_vtab base;
    struct module *module;
    const struct sql_table *table;
    struct module_table *next;
    struct plan *plans; /* each one once: its index is idxNum */
    struct plan_use *uses;
    size_t plan_count, plan_room, use_room;
    struct copy *copies;
    uint64_t rows;        /* estimated */
    struct sql_table own; /* where the table is made by the extension */
};

int plan_choose(struct module_table *, sqlite3_index_info *);
/* Column kinds that can be compared and grouped here. */
bool plan_is_integer(const struct ras_column_about *);
bool plan_is_keyed(const struct ras_column_about *);
#endif
