/* dial9_stats_facts.c - events as facts, and counts of those that need no order.
 *
 * Events are known by name and fields, never by type id: the same event has another id in each
 * batch. */
#include "base/memory.h"
#include "formats/dial9/dial9_profile.h"

#include <stdlib.h>

/* ---- kinds of events ------------------------------------------------------------- */

enum { TYPE_FIELDS = 12 };

struct fact_type {
    const char *name; /* of events; if `prefix`, how it begins */
    bool prefix;
    uint8_t kind;
    uint32_t needed; /* bits 1 << role; of NEEDS_ID one of two */
    const char *fields[TYPE_FIELDS];
    uint8_t roles[TYPE_FIELDS];
};

#define NEEDS(role) (1u << ROLE_##role)
#define FIGURE(n)   ((uint8_t)(ROLE_FIGURES + (n)))
_Static_assert(FIGURE(TYPE_FIELDS - 1) < ROLE_COUNT, "every field of an event has a role");
#define NEEDS_ID UINT32_MAX /* span_id or span_instance_id */

/* clang-format off */
#define ENTER_FIELDS                                                                               \
    {"worker_id", "span_id", "parent_span_id", "span_name", "span_instance_id", "tid",             \
     "dial9.tokio.task_id"},                                                                       \
    {ROLE_WORKER, ROLE_ID, ROLE_OTHER, ROLE_TEXT, ROLE_INSTANCE, ROLE_TID, ROLE_TASK}
#define EXIT_FIELDS                                                                                \
    {"worker_id", "span_id", "parent_span_id", "span_name", "span_instance_id", "tid",             \
     "dial9.tokio.task_id"},                                                                       \
    {ROLE_HIDDEN, ROLE_ID, ROLE_HIDDEN, ROLE_HIDDEN, ROLE_INSTANCE, ROLE_TID, ROLE_HIDDEN}
#define CLOSE_FIELDS                                                                               \
    {"span_id", "span_instance_id", "start_timestamp_ns", "first_enter_timestamp_ns", "active_ns", \
     "span_name", "target", "file", "line", "parent_span_instance_id", "attributes",               \
     "unbalanced_enters"},                                                                         \
    {ROLE_ID, ROLE_INSTANCE, ROLE_START, ROLE_FIRST, ROLE_ACTIVE, ROLE_TEXT, ROLE_TARGET,          \
     ROLE_FILE, ROLE_LINE, ROLE_OTHER, ROLE_ENTRIES, ROLE_UNBALANCED}
/* clang-format on */

