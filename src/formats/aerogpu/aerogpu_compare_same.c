/* aerogpu_compare_same.c - whether two units are the same, blob ids apart. */
#include "formats/aerogpu/aerogpu_compare.h"
#include "formats/aerogpu/aerogpu_refs.h"

bool aero_stream_of(const struct aero_ref *ref, struct ras_aero_stream *stream)
{
    return ref->there && ref->blob.kind == RAS_AERO_CMD_STREAM &&
           ras_aero_stream_get(ref->blob.data, stream, NULL) == RAS_OK;
}

bool aero_table_of(const struct aero_ref *ref, struct ras_aero_alloc_table *table)
{
    return ref->there && ref->blob.kind == RAS_AERO_ALLOC_TABLE &&
           ras_aero_alloc_table_get(ref->blob.data, table, NULL) == RAS_OK;
}

static bool same_bytes(struct ras_bytes a, struct ras_bytes b)
{
    return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

/* A stream's header and what lies behind its commands, which are units themselves. */
static bool same_stream(const struct ras_aero_stream *a, const struct ras_aero_stream *b)
{
    return a->abi_version == b->abi_version && a->flags == b->flags &&
           a->reserved0 == b->reserved0 && a->reserved1 == b->reserved1 &&
           same_bytes(a->trailing, b->trailing);
}

static bool same_streams(struct ras_bytes a, struct ras_bytes b)
{
    struct ras_aero_stream x, y;
    if (ras_aero_stream_get(a, &x, NULL) == RAS_OK && ras_aero_stream_get(b, &y, NULL) == RAS_OK)
        return same_stream(&x, &y);
    return same_bytes(a, b);
}

static bool same_tables(struct ras_bytes a, struct ras_bytes b)
{
    struct ras_aero_alloc_table x, y;
    struct in p = in_bytes(a), q = in_bytes(b);
    aero_alloc_table_get(&p, &x);
    aero_alloc_table_get(&q, &y);
    return x.abi_version == y.abi_version && x.entry_stride == y.entry_stride &&
           x.reserved0 == y.reserved0;
}

/* The bytes between the blob ids, and what the ids stand for. */
static bool same_but_refs(struct aero_compare *m, uint8_t type, const struct aero_unit *a,
                          const struct aero_unit *b)
{
    struct ras_bytes x = aero_unit_bytes(&m->sides[0], a), y = aero_unit_bytes(&m->sides[1], b);
    struct aero_refs refs = aero_refs_of(type, x);
    uint64_t at, from = 0;
    if (x.len != y.len)
        return false;
    while (aero_refs_next(&refs, &at)) {
        if (!same_bytes(aero_slice(x, from, at - from), aero_slice(y, from, at - from)))
            return false;
        struct aero_ref p = aero_ref_of(m, 0, a, aero_id_at(x.at + at));
        struct aero_ref q = aero_ref_of(m, 1, b, aero_id_at(y.at + at));
        struct ras_aero_stream s, t;
        bool commands = type == RAS_AERO_SUBMISSION && !from; /* its first blob */
        if (commands && aero_stream_of(&p, &s) && aero_stream_of(&q, &t)) {
            if (!same_stream(&s, &t))
                return false;
        } else if (!aero_refs_same(m, &p, &q)) {
            return false;
        }
        from = at + sizeof(uint64_t);
    }
    return same_bytes(aero_slice(x, from, UINT64_MAX), aero_slice(y, from, UINT64_MAX));
}

static bool same_blobs(struct aero_compare *m, const struct aero_unit *a, const struct aero_unit *b)
{
    struct aero_ref x = aero_unit_ref(&m->sides[0], a), y = aero_unit_ref(&m->sides[1], b);
    return aero_refs_same(m, &x, &y);
}

bool aero_units_same(struct aero_compare *m, const struct aero_unit *a, const struct aero_unit *b)
{
    if (!aero_units_alike(a, b))
        return false;
    struct ras_bytes x = aero_unit_bytes(&m->sides[0], a), y = aero_unit_bytes(&m->sides[1], b);
    switch (a->kind) {
    case AERO_UNIT_PACKET:
        return same_but_refs(m, RAS_AERO_PACKET, a, b);
    case AERO_UNIT_SUBMISSION:
        return same_but_refs(m, RAS_AERO_SUBMISSION, a, b);
    case AERO_UNIT_STREAM:
        return same_streams(x, y);
    case AERO_UNIT_TABLE:
        return same_tables(x, y);
    case AERO_UNIT_BLOB:
        return same_blobs(m, a, b);
    case AERO_UNIT_PRESENT:
        return true;
    default:
        return same_bytes(x, y);
    }
}

bool aero_units_alike(const struct aero_unit *a, const struct aero_unit *b)
{
    return a->kind == b->kind && a->opcode == b->opcode;
}
