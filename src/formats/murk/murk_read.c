/* murk_read.c - Murk as records: a frame (one tick), then its commands.
 *
 * The frame comes first although its snapshot hash is stored after the commands: the whole frame is
 * parsed before anything is delivered, so a cut frame is never delivered in part. A payload that
 * cannot be decoded does not stop the reader (spec: unknown tags are an error of typed decoding):
 * its typed fields are null, its raw bytes are available, and `verify` reports the error. */
#include "formats/murk/murk_driver.h"

#include <string.h>

enum { FRAME = RAS_SCHEMA_GAP + 1, COMMAND };

enum { TICK_ID, COMMAND_COUNT, SNAPSHOT_HASH };

static const struct ras_field frame_fields[] = {
    [TICK_ID] = {"tick_id", RAS_UINT, 64, RAS_SAME},
    [COMMAND_COUNT] = {"command_count", RAS_UINT, 32, 0},
    [SNAPSHOT_HASH] = {"snapshot_hash", RAS_UINT, 64, RAS_HEX},
};

enum {
    PAYLOAD_TYPE,
    PAYLOAD_NAME,
    PAYLOAD,
    PRIORITY_CLASS,
    SOURCE_ID,
    SOURCE_SEQ,
    EXPIRES_AFTER_TICK,
    ARRIVAL_SEQ,
    ENTITY_ID,
    COORD,
    FIELD_ID,
    VALUE,
    FIELD_VALUES,
    TYPE_ID,
    DATA,
    KEY,
    PARAMS,
    COMMAND_FIELDS,
};

static const struct ras_field pair_fields[] = {{"field_id", RAS_UINT, 32, 0},
                                               {"value", RAS_F32, 32, 0}};
static const struct ras_field param_fields[] = {{"key", RAS_UINT, 32, 0},
                                                {"value", RAS_F64, 64, 0}};
static const struct ras_field command_fields[COMMAND_FIELDS] = {
    [PAYLOAD_TYPE] = {"payload_type", RAS_UINT, 8, 0},
    [PAYLOAD_NAME] = {"payload_name", RAS_STR, 0, RAS_NULLABLE},
    [PAYLOAD] = {"payload", RAS_BLOB, 0, 0},
    [PRIORITY_CLASS] = {"priority_class", RAS_UINT, 8, 0},
    [SOURCE_ID] = {"source_id", RAS_UINT, 64, RAS_NULLABLE},
    [SOURCE_SEQ] = {"source_seq", RAS_UINT, 64, RAS_NULLABLE},
    [EXPIRES_AFTER_TICK] = {"expires_after_tick", RAS_UINT, 64, 0, .unit = RAS_UNIT_TICK},
    [ARRIVAL_SEQ] = {"arrival_seq", RAS_UINT, 64, 0},
    [ENTITY_ID] = {"entity_id", RAS_UINT, 64, RAS_NULLABLE},
    [COORD] = {"coord", RAS_LIST, 0, RAS_NULLABLE, .item = RAS_INT, .item_bits = 32},
    [FIELD_ID] = {"field_id", RAS_UINT, 32, RAS_NULLABLE},
    [VALUE] = {"value", RAS_F64, 64, RAS_NULLABLE}, /* SetField: F32, SetParameter: F64 */
    [FIELD_VALUES] = {"field_values", RAS_LIST, 0, RAS_NULLABLE, NULL, pair_fields, 2, RAS_MAP},
    [TYPE_ID] = {"type_id", RAS_UINT, 32, RAS_NULLABLE},
    [DATA] = {"data", RAS_BLOB, 0, RAS_NULLABLE},
    [KEY] = {"key", RAS_UINT, 32, RAS_NULLABLE},
    [PARAMS] = {"params", RAS_LIST, 0, RAS_NULLABLE, NULL, param_fields, 2, RAS_MAP},
};

const struct ras_schema murk_frame_schema = {"frame", frame_fields, 3, 0};
const struct ras_schema murk_command_schema = {"command", command_fields, COMMAND_FIELDS,
                                               RAS_CHILD};

