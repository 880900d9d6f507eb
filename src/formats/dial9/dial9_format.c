/* dial9_format.c - dial9-trace-format v1 as a driver of the common model: docs/formats/dial9.md.
 * Also the ticks and symbols of a trace. */
#include "core/row.h"
#include "formats/dial9/dial9_compare.h"
#include "formats/dial9/dial9_driver.h"

#include <stdlib.h>

/* ---- ticks ----------------------------------------------------------------------- */

static int scan_ticks(struct ras_trace *trace, struct tick_index *index, uint64_t first,
                      struct ras_error *err)
{
    static const char *const fields[] = {"tick"};
    const struct ras_pick pick = {.type = "tick", .fields = fields, .field_count = 1};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    const struct ras_record *r;
    struct ras_cursor *c;
    uint64_t tick;
    (void)first;
    struct passes nobody = {0};
    struct passes *passes = index->passes ? index->passes : &nobody;
    int status = ras_cursor_open(&c, trace, &scan, err);
    while (status == RAS_OK && (status = passes_walk(passes, trace, c, &r, err)) == RAS_OK) {
        size_t count;
        const struct ras_value *v = ras_values(c, &count);
        if (count && cell_uint(v, &tick))
            tick_index_add(index, dial9_ticks.column, tick, r->seq);
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

const struct tick_ops dial9_ticks = {.column = "dial9.event", .scan = scan_ticks};

/* ---- symbols --------------------------------------------------------------------- */

static const char *const names[] = {"SymbolTableEntry", "CallframeDefEvent"};

static struct ras_bytes symbol_text_of(const struct ras_value *v)
{
    return v && v->kind == RAS_STR ? (struct ras_bytes){v->at, v->count}
                                   : (struct ras_bytes){NULL, 0};
}

static uint64_t number_of(const struct ras_value *v)
{
    return v && v->kind == RAS_UINT ? v->u : 0;
}

static int dial9_symbols(struct ras_trace *t, symbol_take *take, void *user, struct ras_error *err)
{
    struct ras_pick picks[] = {{names[0], NULL, 0}, {names[1], NULL, 0}};
    const struct ras_scan scan = {.picks = picks, .pick_count = 2};
    const struct ras_record *r;
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, t, &scan, err);
    while (status == RAS_OK && (status = ras_next(c, &r, err)) == RAS_OK) {
        const struct ras_value *addr = ras_value_of(c, "addr");
        bool old = !addr;
        addr = old ? ras_value_of(c, "address") : addr;
        if (!addr || addr->kind != RAS_UINT)
            continue;
        take(user, &(struct symbol_line){
                       .address = addr->u,
                       .depth = number_of(ras_value_of(c, "inline_depth")),
                       .line = number_of(ras_value_of(c, "source_line")),
                       .name = symbol_text_of(ras_value_of(c, old ? "symbol" : "symbol_name")),
                       .file = symbol_text_of(ras_value_of(c, old ? "location" : "source_file"))});
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

/* ---- the row --------------------------------------------------------------------- */

enum { PEEK_FRAMES = 64, FACTS_MOST = 64, KEY_MOST = 120 };
#define PEEK_BYTES ((size_t)64 << 10)

static int probe(const struct probe *p)
{
    if (p->is_dir)
        return join_finds(p->source, &dial9_segment_ops) ? 50 : 0;
    if (p->head.len >= DIAL9_MAGIC_SIZE && !memcmp(p->head.at, DIAL9_MAGIC, DIAL9_MAGIC_SIZE))
        return 90;
    /* The predecessor is refused by name, not as an unknown file. */
    size_t legacy = sizeof DIAL9_LEGACY_MAGIC - 1;
    return p->head.len >= legacy && !memcmp(p->head.at, DIAL9_LEGACY_MAGIC, legacy) ? 60 : 0;
}

static int check_start(struct ras_bytes bytes, struct ras_error *err)
{
    struct in in = in_bytes(bytes);
    uint8_t version;
    size_t legacy = sizeof DIAL9_LEGACY_MAGIC - 1;
    if (bytes.len >= legacy && !memcmp(bytes.at, DIAL9_LEGACY_MAGIC, legacy)) {
        in_take(&in, legacy);
        return fail(err, RAS_EVERSION, 0,
                    "TOKIOTRC version %u, the predecessor of dial9, is not"
                    " read: only dial9 version %u is",
                    in_u32(&in), RAS_DIAL9_VERSION);
    }
    if (bytes.len == 0 || dial9_header_begins(&in))
        return fail(err, RAS_ECUT, 0, "the bytes end inside the header, after %zu of %u", bytes.len,
                    RAS_DIAL9_HEADER_SIZE);
    if (!dial9_header_get(&in, &version))
        return fail(err, RAS_EFORMAT, 0, "not a dial9 stream: it does not start with TRC and NUL");
    if (version != RAS_DIAL9_VERSION)
        return fail(err, RAS_EVERSION, DIAL9_MAGIC_SIZE, "dial9 version %u, only %u is read",
                    version, RAS_DIAL9_VERSION);
    return RAS_OK;
}

/* What a recorder says about itself: the entries of its SegmentMetadataEvent. */
static void add_metadata(struct ras_trace *t, const struct ras_dial9 *reader,
                         const struct ras_dial9_value *entries)
{
    struct ras_dial9_items items = ras_dial9_items(reader, entries);
    struct ras_dial9_value key, value;
    while (t->fact_count < FACTS_MOST && ras_dial9_next_item(&items, &key) &&
           ras_dial9_next_item(&items, &value)) {
        char name[KEY_MOST + 1];
        if (key.count > KEY_MOST || memchr(key.at, 0, key.count))
            continue;
        memcpy(name, key.at, key.count);
        name[key.count] = 0;
        if (!fact_str(t, name, value.at, value.count))
            return; /* a remark is not worth failing for */
    }
}

/* Event times are monotonic; a ClockSyncEvent has the wall clock. */
static void add_clock(struct ras_trace *t, const struct ras_dial9_event *event)
{
    uint64_t wall = event->values[0].u;
    if (t->has_wall || wall > INT64_MAX || event->time_ns > INT64_MAX)
        return;
    t->has_wall = true;
    t->wall_ns = (int64_t)wall - (int64_t)event->time_ns;
}

/* The first frames of a segment hold its metadata and the clock. */
static void peek(struct ras_trace *t, struct ras_bytes bytes, enum ras_dial9_dialect dialect)
{
    struct ras_dial9 *reader;
    struct ras_dial9_frame frame;
    struct ras_dial9_options options = {.dialect = dialect};
    size_t size = bytes.len < PEEK_BYTES ? bytes.len : PEEK_BYTES;
    if (ras_dial9_open(&reader, bytes.at, size, &options, NULL) < 0)
        return;
    for (int i = 0; i < PEEK_FRAMES && ras_dial9_next(reader, &frame, NULL) == RAS_OK; i++) {
        const struct ras_dial9_schema *schema = frame.event.schema;
        if (frame.tag != RAS_DIAL9_EVENT || schema->field_count != 1)
            continue;
        const struct ras_dial9_value *value = frame.event.values;
        if (!strcmp(schema->name, "ClockSyncEvent") && value->type == RAS_DIAL9_VARINT)
            add_clock(t, &frame.event);
        if (!strcmp(schema->name, "SegmentMetadataEvent") && value->type == RAS_DIAL9_STRING_MAP)
            add_metadata(t, reader, value);
    }
    ras_dial9_close(reader);
}

static int64_t add_schema(void *owner, const struct ras_schema *schema)
{
    if (schema->flags & RAS_TIMELESS)
        note_add(owner, "SymbolTableEntry events, which recorders store at time 0, are left out"
                        " of the time range");
    return schema_add(owner, schema);
}

static int dial9_open(struct ras_trace *t, struct ras_error *err)
{
    struct dial9 *d = t->priv;
    struct ras_bytes bytes = source_arrived(t->source, 0);
    int status = check_start(bytes, err);
    if (status == RAS_OK)
        status = dial9_request_types(t, err);
    if (status < 0)
        return status;
    bool seed = t->dialect_requested && !strcmp(t->dialect_requested, "seed");
    t->dialect = seed ? "seed" : "full";
    t->version = RAS_DIAL9_VERSION;
    t->body = RAS_DIAL9_HEADER_SIZE;
    d->shapes.add = add_schema;
    d->shapes.owner = t;
    d->rules = (struct dial9_rules){.dialect = seed ? RAS_DIAL9_SEED : RAS_DIAL9_FULL,
                                    .depth = t->limits.depth < DIAL9_DEPTH_MOST ? t->limits.depth
                                                                                : DIAL9_DEPTH_MOST,
                                    .pool_bytes = t->limits.pool_bytes,
                                    .record_bytes = t->limits.record_bytes,
                                    .shapes = &d->shapes};
    size_t count;
    const struct source_segment *segments = source_segments(t->source, &count);
    if (count) /* those after it repeat what the first one says */
        bytes.len = (size_t)segments->size;
    peek(t, bytes, d->rules.dialect);
    if (!dial9_segments_learn(t))
        return fail_memory(err);
    dial9_segments_report(t);
    /* Batch 0 always exists. */
    struct dial9_batch *batch = dial9_batch_take(t, 0, 0);
    if (!batch)
        return fail_memory(err);
    dial9_batch_leave(d, batch);
    return RAS_OK;
}

static void dial9_close(struct ras_trace *t)
{
    struct dial9 *d = t->priv;
    dial9_batches_free(d);
    dial9_shapes_free(&d->shapes);
    free(d->segments);
}

const struct ras_format dial9_format = {
    .about =
        {
            .name = "dial9",
            .label = "dial9 trace",
            .title = "dial9-trace-format v1: the events of a run",
            .dialects = (const char *const[]){"full", "seed", NULL},
            .extensions = (const char *const[]){".trc", ".bin", ".bin.active", NULL},
            .axis = RAS_AXIS_TIME,
            .axes = 1u << RAS_AXIS_TIME,
            .can = RAS_CAN_READ | RAS_CAN_STREAM | RAS_CAN_WRITE | RAS_CAN_REPAIR,
            .defines_types = true,
            .options =
                (const struct ras_format_option[]){
                    {"time", "diff bisect", "EPS", "compare timestamps too, up to this far apart",
                     "cannot be compared by time"},
                    {"profile", "diff", NULL, "statistics of both side by side",
                     "cannot be compared by profile"},
                    {0}},
        },
    .trace_size = sizeof(struct dial9),
    .cursor_size = sizeof(struct dial9_cursor),
    .probe = probe,
    .segments = &dial9_segment_ops,
    .open = dial9_open,
    .close = dial9_close,
    .start = dial9_start,
    .stop = dial9_stop,
    .next = dial9_next,
    .save = dial9_save,
    .load = dial9_load,
    .run_count = dial9_run_count,
    .run_enter = dial9_run_enter,
    .usage = dial9_usage,
    .stats = dial9_stats,
    .tree = dial9_tree,
    .timeline = &dial9_timeline,
    .symbols = dial9_symbols,
    .repair = dial9_repair,
    .rewrite = &dial9_rewrite,
    .build = &dial9_build,
    .compare = &dial9_compare,
    .ticks = &dial9_ticks,
    .rules = dial9_rules,
    .check = dial9_check,
    .check_ends = true,
};
