/* where_parse.c - the grammar of an expression.
 *
 *   or      = and { "or" and }
 *   and     = not { "and" not }
 *   not     = "not" not | "(" or ")" | "has" "(" path ")" | test
 *   test    = operand [ ("==" | "!=" | "<" | "<=" | ">" | ">=") (operand | list)
 *                     | ["not"] "in" (list | range | path) | ("~" | "!~") string
 *                     | "is" ["not"] ("missing" | "null") ]
 *   list    = "[" [ item { "," item } ] "]", or between parentheses
 *   item    = literal | range; range = literal ".." literal
 *   path    = name { "." name | "[" (integer | string) "]" } */
#include "base/in.h"
#include "base/memory.h"
#include "ops/where/where_tree.h"

#include <stdlib.h>

struct parser {
    struct where_lexer lexer;
    struct ras_where *where;
    unsigned depth;
};

const char *const where_headers[HEADER_COUNT] = {
    [HEADER_TYPE] = "type",     [HEADER_SEQ] = "seq",       [HEADER_TIME] = "time_ns",
    [HEADER_TICK] = "tick",     [HEADER_STREAM] = "stream", [HEADER_OFFSET] = "offset",
    [HEADER_PARENT] = "parent",
};

static struct where_node *parse_or(struct parser *);
static struct where_node *parse_not(struct parser *);

/* ---- small things --------------------------------------------------------------------- */

static void *take(struct parser *p, size_t size)
{
    void *at = arena_take(&p->where->arena, size);
    if (at)
        memset(at, 0, size);
    else if (p->lexer.status == RAS_OK)
        p->lexer.status = fail_memory(p->lexer.err);
    return at;
}

static bool is_word(const struct parser *p, enum where_word word)
{
    return p->lexer.token.word == word;
}

/* Skip the word if it is there and set *found. False: the next token is invalid. */
static bool pass(struct parser *p, enum where_word word, bool *found)
{
    *found = is_word(p, word);
    return !*found || where_next(&p->lexer);
}

/* Report an unexpected token. */
static void *unexpected(struct parser *p, const char *wanted)
{
    const struct where_token *t = &p->lexer.token;
    if (t->word == WORD_END)
        where_wrong(&p->lexer, t->at, "the expression ends, expected %s", wanted);
    else
        where_wrong(&p->lexer, t->at, "expected %s, not '%.*s'", wanted,
                    (int)(t->len > 40 ? 40 : t->len), t->at);
    return NULL;
}

static bool expect(struct parser *p, enum where_word word, const char *wanted)
{
    if (is_word(p, word))
        return where_next(&p->lexer);
    unexpected(p, wanted);
    return false;
}

static struct where_node *make(struct parser *p, enum where_op op)
{
    struct where_node *n = take(p, sizeof *n);
    if (n)
        n->op = op;
    return n;
}

/* ---- paths ------------------------------------------------------------------------------ */

static bool add_root(struct parser *p, const char *name, size_t len, size_t *root)
{
    struct ras_where *w = p->where;
    for (*root = 0; *root < w->root_count; ++*root)
        if (strlen(w->roots[*root]) == len && !memcmp(w->roots[*root], name, len))
            return true;
    if (w->root_count == WHERE_ROOTS_MAX)
        return where_wrong(&p->lexer, p->lexer.token.at, "it names more than %d fields",
                           WHERE_ROOTS_MAX);
    char *copy = take(p, len + 1);
    if (!copy)
        return false;
    memcpy(copy, name, len);
    w->roots[w->root_count++] = copy;
    return true;
}

static bool is_text(const struct ras_value *v, const char *text)
{
    return v->count == strlen(text) && !memcmp(v->at, text, v->count);
}

/* .name, [3] or ["key"]. */
static bool parse_step(struct parser *p, struct where_step *step)
{
    bool bracket = is_word(p, WORD_LIST);
    if (!where_next(&p->lexer))
        return false;
    const struct where_token t = p->lexer.token;
    *step = (struct where_step){.key = t.value.at, .len = t.value.count};
    if (!bracket) {
        /* After a dot every word is a name. */
        bool name = t.word == WORD_NAME || t.word == WORD_QUOTED ||
                    (t.word >= WORD_AND && t.word <= WORD_FALSE && t.value.kind == RAS_STR);
        if (!name)
            unexpected(p, "a name");
        return name && where_next(&p->lexer);
    }
    if (t.word == WORD_NUMBER && t.value.kind == RAS_UINT)
        *step = (struct where_step){.index = t.value.u};
    else if (t.word != WORD_TEXT) {
        unexpected(p, "a number from 0 on or a string");
        return false;
    }
    return where_next(&p->lexer) && expect(p, WORD_LIST_END, "']'");
}

