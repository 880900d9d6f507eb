/* dial9_annotated.c - spans that are one event, which annotations of its fields say.
 *
 * The roles of fields are those that the annotations before the first event have: a start, a
 * length, or of an event without a time both. A role on two fields, a field of another type than
 * its role has, or an unknown unit make the type an ordinary one. */
#include "codec/leb128.h"
#include "formats/dial9/dial9_profile.h"

#include <stdlib.h>

/* ---- annotations ----------------------------------------------------------------------------- */

/* What annotations say of one field; the last of several counts. */
struct noted {
    uint8_t role;     /* enum fact_role */
    uint32_t unit_ns; /* 0: not a unit of time */
    struct ras_bytes kind;
};

struct noted_fields {
    struct noted *at;
    unsigned count;
};

/* Which types of values a role has. */
enum { TYPES_TEXT = 1, TYPES_UNSIGNED = 2, TYPES_INTEGER = 4 };

static const struct {
    const char *name;
    uint8_t role, types;
} role_names[] = {
    {"span.start", ROLE_START, TYPES_UNSIGNED},  {"span.duration", ROLE_ACTIVE, TYPES_UNSIGNED},
    {"span.name", ROLE_TEXT, TYPES_TEXT},        {"thread_id", ROLE_TID, TYPES_INTEGER},
    {"tokio.task_id", ROLE_TASK, TYPES_INTEGER}, {"tokio.worker_id", ROLE_WORKER, TYPES_INTEGER},
};
enum { ROLE_NAMES = sizeof role_names / sizeof *role_names };

static unsigned types_of(uint8_t type)
{
    switch (type & ~RAS_DIAL9_OPTIONAL) {
    case RAS_DIAL9_STRING:
    case RAS_DIAL9_POOLED_STRING:
        return TYPES_TEXT;
    case RAS_DIAL9_VARINT:
    case RAS_DIAL9_U8:
    case RAS_DIAL9_U16:
    case RAS_DIAL9_U32:
        return TYPES_UNSIGNED | TYPES_INTEGER;
    case RAS_DIAL9_I64:
        return TYPES_INTEGER;
    default:
        return 0;
    }
}

/* An unknown role is none. */
static uint8_t role_by_name(struct ras_bytes name)
{
    for (size_t i = 0; i < ROLE_NAMES; i++)
        if (dial9_bytes_are(name, role_names[i].name))
            return role_names[i].role;
    return ROLE_NONE;
}

