/* aerogpu_check_stream.c - verify: command streams and allocation tables, in a trace
 * or alone. */
#include "formats/aerogpu/aerogpu_check.h"
#include "formats/aerogpu/aerogpu_op.h"

#include <stdlib.h>

/* Fields that the payload ends before, and reserved ones that are not zero. */
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

/* `broken` is the rule of a stream that cannot be followed; NULL: told already. */
static bool check_commands(struct aero_checker *k, struct ras_bytes commands, uint64_t at,
                           uint32_t abi_version, const struct ras_rule *broken)
{
    struct ras_aero_command c;
    struct ras_error why;
    uint64_t behind = 0, start = 0;
    int status;
    while ((status = ras_aero_command_get(commands, &behind, &c, &why)) == RAS_OK) {
        const struct ras_aero_op *op = ras_aero_command_op(c.opcode, c.size_bytes);
        if (!op)
            FINDING(k, RULE_COMMAND_OPCODE, at + start, c.size_bytes,
                    "command of unknown opcode 0x%" PRIx32, c.opcode);
        else
            check_fields(k, op, &c, at + start, aero_minor(abi_version));
        start = behind;
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

bool aero_check_stream(struct aero_checker *k, struct ras_bytes bytes, uint64_t at)
{
    struct ras_aero_stream s;
    struct ras_error why;
    if (!bytes.len) /* what recorders store for a submission they could not read */
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

static void check_entry(struct aero_checker *k, const struct ras_aero_alloc *a, uint32_t i,
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

int aero_by_id(const void *a, const void *b)
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
        check_entry(k, &a, i,
                    at + RAS_AERO_ALLOC_TABLE_HEADER_SIZE + (uint64_t)i * t->entry_stride);
    }
    if (n)
        qsort(ids, n, sizeof *ids, aero_by_id);
    for (uint32_t i = 1; i < n; i++)
        if (ids[i] == ids[i - 1])
            FINDING(k, RULE_ALLOC_DUPLICATE, at, t->size_bytes,
                    "alloc_id %" PRIu32 " occurs again among %" PRIu32 " entries", ids[i],
                    t->entry_count);
    free(ids);
}

void aero_check_table(struct aero_checker *k, struct ras_bytes bytes, uint64_t at)
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

/* ---- alone --------------------------------------------------------------------------- */

static void check_bare_stream(struct aero_checker *k)
{
    struct ras_aero_stream s;
    struct ras_error why;
    bool whole = ras_aero_stream_get(k->all, &s, &why) == RAS_OK;
    if (whole)
        check_stream_header(k, &s, 0);
    else /* as open let pass: longer than the file */
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
        aero_check_table(k, k->all, 0);
}
