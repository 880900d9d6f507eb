/* aerogpu_usage.c - the size of each part of a trace. Blob contents are pools, by kind. */
#include "formats/aerogpu/aerogpu_driver.h"
#include "ops/du/usage.h"

struct books {
    struct usage *usage;
    uint64_t frame; /* that is open, or RAS_NONE */
};

static void book(const struct books *b, const char *kind, const char *name, const char *field,
                 uint64_t records, uint64_t bytes)
{
    usage_add(b->usage, &(struct booking){.kind = kind,
                                          .name = name,
                                          .field = field,
                                          .records = records,
                                          .raw = bytes,
                                          .frame = b->frame});
}

/* One record of `size` bytes whose fields take the given bytes; the rest is framing. */
struct part {
    const char *field;
    uint64_t bytes;
};

static void book_record(const struct books *b, const char *name, uint64_t size,
                        const struct part *parts)
{
    if (usage_by_field(b->usage))
        for (; parts->field; parts++) {
            book(b, "type", name, parts->field, 0, parts->bytes);
            size -= parts->bytes;
        }
    book(b, "type", name, NULL, 1, size);
}

static void book_command(const struct books *b, const struct ras_aero_command *k)
{
    book_record(b, "command", k->size_bytes,
                (struct part[]){{"opcode", 4}, {"fields", k->payload.len}, {0}});
}

/* The commands that can be followed, and their bytes. */
static uint64_t book_commands(const struct books *b, struct ras_bytes commands)
{
    struct ras_aero_command k;
    uint64_t at = 0;
    while (ras_aero_command_get(commands, &at, &k, NULL) == RAS_OK)
        book_command(b, &k);
    return at;
}

static void book_packet(const struct books *b, const struct ras_aero_record *r)
{
    struct ras_aero_stream s;
    struct ras_aero_packet p;
    uint64_t size = RAS_AERO_RECORD_HEADER_SIZE + (uint64_t)r->payload_len;
    if (ras_aero_is_stream(r->payload) && ras_aero_stream_get(r->payload, &s, NULL) == RAS_OK)
        book(b, "type", "packet", NULL, 1, size - book_commands(b, s.commands));
    else if (ras_aero_packet_get(r->payload, &p, NULL) == RAS_OK)
        book_record(b, "packet", size,
                    (struct part[]){{"opcode", 4}, {"fields", p.payload.len}, {0}});
    else
        book(b, "type", "packet", NULL, 1, size);
}

static void book_blob(const struct books *b, const struct ras_aero_record *r)
{
    struct ras_aero_blob blob;
    if (ras_aero_blob_get(r->payload, &blob, NULL) < 0)
        return;
    const char *kind = ras_aero_blob_kind_name(blob.kind);
    book_record(b, "blob", RAS_AERO_RECORD_HEADER_SIZE + RAS_AERO_BLOB_HEADER_SIZE,
                (struct part[]){{"blob_id", 8}, {"kind", 4}, {0}});
    book(b, "pool", kind ? kind : "unknown blob kind", NULL, 1, blob.data.len);
}

static void book_submission(const struct books *b, const struct ras_aero_record *r)
{
    struct ras_aero_submission s;
    if (ras_aero_submission_get(r->payload, &s, NULL) < 0)
        return;
    book_record(b, "submission", RAS_AERO_RECORD_HEADER_SIZE + (uint64_t)r->payload_len,
                (struct part[]){{"record_version", 4},
                                {"submit_flags", 4},
                                {"context_id", 4},
                                {"engine_id", 4},
                                {"signal_fence", 8},
                                {"cmd_stream_blob_id", 8},
                                {"alloc_table_blob_id", 8},
                                {"memory_range_count", 4},
                                {"memory_ranges", s.ranges.len},
                                {0}});
}