static const struct fact_type types[] = {
    {"PollStartEvent",
     false,
     FACT_POLL_START,
     NEEDS(WORKER) | NEEDS(ID),
     {"worker_id", "local_queue", "task_id", "spawn_loc", "spawn_loc_id"},
     {ROLE_WORKER, ROLE_OTHER, ROLE_ID, ROLE_TEXT, ROLE_TEXT}},
    {"PollEndEvent", false, FACT_POLL_END, NEEDS(WORKER), {"worker_id"}, {ROLE_WORKER}},
    {"WorkerParkEvent",
     false,
     FACT_PARK,
     NEEDS(WORKER),
     {"worker_id", "local_queue", "cpu_time_ns", "tid"},
     {ROLE_WORKER, ROLE_OTHER, ROLE_CPU, ROLE_TID}},
    {"WorkerUnparkEvent",
     false,
     FACT_UNPARK,
     NEEDS(WORKER),
     {"worker_id", "local_queue", "cpu_time_ns", "sched_wait_ns", "tid"},
     {ROLE_WORKER, ROLE_OTHER, ROLE_CPU, ROLE_WAIT, ROLE_TID}},
    {"QueueSampleEvent", false, FACT_QUEUE, NEEDS(OTHER), {"global_queue"}, {ROLE_OTHER}},
    {"WakeEventEvent",
     false,
     FACT_WAKE,
     NEEDS(ID),
     {"woken_task_id", "waker_task_id", "target_worker"},
     {ROLE_ID, ROLE_OTHER, ROLE_SMALL}},
    {"TaskSpawnEvent",
     false,
     FACT_SPAWN,
     NEEDS(ID),
     {"task_id", "spawn_loc", "spawn_loc_id", "instrumented"},
     {ROLE_ID, ROLE_TEXT, ROLE_TEXT, ROLE_SMALL}},
    {"TaskTerminateEvent", false, FACT_TERMINATE, NEEDS(ID), {"task_id"}, {ROLE_ID}},
    {"SpanEnter:", true, FACT_SPAN_ENTER, NEEDS_ID, ENTER_FIELDS},
    {"SpanEnter__", true, FACT_SPAN_ENTER, NEEDS_ID, ENTER_FIELDS},
    {"SpanEnterEvent", false, FACT_SPAN_ENTER, NEEDS_ID, ENTER_FIELDS},
    {"SpanExit:", true, FACT_SPAN_EXIT, NEEDS_ID, EXIT_FIELDS},
    {"SpanExit__", true, FACT_SPAN_EXIT, NEEDS_ID, EXIT_FIELDS},
    {"SpanExitEvent", false, FACT_SPAN_EXIT, NEEDS_ID, EXIT_FIELDS},
    {"SpanClose__", true, FACT_SPAN_CLOSE, NEEDS_ID, CLOSE_FIELDS},
    {"SpanCloseEvent", false, FACT_SPAN_CLOSE, NEEDS_ID, CLOSE_FIELDS},
    {"CpuSampleEvent",
     false,
     FACT_SAMPLE,
     NEEDS(SMALL),
     {"worker_id", "tid", "source", "thread_name", "callchain"},
     {ROLE_WORKER, ROLE_TID, ROLE_SMALL, ROLE_TEXT, ROLE_STACK}},
    {"TaskDumpEvent", false, FACT_DUMP, NEEDS(ID), {"task_id", "callchain"}, {ROLE_ID, ROLE_STACK}},
    {"AllocEvent",
     false,
     FACT_ALLOC,
     NEEDS(ID) | NEEDS(OTHER),
     {"tid", "size", "addr", "callchain"},
     {ROLE_TID, ROLE_OTHER, ROLE_ID, ROLE_STACK}},
    {"FreeEvent",
     false,
     FACT_FREE,
     NEEDS(ID) | NEEDS(OTHER),
     {"addr", "alloc_timestamp_ns"},
     {ROLE_ID, ROLE_OTHER}},
    {"MemoryProfileOverflowEvent",
     false,
     FACT_OVERFLOW,
     0,
     {"dropped_allocs", "dropped_frees"},
     {FIGURE(0), FIGURE(1)}},
    {"ProcessResourceUsageEvent",
     false,
     FACT_USAGE,
     1u << FIGURE(0) | 1u << FIGURE(1),
     {"user_cpu_ns", "system_cpu_ns", "max_rss_bytes", "minor_faults", "major_faults",
      "block_input_ops", "block_output_ops", "voluntary_context_switches",
      "involuntary_context_switches"},
     {FIGURE(0), FIGURE(1), FIGURE(2), FIGURE(3), FIGURE(4), FIGURE(5), FIGURE(6), FIGURE(7),
      FIGURE(8)}},
    {"TcpAcceptQueueEvent",
     false,
     FACT_ACCEPT,
     1u << FIGURE(5),
     {"socket_cookie", "socket_inode", "ip_version", "local_addr", "local_port",
      "pending_connections", "backlog_limit"},
     {FIGURE(0), FIGURE(1), FIGURE(2), FIGURE(3), FIGURE(4), FIGURE(5), FIGURE(6)}},
    {"RuntimeMetricsEvent",
     false,
     FACT_RUNTIME,
     1u << FIGURE(1) | 1u << FIGURE(2),
     {"runtime_name", "global_queue_depth", "alive_tasks"},
     {FIGURE(0), FIGURE(1), FIGURE(2)}},
    {"SymbolTableEntry",
     false,
     FACT_SYMBOL,
     NEEDS(ID) | NEEDS(TEXT),
     {"addr", "symbol_name", "inline_depth", "source_line", "source_file"},
     {ROLE_ID, ROLE_TEXT, ROLE_DEPTH, ROLE_LINE, ROLE_FILE}},
    {"CallframeDefEvent",
     false,
     FACT_SYMBOL,
     NEEDS(ID) | NEEDS(TEXT),
     {"address", "symbol", "location"},
     {ROLE_ID, ROLE_TEXT, ROLE_FILE}},
    {"ClockSyncEvent", false, FACT_CLOCK, NEEDS(ID), {"realtime_ns"}, {ROLE_ID}},
    {"SegmentMetadataEvent", false, FACT_METADATA, NEEDS(ENTRIES), {"entries"}, {ROLE_ENTRIES}},
};

