/* aerogpu_compare_front.c - records at the front of two traces that are the same to the
 * byte: they are followed on one side, for both. Their values are not decoded; what a reader
 * could not follow ends it, so that damage is found by the cursors.
 *
 * What such records name is the same, too, as long as it lies before them. */
#include "formats/aerogpu/aerogpu_compare.h"
#include "formats/aerogpu/aerogpu_refs.h"

struct front {
    struct ras_bytes all[2];
    uint64_t at[2];
    uint64_t equal; /* bytes from there on that are known to be the same */
    uint64_t most;  /* bytes of a payload */
    uint64_t named; /* opcodes of Appendix A that name blobs, as bits */
    uint8_t types;  /* the highest record type that both know */
    bool framed;    /* a frame is open */
    uint32_t frame; /* its index */
};

/* Whether the next so many bytes are the same; looked at in blocks, for most are. */
static bool same_bytes(struct front *f, uint64_t size)
{
    enum { BLOCK = 4096 };
    const uint8_t *a = f->all[0].at + f->at[0], *b = f->all[1].at + f->at[1];
    uint64_t n = f->all[0].len - f->at[0], m = f->all[1].len - f->at[1];
    n = n < m ? n : m;
    if (size > n)
        return false;
    if (size <= f->equal)
        return true;
    uint64_t block = n < size + BLOCK ? n : size + BLOCK;
    if (!memcmp(a + f->equal, b + f->equal, block - f->equal))
        f->equal = block;
    else if (!memcmp(a + f->equal, b + f->equal, size - f->equal))
        f->equal = size;
    return size <= f->equal;
}

/* The record at both places, if it is the same and nothing unusual. */
static bool same_record(struct front *f, struct ras_aero_record *r, uint64_t *size)
{
    const uint8_t *p = f->all[0].at + f->at[0];
    uint64_t left = f->all[0].len - f->at[0];
    if (left < RAS_AERO_RECORD_HEADER_SIZE || aero_type_at(p) - 1u >= f->types)
        return false;
    r->record_type = aero_type_at(p);
    r->payload_len = aero_len_at(p);
    r->payload = (struct ras_bytes){p + RAS_AERO_RECORD_HEADER_SIZE, r->payload_len};
    *size = RAS_AERO_RECORD_HEADER_SIZE + (uint64_t)r->payload_len;
    return r->payload_len <= f->most && *size <= left && same_bytes(f, *size);
}

static uint64_t naming_opcodes(void)
{
    uint64_t named = 0;
    const struct ras_aero_op *op;
    for (size_t i = 0; (op = ras_aero_packet_op_at(i)) != NULL; i++)
        for (const struct ras_aero_field *f = op->fields; f->type != RAS_AERO_END; f++)
            if (f->flags & RAS_AERO_HAS_LO)
                named |= UINT64_C(1) << op->opcode % 64;
    return named;
}

static bool may_name(const struct front *f, const struct ras_aero_record *r)
{
    if (r->record_type != RAS_AERO_PACKET)
        return r->record_type == RAS_AERO_SUBMISSION;
    return r->payload_len >= RAS_AERO_PACKET_HEADER_SIZE &&
           f->named >> aero_word_at(r->payload.at) % 64 & 1;
}

/* Whether all blobs that the record names were passed before. */
static bool refs_passed(const struct aero_side *s, const struct ras_aero_record *r)
{
    struct aero_refs refs = aero_refs_of(r->record_type, r->payload);
    uint64_t at;
    while (aero_refs_next(&refs, &at)) {
        uint64_t id = aero_id_at(r->payload.at + at);
        if (id && !aero_ids_has(&s->defined, id))
            return false;
    }
    return true;
}

static bool take_blob(struct aero_compare *m, const struct front *f,
                      const struct ras_aero_record *r)
{
    struct ras_aero_blob blob;
    bool again;
    if (ras_aero_blob_get(r->payload, &blob, NULL) < 0)
        return false;
    if (blob.blob_id && !aero_ids_add(&m->sides[0].defined, blob.blob_id, &again))
        return false; /* what follows does without */
    for (int i = 0; i < 2; i++) {
        aero_blob_remember(&m->sides[i], blob.blob_id, f->at[i]);
        aero_remember(&m->sides[i].streams, &blob, f->at[i]);
    }
    return true;
}

