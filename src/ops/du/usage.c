/* usage.c - where the bytes of a trace go: bookings of a driver, summed by what the caller chose.
 */
#include "ops/du/usage.h"
#include "base/memory.h"
#include "codec/fnv1a.h"
#include "core/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct usage {
    struct ras_trace *trace;
    enum ras_du_by by;
    struct ras_usage *sums;
    size_t sum_count, sum_room;
    long double *shares; /* of the sums: bytes of wrapped parts */
    size_t share_room;
    uint32_t *table; /* open addressing: index + 1 into sums */
    size_t table_size;
    uint64_t *booked; /* raw bytes per part */
    ras_progress *progress;
    void *user;
    uint64_t done, reported; /* raw bytes */
    bool nomem, canceled;
};

struct usage *usage_new(struct ras_trace *t, enum ras_du_by by, ras_progress *progress, void *user)
{
    struct usage *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    *u =
        (struct usage){.trace = t, .by = by, .table_size = 256, .progress = progress, .user = user};
    u->table = calloc(u->table_size, sizeof *u->table);
    u->booked = calloc(source_count(t->source) + 1, sizeof *u->booked);
    if (u->table && u->booked)
        return u;
    usage_free(u);
    return NULL;
}

static void free_sums(struct ras_usage *sums, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((void *)(uintptr_t)sums[i].name);
    free(sums);
}

void usage_free(struct usage *u)
{
    if (!u)
        return;
    free_sums(u->sums, u->sum_count);
    free(u->shares);
    free(u->table);
    free(u->booked);
    free(u);
}

bool usage_by_field(const struct usage *u)
{
    return u->by == RAS_DU_FIELD;
}

static size_t slot_of(const struct usage *u, const char *kind, const char *name)
{
    uint64_t hash = fnv1a_bytes(fnv1a_bytes(FNV1A_START, kind, strlen(kind)), name, strlen(name));
    size_t at = (size_t)hash & (u->table_size - 1);
    while (u->table[at]) {
        const struct ras_usage *s = &u->sums[u->table[at] - 1];
        if (!strcmp(s->kind, kind) && !strcmp(s->name, name))
            break;
        at = (at + 1) & (u->table_size - 1);
    }
    return at;
}

static bool grow_table(struct usage *u)
{
    uint32_t *old = u->table;
    uint32_t *bigger = calloc(u->table_size * 2, sizeof *bigger);
    if (!bigger)
        return false;
    u->table = bigger;
    u->table_size *= 2;
    for (size_t i = 0; i < u->sum_count; i++)
        u->table[slot_of(u, u->sums[i].kind, u->sums[i].name)] = (uint32_t)i + 1;
    free(old);
    return true;
}

static struct ras_usage *sum_for(struct usage *u, const char *kind, const char *name)
{
    size_t slot = slot_of(u, kind, name);
    if (u->table[slot])
        return &u->sums[u->table[slot] - 1];
    if (u->sum_count >= u->table_size / 2) {
        if (!grow_table(u))
            return NULL;
        slot = slot_of(u, kind, name);
    }
    char *copy = text_copy(name, strlen(name));
    size_t count = u->sum_count + 1;
    if (!copy || !array_grow(&u->sums, &u->sum_room, count, sizeof *u->sums) ||
        !array_grow(&u->shares, &u->share_room, count, sizeof *u->shares)) {
        free(copy);
        return NULL;
    }
    u->shares[u->sum_count] = 0;
    u->sums[u->sum_count] = (struct ras_usage){.kind = kind, .name = copy};
    u->table[slot] = (uint32_t)++u->sum_count;
    return &u->sums[u->sum_count - 1];
}

