/* aerogpu_rewrite_toc.c - the frames of a rewritten trace, until its TOC is written.
 *
 * A frame may be as short as a few records, so that a long trace has millions of them: each
 * is kept as its differences to the one before, in a few bytes where the TOC takes 32. */
#include "codec/leb128.h"
#include "formats/aerogpu/aerogpu_rewrite.h"

enum { PIECE = 1024 }; /* entries written at one go */

/* What frames are told from. */
struct before {
    uint32_t index; /* that comes next */
    uint64_t end;
};

static uint8_t *put_number(uint8_t *p, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *p++ = (uint8_t)(value | 0x80);
    *p++ = (uint8_t)value;
    return p;
}

/* Nothing in the stream closes a frame but its Present. */
bool aero_end_frame(struct aero_copier *k)
{
    struct ras_aero_frame *f = &k->frame;
    k->open = false;
    if (!k->frame_count)
        return true;
    if (!f->present_offset)
        f->end_offset = k->at;
    uint8_t *start = out_reserve(&k->toc, 4 * LEB128_SIZE_MOST), *p = start;
    if (!start)
        return false;
    p = put_number(p, (uint32_t)(f->frame_index - k->toc_index));
    p = put_number(p, f->start_offset - k->toc_end);
    p = put_number(p, f->present_offset ? f->present_offset - f->start_offset : 0);
    p = put_number(p, f->end_offset - f->start_offset);
    k->toc.len += (size_t)(p - start);
    k->toc_index = f->frame_index + 1;
    k->toc_end = f->end_offset;
    return true;
}

static struct ras_aero_frame next_frame(struct in *in, struct before *b)
{
    struct ras_aero_frame f = {0};
    bool bad = false;
    f.frame_index = b->index + (uint32_t)in_leb128(in, &bad);
    f.start_offset = b->end + in_leb128(in, &bad);
    uint64_t present = in_leb128(in, &bad);
    f.present_offset = present ? f.start_offset + present : 0;
    f.end_offset = f.start_offset + in_leb128(in, &bad);
    *b = (struct before){f.frame_index + 1, f.end_offset};
    return f;
}

static int put_entries(struct rewrite *rw, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    struct in in = in_bytes((struct ras_bytes){k->toc.at, k->toc.len});
    struct before b = {0};
    uint8_t entries[PIECE * RAS_AERO_TOC_ENTRY_SIZE];
    size_t len = 0;
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < k->frame_count; i++) {
        struct ras_aero_frame f = next_frame(&in, &b);
        ras_aero_frame_put(&f, entries + len);
        len += RAS_AERO_TOC_ENTRY_SIZE;
        if (len < sizeof entries && i + 1 < k->frame_count)
            continue;
        status = aero_put_bytes(rw, entries, len, err);
        len = 0;
    }
    return status;
}

int aero_put_seal(struct rewrite *rw, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    if (!aero_end_frame(k))
        return fail_memory(err);
    uint8_t bytes[RAS_AERO_FOOTER_SIZE];
    const struct ras_aero_toc toc = {1, (uint32_t)k->frame_count};
    const struct ras_aero_footer footer = {RAS_AERO_FOOTER_SIZE, k->version, k->at,
                                           RAS_AERO_TOC_HEADER_SIZE +
                                               (uint64_t)k->frame_count * RAS_AERO_TOC_ENTRY_SIZE};
    ras_aero_toc_put(&toc, bytes);
    int status = aero_put_bytes(rw, bytes, RAS_AERO_TOC_HEADER_SIZE, err);
    if (status == RAS_OK)
        status = put_entries(rw, err);
    ras_aero_footer_put(&footer, bytes);
    return status == RAS_OK ? aero_put_bytes(rw, bytes, sizeof bytes, err) : status;
}
