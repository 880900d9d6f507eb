/* where_tree.h - a parsed expression: nodes, operands, and what they mean for a schema. */
#ifndef OPS_WHERE_WHERE_TREE_H
#define OPS_WHERE_WHERE_TREE_H

#include "base/error.h"
#include "base/memory.h"
#include "codec/regex.h"
#include <rastrum/rastrum.h>

enum {
    WHERE_LENGTH_MAX = 65536, /* bytes of an expression */
    WHERE_DEPTH_MAX = 64,     /* of parentheses and not */
    WHERE_ROOTS_MAX = 256,    /* different fields */
    WHERE_STEPS_MAX = 32,     /* of one path */
};

/* ---- tokens ------------------------------------------------------------------------ */

enum where_word {
    WORD_END,
    WORD_NAME,   /* a field */
    WORD_QUOTED, /* a field between backticks */
    WORD_TEXT,   /* a string */
    WORD_BYTES,
    WORD_NUMBER,
    WORD_TIME, /* depends on the trace: +250ms, 2026-01-31 */
    WORD_AND,
    WORD_OR,
    WORD_NOT,
    WORD_IN,
    WORD_IS,
    WORD_HAS,
    WORD_MISSING,
    WORD_NULL,
    WORD_TRUE,
    WORD_FALSE,
    WORD_EQ,
    WORD_NE,
    WORD_LT,
    WORD_LE,
    WORD_GT,
    WORD_GE,
    WORD_LIKE,
    WORD_UNLIKE,
    WORD_OPEN,
    WORD_CLOSE,
    WORD_LIST,
    WORD_LIST_END,
    WORD_COMMA,
    WORD_DOT,
    WORD_TO, /* .. */
};

struct where_token {
    enum where_word word;
    const char *at; /* as written */
    size_t len;
    struct ras_value value; /* of a number, a string or bytes; a name's text */
};

struct where_lexer {
    const char *start, *at;
    struct arena *arena;
    struct where_token token; /* the current token */
    struct ras_error *err;
    int status;
};

/* Read the next token; false: it is invalid, and reported. */
bool where_next(struct where_lexer *);
/* The column of a place, in characters from 1 on. */
size_t where_column(const struct where_lexer *, const char *at);
/* "column 12: ..."; false. */
bool where_wrong(struct where_lexer *, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- the expression -------------------------------------------------------------------- */

/* Members of the record's header. */
enum where_header {
    HEADER_TYPE,
    HEADER_SEQ,
    HEADER_TIME,
    HEADER_TICK,
    HEADER_STREAM,
    HEADER_OFFSET,
    HEADER_PARENT,
    HEADER_COUNT,
};

extern const char *const where_headers[HEADER_COUNT]; /* their names */

enum where_from { FROM_WRITTEN, FROM_HEADER, FROM_FIELD };

/* A step into a list or a map. */
struct where_step {
    const char *key; /* NULL: an index */
    size_t len;
    uint64_t index;
};

struct where_operand {
    enum where_from from;
    struct ras_value value; /* FROM_WRITTEN */
    const char *time;       /* its text, where the value depends on the trace */
    size_t column;          /* its position */
    struct where_operand *next_time;
    bool is_hex; /* a string "0x...": also a number, where one is shown like that */
    uint64_t hex;
    enum where_header header;
    size_t root; /* FROM_FIELD: of the names the expression has */
    struct where_step *steps;
    size_t step_count;
};

/* Of a list: a value, or those from one up to, but not including, another. */
struct where_item {
    struct where_operand *from, *to;
};

enum where_op {
    WHERE_OR,
    WHERE_AND,
    WHERE_NOT,
    WHERE_EQ,
    WHERE_NE,
    WHERE_LT,
    WHERE_LE,
    WHERE_GT,
    WHERE_GE,
    WHERE_EQ_LIST,
    WHERE_NE_LIST,
    WHERE_IN,       /* the items */
    WHERE_IN_VALUE, /* a list or map of the record */
    WHERE_LIKE,
    WHERE_UNLIKE,
    WHERE_HAS,
    WHERE_IS_NULL,
    WHERE_TRUTH, /* the operand itself */
};

struct where_node {
    enum where_op op;
    struct where_node *left, *right;
    const struct where_operand *a, *b;
    struct where_item *items;
    size_t item_count;
    struct regex *regex;
    struct where_node *next_regex;
};

/* The result of a node that is known before a record is read. */
enum where_verdict { VERDICT_OPEN, VERDICT_NO, VERDICT_YES };

/* The expression for one schema. */
struct where_binding {
    bool known;
    enum where_verdict verdict;
    const struct ras_schema *schema;
    uint16_t *roots; /* by field: the root + 1; 0: not requested */
    size_t found;    /* how many of the roots it has */
};

struct ras_where {
    struct arena arena;
    char *text;
    struct where_node *top;
    struct where_node *regexes;
    struct where_operand *times;
    const char *roots[WHERE_ROOTS_MAX];
    size_t root_count;
    struct where_binding *bindings; /* by schema */
    size_t binding_count, binding_room;
    /* of the current record */
    const struct where_binding *binding;
    const struct ras_record *record;
    const struct ras_cursor *cursor;
    bool cells_found;
    const struct ras_value *cells[WHERE_ROOTS_MAX];
    unsigned flags[WHERE_ROOTS_MAX]; /* enum ras_field_flags */
};

/* A value as it is compared. */
struct where_value {
    const struct ras_value *cell; /* NULL: there is none */
    unsigned flags;               /* enum ras_field_flags of its field */
    bool written;
};

/* where_test.c */
enum where_order { ORDER_LESS = -1, ORDER_EQUAL = 0, ORDER_GREATER = 1, ORDER_NONE };
enum where_order where_compare(const struct where_value *, const struct where_value *);

bool where_test(struct ras_where *, const struct where_node *);
#endif
