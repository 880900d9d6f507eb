/* aerogpu_refs.c - where a record names blobs, and which resources its commands make and use.
 *
 * Ids of buffers, textures and views of a stream are of one space; shaders, layouts and samplers
 * have theirs. Appendix A has a space for each kind. 0 is not a resource. */
#include "formats/aerogpu/aerogpu_refs.h"

/* ---- blobs --------------------------------------------------------------------------- */

enum { CMD_STREAM_AT = 32, ALLOC_TABLE_AT = 40, RANGE_BLOB_AT = 24, ID_SIZE = 8 };

bool aero_has_refs(uint8_t record_type, struct ras_bytes payload)
{
    if (record_type != RAS_AERO_PACKET)
        return record_type == RAS_AERO_SUBMISSION;
    if (!aero_is_packet(payload.at, (uint32_t)payload.len))
        return false;
    const struct ras_aero_op *op = ras_aero_packet_op(aero_word_at(payload.at));
    for (const struct ras_aero_field *f = op ? op->fields : NULL; f && f->type != RAS_AERO_END; f++)
        if (f->flags & RAS_AERO_HAS_LO)
            return true;
    return false;
}

struct aero_refs aero_refs_of_submission(const struct ras_aero_submission *s,
                                         struct ras_bytes payload)
{
    return (struct aero_refs){.record_type = RAS_AERO_SUBMISSION,
                              .payload = payload,
                              .header_size = s->header_size,
                              .ranges = s->memory_range_count};
}

struct aero_refs aero_refs_of(uint8_t record_type, struct ras_bytes payload)
{
    struct aero_refs refs = {.record_type = record_type, .payload = payload};
    struct ras_aero_submission s;
    if (record_type == RAS_AERO_PACKET && payload.len >= RAS_AERO_PACKET_HEADER_SIZE &&
        aero_is_packet(payload.at, (uint32_t)payload.len))
        refs.op = ras_aero_packet_op(aero_word_at(payload.at));
    if (record_type != RAS_AERO_SUBMISSION)
        return refs;
    if (ras_aero_submission_get(payload, &s, NULL) == RAS_OK)
        return aero_refs_of_submission(&s, payload);
    refs.record_type = 0; /* it cannot be read */
    return refs;
}

/* Halves of a u64 follow each other, so together they are one. */
static bool next_of_packet(struct aero_refs *r, uint64_t *at)
{
    while (r->op && r->op->fields[r->next].type != RAS_AERO_END) {
        const struct ras_aero_field *f = &r->op->fields[r->next++];
        *at = RAS_AERO_PACKET_HEADER_SIZE + (uint64_t)f->at - 4;
        if (f->flags & RAS_AERO_HAS_LO && *at + ID_SIZE <= r->payload.len)
            return true;
    }
    return false;
}

static bool next_of_submission(struct aero_refs *r, uint64_t *at)
{
    uint64_t i = r->next++;
    *at = i == 0 ? CMD_STREAM_AT : ALLOC_TABLE_AT;
    if (i >= 2)
        *at = r->header_size + (i - 2) * RAS_AERO_RANGE_SIZE + RANGE_BLOB_AT;
    return i < 2 || i - 2 < r->ranges;
}

bool aero_refs_next(struct aero_refs *r, uint64_t *at)
{
    if (r->record_type == RAS_AERO_PACKET)
        return next_of_packet(r, at);
    return r->record_type == RAS_AERO_SUBMISSION && next_of_submission(r, at);
}

/* ---- resources ----------------------------------------------------------------------- */

enum kind {
    RESOURCE = AERO_RESOURCE,
    BUFFER = AERO_BUFFER,
    SHADER = AERO_SHADER,
    LAYOUT = AERO_LAYOUT,
    SAMPLER = AERO_SAMPLER,
    PIPELINE = AERO_PIPELINE
};

static const char *const names[] = {"resource", "buffer",  "shader",
                                    "layout",   "sampler", "pipeline"};

/* One id, or a row of them, in the payload of a command. */
struct touch {
    uint32_t opcode;
    uint8_t kind, at;
    bool makes;
    uint8_t stride; /* of a row; 0: a single one */
    uint8_t count_at;
};

