/* aerogpu_bare.c - command streams and allocation tables without a container: the content of a
 * blob, in a file of its own. */
#include "formats/aerogpu/aerogpu_driver.h"

enum { ALLOC_FIELDS = 4 };
static const struct ras_field alloc_fields[ALLOC_FIELDS] = {
    {"alloc_id", RAS_UINT, 32, 0},
    {"flags", RAS_UINT, 32, 0},
    {"gpa", RAS_UINT, 64, RAS_HEX},
    {"size_bytes", RAS_UINT, 64, 0},
};
const struct ras_schema aero_alloc_schema = {"alloc", alloc_fields, ALLOC_FIELDS, 0};

/* A table or stream that says it is longer than the file is cut, not refused. */
static int open_stream(struct ras_trace *t, struct ras_bytes all, struct ras_error *err)
{
    struct ras_aero_stream s;
    int status = ras_aero_stream_get(all, &s, err);
    if (status < 0 && !(status == RAS_ECUT && all.len >= RAS_AERO_STREAM_HEADER_SIZE))
        return status;
    t->body = RAS_AERO_STREAM_HEADER_SIZE;
    note_add(t, "a bare ACMD command stream, without a container");
    bool ok = fact_uint(t, "abi_version", s.abi_version, 0) &&
              schema_add(t, &aero_bare_command_schema) == AERO_BARE_TYPE;
    return ok ? RAS_OK : fail_memory(err);
}

static int open_table(struct ras_trace *t, struct ras_bytes all, struct ras_error *err)
{
    struct aero *a = t->priv;
    int status = ras_aero_alloc_table_get(all, &a->table, err);
    if (status < 0 && !(status == RAS_ECUT && all.len >= RAS_AERO_ALLOC_TABLE_HEADER_SIZE))
        return status;
    t->body = RAS_AERO_ALLOC_TABLE_HEADER_SIZE;
    note_add(t, "a bare ALOC allocation table, without a container");
    bool ok = fact_uint(t, "abi_version", a->table.abi_version, 0) &&
              schema_add(t, &aero_alloc_schema) == AERO_BARE_TYPE;
    return ok ? RAS_OK : fail_memory(err);
}

int aero_bare_open(struct ras_trace *t, struct ras_bytes all, struct ras_error *err)
{
    const struct aero *a = t->priv;
    t->dialect = "v2"; /* the container version that has such blobs */
    t->version = AERO_ABI_MAJOR;
    return a->shape == AERO_STREAM ? open_stream(t, all, err) : open_table(t, all, err);
}

/* Bytes after size_bytes are ignored, as the ABI requires. */
static enum step bare_next_command(struct ras_cursor *c)
{
    struct ras_bytes all = {c->base, (size_t)(c->in.end - c->base)};
    struct in in = in_bytes(all);
    struct ras_aero_stream s;
    aero_stream_get(&in, &s);
    uint64_t at = cursor_offset(c), after = at;
    struct ras_bytes stream = aero_slice(all, 0, s.size_bytes);
    struct ras_aero_command k;
    struct ras_error why;
    if (at >= s.size_bytes) {
        c->sealed = !source_growing(c->trace->source);
        c->in.at = c->in.end;
        return STEP_END;
    }
    int status = ras_aero_command_get(stream, &after, &k, &why);
    if (status == RAS_OK) {
        c->record = (struct ras_record){.parent = RAS_NONE,
                                        .offset = at,
                                        .raw = c->in.at,
                                        .raw_len = k.size_bytes,
                                        .schema = AERO_BARE_TYPE};
        c->in.at = c->base + after;
        return aero_command_values(c, AERO_BARE_TYPE, (uint32_t)at, &k, s.abi_version);
    }
    struct in head = in_bytes(aero_slice(all, at, UINT64_MAX));
    aero_command_get(&head, &k);
    bool follows =
        head.cut || (k.size_bytes >= RAS_AERO_COMMAND_HEADER_SIZE && k.size_bytes % 4 == 0);
    if (follows && all.len < s.size_bytes && (head.cut || k.size_bytes <= s.size_bytes - at))
        return cut(c, "stream of %" PRIu32 " bytes, %zu are there", s.size_bytes, all.len);
    return damaged(c, at, "%s", why.text);
}

static enum step next_alloc(struct ras_cursor *c)
{
    const struct aero *a = c->trace->priv;
    uint64_t at = cursor_offset(c);
    uint64_t i = (at - c->trace->body) / a->table.entry_stride;
    struct ras_aero_alloc alloc;
    struct in in = c->in;
    if (i >= a->table.entry_count) {
        c->sealed = !source_growing(c->trace->source);
        c->in.at = c->in.end;
        return STEP_END;
    }
    aero_alloc_get(&in, &alloc);
    in_take(&in, a->table.entry_stride - RAS_AERO_ALLOC_SIZE);
    if (in.cut)
        return cut(c, "entry %" PRIu64 " of %" PRIu32 ": %" PRIu64 " of its %" PRIu32 " bytes", i,
                   a->table.entry_count, in_left(&c->in), a->table.entry_stride);
    c->record = (struct ras_record){.parent = RAS_NONE,
                                    .offset = at,
                                    .raw = c->in.at,
                                    .raw_len = a->table.entry_stride,
                                    .schema = AERO_BARE_TYPE};
    c->in = in;
    const struct view *view = cursor_view(c, AERO_BARE_TYPE);
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, ALLOC_FIELDS))
        return STEP_NOMEM;
    for (unsigned f = 0; f < ALLOC_FIELDS; f++) /* in the order of the numbers */
        if (view_has(view, f))
            value_uint(&c->values, f, alloc_fields[f].bits,
                       aero_number_of(&aero_alloc_numbers[f], &alloc));
    return STEP_RECORD;
}

enum step aero_bare_next(struct ras_cursor *c)
{
    const struct aero *a = c->trace->priv;
    return a->shape == AERO_STREAM ? bare_next_command(c) : next_alloc(c);
}
