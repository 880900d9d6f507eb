/* aerogpu_command.c - the commands of a packet or a submission: records that follow the record that
 * contains them. */
#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_op.h"

enum { OPCODE, NAME, OFFSET, SIZE_BYTES, FIELDS };

static const struct ras_field command_fields[] = {
    [OPCODE] = {"opcode", RAS_UINT, 32, 0},
    [NAME] = {"name", RAS_STR, 0, RAS_NULLABLE},
    [OFFSET] = {"offset", RAS_UINT, 32, 0, .unit = RAS_UNIT_BYTES}, /* in its stream */
    [SIZE_BYTES] = {"size_bytes", RAS_UINT, 32, 0},
    [FIELDS] = {"fields", RAS_MAP, 0, 0},
};
const struct ras_schema aero_command_schema = {"command", command_fields, 5, RAS_CHILD};
const struct ras_schema aero_bare_command_schema = {"command", command_fields, 5, 0};

static bool put_command(struct ras_cursor *c, const struct view *view, const struct ras_aero_op *op,
                        uint32_t at, const struct ras_aero_command *k, uint32_t abi_version)
{
    if (!cells_room(&c->values, 4))
        return false;
    if (view_has(view, OPCODE))
        value_uint(&c->values, OPCODE, 32, k->opcode);
    if (view_has(view, NAME) && op)
        value_span(&c->values, RAS_STR, NAME, op->name, op->name_len);
    else if (view_has(view, NAME))
        value_null(&c->values, NAME);
    if (view_has(view, OFFSET))
        value_uint(&c->values, OFFSET, 32, at);
    if (view_has(view, SIZE_BYTES))
        value_uint(&c->values, SIZE_BYTES, 32, k->size_bytes);
    return !view_has(view, FIELDS) ||
           aero_fields_put(&c->values, FIELDS, op, k->payload, aero_minor(abi_version));
}

enum step aero_command_values(struct ras_cursor *c, uint32_t schema, uint32_t at,
                              const struct ras_aero_command *k, uint32_t abi_version)
{
    const struct view *view = cursor_view(c, schema);
    if (!view->values)
        return STEP_RECORD;
    const struct ras_aero_op *op = ras_aero_command_op(k->opcode, k->size_bytes);
    return put_command(c, view, op, at, k, abi_version) ? STEP_RECORD : STEP_NOMEM;
}

/* ---- pending records --------------------------------------------------------- */

static void await(struct ras_cursor *c, struct aero_cursor *a, enum aero_pending what,
                  uint64_t stream, size_t limit)
{
    a->pending = (uint8_t)what;
    a->stream = stream;
    a->at = what == AERO_COMMANDS ? RAS_AERO_STREAM_HEADER_SIZE : 0;
    a->limit = (uint32_t)limit;
    a->parent = c->seq;
    if (a->at == a->limit)
        a->pending = AERO_NOTHING;
}

void aero_await_stream(struct ras_cursor *c, struct aero_cursor *a, struct ras_bytes bytes)
{
    uint64_t stream = (uint64_t)(bytes.at - c->base);
    struct ras_aero_stream s;
    if (ras_aero_stream_get(bytes, &s, NULL) == RAS_OK)
        await(c, a, AERO_COMMANDS, stream, s.size_bytes);
    else
        await(c, a, AERO_UNREAD, stream, bytes.len);
}

void aero_remember(struct aero_cursor *a, const struct ras_aero_blob *blob, uint64_t offset)
{
    enum { ROOM = sizeof a->recent / sizeof *a->recent };
    if (blob->kind == RAS_AERO_CMD_STREAM) {
        a->recent[a->recent_count++ % ROOM] = (struct aero_recent){blob->blob_id, offset};
        return;
    }
    for (uint32_t i = 0; i < ROOM && i < a->recent_count; i++)
        if (a->recent[i].blob_id == blob->blob_id)
            a->recent[i].blob_id = 0; /* redefined, and not a stream */
}

