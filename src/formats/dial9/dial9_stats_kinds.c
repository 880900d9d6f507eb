/* dial9_stats_kinds.c - which events the analyses know, and what their fields are for.
 *
 * Events are known by name and fields, never by type id: the same event has another id
 * in the next batch, and recorders of different age gave it different fields. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

enum { TYPE_FIELDS = 8 };

struct fact_type {
    const char *name; /* of events; where `prefix`, how it begins */
    bool prefix;
    uint8_t kind;
    uint32_t needed; /* bits 1 << role */
    const char *fields[TYPE_FIELDS];
    uint8_t roles[TYPE_FIELDS];
};

#define NEEDS(role) (1u << ROLE_##role)

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
    {"SpanEnter:",
     true,
     FACT_SPAN_ENTER,
     NEEDS(ID),
     {"worker_id", "span_id", "parent_span_id", "span_name"},
     {ROLE_WORKER, ROLE_ID, ROLE_OTHER, ROLE_TEXT}},
    {"SpanExit:", true, FACT_SPAN_EXIT, NEEDS(ID), {"span_id"}, {ROLE_ID}},
    {"SpanCloseEvent", false, FACT_SPAN_CLOSE, NEEDS(ID), {"span_id"}, {ROLE_ID}},
    {"CpuSampleEvent",
     false,
     FACT_SAMPLE,
     NEEDS(SMALL),
     {"worker_id", "tid", "source", "thread_name", "callchain"},
     {ROLE_WORKER, ROLE_TID, ROLE_SMALL, ROLE_TEXT, ROLE_STACK}},
    {"TaskDumpEvent", false, FACT_DUMP, NEEDS(ID), {"task_id"}, {ROLE_ID}},
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
    f->lacking = (found & f->type->needed) != f->type->needed;
    f->kind = f->lacking ? FACT_NONE : f->type->kind;
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
    look_at(d, &d->schemas[schema], ras_schema_at(d->s->trace, schema));
    return &d->schemas[schema];
}