static const struct fact_type *type_of(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].prefix ? !strncmp(name, types[i].name, strlen(types[i].name))
                            : !strcmp(name, types[i].name))
            return &types[i];
    return NULL;
}

static uint8_t role_of(const struct fact_type *type, const char *field)
{
    for (size_t i = 0; i < TYPE_FIELDS && type->fields[i]; i++)
        if (!strcmp(type->fields[i], field))
            return type->roles[i];
    return ROLE_NONE;
}

static void look_at(struct dial9_stats *d, struct fact_schema *f, const struct ras_schema *s)
{
    f->known = true;
    f->timeless = s->flags & RAS_TIMELESS;
    f->type = type_of(s->name);
    if (!f->type)
        return;
    uint8_t *roles = calloc(s->field_count + 1u, 1);
    if (!roles) {
        stats_nomem(d);
        return;
    }
    uint32_t found = 0;
    for (unsigned i = 0; i < s->field_count; i++) {
        roles[i] = role_of(f->type, s->fields[i].name);
        found |= 1u << roles[i];
    }
    f->roles = roles;
    f->lacking = f->type->needed == NEEDS_ID ? !(found & (NEEDS(ID) | NEEDS(INSTANCE)))
                                             : (found & f->type->needed) != f->type->needed;
    f->kind = f->lacking ? FACT_NONE : f->type->kind;
    if (d->kinds && !(d->kinds >> f->kind & 1))
        f->kind = FACT_NONE;
    f->name = NO_TEXT;
    if (found & NEEDS(INSTANCE) && (f->kind == FACT_SPAN_ENTER || f->kind == FACT_SPAN_EXIT)) {
        struct span_callsite site;
        dial9_span_callsite(s->name, &site);
        f->name = dial9_stats_new_text(d, site.name.at, site.name.len);
    }
}

struct fact_schema *dial9_stats_schema(struct dial9_stats *d, uint32_t schema)
{
    if (schema < d->schema_count && d->schemas[schema].known)
        return &d->schemas[schema];
    if (!array_grow(&d->schemas, &d->schema_room, schema + 1u, sizeof *d->schemas)) {
        stats_nomem(d);
        return NULL;
    }
    while (d->schema_count <= schema)
        d->schemas[d->schema_count++] = (struct fact_schema){0};
    look_at(d, &d->schemas[schema], ras_schema_at(d->trace, schema));
    return &d->schemas[schema];
}

/* ---- facts ----------------------------------------------------------------------- */

uint32_t dial9_stats_new_text(struct dial9_stats *d, const void *at, size_t len)
{
    struct ras_bytes bytes = {at, len};
    uint64_t hash = intern_hash(bytes);
    uint32_t id;
    if (intern_find(&d->texts, hash, bytes, &id))
        return id;
    if (d->texts.count >= TEXTS_MOST || d->texts.bytes > d->trace->limits.pool_bytes / 4) {
        d->texts_dropped++;
        return NO_TEXT;
    }
    if (!intern_free_id(&d->texts, NO_TEXT - 1, &id) || !intern_add(&d->texts, hash, bytes, id)) {
        stats_nomem(d);
        return NO_TEXT;
    }
    return id;
}

static uint32_t cached_text(struct dial9_stats *d, size_t slot, const void *at, size_t len)
{
    uint32_t id = dial9_stats_new_text(d, at, len);
    d->text_cache[slot].at = at;
    d->text_cache[slot].len = (uint32_t)len;
    d->text_cache[slot].id = id;
    return id;
}