uint64_t aero_recall(const struct aero_cursor *a, uint64_t blob_id)
{
    enum { ROOM = sizeof a->recent / sizeof *a->recent };
    for (uint32_t i = a->recent_count; i > 0 && i + ROOM > a->recent_count; i--)
        if (a->recent[(i - 1) % ROOM].blob_id == blob_id)
            return a->recent[(i - 1) % ROOM].offset;
    return RAS_NONE;
}

bool aero_stream_before(struct ras_trace *t, const struct aero_cursor *a, struct ras_bytes file,
                        uint64_t blob_id, uint64_t offset, struct ras_aero_blob *blob, bool *nomem)
{
    struct ras_aero_record r;
    if (!blob_id)
        return false;
    uint64_t at = aero_recall(a, blob_id);
    if (at == RAS_NONE)
        return aero_blob_before(t, blob_id, offset, blob, NULL, nomem);
    return ras_aero_record_get(file, &at, &r, NULL) == RAS_OK &&
           ras_aero_blob_get(r.payload, blob, NULL) == RAS_OK;
}

bool aero_await_submission(struct ras_cursor *c, struct aero_cursor *a,
                           const struct ras_aero_submission *s, uint64_t offset)
{
    const struct ras_bytes all = {c->base, (size_t)(c->in.end - c->base)};
    struct ras_aero_blob blob;
    bool nomem = false;
    if (!aero_stream_before(c->trace, a, all, s->cmd_stream_blob_id, offset, &blob, &nomem))
        return !nomem;
    /* A recorder stores an empty stream for a submission it could not read. */
    if (blob.kind == RAS_AERO_CMD_STREAM && blob.data.len)
        aero_await_stream(c, a, blob.data);
    return true;
}

/* ---- next ---------------------------------------------------------------------- */

static struct ras_bytes pending_bytes(const struct ras_cursor *c, const struct aero_cursor *a)
{
    return (struct ras_bytes){c->base + a->stream, a->limit};
}

static enum step next_command(struct ras_cursor *c, struct aero_cursor *a)
{
    struct ras_aero_command k;
    struct ras_error why;
    uint64_t at = a->at, after = at;
    struct ras_bytes stream = pending_bytes(c, a);
    int status = ras_aero_command_get(stream, &after, &k, &why);
    if (status != RAS_OK) { /* the rest of the stream cannot be followed */
        a->pending = AERO_NOTHING;
        return gap_record(c, a->stream + at, a->limit - at, RAS_NONE, "%s", why.text);
    }
    a->at = (uint32_t)after;
    if (a->at == a->limit)
        a->pending = AERO_NOTHING;
    aero_begin(c, a, AERO_COMMAND_TYPE, stream.at + at, k.size_bytes, a->parent);
    return aero_command_values(c, AERO_COMMAND_TYPE, (uint32_t)at, &k, aero_abi_at(stream.at));
}

enum step aero_one_values(struct ras_cursor *c)
{
    struct in in = in_bytes((struct ras_bytes){c->record.raw, c->record.raw_len});
    struct ras_aero_packet p;
    aero_packet_get(&in, &p);
    struct ras_aero_command k = {p.opcode, c->record.raw_len, p.payload};
    bool ok =
        put_command(c, cursor_view(c, AERO_COMMAND_TYPE), ras_aero_packet_op(p.opcode), 0, &k, 0);
    return ok ? STEP_RECORD : STEP_NOMEM;
}

static enum step next_unread(struct ras_cursor *c, struct aero_cursor *a)
{
    struct ras_aero_stream s;
    struct ras_error why = {.text = ""};
    a->pending = AERO_NOTHING;
    (void)!ras_aero_stream_get(pending_bytes(c, a), &s, &why);
    return gap_record(c, a->stream, a->limit, RAS_NONE, "%s", why.text);
}

enum step aero_next_pending(struct ras_cursor *c, struct aero_cursor *a)
{
    return a->pending == AERO_COMMANDS ? next_command(c, a) : next_unread(c, a);
}
