/* jsonl.c - one JSON object per record and line.
 *
 * The keys of a schema are quoted once, with its first record. */
#include "base/memory.h"
#include "codec/json_write.h"
#include "export/exporter.h"

#include <stdlib.h>

/* The constant text of the records of a schema: the member `type`, then the keys of its fields. */
struct keys {
    struct out text;
    size_t *ends; /* where piece i ends in text */
    bool *shown;  /* by field */
};

struct jsonl {
    struct keys *keys; /* by schema id */
    size_t count, room;
};

static bool make_keys(const struct ras_printer *x, struct keys *k, const struct ras_schema *s)
{
    k->ends = calloc(s->field_count + 1u, sizeof *k->ends);
    k->shown = calloc(s->field_count + 1u, sizeof *k->shown);
    if (!k->ends || !k->shown)
        return false;
    struct json j = json_start_inside(&k->text, 0, true);
    json_key(&j, "type");
    json_put_name(&k->text, s->name);
    k->ends[0] = k->text.len;
    for (unsigned i = 0; i < s->field_count; i++) {
        j = json_start_inside(&k->text, 0, true);
        json_key_name(&j, s->fields[i].name);
        k->ends[i + 1] = k->text.len;
        k->shown[i] = field_shown(x, s->fields[i].name);
    }
    return !k->text.failed;
}

static const struct keys *keys_of(struct ras_printer *x, uint32_t schema,
                                  const struct ras_schema *s)
{
    struct jsonl *j = x->state;
    if (!array_grow(&j->keys, &j->room, schema + 1u, sizeof *j->keys))
        return NULL;
    while (j->count <= schema)
        j->keys[j->count++] = (struct keys){0};
    struct keys *k = &j->keys[schema];
    return k->ends || make_keys(x, k, s) ? k : NULL;
}

static inline void put_uint(struct json *j, const char *key, size_t len, uint64_t value)
{
    json_key_quoted(j, key, len);
    json_lead_quick(j);
    out_u64(j->out, value);
}

static void jsonl_put_record(struct ras_printer *x, const struct ras_cursor *cursor,
                             const struct ras_record *r)
{
    const struct ras_schema *schema = ras_schema_of(cursor);
    const struct keys *keys = keys_of(x, r->schema, schema);
    if (!keys) {
        x->out.failed = true;
        return;
    }
    struct json j = json_start(&x->out, 0);
    json_open_quick(&j, true);
    if (x->options.label) {
        json_key_quoted(&j, JSON_KEY("trace"));
        json_lead_quick(&j);
        json_put_string(j.out, x->options.label, strlen(x->options.label));
    }
    json_key_quoted(&j, JSON_KEY("seq"));
    json_lead_quick(&j);
    if (r->seq == RAS_NONE)
        out_text(j.out, "null");
    else
        out_u64(j.out, r->seq);
    json_put_quoted(&j, keys->text.at, keys->ends[0], JSON_AFTER_ITEM);
    if (r->flags & RAS_HAS_TIME)
        put_uint(&j, JSON_KEY("time_ns"), r->time_ns);
    if (r->flags & RAS_HAS_TICK)
        put_uint(&j, JSON_KEY("tick"), r->tick);
    put_uint(&j, JSON_KEY("stream"), r->stream);
    put_uint(&j, JSON_KEY("offset"), r->offset);
    json_object_quoted(&j, JSON_OBJECT("values"));
    size_t count;
    const struct ras_value *v = ras_values(cursor, &count);
    for (size_t i = 0; i < count; i++) {
        unsigned field = v[i].field;
        if (keys->shown[field]) {
            size_t from = keys->ends[field];
            json_key_quoted(&j, keys->text.at + from, keys->ends[field + 1] - from);
            json_lead_quick(&j);
            json_put_value(j.out, &v[i], schema->fields[field].flags, x->options.float_bits);
        }
        if (v[i].kind == RAS_LIST || v[i].kind == RAS_MAP)
            i += v[i].count;
    }
    json_end_line_quick(&j);
}

static void jsonl_end(struct ras_printer *x)
{
    struct jsonl *j = x->state;
    for (size_t i = 0; i < j->count; i++) {
        out_free(&j->keys[i].text);
        free(j->keys[i].ends);
        free(j->keys[i].shown);
    }
    free(j->keys);
}

const struct exporter jsonl_exporter = {.name = "jsonl",
                                        .state_size = sizeof(struct jsonl),
                                        .record = jsonl_put_record,
                                        .end = jsonl_end};
