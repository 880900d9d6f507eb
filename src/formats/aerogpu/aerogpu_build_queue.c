/* aerogpu_build_queue.c - calls of the writer that wait until their bytes are there. */
#include "base/memory.h"
#include "formats/aerogpu/aerogpu_build.h"

#include <stdlib.h>

/* ---- calls ---------------------------------------------------------------------------- */

static int write_submission(struct aero_maker *m, const struct aero_call *c, struct ras_error *err)
{
    struct ras_aero_submission s = c->submission;
    s.ranges = (struct ras_bytes){m->data.at + c->at, c->len};
    struct ras_aero_range *ranges = calloc(s.memory_range_count + 1u, sizeof *ranges);
    if (!ranges)
        return fail_memory(err);
    for (uint32_t i = 0; i < s.memory_range_count; i++)
        ranges[i] = ras_aero_range_at(&s, i);
    int status = ras_aero_writer_submission(m->writer, &s, ranges, err);
    free(ranges);
    return status;
}

/* The bytes of a call; none are made before its turn where they are only zeros. */
static bool data_of(struct aero_maker *m, const struct aero_call *c, struct ras_bytes *data)
{
    size_t old = m->zero_room;
    *data = (struct ras_bytes){c->len && !c->made_up ? m->data.at + c->at : NULL, c->len};
    if (!c->made_up || !c->len)
        return true;
    if (!array_grow(&m->zeros, &m->zero_room, c->len, 1))
        return false;
    memset(m->zeros + old, 0, m->zero_room - old);
    data->at = m->zeros;
    return true;
}

static int write_call(struct aero_maker *m, const struct aero_call *c, struct ras_error *err)
{
    struct ras_bytes data;
    if (!data_of(m, c, &data))
        return fail_memory(err);
    switch (c->what) {
    case AERO_CALL_BEGIN:
        return ras_aero_writer_begin_frame(m->writer, c->number, err);
    case AERO_CALL_PRESENT:
        return ras_aero_writer_present(m->writer, c->number, err);
    case AERO_CALL_END:
        return ras_aero_writer_end_frame(m->writer, err);
    case AERO_CALL_PACKET:
        return ras_aero_writer_packet(m->writer, data, err);
    case AERO_CALL_BLOB:
        return c->blob_id ? ras_aero_writer_blob_as(m->writer, c->blob_id, c->number, data, err)
                          : ras_aero_writer_blob(m->writer, c->number, data, NULL, err);
    default:
        return write_submission(m, c, err);
    }
}

int aero_call_flush(struct aero_maker *m, struct ras_sink *sink, struct ras_error *err)
{
    int status = m->writer ? RAS_OK : ras_aero_writer_open(&m->writer, sink, &m->start, err);
    while (status == RAS_OK && m->head < m->count && !m->calls[m->head].waits)
        status = write_call(m, &m->calls[m->head++], err);
    if (status == RAS_OK && m->head == m->count)
        m->head = m->count = m->data.len = 0;
    return status;
}

struct aero_call *aero_call_add(struct aero_maker *m, enum aero_what what, struct ras_error *err)
{
    if (!array_grow(&m->calls, &m->room, m->count + 1, sizeof *m->calls)) {
        (void)fail_memory(err);
        return NULL;
    }
    m->calls[m->count] = (struct aero_call){.at = m->data.len};
    m->calls[m->count].what = what;
    return &m->calls[m->count++];
}

/* ---- command streams ----------------------------------------------------------------- */

int aero_commands_end(struct aero_maker *m, struct ras_error *err)
{
    uint8_t head[RAS_AERO_STREAM_HEADER_SIZE];
    bool take = m->commands == AERO_TAKE_COMMANDS;
    m->commands = AERO_NO_COMMANDS;
    if (!take)
        return RAS_OK;
    struct aero_call *c = &m->calls[m->stream_call];
    if (m->stream.len > UINT32_MAX - sizeof head)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a stream of %zu bytes", m->stream.len);
    c->stream.size_bytes = (uint32_t)(sizeof head + m->stream.len);
    ras_aero_stream_put(&c->stream, head);
    c->at = m->data.len;
    c->len = c->stream.size_bytes;
    c->waits = false;
    out_bytes(&m->data, head, sizeof head);
    out_bytes(&m->data, m->stream.at, m->stream.len);
    m->stream.len = 0;
    return m->data.failed ? fail_memory(err) : RAS_OK;
}

void aero_commands_await(struct aero_maker *m, uint64_t blob_id)
{
    m->commands = AERO_PASS_COMMANDS;
    for (size_t i = m->count; i > m->head; i--) {
        const struct aero_call *c = &m->calls[i - 1];
        if (c->what != AERO_CALL_BLOB || c->blob_id != blob_id)
            continue;
        if (c->waits) {
            m->commands = AERO_TAKE_COMMANDS;
            m->stream_call = i - 1;
        }
        return;
    }
}

/* ---- bytes that are not told ------------------------------------------------ */

void aero_make_up(struct aero_maker *m, struct aero_call *c, uint64_t size)
{
    c->made_up = true;
    c->len = (size_t)size;
    m->made_up += size;
}

void aero_make_up_waiting(struct aero_maker *m)
{
    for (size_t i = m->head; i < m->count; i++)
        if (m->calls[i].waits) {
            m->calls[i].waits = false;
            aero_make_up(m, &m->calls[i], m->calls[i].stream.size_bytes);
        }
}
