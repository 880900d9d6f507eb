/* dial9_span_types.c - figures of spans by their type, and by the attributes that they have.
 *
 * A type is what a program has in one place: dialect, name, target, file and line. Of a type the
 * first keys, and of a key the first values, have rows of their own; others are counted together,
 * since values such as the id of a request are all different. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

/* ---- types ----------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static bool is_type(const struct span_type *t, const struct derived_row *r)
{
    const struct span_more *m = &r->more;
    return t->name == r->text && t->target == m->target && t->file == m->file &&
           t->line == m->line && t->kind == m->kind && t->dialect == m->dialect;
}

/* NULL: too many, or memory is short. */
static struct span_type *type_of_span(struct dial9_stats *d, const struct derived_row *r)
{
    struct span_book *b = d->book;
    const struct span_more *m = &r->more;
    if (b->type_last < b->type_count && is_type(&b->types[b->type_last], r))
        return &b->types[b->type_last];
    uint64_t key = mix(mix(mix(m->dialect, r->text), m->target), m->file);
    key = mix(mix(key, m->line), m->kind);
    uint32_t found;
    while ((found = id_table_find(&b->type_ids, key)) != ID_TABLE_NONE) {
        if (is_type(&b->types[found], r))
            return &b->types[found];
        key++; /* another type has this hash */
    }
    if (b->type_count >= SPAN_TYPES_MOST) {
        b->types_dropped++;
        return NULL;
    }
    if (!array_grow(&b->types, &b->type_room, b->type_count + 1, sizeof *b->types) ||
        !id_table_add(&b->type_ids, key, (uint32_t)b->type_count)) {
        stats_nomem(d);
        return NULL;
    }
    b->types[b->type_count] = (struct span_type){.name = r->text,
                                                 .target = m->target,
                                                 .file = m->file,
                                                 .line = m->line,
                                                 .kind = m->kind,
                                                 .dialect = m->dialect};
    return &b->types[b->type_count++];
}

/* ---- attributes ------------------------------------------------------------------------------ */

static bool is_attribute(const struct dial9_stats *d, const struct span_attribute *a, uint32_t type,
                         struct ras_bytes key, const struct ras_bytes *value)
{
    if (a->type != type || !intern_is(&d->texts.entries[a->key], key))
        return false;
    if (!value || a->value == NO_TEXT)
        return !value && a->value == NO_TEXT;
    return intern_is(&d->texts.entries[a->value], *value);
}

/* The row of a type, key and value; without a value, that of all values which have none.
 * NULL: it is not there, and `hash` is where it belongs. */
static struct span_attribute *attribute_find(struct dial9_stats *d, uint32_t type,
                                             struct ras_bytes key, const struct ras_bytes *value,
                                             uint64_t *hash)
{
    struct span_book *b = d->book;
    uint32_t found;
    *hash = mix(mix(type, intern_hash(key)), value ? intern_hash(*value) : 1);
    for (; (found = id_table_find(&b->attribute_ids, *hash)) != ID_TABLE_NONE; ++*hash)
        if (is_attribute(d, &b->attributes[found], type, key, value))
            return &b->attributes[found];
    return NULL;
}

static struct span_attribute *attribute_new(struct dial9_stats *d, uint32_t type,
                                            struct ras_bytes key, const struct ras_bytes *value,
                                            uint64_t hash)
{
    struct span_book *b = d->book;
    uint32_t key_text = dial9_stats_new_text(d, key.at, key.len);
    uint32_t value_text = value ? dial9_stats_new_text(d, value->at, value->len) : NO_TEXT;
    if (key_text == NO_TEXT || (value && value_text == NO_TEXT))
        return NULL;
    if (!array_grow(&b->attributes, &b->attribute_room, b->attribute_count + 1,
                    sizeof *b->attributes) ||
        !id_table_add(&b->attribute_ids, hash, (uint32_t)b->attribute_count)) {
        stats_nomem(d);
        return NULL;
    }
    b->attributes[b->attribute_count] =
        (struct span_attribute){.type = type, .key = key_text, .value = value_text};
    return &b->attributes[b->attribute_count++];
}

