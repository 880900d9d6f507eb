/* table_columns.c - the columns of a table: common ones, then the fields of all schemas of a name,
 * members of maps flattened; the type of a column by all the fields that it stands for. */
#include "core/format.h"
#include "ops/columns/table_set.h"

#include <stdlib.h>
#include <string.h>

struct ras_column_about *table_add(struct ras_tables *set, struct table *t, enum column_from from,
                                   const char *name, enum ras_type type, unsigned flags)
{
    if (!name || !array_grow(&t->columns, &t->room, t->count + 1, sizeof *t->columns) ||
        !array_grow(&t->defs, &t->def_room, t->count + 1, sizeof *t->defs))
        return NULL;
    set->columns++;
    t->defs[t->count] = (struct column_def){.from = from};
    t->columns[t->count] = (struct ras_column_about){.name = name, .type = type, .flags = flags};
    return &t->columns[t->count++];
}

/* ---- common columns ---------------------------------------------------------------- */

static const struct common {
    enum column_from from;
    const char *name, *unit;
    enum ras_type type;
    unsigned flags;
    enum ras_axis axis; /* the format must have */
} commons[] = {
    {FROM_TRACE_NAME, "trace", NULL, RAS_T_TEXT, 0, RAS_AXIS_NONE},
    {FROM_SEQ, "seq", NULL, RAS_T_U64, 0, RAS_AXIS_SEQ},
    {FROM_TYPE, "type", NULL, RAS_T_TEXT, 0, RAS_AXIS_NONE},
    {FROM_TIME, "time_ns", "ns", RAS_T_U64, RAS_NULLABLE, RAS_AXIS_TIME},
    {FROM_TICK, "tick", "tick", RAS_T_U64, RAS_NULLABLE, RAS_AXIS_TICK},
    {FROM_RUN_TICK, "run_tick", "tick", RAS_T_U64, RAS_NULLABLE, RAS_AXIS_NONE},
    {FROM_STREAM, "stream", NULL, RAS_T_U32, 0, RAS_AXIS_NONE},
    {FROM_OFFSET, "offset", "bytes", RAS_T_U64, 0, RAS_AXIS_NONE},
    {FROM_PARENT, "parent", NULL, RAS_T_U64, RAS_NULLABLE, RAS_AXIS_NONE},
    {FROM_PART, "part", NULL, RAS_T_U16, RAS_HIDDEN, RAS_AXIS_NONE},
    {FROM_RAW, "raw", NULL, RAS_T_BLOB, RAS_HIDDEN, RAS_AXIS_NONE},
    {FROM_SIZE, "size_bytes", "bytes", RAS_T_U32, 0, RAS_AXIS_NONE},
    {FROM_VALUES, "values", NULL, RAS_T_JSON, 0, RAS_AXIS_NONE},
};

static bool has_axis(const struct ras_tables *set, enum ras_axis axis)
{
    return axis < RAS_AXIS_TIME || ras_format_of(set->trace)->axes >> axis & 1;
}

static bool is_common(const struct ras_tables *set, const struct table *t, const struct common *c)
{
    switch (c->from) {
    case FROM_TRACE_NAME:
        return set->trace_name;
    case FROM_RUN_TICK:
        return set->run;
    case FROM_TYPE:
    case FROM_SIZE:
    case FROM_VALUES:
        return t->is_all;
    default:
        return has_axis(set, c->axis);
    }
}

bool table_add_common(struct ras_tables *set, struct table *t)
{
    for (size_t i = 0; i < sizeof commons / sizeof *commons; i++) {
        const struct common *c = &commons[i];
        if (!is_common(set, t, c))
            continue;
        struct ras_column_about *a = table_add(set, t, c->from, c->name, c->type, c->flags);
        if (!a)
            return false;
        a->unit = c->unit;
        a->axis = c->axis;
    }
    t->common = t->count;
    return true;
}

/* Names that no field may have, whatever the options are. `time_ns` and `tick` are free where the
 * format has no such axis. */
static bool is_taken(const struct ras_tables *set, const struct common *c)
{
    return c->from != FROM_TYPE && c->from != FROM_SIZE && c->from != FROM_VALUES &&
           has_axis(set, c->axis);
}

/* ---- types --------------------------------------------------------------------------- */

static enum ras_type uint_type(unsigned bits)
{
    return !bits || bits > 32 ? RAS_T_U64 : bits > 16 ? RAS_T_U32 : bits > 8 ? RAS_T_U16 : RAS_T_U8;
}

