/* pen_murk.c - the inputs of a run: every tick's commands, and the hash that came out. */
#include "base/error.h"
#include "base/memory.h"
#include "core/tick_index.h"
#include "world/run_pens.h"

#include <stdlib.h>
#include <string.h>

struct murk {
    struct ras_folder *folder;
    struct ras_sink *sink;
    struct ras_murk_writer *writer;
    struct ras_murk_command *wire;
    size_t room;
    uint64_t at; /* offset of the last frame */
};

static struct ras_bytes text(const char *from)
{
    return (struct ras_bytes){(const uint8_t *)from, strlen(from)};
}

static int murk_pen_begin(struct murk *m, const struct pen_run *run, struct ras_error *err)
{
    struct ras_world_shape shape = run->type->shape(run->world);
    struct ras_murk_header header = {
        .version = RAS_MURK_VERSION,
        .toolchain = text("rastrum " RASTRUM_VERSION),
        .murk_version = text(run->type->name),
        .seed = run->seed,
        .config_hash = ras_config_hash(run->seed, &shape, run->recipe),
        .field_count = shape.field_count,
        .cell_count = shape.cell_count,
        .space_descriptor = run->recipe,
    };
    int status = ras_folder_sink(run->folder, murk_pen.file, &m->sink, err);
    return status < 0 ? status : ras_murk_writer_open(&m->writer, m->sink, &header, err);
}

static void murk_pen_drop(void *pen)
{
    struct murk *m = pen;
    if (!m)
        return;
    (void)!ras_murk_writer_close(m->writer, NULL);
    free(m->wire);
    free(m);
}

static int murk_pen_open(void **pen, const struct pen_run *run, struct ras_error *err)
{
    struct murk *m = calloc(1, sizeof *m);
    *pen = NULL;
    if (!m)
        return fail_memory(err);
    m->folder = run->folder;
    int status = murk_pen_begin(m, run, err);
    if (status < 0)
        murk_pen_drop(m);
    else
        *pen = m;
    return status;
}

static int murk_pen_tick(void *pen, const struct pen_tick *t, struct ras_error *err)
{
    struct murk *m = pen;
    if (!array_grow(&m->wire, &m->room, t->command_count, sizeof *m->wire))
        return fail_memory(err);
    for (uint32_t i = 0; i < t->command_count; i++)
        m->wire[i] = t->commands[i].wire;
    m->at = ras_sink_size(m->sink);
    return ras_murk_writer_frame(m->writer, t->tick_id, m->wire, t->command_count, t->hash, err);
}

static void murk_pen_place(const void *pen, struct tick_rows *rows)
{
    tick_rows_put(rows, "murk.offset", ((const struct murk *)pen)->at);
}

static int murk_pen_close(void *pen, struct ras_error *err)
{
    struct murk *m = pen;
    int status = ras_murk_writer_close(m->writer, err);
    m->writer = NULL;
    if (status == RAS_OK)
        status = ras_folder_finish(m->folder, m->sink, err);
    murk_pen_drop(m);
    return status;
}

const struct pen_type murk_pen = {
    .name = "murk",
    .file = "replay.murk",
    .open = murk_pen_open,
    .tick = murk_pen_tick,
    .place = murk_pen_place,
    .close = murk_pen_close,
    .drop = murk_pen_drop,
};