/* Which typed fields a payload has, as bits 1 << field. */
static const uint32_t typed_fields[RAS_MURK_PAYLOAD_TYPES] = {
    [RAS_MURK_MOVE] = 1u << ENTITY_ID | 1u << COORD,
    [RAS_MURK_SPAWN] = 1u << COORD | 1u << FIELD_VALUES,
    [RAS_MURK_DESPAWN] = 1u << ENTITY_ID,
    [RAS_MURK_SET_FIELD] = 1u << COORD | 1u << FIELD_ID | 1u << VALUE,
    [RAS_MURK_CUSTOM] = 1u << TYPE_ID | 1u << DATA,
    [RAS_MURK_SET_PARAMETER] = 1u << KEY | 1u << VALUE,
    [RAS_MURK_SET_PARAMETER_BATCH] = 1u << PARAMS,
};

/* ---- open ------------------------------------------------------------------ */

static bool add_facts(struct ras_trace *t, const struct ras_murk_header *h)
{
    return fact_str(t, "toolchain", h->toolchain.at, h->toolchain.len) &&
           fact_str(t, "target_triple", h->target_triple.at, h->target_triple.len) &&
           fact_str(t, "murk_version", h->murk_version.at, h->murk_version.len) &&
           fact_str(t, "compile_flags", h->compile_flags.at, h->compile_flags.len) &&
           fact_uint(t, "seed", h->seed, 0) &&
           fact_uint(t, "config_hash", h->config_hash, RAS_HEX) &&
           fact_uint(t, "field_count", h->field_count, 0) &&
           fact_uint(t, "cell_count", h->cell_count, 0) &&
           fact_uint(t, "space_descriptor_bytes", h->space_descriptor.len, 0);
}

static int refuse(const struct ras_murk_fault *fault, struct ras_error *err)
{
    char text[160];
    ras_murk_text(fault, text, sizeof text);
    if (fault->code == RAS_MURK_CUT)
        return fail(err, RAS_ECUT, fault->offset, "header %s", text);
    if (fault->code != RAS_MURK_BAD_VERSION)
        return fail(err, RAS_EFORMAT, fault->offset, "%s", text);
    bool old = fault->number == 1 || fault->number == 2;
    return fail(err, RAS_EVERSION, fault->offset, "%s%s", text,
                old                  ? ", superseded by version 3: record it again or convert it"
                : fault->number == 4 ? ", announced, but its layout is not published"
                                     : "");
}

int murk_open(struct ras_trace *t, struct ras_error *err)
{
    struct murk *m = t->priv;
    struct ras_murk_fault fault;
    if (!ras_murk_header_get(source_arrived(t->source, 0), &m->header, &fault))
        return refuse(&fault, err);
    t->dialect = "v3";
    t->version = m->header.version;
    t->body = m->header.size;
    bool ok = add_facts(t, &m->header) && schema_add(t, &murk_frame_schema) == FRAME &&
              schema_add(t, &murk_command_schema) == COMMAND;
    return ok ? RAS_OK : fail_memory(err);
}

/* ---- values ------------------------------------------------------------------ */

/* One list of a payload: coordinates, or maps of an id and a value. */
static bool put_coord(struct cells *c, struct ras_bytes coord)
{
    size_t n = coord.len / 4, open = c->count;
    if (!cells_room(c, 1 + n))
        return false;
    value_put(c, RAS_LIST, 0, COORD, 0, 0);
    for (size_t i = 0; i < n; i++)
        value_put(c, RAS_INT, 32, COORD, 0, (uint64_t)(int32_t)load_u32(coord.at + 4 * i));
    value_close(c, open);
    return true;
}

