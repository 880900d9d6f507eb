/* aerogpu_check_content.c - verify: packets, submissions, and the blobs they name. */
#include "codec/utf8.h"
#include "formats/aerogpu/aerogpu_check.h"
#include "formats/aerogpu/aerogpu_op.h"

#include <stdlib.h>

/* ---- streams and tables -------------------------------------------------------------- */

/* Fields after the end of the payload, and reserved ones that are not zero. */
static void check_fields(struct aero_checker *k, const struct ras_aero_op *op,
                         const struct ras_aero_command *c, uint64_t at, uint32_t minor)
{
    for (const struct ras_aero_field *f = op->fields; f->type != RAS_AERO_END; f++) {
        uint64_t promised = aero_field_promised(f, c->payload);
        uint64_t present = aero_field_present(f, c->payload);
        if (present < promised) {
            FINDING(k, RULE_COMMAND_SHORT, at, c->size_bytes,
                    "%s of %" PRIu32 " bytes: %s has %" PRIu64 " of %s", op->name, c->size_bytes,
                    f->name, present, ras_counted(promised, "value").text);
            return;
        }
        bool spare = f->flags & RAS_AERO_RESERVED &&
                     !(f->flags & RAS_AERO_STAGE_EX && aero_stage_ex_counts(op, c->payload, minor));
        if (spare && aero_field_number(f, c->payload))
            FINDING(k, RULE_COMMAND_RESERVED, at + 8 + f->at, aero_field_width(f),
                    "%s of %s is 0x%" PRIx64 ", 0 wanted", f->name, op->name,
                    aero_field_number(f, c->payload));
    }
}

/* `broken` is the rule for a stream that cannot be followed; NULL: already reported. */
static bool check_commands(struct aero_checker *k, struct ras_bytes commands, uint64_t at,
                           uint32_t abi_version, const struct ras_rule *broken)
{
    struct ras_aero_command c;
    struct ras_error why;
    uint64_t after = 0, start = 0;
    int status;
    while ((status = ras_aero_command_get(commands, &after, &c, &why)) == RAS_OK) {
        const struct ras_aero_op *op = ras_aero_command_op(c.opcode, c.size_bytes);
        if (!op)
            FINDING(k, RULE_COMMAND_OPCODE, at + start, c.size_bytes,
                    "command of unknown opcode 0x%" PRIx32, c.opcode);
        else
            check_fields(k, op, &c, at + start, aero_minor(abi_version));
        start = after;
    }
    if (status < 0 && broken)
        report_add(k->report, broken, 0, at + start, commands.len - start, "%s", why.text);
    return status >= 0;
}

static void check_stream_header(struct aero_checker *k, const struct ras_aero_stream *s,
                                uint64_t at)
{
    if (s->flags || s->reserved0 || s->reserved1)
        FINDING(k, RULE_STREAM_RESERVED, at + 12, 12,
                "flags are 0x%" PRIx32 ", reserved 0x%" PRIx32 " and 0x%" PRIx32 ", 0 wanted",
                s->flags, s->reserved0, s->reserved1);
    if (s->trailing.len)
        FINDING(k, RULE_STREAM_TRAILING, at + s->size_bytes, s->trailing.len,
                "%zu bytes follow a stream of %" PRIu32, s->trailing.len, s->size_bytes);
    if (k->aero->shape == AERO_CONTAINER && s->abi_version != k->aero->header.command_abi_version)
        FINDING(k, RULE_STREAM_ABI, at + 4, 4,
                "stream of ABI 0x%08" PRIx32 ", the header says 0x%08" PRIx32, s->abi_version,
                k->aero->header.command_abi_version);
}