/* Texts are few and come repeatedly from the same place of the pool. */
static inline uint32_t dial9_stats_text(struct dial9_stats *d, const void *at, size_t len)
{
    size_t slot = ((uintptr_t)at * UINT64_C(0x9e3779b97f4a7c15)) >> 54;
    if (d->text_cache[slot].at == at && d->text_cache[slot].len == len && at)
        return d->text_cache[slot].id;
    return cached_text(d, slot, at, len);
}

uint32_t dial9_pooled_text(struct dial9_stats *d, const struct fact_event *e, uint64_t id)
{
    const struct pool_entry *entry =
        id <= UINT32_MAX ? dial9_pool_find(&e->batch->strings, (uint32_t)id, e->offset) : NULL;
    return entry ? dial9_stats_text(d, e->base + entry->offset, entry->length) : NO_TEXT;
}

uint32_t dial9_fact_text(struct dial9_stats *d, const struct fact_event *e,
                         const struct ras_dial9_value *v)
{
    if (v && v->type == RAS_DIAL9_STRING)
        return dial9_stats_text(d, v->at, v->count);
    return v && v->type == RAS_DIAL9_POOLED_STRING ? dial9_pooled_text(d, e, v->u) : NO_TEXT;
}

static uint32_t stack(struct dial9_stats *d, const struct fact_event *e,
                      const struct ras_dial9_value *v)
{
    if (v && v->type == RAS_DIAL9_STACK_FRAMES)
        return dial9_stats_stack(d, v->at, v->count);
    if (!v || v->type != RAS_DIAL9_POOLED_STACK_FRAMES)
        return NO_STACK;
    const struct pool_entry *entry = dial9_pool_find(&e->batch->stacks, (uint32_t)v->u, e->offset);
    return entry ? dial9_stats_stack(d, e->base + entry->offset, entry->length) : NO_STACK;
}

static uint16_t worker_index(struct dial9_stats *d, const struct ras_dial9_value *v)
{
    return v ? dial9_worker_at(d, dial9_fact_number(v, RAS_NONE)) : NO_WORKER;
}

static void count_wait(struct dial9_stats *d, uint16_t worker, uint64_t wait)
{
    if (!wait || worker == NO_WORKER)
        return;
    dial9_figure(d, &d->workers[worker].waits, wait);
    d->waits_over_100ns += wait > 100;
    d->waits_over_100us += wait > 100000;
    d->waits_over_1ms += wait > 1000000;
    d->waits_over_10ms += wait > 10000000;
}

static void count_queue(struct dial9_stats *d, uint16_t worker, uint64_t length)
{
    if (worker == NO_WORKER || length == RAS_NONE)
        return;
    struct worker *w = &d->workers[worker];
    w->queue_max = w->queue_max > length ? w->queue_max : length;
    w->queue_known = true;
}

static void count_wake(struct dial9_stats *d, const struct ras_dial9_value *const *v)
{
    uint64_t target = dial9_fact_number(v[ROLE_SMALL], 255);
    d->wakes_to[target < 255 ? target : 255]++;
    uint64_t woken = dial9_fact_number(v[ROLE_ID], 0);
    d->wakes_by_self += woken && woken == dial9_fact_number(v[ROLE_OTHER], RAS_NONE);
}

static void count_dump(struct dial9_stats *d, uint64_t task)
{
    if (id_table_find(&d->dumped, task) != ID_TABLE_NONE || d->dumped.count >= LIVE_MOST)
        return;
    if (!id_table_add(&d->dumped, task, 0))
        stats_nomem(d);
}

static void keep_symbol(struct dial9_stats *d, const struct fact_event *e,
                        const struct ras_dial9_value *const *v)
{
    if (d->symbol_count >= SYMBOLS_MOST) {
        d->symbols_dropped++;
        return;
    }
    if (!array_grow(&d->symbols, &d->symbol_room, d->symbol_count + 1, sizeof *d->symbols)) {
        stats_nomem(d);
        return;
    }
    d->symbols_lined += dial9_fact_number(v[ROLE_LINE], 0) != 0;
    d->symbols[d->symbol_count] = (struct symbol){.address = dial9_fact_number(v[ROLE_ID], 0),
                                                  .depth = dial9_fact_number(v[ROLE_DEPTH], 0),
                                                  .line = dial9_fact_number(v[ROLE_LINE], 0),
                                                  .text = dial9_fact_text(d, e, v[ROLE_TEXT]),
                                                  .file = dial9_fact_text(d, e, v[ROLE_FILE]),
                                                  .order = (uint32_t)d->symbol_count};
    d->symbol_count++;
}

