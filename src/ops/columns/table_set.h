/* table_set.h - the tables of a trace as its files share them: where each column comes from. */
#ifndef OPS_COLUMNS_TABLE_SET_H
#define OPS_COLUMNS_TABLE_SET_H

#include "base/memory.h"
#include <rastrum/columns.h>
#include <rastrum/rundir.h>

enum {
    COLUMNS_MOST = 2000,        /* of a table; beyond them its fields are one column of JSON */
    TABLES_MOST = 10000,        /* of a trace; beyond them it has only `record` */
    ALL_COLUMNS_MOST = 1 << 20, /* of all tables */
    NAME_MOST = 1000,           /* bytes of a name */
    NEST_MOST = 8,              /* maps inside each other whose members are columns */
};

/* What a column is filled from. */
enum column_from {
    FROM_TRACE_NAME, /* ras_tables_options.trace */
    FROM_SEQ,
    FROM_TIME,
    FROM_TICK,
    FROM_RUN_TICK,
    FROM_STREAM,
    FROM_OFFSET,
    FROM_PARENT,
    FROM_PART,
    FROM_RAW,
    FROM_TYPE,   /* the name of the record's type */
    FROM_SIZE,   /* its bytes */
    FROM_VALUES, /* all values, as JSON */
    FROM_FIELD,  /* a value, or one inside a map */
    FROM_WORD,   /* the word for a code */
    FROM_IDX,    /* child tables: place in the list, key in the map, the item */
    FROM_KEY,
    FROM_ITEM,
    FROM_CELL,  /* tables that are made as a whole */
    FROM_ALIAS, /* another name of the column `alias_of`, whose buffer it shares */
};

/* The kinds of fields that became one column. */
struct kinds_seen {
    uint16_t kinds; /* 1 << enum ras_kind */
    uint8_t uint_bits, int_bits;
    const struct ras_field *first; /* that had the name */
    bool differ;                   /* a later one describes other items */
    unsigned schemas;              /* that have the field */
};

struct column_def {
    enum column_from from;
    struct kinds_seen seen;
};

/* Where the values of a schema's field go: a column, or for a map the members inside. */
struct bind {
    int32_t column; /* -1: none */
    int32_t word;   /* of the code, too; -1: none */
    uint32_t inner; /* of `binds`; 0: it is a value */
    uint32_t inner_count;
};
struct binding {
    uint32_t schema;
    struct bind *binds; /* the fields of the schema, then members */
    size_t count, room;
};

struct table;
typedef int table_make(struct ras_tables *, struct table *, struct ras_error *);

struct table {
    struct ras_table_about about;
    struct ras_column_about *columns;
    struct column_def *defs;
    size_t count, room, def_room;
    size_t common;            /* columns before the first field */
    bool is_dynamic;          /* defined by the trace */
    bool is_all;              /* `record` */
    bool is_wide;             /* too many columns: one of JSON */
    struct binding *bindings; /* of each schema; a child table uses those of its parent */
    size_t binding_count, binding_room;
    /* Child: the table with the list, and its column there. */
    const struct table *parent;
    uint16_t parent_column;
    /* The members of its items: as the one binding. */
    struct binding items;
    /* Tables made as a whole: rows of `count` cells. `make` makes them when they are read. */
    table_make *make;
    struct ras_value *cells;
    size_t cell_count, cell_room;
    uint64_t row_count;
    bool made, nomem;
    struct ras_value spare; /* what is put when memory is short */
};

/* Texts and the index of each, by hash; the texts are the caller's. */
struct name_slot {
    uint64_t hash;
    const char *text;
    uint32_t index;
    uint32_t twins; /* further names that are equal to it */
};
struct name_table {
    struct name_slot *slots;
    size_t size, count;
};
/* The index of a text; UINT32_MAX: it is not there. With `fold` ASCII letters of both cases are
 * equal: in a table all calls are with it, or all without. */
uint32_t name_table_find(const struct name_table *, const char *text, bool fold);
bool name_table_add(struct name_table *, const char *text, bool fold, uint32_t index);
void name_table_free(struct name_table *);

struct ras_tables {
    struct ras_trace *trace;
    bool owns_trace;
    const struct ras_rundir *run;
    size_t pen;
    const char *trace_name;
    struct table **tables;
    size_t count, room;
    size_t fixed;            /* tables whose names are the format's or the library's */
    size_t columns;          /* of all */
    struct name_table names; /* folded */
    struct arena texts;
    struct ras_stats *stats, *tree;
    struct ras_info *info;
    uint64_t *records; /* by schema, of the survey; NULL: there was none */
    size_t schema_count;
};

/* ---- table_names.c: names ------------------------------------------------------- */

/* A name by the rules for names: empty, long, or with NUL; the text as it is where it is fine.
 * NULL: memory is short. */
const char *name_plain(struct arena *, const char *text);
/* The same with "~2", "~3" ... where the table has it already, folded; it is added with index. */
const char *name_take(struct arena *, struct name_table *, const char *text, uint32_t index);
/* "a" and "b" with text between them. NULL: memory is short. */
const char *name_join(struct arena *, const char *a, const char *between, const char *b);
/* Whether a type that a trace defines may not have the name for itself. */
bool name_reserved(const struct ras_tables *, const char *name);

/* ---- table_columns.c: the columns of a table ------------------------------------- */

struct ras_column_about *table_add(struct ras_tables *, struct table *, enum column_from,
                                   const char *name, enum ras_type, unsigned flags);
/* The columns that every table of records begins with. */
bool table_add_common(struct ras_tables *, struct table *);
/* The columns of all schemas of one name, and what each field fills. */
bool table_bind(struct ras_tables *, struct table *, const uint32_t *schemas, size_t count);
/* The tables of the lists and maps in it, which are added to the tables. */
bool table_add_children(struct ras_tables *, struct table *);

/* ---- tables.c -------------------------------------------------------------------- */

/* A table without columns, with a name as given; NULL: memory is short. */
struct table *tables_add(struct ras_tables *, const char *name, enum ras_table_kind);
struct table *tables_find(const struct ras_tables *, const char *name);

/* ---- table_made.c: tables made as a whole ------------------------------------------ */

bool tables_add_system(struct ras_tables *);
int tables_add_stats(struct ras_tables *, ras_progress *, void *user, struct ras_error *);
#endif