/* Streams are sorted by id; each booking may have another one. */
static const char *stream_name(const struct ras_trace *t, uint32_t id)
{
    size_t low = 0, high = t->stream_count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (t->streams[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < t->stream_count && t->streams[low].id == id ? t->streams[low].name : "all";
}

static struct ras_usage *sum_of(struct usage *u, const struct booking *b)
{
    char name[400];
    bool type = !strcmp(b->kind, "type");
    switch (u->by) {
    case RAS_DU_FIELD:
        if (!type)
            break;
        snprintf(name, sizeof name, "%s.%s", b->name, b->field ? b->field : "(framing)");
        return sum_for(u, "field", name);
    case RAS_DU_FRAME:
        if (b->frame == RAS_NONE)
            break;
        snprintf(name, sizeof name, "%" PRIu64, b->frame);
        return sum_for(u, "frame", name);
    case RAS_DU_STREAM:
        if (!type && strcmp(b->kind, "pool") != 0)
            break;
        return sum_for(u, "stream", stream_name(u->trace, b->stream));
    case RAS_DU_TYPE:
        break;
    }
    return sum_for(u, b->kind, b->name);
}

/* The stored bytes for N bytes of a part: those of a wrapped part are shared out in
 * proportion, and corrected at the end. */
static void book(struct usage *u, struct ras_usage *sum, uint32_t part, uint64_t raw)
{
    const struct source *s = u->trace->source;
    u->booked[part] += raw;
    u->done += raw;
    if (!source_wrapping(s, part)->name) {
        sum->bytes += raw;
        return;
    }
    uint64_t size = source_length(s, part);
    if (size)
        u->shares[sum - u->sums] +=
            (long double)raw * (long double)source_stored(s, part) / (long double)size;
}

void usage_add(struct usage *u, const struct booking *b)
{
    if (!b->records && !b->raw && !b->stored)
        return; /* entries without bytes and count are left out */
    struct ras_usage *s = sum_of(u, b);
    if (!s) {
        u->nomem = true;
        return;
    }
    s->records += b->records;
    s->raw_bytes += b->raw;
    book(u, s, b->part, b->packed ? b->stored : b->raw);
    if (u->progress && !u->canceled && u->done - u->reported >= (uint64_t)1 << 20) {
        u->reported = u->done;
        const struct source *all = u->trace->source;
        u->canceled |= !u->progress(u->user, u->done, source_size_before(all, source_count(all)));
    }
}

bool usage_stopped(const struct usage *u)
{
    return u->nomem || u->canceled;
}

/* Bytes without a booking: those after a cut, or between structures. */
static void book_rest(struct usage *u)
{
    const struct source *s = u->trace->source;
    for (size_t i = 0; i < source_count(s); i++) {
        uint64_t size = source_size(s, i);
        if (size > u->booked[i])
            usage_add(u, &(struct booking){.kind = "padding",
                                           .name = source_arrived(s, i).at ? "not understood"
                                                                           : "other files",
                                           .raw = size - u->booked[i],
                                           .part = (uint32_t)i,
                                           .frame = RAS_NONE});
    }
    size_t count;
    const struct source_segment *at = source_segments(s, &count);
    uint64_t lost = 0;
    for (size_t i = 0; i < count; i++)
        lost += at[i].lost;
    usage_add(u, &(struct booking){
                     .kind = "padding", .name = "torn segments", .raw = lost, .frame = RAS_NONE});
}

/* The shares as whole bytes; the largest takes the rounding. */
static void share_out(struct usage *u)
{
    const struct source *s = u->trace->source;
    uint64_t owed = 0;
    for (size_t i = 0; i < source_count(s); i++)
        owed += source_wrapping(s, i)->name ? source_stored(s, i) : 0;
    size_t largest = 0;
    for (size_t i = 0; i < u->sum_count; i++) {
        uint64_t whole = (uint64_t)u->shares[i];
        whole = whole < owed ? whole : owed;
        u->sums[i].bytes += whole;
        owed -= whole;
        if (u->shares[i] > u->shares[largest])
            largest = i;
    }
    if (u->sum_count)
        u->sums[largest].bytes += owed;
}

static int by_bytes(const void *a, const void *b)
{
    const struct ras_usage *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    int kind = strcmp(x->kind, y->kind);
    return kind ? kind : strcmp(x->name, y->name);
}

int usage_finish(struct usage *u, struct ras_du **out, struct ras_error *err)
{
    *out = NULL;
    book_rest(u);
    share_out(u);
    if (u->canceled)
        return fail_canceled(err);
    struct ras_du *du = u->nomem ? NULL : calloc(1, sizeof *du);
    if (!du)
        return fail_memory(err);
    if (u->sum_count)
        qsort(u->sums, u->sum_count, sizeof *u->sums, by_bytes);
    du->parts = u->sums;
    du->part_count = u->sum_count;
    u->sums = NULL;
    u->sum_count = 0;
    *out = du;
    return RAS_OK;
}

void ras_du_free(struct ras_du *du)
{
    if (!du)
        return;
    free_sums(du->parts, du->part_count);
    free(du);
}

/* The last top-level record: bytes of its children are booked for them. */
struct outer {
    struct booking booking;
    uint64_t seq, end;
};

/* The bytes of a record in its part; 0 for a decompressed one. */
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

/* For drivers without `usage`: the header, and records by type. */
static int usage_records(struct ras_trace *t, struct usage *u, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    struct outer outer = {
        .booking = {.kind = "header", .name = "header", .raw = t->body, .frame = RAS_NONE},
        .seq = RAS_NONE};
    int status = ras_cursor_open(&c, t, &scan, err);
    while (status == RAS_OK && !usage_stopped(u) && (status = walk_next(t, c, &r, err)) == RAS_OK)
        if (r->schema != RAS_SCHEMA_GAP) /* unknown bytes are padding */
            book_record(u, &outer, t, r);
    ras_cursor_close(c);
    usage_add(u, &outer.booking);
    return status < 0 ? status : RAS_OK;
}

int ras_du(struct ras_du **out, struct ras_trace *t, enum ras_du_by by, ras_progress *progress,
           void *user, struct ras_error *err)
{
    *out = NULL;
    struct usage *u = usage_new(t, by, progress, user);
    if (!u)
        return fail_memory(err);
    int status = source_whole(t->source, err);
    trace_report_driver(t, "du", "usage", t->format->usage != NULL);
    if (status == RAS_OK)
        status = t->format->usage ? t->format->usage(t, u, err) : usage_records(t, u, err);
    if (status == RAS_OK)
        status = usage_finish(u, out, err);
    usage_free(u);
    return status;
}
