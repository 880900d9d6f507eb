/* scribe_murk.c - the inputs of a run: the commands of every tick, and the hash of its state. */
#include "base/error.h"
#include "codec/fnv1a.h"
#include "core/tick_index.h"
#include "pens/scribe.h"

#include <stdlib.h>
#include <string.h>

struct murk {
    struct ras_folder *folder;
    struct ras_sink *sink;
    struct ras_murk_writer *writer;
    uint64_t at; /* offset of the last frame */
};

static struct ras_bytes murk_text(const char *from)
{
    return (struct ras_bytes){(const uint8_t *)from, strlen(from)};
}

static void murk_scribe_drop(void *scribe)
{
    struct murk *m = scribe;
    if (!m)
        return;
    (void)!ras_murk_writer_close(m->writer, NULL);
    free(m);
}

static uint64_t config_hash(const struct scribe_run *run)
{
    uint8_t seed[8];
    store_u64(seed, run->seed);
    return fnv1a_bytes(fnv1a_bytes(FNV1A_START, seed, sizeof seed), run->settings.at,
                       run->settings.len);
}

static int murk_scribe_open(void **scribe, const struct scribe_run *run, struct ras_error *err)
{
    struct murk *m = calloc(1, sizeof *m);
    *scribe = NULL;
    if (!m)
        return fail_memory(err);
    const struct ras_murk_header header = {
        .version = RAS_MURK_VERSION,
        .toolchain = murk_text("rastrum " RASTRUM_VERSION),
        .murk_version = murk_text(run->program),
        .seed = run->seed,
        .config_hash = config_hash(run),
        .space_descriptor = run->settings,
    };
    m->folder = run->folder;
    int status = ras_folder_sink(run->folder, murk_scribe.file, &m->sink, err);
    if (status == RAS_OK)
        status = ras_murk_writer_open(&m->writer, m->sink, &header, err);
    if (status < 0)
        murk_scribe_drop(m);
    else
        *scribe = m;
    return status;
}

static int murk_scribe_tick(void *scribe, const struct desk_tick *t, struct ras_error *err)
{
    struct murk *m = scribe;
    m->at = ras_sink_size(m->sink);
    return ras_murk_writer_frame(m->writer, t->tick, t->commands, t->command_count, t->hash, err);
}

static int murk_scribe_flush(void *scribe, struct ras_error *err)
{
    return ras_sink_flush(((struct murk *)scribe)->sink, err);
}

static uint64_t murk_scribe_size(const void *scribe)
{
    return ras_sink_size(((const struct murk *)scribe)->sink);
}

static void murk_scribe_place(const void *scribe, struct tick_rows *rows)
{
    tick_rows_put(rows, "murk.offset", ((const struct murk *)scribe)->at);
}

static int murk_scribe_close(void *scribe, struct ras_error *err)
{
    struct murk *m = scribe;
    int status = ras_murk_writer_close(m->writer, err);
    m->writer = NULL;
    if (status == RAS_OK)
        status = ras_folder_finish(m->folder, m->sink, err);
    murk_scribe_drop(m);
    return status;
}

/* Frames need nothing but their bytes. */
static int murk_scribe_resume(void *scribe, struct ras_bytes old, uint64_t first_tick,
                              uint64_t *last, took_tick *took, void *user, struct ras_error *err)
{
    struct murk *m = scribe;
    struct ras_murk_header header;
    struct ras_murk_frame frame;
    struct ras_murk_fault fault;
    uint64_t limit = *last;
    int status = RAS_OK;
    (void)first_tick;
    *last = RAS_NONE;
    if (!ras_murk_header_get(old, &header, &fault))
        return RAS_OK;
    old = (struct ras_bytes){old.at + header.size, old.len - (size_t)header.size};
    while (status == RAS_OK && old.len && ras_murk_frame_get(old, &frame, &fault) &&
           frame.tick_id <= limit && (*last == RAS_NONE || frame.tick_id > *last)) {
        if (m) {
            m->at = ras_sink_size(m->sink);
            status = ras_sink_write(m->sink, old.at, (size_t)frame.size, err);
        }
        *last = frame.tick_id;
        took(user, frame.tick_id, frame.command_count);
        old = (struct ras_bytes){old.at + frame.size, old.len - (size_t)frame.size};
    }
    return status;
}

const struct scribe_type murk_scribe = {
    .name = "murk",
    .file = "replay.murk",
    .lacks = "the program handed over no inputs and no state",
    .open = murk_scribe_open,
    .tick = murk_scribe_tick,
    .flush = murk_scribe_flush,
    .size = murk_scribe_size,
    .place = murk_scribe_place,
    .close = murk_scribe_close,
    .drop = murk_scribe_drop,
    .resume = murk_scribe_resume,
};