static bool parse_steps(struct parser *p, struct where_operand *o)
{
    struct where_step steps[WHERE_STEPS_MAX];
    while (is_word(p, WORD_DOT) || is_word(p, WORD_LIST)) {
        if (o->step_count == WHERE_STEPS_MAX)
            return where_wrong(&p->lexer, p->lexer.token.at, "the path has more than %d steps",
                               WHERE_STEPS_MAX);
        if (!parse_step(p, &steps[o->step_count]))
            return false;
        o->step_count++;
    }
    if (!o->step_count)
        return true;
    o->steps = take(p, o->step_count * sizeof *o->steps);
    if (o->steps)
        memcpy(o->steps, steps, o->step_count * sizeof *steps);
    return o->steps;
}

/* The record's own names come first, as in its JSON; values.NAME is a field in any case. */
static struct where_operand *parse_path(struct parser *p)
{
    struct where_operand *o = take(p, sizeof *o);
    const struct where_token first = p->lexer.token;
    if (!o || !where_next(&p->lexer))
        return NULL;
    const struct ras_value *name = &first.value;
    for (unsigned i = 0; first.word == WORD_NAME && i < HEADER_COUNT; i++)
        if (is_text(name, where_headers[i])) {
            o->from = FROM_HEADER;
            o->header = (enum where_header)i;
            return o;
        }
    o->from = FROM_FIELD;
    struct where_step step = {.key = name->at, .len = name->count};
    if (first.word == WORD_NAME && is_text(name, "values") && is_word(p, WORD_DOT) &&
        !parse_step(p, &step))
        return NULL;
    if (!add_root(p, step.key, step.len, &o->root) || !parse_steps(p, o))
        return NULL;
    return o;
}

/* ---- values ------------------------------------------------------------------------------ */

static void see_hex(struct where_operand *o)
{
    const uint8_t *at = o->value.at;
    if (o->value.count < 3 || o->value.count > 18 || at[0] != '0' || at[1] != 'x')
        return;
    for (uint32_t i = 2; i < o->value.count; i++) {
        if (hex_digit(at[i]) < 0)
            return;
        o->hex = o->hex << 4 | (uint64_t)hex_digit(at[i]);
    }
    o->is_hex = true;
}

static struct where_operand *parse_literal(struct parser *p)
{
    struct where_operand *o = take(p, sizeof *o);
    const struct where_token t = p->lexer.token;
    if (!o)
        return NULL;
    switch (t.word) {
    case WORD_TEXT:
    case WORD_BYTES:
    case WORD_NUMBER:
        o->value = t.value;
        if (t.word == WORD_TEXT)
            see_hex(o);
        break;
    case WORD_TIME:
        o->value = (struct ras_value){.kind = RAS_UINT};
        o->time = t.value.at;
        o->column = where_column(&p->lexer, t.at);
        o->next_time = p->where->times;
        p->where->times = o;
        break;
    case WORD_TRUE:
    case WORD_FALSE:
        o->value = (struct ras_value){.kind = RAS_BOOL, .u = t.word == WORD_TRUE};
        break;
    case WORD_NULL:
        o->value = (struct ras_value){.kind = RAS_NULL};
        break;
    default:
        return unexpected(p, "a value");
    }
    return where_next(&p->lexer) ? o : NULL;
}

static struct where_operand *parse_operand(struct parser *p)
{
    if (is_word(p, WORD_NAME) || is_word(p, WORD_QUOTED))
        return parse_path(p);
    return parse_literal(p);
}

/* ---- lists --------------------------------------------------------------------------------- */

static bool parse_item(struct parser *p, struct where_item *item)
{
    bool to;
    *item = (struct where_item){.from = parse_literal(p)};
    if (!item->from || !pass(p, WORD_TO, &to))
        return false;
    if (to)
        item->to = parse_literal(p);
    return !to || item->to;
}

