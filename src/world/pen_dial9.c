/* pen_dial9.c - the events of a run: ticks and their phases, spawns, hits, pickups, and now
 * and then the world's own stack, all at the time when they came about.
 *
 * A phase is what the outermost function of the world calls. Events bear the time when they
 * are over, so that time never steps back. Addresses of a stack are made up: each function
 * has one, and the symbols at the beginning of the stream name them. Of every tick the event
 * `tick` is the last. */
#include "base/error.h"
#include "core/tick_index.h"
#include "world/run_pens.h"
#include <rastrum/dial9.h>

#include <stdlib.h>
#include <string.h>

enum kind { TICK, PHASE, SPAWN, HIT, PICKUP, SAMPLE, SYMBOL, KINDS };
enum { STACK = 64, EVERY = 16, STRIDE = 5, AMONG = 24, ADDRESS = 0x1000, APART = 16 };

struct dial9 {
    struct ras_folder *folder;
    struct ras_sink *sink;
    struct ras_dial9_writer *writer;
    const struct ras_world_function *functions; /* NULL: the world reports nothing */
    uint16_t ids[KINDS];
    uint64_t tick;     /* that runs */
    uint64_t entered;  /* functions of it */
    uint64_t phase_ns; /* when the phase began */
    uint64_t events;   /* written */
    uint32_t depth, stack[STACK];
    int status; /* of the first event that could not be written */
    struct ras_error failure;
};

static const struct ras_dial9_schema schemas[KINDS];

/* ---- values ------------------------------------------------------------------------------ */

static struct ras_dial9_value varint(uint64_t value)
{
    return (struct ras_dial9_value){.type = RAS_DIAL9_VARINT, .u = value};
}

static struct ras_dial9_value whole(int64_t value)
{
    return (struct ras_dial9_value){.type = RAS_DIAL9_I64, .i = value};
}

static struct ras_dial9_value real(float value)
{
    return (struct ras_dial9_value){.type = RAS_DIAL9_F64, .f64 = (double)value};
}

/* The first failure is kept; later events are not written. */
static void dial9_pen_put(struct dial9 *d, enum kind kind, uint64_t time_ns,
                          const struct ras_dial9_value *values)
{
    if (d->status == RAS_OK)
        d->status = ras_dial9_writer_event(d->writer, d->ids[kind], time_ns, values,
                                           schemas[kind].field_count, &d->failure);
    d->events += d->status == RAS_OK;
}

static struct ras_dial9_value name(struct dial9 *d, const char *text)
{
    uint32_t id = 0;
    if (d->status == RAS_OK)
        d->status = ras_dial9_writer_string(
            d->writer, (struct ras_bytes){(const uint8_t *)text, strlen(text)}, &id, &d->failure);
    return (struct ras_dial9_value){.type = RAS_DIAL9_POOLED_STRING, .u = id};
}

/* ---- while a tick runs ------------------------------------------------------------------- */

static uint64_t address(uint32_t function)
{
    return ADDRESS + (uint64_t)function * APART;
}

static void sample(struct dial9 *d, uint64_t time_ns)
{
    uint64_t chain[STACK];
    uint32_t id = 0;
    for (uint32_t i = 0; i < d->depth; i++)
        chain[i] = address(d->stack[d->depth - 1 - i]);
    if (d->status == RAS_OK)
        d->status = ras_dial9_writer_stack(d->writer, chain, d->depth, &id, &d->failure);
    dial9_pen_put(d, SAMPLE, time_ns,
                  (const struct ras_dial9_value[]){
                      varint(0),
                      {.type = RAS_DIAL9_U32, .u = 1},
                      {.type = RAS_DIAL9_U8},
                      name(d, "simulation"),
                      {.type = RAS_DIAL9_POOLED_STACK_FRAMES, .u = id},
                      {0},
                  });
}

