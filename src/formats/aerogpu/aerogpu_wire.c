/* aerogpu_wire.c - the structures of AeroGPU traces: bytes to C structs, and what makes them
 * invalid. */
#include "base/error.h"
#include "formats/aerogpu/aerogpu_op.h"
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

/* ---- tables of numbers ---------------------------------------------------------------- */

#define NUMBER_AS(type, member, as)                                                                \
    {                                                                                              \
#member, offsetof(struct type, member), sizeof(((struct type *)NULL)->member), as          \
    }
#define NUMBER(type, member) NUMBER_AS(type, member, 0)
#define ASIDE(type, member)  NUMBER_AS(type, member, AERO_NOT_COMPARED)

const struct aero_number aero_header_numbers[] = {ASIDE(ras_aero_header, header_size),
                                                  NUMBER(ras_aero_header, container_version),
                                                  NUMBER(ras_aero_header, command_abi_version),
                                                  NUMBER(ras_aero_header, flags),
                                                  ASIDE(ras_aero_header, meta_len),
                                                  NUMBER(ras_aero_header, reserved),
                                                  {0}};
static const struct aero_number footer_numbers[] = {NUMBER(ras_aero_footer, footer_size),
                                                    NUMBER(ras_aero_footer, container_version),
                                                    NUMBER(ras_aero_footer, toc_offset),
                                                    NUMBER(ras_aero_footer, toc_len),
                                                    {0}};
static const struct aero_number toc_numbers[] = {
    NUMBER(ras_aero_toc, toc_version), NUMBER(ras_aero_toc, frame_count), {0}};
static const struct aero_number frame_numbers[] = {
    NUMBER(ras_aero_frame, frame_index),  NUMBER(ras_aero_frame, flags),
    NUMBER(ras_aero_frame, start_offset), NUMBER(ras_aero_frame, present_offset),
    NUMBER(ras_aero_frame, end_offset),   {0}};
/* Blobs are compared by their contents. */
const struct aero_number aero_submission_numbers[] = {
    NUMBER(ras_aero_submission, record_version),     ASIDE(ras_aero_submission, header_size),
    NUMBER(ras_aero_submission, submit_flags),       NUMBER(ras_aero_submission, context_id),
    NUMBER(ras_aero_submission, engine_id),          NUMBER(ras_aero_submission, reserved0),
    NUMBER(ras_aero_submission, signal_fence),       ASIDE(ras_aero_submission, cmd_stream_blob_id),
    ASIDE(ras_aero_submission, alloc_table_blob_id), ASIDE(ras_aero_submission, memory_range_count),
    NUMBER(ras_aero_submission, reserved1),          {0}};
const struct aero_number aero_range_numbers[] = {NUMBER(ras_aero_range, alloc_id),
                                                 NUMBER(ras_aero_range, flags),
                                                 NUMBER_AS(ras_aero_range, gpa, AERO_ADDRESS),
                                                 NUMBER(ras_aero_range, size_bytes),
                                                 ASIDE(ras_aero_range, blob_id),
                                                 {0}};
const struct aero_number aero_stream_numbers[] = {
    NUMBER(ras_aero_stream, abi_version), ASIDE(ras_aero_stream, size_bytes),
    NUMBER(ras_aero_stream, flags),       NUMBER(ras_aero_stream, reserved0),
    NUMBER(ras_aero_stream, reserved1),   {0}};
const struct aero_number aero_table_numbers[] = {
    NUMBER(ras_aero_alloc_table, abi_version), ASIDE(ras_aero_alloc_table, size_bytes),
    ASIDE(ras_aero_alloc_table, entry_count),  NUMBER(ras_aero_alloc_table, entry_stride),
    NUMBER(ras_aero_alloc_table, reserved0),   {0}};
