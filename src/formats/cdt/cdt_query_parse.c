/* cdt_query_parse.c - the grammar of a query: scope, condition, operands. */
#include "formats/cdt/cdt_query.h"

static struct ras_bytes strip(struct ras_bytes t)
{
    while (t.len && query_space(t.at[t.len - 1]))
        t.len--;
    while (t.len && query_space(*t.at))
        t.at++, t.len--;
    return t;
}

static struct ras_bytes from(struct ras_bytes t, size_t n)
{
    return (struct ras_bytes){t.at + n, t.len - n};
}

static bool starts(struct ras_bytes t, const char *word)
{
    size_t n = strlen(word);
    return t.len >= n && !memcmp(t.at, word, n);
}

static bool is_word(struct ras_bytes t, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < n && t.len == n; i++)
        if ((t.at[i] | 32) != word[i])
            return false;
    return t.len == n;
}

static size_t spaces(struct ras_bytes t)
{
    size_t n = 0;
    while (n < t.len && query_space(t.at[n]))
        n++;
    return n;
}

/* "ticks where " or "entities where ", then anything on the same line. */
static bool read_scope(struct ras_bytes text, bool *entities, struct ras_bytes *condition)
{
    size_t length = text.len;
    while (length && query_space(text.at[length - 1]))
        length--;
    struct ras_bytes t = from(text, spaces(text));
    *entities = starts(t, "entities");
    if (!*entities && !starts(t, "ticks"))
        return false;
    t = from(t, strlen(*entities ? "entities" : "ticks"));
    size_t gap = spaces(t);
    t = from(t, gap);
    if (!gap || !starts(t, "where"))
        return false;
    t = from(t, strlen("where"));
    gap = spaces(t);
    *condition = strip(from(t, gap));
    if (condition->len)
        return gap && !memchr(condition->at, '\n', condition->len);
    /* Of blanks alone one is the gap and another would be the condition. */
    return gap > 1;
}

/* The leftmost operator that leaves something on both sides. */
static bool read_operator(struct ras_bytes condition, enum query_op *op, struct ras_bytes *sides)
{
    static const char *const names[] = {"==", "!=", ">=", "<=", ">", "<"};
    for (size_t i = 1; i < condition.len; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            struct ras_bytes rest = from(condition, i);
            if (!starts(rest, names[k]) || rest.len == strlen(names[k]))
                continue;
            *op = (enum query_op)k;
            sides[0] = strip((struct ras_bytes){condition.at, i});
            sides[1] = strip(from(rest, strlen(names[k])));
            return true;
        }
    return false;
}

static int read_operand(struct operand *o, struct ras_bytes text, struct ras_error *err)
{
    struct document *d = &o->literal;
    o->text = text;
    if (starts(text, "prev(") && text.at[text.len - 1] == ')') {
        o->kind = OPERAND_PREV;
        o->path = strip((struct ras_bytes){text.at + 5, text.len - 6});
        return o->path.len ? RAS_OK
                           : fail(err, RAS_EREFUSED, RAS_NONE, "empty prev(...) field path");
    }
    o->kind = OPERAND_LITERAL;
    if (is_word(text, "true") || is_word(text, "false"))
        document_bool(d, is_word(text, "true"));
    else if (is_word(text, "none") || is_word(text, "null"))
        document_null(d);
    else if (!python_literal(text, d)) {
        document_cut(d, 0);
        o->kind = OPERAND_FIELD;
        o->path = text;
    }
    return d->cells.nomem ? fail_memory(err) : RAS_OK;
}

int query_parse(struct query *q, const char *text, struct ras_error *err)
{
    struct ras_bytes all = {(const uint8_t *)text, strlen(text)}, condition, sides[2];
    *q = (struct query){0};
    if (!read_scope(all, &q->entities, &condition))
        return fail(err, RAS_EREFUSED, RAS_NONE,
                    "expression must start with 'ticks where ...' or 'entities where ...'");
    if (!read_operator(condition, &q->op, sides))
        return fail(err, RAS_EREFUSED, RAS_NONE,
                    "expression condition must use one of: == != >= <= > <");
    int status = read_operand(&q->operands[0], sides[0], err);
    return status < 0 ? status : read_operand(&q->operands[1], sides[1], err);
}

void query_free(struct query *q)
{
    document_free(&q->operands[0].literal);
    document_free(&q->operands[1].literal);
}
