/* aerogpu_container.c - the container of a trace, judged: header, records,
 * TOC, footer, blobs and submissions on memory of the caller. */
#include "base/error.h"
#include "formats/aerogpu/aerogpu_wire.h"

int ras_aero_header_get(struct ras_bytes file, struct ras_aero_header *h, struct ras_error *err)
{
    struct in in = in_bytes(file);
    if (!aero_magic_begins(file, AERO_MAGIC_HEADER))
        return fail(err, RAS_EFORMAT, 0, "header magic is not AEROGPUT");
    aero_header_get(&in, h);
    if (file.len >= 12 && h->header_size != RAS_AERO_HEADER_SIZE)
        return fail(err, RAS_EFORMAT, 8, "header_size is %" PRIu32 ", 32 wanted", h->header_size);
    if (file.len >= 16 && (h->container_version < 1 || h->container_version > 2))
        return fail(err, RAS_EVERSION, 12, "container_version %" PRIu32 ", 1 and 2 are read",
                    h->container_version);
    if (in.cut)
        return fail(err, RAS_ECUT, file.len, "header of 32 bytes, the file has %zu", file.len);
    return RAS_OK;
}

struct ras_bytes ras_aero_meta(struct ras_bytes file, const struct ras_aero_header *h)
{
    return aero_slice(file, RAS_AERO_HEADER_SIZE, h->meta_len);
}

int ras_aero_footer_get(struct ras_bytes file, struct ras_aero_footer *f, struct ras_error *err)
{
    if (file.len < RAS_AERO_HEADER_SIZE + RAS_AERO_FOOTER_SIZE)
        return fail(err, RAS_EFORMAT, file.len, "no room for a footer in %zu bytes", file.len);
    uint64_t at = file.len - RAS_AERO_FOOTER_SIZE;
    struct in in = in_bytes(aero_slice(file, at, RAS_AERO_FOOTER_SIZE));
    if (!aero_footer_get(&in, f))
        return fail(err, RAS_EFORMAT, at, "no footer in the last 32 bytes");
    if (f->footer_size != RAS_AERO_FOOTER_SIZE)
        return fail(err, RAS_EFORMAT, at + 8, "footer_size is %" PRIu32 ", 32 wanted",
                    f->footer_size);
    struct ras_aero_header h;
    in = in_bytes(file);
    aero_header_get(&in, &h);
    if (f->container_version != h.container_version)
        return fail(err, RAS_EFORMAT, at + 12,
                    "container_version %" PRIu32 " in the footer, %" PRIu32 " in the header",
                    f->container_version, h.container_version);
    return RAS_OK;
}

/* The structure of the TOC: its place, its magic, its length against its count. */
int ras_aero_toc_get(struct ras_bytes file, const struct ras_aero_footer *f, struct ras_aero_toc *t,
                     struct ras_error *err)
{
    uint64_t last = file.len - RAS_AERO_FOOTER_SIZE, at = last + 16;
    if (f->toc_offset > last || f->toc_len > last - f->toc_offset)
        return fail(err, RAS_EFORMAT, at,
                    "TOC of %" PRIu64 " bytes at %" PRIu64 ", the footer starts at %" PRIu64,
                    f->toc_len, f->toc_offset, last);
    if (f->toc_len < RAS_AERO_TOC_HEADER_SIZE)
        return fail(err, RAS_EFORMAT, at + 8, "toc_len is %" PRIu64 ", at least 16 wanted",
                    f->toc_len);
    struct in in = in_bytes(aero_slice(file, f->toc_offset, f->toc_len));
    if (!aero_toc_get(&in, t))
        return fail(err, RAS_EFORMAT, f->toc_offset, "TOC magic is not AEROTOC");
    if (t->toc_version != 1)
        return fail(err, RAS_EFORMAT, f->toc_offset + 8, "toc_version is %" PRIu32 ", 1 wanted",
                    t->toc_version);
    uint64_t want = RAS_AERO_TOC_HEADER_SIZE + (uint64_t)t->frame_count * RAS_AERO_TOC_ENTRY_SIZE;
    if (f->toc_len != want)
        return fail(err, RAS_EFORMAT, f->toc_offset + 12,
                    "toc_len is %" PRIu64 ", %" PRIu32 " frames take %" PRIu64, f->toc_len,
                    t->frame_count, want);
    return RAS_OK;
}