static bool stream_whole(struct ras_bytes bytes)
{
    struct ras_aero_stream s;
    struct ras_aero_command k;
    uint64_t at = 0;
    int status = RAS_OK;
    if (!bytes.len) /* what recorders store for a submission they could not read */
        return true;
    if (ras_aero_stream_get(bytes, &s, NULL) < 0)
        return false;
    while (status == RAS_OK)
        status = ras_aero_command_get(s.commands, &at, &k, NULL);
    return status == RAS_END;
}

/* Whether the cursor makes no gap of it: damage that is the same on both sides is damage. */
static bool whole(const struct ras_aero_record *r)
{
    struct ras_aero_submission s;
    struct ras_aero_blob b;
    if (r->record_type == RAS_AERO_PACKET)
        return !ras_aero_is_stream(r->payload) || stream_whole(r->payload);
    if (r->record_type == RAS_AERO_BLOB)
        return ras_aero_blob_get(r->payload, &b, NULL) == RAS_OK &&
               (b.kind != RAS_AERO_CMD_STREAM || stream_whole(b.data));
    return r->record_type != RAS_AERO_SUBMISSION ||
           ras_aero_submission_get(r->payload, &s, NULL) == RAS_OK;
}

/* Pass one record; false: from here on both sides must be looked at. */
static bool pass(struct aero_compare *m, struct front *f, struct ras_mark mark[2])
{
    struct ras_aero_record r;
    uint64_t size;
    if (!same_record(f, &r, &size) || !whole(&r) ||
        (may_name(f, &r) && !refs_passed(&m->sides[0], &r)))
        return false;
    bool marker = r.record_type == RAS_AERO_BEGIN_FRAME || r.record_type == RAS_AERO_PRESENT;
    if (marker && r.payload_len != 4)
        return false;
    if (r.record_type == RAS_AERO_BEGIN_FRAME && f->framed)
        return false; /* a frame without end: the cursor knows what to make of it */
    if (r.record_type == RAS_AERO_BLOB && !take_blob(m, f, &r))
        return false;
    if (r.record_type == RAS_AERO_BEGIN_FRAME) {
        mark[0].offset = f->at[0];
        mark[1].offset = f->at[1];
        f->framed = true;
        f->frame = aero_word_at(r.payload.at);
    }
    f->at[0] += size;
    f->at[1] += size;
    f->equal -= size;
    if (r.record_type == RAS_AERO_PRESENT && f->framed) {
        f->framed = false;
        mark[0].offset = f->at[0];
        mark[1].offset = f->at[1];
        compare_place_next(&m->sides[0].place, f->frame);
        m->compare->out->checked += compare_in_range(m->compare->asked, f->frame);
    }
    return true;
}

int aero_pass_equal(struct aero_compare *m, struct ras_mark mark[2], struct ras_error *err)
{
    struct front f = {.types = RAS_AERO_SUBMISSION, .most = UINT32_MAX, .named = naming_opcodes()};
    const struct ras_compare_options *asked = m->compare->asked;
    for (int i = 0; i < 2; i++) {
        const struct aero *t = m->sides[i].trace->priv;
        uint64_t most = m->sides[i].trace->limits.record_bytes;
        f.all[i] = source_bytes(m->sides[i].trace->source, 0);
        f.at[i] = mark[i].offset;
        f.most = most < f.most ? most : f.most;
        if (f.at[i] > f.all[i].len)
            return RAS_OK;
        if (t->v1)
            f.types = RAS_AERO_BLOB;
    }
    for (uint64_t n = 0; pass(m, &f, mark); n++)
        if (asked->progress && n % COMPARE_PROGRESS_ROWS == 0 &&
            !asked->progress(asked->user, f.at[0], f.all[0].len))
            return fail_canceled(err);
    m->sides[1].place = m->sides[0].place;
    return RAS_OK;
}
