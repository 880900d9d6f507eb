/* cdt_query.h - `ticks where L OP R` and `entities where L OP R`, as in the reference tool: one
 * condition, Python's literals, and its comparisons. */
#ifndef CDT_QUERY_H
#define CDT_QUERY_H

#include "formats/cdt/cdt_compare.h"

enum query_op { QUERY_EQ, QUERY_NE, QUERY_GE, QUERY_LE, QUERY_GT, QUERY_LT };
enum operand_kind { OPERAND_LITERAL, OPERAND_FIELD, OPERAND_PREV };

struct operand {
    enum operand_kind kind;
    struct ras_bytes text;   /* as it was written */
    struct ras_bytes path;   /* of a field, in the expression: names separated by dots */
    struct document literal; /* its value */
};

struct query {
    bool entities; /* otherwise ticks */
    enum query_op op;
    struct operand operands[2];
};

/* The ASCII characters that Python strips. */
static inline bool query_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* RAS_EREFUSED with the text of the reference tool. The query's text is borrowed. */
int query_parse(struct query *, const char *text, struct ras_error *) RAS_CHECKED;
void query_free(struct query *);

/* A Python literal: numbers, strings, True, False, None, lists, dicts. Tuples, sets and bytes equal
 * nothing in a trace: they become a RAS_BLOB of their text. False: not a literal. */
bool python_literal(struct ras_bytes text, struct document *);
/* What float() returns for a text; false: it raises. */
bool python_float(struct ras_bytes text, double *);

/* L OP R with Python's values: as numbers if both are, or are texts that float() accepts; else ==
 * and != by value; else by their text. Also false if out of memory. */
bool query_holds(enum query_op, const struct ras_value *left, const struct ras_value *right);
#endif