static bool put_pairs(struct cells *c, unsigned field, struct ras_bytes pairs, size_t size,
                      const char *id_name)
{
    enum { CELLS = 5 };
    size_t n = pairs.len / size, open = c->count;
    if (!cells_room(c, 1 + CELLS * n))
        return false;
    value_put(c, RAS_LIST, 0, field, 0, 0);
    for (const uint8_t *p = pairs.at; n--; p += size) {
        value_put(c, RAS_MAP, 0, field, CELLS - 1, 0);
        value_text(c, field, id_name);
        value_uint(c, field, 32, load_u32(p));
        value_text(c, field, "value");
        if (size == 8)
            value_f32(c, field, load_u32(p + 4));
        else
            value_put(c, RAS_F64, 64, field, 0, load_u64(p + 4));
    }
    value_close(c, open);
    return true;
}

static bool put_typed(struct cells *c, unsigned field, uint8_t type,
                      const struct ras_murk_payload *p)
{
    switch (field) {
    case ENTITY_ID:
        value_uint(c, field, 64, p->entity_id);
        return true;
    case COORD:
        return put_coord(c, p->coord);
    case FIELD_ID:
        value_uint(c, field, 32, p->field_id);
        return true;
    case VALUE:
        if (type == RAS_MURK_SET_FIELD)
            value_f32(c, field, p->value_f32);
        else
            value_put(c, RAS_F64, 64, field, 0, p->value_f64);
        return true;
    case FIELD_VALUES:
        return put_pairs(c, field, p->field_values, 8, "field_id");
    case TYPE_ID:
        value_uint(c, field, 32, p->type_id);
        return true;
    case DATA:
        value_span(c, RAS_BLOB, field, p->data.at, p->data.len);
        return true;
    case KEY:
        value_uint(c, field, 32, p->key);
        return true;
    default:
        return put_pairs(c, field, p->params, 12, "key");
    }
}

static void put_plain(struct cells *c, const struct view *view, const struct ras_murk_command *k)
{
    const char *name = ras_murk_payload_name(k->payload_type);
    if (view_has(view, PAYLOAD_TYPE))
        value_uint(c, PAYLOAD_TYPE, 8, k->payload_type);
    if (view_has(view, PAYLOAD_NAME) && name)
        value_text(c, PAYLOAD_NAME, name);
    else if (view_has(view, PAYLOAD_NAME))
        value_null(c, PAYLOAD_NAME);
    if (view_has(view, PAYLOAD))
        value_span(c, RAS_BLOB, PAYLOAD, k->payload.at, k->payload.len);
    if (view_has(view, PRIORITY_CLASS))
        value_uint(c, PRIORITY_CLASS, 8, k->priority_class);
    if (view_has(view, SOURCE_ID))
        value_put(c, k->has_source_id ? RAS_UINT : RAS_NULL, 64, SOURCE_ID, 0, k->source_id);
    if (view_has(view, SOURCE_SEQ))
        value_put(c, k->has_source_seq ? RAS_UINT : RAS_NULL, 64, SOURCE_SEQ, 0, k->source_seq);
    if (view_has(view, EXPIRES_AFTER_TICK))
        value_uint(c, EXPIRES_AFTER_TICK, 64, k->expires_after_tick);
    if (view_has(view, ARRIVAL_SEQ))
        value_uint(c, ARRIVAL_SEQ, 64, k->arrival_seq);
}

bool murk_command_values(struct cells *c, const struct view *view, const struct ras_murk_command *k)
{
    struct ras_murk_payload payload;
    struct ras_murk_fault fault;
    if (!cells_room(c, COMMAND_FIELDS))
        return false;
    put_plain(c, view, k);
    uint32_t has = 0;
    if (ras_murk_payload_get(k->payload_type, k->payload, &payload, &fault))
        has = typed_fields[k->payload_type];
    for (unsigned field = ENTITY_ID; field < COMMAND_FIELDS; field++) {
        if (!view_has(view, field))
            continue;
        if (!cells_room(c, COMMAND_FIELDS - field))
            return false;
        if (!(has >> field & 1))
            value_null(c, field);
        else if (!put_typed(c, field, k->payload_type, &payload))
            return false;
    }
    return true;
}

/* ---- next --------------------------------------------------------------------- */