/* The row in which a span with this attribute counts; NULL: none. */
static struct span_attribute *attribute_search(struct dial9_stats *d, uint32_t type,
                                               struct ras_bytes key, struct ras_bytes value)
{
    struct span_book *b = d->book;
    uint64_t hash, other_hash;
    struct span_attribute *a = attribute_find(d, type, key, &value, &hash);
    if (a)
        return a;
    struct span_attribute *others = attribute_find(d, type, key, NULL, &other_hash);
    if (!others && b->types[type].keys >= SPAN_KEYS_MOST) {
        b->keys_dropped++;
        return NULL;
    }
    if (!others) {
        others = attribute_new(d, type, key, NULL, other_hash);
        b->types[type].keys += others != NULL;
    }
    if (!others || others->values >= SPAN_VALUES_MOST)
        return others;
    others->values++;
    (void)attribute_find(d, type, key, &value, &hash); /* the table has changed */
    return attribute_new(d, type, key, &value, hash);
}

/* The same for attributes that come again and again: nearly all. */
static struct span_attribute *attribute_of(struct dial9_stats *d, uint32_t type,
                                           struct ras_bytes key, struct ras_bytes value)
{
    struct span_book *b = d->book;
    size_t ends = value.len ? value.at[0] + 7u * value.at[value.len - 1] : 0;
    uint32_t *last = &b->attribute_last[(type + 3 * key.len + 5 * value.len + ends) %
                                        (sizeof b->attribute_last / sizeof *b->attribute_last)];
    if (*last < b->attribute_count && is_attribute(d, &b->attributes[*last], type, key, &value))
        return &b->attributes[*last];
    struct span_attribute *a = attribute_search(d, type, key, value);
    if (a)
        *last = (uint32_t)(a - b->attributes);
    return a;
}

static void count_attributes(struct dial9_stats *d, uint32_t type, const struct derived_row *r)
{
    const struct span_more *m = &r->more;
    struct in in = in_bytes(dial9_close_pairs(d->trace, m));
    for (uint32_t i = 0; i < m->attribute_count; i++) {
        struct ras_bytes key = in_span(&in, in_u32(&in)), value = in_span(&in, in_u32(&in));
        struct span_attribute *a = in.cut ? NULL : attribute_of(d, type, key, value);
        if (in.cut)
            return;
        if (a)
            dial9_figure(d, &a->elapsed, r->duration);
    }
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* As sums of durations do, they stop at the largest number. */
static void add_ns(uint64_t *sum, uint64_t ns)
{
    *sum = ns > UINT64_MAX - *sum ? UINT64_MAX : *sum + ns;
}

static void sum_time(struct span_type *t, const struct derived_row *r)
{
    const struct span_more *m = &r->more;
    add_ns(&t->wall, m->wall);
    add_ns(&t->idle, r->duration > m->wall ? r->duration - m->wall : 0);
}

void dial9_span_count(struct dial9_stats *d, const struct derived_row *r)
{
    const struct span_more *m = &r->more;
    d->book->counts[m->dialect]++;
    if (!d->s)
        return;
    struct span_type *t = type_of_span(d, r);
    if (!t)
        return;
    d->book->type_last = (uint32_t)(t - d->book->types);
    t->open += r->unended;
    t->concurrent += m->concurrent;
    t->incomplete += m->dialect == SPAN_MODERN && !m->complete;
    t->unbalanced += m->unbalanced_enters || m->unbalanced_exits;
    if (r->duration == RAS_NONE)
        return;
    dial9_figure(d, &t->elapsed, r->duration);
    if (r->active != RAS_NONE)
        dial9_figure(d, &t->active, r->active);
    sum_time(t, r);
    if (m->attributes != RAS_NONE && m->attribute_count)
        count_attributes(d, (uint32_t)(t - d->book->types), r);
}
