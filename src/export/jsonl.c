/* jsonl.c - one JSON object a record, one line each.
 *
 * The keys of a schema are quoted once, when its first record comes. */
#include "base/memory.h"
#include "codec/json_write.h"
#include "export/export.h"

#include <stdlib.h>

/* The quoted names of one schema: its own, then those of its fields. */
struct keys {
    struct out text;
    size_t *ends; /* where name i ends in text */
    bool *shown;  /* by field */
};

struct jsonl {
    struct keys *keys; /* by schema id */
    size_t count, room;
};

static bool make_keys(const struct ras_export *x, struct keys *k, const struct ras_schema *s)
{
    k->ends = calloc(s->field_count + 1u, sizeof *k->ends);
    k->shown = calloc(s->field_count + 1u, sizeof *k->shown);
    if (!k->ends || !k->shown)
        return false;
    json_name(&k->text, s->name);
    k->ends[0] = k->text.len;
    for (unsigned i = 0; i < s->field_count; i++) {
        json_name(&k->text, s->fields[i].name);
        out_byte(&k->text, ':');
        k->ends[i + 1] = k->text.len;
        k->shown[i] = field_shown(x, s->fields[i].name);
    }
    return !k->text.failed;
}

static const struct keys *keys_of(struct ras_export *x, uint32_t schema, const struct ras_schema *s)
{
    struct jsonl *j = x->state;
    if (!array_grow(&j->keys, &j->room, schema + 1u, sizeof *j->keys))
        return NULL;
    while (j->count <= schema)
        j->keys[j->count++] = (struct keys){0};
    struct keys *k = &j->keys[schema];
    return k->ends || make_keys(x, k, s) ? k : NULL;
}

static void put_key(struct out *out, const struct keys *k, unsigned i)
{
    size_t from = i ? k->ends[i - 1] : 0;
    out_bytes(out, k->text.at + from, k->ends[i] - from);
}

static void put_head(struct ras_export *x, const struct keys *keys, const struct ras_record *r)
{
    struct out *out = &x->out;
    out_byte(out, '{');
    if (x->options.label) {
        out_text(out, "\"trace\":");
        json_string(out, x->options.label, strlen(x->options.label));
        out_byte(out, ',');
    }
    out_text(out, "\"seq\":");
    if (r->seq == RAS_NONE)
        out_text(out, "null");
    else
        out_u64(out, r->seq);
    out_text(out, ",\"type\":");
    put_key(out, keys, 0);
    if (r->flags & RAS_HAS_TIME) {
        out_text(out, ",\"time_ns\":");
        out_u64(out, r->time_ns);
    }
    if (r->flags & RAS_HAS_TICK) {
        out_text(out, ",\"tick\":");
        out_u64(out, r->tick);
    }
    out_text(out, ",\"stream\":");
    out_u64(out, r->stream);
    out_text(out, ",\"offset\":");
    out_u64(out, r->offset);
}

static void put_record(struct ras_export *x, const struct ras_cursor *cursor,
                       const struct ras_record *r)
{
    const struct ras_schema *schema = ras_schema_of(cursor);
    const struct keys *keys = keys_of(x, r->schema, schema);
    struct out *out = &x->out;
    if (!keys) {
        out->failed = true;
        return;
    }
    put_head(x, keys, r);
    out_text(out, ",\"values\":{");
    size_t count, shown = 0;
    const struct ras_value *v = ras_values(cursor, &count);
    for (size_t i = 0; i < count; i++) {
        if (keys->shown[v[i].field]) {
            if (shown++)
                out_byte(out, ',');
            put_key(out, keys, v[i].field + 1u);
            json_value(out, &v[i], schema->fields[v[i].field].flags, x->options.float_bits);
        }
        if (v[i].kind == RAS_LIST || v[i].kind == RAS_MAP)
            i += v[i].count;
    }
    out_text(out, "}}\n");
}

static void end(struct ras_export *x)
{
    struct jsonl *j = x->state;
    for (size_t i = 0; i < j->count; i++) {
        out_free(&j->keys[i].text);
        free(j->keys[i].ends);
        free(j->keys[i].shown);
    }
    free(j->keys);
}

const struct exporter jsonl_exporter = {
    .name = "jsonl", .state_size = sizeof(struct jsonl), .record = put_record, .end = end};