const struct aero_number aero_alloc_numbers[] = {NUMBER(ras_aero_alloc, alloc_id),
                                                 NUMBER(ras_aero_alloc, flags),
                                                 NUMBER_AS(ras_aero_alloc, gpa, AERO_ADDRESS),
                                                 NUMBER(ras_aero_alloc, size_bytes),
                                                 NUMBER(ras_aero_alloc, reserved0),
                                                 {0}};

static void numbers_get(struct in *in, const struct aero_number *n, void *structure)
{
    for (; n->name; n++) {
        void *at = (char *)structure + n->at;
        if (n->size == sizeof(uint64_t))
            *(uint64_t *)at = in_u64(in);
        else
            *(uint32_t *)at = in_u32(in);
    }
}

static void numbers_put(uint8_t *to, const struct aero_number *n, const void *structure)
{
    for (; n->name; n++)
        to = n->size == sizeof(uint64_t) ? store_u64(to, aero_number_of(n, structure))
                                         : store_u32(to, (uint32_t)aero_number_of(n, structure));
}

/* ---- structures ------------------------------------------------------------------------ */

static bool header_get(struct in *in, struct ras_aero_header *h)
{
    bool ours = aero_magic_get(in, AERO_MAGIC_HEADER);
    numbers_get(in, aero_header_numbers, h);
    return ours;
}

bool aero_footer_get(struct in *in, struct ras_aero_footer *f)
{
    bool ours = aero_magic_get(in, AERO_MAGIC_FOOTER);
    numbers_get(in, footer_numbers, f);
    return ours;
}

bool aero_toc_get(struct in *in, struct ras_aero_toc *t)
{
    bool ours = aero_magic_get(in, AERO_MAGIC_TOC);
    numbers_get(in, toc_numbers, t);
    return ours;
}

/* One for each frame: by hand, as blobs, submissions and streams. */
static void entry_get(struct in *in, struct ras_aero_frame *f)
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

static void submission_get(struct in *in, struct ras_aero_submission *s)
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
    numbers_get(in, aero_table_numbers, t);
    return magic && !memcmp(magic, AERO_MAGIC_ALLOC, 4);
}

void aero_alloc_get(struct in *in, struct ras_aero_alloc *a)
{
    numbers_get(in, aero_alloc_numbers, a);
}

/* ---- records of a container ---------------------------------------------------------- */

int ras_aero_header_get(struct ras_bytes file, struct ras_aero_header *h, struct ras_error *err)
{
    struct in in = in_bytes(file);
    if (!aero_magic_begins(file, AERO_MAGIC_HEADER))
        return fail(err, RAS_EFORMAT, 0, "header magic is not AEROGPUT");
    header_get(&in, h);
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
    header_get(&in, &h);
    if (f->container_version != h.container_version)
        return fail(err, RAS_EFORMAT, at + 12,
                    "container_version %" PRIu32 " in the footer, %" PRIu32 " in the header",
                    f->container_version, h.container_version);
    return RAS_OK;
}

/* Check the structure of the TOC: its place, its magic, its length by its count. */
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
    entry_get(&in, &frame);
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
    submission_get(&in, s);
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
    numbers_get(&in, aero_range_numbers, &range);
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

/* ---- command streams ----------------------------------------------------------------- */

bool ras_aero_is_stream(struct ras_bytes payload)
{
    return payload.len >= 4 && !memcmp(payload.at, AERO_MAGIC_STREAM, 4);
}