static uint32_t unit_by_name(struct ras_bytes name)
{
    static const struct {
        const char *name;
        uint32_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (dial9_bytes_are(name, units[i].name))
            return units[i].ns;
    return 0;
}

static void take_note(void *user, const struct ras_dial9_annotation *a)
{
    const struct noted_fields *n = user;
    struct noted *field = &n->at[a->field_index];
    if (dial9_bytes_are(a->key, "dial9.role"))
        field->role = role_by_name(a->value);
    else if (dial9_bytes_are(a->key, "unit"))
        field->unit_ns = unit_by_name(a->value);
    else if (dial9_bytes_are(a->key, "dial9.span.type"))
        field->kind = a->value;
}

void dial9_each_note(const struct each_note *e, void *user,
                     void (*take)(void *, const struct ras_dial9_annotation *))
{
    for (size_t i = 0; i < e->batch->annotation_count && e->batch->annotations[i] < e->before;
         i++) {
        bool bad = false;
        uint64_t at = e->batch->annotations[i] + 1; /* after its tag */
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

/* ---- the type -------------------------------------------------------------------------------- */

/* The field of a role; -1: none, -2: several, or one that cannot have it. */
static int field_of(const struct noted_fields *n, const struct ras_dial9_schema *s, size_t role)
{
    int found = -1;
    for (unsigned i = 0; i < n->count; i++) {
        if (n->at[i].role != role_names[role].role)
            continue;
        if (found != -1 || !(types_of(s->fields[i].type) & role_names[role].types))
            return -2;
        found = (int)i;
    }
    return found;
}

/* Whether they make a span of the type: fills what is known of it. */
static bool judge(struct dial9_stats *d, struct fact_schema *f, const struct noted_fields *n,
                  const struct ras_dial9_schema *s)
{
    int fields[ROLE_NAMES];
    for (size_t i = 0; i < ROLE_NAMES; i++)
        if ((fields[i] = field_of(n, s, i)) == -2)
            return false;
    f->starts = fields[0] >= 0;
    f->lasts = fields[1] >= 0;
    if ((!f->starts && !f->lasts) || (f->starts && f->lasts) == s->has_timestamp)
        return false;
    const struct noted *start = f->starts ? &n->at[fields[0]] : NULL;
    const struct noted *length = f->lasts ? &n->at[fields[1]] : NULL;
    f->start_unit_ns = start ? start->unit_ns : 1;
    f->unit_ns = length ? length->unit_ns : 1;
    if (!f->start_unit_ns || !f->unit_ns)
        return false;
    struct ras_bytes kind = start && start->kind.at ? start->kind
                            : length                ? length->kind
                                                    : (struct ras_bytes){NULL, 0};
    f->kind_text = kind.at ? dial9_stats_new_text(d, kind.at, kind.len) : NO_TEXT;
    return true;
}

/* A type that is not known by name may be a span. */
static void annotated_span(struct dial9_stats *d, struct fact_schema *f,
                           const struct each_note *each)
{
    struct noted_fields n = {calloc(each->field_count + 1u, sizeof *n.at), each->field_count};
    uint8_t *roles = calloc(each->field_count + 1u, 1);
    if (!n.at || !roles) {
        stats_nomem(d);
        free(n.at);
        free(roles);
        return;
    }
    for (unsigned i = 0; i < n.count; i++)
        n.at[i].unit_ns = 1;
    dial9_each_note(each, &n, take_note);
    const struct shape *shape = dial9_batch_shape(each->batch, each->type_id);
    if (judge(d, f, &n, &shape->native)) {
        for (unsigned i = 0; i < n.count; i++)
            roles[i] = n.at[i].role;
        free((void *)(uintptr_t)f->roles); /* of a metric, which has none */
        f->roles = roles;
        f->kind = FACT_SPAN_WHOLE;
        f->name = dial9_stats_new_text(d, shape->name.at, shape->name.len); /* a NUL in it is one */
        roles = NULL;
    }
    free(roles);
    free(n.at);
}

void dial9_stats_annotated(struct dial9_stats *d, struct fact_schema *f, const struct ras_schema *s,
                           const struct ras_cursor *c, const struct ras_record *r)
{
    const struct each_note each = {.batch = ((const struct dial9_cursor *)c->priv)->at.batch,
                                   .all = {c->base, (size_t)(c->in.end - c->base)},
                                   .before = r->offset,
                                   .type_id = load_u16(r->raw + 1),
                                   .field_count = s->field_count};
    if (!each.batch->annotation_count)
        return;
    if (!d->kinds)
        dial9_metrics_annotated(d, f, &each, s);
    if (!f->type && (!d->kinds || d->kinds >> FACT_SPAN_WHOLE & 1))
        annotated_span(d, f, &each);
}

/* ---- one event ------------------------------------------------------------------------------- */

static uint64_t in_ns(uint64_t number, uint32_t unit_ns)
{
    return number > UINT64_MAX / unit_ns ? UINT64_MAX : number * unit_ns;
}

uint64_t dial9_whole_start(const struct fact_schema *f, uint64_t start, uint64_t duration,
                           uint64_t *end)
{
    if ((f->starts && start == RAS_NONE) || (f->lasts && duration == RAS_NONE))
        return RAS_NONE;
    uint64_t from = in_ns(start, f->start_unit_ns), length = in_ns(duration, f->unit_ns);
    if (f->starts && f->lasts) {
        *end = from + length;
        return *end < from || from == UINT64_MAX ? RAS_NONE : from;
    }
    if (f->starts)
        return from <= *end ? from : RAS_NONE;
    return length < *end ? *end - length : 0;
}
