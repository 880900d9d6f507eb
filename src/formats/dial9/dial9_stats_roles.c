/* dial9_stats_roles.c - spans that are one event each, which annotations of their schema tell.
 *
 * A schema with one field whose `dial9.role` is span.start or span.duration tells of whole spans,
 * each when it ends. Events that the analyses know by name are what they are. */
#include "codec/leb128.h"
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

/* What annotations say of a schema's fields. */
struct noted {
    uint8_t *roles;
    unsigned starts, durations;
    unsigned field; /* the start or the duration */
};

static bool is(struct ras_bytes bytes, const char *text)
{
    return bytes.len == strlen(text) && !memcmp(bytes.at, text, bytes.len);
}

static void note_role(struct noted *n, const struct ras_dial9_annotation *a)
{
    uint8_t *role = &n->roles[a->field_index];
    if (is(a->value, "span.start") || is(a->value, "span.duration")) {
        *(is(a->value, "span.start") ? &n->starts : &n->durations) += 1;
        n->field = a->field_index;
        *role = ROLE_ID;
    } else if (is(a->value, "span.name")) {
        *role = ROLE_TEXT;
    } else if (is(a->value, "tokio.worker_id")) {
        *role = ROLE_WORKER;
    }
}

/* Call for every annotation of a field that the schema has. */
struct each {
    const struct dial9_batch *batch;
    struct ras_bytes all;
    uint16_t type_id, field_count;
};

static void each_note(const struct each *e, void *user,
                      void (*take)(void *, const struct ras_dial9_annotation *))
{
    for (size_t i = 0; i < e->batch->annotation_count; i++) {
        bool bad = false;
        uint64_t at = e->batch->annotations[i] + 1; /* behind its tag */
        struct in in = in_bytes((struct ras_bytes){e->all.at + at, e->all.len - (size_t)at});
        uint64_t type_id = in_leb128(&in, &bad);
        uint16_t count = in_u16(&in);
        for (unsigned k = 0; type_id == e->type_id && !bad && k < count && !in.cut; k++) {
            struct ras_dial9_annotation a;
            dial9_annotation_get(&in, &a);
            if (!in.cut && a.field_index < e->field_count)
                take(user, &a);
        }
    }
}

static void take_role(void *user, const struct ras_dial9_annotation *a)
{
    if (is(a->key, "dial9.role"))
        note_role(user, a);
}

struct unit {
    unsigned field;
    uint32_t ns;
};

static void take_unit(void *user, const struct ras_dial9_annotation *a)
{
    static const struct {
        const char *name;
        uint32_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    struct unit *u = user;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (a->field_index == u->field && is(a->key, "unit") && is(a->value, units[i].name))
            u->ns = units[i].ns;
}

void dial9_stats_annotated(struct dial9_stats *d, struct fact_schema *f, const struct ras_schema *s,
                           const struct ras_cursor *c, uint16_t type_id)
{
    const struct each each = {.batch = ((const struct dial9_cursor *)c->priv)->at.batch,
                              .all = {c->base, (size_t)(c->in.end - c->base)},
                              .type_id = type_id,
                              .field_count = s->field_count};
    if (f->type || !each.batch->annotation_count)
        return;
    struct noted n = {.roles = calloc(s->field_count + 1u, 1)};
    if (!n.roles) {
        stats_nomem(d);
        return;
    }
    each_note(&each, &n, take_role);
    if (n.starts + n.durations != 1) {
        free(n.roles);
        return;
    }
    struct unit unit = {n.field, 1};
    each_note(&each, &unit, take_unit);
    f->roles = n.roles;
    f->kind = FACT_SPAN_WHOLE;
    f->starts = n.starts;
    f->unit_ns = unit.ns;
    f->name = dial9_stats_new_text(d, s->name, strlen(s->name));
}

uint64_t dial9_stats_length(const struct fact_schema *f, uint64_t number, uint64_t time_ns)
{
    if (number > UINT64_MAX / f->unit_ns || number == RAS_NONE)
        return RAS_NONE;
    number *= f->unit_ns;
    if (!f->starts)
        return number;
    return number <= time_ns ? time_ns - number : RAS_NONE;
}