static bool parse_list(struct parser *p, struct where_node *n)
{
    enum where_word end = is_word(p, WORD_LIST) ? WORD_LIST_END : WORD_CLOSE;
    struct where_item *items = NULL;
    size_t count = 0, room = 0;
    bool more = true, fine = where_next(&p->lexer);
    while (fine && more && !is_word(p, end)) {
        fine = array_grow(&items, &room, count + 1, sizeof *items);
        if (!fine)
            p->lexer.status = fail_memory(p->lexer.err);
        fine = fine && parse_item(p, &items[count++]) && pass(p, WORD_COMMA, &more);
    }
    fine = fine && expect(p, end, end == WORD_CLOSE ? "',' or ')'" : "',' or ']'");
    n->items = fine ? take(p, (count + 1) * sizeof *items) : NULL;
    for (size_t i = 0; n->items && i < count; i++)
        n->items[i] = items[i];
    n->item_count = count;
    free(items);
    return n->items;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static struct where_node *negate(struct parser *p, struct where_node *n, bool negated)
{
    struct where_node *not = n && negated ? make(p, WHERE_NOT) : n;
    if (not &&negated)
        not ->left = n;
    return not ;
}

/* `not in` is true only for existing values, as != is. */
static struct where_node *parse_in(struct parser *p, const struct where_operand *a, bool negated)
{
    struct where_node *n = make(p, WHERE_IN);
    if (!n || !where_next(&p->lexer))
        return NULL;
    n->a = a;
    if (is_word(p, WORD_LIST) || is_word(p, WORD_OPEN)) {
        if (!parse_list(p, n))
            return NULL;
    } else if (is_word(p, WORD_NAME) || is_word(p, WORD_QUOTED)) {
        n->op = WHERE_IN_VALUE;
        n->b = parse_path(p);
        if (!n->b)
            return NULL;
    } else {
        n->items = take(p, sizeof *n->items);
        n->item_count = 1;
        if (!n->items || !parse_item(p, n->items))
            return NULL;
        if (!n->items->to)
            return unexpected(p, "'..', a list or a field");
    }
    struct where_node *both = negated ? make(p, WHERE_AND) : n;
    if (!both || !negated)
        return both;
    both->left = make(p, WHERE_HAS);
    both->right = negate(p, n, true);
    if (!both->left || !both->right)
        return NULL;
    both->left->a = a;
    return both;
}

static struct where_node *parse_like(struct parser *p, const struct where_operand *a, bool unlike)
{
    struct where_node *n = make(p, unlike ? WHERE_UNLIKE : WHERE_LIKE);
    if (!n || !where_next(&p->lexer))
        return NULL;
    const struct where_token t = p->lexer.token;
    const char *why;
    size_t at;
    if (t.word != WORD_TEXT)
        return unexpected(p, "a regular expression between quotes");
    n->a = a;
    n->regex = regex_parse(t.value.at, t.value.count, &why, &at);
    if (!n->regex) {
        where_wrong(&p->lexer, t.at, "character %zu of the regular expression: %s", at + 1, why);
        return NULL;
    }
    n->next_regex = p->where->regexes;
    p->where->regexes = n;
    return where_next(&p->lexer) ? n : NULL;
}

static struct where_node *parse_is(struct parser *p, const struct where_operand *a)
{
    bool negated;
    if (!where_next(&p->lexer) || !pass(p, WORD_NOT, &negated))
        return NULL;
    bool missing = is_word(p, WORD_MISSING);
    if (!missing && !is_word(p, WORD_NULL))
        return unexpected(p, "'missing' or 'null'");
    struct where_node *n = make(p, missing ? WHERE_HAS : WHERE_IS_NULL);
    if (!n || !where_next(&p->lexer))
        return NULL;
    n->a = a;
    return negate(p, n, missing ? !negated : negated);
}

static struct where_node *parse_comparison(struct parser *p, const struct where_operand *a)
{
    enum where_op op = WHERE_EQ + (p->lexer.token.word - WORD_EQ);
    struct where_node *n = make(p, op);
    if (!n || !where_next(&p->lexer))
        return NULL;
    n->a = a;
    if (is_word(p, WORD_LIST) && op <= WHERE_NE) {
        n->op = op == WHERE_EQ ? WHERE_EQ_LIST : WHERE_NE_LIST;
        return parse_list(p, n) ? n : NULL;
    }
    n->b = parse_operand(p);
    return n->b ? n : NULL;
}

/* An operand by itself is a condition if it is a boolean, or may be. */
static struct where_node *parse_truth(struct parser *p, const struct where_operand *a,
                                      const char *at)
{
    if (a->from == FROM_WRITTEN && a->value.kind != RAS_BOOL) {
        where_wrong(&p->lexer, at, "this is a value, not a condition");
        return NULL;
    }
    struct where_node *n = make(p, WHERE_TRUTH);
    if (n)
        n->a = a;
    return n;
}

static struct where_node *parse_test(struct parser *p)
{
    const char *at = p->lexer.token.at;
    const struct where_operand *a = parse_operand(p);
    bool negated;
    if (!a)
        return NULL;
    enum where_word word = p->lexer.token.word;
    if (word >= WORD_EQ && word <= WORD_GE)
        return parse_comparison(p, a);
    if (word == WORD_LIKE || word == WORD_UNLIKE)
        return parse_like(p, a, word == WORD_UNLIKE);
    if (word == WORD_IS)
        return parse_is(p, a);
    if (!pass(p, WORD_NOT, &negated))
        return NULL;
    if (is_word(p, WORD_IN))
        return parse_in(p, a, negated);
    return negated ? unexpected(p, "'in'") : parse_truth(p, a, at);
}

/* ---- conditions ---------------------------------------------------------------------- */

static struct where_node *parse_has(struct parser *p)
{
    struct where_node *n = make(p, WHERE_HAS);
    if (!n || !where_next(&p->lexer) || !expect(p, WORD_OPEN, "'('"))
        return NULL;
    if (!is_word(p, WORD_NAME) && !is_word(p, WORD_QUOTED))
        return unexpected(p, "a field");
    n->a = parse_path(p);
    return n->a && expect(p, WORD_CLOSE, "')'") ? n : NULL;
}

static struct where_node *parse_inner(struct parser *p)
{
    bool found;
    if (is_word(p, WORD_HAS))
        return parse_has(p);
    if (!pass(p, WORD_NOT, &found))
        return NULL;
    if (found)
        return negate(p, parse_not(p), true);
    if (!pass(p, WORD_OPEN, &found))
        return NULL;
    if (!found)
        return parse_test(p);
    struct where_node *n = parse_or(p);
    return n && expect(p, WORD_CLOSE, "')'") ? n : NULL;
}

static struct where_node *parse_not(struct parser *p)
{
    if (++p->depth > WHERE_DEPTH_MAX) {
        where_wrong(&p->lexer, p->lexer.token.at, "the expression is nested deeper than %d",
                    WHERE_DEPTH_MAX);
        return NULL;
    }
    struct where_node *n = parse_inner(p);
    p->depth--;
    return n;
}

/* Terms joined by one word: a chain that is evaluated from left to right. */
static struct where_node *parse_row(struct parser *p, enum where_word word, enum where_op op,
                                    struct where_node *(*term)(struct parser *))
{
    struct where_node *first = term(p), **last = &first;
    while (*last && is_word(p, word)) {
        struct where_node *n = make(p, op);
        if (!n || !where_next(&p->lexer))
            return NULL;
        n->left = *last;
        *last = n;
        n->right = term(p);
        last = &n->right;
    }
    return *last ? first : NULL;
}

static struct where_node *parse_and(struct parser *p)
{
    return parse_row(p, WORD_AND, WHERE_AND, parse_not);
}

static struct where_node *parse_or(struct parser *p)
{
    return parse_row(p, WORD_OR, WHERE_OR, parse_and);
}

static int parse_all(struct ras_where *w, struct ras_error *err)
{
    struct parser p = {.where = w,
                       .lexer = {.start = w->text, .at = w->text, .arena = &w->arena, .err = err}};
    if (where_next(&p.lexer))
        w->top = parse_or(&p);
    if (w->top && !is_word(&p, WORD_END))
        unexpected(&p, "'and', 'or' or the end");
    return p.lexer.status;
}

int ras_where_parse(struct ras_where **out, const char *text, struct ras_error *err)
{
    *out = NULL;
    size_t len = strlen(text);
    if (len > WHERE_LENGTH_MAX)
        return fail(err, RAS_ELIMIT, RAS_NONE, "an expression of %zu bytes is longer than %d", len,
                    WHERE_LENGTH_MAX);
    struct ras_where *w = calloc(1, sizeof *w);
    if (!w)
        return fail_memory(err);
    w->text = text_copy(text, len);
    int status = w->text ? parse_all(w, err) : fail_memory(err);
    if (status < 0) {
        ras_where_free(w);
        return status;
    }
    *out = w;
    return RAS_OK;
}
