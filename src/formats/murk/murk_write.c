/* murk_write.c - a replay to a sink, frame by frame, each whole or not at all. */
#include "base/error.h"
#include "base/memory.h"
#include "formats/murk/murk_wire.h"

#include <stdlib.h>

struct ras_murk_writer {
    struct ras_sink *sink;
    uint8_t *buffer;
    size_t room;
    uint64_t frames;
    uint64_t end; /* the last frame boundary in the sink */
};

static int writer_refuse(const struct ras_murk_fault *fault, uint64_t at, struct ras_error *err)
{
    char text[160];
    return fail(err, RAS_ELIMIT, at, "%s", ras_murk_text(fault, text, sizeof text));
}

/* Hand over one structure; what a failure left behind is taken back. */
static int pass(struct ras_murk_writer *w, size_t size, struct ras_error *err)
{
    int status = ras_sink_write(w->sink, w->buffer, size, err);
    if (status < 0) {
        (void)!ras_sink_rewind(w->sink, w->end, NULL); /* a pipe cannot: it stays failed */
        return status;
    }
    w->end += size;
    return RAS_OK;
}

int ras_murk_writer_open(struct ras_murk_writer **out, struct ras_sink *sink,
                         const struct ras_murk_header *header, struct ras_error *err)
{
    *out = NULL;
    struct ras_murk_fault fault;
    size_t size;
    if (!ras_murk_header_put(header, NULL, 0, &size, &fault))
        return writer_refuse(&fault, 0, err);
    struct ras_murk_writer *w = calloc(1, sizeof *w);
    if (!w || !array_grow(&w->buffer, &w->room, size, 1)) {
        free(w);
        return fail_memory(err);
    }
    w->sink = sink;
    w->end = ras_sink_size(sink);
    ras_murk_header_put(header, w->buffer, w->room, &size, &fault);
    int status = pass(w, size, err);
    if (status < 0) {
        free(w->buffer);
        free(w);
        return status;
    }
    *out = w;
    return RAS_OK;
}

int ras_murk_writer_frame(struct ras_murk_writer *w, uint64_t tick_id,
                          const struct ras_murk_command *commands, uint32_t command_count,
                          uint64_t snapshot_hash, struct ras_error *err)
{
    struct ras_murk_fault fault;
    size_t size;
    if (!ras_murk_frame_put(tick_id, commands, command_count, snapshot_hash, w->buffer, w->room,
                            &size, &fault))
        return writer_refuse(&fault, w->end, err);
    if (size > w->room) {
        if (!array_grow(&w->buffer, &w->room, size, 1))
            return fail_memory(err);
        ras_murk_frame_put(tick_id, commands, command_count, snapshot_hash, w->buffer, w->room,
                           &size, &fault);
    }
    int status = pass(w, size, err);
    w->frames += status == RAS_OK;
    return status;
}

uint64_t ras_murk_writer_count(const struct ras_murk_writer *w)
{
    return w->frames;
}

int ras_murk_writer_close(struct ras_murk_writer *w, struct ras_error *err)
{
    if (!w)
        return RAS_OK;
    int status = ras_sink_flush(w->sink, err);
    if (status < 0)
        (void)!ras_sink_rewind(w->sink, w->end, NULL);
    free(w->buffer);
    free(w);
    return status;
}
