/* aerogpu_refs.c - where a record names blobs. */
#include "formats/aerogpu/aerogpu_refs.h"

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
    refs.record_type = 0; /* not one that can be read */
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