static void keep_clock(struct dial9_stats *d, uint64_t time_ns, uint64_t realtime_ns)
{
    size_t room = sizeof d->clocks / sizeof *d->clocks;
    if (d->clock_count < room) {
        d->clocks[d->clock_count].time_ns = time_ns;
        d->clocks[d->clock_count].realtime_ns = realtime_ns;
    }
    d->clock_count++;
}

static void name_thread(struct dial9_stats *d, uint64_t tid, uint32_t name)
{
    if (name == NO_TEXT || tid == RAS_NONE || d->threads.count >= WORKERS_MOST ||
        id_table_find(&d->threads, tid) != ID_TABLE_NONE)
        return;
    if (!id_table_add(&d->threads, tid, name))
        stats_nomem(d);
}

/* What an event counts without order. True: that is all. */
static bool count_only(struct dial9_stats *d, const struct fact_event *e, unsigned kind,
                       const struct ras_dial9_value *const *v)
{
    if (fact_is_timed(kind))
        return false;
    switch (kind) {
    case FACT_FREE:
        dial9_heap_free_event(d, dial9_fact_number(v[ROLE_ID], 0),
                              dial9_fact_number(v[ROLE_OTHER], 0));
        return true;
    case FACT_OVERFLOW:
        dial9_heap_overflow(d, dial9_fact_number(v[FIGURE(0)], 0),
                            dial9_fact_number(v[FIGURE(1)], 0));
        return true;
    case FACT_USAGE:
    case FACT_ACCEPT:
    case FACT_RUNTIME:
        dial9_process_event(d, kind, e, v);
        return true;
    case FACT_SYMBOL:
        keep_symbol(d, e, v);
        return true;
    case FACT_CLOCK:
        keep_clock(d, e->time_ns, dial9_fact_number(v[ROLE_ID], 0));
        return true;
    case FACT_METADATA:
        dial9_stats_on_metadata(d, v[ROLE_ENTRIES], e->end);
        return true;
    default:
        return true;
    }
}

static void fill(struct dial9_stats *d, const struct fact_event *e,
                 const struct ras_dial9_value *const *v, struct fact *f)
{
    switch (f->kind) {
    case FACT_POLL_START:
        f->other = dial9_fact_number(v[ROLE_OTHER], RAS_NONE);
        count_queue(d, f->worker, f->other);
        break;
    case FACT_PARK:
    case FACT_UNPARK:
        count_queue(d, f->worker, dial9_fact_number(v[ROLE_OTHER], RAS_NONE));
        count_wait(d, f->worker, dial9_fact_number(v[ROLE_WAIT], 0));
        f->id = dial9_fact_number(v[ROLE_CPU], RAS_NONE);
        f->other = dial9_fact_number(v[ROLE_TID], RAS_NONE);
        break;
    case FACT_QUEUE:
        f->id = dial9_fact_number(v[ROLE_OTHER], 0);
        dial9_figure(d, &d->queue, f->id);
        break;
    case FACT_WAKE:
        count_wake(d, v);
        break;
    case FACT_SPAWN:
        d->uninstrumented += v[ROLE_SMALL] && !f->small;
        break;
    case FACT_SAMPLE:
        f->id = dial9_fact_number(v[ROLE_TID], RAS_NONE);
        name_thread(d, f->id, f->ref);
        f->ref = stack(d, e, v[ROLE_STACK]);
        break;
    case FACT_DUMP:
        count_dump(d, f->id);
        f->ref = stack(d, e, v[ROLE_STACK]);
        break;
    case FACT_ALLOC:
        f->ref = stack(d, e, v[ROLE_STACK]);
        f->id = dial9_heap_alloc(d, f->time_ns, f->id, dial9_fact_number(v[ROLE_OTHER], 0), f->ref);
        f->other = dial9_fact_number(v[ROLE_TID], RAS_NONE);
        break;
    default:
        break;
    }
}

