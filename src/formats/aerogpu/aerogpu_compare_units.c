/* aerogpu_compare_units.c - one side of a comparison: its records as units, read ahead. */
#include "core/walk.h"
#include "formats/aerogpu/aerogpu_compare.h"

int aero_side_open(struct aero_side *s, const struct ras_mark *mark, struct ras_error *err)
{
    static const char *const none[] = {""};
    static const struct ras_pick picks[] = {{.type = "gap"}, {.fields = none}};
    const struct ras_scan scan = {.picks = picks, .pick_count = 2};
    const struct aero *t = s->trace->priv;
    int status = ras_cursor_open(&s->cursor, s->trace, &scan, err);
    if (status < 0 || t->shape != AERO_CONTAINER)
        return status;
    status = ras_jump(s->cursor, mark, err);
    struct aero_cursor *a = s->cursor->priv;
    memcpy(a->recent, s->streams.recent, sizeof a->recent);
    a->recent_count = s->streams.recent_count;
    return status;
}

void aero_side_close(struct aero_side *s)
{
    ras_cursor_close(s->cursor);
    aero_ids_free(&s->defined);
    aero_ids_free(&s->referenced);
}

void aero_blob_remember(struct aero_side *s, uint64_t blob_id, uint64_t offset)
{
    s->recent[blob_id % AERO_RECENT] = (struct aero_recent){blob_id, offset};
}

int aero_side_peek(struct aero_side *s, struct ras_error *err)
{
    if (s->next)
        return RAS_OK;
    if (s->ended)
        return RAS_END;
    int status = walk_next(s->trace, s->cursor, &s->next, err);
    if (status == RAS_END) {
        s->next = NULL;
        s->ended = true;
        s->lost = ras_ending(s->trace).kind >= RAS_CUT;
    }
    return status;
}

bool aero_side_framed(const struct aero_side *s, uint64_t *index)
{
    const struct ras_record *r = s->next;
    bool framed = r && r->schema != RAS_SCHEMA_GAP && r->flags & RAS_HAS_TICK;
    *index = framed ? r->tick : 0;
    return framed;
}

void aero_span_open(struct aero_side *s, bool empty)
{
    uint64_t index;
    s->framed = aero_side_framed(s, &index) && !empty;
    s->frame = (uint32_t)index;
    s->closed = empty;
    s->one = false;
    s->first = s->count = 0;
    s->passed = 0;
    memset(s->counts, 0, sizeof s->counts);
    if (s->framed)
        compare_place_next(&s->place, index);
}

/* ---- records as units ------------------------------------------------------------- */

static struct aero_unit unit_of(struct aero_side *s, enum aero_unit_kind kind, uint64_t offset,
                                uint64_t len)
{
    return (struct aero_unit){.kind = (uint8_t)kind,
                              .offset = offset,
                              .len = len > UINT32_MAX ? UINT32_MAX : (uint32_t)len,
                              .index = s->counts[kind]++};
}

static void begin_stream(struct aero_side *s, const struct aero_unit *u, uint32_t abi_version)
{
    s->within = u->kind;
    s->minor = (uint16_t)aero_minor(abi_version);
    s->commands = 0;
}

static struct aero_unit packet_unit(struct aero_side *s, const struct ras_record *r)
{
    uint64_t offset = r->offset + RAS_AERO_RECORD_HEADER_SIZE;
    struct ras_bytes payload = {r->raw + RAS_AERO_RECORD_HEADER_SIZE,
                                r->raw_len - RAS_AERO_RECORD_HEADER_SIZE};
    uint32_t index = s->counts[AERO_UNIT_PACKET]; /* all of them are packets[index] */
    enum aero_unit_kind kind = AERO_UNIT_ODD;
    s->one = aero_is_packet(payload.at, (uint32_t)payload.len);
    if (s->one)
        kind = AERO_UNIT_PACKET;
    else if (ras_aero_is_stream(payload))
        kind = AERO_UNIT_STREAM;
    struct aero_unit u = unit_of(s, kind, offset, payload.len);
    u.index = index;
    s->counts[AERO_UNIT_PACKET] = index + 1;
    if (kind == AERO_UNIT_PACKET)
        u.opcode = aero_word_at(payload.at);
    if (kind == AERO_UNIT_STREAM)
        begin_stream(s, &u,
                     payload.len >= RAS_AERO_STREAM_HEADER_SIZE ? aero_abi_at(payload.at) : 0);
    return u;
}

static struct aero_unit command_unit(struct aero_side *s, const struct ras_record *r)
{
    struct aero_unit u = unit_of(s, AERO_UNIT_COMMAND, r->offset, r->raw_len);
    u.opcode = aero_word_at(r->raw);
    u.within = s->within;
    u.minor = s->minor;
    u.command = s->commands++;
    u.index = s->counts[s->within == AERO_UNIT_STREAM ? AERO_UNIT_PACKET : s->within] - 1;
    return u;
}

