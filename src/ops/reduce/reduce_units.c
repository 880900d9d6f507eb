/* reduce_units.c - the records of a trace as units, groups and streams. */
#include "base/memory.h"
#include "codec/fnv1a.h"
#include "core/walk.h"
#include "ops/reduce/reducer.h"
#include "ops/rewrite/rewriter.h"

#include <stdlib.h>
#include <string.h>

struct collector {
    struct ras_reduce *r;
    const struct rewrite_ops *ops;
    uint32_t *streams; /* ids, by the order they appear */
    size_t stream_room;
    bool closed;                 /* the group under way has its last record */
    const struct ras_record *at; /* the record that is looked at */
    uint64_t tick;               /* of the group under way */
    bool has_tick;
};

static bool find_stream(struct collector *k, uint32_t id, uint32_t *index)
{
    struct ras_reduce *r = k->r;
    for (*index = r->stream_count; *index > 0; --*index) /* the last one is the likeliest */
        if (k->streams[*index - 1] == id) {
            --*index;
            return true;
        }
    if (!array_grow(&k->streams, &k->stream_room, r->stream_count + 1u, sizeof *k->streams))
        return false;
    k->streams[ *index = r->stream_count++] = id;
    return true;
}

/* Whether the record goes on with the group of the one before it: a child, or, where a later
 * record closes a tick, one of the same tick. */
static bool joins_group(const struct collector *k, uint32_t stream)
{
    const struct ras_record *at = k->at;
    const struct unit *last = k->r->unit_count ? &k->r->units[k->r->unit_count - 1] : NULL;
    if (!last || last->stream != stream)
        return false;
    if (at->parent != RAS_NONE)
        return true;
    return k->ops->closes && !k->closed && k->has_tick && at->flags & RAS_HAS_TICK &&
           at->tick == k->tick;
}

static bool is_closing(const struct collector *k)
{
    const struct ras_trace *t = k->r->trace;
    return k->ops->closes && !strcmp(ras_schema_at(t, k->at->schema)->name, k->ops->closes);
}

/* A record that its format copies with its parent, which is the unit before it. */
static bool goes_along(const struct collector *k)
{
    const struct ras_reduce *r = k->r;
    return k->at->parent != RAS_NONE && !k->ops->with_children && r->unit_count &&
           r->units[r->unit_count - 1].from <= k->at->parent;
}

static uint32_t mark_of(const struct collector *k)
{
    const char *type = ras_schema_at(k->r->trace, k->at->schema)->name;
    uint64_t mark = fnv1a_bytes(FNV1A_START, type, strlen(type));
    mark = fnv1a_bytes(mark, &k->at->time_ns, sizeof k->at->time_ns);
    mark = fnv1a_bytes(mark, &k->at->tick, sizeof k->at->tick);
    return (uint32_t)(mark ^ mark >> 32);
}

static int add_unit(struct collector *k, struct ras_error *err)
{
    struct ras_reduce *r = k->r;
    uint64_t most = r->trace->limits.pool_bytes / (sizeof *r->units + 16);
    uint32_t stream;
    if (r->unit_count >= most || r->unit_count >= NO_ITEM - 1)
        return fail(err, RAS_ELIMIT, k->at->offset,
                    "more than %zu records are too many to be tried one by one", r->unit_count);
    if (!find_stream(k, k->at->stream, &stream) ||
        !array_grow(&r->units, &r->unit_room, r->unit_count + 1, sizeof *r->units))
        return fail_memory(err);
    bool joins = joins_group(k, stream);
    struct unit *u = &r->units[r->unit_count++];
    *u = (struct unit){.from = k->at->seq, .count = 1, .stream = stream};
    u->mark = mark_of(k);
    u->group = joins ? r->group_count - 1 : r->group_count++;
    k->closed = is_closing(k);
    u->head = k->closed || (k->ops->with_children && k->at->parent == RAS_NONE);
    k->tick = k->at->tick;
    k->has_tick = k->at->flags & RAS_HAS_TICK;
    return RAS_OK;
}

static int add_record(struct collector *k, struct ras_error *err)
{
    struct ras_reduce *r = k->r;
    const struct ras_record *at = k->at;
    if (at->schema == RAS_SCHEMA_GAP || at->seq == RAS_NONE)
        return RAS_OK;
    r->records++;
    r->identity = fnv1a_bytes(r->identity, at->raw, at->raw_len);
    if (!goes_along(k))
        return add_unit(k, err);
    struct unit *last = &r->units[r->unit_count - 1];
    if (at->seq - last->from >= UINT32_MAX)
        return fail(err, RAS_ELIMIT, at->offset, "%" PRIu64 " records belong to one",
                    at->seq - last->from);
    last->count = (uint32_t)(at->seq - last->from) + 1;
    return RAS_OK;
}

int reduce_collect(struct ras_reduce *r, struct ras_error *err)
{
    struct collector k = {.r = r, .ops = rewrite_ops_of(r->trace->format)};
    struct ras_cursor *c;
    const struct ras_scan scan = {.headers_only = true};
    r->identity = FNV1A_START;
    int status = ras_cursor_open(&c, r->trace, &scan, err);
    while (status == RAS_OK && (status = walk_next(r->trace, c, &k.at, err)) == RAS_OK)
        status = add_record(&k, err);
    ras_cursor_close(c);
    free(k.streams);
    return status == RAS_END ? RAS_OK : status;
}

uint32_t reduce_item(const struct ras_reduce *r, enum level level, size_t unit)
{
    const struct unit *u = &r->units[unit];
    if (level == LEVEL_STREAMS)
        return r->stream_count > 1 ? u->stream : NO_ITEM;
    /* Where every unit is a group of its own, they are tried once. */
    bool grouped = r->group_count < r->unit_count;
    if (level == LEVEL_GROUPS)
        return grouped ? u->group : NO_ITEM;
    return grouped && u->head ? NO_ITEM : (uint32_t)unit;
}