/* A command stream; whether it can be read to its end. */
static bool check_stream_bytes(struct aero_checker *k, struct ras_bytes bytes, uint64_t at)
{
    struct ras_aero_stream s;
    struct ras_error why;
    if (!bytes.len) /* recorders store an empty stream for a submission they could not read */
        return true;
    if (ras_aero_stream_get(bytes, &s, &why) < 0) {
        FINDING(k, RULE_STREAM_HEADER, at + why.offset, 4, "%s", why.text);
        return false;
    }
    check_stream_header(k, &s, at);
    return check_commands(k, s.commands, at + RAS_AERO_STREAM_HEADER_SIZE, s.abi_version,
                          &aero_rules[RULE_COMMAND_SIZE]);
}

/* ---- allocation tables ----------------------------------------------------------- */

static void check_alloc_entry(struct aero_checker *k, const struct ras_aero_alloc *a, uint32_t i,
                              uint64_t at)
{
    if (!a->alloc_id || !a->size_bytes || a->gpa > UINT64_MAX - a->size_bytes)
        FINDING(k, RULE_ALLOC_ENTRY, at, RAS_AERO_ALLOC_SIZE,
                "entry %" PRIu32 ": alloc_id %" PRIu32 ", gpa 0x%" PRIx64 ", size_bytes %" PRIu64,
                i, a->alloc_id, a->gpa, a->size_bytes);
    if (a->reserved0)
        FINDING(k, RULE_ALLOC_RESERVED, at + 24, 8,
                "entry %" PRIu32 ": reserved0 is 0x%" PRIx64 ", 0 wanted", i, a->reserved0);
}