static void dial9_pen_enter(void *pen, uint32_t function, const uint64_t *args, uint32_t count)
{
    struct dial9 *d = pen;
    (void)args, (void)count;
    if (d->depth < STACK)
        d->stack[d->depth] = function;
    d->depth++;
    if (d->depth == 2)
        d->phase_ns = pen_now();
    if (d->tick % EVERY == 0 && d->entered == d->tick / EVERY * STRIDE % AMONG && d->depth <= STACK)
        sample(d, pen_now());
    d->entered++;
}

static void dial9_pen_leave(void *pen, uint32_t function)
{
    struct dial9 *d = pen;
    if (d->depth == 2) {
        uint64_t over = pen_now();
        dial9_pen_put(d, PHASE, over,
                      (const struct ras_dial9_value[]){varint(d->tick),
                                                       name(d, d->functions[function].name),
                                                       varint(over - d->phase_ns)});
    }
    d->depth -= d->depth != 0;
}

static void dial9_pen_event(void *pen, const struct ras_world_event *e)
{
    static const enum kind kinds[RAS_WORLD_EVENTS] = {
        [RAS_WORLD_SPAWN] = SPAWN, [RAS_WORLD_HIT] = HIT, [RAS_WORLD_PICKUP] = PICKUP};
    struct dial9 *d = pen;
    const struct ras_dial9_value values[] = {
        varint(d->tick), name(d, e->what), varint(e->entity), whole(e->by),
        real(e->x),      real(e->y),       real(e->amount),   varint((uint64_t)(e->seconds * 1e9f)),
    };
    if (e->kind < RAS_WORLD_EVENTS)
        dial9_pen_put(d, kinds[e->kind], pen_now(), values);
}

/* ---- the pen ----------------------------------------------------------------------------- */

/* At time 0, as recorders have them: before all that has another, so that time never steps
 * back. */
static void put_symbols(struct dial9 *d)
{
    for (uint32_t i = 0; d->functions && d->functions[i].name; i++)
        dial9_pen_put(d, SYMBOL, 0,
                      (const struct ras_dial9_value[]){varint(address(i)), varint(APART),
                                                       name(d, d->functions[i].name), varint(0),
                                                       name(d, ""), varint(0)});
}

static int dial9_pen_begin(struct dial9 *d, const struct pen_run *run, struct ras_error *err)
{
    int status = ras_folder_sink(run->folder, dial9_pen.file, &d->sink, err);
    if (status == RAS_OK)
        status = ras_dial9_writer_open(&d->writer, d->sink, NULL, err);
    for (unsigned i = 0; status == RAS_OK && i < KINDS; i++)
        status = ras_dial9_writer_schema(d->writer, &schemas[i], &d->ids[i], err);
    return status;
}

static void dial9_pen_drop(void *pen)
{
    struct dial9 *d = pen;
    if (!d)
        return;
    (void)!ras_dial9_writer_close(d->writer, NULL);
    free(d);
}

static int write_status(const struct dial9 *d, struct ras_error *err)
{
    if (d->status < 0 && err)
        *err = d->failure;
    return d->status;
}

static int dial9_pen_open(void **pen, const struct pen_run *run, struct ras_error *err)
{
    struct dial9 *d = calloc(1, sizeof *d);
    *pen = NULL;
    if (!d)
        return fail_memory(err);
    d->folder = run->folder;
    d->functions = run->type->watch ? run->type->functions : NULL;
    d->tick = 1;
    int status = dial9_pen_begin(d, run, err);
    if (status == RAS_OK) {
        put_symbols(d);
        status = write_status(d, err);
    }
    if (status < 0)
        dial9_pen_drop(d);
    else
        *pen = d;
    return status;
}

static int dial9_pen_tick(void *pen, const struct pen_tick *t, struct ras_error *err)
{
    struct dial9 *d = pen;
    uint64_t applied = 0;
    for (uint32_t i = 0; i < t->step->receipt_count; i++)
        applied += t->step->receipts[i].applied_tick != RAS_NONE;
    dial9_pen_put(d, TICK, t->begin_ns + t->elapsed_ns,
                  (const struct ras_dial9_value[]){varint(t->tick_id),
                                                   varint(t->step->command_count), varint(applied),
                                                   varint(t->hash), varint(t->elapsed_ns)});
    d->tick = t->tick_id + 1;
    d->entered = 0;
    d->depth = 0;
    return write_status(d, err);
}