static enum ras_type scalar_type(enum ras_kind kind, unsigned bits)
{
    switch (kind) {
    case RAS_BOOL:
        return RAS_T_BOOL;
    case RAS_UINT:
        return uint_type(bits);
    case RAS_INT:
        return RAS_T_I64;
    case RAS_F32:
        return RAS_T_F32;
    case RAS_F64:
        return RAS_T_F64;
    case RAS_STR:
        return RAS_T_TEXT;
    case RAS_BLOB:
        return RAS_T_BLOB;
    default:
        return RAS_T_JSON;
    }
}

static uint8_t wider(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

static bool same_items(const struct ras_field *a, const struct ras_field *b)
{
    return a->kind == b->kind && a->item == b->item && a->item_bits == b->item_bits &&
           a->inner == b->inner && a->inner_count == b->inner_count;
}

static void see(struct kinds_seen *seen, const struct ras_field *f)
{
    uint8_t bits = f->bits ? f->bits : 64;
    seen->kinds |= (uint16_t)(1u << f->kind);
    seen->schemas++;
    if (f->kind == RAS_UINT)
        seen->uint_bits = wider(seen->uint_bits, bits);
    if (f->kind == RAS_INT)
        seen->int_bits = wider(seen->int_bits, bits);
    if (!seen->first)
        seen->first = f;
    else
        seen->differ |= !same_items(seen->first, f);
}

enum { INTS = 1 << RAS_UINT | 1 << RAS_INT, FLOATS = 1 << RAS_F32 | 1 << RAS_F64 };

/* The type that holds the values of all these fields; disagreeing ones become JSON. */
static enum ras_type common_type(const struct kinds_seen *s)
{
    unsigned kinds = s->kinds;
    if (kinds == 1u << RAS_UINT)
        return uint_type(s->uint_bits);
    if (kinds == INTS)
        return s->uint_bits <= 32 ? RAS_T_I64 : RAS_T_JSON;
    if (kinds == FLOATS)
        return RAS_T_F64;
    if (kinds & FLOATS && kinds & INTS && !(kinds & ~(unsigned)(INTS | FLOATS)))
        return s->uint_bits <= 32 && s->int_bits <= 32 ? RAS_T_F64 : RAS_T_JSON;
    if (kinds == 1u << RAS_LIST && !s->differ && s->first->item &&
        scalar_type(s->first->item, 0) != RAS_T_JSON)
        return RAS_T_LIST;
    if (kinds & (kinds - 1))
        return RAS_T_JSON;
    for (unsigned kind = 0; kind <= RAS_MAP; kind++)
        if (kinds == 1u << kind)
            return scalar_type(kind, 64);
    return RAS_T_JSON;
}

static const char *unit_of(const struct ras_field *f)
{
    static const char *const units[] = {"ns", "ms", "s", "tick", "bytes", "percent"};
    static const char *const ends[] = {"_ns", "_ms", NULL, NULL, "_bytes", "_percent"};
    size_t len = strlen(f->name);
    bool number = f->kind >= RAS_UINT && f->kind <= RAS_F64;
    if (f->unit)
        return f->unit <= sizeof units / sizeof *units ? units[f->unit - 1] : NULL;
    for (size_t i = 0; number && i < sizeof ends / sizeof *ends; i++)
        if (ends[i] && len > strlen(ends[i]) && !strcmp(f->name + len - strlen(ends[i]), ends[i]))
            return units[i];
    return NULL;
}

/* ---- fields -------------------------------------------------------------------------- */

struct binder {
    struct ras_tables *set;
    struct table *t;
    struct name_table names;  /* folded, of columns */
    struct name_table fields; /* as the trace has them, with the number of the twin */
    struct binding *b;
    bool failed;
};

static bool add_binds(struct binding *b, size_t count, size_t *first)
{
    *first = b->count;
    if (!array_grow(&b->binds, &b->room, b->count + count, sizeof *b->binds))
        return false;
    for (size_t i = 0; i < count; i++)
        b->binds[b->count++] = (struct bind){.column = -1, .word = -1};
    return true;
}

static int32_t add_column(struct binder *k, enum column_from from, const char *field,
                          const char *wanted)
{
    const char *name = name_plain(&k->set->texts, wanted);
    bool taken = name && name_table_find(&k->names, name, true) < k->t->common;
    if (taken && from == FROM_FIELD) {
        name = name_join(&k->set->texts, k->t->about.type, "_", wanted);
        name = name ? name_plain(&k->set->texts, name) : NULL;
    }
    if (name)
        name = name_take(&k->set->texts, &k->names, name, (uint32_t)k->t->count);
    struct ras_column_about *a = table_add(k->set, k->t, from, name, RAS_T_JSON, 0);
    if (!a) {
        k->failed = true;
        return -1;
    }
    a->field = field;
    return (int32_t)k->t->count - 1;
}

/* The word of TYPE_X is called X, that of another code X_word. */
static int32_t add_word(struct binder *k, const char *field)
{
    size_t len = strlen(k->t->about.type);
    bool own = !strncmp(field, k->t->about.type, len) && field[len] == '_';
    const char *name = own ? field + len + 1 : name_join(&k->set->texts, field, "_", "word");
    int32_t column = name ? add_column(k, FROM_WORD, field, name) : -1;
    if (column >= 0) {
        k->t->columns[column].type = RAS_T_TEXT;
        k->t->columns[column].flags = RAS_NULLABLE | RAS_HIDDEN;
    }
    return column;
}

/* The names of a field whose name has changed; NULL: it has not. */
static const struct field_rename *rename_of(const struct binder *k, const char *path)
{
    const struct field_rename *r = k->set->trace->format->renames;
    while (
        r && r->type &&
        (strcmp(r->type, k->t->about.type) || (strcmp(r->before, path) && strcmp(r->since, path))))
        r++;
    return r && r->type ? r : NULL;
}

/* "pos.x" as a name of columns. */
static const char *flat_name(struct binder *k, const char *path)
{
    size_t len = strlen(path);
    char *name = arena_take(&k->set->texts, len + 1);
    for (size_t i = 0; name && i <= len; i++)
        name[i] = path[i];
    for (size_t i = 0; name && i < len; i++)
        if (name[i] == '.')
            name[i] = '_';
    return name;
}

/* A column of the newest name of the field, and the name before as an alias that is hidden. */
static int32_t add_renamed(struct binder *k, const struct field_rename *r, const char *path)
{
    const char *since = flat_name(k, r->since), *before = flat_name(k, r->before);
    int32_t made = since && before ? add_column(k, FROM_FIELD, path, since) : -1;
    int32_t alias = made >= 0 ? add_column(k, FROM_ALIAS, path, before) : -1;
    if (alias < 0)
        return -1;
    k->t->columns[alias].flags = RAS_HIDDEN | RAS_ALIAS;
    k->t->columns[alias].alias_of = (uint16_t)made;
    return made;
}

static void flag_head(struct binder *k, const struct ras_field *f, int32_t column)
{
    struct ras_column_about *a = &k->t->columns[column];
    if (f->flags & (RAS_SAME | RAS_REPEATS))
        a->flags |= RAS_HIDDEN;
    for (uint16_t i = 0; f->flags & RAS_SAME && i < k->t->common; i++) {
        enum ras_axis axis = k->t->columns[i].axis;
        bool it = axis == ras_format_of(k->set->trace)->axis && axis >= RAS_AXIS_TIME;
        if (it) {
            a->flags |= RAS_ALIAS;
            a->alias_of = i;
            a->axis = axis;
        }
    }
}

/* A field that is one column. `path`: with the maps around it; `twin`: the same, and which of
 * several fields of one name it is. */
static void bind_leaf(struct binder *k, size_t at, const struct ras_field *f, const char *path,
                      const char *twin, const char *wanted, bool nullable)
{
    uint32_t column = name_table_find(&k->fields, twin, false);
    if (column == UINT32_MAX) {
        if (k->t->count >= COLUMNS_MOST) {
            k->t->is_wide = true;
            return;
        }
        const struct field_rename *r = rename_of(k, path);
        int32_t made = r ? add_renamed(k, r, path) : add_column(k, FROM_FIELD, path, wanted);
        if (made < 0 || !name_table_add(&k->fields, twin, false, (uint32_t)made)) {
            k->failed = true;
            return;
        }
        column = (uint32_t)made;
        flag_head(k, f, made);
    }
    see(&k->t->defs[column].seen, f);
    struct ras_column_about *a = &k->t->columns[column];
    a->flags |= f->flags & (RAS_NULLABLE | RAS_HEX);
    a->flags |= nullable ? RAS_NULLABLE : 0;
    a->unit = a->unit ? a->unit : unit_of(f);
    k->b->binds[at].column = (int32_t)column;
    if (f->word && f->kind == RAS_UINT && k->t->count == column + 1)
        (void)add_word(k, path);
    if (k->t->count > column + 1 && k->t->defs[column + 1].from == FROM_WORD)
        k->b->binds[at].word = (int32_t)column + 1; /* it follows its code */
}

struct nest {
    const char *path, *name; /* of the map around; NULL: none */
    unsigned depth;
    bool nullable;
};

static void bind_fields(struct binder *k, size_t at, const struct ras_field *fields, size_t count,
                        struct nest in);

/* "f", "f" with a mark for the second one, ... */
static const char *twin_of(struct binder *k, const struct ras_field *fields, size_t i,
                           const char *path, struct name_table *seen)
{
    uint32_t before = name_table_find(seen, fields[i].name, false);
    if (before == UINT32_MAX)
        return name_table_add(seen, fields[i].name, false, 1) ? path : NULL;
    char number[16];
    size_t digits = sizeof number;
    number[--digits] = 0;
    for (uint32_t n = (uint32_t)i + 1; n; n /= 10)
        number[--digits] = (char)('0' + n % 10);
    return name_join(&k->set->texts, path, "\x01", number + digits);
}

static void bind_one(struct binder *k, size_t at, const struct ras_field *fields, size_t i,
                     struct nest in, struct name_table *seen)
{
    const struct ras_field *f = &fields[i];
    struct arena *texts = &k->set->texts;
    const char *path = in.path ? name_join(texts, in.path, ".", f->name) : f->name;
    const char *name = in.path ? name_join(texts, in.name, "_", f->name) : f->name;
    const char *twin = path ? twin_of(k, fields, i, path, seen) : NULL;
    if (!name || !twin) {
        k->failed = true;
        return;
    }
    if (f->kind != RAS_MAP || !f->inner || in.depth >= NEST_MOST) {
        bind_leaf(k, at, f, path, twin, name, in.nullable);
        return;
    }
    size_t first;
    if (!add_binds(k->b, f->inner_count, &first)) {
        k->failed = true;
        return;
    }
    k->b->binds[at].inner = (uint32_t)first;
    k->b->binds[at].inner_count = f->inner_count;
    bind_fields(k, first, f->inner, f->inner_count,
                (struct nest){path, name, in.depth + 1, in.nullable || f->flags & RAS_NULLABLE});
}

static void bind_fields(struct binder *k, size_t at, const struct ras_field *fields, size_t count,
                        struct nest in)
{
    struct name_table seen = {0};
    for (size_t i = 0; i < count && !k->failed && !k->t->is_wide; i++)
        bind_one(k, at + i, fields, i, in, &seen);
    name_table_free(&seen);
}

/* ---- a table -------------------------------------------------------------------------- */

/* An alias is what the column before it is, which was settled. */
static void settle_alias(struct ras_column_about *a, const struct ras_column_about *of)
{
    a->type = of->type;
    a->item = of->item;
    a->unit = of->unit;
    a->flags |= of->flags & (RAS_NULLABLE | RAS_HEX);
    a->note = "an earlier name of the column before it";
}

/* Its types are known when all schemas were seen. */
static void settle_types(struct table *t, size_t schemas)
{
    for (size_t i = 0; i < t->count; i++) {
        struct kinds_seen *seen = &t->defs[i].seen;
        struct ras_column_about *a = &t->columns[i];
        if (t->defs[i].from == FROM_ALIAS)
            settle_alias(a, &t->columns[a->alias_of]);
        if (t->defs[i].from != FROM_FIELD)
            continue;
        a->type = common_type(seen);
        if (a->type == RAS_T_LIST)
            a->item = scalar_type(seen->first->item, seen->first->item_bits);
        if (a->type == RAS_T_JSON && seen->kinds & (seen->kinds - 1u))
            a->note = "fields of this name are of several types: each value as JSON";
        if (seen->schemas < schemas)
            a->flags |= RAS_NULLABLE;
        if (a->flags & RAS_ALIAS) { /* it is filled from that column */
            a->type = t->columns[a->alias_of].type;
            a->flags |= t->columns[a->alias_of].flags & RAS_NULLABLE;
        }
    }
}

/* More columns than a table may have: all values are one. */
static bool make_wide(struct ras_tables *set, struct table *t)
{
    set->columns -= t->count - t->common;
    t->count = t->common;
    for (size_t i = 0; i < t->binding_count; i++)
        for (size_t k = 0; k < t->bindings[i].count; k++)
            t->bindings[i].binds[k] = (struct bind){.column = -1, .word = -1};
    struct ras_column_about *a = table_add(set, t, FROM_VALUES, "values", RAS_T_JSON, RAS_NULLABLE);
    if (a)
        a->note = "more than 2000 columns: all values as JSON";
    return a;
}

static bool bind_schema(struct binder *k, uint32_t schema)
{
    const struct ras_schema *s = ras_schema_at(k->set->trace, schema);
    struct table *t = k->t;
    size_t first;
    if (!array_grow(&t->bindings, &t->binding_room, t->binding_count + 1, sizeof *t->bindings))
        return false;
    k->b = &t->bindings[t->binding_count++];
    *k->b = (struct binding){.schema = schema};
    if (!add_binds(k->b, s->field_count, &first))
        return false;
    if (!t->is_wide)
        bind_fields(k, first, s->fields, s->field_count, (struct nest){0});
    return !k->failed;
}

static bool take_common_names(struct binder *k)
{
    for (uint32_t i = 0; i < sizeof commons / sizeof *commons; i++)
        if (is_taken(k->set, &commons[i]) && !name_table_add(&k->names, commons[i].name, true, 0))
            return false;
    return true;
}

bool table_bind(struct ras_tables *set, struct table *t, const uint32_t *schemas, size_t count)
{
    struct binder k = {.set = set, .t = t};
    bool ok = take_common_names(&k);
    for (size_t i = 0; ok && i < count; i++)
        ok = bind_schema(&k, schemas[i]);
    name_table_free(&k.names);
    name_table_free(&k.fields);
    if (ok && t->is_wide)
        ok = make_wide(set, t);
    if (ok)
        settle_types(t, count);
    return ok;
}

/* ---- lists and maps as tables of their own ----------------------------------------------- */

static bool add_member_columns(struct ras_tables *set, struct table *child,
                               const struct ras_field *list)
{
    struct binder k = {.set = set, .t = child, .b = &child->items};
    size_t first;
    bool ok = add_binds(&child->items, list->inner_count, &first);
    for (size_t i = 0; ok && i < child->count; i++)
        ok = name_table_add(&k.names, child->columns[i].name, true, 0);
    if (ok)
        bind_fields(&k, first, list->inner, list->inner_count, (struct nest){0});
    name_table_free(&k.names);
    name_table_free(&k.fields);
    settle_types(child, 1);
    return ok && !k.failed;
}

static bool add_value_column(struct ras_tables *set, struct table *child,
                             const struct ras_column_about *list, const struct kinds_seen *seen)
{
    const struct ras_field *f = seen->first;
    bool typed = !seen->differ && f->item;
    struct ras_column_about *a = table_add(set, child, FROM_ITEM, "value",
                                           typed ? scalar_type(f->item, f->item_bits) : RAS_T_JSON,
                                           RAS_NULLABLE | (list->flags & RAS_HEX));
    if (a)
        a->unit = unit_of(f);
    return a;
}

static bool add_child(struct ras_tables *set, struct table *t, uint16_t column)
{
    const struct ras_column_about *list = &t->columns[column];
    const struct kinds_seen *seen = &t->defs[column].seen;
    const char *name = name_join(&set->texts, t->about.name, "_", list->name);
    struct table *child = name ? tables_add(set, name, RAS_TABLE_CHILD) : NULL;
    if (!child)
        return false;
    child->about.type = t->about.type;
    child->about.parent = t->about.name;
    child->parent = t;
    child->parent_column = column;
    bool map = seen->kinds & 1u << RAS_MAP, both = map && seen->kinds & 1u << RAS_LIST;
    if ((set->trace_name && !table_add(set, child, FROM_TRACE_NAME, "trace", RAS_T_TEXT, 0)) ||
        !table_add(set, child, FROM_SEQ, "parent_seq", RAS_T_U64, 0) ||
        !table_add(set, child, FROM_IDX, "idx", RAS_T_U32, 0))
        return false;
    child->common = child->count;
    bool members = !seen->differ && seen->first->kind == RAS_LIST && seen->first->item == RAS_MAP &&
                   seen->first->inner;
    if (members)
        return add_member_columns(set, child, seen->first);
    if (map && !table_add(set, child, FROM_KEY, "key", RAS_T_TEXT, both ? RAS_NULLABLE : 0))
        return false;
    return add_value_column(set, child, list, seen);
}

bool table_add_children(struct ras_tables *set, struct table *t)
{
    enum { HOLD = 1 << RAS_LIST | 1 << RAS_MAP };
    for (size_t i = t->common; i < t->count; i++) {
        unsigned kinds = t->defs[i].from == FROM_FIELD ? t->defs[i].seen.kinds : 0;
        if (kinds && !(kinds & ~(unsigned)HOLD) && !add_child(set, t, (uint16_t)i))
            return false;
    }
    return true;
}
