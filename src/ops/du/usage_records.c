/* usage_records.c - where the bytes go in a format that does not say: its header, and its records
 * by type. */
#include "core/format.h"
#include "core/walk.h"
#include "ops/du/usage.h"

/* The last record that is in no other: bytes of those in it are theirs, not its own. */
struct outer {
    struct booking booking;
    uint64_t seq, end;
};

/* Bytes that a record has in its part; a decompressed one has none of its own. */
static uint64_t own_bytes(const struct ras_trace *t, const struct ras_record *r)
{
    struct ras_bytes all = source_bytes(t->source, r->part);
    return r->offset <= all.len && r->raw == all.at + r->offset ? r->raw_len : 0;
}

static void book_record(struct usage *u, struct outer *outer, const struct ras_trace *t,
                        const struct ras_record *r)
{
    struct booking b = {.kind = "type",
                        .name = ras_schema_at(t, r->schema)->name,
                        .records = 1,
                        .raw = own_bytes(t, r),
                        .part = r->part,
                        .stream = r->stream,
                        .frame = r->flags & RAS_HAS_TICK ? r->tick : RAS_NONE};
    if (r->parent == RAS_NONE) {
        usage_add(u, &outer->booking);
        *outer = (struct outer){b, r->seq, r->offset + b.raw};
        return;
    }
    bool inside = r->parent == outer->seq && r->part == outer->booking.part &&
                  r->offset + b.raw <= outer->end && b.raw <= outer->booking.raw;
    b.raw = inside ? b.raw : 0;
    outer->booking.raw -= b.raw;
    usage_add(u, &b);
}

int usage_records(struct ras_trace *t, struct usage *u, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    struct outer outer = {
        .booking = {.kind = "header", .name = "header", .raw = t->body, .frame = RAS_NONE},
        .seq = RAS_NONE};
    int status = ras_cursor_open(&c, t, &scan, err);
    while (status == RAS_OK && !usage_stopped(u) && (status = walk_next(t, c, &r, err)) == RAS_OK)
        if (r->schema != RAS_SCHEMA_GAP) /* what is not understood is padding */
            book_record(u, &outer, t, r);
    ras_cursor_close(c);
    usage_add(u, &outer.booking);
    return status < 0 ? status : RAS_OK;
}
