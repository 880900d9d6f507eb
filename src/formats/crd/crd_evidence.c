/* crd_evidence.c - the evidence of a capture as records: its header, a tick each, its footer.
 *
 * The content is a row of records, each a u32 of its length and a msgpack map whose `kind` says
 * what it is. */
#include "core/msgpack_cells.h"
#include "formats/crd/crd_driver.h"

enum { HEADER = RAS_SCHEMA_GAP + 1, EVIDENCE_TICK, FOOTER, OTHER };

static const struct ras_field other_fields[] = {{"value", RAS_MAP, 0, 0}};
static const struct ras_schema other_schema = {"other", other_fields, 1, 0};

static const struct crd_map *const maps[] = {&crd_header, &crd_evidence_tick, &crd_footer};

static bool evidence_facts(struct ras_trace *t, struct ras_bytes header)
{
    for (size_t i = 1; i < crd_header.count; i++) { /* the first is the version */
        const struct crd_key *k = &crd_header.keys[i];
        struct ras_bytes value = crd_find(header, k->name), text;
        struct msgpack in = msgpack_bytes(value);
        int64_t number;
        bool ok = true;
        if (k->kind == CRD_INT && crd_int(value, &number))
            ok = fact_int(t, k->name, number);
        else if (k->kind == CRD_TEXT && value.len && msgpack_str(&in, &text))
            ok = fact_str(t, k->name, text.at, text.len);
        if (!ok)
            return false;
    }
    return true;
}

int crd_evidence_open(struct ras_trace *t, struct ras_error *err)
{
    struct crd *crd = t->priv;
    struct in in = in_bytes(source_arrived(t->source, 0));
    uint32_t size = in_u32(&in);
    struct ras_bytes header = in_span(&in, size);
    int64_t version = 0;
    if (in.cut)
        return fail(err, RAS_ECUT, 4, "ends inside its header of %" PRIu32 " bytes", size);
    if (!crd_int(crd_find(header, "evidence_format_version"), &version) || version < 0)
        return fail(err, RAS_EFORMAT, 4, "the header has no evidence_format_version");
    t->dialect = "evidence";
    t->version = (uint64_t)version;
    t->body = 0;
    crd->evidence = true;
    if (version != CRD_EVIDENCE_VERSION)
        note_add(t, "evidence version %" PRId64 ": its layout is not known; read as version %d",
                 version, CRD_EVIDENCE_VERSION);
    bool ok = evidence_facts(t, header);
    for (size_t i = 0; ok && i < 3; i++) {
        crd_schema_fill(crd, &crd->schemas[i], maps[i], 0);
        ok = schema_add(t, &crd->schemas[i].schema) >= 0;
    }
    return ok && schema_add(t, &other_schema) == OTHER ? RAS_OK : fail_memory(err);
}

static uint32_t kind_of(struct ras_bytes map)
{
    static const char *const kinds[] = {"header", "tick", "footer"};
    struct ras_bytes value = crd_find(map, "kind");
    struct msgpack in = msgpack_bytes(value);
    for (uint32_t i = 0; i < 3; i++)
        if (msgpack_key_is(&in, kinds[i], strlen(kinds[i])))
            return HEADER + i;
    return OTHER;
}

static enum step put_record(struct ras_cursor *c, struct ras_bytes map, uint64_t offset)
{
    uint32_t schema = kind_of(map);
    int64_t tick;
    bool has_tick =
        schema == EVIDENCE_TICK && crd_int(crd_find(map, "tick_index"), &tick) && tick >= 0;
    c->record = (struct ras_record){.tick = has_tick ? (uint64_t)tick : 0,
                                    .flags = has_tick ? RAS_HAS_TICK : 0,
                                    .parent = RAS_NONE,
                                    .offset = offset,
                                    .schema = (uint16_t)schema,
                                    .raw = map.at,
                                    .raw_len = (uint32_t)map.len};
    struct crd_cursor *s = c->priv;
    const struct view *view = cursor_view(c, schema);
    struct msgpack in = msgpack_bytes(map);
    bool ok = !view->values || (schema == OTHER && !view_has(view, 0)) ||
              (schema == OTHER ? cells_msgpack(&c->values, 0, &in, c->trace->limits.depth)
                               : crd_values_put(&c->values, view, maps[schema - HEADER], map));
    s->ended = ok && schema == FOOTER;
    return ok ? STEP_RECORD : STEP_NOMEM;
}

enum step crd_evidence_next(struct ras_cursor *c)
{
    const struct crd_cursor *s = c->priv;
    uint64_t offset = cursor_offset(c), left = in_left(&c->in);
    if (s->ended)
        c->sealed = true;
    if (s->ended && left)
        return damaged(c, offset, "%" PRIu64 " bytes follow the footer", left);
    if (!left && !s->ended)
        ending_note(c, RAS_UNSEALED, c->part, offset, "no footer");
    if (!left)
        return STEP_END;
    uint32_t size = in_u32(&c->in);
    struct ras_bytes map = in_span(&c->in, size);
    if (size > c->trace->limits.record_bytes)
        return damaged(c, offset, "a record of %" PRIu32 " bytes exceeds the limit of %" PRIu64,
                       size, c->trace->limits.record_bytes);
    if (c->in.cut)
        return cut(c, "ends inside a record of %" PRIu32 " bytes", size);
    struct msgpack in = msgpack_bytes(map);
    if (msgpack_peek(&in) != MSGPACK_MAP || !msgpack_skip(&in) || msgpack_left(&in))
        return gap_record(c, offset, 4 + (uint64_t)size, 1, "a record is not a msgpack map");
    return put_record(c, map, offset);
}
