/* dial9_metrics.c - metrics: fields whose annotation `kind` says that they are one.
 *
 * Whether a counter is stored as increments or as its value is not annotated; the figures of a
 * series therefore have both, the sum and the change from the first to the last value. Text fields
 * beside a metric are its labels: each combination is a series. */
#include "base/memory.h"
#include "formats/dial9/dial9_profile.h"

#include <math.h>
#include <stdlib.h>

enum { SERIES_MOST = 16384, LABELS_BYTES = 1024 };

struct metric_field {
    uint32_t kind, unit; /* texts; kind NO_TEXT: it is not a metric */
};

/* By schema, one for each of its fields. */
struct metric_schema {
    const struct ras_schema *schema;
    struct metric_field fields[];
};

/* A value, as an integer as long as all of a series are. */
struct metric_value {
    double f;
    int64_t i;
};

struct series {
    const struct ras_schema *schema;
    uint32_t field, kind, unit, labels; /* labels: a text; NO_TEXT: none */
    uint64_t samples, absent, first_ns, last_ns;
    struct metric_value first, last, min, max, sum;
    bool real;
};

struct metrics {
    struct intern keys;
    struct series *series;
    size_t count, room;
    uint64_t dropped; /* values beyond SERIES_MOST */
    struct out labels, key;
};

/* ---- annotations ------------------------------------------------------------------------- */

struct noting {
    struct dial9_stats *d;
    struct metric_schema *m;
    bool any;
};

static void note_metric(void *user, const struct ras_dial9_annotation *a)
{
    struct noting *n = user;
    struct metric_field *f = &n->m->fields[a->field_index];
    if (dial9_bytes_are(a->key, "kind")) {
        f->kind = dial9_stats_new_text(n->d, a->value.at, a->value.len);
        n->any |= f->kind != NO_TEXT;
    } else if (dial9_bytes_are(a->key, "unit")) {
        f->unit = dial9_stats_new_text(n->d, a->value.at, a->value.len);
    }
}

void dial9_metrics_annotated(struct dial9_stats *d, struct fact_schema *f,
                             const struct each_note *each, const struct ras_schema *s)
{
    struct noting n = {d, calloc(1, sizeof *n.m + s->field_count * sizeof *n.m->fields), false};
    uint8_t *roles = f->roles ? NULL : calloc(s->field_count + 1u, 1);
    if (!n.m || (!f->roles && !roles)) {
        stats_nomem(d);
        free(n.m);
        free(roles);
        return;
    }
    n.m->schema = s;
    for (unsigned i = 0; i < s->field_count; i++)
        n.m->fields[i] = (struct metric_field){NO_TEXT, NO_TEXT};
    dial9_each_note(each, &n, note_metric);
    if (!n.any) {
        free(n.m);
        free(roles);
        return;
    }
    f->metrics = n.m;
    if (!f->roles)
        f->roles = roles;
    if (f->kind == FACT_NONE)
        f->kind = FACT_METRIC;
}

void dial9_metric_schema_free(struct metric_schema *m)
{
    free(m);
}

/* ---- events ------------------------------------------------------------------------------ */

static bool metric_value(const struct ras_dial9_value *v, struct metric_value *out, bool *real)
{
    switch (v->type) {
    case RAS_DIAL9_F64:
        *out = (struct metric_value){v->f64, 0};
        *real = true;
        return !isnan(v->f64);
    case RAS_DIAL9_I64:
        *out = (struct metric_value){(double)v->i, v->i};
        return true;
    case RAS_DIAL9_VARINT:
    case RAS_DIAL9_U8:
    case RAS_DIAL9_U16:
    case RAS_DIAL9_U32:
    case RAS_DIAL9_BOOL:
        *out = (struct metric_value){(double)v->u, (int64_t)v->u};
        *real |= v->u > INT64_MAX;
        return true;
    default:
        return false;
    }
}

/* "host=a,path=/x": the texts of an event, in the order of its fields. */
static void put_labels(struct dial9_stats *d, const struct fact_event *e,
                       const struct metric_schema *m)
{
    struct out *out = &d->metrics->labels;
    out->len = 0;
    for (unsigned i = 0; i < e->count && out->len < LABELS_BYTES; i++) {
        const struct ras_dial9_value *v = &e->values[i];
        bool is_text = v->type == RAS_DIAL9_STRING || v->type == RAS_DIAL9_POOLED_STRING;
        uint32_t text = is_text ? dial9_fact_text(d, e, v) : NO_TEXT;
        if (text >= d->texts.count)
            continue;
        const struct intern_entry *t = &d->texts.entries[text];
        out_format(out, "%s%s=", out->len ? "," : "", m->schema->fields[i].name);
        out_bytes(out, t->at, t->len < LABELS_BYTES ? t->len : LABELS_BYTES);
    }
}