static enum step no_frame(struct ras_cursor *c, const struct ras_murk_fault *fault, uint64_t offset)
{
    char text[160];
    ras_murk_text(fault, text, sizeof text);
    if (fault->code != RAS_MURK_CUT)
        return damaged(c, offset + fault->offset, "%s", text);
    return cut(c, "%s of the frame at %" PRIu64 ", %" PRIu64 " bytes of which are there", text,
               offset, in_left(&c->in));
}

static enum step next_frame(struct ras_cursor *c, struct murk_cursor *m)
{
    if (c->in.at == c->in.end)
        return STEP_END;
    const uint8_t *start = c->in.at;
    uint64_t offset = cursor_offset(c);
    struct ras_murk_frame frame;
    struct ras_murk_fault fault;
    if (!ras_murk_frame_get((struct ras_bytes){start, (size_t)in_left(&c->in)}, &frame, &fault))
        return no_frame(c, &fault, offset);
    if (frame.size > c->trace->limits.record_bytes || frame.size > UINT32_MAX)
        return damaged(c, offset, "frame of %" PRIu64 " bytes exceeds the limit of %" PRIu64,
                       frame.size, c->trace->limits.record_bytes);
    bool skip = !c->plain && !cursor_view(c, COMMAND)->wanted;
    *m = (struct murk_cursor){frame.tick_id, c->seq, skip ? 0 : frame.command_count};
    c->unshown = skip ? frame.command_count : 0;
    c->record = (struct ras_record){.tick = frame.tick_id,
                                    .flags = RAS_HAS_TICK,
                                    .parent = RAS_NONE,
                                    .offset = offset,
                                    .schema = FRAME,
                                    .raw = start,
                                    .raw_len = (uint32_t)frame.size};
    c->in.at += m->commands_left ? MURK_FRAME_HEAD_SIZE : frame.size;
    const struct view *view = cursor_view(c, FRAME);
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, 3))
        return STEP_NOMEM;
    if (view_has(view, TICK_ID))
        value_uint(&c->values, TICK_ID, 64, frame.tick_id);
    if (view_has(view, COMMAND_COUNT))
        value_uint(&c->values, COMMAND_COUNT, 32, frame.command_count);
    if (view_has(view, SNAPSHOT_HASH))
        value_uint(&c->values, SNAPSHOT_HASH, 64, frame.snapshot_hash);
    return STEP_RECORD;
}

static enum step next_command(struct ras_cursor *c, struct murk_cursor *m)
{
    const uint8_t *start = c->in.at;
    struct ras_murk_command k;
    struct ras_murk_fault fault;
    if (!murk_command(&c->in, &k, &fault)) /* checked by next_frame: the file shrank or changed */
        return damaged(c, cursor_offset(c), "the frame changed while it was read");
    c->record = (struct ras_record){.tick = m->tick,
                                    .flags = RAS_HAS_TICK,
                                    .parent = m->frame_seq,
                                    .offset = (uint64_t)(start - c->base),
                                    .schema = COMMAND,
                                    .raw = start,
                                    .raw_len = (uint32_t)k.size};
    if (!--m->commands_left)
        in_take(&c->in, MURK_HASH_SIZE); /* reported with the frame */
    const struct view *view = cursor_view(c, COMMAND);
    if (view->values && !murk_command_values(&c->values, view, &k))
        return STEP_NOMEM;
    return STEP_RECORD;
}

enum step murk_next(struct ras_cursor *c)
{
    struct murk_cursor *m = c->priv;
    return m->commands_left ? next_command(c, m) : next_frame(c, m);
}

void murk_save(const struct ras_cursor *c, struct ras_mark *mark)
{
    const struct murk_cursor *m = c->priv;
    mark->state[0] = m->tick;
    mark->state[1] = m->frame_seq;
    mark->state[2] = m->commands_left;
}

void murk_load(struct ras_cursor *c, const struct ras_mark *mark)
{
    struct murk_cursor *m = c->priv;
    *m = (struct murk_cursor){mark->state[0], mark->state[1], (uint32_t)mark->state[2]};
}