static void dial9_pen_place(const void *pen, struct tick_rows *rows)
{
    tick_rows_put(rows, "dial9.event", ((const struct dial9 *)pen)->events - 1);
}

static int dial9_pen_close(void *pen, struct ras_error *err)
{
    struct dial9 *d = pen;
    int status = write_status(d, err);
    if (status == RAS_OK) {
        status = ras_dial9_writer_close(d->writer, err);
        d->writer = NULL;
    }
    if (status == RAS_OK)
        status = ras_folder_finish(d->folder, d->sink, err);
    dial9_pen_drop(d);
    return status;
}

#define FIELDS(...)                                                                                \
    .fields = (const struct ras_dial9_field[]){__VA_ARGS__},                                       \
    .field_count =                                                                                 \
        sizeof((const struct ras_dial9_field[]){__VA_ARGS__}) / sizeof(struct ras_dial9_field),    \
    .has_timestamp = true
#define WHAT_AND_WHERE(what, who)                                                                  \
    {"tick", RAS_DIAL9_VARINT}, {what, RAS_DIAL9_POOLED_STRING}, {"entity", RAS_DIAL9_VARINT},     \
        {who, RAS_DIAL9_I64}, {"x", RAS_DIAL9_F64}, {"y", RAS_DIAL9_F64},                          \
        {"amount", RAS_DIAL9_F64},                                                                 \
    {                                                                                              \
        "duration_ns", RAS_DIAL9_VARINT                                                            \
    }

static const struct ras_dial9_schema schemas[KINDS] = {
    [TICK] = {"tick", FIELDS({"tick", RAS_DIAL9_VARINT}, {"commands", RAS_DIAL9_VARINT},
                             {"applied", RAS_DIAL9_VARINT}, {"snapshot_hash", RAS_DIAL9_VARINT},
                             {"duration_ns", RAS_DIAL9_VARINT})},
    [PHASE] = {"phase", FIELDS({"tick", RAS_DIAL9_VARINT}, {"name", RAS_DIAL9_POOLED_STRING},
                               {"duration_ns", RAS_DIAL9_VARINT})},
    [SPAWN] = {"spawn", FIELDS(WHAT_AND_WHERE("creature", "by"))},
    [HIT] = {"hit", FIELDS(WHAT_AND_WHERE("weapon", "player"))},
    [PICKUP] = {"pickup", FIELDS(WHAT_AND_WHERE("bonus", "player"))},
    /* As public recorders have them, so that tools made for theirs read ours. */
    [SAMPLE] = {"CpuSampleEvent",
                FIELDS({"worker_id", RAS_DIAL9_VARINT}, {"tid", RAS_DIAL9_U32},
                       {"source", RAS_DIAL9_U8},
                       {"thread_name", RAS_DIAL9_POOLED_STRING | RAS_DIAL9_OPTIONAL},
                       {"callchain", RAS_DIAL9_POOLED_STACK_FRAMES},
                       {"cpu", RAS_DIAL9_VARINT | RAS_DIAL9_OPTIONAL})},
    [SYMBOL] = {"SymbolTableEntry",
                FIELDS({"addr", RAS_DIAL9_VARINT}, {"size", RAS_DIAL9_VARINT},
                       {"symbol_name", RAS_DIAL9_POOLED_STRING}, {"inline_depth", RAS_DIAL9_VARINT},
                       {"source_file", RAS_DIAL9_POOLED_STRING},
                       {"source_line", RAS_DIAL9_VARINT})},
};

static const char *const varies[] = {"tick.duration_ns", "phase.duration_ns", NULL};

const struct pen_type dial9_pen = {
    .name = "dial9",
    .file = "events.trc",
    .varies = varies,
    .open = dial9_pen_open,
    .tick = dial9_pen_tick,
    .place = dial9_pen_place,
    .close = dial9_pen_close,
    .drop = dial9_pen_drop,
    .enter = dial9_pen_enter,
    .leave = dial9_pen_leave,
    .event = dial9_pen_event,
};
