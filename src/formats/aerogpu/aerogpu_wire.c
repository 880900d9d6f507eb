/* aerogpu_wire.c - the bytes of AeroGPU traces as C structs. */
#include "formats/aerogpu/aerogpu_wire.h"

bool aero_magic_get(struct in *in, const char *magic)
{
    const uint8_t *p = in_take(in, AERO_MAGIC_SIZE);
    return p && !memcmp(p, magic, AERO_MAGIC_SIZE);
}

bool aero_magic_begins(struct ras_bytes b, const char *magic)
{
    size_t n = b.len < AERO_MAGIC_SIZE ? b.len : AERO_MAGIC_SIZE;
    return n == 0 || !memcmp(b.at, magic, n);
}

bool aero_header_get(struct in *in, struct ras_aero_header *h)
{
    bool ours = aero_magic_get(in, AERO_MAGIC_HEADER);
    h->header_size = in_u32(in);
    h->container_version = in_u32(in);
    h->command_abi_version = in_u32(in);
    h->flags = in_u32(in);
    h->meta_len = in_u32(in);
    h->reserved = in_u32(in);
    return ours;
}

bool aero_footer_get(struct in *in, struct ras_aero_footer *f)
{
    bool ours = aero_magic_get(in, AERO_MAGIC_FOOTER);
    f->footer_size = in_u32(in);
    f->container_version = in_u32(in);
    f->toc_offset = in_u64(in);
    f->toc_len = in_u64(in);
    return ours;
}

bool aero_toc_get(struct in *in, struct ras_aero_toc *t)
{
    bool ours = aero_magic_get(in, AERO_MAGIC_TOC);
    t->toc_version = in_u32(in);
    t->frame_count = in_u32(in);
    return ours;
}

void aero_entry_get(struct in *in, struct ras_aero_frame *f)
{
    f->frame_index = in_u32(in);
    f->flags = in_u32(in);
    f->start_offset = in_u64(in);
    f->present_offset = in_u64(in);
    f->end_offset = in_u64(in);
}

void aero_blob_get(struct in *in, struct ras_aero_blob *b)
{
    const uint8_t *p = in_take(in, RAS_AERO_BLOB_HEADER_SIZE);
    *b = (struct ras_aero_blob){0};
    if (!p)
        return;
    b->blob_id = load_u64(p);
    b->kind = load_u32(p + 8);
    b->reserved = load_u32(p + 12);
    b->data = in_span(in, in_left(in));
}

void aero_submission_get(struct in *in, struct ras_aero_submission *s)
{
    const uint8_t *p = in_take(in, RAS_AERO_SUBMISSION_SIZE);
    *s = (struct ras_aero_submission){0};
    if (!p)
        return;
    s->record_version = load_u32(p);
    s->header_size = load_u32(p + 4);
    s->submit_flags = load_u32(p + 8);
    s->context_id = load_u32(p + 12);
    s->engine_id = load_u32(p + 16);
    s->reserved0 = load_u32(p + 20);
    s->signal_fence = load_u64(p + 24);
    s->cmd_stream_blob_id = load_u64(p + 32);
    s->alloc_table_blob_id = load_u64(p + 40);
    s->memory_range_count = load_u32(p + 48);
    s->reserved1 = load_u32(p + 52);
}

void aero_range_get(struct in *in, struct ras_aero_range *r)
{
    r->alloc_id = in_u32(in);
    r->flags = in_u32(in);
    r->gpa = in_u64(in);
    r->size_bytes = in_u64(in);
    r->blob_id = in_u64(in);
}

void aero_packet_get(struct in *in, struct ras_aero_packet *p)
{
    p->opcode = in_u32(in);
    p->total_dwords = in_u32(in);
    p->payload = in_span(in, in_left(in));
}

bool aero_stream_get(struct in *in, struct ras_aero_stream *s)
{
    const uint8_t *magic = in_take(in, 4);
    s->abi_version = in_u32(in);
    s->size_bytes = in_u32(in);
    s->flags = in_u32(in);
    s->reserved0 = in_u32(in);
    s->reserved1 = in_u32(in);
    return magic && !memcmp(magic, AERO_MAGIC_STREAM, 4);
}

bool aero_alloc_table_get(struct in *in, struct ras_aero_alloc_table *t)
{
    const uint8_t *magic = in_take(in, 4);
    t->abi_version = in_u32(in);
    t->size_bytes = in_u32(in);
    t->entry_count = in_u32(in);
    t->entry_stride = in_u32(in);
    t->reserved0 = in_u32(in);
    return magic && !memcmp(magic, AERO_MAGIC_ALLOC, 4);
}

void aero_alloc_get(struct in *in, struct ras_aero_alloc *a)
{
    a->alloc_id = in_u32(in);
    a->flags = in_u32(in);
    a->gpa = in_u64(in);
    a->size_bytes = in_u64(in);
    a->reserved0 = in_u64(in);
}