/* The order of alloc_ids, for qsort and bsearch. */
static int alloc_by_id(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void check_entries(struct aero_checker *k, const struct ras_aero_alloc_table *t, uint32_t n,
                          uint64_t at)
{
    uint32_t *ids = malloc((size_t)n * sizeof *ids + 1);
    if (!ids) {
        k->report->nomem = true;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct ras_aero_alloc a = ras_aero_alloc_at(t, i);
        ids[i] = a.alloc_id;
        check_alloc_entry(k, &a, i,
                          at + RAS_AERO_ALLOC_TABLE_HEADER_SIZE + (uint64_t)i * t->entry_stride);
    }
    if (n)
        qsort(ids, n, sizeof *ids, alloc_by_id);
    for (uint32_t i = 1; i < n; i++)
        if (ids[i] == ids[i - 1])
            FINDING(k, RULE_ALLOC_DUPLICATE, at, t->size_bytes,
                    "alloc_id %" PRIu32 " occurs again among %" PRIu32 " entries", ids[i],
                    t->entry_count);
    free(ids);
}

static void check_table_bytes(struct aero_checker *k, struct ras_bytes bytes, uint64_t at)
{
    struct ras_aero_alloc_table t;
    struct ras_error why;
    if (ras_aero_alloc_table_get(bytes, &t, &why) < 0) {
        FINDING(k, RULE_ALLOC_HEADER, at + why.offset, 4, "%s", why.text);
        return;
    }
    if (t.reserved0)
        FINDING(k, RULE_ALLOC_RESERVED, at + 20, 4, "reserved0 is 0x%" PRIx32 ", 0 wanted",
                t.reserved0);
    check_entries(k, &t, t.entry_count, at);
}

/* ---- without a container ---------------------------------------------------------- */

static void check_bare_stream(struct aero_checker *k)
{
    struct ras_aero_stream s;
    struct ras_error why;
    bool whole = ras_aero_stream_get(k->all, &s, &why) == RAS_OK;
    if (whole)
        check_stream_header(k, &s, 0);
    else /* accepted by open: longer than the file */
        FINDING(k, RULE_BARE_CUT, k->all.len, 0, "%s", why.text);
    struct ras_bytes stream = aero_slice(k->all, 0, s.size_bytes);
    check_commands(k, aero_slice(stream, RAS_AERO_STREAM_HEADER_SIZE, UINT64_MAX),
                   RAS_AERO_STREAM_HEADER_SIZE, s.abi_version,
                   whole ? &aero_rules[RULE_BARE_DAMAGED] : NULL);
}

void aero_check_bare(struct aero_checker *k)
{
    struct ras_aero_alloc_table t;
    struct ras_error why;
    if (k->aero->shape == AERO_STREAM)
        check_bare_stream(k);
    else if (ras_aero_alloc_table_get(k->all, &t, &why) < 0)
        FINDING(k, RULE_BARE_CUT, k->all.len, 0, "%s", why.text);
    else
        check_table_bytes(k, k->all, 0);
}

/* ---- packets, blobs and submissions -------------------------------------------------- */

/* A reference to a blob, and what the blob must be. */
struct want {
    const char *what;
    uint64_t blob_id;
    uint32_t kind;
    uint64_t size; /* RAS_NONE: any */
};

static void check_reference(struct aero_checker *k, enum aero_rule rule, uint64_t at,
                            const struct want *w)
{
    struct ras_aero_blob b;
    uint64_t where;
    const char *kind = ras_aero_blob_kind_name(w->kind);
    if (!ras_aero_blobs_find(k->blobs, w->blob_id, at, &b, &where)) {
        bool later = ras_aero_blobs_find(k->blobs, w->blob_id, RAS_NONE, &b, &where);
        if (later)
            FINDING(k, rule, at, 8, "%s %" PRIu64 " is defined only at %" PRIu64 ", after its use",
                    w->what, w->blob_id, where);
        else
            FINDING(k, rule, at, 8, "%s %" PRIu64 " does not exist", w->what, w->blob_id);
        return;
    }
    if (b.kind != w->kind)
        FINDING(k, rule, at, 8,
                "%s %" PRIu64 " is of kind 0x%" PRIx32 ", %s (0x%" PRIx32 ") wanted", w->what,
                w->blob_id, b.kind, kind, w->kind);
    else if (w->size != RAS_NONE && b.data.len != w->size)
        FINDING(k, rule, at, 8, "%s %" PRIu64 " has %zu bytes, %" PRIu64 " wanted", w->what,
                w->blob_id, b.data.len, w->size);
}

/* ---- packets ------------------------------------------------------------------- */

/* Which blobs the packets of Appendix A name. */
static const struct {
    const char *field;
    uint32_t kind;
    bool optional;
    const char *size_field;
} packet_blobs[] = {
    {"blob_id", RAS_AERO_BUFFER_DATA, false, "data_len_bytes"},
    {"glsl_blob_id", RAS_AERO_SHADER_GLSL_ES300, true, NULL},
    {"wgsl_blob_id", RAS_AERO_SHADER_WGSL, true, NULL},
    {"dxbc_blob_id", RAS_AERO_SHADER_DXBC, true, NULL},
};

static void check_packet_blobs(struct aero_checker *k, const struct ras_aero_op *op,
                               struct ras_bytes payload, uint64_t at)
{
    for (size_t i = 0; i < sizeof packet_blobs / sizeof *packet_blobs; i++) {
        struct want w = {packet_blobs[i].field, 0, packet_blobs[i].kind, RAS_NONE};
        if (!ras_aero_field_uint(op, payload, packet_blobs[i].field, &w.blob_id) ||
            (packet_blobs[i].optional && !w.blob_id))
            continue;
        if (packet_blobs[i].size_field)
            (void)!ras_aero_field_uint(op, payload, packet_blobs[i].size_field, &w.size);
        check_reference(k, RULE_PACKET_BLOB, at, &w);
    }
}

void aero_check_packet(struct aero_checker *k, struct ras_bytes payload, uint64_t at)
{
    struct ras_aero_packet p;
    struct ras_error why;
    if (ras_aero_is_stream(payload)) {
        if (!check_stream_bytes(k, payload, at))
            FINDING(k, RULE_STREAM_READ, at, payload.len,
                    "the commands of a packet of %zu bytes cannot be read to their end",
                    payload.len);
        return;
    }
    if (ras_aero_packet_get(payload, &p, &why) < 0) {
        FINDING(k, RULE_PACKET_SIZE, at, payload.len, "%s", why.text);
        return;
    }
    const struct ras_aero_op *op = ras_aero_packet_op(p.opcode);
    if (!op)
        FINDING(k, RULE_PACKET_OPCODE, at, 4, "packet of unknown opcode 0x%04" PRIx32, p.opcode);
    else if (payload.len < op->size_bytes)
        FINDING(k, RULE_PACKET_SHORT, at, payload.len, "%s packet of %zu bytes, %" PRIu32 " wanted",
                op->name, payload.len, op->size_bytes);
    else if (report_wants(k->report, &aero_rules[RULE_PACKET_BLOB]))
        check_packet_blobs(k, op, p.payload, at);
}

/* ---- submissions ----------------------------------------------------------------- */

static void check_ranges(struct aero_checker *k, const struct ras_aero_submission *s, uint64_t at)
{
    uint32_t *ids = malloc((size_t)s->memory_range_count * sizeof *ids + 1);
    if (!ids) {
        k->report->nomem = true;
        return;
    }
    for (uint32_t i = 0; i < s->memory_range_count; i++) {
        struct ras_aero_range r = ras_aero_range_at(s, i);
        ids[i] = r.alloc_id;
        if (report_wants(k->report, &aero_rules[RULE_SUBMISSION_BLOB]))
            check_reference(k, RULE_SUBMISSION_BLOB, at,
                            &(struct want){"memory range blob", r.blob_id, RAS_AERO_ALLOC_MEMORY,
                                           r.size_bytes});
    }
    if (s->memory_range_count)
        qsort(ids, s->memory_range_count, sizeof *ids, alloc_by_id);
    for (uint32_t i = 1; i < s->memory_range_count; i++)
        if (ids[i] == ids[i - 1])
            FINDING(k, RULE_SUBMISSION_ALLOC, at, 8,
                    "alloc_id %" PRIu32 " occurs again among %" PRIu32 " memory ranges", ids[i],
                    s->memory_range_count);
    free(ids);
}

/* The alloc_ids of a submission's table, sorted; NULL: there is none to be read. */
static uint32_t *table_ids(struct aero_checker *k, const struct ras_aero_submission *s, uint64_t at,
                           uint32_t *count)
{
    struct ras_aero_blob b;
    struct ras_aero_alloc_table t = {0};
    *count = 0;
    if (s->alloc_table_blob_id &&
        (!ras_aero_blobs_find(k->blobs, s->alloc_table_blob_id, at, &b, NULL) ||
         ras_aero_alloc_table_get(b.data, &t, NULL) < 0))
        return NULL; /* reported elsewhere */
    uint32_t *ids = malloc((size_t)t.entry_count * sizeof *ids + 1);
    if (!ids) {
        k->report->nomem = true;
        return NULL;
    }
    k->walked += t.size_bytes;
    for (uint32_t i = 0; i < t.entry_count; i++)
        ids[i] = ras_aero_alloc_at(&t, i).alloc_id;
    if (t.entry_count)
        qsort(ids, t.entry_count, sizeof *ids, alloc_by_id);
    *count = t.entry_count;
    return ids;
}

static void check_command_backing(struct aero_checker *k, const struct ras_aero_command *c,
                                  const uint32_t *ids, uint32_t count, uint64_t at)
{
    const struct ras_aero_op *op = ras_aero_command_op(c->opcode, c->size_bytes);
    uint64_t backing;
    if (!op || !ras_aero_field_uint(op, c->payload, "backing_alloc_id", &backing) || !backing)
        return;
    uint32_t id = (uint32_t)backing;
    if (!count || !bsearch(&id, ids, count, sizeof *ids, alloc_by_id))
        FINDING(k, RULE_SUBMISSION_BACKING, at, 8,
                "%s names backing_alloc_id %" PRIu32 ", the table has %" PRIu32 " others", op->name,
                id, count);
}

/* Many submissions may name one long stream or table: repeated checks have a limit. */
static void check_backing(struct aero_checker *k, const struct ras_aero_submission *s, uint64_t at)
{
    struct ras_aero_blob b;
    struct ras_aero_stream stream;
    struct ras_aero_command c;
    uint32_t count;
    if (k->walked > 4 * (uint64_t)k->all.len ||
        !ras_aero_blobs_find(k->blobs, s->cmd_stream_blob_id, at, &b, NULL) ||
        b.kind != RAS_AERO_CMD_STREAM || ras_aero_stream_get(b.data, &stream, NULL) < 0)
        return;
    k->walked += b.data.len;
    uint32_t *ids = table_ids(k, s, at, &count);
    for (uint64_t i = 0; ids && ras_aero_command_get(stream.commands, &i, &c, NULL) == RAS_OK;)
        check_command_backing(k, &c, ids, count, at);
    free(ids);
}

void aero_check_submission(struct aero_checker *k, struct ras_bytes payload, uint64_t at)
{
    struct ras_aero_submission s;
    struct ras_error why;
    if (ras_aero_submission_get(payload, &s, &why) < 0) {
        FINDING(k, RULE_SUBMISSION_SIZE, at, payload.len, "%s", why.text);
        return;
    }
    if (s.record_version != 1)
        FINDING(k, RULE_SUBMISSION_VERSION, at, 4, "record_version is %" PRIu32 ", 1 wanted",
                s.record_version);
    if (s.reserved0 || s.reserved1)
        FINDING(k, RULE_SUBMISSION_RESERVED, at + (s.reserved0 ? 20 : 52), 4,
                "reserved0 is 0x%08" PRIx32 ", reserved1 0x%08" PRIx32 ", 0 wanted", s.reserved0,
                s.reserved1);
    if (s.trailing.len)
        FINDING(k, RULE_SUBMISSION_TRAILING, at + payload.len - s.trailing.len, s.trailing.len,
                "%zu bytes follow the %" PRIu32 " memory ranges", s.trailing.len,
                s.memory_range_count);
    if (aero_ids_has(&k->broken, s.cmd_stream_blob_id))
        FINDING(k, RULE_STREAM_READ, at, payload.len,
                "the commands of blob %" PRIu64 " cannot be read to their end",
                s.cmd_stream_blob_id);
    if (report_wants(k->report, &aero_rules[RULE_SUBMISSION_BLOB])) {
        check_reference(k, RULE_SUBMISSION_BLOB, at,
                        &(struct want){"command stream blob", s.cmd_stream_blob_id,
                                       RAS_AERO_CMD_STREAM, RAS_NONE});
        if (s.alloc_table_blob_id)
            check_reference(k, RULE_SUBMISSION_BLOB, at,
                            &(struct want){"allocation table blob", s.alloc_table_blob_id,
                                           RAS_AERO_ALLOC_TABLE, RAS_NONE});
    }
    if (report_wants(k->report, &aero_rules[RULE_SUBMISSION_BACKING]))
        check_backing(k, &s, at);
    check_ranges(k, &s, at);
}

/* ---- blobs ------------------------------------------------------------------------ */

void aero_check_blob_content(struct aero_checker *k, const struct ras_aero_blob *b, uint64_t at)
{
    struct utf8_fault fault;
    bool again;
    if (b->kind == RAS_AERO_CMD_STREAM) {
        if (!check_stream_bytes(k, b->data, at) && b->blob_id &&
            !aero_ids_add(&k->broken, b->blob_id, &again))
            k->report->nomem = true;
    } else if (b->kind == RAS_AERO_ALLOC_TABLE)
        check_table_bytes(k, b->data, at);
    else if ((b->kind == RAS_AERO_SHADER_WGSL || b->kind == RAS_AERO_SHADER_GLSL_ES300) &&
             !utf8_check(b->data.at, b->data.len, &fault))
        FINDING(k, RULE_BLOB_TEXT, at + fault.at, fault.length ? fault.length : 1,
                "shader text of blob %" PRIu64 " is not UTF-8 at its byte %zu", b->blob_id,
                fault.at);
}
