/* where.c - an expression and the schemas it meets; comparisons that can never be true.
 *
 * An expression is parsed once. With the first record of a schema its names are resolved, and nodes
 * that do not depend on values are decided: a type that cannot match costs nothing more. */
#include "base/memory.h"
#include "ops/where/where_tree.h"

#include <stdio.h>
#include <stdlib.h>

/* Kinds that can be compared with each other are one class. */
enum class { CLASS_ANY, CLASS_NUMBER, CLASS_TEXT, CLASS_BYTES, CLASS_BOOL };

static const char *const class_names[] = {"", "a number", "a string", "bytes", "true or false"};

static enum class class_of(uint8_t kind) {
    switch (kind){
        case RAS_UINT : case RAS_INT : case RAS_F32 : case RAS_F64 : return CLASS_NUMBER;
        case RAS_STR : return CLASS_TEXT;
        case RAS_BLOB : return CLASS_BYTES;
        case RAS_BOOL : return CLASS_BOOL;
        default : return CLASS_ANY; /* null, or searched */
    }
}

/* The class of a field in the types that have it; any, where they do not agree. */
static enum class class_of_field(const struct ras_where *w, const struct ras_trace *t,
                                 const struct where_operand *o, bool *hex) {
    enum class found = CLASS_ANY; if (o->step_count) return CLASS_ANY;
    for (size_t i = 0; i < ras_schema_count(t);
         i++){const struct ras_schema *s = ras_schema_at(t, i); for (unsigned k = 0;
                                                                     k < s->field_count; k++){
        if (strcmp(s->fields[k].name, w->roots[o->root]) != 0) continue;
        enum class this = class_of(s->fields[k].kind); *hex |= (s->fields[k].flags & RAS_HEX) != 0;
        if (this == CLASS_ANY || (found != CLASS_ANY && this != found)) return CLASS_ANY;
        found = this;}
}
return found;
}

/* An operand, with its name or text in the expression. */
struct side {
    enum class class;
    bool hex; /* shown as "0x...", and compared with such a string */
    char text[80];
};

static struct side side_of(const struct ras_where *w, const struct ras_trace *t,
                           const struct where_operand *o)
{
    struct side s = {.class = CLASS_ANY};
    if (o->from == FROM_FIELD) {
        s.class = class_of_field(w, t, o, &s.hex);
        snprintf(s.text, sizeof s.text, "%s", w->roots[o->root]);
    } else if (o->from == FROM_HEADER) {
        s.class = o->header == HEADER_TYPE ? CLASS_TEXT : CLASS_NUMBER;
        snprintf(s.text, sizeof s.text, "%s", where_headers[o->header]);
    } else {
        s.class = class_of(o->value.kind);
        s.hex = o->is_hex;
        if (o->value.kind == RAS_STR)
            snprintf(s.text, sizeof s.text, "\"%.*s\"",
                     o->value.count < 60 ? (int)o->value.count : 60, (const char *)o->value.at);
        else
            snprintf(s.text, sizeof s.text, "the value");
    }
    return s;
}

static bool differ(const struct ras_where *w, const struct ras_trace *t, const struct where_node *n,
                   const struct where_operand *b, char *text, size_t size)
{
    const struct where_operand *a = n->a;
    if (!a || !b)
        return false;
    struct side x = side_of(w, t, a), y = side_of(w, t, b);
    if (x.class == CLASS_ANY || y.class == CLASS_ANY || x.class == y.class || (x.hex && y.hex))
        return false;
    snprintf(text, size, "%s is %s, %s %s: the comparison is %s true", x.text, class_names[x.class],
             y.text, class_names[y.class], n->op == WHERE_NE ? "always" : "never");
    return true;
}

static bool in_node(const struct ras_where *w, const struct ras_trace *t,
                    const struct where_node *n, char *text, size_t size)
{
    for (; n; n = n->right) { /* chains of `and` and `or` lean to the right and may be long */
        bool list = n->op == WHERE_IN;
        if (n->op >= WHERE_EQ && n->op <= WHERE_GE && differ(w, t, n, n->b, text, size))
            return true;
        for (size_t i = 0; list && i < n->item_count; i++)
            if (differ(w, t, n, n->items[i].from, text, size))
                return true;
        if (n->left && in_node(w, t, n->left, text, size))
            return true;
    }
    return false;
}

bool ras_where_mismatch(const struct ras_where *w, const struct ras_trace *t, char *text,
                        size_t size)
{
    return in_node(w, t, w->top, text, size);
}

/* It is parsed once. With the first record of a schema its names are looked up there, and
 * what can be said without values is said: a type that cannot match costs nothing more. */

/* ---- what is known beforehand ------------------------------------------------------------ */

