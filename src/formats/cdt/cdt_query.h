/* cdt_query.h - `ticks where L OP R` and `entities where L OP R`, as the format's own tool has
 * them: one condition, Python's literals, and its comparisons. */
#ifndef CDT_QUERY_H
#define CDT_QUERY_H

#include "formats/cdt/cdt_compare.h"

enum query_op { QUERY_EQ, QUERY_NE, QUERY_GE, QUERY_LE, QUERY_GT, QUERY_LT };
enum operand_kind { OPERAND_LITERAL, OPERAND_FIELD, OPERAND_PREV };

struct operand {
    enum operand_kind kind;
    struct ras_bytes text;   /* as it was written */
    struct ras_bytes path;   /* of a field, in the expression: names with dots between them */
    struct document literal; /* its value */
};

struct query {
    bool entities; /* else ticks */
    enum query_op op;
    struct operand operands[2];
};

/* What Python strips, of ASCII. */
static inline bool query_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* RAS_EREFUSED with the tool's words. The text is borrowed. */
int query_parse(struct query *, const char *text, struct ras_error *) RAS_CHECKED;
void query_free(struct query *);

/* A Python literal: numbers, strings, True, False, None, lists, dicts. Tuples, sets and
 * bytes equal nothing that a trace holds: a RAS_BLOB of their text. False: it is none. */
bool python_literal(struct ras_bytes text, struct document *);
/* What float() makes of a text; false: nothing. */
bool python_float(struct ras_bytes text, double *);

/* L OP R, with Python's values: as numbers where both are, text that reads as one too;
 * else == and != by value; else by their text. False, too, when memory is short. */
bool query_holds(enum query_op, const struct ras_value *left, const struct ras_value *right);
#endif