int ras_aero_stream_get(struct ras_bytes bytes, struct ras_aero_stream *s, struct ras_error *err)
{
    struct in in = in_bytes(bytes);
    bool ours = aero_stream_get(&in, s);
    s->commands = s->trailing = (struct ras_bytes){0};
    if (bytes.len >= 4 && !ours)
        return fail(err, RAS_EFORMAT, 0, "command stream magic is not ACMD");
    if (in.cut)
        return fail(err, RAS_ECUT, 0, "stream header of 24 bytes in %zu", bytes.len);
    if (aero_major(s->abi_version) != AERO_ABI_MAJOR)
        return fail(err, RAS_EVERSION, 4, "stream of ABI %" PRIu32 ".%" PRIu32 ", 1.x is read",
                    aero_major(s->abi_version), aero_minor(s->abi_version));
    if (s->size_bytes < RAS_AERO_STREAM_HEADER_SIZE || s->size_bytes % 4)
        return fail(err, RAS_EFORMAT, 8,
                    "stream size_bytes is %" PRIu32 ", a multiple of 4 from 24 on wanted",
                    s->size_bytes);
    if (s->size_bytes > bytes.len)
        return fail(err, RAS_ECUT, 8, "stream of %" PRIu32 " bytes in %zu", s->size_bytes,
                    bytes.len);
    s->commands =
        aero_slice(bytes, RAS_AERO_STREAM_HEADER_SIZE, s->size_bytes - RAS_AERO_STREAM_HEADER_SIZE);
    s->trailing = aero_slice(bytes, s->size_bytes, UINT64_MAX);
    return RAS_OK;
}

int ras_aero_command_get(struct ras_bytes commands, uint64_t *offset, struct ras_aero_command *c,
                         struct ras_error *err)
{
    uint64_t at = *offset;
    struct in in = in_bytes(aero_slice(commands, at, UINT64_MAX));
    uint64_t left = in_left(&in);
    if (!left)
        return RAS_END;
    aero_command_get(&in, c);
    if (in.cut)
        return fail(err, RAS_EFORMAT, at, "command header of 8 bytes, %" PRIu64 " are left", left);
    if (c->size_bytes < RAS_AERO_COMMAND_HEADER_SIZE || c->size_bytes % 4)
        return fail(err, RAS_EFORMAT, at,
                    "command size_bytes is %" PRIu32 ", a multiple of 4 from 8 on wanted",
                    c->size_bytes);
    if (c->size_bytes > left)
        return fail(err, RAS_EFORMAT, at, "command of %" PRIu32 " bytes, %" PRIu64 " are left",
                    c->size_bytes, left);
    c->payload = in_span(&in, c->size_bytes - RAS_AERO_COMMAND_HEADER_SIZE);
    *offset = at + c->size_bytes;
    return RAS_OK;
}

const struct ras_aero_op *ras_aero_command_op(uint32_t opcode, uint32_t size_bytes)
{
    const struct ras_aero_op *op = aero_op_find(aero_command_ops, aero_command_op_count, opcode);
    const struct ras_aero_op *end = aero_command_ops + aero_command_op_count;
    while (op && op + 1 < end && op[1].opcode == opcode && op[1].size_bytes <= size_bytes)
        op++; /* BIND_SHADERS: the longest form that fits */
    return op;
}

const struct ras_aero_op *ras_aero_command_op_at(size_t i)
{
    return i < aero_command_op_count ? &aero_command_ops[i] : NULL;
}

/* ---- allocation tables --------------------------------------------------------------- */