static struct aero_unit blob_unit(struct aero_side *s, const struct ras_record *r)
{
    struct aero_unit u = unit_of(s, AERO_UNIT_BLOB, r->offset + RAS_AERO_RECORD_HEADER_SIZE,
                                 r->raw_len - RAS_AERO_RECORD_HEADER_SIZE);
    u.blob_id = aero_id_at(r->raw + RAS_AERO_RECORD_HEADER_SIZE);
    aero_blob_remember(s, u.blob_id, r->offset);
    return u;
}

static struct aero_unit submission_unit(struct aero_side *s, const struct ras_record *r)
{
    struct aero_unit u = unit_of(s, AERO_UNIT_SUBMISSION, r->offset + RAS_AERO_RECORD_HEADER_SIZE,
                                 r->raw_len - RAS_AERO_RECORD_HEADER_SIZE);
    const struct aero_cursor *a = s->cursor->priv;
    struct ras_bytes all = source_bytes(s->trace->source, 0);
    bool follows = a->pending == AERO_COMMANDS;
    begin_stream(s, &u, follows ? aero_abi_at(all.at + a->stream) : 0);
    return u;
}

static struct aero_unit gap_unit(struct aero_side *s)
{
    size_t count;
    const struct ras_value *v = ras_values(s->cursor, &count);
    return unit_of(s, AERO_UNIT_GAP, s->next->offset, count > 1 ? v[1].u : 0);
}

/* The next record as a unit; false: it makes none. */
static bool take_record(struct aero_side *s, struct aero_unit *u)
{
    const struct ras_record *r = s->next;
    bool one = s->one;
    s->one = false;
    switch (r->schema) {
    case RAS_SCHEMA_GAP:
        *u = gap_unit(s);
        return true;
    case AERO_FRAME_TYPE:
        *u = unit_of(s, AERO_UNIT_PRESENT, r->offset, 0);
        s->closed = true;
        return true;
    case AERO_PACKET_TYPE:
        *u = packet_unit(s, r);
        return true;
    case AERO_BLOB_TYPE:
        *u = blob_unit(s, r);
        return true;
    case AERO_SUBMISSION_TYPE:
        *u = submission_unit(s, r);
        return true;
    default:
        if (!one)
            *u = command_unit(s, r);
        return !one;
    }
}

/* What stands alone begins with its header, which is no record. */
static bool take_bare(struct aero_side *s, struct aero_unit *u)
{
    const struct aero *t = s->trace->priv;
    const struct ras_record *r = s->next;
    if (r->schema == RAS_SCHEMA_GAP)
        *u = gap_unit(s);
    else if (t->shape == AERO_STREAM)
        *u = command_unit(s, r);
    else
        *u = unit_of(s, AERO_UNIT_ALLOC, r->offset, r->raw_len);
    return true;
}

static bool take_head(struct aero_side *s, struct aero_unit *u)
{
    const struct aero *t = s->trace->priv;
    if (t->shape == AERO_CONTAINER || s->head_done)
        return false;
    struct ras_bytes all = source_bytes(s->trace->source, 0);
    s->head_done = true;
    *u = unit_of(s, t->shape == AERO_STREAM ? AERO_UNIT_STREAM : AERO_UNIT_TABLE, 0, all.len);
    u->within = AERO_UNIT_TABLE; /* of no packet */
    if (t->shape == AERO_STREAM) {
        begin_stream(s, u, aero_abi_at(all.at));
        s->within = AERO_UNIT_TABLE;
    }
    return true;
}

static bool belongs(const struct aero_side *s)
{
    uint64_t index;
    if (s->next->schema == RAS_SCHEMA_GAP)
        return true;
    bool framed = aero_side_framed(s, &index);
    return framed == s->framed && (!framed || index == s->frame);
}

/* --channel may leave some out. */
static bool is_wanted(const struct aero_side *s, const struct aero_unit *u)
{
    unsigned kind = u->kind == AERO_UNIT_COMMAND ? u->within : u->kind;
    return s->wanted >> kind & 1;
}

static int take_unit(struct aero_side *s, struct aero_unit *u, struct ras_error *err)
{
    const struct aero *t = s->trace->priv;
    if (s->closed)
        return RAS_END;
    if (take_head(s, u))
        return RAS_OK;
    for (;;) {
        int status = aero_side_peek(s, err);
        if (status < 0)
            return status;
        if (status == RAS_END || !belongs(s)) {
            s->closed = true;
            return RAS_END;
        }
        bool made = t->shape == AERO_CONTAINER ? take_record(s, u) : take_bare(s, u);
        s->next = NULL;
        if (made && is_wanted(s, u))
            return RAS_OK;
    }
}

int aero_span_fill(struct aero_side *s, size_t want, struct ras_error *err)
{
    if (s->first + want > AERO_WINDOW) {
        memmove(s->window, s->window + s->first, s->count * sizeof *s->window);
        s->first = 0;
    }
    while (s->count < want) {
        int status = take_unit(s, &s->window[s->first + s->count], err);
        if (status != RAS_OK)
            return status < 0 ? status : RAS_OK;
        s->count++;
    }
    return RAS_OK;
}

void aero_span_drop(struct aero_side *s, size_t count)
{
    s->first += count;
    s->count -= count;
    s->passed += count;
    if (!s->count)
        s->first = 0;
}