bool dial9_stats_fact(struct dial9_stats *d, const struct fact_event *e,
                      const struct fact_schema *schema, struct fact *f)
{
    const struct ras_dial9_value *v[ROLE_COUNT];
    memset(v, 0, ROLE_COUNT / 2 * sizeof *v); /* in two, as the compiler has slow code for more */
    memset(v + ROLE_COUNT / 2, 0, (ROLE_COUNT - ROLE_COUNT / 2) * sizeof *v);
    for (unsigned i = 0; i < e->count; i++)
        v[schema->roles[i]] = &e->values[i];
    if (schema->metrics)
        dial9_metrics_event(d, e, schema);
    if (count_only(d, e, schema->kind, v))
        return false;
    *f = (struct fact){.time_ns = e->time_ns,
                       .id = dial9_fact_number(v[ROLE_ID], 0),
                       .other = RAS_NONE,
                       .offset = e->offset & OFFSET_MOST,
                       .size = fact_event_size(e),
                       .ref = v[ROLE_TEXT] ? dial9_fact_text(d, e, v[ROLE_TEXT]) : NO_TEXT,
                       .worker = v[ROLE_WORKER] ? worker_index(d, v[ROLE_WORKER]) : NO_WORKER,
                       .kind = schema->kind,
                       .small = (uint8_t)dial9_fact_number(v[ROLE_SMALL], 0)};
    if (f->kind >= FACT_SPAN_ENTER && f->kind <= FACT_SPAN_WHOLE)
        return dial9_span_fact(d, e, schema, v, f);
    fill(d, e, v, f);
    return true;
}

/* ---- facts of records -------------------------------------------------------------- */

uint64_t dial9_cell_number(const struct ras_value *v, uint64_t otherwise)
{
    if (v && (v->kind == RAS_UINT || v->kind == RAS_BOOL))
        return v->u;
    return v && v->kind == RAS_INT && v->i >= 0 ? v->u : otherwise;
}

void dial9_record_roles(const struct ras_cursor *c, const struct fact_schema *schema,
                        const struct ras_value *v[ROLE_COUNT])
{
    size_t count;
    const struct ras_value *at = ras_values(c, &count), *end = at + count;
    memset(v, 0, ROLE_COUNT * sizeof *v);
    for (; at < end; at = ras_value_next(at))
        if (at->kind != RAS_NULL)
            v[schema->roles[at->field]] = at;
}

void dial9_record_fact(struct dial9_stats *d, const struct ras_record *r,
                       const struct fact_schema *schema,
                       const struct ras_value *const v[ROLE_COUNT], struct fact *f)
{
    const struct ras_value *text = v[ROLE_TEXT];
    const struct worker *w =
        v[ROLE_WORKER] ? dial9_stats_worker(d, dial9_cell_number(v[ROLE_WORKER], RAS_NONE)) : NULL;
    *f = (struct fact){
        .time_ns = r->time_ns,
        .id = dial9_cell_number(v[ROLE_ID], 0),
        .other = RAS_NONE,
        .offset = r->offset & OFFSET_MOST,
        .size = r->raw_len <= UINT16_MAX ? (uint16_t)r->raw_len : 0,
        .ref = text && text->kind == RAS_STR ? dial9_stats_text(d, text->at, text->count) : NO_TEXT,
        .worker = w ? (uint16_t)(w - d->workers) : NO_WORKER,
        .kind = schema->kind,
        .small = (uint8_t)dial9_cell_number(v[ROLE_SMALL], 0)};
    if (f->kind >= FACT_SPAN_ENTER && f->kind <= FACT_SPAN_WHOLE) {
        dial9_span_record_fact(d, schema, v, f);
    } else if (f->kind == FACT_PARK || f->kind == FACT_UNPARK) {
        f->id = dial9_cell_number(v[ROLE_CPU], RAS_NONE);
        f->other = dial9_cell_number(v[ROLE_TID], RAS_NONE);
    } else if (f->kind == FACT_POLL_START) {
        f->other = dial9_cell_number(v[ROLE_OTHER], RAS_NONE);
    }
}