struct ras_aero_frame ras_aero_toc_entry(struct ras_bytes file, const struct ras_aero_footer *f,
                                         uint32_t i)
{
    struct ras_aero_frame frame = {0};
    uint64_t at = f->toc_offset + RAS_AERO_TOC_HEADER_SIZE + (uint64_t)i * RAS_AERO_TOC_ENTRY_SIZE;
    struct in in = in_bytes(aero_slice(file, at, RAS_AERO_TOC_ENTRY_SIZE));
    aero_entry_get(&in, &frame);
    return frame;
}

int ras_aero_record_get(struct ras_bytes file, uint64_t *offset, struct ras_aero_record *r,
                        struct ras_error *err)
{
    uint64_t at = *offset;
    struct in in = in_bytes(aero_slice(file, at, UINT64_MAX));
    if (!in_left(&in))
        return RAS_END;
    uint64_t left = in_left(&in);
    aero_record_get(&in, r);
    if (in.cut)
        return fail(err, RAS_ECUT, at, "record header of 8 bytes, %" PRIu64 " are left", left);
    r->payload = in_span(&in, r->payload_len);
    const char *name = in.cut ? ras_aero_record_name(r->record_type) : NULL;
    if (in.cut)
        return fail(err, RAS_ECUT, at, "%s payload of %" PRIu32 " bytes, %" PRIu64 " are left",
                    name ? name : "record", r->payload_len, left - RAS_AERO_RECORD_HEADER_SIZE);
    *offset = at + RAS_AERO_RECORD_HEADER_SIZE + r->payload_len;
    return RAS_OK;
}

int ras_aero_frame_index_get(struct ras_bytes payload, uint32_t *frame_index, struct ras_error *err)
{
    struct in in = in_bytes(payload);
    *frame_index = in_u32(&in);
    if (payload.len != 4)
        return fail(err, RAS_EFORMAT, 0, "frame_index in %zu bytes, 4 wanted", payload.len);
    return RAS_OK;
}

int ras_aero_blob_get(struct ras_bytes payload, struct ras_aero_blob *b, struct ras_error *err)
{
    struct in in = in_bytes(payload);
    aero_blob_get(&in, b);
    if (in.cut)
        return fail(err, RAS_EFORMAT, 0, "blob header of 16 bytes in %zu", payload.len);
    return RAS_OK;
}

int ras_aero_submission_get(struct ras_bytes payload, struct ras_aero_submission *s,
                            struct ras_error *err)
{
    struct in in = in_bytes(payload);
    aero_submission_get(&in, s);
    if (in.cut)
        return fail(err, RAS_EFORMAT, 0, "submission of 56 bytes in %zu", payload.len);
    if (s->header_size < RAS_AERO_SUBMISSION_SIZE || s->header_size > payload.len)
        return fail(err, RAS_EFORMAT, 4, "header_size is %" PRIu32 ", 56 to %zu wanted",
                    s->header_size, payload.len);
    struct ras_bytes rest = aero_slice(payload, s->header_size, UINT64_MAX);
    uint64_t size = (uint64_t)s->memory_range_count * RAS_AERO_RANGE_SIZE;
    if (size > rest.len)
        return fail(err, RAS_EFORMAT, 48,
                    "%" PRIu32 " memory ranges take %" PRIu64 " bytes, %zu are left",
                    s->memory_range_count, size, rest.len);
    s->ranges = aero_slice(rest, 0, size);
    s->trailing = aero_slice(rest, size, UINT64_MAX);
    return RAS_OK;
}

struct ras_aero_range ras_aero_range_at(const struct ras_aero_submission *s, uint32_t i)
{
    struct ras_aero_range range = {0};
    struct in in =
        in_bytes(aero_slice(s->ranges, (uint64_t)i * RAS_AERO_RANGE_SIZE, RAS_AERO_RANGE_SIZE));
    aero_range_get(&in, &range);
    return range;
}

const char *ras_aero_record_name(uint32_t type)
{
    static const char *const names[] = {NULL,     "BeginFrame", "Present",
                                        "Packet", "Blob",       "AerogpuSubmission"};
    return type < sizeof names / sizeof *names ? names[type] : NULL;
}

const char *ras_aero_blob_kind_name(uint32_t kind)
{
    static const char *const v1[] = {NULL,         "BufferData", "TextureData",
                                     "ShaderDxbc", "ShaderWgsl", "ShaderGlslEs300"};
    static const char *const v2[] = {"AerogpuCmdStream", "AerogpuAllocTable", "AerogpuAllocMemory"};
    if (kind < sizeof v1 / sizeof *v1)
        return v1[kind];
    uint32_t i = kind - RAS_AERO_CMD_STREAM;
    return i < sizeof v2 / sizeof *v2 ? v2[i] : NULL;
}
