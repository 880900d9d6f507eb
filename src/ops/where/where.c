/* where.c - an expression and the schemas it meets.
 *
 * It is parsed once. With the first record of a schema its names are looked up there, and
 * what can be said without values is said: a type that cannot match costs nothing more. */
#include "base/memory.h"
#include "ops/where/where_tree.h"

#include <stdlib.h>

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
    return true; /* it has no such field */
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
        if (root == w->root_count || taken[root]) /* of two of one name the first is meant */
            continue;
        taken[root] = true;
        b->roots[i] = (uint16_t)(root + 1);
        b->found++;
    }
    w->binding = b;
    w->looked = true; /* at nothing: only what has no value is tested */
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
    w->looked = false;
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