static void book_marker(struct books *b, const struct ras_aero_record *r)
{
    uint32_t index;
    if (ras_aero_frame_index_get(r->payload, &index, NULL) < 0)
        return;
    if (r->record_type == RAS_AERO_BEGIN_FRAME)
        b->frame = index;
    if (usage_by_field(b->usage))
        book(b, "type", "frame", "frame_index", 0, 4);
    book(b, "type", "frame", NULL, r->record_type == RAS_AERO_PRESENT && b->frame != RAS_NONE,
         usage_by_field(b->usage) ? 8 : 12);
    if (r->record_type == RAS_AERO_PRESENT)
        b->frame = RAS_NONE;
}

static void book_any(struct books *b, const struct ras_aero_record *r)
{
    if (r->record_type == RAS_AERO_PACKET)
        book_packet(b, r);
    else if (r->record_type == RAS_AERO_BLOB)
        book_blob(b, r);
    else if (r->record_type == RAS_AERO_SUBMISSION)
        book_submission(b, r);
    else if (ras_aero_record_name(r->record_type))
        book_marker(b, r);
}

/* Records from t->body to their end; returns that offset. */
static uint64_t book_records(struct books *b, const struct ras_trace *t, struct ras_bytes all,
                             uint64_t end)
{
    struct ras_bytes records = aero_slice(all, 0, end);
    struct ras_aero_record r;
    uint64_t at = t->body, start = at;
    while (!usage_stopped(b->usage) && ras_aero_record_get(records, &at, &r, NULL) == RAS_OK) {
        if (!ras_aero_record_name(r.record_type) &&
            aero_magic_begins(aero_slice(all, start, AERO_MAGIC_SIZE), AERO_MAGIC_TOC))
            return start;
        book_any(b, &r);
        start = at;
    }
    return start;
}

static void book_bare(struct books *b, const struct ras_trace *t, struct ras_bytes all)
{
    const struct aero *a = t->priv;
    book(b, "header", "header", NULL, 0, t->body);
    if (a->shape == AERO_STREAM) {
        struct ras_aero_stream s;
        struct in in = in_bytes(all);
        aero_stream_get(&in, &s);
        book_commands(b, aero_slice(aero_slice(all, 0, s.size_bytes), t->body, UINT64_MAX));
        return;
    }
    uint64_t room = (all.len - t->body) / a->table.entry_stride;
    uint64_t entries = room < a->table.entry_count ? room : a->table.entry_count;
    for (uint64_t i = 0; i < entries; i++)
        book_record(
            b, "alloc", a->table.entry_stride,
            (struct part[]){{"alloc_id", 4}, {"flags", 4}, {"gpa", 8}, {"size_bytes", 8}, {0}});
}

int aero_usage(struct ras_trace *t, struct usage *u, struct ras_error *err)
{
    (void)err;
    struct aero *a = t->priv;
    struct ras_bytes all = source_bytes(t->source, 0);
    struct books b = {.usage = u, .frame = RAS_NONE};
    if (a->shape != AERO_CONTAINER) {
        book_bare(&b, t, all);
        return RAS_OK;
    }
    struct ras_bytes meta = ras_aero_meta(all, &a->header);
    book(&b, "header", "header", NULL, 0, RAS_AERO_HEADER_SIZE);
    book(&b, "header", "meta_json", NULL, 0, meta.len);
    aero_seal_find(&a->seal, all, t->body);
    uint64_t at = book_records(&b, t, all, a->seal.sealed ? a->seal.footer.toc_offset : all.len);
    b.frame = RAS_NONE;
    if (a->seal.sealed) {
        book(&b, "index", "toc", NULL, a->seal.toc.frame_count, a->seal.footer.toc_len);
        book(&b, "index", "footer", NULL, 0, RAS_AERO_FOOTER_SIZE);
    } else if (aero_magic_begins(aero_slice(all, at, AERO_MAGIC_SIZE), AERO_MAGIC_TOC)) {
        book(&b, "index", "toc", NULL, 0, all.len - at);
    }
    return RAS_OK;
}