/* Whether the operand is the same for every record of the schema. */
static bool is_settled(const struct where_binding *b, const struct where_operand *o)
{
    if (!o || o->from == FROM_WRITTEN)
        return true;
    if (o->from == FROM_HEADER)
        return o->header == HEADER_TYPE;
    for (unsigned i = 0; i < b->schema->field_count; i++)
        if (b->roots[i] == o->root + 1)
            return false;
    return true; /* the schema does not have the field */
}

static enum where_verdict verdict_of(struct ras_where *w, const struct where_node *n)
{
    if (n->op == WHERE_NOT) {
        enum where_verdict inner = verdict_of(w, n->left);
        return inner == VERDICT_OPEN ? inner : inner == VERDICT_YES ? VERDICT_NO : VERDICT_YES;
    }
    bool open = false;
    for (enum where_op op = n->op; n->op == op && (op == WHERE_AND || op == WHERE_OR);
         n = n->right) {
        enum where_verdict decides = op == WHERE_AND ? VERDICT_NO : VERDICT_YES;
        enum where_verdict left = verdict_of(w, n->left);
        if (left == decides)
            return decides;
        open |= left == VERDICT_OPEN;
        if (n->right->op != op) {
            enum where_verdict right = verdict_of(w, n->right);
            return right == decides || !open ? right : VERDICT_OPEN;
        }
    }
    if (!is_settled(w->binding, n->a) || !is_settled(w->binding, n->b))
        return VERDICT_OPEN;
    return where_test(w, n) ? VERDICT_YES : VERDICT_NO;
}

/* ---- schemas --------------------------------------------------------------------------------- */

static size_t find_root(const struct ras_where *w, const char *name)
{
    size_t i = 0;
    while (i < w->root_count && strcmp(w->roots[i], name) != 0)
        i++;
    return i;
}

static bool bind(struct ras_where *w, struct where_binding *b, const struct ras_schema *s)
{
    *b =
        (struct where_binding){.schema = s, .roots = calloc(s->field_count + 1u, sizeof(uint16_t))};
    bool taken[WHERE_ROOTS_MAX] = {false};
    if (!b->roots)
        return false;
    for (unsigned i = 0; i < s->field_count; i++) {
        size_t root = find_root(w, s->fields[i].name);
        if (root == w->root_count || taken[root]) /* of two with the same name the first */
            continue;
        taken[root] = true;
        b->roots[i] = (uint16_t)(root + 1);
        b->found++;
    }
    w->binding = b;
    w->cells_found = true; /* no value: only its absence is tested */
    for (size_t i = 0; i < w->root_count; i++)
        w->cells[i] = NULL;
    b->verdict = verdict_of(w, w->top);
    b->known = true;
    return true;
}

static const struct where_binding *binding_of(struct ras_where *w, uint32_t schema,
                                              const struct ras_schema *s)
{
    if (schema < w->binding_count && w->bindings[schema].known)
        return &w->bindings[schema];
    if (!array_grow(&w->bindings, &w->binding_room, schema + 1u, sizeof *w->bindings))
        return NULL;
    while (w->binding_count <= schema)
        w->bindings[w->binding_count++] = (struct where_binding){0};
    return bind(w, &w->bindings[schema], s) ? &w->bindings[schema] : NULL;
}

/* ---- for the caller -------------------------------------------------------------------------- */

static void forget_schemas(struct ras_where *w)
{
    for (size_t i = 0; i < w->binding_count; i++)
        free(w->bindings[i].roots);
    w->binding_count = 0;
}

int ras_where_begin(struct ras_where *w, struct ras_trace *trace, struct ras_error *err)
{
    forget_schemas(w);
    for (struct where_operand *o = w->times; o; o = o->next_time) {
        struct ras_error why;
        int status = ras_time_parse(trace, o->time, &o->value.u, &why);
        if (status < 0)
            return fail(err, status, RAS_NONE, "column %zu: %.200s", o->column, why.text);
    }
    return RAS_OK;
}

int ras_where_matches(struct ras_where *w, const struct ras_cursor *cursor,
                      const struct ras_record *record, bool *matches, struct ras_error *err)
{
    const struct where_binding *b = binding_of(w, record->schema, ras_schema_of(cursor));
    if (!b)
        return fail_memory(err);
    *matches = b->verdict == VERDICT_YES;
    if (b->verdict != VERDICT_OPEN)
        return RAS_OK;
    w->binding = b;
    w->record = record;
    w->cursor = cursor;
    w->cells_found = false;
    *matches = where_test(w, w->top);
    return RAS_OK;
}

const char *const *ras_where_fields(const struct ras_where *w, size_t *count)
{
    *count = w->root_count;
    return w->roots;
}

void ras_where_free(struct ras_where *w)
{
    if (!w)
        return;
    for (struct where_node *n = w->regexes; n; n = n->next_regex)
        regex_free(n->regex);
    forget_schemas(w);
    free(w->bindings);
    arena_free(&w->arena);
    free(w->text);
    free(w);
}
