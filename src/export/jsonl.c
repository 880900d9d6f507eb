/* jsonl.c - one JSON object a record, one line each. */
#include "codec/json_write.h"
#include "export/export.h"

static void put_head(struct ras_export *x, const struct ras_schema *schema,
                     const struct ras_record *r)
{
    struct out *out = &x->out;
    out_text(out, "{\"seq\":");
    if (r->seq == RAS_NONE)
        out_text(out, "null");
    else
        out_u64(out, r->seq);
    out_text(out, ",\"type\":");
    json_string(out, schema->name, strlen(schema->name));
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
    struct out *out = &x->out;
    put_head(x, schema, r);
    out_text(out, ",\"values\":{");
    size_t count;
    const struct ras_value *v = ras_values(cursor, &count);
    for (size_t i = 0; i < count; i++) {
        const struct ras_field *f = &schema->fields[v[i].field];
        if (i)
            out_byte(out, ',');
        json_string(out, f->name, strlen(f->name));
        out_byte(out, ':');
        json_value(out, &v[i], f->flags, x->options.float_bits);
        if (v[i].kind == RAS_LIST || v[i].kind == RAS_MAP)
            i += v[i].count;
    }
    out_text(out, "}}\n");
}

const struct exporter jsonl_exporter = {.name = "jsonl", .record = put_record};
