/* where_kinds.c - comparisons of values that are never of one kind: tick > "3". */
#include "ops/where/where_tree.h"

#include <stdio.h>

/* Kinds that can be compared with each other are one class. */
enum class { CLASS_ANY, CLASS_NUMBER, CLASS_TEXT, CLASS_BYTES, CLASS_BOOL };

static const char *const class_names[] = {"", "a number", "a string", "bytes", "true or false"};

static enum class class_of(uint8_t kind) {
    switch (kind){
        case RAS_UINT : case RAS_INT : case RAS_F32 : case RAS_F64 : return CLASS_NUMBER;
        case RAS_STR : return CLASS_TEXT;
        case RAS_BLOB : return CLASS_BYTES;
        case RAS_BOOL : return CLASS_BOOL;
        default : return CLASS_ANY; /* null, or looked into */
    }
}

/* What a field is in the types that have it; any, where they do not agree. */
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

/* What is compared, with the name or the text that it has in the expression. */
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
    for (; n; n = n->right) { /* rows of `and` and `or` lean to the right and may be long */
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
