/* cdt_kill.c - ticks, five to a chunk; those of a chunk are acknowledged together. */
#include "kill.h"
#include <rastrum/cdt.h>

#include <fcntl.h>

#define TEXT(text)                                                                                 \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

static int put(struct ras_cdt_writer *w, int64_t i)
{
    struct ras_cdt_timing_sample_row timing = {.node = {.present = 0x1fff},
                                               .tick_index = i,
                                               .phase = TEXT("gpur_enter"),
                                               .write_kind = TEXT("snapshot"),
                                               .mode_fn = TEXT("gameplay_update_and_render")};
    struct ras_cdt_tick_record tick = {.tick_index = i, .elapsed_ms = 16 * i};
    tick.channels.checkpoint.tick_index = i;
    tick.channels.checkpoint.elapsed_ms = tick.elapsed_ms;
    tick.channels.timing_samples.at = &timing;
    tick.channels.timing_samples.count = 1;
    return ras_cdt_writer_tick(w, &tick, NULL);
}

static void write_ticks(const char *path, void (*acknowledged)(void *user), void *user)
{
    const struct ras_cdt_trace_meta meta = {.trace_format_version = 1,
                                            .trace_schema_version = RAS_CDT_SCHEMA_VERSION,
                                            .producer = {.impl = TEXT("python")}};
    const struct ras_cdt_writer_options options = {.chunk_ticks = 5};
    struct ras_cdt_writer *w;
    struct ras_sink *sink;
    uint64_t promised = 0;
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (fd < 0 || ras_sink_fd(&sink, fd, NULL) < 0 ||
        ras_cdt_writer_open(&w, sink, &meta, &options, NULL) < 0)
        return;
    for (int64_t i = 0; i < INT32_MAX; i++) {
        if (put(w, i) < 0 || ras_sink_flush(sink, NULL) < 0)
            return;
        for (; promised < ras_cdt_writer_stored(w); promised++)
            acknowledged(user);
    }
}

static uint64_t number(const struct ras_cursor *c, const struct ras_record *r)
{
    (void)c;
    return r->parent == RAS_NONE ? r->tick : RAS_NONE;
}

const struct killed_writer cdt_writer = {.name = "cdt", .write = write_ticks, .number = number};