int ras_aero_alloc_table_get(struct ras_bytes bytes, struct ras_aero_alloc_table *t,
                             struct ras_error *err)
{
    struct in in = in_bytes(bytes);
    bool ours = aero_alloc_table_get(&in, t);
    t->entries = (struct ras_bytes){0};
    if (bytes.len >= 4 && !ours)
        return fail(err, RAS_EFORMAT, 0, "allocation table magic is not ALOC");
    if (in.cut)
        return fail(err, RAS_ECUT, 0, "allocation table header of 24 bytes in %zu", bytes.len);
    if (aero_major(t->abi_version) != AERO_ABI_MAJOR)
        return fail(err, RAS_EVERSION, 4,
                    "allocation table of ABI %" PRIu32 ".%" PRIu32 ", 1.x is read",
                    aero_major(t->abi_version), aero_minor(t->abi_version));
    if (t->size_bytes < RAS_AERO_ALLOC_TABLE_HEADER_SIZE)
        return fail(err, RAS_EFORMAT, 8, "table size_bytes is %" PRIu32 ", at least 24 wanted",
                    t->size_bytes);
    if (t->entry_stride < RAS_AERO_ALLOC_SIZE)
        return fail(err, RAS_EFORMAT, 16, "entry_stride is %" PRIu32 ", at least 32 wanted",
                    t->entry_stride);
    uint64_t room = t->size_bytes - RAS_AERO_ALLOC_TABLE_HEADER_SIZE;
    uint64_t size = (uint64_t)t->entry_count * t->entry_stride;
    if (size > room)
        return fail(err, RAS_EFORMAT, 12,
                    "%" PRIu32 " entries of %" PRIu32 " bytes, the table has room for %" PRIu64,
                    t->entry_count, t->entry_stride, room / t->entry_stride);
    if (t->size_bytes > bytes.len)
        return fail(err, RAS_ECUT, 8, "allocation table of %" PRIu32 " bytes in %zu", t->size_bytes,
                    bytes.len);
    t->entries = aero_slice(bytes, RAS_AERO_ALLOC_TABLE_HEADER_SIZE, size);
    return RAS_OK;
}

struct ras_aero_alloc ras_aero_alloc_at(const struct ras_aero_alloc_table *t, uint32_t i)
{
    struct ras_aero_alloc alloc = {0};
    struct in in =
        in_bytes(aero_slice(t->entries, (uint64_t)i * t->entry_stride, RAS_AERO_ALLOC_SIZE));
    aero_alloc_get(&in, &alloc);
    return alloc;
}

/* ---- to bytes ------------------------------------------------------------------------- */

void ras_aero_header_put(const struct ras_aero_header *h, uint8_t to[RAS_AERO_HEADER_SIZE])
{
    numbers_put(store_bytes(to, AERO_MAGIC_HEADER, AERO_MAGIC_SIZE), aero_header_numbers, h);
}

void ras_aero_footer_put(const struct ras_aero_footer *f, uint8_t to[RAS_AERO_FOOTER_SIZE])
{
    numbers_put(store_bytes(to, AERO_MAGIC_FOOTER, AERO_MAGIC_SIZE), footer_numbers, f);
}

void ras_aero_toc_put(const struct ras_aero_toc *t, uint8_t to[RAS_AERO_TOC_HEADER_SIZE])
{
    numbers_put(store_bytes(to, AERO_MAGIC_TOC, AERO_MAGIC_SIZE), toc_numbers, t); /* with NUL */
}

void ras_aero_frame_put(const struct ras_aero_frame *f, uint8_t to[RAS_AERO_TOC_ENTRY_SIZE])
{
    numbers_put(to, frame_numbers, f);
}

void ras_aero_submission_put(const struct ras_aero_submission *s,
                             uint8_t to[RAS_AERO_SUBMISSION_SIZE])
{
    numbers_put(to, aero_submission_numbers, s);
}

void ras_aero_range_put(const struct ras_aero_range *r, uint8_t to[RAS_AERO_RANGE_SIZE])
{
    numbers_put(to, aero_range_numbers, r);
}

void ras_aero_stream_put(const struct ras_aero_stream *s, uint8_t to[RAS_AERO_STREAM_HEADER_SIZE])
{
    numbers_put(store_bytes(to, AERO_MAGIC_STREAM, 4), aero_stream_numbers, s);
}

void ras_aero_alloc_table_put(const struct ras_aero_alloc_table *t,
                              uint8_t to[RAS_AERO_ALLOC_TABLE_HEADER_SIZE])
{
    numbers_put(store_bytes(to, AERO_MAGIC_ALLOC, 4), aero_table_numbers, t);
}

void ras_aero_alloc_put(const struct ras_aero_alloc *a, uint8_t to[RAS_AERO_ALLOC_SIZE])
{
    numbers_put(to, aero_alloc_numbers, a);
}
