/* aerogpu_compare_blobs.c - blobs by what they hold, so that their ids do not matter. */
#include "formats/aerogpu/aerogpu_compare.h"
#include "formats/aerogpu/aerogpu_refs.h"

static bool blob_at(const struct aero_side *s, uint64_t offset, struct ras_aero_blob *blob)
{
    struct ras_aero_record r;
    return ras_aero_record_get(source_bytes(s->trace->source, 0), &offset, &r, NULL) == RAS_OK &&
           r.record_type == RAS_AERO_BLOB && ras_aero_blob_get(r.payload, blob, NULL) == RAS_OK;
}

/* The definition before the unit, or, as one of the public readers has it, any other. */
struct aero_ref aero_ref_of(struct aero_compare *m, int side, const struct aero_unit *u,
                            uint64_t blob_id)
{
    const struct aero_side *s = &m->sides[side];
    const struct aero_recent *recent = &s->recent[blob_id % AERO_RECENT];
    struct aero_ref ref = {.blob_id = blob_id, .offset = RAS_NONE};
    if (!blob_id)
        return ref;
    if (recent->blob_id == blob_id && recent->offset < u->offset) {
        ref.offset = recent->offset;
        ref.there = blob_at(s, ref.offset, &ref.blob);
        return ref;
    }
    bool nomem;
    ref.there = aero_blob_before(s->trace, blob_id, u->offset, &ref.blob, &ref.offset, &nomem) ||
                aero_blob_before(s->trace, blob_id, RAS_NONE, &ref.blob, &ref.offset, &nomem);
    m->nomem |= nomem;
    return ref;
}

struct aero_ref aero_unit_ref(const struct aero_side *s, const struct aero_unit *u)
{
    struct aero_ref ref = {.blob_id = u->blob_id,
                           .offset = u->offset - RAS_AERO_RECORD_HEADER_SIZE};
    ref.there = ras_aero_blob_get(aero_unit_bytes(s, u), &ref.blob, NULL) == RAS_OK;
    return ref;
}

static bool same_content(const struct ras_aero_blob *a, const struct ras_aero_blob *b)
{
    return a->kind == b->kind && a->data.len == b->data.len &&
           (!a->data.len || !memcmp(a->data.at, b->data.at, a->data.len));
}

bool aero_refs_same(struct aero_compare *m, const struct aero_ref *a, const struct aero_ref *b)
{
    if (!a->there || !b->there)
        return !a->there && !b->there && a->blob_id == b->blob_id;
    struct aero_known *known = &m->known[(a->offset * 31 + b->offset) % AERO_CACHE];
    if (known->a != a->offset || known->b != b->offset)
        *known = (struct aero_known){a->offset, b->offset, same_content(&a->blob, &b->blob)};
    return known->same;
}

/* One pass over the trace, when it is first asked. */
static bool find_references(struct aero_side *s)
{
    struct ras_bytes all = source_bytes(s->trace->source, 0);
    struct ras_aero_record r;
    bool again;
    for (uint64_t at = s->trace->body; ras_aero_record_get(all, &at, &r, NULL) == RAS_OK;) {
        uint64_t ref;
        struct aero_refs refs = aero_refs_of(r.record_type, r.payload);
        while (aero_refs_next(&refs, &ref)) {
            uint64_t id = aero_id_at(r.payload.at + ref);
            if (id && !aero_ids_has(&s->referenced, id) &&
                !aero_ids_add(&s->referenced, id, &again))
                return false;
        }
    }
    return true;
}

bool aero_is_referenced(struct aero_compare *m, int side, uint64_t blob_id)
{
    struct aero_side *s = &m->sides[side];
    if (!s->referenced_known && !find_references(s))
        m->nomem = true;
    s->referenced_known = true;
    return blob_id && aero_ids_has(&s->referenced, blob_id);
}