/* By opcode; the ids that a command uses come before those that it makes. */
static const struct touch stream_touches[] = {
    {0x100, RESOURCE, 0, true, 0, 0},    {0x101, RESOURCE, 0, true, 0, 0},
    {0x103, RESOURCE, 0, false, 0, 0},   {0x104, RESOURCE, 0, false, 0, 0},
    {0x105, RESOURCE, 0, false, 0, 0},   {0x105, RESOURCE, 4, false, 0, 0},
    {0x106, RESOURCE, 0, false, 0, 0},   {0x106, RESOURCE, 4, false, 0, 0},
    {0x107, RESOURCE, 4, false, 0, 0},   {0x107, RESOURCE, 0, true, 0, 0},
    {0x200, SHADER, 0, true, 0, 0},      {0x202, SHADER, 0, false, 0, 0},
    {0x202, SHADER, 4, false, 0, 0},     {0x202, SHADER, 8, false, 0, 0},
    {0x204, LAYOUT, 0, true, 0, 0},      {0x206, LAYOUT, 0, false, 0, 0},
    {0x400, RESOURCE, 4, false, 0, 0},   {0x400, RESOURCE, 8, false, 4, 0},
    {0x500, RESOURCE, 8, false, 16, 4},  {0x501, RESOURCE, 0, false, 0, 0},
    {0x510, RESOURCE, 8, false, 0, 0},   {0x520, SAMPLER, 0, true, 0, 0},
    {0x522, SAMPLER, 16, false, 4, 8},   {0x523, RESOURCE, 16, false, 16, 8},
    {0x524, RESOURCE, 16, false, 16, 8}, {0x525, RESOURCE, 16, false, 16, 8},
    {0x710, RESOURCE, 0, false, 0, 0},   {0x711, RESOURCE, 0, true, 0, 0},
};

static const struct touch packet_touches[] = {
    {1, BUFFER, 0, true, 0, 0},    {2, BUFFER, 0, false, 0, 0}, {3, SHADER, 0, true, 0, 0},
    {4, SHADER, 4, false, 0, 0},   {4, SHADER, 8, false, 0, 0}, {4, PIPELINE, 0, true, 0, 0},
    {5, PIPELINE, 0, false, 0, 0}, {6, BUFFER, 0, false, 0, 0},
};

enum {
    STREAM_TOUCHES = sizeof stream_touches / sizeof *stream_touches,
    PACKET_TOUCHES = sizeof packet_touches / sizeof *packet_touches,
};

static bool add_touched(void *user, const struct aero_touched *t)
{
    struct aero_made *m = user;
    uint64_t key = (uint64_t)(t->kind + 1u) << 32 | t->id;
    bool again;
    if (t->makes)
        return aero_ids_add(&m->ids, key, &again);
    if (!m->missing && !aero_ids_has(&m->ids, key)) {
        m->missing = names[t->kind];
        m->missing_id = t->id;
    }
    return true;
}

static bool touch_all(const struct touch *t, struct ras_bytes payload, aero_touched_one *one,
                      void *user)
{
    struct in in = in_bytes(aero_slice(payload, t->count_at, 4));
    uint32_t count = t->stride ? in_u32(&in) : 1;
    for (uint32_t i = 0; i < count; i++) {
        in = in_bytes(aero_slice(payload, t->at + (uint64_t)i * t->stride, 4));
        uint32_t id = in_u32(&in);
        if (in.cut)
            return true; /* the payload has no more, whatever the count says */
        const struct aero_touched touched = {t->kind, t->makes, id};
        if (id && !one(user, &touched))
            return false;
    }
    return true;
}

static void note_touches(uint64_t touching[8], const struct touch *touches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        touching[touches[i].opcode >> 8 & 7] |= UINT64_C(1) << (touches[i].opcode & 63);
}

void aero_made_ready(struct aero_made *m)
{
    if (m->ready)
        return;
    m->ready = true;
    note_touches(m->touching[false], stream_touches, STREAM_TOUCHES);
    note_touches(m->touching[true], packet_touches, PACKET_TOUCHES);
}

bool aero_made_add(struct aero_made *m, bool packet, struct ras_bytes command)
{
    struct in in = in_bytes(command);
    aero_made_ready(m);
    return !aero_made_touches(m, packet, in_u32(&in)) ||
           aero_touched_each(packet, command, add_touched, m);
}

bool aero_touched_each(bool packet, struct ras_bytes command, aero_touched_one *one, void *user)
{
    const struct touch *touches = packet ? packet_touches : stream_touches;
    size_t count = packet ? PACKET_TOUCHES : STREAM_TOUCHES;
    struct in in = in_bytes(command);
    uint32_t opcode = in_u32(&in);
    struct ras_bytes payload = aero_slice(command, RAS_AERO_COMMAND_HEADER_SIZE, UINT64_MAX);
    size_t i = 0;
    for (size_t high = count; i < high;) {
        size_t middle = i + (high - i) / 2;
        if (touches[middle].opcode < opcode)
            i = middle + 1;
        else
            high = middle;
    }
    for (; !in.cut && i < count && touches[i].opcode == opcode; i++)
        if (!touch_all(&touches[i], payload, one, user))
            return false;
    return true;
}