static struct series *series_of(struct dial9_stats *d, const struct metric_schema *m,
                                unsigned field)
{
    struct metrics *all = d->metrics;
    uint32_t id;
    all->key.len = 0;
    out_text(&all->key, m->schema->name);
    out_format(&all->key, "%c%u%c", 0, field, 0);
    out_bytes(&all->key, m->schema->fields[field].name, strlen(m->schema->fields[field].name));
    out_byte(&all->key, 0);
    out_bytes(&all->key, all->labels.at, all->labels.len);
    struct ras_bytes bytes = {all->key.at, all->key.len};
    uint64_t hash = intern_hash(bytes);
    if (!all->key.failed && intern_find(&all->keys, hash, bytes, &id))
        return &all->series[id];
    if (all->count >= SERIES_MOST) {
        all->dropped++;
        return NULL;
    }
    if (all->key.failed || all->labels.failed ||
        !array_grow(&all->series, &all->room, all->count + 1, sizeof *all->series) ||
        !intern_free_id(&all->keys, SERIES_MOST, &id) || !intern_add(&all->keys, hash, bytes, id)) {
        stats_nomem(d);
        return NULL;
    }
    all->series[id] = (struct series){
        .schema = m->schema,
        .field = field,
        .kind = m->fields[field].kind,
        .unit = m->fields[field].unit,
        .labels =
            all->labels.len ? dial9_stats_new_text(d, all->labels.at, all->labels.len) : NO_TEXT};
    all->count = id + 1u;
    return &all->series[id];
}

static void series_add(struct series *s, uint64_t time_ns, const struct metric_value *v)
{
    if (!s->samples || time_ns < s->first_ns) {
        s->first_ns = time_ns;
        s->first = *v;
    }
    if (!s->samples || time_ns >= s->last_ns) {
        s->last_ns = time_ns;
        s->last = *v;
    }
    if (!s->samples || v->f < s->min.f || (v->f == s->min.f && v->i < s->min.i))
        s->min = *v;
    if (!s->samples || v->f > s->max.f || (v->f == s->max.f && v->i > s->max.i))
        s->max = *v;
    s->sum.f += v->f;
    s->real |= __builtin_add_overflow(s->sum.i, v->i, &s->sum.i);
    s->samples++;
}

void dial9_metrics_event(struct dial9_stats *d, const struct fact_event *e,
                         const struct fact_schema *schema)
{
    const struct metric_schema *m = schema->metrics;
    if (!d->metrics)
        d->metrics = calloc(1, sizeof *d->metrics);
    if (!d->metrics || !d->s) {
        stats_nomem(d);
        return;
    }
    put_labels(d, e, m);
    for (unsigned i = 0; i < e->count; i++) {
        struct metric_value v;
        bool real = false;
        struct series *s = m->fields[i].kind == NO_TEXT ? NULL : series_of(d, m, i);
        if (!s)
            continue;
        if (metric_value(&e->values[i], &v, &real))
            series_add(s, e->time_ns, &v);
        else
            s->absent++;
        s->real |= real;
    }
}

/* ---- the table -------------------------------------------------------------------------- */

static void put_metric(struct dial9_stats *d, const struct series *s, double f, int64_t i)
{
    if (!s->samples)
        document_null(&d->s->doc);
    else if (s->real)
        document_f64(&d->s->doc, f);
    else if (i >= 0)
        document_uint(&d->s->doc, (uint64_t)i);
    else
        document_int(&d->s->doc, i);
}

static void put_series(struct dial9_stats *d, const struct series *s)
{
    struct document *doc = &d->s->doc;
    int64_t change = 0;
    bool whole = !s->real && !__builtin_sub_overflow(s->last.i, s->first.i, &change);
    size_t row = stats_row(d->s);
    document_key(doc, s->schema->name);
    document_key(doc, s->schema->fields[s->field].name);
    dial9_stats_put_text(d, s->kind);
    dial9_stats_put_text(d, s->unit);
    dial9_stats_put_text(d, s->labels);
    document_uint(doc, s->samples);
    document_uint(doc, s->absent);
    put_metric(d, s, s->first.f, s->first.i);
    put_metric(d, s, s->last.f, s->last.i);
    if (whole && s->samples)
        document_int(doc, change);
    else
        put_metric(d, &(struct series){.samples = s->samples, .real = true}, s->last.f - s->first.f,
                   0);
    put_metric(d, s, s->min.f, s->min.i);
    put_metric(d, s, s->max.f, s->max.i);
    put_metric(d, s, s->sum.f, s->sum.i);
    if (s->samples)
        document_f64(doc, s->sum.f / (double)s->samples);
    else
        document_null(doc);
    stats_row_end(d->s, row);
}

void dial9_stats_put_metrics(struct dial9_stats *d)
{
    static const char *const columns[] = {"metric",  "field",  "kind",  "unit", "labels",
                                          "samples", "absent", "first", "last", "change",
                                          "min",     "max",    "sum",   "mean", NULL};
    const struct metrics *m = d->metrics;
    char more[80] = "";
    stats_table(d->s, "metrics", columns);
    for (size_t i = 0; m && i < m->count; i++)
        put_series(d, &m->series[i]);
    if (m && m->dropped)
        snprintf(more, sizeof more, "; values beyond 16,384 series are left out: %" PRIu64,
                 m->dropped);
    stats_table_end(d->s, "%s%s",
                    m ? "fields with the annotation `kind`, by their labels; a counter that is "
                        "stored as increments has its total in sum, else in change"
                      : "no field has the annotation `kind`",
                    more);
}

void dial9_metrics_free(struct dial9_stats *d)
{
    struct metrics *m = d->metrics;
    if (!m)
        return;
    intern_free(&m->keys);
    free(m->series);
    out_free(&m->labels);
    out_free(&m->key);
    free(m);
}
