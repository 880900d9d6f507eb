/* pen_cdt.c - the state of a run: what the world hands over after every tick. */
#include "base/error.h"
#include "core/tick_index.h"
#include "world/float_bits.h"
#include "world/run_pens.h"
#include "world/worlds.h"
#include <rastrum/cdt.h>

#include <stdio.h>
#include <stdlib.h>

#define BYTES(text) ((struct ras_bytes){(const uint8_t *)(text), sizeof(text) - 1})
#define BIT(member) (UINT32_C(1) << (member))
#define MEASURED    "1970-01-01T00:00:00+00:00" /* no run knows when it is run */

/* A file that is cut loses its last chunk: these are a quarter of a second. It is 1 % larger than
 * with the 256 that the writer would take. */
enum { CHUNK_TICKS = 16 };

struct cdt {
    struct ras_folder *folder;
    struct ras_sink *sink;
    struct ras_cdt_writer *writer;
    struct ras_cdt_tick_record row;
    uint64_t rows; /* written */
};

static const char *cdt_pen_lacks(const struct ras_world_type *type,
                                 const struct ras_run_options *options)
{
    (void)options;
    return type->state ? NULL : "the world has no state to hand over";
}

/* Of the world as it begins: `row` is its state before the first tick. */
static void describe(struct ras_cdt_trace_source *s, const struct pen_run *run,
                     const struct ras_cdt_tick_record *row)
{
    const struct ras_cdt_snapshot_gameplay *g = &row->channels.sim_state.gameplay;
    double dt = double_of(run->type->shape(run->world).dt_bits);
    *s = (struct ras_cdt_trace_source){
        .node.present =
            BIT(RAS_CDT_SOURCE_KIND) | BIT(RAS_CDT_SOURCE_SEED) | BIT(RAS_CDT_SOURCE_MODE_ID) |
            BIT(RAS_CDT_SOURCE_QUEST_STAGE_MAJOR) | BIT(RAS_CDT_SOURCE_QUEST_STAGE_MINOR) |
            BIT(RAS_CDT_SOURCE_GLOBAL_TICK_FIRST) | BIT(RAS_CDT_SOURCE_GLOBAL_TICK_LAST),
        .kind = {(const uint8_t *)run->type->name, strlen(run->type->name)},
        .seed = (int64_t)run->seed,
        .mode_id = row->mode_id,
        .quest_stage_major = g->quest_stage_major,
        .quest_stage_minor = g->quest_stage_minor,
        .global_tick_first = 1,
        .global_tick_last = (int64_t)run->ticks,
    };
    if (run->seed > INT64_MAX)
        s->node.wide = BIT(RAS_CDT_SOURCE_SEED);
    if (dt > 0 && dt < 1) {
        s->tick_rate = (int64_t)(1 / dt + 0.5);
        ras_cdt_set(&s->node, RAS_CDT_SOURCE_TICK_RATE);
    }
}

static int cdt_pen_begin(struct cdt *c, const struct pen_run *run, struct ras_error *err)
{
    struct ras_cdt_trace_meta meta = {
        .trace_format_version = RAS_CDT_FORMAT_VERSION,
        .trace_schema_version = RAS_CDT_SCHEMA_VERSION,
        .created_utc = BYTES(MEASURED),
        .producer = {.impl = BYTES("rastrum"), .impl_version = BYTES(RASTRUM_VERSION)},
        .tick_range = {.start_tick = 1,
                       .end_tick = (int64_t)run->ticks,
                       .tick_count = (int64_t)run->ticks},
    };
    if (run->ticks > INT32_MAX)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "a trace of state has %d ticks at most, not %" PRIu64, INT32_MAX, run->ticks);
    int status = world_state(run->type, run->world, &c->row, err);
    if (status < 0)
        return status;
    describe(&meta.source, run, &c->row);
    c->sink = run->sink;
    if (!c->sink)
        status = ras_folder_sink(run->folder, cdt_pen.file, &c->sink, err);
    const struct ras_cdt_writer_options how = {.threaded = true, .chunk_ticks = CHUNK_TICKS};
    return status < 0 ? status : ras_cdt_writer_open(&c->writer, c->sink, &meta, &how, err);
}

static void cdt_pen_drop(void *pen)
{
    struct cdt *c = pen;
    if (!c)
        return;
    ras_cdt_writer_drop(c->writer);
    free(c);
}

static int cdt_pen_open(void **pen, const struct pen_run *run, struct ras_error *err)
{
    struct cdt *c = calloc(1, sizeof *c);
    *pen = NULL;
    if (!c)
        return fail_memory(err);
    c->folder = run->folder;
    int status = cdt_pen_begin(c, run, err);
    if (status < 0)
        cdt_pen_drop(c);
    else
        *pen = c;
    return status;
}

static int cdt_pen_tick(void *pen, const struct pen_tick *t, struct ras_error *err)
{
    struct cdt *c = pen;
    int status = world_state(t->type, t->world, &c->row, err);
    c->rows++;
    return status < 0 ? status : ras_cdt_writer_tick(c->writer, &c->row, err);
}

static void cdt_pen_place(const void *pen, struct tick_rows *rows)
{
    tick_rows_put(rows, "cdt.row", ((const struct cdt *)pen)->rows - 1);
}

static int cdt_pen_close(void *pen, struct ras_error *err)
{
    struct cdt *c = pen;
    int status = ras_cdt_writer_close(c->writer, err);
    c->writer = NULL;
    if (status == RAS_OK && c->folder)
        status = ras_folder_finish(c->folder, c->sink, err);
    cdt_pen_drop(c);
    return status;
}

const struct pen_type cdt_pen = {
    .name = "cdt",
    .file = "state.cdt",
    .lacks = cdt_pen_lacks,
    .open = cdt_pen_open,
    .tick = cdt_pen_tick,
    .place = cdt_pen_place,
    .close = cdt_pen_close,
    .drop = cdt_pen_drop,
};
